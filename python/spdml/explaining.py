"""What a map looks at, row by row of the matrices."""

from __future__ import annotations

import ctypes as c
from typing import Any, NamedTuple, Optional

import numpy as np

from ._core.arrays import doubles, numbers
from ._core.calls import call, context
from ._core.docs import documented
from ._core.hermitian import embed, extract
from ._core.library import lib, structs
from ._core.matrices import checked_size
from ._core.sets import adjoint
from .exceptions import InvalidArgumentError
from .geometry.mean import mean

__all__ = ["Explanation", "explain"]


class Explanation(NamedTuple):
    """What `explain` finds; n rows (features, channels, coordinates), m components."""

    weight: np.ndarray
    """(n,) squares of the rows of W, orthonormal, of complex W their absolute values; their sum is m."""
    carried: np.ndarray
    """(n,) the part of the variance of a row that the components carry."""
    kept: np.ndarray
    """(n,) the same as a share of the variance of the row, in [0, 1]."""
    share: np.ndarray
    """(n,) carried as a share of what is carried in all rows."""
    pattern: np.ndarray
    """(n, m) how components of variance 1 appear in the rows: M W (W'MW)^-1; complex if W or M is. The
    largest entry of a column is positive."""
    variance: np.ndarray
    """(m,) of the components, descending."""


def _weights(model: Any) -> np.ndarray:
    """The W (n, m) of an estimator, or of an array."""
    if isinstance(model, (np.ndarray, list, tuple)):
        W = numbers(model, "W", complex_too=True)
        if W.ndim != 2:
            raise InvalidArgumentError(f"W has shape {W.shape}; an (n, m) array is needed")
        return W
    if hasattr(model, "components_") and hasattr(model, "_model"):
        return np.ascontiguousarray(model.components_.conj().T)
    trained = getattr(model, "_trained", None)
    if trained is None:
        raise InvalidArgumentError("a fitted SPDML, a fitted classifier or an array W is needed")
    W = lib.spd_classifier_weights(trained.pointer)
    if not W:
        raise InvalidArgumentError(f"{trained.name} has no single map W that could be explained")
    share = 1 + trained.hermitian
    form = np.ctypeslib.as_array(W, shape=(share * trained.size, share * trained.reduced))
    return extract(form) if trained.hermitian else form.copy()


def _complex_pattern(W: np.ndarray, M: np.ndarray) -> np.ndarray:
    """As the library finds those of real maps: its eigenvectors of real forms come in any basis of
    their eigenspaces, and would not be those of complex vectors."""
    Q = np.linalg.qr(W)[0]
    variance, V = np.linalg.eigh(adjoint(Q) @ M @ Q)
    A = (M @ Q @ V / np.sqrt(variance))[:, ::-1]
    top = np.take_along_axis(A, np.abs(A).argmax(axis=0)[None], axis=0)
    return np.asarray(A * (np.abs(top) / top))


@documented
def explain(model: Any, X: Any = None, *, n_jobs: Optional[int] = None) -> Explanation:
    """Which rows of the matrices a map looks at.

    Shown are patterns, M W (W'MW)^-1 with M the arithmetic mean of X, not W alone: a large weight may
    only subtract noise that a row shares with others, while the pattern says in which rows the
    components appear (Haufe et al. 2014). Without X, M is the identity, and all there is are weights.

    Parameters
    ----------
    model : fitted SPDML, fitted classifier with a map ('rsr-ml'), or W itself, (n, m)
        Real or complex.
    X : array, (p, n, n), or None
        The matrices it was learned from.
    {n_jobs}

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import numpy as np, spdml
    >>> found = spdml.explain(np.eye(3)[:, :1], np.diag([4.0, 2.0, 1.0])[None])
    >>> found.kept, found.variance
    (array([1., 0., 0.]), array([4.]))
    """
    W = _weights(model)
    n = len(W)
    M = None if X is None else mean(checked_size(X, n), "euclidean", n_jobs=n_jobs)
    if np.iscomplexobj(W) or M is not None and np.iscomplexobj(M):
        return _explain_complex(W, np.eye(n) if M is None else M, n_jobs)
    return _explain(W, M, n_jobs)


def _explain_complex(W: np.ndarray, M: np.ndarray, n_jobs: Optional[int]) -> Explanation:
    """By real forms, where everything but the patterns is there twice."""
    both = _explain(embed(W), embed(M), n_jobs)
    return Explanation(both.weight[::2], both.carried[::2], both.kept[::2], 2 * both.share[::2],
                       _complex_pattern(W, M), both.variance[::2])


def _explain(W: np.ndarray, M: Optional[np.ndarray], n_jobs: Optional[int]) -> Explanation:
    n, m = W.shape
    weight, carried, kept = np.empty(n), np.empty(n), np.empty(n)
    pattern, variance = np.empty((n, m)), np.empty(m)
    found = structs.explanation(weight=doubles(weight), carried=doubles(carried), kept=doubles(kept),
                                pattern=doubles(pattern), variance=doubles(variance))
    call(context(n_jobs), "spd_explain", n, m, doubles(W), doubles(M), c.byref(found))
    return Explanation(weight, carried, kept, carried / carried.sum(), pattern, variance)
