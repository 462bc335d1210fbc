"""Covariance matrices of sets of signals (p, channels, times), all at once where there is a formula.

Estimators have pyRiemann's names. Signals may be complex: X X^H for those that are quadratic in the
signal; the shrinking ones look at real and imaginary parts as 2n channels, as pyRiemann does."""

from __future__ import annotations

import contextlib
import ctypes as c
import warnings
from typing import Any, Callable, Dict, Tuple, Union

import numpy as np

from .._core.arrays import doubles, numbers, real
from .._core.calls import call, context
from .._core.library import CovarianceOptions, value
from .._core.sets import adjoint
from ..exceptions import InvalidArgumentError, NotFiniteError, SPDError

__all__ = ["covariances"]
_PIECE = 1 << 18  # numbers that an iteration goes over before Python can hear Ctrl-C

Estimator = Union[str, float, Callable[..., Any]]


def signals(X: Any, name: str = "X") -> np.ndarray:
    """X as (samples, channels, times), float64 or complex128 and finite."""
    try:
        array = np.asarray(X)
    except ValueError:  # signals of different lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiubc":
        raise InvalidArgumentError(
            f"{name} has dtype {array.dtype}; it must hold numbers, and all signals must have the "
            f"same shape")
    if array.ndim != 3:
        raise InvalidArgumentError(
            f"{name} has shape {array.shape}; it must be (samples, channels, times)")
    if 0 in array.shape:
        raise InvalidArgumentError(f"{name} is empty: shape {array.shape}")
    array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64, copy=False)
    finite = np.isfinite(array.sum(axis=(1, 2)))
    if not finite.all():  # or a sum that is too large
        for i in np.flatnonzero(~finite):
            if not np.isfinite(array[i]).all():
                raise NotFiniteError(
                    f"{name}[{i}] holds NaN or infinity; leave the signal out, or interpolate it",
                    int(i), float("nan"))
    return array


def each_length(X: Any, work: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """work of the signals in X; of a list of signals of different lengths, of each on its own."""
    if not isinstance(X, (list, tuple)) or len({np.shape(x) for x in X}) < 2:
        return work(signals(X))
    if len({np.shape(x)[:1] for x in X}) > 1:
        raise InvalidArgumentError("the signals in X have different numbers of channels")
    return np.concatenate([work(signals(np.asarray(x)[None])) for x in X])


def _centred(X: np.ndarray) -> np.ndarray:
    return np.asarray(X - X.mean(axis=-1, keepdims=True))


def _trace(C: np.ndarray) -> np.ndarray:
    """Of each matrix, in a shape that multiplies them."""
    return np.asarray(np.trace(C, axis1=-2, axis2=-1))[..., None, None]


def _scm(X: np.ndarray, *, assume_centered: bool = False, weights: Any = None) -> np.ndarray:
    """Sample covariance, divided by the number of times, or with weights of the times."""
    if weights is None:
        Y = X if assume_centered else _centred(X)
        return np.asarray(np.asarray(Y @ adjoint(Y)) / X.shape[-1])
    w = np.asarray(weights, dtype=float)
    if w.shape != X.shape[-1:] or not (w >= 0).all() or not np.isfinite(w).all() or w.sum() <= 0:
        raise InvalidArgumentError(
            f"weights has shape {w.shape}; {X.shape[-1]} weights that are not negative are needed")
    w = w / w.sum()
    Y = X if assume_centered else X - (X * w).sum(axis=-1, keepdims=True)
    return np.asarray((Y * w) @ adjoint(Y))


def _cov(X: np.ndarray, **options: Any) -> np.ndarray:
    """numpy.cov: divided by one less."""
    if options:
        return np.array([np.atleast_2d(np.cov(x, **options)) for x in X])
    Y = _centred(X)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.asarray(Y @ adjoint(Y)) / (X.shape[-1] - 1))


def _corr(X: np.ndarray, **options: Any) -> np.ndarray:
    """numpy.corrcoef."""
    C = _cov(X, **options)
    scale = np.sqrt(np.diagonal(C, axis1=-2, axis2=-1).real)
    C = C / scale[:, :, None] / scale[:, None, :]
    np.clip(C.real, -1, 1, out=C.real)
    if C.dtype.kind == "c":
        np.clip(C.imag, -1, 1, out=C.imag)
    return np.asarray(C)


def towards_identity(C: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(1 - share) C + share tr(C)/n I, share (p,)."""
    n = C.shape[-1]
    share = share[:, None, None]
    return np.asarray((1 - share) * C + share * (_trace(C) / n) * np.eye(n))


def _oas(X: np.ndarray, *, assume_centered: bool = False) -> np.ndarray:
    """Oracle approximating shrinkage (Chen et al. 2010), as scikit-learn has it."""
    C = _scm(X, assume_centered=assume_centered)
    n, times = X.shape[-2:]
    if n == 1:
        return C
    square = (C**2).mean(axis=(1, 2))
    mean2 = (_trace(C)[:, 0, 0] / n) ** 2
    below = (times + 1) * (square - mean2 / n)
    share = np.ones(len(C))
    np.divide(square + mean2, below, out=share, where=below != 0)
    return towards_identity(C, np.minimum(share, 1.0))


def _lwf(X: np.ndarray, *, assume_centered: bool = False, block_size: int = 1000) -> np.ndarray:
    """Ledoit and Wolf (2004), as scikit-learn has it; block_size is accepted and not needed."""
    Y = X if assume_centered else _centred(X)
    n, times = X.shape[-2:]
    C = np.asarray(Y @ adjoint(Y)) / times
    if n == 1:
        return np.asarray(C)
    mean = _trace(C)[:, 0, 0] / n
    square = (C**2).sum(axis=(1, 2))
    fourth = ((Y**2).sum(axis=1) ** 2).sum(axis=-1)  # of the norms of the columns
    delta = square / n - mean**2
    beta = np.minimum((fourth / times - square) / (n * times), delta)
    share = np.zeros(len(C))
    np.divide(beta, delta, out=share, where=beta != 0)
    return towards_identity(C, share)


def _sch(X: np.ndarray) -> np.ndarray:
    """Schaefer and Strimmer (2005): correlations shrunk towards zero, variances kept. The share is
    the sum of the estimated variances of the correlations over that of their squares."""
    Y = _centred(X)
    n, times = X.shape[-2:]
    C = np.asarray(Y @ adjoint(Y)) / times
    variance = np.diagonal(C, axis1=-2, axis2=-1)
    product = variance[:, :, None] * variance[:, None, :]
    off = ~np.eye(n, dtype=bool)
    Y2 = Y**2
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (Y2 @ adjoint(Y2) - times * C**2) * times / ((times - 1.0) ** 3 * product)
        square = (C * times / (times - 1.0)) ** 2 / product
    above, below = spread[:, off].sum(axis=1), square[:, off].sum(axis=1)
    share = np.zeros(len(C))
    np.divide(above, below, out=share, where=below != 0)
    share = np.clip(share, 0, 1)[:, None, None]
    C *= np.where(off, 1 - share, 1.0)
    return np.asarray(C * (times / (times - 1.0)))


def _mcd(X: np.ndarray, **options: Any) -> np.ndarray:
    """Minimum covariance determinant: scikit-learn's fast_mcd of each signal."""
    from sklearn.covariance import fast_mcd  # now: it takes longer to import than the rest of the package
    return np.array([fast_mcd(x.T, **options)[1] for x in X])


def _settled(weigh: Callable[[np.ndarray], np.ndarray], X: np.ndarray, init: Any, tol: float,
             most: int) -> np.ndarray:
    """The fixed point C = mean of weigh(x' C^-1 x) x x' for each signal, each with its own end."""
    n, times = X.shape[-2:]
    if init is None:
        C = np.asarray(X @ adjoint(X)) / times
    else:
        start = np.asarray(init)
        if start.shape != (n, n):
            raise InvalidArgumentError(f"init has shape {start.shape}; it must be {(n, n)}")
        C = np.repeat(start[None], len(X), axis=0).astype(X.dtype)
    step = max(1, _PIECE // (n * times))
    left = sum(_settle(weigh, X[first:first + step], C[first:first + step], tol, most)
               for first in range(0, len(X), step))
    if left:
        from sklearn.exceptions import ConvergenceWarning
        warnings.warn(
            f"{left} of {len(X)} covariance matrices did not converge in {most} iterations; "
            f"raise n_iter_max or tol", ConvergenceWarning, stacklevel=2)
    return np.asarray(C)


def _settle(weigh: Callable[[np.ndarray], np.ndarray], X: np.ndarray, C: np.ndarray, tol: float,
            most: int) -> int:
    """C, where the iteration begins, <- where it ends; returns how many have not come to an end."""
    going = np.arange(len(X))
    for _ in range(most):
        Y = X if len(going) == len(X) else X[going]
        square = np.einsum("pit,pit->pt", np.conj(Y), np.linalg.inv(C[going]) @ Y).real
        new = np.asarray((Y * weigh(square)[:, None, :]) @ adjoint(Y)) / X.shape[-1]
        size = np.linalg.norm(C[going], axis=(1, 2))
        moved = np.linalg.norm(new - C[going], axis=(1, 2))
        C[going] = new
        going = going[moved > tol * size]
        if not len(going):
            break
    return len(going)


def _robust(kind: str) -> Callable[..., np.ndarray]:
    """An M-estimator: hub, stu or tyl."""

    def estimate(X: np.ndarray, *, init: Any = None, tol: float = 1e-2, n_iter_max: int = 50,
                 assume_centered: bool = False, q: float = 0.9, nu: float = 5,
                 norm: str = "trace") -> np.ndarray:
        n = X.shape[1]
        X = X if assume_centered else _centred(X)
        C = _settled(_weights(kind, n, q, nu), X, init, tol, n_iter_max)
        if kind != "tyl":
            return C
        if norm not in ("trace", "determinant"):
            raise InvalidArgumentError(f"norm {norm!r} is unknown; use trace or determinant")
        if norm == "trace":
            return np.asarray(C * (n / _trace(C).real))
        return np.asarray(C / np.exp(np.linalg.slogdet(C)[1] / n)[:, None, None])

    return estimate


def _weights(kind: str, n: int, q: float, nu: float) -> Callable[[np.ndarray], np.ndarray]:
    """What an M-estimator makes of squared Mahalanobis distances (Ollila et al. 2012, section V)."""
    if kind == "tyl":
        return lambda square: n / square
    if kind == "stu":
        if not nu > 0:
            raise InvalidArgumentError(f"nu is {nu}; it must be positive")
        return lambda square: (2 * n + nu) / (nu + 2 * square)
    if not 0 < q <= 1:
        raise InvalidArgumentError(f"q is {q}; it must be above 0 and at most 1")
    from scipy.special import gammainc, gammaincinv
    limit = gammaincinv(n / 2, q)
    scale = gammainc((n + 1) / 2, limit) + limit * (1 - q) / n
    if q == 1:
        return lambda square: np.ones_like(square)
    return lambda square: np.minimum(1.0, limit / square) / scale


_ESTIMATORS: Dict[str, Tuple[Callable[..., np.ndarray], bool]] = {  # and whether complex is its own
    "corr": (_corr, True), "cov": (_cov, True), "hub": (_robust("hub"), True),
    "lwf": (_lwf, False), "mcd": (_mcd, False), "oas": (_oas, False), "sch": (_sch, False),
    "scm": (_scm, True), "stu": (_robust("stu"), True), "tyl": (_robust("tyl"), True),
}


def _of_parts(estimate: Callable[..., np.ndarray], X: np.ndarray, options: Any) -> np.ndarray:
    """A real estimator on real and imaginary parts (Abrahamsson et al. 2007)."""
    n = X.shape[1]
    C = estimate(np.concatenate((X.real, X.imag), axis=1), **options)
    return np.asarray(C[:, :n, :n] + C[:, n:, n:] + 1j * (C[:, n:, :n] - C[:, :n, n:]))


def _shrunk(X: np.ndarray, share: float) -> np.ndarray:
    C = _scm(X)
    return towards_identity(C, np.full(len(C), share)) if X.shape[1] > 1 else C


def estimated(X: np.ndarray, estimator: Estimator = "scm", **options: Any) -> np.ndarray:
    """Covariance matrices (p, n, n) of signals (p, n, times)."""
    if callable(estimator):
        return np.array([np.atleast_2d(estimator(x, **options)) for x in X])
    if isinstance(estimator, (int, float)) and not isinstance(estimator, bool):
        if not 0 <= estimator <= 1:
            raise InvalidArgumentError(f"estimator is {estimator}; a shrinkage is between 0 and 1")
        return _shrunk(X, float(estimator))
    if not isinstance(estimator, str) or estimator not in _ESTIMATORS:
        raise InvalidArgumentError(
            f"estimator {estimator!r} is unknown; use one of {', '.join(sorted(_ESTIMATORS))}, a "
            f"shrinkage between 0 and 1, or a function")
    if X.shape[-1] < 2 and estimator in ("corr", "cov", "sch"):
        raise InvalidArgumentError(f"estimator {estimator!r} needs two times or more; X has one")
    function, own = _ESTIMATORS[estimator]
    if X.dtype.kind == "c" and not own:
        return _of_parts(function, X, options)
    return function(X, **options)


def loaded(C: np.ndarray, regularize: float) -> np.ndarray:
    """C + regularize tr(C)/n I, of each."""
    if not isinstance(regularize, (int, float)) or not 0 <= regularize < np.inf:
        raise InvalidArgumentError(
            f"regularize is {regularize!r}; it must be a number that is not negative")
    if regularize == 0:
        return C
    return np.asarray(C + regularize * (_trace(C).real / C.shape[-1]) * np.eye(C.shape[-1]))


_SHRINKAGES = {"cov": "none", "none": "none", "oas": "oas", "lwf": "ledoit-wolf", "ledoit-wolf": "ledoit-wolf",
               "scm": "value"}  # the last by a share of 0


def _shrinkage(estimator: Any) -> Tuple[int, float]:
    if isinstance(estimator, str) and estimator in _SHRINKAGES:
        return value("shrinkage", _SHRINKAGES[estimator]), 0.0
    if isinstance(estimator, (int, float)) and not isinstance(estimator, bool) and 0 <= estimator <= 1:
        return value("shrinkage", "value"), float(estimator)
    raise InvalidArgumentError(
        f"estimator {estimator!r} is unknown; use cov, scm, oas, lwf (ledoit-wolf) or a "
        f"shrinkage between 0 and 1")


def covariances(signals: Any, estimator: Any = "cov", regularize: float = 0.0) -> np.ndarray:
    """Covariance matrices of signals, as pyRiemann's function of that name. The class `Covariances` has
    further estimators, and takes complex signals.

    Parameters
    ----------
    signals : array, shape (p, channels, times), or a list of (channels, times) of different lengths
    estimator : 'cov' (1/(times - 1)), 'scm' (1/times), 'oas', 'lwf', or a shrinkage between 0 and 1
    regularize : float
        What is added to the diagonal, relative to its mean.

    Returns
    -------
    array, shape (p, channels, channels)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.covariances(np.array([[[1.0, -1.0, 1.0, -1.0], [0.0, 2.0, 0.0, -2.0]]]), "scm")
    array([[[1., 0.],
            [0., 2.]]])
    """
    shrinkage, share = _shrinkage(estimator)
    regularize = real(regularize, "regularize")
    if regularize < 0:
        raise InvalidArgumentError(f"regularize is {regularize}; it must not be negative")
    options = CovarianceOptions(shrinkage=shrinkage, shrink=share, regularize=regularize)
    ctx = context(1)
    if isinstance(signals, np.ndarray) and signals.ndim == 3 and signals.dtype == np.float64 and \
            signals.size and signals.flags.c_contiguous and isinstance(estimator, str) and not regularize:
        with contextlib.suppress(SPDError):  # which one it is is said below
            p, n, r = signals.shape
            all_made = np.empty((p, n, n))
            call(ctx, "spd_covariances", p, n, r, doubles(signals), c.byref(options), doubles(all_made))
            return all_made
    made = []
    for i, signal in enumerate(signals):
        rows = numbers(signal, f"signals[{i}]")
        if rows.ndim != 2:
            raise InvalidArgumentError(
                f"signals[{i}] has shape {rows.shape}; it must be (channels, times)")
        rows = np.ascontiguousarray(rows.T)
        C = np.empty((rows.shape[1], rows.shape[1]))
        call(ctx, "spd_covariance", rows.shape[0], rows.shape[1], doubles(rows),
             c.byref(options), doubles(C))
        made.append(C)
    if not made:
        raise InvalidArgumentError("signals is empty")
    if len({C.shape for C in made}) > 1:
        raise InvalidArgumentError("signals have different numbers of channels")
    return np.stack(made)
