"""Covariance matrices of sets of signals (p, channels, times), all at once where there is a formula.

Estimators have pyRiemann's names. Signals may be complex: X X^H for those that are quadratic in the
signal; the shrinking ones look at real and imaginary parts as 2n channels, as pyRiemann does."""

from __future__ import annotations

import ctypes as c
import warnings
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from .._core.arrays import doubles
from .._core.calls import call, context
from .._core.library import structs, value
from .._core.sets import adjoint
from ..exceptions import InvalidArgumentError, NotFiniteError

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


def _centred_already(name: str, X: np.ndarray, options: Dict[str, Any]) -> np.ndarray:
    """'oas' and 'lwf' of signals with the mean zero: scikit-learn's."""
    import sklearn.covariance
    function = {"oas": sklearn.covariance.oas, "lwf": sklearn.covariance.ledoit_wolf}[name]
    return np.array([function(x.T, **options)[0] for x in X])


def _of_library(X: np.ndarray, name: str, share: float = 0.0) -> Optional[np.ndarray]:
    """By the library, which has 'cov', 'oas', 'lwf' and 'scm' drawn towards the identity by a share;
    None for what it refuses: fewer times than channels."""
    options = structs.covariance_options(shrinkage=value("shrinkage", _SHRINKAGES[name]), shrink=share)
    X = np.ascontiguousarray(X)
    p, n, times = X.shape
    C = np.empty((p, n, n))
    try:
        call(context(1), "spd_covariances", p, n, times, doubles(X), c.byref(options), doubles(C))
    except InvalidArgumentError:
        return None
    return C


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
    "mcd": (_mcd, False), "sch": (_sch, False),
    "scm": (_scm, True), "stu": (_robust("stu"), True), "tyl": (_robust("tyl"), True),
}


def _of_parts(estimate: Callable[..., np.ndarray], X: np.ndarray, options: Any) -> np.ndarray:
    """A real estimator on real and imaginary parts (Abrahamsson et al. 2007)."""
    n = X.shape[1]
    C = estimate(np.concatenate((X.real, X.imag), axis=1), **options)
    return np.asarray(C[:, :n, :n] + C[:, n:, n:] + 1j * (C[:, n:, :n] - C[:, :n, n:]))


def _shrinking(name: str) -> Callable[..., np.ndarray]:
    """'oas' and 'lwf' of real signals."""
    def estimate(X: np.ndarray, **options: Any) -> np.ndarray:
        C = None if options else _of_library(X, name)
        return C if C is not None else _centred_already(name, X, options)

    return estimate


_ESTIMATORS.update({name: (_shrinking(name), False) for name in ("oas", "lwf")})


def _shrunk(X: np.ndarray, share: float) -> np.ndarray:
    C = _of_library(X, "scm", share) if X.dtype.kind != "c" else None
    if C is not None:
        return C
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
    if estimator in ("cov", "scm") and not options and X.dtype.kind != "c":
        C = _of_library(X, estimator)
        if C is not None:
            return C
    return function(X, **options)


def loaded(C: np.ndarray, regularize: float) -> np.ndarray:
    """C + regularize tr(C)/n I, of each."""
    if not isinstance(regularize, (int, float)) or not 0 <= regularize < np.inf:
        raise InvalidArgumentError(
            f"regularize is {regularize!r}; it must be a number that is not negative")
    if regularize == 0:
        return C
    return np.asarray(C + regularize * (_trace(C).real / C.shape[-1]) * np.eye(C.shape[-1]))


_SHRINKAGES = {"cov": "none", "oas": "oas", "lwf": "ledoit-wolf", "scm": "value"}  # the last by a share of 0


def covariances(X: Any, estimator: Estimator = "cov", *, regularize: float = 0.0, **kwds: Any) -> np.ndarray:
    """Covariance matrices of signals.

    Parameters
    ----------
    X : array, shape (..., channels, times)
        Real or complex; also a list of (channels, times) of different lengths.
    estimator : str, float or callable
        'cov' (1/(times - 1)), 'scm' (1/times), 'corr' (correlations); shrunk: 'oas', 'lwf' (Ledoit and
        Wolf), 'sch' (Schaefer and Strimmer), or a number between 0 and 1, the weight of the identity;
        robust: 'mcd', 'hub' (Huber), 'stu' (Student), 'tyl' (Tyler). A function takes a signal
        (channels, times) and returns its matrix.
    regularize : float
        What is added to the diagonal, relative to its mean.
    kwds : dict
        Options of the estimator: assume_centered (scm, oas, lwf, hub, stu, tyl), weights (scm), those of
        numpy.cov (cov, corr) and of scikit-learn's fast_mcd (mcd), tol, n_iter_max, init, and q (hub), nu
        (stu), norm (tyl).

    Returns
    -------
    array, shape (..., channels, channels)

    References
    ----------
    Chen et al., Shrinkage algorithms for MMSE covariance estimation, IEEE Trans. Signal Process. 58, 2010
    ('oas'). Ledoit and Wolf, J. Multivariate Anal. 88, 2004 ('lwf'). Schaefer and Strimmer, Stat. Appl.
    Genet. Mol. Biol. 4, 2005 ('sch'). Ollila et al., IEEE Trans. Signal Process. 60, 2012 ('hub', 'stu',
    'tyl').

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.covariances(np.array([[[1.0, -1.0, 1.0, -1.0], [0.0, 2.0, 0.0, -2.0]]]), "scm")
    array([[[1., 0.],
            [0., 2.]]])
    """
    if isinstance(X, np.ndarray) and X.ndim != 3 and X.ndim >= 2:
        made = covariances(X.reshape((-1,) + X.shape[-2:]), estimator, regularize=regularize, **kwds)
        return made.reshape(X.shape[:-2] + made.shape[1:])
    return loaded(each_length(X, lambda part: estimated(part, estimator, **kwds)), regularize)
