"""Functions of symmetric and Hermitian matrices: logarithm, exponential, powers, derivatives.

All take (..., n, n) with any leading dimensions, real or complex; apply, logm, expm, sqrtm, invsqrtm
and powm also PyTorch and CuPy arrays on a GPU, where their results stay, without a copy through the
host (positive definite ones, unless the function is the exponential)."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from .._core import gpu, sets, shortcuts
from .._core.arrays import doubles, numbers, place, real, square
from .._core.docs import documented
from .._core.library import lib
from .._core.sets import adjoint, finite, from_real, hermitian, real_form
from ..exceptions import InvalidArgumentError

__all__ = ["apply", "ctranspose", "ddexpm", "ddlogm", "eigvalsh", "expm", "invm", "invsqrtm", "logm",
           "nearest_sym_pos_def", "powm", "regularize", "sqrtm"]
ctranspose = adjoint


@documented
def apply(X: Any, function: str, power: float = 1.0, n_jobs: Optional[int] = None) -> np.ndarray:
    """A function of each matrix through its eigenvalues, chosen by name.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Symmetric or Hermitian matrices; positive definite ones unless the function is 'exp'.
    function : {'log', 'exp', 'sqrt', 'invsqrt', 'power'}
        Which one.
    power : float
        The exponent of 'power'.
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.apply(np.diag([1.0, 4.0]), "power", 0.5)
    array([[1., 0.],
           [0., 2.]])
    """
    if not isinstance(function, str) or function not in sets.FUNCTIONS:
        raise InvalidArgumentError(
            f"function {function!r} is unknown; use one of {', '.join(sets.FUNCTIONS)}")
    return _apply(X, function, real(power, "power"), n_jobs)


@documented
def logm(X: Any, n_jobs: Optional[int] = None) -> np.ndarray:
    """Logarithms of positive definite matrices.

    Parameters
    ----------
    {X}
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.logm(np.exp(2) * np.eye(2)).round(12)
    array([[2., 0.],
           [0., 2.]])
    """
    return _apply(X, "log", 1.0, n_jobs)


@documented
def expm(X: Any, n_jobs: Optional[int] = None) -> np.ndarray:
    """Exponentials of symmetric or Hermitian matrices, which are positive definite.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Symmetric or Hermitian matrices.
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return _apply(X, "exp", 1.0, n_jobs)


@documented
def sqrtm(X: Any, n_jobs: Optional[int] = None) -> np.ndarray:
    """Square roots of positive definite matrices; singular ones have a root as well.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Positive semi-definite matrices, symmetric or Hermitian.
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.sqrtm(np.diag([4.0, 9.0]))
    array([[2., 0.],
           [0., 3.]])
    """
    return _apply(X, "sqrt", 0.5, n_jobs, sets.semidefinite)


@documented
def invsqrtm(X: Any, n_jobs: Optional[int] = None) -> np.ndarray:
    """Inverse square roots of positive definite matrices.

    Parameters
    ----------
    {X}
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.invsqrtm(np.diag([4.0, 16.0]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _apply(X, "invsqrt", 1.0, n_jobs)


@documented
def powm(X: Any, alpha: float, n_jobs: Optional[int] = None) -> np.ndarray:
    """Powers X^alpha of positive definite matrices; with a positive exponent singular ones too.

    Parameters
    ----------
    {X}
    alpha : float
        The exponent.
    {n_jobs}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.powm(np.diag([8.0, 27.0]), 1 / 3).round(12)
    array([[2., 0.],
           [0., 3.]])
    """
    alpha = real(alpha, "alpha")
    return _apply(X, "power", alpha, n_jobs, sets.semidefinite if alpha > 0 else sets.apply)


@documented
def invm(X: Any) -> np.ndarray:
    """Inverses of positive definite matrices, through their Cholesky factors.

    Parameters
    ----------
    {X}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.invm(np.diag([2.0, 4.0]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return sets.inverse(square(X))


def _apply(X: Any, function: str, power: float, n_jobs: Optional[int], by: Any = sets.apply) -> np.ndarray:
    """by: sets.semidefinite for a power above 0."""
    F = shortcuts.apply(X, function, power, n_jobs)
    if F is not None:
        return F
    if gpu.holds(X):
        return sets.apply_to(sets.device(X, "X", ndim=None), function, power, n_jobs)
    return np.asarray(by(square(X), function, power, n_jobs))


def eigvalsh(A: Any, B: Any = None) -> np.ndarray:
    """Eigenvalues of A, or of A v = lambda B v where B is given.

    Parameters
    ----------
    A : array, shape (..., n, n)
        Symmetric or Hermitian matrices.
    B : array, shape (..., n, n), optional
        Positive definite matrices; leading dimensions broadcast.

    Returns
    -------
    array, shape (..., n)
        In ascending order.

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.eigvalsh(np.diag([6.0, 4.0]), np.diag([3.0, 4.0]))
    array([1., 2.])
    """
    A = square(A, "A")
    if B is None:
        return sets.eigenvalues(A, "A")
    return sets.joint_eigenvalues(A, square(B, "B", A.shape[-1]))


@documented
def nearest_sym_pos_def(X: Any, reg: float = 1e-6) -> np.ndarray:
    """The nearest positive definite matrices in the Frobenius norm whose smallest eigenvalue is at
    least reg times the largest; of a matrix without a positive eigenvalue, reg times its largest
    absolute one times I.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Square matrices; only their symmetric or Hermitian parts matter.
    reg : float
        Smallest eigenvalue of the result relative to the largest.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.nearest_sym_pos_def(np.diag([1.0, -2.0]), reg=0.01)
    array([[1.  , 0.  ],
           [0.  , 0.01]])
    """
    X = sets.finite(square(X, symmetric=False), "X")
    values, V = np.linalg.eigh(hermitian(X))
    largest = np.where(values[..., -1:] > 0, values[..., -1:], -values[..., :1])
    if (largest == 0).any():
        where = place(int(np.flatnonzero(largest == 0)[0]), X.shape[:-2])
        raise InvalidArgumentError(f"X{where} is zero, to which no positive definite matrix is nearest")
    return hermitian((V * np.maximum(values, reg * largest)[..., None, :]) @ adjoint(V))


def _log_quotients(d: np.ndarray) -> np.ndarray:
    """(log a - log b)/(a - b) for all pairs of eigenvalues, 1/a where they are equal."""
    a, b = d[..., :, None], d[..., None, :]
    apart = a - b
    step = np.where(apart == 0, 1.0, apart)
    return np.where(apart == 0, 1.0 / a, np.log1p(np.where(apart == 0, 0.0, apart / b)) / step)


def _exp_quotients(d: np.ndarray) -> np.ndarray:
    """(exp a - exp b)/(a - b), exp a where they are equal."""
    a, b = d[..., :, None], d[..., None, :]
    half = (a - b) / 2
    ratio = np.sinh(half) / np.where(half == 0, 1.0, half)
    return np.asarray(np.exp((a + b) / 2) * np.where(half == 0, 1.0, ratio))


def _derivative(X: Any, C: Any, quotients: Callable[[np.ndarray], np.ndarray],
                definite: bool) -> np.ndarray:
    C = square(C, "Cref")
    X = numbers(X, "X", complex_too=True)
    if X.ndim < 2 or X.shape[-2:] != C.shape[-2:]:
        raise InvalidArgumentError(
            f"X has shape {X.shape}; (..., {C.shape[-1]}, {C.shape[-1]}) is needed, as Cref has it")
    sets.finite(X, "X")
    if definite:
        sets.cholesky(C, "Cref")  # names a matrix that is not
    d, V = np.linalg.eigh(C)
    return np.asarray(V @ (quotients(d) * (adjoint(V) @ X @ V)) @ adjoint(V))


@documented
def ddlogm(X: Any, Cref: Any) -> np.ndarray:
    """The derivative of the logarithm at Cref in the directions X.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Directions.
    Cref : array, shape (..., n, n)
        A positive definite matrix, or several whose leading dimensions broadcast.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.ddlogm(np.ones((2, 2)), 2 * np.eye(2))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    return _derivative(X, Cref, _log_quotients, True)


@documented
def ddexpm(X: Any, Cref: Any) -> np.ndarray:
    """The derivative of the exponential at Cref in the directions X.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Directions.
    Cref : array, shape (..., n, n)
        A symmetric or Hermitian matrix, or several whose leading dimensions broadcast.

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.base.ddexpm(np.ones((2, 2)), np.zeros((2, 2)))
    array([[1., 1.],
           [1., 1.]])
    """
    return _derivative(X, Cref, _exp_quotients, False)


def regularize(X: Any, relative: float = 0.0, ridge: float = 0.0) -> np.ndarray:
    """Matrices with larger diagonals: X + (relative tr(X)/n + ridge) I.

    Parameters
    ----------
    X : array, shape (..., n, n)
        Symmetric or Hermitian matrices.
    relative : float
        What is added, relative to the mean of the diagonal.
    ridge : float
        What is added.

    Returns
    -------
    array, shape (..., n, n)
        A copy.

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.regularize(np.ones((1, 2, 2)), 0.5)
    array([[[1.5, 1. ],
            [1. , 1.5]]])
    """
    relative, ridge = real(relative, "relative"), real(ridge, "ridge")
    if not (np.isfinite(relative) and np.isfinite(ridge)):
        raise InvalidArgumentError(f"relative is {relative} and ridge {ridge}; they must be finite")
    X = finite(square(X), "X")
    Y = real_form(X).copy()
    lib.spd_regularize(Y.shape[1], len(Y), doubles(Y), relative, ridge)
    return from_real(Y, X.shape[:-2], np.iscomplexobj(X))
