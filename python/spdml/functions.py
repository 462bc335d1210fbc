"""Geometry of SPD matrices as functions."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import (doubles, ints, longs, matrices, matrix, metric_number, numbers, real, text,
                      whole)
from ._calls import call, context
from ._errors import InvalidArgumentError
from ._library import CovarianceOptions, EmbedOptions, MeanOptions, Neighbours, lib
from .files import lend, store_of

_FUNCTIONS = {"log": 0, "exp": 1, "sqrt": 2, "invsqrt": 3, "power": 4}
_KERNELS = {"stein": 0, "log-euclidean": 1}


def _rooted(D2: np.ndarray, squared: bool) -> np.ndarray:
    return D2 if squared else np.sqrt(np.maximum(D2, 0.0, out=D2), out=D2)


def pairwise_distances(X: Any, Y: Any = None, metric: str = "airm", squared: bool = False,
                       n_jobs: Optional[int] = None) -> np.ndarray:
    """Distances (p, q) between the matrices of X and those of Y, or within X without Y."""
    number = metric_number(metric)
    X = matrices(X)
    n = X.shape[1]
    Y = None if Y is None else matrices(Y, "Y", n)
    D2 = np.empty((len(X), len(X) if Y is None else len(Y)))
    call(context(n_jobs), "spd_pairwise2", number, n, len(X), doubles(X), D2.shape[1], doubles(Y),
         doubles(D2))
    return _rooted(D2, squared)


def distance(A: Any, B: Any, metric: str = "airm", squared: bool = False) -> Any:
    """The distance between two matrices; with a set A (p, n, n), that of each member to B."""
    A = numbers(A, "A")
    single = A.ndim == 2
    B = matrix(B, "B")
    D = pairwise_distances(A[None] if single else A, B[None], metric, squared)
    return float(D[0, 0]) if single else D[:, 0]


def mean(X: Any, metric: str = "airm", sample_weight: Any = None, tol: float = 0.0,
         max_iter: int = 0, n_jobs: Optional[int] = None) -> np.ndarray:
    """The mean (n, n) of a set of matrices: the minimiser of the weighted sum of squared
    distances, or the closed form of the metric. X may also be the path of an .npy file, a list of
    paths, or MatrixFiles: they are read piece by piece. tol 0 means 1e-12, max_iter 0 means 200."""
    number = metric_number(metric)
    store = store_of(X)
    X = store or matrices(X)
    p, n = X.shape[:2]
    weights = None
    if sample_weight is not None:
        weights = numbers(sample_weight, "sample_weight")
        if weights.shape != (p,):
            raise InvalidArgumentError(
                f"sample_weight has shape {weights.shape}; {p} weights are needed")
    M = np.empty((n, n))
    options = MeanOptions(weights=doubles(weights), tol=real(tol, "tol"),
                          max_iter=whole(max_iter, "max_iter", 0))
    if store:
        call(context(n_jobs), "spd_mean_store", number, store.handle, c.byref(options), doubles(M),
             None)
    else:
        call(context(n_jobs), "spd_mean", number, n, p, doubles(X), c.byref(options), doubles(M),
             None)
    return M


def geodesic(A: Any, B: Any, alpha: float = 0.5, metric: str = "airm") -> np.ndarray:
    """The point at alpha on the geodesic from A (0) to B (1)."""
    number = metric_number(metric)
    A = matrix(A, "A")
    B = matrix(B, "B", len(A))
    G = np.empty_like(A)
    call(context(1), "spd_geodesic", number, len(A), doubles(A), doubles(B), real(alpha, "alpha"),
         doubles(G))
    return G


def choice(what: str, value: str) -> int:
    """The library's number of a word of one of its enumerations (objective, graph, ...)."""
    number = c.c_int()
    call(context(1), f"spd_{what}_parse", text(value, what), c.byref(number))
    return number.value


def seed_number(name: str, value: Any) -> int:
    """A seed as the library takes it; ctypes would wrap others round without a word."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
        raise InvalidArgumentError(f"{name} is {value!r}; it must be an integer from 0 to 2**64 - 1")
    return int(value)


def neighbors(X: Any, Q: Any = None, n_neighbors: int = 1, metric: str = "airm",
              squared: bool = False, n_jobs: Optional[int] = None, search: str = "exact",
              random_state: int = 1) -> Tuple[np.ndarray, np.ndarray]:
    """(distances, indices), each (q, n_neighbors): the nearest matrices of X to each of Q, nearest
    first, ties by lower index. Without Q: neighbours within X, where no matrix is its
    own neighbour. search: 'exact'; 'approximate', in almost linear time, where a few per cent of the
    neighbours may not be the true ones; 'auto', approximate where exact would take more than
    about a minute. X may also be the path of an .npy file, a list of paths, or MatrixFiles: they are
    read piece by piece, and searched exactly."""
    number = metric_number(metric)
    store = store_of(X, arrays=False)
    X = store or matrices(X)
    p, n = X.shape[:2]
    Q = None if Q is None else matrices(Q, "Q", n)
    most = p - 1 if Q is None else p
    if not 1 <= n_neighbors <= most:
        raise InvalidArgumentError(
            f"n_neighbors is {n_neighbors}; it must be between 1 and {most}")
    q = p if Q is None else len(Q)
    queries = lend(Q) if store and Q is not None else None
    index = np.empty((q, n_neighbors), dtype=np.int64)
    d2 = np.empty((q, n_neighbors))
    found = Neighbours(k=n_neighbors, index=longs(index), d2=doubles(d2),
                       search=choice("search", search),
                       seed=seed_number("random_state", random_state))
    if store:
        call(context(n_jobs), "spd_nearest_store", number, store.handle,
             queries.handle if queries else None, c.byref(found))
    else:
        call(context(n_jobs), "spd_nearest", number, n, p, doubles(X), q, doubles(Q),
             c.byref(found))
    return _rooted(d2, squared), index


def apply(X: Any, function: str, power: float = 1.0, n_jobs: Optional[int] = None) -> np.ndarray:
    """A function of each matrix through its eigenvalues: log, exp, sqrt, invsqrt or power."""
    if function not in _FUNCTIONS:
        raise InvalidArgumentError(
            f"function {function!r} is unknown; use one of {', '.join(_FUNCTIONS)}")
    array = numbers(X, "X")
    X = matrices(array[None] if array.ndim == 2 else array)
    F = np.empty_like(X)
    call(context(n_jobs), "spd_apply", _FUNCTIONS[function], real(power, "power"), X.shape[1],
         len(X), doubles(X), doubles(F))
    return F[0] if array.ndim == 2 else F


def kernel(X: Any, Y: Any = None, kind: str = "stein", beta: float = 1.0,
           n_jobs: Optional[int] = None) -> np.ndarray:
    """Kernel values (p, q): exp(-beta d2) of Stein, or tr(log X log Y) of log-euclidean. Warns when
    beta makes the Stein kernel indefinite for some data."""
    if kind not in _KERNELS:
        raise InvalidArgumentError(f"kind {kind!r} is unknown; use one of {', '.join(_KERNELS)}")
    X = matrices(X)
    n = X.shape[1]
    Y = None if Y is None else matrices(Y, "Y", n)
    K = np.empty((len(X), len(X) if Y is None else len(Y)))
    call(context(n_jobs), "spd_kernel", _KERNELS[kind], real(beta, "beta"), n, len(X), doubles(X), K.shape[1],
         doubles(Y), doubles(K))
    return K


def regularize(X: Any, relative: float = 0.0, ridge: float = 0.0) -> np.ndarray:
    """A copy of X with (relative tr(X_i)/n + ridge) added to each diagonal."""
    relative, ridge = real(relative, "relative"), real(ridge, "ridge")
    if not (np.isfinite(relative) and np.isfinite(ridge)):
        raise InvalidArgumentError(f"relative is {relative} and ridge {ridge}; they must be finite")
    Y = matrices(X).copy()
    lib.spd_regularize(Y.shape[1], len(Y), doubles(Y), relative, ridge)
    return Y


def recenter(X: Any, groups: Any, metric: str = "airm", n_jobs: Optional[int] = None) -> np.ndarray:
    """Every group moved to the identity by its own mean, as ``spdml evaluate --recenter`` does:
    M^-1/2 X M^-1/2. groups has a value for each matrix, such as the subject."""
    number = metric_number(metric)
    X = matrices(X)
    p, n = X.shape[:2]
    values = np.asarray(groups)
    if values.shape != (p,):
        raise InvalidArgumentError(f"groups has shape {values.shape}; {p} values are needed")
    group = np.ascontiguousarray(np.unique(values, return_inverse=True)[1], dtype=np.intc)
    Y = np.empty_like(X)
    call(context(n_jobs), "spd_recenter", number, n, p, doubles(X), ints(group), doubles(Y))
    return Y


def embed(X: Any, n_components: int = 2, method: str = "pga", metric: str = "airm",
          n_neighbors: int = 10, ridge: float = 0.0, bandwidth: float = 0.0,
          n_jobs: Optional[int] = None, perplexity: float = 0.0, random_state: int = 1
          ) -> np.ndarray:
    """Coordinates (p, n_components) of a set of matrices, for pictures and further work, as the
    command ``spdml embed`` computes them: 'pga', 'mds', 'tsne', 'lle', 'hessian-lle', 'laplacian'.
    n_neighbors is for the last three; ridge (lle), bandwidth (laplacian) and perplexity (tsne) 0
    mean the usual; random_state is for tsne."""
    kind = c.c_int()
    ctx = context(n_jobs)
    call(ctx, "spd_embedding_parse", text(method, "method"), c.byref(kind))
    X = matrices(X)
    p, n = X.shape[:2]
    columns = whole(n_components, "n_components")
    if columns >= p:
        raise InvalidArgumentError(
            f"n_components is {columns}; it must be smaller than the number of matrices, {p}")
    options = EmbedOptions(kind=kind.value, metric=metric_number(metric),
                           k=whole(n_neighbors, "n_neighbors"), dimensions=columns,
                           ridge=real(ridge, "ridge"), bandwidth=real(bandwidth, "bandwidth"),
                           perplexity=real(perplexity, "perplexity"),
                           seed=seed_number("random_state", random_state))
    Y = np.empty((p, columns))
    call(ctx, "spd_embed", c.byref(options), n, p, doubles(X), doubles(Y), None, None)
    return Y


def _shrinkage(estimator: Any) -> Tuple[int, float]:
    names = {"cov": 0, "none": 0, "oas": 1, "lwf": 2, "ledoit-wolf": 2}
    if isinstance(estimator, str) and estimator in names:
        return names[estimator], 0.0
    if isinstance(estimator, (int, float)) and 0 <= estimator <= 1:
        return 3, float(estimator)
    raise InvalidArgumentError(
        f"estimator {estimator!r} is unknown; use cov, oas, lwf (ledoit-wolf) or a "
        f"shrinkage between 0 and 1")


def covariances(signals: Any, estimator: Any = "cov", regularize: float = 0.0) -> np.ndarray:
    """Covariance matrices (p, channels, channels) of signals (p, channels, times), as pyRiemann's
    function of that name: cov (1/(r-1)), oas, lwf, or a shrinkage between 0 and 1. signals may be
    a list of (channels, times) arrays of different lengths."""
    shrinkage, value = _shrinkage(estimator)
    regularize = real(regularize, "regularize")
    if regularize < 0:
        raise InvalidArgumentError(f"regularize is {regularize}; it must not be negative")
    options = CovarianceOptions(shrinkage=shrinkage, shrink=value, regularize=regularize)
    ctx = context(1)
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
