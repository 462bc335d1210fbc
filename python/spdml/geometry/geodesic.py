"""Points on geodesics.

    airm, stein, jeffrey   F F',  F = A V diag(lambda)^(t/2);  B V = A V diag(lambda), V' A V = I
    bures-wasserstein      P P',  P = (1-t) L + t L^-T (L' B L)^1/2: positive definite as it stands
    thompson               a A + b B with weights from the extreme lambda

One pair of real matrices goes to the library; others are put together from its batched functions."""

from __future__ import annotations

from typing import Any, Callable, Tuple, Union

import numpy as np

from .._core import metrics, sets, shortcuts
from .._core.arrays import doubles
from .._core.calls import call, context
from .._core.by_metric import by_metric, table
from .._core.docs import documented
from .._core.sets import adjoint, apply, cholesky, diagonal, hermitian
from ..exceptions import InvalidArgumentError
from .distance import both, rectangles, sound

__all__ = ["geodesic", "geodesic_chol", "geodesic_euclid", "geodesic_functions", "geodesic_logchol",
           "geodesic_logeuclid", "geodesic_riemann", "geodesic_thompson", "geodesic_wasserstein"]
Metric = Union[str, Callable[..., Any]]
_HARD = 1e-7  # of the largest joint eigenvalue: smaller ones may have lost too many digits


def _position(alpha: Any, leading: Tuple[int, ...]) -> np.ndarray:
    """alpha as an array that multiplies matrices with these leading dimensions."""
    if isinstance(alpha, (str, bytes)) or not (np.isscalar(alpha) or hasattr(alpha, "ndim")):
        raise InvalidArgumentError(
            f"alpha must be a float or an array, got {type(alpha).__name__}")
    if type(alpha).__module__.partition(".")[0] == "torch":
        raise InvalidArgumentError("alpha must be on backend numpy, got torch")
    t = np.asarray(alpha)
    if t.dtype.kind not in "fiub" or not np.isfinite(t).all():
        raise InvalidArgumentError(f"alpha is {alpha!r}; it must be finite and real")
    t = t.astype(float)
    if t.ndim == 0:
        return t.reshape((1, 1))
    if t.ndim != len(leading):
        raise InvalidArgumentError(f"alpha must have dimension {len(leading)}, got {t.ndim}")
    if t.shape != leading:
        raise InvalidArgumentError(f"alpha must have shape {leading}, got {t.shape}")
    return t[..., None, None]


def _airm(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    """In the real form: B V = A V diag(lambda), V' A V = I."""
    P, Q, leading = sets.paired(A, B)
    X, Y = sets.real_form(P), sets.real_form(Q)
    values, V = sets.joint_eigenvectors(Y, X, ("B", "A"))
    share = np.broadcast_to(t, leading + (1, 1)).reshape(-1, 1, 1)
    F = (X @ V) * np.maximum(values, np.finfo(float).tiny)[:, None, :] ** (share / 2)
    G = F @ adjoint(F)
    hard = np.flatnonzero(values[:, 0] <= _HARD * values[:, -1])
    if len(hard):
        cholesky(B, "B")  # names a matrix that is not positive definite
    for i in hard:  # lost in rounding
        G[i] = _one(X[i], Y[i], float(share[i, 0, 0]), "airm")
    return sets.from_real(G, leading, np.iscomplexobj(P))


def _bures(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    L = cholesky(A, "A")
    cholesky(B, "B")
    root = sets.semidefinite(hermitian(adjoint(L) @ B @ L), "sqrt", 0.5)
    P = (1 - t) * L + t * np.linalg.solve(adjoint(L), root)
    return np.asarray(P @ adjoint(P))


def _log_euclidean(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    return apply((1 - t) * apply(A, "log", name="A") + t * apply(B, "log", name="B"), "exp")


def _cholesky(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    P = (1 - t) * cholesky(A, "A") + t * cholesky(B, "B")
    return np.asarray(P @ adjoint(P))


def _log_cholesky(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    L, K = cholesky(A, "A"), cholesky(B, "B")
    P = (1 - t) * L + t * K
    n = P.shape[-1]
    P[..., range(n), range(n)] = diagonal(L) ** (1 - t[..., 0]) * diagonal(K) ** t[..., 0]
    return np.asarray(P @ adjoint(P))


def _thompson(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    values = shortcuts.joint_eigenvalues(B, A)
    if values is None or not values[0] > _HARD * values[-1]:
        cholesky(B, "B")  # names a matrix that is not positive definite
        values = sets.joint_eigenvalues(B, A, ("B", "A"))
    low, high = values[..., 0, None, None], values[..., -1, None, None]
    spread = high - low
    close = spread <= 1e-8 * high
    share = np.where(close, 1.0, spread)
    a = np.where(close, low**t, (high * low**t - low * high**t) / share)
    b = np.where(close, 0.0, (high**t - low**t) / share)
    return np.asarray(a * A + b * B)


def _euclidean(A: np.ndarray, B: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.asarray((1 - t) * A + t * B)


POINTS = {"airm": _airm, "stein": _airm, "jeffrey": _airm, "bures-wasserstein": _bures,
          "log-euclidean": _log_euclidean, "log-cholesky": _log_cholesky,
          "euclidean": _euclidean, "cholesky": _cholesky, "thompson": _thompson}


def _one(A: np.ndarray, B: np.ndarray, t: float, name: str) -> np.ndarray:
    """By the library, as on the quick way."""
    A, B = hermitian(A), hermitian(B)
    at, G = np.array([t]), np.empty_like(A)
    with sets.called(("X", "A", ()), ("Y", "B", ())):
        call(context(1), "spd_geodesics", metrics.NUMBERS[name], sets.host(A), sets.host(B), 1, doubles(at),
             doubles(G))
    return G


@documented
def geodesic(A: Any, B: Any, alpha: Any = 0.5, metric: Metric = "airm") -> np.ndarray:
    """Points on geodesics from A (alpha 0) to B (alpha 1).

    Parameters
    ----------
    A, B : array, shape (..., n, n)
        Positive definite matrices, symmetric or Hermitian; leading dimensions broadcast. With
        'euclidean' any matrices of equal shape will do.
    alpha : float or array, shape (...,)
        Where; one number for all, or one for each pair.
    metric : str or callable
        'airm', 'stein', 'jeffrey', 'log-euclidean', 'bures-wasserstein', 'log-cholesky',
        'euclidean', 'cholesky', 'thompson'; pyRiemann's names too. A callable is called as
        ``metric(A, B, alpha)``.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geodesic(np.eye(2), np.diag([4.0, 9.0])).round(12)
    array([[2., 0.],
           [0., 3.]])
    """
    G = shortcuts.geodesic(A, B, alpha, metric)
    if G is not None:
        return G
    if callable(metric):
        return np.asarray(metric(A, B, alpha))
    name = metrics.known(metric, metrics.GEODESICS)
    if name == "euclidean":
        A, B = rectangles(A, B, ("A", "B"))
    else:
        A, B = both(A, B)
    leading = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    t = _position(alpha, leading)
    single = leading == () and not np.iscomplexobj(A) and not np.iscomplexobj(B)
    if single and name in metrics.CORE and name != "euclidean":
        return _one(A, B, float(t[0, 0]), name)
    G = POINTS[name](A, B, t)
    return sound(G, A, B, ("A", "B")) if name == "euclidean" else G


# ---- pyRiemann's names --------------------------------------------------------------------------

geodesic_chol = by_metric(geodesic, "geodesic_chol", "chol")
geodesic_euclid = by_metric(geodesic, "geodesic_euclid", "euclid")
geodesic_logchol = by_metric(geodesic, "geodesic_logchol", "logchol")
geodesic_logeuclid = by_metric(geodesic, "geodesic_logeuclid", "logeuclid")
geodesic_riemann = by_metric(geodesic, "geodesic_riemann", "riemann")
geodesic_thompson = by_metric(geodesic, "geodesic_thompson", "thompson")
geodesic_wasserstein = by_metric(geodesic, "geodesic_wasserstein", "wasserstein")
geodesic_functions = table(globals(), "geodesic_")
