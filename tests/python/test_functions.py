"""Neighbours, kernels, covariances against pyRiemann and numpy; arrays of any kind."""

import numpy as np
import pytest
import spdml
from conftest import random_spd

pyriemann = pytest.importorskip("pyriemann")
try:
    from pyriemann.geometry import covariance, distance
except ImportError:  # before 0.12
    from pyriemann.utils import covariance, distance

# ours: pyRiemann's
METRICS = {"airm": "riemann", "stein": "logdet", "log-euclidean": "logeuclid",
           "bures-wasserstein": "wasserstein", "log-cholesky": "logchol", "euclidean": "euclid"}
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


def peer_distances(X, Y, metric):
    one = distance.distance_functions[metric]
    return np.array([[one(x, y) for y in Y] for x in X])


@pytest.mark.parametrize("ours,theirs", METRICS.items())
def test_distances_within_a_set(X, ours, theirs):
    D = spdml.pairwise_distance(X, metric=ours)
    assert (np.diag(D) == 0).all() and (D == D.T).all()
    np.testing.assert_allclose(D, peer_distances(X, X, theirs), rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("ours,theirs", METRICS.items())
def test_neighbours_are_the_sorted_distances(rng, ours, theirs):
    X, Q = random_spd(rng, 30, 5), random_spd(rng, 7, 5)
    d, index = spdml.neighbors(X, Q, 4, ours)
    D = peer_distances(Q, X, theirs)
    np.testing.assert_array_equal(index, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(d, np.take_along_axis(D, index, 1), **CLOSE)
    _, own = spdml.neighbors(X, n_neighbors=1, metric=ours)
    assert (own[:, 0] != np.arange(30)).all()


def test_kernels(X):
    K = spdml.kernel(X, metric="stein", beta=2.5)
    np.testing.assert_allclose(K, np.exp(-2.5 * spdml.pairwise_distance(
        X, metric="stein", squared=True)), **CLOSE)
    logs = spdml.geometry.base.apply(X, "log")
    np.testing.assert_allclose(spdml.kernel(X, X[:3], "log-euclidean"),
                               np.einsum("iab,jab->ij", logs, logs[:3]), **CLOSE)
    with pytest.warns(UserWarning, match="positive definite"):
        spdml.kernel(X, metric="stein", beta=0.3)


@pytest.mark.parametrize("estimator", ["corr", "cov", "hub", "lwf", "mcd", "oas", "sch", "scm", "stu", "tyl", 0.3,
                                       lambda x: x @ x.conj().T])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_covariances_by_every_estimator_of_any_dimensions(rng, estimator, kind):
    X = rng.standard_normal((2, 3, 4, 50)) + (1j * rng.standard_normal((2, 3, 4, 50)) if kind == "complex" else 0)
    more = {"random_state": 1} if estimator == "mcd" else {}
    C = spdml.covariances(X, estimator, **more)
    assert C.shape == (2, 3, 4, 4) and np.iscomplexobj(C) == (kind == "complex")
    np.testing.assert_allclose(C[1, 2], spdml.covariances(X[1, 2], estimator, **more), rtol=1e-12)
    np.testing.assert_allclose(C[1], spdml.Covariances(estimator, **more).transform(X[1]), rtol=1e-12)
    if isinstance(estimator, str):
        np.testing.assert_allclose(C, covariance.covariances(X, estimator, **more), rtol=1e-9, atol=1e-12)


def test_what_is_no_estimator(rng):
    for estimator in (True, 1.5, "median"):
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="estimator"):
            spdml.covariances(rng.standard_normal((2, 3, 20)), estimator)


def test_nearest_to_matrices_without_a_positive_eigenvalue():
    np.testing.assert_allclose(spdml.geometry.base.nearest_sym_pos_def(np.diag([-1.0, -4.0])), 4e-6 * np.eye(2))
    both = spdml.geometry.base.nearest_sym_pos_def(np.stack([-np.eye(2), np.diag([2.0, -1.0])]), reg=0.1)
    np.testing.assert_allclose(both, [0.1 * np.eye(2), np.diag([2.0, 0.2])], atol=1e-15)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match=r"X\[1\] is zero"):
        spdml.geometry.base.nearest_sym_pos_def(np.stack([np.eye(2), np.zeros((2, 2))]))


def test_regularize_leaves_its_argument(X):
    before = X.copy()
    Y = spdml.regularize(X, 0.1, 0.5)
    np.testing.assert_array_equal(X, before)
    add = 0.1 * np.trace(X, axis1=1, axis2=2) / 6 + 0.5
    np.testing.assert_allclose(Y, X + add[:, None, None] * np.eye(6), **CLOSE)


@pytest.mark.parametrize("change", [
    lambda X: X.astype(np.float32), np.asfortranarray, lambda X: X[::-1][::-1],
    lambda X: np.repeat(X, 2, axis=0)[::2], lambda X: X.astype(">f8"), lambda X: X.tolist()])
def test_any_array_of_numbers_gives_the_same(X, change):
    X = X.astype(np.float32).astype(np.float64)
    expected = spdml.pairwise_distance(X, metric="stein")
    np.testing.assert_array_equal(spdml.pairwise_distance(change(X), metric="stein"), expected)


def test_read_only_arrays_are_fine(X):
    expected = spdml.mean(X)
    X.flags.writeable = False
    np.testing.assert_array_equal(spdml.mean(X), expected)


def test_contiguous_arrays_are_not_copied(X):
    from spdml._core.arrays import matrices
    assert matrices(X) is X


@pytest.mark.parametrize("n_jobs", [1, 2, -1, None])
def test_threads_do_not_change_a_bit(rng, n_jobs):
    X = random_spd(rng, 60, 12)
    np.testing.assert_array_equal(spdml.pairwise_distance(X, n_jobs=n_jobs),
                                  spdml.pairwise_distance(X, n_jobs=1))
    np.testing.assert_array_equal(spdml.mean(X, n_jobs=n_jobs), spdml.mean(X, n_jobs=1))


def test_most_neighbours_are_found_approximately():
    rng = np.random.default_rng(3)
    F = rng.standard_normal((700, 5, 8))
    X = F @ F.transpose(0, 2, 1) + 0.1 * np.eye(5)
    exact = spdml.neighbors(X, n_neighbors=5, metric="stein")
    distance, index = spdml.neighbors(X, n_neighbors=5, metric="stein", search="approximate")
    assert np.mean(distance <= exact[0][:, -1:]) > 0.95
    assert np.array_equal(index, spdml.neighbors(X, n_neighbors=5, metric="stein",
                                                 search="approximate", n_jobs=1)[1])
    assert np.array_equal(exact[1], spdml.neighbors(X, n_neighbors=5, metric="stein",
                                                    search="auto")[1])
    with pytest.raises(ValueError, match="exact"):
        spdml.neighbors(X, search="near")
    with pytest.raises(ValueError, match="within one set"):
        spdml.neighbors(X, X[:3], search="approximate")
    y = rng.integers(0, 2, 700)
    fit = spdml.SPDML(2, max_iter=2, search="approximate").fit(X, y)
    assert 0.9 < fit.recall_ <= 1
