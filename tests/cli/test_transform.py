"""`spdml transform`: W'XW, with labels and columns kept."""

import json
import zipfile

import learn_twins as twin
import numpy as np
import pytest
from conftest import rewrite


@pytest.fixture
def model(spdml, tmp_path, rng):
    X, y = twin.classes(rng, 20, 6)
    names = np.array(["cat", "dog", "cow"])[y]
    np.savez(tmp_path / "d.npz", X=X, y=names, weight=np.arange(20.0),
             box=np.arange(40).reshape(20, 2))
    spdml("fit", "d.npz", "-m", 3, "-o", "m.spdml", "--max-iter", 5).good()
    return X, names


def test_small_matrices(spdml, tmp_path, model):
    X, names = model
    shown = spdml("transform", "m.spdml", "d.npz", "-o", "low.npz", "--json").good().json
    assert (shown["p"], shown["n"], shown["m"]) == (20, 6, 3)
    W = np.load(tmp_path / "m.spdml")["W"]
    low = np.load(tmp_path / "low.npz")
    assert np.abs(low["X"] - W.T @ X @ W).max() < 1e-13 * np.abs(X).max()
    assert (low["y"] == names).all()
    assert (low["weight"] == np.arange(20.0)).all()
    assert (low["box"] == np.arange(40).reshape(20, 2)).all()
    spdml("info", "low.npz").good()


def test_model_opens_with_numpy(tmp_path, model):
    with np.load(tmp_path / "m.spdml") as file:
        W, history = file["W"], file["history"]
    assert W.shape == (6, 3) and W.dtype == np.float64
    assert np.abs(W.T @ W - np.eye(3)).max() < 1e-12
    with zipfile.ZipFile(tmp_path / "m.spdml") as archive:
        meta = json.loads(archive.read("meta.json"))
    assert meta["format"] == 1 and meta["kind"] == "spdml model"
    assert meta["metric"] == "stein" and meta["stop"] in ("iterations", "tolerance")
    assert history.shape == (meta["iterations"] + 1, 5)
    assert history[-1, 0] == meta["cost"]


def test_other_formats(spdml, tmp_path, model):
    np.save(tmp_path / "x.npy", model[0])
    spdml("transform", "m.spdml", "x.npy", "-o", "low.npy").good()
    assert np.load(tmp_path / "low.npy").shape == (20, 3, 3)
    spdml("transform", "m.spdml", "d.npz", "-o", "low.mat").good()
    assert spdml("info", "low.mat", "--json").good().json["n"] == 3


def test_size_must_fit(spdml, tmp_path, rng, model):
    np.savez(tmp_path / "other.npz", X=twin.classes(rng, 6, 4)[0])
    spdml("transform", "m.spdml", "other.npz", "-o", "low.npz").failed(
        "m.spdml maps 6 x 6 matrices, but other.npz holds 4 x 4")
    assert not (tmp_path / "low.npz").exists()


def test_what_is_no_model(spdml, tmp_path, model):
    spdml("transform", "d.npz", "m.spdml", "-o", "low.npz").failed(
        "d.npz", "meta.json", "expected a file written by spdml fit")
    with zipfile.ZipFile(tmp_path / "d.npz", "a") as archive:  # as describe writes it
        archive.writestr("meta.json", '{"descriptor": "covariance"}')
    spdml("transform", "d.npz", "m.spdml", "-o", "low.npz").failed(
        "d.npz", "meta.json", "a file written by spdml fit")
    spdml("fit", "m.spdml", "-m", 2, "-o", "again.spdml").failed("m.spdml", "this is a model")
    spdml("info", ".").failed(".", "is a folder", "spdml describe")
    spdml("transform", "none.spdml", "d.npz", "-o", "low.npz").failed("none.spdml", "No such file")
    (tmp_path / "text.spdml").write_text("words")
    spdml("transform", "text.spdml", "d.npz", "-o", "low.npz").failed("text.spdml", "zip")
    spdml("transform", "m.spdml").failed("transform needs MODEL DATA", code=2)


@pytest.mark.parametrize("change, tells", [
    (lambda m: m.update(format=7, version="9.9.9"), ["format 7", "spdml 9.9.9", "reads format 1"]),
    (lambda m: m.update(kind="spdml forest"), ["spdml forest"]),
    (lambda m: m.update(m=2), ["W", "6 x 2"]),
    (lambda m: m.update(n=-6), ["'n'"]),
    (lambda m: m.update(m=60), ["m = 60"]),
    (lambda m: m.update(metric="taxicab"), ["'metric'", "known name"]),
    (lambda m: m.update(cost="low"), ["'cost'"]),
    (lambda m: m.pop("seed"), ["'seed' is missing"]),
    (lambda m: m.update(iterations=77), ["77 iterations"]),
])
def test_meta_that_lies(spdml, tmp_path, model, change, tells):
    rewrite(tmp_path / "m.spdml", change)
    spdml("transform", "m.spdml", "d.npz", "-o", "low.npz").failed("m.spdml", *tells)
    spdml("info", "m.spdml").failed("m.spdml", *tells)


@pytest.mark.parametrize("W, tells", [
    (np.ones((6, 3)), ["orthonormal"]), (np.full((6, 3), np.nan), ["not finite"]),
    (np.eye(6, 3).astype(int), ["6 x 3 numbers"]), (np.eye(3), ["6 x 3"])])
def test_w_that_lies(spdml, tmp_path, model, W, tells):
    rewrite(tmp_path / "m.spdml", more={"W.npy": W})
    spdml("transform", "m.spdml", "d.npz", "-o", "low.npz").failed("m.spdml", "W", *tells)


def test_damaged_models(spdml, tmp_path, rng, model):
    whole = (tmp_path / "m.spdml").read_bytes()
    for size in rng.integers(1, len(whole), 5):
        (tmp_path / "cut.spdml").write_bytes(whole[:size])
        spdml("transform", "cut.spdml", "d.npz", "-o", "low.npz").failed("cut.spdml")


def test_info(spdml, model):
    shown = spdml("info", "m.spdml", "--json").good().json
    assert shown["kind"] == "model" and shown["metric"] == "stein" and shown["m"] == 3
    assert len(shown["history"]) == shown["iterations"] + 1 and len(shown["W"]) == 6
    assert shown["version"] == spdml("version", "--json").json["version"]
    text = spdml("info", "m.spdml").good().out
    for word in ("6 x 6 to 3 x 3", "stein", "supervised", "lbfgs", "stopped by", "cost"):
        assert word in text
