"""workloads.py - generated data sets and graphs, by seed, of the shapes that people use.

A sample is the regularised covariance of 4n observations

    o = Q D blockdiag(F_class, G_sample) z,        z white noise,

where Q is a rotation, D a spectrum of one and a half decades, F_class (d x d) tells the class
within a subspace of d = m/2 dimensions, and the diagonal G_sample is a nuisance that differs from
sample to sample in all other directions. Among all n dimensions the nuisance outweighs the class:
the nearest neighbour by the whole matrix is of another class for up to a third of the samples,
and a learned map has something to gain. Condition numbers lie between 1e4 and 1e6.
"""
import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Workload:
    """Sizes of a data set (p matrices n x n), of the map (n x m), and of the graph."""

    name: str
    n: int
    p: int
    classes: int
    m: int
    nu_w: int = 0  # 0: a generated graph, see random_pairs
    nu_b: int = 0
    seed: int = 1


WORKLOADS = {
    w.name: w
    for w in (
        Workload("hdm05-like", n=93, p=118, classes=14, m=20, nu_w=5, nu_b=5),
        Workload("uiuc-like", n=155, p=108, classes=18, m=20, nu_w=6, nu_b=3),
        Workload("feret-like", n=129, p=600, classes=200, m=30, nu_w=3, nu_b=1),
        Workload("large", n=93, p=20000, classes=50, m=20),
    )
}
SMALL = Workload("small", n=40, p=60, classes=6, m=8, nu_w=3, nu_b=3)

CHUNK = 500  # samples that are made at once


def labels(w):
    """p class numbers, as equal in count as can be, in turn: 0 1 2 ... 0 1 2 ..."""
    return np.arange(w.p) % w.classes


def rotation(rng, n):
    """A random orthogonal matrix, n x n."""
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def class_factors(rng, classes, d):
    """One factor per class, classes x d x d: exp of a random symmetric matrix."""
    H = rng.standard_normal((classes, d, d))
    lam, U = np.linalg.eigh((H + H.transpose(0, 2, 1)) / np.sqrt(4 * d))
    return (U * np.exp(lam)[:, None, :]) @ U.transpose(0, 2, 1)


def chunks(w):
    """Yields the samples of w, CHUNK x n x n at a time."""
    rng = np.random.default_rng(w.seed)
    d = w.m // 2
    frame = rotation(rng, w.n) * np.logspace(0, -1.5, w.n)[rng.permutation(w.n)]
    F = class_factors(rng, w.classes, d)
    y = labels(w)
    r = 4 * w.n
    for first in range(0, w.p, CHUNK):
        rows = y[first : first + CHUNK]
        Z = rng.standard_normal((len(rows), w.n, r))
        Z[:, :d] = F[rows] @ Z[:, :d]
        Z[:, d:] *= np.exp(0.5 * rng.standard_normal((len(rows), w.n - d, 1)))
        O = frame @ Z
        X = O @ O.transpose(0, 2, 1) / r
        X = (X + X.transpose(0, 2, 1)) / 2
        ridge = 1e-6 * np.trace(X, axis1=1, axis2=2) / w.n
        X += ridge[:, None, None] * np.eye(w.n)
        yield X


def write_npz(w, path):
    """All samples and labels in one .npz."""
    np.savez(path, X=np.concatenate(list(chunks(w))), y=labels(w))


def write_npy(w, path):
    """The samples alone as one .npy that never is in memory as a whole."""
    header = {"descr": "<f8", "fortran_order": False, "shape": (w.p, w.n, w.n)}
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for part in chunks(w):
            part.tofile(file)


def nearest_pairs(D, y, nu_w, nu_b):
    """Pairs (i, j, value), i < j, of the graphs by OR: D is p x p, value +1 within, -1 between."""
    p = len(y)
    same = y[:, None] == y[None, :]
    np.fill_diagonal(same, False)
    other = y[:, None] != y[None, :]
    A = np.zeros((p, p))
    for mask, count, value in ((same, nu_w, 1.0), (other, nu_b, -1.0)):
        order = np.argsort(np.where(mask, D, np.inf), axis=1, kind="stable")[:, :count]
        for i in range(p):
            js = order[i][mask[i, order[i]]]
            A[i, js] = A[js, i] = value
    i, j = np.nonzero(np.triu(A))
    return i, j, A[i, j]


def random_pairs(w, per_sample=10):
    """per_sample * p pairs: each sample with half of them of its own class, half of others."""
    half = per_sample // 2
    size = w.p // w.classes
    if w.p % w.classes or size <= 2 * half or w.classes <= 2 * half:
        raise ValueError(f"{w.name}: needs equal classes, more and larger than {2 * half}")
    rng = np.random.default_rng(w.seed + 1)
    table = np.stack([c + w.classes * rng.permutation(size) for c in range(w.classes)])
    circle = table.T.reshape(-1)  # class 0 1 2 ... 0 1 2 ...: close by is of another class
    i, j, value = [], [], []
    for step in range(1, half + 1):
        i += [table.reshape(-1), circle]
        j += [np.roll(table, step, axis=1).reshape(-1), np.roll(circle, step)]
        value += [np.ones(w.p), -np.ones(w.p)]
    return np.concatenate(i), np.concatenate(j), np.concatenate(value)


def write_pairs(path, pairs):
    i, j, value = pairs
    np.savez(path, i=i.astype(np.int64), j=j.astype(np.int64), value=value)
