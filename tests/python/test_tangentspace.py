"""Tangent spaces, and what is built on them: as pyRiemann's, there and back, and what they refuse."""

import copy

import numpy as np
import pytest
import spdml
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
MAPS = ["riemann", "logeuclid", "euclid", "logchol", "wasserstein",
        {"mean": "logeuclid", "map": "riemann"}]


@pytest.fixture
def peer():
    pytest.importorskip("pyriemann.regression", reason="pyRiemann is not installed")
    return pytest.importorskip("pyriemann")


@pytest.mark.parametrize("metric", MAPS, ids=str)
@pytest.mark.parametrize("update", [False, True])
def test_tangent_space_is_pyriemanns(X, peer, metric, update):
    weight = np.linspace(1, 2, len(X))
    ours = spdml.TangentSpace(metric, update).fit(X[:15], sample_weight=weight[:15])
    theirs = peer.tangentspace.TangentSpace(metric, update).fit(X[:15], sample_weight=weight[:15])
    np.testing.assert_allclose(ours.reference_, theirs.reference_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5, atol=1e-6)
    T = theirs.transform(X)
    np.testing.assert_allclose(ours.inverse_transform(T), theirs.inverse_transform(T), rtol=1e-5,
                               atol=1e-5)


def test_lengths_are_distances(X):
    space = spdml.TangentSpace().fit(X)
    np.testing.assert_allclose(np.linalg.norm(space.transform(X), axis=1),
                               spdml.distance(X, space.reference_)[:, 0], rtol=1e-9)


def test_complex_matrices(rng, peer, tmp_path):
    A = rng.standard_normal((12, 3, 20)) + 1j * rng.standard_normal((12, 3, 20))
    X = A @ A.conj().transpose(0, 2, 1)
    y = np.arange(12) % 2
    ours, theirs = spdml.TangentSpace().fit(X), peer.tangentspace.TangentSpace().fit(X)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-8, atol=1e-8)
    mdm, other = spdml.MDM().fit(X, y), peer.classification.MDM().fit(X, y)
    np.testing.assert_allclose(mdm.covmeans_, other.covmeans_, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(mdm.transform(X), other.transform(X), rtol=1e-5, atol=1e-6)
    knn = spdml.KNearestNeighbor(3).fit(X, y)
    np.testing.assert_array_equal(knn.predict(X),
                                  peer.classification.KNearestNeighbor(3).fit(X, y).predict(X))
    svc, svm = spdml.classification.SVC().fit(X, y), peer.classification.SVC().fit(X, y)
    np.testing.assert_array_equal(svc.predict(X), svm.predict(X))
    mdm.save(tmp_path / "mdm.spdml")
    np.testing.assert_allclose(spdml.MDM.load(tmp_path / "mdm.spdml").covmeans_, mdm.covmeans_)
    white = spdml.preprocessing.Whitening("riemann").fit(X)
    np.testing.assert_allclose(spdml.mean(white.transform(X)), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(white.inverse_transform(white.transform(X)), X, atol=1e-9)


@pytest.mark.parametrize("metric", ["riemann", "logeuclid",
                                    {"mean": "logeuclid", "distance": "euclid", "map": "riemann"}])
def test_fgmdm_is_pyriemanns(labelled, peer, metric):
    X, y = labelled
    ours = spdml.classification.FgMDM(metric).fit(X[:28], y[:28])
    theirs = peer.classification.FgMDM(metric).fit(X[:28], y[:28])
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    filtered = spdml.tangentspace.FGDA(metric).fit_transform(X, y)
    expected = peer.tangentspace.FGDA(metric).fit_transform(X, y)
    np.testing.assert_allclose(filtered, expected, rtol=1e-4, atol=1e-5)


def test_filtering_twice_changes_nothing(labelled):
    X, y = labelled
    fgda = spdml.tangentspace.FGDA().fit(X, y)
    once = fgda.transform(X)
    np.testing.assert_allclose(fgda.transform(once), once, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("clf", [None, LogisticRegression(C=3), LinearSVC(random_state=0),
                                 KNeighborsClassifier(3)], ids=lambda c: type(c).__name__)
def test_classifiers_in_the_tangent_space(labelled, peer, clf):
    X, y = labelled
    words = np.array(["x", "y", "z"])[y]
    ours = spdml.classification.TSClassifier(clf=clf).fit(X[:28], words[:28])
    theirs = peer.classification.TSClassifier(clf=LogisticRegression() if clf is None else clone(clf))
    theirs.fit(X[:28], words[:28])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert hasattr(ours, "predict_proba") == (not isinstance(clf, LinearSVC))
    assert hasattr(ours, "decision_function") == (not isinstance(clf, KNeighborsClassifier))
    if hasattr(ours, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_array_equal(copy.deepcopy(ours).predict(X), ours.predict(X))


def test_weights_reach_the_classifier(labelled):
    X, y = labelled
    weight = np.where(y == 0, 50.0, 1.0)
    plain, weighted = spdml.classification.TSClassifier().fit(X, y), spdml.classification.TSClassifier().fit(X, y, weight)
    assert weighted.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean()
    spdml.classification.TSClassifier(clf=KNeighborsClassifier()).fit(X, y, weight)  # which takes none


@pytest.mark.parametrize("metric", ["riemann", "logeuclid", "euclid"])
@pytest.mark.parametrize("reference", [None, np.eye(8), lambda X: X.mean(axis=0)])
def test_machines_are_pyriemanns(labelled, peer, metric, reference):
    X, y = labelled
    ours = spdml.classification.SVC(metric=metric, Cref=reference, C=2).fit(X[:28], y[:28])
    theirs = peer.classification.SVC(metric=metric, Cref=reference, C=2).fit(X[:28], y[:28])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    target = np.log(np.trace(X, axis1=1, axis2=2))
    ours = spdml.regression.SVR(metric=metric, Cref=reference, C=5).fit(X[:28], target[:28])
    theirs = peer.regression.SVR(metric=metric, Cref=reference, C=5).fit(X[:28], target[:28])
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-3)


def test_other_kernels(labelled):
    X, y = labelled
    stein = spdml.classification.SVC(metric="stein", beta=4.0, C=10).fit(X[:28], y[:28])
    assert stein.score(X[28:], y[28:]) == 1 and stein.Cref_ is None

    def own(X, Y, Cref, metric):
        return np.einsum("aij,bij->ab", X, Y)

    mine = spdml.classification.SVC(kernel_fct=own).fit(X[:28], y[:28])
    plain = spdml.classification.SVC(metric="euclid", Cref=np.zeros((8, 8))).fit(X[:28], y[:28])
    np.testing.assert_array_equal(mine.predict(X), plain.predict(X))
    times = np.arange(len(X)) % 3  # none, one or two of each
    weighted = spdml.classification.SVC(tol=1e-6).fit(X, y, sample_weight=times)
    repeated = spdml.classification.SVC(tol=1e-6).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X),
                               atol=1e-4)
    assert (times[weighted.support_] > 0).all()
    weight = np.where(y == 1, 0.01, 1.0)
    weighted = spdml.classification.SVC(C=0.1).fit(X, y, sample_weight=weight)
    assert (weighted.predict(X) == 1).sum() < (spdml.classification.SVC(C=0.1).fit(X, y).predict(X) == 1).sum()
    assert cross_val_score(spdml.classification.SVC(), X[y < 2], y[y < 2], scoring="roc_auc", cv=3).mean() > 0.9
    assert not hasattr(spdml.classification.SVC(), "predict_proba")


@pytest.mark.parametrize("estimator,words", [
    (spdml.TangentSpace("stein"), "stein"), (spdml.TangentSpace({"mean": "euclid"}), "'map'"),
    (spdml.TangentSpace(3), "metric is 3"), (spdml.classification.FgMDM({"mean": "euclid", "map": "euclid"}),
                                             "distance"),
    (spdml.classification.TSClassifier(clf=spdml.TangentSpace()), "classifier"), (spdml.classification.SVC(metric="flat"), "flat"),
    (spdml.classification.SVC(Cref="mean"), "Cref"), (spdml.classification.SVC(Cref=np.eye(3)), "8 x 8"),
    (spdml.classification.SVC(kernel_fct="best"), "kernel_fct"), (spdml.classification.SVC(C=-1), "C")])
def test_bad_parameters(labelled, estimator, words):
    with pytest.raises((ValueError, TypeError, KeyError), match=words):
        estimator.fit(*labelled).transform(labelled[0])


def test_bad_input(labelled):
    X, y = labelled
    space = spdml.TangentSpace().fit(X)
    with pytest.raises(ValueError, match=r"\(samples, 36\)"):
        space.inverse_transform(np.zeros((2, 10)))
    with pytest.raises(ValueError, match="8 x 8 expected"):
        space.transform(X[:, :3, :3])
    np.testing.assert_allclose(spdml.TangentSpace().transform(X), spdml.geometry.tangentspace.tangent_space(X, np.eye(8)))
    for estimator in (spdml.tangentspace.FGDA(), spdml.classification.FgMDM(), spdml.classification.SVC(), spdml.regression.SVR(),
                      spdml.classification.TSClassifier()):
        with pytest.raises(NotFittedError):
            (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(X)
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"X\[5\]"):
            bad = X.copy()
            bad[5] -= 20 * np.eye(8)
            estimator.fit(bad, y)
    with pytest.raises(ValueError, match="two or more"):
        spdml.classification.FgMDM().fit(X, np.zeros(len(X)))


def test_tables(labelled):
    pytest.importorskip("pandas")
    X, y = labelled
    pipeline = make_pipeline(spdml.SPDML(2), spdml.TangentSpace()).set_output(transform="pandas")
    table = pipeline.fit_transform(X, y)
    names = ["tangentspace_spdml0_spdml0", "tangentspace_spdml0_spdml1",
             "tangentspace_spdml1_spdml1"]
    assert list(table.columns) == ["tangentspace_0_0", "tangentspace_0_1", "tangentspace_1_1"]
    assert list(pipeline.get_feature_names_out()) == names
    assert list(spdml.classification.FgMDM().fit(X, y).get_feature_names_out()) == ["fgmdm0", "fgmdm1", "fgmdm2"]
