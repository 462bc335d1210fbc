"""Means that are found by iterations over whole arrays of matrices: power, Thompson, ALE, and the
geometric means of Ando, Li and Mathias, of Bini, Meini and Poloni, and of Bini and Iannazzo.

Each takes a set X (p, n, n) and weights (p) with the sum one."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._core.limit import Limit
from .._core.sets import adjoint, apply, diagonal, hermitian, inverse, semidefinite
from ..exceptions import InvalidArgumentError
from .ajd import joint_diagonalizer
from .geodesic import POINTS


_MOST = 9  # matrices of a recursive mean: the work grows as their factorial


def _weighted_sum(weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    return np.tensordot(weights, X, 1)


def power_mean(X: np.ndarray, weights: np.ndarray, power: float, limit: Limit,
               init: Optional[np.ndarray]) -> np.ndarray:
    """M = sum w_i (M #_p X_i), by the fixed point of Congedo, Barachant and Bhatia (2017): with
    K = M^-1/2, H = sum w (K X K')^p is to become I by K <- H^(-s/p) K; for p < 0 on the inverses.
    s = 1/2 is right for matrices that are alike, 3/8 for others."""
    start = apply(_weighted_sum(weights, apply(X, "power", power)), "power", 1 / power) if init is None \
        else init
    if power < 0:
        X, start = inverse(X), inverse(start)
    K, p, n = apply(start, "invsqrt"), abs(power), X.shape[-1]
    while limit.goes_on():
        H = _weighted_sum(weights, semidefinite(hermitian(K @ X @ adjoint(K)), "power", p))
        before = limit.residual
        limit.note(np.linalg.norm(H - np.eye(n)) / np.sqrt(n))
        share = 0.5 if limit.residual < 0.3 * before else 0.375
        K = apply(H, "power", -share / p) @ K
    M = hermitian(adjoint(K) @ K)
    return inverse(M) if power > 0 else M


def thompson_mean(X: np.ndarray, limit: Limit, init: Optional[np.ndarray]) -> np.ndarray:
    """The inductive mean: from the Euclidean mean, step k goes the share 1/(k + 2) of the way to one
    matrix after the other."""
    M = X.mean(axis=0) if init is None else init
    while limit.goes_on():
        k = limit.taken - 1
        there = hermitian(POINTS["thompson"](M, X[k % len(X)], np.full((1, 1), 1 / (k + 2))))
        limit.note(np.linalg.norm(there - M) / np.linalg.norm(M))
        M = there
    return M


def ale_mean(X: np.ndarray, weights: np.ndarray, limit: Limit, init: Optional[np.ndarray]
             ) -> np.ndarray:
    """The log-Euclidean mean in the coordinates of a joint diagonaliser, whose rows are scaled until
    the mean has ones on its diagonal there (Congedo et al. 2015)."""
    B = joint_diagonalizer(X, weights, init)
    while limit.goes_on():
        scale = diagonal(apply(_weighted_sum(weights, apply(hermitian(B @ X @ adjoint(B)), "log")), "exp"))
        limit.note(np.linalg.norm(np.log(scale)))
        B = B / np.sqrt(scale)[:, None]
    M = apply(_weighted_sum(weights, apply(hermitian(B @ X @ adjoint(B)), "log")), "exp")
    A = np.linalg.inv(B)
    return hermitian(A @ M @ adjoint(A))


# ---- recursive means ----------------------------------------------------------------------------

def _others(p: int) -> np.ndarray:
    """Row h: all numbers but h, (p, p - 1)."""
    return (np.arange(p)[:, None] + np.arange(1, p)[None, :]) % p


def _change(new: np.ndarray, old: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(new - old, axis=(-2, -1)) /
                        np.linalg.norm(old, axis=(-2, -1))))


def _middle(X: np.ndarray, share: Any) -> np.ndarray:
    """Between X[..., 0] and X[..., 1]."""
    return hermitian(POINTS["airm"](X[..., 0, :, :], X[..., 1, :, :], share))


def _alm(X: np.ndarray, limit: Limit) -> np.ndarray:
    """Of the sets X (..., p, n, n): each matrix is replaced by the mean of all others."""
    p = X.shape[-3]
    if p == 2:
        return _middle(X, np.full((1, 1), 0.5))
    while limit.goes_on():
        there = _alm(X[..., _others(p), :, :], Limit(limit.what, limit.tol, None))
        limit.note(_change(there, X))
        X = there
    return np.asarray(X.mean(axis=-3))


def _bmp(X: np.ndarray, weights: np.ndarray, limit: Limit) -> np.ndarray:
    """Each matrix moves on the geodesic to the mean of all others, by the share that these weigh.
    weights: (..., p)."""
    p = X.shape[-3]
    share = 1 - weights / weights.sum(axis=-1, keepdims=True)
    if p == 2:
        return _middle(X, share[..., 0, None, None])
    others = _others(p)
    while limit.goes_on():
        mean = _bmp(X[..., others, :, :], weights[..., others], Limit(limit.what, limit.tol, None))
        there = hermitian(POINTS["airm"](X, mean, share[..., None, None]))
        limit.note(_change(there, X))
        X = there
    return np.asarray(X.mean(axis=-3))


def _few(X: np.ndarray, name: str) -> None:
    if len(X) > _MOST:
        raise InvalidArgumentError(
            f"metric {name!r} takes time that grows as the factorial of the number of matrices; X "
            f"has {len(X)}, at most {_MOST} are taken. 'airm' and 'cheap' have no such limit")


def alm_mean(X: np.ndarray, weights: np.ndarray, limit: Limit) -> np.ndarray:
    _few(X, "alm")
    if np.ptp(weights) > 1e-12:
        raise InvalidArgumentError(
            "metric 'alm' is defined for equal weights; use 'bmp' or 'airm' with sample_weight")
    return X[0] if len(X) == 1 else _alm(X, limit)


def bmp_mean(X: np.ndarray, weights: np.ndarray, limit: Limit) -> np.ndarray:
    _few(X, "bmp")
    X, weights = X[weights > 0], weights[weights > 0]
    return X[0] if len(X) == 1 else _bmp(X, weights, limit)


def cheap_mean(X: np.ndarray, weights: np.ndarray, limit: Limit) -> np.ndarray:
    """Each matrix moves to the mean of all as its own tangent space has it."""
    while limit.goes_on():
        root, inverse_root = apply(X, "sqrt"), apply(X, "invsqrt")
        seen = hermitian(inverse_root[:, None] @ X[None] @ inverse_root[:, None])
        move = apply(np.einsum("j,ijab->iab", weights, apply(seen, "log")), "exp")
        there = hermitian(root @ move @ root)
        limit.note(_change(there, X))
        X = there
    return _weighted_sum(weights, X)


# ---- medians ------------------------------------------------------------------------------------
