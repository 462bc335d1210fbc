"""spdml experiment: small versions of the paper's tables and figures."""

import csv
import json
import os
import re
import resource
import shlex
import shutil
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
    assert got["matrices"] == "48 matrices 155 x 155, 4 classes"
    assert list(table(got)) == ["nn-stein", "nn-stein-ml", "cdl"]
    assert os.listdir(tmp_path) == []
    again = by_hand(spdml, got, tmp_path)
    assert again["protocol"] == "2 random splits, 50 % of each class train"
    for r, mine in zip(again["results"], got["rows"]):
        assert r["method"] == mine["row"]
        assert r["accuracy_mean"] == mine["cells"][0]["accuracy"]
        assert r["accuracy_std"] == mine["cells"][0]["deviation"]
    paper = {r["row"]: (r["cells"][0]["paper"], r["cells"][0]["paper_deviation"])
             for r in got["rows"]}
    assert {k: (round(a, 5), round(b, 5)) for k, (a, b) in paper.items()} == {
        "nn-stein": (0.358, 0.026), "nn-stein-ml": (0.581, 0.028), "cdl": (0.523, 0.043)}
    assert got["times"] == [] and "UIUC, 18 classes" in got["paper_data"]


def test_times_and_rows_of_the_paper(spdml, tmp_path, rng):
    """Seconds stand next to the paper's; methods that only the paper has get a row."""
    A = rng.standard_normal((24, 5, 9))
    np.savez(tmp_path / "a.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(24) % 2)
    done = spdml("experiment", "materials", "--quick", "--data", "a.npz", "-o", "out", "--json").good()
    times = {r["row"]: (c["seconds"], c["paper"]) for r in done.json["times"] for c in r["cells"]}
    assert set(times) == {"nn-airm", "nn-airm-ml"}
    for method, seconds in [("nn-airm", 490), ("nn-airm-ml", 9.7)]:
        result, = [r for r in json.loads((tmp_path / "out/evaluation/results.json").read_text())
                   ["results"] if r["method"] == method]
        assert times[method] == (result["test_seconds"], seconds)
    last = done.json["rows"][-1]
    assert last["row"] == "sd" and last["cells"][0]["accuracy"] is None
    assert last["cells"][0]["paper"] == pytest.approx(0.435)
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    for text in ["58.1 +- 2.8", ">490<", ">9.7<", "UIUC, 18 classes, 216 images", "a.npz"]:
        assert text in page


def test_motion_files_and_methods(spdml, tmp_path):
    done = spdml("experiment", "motion", "--quick", "-o", "out").good()
    lines = done.out.splitlines()
    for name in TABLES:
        assert any(x.startswith(name + " ") for x in lines)
    assert any(x.startswith("cov3dj ") and x.endswith("95.4") for x in lines)
    assert [x.split() for x in lines if x.startswith("method ")] == [
        ["method", "2", "train", "paper", "3", "train", "paper"]]
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
        at, = [x for x in rows if x["method"] == "cov3dj" and x["column"] == part + " train"]
        own = json.loads((out / f"cov3dj-{part}/results.json").read_text())
        assert float(at["accuracy"]) == own["results"][0]["accuracy_mean"]
        assert own["results"][0]["parameters"] == {"cost": 10} and own["n"] == 372
    paper = [x for x in rows if x["paper"]]
    assert ("cov3dj", "3 train", "0.95409999999999995") in [
        (x["method"], x["column"], x["paper"]) for x in paper]
    assert {x["method"]: round(float(x["paper"]), 5) for x in paper if x["column"] == "2 train"} == {
        "nn-stein": 0.617, "nn-stein-ml": 0.686, "nn-airm": 0.628, "nn-airm-ml": 0.676,
        "rsr": 0.761, "rsr-ml": 0.819, "cdl": 0.798, "pca-nn-airm": 0.633}
    script = (out / "commands.sh").read_text(encoding="utf-8").splitlines()
    shown = [x.strip().replace("out/", "") for x in lines if x.startswith("  spdml")]
    assert script[0] == "#!/bin/sh" and shown == [x.split("|| ")[-1] for x in script[-7:]]
    assert script[-7].startswith("test -e data || spdml synth ")
    spdml("experiment", "motion", "--quick", "-o", "out").failed("out/data")


def test_cov3dj_needs_clips(spdml, tmp_path, rng):
    """Matrices have none, and who names methods does not ask for it; grids are for $methods."""
    A = rng.standard_normal((40, 5, 9))
    np.savez(tmp_path / "a.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(40) % 2,
             subject=np.arange(40) // 10)
    got = spdml("experiment", "motion", "--quick", "--data", "a.npz", "--json").good().json
    assert table(got)["cov3dj"] == {"2 train": None, "3 train": None}
    assert any("it needs the clips" in note for note in got["notes"])
    assert sum("takes the pooled covariance" in note for note in got["notes"]) == 1
    got = spdml("experiment", "motion", "--quick", "--methods", "nn-stein", "--json").good().json
    assert list(table(got)) == ["nn-stein"] and "cov3dj" not in "".join(got["commands"])
    got = spdml("experiment", "motion", "--quick", "--set", "methods=pca-nn-airm", "--grid", "m=4",
                "--json").good().json
    assert table(got)["cov3dj"]["2 train"] > 0.3
    assert [line.count("--grid") for line in got["commands"]] == [0, 0, 1, 1, 0, 0, 0]


def test_the_script_runs_where_it_lies(spdml, command, tmp_path, rng):
    """From any folder, without spdml on the PATH, with the data there or made anew."""
    (tmp_path / "elsewhere").mkdir()
    A = rng.standard_normal((24, 5, 9))
    np.savez(tmp_path / "my own.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(24) % 2)
    for words in [["--set", "repeats=1"], ["--data", "my own.npz"]]:
        spdml("experiment", "materials", "--quick", "--methods", "nn-stein", *words, "-o",
              "out").good()
        results = tmp_path / "out/evaluation/results.json"
        before = json.loads(results.read_text())["results"][0]["accuracy_mean"]
        shutil.rmtree(tmp_path / "out/evaluation")
        for again in range(2):
            done = subprocess.run(["/bin/sh", "../out/commands.sh"], cwd=tmp_path / "elsewhere",
                                  capture_output=True, env={"PATH": "/usr/bin:/bin"})
            assert done.returncode == 0, done.stderr
            assert json.loads(results.read_text())["results"][0]["accuracy_mean"] == before
            shutil.rmtree(tmp_path / "out/data", ignore_errors=True)
        shutil.rmtree(tmp_path / "out")


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
    one = spdml("evaluate", name, "--methods", "nn-airm-ml", "--paper", "-m", "3", "--nu-b", "5",
                "--split", "0.5", "--repeats", "2", "--json").good().json["results"][0]
    assert points["5"]["nn-airm-ml"] == one["accuracy_mean"]
    figure = ET.parse(tmp_path / "out" / "figure.svg").getroot()
    assert figure.tag.endswith("svg") and "paper 58.6" in [text.text for text in figure.iter()]
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count("<svg ") == 1


def test_observations(spdml, tmp_path):
    got = spdml("experiment", "observations", "--quick", "--repeats", "1", "-o", "out",
                "--json").good().json
    points = table(got)
    assert list(points) == ["196", "98", "49", "24", "12", "6"]
    assert list(points["196"]) == ["nn-stein", "nn-stein-ml", "nn-airm", "nn-airm-ml", "cdl"]
    assert got["marks"] == [{"name": "r = n = 155", "at": 155.0}, {"name": "r = m = 10", "at": 10.0}]
    shutil.rmtree(tmp_path / "out" / "data")
    for result in by_hand(spdml, got, tmp_path)["results"]:
        assert result["by"] == {r: points[r][result["method"]] for r in points}
    assert ET.parse(tmp_path / "out" / "figure.svg").getroot().tag.endswith("svg")


def best_in_bold(row):
    """Of numbers from 0 to 1, None for none: as a table for a paper shows them."""
    best = max(round(1000 * x) for x in row if x is not None)
    return ["--" if x is None else rf"\textbf{{{100 * x:.1f}}}" if round(1000 * x) == best else f"{100 * x:.1f}"
            for x in row]


@pytest.mark.parametrize("name, by_row", [("motion", False), ("observations", True)])
def test_tables_for_papers(spdml, name, by_row):
    """booktabs; the best of each column in bold, of each row if the methods are the columns."""
    say = ["experiment", name, "--quick", *(["--repeats", 1] if by_row else [])]
    got = spdml(*say, "--json").good().json
    lines = spdml(*say, "--format", "latex").good().out.splitlines()
    assert lines[1] == r"\toprule" and lines[3] == r"\midrule" and lines[-2] == r"\bottomrule"
    cells = [line.removesuffix(r" \\").split(" & ") for line in lines[2:-2] if line.endswith(r"\\")]
    ours = [k for k, head in enumerate(cells[0]) if k and head != "paper"]
    shown = np.array([[row[k].split(" $")[0] for k in ours] for row in cells[1:]])
    expected = [[c["accuracy"] for c in row["cells"]] for row in got["rows"]]
    if not by_row:
        shown, expected = shown.T, list(map(list, zip(*expected)))
    assert shown.tolist() == [best_in_bold(row) for row in expected]


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
    (["observations", "--quick", "--methods", "src"], ["src", "matrices"], 2),
    (["observations", "--methods", "frob"], ["frob"], 2),
    (["observations", "--quick", "-m", "155"], ["below n = 155"], 2),
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
    spdml("experiment", "motion", "--data", "a.npz").failed("3 subjects", "4 or more")


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


def test_data_of_an_earlier_run(spdml, tmp_path):
    (tmp_path / "out" / "data").mkdir(parents=True)
    spdml("experiment", "motion", "--quick", "-o", "out").failed("out/data", "--data out/data")


@pytest.mark.parametrize("r", [24, 12, 6, 3])
def test_observations_by_other_commands(spdml, tmp_path, rng, r):
    """The same from describe, fit, transform and classify, above n, between m and n, below m."""
    n, m, y = 8, 4, np.arange(24) % 2
    O = rng.standard_normal((24, 24, n)) * np.exp(0.3 * rng.standard_normal((24, 1, n)) +
                                                  y[:, None, None] * np.linspace(-1, 1, n))
    np.savez(tmp_path / "o.npz", X=O, y=y)
    got = spdml("observations", "o.npz", "-m", m, "--repeats", 1, "--methods",
                "nn-stein,nn-airm-ml", "--json").good().json
    by = {x["method"]: x["by"] for x in got["results"]}
    spdml("describe", "covariance", "o.npz", "-o", "all.npz").good()
    spdml("evaluate", "all.npz", "--methods", "nn-stein", "--split", "0.5", "--repeats", 1, "-o",
          "split").good()
    with np.load(tmp_path / "split/predictions.npz") as z:
        test = np.isin(np.arange(24), z["index"])
    np.savez(tmp_path / "train.npz", X=O[~test], y=y[~test])
    np.savez(tmp_path / "test.npz", X=O[test][:, ::24 // r], y=y[test])
    spdml("describe", "covariance", "train.npz", "-o", "train-covs.npz").good()
    spdml("fit", "train-covs.npz", "--paper", "--nu-b", 3, "--metric", "airm", "-m", m, "-o", "map.spdml").good()
    spdml("transform", "map.spdml", "train-covs.npz", "-o", "train-low.npz").good()
    for name, train, limit, mapped in [("nn-stein", "train-covs.npz", n, []),
                                       ("nn-airm-ml", "train-low.npz", m,
                                        ["--model", "map.spdml"])]:
        repair = ["--regularize", "1e-3"] if r <= limit else []
        spdml("describe", "covariance", "test.npz", *mapped, *repair, "-o", "test-covs.npz").good()
        done = spdml("classify", "--train", train, "--test", "test-covs.npz", "--method",
                     name.replace("-ml", ""), "--json").good().json
        assert done["accuracy"] == by[name][str(r)]


def test_observations_of_images(spdml, tmp_path):
    """The same from describe --every and classify: the regulariser is for too few observations alone."""
    spdml("synth", "textures", "--classes", 3, "--samples", 6, "--size", 64, "-o", "images").good()
    got = spdml("observations", "images", "--size", 64, "-m", 12, "--repeats", 1, "--methods",
                "nn-stein,cdl,nn-stein-ml", "--json").good().json
    assert [r["regularised"] for r in got["results"]] == [[98, 49, 24, 12], [98, 49, 24, 12], [12]]
    for every, repair in (1, 0), (4, 1e-3):
        spdml("describe", "sift-color", "images", "--size", 64, "--every", every, "--regularize", repair,
              "-o", f"{every}.npz").good()
    spdml("evaluate", "1.npz", "--methods", "nn-stein", "--split", 0.5, "--repeats", 1, "-o", "split",
          "--no-report").good()
    with np.load(tmp_path / "split/predictions.npz") as z, np.load(tmp_path / "1.npz") as all, \
            np.load(tmp_path / "4.npz") as some:
        test = np.isin(np.arange(18), z["index"])
        assert (some["feature_count"] == 49).all()
        np.savez(tmp_path / "train.npz", X=all["X"][~test], y=all["y"][~test])
        np.savez(tmp_path / "test.npz", X=some["X"][test], y=some["y"][test])
    for result in got["results"][:2]:
        done = spdml("classify", "--train", "train.npz", "--test", "test.npz", "--method", result["method"],
                     "--no-tune", "--json").good().json
        assert done["accuracy"] == result["by"]["49"]


def interrupted(command, folder, number, *options):
    """An experiment that is sent a signal while it evaluates; what it said."""
    job = subprocess.Popen([command, "experiment", "motion", *options], cwd=folder,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env={**os.environ, "TMPDIR": str(folder)})
    deadline = time.monotonic() + 600
    while not list(folder.glob("*/covs.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    job.send_signal(number)
    out, err = job.communicate(timeout=600)
    said = err.splitlines()  # remarks on the data may come first
    assert job.returncode == 130 and out == b"" and b"too few observations" in said[0]
    assert len(said) == 2
    return said[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_no_folder(command, tmp_path, number):
    assert b"interrupted; nothing was written" in interrupted(command, tmp_path, number)
    assert os.listdir(tmp_path) == []


def test_out_of_memory_leaves_no_folder(command, tmp_path):
    with open(command, "rb") as file:
        if b"__asan_init" in file.read():
            pytest.skip("AddressSanitizer itself needs all addresses")
    recipe = tmp_path / "big.recipe"
    recipe.write_text("spdml synth spd --samples 7500 -n 2 --planted 1 -o $folder/s.npz\n"
                      "spdml distance $folder/s.npz -o $folder/d.npz\n")
    limit = 4 << 30  # the distances take 6.7 GiB
    done = subprocess.run([command, "experiment", recipe], cwd=tmp_path, capture_output=True,
                          env={**os.environ, "TMPDIR": str(tmp_path), "OPENBLAS_NUM_THREADS": "1"},
                          timeout=600,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    assert done.returncode == 1 and b"out of memory for 30000 x 30000" in done.stderr
    assert os.listdir(tmp_path) == ["big.recipe"]


def test_what_was_finished_is_named(command, tmp_path):
    said = interrupted(command, tmp_path, signal.SIGINT, "-o", "out")
    assert b"interrupted; finished results are in out" in said
    assert sorted(os.listdir(tmp_path / "out")) == ["commands.sh", "covs.npz", "data"]


def test_an_interrupted_experiment_goes_on(spdml, tmp_path):
    """With --resume finished steps are left as they are, and the numbers are those of one run."""
    words = ["experiment", "motion", "--quick", "--methods", "nn-stein,nn-airm", "--json", "-o",
             "out"]
    whole = spdml(*words).good().json
    script, out = tmp_path / "out/commands.sh", tmp_path / "out"
    lines = script.read_text().splitlines(keepends=True)
    assert [x.rstrip("\n").split("|| ")[-1] for x in lines[-4:]] == [
        x.replace("out/", "") for x in whole["commands"]]
    script.write_text("".join(lines[:-1]))  # as if the last step had been interrupted
    shutil.rmtree(out / "train-3")
    made = [out / "covs.npz", out / "train-2/results.json"]
    before = [x.stat().st_mtime_ns for x in made]
    spdml(*words).failed("out/data", "--resume")
    spdml(*words[:-2], "--resume").failed("-o DIR", code=2)
    resumed = spdml(*words, "--resume").good().json
    assert [x.stat().st_mtime_ns for x in made] == before
    assert resumed["rows"] == whole["rows"] and resumed["commands"] == whole["commands"]
    spdml(*words, "--resume", "--seed", "2").failed("out/data")  # other steps


# ---- recipes of one's own ------------------------------------------------------------------------

OWN = """# two sizes
title Two sizes
set sizes = 1,2 quick 1
set methods = nn-stein
for size in $sizes
  spdml evaluate $matrices --methods ${methods}-ml -m $size --split 0.5 \\
        [--seed $nothing] --repeats 2 -o "$folder/m $size" --no-report   # twice
  row $size from "$folder/m $size"
end
figure m
note [$nothing] of $methods
"""


@pytest.fixture
def own(tmp_path, rng):
    A = rng.standard_normal((24, 3, 9)) * (1 + np.arange(24) % 2)[:, None, None]
    np.savez(tmp_path / "my data.npz", X=A @ A.transpose(0, 2, 1), y=np.arange(24) % 2)

    def write(text, name="own.recipe"):
        (tmp_path / name).write_text(text)
    return write


def test_a_recipe_of_ones_own(spdml, tmp_path, own):
    own("set nothing = \"\"\n" + OWN)
    got = spdml("experiment", "own.recipe", "--data", "my data.npz", "--json").good().json
    assert got["experiment"] == "own" and list(table(got)) == ["1", "2"]
    assert got["notes"] == ["of nn-stein"] and len(got["commands"]) == 2
    again = spdml(*words(got["commands"][1]), "--json").good().json
    assert again["results"][0]["accuracy_mean"] == table(got)["2"]["nn-stein-ml"]
    assert list(table(spdml("experiment", "own.recipe", "--data", "my data.npz", "--quick",
                            "--json").good().json)) == ["1"]
    got = spdml("experiment", "./own.recipe", "--data", "my data.npz", "--set", "sizes=2",
                "--set", "nothing=3", "--methods", "nn-airm", "--json").good().json
    assert list(table(got)) == ["2"] and got["notes"] == ["3 of nn-airm"]
    assert "--seed 3" in got["commands"][0]
    assert spdml("experiment", "own.recipe", "--show").good().out == "set nothing = \"\"\n" + OWN


def test_a_recipe_without_a_table_shows_its_steps(spdml, tmp_path, own):
    own("spdml info $data\nspdml mean $data -o $folder/mean.npy\n")
    out = spdml("experiment", "own.recipe", "--data", "my data.npz", "-o", "out").good().out
    assert "24" in out and (tmp_path / "out/mean.npy").is_file()


def test_recipes_are_found(spdml, tmp_path, own):
    names = spdml("experiment", "list", "--json").good().json
    assert list(names) == ["faces", "materials", "motion", "nu-b", "observations"]
    for name, title in names.items():
        assert f"\ntitle      {title}\n" in spdml("experiment", name, "--show").good().out
    (tmp_path / "mine").mkdir()
    own("spdml version\n", "mine/motion.recipe")
    env = {"SPDML_RECIPES": str(tmp_path / "mine")}
    assert spdml("experiment", "motion", "--show", env=env).good().out == "spdml version\n"
    assert "title" in spdml("experiment", "faces", "--show", env=env).good().out
    assert "title" in spdml("experiment", "faces", "--show", env={"SPDML_RECIPES": ""}).good().out
    spdml("experiment", "faces", "--show", env={"SPDML_RECIPES": "nowhere"}).failed(
        "SPDML_RECIPES", "'nowhere' is not a folder", code=2)


@pytest.mark.parametrize("text, tells", [
    ("set a = 1\nstep 3\n", ["own.recipe:2", "unknown word 'step'"]),
    ("\nspdml evaluat $data\n", ["own.recipe:2", "unknown command 'evaluat'"]),
    ("spdml\n", ["own.recipe:1", "unknown command"]),
    ("spdml info $nowhere\n", ["own.recipe:1", "no variable 'nowhere'"]),
    ("spdml experiment motion\n", ["own.recipe:1", "cannot run 'spdml experiment'"]),
    ("spdml mean $data -o mean.npy\n", ["own.recipe:1", "$folder/NAME"]),
    ("spdml mean $data -o $folder/../mean.npy\n", ["own.recipe:1", "$folder/NAME"]),
    ("spdml evaluate $data --methods nn-airm --split 0.5 -o $folder/..\n",
     ["own.recipe:1", "$folder/NAME"]),
    ("for a in 1,2\nspdml info $data\n", ["own.recipe:1", "without `end`"]),
    ("spdml info $data\nend\n", ["own.recipe:2", "without `for`"]),
    ("for a of 1,2\nend\n", ["own.recipe:1", "for NAME in"]),
    ("set a 3\n", ["own.recipe:1", "set NAME = VALUE"]),
    ("spdml info [$data\n", ["own.recipe:1", "]"]),
    ("paper nn-stein 3\n", ["own.recipe:1", "paper-columns"]),
    ("paper-columns a\npaper nn-stein 300\n", ["own.recipe:2", "300"]),
    ("column a\n", ["own.recipe:1", "column NAME from FOLDER"]),
    ("values a = y\n", ["own.recipe:1", "values NAME = COLUMN of FILE"]),
    ("divide 1,2 2\n", ["own.recipe:1", "divide LIST"]),
    ("figure\n", ["own.recipe:1", "figure LABEL"]),
    ("mark x y\n", ["own.recipe:1", "mark NUMBER TEXT"]),
    ("seconds a b\n", ["own.recipe:1", "seconds METHOD"]),
    ("set l = " + ",".join(["1"] * 100) + "\nfor a in $l\nfor b in $l\nfor c in $l\nend\nend\nend\n",
     ["own.recipe:", "more than 10000 lines"]),
    ("spdml info\0", ["own.recipe", "zero byte"]),
    ("# " + "x" * (1 << 20), ["own.recipe", "larger than 1 MiB"]),
    ("spdml info $data\nspdml version\n" * 2 + "spdml mean $data -o $folder/a.npy\nboo\n",
     ["own.recipe:6", "boo"]),
])
def test_damaged_recipes(spdml, tmp_path, own, text, tells):
    """Refused as a whole, with file and line, before anything is done."""
    own(text)
    spdml("experiment", "own.recipe", "--data", "my data.npz", "-o", "out").failed(*tells, code=2)
    assert sorted(os.listdir(tmp_path)) == ["my data.npz", "own.recipe"]


# Files and folders that options read; all others are written.
READ = {"labels", "resume", "weights", "affinity", "data", "w", "model", "rects", "asf", "train", "test", "test-labels",
        "names", "queries", "events"}
# What a step of the command needs.
STEPS = {
    "info": "$data", "describe": "region $folder/a -o $folder/d.npz", "fit": "$data -m 2 -o $folder/m.spdml",
    "transform": "$folder/m.spdml $data -o $folder/t.npz", "train": "$data --method cdl -o $folder/t.spdml",
    "predict": "$folder/t.spdml $data",
    "explain": "$folder/m.spdml", "classify": "--train $data --test $data --method cdl",
    "evaluate": "$data --methods cdl --split 0.5", "compare": "$folder/a $folder/b",
    "cost": "$data --w $folder/w.npy", "distance": "$data", "mean": "$data", "neighbours": "$data -k 2",
    "embed": "$data", "convert": "$data -o $folder/c.npz", "join": "$data $data -o $folder/j.npz",
    "synth": "spd -o $folder/s.npz", "observations": "$data --methods cdl", "version": "", "help": ""}


def file_options(spdml):
    """{command: names of its options that take a file or a folder}"""
    options = {name: set() for name in spdml("help", "--commands").good().out.split()}
    for line in spdml("help", "--completion", "fish").good().out.splitlines():
        found = re.match(r"complete -c spdml -n '__spdml_command (\w+)[^']*' -l (\S+)(?: -s .)? -r -F", line)
        if found:
            options[found[1]].add(found[2])
    return options


def test_whatever_an_option_writes_stays_in_the_folder(spdml, tmp_path, own):
    """Every option of every command that takes a file either reads it, or is refused another folder."""
    written = 0
    for name, options in file_options(spdml).items():
        for said in re.findall(r"--(\S+) (?:FILE|DIR|PATH|FOLDER|MODEL)\b", spdml(name, "--help").good().out):
            assert said in options, f"{name} --{said} takes a file, and its row does not say so"
        for option in sorted(options - READ) if name != "experiment" else ():
            for ending in "npz", "npy", "csv", "spdml", "svg", "md":
                own(f"spdml {name} {STEPS[name]} --{option} ../elsewhere.{ending}\n")
                done = spdml("experiment", "own.recipe", "--data", "my data.npz", "-o", "out")
                if "the name must end in" not in done.err:
                    break
            done.failed("own.recipe:1", f"--{option} ../elsewhere.", "$folder/NAME", code=2)
            written += 1
    assert written >= 21 and sorted(os.listdir(tmp_path)) == ["my data.npz", "own.recipe"]


def test_steps_are_told_without_a_doubled_word(spdml, own):
    own("spdml mean $data -o $folder/m.npy\n")
    done = spdml("experiment", "own.recipe", "--data", "my data.npz", "-o", "out", "-v").good()
    assert "spdml: mean " in done.err and "spdml: spdml" not in done.err


def test_a_step_that_cannot_be_run(spdml, tmp_path, own):
    own("spdml version\nspdml info $data --nonsense\n")
    done = spdml("experiment", "own.recipe", "--data", "my data.npz", "-o", "out")
    assert done.code == 2 and "--nonsense" in done.err and "own.recipe:2" in done.err
    assert sorted(os.listdir(tmp_path)) == ["my data.npz", "own.recipe"]


@pytest.mark.parametrize("args, tells", [
    (["gone.recipe"], ["gone.recipe", "cannot be read"]),
    (["own.recipe", "--set", "x"], ["NAME=VALUE"]),
    (["own.recipe", "--set", "x=1"], ["--set x does not belong"]),
    (["own.recipe", "--methods", "cdl"], ["--methods does not belong"]),
])
def test_what_a_recipe_has_no_use_for(spdml, own, args, tells):
    own("spdml version\n")
    spdml("experiment", *args).failed(*tells, code=1 if args[0] == "gone.recipe" else 2)


def test_a_folder_is_no_recipe(spdml, tmp_path):
    (tmp_path / "a.recipe").mkdir()
    spdml("experiment", "a.recipe").failed("a.recipe", "cannot be read")
