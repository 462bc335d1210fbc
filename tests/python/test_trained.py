"""Fitted classifiers: they own what they need, last in files and pickles, bear threads that predict, fit
and pickle at once, and give scores."""

import copy
import pickle

import numpy as np
import pytest
import spdml
from conftest import at_once, random_spd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

METHODS = ["nn-airm", "knn-stein", "mdm-airm", "rsr", "cdl", "cdl-lda", "pga", "ts-lda",
           "ksvm-stein", "ksvm-log-euclidean", "riemannian-lle", "nn-airm-ml", "rsr-multi",
           "mdm-airm-csp", "pca-nn-airm", "cov3dj", "ts-lr",
           "krr-stein", "krr-tangent", "krr-both-ml"]
CLASSIFIERS = [spdml.MDM("stein"), spdml.KNearestNeighbor(3), spdml.RSRClassifier(alpha=1e-3),
               spdml.CDLClassifier(), spdml.CDLClassifier(variant="lda"),
               *(spdml.SPDClassifier(method) for method in METHODS)]


pytestmark = pytest.mark.filterwarnings("ignore:there are no means of observations")


def name_of(estimator):
    return getattr(estimator, "method", type(estimator).__name__)


def same(a, b, X):
    """To the bit; means that a file holds are those of one matrix each, which rounding may touch."""
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    rtol = 1e-9 if isinstance(a, spdml.MDM) else 0
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), rtol=rtol)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
class TestEveryClassifier:
    def test_pickle_copies_and_files(self, labelled, tmp_path, estimator):
        X, y = labelled
        fitted = clone(estimator).fit(X[:24], np.array(["a", "b", "c"])[y[:24]])
        for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted),
                      copy.copy(fitted)):
            same(fitted, other, X)
            assert other.get_params() == fitted.get_params()
        fitted.save(tmp_path / "m.spdml")
        loaded = type(estimator).load(str(tmp_path / "m.spdml"))
        same(fitted, loaded, X)
        same(fitted, spdml.SPDClassifier.load(tmp_path / "m.spdml"), X)
        assert list(loaded.classes_) == ["a", "b", "c"] and loaded.n_features_in_ == 8
        assert loaded.parameters_ == fitted.parameters_
        again = clone(loaded).fit(X[:24], np.array(["a", "b", "c"])[y[:24]])
        if fitted.get_params().get("method", "").endswith("-multi"):
            return  # the sizes of its maps are its own
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))

    def test_the_arrays_may_change(self, labelled, estimator):
        X, y = (array.copy() for array in labelled)
        queries = X.copy()
        fitted = clone(estimator).fit(X, y)
        before = fitted.predict(queries)
        for trained in (fitted, copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
            X[:] = np.eye(8)
            y[:] = 0
            np.testing.assert_array_equal(trained.predict(queries), before)

    def test_parameters_of_later_count_for_later(self, labelled, estimator):
        """What was fitted stays as it is, whatever is set afterwards."""
        X, y = labelled
        fitted = clone(estimator).fit(X, y)
        before = fitted.predict(X)
        if "metric" in fitted.get_params():
            fitted.set_params(metric="euclidean")
        if "values" in fitted.get_params():
            fitted.set_params(method="mdm-euclidean", values={})
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), before)

    def test_decisions(self, labelled, estimator):
        X, y = labelled
        fitted = clone(estimator).fit(X[:24], y[:24])
        decision = fitted.decision_function(X[24:])
        assert decision.shape == (len(X) - 24, 3) and np.isfinite(decision).all()
        predicted = fitted.predict(X[24:])
        best = decision[np.arange(len(decision)), predicted]
        assert (best >= decision.max(axis=1)).all()
        few = y < 2
        fitted = clone(estimator).fit(X[few], y[few])
        decision = fitted.decision_function(X[few])
        assert decision.shape == (few.sum(),)
        clear = decision != 0
        np.testing.assert_array_equal(decision[clear] > 0, fitted.predict(X[few])[clear] == 1)
        assert roc_auc_score(y[few], decision) > 0.7


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
def test_threads_that_predict_fit_and_pickle(labelled, estimator):
    X, y = labelled
    shared = clone(estimator).set_params(n_jobs=1).fit(X[:30], y[:30])
    whole = clone(estimator).set_params(n_jobs=1).fit(X, y)
    answers = {tuple(shared.predict(X)), tuple(whole.predict(X))}

    def repeated(work):
        return lambda: [work(turn) for turn in range(8)]

    def predict(turn):
        assert tuple(shared.predict(X)) in answers
        shared.decision_function(X[:3])

    def fit(turn):
        count = 30 if turn % 2 else len(X)
        shared.fit(X[:count], y[:count])

    def pack(turn):
        assert tuple(pickle.loads(pickle.dumps(shared)).predict(X)) in answers
        assert tuple(copy.deepcopy(shared).predict(X)) in answers

    at_once(*map(repeated, (predict, predict, fit, fit, pack, pack)))


def test_labels_keep_their_type(labelled, tmp_path):
    X, y = labelled
    for labels in (y + 5, y * 2.0, np.array(["x", "grün", "z"])[y], y == 1):
        fitted = spdml.MDM().fit(X, labels)
        fitted.save(tmp_path / "m.spdml")
        loaded = spdml.MDM.load(tmp_path / "m.spdml")
        expected = fitted.predict(X)
        if labels.dtype == bool:
            expected = expected.astype(str)
        np.testing.assert_array_equal(loaded.predict(X), expected)
        assert pickle.loads(pickle.dumps(fitted)).classes_.dtype == np.unique(labels).dtype


def test_probabilities_where_there_are_any(labelled):
    X, y = labelled
    for method in ("ts-lda", "mdm-stein"):
        share = spdml.SPDClassifier(method).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(share.sum(axis=1), 1)
        assert (share >= 0).all()
    for method in ("rsr", "nn-airm", "ksvm-stein"):
        assert not hasattr(spdml.SPDClassifier(method), "predict_proba")
    with pytest.raises(NotFittedError):
        spdml.MDM().decision_function(X)


def test_what_load_refuses(labelled, tmp_path):
    X, y = labelled
    path = tmp_path / "m.spdml"
    spdml.MDM().fit(X, y).save(path)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="mdm-airm, which is no RSRClassifier"):
        spdml.RSRClassifier.load(path)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="which is no KNearestNeighbor"):
        spdml.KNearestNeighbor.load(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(spdml.exceptions.FileFormatError, match="m.spdml"):
        spdml.MDM.load(path)
    with pytest.raises(OSError):
        spdml.MDM.load(tmp_path / "none.spdml")
    with pytest.raises(NotFittedError):
        spdml.MDM().save(path)
    with pytest.raises(OSError):
        spdml.MDM().fit(X, y).save(tmp_path / "no" / "m.spdml")


def test_damaged_pickles_are_refused(labelled):
    X, y = labelled
    image = bytearray(spdml.SPDClassifier("mdm-airm").fit(X, y)._trained.pack())
    image[len(image) // 2] ^= 1
    with pytest.raises(spdml.exceptions.FileFormatError):
        spdml._core.methods._unpacked(bytes(image), np.arange(3))


def test_unlike_numbers_of_classes(rng):
    """A pickle that names fewer classes than its method has ends in a message."""
    X, y = random_spd(rng, 9, 3), np.arange(9) % 3
    image = spdml.SPDClassifier("mdm-airm").fit(X, y)._trained.pack()
    with pytest.raises(spdml.exceptions.InvalidArgumentError):
        spdml._core.methods._unpacked(image, np.arange(2))
