"""Every kind of bad input: one line that names file, sample, cause; status 1; no output."""

import os
import resource

import numpy as np
import pytest
from conftest import random_spd

USES = {
    "distance": (["distance"], "out.npy"),
    "mean": (["mean"], "out.npy"),
    "neighbours": (["neighbours", "-k", "1"], "out.npz"),
    "convert": (["convert"], "out.npz"),
}


@pytest.fixture(params=USES)
def refuses(request, spdml, tmp_path):
    """Runs each command on a bad file, with and without an output that was there before."""
    words, output = USES[request.param]

    def check(data, *tells):
        path = tmp_path / output
        spdml(*words, data, "-o", output).failed(*tells)
        assert not path.exists()
        path.write_bytes(b"precious")
        spdml(*words, data, "-o", output).failed(*tells)
        assert path.read_bytes() == b"precious"
        path.unlink()
        left = [name for name in os.listdir(tmp_path) if "out" in name]
        assert left == [], "a temporary file was left"

    return check


def test_missing_file(refuses):
    refuses("nowhere.npz", "nowhere.npz", "No such file")


def test_folder_instead_of_a_file(refuses, tmp_path):
    (tmp_path / "folder.npy").mkdir()
    refuses("folder.npy", "folder.npy")


@pytest.mark.parametrize("name", ["text.npz", "text.npy", "text.mat"])
def test_wrong_type(refuses, tmp_path, name):
    (tmp_path / name).write_text("these are words, no matrices\n" * 20)
    refuses(name, name)


def test_unknown_ending(refuses, tmp_path):
    (tmp_path / "a.xyz").write_text("1 2 3")
    refuses("a.xyz", "a.xyz")


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "a.mat", "a.csv"])
def test_empty_file(refuses, tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    refuses(name, name)


@pytest.mark.parametrize("content", [np.array(["a", "b"]), np.arange(6.0), np.zeros((3, 2, 4)),
                                     np.zeros((2, 2, 2), complex), np.zeros((2, 3, 2), complex)])
def test_array_that_holds_no_matrices(refuses, tmp_path, content):
    np.save(tmp_path / "a.npy", content)
    refuses("a.npy", "a.npy")


@pytest.mark.parametrize("order, advice", [
    ((1, 2, 0), "5 x 5 x 8; square matrices p x n x n are expected; try Z.transpose(2, 0, 1)"),
    ((1, 0, 2), "5 x 8 x 5; square matrices p x n x n are expected; try Z.transpose(1, 0, 2)"),
])
def test_samples_are_not_first(refuses, tmp_path, rng, order, advice):
    turned = random_spd(rng, 8, 5).transpose(order)
    np.savez(tmp_path / "a.npz", Z=turned)
    refuses("a.npz", "a.npz: Z is " + advice)
    np.save(tmp_path / "a.npy", turned)
    refuses("a.npy", "a.npy: X is " + advice.replace("Z", "X"))
    text = advice.split("(")[1].rstrip(")")
    back = tuple(int(axis) for axis in text.split(","))
    assert turned.transpose(back).shape == (8, 5, 5)


@pytest.mark.parametrize("shape, advice", [
    ((8, 5, 5), ": permute(covs, [2 3 1])"), ((5, 8, 5), ": permute(covs, [1 3 2])"),
    ((3, 4, 5), "; spdml describe covariance makes them from observations"), ((4, 5), ""),
])
def test_samples_are_not_last_in_matlab(refuses, tmp_path, rng, shape, advice):
    scipy_io = pytest.importorskip("scipy.io")
    scipy_io.savemat(tmp_path / "a.mat", {"covs": rng.standard_normal(shape)})
    shown = " x ".join(map(str, shape))
    refuses("a.mat", f"a.mat: covs is {shown}; square matrices n x n x p are expected in .mat"
            f"{advice}\n")


@pytest.mark.parametrize("share", [0.2, 0.6, 0.97])
def test_truncated_zip(refuses, tmp_path, rng, share):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 40, 5))
    data = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(data[: int(len(data) * share)])
    refuses("a.npz", "a.npz")


@pytest.mark.parametrize("shape", [(0, 3, 3), (4, 0, 0)])
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_nothing_in_it(refuses, tmp_path, shape, ending):
    X = np.zeros(shape)
    if ending == "npy":
        np.save(tmp_path / "a.npy", X)
    else:
        np.savez(tmp_path / "a.npz", X=X)
    refuses(f"a.{ending}", f"a.{ending}")


def spoil(kind, X):
    if kind == "NaN":
        X[2, 1, 0] = X[2, 0, 1] = np.nan
    elif kind == "Inf":
        X[2, 0, 0] = np.inf
    elif kind == "asymmetric":
        X[2, 0, 1] += 0.1
    elif kind == "indefinite":
        X[2] = np.diag([1.0, -2.0, 3.0])
    else:
        X[2] = np.diag([1.0, 0.0, 3.0])


SPOILED = {
    "NaN": ["NaN"],
    "Inf": ["Inf"],
    "asymmetric": ["symmetric", "--symmetrize"],
    "indefinite": ["positive definite", "-2", "--regularize"],
    "singular": ["positive definite", "--regularize"],
}


@pytest.mark.parametrize("kind", SPOILED)
@pytest.mark.parametrize("labelled", [False, True])
def test_bad_matrix_is_named(refuses, tmp_path, rng, kind, labelled):
    X = random_spd(rng, 5, 3)
    spoil(kind, X)
    if labelled:
        np.savez(tmp_path / "a.npz", X=X, y=np.array(["u", "v", "walk", "u", "v"]))
    else:
        np.savez(tmp_path / "a.npz", X=X)
    refuses("a.npz", "a.npz", "X[2]", *SPOILED[kind], *(["walk"] if labelled else []))


def test_bad_matrix_in_csv(refuses, tmp_path):
    (tmp_path / "a.csv").write_text("1,0,0,1\n1,2,2,1\n")
    refuses("a.csv", "a.csv", "X[1]", "positive definite")


@pytest.mark.parametrize("text", ["1,0,0,1\n1,0,0\n", "1,0,0\n", "1,0,zero,1\n1,0,0,1\n"])
def test_malformed_csv(refuses, tmp_path, text):
    (tmp_path / "a.csv").write_text("2,0,0,1\n" + text)
    refuses("a.csv", "a.csv")


@pytest.mark.parametrize("p", [4, 6])
def test_labels_of_the_wrong_length(spdml, refuses, tmp_path, rng, p):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    np.save(tmp_path / "l.npy", np.arange(p))
    spdml("info", "a.npy", "--labels", "l.npy").failed("l.npy", "5", p)
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 5, 3), y=np.arange(p))
    refuses("a.npz", "a.npz", "5", str(p))


def test_missing_labels_file(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    spdml("info", "a.npy", "--labels", "gone.npy").failed("gone.npy", "No such file")


def test_no_matrices_among_the_variables(refuses, tmp_path):
    np.savez(tmp_path / "a.npz", y=np.arange(3))
    refuses("a.npz", "a.npz")


def limit_file_size(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("words, output", [
    (["distance"], "out.npy"), (["distance"], "out.npz"), (["distance"], "out.csv"),
    (["distance"], "out.mat"), (["neighbours", "-k", "50"], "out.npz"),
    (["convert"], "out.npy"), (["convert"], "out.npz"), (["convert"], "out.mat")])
def test_disk_full(spdml, tmp_path, rng, words, output):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 120, 6))
    for before in (None, b"precious"):
        if before:
            (tmp_path / output).write_bytes(before)
        spdml(*words, "a.npz", "-o", output, preexec_fn=limit_file_size(8192)).failed(output)
        left = {name for name in os.listdir(tmp_path)}
        assert left == {"a.npz"} | ({output} if before else set())
        if before:
            assert (tmp_path / output).read_bytes() == before


def test_output_folder_is_missing(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    spdml("mean", "a.npy", "-o", "no/such/M.npy").failed("no/such/M.npy", "No such file")
    spdml("mean", "a.npy", "-o", "a.npy/M.npy").failed("a.npy/M.npy", "Not a directory")


def test_output_is_looked_at_before_the_input(spdml):
    spdml("mean", "missing.npy", "-o", "no/M.npy").failed("no/M.npy")


def test_output_is_a_folder(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    (tmp_path / "M.npy").mkdir()
    spdml("mean", "a.npy", "-o", "M.npy").failed("M.npy", "Is a directory")


def test_output_folder_is_read_only(spdml, unprivileged, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    (tmp_path / "shut").mkdir(mode=0o500)
    spdml("mean", "a.npy", "-o", "shut/M.npy", under=unprivileged).failed("shut/M.npy", "Permission denied")


def test_output_file_is_read_only(spdml, unprivileged, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    (tmp_path / "M.npy").write_bytes(b"precious")
    (tmp_path / "M.npy").chmod(0o400)
    spdml("mean", "a.npy", "-o", "M.npy", under=unprivileged).failed("M.npy", "Permission denied")
    assert (tmp_path / "M.npy").read_bytes() == b"precious"


def test_input_that_may_not_be_read(spdml, unprivileged, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    (tmp_path / "a.npy").chmod(0)
    spdml("info", "a.npy", under=unprivileged).failed("a.npy", "Permission denied")


def test_second_set_is_checked_too(spdml, tmp_path, rng):
    X = random_spd(rng, 5, 3)
    np.save(tmp_path / "a.npy", X)
    spoil("indefinite", X)
    np.save(tmp_path / "b.npy", X)
    spdml("distance", "a.npy", "b.npy", "-o", "D.npy").failed("b.npy", "X[2]")
    spdml("neighbours", "a.npy", "--queries", "b.npy", "-o", "n.npz").failed("b.npy", "X[2]")
    assert not (tmp_path / "D.npy").exists() and not (tmp_path / "n.npz").exists()


def test_line_break_in_a_file_name(spdml):
    spdml("info", "two\nlines.npy").failed(r"two\x0alines.npy")


def test_observations_in_place_of_matrices(spdml, tmp_path, rng):
    np.savez(tmp_path / "eeg.npz", X=rng.standard_normal((4, 3, 20)))
    spdml("info", "eeg.npz").failed("X is 4 x 3 x 20", "spdml describe covariance")
