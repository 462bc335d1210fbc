"""Orthogonal matrices that turn the class means of one domain to those of another.

    min_Q  sum_k w_k d2(T_k, Q S_k Q'),   Q' Q = I,   d Euclidean or affine-invariant

by conjugate gradients on the orthogonal group. They begin where the eigenvectors of one class's S_k
come to those of its T_k: Q = U D V' with signs D, which the other classes decide, since U'T_j U and
D V'S_j V D have the same signs if Q is exact. Both signs of the determinant come up by turning one
eigenvector round."""

from __future__ import annotations

import warnings
from typing import Any, List, Tuple

import numpy as np
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from ..exceptions import InvalidArgumentError
from ..geometry.base import apply
from ..geometry.mean import mean


Part = Tuple[np.ndarray, np.ndarray, Any]  # samples, labels, weights


class _Cost:
    """The weighted sum of squared distances, and its gradient as a skew matrix."""

    def __init__(self, source: np.ndarray, target: np.ndarray, weight: np.ndarray,
                 metric: str) -> None:
        if metric not in ("euclid", "euclidean", "riemann", "airm"):
            raise InvalidArgumentError(f"metric {metric!r} is unknown; use euclid or riemann")
        self.S, self.T, self.w = source, target, weight
        self.flat = metric.startswith("euclid")
        if not self.flat:
            self.inverse = apply(target, "invsqrt")

    def value(self, Q: np.ndarray) -> float:
        return self._look(Q)[0]

    def _look(self, Q: np.ndarray) -> Tuple[float, np.ndarray, np.ndarray]:
        """The cost, Y = Q S Q' and D, the derivative of d2 by Y."""
        Y = Q @ self.S @ Q.T
        if self.flat:
            D = Y - self.T
            return float(self.w @ (D**2).sum(axis=(1, 2))), Y, 2 * D
        values, V = np.linalg.eigh(self.inverse @ Y @ self.inverse)  # few and small: no library call
        logs = np.log(values)
        U = self.inverse @ V  # D = 2 T^-1/2 Z^-1 log(Z) T^-1/2
        D = 2 * (U * (logs / values)[:, None, :]) @ U.transpose(0, 2, 1)
        return float(self.w @ (logs**2).sum(axis=1)), Y, D

    def slope(self, Q: np.ndarray) -> Tuple[float, np.ndarray]:
        """The cost, and G, skew: d cost = <G, A> for Q moving to (I + A) Q."""
        value, Y, D = self._look(Q)
        P = np.einsum("k,kij->ij", self.w, D @ Y)
        return value, P - P.T


def _turned(A: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """Q moved along the skew matrix A by Cayley's transform, which is orthogonal."""
    I = np.eye(len(A))
    return np.asarray(np.linalg.solve(I - A / 2, (I + A / 2) @ Q))


def _descend(cost: _Cost, Q: np.ndarray, tol: float, most: int) -> Tuple[float, np.ndarray, bool]:
    value, G = cost.slope(Q)
    direction, step = -G, 1.0 / max(1.0, float(np.linalg.norm(G)))
    for _ in range(most):
        slope = float((G * direction).sum())
        if slope >= 0:
            direction, slope = -G, -float((G**2).sum())
        while True:
            moved = _turned(step * direction, Q)
            new = cost.value(moved)
            if new <= value + 1e-4 * step * slope or step < 1e-16:
                break
            step /= 2
        length = step * float(np.linalg.norm(direction))
        if not new < value or length <= tol or value - new <= 1e-14 * value:
            return min(new, value), moved if new <= value else Q, True
        Q = moved
        value, after = cost.slope(Q)
        beta = max(0.0, float((after * (after - G)).sum() / (G**2).sum()))
        direction, G = -after + beta * direction, after
        step *= 2
    return value, Q, False


def _signs(agreement: np.ndarray) -> np.ndarray:
    """Signs d (n,) that make d' P d large, the largest if some d has P = |P| o d d': the signs of the
    first eigenvector, and then turned round one by one while that helps."""
    P = agreement - np.diag(np.diag(agreement))
    d = np.where(np.linalg.eigh(P)[1][:, -1] < 0, -1.0, 1.0)
    for _ in range(len(P)):
        gain = -d * (P @ d)
        worst = int(np.argmax(gain))
        if gain[worst] <= 0:
            break
        d[worst] = -d[worst]
    return d


def _starts(source: np.ndarray, target: np.ndarray) -> List[np.ndarray]:
    """Of each class, and of their mean, the turn that brings the eigenvectors of S to those of T, with
    the signs that all classes agree with best; and its mirror image."""
    found = []
    for S, T in zip([*source, source.mean(axis=0)], [*target, target.mean(axis=0)]):
        V, U = np.linalg.eigh(S)[1], np.linalg.eigh(T)[1]
        U = U * _signs(((U.T @ target @ U) * (V.T @ source @ V)).sum(axis=0))
        mirror = np.ones(len(S))
        mirror[0] = -1
        found += [U @ V.T, (U * mirror) @ V.T]
    return found


def _class_means(part: Part, classes: np.ndarray) -> np.ndarray:
    X, labels, weight = part
    return np.array([mean(X[labels == name], "airm",
                          None if weight is None else weight[labels == name]) for name in classes])


def rotation_of_matrices(source: Part, target: Part, options: Any) -> np.ndarray:
    """Q (n, n): Q X Q' are the source's matrices, turned."""
    classes = np.unique(target[1])
    weight = np.ones(len(classes)) if options.weights is None else \
        np.asarray(options.weights, dtype=float)
    if weight.shape != (len(classes),) or not (weight >= 0).all() or not weight.sum() > 0:
        raise InvalidArgumentError(f"weights are {options.weights!r}; {len(classes)} are needed")
    if np.iscomplexobj(source[0]) or np.iscomplexobj(target[0]):
        raise InvalidArgumentError("X is complex; rotations are found for real matrices")
    S, T = _class_means(source, classes), _class_means(target, classes)
    cost = _Cost(S, T, weight / weight.sum(), options.metric)
    starts = sorted(_starts(S, T), key=cost.value)
    best = []
    for sign in (1, -1):
        first = next((Q for Q in starts if np.sign(np.linalg.det(Q)) == sign), None)
        if first is not None:
            best.append(_descend(cost, first, options.tol_step, options.maxiter))
    value, Q, settled = min(best, key=lambda found: found[0])
    if not settled:
        warnings.warn("the rotation did not converge; raise maxiter or tol_step",
                      ConvergenceWarning, stacklevel=4)
    return Q


def _anchors(part: Part, classes: np.ndarray, options: Any, axes: Any) -> Any:
    """The means of classes, and those of parts along their principal components; whether there were
    enough vectors for parts."""
    X, labels, weight = part
    means = [np.average(X[labels == name], axis=0,
                        weights=None if weight is None else weight[labels == name])
             for name in classes]
    parts, enough = [], True
    for name in classes:
        own = X[labels == name]
        if len(own) < options.n_clusters:
            enough = False
            break
        share = len(own) / options.n_clusters
        along = axes[name].transform(own)
        for j in range(along.shape[1]):
            order = np.argsort(along[:, j], kind="stable")
            parts += [own[order[round(k * share):round((k + 1) * share)]].mean(axis=0)
                      for k in range(options.n_clusters)]
    return np.array(means), np.array(parts), enough


def rotation_of_vectors(source: Part, target: Part, options: Any) -> np.ndarray:
    """Q (k, k): X Q are the source's vectors, turned (Bleuze et al. 2022)."""
    classes = np.unique(target[1])
    count = source[0].shape[1] if options.n_components == "max" else options.n_components
    axes = {name: PCA(n_components=count).fit(source[0][source[1] == name]) for name in classes}
    S, S_parts, S_enough = _anchors(source, classes, options, axes)
    T, T_parts, T_enough = _anchors(target, classes, options, axes)
    if S_enough and T_enough:
        S, T = np.concatenate([S, S_parts]), np.concatenate([T, T_parts])
    else:
        warnings.warn("there are fewer vectors in a class than n_clusters; only class means are used",
                      UserWarning, stacklevel=4)
    U, s, Vt = np.linalg.svd(S.T @ T)
    kept = int(np.sum(np.cumsum(s) < options.expl_var * s.sum())) + 1 if options.expl_var <= 1 \
        else int(options.expl_var)
    return np.asarray(U[:, :kept] @ Vt[:kept])
