"""Sets of SPD matrices: neighbours, embeddings, covariances, repairs; and the geometry of others."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Tuple

import numpy as np

from ._core import gpu
from ._core.arrays import doubles, matrices, metric_number, real, text, whole
from ._core.calls import call, context, number_of
from ._core.docs import documented
from ._core.library import Set, structs
from ._core.words import choice, seed_number
from ._core.sets import devices, host, hosts, new, rooted
from .exceptions import InvalidArgumentError
from .files import stored_set
from .geometry.distance import set_of

__all__ = ["embed", "neighbors"]


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
        How many of each.
    metric : str
        One of the seven that the library has: 'airm', 'stein', 'log-euclidean', 'jeffrey',
        'bures-wasserstein', 'log-cholesky', 'euclidean'; pyRiemann's names too.
    {squared}
    {n_jobs}
    search : {'exact', 'approximate', 'auto'}
        'approximate' is done in almost linear time, and a few per cent of the neighbours may not be
        the true ones; 'auto' is approximate where exact would take more than about a minute.
        Of matrices Q the neighbours are always searched exactly.
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
    (found, found_at), (d2, d2_at) = new(A, shape, "int64"), new(A, shape)
    how = structs.nearest_options(search=choice("search", search), seed=seed_number("random_state", random_state))
    call(context(n_jobs), "spd_nearest", number, A, B, n_neighbors, c.byref(how), found_at, d2_at, None)
    if metric == "kullback_sym":
        return d2**2 if squared else d2, found
    return d2 if squared else rooted(d2, A), found


def _searched(X: Any, Q: Any) -> Tuple[Set, Optional[Set]]:
    """The sets of matrices and of queries."""
    if gpu.holds(X) or gpu.holds(Q):
        return devices(X, Q, "Q")
    stored = stored_set(X, arrays=False)
    if stored is None:
        X = set_of(X, "X")
        return hosts(X, None if Q is None else set_of(Q, "Q", X.shape[1]))
    if Q is None:
        return stored, None
    return stored, host(set_of(Q, "Q", stored.n // 2).astype(complex) if stored.hermitian else
                        matrices(Q, "Q", stored.n))


@documented
def embed(X: Any, n_components: int = 2, method: str = "pga", metric: str = "airm",
          n_neighbors: int = 10, n_jobs: Optional[int] = None, perplexity: float = 0.0,
          random_state: int = 1) -> np.ndarray:
    """Coordinates of a set of matrices, for pictures and further work, as the command
    ``spdml embed`` computes them.

    Parameters
    ----------
    {X_set}
    n_components : int
        Coordinates of each.
    method : {'pga', 'mds', 'tsne', 'lle', 'hessian-lle', 'laplacian'}
        Principal geodesic analysis, multidimensional scaling, t-SNE, locally linear embedding with and
        without Hessians, Laplacian eigenmaps.
    metric : str
        As of `neighbors`.
    n_neighbors : int
        Of the last three methods.
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
    options = structs.embed_options(kind=kind, metric=metric_number(metric),
                                    k=whole(n_neighbors, "n_neighbors"), dimensions=columns,
                                    perplexity=real(perplexity, "perplexity"),
                                    seed=seed_number("random_state", random_state))
    Y = np.empty((p, columns))
    call(context(n_jobs), "spd_embed", c.byref(options), X.n, p, doubles(X.holds), doubles(Y), None, None)
    return Y / np.sqrt(factor) if method in ("pga", "mds") else Y
