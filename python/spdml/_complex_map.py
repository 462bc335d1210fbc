"""Learned maps of complex Hermitian matrices.

In their real form (`_hermitian`) the matrices are of size 2 n, and multiplication by i is a rotation J
that they commute with. A cost of distances does not see J either, so that its gradient at a map whose
span J leaves alone leaves it alone as well: from such a start, descent stays among the real forms of
complex maps, but for rounding. What is learned is made the nearest complex map in the end."""

from __future__ import annotations

import warnings
from typing import Any, List, Optional

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from ._arrays import numbers, whole
from ._errors import InvalidArgumentError
from ._hermitian import embed, extract
from ._labels import class_numbers
from ._matrices import definite
from ._sets import adjoint

_DRIFT = 1e-3  # of the span from that of a complex map, beyond which there is a warning


def _orthonormal(W: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.qr(W)[0])


def _leading(X: np.ndarray, m: int) -> np.ndarray:
    """The m main eigenvectors of the mean."""
    return np.asarray(np.linalg.eigh(X.mean(axis=0))[1][:, ::-1][:, :m])


def _telling(X: np.ndarray, label: np.ndarray, m: int) -> np.ndarray:
    """Of the generalised eigenvectors of each class mean and the mean, those that differ most."""
    L = np.linalg.cholesky(X.mean(axis=0))
    found: List[Any] = []
    for k in range(int(label.max()) + 1):
        half = np.linalg.solve(L, X[label == k].mean(axis=0))
        values, V = np.linalg.eigh(np.linalg.solve(L, adjoint(half)))
        V = np.linalg.solve(adjoint(L), V)
        found += [(abs(np.log(value)), V[:, i]) for i, value in enumerate(values)]
    found.sort(key=lambda pair: -pair[0])
    chosen: List[np.ndarray] = []
    for _, vector in found:  # those that are new
        rest = vector / np.linalg.norm(vector)
        for other in chosen:
            rest = rest - other * (other.conj() @ rest)
        if np.linalg.norm(rest) > 0.1 and len(chosen) < m:
            chosen.append(rest / np.linalg.norm(rest))
    return np.stack(chosen, axis=1) if len(chosen) == m else _leading(X, m)


def _start(model: Any, X: np.ndarray, y: Any, m: int) -> np.ndarray:
    """(n, m), orthonormal columns, as `init` says."""
    n = X.shape[1]
    if not isinstance(model.init, str):
        W = numbers(model.init, "init", complex_too=True)
        if W.shape != (n, m):
            raise InvalidArgumentError(f"init has shape {W.shape}; it must be {(n, m)}")
        return _orthonormal(W.astype(complex))
    if model.init == "identity":
        return np.eye(n, m, dtype=complex)
    if model.init == "random":
        draw = check_random_state(model.random_state)
        return _orthonormal(draw.standard_normal((n, m)) + 1j * draw.standard_normal((n, m)))
    label = None if y is None else class_numbers(y, len(X))[1]
    if model.init == "mean" or model.init == "auto" and label is None:
        return _leading(X, m)
    if label is None:
        raise InvalidArgumentError(f"init {model.init!r} needs y")
    if model.init == "csp":
        return _telling(X, label, m)
    if model.init == "stein" or model.init == "auto" and model.metric in ("airm", "riemann"):
        first = clone(model).set_params(metric="stein", init="auto").fit(X, y)
        return np.asarray(adjoint(first.components_))
    if model.init != "auto":
        raise InvalidArgumentError(
            f"init {model.init!r} is unknown; use one of auto, identity, mean, random, csp, stein")
    ends = [_run(model, X, y, W) for W in (_leading(X, m), _telling(X, label, m))]
    best = min(ends, key=lambda end: end.cost_history_[0])
    return np.asarray(extract(best.init))


def _run(model: Any, X: np.ndarray, y: Any, W: np.ndarray, **more: Any) -> Any:
    """The real fit that begins at W; without more, it does not go on from there."""
    more = more or {"max_iter": 1, "callback": lambda iteration, cost: True}
    real = clone(model).set_params(n_components=2 * W.shape[1], init=embed(W), **more)
    with warnings.catch_warnings():
        if "callback" in more:
            warnings.simplefilter("ignore", ConvergenceWarning)
        return real.fit(embed(X), y)


def fit_complex(model: Any, X: np.ndarray, y: Optional[Any]) -> Any:
    """What was learned by an SPDML of the real form, and the complex map W (n, m) in it."""
    X = definite(X, n_jobs=model.n_jobs)
    n = X.shape[1]
    if isinstance(model.n_components, str) or isinstance(model.nu_b, str) or model.restarts != 1:
        raise InvalidArgumentError("'auto' and restarts are for real matrices; X is complex")
    m = whole(max(1, round(n / 3)) if model.n_components is None else model.n_components,
              "n_components")
    if m >= n:
        raise InvalidArgumentError(
            f"n_components is {m}; it must be smaller than the matrices, {n} x {n}")
    learned = _run(model, X, y, _start(model, X, y, m), max_iter=model.max_iter)
    span = learned.components_.T @ learned.components_
    W = np.linalg.eigh(extract(span))[1][:, ::-1][:, :m]
    drift = float(np.abs(embed(W @ adjoint(W)) - span).max())
    if drift > _DRIFT:
        warnings.warn(f"the map moved away from complex ones by {drift:.2g}; try another init or a "
                      f"larger tol", ConvergenceWarning, stacklevel=3)
    return learned, W
