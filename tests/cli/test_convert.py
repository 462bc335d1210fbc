"""spdml convert and join: every format there and back, some samples, several sets, maps, standard
input and output; nothing is written where something is wrong."""

import io
import json
import subprocess

import numpy as np
import pytest

from conftest import random_spd


@pytest.fixture
def sets(rng, tmp_path):
    """Two sets of three classes with columns."""
    out = []
    for k, p in enumerate([6, 4]):
        X = random_spd(rng, p, 3)
        y = np.array(["a", "b", "c"])[np.arange(p) % 3]
        np.savez(tmp_path / f"s{k}.npz", X=X, y=y, subject=np.arange(p) + 10 * k,
                 **({"extra": np.ones(p)} if k else {"vector": np.ones((p, 2))}))
        out.append((X, y))
    return out


def test_csv_of_numbers_and_without_labels(spdml, rng, tmp_path):
    X = random_spd(rng, 3, 2)
    np.savez(tmp_path / "a.npz", X=X, y=[3, 1, 3])
    np.save(tmp_path / "b.npy", X)
    for source in ["a.npz", "b.npy"]:
        done = spdml("convert", source, "-o", "t.csv").good()
        assert not done.err
        spdml("convert", "t.csv", "-o", "t.npz").good()
        out = np.load(tmp_path / "t.npz")
        assert np.array_equal(out["X"], X)
        assert ("y" in out) == (source == "a.npz")
    assert (tmp_path / "t.csv").read_text().startswith("x_0_0,x_0_1,x_1_0,x_1_1\n")


def test_csv_says_what_it_leaves_out(spdml, sets):
    assert "columns need" in spdml("convert", "s0.npz", "-o", "a.csv").good().err
    assert "only the matrices" in spdml("convert", "s0.npz", "-o", "a.npy").good().err


def test_where(spdml, sets, tmp_path):
    spdml("convert", "s0.npz", "--where", "y=a,b", "--where", "subject=0,1,2,3", "-o", "b.npz").good()
    out = np.load(tmp_path / "b.npz")
    assert list(out["subject"]) == [0, 1, 3] and list(out["y"]) == ["a", "b", "a"]
    assert np.array_equal(out["X"], sets[0][0][[0, 1, 3]]) and out["vector"].shape == (3, 2)
    spdml("convert", "s0.npz", "--where", "y=q", "-o", "c.npz").failed("never 'q'")
    spdml("convert", "s0.npz", "--where", "age=1", "-o", "c.npz").failed("no column 'age'")
    assert not (tmp_path / "c.npz").exists()


def test_join(spdml, sets, tmp_path):
    done = spdml("join", "s0.npz", "s1.npz", "--source", "file", "-o", "j.npz", "--json").good()
    assert done.json["p"] == 10 and done.json["inputs"] == 2 and done.json["classes"] == 3
    assert "left out columns vector, extra" in done.err
    out = np.load(tmp_path / "j.npz")
    assert np.array_equal(out["X"], np.concatenate([X for X, _ in sets]))
    assert list(out["y"]) == [*sets[0][1], *sets[1][1]]
    assert list(out["subject"]) == [0, 1, 2, 3, 4, 5, 10, 11, 12, 13]
    assert list(out["file"]) == ["s0.npz"] * 6 + ["s1.npz"] * 4
    spdml("join", "s0.npz", "s1.npz", "--source", "file", "--where", "file=s1.npz", "--where",
          "y=a", "-o", "k.npz").good()
    assert list(np.load(tmp_path / "k.npz")["subject"]) == [10, 13]
    same = spdml("join", "s0.npz", "s0.npz", "-o", "two.mat").good()
    assert not same.err


def test_join_refuses(spdml, sets, rng, tmp_path):
    X = random_spd(rng, 4, 3)
    np.savez(tmp_path / "large.npz", X=random_spd(rng, 4, 5), y=np.array(list("abca")))
    np.savez(tmp_path / "bare.npz", X=X)
    np.savez(tmp_path / "numbers.npz", X=X, y=[1, 2, 3, 1])
    (tmp_path / "j.npz").write_text("keep me")
    for name, words in [("large.npz", ["large.npz", "5 x 5", "3 x 3"]),
                        ("bare.npz", ["bare.npz has none"]), ("numbers.npz", ["numbers", "texts"]),
                        ("none.npz", ["none.npz"])]:
        spdml("join", "s0.npz", name, "-o", "j.npz").failed(*words)
        assert (tmp_path / "j.npz").read_text() == "keep me"


def test_join_takes_drawings_from_other_seeds(spdml):
    for seed in (1, 2):
        spdml("synth", "spd", "--seed", seed, "-o", f"{seed}.npz").good()
    spdml("join", "1.npz", "2.npz", "-o", "j.npz").good()


def test_join_keeps_how_matrices_were_made(spdml, rng, tmp_path):
    np.savez(tmp_path / "t.npz", X=rng.standard_normal((4, 30, 3)), y=[0, 1, 0, 1])
    for name, more in [("a", []), ("b", []), ("c", ["--shrinkage", "oas"])]:
        spdml("describe", "covariance", "t.npz", *more, "-o", f"{name}.npz").good()
    spdml("join", "a.npz", "b.npz", "-o", "j.npz").good()
    assert spdml("info", "j.npz", "--json").good().json["meta"]["descriptor"] == "covariance"
    spdml("join", "a.npz", "c.npz", "-o", "k.npz").failed("c.npz", "described differently", "shrinkage")
    spdml("convert", "b.npz", "-o", "b.mat").good()
    done = spdml("join", "a.npz", "b.mat", "-o", "k.npz").good()
    assert "1 of 2 files" in done.err
    assert "meta" not in spdml("info", "k.npz", "--json").good().json


# ---- maps ----------------------------------------------------------------------------------------


@pytest.fixture
def model(spdml, rng, tmp_path):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 20, 5), y=np.arange(20) % 2)
    spdml("fit", "d.npz", "-m", 2, "--max-iter", 3, "-o", "m.spdml").good()
    return np.load(tmp_path / "m.spdml")["W"]


def test_maps(spdml, model, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    for ending in ["csv", "npy", "npz", "mat"]:
        done = spdml("convert", "m.spdml", "-o", f"w.{ending}", "--json").good()
        assert (done.json["n"], done.json["m"], done.json["kind"]) == (5, 2, "model")
    assert np.array_equal(np.loadtxt(tmp_path / "w.csv", delimiter=","), model)
    assert np.array_equal(np.load(tmp_path / "w.npy"), model)
    assert np.array_equal(np.load(tmp_path / "w.npz")["W"], model)
    mat = scipy_io.loadmat(tmp_path / "w.mat")
    assert np.array_equal(mat["W"], model) and mat["cost"].shape[1] == 1
    spdml("convert", "m.spdml", "--where", "y=1", "-o", "x.csv").failed("no samples", code=2)


def test_maps_of_trained_methods(spdml, model, tmp_path):
    spdml("train", "d.npz", "--method", "nn-stein-ml", "--no-tune", "-o", "t.spdml", "-m", 2).good()
    spdml("convert", "t.spdml", "-o", "w.npy").good()
    assert np.load(tmp_path / "w.npy").shape == (5, 2)
    spdml("train", "d.npz", "--method", "mdm", "-o", "bare.spdml").good()
    spdml("convert", "bare.spdml", "-o", "x.npy").failed("no W")
    assert not (tmp_path / "x.npy").exists()


# ---- standard input and output -------------------------------------------------------------------


@pytest.fixture
def pipe(command, tmp_path):
    def run(*arguments, given=b""):
        return subprocess.run([command, *map(str, arguments)], input=given, cwd=tmp_path,
                              capture_output=True, timeout=600)
    return run


@pytest.mark.parametrize("form", ["npz", "npy", "mat", "csv"])
def test_through_pipes(pipe, spdml, sets, tmp_path, form):
    out = pipe("convert", "-", "-o", "-", "--to", form, given=(tmp_path / "s0.npz").read_bytes())
    assert out.returncode == 0, out.stderr
    back = pipe("convert", "-", "-o", "-", given=out.stdout)
    assert back.returncode == 0, back.stderr
    made = np.load(io.BytesIO(back.stdout))
    assert np.array_equal(made["X"], sets[0][0])
    assert ("y" in made) == (form != "npy")
    spdml("convert", "s0.npz", "-o", "f." + form).good()
    if form != "npz" and form != "mat":  # whose times may differ
        assert (tmp_path / f"f.{form}").read_bytes() == out.stdout


def test_other_commands_take_standard_input(pipe, sets, tmp_path):
    given = (tmp_path / "s0.npz").read_bytes()
    assert json.loads(pipe("info", "-", "--json", given=given).stdout)["p"] == 6
    assert pipe("mean", "-", "-o", "m.npy", given=given).returncode == 0
    done = pipe("join", "-", "s1.npz", "-o", "j.npz", given=given)
    assert done.returncode == 0, done.stderr
    twice = pipe("join", "-", "-", "-o", "k.npz", given=given)
    assert twice.returncode == 1 and b"standard input: is empty" in twice.stderr


def test_pipes_that_are_refused(pipe, sets, tmp_path):
    good = (tmp_path / "s0.npz").read_bytes()
    for given, word in [(b"", b"standard input: is empty"), (b"\0\1\2", b"standard input"),
                        (good[:200], b"standard input"), (b"1,2\n3", b"standard input")]:
        done = pipe("convert", "-", "-o", "-", given=given)
        assert done.returncode == 1 and done.stdout == b"" and word in done.stderr, done.stderr
    for arguments in [["--json"], ["--to", "xml"]]:
        done = pipe("convert", "-", "-o", "-", *arguments, given=good)
        assert done.returncode == 2 and done.stdout == b""
    done = pipe("convert", "s0.npz", "-o", "a.npz", "--to", "csv")
    assert done.returncode == 2 and b"--to is for" in done.stderr
    done = pipe("convert", "s0.npz", "-o", "a.xyz")
    assert done.returncode == 2 and not (tmp_path / "a.xyz").exists()


def test_nothing_is_left_in_the_temporary_folder(command, sets, tmp_path):
    (tmp_path / "tmp").mkdir()
    for source, code in [("s0.npz", 0), ("none.npz", 1)]:
        done = subprocess.run([command, "convert", source, "-o", "-"], cwd=tmp_path,
                              env={"TMPDIR": str(tmp_path / "tmp")}, capture_output=True, timeout=600)
        assert done.returncode == code, done.stderr
        assert not list((tmp_path / "tmp").iterdir())


# ---- MATLAB's cells and structs ------------------------------------------------------------------


def test_cells_and_structs(spdml, rng, tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    X = random_spd(rng, 4, 3)
    cells = np.empty((1, 4), dtype=object)
    for i in range(4):
        cells[0, i] = X[i]
    scipy_io.savemat(tmp_path / "c.mat", {"covs": cells, "y": np.array([1, 2, 1, 2])})
    scipy_io.savemat(tmp_path / "s.mat", {"data": {"X": np.moveaxis(X, 0, 2), "y": [1, 2, 1, 2],
                                                   "subject": np.arange(4)}})
    for name in ["c.mat", "s.mat"]:
        spdml("convert", name, "-o", "o.npz").good()
        out = np.load(tmp_path / "o.npz")
        assert np.array_equal(out["X"], X) and list(out["y"].ravel()) == [1, 2, 1, 2]
