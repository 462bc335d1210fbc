"""Choosing: -m auto and --nu-b auto of fit, folds as a protocol of evaluate, what would be used on all
data as a command that runs, and words about tuning."""

import json
import os
import shlex

import learn_twins
import numpy as np
import pytest
import twins

metrics = pytest.importorskip("sklearn.metrics")


@pytest.fixture
def data(rng, tmp_path):
    """Three classes in 8 x 8 matrices, of five subjects."""
    X, y = learn_twins.classes(rng, 60, 8)
    who = np.array(list("abcde"))[np.arange(60) % 5]
    np.savez(tmp_path / "d.npz", X=X, y=np.array(["cat", "cow", "dog"])[y], who=who)
    return X, y, who


def paste(spdml, line):
    """Runs a command as it was printed."""
    words = shlex.split(line)
    assert words[0] == "spdml"
    return spdml(*words[1:])


# ---- fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [["-m", "auto"], ["-m", "auto", "--objective", "difference", "--nu-b", "auto"],
                                   ["-m", "auto", "--objective", "softmax", "--nu-b", "4"],
                                   ["-m", "3", "--objective", "difference", "--nu-b", "auto"],
                                   ["-m", "3", "--paper"],
                                   ["-m", "auto", "--paper", "--metric", "airm"]])
def test_the_fit_of_what_was_chosen(spdml, data, tmp_path, words):
    """As typed by hand; the command that is printed gives the same bits."""
    done = spdml("fit", "d.npz", *words, "-o", "m.spdml", "--max-iter", 30, "--json").good()
    chosen, shown = done.json["chosen"], done.json
    assert chosen["m"] == shown["m"] and "chose " in done.err
    if "auto" in words[1:2]:
        assert shown["m"] in (1, 2, 3, 4, 6) and f"-m {shown['m']}" in done.err
        assert 0 <= chosen["cv_accuracy_no_map"] <= 1
        assert chosen["no_map_instead"] == ("would work without" in done.err)
    if words[-1] == "auto" or "--nu-b" not in words:
        assert chosen.get("nu_b", shown["nu_b"]) == shown["nu_b"]
    assert chosen["settings"] == {("auto", None): 5, ("auto", "auto"): 30, ("auto", "4"): 5,
                                  ("3", "auto"): 6}.get(
        (words[1], words[words.index("--nu-b") + 1] if "--nu-b" in words else None)) or \
        "--paper" in words
    first = (tmp_path / "m.spdml").read_bytes()
    with np.load(tmp_path / "m.spdml") as z:
        W = z["W"]
    os.unlink(tmp_path / "m.spdml")
    assert "auto" not in shown["command"]
    again = paste(spdml, shown["command"]).good()
    assert "chose" not in again.err and len(first) > 0
    with np.load(tmp_path / "m.spdml") as z:
        assert z["W"].tobytes() == W.tobytes()


def test_the_race_is_that_of_a_method(spdml, data):
    """The same sizes, folds and rule as nn-stein-ml without no map."""
    chosen = spdml("fit", "d.npz", "-m", "auto", "-o", "m.spdml", "--json").good().json["chosen"]
    trained = spdml("train", "d.npz", "--method", "nn-stein-ml", "--grid", "m=1,2,3,4,6", "-o",
                    "t.spdml", "--json").good().json
    assert trained["parameters"]["m"] == chosen["m"]
    assert trained["cv_accuracy"] == chosen["cv_accuracy"]
    own = spdml("train", "d.npz", "--method", "nn-stein-ml", "--grid", f"m={chosen['m']},8", "-o",
                "t.spdml", "--json").good().json
    assert own["cv_accuracy_no_map"] == chosen["cv_accuracy_no_map"]
    assert (own["parameters"]["m"] == 8) == chosen["no_map_instead"]


def test_noise_is_said_to_need_no_map(spdml, tmp_path, rng):
    X = np.array([np.cov(rng.standard_normal((6, 30))) for _ in range(30)])
    np.savez(tmp_path / "n.npz", X=X, y=np.arange(30) % 2)
    done = spdml("fit", "n.npz", "-m", "auto", "-o", "m.spdml").good()
    assert "would work without one" in done.err and "the same again" in done.out


@pytest.mark.parametrize("words, tells", [
    (["-m", "auto", "--unsupervised"], "-m auto: needs labels"),
    (["-m", "some"], "--m some: must be a whole number"),
    (["-m", "auto", "--init", "start.spdml"], "cannot be used together"),
    ([], "-m N"),
])
def test_what_cannot_be_chosen(spdml, data, words, tells):
    spdml("fit", "d.npz", *words, "-o", "m.spdml").failed(tells, code=2)


def test_a_chosen_fit_is_resumed(spdml, data, tmp_path):
    words = ["fit", "d.npz", "-m", "auto", "-o", "m.spdml", "--json"]
    whole = spdml(*words).good().json
    spdml(*words, "--max-iter", 3, "--checkpoint", "c.npz").good()
    done = spdml(*words, "--resume", "c.npz", "--max-iter", 1000).good()
    assert done.json["m"] == whole["m"] and done.json["cost"] == whole["cost"]
    assert "chose" not in done.err and "chosen" not in done.json


# ---- talk ----------------------------------------------------------------------------------------


def test_talk_about_tuning_everywhere(spdml, data):
    for words in [["train", "d.npz", "--method", "nn-stein-ml", "-o", "m.spdml"],
                  ["fit", "d.npz", "-m", "auto", "-o", "m.spdml"],
                  ["evaluate", "d.npz", "--methods", "nn-stein-ml", "--outer-folds", "2"]]:
        assert "tuning: at most " in spdml(*words, "-v").good().err, words
        assert "tuning" not in spdml(*words).good().err, words


# ---- folds ---------------------------------------------------------------------------------------


def test_outer_folds_against_the_definition(spdml, data, tmp_path):
    X, y, who = data
    shown = spdml("evaluate", "d.npz", "--methods", "nn-airm", "--outer-folds", 4, "-o", "out",
                  "--no-report", "--json").good().json
    assert shown["protocol"] == "4 folds, each tested once" and shown["rounds"] == 4
    assert not shown["repeats_samples"]
    with np.load(tmp_path / "out/predictions.npz") as z:
        rounds, index, predicted = z["round"], z["index"], z["predicted-nn-airm"]
    assert sorted(index) == list(range(60))
    D = twins.pairwise2("airm", X, X)
    names = np.array(["cat", "cow", "dog"])
    for r in range(4):
        test = index[rounds == r]
        train = np.setdiff1d(np.arange(60), test)
        assert list(np.bincount(y[test])) == [5, 5, 5]
        nearest = names[y[train[D[np.ix_(test, train)].argmin(axis=1)]]]
        assert list(predicted[rounds == r]) == list(nearest)
        one = shown["results"][0]["rounds"][r]
        assert one["right"] == "".join("01"[int(k)] for k in nearest == names[y[test]])
        assert one["kappa"] == pytest.approx(metrics.cohen_kappa_score(names[y[test]], nearest))
        assert one["macro_f1"] == pytest.approx(
            metrics.f1_score(names[y[test]], nearest, average="macro"))
        assert one["auc"] is None


def test_outer_folds_keep_groups(spdml, data, tmp_path):
    X, y, who = data
    words = ["evaluate", "d.npz", "--methods", "nn-airm,nn-airm-ml", "-m", "3", "--outer-folds", 2,
             "--outer-groups", "who", "--repeats", 3, "-o", "out", "--no-report", "--json"]
    shown = spdml(*words).good().json
    assert shown["rounds"] == 6 and shown["fold_groups"] == "who" and shown["repeats_samples"]
    assert "who kept together, dealt 3 times" in shown["protocol"]
    with np.load(tmp_path / "out/predictions.npz") as z:
        rounds, index = z["round"], z["index"]
    for r in range(6):
        test = set(who[index[rounds == r]])
        assert 2 <= len(test) <= 3 and sum(rounds == r) == sum(np.isin(who, list(test)))
    assert spdml(*words).good().json["splits"] == shown["splits"]


@pytest.mark.parametrize("words, tells, code", [
    (["--outer-folds", "6", "--outer-groups", "who"], "only 5 values of who", 1),
    (["--outer-folds", "61"], "61 folds", 1),
    (["--outer-folds", "1"], "--outer-folds 1", 2),
    (["--outer-folds", "2", "--split", "0.5"], "not several", 2),
    (["--split", "0.5", "--outer-groups", "who"], "--outer-groups belongs", 2),
    (["--outer-folds", "2", "--outer-groups", "whom"], "no column 'whom'", 1),
])
def test_folds_that_cannot_be(spdml, data, words, tells, code):
    spdml("evaluate", "d.npz", "--methods", "nn-airm", *words).failed(tells, code=code)


# ---- on all data ---------------------------------------------------------------------------------


@pytest.mark.parametrize("methods, words", [
    ("nn-stein,nn-stein-ml,rsr,rsr-ml", []),
    ("nn-stein-ml,rsr", ["--cv", "3", "--cv-groups", "who"]),
    ("nn-stein-ml,rsr-ml", ["--grid", "m=2,3", "--seed", "3"]),
    ("nn-airm-ml,rsr-ml", ["--paper", "--grid", "m=2,3"]),
    ("rsr,rsr-ml", ["--grid", "lambda=0.01"]),
    ("mdm,rsr", ["--x", "covs", "--y", "label"])])
def test_the_setting_for_all_data(spdml, data, tmp_path, methods, words):
    """It is what most rounds chose, of equals the best in cross-validation, and the command trains it so."""
    np.savez(tmp_path / "my data's.npz", covs=data[0], label=data[1])
    file = "my data's.npz" if "--x" in words else "d.npz"
    done = spdml("evaluate", file, "--methods", methods, "--split", "0.5", "--repeats", 3, *words,
                 "--final", "all", "--json").good().json
    assert len(done["final"]) == len(methods.split(","))
    for final, result in zip(done["final"], done["results"], strict=True):
        tuned = final["parameters"]
        like = [[r for r in result["rounds"] if all(r["parameters"][k] == one["parameters"][k] for k in tuned)]
                for one in result["rounds"]]
        most = max(len(rounds) for rounds in like)
        rank = [(len(r), sum(one.get("cv_accuracy") or 0.0 for one in r)) for r in like]
        mine = next(rounds for rounds in like if all(rounds[0]["parameters"][k] == tuned[k] for k in tuned))
        assert final["method"] == result["method"] and final["rounds"] == 3
        assert final["chosen_in"] == most == len(mine)
        assert rank[like.index(mine)][1] == pytest.approx(max(c for n, c in rank if n == most))
        assert final["accuracy"] == pytest.approx(np.mean([r["accuracy"] for r in mine]))
        assert final["command"].endswith(f"-o {final['method']}.spdml")
        paste(spdml, final["command"]).good()
        trained = spdml("info", f"{final['method']}.spdml", "--json").good().json
        assert tuned.items() <= trained["parameters"].items()


def test_the_best_method_is_named_last(spdml, data, tmp_path):
    words = ["evaluate", "d.npz", "--methods", "nn-euclidean,rsr", "--split", "0.5", "--repeats", 2,
             "-o", "out", "--no-report"]
    done = spdml(*words).good()
    saved = json.loads((tmp_path / "out/results.json").read_text())
    best = max(saved["results"], key=lambda r: r["accuracy_mean"])["method"]
    final, = json.loads((tmp_path / "out/final.json").read_text())
    assert final["method"] == best
    assert done.out.rstrip().endswith("  " + final["command"])
    assert f"on all data: {best}" in done.out
    none = spdml(*words, "--final", "none").good()
    assert "on all data" not in none.out
    assert not (tmp_path / "out/final.json").exists()
    moved = spdml(*words, "--recenter", "who").good()
    line = moved.out.rstrip().splitlines()[-1]
    assert line.startswith("  spdml train d.npz --method") and "--recenter who" in line
