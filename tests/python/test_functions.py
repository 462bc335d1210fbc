"""Distances, means, geodesics, neighbours against pyRiemann and numpy."""

import numpy as np
import pytest
import spdml
from conftest import random_spd

pyriemann = pytest.importorskip("pyriemann")
from pyriemann.classification import KNearestNeighbor  # noqa: E402
from pyriemann.classification import MDM as PeerMDM  # noqa: E402

try:
    from pyriemann.geometry import covariance, distance, geodesic, mean
except ImportError:  # before 0.12
    from pyriemann.utils import covariance, distance, geodesic, mean

# ours: pyRiemann's
METRICS = {"airm": "riemann", "stein": "logdet", "log-euclidean": "logeuclid",
           "bures-wasserstein": "wasserstein", "log-cholesky": "logchol", "euclidean": "euclid"}
CLOSE = {"rtol": 1e-10, "atol": 1e-10}


def peer_distances(X, Y, metric):
    one = distance.distance_functions[metric]
    return np.array([[one(x, y) for y in Y] for x in X])


@pytest.mark.parametrize("ours,theirs", METRICS.items())
def test_pairwise_distances_agree_with_pyriemann(rng, ours, theirs):
    X, Y = random_spd(rng, 9, 5), random_spd(rng, 4, 5)
    expected = peer_distances(X, Y, theirs)
    np.testing.assert_allclose(spdml.pairwise_distance(X, Y, ours), expected, **CLOSE)
    np.testing.assert_allclose(spdml.pairwise_distance(X, Y, theirs), expected, **CLOSE)
    np.testing.assert_allclose(spdml.pairwise_distance(X, Y, ours, squared=True), expected**2,
                               **CLOSE)
    np.testing.assert_allclose(spdml.distance(X, Y[0], ours), expected[:, :1], **CLOSE)
    assert spdml.distance(X[1], Y[2], ours) == pytest.approx(expected[1, 2], rel=1e-10)


def test_kullback_sym_of_pyriemann_is_the_squared_jeffrey_distance(rng):
    X, Y = random_spd(rng, 4, 5), random_spd(rng, 3, 5)
    expected = peer_distances(X, Y, "kullback_sym")
    np.testing.assert_allclose(spdml.pairwise_distance(X, Y, "jeffrey", squared=True), expected,
                               **CLOSE)


@pytest.mark.parametrize("ours,theirs", METRICS.items())
def test_distances_within_a_set(X, ours, theirs):
    D = spdml.pairwise_distance(X, metric=ours)
    assert (np.diag(D) == 0).all() and (D == D.T).all()
    np.testing.assert_allclose(D, peer_distances(X, X, theirs), rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("ours,theirs", [*METRICS.items(), ("jeffrey", "kullback_sym")])
def test_means_agree_with_pyriemann(X, rng, ours, theirs):
    weights = rng.uniform(0.5, 2, len(X))
    peer = mean.mean_functions[theirs]
    more = {"tol": 1e-13, "maxiter": 500} if theirs in ("riemann", "logdet", "wasserstein") else {}
    np.testing.assert_allclose(spdml.mean(X, ours), peer(X, **more), **CLOSE)
    np.testing.assert_allclose(spdml.mean(X, theirs, sample_weight=weights),
                               peer(X, sample_weight=weights, **more), **CLOSE)


@pytest.mark.parametrize("ours", ["airm", "log-euclidean", "euclidean", "bures-wasserstein",
                                  "log-cholesky"])
@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
def test_geodesics_agree_with_pyriemann(X, ours, alpha):
    expected = geodesic.geodesic_functions[METRICS[ours]](X[0], X[1], alpha)
    np.testing.assert_allclose(spdml.geodesic(X[0], X[1], alpha, ours), expected, **CLOSE)


@pytest.mark.parametrize("ours,theirs", METRICS.items())
def test_neighbours_are_the_sorted_distances(rng, ours, theirs):
    X, Q = random_spd(rng, 30, 5), random_spd(rng, 7, 5)
    d, index = spdml.neighbors(X, Q, 4, ours)
    D = peer_distances(Q, X, theirs)
    np.testing.assert_array_equal(index, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_allclose(d, np.take_along_axis(D, index, 1), **CLOSE)
    _, own = spdml.neighbors(X, n_neighbors=1, metric=ours)
    assert (own[:, 0] != np.arange(30)).all()


@pytest.mark.parametrize("metric", ["riemann", "logdet", "logeuclid"])
def test_nearest_neighbour_predictions_agree_with_pyriemann(rng, labelled, metric):
    X, y = labelled
    peer = KNearestNeighbor(n_neighbors=1, metric=metric).fit(X[:24], y[:24])
    ours = spdml.KNearestNeighbor(1, metric).fit(X[:24], y[:24])
    np.testing.assert_array_equal(ours.predict(X[24:]), peer.predict(X[24:]))


@pytest.mark.parametrize("metric", ["riemann", "logeuclid"])
def test_mdm_predictions_agree_with_pyriemann(labelled, metric):
    X, y = labelled
    peer = PeerMDM(metric=metric).fit(X[:24], y[:24])
    ours = spdml.MDM(metric).fit(X[:24], y[:24])
    np.testing.assert_array_equal(ours.predict(X[24:]), peer.predict(X[24:]))


@pytest.mark.parametrize("function,power", [("log", 1), ("exp", 1), ("sqrt", 1), ("invsqrt", 1),
                                            ("power", 0.3)])
def test_functions_of_matrices(X, function, power):
    scalar = {"log": np.log, "exp": np.exp, "sqrt": np.sqrt, "invsqrt": lambda v: v**-0.5,
              "power": lambda v: v**power}[function]
    value, V = np.linalg.eigh(X)
    expected = (V * scalar(value)[:, None]) @ V.transpose(0, 2, 1)
    np.testing.assert_allclose(spdml.geometry.base.apply(X, function, power), expected, **CLOSE)
    np.testing.assert_allclose(spdml.geometry.base.apply(X[3], function, power), expected[3], **CLOSE)


def test_kernels(X):
    K = spdml.kernel(X, metric="stein", beta=2.5)
    np.testing.assert_allclose(K, np.exp(-2.5 * spdml.pairwise_distance(
        X, metric="stein", squared=True)), **CLOSE)
    logs = spdml.geometry.base.apply(X, "log")
    np.testing.assert_allclose(spdml.kernel(X, X[:3], "log-euclidean"),
                               np.einsum("iab,jab->ij", logs, logs[:3]), **CLOSE)
    with pytest.warns(UserWarning, match="positive definite"):
        spdml.kernel(X, metric="stein", beta=0.3)


@pytest.mark.parametrize("estimator,theirs", [("cov", "cov"), ("oas", "oas"), ("lwf", "lwf")])
def test_covariances_agree_with_pyriemann(rng, estimator, theirs):
    signals = rng.standard_normal((6, 4, 50)) * np.arange(1, 5)[:, None] + 10
    expected = covariance.covariances(signals, theirs)
    np.testing.assert_allclose(spdml.covariances(signals, estimator), expected, **CLOSE)


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


def test_covariances_of_signals_of_different_lengths(rng):
    signals = [rng.standard_normal((3, r)) for r in (20, 35)]
    C = spdml.covariances(signals)
    np.testing.assert_allclose(C[1], np.cov(signals[1]), **CLOSE)
    shrunk = spdml.covariances(signals, 0.25)
    S = np.cov(signals[0], bias=True)
    np.testing.assert_allclose(shrunk[0], 0.75 * S + 0.25 * np.trace(S) / 3 * np.eye(3), **CLOSE)


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
