"""spdml.evaluate: against the command, and against protocols written out in numpy."""

import json
import os
import subprocess
import warnings

import numpy as np
import pytest
import spdml
from sklearn.model_selection import (GroupKFold, KFold, LeaveOneGroupOut, RepeatedStratifiedKFold,
                                     StratifiedShuffleSplit, cross_val_score)

COMMAND = os.environ.get("SPDML")
against_command = pytest.mark.skipif(not COMMAND, reason="SPDML does not name the command")
METHODS = ["nn-airm", "nn-stein-ml", "knn-stein-ml", "mdm-airm", "rsr"]
GRID = {"m": [2, 4], "nu_b": [1, 3], "k": [1, 3]}
GRID_WORDS = ["--grid", "m=2,4", "--grid", "nu-b=1,3", "--grid", "k=1,3"]


@pytest.fixture
def who(labelled):
    return np.array(["ann", "bob", "cat"])[np.arange(len(labelled[1])) % 3]


@pytest.fixture
def files(tmp_path, labelled, who):
    X, y = labelled
    np.savez(tmp_path / "d.npz", X=X, y=y, who=who)
    return tmp_path


def command(files, *words):
    done = subprocess.run([COMMAND, "evaluate", "d.npz", *map(str, words), "-o", "out",
                           "--no-report"], cwd=files, capture_output=True, check=True)
    return done.stdout.decode(), json.loads((files / "out/results.json").read_text())


PROTOCOLS = [
    (["--split", "0.5", "--repeats", "3", "--seed", "4"], {"cv": 0.5, "repeats": 3, "random_state": 4}),
    (["--train-per-class", "4", "--repeats", "2"], {"train_per_class": 4, "repeats": 2}),
    (["--train-where", "who=ann", "--cv-groups", "none"], {"train": "ann", "inner_groups": "none"}),
    (["--leave-one-group-out", "who"], {"cv": LeaveOneGroupOut(), "groups": "who"}),
    (["--outer-folds", "3", "--repeats", "2", "--auc"],
     {"cv": 3, "repeats": 2, "auc": True}),
    (["--outer-folds", "3", "--outer-groups", "who"], {"cv": 3, "groups": "who"}),
    (["--test-where", "who=ann", "--cv-groups", "who", "--cv", "3"],
     {"test": "ann", "inner_groups": "who", "inner_cv": 3}),
]


@pytest.mark.parametrize("log_cost", ["approximate", "exact"])
def test_maps_of_both_log_euclidean_costs(files, labelled, who, log_cost):
    """The map of a method is that of the fit: nearest neighbours after it, written out."""
    X, y = labelled
    values = {"m": 3, "nu_w": 3, "nu_b": 2}
    fit = spdml.SPDML(3, "log-euclidean", nu_w=3, nu_b=2, log_cost=log_cost, random_state=1)
    mine = spdml.evaluate(X, y, ["nn-log-euclidean-ml"], cv=[(who != "ann", None)], values=values, fit=fit)
    fit.fit(X[who != "ann"], y[who != "ann"])
    low = fit.transform(X)
    D = spdml.pairwise_distance(low[who == "ann"], low[who != "ann"], "log-euclidean")
    np.testing.assert_array_equal(mine.predicted[0][0], y[who != "ann"][D.argmin(axis=1)])
    if COMMAND and log_cost == "approximate":
        command(files, "--methods", "nn-log-euclidean-ml", "--test-where", "who=ann", "-m", 3,
                "--nu-w", 3, "--nu-b", 2)
        saved = np.load(files / "out/predictions.npz")
        np.testing.assert_array_equal(saved["predicted-nn-log-euclidean-ml"],
                                      mine.predicted[0][0])


@against_command
@pytest.mark.parametrize("words, named", PROTOCOLS)
def test_same_as_the_command(files, labelled, who, words, named):
    X, y = labelled
    table, theirs = command(files, "--methods", ",".join(METHODS), *words, *GRID_WORDS)
    named = {k: who if isinstance(v, str) and v == "who" else v for k, v in named.items()}
    part = who == "ann"
    for word, pair in (("train", (part, None)), ("test", (None, part))):
        if named.pop(word, None):
            named["cv"] = [pair]
    mine = spdml.evaluate(X, y, METHODS, grid=GRID, **named)
    saved = np.load(files / "out/predictions.npz")
    tables = np.load(files / "out/confusion.npz")
    np.testing.assert_array_equal(np.concatenate(mine.test), saved["index"])
    for m, (name, one) in enumerate(zip(METHODS, theirs["results"])):
        assert mine.methods[m] == name == one["method"]
        np.testing.assert_array_equal(np.concatenate(mine.predicted[m]),
                                      saved[f"predicted-{name}"])
        np.testing.assert_array_equal(mine.confusion[m], tables[name])
        assert [r["accuracy"] for r in one["rounds"]] == mine.accuracy[m].tolist()
        assert [r["balanced_accuracy"] for r in one["rounds"]] == \
            mine.balanced_accuracy[m].tolist()
        for key in ("kappa", "macro_f1", "auc"):
            shown = [np.nan if r[key] is None else r[key] for r in one["rounds"]]
            np.testing.assert_array_equal(shown, getattr(mine, key)[m])
        assert [r["folds"] for r in one["rounds"]] == mine.folds[m].tolist()
        assert one["mcnemar_p"] == (mine.mcnemar[m, 0] if m else None)
        for r, round in enumerate(one["rounds"]):
            assert round["round"] == mine.rounds[r]
            assert round["train"] == len(mine.train[r])
            used = {k: v[r] for k, v in mine.parameters[m].items()
                    if (v[r] if k == "objective" else not np.isnan(v[r]))}
            assert round.get("no_map", False) == mine.no_map[m, r]
            assert {k.replace("-", "_"): v for k, v in round["parameters"].items()} == used
    rows = str(mine).splitlines()[1:]
    assert all(row.startswith(name) for name, row in zip(METHODS, rows))


def nearest(X, y, train, test):
    """The nearest neighbour under AIRM, from the definition."""
    found = []
    for i in test:
        L = np.linalg.inv(np.linalg.cholesky(X[i]))
        d2 = [np.sum(np.log(np.linalg.eigvalsh(L @ X[j] @ L.T))**2) for j in train]
        found.append(y[train[int(np.argmin(d2))]])
    return np.array(found)


def test_given_parts_against_numpy(labelled):
    X, y = labelled
    train, test = np.arange(0, 20, 2), np.arange(20, 30)
    result = spdml.evaluate(X, y, ["nn-airm"], cv=[(train, test)])
    np.testing.assert_array_equal(result.predicted[0][0], nearest(X, y, train, test))
    rest = spdml.evaluate(X, y, ["nn-airm"], cv=[(np.isin(np.arange(len(y)), train), None)])
    np.testing.assert_array_equal(rest.test[0], np.setdiff1d(np.arange(len(y)), train))


def test_labels_vectors_and_values(labelled):
    X, y = labelled
    names = np.array(["x", "y", "z"])[y]
    V = X.reshape(len(X), -1)
    result = spdml.evaluate(X, names, ["src", "nn-stein-ml"], cv=0.5, repeats=1, vectors=V,
                            values={"m": 3, "dimensions": 5, "nu_b": 1})
    assert set(result.predicted[0][0]) <= {"x", "y", "z"}
    assert result.parameters[1]["m"].tolist() == [3]
    alone = spdml.evaluate(None, names, "src", cv=0.5, repeats=1, vectors=V,
                           values={"dimensions": 5})
    np.testing.assert_array_equal(alone.predicted[0][0], result.predicted[0][0])


def test_same_for_any_number_of_threads(labelled):
    X, y = labelled
    one, two = (spdml.evaluate(X, y, ["nn-airm-ml"], cv=0.5, repeats=2, grid={"m": [2, 3]},
                               n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.accuracy, two.accuracy)
    np.testing.assert_array_equal(one.parameters[0]["m"], two.parameters[0]["m"])


def test_remarks_are_warnings(labelled):
    X, y = labelled
    y = y.copy()
    y[0] = 7
    with pytest.warns(UserWarning, match="never tested"):
        result = spdml.evaluate(X, y, "nn-airm", cv=0.5, repeats=1)
    assert len(result.remarks) == 1 and "7" in result.remarks[0]
    with pytest.warns(UserWarning, match="without training samples"):
        spdml.evaluate(X, y, "nn-airm", cv=[(None, [0, 1])])


@pytest.mark.parametrize("cv", [KFold(4, shuffle=True, random_state=2), RepeatedStratifiedKFold(n_splits=3, n_repeats=2,
                         random_state=1), StratifiedShuffleSplit(4, train_size=0.5, random_state=0), GroupKFold(2)],
                         ids=lambda cv: type(cv).__name__)
def test_splitters_of_scikit_learn(labelled, who, cv):
    """The rounds are those of the splitter, and the classifier is scikit-learn's judgement too."""
    X, y = labelled
    result = spdml.evaluate(X, y, ["nn-airm", "mdm-airm"], cv=cv, groups=who)
    rounds = list(cv.split(X, y, who))
    assert len(result.rounds) == len(rounds)
    for r, (train, test) in enumerate(rounds):
        np.testing.assert_array_equal(result.train[r], np.sort(train))
        np.testing.assert_array_equal(result.test[r], np.sort(test))
    expected = cross_val_score(spdml.MDM(), X, y, cv=cv, groups=who)
    np.testing.assert_allclose(result.accuracy[1], expected)
    several = np.bincount(np.concatenate([test for _, test in rounds])).max() > 1
    assert ("median over the rounds" in str(result)) == several


def test_pandas(labelled):
    pytest.importorskip("pandas")
    X, y = labelled
    result = spdml.evaluate(X, y, ["nn-airm", "knn-airm"], cv=0.5, repeats=2)
    frame = result.to_pandas()
    assert frame.accuracy.tolist() == result.accuracy.ravel().tolist()
    assert frame["k"].notna().tolist() == [False, False, True, True]


@pytest.mark.parametrize("named, tells", [
    ({"cv": 0.5, "train_per_class": 1}, "choose one"),
    ({"cv": "all"}, "pairs"),
    ({"cv": []}, "no rounds"),
    ({"cv": [(None, None)]}, "names no samples"),
    ({"cv": LeaveOneGroupOut()}, "groups="),
    ({"cv": KFold(3), "repeats": 2}, "splitters"),
    ({"cv": 1.5}, "fraction between 0 and 1"),
    ({"cv": 0.5, "repeats": -1}, "repeats is -1"),
    ({"train_per_class": -1}, "train_per_class is -1"),
    ({"cv": 0.5, "values": {"q": 1}}, "'q' is unknown"),
    ({"cv": 0.5, "values": {"cost": 1}}, "none of the methods has 'cost'"),
    ({"cv": 0.5, "grid": {"m": [99]}}, "m = 99"),
    ({"cv": [([0, 1], [1, 2])]}, "no sample may do both"),
    ({"cv": [(np.ones(36, bool), None)]}, "nothing is left to test"),
    ({"cv": [([99], None)]}, "beyond the 36"),
    ({"cv": LeaveOneGroupOut(), "groups": np.zeros(36)}, "one group"),
    ({"cv": LeaveOneGroupOut(), "groups": [1, 2]}, "36 values"),
    ({"cv": 0.5, "vectors": np.zeros((4, 4))}, "vectors has shape"),
    ({"cv": 4, "groups": np.arange(36) % 3}, "3 groups"),
    ({"cv": 0.5, "groups": np.arange(36) % 3}, "groups"),
])
def test_refusals(labelled, named, tells):
    X, y = labelled
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match=tells):
        spdml.evaluate(X, y, ["nn-airm-ml"], **named)


def test_progress_can_stop_it(labelled):
    X, y = labelled

    def stop(*step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), spdml.progress(stop):
        spdml.evaluate(np.repeat(X, 8, 0), np.repeat(y, 8), ["nn-airm-ml"], cv=0.5, repeats=50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert spdml.evaluate(X, y, "nn-airm", cv=0.5).accuracy.shape == (1, 10)


def test_pca_of_all_observations():
    """With the means of observations pca- is the PCA of all of them; without, it warns."""
    rng = np.random.default_rng(3)
    tables = [rng.standard_normal((20 + i, 4)) * [3, 2, 1, 1] + 50 + rng.normal(0, [1, 1, 5, 9], 4)
              for i in range(16)]
    X, y = np.array([np.cov(t.T) for t in tables]), np.arange(16) % 2
    means = {"feature_mean": [t.mean(axis=0) for t in tables],
             "feature_count": [len(t) for t in tables]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = spdml.SPDClassifier("pca-nn-airm", m=2).fit(X, y, **means)
        found = spdml.evaluate(X, y, "pca-nn-airm", values={"m": 2}, cv=0.5, repeats=3, **means)
    W = np.linalg.eigh(np.cov(np.concatenate(tables).T))[1][:, 2:]
    low = W.T @ X @ W
    expected = spdml.SPDClassifier("nn-airm").fit(low, y)
    np.testing.assert_allclose(fitted.decision_function(X), expected.decision_function(low),
                               atol=1e-9)
    with pytest.warns(UserWarning, match="pooled covariance"):
        pooled = spdml.SPDClassifier("pca-nn-airm", m=2).fit(X, y)
    assert np.abs(pooled.decision_function(X) - fitted.decision_function(X)).max() > 1e-3
    with pytest.warns(UserWarning, match="pooled covariance"):
        other = spdml.evaluate(X, y, "pca-nn-airm", values={"m": 2}, cv=0.5, repeats=3)
    assert found.remarks == [] and "pooled covariance" in other.remarks[0]
    for wrong in ({"feature_mean": means["feature_mean"]}, {**means, "feature_count": [0] * 16},
                  {**means, "feature_count": np.ones((16, 3))},
                  {**means, "feature_mean": np.full((16, 4), np.nan)}):
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="feature_mean"):
            spdml.SPDClassifier("pca-nn-airm").fit(X, y, **wrong)
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="feature_mean"):
            spdml.evaluate(X, y, "pca-nn-airm", cv=0.5, **wrong)
