"""Tangent spaces: logarithmic and exponential maps, vectors of tangent matrices.

With C = L L' the log-Cholesky metric sees a tangent matrix T as L low(L^-1 T L^-T), low() being the
lower triangle with half the diagonal."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple, Union

import numpy as np

from .._core import metrics
from .._core.arrays import numbers, square
from .._core.by_metric import by_metric, table
from .._core.docs import documented
from .._core.sets import adjoint, apply, cholesky, diagonal, hermitian, semidefinite, whitened
from ..exceptions import InvalidArgumentError
from .base import ddexpm, ddlogm
from .distance import rectangles, sound

__all__ = ["exp_map", "exp_map_euclid", "exp_map_functions", "exp_map_logchol", "exp_map_logeuclid",
           "exp_map_riemann", "exp_map_wasserstein", "log_map", "log_map_euclid", "log_map_functions",
           "log_map_logchol", "log_map_logeuclid", "log_map_riemann", "log_map_wasserstein", "tangent_space",
           "untangent_space", "unupper", "upper"]
Metric = Union[str, Callable[..., Any]]
_Map = Callable[[np.ndarray, np.ndarray, bool], np.ndarray]


def _both(X: Any, C: Any, name: str) -> Tuple[np.ndarray, np.ndarray]:
    """X (..., n, n) and one matrix C (n, n), both real or both complex."""
    if np.ndim(C) != 2:
        raise InvalidArgumentError(f"Cref has shape {np.shape(C)}; it must be one square matrix")
    C = square(C, "Cref")
    X = square(X, name, len(C))
    kind = np.result_type(X, C)
    return X.astype(kind, copy=False), C.astype(kind, copy=False)


def _roots(C: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    return apply(C, "sqrt", name="Cref"), apply(C, "invsqrt", name="Cref")


# ---- log-Cholesky -------------------------------------------------------------------------------

def _low(P: np.ndarray) -> np.ndarray:
    """The lower triangle with half the diagonal."""
    H = np.tril(P)
    n = H.shape[-1]
    H[..., range(n), range(n)] /= 2
    return H


def _factor_change(T: np.ndarray, L: np.ndarray) -> np.ndarray:
    """How the Cholesky factor L moves where L L' moves by T."""
    inverse = np.linalg.solve(L, np.eye(len(L)))
    return np.asarray(L @ _low(inverse @ T @ adjoint(inverse)))


# ---- maps ---------------------------------------------------------------------------------------

def _log_airm(X: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    root, inverse = _roots(C)
    T = apply(whitened(X, inverse), "log")
    return whitened(T, root) if full else T


def _log_euclidean(X: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    at = apply(C, "log", name="Cref")
    return hermitian(ddexpm(apply(X, "log") - at, at))


def _log_cholesky(X: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    L, K = cholesky(C, "Cref"), cholesky(X)
    D = K - L
    n = len(L)
    D[..., range(n), range(n)] = diagonal(L) * np.log(diagonal(K) / diagonal(L))
    T = L @ adjoint(D)
    return np.asarray(T + adjoint(T))


def _log_bures(X: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    """C M + M C - 2 C, where M C M = X: with C = L L', C M = L (L' X L)^1/2 L^-1."""
    L = cholesky(C, "Cref")
    cholesky(X)
    root = semidefinite(hermitian(adjoint(L) @ X @ L), "sqrt", 0.5)
    move = (L @ root) @ np.linalg.solve(L, np.eye(len(L)))
    return np.asarray(move + adjoint(move) - 2 * C)


def _exp_airm(T: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    root, inverse = _roots(C)
    return whitened(apply(whitened(T, inverse) if full else T, "exp", name="X"), root)


def _exp_euclidean(T: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    return apply(apply(C, "log", name="Cref") + hermitian(ddlogm(T, C)), "exp")


def _exp_cholesky(T: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    L = cholesky(C, "Cref")
    D = _factor_change(T, L)
    K = L + D
    n = len(L)
    K[..., range(n), range(n)] = diagonal(L) * np.exp(diagonal(D) / diagonal(L))
    return hermitian(K @ adjoint(K))


def _exp_bures(T: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    """C + T + S C S, where S C + C S = T, in the basis of C."""
    cholesky(C, "Cref")
    values, V = np.linalg.eigh(C)
    S = (adjoint(V) @ T @ V) / (values[:, None] + values[None, :])
    F = V @ (S * np.sqrt(values))
    return np.asarray(C + T + F @ adjoint(F))


def _log_flat(X: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    return np.asarray(X - C)


def _exp_flat(T: np.ndarray, C: np.ndarray, full: bool) -> np.ndarray:
    return np.asarray(T + C)


LOGS: Dict[str, _Map] = {
    "airm": _log_airm, "bures-wasserstein": _log_bures, "euclidean": _log_flat,
    "log-cholesky": _log_cholesky, "log-euclidean": _log_euclidean}
EXPS: Dict[str, _Map] = {
    "airm": _exp_airm, "bures-wasserstein": _exp_bures, "euclidean": _exp_flat,
    "log-cholesky": _exp_cholesky, "log-euclidean": _exp_euclidean}


def _mapped(X: Any, C: Any, metric: Metric, full: bool, table: Dict[str, _Map],
            name: str) -> np.ndarray:
    if callable(metric):
        return np.asarray(metric(X, C))
    known = metrics.known(metric, metrics.MAPS)
    if known == "euclidean":
        X, C = rectangles(X, C, (name, "Cref"))
        return sound(table[known](X, C, full), X, C, (name, "Cref"))
    X, C = _both(X, C, name)
    return np.asarray(table[known](X, C, full))


@documented
def log_map(X: Any, Cref: Any, metric: Metric = "airm", C12: bool = False) -> np.ndarray:
    """Matrices seen from the tangent space at Cref.

    Parameters
    ----------
    {X}
    {Cref}
    metric : str or callable
        'airm', 'log-euclidean', 'log-cholesky', 'bures-wasserstein', 'euclidean'; pyRiemann's names
        too. A callable is called as ``metric(X, Cref)``.
    C12 : bool
        With 'airm': C^1/2 log(C^-1/2 X C^-1/2) C^1/2, C = Cref, the tangent vector itself; without it, and as
        in pyRiemann, the logarithm in between, whose Frobenius norm is the distance.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.log_map(np.diag([4.0, 6.0]), 2 * np.eye(2), C12=True).diagonal().round(4)
    array([1.3863, 2.1972])
    """
    return _mapped(X, Cref, metric, C12, LOGS, "X")


@documented
def exp_map(X: Any, Cref: Any, metric: Metric = "airm", Cm12: bool = False) -> np.ndarray:
    """Back from the tangent space at Cref: the inverse of `log_map`.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Symmetric or Hermitian matrices.
    {Cref}
    metric : str or callable
        As of `log_map`.
    Cm12 : bool
        As C12 of `log_map`.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.exp_map(np.zeros((2, 2)), np.diag([1.0, 2.0])).round(12)
    array([[1., 0.],
           [0., 2.]])
    """
    return _mapped(X, Cref, metric, Cm12, EXPS, "X")


# ---- vectors ------------------------------------------------------------------------------------

def upper(X: Any) -> np.ndarray:
    """Upper triangles as vectors, with sqrt(2) for entries off the diagonal: norms are kept.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Symmetric or Hermitian matrices.

    Returns
    -------
    array, shape (..., n (n + 1) / 2)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.upper(np.array([[1.0, 2.0], [2.0, 3.0]])).round(4)
    array([1.    , 2.8284, 3.    ])
    """
    return _upper(square(X))


def _upper(X: np.ndarray) -> np.ndarray:
    if X.ndim < 2 or X.shape[-1] != X.shape[-2]:
        raise InvalidArgumentError(f"the matrices have shape {X.shape}; they must be square")
    row, column = np.triu_indices(X.shape[-1])
    return X[..., row, column] * np.where(row == column, 1.0, np.sqrt(2))


@documented
def unupper(T: Any) -> np.ndarray:
    """Symmetric or Hermitian matrices from vectors: the inverse of `upper`.

    Parameters
    ----------
    T : array, shape (..., n (n + 1) / 2)
        Vectors of upper triangles.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.unupper(np.array([1.0, 0.0, 3.0]))
    array([[1., 0.],
           [0., 3.]])
    """
    T = numbers(T, "T", complex_too=True)
    n = int((np.sqrt(1 + 8 * T.shape[-1]) - 1) / 2) if T.ndim else 0
    if n < 1 or n * (n + 1) // 2 != T.shape[-1]:
        raise InvalidArgumentError(
            f"T has shape {T.shape}; its last dimension must be n (n + 1)/2 for a whole n")
    X = np.empty(T.shape[:-1] + (n, n), dtype=T.dtype)
    row, column = np.triu_indices(n)
    values = T / np.where(row == column, 1.0, np.sqrt(2))
    X[..., column, row] = values.conj()
    X[..., row, column] = values
    return X


@documented
def tangent_space(X: Any, Cref: Any, metric: Metric = "airm") -> np.ndarray:
    """Tangent vectors of matrices at Cref: `upper` of `log_map`.

    Parameters
    ----------
    {X}
    {Cref}
    metric : str or callable
        As of `log_map`.

    Returns
    -------
    array, shape (..., n (n + 1) / 2)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.tangent_space(np.exp(1) * np.eye(2), np.eye(2)).round(12)
    array([1., 0., 1.])
    """
    return _upper(log_map(X, Cref, metric))


@documented
def untangent_space(T: Any, Cref: Any, metric: Metric = "airm") -> np.ndarray:
    """Matrices from their tangent vectors at Cref: the inverse of `tangent_space`.

    Parameters
    ----------
    T : array, shape (..., n (n + 1) / 2)
        Vectors of upper triangles.
    {Cref}
    metric : str or callable
        As of `exp_map`.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.tangentspace.untangent_space(np.zeros(3), np.diag([1.0, 2.0])).round(12)
    array([[1., 0.],
           [0., 2.]])
    """
    return exp_map(unupper(T), Cref, metric)


# ---- pyRiemann's names --------------------------------------------------------------------------

log_map_euclid = by_metric(log_map, "log_map_euclid", "euclid")
log_map_logchol = by_metric(log_map, "log_map_logchol", "logchol")
log_map_logeuclid = by_metric(log_map, "log_map_logeuclid", "logeuclid")
log_map_riemann = by_metric(log_map, "log_map_riemann", "riemann")
log_map_wasserstein = by_metric(log_map, "log_map_wasserstein", "wasserstein")
exp_map_euclid = by_metric(exp_map, "exp_map_euclid", "euclid")
exp_map_logchol = by_metric(exp_map, "exp_map_logchol", "logchol")
exp_map_logeuclid = by_metric(exp_map, "exp_map_logeuclid", "logeuclid")
exp_map_riemann = by_metric(exp_map, "exp_map_riemann", "riemann")
exp_map_wasserstein = by_metric(exp_map, "exp_map_wasserstein", "wasserstein")
log_map_functions, exp_map_functions = table(globals(), "log_map_"), table(globals(), "exp_map_")
