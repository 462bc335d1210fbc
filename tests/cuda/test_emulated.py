"""The command with the CUDA engine emulated on the processor (emulate): fits as on the CPU, in one
process and in several, from memory and from files. Its own programs are run by tools/run-tests cuda.

    SPDML_BUILD=build/release pytest tests/cuda
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("SPDML_BUILD", HERE.parents[1] / "build/release")).resolve()
sys.dont_write_bytecode = True


@pytest.fixture(scope="session")
def module():
    """The folder with the emulated module."""
    loader = importlib.machinery.SourceFileLoader("emulate", str(HERE / "emulate"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("emulate", loader))
    loader.exec_module(tool)
    folder = BUILD / "cuda-emulated"
    tool.build(folder)
    return folder


def test_the_python_package(module):
    """With arrays that say they are on the GPU, and with an engine that is to be used."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(module), "OPENBLAS_NUM_THREADS": "1",
           "SPDML_LIBRARY": str(BUILD / "libspdml.so")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                           HERE.parent / "python/test_device_arrays.py", HERE.parent / "python/test_engine.py"], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout and "failed" not in done.stdout


@pytest.fixture
def spdml(module, tmp_path):
    """Runs the command, as a job of so many processes if told; returns what it printed."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(module), "OPENBLAS_NUM_THREADS": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def run(*words, ranks=0, code=0, library=module):
        env["LD_LIBRARY_PATH"] = str(library)
        job = ["mpirun", "-n", str(ranks)] if ranks else []
        more = ["--mpi"] if ranks else []
        done = subprocess.run([*job, BUILD / "spdml", *map(str, words), *more], cwd=tmp_path, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr
    return run


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((24, 11, 30))
    X, y = A @ A.transpose(0, 2, 1), np.arange(24) % 3
    X[y == 1, :3, :3] *= 3.0
    X += 3.0 * np.eye(11)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    np.save(tmp_path / "d.npy", X)
    np.save(tmp_path / "y.npy", y)
    return "d.npz"


def mapped(path):
    W = np.load(path)["W"]
    return W @ W.T


@pytest.mark.parametrize("metric", ["stein", "airm", "jeffrey", "log-euclidean"])
def test_a_fit_as_on_the_processor(spdml, data, metric, tmp_path):
    words = ["fit", data, "-m", 3, "--metric", metric, "--max-iter", 12, "--nu-w", 3, "--nu-b", 3]
    words += ["--log-cost", "exact"] if metric == "log-euclidean" else []
    for engine in "cpu", "cuda":
        shown = spdml(*words, "--engine", engine, "-o", f"{engine}.spdml", "-v")
        assert ("ran on emulated" in shown) == (engine == "cuda")
    assert np.abs(mapped(tmp_path / "cpu.spdml") - mapped(tmp_path / "cuda.spdml")).max() < 1e-9


def test_complex_matrices(spdml, tmp_path):
    """Their real forms are what the device sees."""
    rng = np.random.default_rng(6)
    A = rng.standard_normal((18, 6, 20)) + 1j * rng.standard_normal((18, 6, 20))
    A[::2, :2] *= 2.0
    np.savez(tmp_path / "c.npz", X=A @ A.conj().transpose(0, 2, 1), y=np.arange(18) % 2)
    words = ["fit", "c.npz", "-m", 2, "--max-iter", 6, "--nu-w", 3, "--nu-b", 3]
    for engine in "cpu", "cuda":
        spdml(*words, "--engine", engine, "-o", f"{engine}.spdml")
    one, other = (np.load(tmp_path / f"{engine}.spdml")["W"] for engine in ("cpu", "cuda"))
    assert np.iscomplexobj(one) and one.shape == (6, 2)
    assert np.abs(one @ one.conj().T - other @ other.conj().T).max() < 1e-8


@pytest.mark.parametrize("objective", ["softmax", "difference"])
def test_ranks_have_a_device_each_and_the_same_bits(spdml, data, objective, tmp_path):
    if not shutil.which("mpirun") or not (BUILD / "libspdml-mpi.so").exists():
        pytest.skip("no MPI")
    words = ["fit", data, "-m", 3, "--metric", "airm", "--engine", "cuda", "--objective", objective, "--max-iter", 4,
             "--threads", 1]
    for ranks in 0, 2, 3:
        spdml(*words, "-o", f"{ranks}.spdml", ranks=ranks)
    alone, *others = (np.load(tmp_path / f"{ranks}.spdml")["W"] for ranks in (0, 2, 3))
    assert all((alone == other).all() for other in others)


def test_samples_in_files(spdml, data, tmp_path):
    """The same bits whether the matrices lie in memory or are read for every pass."""
    words = ["-m", 3, "--engine", "cuda", "--max-iter", 3, "--nu-w", 3, "--nu-b", 3]
    spdml("fit", data, *words, "-o", "memory.spdml")
    spdml("fit", "d.npy", "--labels", "y.npy", *words, "--memory", "0.01", "-o", "files.spdml")
    one, other = (np.load(tmp_path / f"{name}.spdml")["W"] for name in ("memory", "files"))
    assert (one == other).all()


def test_checkpoints_move_between_engines(spdml, data, tmp_path):
    words = ["fit", data, "-m", 3, "--nu-w", 3, "--nu-b", 3, "--max-iter"]
    spdml(*words, 9, "--engine", "cpu", "-o", "whole.spdml")
    spdml(*words, 4, "--engine", "cuda", "--checkpoint", "c.ckpt", "-o", "half.spdml")
    spdml(*words, 9, "--engine", "cpu", "--resume", "c.ckpt", "-o", "resumed.spdml")
    assert np.abs(mapped(tmp_path / "whole.spdml") - mapped(tmp_path / "resumed.spdml")).max() < 1e-8


def test_a_matrix_that_is_not_definite(spdml, data, tmp_path):
    X = np.load(tmp_path / "d.npy")
    X[7] = -X[7]
    np.savez(tmp_path / "bad.npz", X=X, y=np.load(tmp_path / "y.npy"))
    assert "X[7]" in spdml("fit", "bad.npz", "-m", 3, "--engine", "cuda", "-o", "m.spdml", code=1)


@pytest.fixture
def two_sets(tmp_path):
    """Two classes that overlap a little; large enough for the device to be asked."""
    rng = np.random.default_rng(7)
    for name, p in ("train", 60), ("test", 40):
        A, y = rng.standard_normal((p, 24, 60)), np.arange(p) % 2
        A[y == 1, :4] *= 1.25
        np.savez(tmp_path / f"{name}.npz", X=A @ A.transpose(0, 2, 1) / 60, y=y)


@pytest.mark.parametrize("method", ["nn-stein", "knn-log-euclidean", "mdm-log-euclidean", "rsr", "ksvm-stein", "cdl",
                                    "ts-lda-log-euclidean", "nn-stein-ml"])
def test_classification_as_on_the_processor(spdml, two_sets, method, tmp_path):
    more = ["-m", 4] if method.endswith("-ml") else []
    for engine in "cpu", "cuda":
        shown = spdml("classify", "--train", "train.npz", "--test", "test.npz", "--method", method, *more, "--no-tune",
                      "--engine", engine, "-v", "-o", f"{engine}.npz")
        assert ("calls that the GPU answered" in shown) == (engine == "cuda")
    one, other = (np.load(tmp_path / f"{engine}.npz")["predicted"] for engine in ("cpu", "cuda"))
    assert (one == other).all() and len(set(one)) == 2


def test_trials_side_by_side(spdml, two_sets):
    """Two threads tune a map, each with fits of its own on the one device; methods without kernels go on."""
    words = ["evaluate", "train.npz", "--methods", "nn-stein-ml,nn-jeffrey-ml", "--split", 0.6, "--repeats", 1, "--cv", 2,
             "--grid", "m=2,3,4,5", "--nu-w", 3, "--nu-b", 3, "--objective", "softmax", "--final", "none",
             "--threads", 2, "--json"]
    results = {}
    for engine in "cpu", "cuda":
        shown = spdml(*words, "--engine", engine, "-v")
        calls = [line for line in shown.splitlines() if "calls that the GPU answered" in line]
        assert [int(line.split()[-3]) >= 7 for line in calls] == [True] * (engine == "cuda")  # six trials and the last fit
        found = json.loads(shown[shown.index("{"):shown.rindex("}") + 1])
        rounds = [method["rounds"][0] for method in found["results"]]
        results[engine] = [(r["right"], r["cv_accuracy"], r["parameters"]) for r in rounds]
    assert results["cpu"] == results["cuda"]


def test_without_cusolver(spdml, module, tmp_path):
    """What needs it says so if the GPU is asked for by name, and is the processor's otherwise."""
    rng = np.random.default_rng(8)
    A = rng.standard_normal((12, 40, 90))
    X = A @ A.transpose(0, 2, 1)
    X[:, :20, :20] += 1e10 * np.eye(20)  # further apart than poles reach
    np.savez(tmp_path / "d.npz", X=X, y=np.arange(12) % 3)
    bare = tmp_path / "bare"
    bare.mkdir()
    shutil.copy(module / "libspdml-cuda.so", bare)
    words = {"mean": ["mean", "d.npz", "--metric", "log-euclidean", "-o", "M.npy"], "fit": ["fit", "d.npz", "-m", 34, "--metric", "airm", "-o", "m.spdml"]}
    for name in words:
        shown = spdml(*words[name], "--engine", "cuda", code=1, library=bare)
        assert "cuSOLVER" in shown and "--engine auto" in shown
    assert not list(tmp_path.glob("M.npy")) and not list(tmp_path.glob("m.spdml"))
    spdml(*words["mean"], "--engine", "auto", library=bare)
