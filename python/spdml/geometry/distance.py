"""Distances and divergences between positive definite matrices.

Where one side is a single matrix, and for all pairs of two sets, the library measures them. Pairs
of equal place in two arrays are measured through the eigenvalues of A v = lambda B v, which many
metrics have in common:

    airm            sum log^2 lambda
    jeffrey         sum (cosh log lambda - 1)
    thompson        max |log lambda|
    kullback        sum (lambda - 1 - log lambda)/2, kullback_right with A and B exchanged
    kullback_sym    jeffrey's square, as pyRiemann has it"""

from __future__ import annotations

import math
from typing import Any, Callable, cast, Optional, Tuple, Union

import numpy as np

from .._core import gpu, metrics, sets, shortcuts
from .._core.arrays import doubles, metric_number, numbers, place, real, square
from .._core.calls import call, context
from .._core.by_metric import by_metric, table
from .._core.docs import documented
from .._core.library import Set
from .._core.sets import adjoint, called, cholesky, flat, hermitian, hosts
from ..exceptions import InvalidArgumentError, NotPositiveDefiniteError, NumericError

__all__ = ["distance", "distance_chol", "distance_euclid", "distance_functions", "distance_harmonic",
           "distance_kullback", "distance_kullback_right", "distance_kullback_sym", "distance_logchol",
           "distance_logdet", "distance_logeuclid", "distance_mahalanobis", "distance_poweuclid",
           "distance_riemann", "distance_thompson", "distance_wasserstein", "pairwise_distance"]
Metric = Union[str, Callable[..., Any]]
_DIVERGENCES = ("kullback", "kullback_right", "kullback_sym")  # not rooted
_JOINT = (*_DIVERGENCES, "thompson")  # of the eigenvalues of A v = lambda B v
_HARD = 1e-7  # of the largest joint eigenvalue: smaller ones may have lost too many digits
_PIECE = 1 << 22  # doubles of pairs that are made at once


def _rooted(D2: np.ndarray, squared: bool) -> np.ndarray:
    return D2 if squared else np.sqrt(np.maximum(D2, 0.0, out=D2), out=D2)


def _delivered(values: np.ndarray, name: str, squared: bool) -> np.ndarray:
    """values: of divergences themselves, of distances their squares."""
    if name in _DIVERGENCES:
        return values**2 if squared else values
    return _rooted(values, squared)


# ---- what a metric sees of a matrix -------------------------------------------------------------

def power_of(name: str, power: Optional[float]) -> float:
    """The exponent that a metric needs."""
    if not name.startswith("power"):
        if power is not None:
            raise InvalidArgumentError(f"power is {power!r}; metric {name!r} has none")
        return 0.0
    if power is None or isinstance(power, (list, tuple, np.ndarray)):
        raise InvalidArgumentError(f"metric {name!r} needs power=, a number; it is {power!r}")
    value = real(power, "power")
    if not np.isfinite(value):
        raise InvalidArgumentError(f"power is {value}; it must be finite")
    return value


def log_factor(L: np.ndarray) -> np.ndarray:
    """Cholesky factors with the logarithm of their diagonals."""
    L = L.copy()
    n = L.shape[-1]
    L[..., range(n), range(n)] = np.log(sets.diagonal(L))
    return L


def _flattened(X: np.ndarray, metric: str, power: float, name: str) -> Optional[np.ndarray]:
    """Matrices whose Frobenius distances are those of the metric; None for one that is not flat."""
    if metric == "euclidean":
        return sets.finite(X, name)
    if metric == "log-euclidean" or (metric == "power-euclidean" and power == 0):
        return sets.apply(X, "log", name=name)
    if metric == "harmonic":
        return sets.inverse(X, name)
    if metric == "power-euclidean":
        return sets.apply(X, "power", power, name=name) / abs(power)
    if metric == "cholesky":
        return cholesky(X, name)
    if metric == "log-cholesky":
        return log_factor(cholesky(X, name))
    return None


# ---- pairs --------------------------------------------------------------------------------------

def _spectral(metric: str, values: np.ndarray) -> np.ndarray:
    """From the eigenvalues of A v = lambda B v."""
    u = np.log(values)
    if metric == "airm":
        return np.asarray(np.sum(u * u, axis=-1))
    if metric in ("jeffrey", "kullback_sym"):
        return np.asarray(2 * np.sum(np.sinh(u / 2) ** 2, axis=-1))
    if metric == "thompson":
        return np.asarray(np.max(np.abs(u), axis=-1) ** 2)
    sign = -1 if metric == "kullback_right" else 1
    return np.asarray(np.sum(np.expm1(sign * u) - sign * u, axis=-1) / 2)


def _bures(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """min |L - K U|_F^2 over unitary U for A = L L', B = K K': without the difference of traces."""
    L, K = cholesky(A, "A"), cholesky(B, "B")
    C = adjoint(K) @ L
    try:
        U = C @ sets.apply(hermitian(adjoint(C) @ C), "invsqrt")
        good = np.abs(adjoint(U) @ U - np.eye(U.shape[-1])).max() < 1e-7
    except (NotPositiveDefiniteError, NumericError):
        good = False
    if not good:
        P, _, Q = np.linalg.svd(C)
        U = P @ Q
    return _frobenius(L - K @ U)


def _frobenius(X: np.ndarray) -> np.ndarray:
    """Squared norms."""
    return np.asarray(np.einsum("...ij,...ij->...", X.conj(), X).real.astype(float))


def _pairs(A: np.ndarray, B: np.ndarray, metric: str, power: float) -> np.ndarray:
    """Values as _delivered takes them, of pairs of matrices whose leading dimensions broadcast."""
    F = _flattened(A, metric, power, "A")
    if F is not None:
        G = _flattened(B, metric, power, "B")
        return _frobenius(F - G)
    if metric == "bures-wasserstein":
        return _bures(A, B)
    if metric == "stein":
        ends = (sets.logdet(A, "A") + sets.logdet(B, "B")) / 2
        return np.asarray(np.maximum(sets.logdet((A + B) / 2) - ends, 0.0))
    values = sets.joint_eigenvalues(A, B)
    hard = values[..., 0] <= _HARD * values[..., -1]
    if not hard.any():
        return _spectral(metric, values)
    with np.errstate(invalid="ignore", divide="ignore"):
        D = np.asarray(_spectral(metric, values))
    return _one_by_one(A, B, metric, hard, D)


def _one_by_one(A: np.ndarray, B: np.ndarray, metric: str, hard: np.ndarray, D: np.ndarray
                ) -> np.ndarray:
    """D, where pairs whose eigenvalues drown in rounding are left to the library."""
    name = "jeffrey" if metric == "kullback_sym" else metric
    cholesky(A, "A")  # names a matrix that is not positive definite
    P, Q, leading = sets.paired(A, B)
    D = D.reshape(-1)
    for i in map(int, np.flatnonzero(hard)):
        if name in metrics.CORE:
            with called(("X", f"A{place(i, leading)}", ()), ("Y", f"B{place(i, leading)}", ())):
                D[i] = _core_pairwise(sets.host(P[i:i + 1]), sets.host(Q[i:i + 1]), name, 1)[0, 0]
        elif not np.isfinite(D[i]):
            raise NumericError(f"the distance by {metric!r} of pair {i} is lost in rounding: the "
                               f"matrices are too ill-conditioned")
    return D.reshape(leading)


def rectangles(A: Any, B: Any, names: Tuple[str, str]) -> Tuple[np.ndarray, np.ndarray]:
    """Two arrays of matrices of any, equal shape, for results that `sound` looks at."""
    A, B = (numbers(X, name, complex_too=True) for X, name in zip((A, B), names))
    if min(A.ndim, B.ndim) < 2 or A.shape[-2:] != B.shape[-2:]:
        raise InvalidArgumentError(
            f"{names[0]} has shape {A.shape} and {names[1]} {B.shape}; they must hold matrices of "
            f"the same size")
    if A.shape != B.shape:
        check_leading(A, B, names)
    return A, B


def sound(result: np.ndarray, A: np.ndarray, B: np.ndarray, names: Tuple[str, str]) -> np.ndarray:
    """The result, unless A or B hold NaN or infinity."""
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(result.sum()):
            sets.finite(A, names[0])
            sets.finite(B, names[1])
    return result


def check_leading(A: np.ndarray, B: np.ndarray, names: Tuple[str, str]) -> None:
    try:
        np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    except ValueError:
        raise InvalidArgumentError(
            f"{names[0]} has shape {A.shape} and {names[1]} {B.shape}; their leading dimensions do "
            f"not go together") from None


def both(A: Any, B: Any, names: Tuple[str, str] = ("A", "B")) -> Tuple[np.ndarray, np.ndarray]:
    """Two arrays (..., n, n) of symmetric or Hermitian matrices whose leading dimensions
    broadcast."""
    A = square(A, names[0])
    B = square(B, names[1], A.shape[-1])
    if A.shape != B.shape:
        check_leading(A, B, names)
    return A, B


@documented
def distance(A: Any, B: Any, metric: Metric = "airm", squared: bool = False,
             power: Optional[float] = None, n_jobs: Optional[int] = None) -> Union[float, np.ndarray]:
    """Distances between matrices that stand at the same place.

    A set (p, n, n) and one matrix (n, n) give a column (p, 1), as in pyRiemann. ``distance_riemann`` and
    the other functions of one metric give (p,), and broadcast any leading dimensions.

    Parameters
    ----------
    A, B : array, shape (..., n, n)
        Positive definite matrices, symmetric or Hermitian; leading dimensions broadcast. With
        'euclidean' any matrices of equal shape will do.
    metric : str or callable
        'airm', 'stein', 'log-euclidean', 'jeffrey', 'bures-wasserstein', 'log-cholesky',
        'euclidean', 'cholesky', 'harmonic', 'power-euclidean', 'thompson', or the divergences
        'kullback', 'kullback_right', 'kullback_sym'; pyRiemann's names too. A callable is called as
        ``metric(A, B, squared=squared)``.
    {squared}
    power : float, optional
        The exponent of 'power-euclidean'.
    {n_jobs}

    {numbers}

    Notes
    -----
    With the eigenvalues l of A^-1 B, and A = L L', B = K K', squared distances are

    ===================  ==================================================================
    airm                 sum log^2 l
    stein                log det (A + B)/2 - (log det A + log det B)/2
    log-euclidean        ||log A - log B||_F^2
    jeffrey              sum (l + 1/l)/2 - n
    bures-wasserstein    tr A + tr B - 2 tr (A^1/2 B A^1/2)^1/2
    log-cholesky         ||low(L - K)||_F^2 + sum (log L_ii - log K_ii)^2, low(): below the diagonal
    euclidean            ||A - B||_F^2
    ===================  ==================================================================

    {references: airm stein log-euclidean bures-wasserstein log-cholesky}

    Examples
    --------
    >>> import numpy as np, spdml
    >>> round(spdml.distance(np.eye(2), np.exp(3) * np.eye(2), squared=True), 12)
    18.0
    >>> spdml.distance(np.ones((5, 1, 1)), np.eye(1)).shape
    (5, 1)
    """
    dimensions = np.ndim(A), np.ndim(B)
    if dimensions[0] != dimensions[1] and 2 not in dimensions:
        raise InvalidArgumentError(f"A has shape {np.shape(A)} and B {np.shape(B)}; they must have as many "
                                   f"dimensions, or one of them be a single matrix")
    D = _distances(A, B, squared, metric, power, n_jobs)
    return D[:, None] if isinstance(D, np.ndarray) and dimensions == (3, 2) else D


def _distances(A: Any, B: Any, squared: bool = False, metric: Metric = "airm",
               power: Optional[float] = None, n_jobs: Optional[int] = None) -> Union[float, np.ndarray]:
    """As `distance`, in the shape of the leading dimensions."""
    if power is None and n_jobs is None:
        d2 = shortcuts.distance(A, B, metric)
        if d2 is None:
            d2 = shortcuts.factored_distance(A, B, metric)
        if d2 is not None:
            return d2 if squared else math.sqrt(d2) if d2.__class__ is float else np.sqrt(d2, out=d2)
    if callable(metric):
        return cast(np.ndarray, metric(A, B, squared=squared))
    name = metrics.known(metric, metrics.DISTANCES)
    exponent = power_of(name, power)
    divergence = shortcuts.divergence(A, B, name) if name in _DIVERGENCES else None
    if divergence is not None:
        return divergence**2 if squared else divergence
    values = shortcuts.joint_eigenvalues(A, B) if name in _JOINT else None
    if values is not None and values[0] > _HARD * values[-1]:
        return float(_delivered(_spectral(name, values), name, squared))
    if name == "euclidean":
        A, B = rectangles(A, B, ("A", "B"))
        D = _delivered(sound(_frobenius(A - B), A, B, ("A", "B")), name, squared)
    else:
        A, B = both(A, B)
        D = _measured(A, B, name, squared, exponent, n_jobs)
    return float(D) if D.ndim == 0 else D


def _measured(A: np.ndarray, B: np.ndarray, name: str, squared: bool, power: float,
              n_jobs: Optional[int]) -> np.ndarray:
    if name in metrics.CORE or name == "kullback_sym":  # all symmetric; one row is measured best
        leading = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        if leading == () and name != "kullback_sym" and np.result_type(A, B).kind != "c":
            return _rooted(_one_pair(A, B, name), squared)
        if B.size == B.shape[-1] ** 2:
            with called(("X", "B", B.shape[:-2]), ("Y", "A", A.shape[:-2])):
                return all_pairs(B, A, name, squared, power, n_jobs).reshape(leading)
        if A.size == A.shape[-1] ** 2:
            with called(("X", "A", A.shape[:-2]), ("Y", "B", B.shape[:-2])):
                return all_pairs(A, B, name, squared, power, n_jobs).reshape(leading)
    return _delivered(np.asarray(_pairs(A, B, name, power)), name, squared)


def _one_pair(A: np.ndarray, B: np.ndarray, name: str) -> np.ndarray:
    """The squared distance by the library, which is that of the quick way."""
    d2 = np.empty(())
    with called(("X", "A", ()), ("Y", "B", ())):
        call(context(1), "spd_distance2", metrics.NUMBERS[name], len(A), doubles(A), doubles(B),
             doubles(d2))
    return d2


# ---- all pairs of two sets ----------------------------------------------------------------------

def _core_pairwise(X: Set, Y: Optional[Set], name: Any, n_jobs: Optional[int]) -> np.ndarray:
    """Squared distances by the library."""
    D2, at = sets.new(X, (X.p, X.p if Y is None else Y.p))
    call(context(n_jobs), "spd_pairwise2", metric_number(name), X, Y, at)
    return cast(np.ndarray, D2)


def _lower_as_symmetric(L: np.ndarray) -> np.ndarray:
    """Symmetric matrices as far apart as the lower triangles L, of which the library reads these."""
    n = L.shape[-1]
    scale = np.full((n, n), np.sqrt(0.5))
    scale[range(n), range(n)] = 1.0
    return np.ascontiguousarray(L * scale)


def _kullback_pairwise(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """(tr(Y^-1 X) - n + log det Y - log det X)/2 for all pairs, through one product."""
    P = sets.inverse(Y, "Y").reshape(len(Y), -1)
    traces = (X.reshape(len(X), -1) @ P.conj().T).real
    offset = sets.logdet(Y)[None, :] - sets.logdet(X)[:, None] - X.shape[-1]
    return np.asarray(np.maximum((traces + offset) / 2, 0.0))


def _by_pieces(X: np.ndarray, Y: np.ndarray, name: str, power: float) -> np.ndarray:
    """All pairs, some rows at a time."""
    D = np.empty((len(X), len(Y)))
    step = max(1, _PIECE // Y.size)
    for first in range(0, len(X), step):
        D[first:first + step] = _pairs(X[first:first + step, None], Y[None], name, power)
    return D


def all_pairs(X: np.ndarray, Y: Optional[np.ndarray], name: str, squared: bool,
              power: float = 0.0, n_jobs: Optional[int] = None) -> np.ndarray:
    """Distances (p, q) of sets that have been checked."""
    X = flat(X)
    Y = None if Y is None else flat(Y)
    lower = name == "cholesky" or (name == "log-cholesky" and np.iscomplexobj(X))
    seen = name in ("harmonic", "power-euclidean") or (
        name == "log-euclidean" and np.iscomplexobj(X))
    if name in metrics.CORE and not lower and not seen:
        return _rooted(_core_pairwise(*hosts(X, Y), name, n_jobs), squared)
    if name == "kullback_sym":
        return _delivered(_core_pairwise(*hosts(X, Y), "jeffrey", n_jobs), name, squared)
    if seen or lower:
        F = _flattened(X, name, power, "X")
        G = None if Y is None else _flattened(Y, name, power, "Y")
        assert F is not None
        if lower:
            F, G = _lower_as_symmetric(F), None if G is None else _lower_as_symmetric(G)
        return _rooted(_core_pairwise(*hosts(F, G), "euclidean", n_jobs), squared)
    if name in ("kullback", "kullback_right"):
        other = X if Y is None else Y
        D = (_kullback_pairwise(X, other) if name == "kullback" else
             _kullback_pairwise(other, X).T)
        if Y is None:
            D[np.diag_indices(len(X))] = 0.0
        return _delivered(np.ascontiguousarray(D), name, squared)
    D = _by_pieces(X, X if Y is None else Y, name, power)
    if Y is None:
        D = (D + D.T) / 2
        D[np.diag_indices(len(X))] = 0.0
    return _delivered(D, name, squared)


@documented
def pairwise_distance(X: Any, Y: Any = None, metric: Metric = "airm", squared: bool = False,
                       n_jobs: Optional[int] = None, power: Optional[float] = None) -> np.ndarray:
    """Distances between all matrices of X and all of Y, or within X without Y.

    Parameters
    ----------
    {X_set}
    Y : array, shape (q, n, n), optional
        Others; X itself by default.
    metric : str or callable
        As of `distance`; a callable is called for each pair.
    {squared}
    {n_jobs}
    power : float, optional
        The exponent of 'power-euclidean'.

    Returns
    -------
    array, shape (p, q)

    Notes
    -----
    PyTorch and CuPy arrays on a GPU are measured there by the metrics that `neighbors` knows, and
    so is the result; nothing is copied through the host.

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([1.0, 2.0, 4.0])[:, None, None] * np.eye(1)
    >>> (spdml.pairwise_distance(X) / np.log(2)).round(12)
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    """
    D2 = shortcuts.pairwise(X, Y, metric, n_jobs) if power is None else None
    if D2 is not None:
        return D2 if squared else np.sqrt(D2, out=D2)
    if gpu.holds(X) or gpu.holds(Y):
        power_of(metrics.own(metric), power)
        A, B = sets.devices(X, Y, "Y")
        D2 = _core_pairwise(A, B, metric, n_jobs)
        return D2 if squared else sets.rooted(D2, A)
    X = set_of(X, "X")
    Y = None if Y is None else set_of(Y, "Y", X.shape[1])
    if callable(metric):
        return np.array([[metric(x, y, squared=squared) for y in (X if Y is None else Y)]
                         for x in X])
    name = metrics.known(metric, metrics.DISTANCES)
    return all_pairs(X, Y, name, squared, power_of(name, power), n_jobs)


def set_of(X: Any, name: str, size: Optional[int] = None) -> np.ndarray:
    """X as (p, n, n)."""
    if np.ndim(X) != 3:
        numbers(X, name, complex_too=True)
        raise InvalidArgumentError(
            f"{name} has shape {np.shape(X)}; it must be (samples, n, n): square matrices")
    return square(X, name, size)


@documented
def distance_mahalanobis(X: Any, cov: Any, mean: Any = None, squared: bool = False) -> np.ndarray:
    """Mahalanobis distances of vectors, the columns of X, to a distribution with covariance cov.

    Parameters
    ----------
    X : array, shape (..., n, m)
        m vectors each.
    cov : array, shape (..., n, n)
        Positive definite matrices, symmetric or Hermitian.
    mean : array, shape (..., n, 1), optional
        The centre; zero without it.
    {squared}

    Returns
    -------
    array, shape (..., m)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> spdml.geometry.distance.distance_mahalanobis(np.array([[2.0, 0.0], [0.0, 3.0]]), np.diag([4.0, 1.0]))
    array([1., 3.])
    """
    X = numbers(X, "X", complex_too=True)
    C = square(cov, "cov")
    if X.ndim < 2 or X.shape[-2] != C.shape[-1]:
        raise InvalidArgumentError(
            f"X has shape {X.shape}; (..., {C.shape[-1]}, m) is needed: vectors as columns")
    if mean is not None:
        X = X - numbers(mean, "mean", complex_too=True)
    Z = np.linalg.solve(cholesky(C, "cov"), X)
    D2 = np.einsum("...ij,...ij->...j", Z.conj(), Z).real.astype(float)
    return _rooted(D2, squared)


# ---- pyRiemann's names --------------------------------------------------------------------------

distance_chol = by_metric(_distances, "distance_chol", "chol")
distance_euclid = by_metric(_distances, "distance_euclid", "euclid")
distance_harmonic = by_metric(_distances, "distance_harmonic", "harmonic")
distance_kullback = by_metric(_distances, "distance_kullback", "kullback")
distance_kullback_right = by_metric(_distances, "distance_kullback_right", "kullback_right")
distance_kullback_sym = by_metric(_distances, "distance_kullback_sym", "kullback_sym")
distance_logchol = by_metric(_distances, "distance_logchol", "logchol")
distance_logdet = by_metric(_distances, "distance_logdet", "logdet")
distance_logeuclid = by_metric(_distances, "distance_logeuclid", "logeuclid")
distance_riemann = by_metric(_distances, "distance_riemann", "riemann")
distance_thompson = by_metric(_distances, "distance_thompson", "thompson")
distance_wasserstein = by_metric(_distances, "distance_wasserstein", "wasserstein")
distance_functions = table(globals(), "distance_")


def distance_poweuclid(A: Any, B: Any, p: float, squared: bool = False) -> Union[float, np.ndarray]:
    """`distance` by the metric 'power-euclidean' with the exponent p."""
    return _distances(A, B, squared, "power-euclidean", p)
