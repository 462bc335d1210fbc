"""spdml - symmetric positive definite (SPD) matrices: geometry, learning, recognition.

A thin layer over libspdml. Sets of matrices are numpy arrays of shape (p, n, n); C-contiguous
float64 arrays are passed on without a copy, others are converted. Estimators follow scikit-learn
and work in its pipelines, alongside pyRiemann's.
"""

from . import _fast
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
from .classifiers import CDLClassifier, KNearestNeighbors, MDM, RSRClassifier, SPDClassifier
from .data import Description, describe, from_epochs
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

# The short way for arrays that are right already.
apply = _fast.apply(apply)
covariances = _fast.covariances(covariances)
distance = _fast.distance(distance)
geodesic = _fast.geodesic(geodesic)
mean = _fast.mean(mean)
pairwise_distances = _fast.pairwise_distances(pairwise_distances)

__version__ = version()
_check_environment()

__all__ = [
    "CDLClassifier",
    "Description",
    "Evaluation",
    "Explanation",
    "FileFormatError",
    "InvalidArgumentError",
    "KNearestNeighbors",
    "MDM",
    "MatrixFiles",
    "NotFiniteError",
    "NotPositiveDefiniteError",
    "NotSymmetricError",
    "PGA",
    "RSRClassifier",
    "SPDClassifier",
    "SPDError",
    "SPDML",
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
