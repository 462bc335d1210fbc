"""Slow twins of the embeddings, written from their formulas with numpy and scipy alone."""

import numpy as np
import scipy.linalg as sl
from twins import function, log, pairwise2


def vector(metric, X):
    """What makes a flat metric Euclidean."""
    if metric == "log-euclidean":
        return log(X).ravel()
    if metric == "log-cholesky":
        L = np.linalg.cholesky(X)
        return np.append(np.tril(L, -1).ravel(), np.log(np.diag(L)))
    assert metric == "euclidean"
    return X.ravel()


def log_maps(metric, base, X):
    """Tangent vectors at base, a row each, in coordinates whose dot product is the metric's."""
    if metric != "airm":
        return np.array([vector(metric, Y) - vector(metric, base) for Y in X])
    root = function(base, lambda x: 1 / np.sqrt(x))
    return np.array([log(root @ Y @ root).ravel() for Y in X])


def neighbours(metric, X, k):
    D2 = pairwise2(metric, X, X)
    np.fill_diagonal(D2, np.inf)
    return np.argsort(D2, axis=1, kind="stable")[:, :k], D2


def signs(Y):
    """The entry of largest size in a column is positive."""
    return Y * np.sign(Y[np.argmax(np.abs(Y), axis=0), np.arange(Y.shape[1])])


def bottom(M, d):
    """Eigenvectors after the constant one, mean square 1, and eigenvalues."""
    values, V = np.linalg.eigh(M)
    return signs(V[:, 1 : d + 1] * np.sqrt(len(M))), values[1 : d + 1]


def lle_weights(metric, X, k):
    W = np.zeros((len(X), len(X)))
    near, _ = neighbours(metric, X, k)
    for i, js in enumerate(near):
        T = log_maps(metric, X[i], X[js])
        G = T @ T.T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(k), np.ones(k))
        W[i, js] = w / w.sum()
    return W


def lle(metric, X, k, d):
    R = np.eye(len(X)) - lle_weights(metric, X, k)
    return bottom(R.T @ R, d)


def hessian_lle(metric, X, k, d):
    M = np.zeros((len(X), len(X)))
    near, _ = neighbours(metric, X, k)
    for i, js in enumerate(near):
        if i not in near:  # nobody's neighbour: joins its own
            js = [*js, i]
        T = log_maps(metric, X[i], X[js])
        U = np.linalg.svd(T - T.mean(0), full_matrices=False)[0][:, :d]
        products = [U[:, a] * U[:, b] for a in range(d) for b in range(a, d)]
        Q = np.linalg.qr(np.column_stack([np.ones(len(js)), U, *products]))[0]
        H = Q[:, 1 + d :]
        M[np.ix_(js, js)] += H @ H.T
    return bottom(M, d)


def laplacian(metric, X, k, d):
    near, D2 = neighbours(metric, X, k)
    t = np.mean([D2[i, js] for i, js in enumerate(near)])
    W = np.zeros((len(X), len(X)))
    for i, js in enumerate(near):
        W[i, js] = W[js, i] = np.exp(-D2[i, js] / t)
    D = np.diag(W.sum(0))
    values, F = sl.eigh(D - W, D)
    return signs(F[:, 1 : d + 1] * np.sqrt(np.trace(D))), values[1 : d + 1], t


def top(B, d):
    values, V = np.linalg.eigh(B)
    values, V = values[::-1], V[:, ::-1]
    Y = V[:, :d] * np.sqrt(np.maximum(values[:d], 0))
    share = np.maximum(values[:d], 0).sum() / np.maximum(values, 0).sum()
    return signs(Y), values[:d], share


def mds(metric, X, d):
    H = np.eye(len(X)) - 1 / len(X)
    D2 = pairwise2(metric, X, X)
    np.fill_diagonal(D2, 0)
    return top(-H @ D2 @ H / 2, d)


def karcher(X):
    M = X.mean(0)
    for _ in range(200):
        root, inverse = function(M, np.sqrt), function(M, lambda x: 1 / np.sqrt(x))
        step = np.mean([log(inverse @ Y @ inverse) for Y in X], axis=0)
        M = root @ function(step, np.exp) @ root
        if np.linalg.norm(step) < 1e-14:
            break
    return M


def pga(X, d):
    T = log_maps("airm", karcher(X), X)
    return top(T @ T.T, d)
