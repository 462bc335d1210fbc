"""Sets of SPD matrices: neighbours, embeddings, covariances, repairs; and the geometry of others."""

from __future__ import annotations

import contextlib
import ctypes as c
from typing import Any, Optional, Tuple

import numpy as np

from . import _device
from ._arrays import (doubles, ints, matrices, metric_number, numbers, real, square, text,
                      whole)
from ._calls import call, context, number_of
from ._docs import documented
from ._errors import InvalidArgumentError, SPDError
from ._library import CovarianceOptions, EmbedOptions, NearestOptions, Set, lib, value
from ._sets import devices, finite, from_real, host, hosts, new, real_form, rooted
from .distances import distance, pairwise_distances, set_of
from .files import stored_set
from .geodesics import geodesic
from .kernels import kernel
from .matrix_functions import apply
from .means import mean

__all__ = ["apply", "covariances", "distance", "embed", "geodesic", "kernel", "mean", "neighbors",
           "pairwise_distances", "recenter", "regularize"]


def choice(what: str, value: str) -> int:
    """The library's number of a word of one of its enumerations (objective, graph, ...)."""
    return number_of(what, text(value, what))


def seed_number(name: str, value: Any) -> int:
    """A seed as the library takes it; ctypes would wrap others round without a word."""
    if not isinstance(value, (int, np.integer)) or not 0 <= value < 2**64:
        raise InvalidArgumentError(f"{name} is {value!r}; it must be an integer from 0 to 2**64 - 1")
    return int(value)


@documented
def neighbors(X: Any, Q: Any = None, n_neighbors: int = 1, metric: str = "airm",
              squared: bool = False, n_jobs: Optional[int] = None, search: str = "exact",
              random_state: int = 1) -> Tuple[np.ndarray, np.ndarray]:
    """The nearest matrices, nearest first, ties by lower index.

    Parameters
    ----------
    X : array, shape (p, n, n)
        Positive definite matrices, symmetric or Hermitian. Also the path of an .npy file, a list of
        paths, or MatrixFiles: they are read piece by piece, and searched exactly.
    Q : array, shape (q, n, n), optional
        Whose neighbours are looked for; without Q within X, where no matrix is its own neighbour.
    n_neighbors : int
    metric : str
        One of the seven that the library has: 'airm', 'stein', 'log-euclidean', 'jeffrey',
        'bures-wasserstein', 'log-cholesky', 'euclidean'; pyRiemann's names too.
    {squared}
    {n_jobs}
    search : {'exact', 'approximate', 'auto'}
        'approximate' is done in almost linear time, and a few per cent of the neighbours may not be
        the true ones; 'auto' is approximate where exact would take more than about a minute.
    random_state : int
        Of an approximate search.

    Returns
    -------
    distances : array, shape (q, n_neighbors)
    indices : array, shape (q, n_neighbors)

    Notes
    -----
    PyTorch and CuPy arrays on a GPU are searched there, exactly, and the results stay there.

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([1.0, 2.0, 9.0])[:, None, None] * np.eye(2)
    >>> spdml.neighbors(X)[1].ravel()
    array([1, 0, 1])
    """
    number = metric_number(metric)
    A, B = _searched(X, Q)
    most = A.p - (B is None)
    if not 1 <= n_neighbors <= most:
        raise InvalidArgumentError(
            f"n_neighbors is {n_neighbors}; it must be between 1 and {most}")
    shape = (A.p if B is None else B.p, n_neighbors)
    (index, index_at), (d2, d2_at) = new(A, shape, "int64"), new(A, shape)
    how = NearestOptions(search=choice("search", search), seed=seed_number("random_state", random_state))
    call(context(n_jobs), "spd_nearest", number, A, B, n_neighbors, c.byref(how), index_at, d2_at, None)
    if metric == "kullback_sym":
        return d2**2 if squared else d2, index
    return d2 if squared else rooted(d2, A), index


def _searched(X: Any, Q: Any) -> Tuple[Set, Optional[Set]]:
    """The sets of matrices and of queries."""
    if _device.holds(X) or _device.holds(Q):
        return devices(X, Q, "Q")
    stored = stored_set(X, arrays=False)
    if stored is None:
        X = set_of(X, "X")
        return hosts(X, None if Q is None else set_of(Q, "Q", X.shape[1]))
    if Q is None:
        return stored, None
    return stored, host(set_of(Q, "Q", stored.n // 2).astype(complex) if stored.hermitian else
                        matrices(Q, "Q", stored.n))


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


@documented
def recenter(X: Any, groups: Any, metric: str = "airm", n_jobs: Optional[int] = None) -> np.ndarray:
    """Every group moved to the identity by its own mean, as ``spdml evaluate --recenter`` does:
    M^-1/2 X M^-1/2.

    Parameters
    ----------
    {X_set}
    groups : array, shape (p,)
        A value for each matrix, such as the subject.
    metric : str
        Of the means, as of `neighbors`.
    {n_jobs}

    Returns
    -------
    array, shape (p, n, n)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([2.0, 2.0, 5.0])[:, None, None] * np.eye(1)
    >>> spdml.recenter(X, ["a", "a", "b"]).ravel().round(12)
    array([1., 1., 1.])
    """
    number = metric_number(metric)
    X = set_of(X, "X")
    p = len(X)
    values = np.asarray(groups)
    if values.shape != (p,):
        raise InvalidArgumentError(f"groups has shape {values.shape}; {p} values are needed")
    group = np.ascontiguousarray(np.unique(values, return_inverse=True)[1], dtype=np.intc)
    R = real_form(X)
    Y = np.empty_like(R)
    call(context(n_jobs), "spd_recenter", number, R.shape[1], p, doubles(R), ints(group),
         doubles(Y))
    return from_real(Y, (p,), np.iscomplexobj(X))


@documented
def embed(X: Any, n_components: int = 2, method: str = "pga", metric: str = "airm",
          n_neighbors: int = 10, ridge: float = 0.0, bandwidth: float = 0.0,
          n_jobs: Optional[int] = None, perplexity: float = 0.0, random_state: int = 1
          ) -> np.ndarray:
    """Coordinates of a set of matrices, for pictures and further work, as the command
    ``spdml embed`` computes them.

    Parameters
    ----------
    {X_set}
    n_components : int
        Coordinates of each.
    method : {'pga', 'mds', 'tsne', 'lle', 'hessian-lle', 'laplacian'}
    metric : str
        As of `neighbors`.
    n_neighbors : int
        Of the last three methods.
    ridge : float
        Of 'lle'; 0 means the usual.
    bandwidth : float
        Of 'laplacian'; 0 means the usual.
    {n_jobs}
    perplexity : float
        Of 'tsne'; 0 means the usual.
    random_state : int
        Of 'tsne'.

    Returns
    -------
    array, shape (p, n_components)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.exp(np.array([-1.0, 0.0, 1.0]))[:, None, None] * np.eye(1)
    >>> np.abs(spdml.embed(X, 1)).round(6).ravel()
    array([1., 0., 1.])
    """
    kind = number_of("embedding", text(method, "method"))
    X = host(set_of(X, "X"))
    p, factor = X.p, 1 + X.hermitian
    columns = whole(n_components, "n_components")
    if columns >= p:
        raise InvalidArgumentError(
            f"n_components is {columns}; it must be smaller than the number of matrices, {p}")
    options = EmbedOptions(kind=kind, metric=metric_number(metric),
                           k=whole(n_neighbors, "n_neighbors"), dimensions=columns,
                           ridge=real(ridge, "ridge"),
                           bandwidth=factor * real(bandwidth, "bandwidth"),
                           perplexity=real(perplexity, "perplexity"),
                           seed=seed_number("random_state", random_state))
    Y = np.empty((p, columns))
    call(context(n_jobs), "spd_embed", c.byref(options), X.n, p, doubles(X.holds), doubles(Y), None, None)
    return Y / np.sqrt(factor) if method in ("pga", "mds") else Y


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
