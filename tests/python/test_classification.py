"""Classifiers around means and tangent spaces: as pyRiemann's, and what they refuse."""

import copy
import functools
import pickle

import numpy as np
import pytest
import spdml
from conftest import at_once, planted
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # those of the peer
DICTIONARY = {"mean": "logeuclid", "distance": "riemann"}


@pytest.fixture
def peer():
    return pytest.importorskip("pyriemann.classification", reason="pyRiemann is not installed")


@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid", "logchol", "wasserstein",
                                    DICTIONARY])
@pytest.mark.parametrize("weighted", [False, True])
def test_mdm_is_pyriemanns(labelled, peer, metric, weighted):
    X, y = labelled
    words = np.array(["x", "y", "z"])[y]
    weight = np.linspace(0.5, 2, len(X)) if weighted else None
    ours = spdml.MDM(metric).fit(X, words, sample_weight=weight)
    theirs = peer.MDM(metric).fit(X, words, sample_weight=weight)
    np.testing.assert_allclose(ours.covmeans_, theirs.covmeans_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_sample_weights_are_repetitions(labelled):
    X, y = labelled
    times = np.arange(len(X)) % 3 + 1
    weighted = spdml.MDM().fit(X, y, sample_weight=times)
    repeated = spdml.MDM().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.covmeans_, repeated.covmeans_, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("metric,rtol", [("euclid", 1e-12), ("logeuclid", 1e-9), ("logchol", 1e-9),
                                         ("airm", 0.1)])
def test_mdm_piece_by_piece(labelled, metric, rtol):
    X, y = labelled
    weight = np.linspace(0.5, 2, len(X))
    whole = spdml.MDM(metric).fit(X, y, sample_weight=weight)
    pieces = spdml.MDM(metric)
    for part in (slice(0, 5), slice(5, 20), slice(20, None)):
        pieces.partial_fit(X[part], y[part], classes=[0, 1, 2], sample_weight=weight[part])
    np.testing.assert_allclose(pieces.covmeans_, whole.covmeans_, rtol=rtol, atol=rtol)
    np.testing.assert_array_equal(pieces.predict(X), whole.predict(X))


def test_classes_to_come(labelled):
    X, y = labelled
    mdm = spdml.MDM().partial_fit(X[y == 2], y[y == 2], classes=[0, 1, 2])
    assert (mdm.predict(X) == 2).all() and np.isinf(mdm.transform(X)[:, :2]).all()
    np.testing.assert_allclose(mdm.predict_proba(X), np.eye(3)[[2] * len(X)])
    mdm.partial_fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(mdm.predict(X), spdml.MDM().fit(X, y).predict(X))
    with pytest.raises(ValueError, match="name them all"):
        mdm.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="8 x 8 expected"):
        mdm.partial_fit(X[:2, :3, :3], y[:2])


BAD = {"nan": spdml.exceptions.NotFiniteError, "inf": spdml.exceptions.NotFiniteError,
       "singular": spdml.exceptions.NotPositiveDefiniteError, "indefinite": spdml.exceptions.NotPositiveDefiniteError}


def spoilt(X, how, index):
    X = X.copy()
    if how in ("nan", "inf"):
        X[index, 1, 2] = X[index, 2, 1] = float(how)
    else:
        X[index] = np.ones_like(X[0]) if how == "singular" else X[index] - 20 * np.eye(len(X[0]))
    return X


@pytest.mark.parametrize("how", BAD)
@pytest.mark.parametrize("estimator", [spdml.MDM(), spdml.KNearestNeighbor(3), spdml.SPDML(2),
                                       spdml.SPDClassifier("nn-stein"), spdml.RSRClassifier(),
                                       spdml.CDLClassifier(), spdml.PGA(),
                                       spdml.SPDClassifier("mdm-airm")],
                         ids=lambda e: type(e).__name__)
def test_bad_matrices_are_named_by_their_number_in_X(labelled, estimator, how):
    X, y = labelled
    with pytest.raises(BAD[how], match=r"^X\[17\]") as e:
        clone(estimator).fit(spoilt(X, how, 17), y)
    assert e.value.index == 17
    fitted = clone(estimator).fit(X, y)
    for use in ("predict", "decision_function", "transform"):
        if hasattr(fitted, use):
            for dtype in (float, np.float32):
                with pytest.raises(BAD[how], match=r"^X\[5\]") as e:
                    getattr(fitted, use)(spoilt(X, how, 5).astype(dtype))
                assert e.value.index == 5
                if how in ("singular", "indefinite"):
                    assert "try spdml.regularize(X" in str(e.value)


@pytest.mark.parametrize("estimator", [spdml.MDM(), spdml.KNearestNeighbor(3), spdml.SPDML(2),
                                       spdml.SPDClassifier("ts-lda")],
                         ids=lambda e: type(e).__name__)
def test_labels_that_are_none(labelled, estimator):
    """In scikit-learn's words."""
    X, y = labelled
    with pytest.raises(ValueError, match="Unknown label type: continuous. Maybe you are trying"):
        estimator.fit(X, y + 0.5)
    with pytest.raises(TypeError, match=r"uniformly strings or numbers. Got \['NoneType', 'str'\]"):
        estimator.fit(X, np.array(["a", "b", None], dtype=object)[y])
    if not isinstance(estimator, spdml.SPDML):
        with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
            estimator.fit(X, None)


def test_metrics_that_are_none(labelled):
    X, y = labelled
    for word in ("ml", "csp", "airm-ml"):
        for estimator in (spdml.MDM(word), spdml.KNearestNeighbor(3, word)):
            with pytest.raises(ValueError, match="is unknown; use one of"):
                estimator.fit(X, y)
    with pytest.raises(KeyError, match="distance"):
        spdml.MDM({"mean": "riemann"}).fit(X, y)
    with pytest.raises(TypeError, match="metric is 3"):
        spdml.MDM(3).fit(X, y)


@pytest.mark.parametrize("weight,words", [([1, 2], "36 weights"), (np.full(36, -1.0), "negative"),
                                          (np.full(36, np.nan), "finite"), (["a"] * 36, "weights"),
                                          (np.zeros(36), "zero")])
def test_weights_that_are_none(labelled, weight, words):
    X, y = labelled
    with pytest.raises(ValueError, match=words):
        spdml.MDM().fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="nothing of class 1"):
        spdml.MDM().fit(X, y, sample_weight=(y != 1).astype(float))


def test_what_files_do_not_hold(labelled, tmp_path):
    X, y = labelled
    spdml.MDM(DICTIONARY).fit(X, y).save(tmp_path / "m.spdml")
    loaded = spdml.MDM.load(tmp_path / "m.spdml")
    assert loaded.metric == "airm"  # what distances are by
    np.testing.assert_allclose(loaded.covmeans_, spdml.MDM("logeuclid").fit(X, y).covmeans_)
    with pytest.raises(ValueError, match="use pickle"):
        spdml.MDM().partial_fit(X[:1], y[:1], classes=[0, 1, 2]).save(tmp_path / "n.spdml")
    np.testing.assert_array_equal(
        spdml.SPDClassifier.load(tmp_path / "m.spdml").predict(X), loaded.predict(X))


@pytest.mark.parametrize("estimator", [spdml.MDM(), spdml.classification.FgMDM(), spdml.classification.TSClassifier(),
                                       spdml.classification.SVC(), spdml.regression.KNearestNeighborRegressor(2)],
                         ids=lambda e: type(e).__name__)
def test_threads_share_an_estimator(labelled, estimator):
    X, y = labelled
    shared = clone(estimator).fit(X[:20], y[:20])
    answers = {tuple(shared.predict(X)), tuple(clone(estimator).fit(X, y).predict(X))}

    def work(turn):
        for _ in range(6):
            if turn % 2:
                shared.fit(X[:20] if turn % 4 == 1 else X, y[:20] if turn % 4 == 1 else y)
            assert tuple(shared.predict(X)) in answers
            assert tuple(pickle.loads(pickle.dumps(shared)).predict(X)) in answers
            assert tuple(copy.deepcopy(shared).predict(X)) in answers

    at_once(*(functools.partial(work, turn) for turn in range(4)))


def test_inside_scikit_learn(rng):
    X, y = planted(rng, 14, 4, classes=2)
    for estimator in (spdml.MDM(), spdml.KNearestNeighbor(3)):
        assert cross_val_score(estimator, X, y, scoring="roc_auc", cv=3).mean() > 0.9
        calibrated = CalibratedClassifierCV(estimator, cv=3).fit(X, y)
        np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
        X3, y3 = planted(rng, 8, 4)
        assert OneVsRestClassifier(estimator).fit(X3, y3).score(X3, y3) > 0.8


def test_tables_of_distances(labelled):
    pytest.importorskip("pandas")
    X, y = labelled
    table = spdml.MDM().set_output(transform="pandas").fit(X, y).transform(X)
    assert list(table.columns) == ["mdm0", "mdm1", "mdm2"] and table.shape == (36, 3)
    assert spdml.MDM().fit(X, y).predict(X[:3]).shape == (3,)


def test_nearest_training_matrices(labelled):
    Y, y = labelled
    knn = spdml.KNearestNeighbor(4, "stein").fit(Y, y)
    np.testing.assert_array_equal(knn.covmeans_, Y)
    D = spdml.pairwise_distance(Y, metric="stein")
    np.fill_diagonal(D, np.inf)
    distances, index = knn.kneighbors()
    np.testing.assert_array_equal(index, D.argsort(axis=1)[:, :4])
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :4], rtol=1e-9)
    own = knn.kneighbors(Y[:3], 1, return_distance=False)
    np.testing.assert_array_equal(own.ravel(), [0, 1, 2])
    few = spdml.KNearestNeighbor(99).fit(Y[:5], [0, 0, 0, 0, 1])
    assert few.kneighbors()[1].shape == (5, 4)
    assert list(few.predict(Y[:2])) == [0, 0]
    values = spdml.regression.KNearestNeighborRegressor(3, {"distance": "stein"}).fit(Y, np.arange(len(Y)))
    for found, expected in zip(values.kneighbors(Y), spdml.KNearestNeighbor(3, "stein").fit(Y, y).kneighbors(Y)):
        np.testing.assert_array_equal(found, expected)
