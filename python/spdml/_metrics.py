"""Names of metrics: ours, pyRiemann's, and what each kind of function knows of them."""

from __future__ import annotations

from typing import Any, Iterable

from ._arrays import metric_number
from ._errors import InvalidArgumentError

# pyRiemann's names, and ours
OURS = {
    "riemann": "airm", "logdet": "stein", "logeuclid": "log-euclidean",
    "wasserstein": "bures-wasserstein", "logchol": "log-cholesky", "euclid": "euclidean",
    "chol": "cholesky", "kullback-right": "kullback_right", "kullback-sym": "kullback_sym",
    "poweuclid": "power-euclidean",
}
# Those that the library itself computes
CORE = ("airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky",
        "euclidean")
DISTANCES = CORE + ("cholesky", "harmonic", "kullback", "kullback_right", "kullback_sym",
                    "power-euclidean", "thompson")
MEANS = CORE + ("ale", "alm", "bmp", "cheap", "cholesky", "harmonic", "kullback", "kullback_right",
                "kullback_sym", "power", "power-euclidean", "thompson")
GEODESICS = CORE + ("cholesky", "thompson")
MAPS = ("airm", "bures-wasserstein", "euclidean", "log-cholesky", "log-euclidean")
TRANSPORTS = ("airm", "euclidean", "log-cholesky", "log-euclidean")
MEDIANS = ("airm", "euclidean")


def known(metric: Any, among: Iterable[str]) -> str:
    """Our name of a metric, which must be one of those."""
    name = OURS.get(metric, metric) if isinstance(metric, str) else None
    if name not in tuple(among):
        raise InvalidArgumentError(
            f"metric {metric!r} is unknown; use one of {', '.join(among)}")
    return str(name)


def core_number(name: str) -> int:
    """The library's number of a metric that it computes itself."""
    return metric_number(name)
