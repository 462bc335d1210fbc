"""info and convert: every file format, byte order, storage order and kind of label."""

import h5py
import numpy as np
import pytest
import scipy.io
from conftest import random_spd

LABELS = {
    "integers": np.array([3, 1, 3, 2, 1, 1]),
    "texts": np.array(["cat", "dog", "cat", "eel", "dog", "dog"]),
}


@pytest.fixture
def X(rng):
    return random_spd(rng, 6, 4)


def save_matlab73(path, X, y):
    """As MATLAB -v7.3 writes it: HDF5 behind a 512 byte header, axes reversed, classes named."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in (("X", X.transpose(1, 2, 0)), ("y", y.reshape(-1, 1))):
            data = file.create_dataset(name, data=np.asarray(value, np.float64).T)
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(6)
            kind.set_strpad(h5py.h5t.STR_NULLTERM)  # as MATLAB does, without room for the zero
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(data.id, b"MATLAB_class", kind, space).write(np.array(b"double"), kind)
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024 HDF5"
    with open(path, "r+b") as file:
        file.write(head.ljust(116) + bytes(8) + b"\x00\x02IM")


def save_csv(path, X, y, header):
    p, n = X.shape[:2]
    with open(path, "w") as file:
        if header:
            file.write(",".join([f"x{i}" for i in range(n * n)] + ["y"]) + "\n")
        for row, label in zip(X.reshape(p, -1), y):
            cells = [repr(float(v)) for v in row] + ([str(label)] if header else [])
            file.write(",".join(cells) + "\n")


def save(path, X, y):
    name = str(path)
    if name.endswith(".npz"):
        np.savez(path, X=X, y=y)
    elif name.endswith("5.mat"):
        scipy.io.savemat(path, {"X": X.transpose(1, 2, 0), "y": y})
    elif name.endswith("73.mat"):
        save_matlab73(path, X, y)
    else:
        save_csv(path, X, y, header=True)


@pytest.mark.parametrize("name", ["a.npz", "a5.mat", "a73.mat", "a.csv"])
def test_every_format_is_read(spdml, tmp_path, X, name):
    y = LABELS["integers"]
    save(tmp_path / name, X, y)
    shown = spdml("info", name, "--json").good().json
    assert (shown["p"], shown["n"], shown["classes"]) == (6, 4, 3)
    assert shown["class_counts"] == [{"label": "1", "count": 3}, {"label": "2", "count": 1},
                                     {"label": "3", "count": 2}]
    values = np.linalg.eigvalsh(X)
    assert shown["min_eigenvalue"] == pytest.approx(values.min(), rel=1e-9)
    assert shown["max_eigenvalue"] == pytest.approx(values.max(), rel=1e-9)
    assert shown["max_condition"] == pytest.approx((values[:, -1] / values[:, 0]).max(), rel=1e-9)
    assert shown["problems"] == []
    spdml("convert", name, "-o", "back.npz").good()
    back = np.load(tmp_path / "back.npz")
    assert np.array_equal(back["X"], X) and np.array_equal(back["y"].ravel(), y)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", ["b.npz", "b.mat"])
def test_convert_there_and_back(spdml, tmp_path, X, name, kind):
    y = LABELS[kind]
    age = np.linspace(1, 2, 6)
    np.savez_compressed(tmp_path / "a.npz", X=X, y=y, subject=np.arange(6), age=age)
    shown = spdml("convert", "a.npz", "-o", name, "--json").good().json
    assert (shown["p"], shown["n"], shown["classes"], shown["columns"]) == (6, 4, 3, 2)
    spdml("convert", name, "-o", "c.npz").good()
    back = np.load(tmp_path / "c.npz", allow_pickle=False)
    assert np.array_equal(back["X"], X) and back["X"].dtype == np.float64
    assert np.array_equal(back["y"].ravel(), y)
    assert np.array_equal(back["subject"].ravel(), np.arange(6))
    assert np.array_equal(back["age"].ravel(), age)


def test_npy_holds_the_matrices_alone(spdml, tmp_path, X):
    np.savez(tmp_path / "a.npz", X=X, y=LABELS["texts"])
    done = spdml("convert", "a.npz", "-o", "a.npy").good()
    assert "labels" in done.err and len(done.err.splitlines()) == 1
    assert np.array_equal(np.load(tmp_path / "a.npy"), X)
    assert spdml("convert", "a.npz", "-o", "a.npy", "-q").good().err == ""


def test_convert_onto_its_own_input(spdml, tmp_path, X):
    np.save(tmp_path / "a.npy", X)
    spdml("convert", "a.npy", "-o", "a.npy", "--regularize", "0.5").good()
    lifted = X + 0.5 * np.trace(X, axis1=1, axis2=2)[:, None, None] / 4 * np.eye(4)
    assert np.allclose(np.load(tmp_path / "a.npy"), lifted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4"])
def test_storage_of_numbers(spdml, tmp_path, X, dtype, order, ending):
    stored = np.asarray(X.astype(dtype), order=order)
    if ending == "npy":
        np.save(tmp_path / "a.npy", stored)
    else:
        np.savez(tmp_path / "a.npz", X=stored)
    spdml("convert", f"a.{ending}", "-o", "b.npy").good()
    assert np.array_equal(np.load(tmp_path / "b.npy"), stored.astype(np.float64))


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions_of_npy(spdml, tmp_path, X, version):
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, X, version=version)
    assert spdml("info", "a.npy", "--json").good().json["p"] == 6


def test_a_large_npy_is_left_alone(spdml, tmp_path, rng):
    X = np.broadcast_to(random_spd(rng, 1, 40), (3000, 40, 40))  # 38 MB
    np.save(tmp_path / "a.npy", X)
    before = (tmp_path / "a.npy").stat()
    shown = spdml("info", "a.npy", "--json", "--regularize", "1").good().json
    assert shown["p"] == 3000 and shown["min_eigenvalue"] > 1
    after = (tmp_path / "a.npy").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)
    assert np.array_equal(np.load(tmp_path / "a.npy", mmap_mode="r")[2999], X[0])


@pytest.mark.parametrize("labels", ["l.npy", "l.csv", "l.npz"])
@pytest.mark.parametrize("kind", LABELS)
def test_labels_in_a_second_file(spdml, tmp_path, X, labels, kind):
    y = LABELS[kind]
    np.save(tmp_path / "a.npy", X)
    if labels.endswith("npy"):
        np.save(tmp_path / labels, y)
    elif labels.endswith("npz"):
        np.savez(tmp_path / labels, y=y)
    else:
        (tmp_path / labels).write_text("".join(f"{v}\n" for v in y))
    shown = spdml("info", "a.npy", "--labels", labels, "--json").good().json
    assert {c["label"]: c["count"] for c in shown["class_counts"]} == {
        str(v): int(np.sum(y == v)) for v in np.unique(y)}


def test_names_of_variables(spdml, tmp_path, X):
    y = LABELS["integers"]
    np.savez(tmp_path / "a.npz", covs=X, who=y, other=np.zeros((6, 2)))
    spdml("convert", "a.npz", "--x", "covs", "--y", "who", "-o", "b.npz").good()
    back = np.load(tmp_path / "b.npz")
    assert np.array_equal(back["X"], X) and np.array_equal(back["y"], y)
    spdml("info", "a.npz", "--x", "nothing").failed("a.npz", "nothing")
    spdml("info", "a.npz", "--x", "covs", "--y", "nobody").failed("a.npz", "nobody")


def test_numeric_classes_are_in_numeric_order(spdml, tmp_path, rng):
    y = np.array([10, 9, 2, 10])
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 4, 3), y=y)
    shown = spdml("info", "a.npz", "--json").good().json
    assert [c["label"] for c in shown["class_counts"]] == ["2", "9", "10"]


def test_info_is_an_aligned_table(spdml, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 24, 3), y=np.arange(24) % 12,
             subject=np.arange(24))
    out = spdml("info", "a.npz").good().out
    lines = out.splitlines()
    assert all(line[18] == " " and line[19] != " " for line in lines)
    rows = dict((line[:18].strip(), line[19:]) for line in lines if line[:18].strip())
    assert rows["file"] == "a.npz" and rows["matrices"] == "24" and rows["size"] == "3 x 3"
    assert rows["labels"] == "12 classes" and "and 2 more" in out
    assert rows["columns"].startswith("subject") and rows["problems"] == "none"


def test_info_reports_problems_and_ends_well(spdml, tmp_path, rng):
    X = random_spd(rng, 8, 3)
    X[1, 0, 2] = np.nan
    X[4, 0, 1] += 0.5
    X[6] = np.diag([1.0, 2.0, -3.0])
    X[7] = np.diag([1.0, 2.0, 0.0])
    np.savez(tmp_path / "a.npz", X=X, y=np.array(list("aabbccdd")))
    shown = spdml("info", "a.npz", "--json").good().json
    assert len(shown["problems"]) == 3
    finite, symmetric, definite = shown["problems"]
    assert "1 matrix" in finite and "X[1]" in finite and "class a" in finite
    assert "1 matrix" in symmetric and "X[4]" in symmetric and "--symmetrize" in symmetric
    assert "2 matrices" in definite and "X[6]" in definite and "remove it" in definite
    assert shown["min_eigenvalue"] == pytest.approx(-3)
    assert shown["max_condition"] is None
    text = spdml("info", "a.npz").good().out
    for problem in shown["problems"]:
        assert problem in text


def test_repairs(spdml, tmp_path, rng):
    X = random_spd(rng, 3, 4)
    crooked = X + np.triu(np.full((4, 4), 1e-3), 1)
    np.save(tmp_path / "a.npy", crooked)
    spdml("mean", "a.npy").failed("a.npy", "X[0]", "symmetric", "--symmetrize")
    spdml("convert", "a.npy", "--symmetrize", "-o", "b.npy").good()
    straight = (crooked + crooked.transpose(0, 2, 1)) / 2
    assert np.allclose(np.load(tmp_path / "b.npy"), straight, rtol=1e-15, atol=0)
    flat = np.stack([np.diag([1.0, 2.0, 0.0])] * 2)
    np.save(tmp_path / "c.npy", flat)
    spdml("mean", "c.npy").failed("c.npy", "X[0]", "--regularize")
    spdml("convert", "c.npy", "--regularize", "1e-3", "-o", "d.npy").good()
    assert np.allclose(np.load(tmp_path / "d.npy"), flat + 1e-3 * np.eye(3), rtol=1e-15)


@pytest.mark.parametrize("ending", ["npy", "npz", "mat", "csv"])
def test_formats_of_a_result(spdml, tmp_path, rng, ending):
    A = random_spd(rng, 5, 3)
    np.save(tmp_path / "a.npy", A)
    spdml("mean", "a.npy", "--metric", "euclidean", "-o", f"M.{ending}").good()
    path = tmp_path / f"M.{ending}"
    M = {"npy": lambda: np.load(path), "npz": lambda: np.load(path)["M"],
         "mat": lambda: scipy.io.loadmat(path)["M"],
         "csv": lambda: np.loadtxt(path, delimiter=",")}[ending]()
    assert np.allclose(M, A.mean(axis=0), rtol=1e-14, atol=1e-16)


def test_file_name_that_is_not_utf8(command, tmp_path, X):
    import json
    import subprocess
    np.save(tmp_path / "a.npy", X)
    name = b"caf\xe9.npy"
    (tmp_path / "a.npy").rename(tmp_path / name.decode("utf-8", "surrogateescape"))
    done = subprocess.run([command.encode(), b"info", name, b"--json"], cwd=tmp_path,
                          capture_output=True, timeout=600)
    assert done.returncode == 0 and json.loads(done.stdout)["file"] == "caf?.npy"
