"""spdml info: what it advises, and what it says of labels and parameters."""

import numpy as np
import pytest
from conftest import random_spd

EPS = 2.0**-52

# A Cholesky factor in exact arithmetic, and a condition of about 2e16.
SINGULAR = np.array([[1.0, 1.0], [1.0, 1.0 + EPS]])


def rows(done):
    """The table's lines by label; further lines of one label are joined."""
    found, label = {}, ""
    for line in done.good().out.splitlines():
        label = line[:18].strip() or label
        found[label] = found.get(label, "") + line[19:] + "\n"
    return found


# ---- problems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("values, advice", [
    ([1.0, 2.0, -1e-9], "--regularize 1e-6"),
    ([1.0, 2.0, -0.01], "--regularize 1e-1"),
    ([1.0, 2.0, -1.6], "--regularize 1e2 (so far from definite, it may not be a covariance matrix)"),
    ([-1.0, -2.0, -3.0], "it is not a covariance matrix: remove it"),
])
def test_the_loader_gives_the_same_advice(spdml, tmp_path, rng, values, advice):
    X = random_spd(rng, 5, 3)
    X[3] = np.diag(values)
    np.savez(tmp_path / "a.npz", X=X, y=[0, 0, 0, 1, 1])
    loader = spdml("mean", "a.npz").failed("a.npz", "X[3]", advice).err
    problems = spdml("info", "a.npz", "--json").good().json["problems"]
    assert problems == [f"1 matrix not positive definite, first X[3] of class 1 (smallest eigenvalue "
                        f"{min(values):.2g}); {loader.split('; ', 1)[1].strip()}"]
    assert problems[0] in rows(spdml("info", "a.npz"))["problems"]


def test_advice_that_is_followed_helps(spdml, tmp_path, rng):
    X = random_spd(rng, 4, 3)
    X[2] = np.diag([1.0, 2.0, -0.01])
    np.savez(tmp_path / "a.npz", X=X)
    problem, = spdml("info", "a.npz", "--json").good().json["problems"]
    advice = problem.split("try ")[1].split()
    assert rows(spdml("info", "a.npz", *advice))["problems"] == "none\n"


def test_singular_to_rounding(spdml, tmp_path):
    X = np.stack([np.eye(2), SINGULAR, 4 * SINGULAR, np.diag([1.0, 1e-14]), np.diag([1.0, -1.0]), np.diag([1.0, 1e-16])])
    np.savez(tmp_path / "a.npz", X=X, y=list("abcdef"))
    definite, uneven = spdml("info", "a.npz", "--json").good().json["problems"]
    assert definite.startswith("3 matrices not positive definite, first X[1] of class b (smallest eigenvalue 1.1e-16); try")
    assert uneven == "1 matrix of a condition above 1e15, first X[5] of class f; try --regularize 1e-6"
    shown = rows(spdml("info", "a.npz"))["problems"]
    assert shown == definite + "\n" + uneven + "\n"
    np.savez(tmp_path / "b.npz", X=X[:4])
    assert rows(spdml("info", "b.npz", "--regularize", "1e-6"))["problems"] == "none\n"


# ---- labels --------------------------------------------------------------------------------------


def test_nan_can_be_left_out(spdml, tmp_path, rng):
    """The advice names a command that does it."""
    X = random_spd(rng, 5, 3)
    X[1, 0, 2] = np.nan
    X[4] = np.inf
    np.savez(tmp_path / "a.npz", X=X, y=list("abcde"), subject=np.arange(5))
    advice = "'spdml convert --drop-nan'"
    assert advice in rows(spdml("info", "a.npz"))["problems"]
    spdml("mean", "a.npz").failed("a.npz: X[1] (label b) holds NaN or Inf", advice)
    done = spdml("convert", "a.npz", "--drop-nan", "-o", "b.npz").good()
    assert done.err == "spdml: a.npz: left out 2 of 5 matrices, which contain NaN or Inf\n"
    with np.load(tmp_path / "b.npz") as b:
        assert list(b["y"]) == list("acd") and list(b["subject"]) == [0, 2, 3]
        assert np.array_equal(b["X"], X[[0, 2, 3]])
    X[2, 0, 1] += 1e-3  # the rest is checked as ever
    np.savez(tmp_path / "a.npz", X=X)
    spdml("convert", "a.npz", "--drop-nan", "-o", "b.npz").failed("a.npz", "not symmetric")
    np.savez(tmp_path / "a.npz", X=X * np.nan)
    spdml("convert", "a.npz", "--drop-nan", "-o", "b.npz").failed("all matrices contain NaN")


def test_images_are_no_covariances(spdml, tmp_path, rng):
    np.savez(tmp_path / "faces.npz", X=rng.random((6, 8, 8)))
    problem = rows(spdml("info", "faces.npz"))["problems"]
    assert "if these are images, 'spdml describe'" in problem
    assert "--symmetrize" not in problem
    done = spdml("mean", "faces.npz").failed("X[0] is not symmetric", "describe them first")
    assert "--symmetrize" not in done.err
    X = random_spd(rng, 6, 3)
    X[2, 0, 1] *= 1 + 1e-6
    np.savez(tmp_path / "a.npz", X=X)
    assert "try --symmetrize" in rows(spdml("info", "a.npz"))["problems"]
    spdml("mean", "a.npz").failed("X[2] is not symmetric", "try --symmetrize")


@pytest.mark.parametrize("name, what, said", [
    ("a.edf", "a recording", "describe covariance"), ("a.bdf", "a recording", "describe covariance"),
    ("a.amc", "motion capture", "describe joints"), ("a.PNG", "an image", "region"),
    ("a.tar.gz", "an archive", "describe KIND"), ("a.zip", "an archive", "describe KIND"),
    ("folder", "a folder", "describe KIND")])
def test_what_is_no_data_set_yet(spdml, tmp_path, name, what, said):
    (tmp_path / "folder").mkdir()
    if name != "folder":
        (tmp_path / name).write_bytes(b"anything")
    spdml("info", name).failed(f"{name}: is {what}, not a data set", said)


def test_the_eleventh_class(spdml, tmp_path, rng):
    for classes, shown in [(10, "1 x c9"), (11, "1 x c10"), (12, "and 2 more")]:
        np.savez(tmp_path / "a.npz", X=random_spd(rng, classes, 2),
                 y=[f"c{i}" for i in range(classes)])
        labels = rows(spdml("info", "a.npz"))["labels"]
        assert shown in labels and "and 1 more" not in labels


def test_one_class(spdml, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 3, 2), y=[7, 7, 7])
    assert rows(spdml("info", "a.npz"))["labels"] == "1 class\n3 x 7\n"


@pytest.mark.parametrize("columns, said", [
    ({}, ""),
    ({"activity": list("aabb")}, "--y activity takes that column"),
    ({"activity": list("aabb"), "subject": [1, 2, 1, 2], "day": [1.0, 1.0, 2.0, 2.0]},
     "--y NAME takes one of activity, subject, day"),
    ({"name": list("abcd"), "weight": [0.5, 0.5, 1, 1], "number": [1, 2, 3, 4],
      "wide": np.ones((4, 2), int)}, ""),
])
def test_columns_that_could_be_labels(spdml, tmp_path, rng, columns, said):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 4, 2), **columns)
    shown = rows(spdml("info", "a.npz"))["labels"]
    assert shown == (f"none ({said})\n" if said else "none\n")
    done = spdml("fit", "a.npz", "-m", 1, "-o", "m.spdml")
    done.failed("a.npz: has no labels", "--unsupervised" + (f"; {said}" if said else "\n"))


def test_the_column_named_is_taken(spdml, tmp_path, rng):
    scipy_io = pytest.importorskip("scipy.io")
    X = random_spd(rng, 4, 2)
    scipy_io.savemat(tmp_path / "a.mat", {"X": X.transpose(1, 2, 0), "activity": list("xxyy")})
    shown = rows(spdml("info", "a.mat"))["labels"]
    assert shown == "none (--y activity takes that column)\n"
    assert spdml("info", "a.mat", "--y", "activity", "--json").good().json["classes"] == 2


# ---- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words, shown, hidden", [
    ([], ["window none", "step none"], []),
    (["--rate", 10, "--window", 2], ["window 2.0", "step the window"], ["none"]),
    (["--rate", 10, "--window", 2, "--step", 1], ["window 2.0", "step 1.0"], ["none"]),
])
def test_windows(spdml, tmp_path, rng, words, shown, hidden):
    np.save(tmp_path / "t.npy", rng.standard_normal((60, 2)))
    spdml("describe", "covariance", "t.npy", *words, "-o", "c.npz").good()
    told = rows(spdml("info", "c.npz"))["parameters"]
    assert all(word in told for word in shown) and not any(word in told for word in hidden)
    if not words:
        meta = spdml("info", "c.npz", "--json").good().json["meta"]
        assert meta["parameters"]["window"] == 0 and meta["parameters"]["step"] == 0


@pytest.mark.parametrize("frames, shown", [
    (None, "first_frame all\nlast_frame all\n"), ("5:", "first_frame 5\nlast_frame the end\n"),
    (":30", "first_frame 0\nlast_frame 30\n"), ("5:30", "first_frame 5\nlast_frame 30\n"),
])
def test_frames(spdml, tmp_path, rng, frames, shown):
    np.savetxt(tmp_path / "clip.csv", rng.standard_normal((40, 6)), delimiter=",")
    words = ["--frames", frames] if frames else []
    spdml("describe", "joints", "clip.csv", *words, "-o", "c.npz").good()
    assert shown in rows(spdml("info", "c.npz"))["parameters"]
