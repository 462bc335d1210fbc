"""What a map looks at, row by row of the matrices."""

from __future__ import annotations

import ctypes as c
from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import doubles, matrices, numbers
from ._calls import call, context
from ._errors import InvalidArgumentError
from ._library import Explanation as _Explanation
from ._library import lib
from .functions import mean


class Explanation(NamedTuple):
    """What `explain` finds; n rows (features, channels, coordinates), m components."""

    weight: np.ndarray
    """(n,) squares of the rows of W, orthonormal; their sum is m."""
    carried: np.ndarray
    """(n,) the part of the variance of a row that the components carry."""
    kept: np.ndarray
    """(n,) the same as a share of the variance of the row, in [0, 1]."""
    share: np.ndarray
    """(n,) carried as a share of what is carried in all rows."""
    pattern: np.ndarray
    """(n, m) how components of variance 1 appear in the rows: M W (W'MW)^-1."""
    variance: np.ndarray
    """(m,) of the components, descending."""


def _weights(model: Any) -> np.ndarray:
    """The W (n, m) of an estimator, or of an array."""
    if isinstance(model, (np.ndarray, list, tuple)):
        W = numbers(model, "W")
        if W.ndim != 2:
            raise InvalidArgumentError(f"W has shape {W.shape}; an (n, m) array is needed")
        return W
    if hasattr(model, "components_") and hasattr(model, "_model"):
        return np.ascontiguousarray(model.components_.T)
    trained = getattr(model, "_trained", None)
    if trained is None:
        raise InvalidArgumentError("a fitted SPDML, a fitted classifier or an array W is needed")
    W = lib.spd_classifier_weights(trained.pointer)
    if not W:
        raise InvalidArgumentError(f"{trained.name} has no single map W that could be explained")
    return np.ctypeslib.as_array(W, shape=(trained.size, trained.reduced)).copy()


def explain(model: Any, X: Any = None, *, n_jobs: Optional[int] = None) -> Explanation:
    """Which rows of the matrices a map looks at.

    model is a fitted SPDML, a fitted classifier with a map ('rsr-ml'), or W (n, m) itself; X (p, n,
    n) are the matrices it was learned from. Shown are patterns, M W (W'MW)^-1 with M the arithmetic
    mean of X, not W alone: a large weight may only subtract noise that a row shares with others,
    while the pattern says in which rows the components appear (Haufe et al. 2014). Without X, M is
    the identity, and all there is are weights."""
    W = _weights(model)
    n, m = W.shape
    M = None if X is None else mean(matrices(X, size=n), "euclidean", n_jobs=n_jobs)
    weight, carried, kept = np.empty(n), np.empty(n), np.empty(n)
    pattern, variance = np.empty((n, m)), np.empty(m)
    found = _Explanation(weight=doubles(weight), carried=doubles(carried), kept=doubles(kept),
                         pattern=doubles(pattern), variance=doubles(variance))
    call(context(n_jobs), "spd_explain", n, m, doubles(W), doubles(M), c.byref(found))
    return Explanation(weight, carried, kept, carried / carried.sum(), pattern, variance)
