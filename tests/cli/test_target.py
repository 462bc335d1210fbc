"""Regression: `spdml train --target`, and what `predict` and `info` make of its file."""

import csv

import numpy as np
import pytest


@pytest.fixture
def sets(tmp_path):
    """The logarithm of the determinant, and noise; sites of eight."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 4, 12))
    X = A @ A.transpose(0, 2, 1) / 12
    age = 40 + 10 * np.linalg.slogdet(X)[1] + rng.standard_normal(60)
    who = np.array([f"s{i}" for i in range(60)])
    site = np.arange(60) // 8
    np.savez(tmp_path / "a.npz", X=X[:40], age=age[:40], site=site[:40], name=who[:40])
    np.savez(tmp_path / "b.npz", X=X[40:], age=age[40:], name=who[40:])
    np.savez(tmp_path / "c.npz", X=X[40:], years=age[40:])
    return X, age


def scores(y, found):
    error = ((y - found) ** 2).mean()
    return 1 - error / y.var(), np.sqrt(error)


@pytest.mark.parametrize("method", ["krr-stein", "krr-tangent", "krr-both"])
def test_numbers_in_place_of_classes(spdml, sets, tmp_path, method):
    age = sets[1]
    shown = spdml("train", "a.npz", "--target", "age", "--method", method, "-o", "m.spdml", "--json").good().json
    assert shown["target"] == "age" and shown["regression"] and shown["r2"] > 0.9
    assert spdml("info", "m.spdml", "--json").good().json["error"] == shown["error"]
    found = spdml("predict", "m.spdml", "b.npz", "-o", "p.npz", "--json").good().json
    with np.load(tmp_path / "p.npz") as p:
        assert sorted(p.files) == ["name", "predicted", "y"]
        np.testing.assert_array_equal(p["predicted"], found["predicted"])
        np.testing.assert_array_equal(p["y"], age[40:])
        np.testing.assert_allclose((found["r2"], found["error"]), scores(age[40:], p["predicted"]))
    table = list(csv.reader(spdml("predict", "m.spdml", "b.npz", "-o", "-").good().out.splitlines()))
    assert table[0] == ["index", "name", "predicted", "age"] and table[1][:2] == ["0", "s40"]
    np.testing.assert_array_equal([float(row[2]) for row in table[1:]], found["predicted"])


def test_auto_and_groups(spdml, sets):
    """auto takes the kernel with the least error; groups are left out together."""
    words = ["train", "a.npz", "--target", "age", "--json", "-o"]
    auto = spdml(*words, "auto.spdml").good().json
    errors = {method: spdml(*words, "m.spdml", "--method", method).good().json["error"]
              for method in ("krr-stein", "krr-tangent", "krr-both")}
    assert auto["error"] == min(errors.values()) == errors[auto["method"]]
    grouped = spdml(*words, "g.spdml", "--method", "krr-stein", "--cv-groups", "site").good().json
    assert grouped["error"] != errors["krr-stein"]


def test_what_is_shown(spdml, sets):
    text = spdml("train", "a.npz", "--target", "age", "-o", "m.spdml").good().out
    assert "predicts" in text and "R2 0.9" in text and "classes" not in text
    text = spdml("predict", "m.spdml", "b.npz").good().out
    assert "sample  predicted  true" in text and "R2 0.9" in text
    text = spdml("predict", "m.spdml", "c.npz").good().out
    assert "R2" not in text
    assert "R2 0.9" in spdml("predict", "m.spdml", "c.npz", "--target", "years").good().out


@pytest.mark.parametrize("words, message", [
    (["train", "a.npz", "--target", "agee", "-o", "x.spdml"], "no column 'agee' with one number per matrix"),
    (["train", "a.npz", "--target", "name", "-o", "x.spdml"], "there are age, site"),
    (["train", "a.npz", "--target", "age", "--method", "nn", "-o", "x.spdml"], "nn tells classes apart"),
    (["train", "a.npz", "--target", "age", "--method", "krr-ml", "-o", "x.spdml"], "learned from classes"),
    (["predict", "m.spdml", "c.npz", "--target", "age"], "no column 'age'"),
])
def test_bad_input(spdml, sets, tmp_path, words, message):
    spdml("train", "a.npz", "--target", "age", "-o", "m.spdml").good()
    spdml(*words).failed(message)
    assert not (tmp_path / "x.spdml").exists()


def test_missing_numbers_and_methods_of_classes(spdml, sets, tmp_path):
    X, age = sets
    age[7] = np.nan
    np.savez(tmp_path / "n.npz", X=X, age=age, y=np.arange(60) % 2)
    spdml("train", "n.npz", "--target", "age", "-o", "x.spdml").failed("age of matrix 7 is missing")
    spdml("train", "n.npz", "--method", "krr", "-o", "k.spdml").good()
    spdml("predict", "k.spdml", "n.npz", "--target", "age").failed("predicts classes", code=2)
