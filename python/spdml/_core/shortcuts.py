"""The quick way of a few functions, which they try first: arrays that are right already, without ctypes.

`quick` is a small C module (python/quick/quick.c). It serves C-contiguous float64 arrays of symmetric
matrices, and answers None to everything else and to every failure. So do the functions here, and their
callers go on, to convert, check and explain."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import jobs
from .arrays import SYMMETRY
from .calls import quick_handle
from .library import quick
from .metrics import NUMBERS
from .sets import ALONE, factor, FUNCTIONS


_MANY = 24     # rows from which on traces are faster than eigenvalues
_CLOSE = 1e-3  # differences relative to what they are of, below which they have lost digits
_LITTLE = 2e6  # operations that are not worth a second thread
_array, _float = np.ndarray, np.dtype(np.float64)
# The library's numbers of metrics; nothing can be done by any without the module. The Euclidean one
# takes any matrices, and needs no context.
_ALL = NUMBERS if quick else {}
_FLAT = {name: number for name, number in _ALL.items() if name.startswith("euclid")}
_CURVED = {name: number for name, number in _ALL.items() if name not in _FLAT}
# (inverses instead of Cholesky factors, logarithms on the diagonals)
_FACTORS = {"chol": (False, False), "cholesky": (False, False), "harmonic": (True, False),
            "logchol": (False, True), "log-cholesky": (False, True)} if quick else {}


def _threads(n_jobs: Any, work: float) -> Optional[int]:
    """Threads for so many operations; None if n_jobs has to be judged."""
    if n_jobs is not None and (n_jobs.__class__ is not int or n_jobs == 0):
        return None
    return 1 if work < _LITTLE else jobs.threads(n_jobs)


def _is_set(X: Any) -> bool:
    return X.__class__ is _array and X.ndim == 3 and X.dtype == _float and X.size > 0


def distance(A: Any, B: Any, metric: Any) -> Any:
    """The squared distance of two matrices, or squared distances of a set A to one matrix B, by
    'euclidean' also to as many."""
    if A.__class__ is not _array or B.__class__ is not _array or metric.__class__ is not str:
        return None
    number = _CURVED.get(metric)
    if number is None:
        return _flat_distance(A, B) if metric in _FLAT else None
    ctx = quick_handle()
    if ctx is None:
        return None
    if A.ndim != 3:
        return quick.pair(ctx, number, A, B, SYMMETRY)
    if not _is_set(A) or B.size == 0 or B.ndim != 2 or len(A) < 2:
        return None
    D2 = np.empty(len(A))
    threads = _threads(None, A.size * A.shape[1])
    return D2 if quick.pairwise(ctx, threads, number, B[None], A, D2[None], SYMMETRY) else None


def _flat_distance(A: np.ndarray, B: np.ndarray) -> Any:
    if A.ndim != 3:
        return quick.apart(A, B)
    D2 = np.empty(len(A))
    return D2 if A.size and B.size and quick.apart(A, B, D2) else None


def _on_diagonals(function: Any, X: np.ndarray) -> None:
    """In place."""
    diagonal = np.einsum("...ii->...i", X)
    function(diagonal, out=diagonal)


def _factor(ctx: Any, threads: Optional[int], inverse: bool, X: np.ndarray) -> Optional[np.ndarray]:
    """Of one matrix, or of each of a set."""
    if X.ndim == 2 and len(X) > ALONE and not inverse and quick.symmetric(X, SYMMETRY) == -1:
        return factor(X)
    F = np.empty(X.shape)
    return F if quick.factor(ctx, threads, inverse, X, F, SYMMETRY) else None


def _factors(A: Any, B: Any, metric: Any) -> Any:
    """Arrays as far apart as the matrices, or sets of as many matrices; and whether the diagonals of the
    factors are logarithms."""
    kind = _FACTORS.get(metric) if metric.__class__ is str else None
    if kind is None or A.__class__ is not _array or B.__class__ is not _array or A.shape != B.shape or not A.size:
        return None
    ctx = quick_handle()
    threads = _threads(None, A.size * A.shape[-1])
    inverse, logs = kind
    if ctx is None:
        return None
    F = _factor(ctx, threads, inverse, A)
    G = None if F is None else _factor(ctx, threads, inverse, B)
    if F is None or G is None:
        return None
    if logs:
        _on_diagonals(np.log, F)
        _on_diagonals(np.log, G)
    return F, G, logs


def factored_distance(A: Any, B: Any, metric: Any) -> Any:
    """Squared distances of as many matrices by metrics that are Euclidean ones of factors."""
    both = _factors(A, B, metric)
    return None if both is None else _flat_distance(both[0], both[1])


def _factored_geodesic(A: np.ndarray, B: np.ndarray, alpha: float, metric: str) -> Optional[np.ndarray]:
    """Points between as many matrices by such metrics."""
    both = None if metric == "harmonic" else _factors(A, B, metric)
    if both is None:
        return None
    L, G, logs = both
    if not quick.between(L, G, alpha, L):
        return None
    if logs:
        _on_diagonals(np.exp, L)
    return np.asarray(L @ L.swapaxes(-1, -2))


def divergence(A: Any, B: Any, metric: str) -> Optional[float]:
    """(tr B^-1 A - n + log det B - log det A)/2 of two matrices, or its like: faster than by eigenvalues where
    there are many; None also where it drowns in rounding, as of matrices that are close."""
    if A.__class__ is not _array or B.__class__ is not _array or A.ndim != 2 or len(A) < _MANY or A.shape != B.shape:
        return None
    if metric == "kullback_right":
        A, B = B, A
    ctx = quick_handle()
    inverse = None if ctx is None else _factor(ctx, 1, True, B)
    other = None if inverse is None else _factor(ctx, 1, metric == "kullback_sym", A)
    if other is None:
        return None
    size = float(np.vdot(inverse, A))
    if metric == "kullback_sym":
        size = (size + float(np.vdot(other, B))) / 2
        found = size - len(A)
    else:
        factor = _factor(ctx, 1, False, B)
        if factor is None:
            return None
        found = (size - len(A)) / 2 + float(np.log(np.diagonal(factor) / np.diagonal(other)).sum())
    return found if found > _CLOSE * size else None


def joint_eigenvalues(A: Any, B: Any) -> Optional[np.ndarray]:
    """Of A v = lambda B v for two matrices, ascending."""
    if A.__class__ is not _array or B.__class__ is not _array or A.ndim != 2 or A.shape != B.shape or not A.size:
        return None
    ctx = quick_handle()
    E = np.empty(A.shape)
    return E[0] if ctx and quick.joint(ctx, 1, A, B, E, SYMMETRY) else None


def pairwise(X: Any, Y: Any, metric: Any, n_jobs: Any) -> Optional[np.ndarray]:
    """Squared distances within a set or between two."""
    if metric.__class__ is not str or metric not in _ALL or not _is_set(X) or \
            not (Y is None or _is_set(Y)):
        return None
    other = X if Y is None else Y
    threads = _threads(n_jobs, float(X.size) * X.shape[1] * len(other))
    ctx = quick_handle()
    if ctx is None or threads is None:
        return None
    D2 = np.empty((len(X), len(other)))
    return D2 if quick.pairwise(ctx, threads, _ALL[metric], X, Y, D2, SYMMETRY) else None


def mean(X: Any, metric: Any, tol: Any, n_jobs: Any) -> Optional[np.ndarray]:
    """The mean of a set with equal weights."""
    if metric.__class__ is not str or not _is_set(X) or tol.__class__ is not float:
        return None
    if metric not in _ALL:
        return _factored_mean(X, metric)
    threads = _threads(n_jobs, X.size * X.shape[1])
    if threads is None:
        return None
    M = np.empty(X.shape[1:])
    if metric in _FLAT:
        return M if quick.mean_flat(X, M) else None
    ctx = quick_handle()
    return M if ctx and quick.mean(ctx, threads, _CURVED[metric], X, tol, 0, M, SYMMETRY) else None


def _factored_mean(X: np.ndarray, metric: str) -> Optional[np.ndarray]:
    """Of Cholesky factors or inverses, and back."""
    ctx = quick_handle() if metric in _FACTORS else None
    if ctx is None:
        return None
    inverse, M = _FACTORS[metric][0], np.empty(X.shape[1:])
    F = _factor(ctx, _threads(None, X.size * X.shape[1]), inverse, X)
    if F is None or not quick.mean_flat(F, M):
        return None
    return _factor(ctx, 1, True, M) if inverse else np.asarray(M @ M.T)


def apply(X: Any, function: str, power: float, n_jobs: Any) -> Optional[np.ndarray]:
    """A function of each matrix of (p, n, n), or of (n, n)."""
    if X.__class__ is not _array or not X.size or X.ndim == 2 and len(X) > ALONE and function in ("exp", "power"):
        return None
    threads = _threads(n_jobs, X.size * X.shape[-1])
    ctx = quick_handle()
    if ctx is None or threads is None:
        return None
    F = np.empty(X.shape)
    return F if quick.apply(ctx, threads, FUNCTIONS[function], power, X, F, SYMMETRY) else None


def congruence(X: Any, W: np.ndarray, n_jobs: Any) -> Optional[np.ndarray]:
    """W'XW of a set of finite matrices."""
    threads = _threads(n_jobs, X.size * X.shape[1]) if _is_set(X) else None
    ctx = quick_handle()
    if ctx is None or threads is None:
        return None
    S = np.empty((len(X), W.shape[1], W.shape[1]))
    return S if quick.congruence(ctx, threads, X, W, S, SYMMETRY) else None


def geodesic(A: Any, B: Any, alpha: Any, metric: Any) -> Optional[np.ndarray]:
    """Points between matrices, or between as many and as many."""
    if metric.__class__ is not str or alpha.__class__ is not float or A.__class__ is not _array or \
            B.__class__ is not _array or A.shape != B.shape or not A.size:
        return None
    if metric in _FACTORS and (metric not in _ALL or A.ndim == 3):
        return _factored_geodesic(A, B, alpha, metric)
    if metric not in _ALL:
        return None
    if metric in _FLAT:
        G = np.empty(A.shape)
        return G if quick.between(A, B, alpha, G) else None
    ctx = quick_handle()
    if ctx is None:
        return None
    G = np.empty(A.shape)
    return G if quick.geodesics(ctx, 1, _CURVED[metric], A, B, alpha, G, SYMMETRY) else None
