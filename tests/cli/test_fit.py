"""`spdml fit`: the golden case, stopping, starts, what is written, and bad input."""

import csv
import json
import os
import signal
import subprocess
import time

import golden_fit as golden
import learn_twins as twin
import numpy as np
import pytest
import twins
from conftest import random_spd, rewrite

KEYS = ["cost_start", "cost", "iterations", "data_passes", "gradient_norm", "stop", "pairs_within",
        "pairs_between", "seconds_graph", "seconds_fit", "m", "n", "metric", "nu_w", "nu_b"]


@pytest.fixture
def fit(spdml):
    """Runs fit with --json; on one thread, as the sets are small, unless told otherwise."""

    def run(data, *words, output="m.spdml"):
        return spdml("fit", "--threads", 1, data, *words, "-o", output, "--json")

    return run


@pytest.fixture
def data(tmp_path, rng):
    """Three classes of 7 x 7 matrices in d.npz."""
    X, y = twin.classes(rng)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    return X, y


def map_of(path):
    with np.load(path) as file:
        return file["W"]


@pytest.mark.parametrize("metric", ["stein", "airm"])
def test_golden_case(fit, tmp_path, metric):
    np.savez(tmp_path / "g.npz", X=golden.matrices(), y=golden.y)
    shown = fit("g.npz", "-m", golden.M, "--metric", metric, "--nu-w", golden.NU_W, "--nu-b",
                golden.NU_B, "--paper", "--tol", 0).good().json
    assert shown["cost"] <= golden.fit_cost[metric] + 1e-7 * abs(golden.fit_cost[metric])
    assert (shown["pairs_within"], shown["pairs_between"]) == golden.pairs[metric]
    W = map_of(tmp_path / "m.spdml")
    assert np.abs(W.T @ W - np.eye(golden.M)).max() < 1e-12


@pytest.mark.parametrize("metric", ["stein", "airm", "jeffrey", "log-euclidean"])
def test_every_metric(fit, tmp_path, data, metric):
    shown = fit("d.npz", "-m", 3, "--metric", metric, "--nu-w", 3, "--nu-b", 2).good().json
    assert [key for key in KEYS if key not in shown] == []
    assert shown["cost"] < shown["cost_start"] and shown["metric"] == metric
    assert (shown["n"], shown["m"], shown["nu_w"], shown["nu_b"]) == (7, 3, 3, 2)
    W = map_of(tmp_path / "m.spdml")
    assert W.shape == (7, 3) and np.abs(W.T @ W - np.eye(3)).max() < 1e-12


@pytest.mark.parametrize("metric", ["stein", "airm"])
def test_says_what_the_map_gained(fit, spdml, tmp_path, data, metric):
    """The share of matrices whose nearest other one has their class, without and with the map."""
    X, y = data
    shown = fit("d.npz", "-m", 2, "--metric", metric).good().json["nearest_right"]
    W = map_of(tmp_path / "m.spdml")
    for name, matrices in [("before", X), ("after", W.T @ X @ W)]:
        D = twins.pairwise2(metric, matrices, matrices)
        np.fill_diagonal(D, np.inf)
        assert shown[name] == np.mean(y[D.argmin(axis=1)] == y), name
    assert shown["samples"] == len(X)
    said = spdml("fit", "d.npz", "-m", 2, "--metric", metric, "-o", "m.spdml").good().out
    assert f"{100 * shown['before']:.1f} % right before the map, {100 * shown['after']:.1f} % after" in said
    np.savez(tmp_path / "u.npz", X=X)
    assert "nearest_right" not in fit("u.npz", "-m", 2, "--unsupervised").good().json


def test_what_a_map_gained_of_a_large_set(fit, tmp_path, rng):
    """Some of every class, evenly."""
    X, y = random_spd(rng, 200, 100), np.arange(200) % 3
    np.savez(tmp_path / "l.npz", X=X, y=np.where(y == 2, 7, y))
    shown = fit("l.npz", "-m", 2, "--max-iter", 1).good().json["nearest_right"]
    index = np.argsort(y, kind="stable")[(np.arange(141) * (200 / 141)).astype(int)]
    W = map_of(tmp_path / "m.spdml")
    for name, matrices in [("before", X[index]), ("after", W.T @ X[index] @ W)]:
        D = twins.pairwise2("stein", matrices, matrices)
        np.fill_diagonal(D, np.inf)
        assert shown[name] == np.mean(y[index][D.argmin(axis=1)] == y[index]), name
    assert shown["samples"] == 141


def test_exact_log_euclidean(fit, spdml, tmp_path, data):
    """It falls below the approximation in its own terms, and every file says which it is."""
    words = ["d.npz", "-m", 3, "--metric", "log-euclidean", "--nu-w", 3, "--nu-b", 2]
    assert fit(*words).good().json["log_cost"] == "approximate"
    assert fit(*words, "--log-cost", "approximate", output="same.spdml").good()
    assert map_of(tmp_path / "m.spdml").tobytes() == map_of(tmp_path / "same.spdml").tobytes()
    cost = ["--metric", "log-euclidean", "--nu-w", 3, "--nu-b", 2, "--log-cost", "exact", "--json"]
    before = spdml("cost", "d.npz", "--w", "m.spdml", *cost).good().json["cost"]
    shown = fit(*words, "--log-cost", "exact", "--init", "m.spdml", output="e.spdml").good().json
    assert shown["cost_start"] == pytest.approx(before, rel=1e-9)
    assert shown["cost"] < before and shown["log_cost"] == "exact"
    assert spdml("info", "e.spdml", "--json").good().json["log_cost"] == "exact"
    assert "exact" in spdml("info", "e.spdml").good().out
    variance = ["d.npz", "-m", 3, "--metric", "log-euclidean", "--unsupervised", "variance"]
    fit(*variance).failed("--unsupervised variance", "--log-cost exact", code=2)
    assert fit(*variance, "--log-cost", "exact").good().json["learning"] == "variance"
    fit("d.npz", "-m", 3, "--log-cost", "exact").failed("--log-cost", "log-euclidean", code=2)
    assert "log_cost" not in fit("d.npz", "-m", 3).good().json


@pytest.mark.parametrize("key, value", [
    ("objective", "ratio"), ("objective", "log-margin"), ("solver", "hestenes-stiefel"),
    ("solver", "fletcher-reeves"), ("solver", "hager-zhang"), ("transport", "projection"), ("rebuild_graph", 2), ("candidates", 150),
    ("affinity_weight", 0.5), ("graph", "directed")])
def test_what_left_is_refused_by_name(fit, spdml, tmp_path, data, key, value):
    """Models, checkpoints and trained methods of older versions: with the way out."""
    told = (f"was learned with the {key} {value}", "learn it again", "the version that made it, 0.0.9")
    fit("d.npz", "-m", 3, "--max-iter", 2, "--checkpoint", "c.npz").good()
    spdml("train", "d.npz", "--method", "nn-stein-ml", "-m", 2, "-o", "t.spdml").good()
    rewrite(tmp_path / "m.spdml", lambda meta: meta.update({key: value, "version": "0.0.9"}))
    rewrite(tmp_path / "c.npz", lambda meta: (meta["now"].update({key: value}), meta.update(version="0.0.9")))
    rewrite(tmp_path / "t.spdml", lambda meta: (meta.update(inner={key: value}), meta.update(version="0.0.9")))
    spdml("info", "m.spdml").failed("m.spdml", *told)
    spdml("transform", "m.spdml", "d.npz", "-o", "low.npz").failed("m.spdml", *told)
    spdml("fit", "d.npz", "--resume", "c.npz", "-o", "n.spdml").failed("c.npz", *told)
    spdml("predict", "t.spdml", "d.npz").failed("t.spdml", *told)


def test_models_from_before_there_were_two_costs(fit, spdml, tmp_path, data):
    fit("d.npz", "-m", 3, "--metric", "log-euclidean").good()
    rewrite(tmp_path / "m.spdml", lambda meta: [meta.pop(key) for key in ("log_cost", "starts")])
    assert spdml("info", "m.spdml", "--json").good().json["log_cost"] == "approximate"
    spdml("transform", "m.spdml", "d.npz", "-o", "low.npz").good()


def test_time_ends_restarts(fit, spdml, data):
    """No timing: any time is over after a moment, and none of a million starts follows."""
    for more in [[], ["--max-iter", 0], ["--metric", "log-euclidean"], ["--unsupervised", "variance"]]:
        done = fit("d.npz", "-m", 3, "--restarts", 1000000, "--max-time", 1e-9, *more).good()
        assert "--max-time" in done.err and "1 of 1000000 starts" in done.err
        assert done.json["starts"] == 1 and done.json["restarts"] == 1000000
        assert done.json["stop"] == ("iterations" if "--max-iter" in more else "time")
        assert "1 of 1000000 starts" in spdml("info", "m.spdml").good().out


def test_defaults_of_the_graph(fit, data):
    """Softmax among all, whatever the numbers of neighbours; the paper's where it is asked for."""
    usual = fit("d.npz", "-m", 3).good().json
    assert (usual["objective"], usual["nu_w"], usual["nu_b"]) == ("softmax", 9, 20)
    assert usual["init"] in ("mean", "csp") and usual["coordinates"] == "within"
    assert usual["solver"] == "lbfgs"
    paper = fit("d.npz", "-m", 3, "--paper", "--nu-b", 4).good().json
    assert (paper["objective"], paper["nu_w"], paper["nu_b"]) == ("difference", 10, 4)
    assert (paper["init"], paper["coordinates"]) == ("identity", "plain")
    assert paper["solver"] == "polak-ribiere"
    numbers = fit("d.npz", "-m", 3, "--nu-b", 2).good().json
    assert (numbers["objective"], numbers["nu_w"], numbers["nu_b"]) == ("softmax", 9, 2)
    same = fit("d.npz", "-m", 3, "--nu-w", usual["nu_w"], "--nu-b", usual["nu_b"]).good().json
    assert (same["objective"], same["cost"]) == ("softmax", usual["cost"])
    other = fit("d.npz", "-m", 3, "--paper", "--objective", "softmax", "--init", "csp").good().json
    assert (other["objective"], other["init"], other["nu_w"]) == ("softmax", "csp", 9)


@pytest.mark.parametrize("metric", [["stein"], ["airm"], ["log-euclidean"],
                                    ["log-euclidean", "--log-cost", "exact"]])
def test_same_bits_for_any_threads(fit, tmp_path, data, metric):
    for threads in (1, 2):
        fit("d.npz", "-m", 3, "--metric", *metric, "--threads", threads,
            output=f"{threads}.spdml").good()
    assert map_of(tmp_path / "1.spdml").tobytes() == map_of(tmp_path / "2.spdml").tobytes()


@pytest.mark.parametrize("words, stop", [
    (["--max-iter", 3], "iterations"), (["--tol", 0.05], "tolerance"), (["--tol", 0, "--max-time", 0.0005], "time")])
def test_reasons_to_stop(fit, spdml, data, words, stop):
    shown = fit("d.npz", "-m", 3, *words).good().json
    assert shown["stop"] == stop
    assert spdml("info", "m.spdml", "--json").good().json["stop"] == stop
    if stop == "iterations":
        assert shown["iterations"] == 3
    assert shown["converged"] == (stop == "tolerance")
    if shown["iterations"] < 8:
        assert shown["gain_left"] is None  # so few steps tell nothing
    else:
        assert shown["gain_left"] > 0


def faces(rng, p=24, blocks=3, size=4):
    """Block-diagonal matrices of two classes, which differ in the last block."""
    X = np.zeros((p, blocks * size, blocks * size))
    for b in range(blocks):
        rows = slice(b * size, (b + 1) * size)
        X[:, rows, rows] = random_spd(rng, p, size)
    X[1::2, -1] *= 2
    X[1::2, :, -1] *= 2
    return X, np.arange(p) % 2


def test_stein_s_map_in_the_paper_s_setting_is_turned(fit, tmp_path, rng):
    """It begins at the identity, but the start of the fit under AIRM is not the identity."""
    X, y = faces(rng)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    fit("b.npz", "-m", 3, "--paper", "--nu-b", 1, "--metric", "airm", "--init", "stein").good()
    assert (map_of(tmp_path / "m.spdml") != 0).all()


def test_blocks_are_left(fit, spdml, tmp_path, rng):
    """Any start ends below the best that the paper's, which cannot leave its block, can reach."""
    X, y = faces(rng)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    stuck = fit("b.npz", "-m", 3, "--paper", "--nu-b", 1)
    shown = stuck.good().json
    assert shown["stop"] == "invariant" and not shown["converged"] and shown["gain_left"] is None
    assert (map_of(tmp_path / "m.spdml")[4:] == 0).all()
    assert "8 of 12 variables are not used; --init random or --init mean" in stuck.err
    text = spdml("info", "m.spdml").good().out
    assert "not converged, W cannot leave the subspaces of its start" in text
    assert "(--init random)" in text
    for init in ("mean", "csp", "random"):
        found = fit("b.npz", "-m", 3, "--paper", "--nu-b", 1, "--init", init).good()
        assert found.json["cost"] < shown["cost"] and found.json["stop"] != "invariant"
        assert not found.err and (map_of(tmp_path / "m.spdml") != 0).all()


def test_evaluation_says_what_a_start_does_not_reach(spdml, tmp_path, rng):
    X, y = faces(rng)
    np.savez(tmp_path / "b.npz", X=X, y=y)
    words = ["evaluate", "b.npz", "--methods", "nn-stein,nn-stein-ml", "--split", 0.5, "--repeats", 2,
             "--final", "none", "--paper", "--grid", "m=3", "--grid", "nu-b=1", "--cv", 2]
    told = spdml(*words).good().err
    assert told.count("variables are not used") == 1 and "nn-stein-ml: " in told
    assert not spdml(*words, "--init", "random").good().err


def test_a_limit_is_told_with_what_it_cost(fit, spdml, data):
    """The estimate is positive, and of the size of what is left."""
    words = ["-m", 3, "--objective", "difference", "--nu-w", 3, "--nu-b", 2, "--paper"]
    best = fit("d.npz", *words, "--tol", 0, "--max-iter", 2000).good().json
    shown = fit("d.npz", *words, "--max-iter", 12).good().json
    left = shown["cost"] - best["cost"]
    assert not shown["converged"] and left / 10 < shown["gain_left"] < 10 * left
    for text in (spdml("fit", "d.npz", *words, "--max-iter", 12, "-o", "m.spdml").good().out,
                 spdml("info", "m.spdml").good().out):
        assert "not converged, the limit on iterations (--max-iter)" in text
        assert "left to gain" in text and "(an estimate)" in text
    done = spdml("fit", "d.npz", *words, "--tol", 1e-3, "-o", "m.spdml").good().out
    assert "tolerance: converged" in done and "left to gain" not in done


def test_classes_of_one_sample(spdml, tmp_path, data):
    """They take part in pairs between classes; where there is nothing else, that is refused."""
    X, y = data
    y = y.copy()
    y[0] = y.max() + 1
    np.savez(tmp_path / "one.npz", X=X, y=y)
    spdml("fit", "one.npz", "-m", 3, "--max-iter", 5, "--nu-w", 3, "--nu-b", 3, "-o",
          "m.spdml").good()
    np.savez(tmp_path / "all.npz", X=X, y=np.arange(len(y)))
    spdml("fit", "all.npz", "-m", 3, "-o", "m.spdml").failed("class")


def test_history(fit, tmp_path, data):
    shown = fit("d.npz", "-m", 3, "--max-iter", 9, "--history", "h.csv").good().json
    with open(tmp_path / "h.csv") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["iteration", "cost", "gradient_norm", "step", "seconds", "probes"]
    assert [int(row["iteration"]) for row in rows] == list(range(shown["iterations"] + 1))
    cost = [float(row["cost"]) for row in rows]
    assert cost[0] == shown["cost_start"] and cost[-1] == shown["cost"]
    assert sorted(cost, reverse=True) == cost
    assert all(int(row["probes"]) >= 1 for row in rows[1:])


def test_starts(fit, tmp_path, data):
    costs = {}
    for init in ("identity", "mean", "random"):
        costs[init] = fit("d.npz", "-m", 3, "--init", init).good().json["cost_start"]
    assert len(set(costs.values())) == 3
    first = fit("d.npz", "-m", 3, "--max-iter", 5, output="a.spdml").good().json
    second = fit("d.npz", "-m", 3, "--init", "a.spdml").good().json
    assert second["cost_start"] == pytest.approx(first["cost"], rel=1e-10)
    assert second["cost"] < first["cost"] and second["init"] == "given"


def test_seed_and_restarts(fit, data):
    words = ["-m", 2, "--init", "random", "--max-iter", 30]
    seeds = [fit("d.npz", *words, "--seed", seed).good().json["cost"] for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert fit("d.npz", *words, "--restarts", 4).good().json["cost"] <= seeds[0]


def test_candidates_of_few(fit, tmp_path, rng):
    """A class of one and samples without a label: what there is counts, or a message says why
    nothing does."""
    X, y = twin.classes(rng, 24, 6)
    y = np.array([f"c{k}" for k in y])
    y[:4] = "?"
    y[5] = "alone"
    np.savez(tmp_path / "e.npz", X=X, y=y)
    words = ["e.npz", "-m", 3, "--objective", "softmax", "--unlabelled", "?"]
    shown = fit(*words).good().json
    assert shown["cost"] < shown["cost_start"]
    fit("e.npz", "-m", 3, "--objective", "softmax", "--unsupervised").good()
    fit("e.npz", "-m", 3, "--objective", "softmax", "--unsupervised", "variance").failed(
        "softmax", "variance")
    shown = fit("e.npz", "-m", 3, "--objective", "softmax", "--metric", "log-euclidean").good().json
    assert shown["log_cost"] == "approximate" and shown["cost"] < shown["cost_start"]


def test_nu_b_auto(fit, spdml, data):
    done = fit("d.npz", "-m", 3, "--objective", "difference", "--nu-w", 3, "--nu-b", "auto").good()
    assert done.json["nu_b"] in (1, 2, 3)
    assert f"--nu-b {done.json['nu_b']}" in done.err and "5-fold" in done.err
    fit("d.npz", "-m", 3, "--nu-b", "auto").failed("--nu-b auto", "--objective difference", code=2)


@pytest.mark.parametrize("words", [[], ["--nu-b", "auto"], ["--nu-w", 2], ["--metric", "airm"]])
def test_the_paper_chooses_nu_b(fit, tmp_path, rng, words):
    """By cross-validation, and no more than nu_w: the smallest class, or what is given."""
    X, y = twin.classes(rng, 30, 7)
    np.savez(tmp_path / "e.npz", X=X, y=np.where(np.arange(30) < 4, 3, y))
    done = fit("e.npz", "-m", 3, "--paper", *words).good()
    most = 2 if "--nu-w" in words else done.json["nu_w"]
    assert done.json["nu_w"] == most <= 4 and 1 <= done.json["nu_b"] <= most
    assert f"chose --nu-b {done.json['nu_b']} among {min(most, 3)} candidates" in done.err  # of folds
    assert done.json["chosen"]["nu_b"] == done.json["nu_b"] and done.json["objective"] == "difference"


def test_the_paper_without_memory(fit, data, tmp_path):
    """Sets that are read piece by piece have the default, and it is said."""
    X = np.array([np.kron(np.eye(3), x) for x in data[0]], np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", data[1])
    done = fit("x.npy", "--labels", "y.npy", "--memory", 12 * X.size, "-m", 3, "--paper").good()
    assert done.json["nu_b"] == 3 and "not chosen by cross-validation" in done.err


def test_own_graph(fit, tmp_path, data):
    np.savez(tmp_path / "A.npz", i=np.arange(29), j=np.arange(1, 30),
             value=np.where(np.arange(29) % 2, 1.0, -1.0))
    shown = fit("d.npz", "-m", 3, "--affinity", "A.npz").good().json
    assert (shown["pairs_within"], shown["pairs_between"]) == (14, 15)
    assert shown["learning"] == "own-graph" and shown["cost"] < shown["cost_start"]
    fit("d.npz", "-m", 3, "--affinity", "A.npz", "--unsupervised").failed("cannot be used together", code=2)


def test_own_graph_needs_no_labels(fit, data, tmp_path):
    np.save(tmp_path / "x.npy", data[0])
    np.savez(tmp_path / "A.npz", i=[0, 0, 2], j=[1, 2, 3], value=[1.0, -1.0, 0.5])
    shown = fit("x.npy", "-m", 3, "--affinity", "A.npz").good().json
    assert (shown["pairs_within"], shown["pairs_between"]) == (2, 1)
    fit("x.npy", "-m", 3).failed("label")


# ---- without all or some labels ----------------------------------------------------------------


def planted(rng, p=60, n=8, m=2, classes=3):
    """Matrices whose classes differ in a hidden m-dimensional subspace alone; the rest is a common
    matrix with a little noise."""
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    y = np.arange(p) % classes
    centres = random_spd(rng, classes, m, 1.5)
    X = np.empty((p, n, n))
    for i in range(p):
        B = np.eye(n)
        B[:m, :m] = centres[y[i]]
        noise = np.eye(n) + 0.05 * rng.standard_normal((n, n))
        X[i] = Q @ noise @ B @ noise.T @ Q.T
    return (X + X.transpose(0, 2, 1)) / 2, y, Q[:, :m]


def overlap(W, V):
    """1 when the columns of W span those of V, 0 when they are orthogonal."""
    return np.linalg.norm(W.T @ V) ** 2 / V.shape[1]


@pytest.mark.parametrize("kind", [[], ["graph"], ["variance"]])
def test_unsupervised_finds_a_planted_subspace(fit, tmp_path, rng, kind):
    X, _, V = planted(rng)
    np.savez(tmp_path / "p.npz", X=X)
    shown = fit("--unsupervised", *kind, "p.npz", "-m", 2, "--init", "mean", "--restarts",
                3).good().json
    assert shown["learning"] == ("variance" if kind == ["variance"] else "unsupervised")
    assert overlap(map_of(tmp_path / "m.spdml"), V) > 0.95


def test_unlabelled_samples(fit, tmp_path, rng):
    X, y, V = planted(rng)
    hidden = np.where(np.arange(60) < 12, y, -1)
    np.savez(tmp_path / "s.npz", X=X, y=hidden)
    words = ["-m", 2, "--objective", "difference", "--nu-w", 3, "--nu-b", 2]
    shown = fit("s.npz", *words, "--unlabelled", -1, "--init", "mean").good().json
    assert overlap(map_of(tmp_path / "m.spdml"), V) > 0.95
    assert shown["classes"] == len(set(y[:12])) and shown["unlabelled"] == 48
    known = fit("s.npz", *words).good().json
    assert known["pairs_between"] != shown["pairs_between"]
    assert known["classes"] == shown["classes"] + 1 and known["unlabelled"] == 0


def test_candidates_have_labels(fit, tmp_path, rng):
    """By default all that have one: of 60 samples 40, ten of them of the sample's own class."""
    X, y = twin.classes(rng, 60, 5)
    y = np.where(np.arange(60) < 40, np.arange(60) % 4, -1)
    np.savez(tmp_path / "s.npz", X=X, y=y)
    shown = fit("s.npz", "-m", 2, "--unlabelled", -1, "--max-iter", 1).good().json
    assert (shown["nu_w"], shown["nu_b"]) == (9, 30)


def test_unlabelled_value_that_no_sample_has(fit, data):
    done = fit("d.npz", "-m", 3, "--unlabelled", "none", "--max-iter", 2).good()
    assert "no matrix has the label none" in done.err


# ---- bad input ----------------------------------------------------------------------------------


def test_misuse(spdml, data):
    spdml("fit", "d.npz", "-m", 3).failed("fit needs --output FILE", code=2)
    spdml("fit", "d.npz", "-o", "m.spdml").failed("fit needs -m N", code=2)
    for words, tells in [
        (["-m", 0], "--m 0"), (["-m", -1], "--m -1"), (["--nu-w", 0], "--nu-w 0"),
        (["--nu-b", 0], "--nu-b 0"), (["--nu-b", "x"], "--nu-b x"), (["--init", "up"], "--init up"),
        (["--metric", "euclidean"], "--metric euclidean"),
        (["--checkpoint-every", "soon"], "--checkpoint-every soon"),
        (["--checkpoint-every", "-1s"], "--checkpoint-every -1s"),
        (["--unsupervised=neither"], "neither"), (["--tol", -1], "--tol -1"),
        (["--unsupervised", "--nu-b", "auto"], "--nu-b auto"), (["--restarts", 0], "--restarts 0"),
        (["--history", "h.txt"], ".csv"),
    ]:
        spdml("fit", "d.npz", "-m", 3, "-o", "m.spdml", *words).failed(tells, code=2)
    spdml("fit", "d.npz", "-m", 3, "-o", "m.npz").failed(".spdml", code=2)


@pytest.mark.parametrize("m", [7, 8, 100])
def test_m_too_large(fit, tmp_path, data, m):
    fit("d.npz", "-m", m).failed("d.npz", f"-m {m}", "7 x 7")
    assert not (tmp_path / "m.spdml").exists()


@pytest.mark.parametrize("y, tells", [
    (np.zeros(30, int), ["same", "two classes"]),
    (np.arange(30), ["one sample"]),
    (np.full(30, -1), ["label"]),
])
def test_labels_that_teach_nothing(fit, tmp_path, data, y, tells):
    np.savez(tmp_path / "e.npz", X=data[0], y=y)
    fit("e.npz", "-m", 3, "--unlabelled", -1, "-q").failed("e.npz", *tells)


def test_labels_missing(fit, tmp_path, data):
    np.savez(tmp_path / "e.npz", X=data[0])
    fit("e.npz", "-m", 3).failed("e.npz", "no labels", "--labels", "--unsupervised")


def test_neighbours_beyond_what_there_are(fit, data):
    """Every sample gives what it has: all pairs within, all pairs between."""
    shown = fit("d.npz", "-m", 3, "--nu-w", 1000, "--nu-b", 1000, "--max-iter", 3).good().json
    assert shown["pairs_within"] == 3 * 45 and shown["pairs_between"] == 3 * 100


@pytest.mark.parametrize("metric", ["stein", "airm", "jeffrey", "log-euclidean"])
def test_constant_data(fit, tmp_path, data, metric):
    """No distance, no gradient but rounding errors: it ends soon, near the start."""
    np.savez(tmp_path / "e.npz", X=np.tile(data[0][:1], (30, 1, 1)), y=data[1])
    for options in ([], ["--objective", "difference"]):
        shown = fit("e.npz", "-m", 3, "--metric", metric, *options).good().json
        assert shown["stop"] in ("gradient", "tolerance", "line-search")
        assert shown["iterations"] < 20
    assert shown["cost"] == pytest.approx(0, abs=1e-9)


def test_singular_matrices(fit, tmp_path, data):
    X = data[0].copy()
    v = np.eye(7)[0]
    X[17] = 5 * np.outer(v, v)
    np.savez(tmp_path / "e.npz", X=X, y=data[1])
    fit("e.npz", "-m", 3).failed("e.npz", "X[17]", "not positive definite", "--regularize")
    fit("e.npz", "-m", 3, "--regularize", 1e-3).good()


def test_start_of_another_size(fit, tmp_path, data, rng):
    fit("d.npz", "-m", 3, "--max-iter", 1, output="a.spdml").good()
    fit("d.npz", "-m", 4, "--init", "a.spdml").failed("a.spdml", "7 x 7 matrices to 3 x 3",
                                                      "4 x 4")
    fit("d.npz", "-m", 4, "--init", "none.spdml").failed("none.spdml", "No such file")


def test_folders_are_checked_before_the_work(spdml, data):
    words = ["fit", "d.npz", "-m", 3]
    spdml(*words, "-o", "no/m.spdml").failed("no/m.spdml", "folder")
    spdml(*words, "-o", "m.spdml", "--history", "no/h.csv").failed("no/h.csv", "folder")
    spdml(*words, "-o", "m.spdml", "--checkpoint", "no/c.npz").failed("no/c.npz", "folder")


# ---- Ctrl-C -------------------------------------------------------------------------------------


def test_interrupt_leaves_the_best_map(command, spdml, tmp_path, rng):
    X, y = twin.classes(rng, 300, 30)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    work = subprocess.Popen(
        [command, "fit", "d.npz", "-m", "10", "-o", "m.spdml", "--tol", "0",
         "--max-iter", "1000000", "--checkpoint", "c.npz", "--checkpoint-every", "1h", "--json"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (tmp_path / "c.npz").exists():
        assert work.poll() is None, work.stderr.read()
        time.sleep(0.01)
    time.sleep(0.2)
    work.send_signal(signal.SIGINT)
    out, err = work.communicate(timeout=600)
    assert work.returncode == 130, err
    assert b"interrupted" in err and b"m.spdml" in err
    shown = json.loads(out)
    assert shown["stop"] == "cancelled" and shown["cost"] < shown["cost_start"]
    info = spdml("info", "m.spdml", "--json").good().json
    assert info["stop"] == "cancelled" and info["cost"] == shown["cost"]
    assert spdml("info", "c.npz", "--json").good().json["iterations"] == info["iterations"]
    assert sorted(os.listdir(tmp_path)) == ["c.npz", "d.npz", "m.spdml"]


def test_graphs_of_large_sets(spdml, fit, tmp_path, rng):
    F = rng.standard_normal((600, 5, 8))
    y = rng.integers(0, 3, 600)
    X = F @ F.transpose(0, 2, 1) + 0.1 * np.eye(5) + y[:, None, None] * np.eye(5)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    words = ["d.npz", "-m", 2, "--max-iter", 3]
    exact = fit(*words).good().json
    assert (exact["search"], exact["recall"]) == ("exact", 1)
    near = fit(*words, "--search", "approximate").good().json
    assert near["search"] == "approximate" and 0.9 < near["recall"] <= 1
    assert near["cost"] == pytest.approx(exact["cost"], rel=0.02)
    shown = spdml("info", "m.spdml").good().out
    assert "of the neighbours are the true ones" in shown
