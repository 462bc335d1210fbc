"""Normalising and recentring in Python: the same as by hand with `spdml.recenter`, in scikit-learn's ways,
in files, and as the command does it."""

import pickle

import numpy as np
import pytest
import sklearn
import spdml
from conftest import planted
from sklearn.base import clone
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score


@pytest.fixture
def people():
    """Three people, each behind a congruence of their own."""
    rng = np.random.default_rng(5)
    X, y = planted(rng, 30, 4)
    who = np.repeat(["ann", "bob", "cy"], 30)
    for one in np.unique(who):
        M = np.eye(4) + 0.4 * rng.standard_normal((4, 4))
        X[who == one] = M @ X[who == one] @ M.T
    return (X + X.transpose(0, 2, 1)) / 2, y, who


def scaled(X, how):
    size = {"trace": np.trace(X, axis1=1, axis2=2).real / X.shape[1],
            "determinant": np.linalg.det(X).real ** (1 / X.shape[1])}[how]
    return X / size[:, None, None]


@pytest.mark.parametrize("how", ["trace", "determinant"])
@pytest.mark.parametrize("field", [float, complex])
def test_by_hand(people, how, field):
    X, y, who = people
    X = X.astype(field)
    train = who != "cy"
    clf = spdml.SPDClassifier("mdm-airm", normalize=how, recenter="groups")
    clf.fit(X[train], y[train], groups=who[train])
    hand = spdml.recenter(scaled(X, how), who)
    plain = spdml.SPDClassifier("mdm-airm").fit(hand[train], y[train])
    want = plain.decision_function(hand[~train])
    np.testing.assert_allclose(clf.decision_function(X[~train], groups=who[~train]), want, rtol=1e-8)
    np.testing.assert_allclose(clf.decision_function(X[~train]), want, rtol=1e-8)  # one new group
    np.testing.assert_array_equal(clf.predict(X[~train]), plain.predict(hand[~train]))
    np.testing.assert_allclose(clf.predict_proba(X[~train], groups=who[~train]),
                               plain.predict_proba(hand[~train]), rtol=1e-8)
    assert clf.score(X[~train], y[~train], groups=who[~train]) == plain.score(hand[~train], y[~train])
    known = clf.decision_function(X[train], groups=who[train])  # by the means of training
    np.testing.assert_allclose(known, plain.decision_function(hand[train]), rtol=1e-8)
    np.testing.assert_allclose(clf.decision_function(X[:1], groups=["ann"]), known[:1], rtol=1e-8)


def test_all_and_training(people):
    X, y, who = people
    train = who == "ann"
    one = spdml.SPDClassifier("nn-euclidean", recenter="all").fit(X[train], y[train])
    hand = spdml.recenter(X, who)
    plain = spdml.SPDClassifier("nn-euclidean").fit(hand[train], y[train])
    np.testing.assert_allclose(one.decision_function(X[who == "bob"]),
                               plain.decision_function(hand[who == "bob"]), rtol=1e-7)
    fixed = spdml.SPDClassifier("nn-euclidean", recenter="training").fit(X[train], y[train])
    P = spdml.geometry.base.apply(spdml.mean(X[train]), "invsqrt")
    np.testing.assert_allclose(fixed.decision_function(X[:1]),
                               plain.decision_function((P @ X[0] @ P)[None]), atol=1e-9)


@pytest.mark.parametrize("options", [{"recenter": "groups"},
                                     {"recenter": "all", "normalize": "trace"},
                                     {"recenter": "training"}, {"normalize": "determinant"}])
def test_files_and_pickles(people, tmp_path, options):
    X, y, who = people
    groups = {"groups": who} if options.get("recenter") == "groups" else {}
    clf = clone(spdml.SPDClassifier("ts-lda", **options)).fit(X, y, **groups)
    clf.save(tmp_path / "m.spdml")
    loaded = spdml.SPDClassifier.load(tmp_path / "m.spdml")
    assert {name: loaded.get_params()[name] for name in options} == options
    for other in loaded, pickle.loads(pickle.dumps(clf)):
        np.testing.assert_array_equal(other.decision_function(X, **groups), clf.decision_function(X, **groups))
        np.testing.assert_array_equal(other.predict(X), clf.predict(X))
    knn = spdml.SPDClassifier("knn-airm", **options).fit(X, y, **groups)
    knn.save(tmp_path / "k.spdml")
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="use SPDClassifier.load"):
        spdml.KNearestNeighbor.load(tmp_path / "k.spdml")


def test_ties_are_broken_among_all(people):
    """Votes of knn tie often, and what is predicted of some matrices alone is recentred otherwise."""
    X, y, who = people
    clf = spdml.SPDClassifier("knn-airm", k=2, recenter="all").fit(X[:60], y[:60])
    best = clf.classes_[np.argmax(clf.decision_function(X[60:]), axis=1)]
    np.testing.assert_array_equal(best, clf.predict(X[60:]))


def test_metadata_routing(people):
    X, y, who = people
    with sklearn.config_context(enable_metadata_routing=True):
        clf = spdml.SPDClassifier("mdm-airm", recenter="groups").set_fit_request(groups=True)
        clf.set_score_request(groups=True)
        scores = cross_val_score(clf, X, y, cv=LeaveOneGroupOut(), params={"groups": who})
    want = spdml.evaluate(X, y, "mdm-airm", cv=LeaveOneGroupOut(), groups=who, recenter=who)
    np.testing.assert_allclose(scores, want.accuracy[0])


def test_evaluate(people):
    X, y, who = people
    methods = ["mdm-airm", "ts-lda", "knn-stein"]
    got = spdml.evaluate(X, y, methods, cv=LeaveOneGroupOut(), groups=who, recenter=who, normalize="trace")
    hand = spdml.evaluate(spdml.recenter(scaled(X, "trace"), who), y, methods, cv=LeaveOneGroupOut(), groups=who)
    np.testing.assert_array_equal(np.concatenate(got.predicted[0]), np.concatenate(hand.predicted[0]))
    np.testing.assert_allclose(got.accuracy, hand.accuracy)
    more = spdml.evaluate(X, y, methods, cv=LeaveOneGroupOut(), groups=who, recenter=who, calibration_size=0.5)
    assert [len(test) for test in more.test] == [15] * 3 and [len(train) for train in more.train] == [75] * 3
    for whole in "all", "training":
        spdml.evaluate(X, y, methods, cv=0.5, repeats=1, recenter=whole)


@pytest.mark.parametrize("options, groups, said", [
    ({"recenter": "groups"}, None, "groups and recenter='groups'"),
    ({}, "who", "groups and recenter='groups'"),
    ({"recenter": "subject"}, "who", "'groups', 'all' or 'training'"),
    ({"normalize": "tracks"}, None, "tracks"),
    ({"recenter": "groups"}, ["x"] + ["z"] * 89, "one matrix"),
    ({"recenter": "groups"}, ["x"], "90 values are needed"),
    ({"recenter": "groups"}, [np.nan] * 90, "NaN"),
])
def test_refused(people, options, groups, said):
    X, y, who = people
    groups = who if isinstance(groups, str) else groups
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match=said):
        spdml.SPDClassifier("mdm-airm", **options).fit(X, y, groups=groups)


def test_refused_of_queries(people):
    X, y, who = people
    clf = spdml.SPDClassifier("mdm-airm", recenter="groups").fit(X, y, groups=who)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="one matrix"):
        clf.predict(X[:1])
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="recenter='groups'"):
        spdml.SPDClassifier("mdm-airm").fit(X, y).predict(X, groups=who)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="calibration"):
        spdml.evaluate(X, y, "mdm-airm", cv=0.5, calibration_size=0.5)
