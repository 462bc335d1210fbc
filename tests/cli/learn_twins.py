"""Slow twins of the learner: graph, cost and gradient from the definitions, and data to learn."""

import numpy as np
import pytest
import scipy.linalg as sl
import twins
from conftest import random_spd


def neighbours(D, candidates, i, count):
    """The nearest `count` of the candidates to sample i, ties by lower index."""
    others = [j for j in candidates if j != i]
    return sorted(others, key=lambda j: (D[i, j], j))[:count]


def graphs(D, y, nu_w, nu_b):
    """Within and between weights (p x p, symmetric)."""
    p = len(y)
    within, between = np.zeros((p, p)), np.zeros((p, p))
    for i in range(p):
        within[i, neighbours(D, np.flatnonzero(y == y[i]), i, nu_w)] = 1
        between[i, neighbours(D, np.flatnonzero(y != y[i]), i, nu_b)] = 1
    return np.maximum(within, within.T), np.maximum(between, between.T)


def mapped(metric, X, W, log_cost="approximate"):
    """The small matrices; the approximate log-Euclidean cost maps the logarithms, where distances
    are Euclidean."""
    if metric == "log-euclidean" and log_cost == "approximate":
        return "euclidean", np.array([W.conj().T @ twins.log(M) @ W for M in X])
    return metric, np.array([W.conj().T @ M @ W for M in X])


def cost(metric, X, W, within, between, log_cost="approximate"):
    """Sums over ordered pairs."""
    metric, S = mapped(metric, X, W, log_cost)
    pairs = np.argwhere(np.triu(within + between))
    d2 = np.array([twins.distance2(metric, S[i], S[j]) for i, j in pairs])
    return 2 * np.sum((within - between)[tuple(pairs.T)] * d2)


def softmax(near, far):
    """Of one sample, by all candidates."""
    scale = np.mean(np.concatenate([near, far]))
    own, others = np.exp(-4 * near / scale).sum(), np.exp(-4 * far / scale).sum()
    return -np.log(own / (own + others))


def cost_of_samples(metric, X, W, within, between, log_cost="exact"):
    """The mean over samples with candidates of both kinds."""
    metric, S = mapped(metric, X, W, log_cost)
    D = twins.pairwise2(metric, S, S)
    lists = [(D[i, within[i] > 0], D[i, between[i] > 0]) for i in range(len(X))]
    return np.mean([softmax(near, far) for near, far in lists if near.size and far.size])


def gradient(f, W, h=1e-6):
    """By central differences; of a complex W, that by its real parts plus i times that by its
    imaginary ones."""
    G = np.zeros_like(W)
    for unit in (1, 1j) if np.iscomplexobj(W) else (1,):
        for k in np.ndindex(*W.shape):
            E = np.zeros_like(W)
            E[k] = h * unit
            G[k] += unit * (f(W + E) - f(W - E)) / (2 * h)
    return G


def agrees(shown, gradient_file, f, W):
    """The cost that was shown and the gradient in a file are those of the function f at W."""
    assert shown["cost"] == pytest.approx(f(W), rel=1e-9)
    G = np.load(gradient_file)
    assert np.abs(G - gradient(f, W)).max() < 1e-6 * np.abs(G).max()


def classes(rng, p=30, n=7, count=3, spread=0.4):
    """p SPD matrices around `count` centres, and their labels."""
    y = np.arange(p) % count
    centres = random_spd(rng, count, n, 0.8)
    noise = random_spd(rng, p, n, spread)
    X = np.empty((p, n, n))
    for i in range(p):
        root = sl.sqrtm(centres[y[i]]).real
        X[i] = root @ noise[i] @ root
    return (X + X.transpose(0, 2, 1)) / 2, y
