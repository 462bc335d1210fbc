"""neighbours --index and --recall: a file that is made once, used again, and refused where it does not belong."""

import os

import numpy as np
import pytest


@pytest.fixture
def data(rng, tmp_path):
    A = rng.normal(size=(460, 6, 9))
    X = A @ A.transpose(0, 2, 1) / 9
    np.savez(tmp_path / "a.npz", X=X[:400])
    np.savez(tmp_path / "q.npz", X=X[400:])
    np.savez(tmp_path / "b.npz", X=X[60:])
    return X


SEARCH = ["neighbours", "a.npz", "--queries", "q.npz", "-k", 3, "--metric", "stein"]


def test_an_index_is_made_once(spdml, data, tmp_path):
    spdml(*SEARCH, "-o", "exact.npz").good()
    first = spdml(*SEARCH, "--index", "i.npz", "-o", "n.npz", "--json").good().json
    made = (tmp_path / "i.npz").read_bytes()
    again = spdml(*SEARCH, "--index", "i.npz", "-o", "m.npz", "--json").good().json
    assert (tmp_path / "i.npz").read_bytes() == made
    assert first["search"] == again["search"] == "approximate" and first["recall"] == again["recall"] > 0.8
    exact, one, two = (np.load(tmp_path / name) for name in ("exact.npz", "n.npz", "m.npz"))
    assert np.array_equal(one["index"], two["index"]) and np.array_equal(one["distance"], two["distance"])
    assert np.mean(one["distance"] <= exact["distance"][:, -1:]) > 0.8
    assert "by 10 of the queries" in spdml(*SEARCH, "--index", "i.npz").good().out


def test_a_wish_for_recall_is_met(spdml, data):
    shown = spdml(*SEARCH, "--index", "i.npz", "--recall", 1, "--json").good().json
    assert shown["recall"] == 1.0
    within = spdml("neighbours", "a.npz", "-k", 3, "--recall", 0.9, "--json").good().json
    assert within["recall"] >= 0.9
    assert spdml(*SEARCH, "--index", "i.npz", "--search", "exact", "--json").good().json["search"] == "exact"
    spdml(*SEARCH, "--recall", 2).failed("--recall", code=2)


def test_an_index_of_other_data_is_refused(spdml, data, tmp_path):
    spdml(*SEARCH, "--index", "i.npz").good()
    before = (tmp_path / "i.npz").read_bytes()
    spdml("neighbours", "b.npz", "--queries", "q.npz", "--metric", "stein", "--index", "i.npz").failed(
        "b.npz", "other matrices")
    spdml("neighbours", "a.npz", "--queries", "q.npz", "--index", "i.npz").failed("under stein", "under airm")
    assert (tmp_path / "i.npz").read_bytes() == before


@pytest.mark.parametrize("spoil, tells", [
    (lambda b: b[:200], "i.npz"),
    (lambda b: b"", "i.npz"),
    (lambda b: b[: len(b) // 2] + bytes([b[len(b) // 2] ^ 255]) + b[len(b) // 2 + 1:], "i.npz")])
def test_a_spoilt_index(spdml, data, tmp_path, spoil, tells):
    spdml(*SEARCH, "--index", "i.npz").good()
    path = tmp_path / "i.npz"
    path.write_bytes(spoil(path.read_bytes()))
    spoilt = path.read_bytes()
    spdml(*SEARCH, "--index", "i.npz", "-o", "n.npz").failed(tells)
    assert path.read_bytes() == spoilt and not (tmp_path / "n.npz").exists()


def test_other_files_are_no_index(spdml, data, tmp_path):
    spdml(*SEARCH, "--index", "q.npz").failed("q.npz")
    assert os.listdir(tmp_path).count("n.npz") == 0
    spdml(*SEARCH, "--index", "no/such/folder/i.npz").failed("no/such/folder")
