"""Geometric medians of sets of matrices."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._core.arrays import real
from .._core.docs import documented
from .._core.limit import Limit
from .._core.sets import apply, cholesky, finite, weights_of, whitened
from ..exceptions import InvalidArgumentError
from ._iterations import _weighted_sum
from .mean import collection, init_of, over_sets

__all__ = ["median_euclid", "median_riemann"]


def _stays(weights: np.ndarray, zero: np.ndarray, pull: float) -> float:
    """Vardi and Zhang (2000): how much of the step is not taken at a point of the set itself."""
    own = float(weights[zero].sum())
    return 0.0 if own == 0 else 1.0 if pull <= own else own / pull


def _euclidean(X: np.ndarray, weights: np.ndarray, limit: Limit, init: Optional[np.ndarray]
                     ) -> np.ndarray:
    """Weiszfeld's iteration on matrices of any shape."""
    rows = X.reshape(len(X), -1)
    m = weights @ rows if init is None else init.reshape(-1)
    size = max(float(np.sqrt(np.einsum("ij,ij->i", rows.conj(), rows).real.max())),
               np.finfo(float).tiny)
    while limit.goes_on():
        gap = rows - m
        apart = np.sqrt(np.einsum("ij,ij->i", gap.conj(), gap).real)
        zero = apart <= 1e-15 * size
        if zero.all():
            limit.note(0.0)
            break
        w = np.where(zero, 0.0, weights / np.where(zero, 1.0, apart))
        pull = w @ gap
        stays = _stays(weights, zero, float(np.linalg.norm(pull)))
        step = (1 - stays) / w.sum() * pull
        limit.note(float(np.linalg.norm(step)) / size)
        m = m + step
    return m.reshape(X.shape[1:])


def _airm(X: np.ndarray, weights: np.ndarray, limit: Limit, init: Optional[np.ndarray],
                step_size: float) -> np.ndarray:
    """The same in the tangent space at the moving point."""
    M = _weighted_sum(weights, X) if init is None else init
    while limit.goes_on():
        root, inverse_root = apply(M, "sqrt"), apply(M, "invsqrt")
        T = apply(whitened(X, inverse_root), "log")
        apart = np.linalg.norm(T, axis=(-2, -1))
        zero = apart <= 1e-15
        if zero.all():
            limit.note(0.0)
            break
        w = np.where(zero, 0.0, weights / np.where(zero, 1.0, apart))
        pull = _weighted_sum(w, T)
        stays = _stays(weights, zero, float(np.linalg.norm(pull)))
        step = step_size * (1 - stays) * pull / w.sum()
        limit.note(np.linalg.norm(step))
        M = whitened(apply(step, "exp"), root)
    return M


@documented
def median_euclid(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                  weights: Any = None) -> np.ndarray:
    """The geometric median under the Euclidean metric: the minimiser of the weighted sum of distances.

    Parameters
    ----------
    X : array, shape (..., p, n, m)
        Matrices, of any shape; the median is over the p matrices of each set.
    tol : float
        Where the iteration ends: the size of its step. 0 means: at the limit of rounding.
    maxiter : int, optional
        Most iterations; 1000 by default.
    init : array, shape (n, m), optional
        Where the iteration begins; the mean by default.
    weights : array, shape (p,), optional
        Weights from 0 on; equal ones by default.

    Returns
    -------
    array, shape (..., n, m)

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.geometry.median import median_euclid
    >>> median_euclid(np.array([1.0, 2.0, 100.0])[:, None, None] * np.eye(1)).round(6)
    array([[2.]])
    """
    X = finite(collection(X, True), "X")
    start = init_of(init, X)
    return over_sets(X, lambda one: _euclidean(one, weights_of(weights, len(one)),
                                               Limit("the median", tol, maxiter), start))


@documented
def median_riemann(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                   weights: Any = None, step_size: float = 1.0) -> np.ndarray:
    """The geometric median under the affine-invariant metric (Fletcher, Venkatasubramanian and Joshi
    2009).

    Parameters
    ----------
    X : array, shape (..., p, n, n)
        Positive definite matrices, symmetric or Hermitian.
    tol : float
        As of `median_euclid`.
    maxiter : int, optional
        As of `median_euclid`.
    init : array, shape (n, n), optional
        As of `median_euclid`.
    weights : array, shape (p,), optional
        As of `median_euclid`.
    step_size : float
        Of each step, above 0 and up to 2.

    {matrices}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.geometry.median import median_riemann
    >>> median_riemann(np.array([1.0, 2.0, 100.0])[:, None, None] * np.eye(1)).round(6)
    array([[2.]])
    """
    if not 0 < real(step_size, "step_size") <= 2:
        raise InvalidArgumentError(f"step_size is {step_size}; it must be above 0 and at most 2")
    X = collection(X)
    start = init_of(init, X)

    def one_median(one: np.ndarray) -> np.ndarray:
        cholesky(one)  # names a matrix that is not positive definite
        return _airm(one, weights_of(weights, len(one)), Limit("the median", tol, maxiter), start,
                     float(step_size))

    return over_sets(X, one_median)
