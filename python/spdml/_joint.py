"""Approximate joint diagonalisation: B such that B X_i B' are as diagonal as they can be.

The criterion is Pham's, sum w_i (log det diag(D_i) - log det D_i) with D_i = B X_i B'. All pairs of
rows move at once, B <- (I + E) B, by Newton's step with the Hessian of matrices that are diagonal:

    G_ij = sum w D_ij / D_ii,   H_ij = sum w D_jj / D_ii
    E_ij = (conj(G_ji) - H_ji G_ij) / (H_ij H_ji - 1)

shortened until the criterion falls."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from ._limit import Limit
from ._sets import adjoint, diagonal, hermitian


def _criterion(B: np.ndarray, D: np.ndarray, weights: np.ndarray) -> float:
    """But for a constant: log |det B| stands for log det D."""
    return float(weights @ np.log(diagonal(D)).sum(axis=1) - 2 * np.linalg.slogdet(B)[1])


def _direction(D: np.ndarray, weights: np.ndarray) -> Tuple[np.ndarray, float]:
    d = diagonal(D)
    G = np.einsum("k,kij,ki->ij", weights, D, 1 / d)
    H = np.einsum("k,ki,kj->ij", weights, 1 / d, d)
    E = (adjoint(G) - H.T * G) / np.maximum(H * H.T - 1, 1e-8)
    np.fill_diagonal(E, 0.0)
    np.fill_diagonal(G, 0.0)
    return E, float(np.linalg.norm(G)) / len(G)


def joint_diagonalizer(X: np.ndarray, weights: np.ndarray, init: Optional[np.ndarray] = None,
                       tol: float = 0.0, max_iter: Optional[int] = None) -> np.ndarray:
    """B (n, n), with rows of length one in the mean of X, for a set X (p, n, n)."""
    middle = np.tensordot(weights, X, 1)
    B = adjoint(np.linalg.eigh(middle)[1]) if init is None else np.array(init, dtype=X.dtype)
    limit = Limit("the joint diagonaliser", tol, max_iter, 200)
    D = hermitian(B @ X @ adjoint(B))
    value = _criterion(B, D, weights)
    while limit.goes_on():
        E, gradient = _direction(D, weights)
        limit.note(gradient)
        if limit.done():
            break
        step = 1.0 / max(1.0, np.abs(E).max())
        for _ in range(30):
            there = B + step * E @ B
            D_there = hermitian(there @ X @ adjoint(there))
            lower = _criterion(there, D_there, weights)
            if lower <= value + 1e-14 * abs(value):
                break
            step /= 2
        else:
            break
        B, D, value = there, D_there, lower
    length = np.sqrt(diagonal(B @ middle @ adjoint(B)))
    return B / length[:, None]
