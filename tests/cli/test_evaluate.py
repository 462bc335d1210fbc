"""spdml evaluate: protocols, tuning, scores, files, and what cannot be evaluated."""

import csv
import json
import os
import re
import shlex

import numpy as np
import pytest
from twins import distance2

SUBJECTS = ["ann", "bob", "cat", "dan"]


def classes(rng, each=16, n=5, kinds=3, spread=0.5):
    """SPD matrices whose class moves the first two coordinates; subjects in turn."""
    X, y, subject, session = [], [], [], []
    for i in range(each * kinds):
        c = i % kinds
        A = spread * rng.standard_normal((n, n))
        A = (A + A.T) / 2
        A[0, 0] += 1.0 * c
        A[1, 1] -= 0.8 * (c == 1)
        w, V = np.linalg.eigh(A)
        X.append(V * np.exp(w) @ V.T)
        y.append("abc"[c])
        subject.append(SUBJECTS[i // kinds % 4])
        session.append(i // kinds % 2 + 1)
    X = np.array(X)
    return {
        "X": (X + X.transpose(0, 2, 1)) / 2,
        "y": np.array(y),
        "subject": np.array(subject),
        "session": np.array(session),
    }


@pytest.fixture
def data(rng, tmp_path):
    made = classes(rng)
    np.savez(tmp_path / "data.npz", **made)
    return made


def nearest(metric, X, y, train, test):
    """The class of the nearest training matrix, by the definition of the metric."""
    found = []
    for i in np.flatnonzero(test):
        where = np.flatnonzero(train)
        found.append(y[where[np.argmin([distance2(metric, X[i], X[j]) for j in where])]])
    return np.array(found)


WHERE = ["--train-where", "subject=ann,bob", "--test-where", "subject=cat,dan"]


def test_clauses_against_the_definition(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm,nn-stein", *WHERE, "--by", "subject",
                "--json").good().json
    train = np.isin(data["subject"], ["ann", "bob"])
    for result, metric in zip(got["results"], ["airm", "stein"]):
        found = nearest(metric, data["X"], data["y"], train, ~train)
        right = found == data["y"][~train]
        assert result["method"] == f"nn-{metric}"
        assert result["accuracy_mean"] == pytest.approx(right.mean(), abs=1e-15)
        assert result["accuracy_std"] == 0 and result["parameters"] == {}
        assert result["rounds"][0]["correct"] == right.sum()
        recalls = [right[data["y"][~train] == c].mean() for c in "abc"]
        assert result["balanced_accuracy_mean"] == pytest.approx(np.mean(recalls), abs=1e-15)
        for who in ["cat", "dan"]:
            here = right[data["subject"][~train] == who]
            assert result["by"][who] == pytest.approx(here.mean(), abs=1e-15)
        assert set(result["by"]) == {"cat", "dan"}
        assert result["fit_seconds"] >= 0 and result["test_seconds"] > 0
    assert got["results"][0]["mcnemar_p"] is None and 0 < got["results"][1]["mcnemar_p"] <= 1


def test_one_side_is_what_the_other_leaves(spdml, data):
    both = spdml("evaluate", "data.npz", "--methods", "nn-airm", *WHERE, "--json").good().json
    for words in (WHERE[:2], WHERE[2:]):
        one = spdml("evaluate", "data.npz", "--methods", "nn-airm", *words, "--json").good().json
        assert one["results"][0]["accuracy_mean"] == both["results"][0]["accuracy_mean"]


def test_clauses_must_all_hold_and_numbers_are_numbers(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm", "--train-where", "session=1.0",
                "--test-where", "session=2", "--test-where", "subject=bob", "--json").good().json
    assert got["results"][0]["rounds"][0]["train"] == np.sum(data["session"] == 1)
    both = (data["session"] == 2) & (data["subject"] == "bob")
    assert got["results"][0]["rounds"][0]["test"] == both.sum()


def test_values_are_kept_apart(spdml, data, tmp_path):
    """Numbers that a double cannot hold, missing ones, and a comma within a value."""
    p = len(data["y"])
    stamps = 20240131123045120 + np.arange(p) % 4
    names = np.array(["Doe, J", "Roe"])[np.arange(p) // 3 % 2]
    np.savez(tmp_path / "data.npz", **data, stamp=stamps, name=names)
    got = spdml("evaluate", "data.npz", "--methods", "nn-stein", "--leave-one-group-out", "stamp",
                "--json").good().json
    assert got["rounds"] == 4
    for where, tested in [("stamp=20240131123045121", stamps == 20240131123045121),
                          ("name=Doe, J", names == "Doe, J"), ("name=Doe, J,Roe", None)]:
        done = spdml("evaluate", "data.npz", "--methods", "nn-stein", "--test-where", where, "-o",
                     "out", "--no-report")
        if tested is None:  # two values, the first of which is none
            done.failed("name is never 'Doe'")
        else:
            done.good()
            assert set(np.load(tmp_path / "out" / "predictions.npz")["index"]) == set(
                np.flatnonzero(tested))
    lost = np.arange(p) % 3 * 1.0
    lost[5] = np.nan
    np.savez(tmp_path / "data.npz", **data, lost=lost)
    spdml("evaluate", "data.npz", "--methods", "nn-stein", "--leave-one-group-out", "lost").failed(
        "data.npz", "lost of matrix 5 is missing")


def test_splits(spdml, data):
    words = ["evaluate", "data.npz", "--methods", "nn-airm,mdm-airm", "--split", "0.5",
             "--repeats", "4", "--json"]
    got = spdml(*words).good().json
    for result in got["results"]:
        accuracies = [r["accuracy"] for r in result["rounds"]]
        assert len(accuracies) == 4 and all(r["train"] == 24 for r in result["rounds"])
        assert result["accuracy_mean"] == pytest.approx(np.mean(accuracies), abs=1e-15)
        assert result["accuracy_std"] == pytest.approx(np.std(accuracies, ddof=1), abs=1e-15)
    assert len({r["accuracy"] for q in got["results"] for r in q["rounds"]}) > 1

    def untimed(report):
        return [[(r["accuracy"], r["correct"]) for r in q["rounds"]] for q in report["results"]]

    assert untimed(spdml(*words).json) == untimed(got)
    assert untimed(spdml(*words, "--seed", "2").json) != untimed(got)
    few = spdml("evaluate", "data.npz", "--methods", "nn-airm", "--train-per-class", "3",
                "--repeats", "2", "--json").good().json
    assert [r["train"] for r in few["results"][0]["rounds"]] == [9, 9]


def test_leave_one_group_out(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-stein", "--leave-one-group-out",
                "subject", "--json").good().json
    rounds = got["results"][0]["rounds"]
    assert [r["round"] for r in rounds] == SUBJECTS
    for r in rounds:
        test = data["subject"] == r["round"]
        found = nearest("stein", data["X"], data["y"], ~test, test)
        assert r["correct"] == np.sum(found == data["y"][test])


def test_identity_is_no_map(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm,nn-airm-ml,nn-airm-csp,pca-nn-airm",
                *WHERE, "-m", "5", "--json").good().json["results"]
    assert len({r["accuracy_mean"] for r in got}) == 1
    assert all(r["parameters"] == {"m": 5} for r in got[1:])


def test_no_map_is_said_in_the_table_alone(spdml, data, tmp_path):
    words = ["evaluate", "data.npz", "--methods", "nn-airm-csp", "--split", "0.5", "--repeats", "2",
             "--final", "none"]
    out = spdml(*words, "-m", "5", "-o", "out", "--no-report").good().out
    assert out.splitlines()[-1].endswith("  m 5 (no map)")
    for name in ("results.json", "results.csv", "rounds.csv"):
        assert "no map" not in (tmp_path / "out" / name).read_text()
    assert spdml(*words, "-m", "4").good().out.splitlines()[-1].endswith("  m 4")


def test_tuning_is_reported(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm,nn-stein-ml,knn-airm", *WHERE,
                "--grid", "m=2,3", "--grid", "nu-b=1,2", "--grid=k=1,3,5", "--json").good().json
    plain, ml, knn = got["results"]
    assert got["folds"] == 2 and got["folds_wanted"] == 5 and got["fold_groups"] == "subject"
    assert plain["rounds"][0]["settings"] == 1 and plain["rounds"][0]["cv_accuracy"] is None
    assert ml["rounds"][0]["settings"] == 4 and ml["rounds"][0]["folds"] == 2
    assert ml["parameters"]["m"] in (2, 3) and ml["parameters"]["nu-b"] in (1, 2)
    assert ml["parameters"]["objective"] == "softmax" and "nu-w" not in ml["parameters"]
    assert knn["parameters"]["k"] in (1, 3, 5)
    assert 0 < ml["rounds"][0]["cv_accuracy"] <= 1 and ml["tune_seconds"] > 0


def test_race_and_exhaustive_search(spdml, data):
    """Both try the same settings; the race takes less work and reaches no other verdict on no map."""
    words = ["evaluate", "data.npz", "--methods", "nn-stein-ml", *WHERE, "--cv-groups", "none",
             "--grid", "m=2,3,5", "--json"]
    race, search = (spdml(*words, *more).good().json["results"][0]["rounds"][0]
                    for more in ([], ["--exhaustive"]))
    assert race["settings"] == search["settings"] and race["folds"] == search["folds"] == 5
    assert search["tune_fits"] == 5 * (search["settings"] - 1)  # m = 5 is no map
    assert 0 < race["tune_fits"] <= search["tune_fits"]
    assert race["tune_iterations"] < search["tune_iterations"]
    assert race["cv_accuracy_no_map"] == search["cv_accuracy_no_map"]
    papers = spdml(*words, "--paper").good().json["results"][0]["rounds"][0]
    assert papers["tune_iterations"] <= 40 * papers["tune_fits"]


def test_folds(spdml, data):
    words = ["evaluate", "data.npz", "--methods", "knn-airm"]
    out = spdml(*words, *WHERE).good().out
    assert "2, subject kept together; 5 by default, but the training part has no more" in out
    out = spdml(*words, *WHERE, "--cv", "5").good().out
    assert "2, subject kept together; 5 requested, but the training part has no more" in out
    free = spdml(*words, *WHERE, "--cv-groups", "none", "--json").good().json
    assert free["folds"] == 5 and free["fold_groups"] is None
    other = spdml(*words, "--split", "0.5", "--repeats", "1", "--cv-groups", "session",
                  "--json").good().json
    assert other["folds"] == 2
    few = spdml(*words, "--train-per-class", "3", "--repeats", "1").good()
    assert "3; 5 by default, but the smallest class has no more" in few.out
    alone = spdml(*words, "--train-where", "subject=ann", "--json").good().json
    assert alone["folds"] == 4  # of one subject there are four a class, dealt out alone


def test_same_results_for_any_number_of_threads(spdml, data):
    words = ["evaluate", "data.npz", "--methods", "nn-stein-ml,rsr,cdl", "--split", "0.4",
             "--repeats", "2", "--cv", "3", "--grid", "m=2,3,5", "--json"]

    def untimed(report):
        return [[{k: v for k, v in r.items() if "seconds" not in k} for r in q["rounds"]]
                for q in report["results"]]

    one = untimed(spdml(*words, "--threads", "1").good().json)
    assert untimed(spdml(*words, "--threads", "3").good().json) == one


def test_labels_of_the_test_part_count_for_the_score_alone(spdml, data, tmp_path, rng):
    methods = "nn-airm,nn-stein-ml,knn-airm,rsr,cdl,mdm-airm-csp,ksvm-stein,riemannian-lle"
    test = np.isin(data["subject"], ["cat", "dan"])
    y = data["y"].copy()
    y[test] = rng.permutation(y[test])
    assert not np.array_equal(y, data["y"])
    np.savez(tmp_path / "other.npz", **{**data, "y": y})
    seen = []
    for name in ("data", "other"):
        spdml("evaluate", f"{name}.npz", "--methods", methods, *WHERE, "--grid", "m=2,3", "-o",
              name, "-q").good()
        with np.load(tmp_path / name / "predictions.npz") as z:
            found = {k: z[k].tolist() for k in z.files if k.startswith("predicted-")}
        with open(tmp_path / name / "results.json", encoding="utf-8") as f:
            results = json.load(f)["results"]
        seen.append((found, [r["parameters"] for r in results],
                     [r["rounds"][0]["cv_accuracy"] for r in results]))
        scores = [r["accuracy_mean"] for r in results]
        seen[-1] += (scores,)
    assert len(seen[0][0]) == 8
    assert seen[0][:3] == seen[1][:3]
    assert seen[0][3] != seen[1][3]


def test_files(spdml, data, tmp_path):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm,knn-stein", "--split", "0.5",
                "--repeats", "3", "-o", "results", "--json").good().json
    folder = tmp_path / "results"
    files = set(os.listdir(folder))
    assert files >= {"confusion.npz", "predictions.npz", "results.json", "rounds.csv"}
    assert not any("tmp" in name for name in files)
    with open(folder / "results.json", encoding="utf-8") as f:
        assert {**json.load(f), "final": json.loads((folder / "final.json").read_text())} == got
    with np.load(folder / "predictions.npz") as z:
        p = {k: z[k] for k in z.files}
    assert set(p) == {"round", "index", "y", "predicted-nn-airm", "predicted-knn-stein"}
    assert np.array_equal(p["y"], data["y"][p["index"]])
    with np.load(folder / "confusion.npz") as z:
        assert list(z["classes"]) == ["a", "b", "c"]
        for result in got["results"]:
            table, said = z[result["method"]], p["predicted-" + result["method"]]
            for i, a in enumerate("abc"):
                for j, b in enumerate("abc"):
                    assert table[i, j] == np.sum((p["y"] == a) & (said == b))
            for r in result["rounds"]:
                here = p["round"] == int(r["round"]) - 1
                assert r["correct"] == np.sum(said[here] == p["y"][here])
    with open(folder / "rounds.csv", encoding="utf-8", newline="") as f:
        lines = list(csv.DictReader(f))
    assert len(lines) == 6 and lines[0]["method"] == "nn-airm" and lines[5]["round"] == "3"
    for line, r in zip(lines, [r for q in got["results"] for r in q["rounds"]]):
        assert float(line["accuracy"]) == r["accuracy"]
        assert all(float(line[key]) == r[key] and len(line[key]) <= len(repr(r[key]))
                   for key in ["accuracy", "kappa", "macro_f1"]), line
        assert (float(line["k"]) if line["k"] else None) == r["parameters"].get("k")
    spdml("evaluate", "data.npz", "--methods", "nn-airm", *WHERE, "-o", "results").good()


def test_table(spdml, data):
    out = spdml("evaluate", "data.npz", "--methods", "nn-airm,nn-stein-ml", "--split", "0.5",
                "--repeats", "3", "-m", "2", "--objective", "difference", "--nu-b", "1").good().out
    assert "48 matrices 5 x 5, 3 classes" in out and "3 random splits" in out
    line = next(x for x in out.splitlines() if x.startswith("nn-stein-ml"))
    assert "+-" in line and "m 2, nu-w 8, nu-b 1" in out.split("parameters:")[1]


@pytest.mark.parametrize("words, tells, code", [
    (["--train-where", "subject=zoe"], ["subject is never 'zoe'", "ann, bob, cat, dan"], 1),
    (["--train-where", "age=3"], ["no column 'age'", "subject", "session"], 1),
    (["--train-where", "subject"], ["COLUMN=value"], 2),
    (["--train-where", "subject=ann,bob", "--test-where", "session=1"], ["train and are tested"],
     1),
    (["--train-where", "subject=ann", "--train-where", "subject=bob"], ["no matrix satisfies"], 1),
    (["--train-where", "subject=ann,bob,cat,dan"], ["nothing is left"], 1),
    (["--train-where", "y=a"], ["one class"], 1),
    (["--split", "0.5", "--outer-folds", "3"], ["one protocol", "not several"], 2),
    (["--split", "0.5", "--leave-one-group-out", "subject"], ["not several"], 2),
    (["--leave-one-group-out", "who"], ["no column 'who'"], 1),
    (["--split", "0.5", "--by", "who"], ["--by", "no column 'who'"], 1),
    (["--split", "0.5", "--recenter", "who"], ["--recenter", "no column 'who'"], 1),
    (["--split", "0.5", "--cv-groups", "who"], ["--cv-groups", "no column 'who'"], 1),
    (["--train-per-class", "16"], ["16 training samples per class", "largest class has 16"], 1),
    (["--split", "0.5", "--grid", "q=1"], ["parameter 'q' is unknown", "nu-b"], 2),
    (["--split", "0.5", "--grid", "m"], ["NAME=value"], 2),
    (["--split", "0.5", "--grid", "m=2,x"], ["'x' is not a number"], 2),
    (["--split", "0.5", "--grid", "lambda=1"], ["none of the methods"], 2),
    (["--split", "0.5", "-m", "2", "--grid", "m=2,3"], ["cannot be used together"], 2),
    (["--split", "0.5", "--grid", "m=9"], ["m = 9", "5 x 5"], 1),
    (["--split", "0.5", "--grid", "m=1.5"], ["m = 1.5", "whole number"], 1),
    (["--split", "0.5", "-m", "9"], ["m = 9"], 1),
    (["--split", "0.5", "-o", "no/such/folder"],
     ["no/such/folder: cannot be written: folder no/such: No such file or directory"], 1),
    (["--split", "0.5", "-o", "no/such//folder//"], ["cannot be written: folder no/such: No"], 1),
    (["--split", "0.5", "-o", "data.npz"], ["data.npz is a file; -o names a folder"], 1),
    (["--split", "0.5", "-o", "data.npz/"], ["data.npz/ is a file; -o names a folder"], 1),
    (["--split", "0.5", "-o", "data.npz/out"], ["folder data.npz: Not a directory"], 1),
])
def test_refusals(spdml, data, words, tells, code):
    spdml("evaluate", "data.npz", "--methods", "nn-airm-ml,knn-airm", *words).failed(*tells,
                                                                                      code=code)


@pytest.mark.parametrize("methods, tells", [
    ("nn-stien", ["nn-stien", "stein"]), ("", ["no method ''"]), ("nn-airm,", ["no method ''"]),
    ("nn-airm, ", ["no method ''"]), ("nn-airm,nn", ["twice"]), ("rsr-airm", ["stein"]),
    ("frob", ["rsr", "cdl"]),
])
def test_bad_methods(spdml, data, methods, tells):
    spdml("evaluate", "data.npz", "--methods", methods, "--split", "0.5").failed(*tells, code=2)


def test_blanks_after_commas(spdml, data):
    got = spdml("evaluate", "data.npz", "--methods", "nn-airm, nn-stein,\tknn", "--split", "0.5",
                "--json").good().json
    assert [r["method"] for r in got["results"]] == ["nn-airm", "nn-stein", "knn-airm"]


def test_labels_keep_the_name_of_their_array(spdml, data, tmp_path):
    """With --y activity, activity stands for the labels wherever a column is asked for."""
    named = {**data, "activity": data["y"]}
    del named["y"]
    np.savez(tmp_path / "named.npz", **named)
    for words in (["--split", "0.5", "--by", "NAME"], ["--split", "0.5", "--recenter", "NAME"],
                  ["--split", "0.5", "--cv-groups", "NAME"],
                  ["--train-where", "NAME=a,b", "--test-where", "NAME=c"]):
        seen = []
        for name in ("activity", "y"):
            given = [word.replace("NAME", name) for word in words]
            seen.append(spdml("evaluate", "named.npz", "--y", "activity", "--methods", "nn-airm",
                              *given, "--json").good().json["results"][0])
        assert [r["correct"] for r in seen[0]["rounds"]] == [r["correct"] for r in
                                                             seen[1]["rounds"]]
        assert seen[0].get("by") == seen[1].get("by")
    spdml("evaluate", "named.npz", "--y", "activity", "--methods", "nn-airm", "--split", "0.5",
          "--by", "place").failed("no column 'place'", "there are", "activity")
    spdml("evaluate", "named.npz", "--y", "activity", "--methods", "mdm-airm",
          "--leave-one-group-out", "activity", "--json").good()
    # without --y it is a column like others, and y stays the labels
    np.savez(tmp_path / "both.npz", **data, activity=data["session"])
    got = spdml("evaluate", "both.npz", "--methods", "nn-airm", "--split", "0.5", "--by",
                "activity", "--json").good().json
    assert set(got["results"][0]["by"]) == {"1", "2"}


def test_bad_data(spdml, data, tmp_path):
    words = ["--methods", "nn-airm", "--split", "0.5"]
    np.savez(tmp_path / "bare.npz", X=data["X"])
    spdml("evaluate", "bare.npz", *words).failed("no labels")
    np.savez(tmp_path / "one.npz", X=data["X"], y=np.zeros(48, int))
    spdml("evaluate", "one.npz", *words).failed("all labels are the same")
    np.savez(tmp_path / "each.npz", X=data["X"], y=np.arange(48))
    spdml("evaluate", "each.npz", *words).failed("one sample only")


def test_classes_without_training_are_told(spdml, data):
    where = ["--train-where", "y=a,b", "--test-where", "y=c", "--json"]
    done = spdml("evaluate", "data.npz", "--methods", "nn-airm", *where).good()
    assert done.json["results"][0]["accuracy_mean"] == 0
    assert "16 of 16 test matrices" in done.err and "such as c" in done.err


def test_classes_that_are_never_tested_are_told(spdml, data, tmp_path):
    words = ["--methods", "nn-airm", "--split", "0.5", "--repeats", "3"]
    for alone, told in [("z", "class z has one sample: it is used for training and never tested"),
                        ("zu", "2 classes (such as z) have one sample each")]:
        y = data["y"].copy()
        y[7:7 + len(alone)] = list(alone)
        np.savez(tmp_path / "rare.npz", **{**data, "y": y})
        lines = spdml("evaluate", "rare.npz", *words).good().err.splitlines()
        assert len(lines) == 1 and lines[0].startswith(f"spdml: rare.npz: {told}")
    assert spdml("evaluate", "rare.npz", *words, "-q").good().err == ""
    assert spdml("evaluate", "data.npz", *words).good().err == ""
    y = np.full(48, "a")
    y[30] = "z"
    np.savez(tmp_path / "rare.npz", **{**data, "y": y})
    lines = spdml("evaluate", "rare.npz", *words).good().err.splitlines()
    assert len(lines) == 2 and "class z has one sample" in lines[0]
    assert "rare.npz: all test matrices are of class a" in lines[1]


def test_rounds_of_one_class_are_told(spdml, data, tmp_path):
    """Subjects of one class each: rounds with one class, together with all."""
    place = np.array([c + "12"[i // 3 % 2] for i, c in enumerate(data["y"])])
    np.savez(tmp_path / "places.npz", **data, place=place)
    words = ["evaluate", "places.npz", "--methods", "nn-airm"]
    done = spdml(*words, "--leave-one-group-out", "place").good()
    assert done.err.count("\n") == 1
    assert "places.npz: 6 of 6 rounds test only one class" in done.err
    assert "the first is round a1, class a;" in done.err
    done = spdml(*words, "--test-where", "place=b1").good()
    assert done.err.count("\n") == 1
    assert "places.npz: all test matrices are of class b" in done.err


# ---- without options, and on 80 columns ---------------------------------------------------------


def results_of(shown):
    return [{k: v for k, v in r.items() if "seconds" not in k and k != "rounds"} for r in shown["results"]]


@pytest.mark.parametrize("left_out, expected", [
    ([], ["--leave-one-group-out", "subject"]),
    (["subject"], ["--leave-one-group-out", "session"]),
    (["subject", "session"], ["--outer-folds", "5"])])
def test_without_options(spdml, data, tmp_path, left_out, expected):
    """A protocol by what the data have; the command that is printed repeats it exactly."""
    np.savez(tmp_path / "d.npz", **{k: v for k, v in data.items() if k not in left_out})
    shown = spdml("evaluate", "d.npz", "--json", "--final", "none").good().json
    words = shlex.split(shown["command"])
    assert words[:3] == ["spdml", "evaluate", "d.npz"] and "--methods" in words
    assert " ".join(expected) in shown["command"]
    again = spdml(*words[1:], "--json").good().json
    assert "command" not in again and results_of(again) == results_of(shown)
    assert shown["command"] in spdml("evaluate", "d.npz", "--final", "none").good().out


def test_protocol_of_small_classes_and_of_groups_that_are_classes(spdml, data, tmp_path):
    few = {k: v[:9] for k, v in data.items()}
    np.savez(tmp_path / "d.npz", X=few["X"], y=few["y"], subject=few["y"])
    shown = spdml("evaluate", "d.npz", "--methods", "nn-airm", "--json", "--final", "none").good().json
    assert "--split 0.5 --repeats 10" in shown["command"] and shown["rounds"] == 10
    np.savez(tmp_path / "d.npz", **{**data, "subject": np.arange(len(data["y"])) // 3})
    shown = spdml("evaluate", "d.npz", "--methods", "nn-airm", "--json", "--final", "none").good().json
    assert "--outer-folds 5 --outer-groups subject" in shown["command"] and shown["rounds"] == 5


@pytest.mark.parametrize("uneven", [False, True])
def test_tables_fit_a_terminal(spdml, data, tmp_path, uneven):
    keep = np.flatnonzero(~((data["y"] == "a") & (np.arange(len(data["y"])) > 20))) if uneven else slice(None)
    np.savez(tmp_path / "d.npz", **{k: v[keep] for k, v in data.items()})
    words = ["evaluate", "d.npz", "--methods", "nn-airm,nn-log-euclidean-ml,riemannian-hessian-lle,knn-stein",
             "--grid", "m=2,3", "--grid", "nu-b=2,3", "--split", "0.5", "--repeats", "4", "--auc", "--by", "subject"]
    out = spdml(*words, "--final", "none").good().out
    head = re.search("^method .*", out, re.M).group(0)
    assert max(map(len, out.splitlines())) < 80
    assert "accuracy %" in head and "AUC" in head and "kappa" not in head and "parameters" not in head
    assert ("balanced %" in head) == uneven
    chosen = re.search(r"^parameters:\n((?:  .*\n)+)", out, re.M).group(1)
    assert "  nn-log-euclidean-ml" in chosen and "nu-b" in chosen
    alone = spdml("evaluate", "d.npz", "--methods", "nn-airm", "--split", "0.5", "--final", "none").good().out
    assert not re.search("^method .* p$", alone, re.M) and "parameters" not in alone
