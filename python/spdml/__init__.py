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
from .classifiers import CDLClassifier, KNearestNeighbors, MDM, RSRClassifier, SPDClassifier
from .evaluation import Evaluation, evaluate
from .explaining import Explanation, explain
from .functions import (
    apply,
    covariances,
    distance,
    geodesic,
    kernel,
    mean,
    neighbors,
    pairwise_distances,
    regularize,
)
from .maps import PGA, SPDML

__version__ = version()
_check_environment()

__all__ = [
    "CDLClassifier",
    "Evaluation",
    "Explanation",
    "FileFormatError",
    "InvalidArgumentError",
    "KNearestNeighbors",
    "MDM",
    "NotFiniteError",
    "NotPositiveDefiniteError",
    "NotSymmetricError",
    "PGA",
    "RSRClassifier",
    "SPDClassifier",
    "SPDError",
    "SPDML",
    "apply",
    "covariances",
    "distance",
    "evaluate",
    "explain",
    "geodesic",
    "isa_name",
    "kernel",
    "mean",
    "neighbors",
    "pairwise_distances",
    "progress",
    "regularize",
]
