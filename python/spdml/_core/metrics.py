"""Names of metrics: ours, pyRiemann's, and what each kind of function knows of them."""

from __future__ import annotations

from typing import Any, Iterable

from ..exceptions import InvalidArgumentError
from .arrays import metric_number


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
MEDIANS = ("airm", "euclidean")
# The library's numbers of the first ones, by our names and pyRiemann's
NUMBERS = {name: metric_number(name) for name in
           CORE + tuple(theirs for theirs, ours in OURS.items() if ours in CORE)}


def own(metric: Any) -> str:
    """A metric for arrays on a GPU: one of the library's own."""
    if not isinstance(metric, str) or OURS.get(metric, metric) not in CORE:
        raise InvalidArgumentError(f"metric {metric!r} is not for arrays on a GPU; use one of "
                                   f"{', '.join(CORE)}, or bring the arrays to the host")
    return OURS.get(metric, metric)


def known(metric: Any, among: Iterable[str]) -> str:
    """Our name of a metric, which must be one of those."""
    name = OURS.get(metric, metric) if isinstance(metric, str) else None
    if name not in tuple(among):
        raise InvalidArgumentError(
            f"metric {metric!r} is unknown; use one of {', '.join(among)}")
    return str(name)
