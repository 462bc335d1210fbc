"""spdml - symmetric positive definite (SPD) matrices: geometry, learning, recognition.

Sets of matrices are numpy arrays of shape (p, n, n). Estimators follow scikit-learn and work in its
pipelines, alongside pyRiemann's. Here are the names that are needed first. The modules have the rest, and
those that pyRiemann has too have its names:

geometry            distances, means, geodesics, kernels, tangent spaces, functions of matrices, covariances
estimation          from signals to matrices
preprocessing, transfer, tangentspace
                    from matrices to matrices and vectors
classification, regression, clustering, artifact_detection
                    what predicts
maps                SPDML, the learned map to smaller matrices
recognition, automatic, evaluation, explaining
                    the methods of the command; the choice and the comparison of methods
embedding           nearest neighbours, coordinates
data, files         descriptors of images and recordings; sets on disk
exceptions
"""

import importlib
from typing import TYPE_CHECKING, Any, List

from ._core.calls import check_environment as _check_environment
from ._core.calls import isa_name, progress, set_engine, version

if TYPE_CHECKING:
    from .automatic import AutoClassifier
    from .classification import KNearestNeighbor, MDM
    from .data import describe, from_epochs
    from .embedding import embed, neighbors
    from .estimation import Covariances
    from .evaluation import evaluate
    from .exceptions import SPDError
    from .explaining import explain
    from .files import MatrixFiles
    from .geometry.base import expm, invsqrtm, logm, powm, regularize, sqrtm
    from .geometry.covariance import covariances
    from .geometry.distance import distance, pairwise_distance
    from .geometry.geodesic import geodesic
    from .geometry.kernel import kernel
    from .geometry.mean import mean
    from .maps import SPDML
    from .recognition import CDLClassifier, RSRClassifier, SPDClassifier
    from .tangentspace import PGA, TangentSpace
    from .transfer import recenter

# Modules, and their names that are here too. They are loaded when they are asked for: scikit-learn takes
# several times as long to import as the rest of the package.
_MODULES = {
    "artifact_detection": "", "automatic": "AutoClassifier", "classification": "KNearestNeighbor MDM",
    "clustering": "", "data": "describe from_epochs", "embedding": "embed neighbors",
    "estimation": "Covariances", "evaluation": "evaluate", "exceptions": "SPDError",
    "explaining": "explain", "files": "MatrixFiles", "geometry": "",
    "geometry.base": "expm invsqrtm logm powm regularize sqrtm",
    "geometry.covariance": "covariances", "geometry.distance": "distance pairwise_distance",
    "geometry.geodesic": "geodesic", "geometry.kernel": "kernel", "geometry.mean": "mean",
    "maps": "SPDML", "preprocessing": "", "recognition": "CDLClassifier RSRClassifier SPDClassifier",
    "regression": "", "tangentspace": "PGA TangentSpace", "transfer": "recenter",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__version__ = version()
__all__ = [
    "AutoClassifier", "CDLClassifier", "Covariances", "KNearestNeighbor", "MDM", "MatrixFiles", "PGA",
    "RSRClassifier", "SPDClassifier", "SPDError", "SPDML", "TangentSpace", "covariances", "describe",
    "distance", "embed", "evaluate", "expm", "explain", "from_epochs", "geodesic", "invsqrtm", "isa_name",
    "kernel", "logm", "mean", "neighbors", "pairwise_distance", "powm", "progress", "recenter", "regularize",
    "set_engine", "sqrtm",
]
_check_environment()


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__, *(name for name in _MODULES if "." not in name)})
