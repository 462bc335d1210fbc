"""Sets of matrices as estimators take them: named X in every message, checked before work begins.
And metrics as they take them: a name, or a dictionary of names."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

import numpy as np

from ..exceptions import InvalidArgumentError, NotFiniteError
from .arrays import square
from .calls import call, context
from .sets import host


_SYMMETRY = 1e-3  # `square` has looked at it more closely
_SEMIDEFINITE = ("euclid", "euclidean")


class MissingMetricError(InvalidArgumentError, KeyError):
    """A dictionary of metrics lacks one; also the KeyError that pyRiemann raises."""

    def __str__(self) -> str:
        return str(self.args[0])


def _set(X: Any, size: Optional[int]) -> np.ndarray:
    """X as (samples, n, n), real or complex, symmetric or Hermitian."""
    if np.ndim(X) != 3:
        raise InvalidArgumentError(
            f"X has shape {np.shape(X)}; it must be (samples, n, n): square matrices")
    return square(X, size=size)


def semidefinite(X: Any, size: Optional[int] = None) -> np.ndarray:
    """X as (samples, n, n), real or complex, finite; eigenvalues are not looked at."""
    array = _set(X, size)
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(array.sum()):
            return array
    finite = np.isfinite(array).all(axis=(1, 2))
    if not finite.all():
        bad = int(np.flatnonzero(~finite)[0])
        raise NotFiniteError(f"X[{bad}] holds NaN or Inf; leave it out", bad, float("nan"))
    return array


def definite(X: Any, size: Optional[int] = None, n_jobs: Optional[int] = None) -> np.ndarray:
    """The same, and every matrix has a Cholesky factor."""
    array = _set(X, size)
    call(context(n_jobs), "spd_check", host(array), _SYMMETRY)
    return array


def checked(X: Any, metrics: Sequence[Any], size: Optional[int] = None,
            n_jobs: Optional[int] = None) -> np.ndarray:
    """X as these metrics need it: for all but a few, positive definite."""
    if all(isinstance(metric, str) and metric in _SEMIDEFINITE for metric in metrics):
        return semidefinite(X, size)
    return definite(X, size, n_jobs)


def metrics_of(metric: Any, uses: Sequence[str]) -> List[Any]:
    """The metric of each use, from one name for all or a dictionary."""
    if isinstance(metric, str):
        return [metric] * len(uses)
    if not isinstance(metric, dict):
        raise TypeError(f"metric is {metric!r}; it must be a name or a dictionary of names")
    missing = [use for use in uses if use not in metric]
    if missing:
        raise MissingMetricError(f"metric has no {missing[0]!r}; its keys must be {', '.join(uses)}")
    return [metric[use] for use in uses]


def checked_size(X: Any, size: Optional[int]) -> np.ndarray:
    """X as (samples, n, n) of that size; what is next done with it looks at the rest."""
    return _set(X, size)
