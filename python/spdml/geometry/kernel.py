"""Kernel matrices of sets of positive definite matrices.

    stein           exp(-beta d2)
    log-euclidean   tr((log X - log C)(log Y - log C)),  C = I by default
    airm            tr(log(C^-1/2 X C^-1/2) log(C^-1/2 Y C^-1/2)),  C the mean of X by default
    euclidean       tr((X - C)'(Y - C)),  C = 0 by default"""

from __future__ import annotations

import warnings
from typing import Any, Callable, cast, Optional, Tuple, Union

import numpy as np

from .._core import gpu, metrics
from .._core.arrays import numbers, real
from .._core.calls import call, context
from .._core.by_metric import by_metric, table
from .._core.docs import documented
from .._core.library import Set, value
from .._core.sets import apply, called, devices, finite, hosts, new, whitened
from ..exceptions import InvalidArgumentError
from .distance import all_pairs, rectangles, set_of
from .mean import mean

__all__ = ["kernel", "kernel_euclid", "kernel_functions", "kernel_logeuclid", "kernel_riemann"]
KINDS = ("stein", "log-euclidean", "airm", "euclidean")


def _library(X: Set, Y: Optional[Set], kind: str, beta: float, n_jobs: Optional[int]) -> np.ndarray:
    K, at = new(X, (X.p, X.p if Y is None else Y.p))
    with called(("X", "X", (X.p,)), ("Y", "Y", () if Y is None else (Y.p,))):
        call(context(n_jobs), "spd_kernel", value("kernel", kind), beta, X, Y, at)
    return cast(np.ndarray, K)


def _stein(X: np.ndarray, Y: Optional[np.ndarray], beta: float, n_jobs: Optional[int]
           ) -> np.ndarray:
    if not np.iscomplexobj(X) and (Y is None or not np.iscomplexobj(Y)):
        return _library(*hosts(X, Y), "stein", beta, n_jobs)
    n = X.shape[1]
    if not np.isfinite(beta) or beta <= 0:
        raise InvalidArgumentError(f"beta is {beta}; it must be positive")
    if beta < n - 1 and beta != int(beta):
        warnings.warn(
            f"the Stein kernel of Hermitian matrices is positive definite for all data when beta is "
            f"1, 2, ..., {n - 1} or more; beta is {beta:g}", UserWarning, stacklevel=4)
    return np.exp(-beta * all_pairs(X, Y, "stein", True, n_jobs=n_jobs))


def _products(F: np.ndarray, G: np.ndarray) -> np.ndarray:
    """tr(F_i' G_j); the same bits for one set and for two that are equal."""
    other = np.ascontiguousarray(G.reshape(len(G), -1).T)
    return np.ascontiguousarray((F.reshape(len(F), -1).conj() @ other).real)


def _seen(X: np.ndarray, kind: str, C: Optional[np.ndarray]) -> np.ndarray:
    """Matrices whose products are the kernel's values."""
    if kind == "euclidean":
        return X if C is None else X - C
    if kind == "log-euclidean":
        return apply(X, "log") if C is None else apply(X, "log") - apply(C, "log", name="Cref")
    at = np.eye(X.shape[1]) if C is None else C
    return apply(whitened(X, apply(at, "invsqrt", name="Cref")), "log")


@documented
def kernel(X: Any, Y: Any = None, metric: Union[str, Callable[..., Any]] = "airm", *, Cref: Any = None,
           reg: Optional[float] = None, beta: float = 1.0, n_jobs: Optional[int] = None) -> np.ndarray:
    """Kernel values between all matrices of X and all of Y, or within X without Y.

    Parameters
    ----------
    X : array, shape (p, n, n)
        Positive definite matrices, symmetric or Hermitian; with 'euclidean' any of equal shape
        will do.
    Y : array, shape (q, n, n), optional
        Others; X itself by default.
    metric : str or callable
        'airm', 'log-euclidean', 'euclidean' or 'stein'; pyRiemann's names too. 'stein' warns when
        beta makes it indefinite for some data. A callable is called as
        ``metric(X, Y, Cref=Cref, reg=reg)``.
    Cref : array, shape (n, n), optional
        The point from which 'log-euclidean' (default: I), 'airm' (default: the mean of X) and
        'euclidean' (default: 0) look at the matrices.
    reg : float, optional
        Added to the diagonal where there is no Y, so that rounding leaves no negative eigenvalue; by
        default 1e-10 as in pyRiemann, and nothing to 'stein'.
    beta : float
        Of 'stein'.
    {n_jobs}

    Returns
    -------
    array, shape (p, q)

    Notes
    -----
    PyTorch and CuPy arrays on a GPU stay there, and so does the result, for 'stein' and
    'log-euclidean' without Cref and reg.

    {references: kernels rsr}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([1.0, np.e])[:, None, None] * np.eye(2)
    >>> spdml.kernel(X, Cref=np.eye(2)).round(8)
    array([[0., 0.],
           [0., 2.]])
    """
    if gpu.holds(X) or gpu.holds(Y):
        if Cref is not None or reg:
            raise InvalidArgumentError("Cref and reg are not for arrays on a GPU")
        ours = metrics.OURS.get(metric, metric) if isinstance(metric, str) else metric
        if ours not in KINDS[:2]:
            raise InvalidArgumentError(f"metric {metric!r} is not for arrays on a GPU; use one of "
                                       f"{', '.join(KINDS[:2])}, or bring the arrays to the host")
        return _library(*devices(X, None if Y is X else Y, "Y"), ours, real(beta, "beta"), n_jobs)
    within, same = Y is None, Y is X
    if callable(metric):
        return np.asarray(metric(X, Y, Cref=Cref, reg=1e-10 if reg is None else reg))
    name = metrics.OURS.get(metric, metric) if isinstance(metric, str) else None
    if name not in KINDS:
        raise InvalidArgumentError(f"metric {metric!r} is unknown; use one of {', '.join(KINDS)}")
    ridge = real(reg, "reg") if reg is not None else 0.0 if name == "stein" else 1e-10
    if name == "euclidean":
        X, Y = _rectangles(X, Y)
    else:
        X = set_of(X, "X")
        Y = None if within or same else set_of(Y, "Y", X.shape[1])
    if name == "stein":
        K = _stein(X, Y, real(beta, "beta"), n_jobs)
    elif name == "log-euclidean" and (Cref is None or np.array_equal(Cref, np.eye(X.shape[1]))) and \
            not np.iscomplexobj(X) and not np.iscomplexobj(Y):
        K = _library(*hosts(X, Y), name, real(beta, "beta"), n_jobs)
    else:
        K = _tangent_kernel(X, Y, name, Cref)
    if within:
        K[np.diag_indices(len(K))] += ridge
    return K


def _rectangles(X: Any, Y: Any) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """Sets of matrices of any shape."""
    X = finite(numbers(X, "X", complex_too=True), "X")
    if X.ndim != 3 or not len(X):
        raise InvalidArgumentError(f"X has shape {X.shape}; it must be (samples, n, m): matrices")
    return X, None if Y is None else finite(rectangles(Y, X[0], ("Y", "X"))[0], "Y")


def _tangent_kernel(X: np.ndarray, Y: Optional[np.ndarray], name: str, Cref: Any) -> np.ndarray:
    if Cref is not None and np.shape(Cref) != X.shape[1:]:
        raise InvalidArgumentError(f"Cref has shape {np.shape(Cref)}; {X.shape[1:]} is needed")
    C = None if Cref is None else rectangles(Cref, X[0], ("Cref", "X"))[0]
    if C is not None and name != "euclidean":
        C = set_of(np.asarray(Cref)[None], "Cref")[0]
    if C is None and name == "airm":
        C = mean(X)
    F = _seen(X, name, C)
    G = F if Y is None else _seen(Y, name, C)
    return _products(F, G)


# ---- pyRiemann's names --------------------------------------------------------------------------

kernel_euclid = by_metric(kernel, "kernel_euclid", "euclid")
kernel_logeuclid = by_metric(kernel, "kernel_logeuclid", "logeuclid")
kernel_riemann = by_metric(kernel, "kernel_riemann", "riemann")
kernel_functions = table(globals(), "kernel_")
