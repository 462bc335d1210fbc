"""Means and medians of sets of matrices, masked ones among them."""

from __future__ import annotations

import ctypes as c
from typing import Any, Callable, cast, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _iterations
from .._core import gpu, metrics, sets, shortcuts
from .._core.arrays import doubles, numbers, place, square
from .._core.calls import call, context
from .._core.docs import documented
from .._core.hermitian import extract
from .._core.library import lib, Set
from .._core.limit import Limit
from .._core.sets import (adjoint, apply, called, checked_weights, cholesky, given_weights, hermitian,
                          mean_options, weights_of)
from ..exceptions import InvalidArgumentError
from ..files import stored_set
from .distance import power_of

__all__ = ["gmean", "maskedmean_riemann", "mean", "mean_ale", "mean_alm", "mean_bmp", "mean_cheap",
           "mean_chol", "mean_euclid", "mean_functions", "mean_harmonic", "mean_kullback_sym", "mean_logchol",
           "mean_logdet", "mean_logeuclid", "mean_power", "mean_poweuclid", "mean_riemann", "mean_thompson",
           "mean_wasserstein", "nanmean_riemann"]
Metric = Union[str, Callable[..., Any]]
_CLOSED = ("log-euclidean", "log-cholesky", "jeffrey", "cholesky", "harmonic",
           "kullback_right", "power-euclidean")


# ---- by the library -----------------------------------------------------------------------------

def _core_mean(X: Set, metric: str, sample_weight: Any, tol: float, max_iter: Optional[int],
               n_jobs: Optional[int]) -> np.ndarray:
    weights = given_weights(sample_weight, X.p)
    M = np.empty((X.n, X.n))
    options = mean_options(weights, tol, max_iter)
    call(context(n_jobs), "spd_mean", metrics.NUMBERS[metric], X, c.byref(options), doubles(M), None)
    return extract(M) if X.hermitian else M


def _device_mean(X: Any, metric: str, sample_weight: Any, tol: float, max_iter: Optional[int],
                 n_jobs: Optional[int]) -> Any:
    """Over the third dimension from the end. The steps are the processor's, and the small matrices are
    taken from there to the GPU."""
    S = sets.device(X, "X", ndim=None)
    if not S.leading:
        raise InvalidArgumentError(
            f"X has shape {S.holds.shape}; it must be (samples, n, n): square matrices")
    leading, p = S.leading[:-1], S.leading[-1]
    M = np.empty((S.p // p, S.n, S.n))
    for i, each in enumerate(M):
        one = Set(n=S.n, p=p, X=S.X + i * p * each.nbytes, place=S.place, device=S.device, stream=S.stream)
        with called(("X", "X" + place(i, leading), (p,))):
            each[:] = _core_mean(one, metric, sample_weight, tol, max_iter, n_jobs)
    return S.library.array(X, M.reshape(leading + M.shape[1:]))


# ---- one set ------------------------------------------------------------------------------------

def _closed(X: np.ndarray, metric: str, weights: np.ndarray, power: float) -> np.ndarray:
    """Means that are a formula: the Euclidean mean of what the metric sees."""
    if metric == "cholesky":
        L = np.tensordot(weights, cholesky(X), 1)
        return hermitian(L @ adjoint(L))
    if power == 1:
        return np.tensordot(weights, X, 1)
    if metric in ("harmonic", "kullback_right") or power == -1:
        return sets.inverse(np.tensordot(weights, sets.inverse(X), 1))
    return apply(np.tensordot(weights, apply(X, "power", power), 1), "power", 1 / power)


def _euclidean(X: np.ndarray, weights: Optional[np.ndarray]) -> np.ndarray:
    """Of matrices of any shape, real or complex."""
    M = np.empty(X.shape[1:], X.dtype)
    lib.spd_private_flat_mean(len(X), len(M), M.nbytes // 8 // len(M), doubles(weights), doubles(X), doubles(M))
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(M.sum()):
            sets.finite(X, "X")
    return M


def _start(X: np.ndarray, init: Optional[np.ndarray], weights: np.ndarray) -> np.ndarray:
    return np.tensordot(weights, X, 1) if init is None else init


def _iterated(X: np.ndarray, metric: str, weights: np.ndarray, power: float, limit: Limit,
              init: Optional[np.ndarray]) -> np.ndarray:
    if metric == "power":
        return _iterations.power_mean(X, weights, power, limit, init)
    if metric == "thompson":
        return _iterations.thompson_mean(X, limit, init)
    if metric == "ale":
        return _iterations.ale_mean(X, weights, limit, init)
    if metric == "alm":
        return _iterations.alm_mean(X, weights, limit)
    if metric == "bmp":
        return _iterations.bmp_mean(X, weights, limit)
    return _iterations.cheap_mean(X, weights, limit)


def _simpler(metric: str, power: float) -> str:
    """The metric that a power mean is for some exponents."""
    if metric == "power" and not -1 <= power <= 1:
        raise InvalidArgumentError(f"power is {power:g}; a power mean has one from -1 to 1")
    if metric == "power" and power in (-1, 0, 1):
        return {-1: "harmonic", 0: "airm", 1: "euclidean"}[int(power)]
    if metric == "power-euclidean" and power == 0:
        return "log-euclidean"
    return {"kullback_sym": "jeffrey", "kullback": "euclidean"}.get(metric, metric)


def _mean_of_set(X: np.ndarray, metric: str, sample_weight: Any, tol: float,
                 max_iter: Optional[int], n_jobs: Optional[int], init: Optional[np.ndarray],
                 power: float) -> np.ndarray:
    if metric in _CLOSED:
        max_iter = None
    usual, least = (50, 1e-6) if metric == "thompson" else (1000, 1e-13)
    limit = Limit(f"the mean by {metric!r}", tol, max_iter, usual, least)
    if limit.steps == 0 and metric in metrics.CORE:
        limit.warn()
        return _start(X, init, weights_of(sample_weight, len(X)))
    if metric in metrics.CORE:
        return _core_mean(sets.host(X), metric, sample_weight, tol, max_iter, n_jobs)
    weights = weights_of(sample_weight, len(X))
    if metric in _CLOSED:
        return _closed(X, metric, weights, power)
    cholesky(X)  # names a matrix that is not positive definite
    return _iterated(X, metric, weights, power, limit, init)


def init_of(init: Any, X: np.ndarray) -> Optional[np.ndarray]:
    if init is None:
        return None
    if np.shape(init) != X.shape[-2:]:
        raise InvalidArgumentError(f"init has shape {np.shape(init)}; {X.shape[-2:]} is needed")
    init = square(init, "init") if X.shape[-1] == X.shape[-2] else \
        numbers(init, "init", complex_too=True)
    return np.asarray(init.astype(np.result_type(init, X), copy=False))


def over_sets(X: np.ndarray, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """function of each set (p, n, m) in X (..., p, n, m)."""
    if X.ndim == 3:
        return function(X)
    sets = X.reshape((-1,) + X.shape[-3:])
    made = []
    for i, one in enumerate(sets):
        with called(("X", "X" + place(i, X.shape[:-3]), (len(one),))):
            made.append(function(one))
    return np.stack(made).reshape(X.shape[:-3] + X.shape[-2:])


def collection(X: Any, rectangular: bool = False) -> np.ndarray:
    """X as (..., p, n, n), or of any matrices."""
    if rectangular:
        array = numbers(X, "X", complex_too=True)
    else:
        array = square(X)
    if array.ndim < 3:
        raise InvalidArgumentError(
            f"X has shape {array.shape}; it must be (samples, n, n): square matrices")
    if 0 in array.shape:
        raise InvalidArgumentError(f"X is empty: shape {array.shape}")
    return array


@documented
def mean(X: Any, metric: Metric = "airm", sample_weight: Any = None, tol: float = 0.0,
         max_iter: Optional[int] = None, n_jobs: Optional[int] = None, init: Any = None,
         power: Optional[float] = None) -> np.ndarray:
    """The mean of a set of matrices: the minimiser of the weighted sum of squared distances, or what
    the metric has in its place.

    Parameters
    ----------
    X : array, shape (..., p, n, n)
        Positive definite matrices, symmetric or Hermitian; the mean is over the p matrices of each
        set. Also the path of an .npy file, a list of paths, or MatrixFiles, which are read piece by
        piece. With 'euclidean' any matrices will do. Symmetric ones on a GPU too, by the metrics of the
        library itself and without init; the mean is then one there.
    metric : str or callable
        'airm', 'stein', 'log-euclidean', 'jeffrey' (also 'kullback_sym'), 'bures-wasserstein',
        'log-cholesky', 'euclidean' (also 'kullback'), 'cholesky', 'harmonic' (also
        'kullback_right'), 'power', 'power-euclidean', 'thompson', or other geometric means: 'ale'
        (by joint diagonalisation), 'alm' (Ando, Li, Mathias), 'bmp' (Bini, Meini, Poloni), 'cheap'
        (Bini, Iannazzo). pyRiemann's names too. A callable is called as
        ``metric(X, sample_weight=sample_weight)``.
    {sample_weight}
    tol : float
        Where an iteration ends: the size of its step, relative to the mean. 0 means: at the limit of
        rounding.
    max_iter : int, optional
        Most iterations; where they do not suffice there is a ConvergenceWarning.
    {n_jobs}
    init : array, shape (n, n), optional
        Where the iterations of 'power', 'thompson' and 'ale' begin. The minimisers of the other
        metrics are unique; the library has a start of its own.
    power : float, optional
        The exponent of 'power' (from -1 to 1) and 'power-euclidean'.

    {matrices}

    {references: airm stein log-euclidean bures-wasserstein log-cholesky}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([np.diag([1.0, 4.0]), np.diag([4.0, 1.0])])
    >>> spdml.mean(X).round(12)
    array([[2., 0.],
           [0., 2.]])
    >>> spdml.mean(X, "power", power=0.5).round(4)
    array([[2.25, 0.  ],
           [0.  , 2.25]])
    """
    if sample_weight is None and max_iter is None and init is None and power is None:
        M = shortcuts.mean(X, metric, tol, n_jobs)
        if M is not None:
            return M
    if callable(metric):
        return np.asarray(metric(X, sample_weight=sample_weight))
    name = metrics.known(metric, metrics.MEANS)
    exponent = power_of(name, power)
    name = _simpler(name, exponent)
    if gpu.holds(X):
        if init is not None:
            raise InvalidArgumentError("init is not for arrays on a GPU; bring X to the host")
        return cast(np.ndarray, _device_mean(X, metrics.own(name), sample_weight, tol,
                                             None if name in _CLOSED else max_iter, n_jobs))
    stored = stored_set(X) if name in metrics.CORE and max_iter != 0 else None
    if stored is not None:
        return _core_mean(stored, name, sample_weight, tol, max_iter, n_jobs)
    X = collection(X, name == "euclidean")
    start = init_of(init, X)
    if name == "euclidean":
        weights = checked_weights(sample_weight, X.shape[-3])
        return over_sets(X, lambda one: _euclidean(one, weights))
    return over_sets(X, lambda one: _mean_of_set(one, name, sample_weight, tol, max_iter, n_jobs,
                                                  start, exponent))


# ---- masked means -------------------------------------------------------------------------------

class _Masked:
    """Terms of sum w d2(V' X V, V' M V) with masks V (n, k), those of equal k side by side."""

    def __init__(self, X: np.ndarray, masks: List[np.ndarray], weights: np.ndarray) -> None:
        self.groups = []
        sizes = np.array([V.shape[1] for V in masks])
        for k in np.unique(sizes):
            which = np.flatnonzero((sizes == k) & (weights > 0))
            if k and len(which):
                V = np.stack([masks[i] for i in which]).astype(X.dtype)
                Y = hermitian(adjoint(V) @ X[which] @ V)
                cholesky(Y)
                self.groups.append((V, Y, weights[which]))

    def scale(self) -> float:
        """Of the matrices: where to begin."""
        each = [w * np.trace(Y, axis1=1, axis2=2).real / Y.shape[1] for _, Y, w in self.groups]
        return float(np.sum(np.concatenate(each)) / sum(w.sum() for _, _, w in self.groups))

    def look(self, M: np.ndarray) -> Tuple[float, np.ndarray]:
        """Half the cost at M, and -G/2 where dcost = tr(G dM)."""
        cost, pull = 0.0, np.zeros_like(M)
        for V, Y, w in self.groups:
            inverse_root = apply(hermitian(adjoint(V) @ M @ V), "invsqrt")
            T = apply(hermitian(inverse_root @ Y @ inverse_root), "log")
            cost += 0.5 * float(w @ np.einsum("kij,kij->k", T.conj(), T).real)
            P = V @ inverse_root
            pull += np.einsum("k,kab->ab", w, P @ T @ adjoint(P))
        return cost, pull


def _descend(terms: _Masked, M: np.ndarray, limit: Limit) -> np.ndarray:
    """Steepest descent in the affine-invariant metric; steps by Barzilai and Borwein, halved until
    the cost falls."""
    cost, pull = terms.look(M)
    step, before = 1.0, np.zeros_like(M)
    while limit.goes_on():
        root = apply(M, "sqrt")
        D = hermitian(root @ pull @ root)
        size = float(np.linalg.norm(D))
        limit.note(size / np.sqrt(len(M)))
        if limit.done():
            break
        if before.any():
            change = float(np.vdot(before - D, before).real)
            step = min(max(step * float(np.vdot(before, before).real) / change, 0.1), 10.0) \
                if change > 0 else 1.0
        for _ in range(40):
            there = hermitian(root @ apply(step * D, "exp") @ root)
            lower, pull_there = terms.look(there)
            if lower <= cost - 1e-4 * step * size**2 or size < 1e-6:
                break
            step /= 2
        M, cost, pull, before = there, lower, pull_there, D
    return M


def _masked(X: np.ndarray, masks: List[np.ndarray], weights: np.ndarray,
            init: Optional[np.ndarray], tol: float, max_iter: Optional[int]) -> np.ndarray:
    """Of one set (p, n, n)."""
    terms = _Masked(X, masks, weights)
    if not terms.groups:
        raise InvalidArgumentError("masks leave nothing of any matrix")
    M = terms.scale() * np.eye(X.shape[-1], dtype=X.dtype) if init is None else init
    return _descend(terms, M, Limit("the masked mean", tol, max_iter))


@documented
def maskedmean_riemann(X: Any, masks: Any, *, tol: float = 0.0, maxiter: Optional[int] = None,
                       init: Any = None, sample_weight: Any = None) -> np.ndarray:
    """The AIRM mean of matrices of which only a part counts: the minimiser of the weighted sum of
    d2(V_i' X_i V_i, V_i' M V_i).

    Parameters
    ----------
    X : array, shape (..., p, n, n)
        Positive definite matrices, symmetric or Hermitian.
    masks : list of p arrays, shape (n, k_i)
        Matrices V_i with orthonormal columns, k_i from 0 to n.
    tol : float
        Where the iteration ends: the size of the gradient. 0 means: at the limit of rounding.
    maxiter : int, optional
        Most iterations; 1000 by default.
    init : array, shape (n, n), optional
        Where the iteration begins; a multiple of the identity by default. What no mask sees stays
        as it is there.
    {sample_weight}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([np.diag([1.0, 4.0]), np.diag([9.0, 1.0])])
    >>> spdml.geometry.mean.maskedmean_riemann(X, [np.eye(2), np.eye(2)[:, :1]]).round(6)
    array([[3., 0.],
           [0., 4.]])
    """
    X = collection(X)
    p, n = X.shape[-3], X.shape[-1]
    if len(masks) != p:
        raise InvalidArgumentError(f"there are {len(masks)} masks; {p} are needed")
    checked = [numbers(V, f"masks[{i}]", complex_too=True) for i, V in enumerate(masks)]
    for i, V in enumerate(checked):
        if V.ndim != 2 or len(V) != n or V.shape[1] > n or \
                not np.allclose(adjoint(V) @ V, np.eye(V.shape[1]), atol=1e-6):
            raise InvalidArgumentError(
                f"masks[{i}] has shape {V.shape}; it must be ({n}, k) with orthonormal columns")
    weights = weights_of(sample_weight, p)
    start = init_of(init, X)
    return over_sets(X, lambda one: _masked(one, checked, weights, start, tol, maxiter))


def _masks_of_nan(gone: np.ndarray) -> List[np.ndarray]:
    """The columns of the identity that each matrix has of which the entries gone (..., n, n) are
    missing: whole rows and columns."""
    flat = sets.flat(gone)
    lost = np.asarray(flat.all(axis=2))
    bad = np.flatnonzero((flat != (lost[:, :, None] | lost[:, None, :])).any(axis=(1, 2)))
    if len(bad):
        raise InvalidArgumentError(
            f"X{place(int(bad[0]), gone.shape[:-2])} holds NaN that does not fill a row and the "
            f"column of its number")
    eye = np.eye(flat.shape[-1])
    return [eye[:, ~row] for row in lost]


@documented
def nanmean_riemann(X: Any, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                    sample_weight: Any = None) -> np.ndarray:
    """The AIRM mean of matrices of which rows and columns are missing, marked by NaN.

    Parameters
    ----------
    X : array, shape (..., p, n, n)
        Positive definite matrices, symmetric or Hermitian, where NaN fills a row and the column of
        the same number.
    tol : float
        As of `maskedmean_riemann`.
    maxiter : int, optional
        As of `maskedmean_riemann`.
    init : array, shape (n, n), optional
        As of `maskedmean_riemann`.
    {sample_weight}

    {matrices}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([np.diag([1.0, 4.0]), np.diag([9.0, 1.0])])
    >>> X[1, 1, :] = X[1, :, 1] = np.nan
    >>> spdml.geometry.mean.nanmean_riemann(X).round(6)
    array([[3., 0.],
           [0., 4.]])
    """
    given = np.asarray(X)
    if given.ndim < 3 or given.shape[-1] != given.shape[-2] or given.dtype.kind not in "fc":
        collection(X)
        given = given.astype(float)
    gone = np.isnan(given)
    masks = _masks_of_nan(gone)
    array = collection(np.where(gone, given.dtype.type(0), given))
    start = init_of(init, array)
    p = array.shape[-3]
    weights = weights_of(sample_weight, p)
    lists = iter([masks[i:i + p] for i in range(0, len(masks), p)])
    return over_sets(array, lambda one: _masked(one, next(lists), weights, start, tol, maxiter))


# ---- pyRiemann's names --------------------------------------------------------------------------


def _mean(metric: str) -> Callable[..., np.ndarray]:
    def function(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                 sample_weight: Any = None) -> np.ndarray:
        return mean(X, metric, sample_weight, tol, maxiter, init=init)

    function.__name__ = function.__qualname__ = f"mean_{metric}"
    function.__doc__ = f"`mean` with the metric {metric!r}."
    return function


mean_ale = _mean("ale")
mean_alm = _mean("alm")
mean_bmp = _mean("bmp")
mean_cheap = _mean("cheap")
mean_chol = _mean("chol")
mean_euclid = _mean("euclid")
mean_harmonic = _mean("harmonic")
mean_kullback_sym = _mean("kullback_sym")
mean_logchol = _mean("logchol")
mean_logdet = _mean("logdet")
mean_logeuclid = _mean("logeuclid")
mean_riemann = _mean("riemann")
mean_thompson = _mean("thompson")
mean_wasserstein = _mean("wasserstein")


def mean_power(X: Any, p: float, *, sample_weight: Any = None, zeta: float = 0.0,
               maxiter: Optional[int] = None, init: Any = None) -> np.ndarray:
    """`mean` with the metric 'power'."""
    return mean(X, "power", sample_weight, zeta, maxiter, init=init, power=p)


def mean_poweuclid(X: Any, p: float, *, sample_weight: Any = None) -> np.ndarray:
    """`mean` with the metric 'power-euclidean'."""
    return mean(X, "poweuclid", sample_weight, power=p)


mean_functions: Dict[str, Callable[..., np.ndarray]] = {
    "ale": mean_ale, "alm": mean_alm, "bmp": mean_bmp, "cheap": mean_cheap, "chol": mean_chol,
    "euclid": mean_euclid, "harmonic": mean_harmonic, "kullback_sym": mean_kullback_sym,
    "logchol": mean_logchol, "logdet": mean_logdet, "logeuclid": mean_logeuclid,
    "power": mean_power, "poweuclid": mean_poweuclid, "riemann": mean_riemann,
    "thompson": mean_thompson, "wasserstein": mean_wasserstein,
}


def gmean(X: Any, *args: Any, metric: Any = "riemann", sample_weight: Any = None, **more: Any
          ) -> np.ndarray:
    """The mean by a metric; args and more are those of its function."""
    function = mean_functions.get(metric) if isinstance(metric, str) else metric
    if not callable(function):
        raise ValueError(f"metric {metric!r} is unknown; use one of {', '.join(mean_functions)}")
    return np.asarray(function(X, *args, sample_weight=sample_weight, **more))
