"""experiments/*.sh: small versions of the paper's tables and figures, and the options of `compare` that make them."""

import csv
import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
TABLES = ["nn-stein", "nn-stein-ml", "nn-airm", "nn-airm-ml", "rsr", "rsr-ml", "cdl", "pca-nn-airm"]
pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="the experiments are shell scripts")


@pytest.fixture
def experiment(command, tmp_path, tmp_path_factory):
    """Runs one with --quick and spdml on the PATH; what it printed and the rows of table.csv, by method or number."""
    bins = tmp_path_factory.mktemp("bin")
    (bins / "spdml").symlink_to(command)
    env = {k: v for k, v in os.environ.items() if k != "SPDML"} | {"PATH": f"{bins}:{os.environ['PATH']}"}

    def go(name, *options):
        done = subprocess.run([ROOT / f"experiments/{name}.sh", "--quick", "-o", name, *map(str, options)], cwd=tmp_path,
                              env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        with open(tmp_path / name / "table.csv", encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(f))
        for form in ("md", "tex"):
            assert (tmp_path / name / f"table.{form}").stat().st_size > 100
        return done.stdout, {next(iter(row.values())): row for row in rows}
    return go


def results(folder):
    return {r["method"]: r for r in json.loads((folder / "results.json").read_text())["results"]}


def test_materials(experiment, spdml, tmp_path):
    said, rows = experiment("materials", "--seed", 2)
    assert list(rows) == [*TABLES, "sd"]
    for method, found in results(tmp_path / "materials/evaluation").items():
        assert float(rows[method]["accuracy"]) == found["accuracy_mean"]
        assert float(rows[method]["seconds"]) == found["test_seconds"]
    assert {m: float(r["accuracy_paper"]) for m, r in rows.items()} == pytest.approx(
        dict(zip(rows, [.358, .581, .356, .583, .528, .666, .523, .421, .435])))
    assert (rows["nn-airm"]["seconds_paper"], rows["nn-airm-ml"]["seconds_paper"]) == ("490", "9.7")
    assert float(rows["nn-airm-ml"]["accuracy"]) > 0.5 and "58.1 +- 2.8" in said
    assert "ECCV 2014" in said and "48 matrices 155 x 155, 4 classes" in said and "24 train, 24 tested" in said
    spdml("synth", "textures", "--classes", 4, "--samples", 12, "--size", 64, "--seed", 2, "-o", "UIUC").good()
    shutil.rmtree(tmp_path / "materials")
    _, again = experiment("materials", "--seed", 2, "--data", "UIUC", "--methods", "nn-stein,cdl", "--threads", 1)
    for method in ("nn-stein", "cdl"):  # the same images: the same numbers
        assert again[method]["accuracy"] == rows[method]["accuracy"]


def test_motion(experiment, spdml, tmp_path):
    said, rows = experiment("motion")
    assert list(rows) == [*TABLES, "cov3dj"]
    assert float(rows["cov3dj"]["train-3_paper"]) == 0.9541 and rows["cov3dj"]["train-2_paper"] == ""
    assert float(rows["rsr-ml"]["train-2_paper"]) == pytest.approx(0.819)
    assert all(float(r[part]) > 0.5 for r in rows.values() for part in ("train-2", "train-3"))
    assert results(tmp_path / "motion/cov3dj/train-3")["cov3dj"]["parameters"] == {"cost": 10}
    assert "train-2: 40 matrices 93 x 93, 4 classes; train subject=a,b, test the others; 16 train, 24 tested" in said
    (tmp_path / "HDM05/clips").mkdir(parents=True)  # laid out as the download is, without an index
    for ours, theirs in zip("abcde", ("bd", "bk", "dg", "mm", "tr")):
        shutil.copy(tmp_path / f"motion/data/{ours}.asf", tmp_path / f"HDM05/HDM_{theirs}.asf")
        for clip in (tmp_path / "motion/data").glob(f"{ours}_*.amc"):
            _, action, number = clip.name.split("_")
            shutil.copy(clip, tmp_path / f"HDM05/clips/HDM_{theirs}_{action}_{number}")
    shutil.rmtree(tmp_path / "motion")
    said, own = experiment("motion", "--data", "HDM05", "--methods", "nn-stein,nn-airm")
    assert "not all of the paper's actions are there" in said and "train subject=bd,mm," in said
    assert "train-2: 40 matrices 93 x 93, 4 classes" in said
    assert {m for m, r in own.items() if r["train-2"]} == {"nn-stein", "nn-airm"}


def test_faces(experiment, spdml, tmp_path):
    said, rows = experiment("faces")
    assert list(rows) == [*TABLES, "src", "gsrc"] and list(rows["src"])[-4:] == ["all", "all_std", "all_paper", "all_paper_std"]
    assert float(rows["gsrc"]["bh_paper"]) == 0.38
    for method, found in results(tmp_path / "faces/evaluation").items():
        assert [float(rows[method][pose]) for pose in found["by"]] == list(found["by"].values())
    remarks = json.loads((tmp_path / "faces/evaluation/results.json").read_text())["remarks"]
    assert [r.partition(":")[0] for r in remarks] == ["nn-stein-ml", "nn-airm-ml", "rsr-ml"]
    for remark in remarks:
        assert "22 of 33 variables are not used; --init random" in remark and remark in said
    np.savez(tmp_path / "own.npz", **{k: v for k, v in np.load(tmp_path / "faces/covs.npz").items() if k != "images"})
    said, own = experiment("faces", "--data", "own.npz", "--init", "random")
    assert own["src"]["all"] == "" and own["cdl"]["all"] and "not used" not in said


def test_nu_b(experiment, tmp_path):
    said, rows = experiment("nu-b", "--set", "points=1,4,12")
    assert list(rows) == ["1", "4", "12"] and list(rows["1"])[0] == "nu-b"
    for number, row in rows.items():
        for method, found in results(tmp_path / f"nu-b/nu-b-{number}").items():
            assert found["parameters"]["nu-b"] == int(number)
            assert (float(row[method]), float(row[method + "_std"])) == (found["accuracy_mean"], found["accuracy_std"])
    assert float(rows["4"]["nn-stein-ml_paper"]) == 0.586 and rows["1"]["nn-stein-ml_paper"] == ""
    figure = (tmp_path / "nu-b/figure.svg").read_text()
    assert "paper 58.6" in figure and "nu-b" in figure and (tmp_path / "nu-b/figure.pdf").read_bytes()[:4] == b"%PDF"


def test_observations(experiment, tmp_path):
    said, rows = experiment("observations")
    assert list(rows) == ["6", "12", "24", "49", "98", "196"]
    parts = [results(tmp_path / f"observations/mapped-{s}")["nn-stein-ml"]["by"] for s in (1, 2)]
    for number, row in rows.items():
        each = [part[number] for part in parts]
        assert float(row["nn-stein-ml"]) == pytest.approx(np.mean(each))
        assert float(row["nn-stein-ml_std"]) == pytest.approx(np.std(each, ddof=1), abs=1e-12)
    assert float(rows["12"]["nn-stein-ml"]) > 0.5 > float(rows["12"]["nn-stein"]), "what the map is for"
    assert "lose 17, 19 and 20 points" in said and "24 train, 144 tested" in said
    figure = (tmp_path / "observations/figure.svg").read_text()
    assert "n = 155" in figure and "m = 10" in figure


def test_a_script_says_what_it_takes(command, tmp_path):
    for path in sorted((ROOT / "experiments").glob("*.sh")):
        if path.name == "common.sh":
            continue
        assert os.access(path, os.X_OK), path
        done = subprocess.run([path, "--help"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and "--quick" in done.stdout and "--set" in done.stdout, done.stderr
    done = subprocess.run([ROOT / "experiments/faces.sh", "--seed"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "--seed needs a value" in done.stderr
    assert not list(tmp_path.iterdir())


# ---- compare -------------------------------------------------------------------------------------


@pytest.fixture
def runs(tmp_path):
    """Folders r1 and r2: one with a column of --by, one with another nu-b."""
    for number, (by, nu_b) in enumerate([({"10": 0.5, "5": 0.25}, 1), ({"10": 0.7, "5": 0.45}, 2)], 1):
        one = {"method": "a_b", "accuracy_mean": nu_b / 4, "parameters": {"nu-b": nu_b}, "by": by, "test_seconds": 0.5,
               "rounds": [{"accuracy": nu_b / 4, "test": 4, "train": 6, "right": "1000"}]}
        (tmp_path / f"r{number}").mkdir()
        (tmp_path / f"r{number}/results.json").write_text(json.dumps({
            "protocol": "a half", "by": "r", "matrices": 10, "n": 3, "classes": 2, "splits": [{"train": "x", "test": "y"}],
            "remarks": [f"remark {number}"], "results": [one]}))
    return ["r1", "r2"]


def test_against_a_parameter_or_a_column(spdml, runs, tmp_path):
    got = spdml("compare", *runs, "--against", "nu-b", "--json").good().json
    assert [(r["row"], r["cells"][0]["accuracy"]) for r in got["rows"]] == [("1", 0.25), ("2", 0.5)]
    assert got["notes"][1:] == ["remark 1", "remark 2"]
    plain = json.loads((tmp_path / "r1/results.json").read_text())
    plain["results"].append({**plain["results"][0], "method": "nn", "parameters": {}})
    (tmp_path / "plain.json").write_text(json.dumps(plain))
    got = spdml("compare", "plain.json", "--against", "nu-b", "--json").good().json
    assert [c["column"] for c in got["rows"][0]["cells"]] == ["a_b"] and "nn: left out, has no number 'nu-b'" in got["notes"]
    os.remove(tmp_path / "plain.json")
    got = spdml("compare", *runs, "--against", "r", "--json").good().json
    assert [r["row"] for r in got["rows"]] == ["5", "10"]
    cell, = got["rows"][1]["cells"]
    assert cell["accuracy"] == pytest.approx(0.6) and cell["deviation"] == pytest.approx(np.std([.5, .7], ddof=1))
    spdml("compare", *runs, "--against", "gamma").failed("no run has a number 'gamma'", "nu-b")
    many = json.loads((tmp_path / "r1/results.json").read_text())
    many["results"][0]["by"] = {str(k): 0.5 for k in range(10001)}
    (tmp_path / "many.json").write_text(json.dumps(many))
    spdml("compare", "many.json", "--against", "r").failed("too many")
    os.remove(tmp_path / "many.json")
    spdml("compare", *runs, "-o", "x.svg").failed("--against", code=2)
    spdml("compare", *runs, "--against", "r", "--tests", "across").failed("no --tests", code=2)
    spdml("compare", *runs, "--against", "r", "--mark", "n", "-o", "x.svg").failed("NAME=NUMBER", code=2)
    assert sorted(os.listdir(tmp_path)) == ["r1", "r2"]


def test_beside_published_figures(spdml, runs, tmp_path):
    (tmp_path / "p.csv").write_text("# of a paper\nmethod,r1,r2,other\na_b,12.5+-1,-,3\nc,-,50,4\n")
    out = spdml("compare", *runs, "--beside", "p.csv").good().out
    assert "25.0  12.5 +- 1.0" in out.splitlines()[1] and "paper: of a paper" in out.splitlines()
    rows = list(csv.DictReader(spdml("compare", *runs, "--beside", "p.csv", "--format", "csv").good().out.splitlines()))
    assert rows[0]["r1"] == "0.25" and float(rows[0]["r1_paper"]) == 0.125 and float(rows[0]["r1_paper_std"]) == 0.01
    assert rows[1]["method"] == "c" and rows[1]["r2"] == "" and float(rows[1]["r2_paper"]) == 0.5 and "other" not in rows[0]
    latex = spdml("compare", *runs, "--beside", "p.csv", "--format", "latex").good().out
    assert "a\\_b" in latex and "% paper: of a paper" in latex and "\\textbf{25.0}" in latex


@pytest.mark.parametrize("text, words", [
    ("method,r1\na_b\n", "1 cells, not 2"), ("method,r1\na_b,x\n", "58.1"), ("method,r1\na_b,nan\n", "58.1"),
    ("method,r1\na_b,5\0\n", "cannot be read"), (None, "p.csv")])
def test_published_figures_that_cannot_be_read(spdml, runs, tmp_path, text, words):
    if text is not None:
        (tmp_path / "p.csv").write_text(text)
    spdml("compare", *runs, "--beside", "p.csv").failed(words)
