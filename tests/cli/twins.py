"""Slow twins of the geometry, written from the definitions with scipy and nothing else; of symmetric
and of complex Hermitian matrices."""

import numpy as np
import scipy.linalg as sl

METRICS = (
    "airm",
    "stein",
    "log-euclidean",
    "jeffrey",
    "bures-wasserstein",
    "log-cholesky",
    "euclidean",
)


def function(X, f):
    values, V = np.linalg.eigh(X)
    return (V * f(values)) @ V.conj().T


def log(X):
    return function(X, np.log)


def sqrt(X):
    return function(X, np.sqrt)


def airm(X, Y):
    return np.sum(np.log(sl.eigh(X, Y, eigvals_only=True)) ** 2)


def stein(X, Y):
    logdet = [np.linalg.slogdet(M)[1] for M in ((X + Y) / 2, X, Y)]
    return logdet[0] - (logdet[1] + logdet[2]) / 2


def log_euclidean(X, Y):
    return np.sum(np.abs(log(X) - log(Y)) ** 2)


def jeffrey(X, Y):
    return np.trace(np.linalg.solve(X, Y) + np.linalg.solve(Y, X)).real / 2 - len(X)


def bures_wasserstein(X, Y):
    root = sqrt(X)
    return np.trace(X + Y - 2 * sqrt(root @ Y @ root)).real


def log_cholesky(X, Y):
    A, B = np.linalg.cholesky(X), np.linalg.cholesky(Y)
    low = np.tril(A - B, -1)
    return np.sum(np.abs(low) ** 2) + np.sum((np.log(np.diag(A).real / np.diag(B).real)) ** 2)


def euclidean(X, Y):
    return np.sum(np.abs(X - Y) ** 2)


def distance2(metric, X, Y):
    return globals()[metric.replace("-", "_")](X, Y)


def pairwise2(metric, A, B):
    return np.array([[distance2(metric, X, Y) for Y in B] for X in A])


def mean_defect(metric, M, A, w):
    """How far M is from solving the equation of the mean, relative to the terms in it."""
    w = w / w.sum()

    def total(f):
        return sum(wi * f(X) for wi, X in zip(w, A))

    def relative(left, right):
        return np.linalg.norm(left - right) / np.linalg.norm(right)

    if metric == "airm":
        half = np.linalg.inv(sqrt(M))
        return np.linalg.norm(total(lambda X: log(half @ X @ half)))
    if metric == "stein":
        return relative(total(lambda X: np.linalg.inv((X + M) / 2)), np.linalg.inv(M))
    if metric == "log-euclidean":
        return relative(log(M), total(log))
    if metric == "jeffrey":
        inverse = np.linalg.inv(M)
        return relative(inverse @ total(lambda X: X) @ inverse, total(np.linalg.inv))
    if metric == "bures-wasserstein":
        root = sqrt(M)
        return relative(total(lambda X: sqrt(root @ X @ root)), M)
    if metric == "log-cholesky":
        L = np.linalg.cholesky(M)
        low = total(lambda X: np.tril(np.linalg.cholesky(X), -1))
        diagonal = total(lambda X: np.log(np.diag(np.linalg.cholesky(X))))
        return np.linalg.norm(np.tril(L, -1) - low) + np.linalg.norm(np.log(np.diag(L)) - diagonal)
    return relative(M, total(lambda X: X))


def cov3dj(position, levels=2):
    """The descriptor of Hussein et al. 2013 of frames x joints x 3 positions: upper triangles of the
    covariances of windows that overlap by half, each axis in [0, 1], of length one."""
    low, high = position.min(axis=(0, 1)), position.max(axis=(0, 1))
    O = ((position - low) / (high - low)).reshape(len(position), -1)
    rows, columns = np.triu_indices(O.shape[1])
    parts = []
    for level in range(levels):
        steps = 2 ** (level + 1)
        for w in range(steps - 1):
            window = O[w * len(O) // steps:(w + 2) * len(O) // steps]
            parts.append(np.cov(window.T)[rows, columns])
    vector = np.concatenate(parts)
    return vector / np.linalg.norm(vector)


def nearest(D, k, within):
    """Indices and values of the k smallest per row, ties by lower index."""
    D = D.copy()
    if within:
        np.fill_diagonal(D, np.inf)
    index = np.argsort(D, axis=1, kind="stable")[:, :k]
    return index, np.take_along_axis(D, index, axis=1)
