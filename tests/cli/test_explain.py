"""`spdml explain`: patterns against numpy, names from records and files, and the picture."""

import json
import xml.etree.ElementTree as ET
import zipfile

import numpy as np
import pytest
from conftest import random_spd


def save(path, X, y, meta=None):
    np.savez(path, X=X, y=y)
    if meta:
        with zipfile.ZipFile(path, "a") as file:
            file.writestr("meta.json", json.dumps(meta))


def parts(svg):
    """Texts of a drawing, titles included; it must be XML."""
    return ["".join(e.itertext()) for e in ET.parse(svg).iter() if e.tag.endswith(("text", "title"))]


@pytest.fixture
def learned(spdml, rng, tmp_path):
    """A function: data with a record, and a map to two dimensions learned from them."""

    def make(n=6, meta=None):
        X, y = random_spd(rng, 30, n), np.arange(30) % 2
        X[y == 1, 0, 0] += 4.0
        save(tmp_path / "data.npz", X, y, meta)
        spdml("fit", "data.npz", "-m", 2, "--max-iter", 5, "-o", "map.spdml").good()
        return X

    return make


def numpy_patterns(W, M):
    A = M @ W @ np.linalg.inv(W.T @ M @ W)
    return np.diag(A @ (W.T @ M @ W) @ A.T)


def test_numbers_against_numpy(spdml, learned, tmp_path):
    X = learned()
    got = spdml("explain", "map.spdml", "--data", "data.npz", "--json").good().json
    with np.load(tmp_path / "map.spdml") as file:
        W = file["W"]
    carried = numpy_patterns(W, X.mean(axis=0))
    rows = got["rows"]
    np.testing.assert_allclose([r["share"] for r in rows], carried / carried.sum(), rtol=1e-9)
    np.testing.assert_allclose([r["kept"] for r in rows], carried / np.diag(X.mean(axis=0)),
                               rtol=1e-9)
    np.testing.assert_allclose([r["weight"] for r in rows], (W**2).sum(axis=1) / 2, rtol=1e-9)
    np.testing.assert_allclose((np.array(got["pattern"]) ** 2).sum(axis=1), carried, rtol=1e-9)
    assert got["patterns"] is True and got["by"] == "share"
    assert "Haufe" in got["caption"] and got["n"] == 6 and got["m"] == 2


def test_without_data_only_weights_are_shown(spdml, learned):
    learned()
    got = spdml("explain", "map.spdml", "--json").good().json
    assert got["patterns"] is False and got["by"] == "weight"
    assert all(set(row) == {"name", "weight"} for row in got["rows"])
    assert "weights of W alone" in got["caption"]
    table = spdml("explain", "map.spdml").good().out
    assert "share %" not in table and "weight %" in table and "weights of W alone" in table
    spdml("explain", "map.spdml", "--by", "kept").failed("--data", code=2)


def test_the_table_is_sorted(spdml, learned):
    learned()
    for by in ("share", "kept", "weight"):
        out = spdml("explain", "map.spdml", "--data", "data.npz", "--by", by).good().out
        lines = out.split("weight %\n")[1].split("\n\n")[0].splitlines()
        column = {"share": 1, "kept": 2, "weight": 3}[by]
        values = [float(line.split()[column]) for line in lines]
        assert len(values) == 6 and values == sorted(values, reverse=True)


def test_names_from_a_file(spdml, learned, tmp_path):
    learned()
    names = ["Fz", "C3", "<b>&", "C4", "Pz", "Oz"]
    (tmp_path / "names.txt").write_text("\r\n".join(names) + "\r\n")
    got = spdml("explain", "map.spdml", "--names", "names.txt", "-o", "map.svg", "--json").good()
    assert [row["name"] for row in got.json["rows"]] == names
    assert set(names) <= set(parts(tmp_path / "map.svg"))
    (tmp_path / "few.txt").write_text("a\nb\n")
    spdml("explain", "map.spdml", "--names", "few.txt").failed("few.txt", "2 names", "6 rows")
    spdml("explain", "map.spdml", "--names", "none.txt").failed("none.txt")
    (tmp_path / "empty.txt").write_text("")
    spdml("explain", "map.spdml", "--names", "empty.txt").failed("empty.txt", "no names")


def test_channels_on_a_head(spdml, learned, tmp_path):
    """Left is left, front is up, and the older names are known; strange ones are left out."""
    learned(8)
    names = ["Fz", "C3", "c4..", "Oz", "T3", "FT8", "EOG", "<x>"]
    (tmp_path / "names.txt").write_text("\n".join(names))
    spdml("explain", "map.spdml", "--data", "data.npz", "--names", "names.txt", "-o",
          "map.svg").good()
    places = {}
    for e in ET.parse(tmp_path / "map.svg").iter():
        if e.tag.endswith("circle") and len(e):
            name = "".join(e.itertext()).split(":")[0]
            places[name] = float(e.attrib["cx"]), float(e.attrib["cy"])
    assert set(places) == {"Fz", "C3", "c4..", "Oz", "T3", "FT8"}
    assert places["Fz"][1] < places["C3"][1] == places["T3"][1] == places["c4.."][1] < places["Oz"][1]
    assert places["T3"][0] < places["C3"][0] < places["Fz"][0] < places["c4.."][0] < places["FT8"][0]
    (tmp_path / "names.txt").write_text("\n".join("Fz C3 C4 a b c d e".split()))
    spdml("explain", "map.spdml", "--names", "names.txt", "-o", "map.svg").good()
    assert not [e for e in ET.parse(tmp_path / "map.svg").iter() if e.tag.endswith("circle")]


JOINTS = {"descriptor": "joints", "parameters": {"center": "none", "temporal_pyramid": 1},
          "rows": {"joints": ["hip", "knee"], "parents": [-1, 0],
                   "position": [[0, 2, 0], [0.5, 1, 0]]}}


def test_joints_and_their_skeleton(spdml, learned, tmp_path):
    learned(meta=JOINTS)
    got = spdml("explain", "map.spdml", "--data", "data.npz", "-o", "map.svg", "--json").good().json
    assert [row["name"] for row in got["rows"]] == ["hip x", "hip y", "hip z", "knee x", "knee y",
                                                    "knee z"]
    joints = got["groups"]["joints"]
    assert [j["name"] for j in joints] == ["hip", "knee"]
    assert joints[0]["share"] == pytest.approx(sum(r["share"] for r in got["rows"][:3]))
    assert sum(a["share"] for a in got["groups"]["axes"]) == pytest.approx(1.0)
    drawing = ET.parse(tmp_path / "map.svg").getroot()
    circles = [e for e in drawing.iter() if e.tag.endswith("circle")]
    bones = [e for e in drawing.iter() if e.attrib.get("stroke-width") == "3"]
    assert len(circles) == 2 and len(bones) == 1
    assert float(circles[1].attrib["cy"]) > float(circles[0].attrib["cy"])  # y is up
    larger = max(joints, key=lambda j: j["share"])["name"]
    widest = max(circles, key=lambda e: float(e.attrib["r"]))
    assert "".join(widest.itertext()).startswith(larger)


def test_names_of_joints_and_channels(spdml, learned, tmp_path):
    (tmp_path / "names.txt").write_text("left\nright\n")
    learned(meta={"descriptor": "joints", "parameters": {"center": "none"}})
    got = spdml("explain", "map.spdml", "--data", "data.npz", "--names", "names.txt", "--json")
    assert got.good().json["rows"][3]["name"] == "right x"
    bands = {"descriptor": "covariance", "parameters": {"bands": [[4, 8], [8, 12], [12, 30]]}}
    learned(meta=bands)
    got = spdml("explain", "map.spdml", "--data", "data.npz", "--names", "names.txt", "--json")
    assert got.good().json["rows"][3]["name"] == "right, 8-12 Hz"
    assert [b["name"] for b in got.json["groups"]["bands"]] == ["4-8 Hz", "8-12 Hz", "12-30 Hz"]


@pytest.mark.parametrize("n,meta,first,keys", [
    (9, {"descriptor": "region", "parameters": {}}, "x", ["features"]),
    (11, {"descriptor": "region", "parameters": {}}, "x", ["features"]),
    (14, {"descriptor": "gabor", "parameters": {"scales": 2, "orientations": 2, "regions": "grid",
                                                "grid_rows": 1, "grid_columns": 2}},
     "cell 1,1, intensity", ["features", "filters", "regions"]),
    (6, {"descriptor": "gabor", "parameters": {"scales": 1e30, "orientations": 4}}, "1", ["rows"]),
    (6, {"descriptor": "sift-color", "parameters": {}}, "1", ["rows"]),
    (6, {"descriptor": "covariance", "parameters": {}, "rows": {"channels": ["a", "b"]}}, "1",
     ["rows"]),
    (6, {"descriptor": "joints", "parameters": {"temporal_pyramid": 3}}, "1", ["rows"]),
    (6, {"descriptor": "joints", "rows": 7, "parameters": []}, "1", ["rows"]),
    (12, {"descriptor": "joints", "parameters": {"temporal_pyramid": 2, "overlap": True}},
     "joint 1 x, window 1", ["joints", "axes", "windows"]),
])
def test_rows_of_records_that_fit_and_that_do_not(spdml, learned, n, meta, first, keys):
    learned(n, meta)
    got = spdml("explain", "map.spdml", "--data", "data.npz", "-o", "map.svg", "--json").good().json
    assert got["rows"][0]["name"] == first and list(got["groups"]) == keys


def test_describe_leaves_names(spdml, tmp_path):
    spdml("synth", "motion", "-o", "clips", "--classes", 2, "--subjects", 1, "--samples", 3,
          "--frames", 40).good()
    spdml("describe", "joints", "clips", "--labels", "clips/index.csv", "--center", "root", "-o",
          "x.npz").good()
    with zipfile.ZipFile(tmp_path / "x.npz") as file:
        rows = json.loads(file.read("meta.json"))["rows"]
    assert rows["joints"][0] == "root" and rows["parents"][0] == -1
    assert len(rows["joints"]) == len(rows["parents"]) == len(rows["position"]) == 31
    spdml("fit", "x.npz", "-m", 3, "--max-iter", 2, "-o", "map.spdml").good()
    got = spdml("explain", "map.spdml", "--data", "x.npz", "-o", "map.svg", "--json").good().json
    assert len(got["groups"]["joints"]) == 30  # the root does not move
    assert got["groups"]["joints"][0]["name"] == rows["joints"][1]


def test_methods_without_a_map(spdml, learned, rng, tmp_path):
    """ts-lda has none by nature, whatever m and n are."""
    np.savez(tmp_path / "t.npz", X=random_spd(rng, 12, 3), y=np.arange(12) % 2)
    spdml("train", "t.npz", "--method", "ts-lda", "-o", "t.spdml").good()
    done = spdml("explain", "t.spdml").failed("t.spdml: ts-lda works on the whole matrices", "(-ml)")
    assert "m = n" not in done.err
    spdml("evaluate", "t.npz", "--methods", "src", "--split", 0.5).failed(
        "'spdml describe --keep-images'")


def test_trained_methods(spdml, learned, tmp_path):
    learned(meta=JOINTS)
    spdml("train", "data.npz", "--method", "nn-stein-ml", "-m", 2, "--no-tune", "-o",
          "method.spdml").good()
    got = spdml("explain", "method.spdml", "--json").good().json
    assert got["groups"]["joints"][0]["name"] == "hip"  # the file knows how they were made
    spdml("train", "data.npz", "--method", "mdm-airm", "--no-tune", "-o", "whole.spdml").good()
    spdml("explain", "whole.spdml").failed("no map")
    spdml("train", "data.npz", "--method", "nn-stein-multi", "--no-tune", "-o",
          "multi.spdml").good()
    spdml("explain", "multi.spdml").failed("multi")


def test_data_must_fit(spdml, learned, rng, tmp_path):
    learned()
    np.savez(tmp_path / "other.npz", X=random_spd(rng, 4, 5))
    spdml("explain", "map.spdml", "--data", "other.npz").failed("6 x 6", "5 x 5")
    spdml("explain", "data.npz").failed("data.npz")
