"""SPDML, PGA and the classifiers in scikit-learn's world; test_check_estimator.py has scikit-learn's own checks."""

import json
import os
import subprocess

import numpy as np
import pytest
import spdml
from conftest import planted
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from spdml._core.words import choice

ESTIMATORS = [spdml.SPDML(2), spdml.PGA(), spdml.MDM(), spdml.KNearestNeighbor(3),
              spdml.RSRClassifier(), spdml.CDLClassifier(), spdml.SPDClassifier("ts-lda")]


def name_of(estimator):
    return type(estimator).__name__


def used(estimator, X):
    return (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(X)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_other_arrays_give_the_same(labelled, estimator):
    X, y = labelled
    X = X.astype(np.float32).astype(np.float64)
    expected = used(clone(estimator).fit(X, y), X)
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    for other in (X.astype(np.float32), frozen, np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(used(clone(estimator).fit(other, y), other), expected)


CLASSIFIERS = [e for e in ESTIMATORS if hasattr(e, "predict")]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
def test_labels_of_any_type(labelled, estimator):
    pandas = pytest.importorskip("pandas")
    X, y = labelled
    words = np.array(["walk", "run", "jump"])[y]
    named = clone(estimator).fit(X, words)
    assert list(named.classes_) == ["jump", "run", "walk"]
    assert named.score(X, words) >= 0.8
    series = pandas.Series(words, index=range(100, 100 + len(words)))
    np.testing.assert_array_equal(clone(estimator).fit(X, series).predict(X),
                                  named.predict(X))
    fitted = clone(estimator).fit(X, y.astype(float) * 10)
    assert set(fitted.classes_) == {0.0, 10.0, 20.0}
    assert fitted.score(X, y * 10.0) >= 0.8


def test_spdml_learns_what_was_planted(rng):
    X, y = planted(rng, 20, 10, noise=1.5)
    model = spdml.SPDML(3).fit(X, y)
    W = model.components_.T
    assert W.shape == (10, 3)
    np.testing.assert_allclose(W.T @ W, np.eye(3), atol=1e-12)
    assert np.linalg.norm(W[:3]) ** 2 > 2.5  # of 3: it looks at the informative dimensions
    assert (np.diff(model.cost_history_) <= 0).all() and len(model.cost_history_) == model.n_iter_ + 1
    np.testing.assert_allclose(model.transform(X), W.T @ X @ W, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(model.fit_transform(X, y), model.transform(X))
    assert model.stop_ in ("tolerance", "gradient", "iterations", "line search", "line-search")


def log_euclidean_cost(X, W, label, nu_w, nu_b):
    """Equation 3 from the definition, over the graph of nearest neighbours."""
    D = spdml.pairwise_distance(X, metric="log-euclidean")
    S = spdml.geometry.base.apply(W.T @ X @ W, "log")
    same, pairs = label[:, None] == label, {}
    for wanted, count, sign in ((same, nu_w, 1), (~same, nu_b, -1)):
        for i in range(len(X)):
            near = [j for j in np.argsort(D[i], kind="stable") if j != i and wanted[i, j]]
            pairs.update({(min(i, j), max(i, j)): sign for j in near[:count]})
    return sum(2 * a * np.sum((S[i] - S[j]) ** 2) for (i, j), a in pairs.items())


def test_both_log_euclidean_costs(X, tmp_path):
    y = np.arange(len(X)) % 2
    rough = spdml.SPDML(3, "log-euclidean", nu_w=3, nu_b=2).fit(X, y)
    exact = spdml.SPDML(3, "log-euclidean", nu_w=3, nu_b=2, objective="difference", log_cost="exact").fit(X, y)
    known = [log_euclidean_cost(X, m.components_.T, y, 3, 2) for m in (rough, exact)]
    assert exact.cost_history_[-1] == pytest.approx(known[1], rel=1e-9)
    assert rough.cost_history_.min() != pytest.approx(known[0], rel=1e-3)
    exact.save(tmp_path / "e.spdml")
    assert spdml.SPDML.load(tmp_path / "e.spdml").log_cost == "exact"
    assert clone(rough).log_cost == "approximate"
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="approximate, exact"):
        spdml.SPDML(3, "log-euclidean", log_cost="rough").fit(X, y)


@pytest.mark.parametrize("named", [
    {"n_components": "auto"}, {"n_components": 3, "nu_b": "auto", "objective": "difference"},
    {"n_components": "auto", "nu_b": "auto", "objective": "difference", "metric": "airm"},
    {"n_components": 3, "paper": True}, {"n_components": "auto", "paper": True}])
def test_auto_is_that_of_the_command(labelled, tmp_path, named):
    command = os.environ.get("SPDML")
    if not command:
        pytest.skip("SPDML does not name the command")
    X, y = labelled
    np.savez(tmp_path / "d.npz", X=X, y=y)
    words = ["-m", str(named["n_components"]), "--metric", named.get("metric", "stein")]
    words += ["--nu-b", "auto"] if "nu_b" in named else []
    words += ["--paper"] if "paper" in named else []
    words += ["--objective", named["objective"]] if "objective" in named else []
    done = subprocess.run([command, "fit", "d.npz", *words, "-o", "m.spdml", "--json", "-q"],
                          cwd=tmp_path, capture_output=True, check=True)
    theirs = json.loads(done.stdout)
    mine = spdml.SPDML(**named, random_state=1).fit(X, y)
    assert (mine.n_components_, mine.nu_b_) == (theirs["m"], theirs["nu_b"])
    assert mine.cv_accuracy_ == theirs["chosen"]["cv_accuracy"]
    if named["n_components"] == "auto":
        assert mine.cv_accuracy_no_map_ == theirs["chosen"]["cv_accuracy_no_map"]
    np.testing.assert_array_equal(mine.components_, spdml.SPDML.load(tmp_path / "m.spdml").components_)


def test_neighbours_do_not_change_the_objective(labelled):
    X, y = labelled
    usual = spdml.SPDML(2).fit(X, y)
    again = spdml.SPDML(2, nu_w=usual.nu_w_, nu_b=usual.nu_b_).fit(X, y)
    assert usual.objective_ == again.objective_ == "softmax"
    np.testing.assert_array_equal(again.components_, usual.components_)
    for objective in "auto", "softmax":
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="takes all candidates.*objective='difference'"):
            spdml.SPDML(2, nu_b="auto", objective=objective).fit(X, y)


def test_the_paper_s_setting(labelled):
    """Its solver, and nu_b by cross-validation up to nu_w; what is given stays."""
    X, y = labelled
    model = spdml.SPDML(2, paper=True, nu_w=2).fit(X, y)
    assert model.objective_ == "difference" and model.nu_b_ in (1, 2) and model.cv_accuracy_ > 0
    solver = model._model.fields.options.contents.solver
    assert solver == choice("solver", "polak-ribiere")
    given = spdml.SPDML(2, paper=True, nu_w=2, nu_b=5).fit(X, y)
    assert given.nu_b_ == 5 and np.isnan(given.cv_accuracy_)


def test_the_paper_s_start_in_blocks(labelled):
    X, y = labelled
    with pytest.warns(ConvergenceWarning, match="5 of 8 variables are not used"):
        assert spdml.SPDML(2, paper=True, nu_b=1).fit(X, y).stop_ == "invariant"
    assert spdml.SPDML(2, paper=True, nu_b=1, init="mean").fit(X, y).stop_ != "invariant"


@pytest.mark.parametrize("named", [{"n_components": "some"}, {"nu_b": "few"}])
def test_other_words_than_auto(labelled, named):
    with pytest.raises(ValueError, match="auto"):
        spdml.SPDML(**named).fit(*labelled)
    with pytest.raises(ValueError, match="needs y"):
        spdml.SPDML("auto").fit(labelled[0])


def test_spdml_without_labels(X):
    assert spdml.SPDML(2).fit(X).transform(X).shape == (20, 2, 2)
    assert spdml.SPDML().fit(X).components_.shape == (2, 6)  # a third of 6


def test_random_state_decides_random_starts(labelled):
    X, y = labelled
    a, b, c = (spdml.SPDML(2, init="random", random_state=s, max_iter=1).fit(X, y).components_
               for s in (1, 1, 2))
    assert (a == b).all() and (a != c).any()
    d = spdml.SPDML(2, init="random", random_state=np.random.RandomState(3)).fit(X, y)
    assert d.components_.shape == (2, 8)


def test_start_given_as_an_array(labelled):
    X, y = labelled
    W = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 2)))[0]
    model = spdml.SPDML(2, init=W, max_iter=1).fit(X, y)
    other = spdml.SPDML(2, max_iter=1).fit(X, y)
    assert model.cost_history_[0] != other.cost_history_[0]


def test_a_callback_can_stop_a_fit(labelled):
    X, y = labelled
    costs = []

    def stop(iteration, cost):
        costs.append(cost)
        return iteration >= 2

    model = spdml.SPDML(2).fit(X, y, callback=stop)
    assert model.stop_ == "cancelled" and model.n_iter_ == 2 and len(costs) >= 2


def test_save_and_load(labelled, tmp_path):
    X, y = labelled
    model = spdml.SPDML(3, "airm", nu_b=2).fit(X, y)
    model.save(tmp_path / "map.spdml")
    loaded = spdml.SPDML.load(tmp_path / "map.spdml")
    np.testing.assert_array_equal(loaded.transform(X), model.transform(X))
    assert loaded.metric == "airm" and loaded.nu_b == 2 and loaded.n_components == 3
    clone(loaded).fit(X, y)
    with pytest.raises(OSError):
        spdml.SPDML.load(tmp_path / "absent.spdml")
    (tmp_path / "bad.spdml").write_bytes(b"no model")
    with pytest.raises(spdml.exceptions.FileFormatError, match="bad.spdml"):
        spdml.SPDML.load(tmp_path / "bad.spdml")


def test_pga_is_an_isometry_near_the_mean(X):
    pga = spdml.PGA(None).fit(X)
    Z = pga.transform(X)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), spdml.distance(X, pga.mean_)[:, 0], rtol=1e-9)
    np.testing.assert_allclose(pga.inverse_transform(Z), X, rtol=1e-9, atol=1e-10)
    assert (np.diff(pga.explained_variance_ratio_) <= 1e-15).all()
    assert pga.explained_variance_ratio_.sum() == pytest.approx(1)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-9)


def test_pipelines_and_grid_search(labelled):
    X, y = labelled
    pipeline = make_pipeline(spdml.SPDML(3), spdml.MDM())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    grid = {"spdml__n_components": [2, 3], "mdm__metric": ["airm", "stein"]}
    one = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    two = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.cv_results_["mean_test_score"],
                                  two.cv_results_["mean_test_score"])
    assert one.best_score_ > 0.8


def test_beside_pyriemann(rng):
    estimation = pytest.importorskip("pyriemann.estimation")
    from pyriemann.classification import MDM
    mixing = rng.standard_normal((2, 12, 12))
    signals = np.concatenate([m @ rng.standard_normal((15, 12, 80)) for m in mixing])
    y = np.repeat(["left", "right"], 15)
    pipeline = make_pipeline(estimation.Covariances("oas"), spdml.SPDML(8), MDM())
    assert cross_val_score(pipeline, signals, y, cv=3).mean() > 0.9
    np.testing.assert_allclose(spdml.covariances(signals, "oas"),
                               estimation.Covariances("oas").transform(signals), rtol=1e-10)


@pytest.mark.parametrize("method", ["nn-stein", "knn-airm", "mdm-airm", "rsr", "cdl", "cdl-lda",
                                    "pga", "ksvm-stein", "ts-lda", "ts-lr", "krr-stein",
                                    "krr-tangent", "krr-both", "nn-stein-ml", "pca-nn-airm",
                                    "nn-airm-csp"])
def test_methods_of_the_command(labelled, method):
    X, y = labelled
    values = {"m": 6} if method.endswith(("-ml", "-csp")) or method.startswith("pca") else {}
    fitted = spdml.SPDClassifier(method, **values).fit(X[:27], y[:27])
    assert fitted.score(X[27:], y[27:]) >= 0.6
    objective = fitted.parameters_.pop("objective", None)
    assert objective == ("softmax" if method.endswith("-ml") else None)
    assert all(np.isfinite(v) for v in fitted.parameters_.values())


def test_values_of_methods_can_be_searched(labelled):
    X, y = labelled
    search = GridSearchCV(spdml.SPDClassifier("nn-airm-ml"), [{"m": [2, 4]}, {"method": ["knn-stein"], "k": [1, 3]}],
                          cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4 and search.best_score_ > 0.8
