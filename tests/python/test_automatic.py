"""AutoClassifier: the command's choice, its league, groups, limits, bad input."""

import numpy as np
import pytest
import spdml
from conftest import planted
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_score


@pytest.fixture
def sets(rng):
    X, y = planted(rng, 24, 5, noise=0.8)
    return X[:48], y[:48], X[48:], y[48:]


def test_league(sets):
    X, y, Q, z = sets
    auto = spdml.AutoClassifier(cv=3).fit(X, y)
    league = {row["method"]: row for row in auto.league_}
    assert len(league) == len(auto.league_) == 16
    chosen = league[auto.method_]
    assert chosen["state"] == "judged" and chosen["folds"] in (3, 9)
    low, high = auto.expected_interval_
    assert low <= auto.expected_accuracy_ <= high and auto.expected_accuracy_ <= chosen["accuracy"]
    best = [row["accuracy"] for row in auto.league_ if row["state"] == "judged"]
    assert best == sorted(best, reverse=True)
    assert auto.score(Q, z) > 0.5


def test_trains_what_it_chose(sets):
    X, y, Q, _ = sets
    auto = spdml.AutoClassifier(cv=3).fit(X, y)
    alone = spdml.SPDClassifier(auto.method_, **auto.parameters_).fit(X, y)
    assert (auto.predict(Q) == alone.predict(Q)).all()
    share = auto.predict_proba(Q)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    assert (auto.classes_[share.argmax(axis=1)] == auto.predict(Q)).all()


def test_chooses_what_the_library_chooses_in_a_round(sets):
    X, y, Q, z = sets
    both, labels = np.concatenate([X, Q]), np.concatenate([y, z])
    auto = spdml.AutoClassifier(cv=3).fit(X, y)
    found = spdml.evaluate(both, labels, "auto", cv=[(np.arange(len(X)), None)], inner_cv=3)
    assert (found.predicted[0][0] == auto.predict(Q)).all()


def test_groups(sets):
    X, y, _, _ = sets
    who = np.array(["ann", "ben", "cem", "dan"])[np.arange(len(X)) // 3 % 4]
    grouped = spdml.AutoClassifier(cv=4).fit(X, y, groups=who)
    single = spdml.AutoClassifier(cv=4).fit(X, y)
    assert grouped.league_ != single.league_
    with pytest.raises(ValueError, match="one group only"):
        spdml.AutoClassifier().fit(X, y, groups=y)
    with pytest.raises(ValueError, match="groups has shape"):
        spdml.AutoClassifier().fit(X, y, groups=who[1:])


@pytest.fixture
def hard(rng):
    """Not so easy that all folds are right."""
    X, y = planted(rng, 20, 5, noise=1.6)
    return X + 0.8 * np.exp(rng.normal(0, 1, (len(X), 1, 1))) * np.ones((5, 5)), y


def test_splitters(hard):
    """Folds as scikit-learn deals them are the folds that judge."""
    X, y = hard
    folds = list(StratifiedKFold(3, shuffle=True, random_state=5).split(X, y))
    auto = spdml.AutoClassifier(cv=StratifiedKFold(3, shuffle=True, random_state=5)).fit(X, y)
    row = next(row for row in auto.league_ if row["method"] == "nn-stein")
    hits = [(spdml.SPDClassifier("nn-stein").fit(X[a], y[a]).predict(X[b]) == y[b]).sum() for a, b in folds]
    assert sum(hits) < len(y) and row["folds"] == 3 and row["accuracy"] == pytest.approx(sum(hits) / len(y))
    listed = spdml.AutoClassifier(cv=folds).fit(X, y)
    assert [r["method"] for r in listed.league_] == [r["method"] for r in auto.league_]
    who = np.arange(len(X)) // 3 % 4
    kept = spdml.AutoClassifier(cv=GroupKFold(4)).fit(X, y, groups=who)
    same = spdml.AutoClassifier(cv=4).fit(X, y, groups=who)
    first, second = ({r["method"]: r for r in auto.league_}["nn-stein"] for auto in (kept, same))
    assert first["folds"] == second["folds"] == 4 and first["accuracy"] == second["accuracy"]


def test_random_state(hard):
    X, y = hard

    def rows(state):
        return [(r["method"], r["accuracy"]) for r in spdml.AutoClassifier(cv=3, random_state=state).fit(X, y).league_]
    assert rows(1) == rows(np.int64(1)) != rows(2)
    assert rows(np.random.RandomState(4)) == rows(np.random.RandomState(4))


def test_inside_scikit_learn(sets):
    X, y, _, _ = sets
    auto = spdml.AutoClassifier(cv=2, time="1h")
    assert clone(auto).get_params() == auto.get_params() == {
        "cv": 2, "time": "1h", "random_state": 1, "n_jobs": None}
    assert len(cross_val_score(auto, X, y, cv=2)) == 2


def test_time(sets):
    X, y, _, _ = sets
    hurried = spdml.AutoClassifier(time=1e-9).fit(X, y)
    assert hurried.method_ == "nn-stein"
    share = hurried.predict_proba(X)
    assert (share > 0).all() and (share.argmax(axis=1) == hurried.predict(X)).all()
    assert sum(row["state"] == "late" for row in hurried.league_) == 15
    same = spdml.AutoClassifier(cv=3, time="1h").fit(X, y)
    assert [row["method"] for row in same.league_] == [
        row["method"] for row in spdml.AutoClassifier(cv=3).fit(X, y).league_]


@pytest.mark.parametrize("options,words", [
    ({"time": "soon"}, "'60s'"), ({"time": 0}, "'60s'"), ({"time": "5x"}, "'60s'"), ({"time": -1}, "'60s'"),
    ({"cv": 1}, "at least 2"), ({"cv": 2.5}, "cv"), ({"cv": "five"}, "cv"),
    ({"cv": ShuffleSplit(3, random_state=0)}, "test each matrix once"), ({"random_state": -1}, "random_state"),
])
def test_bad_options(sets, options, words):
    X, y, _, _ = sets
    with pytest.raises(ValueError, match=words):
        spdml.AutoClassifier(**options).fit(X, y)


def test_bad_data(sets):
    X, y, _, _ = sets
    with pytest.raises(ValueError, match="class"):
        spdml.AutoClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="too few samples"):
        spdml.AutoClassifier().fit(X, np.arange(len(X)))
    with pytest.raises(ValueError, match="4"):
        spdml.AutoClassifier(time=1e-9).fit(X, y).predict(np.stack([np.eye(4)] * 2))
