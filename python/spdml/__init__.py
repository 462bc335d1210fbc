"""spdml - symmetric positive definite (SPD) matrices: geometry, learning, recognition.

What the command computes is computed by libspdml here too; what pyRiemann has beyond that is put
together from the library's functions and numpy. Sets of matrices are numpy arrays of shape (p, n, n);
C-contiguous float64 arrays are passed on without a copy, others are converted. Estimators follow
scikit-learn and work in its pipelines, alongside pyRiemann's.
"""

from ._calls import check_environment as _check_environment
from ._calls import isa_name, progress, set_engine, version
from ._errors import (
    DeviceError,
    FileFormatError,
    InvalidArgumentError,
    NotFiniteError,
    NotPositiveDefiniteError,
    NotSymmetricError,
    NumericError,
    SPDError,
)
from .artifact_detection import Potato
from .classification import FgMDM, MDM, SVC, TSClassifier
from .automatic import AutoClassifier
from .classifiers import CDLClassifier, KNearestNeighbors, RSRClassifier, SPDClassifier
from .classifiers import KNearestNeighbors as KNearestNeighbor
from .clustering import Kmeans
from .clustering import Kmeans as KMeans
from .data import Description, describe, from_epochs
from .distances import distance, mahalanobis, pairwise_distances
from .estimation import (
    BlockCovariances,
    CoSpectra,
    Coherences,
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
from .functions import covariances, embed, neighbors, recenter, regularize
from .geodesics import geodesic
from .kernels import kernel
from .maps import SPDML, cost
from .matrix_functions import (
    apply,
    eigvalsh,
    expm,
    expm_derivative,
    invm,
    invsqrtm,
    logm,
    logm_derivative,
    nearest_spd,
    powm,
    sqrtm,
)
from .means import masked_mean, mean, median, nan_mean
from .pga import PGA
from .preprocessing import Whitening
from .regression import KNearestNeighborRegressor, SVR
from .regression import KNearestNeighborRegressor as KNearestNeighborsRegressor
from .spatialfilters import BilinearFilter, CSP, SPoC, Xdawn
from .tangent import (
    exp_map,
    inner_product,
    log_map,
    norm,
    tangent_space,
    transport,
    untangent_space,
    unupper,
    upper,
)
from .tangentspace import FGDA, TangentSpace
from .transfer import (
    TLCenter,
    TLClassifier,
    TLDummy,
    TLEstimator,
    TLRegressor,
    TLRotate,
    TLScale,
    TLSplitter,
    decode_domains,
    encode_domains,
)

from . import geometry  # the last, since it calls what is above

__version__ = version()
_check_environment()

__all__ = [
    "AutoClassifier",
    "BilinearFilter",
    "BlockCovariances",
    "CDLClassifier",
    "CSP",
    "CoSpectra",
    "Coherences",
    "Covariances",
    "CrossSpectra",
    "Description",
    "DeviceError",
    "ERPCovariances",
    "Evaluation",
    "Explanation",
    "FGDA",
    "FgMDM",
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
    "NumericError",
    "PGA",
    "Potato",
    "RSRClassifier",
    "SPDClassifier",
    "SPDError",
    "SPDML",
    "SPoC",
    "SVC",
    "SVR",
    "Shrinkage",
    "TLCenter",
    "TLClassifier",
    "TLDummy",
    "TLEstimator",
    "TLRegressor",
    "TLRotate",
    "TLScale",
    "TLSplitter",
    "TSClassifier",
    "TangentSpace",
    "TimeDelayCovariances",
    "Whitening",
    "Xdawn",
    "XdawnCovariances",
    "apply",
    "cost",
    "covariances",
    "decode_domains",
    "describe",
    "distance",
    "eigvalsh",
    "embed",
    "encode_domains",
    "evaluate",
    "exp_map",
    "explain",
    "expm",
    "expm_derivative",
    "from_epochs",
    "geodesic",
    "geometry",
    "inner_product",
    "invm",
    "invsqrtm",
    "isa_name",
    "kernel",
    "log_map",
    "logm",
    "logm_derivative",
    "mahalanobis",
    "masked_mean",
    "mean",
    "median",
    "nan_mean",
    "nearest_spd",
    "neighbors",
    "norm",
    "pairwise_distances",
    "powm",
    "progress",
    "recenter",
    "regularize",
    "set_engine",
    "sqrtm",
    "tangent_space",
    "transport",
    "untangent_space",
    "unupper",
    "upper",
]
