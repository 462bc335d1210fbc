"""spdml experiment: small versions of the paper's tables and figures."""

import csv
import json
import os
import shlex
import signal
import subprocess
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

TABLES = ["nn-stein", "nn-stein-ml", "nn-airm", "nn-airm-ml", "rsr", "rsr-ml", "cdl", "pca-nn-airm"]


def table(result):
    """{row: {column: accuracy}} of the JSON."""
    return {r["row"]: {c["column"]: c["accuracy"] for c in r["cells"]} for r in result["rows"]}


def words(line):
    """The words of a command after `spdml`."""
    split = shlex.split(line)
    assert split[0] == "spdml"
    return split[1:]


def by_hand(spdml, result, tmp_path):
    """Runs the commands that were shown in an empty folder; the last one's answer."""
    for line in result["commands"]:
        done = spdml(*words(line), *(["--json"] if line == result["commands"][-1] else [])).good()
    return done.json


def test_materials(spdml, tmp_path):
    got = spdml("experiment", "materials", "--quick", "--methods", "nn-stein,nn-stein-ml,cdl",
                "--json").good().json
    assert got["experiment"] == "materials" and got["generated"] and got["quick"]
    assert got["matrices"] == "24 matrices 155 x 155, 4 classes"
    assert list(table(got)) == ["nn-stein", "nn-stein-ml", "cdl"]
    assert os.listdir(tmp_path) == []
    again = by_hand(spdml, got, tmp_path)
    assert again["protocol"] == "2 random splits, 50 % of each class train"
    for r, mine in zip(again["results"], got["rows"]):
        assert r["method"] == mine["row"]
        assert r["accuracy_mean"] == mine["cells"][0]["accuracy"]
        assert r["accuracy_std"] == mine["cells"][0]["deviation"]
        assert mine["cells"][0]["paper"] is None


def test_motion_files_and_methods(spdml, tmp_path):
    done = spdml("experiment", "motion", "--quick", "-o", "out").good()
    lines = done.out.splitlines()
    for name in TABLES:
        assert any(x.startswith(name + " ") for x in lines)
    assert any(x.startswith("cov3dj ") and x.endswith("95.4") for x in lines)
    assert [x.split() for x in lines if x.startswith("method ")] == [
        ["method", "2", "train", "3", "train", "paper"]]  # no column of nothing but dashes
    assert "2 train: a,b train, c,d,e tested" in done.out and "ECCV 2014" in done.out
    assert "3 train: a,b,c train, d,e tested" in done.out
    out = tmp_path / "out"
    assert {"data", "covs.npz", "train-2", "train-3", "table.csv", "commands.sh",
            "report.html"} <= set(os.listdir(out))
    page = (out / "report.html").read_text(encoding="utf-8")
    for name in ["train-2/report.html", "train-3/report.html"]:
        assert f'href="{name}"' in page and (out / name).is_file()
    with open(out / "table.csv", encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    for part in ["2", "3"]:
        with open(out / f"train-{part}" / "results.json", encoding="utf-8") as f:
            for r in json.load(f)["results"]:
                at, = [x for x in rows
                       if x["method"] == r["method"] and x["column"] == part + " train"]
                assert float(at["accuracy"]) == r["accuracy_mean"] and at["deviation"] == ""
    paper = [x for x in rows if x["paper"]]
    assert [(x["method"], x["column"], x["paper"]) for x in paper] == [("cov3dj", "3 train",
                                                                       "0.95409999999999995")]
    script = (out / "commands.sh").read_text(encoding="utf-8").splitlines()
    assert script[0] == "#!/bin/sh" and [x for x in lines if x.startswith("  spdml")] == [
        "  " + x for x in script if x.startswith("spdml")]
    spdml("experiment", "motion", "--quick", "-o", "out").failed("out/data")


def test_faces(spdml, tmp_path):
    got = spdml("experiment", "faces", "--quick", "--methods", "nn-stein,src", "--json",
                "--seed", "3").good().json
    for cells in table(got).values():
        assert list(cells) == ["bc", "bd", "be", "bf", "bg", "bh", "all"]
        assert cells["all"] == pytest.approx(np.mean([cells[k] for k in cells if k != "all"]))
    again = by_hand(spdml, got, tmp_path)
    assert again["seed"] == 3
    assert [r["accuracy_mean"] for r in again["results"]] == [
        cells["all"] for cells in table(got).values()]


def test_nu_b(spdml, tmp_path, rng):
    name = "my own's.npz"
    np.savez(tmp_path / name, X=[np.cov(rng.standard_normal((6, 40)) * (1 + i % 3))
                                      for i in range(36)], y=np.arange(36) % 3)
    got = spdml("experiment", "nu-b", "--data", name, "-m", "3", "--repeats", "2", "-o", "out",
                "--json").good().json
    points = table(got)
    assert list(points) == [str(i) for i in range(1, 13)] and not got["generated"]
    assert len(got["commands"]) == 12 and "--nu-b 12" in got["commands"][-1]
    assert words(got["commands"][4])[:2] == ["evaluate", name]
    one = spdml("evaluate", name, "--methods", "nn-airm-ml", "-m", "3", "--nu-b", "5",
                "--split", "0.5", "--repeats", "2", "--json").good().json["results"][0]
    assert points["5"]["nn-airm-ml"] == one["accuracy_mean"]
    assert ET.parse(tmp_path / "out" / "figure.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count("<svg ") == 1


def test_observations(spdml, tmp_path):
    got = spdml("experiment", "observations", "--quick", "--repeats", "1", "-o", "out",
                "--json").good().json
    points = table(got)
    assert list(points) == ["192", "96", "48", "24", "12", "6", "3"]
    assert got["marks"] == [{"name": "r = n = 12", "at": 12.0}, {"name": "r = m = 4", "at": 4.0}]
    assert by_hand(spdml, got, tmp_path)["accuracy"] == points["6"]["nn-stein-ml"]
    with np.load(tmp_path / "out" / "train.npz") as z, np.load(tmp_path / "out" /
                                                               "test-6.npz") as t:
        assert z["X"].shape == (18, 192, 12) and t["X"].shape == (18, 6, 12)
    spdml("describe", "covariance", "out/test-6.npz", "-o", "low.npz").failed("observations")
    assert ET.parse(tmp_path / "out" / "figure.svg").getroot().tag.endswith("svg")


def test_observations_of_ones_own(spdml, tmp_path, rng):
    """Classes with different scales: easy with all observations, and the same by numpy."""
    O = rng.standard_normal((40, 64, 5)) * (1 + 2 * (np.arange(40) % 2))[:, None, None]
    np.savez(tmp_path / "own.npz", X=O, y=np.array(["a", "b"])[np.arange(40) % 2])
    got = spdml("experiment", "observations", "--data", "own.npz", "-m", "2", "--json").good().json
    points = table(got)
    assert list(points) == ["64", "32", "16", "8", "4", "2"]
    assert points["64"]["nn-stein"] == 1 and points["64"]["nn-airm-ml"] == 1
    assert points["2"]["nn-stein"] < 1


def test_the_paper_s_actions(spdml, tmp_path, rng):
    """Other actions are left out where all of the paper's are there; bd and mm train."""
    names = ["clapAboveHead1Reps", "depositFloorR", "elbowToKnee1RepsLelbowStart", "grabHighR",
             "hopBothLegs1hops", "jogLeftCircle4StepsRstart", "kickLFront1Reps", "lieDownFloor",
             "rotateArmsBothBackward1Reps", "sitDownChair", "sneak2StepsLStart", "squat3Reps",
             "standUpLieFloor", "throwBasketball"]
    y = np.array((names + ["walk"]) * 5)
    subject = np.repeat(["bd", "bk", "dg", "mm", "tr"], 15)
    X = [np.cov(rng.standard_normal((4, 20))) for _ in y]
    np.savez(tmp_path / "a.npz", X=X, y=y, subject=subject)
    got = spdml("experiment", "motion", "--data", "a.npz", "--methods", "nn-airm", "-o", "out",
                "--json").good().json
    assert "2 train: bd,mm train, bk,dg,tr tested" in got["notes"]
    assert "3 train: bd,mm,bk train, dg,tr tested" in got["notes"]
    with np.load(tmp_path / "out" / "train-2" / "predictions.npz") as z:
        assert len(z["y"]) == 42 and "walk" not in z["y"]
    np.savez(tmp_path / "b.npz", X=X, y=np.where(y == "sitDownChair", "sit", y), subject=subject)
    got = spdml("experiment", "motion", "--data", "b.npz", "--methods", "nn-airm",
                "--json").good().json
    assert any("13 of the paper's 14 actions" in x for x in got["notes"])


@pytest.mark.parametrize("args, tells, code", [
    (["material"], ["did you mean 'materials'"], 2),
    (["xyzzy"], ["unknown experiment", "observations"], 2),
    (["materials", "--data", "nowhere"], ["nowhere", "No such file"], 1),
    (["materials", "--quick", "-o", "no/such"], ["no/such", "cannot be written"], 1),
    (["materials", "-m", "3"], ["-m does not belong to materials"], 2),
    (["motion", "--repeats", "3"], ["--repeats does not belong to motion"], 2),
    (["motion", "--quick", "--methods", "nn-airn"], ["nn-airn"], 2),
    (["observations", "--methods", "src"], ["src", "matrices"], 2),
    (["observations", "--methods", "frob"], ["frob"], 2),
    (["observations", "--quick", "-m", "12"], ["below n = 12"], 2),
    (["observations", "--data", "bad.npz"], ["p x r x n"], 1),
    (["motion", "--data", "bad.npz"], ["subject"], 1),
    (["faces", "--data", "bad.npz"], ["pose"], 1),
])
def test_refusals(spdml, tmp_path, args, tells, code):
    np.savez(tmp_path / "bad.npz", X=np.eye(3) * np.ones((4, 1, 1)), y=[0, 0, 1, 1])
    spdml("experiment", *args).failed(*tells, code=code)
    assert os.listdir(tmp_path) == ["bad.npz"]


def test_too_few_subjects(spdml, tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(3) * np.ones((6, 1, 1)), y=[0, 1] * 3,
             subject=["a", "a", "b", "b", "c", "c"])
    spdml("experiment", "motion", "--data", "a.npz").failed("3 subjects", "four or more")


def test_methods_are_looked_at_first(spdml, tmp_path):
    for words, tells in [(["motion", "--methods", "nn-stein,bogus"], "bogus"),
                         (["observations", "--methods", ","], "names none"),
                         (["nu-b", "--methods", "nn-stein"], "nn-stein has no nu_b")]:
        spdml("experiment", *words, "--quick", "-o", "out").failed(tells, code=2)
    assert os.listdir(tmp_path) == []


def test_quick_on_matrices(spdml, tmp_path, rng):
    """Sizes to choose from are small whatever the size of the matrices."""
    A = rng.standard_normal((16, 40, 60))
    np.savez(tmp_path / "a.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(16) % 2)
    got = spdml("experiment", "materials", "--quick", "--data", "a.npz", "--methods",
                "nn-stein-ml,pca-nn-airm", "--json").good().json
    assert "--grid m=5,10 --grid nu-b=1,2" in got["commands"][-1]


def test_a_failure_leaves_no_empty_folder(spdml, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=rng.standard_normal((4, 3, 3)), y=[0, 0, 1, 1])
    spdml("experiment", "materials", "--data", "a.npz", "-o", "out").failed("a.npz", "symmetric")
    assert os.listdir(tmp_path) == ["a.npz"]


def test_figures_of_a_file(spdml, tmp_path, rng):
    A = rng.standard_normal((32, 4, 9))
    np.savez(tmp_path / "a.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(32) % 2,
             subject=np.arange(32) // 2 % 4)
    words = ["experiment", "motion", "--data", "a.npz", "--methods", "nn-stein,cdl"]
    (tmp_path / "p.json").write_text(
        '{"nn-stein": {"2 train": 12.5, "9 train": 1}, "cdl": 99, "other": {"2 train": 7}}')
    got = spdml(*words, "--paper", "p.json", "--json").good().json
    paper = {r["row"]: {c["column"]: c["paper"] for c in r["cells"]} for r in got["rows"]}
    assert paper == {"nn-stein": {"2 train": 0.125, "3 train": None},
                     "cdl": {"2 train": None, "3 train": 0.99},
                     "other": {"2 train": 0.07, "3 train": None},
                     "cov3dj": {"2 train": None, "3 train": 0.9541}}
    assert any("no column '9 train'" in note for note in got["notes"])
    for text, tells in [("{", "line 1"), ("[1]", "is expected"), ('{"cdl": 101}', "0 to 100"),
                        ('{"cdl": {"2 train": "x"}}', "0 to 100")]:
        (tmp_path / "p.json").write_text(text)
        spdml(*words, "--paper", "p.json", "-o", "out").failed("p.json", tells)
    spdml(*words, "--paper", "gone.json").failed("gone.json", "cannot be read")
    spdml("experiment", "nu-b", "--paper", "p.json").failed("does not belong", code=2)
    assert not (tmp_path / "out").exists()


def test_data_of_an_earlier_run(spdml, tmp_path):
    (tmp_path / "out" / "data").mkdir(parents=True)
    spdml("experiment", "motion", "--quick", "-o", "out").failed("out/data", "--data out/data")


def test_map_smaller_than_observations_by_hand(spdml, tmp_path, rng):
    """All octaves up to n are at most m: the commands need the regulariser too."""
    np.savez(tmp_path / "o.npz", X=rng.standard_normal((24, 24, 5)), y=np.arange(24) % 2)
    done = spdml("experiment", "observations", "--data", "o.npz", "-m", 4, "--repeats", 1,
                 "--methods", "nn-stein-ml", "-o", "out", "--json").good().json
    assert any("--regularize" in line for line in done["commands"])
    for line in done["commands"]:
        spdml(*words(line)).good()


def interrupted(command, folder, number, *options):
    """An experiment that is sent a signal while it evaluates; what it said."""
    job = subprocess.Popen([command, "experiment", "motion", *options], cwd=folder,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env={**os.environ, "TMPDIR": str(folder)})
    deadline = time.monotonic() + 100
    while not list(folder.glob("*/covs.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 130 and out == b"" and err.count(b"\n") == 1
    return err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_no_folder(command, tmp_path, number):
    assert b"interrupted; nothing was written" in interrupted(command, tmp_path, number)
    assert os.listdir(tmp_path) == []


def test_what_was_finished_is_named(command, tmp_path):
    said = interrupted(command, tmp_path, signal.SIGINT, "-o", "out")
    assert b"interrupted; finished results are in out" in said
    assert sorted(os.listdir(tmp_path / "out")) == ["covs.npz", "data"]
