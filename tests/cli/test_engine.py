"""--engine: what is said where there is no GPU, and that auto goes on without one.

A module that computes nothing stands in for the CUDA module, beside a copy of the command, where it
is looked for first."""

import pathlib
import shutil
import subprocess

import numpy as np
import pytest

from conftest import Result, random_spd

HERE = pathlib.Path(__file__).parent
KINDS = {"version": (1, "another version"), "device": (2, "no GPU can be used: the driver is too old"),
         "memory": (3, "out of memory on the GPU: 40 matrices"), "lost": (4, "the GPU failed: fell off the bus")}


@pytest.fixture
def data(rng, tmp_path):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 40, 6), y=np.arange(40) % 3)
    return "d.npz"


def make_module(folder, kind):
    if not shutil.which("cc"):
        pytest.skip("no compiler for a module")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-Werror", "-shared", "-fPIC", f"-DKIND={KINDS[kind][0]}", f"-I{HERE.parents[1] / 'src'}",
                    f"-I{HERE.parents[1] / 'include'}", HERE / "stand_in_module.c", "-o", folder / "libspdml-cuda.so"], check=True)


@pytest.fixture
def beside(command, tmp_path):
    """The command with a module of that kind beside it."""

    def make(kind):
        own = tmp_path / kind
        make_module(own, kind)
        shutil.copy(command, own / "spdml")

        def run(*arguments):
            return Result(subprocess.run([own / "spdml", *map(str, arguments)], cwd=tmp_path, capture_output=True,
                                         stdin=subprocess.DEVNULL, timeout=600))
        return run
    return make


def test_a_small_fit_gains_nothing_from_a_gpu(beside, data, tmp_path):
    run = beside("lost")
    for engine in "cpu", "auto":
        run("fit", data, "-m", 3, "--engine", engine, "-o", f"{engine}.spdml").good()
    assert not (tmp_path / "asked").exists()
    cpu, auto = (np.load(tmp_path / f"{engine}.spdml")["W"] for engine in ("cpu", "auto"))
    assert (cpu == auto).all()


@pytest.mark.parametrize("kind", KINDS)
def test_why_there_is_no_gpu(beside, data, kind, tmp_path):
    run = beside(kind)
    run("fit", data, "-m", 3, "--engine", "cuda", "-o", "m.spdml").failed(KINDS[kind][1])
    assert not (tmp_path / "m.spdml").exists()


def test_version_lists_engines(beside):
    assert "Stand-in 0, 8 GB, compute capability 9.0, CUDA 13.0" in beside("lost")("version").good().out
    shown = beside("device")("version", "--json").good().json
    assert "threads" in shown["engine_cpu"] and "driver is too old" in shown["engine_cuda"]


@pytest.mark.parametrize("called", ["./spdml", "spdml", "{}/spdml", ""])
def test_a_module_where_the_command_only_seems_to_be(command, tmp_path, called):
    """A caller may call it anything; the file that runs decides."""
    make_module(tmp_path, "lost")
    done = subprocess.run([called.format(tmp_path), "version"], executable=command, cwd=tmp_path, capture_output=True,
                          timeout=600)
    assert done.returncode == 0 and b"Stand-in" not in done.stdout and not (tmp_path / "asked").exists()


def test_a_module_in_a_folder_above(command, tmp_path):
    """Only a command that is installed in bin looks in lib; tests/install has one."""
    make_module(tmp_path / "lib", "lost")
    (tmp_path / "own").mkdir()
    shutil.copy(command, tmp_path / "own/spdml")
    done = subprocess.run([tmp_path / "own/spdml", "version"], capture_output=True, timeout=600, cwd=tmp_path)
    assert done.returncode == 0 and b"Stand-in" not in done.stdout


def test_auto_goes_on_without_a_gpu(beside, rng, tmp_path):
    """Large enough that a GPU would be asked."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 400, 36), y=np.arange(400) % 2)
    for kind in "device", "memory":
        beside(kind)("fit", "d.npz", "-m", 30, "--metric", "airm", "--nu-w", 2, "--engine", "auto", "--max-iter", 1, "-o",
                     f"{kind}.spdml").good()
        (tmp_path / "asked").unlink()
    plain = [np.load(tmp_path / f"{kind}.spdml")["W"] for kind in ("device", "memory")]
    assert (plain[0] == plain[1]).all()


@pytest.mark.parametrize("words", [["distance"], ["neighbours", "-k", 2]], ids=["distance", "neighbours"])
def test_distances_on_a_lost_gpu(beside, rng, tmp_path, words):
    """By name the GPU is asked and its fault told; few pairs and other metrics stay with the processor."""
    np.save(tmp_path / "X.npy", random_spd(rng, 70, 3))
    np.save(tmp_path / "few.npy", random_spd(rng, 20, 3))
    run = beside("lost")
    run(words[0], "X.npy", *words[1:], "--engine", "cuda", "-o", "out.npz").failed(
        "70 matrices are too much", "--engine auto")
    assert not (tmp_path / "out.npz").exists()
    for more in (["X.npy", "--engine", "cuda", "--metric", "jeffrey"], ["few.npy", "--engine", "cuda"],
                 ["X.npy", "--engine", "auto"]):
        run(*words, *more).good()


LEARNING = {"classify": ["--train", "d.npz", "--test", "d.npz", "--method", "nn"], "train": ["d.npz", "--method", "mdm"],
            "evaluate": ["d.npz", "--methods", "nn", "--split", 0.5], "embed": ["d.npz"],
            "cost": ["d.npz", "--w", "W.npy", "--nu-w", 2, "--nu-b", 2]}


@pytest.mark.parametrize("name", LEARNING)
def test_commands_that_learn_or_classify(beside, data, name, tmp_path):
    """By name a GPU has to be there; auto goes on without one, and small work stays with the processor."""
    np.save(tmp_path / "W.npy", np.eye(6)[:, :3])
    run, output = beside("device"), ["-o", "out.spdml"] if name == "train" else []
    run(name, *LEARNING[name], *output, "--engine", "cuda").failed(KINDS["device"][1], "--engine auto")
    assert not (tmp_path / "out.spdml").exists()
    run(name, *LEARNING[name], *output, "--engine", "auto").good()
