"""spdml - symmetric positive definite (SPD) matrices: geometry, learning, recognition.

A thin layer over libspdml. Sets of matrices are numpy arrays of shape (p, n, n); C-contiguous
float64 arrays are passed on without a copy, others are converted. Estimators follow scikit-learn
and work in its pipelines, alongside pyRiemann's.
"""

from ._calls import check_environment as _check_environment
from ._calls import isa_name, progress, version
from ._errors import (
    FileFormatError,
    InvalidArgumentError,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    SPDError,
)
from .artifact_detection import Potato
from .classification import MDM, KNearestNeighbor
from .classifiers import CDLClassifier, KNearestNeighbors, RSRClassifier, SPDClassifier
from .clustering import KMeans, Kmeans
from .data import Description, describe, from_epochs
from .estimation import (
    BlockCovariances,
    Coherences,
    CoSpectra,
    Covariances,
    CrossSpectra,
    ERPCovariances,
    Shrinkage,
    TimeDelayCovariances,
    XdawnCovariances,
)
from .evaluation import Evaluation, evaluate
from .explaining import Explanation, explain
from .files import MatrixFiles
from .functions import (
    apply,
    covariances,
    distance,
    embed,
    geodesic,
    kernel,
    mean,
    neighbors,
    pairwise_distances,
    recenter,
    regularize,
)
from .maps import PGA, SPDML, cost
from .preprocessing import Whitening
from .regression import KNearestNeighborRegressor, KNearestNeighborsRegressor
from .spatialfilters import CSP, BilinearFilter, SPoC, Xdawn

__version__ = version()
_check_environment()

__all__ = [
    "BilinearFilter",
    "BlockCovariances",
    "CDLClassifier",
    "CSP",
    "CoSpectra",
    "Coherences",
    "Covariances",
    "CrossSpectra",
    "Description",
    "ERPCovariances",
    "Evaluation",
    "Explanation",
    "FileFormatError",
    "InvalidArgumentError",
    "KMeans",
    "KNearestNeighbor",
    "KNearestNeighborRegressor",
    "KNearestNeighbors",
    "KNearestNeighborsRegressor",
    "Kmeans",
    "MDM",
    "MatrixFiles",
    "NotFiniteError",
    "NotPositiveDefiniteError",
    "NotSymmetricError",
    "PGA",
    "Potato",
    "RSRClassifier",
    "SPDClassifier",
    "SPDError",
    "SPDML",
    "SPoC",
    "Shrinkage",
    "TimeDelayCovariances",
    "Whitening",
    "Xdawn",
    "XdawnCovariances",
    "apply",
    "cost",
    "covariances",
    "describe",
    "distance",
    "embed",
    "evaluate",
    "explain",
    "from_epochs",
    "geodesic",
    "isa_name",
    "kernel",
    "mean",
    "neighbors",
    "pairwise_distances",
    "progress",
    "recenter",
    "regularize",
]
