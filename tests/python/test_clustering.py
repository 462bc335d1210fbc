"""Clusters, artefacts and regression by neighbours: as pyRiemann's, and what they refuse."""

import pickle

import numpy as np
import pytest
import spdml
from conftest import planted, random_spd
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
DICTIONARY = {"mean": "logeuclid", "distance": "riemann"}


@pytest.mark.parametrize("metric", ["riemann", "euclid", DICTIONARY])
def test_kmeans_is_pyriemanns(labelled, metric):
    peer = pytest.importorskip("pyriemann.clustering", reason="pyRiemann is not installed")
    X, _ = labelled
    start = X[[0, 4, 5]]
    ours = spdml.clustering.Kmeans(3, metric=metric, init=start).fit(X)
    theirs = peer.Kmeans(3, metric=metric, init=start).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.centroids(), theirs.centroids(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_kmeans_finds_what_was_planted(rng, init):
    X, y = planted(rng, 12, 5, noise=0.1)
    found = spdml.clustering.Kmeans(3, init=init, random_state=0, n_init=5).fit(X)
    assert adjusted_rand_score(y, found.labels_) > 0.9
    np.testing.assert_array_equal(found.predict(X), found.labels_)
    np.testing.assert_array_equal(found.labels_, clone(found).fit_predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(found)).predict(X), found.labels_)
    own = found.transform(X)[np.arange(len(X)), found.labels_]
    assert found.inertia_ == pytest.approx(own.sum())


def test_clusters_that_lose_their_members(X):
    """Two starts in the same place: one of them gets the matrix that fits worst."""
    found = spdml.clustering.Kmeans(3, init=np.stack([X[0], X[0], X[1]])).fit(X)
    assert sorted(set(found.labels_)) == [0, 1, 2]
    same = np.repeat(X[:1], 5, axis=0)
    assert spdml.clustering.Kmeans(2, init="k-means++", random_state=0).fit(same).inertia_ < 1e-6


@pytest.mark.parametrize("estimator,words", [
    (spdml.clustering.Kmeans(30), "20 samples"), (spdml.clustering.Kmeans(0), "n_clusters"),
    (spdml.clustering.Kmeans(init="far"), "init"), (spdml.clustering.Kmeans(3, init=np.stack([np.eye(6)] * 2)), "init"),
    (spdml.clustering.Kmeans(metric="flat"), "flat"), (spdml.clustering.Kmeans(max_iter=0), "max_iter"),
    (spdml.artifact_detection.Potato(pos_label=0), "both"), (spdml.artifact_detection.Potato(threshold=-9), "higher threshold"),
    (spdml.artifact_detection.Potato(n_iter_max=0), "n_iter_max"), (spdml.regression.KNearestNeighborRegressor(0), "positive"),
    (spdml.regression.KNearestNeighborRegressor(metric=2), "metric is 2")])
def test_bad_parameters(X, estimator, words):
    y = None if isinstance(estimator, spdml.artifact_detection.Potato) else np.arange(20.0)
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(X, y)


def test_kmeans_that_did_not_converge(X):
    with pytest.warns(ConvergenceWarning, match="after 1 iterations"):
        spdml.clustering.Kmeans(4, max_iter=1, random_state=0).fit(X)


@pytest.mark.parametrize("metric", ["riemann", DICTIONARY])
def test_potato_is_pyriemanns(rng, metric):
    peer = pytest.importorskip("pyriemann.artifact_detection", reason="pyRiemann is not installed")
    X = random_spd(rng, 40, 4)
    X[3] *= 50
    weight = np.linspace(1, 2, 40)
    ours = spdml.artifact_detection.Potato(metric, 2.5).fit(X, sample_weight=weight)
    theirs = peer.Potato(metric, 2.5).fit(X, sample_weight=weight)
    for _ in range(2):
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.covmean_, theirs.covmean_, rtol=1e-5, atol=1e-6)
        assert ours.predict(X)[3] == 0
        for potato in (ours, theirs):
            potato.partial_fit(X[10:20], alpha=0.2)


def test_labels_of_a_potato(rng):
    X = random_spd(rng, 20, 3)
    X[:5] *= 90
    y = np.where(np.arange(20) < 5, 7, 4)
    potato = spdml.artifact_detection.Potato(pos_label=4, neg_label=7).fit(X, y)
    np.testing.assert_array_equal(potato.predict(X), y)
    assert potato.score(X, y) == 1 and list(potato.classes_) == [4, 7]
    np.testing.assert_allclose(potato.covmean_, spdml.mean(X[5:]), rtol=1e-9)
    with pytest.raises(ValueError, match="no sample of pos_label"):
        potato.fit(X, np.full(20, 7))
    with pytest.raises(ValueError, match="knows two"):
        potato.fit(X, np.arange(20))
    with pytest.raises(ValueError, match="call fit first"):
        spdml.artifact_detection.Potato().partial_fit(X)
    with pytest.raises(ValueError, match="alpha"):
        potato.partial_fit(X, y, alpha=2)
    with pytest.raises(NotFittedError):
        spdml.artifact_detection.Potato().predict(X)


@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid"])
def test_neighbours_regress_as_pyriemanns(rng, metric):
    peer = pytest.importorskip("pyriemann.regression", reason="pyRiemann is not installed")
    X = random_spd(rng, 40, 4)
    y = np.log(np.linalg.det(X))
    ours = spdml.regression.KNearestNeighborRegressor(4, metric).fit(X[:30], y[:30])
    theirs = peer.KNearestNeighborRegressor(4, metric).fit(X[:30], y[:30])
    np.testing.assert_allclose(ours.predict(X[30:]), theirs.predict(X[30:]), rtol=1e-8, atol=1e-9)
    assert ours.score(X[30:], y[30:]) == pytest.approx(theirs.score(X[30:], y[30:]))
    X[:] = np.eye(4)  # it has its own copy
    assert ours.predict(X[:1]).shape == (1,)
