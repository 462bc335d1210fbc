"""--mpi: a job of several processes gives, bit by bit, what one process gives; and what becomes of a
job in which something goes wrong. Skipped without mpirun or without the module libspdml-mpi.so."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

from conftest import Result, model_members, random_spd, timeless

LAUNCHER = shutil.which("mpirun")
MANY = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe", "OPENBLAS_NUM_THREADS": "1"}
if hasattr(os, "geteuid") and os.geteuid() == 0:
    MANY |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.fixture(scope="session", autouse=True)
def needed(command):
    if not LAUNCHER:
        pytest.skip("no mpirun")
    if not pathlib.Path(command).with_name("libspdml-mpi.so").exists():
        pytest.skip("the command was built without MPI")


# What is run with sanitizers, under which starting processes takes long.
SANITIZED = {"test_fit_has_the_same_bits[stein]", "test_fit_has_the_same_bits[airm difference]",
             "test_geometry_has_the_same_bits[neighbours, most of them]", "test_bad_matrix_is_named_once",
             "test_graph_of_many[more2]", "test_resume_with_other_ranks", "test_sets_larger_than_memory"}


@pytest.fixture(autouse=True)
def few_with_sanitizers(request, sanitized):
    if sanitized and request.node.name not in SANITIZED:
        pytest.skip("run without sanitizers only")


@pytest.fixture
def environment(sanitized):
    more = {"ASAN_OPTIONS": "detect_leaks=0"} if sanitized else {} # those of MPI itself
    return {**os.environ, **MANY, **more}


@pytest.fixture
def job(command, tmp_path, environment):
    """Runs the command as a job of so many processes."""

    def run(ranks, *arguments, env=None):
        done = subprocess.run(
            [LAUNCHER, "-n", str(ranks), command, *map(str, arguments), "--mpi", "--threads", "1"],
            cwd=tmp_path, env={**environment, **(env or {})}, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=600)
        return Result(done)

    return run


@pytest.mark.skipif(not shutil.which("mpicc"), reason="no mpicc")
def test_messages_go_in_pieces(tmp_path, environment):
    """More than an int can count: here more than 24 bytes."""
    root = pathlib.Path(__file__).resolve().parents[2]
    subprocess.run(["mpicc", "-std=c11", "-I", root / "src", "-I", root / "include", "-o", "pieces",
                    root / "tests/mpi/pieces.c"], cwd=tmp_path, check=True)
    for ranks in (2, 5):
        done = subprocess.run([LAUNCHER, "-n", str(ranks), "./pieces"], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


@pytest.fixture
def data(rng, tmp_path):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 70, 8), y=np.arange(70) % 4)
    return "d.npz"


@pytest.fixture
def longer(rng, tmp_path):
    """Data that a fit is busy with for a while."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 500, 30), y=np.arange(500) % 4)
    return "d.npz"


def said(result):
    """The lines of our own: mpirun has much to say."""
    return [line for line in result.err.splitlines() if line.startswith("spdml: ")]


FITS = {
    "stein": ["--metric", "stein"],
    "airm": ["--metric", "airm", "--init", "mean"],
    "airm after stein": ["--metric", "airm"],
    "difference": ["--metric", "stein", "--objective", "difference"],
    "airm difference": ["--metric", "airm", "--objective", "difference", "--init", "mean"],
    "log-euclidean": ["--metric", "log-euclidean", "--log-cost", "exact"],
    "approximate": ["--metric", "log-euclidean"],
    "unsupervised": ["--unsupervised"],
    "variance": ["--unsupervised", "variance", "--metric", "stein"],
    "restarts": ["--restarts", "2", "--metric", "stein"],
    "paper": ["--paper", "--metric", "stein"],
}


@pytest.mark.parametrize("how", FITS)
def test_fit_has_the_same_bits(spdml, job, data, tmp_path, how):
    words = ["fit", data, "-m", 3, "--max-iter", 12, *FITS[how]]
    spdml(*words, "--threads", 1, "-o", "0.spdml").good()
    alone = model_members(tmp_path / "0.spdml")
    for ranks in (1, 2, 3, 4) if how in ("stein", "airm", "airm difference") else (3,):
        done = job(ranks, *words, "-o", f"{ranks}.spdml").good()
        assert done.out.count("cost at start") == 1
        assert model_members(tmp_path / f"{ranks}.spdml") == alone


def test_many_blocks_of_pairs(spdml, job, rng, tmp_path):
    """So many pairs that their matrices do not fit the buffer at once."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 200, 18), y=np.arange(200) % 4)
    words = ["fit", "d.npz", "-m", 16, "--max-iter", 3, "--objective", "difference", "--nu-w", 49, "--nu-b",
             150, "--init", "mean"]
    for metric in "stein", "airm":
        spdml(*words, "--metric", metric, "-o", "0.spdml").good()
        job(3, *words, "--metric", metric, "-o", "3.spdml").good()
        assert model_members(tmp_path / "3.spdml") == model_members(tmp_path / "0.spdml")


def test_more_ranks_than_samples(spdml, job, rng, tmp_path):
    np.savez(tmp_path / "few.npz", X=random_spd(rng, 5, 4), y=[0, 1, 0, 1, 0])
    words = ["fit", "few.npz", "-m", 2, "--max-iter", 5, "--metric", "stein"]
    spdml(*words, "-o", "0.spdml").good()
    job(7, *words, "-o", "7.spdml").good()
    assert model_members(tmp_path / "7.spdml") == model_members(tmp_path / "0.spdml")


@pytest.mark.parametrize("more", [[], ["--search", "approximate"]])
def test_graph_of_many(spdml, job, rng, tmp_path, more):
    """More samples than one matrix of distances serves: neighbours are searched for, class by class."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 1600, 3), y=np.arange(1600) % 5)
    words = ["fit", "d.npz", "-m", 2, "--max-iter", 3, "--nu-w", 3, "--nu-b", 6, "--metric", "stein",
             *more]
    spdml(*words, "-o", "0.spdml").good()
    job(3, *words, "-o", "3.spdml").good()
    assert model_members(tmp_path / "3.spdml") == model_members(tmp_path / "0.spdml")


GEOMETRY = {
    "distance": ["distance", "--metric", "airm", "-o", "{}.npy"],
    "distance to others": ["distance", "e.npz", "--metric", "stein", "-o", "{}.npy"],
    "mean": ["mean", "--metric", "airm", "-o", "{}.npy"],
    "mean of few": ["mean", "--metric", "stein", "-o", "{}.npy"],
    "neighbours": ["neighbours", "--metric", "airm", "-k", 3, "-o", "{}.npz"],
    "neighbours, most of them": ["neighbours", "--search", "approximate", "-k", 4, "-o", "{}.npz"],
    "neighbours of others": ["neighbours", "--queries", "e.npz", "-o", "{}.npz"],
}


@pytest.mark.parametrize("what", GEOMETRY)
def test_geometry_has_the_same_bits(spdml, job, rng, tmp_path, what):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 17 if what.endswith("few") else 300, 9))
    np.savez(tmp_path / "e.npz", X=random_spd(rng, 41, 9))
    name, *words = GEOMETRY[what]
    files = [str(words[-1]).format(ranks) for ranks in range(4)]
    words = [name, "d.npz", *words[:-1]]
    one = spdml(*words, files[0], "--json").good().json
    for ranks in 2, 3:
        several = job(ranks, *words, files[ranks], "--json").good().json
        assert {**several, "output": ""} == {**one, "output": ""}
        assert (tmp_path / files[ranks]).read_bytes() == (tmp_path / files[0]).read_bytes()


# ---- what may go wrong --------------------------------------------------------------------------


@pytest.fixture
def mixed(command, tmp_path, environment):
    """Runs a job of two processes, each with a command line and perhaps a prefix of its own."""

    def run(first, second, before=()):
        done = subprocess.run(
            [LAUNCHER, "-n", "1", command, *map(str, first), "--mpi", ":", "-n", "1", *before, command,
             *map(str, second), "--mpi"],
            cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
        return Result(done)

    return run


def test_bad_matrix_is_named_once(spdml, job, rng, tmp_path):
    X = random_spd(rng, 200, 5)
    X[150, 0, 0] = np.nan
    np.savez(tmp_path / "d.npz", X=X, y=np.arange(200) % 2)
    words = ["fit", "d.npz", "-m", 2, "-o", "m.spdml"]
    alone = spdml(*words).failed("X[150]")
    several = job(3, *words)
    assert several.code == 1 and said(several) == alone.err.splitlines()
    assert not (tmp_path / "m.spdml").exists()


def test_missing_everywhere_is_said_once(job):
    done = job(3, "fit", "none.npz", "-m", 2, "-o", "m.spdml")
    assert done.code == 1 and len(said(done)) == 1 and "none.npz" in said(done)[0]


def test_rank_without_its_file(mixed, data):
    words = ["-m", 2, "-o", "m.spdml"]
    done = mixed(["fit", data, *words], ["fit", "none.npz", *words])
    assert done.code == 1 and len(said(done)) == 1
    assert "rank 1: none.npz" in said(done)[0]


def test_rank_with_other_data(mixed, data, rng, tmp_path):
    words = ["-m", 2, "-o", "m.spdml"]
    np.savez(tmp_path / "e.npz", X=random_spd(rng, 69, 8), y=np.arange(69) % 4)
    done = mixed(["fit", data, *words], ["fit", "e.npz", *words])
    assert done.code == 1 and len(said(done)) == 1
    assert "rank 1 has other data" in said(done)[0]
    np.savez(tmp_path / "e.npz", X=random_spd(rng, 70, 8), y=np.arange(70) % 3)
    done = mixed(["fit", data, *words], ["fit", "e.npz", *words])
    assert done.code == 1 and "labels" in said(done)[0]


def test_rank_with_other_kernels(mixed, data, spdml):
    if "baseline" in spdml("version").out:
        pytest.skip("one instruction set alone")
    words = ["fit", data, "-m", 2, "-o", "m.spdml"]
    done = mixed(words, words, ["env", "SPDML_ISA=baseline"])
    assert done.code == 1 and len(said(done)) == 1
    assert "rank 1 computes with baseline" in said(done)[0]


def test_rank_without_memory(mixed, rng, tmp_path, sanitized):
    if sanitized:
        pytest.skip("AddressSanitizer needs all addresses")
    np.save(tmp_path / "big.npy", np.tile(random_spd(rng, 200, 30), (100, 1, 1)))
    words = ["fit", "big.npy", "-m", 20, "--metric", "stein", "--unsupervised", "variance", "--init", "identity",
             "--max-iter", 1, "-o", "m.spdml", "--threads", 1]
    done = mixed(words, words, ["sh", "-c", "ulimit -v 600000; exec \"$0\" \"$@\""])
    assert done.code == 1
    assert "rank 1: " in said(done)[0] and "out of memory" in said(done)[0]


def start(command, tmp_path, environment, ranks, *arguments):
    return subprocess.Popen(
        [LAUNCHER, "-n", str(ranks), command, *map(str, arguments), "--mpi", "--threads", "1"],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)


def processes_of(launcher, command):
    """The processes of a job, by rank."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "exe") != os.path.realpath(command):
                continue
            words = dict(word.split("=", 1) for word in (folder / "environ").read_text().split("\0") if "=" in word)
            if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) == launcher.pid:
                found[int(words["OMPI_COMM_WORLD_RANK"])] = int(folder.name)
        except (OSError, KeyError, ValueError):
            continue
    return found


def wait_for(path, job):
    for _ in range(6000):
        if path.exists():
            return
        assert job.poll() is None, job.communicate()
        time.sleep(0.1)
    pytest.fail(f"{path} never came")


LONG = ["--tol", 0, "--metric", "stein", "--max-iter"]


def resumed(spdml, job, tmp_path, iterations):
    """From the checkpoint, with other numbers of processes, to where a fit that was not disturbed ends."""
    words = ["fit", "d.npz", "--max-iter", iterations]
    spdml("fit", "d.npz", "-m", 3, *LONG, iterations, "-o", "whole.spdml").good()
    for ranks in 1, 3:
        shutil.copy(tmp_path / "c.npz", tmp_path / f"c{ranks}.npz")
        job(ranks, *words, "--resume", f"c{ranks}.npz", "-o", f"{ranks}.spdml").good()
        assert model_members(tmp_path / f"{ranks}.spdml") == model_members(tmp_path / "whole.spdml")


def test_a_rank_dies(command, tmp_path, environment, longer):
    running = start(command, tmp_path, environment, 2, "fit", longer, "-m", 12, *LONG, 1000000, "-o", "m.spdml",
                    "--checkpoint", "c.npz", "--checkpoint-every", "0.05s")
    wait_for(tmp_path / "c.npz", running)
    time.sleep(0.5)
    os.kill(processes_of(running, command)[1], signal.SIGKILL)
    out, err = running.communicate(timeout=600)  # it ends, and does not wait for the dead one
    assert running.returncode != 0
    assert b"rank 1" in err
    assert not (tmp_path / "m.spdml").exists()


@pytest.mark.parametrize("rank", [0, 1])
def test_signal_stops_all(command, tmp_path, environment, longer, rank):
    """One process alone gets the signal: all stop at the same iteration, with a checkpoint and a model."""
    running = start(command, tmp_path, environment, 2, "fit", longer, "-m", 12, *LONG, 1000000, "-o", "m.spdml",
                    "--checkpoint", "c.npz", "--checkpoint-every", "1h")
    wait_for(tmp_path / "c.npz", running)
    first = (tmp_path / "c.npz").stat().st_mtime_ns
    time.sleep(0.3)
    os.kill(processes_of(running, command)[rank], signal.SIGTERM)
    out, err = running.communicate(timeout=600)
    assert running.returncode == 130, err
    assert (tmp_path / "m.spdml").exists() and (tmp_path / "c.npz").stat().st_mtime_ns > first
    assert b"interrupted; m.spdml contains the best map so far" in err


def test_resume_with_other_ranks(spdml, job, data, tmp_path):
    job(2, "fit", data, "-m", 3, *LONG, 7, "-o", "m.spdml", "--checkpoint", "c.npz").good()
    resumed(spdml, job, tmp_path, 15)


def test_limit_on_time_stops_all(job, longer):
    shown = job(3, "fit", longer, "-m", 12, *LONG, 1000000, "--max-time", 0.5, "-o", "m.spdml", "--json").good().json
    assert shown["stop"] == "time"


def test_traffic_is_told(job, data):
    done = job(2, "fit", data, "-m", 3, "--max-iter", 3, "-o", "m.spdml", "-v").good()
    assert any("messages per iteration and process" in line for line in said(done))


@pytest.mark.parametrize("repeats", [2, 5])
def test_evaluation_is_the_same(spdml, job, rng, tmp_path, repeats):
    """Trials, or rounds where there are many, are dealt out; what they find does not depend on how many
    processes there are."""
    X, y = random_spd(rng, 90, 6), np.arange(90) % 3
    X[y == 1] += np.diag([2, 0, 0, 0, 0, 0])
    X[y == 2] += np.diag([0, 2, 0, 0, 0, 0])
    np.savez(tmp_path / "d.npz", X=X, y=y)
    words = ["evaluate", "d.npz", "--methods", "nn-stein,nn-stein-ml,mdm-airm,rsr-ml,ksvm-stein", "--split", 0.5,
             "--repeats", repeats, "--cv", 3, "--grid", "m=2,3,4"]
    spdml(*words, "-o", "0").good()
    for ranks in 2, 3:
        job(ranks, *words, "-o", ranks).good()
        for name in "embedding.csv", "margins.csv", "samples.svg", "predictions.npz":
            assert (tmp_path / str(ranks) / name).read_bytes() == (tmp_path / "0" / name).read_bytes()
        one, several = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("0", str(ranks)))
        assert timeless(several) == timeless(one)


def test_ranks_without_a_gpu(job, data, tmp_path):
    """All of them say so together, once. (tests/cuda has ranks with one.)"""
    done = job(2, "fit", data, "-m", 3, "--engine", "cuda", "-o", "m.spdml")
    assert done.code == 1 and len(said(done)) == 1 and "CUDA" in said(done)[0] and "auto" in said(done)[0]
    job(2, "fit", data, "-m", 3, "--engine", "auto", "--max-iter", 2, "-o", "m.spdml").good()


def test_sets_larger_than_memory(spdml, job, rng, tmp_path):
    """Read piece by piece by every rank, with the bits of one process under the same limit."""
    np.save(tmp_path / "d.npy", random_spd(rng, 300, 20))
    np.save(tmp_path / "y.npy", np.arange(300) % 3)
    words = ["fit", "d.npy", "--labels", "y.npy", "-m", 3, "--max-iter", 8, "--nu-w", 2, "--nu-b", 3]
    # with what one process keeps of all samples, and several of their share: two passes for both
    one = spdml(*words, "--memory", "600K", "-o", "0.spdml", "--json").good().json
    assert one["stored"] == "file" and one["passes_per_iteration"] == 2
    several = job(3, *words, "--memory", "450K", "-o", "3.spdml", "--json").good().json
    assert several["stored"] == "file" and several["passes_per_iteration"] == 2
    assert model_members(tmp_path / "3.spdml") == model_members(tmp_path / "0.spdml")


def test_each_process_holds_its_share(spdml, job, rng, tmp_path):
    """Where all matrices are too many for one process: the same model, and neighbours, by a ring."""
    X, y = random_spd(rng, 300, 20), np.arange(300) % 3
    X[y == 1] += np.diag([3.0] + 19 * [0.0])
    np.save(tmp_path / "d.npy", X)
    np.save(tmp_path / "y.npy", y)
    words = ["fit", "d.npy", "--labels", "y.npy", "-m", 3, "--max-iter", 6, "--nu-w", 2, "--nu-b", 3]
    near = ["neighbours", "d.npy", "-k", 3, "--metric", "airm"]
    spdml(*words, "-o", "0.spdml").good()
    spdml(*near, "-o", "0.npz").good()
    for ranks in 2, 3:
        found = job(ranks, *words, "--memory", "1500K", "-o", "s.spdml", "--json").good().json
        assert found["stored"] == "share" and found["passes_per_iteration"] == 1
        assert model_members(tmp_path / "s.spdml") == model_members(tmp_path / "0.spdml")
        job(ranks, *near, "--memory", "1500K", "-o", "s.npz").good()
        assert (tmp_path / "s.npz").read_bytes() == (tmp_path / "0.npz").read_bytes()
    X[250, 3, 3] = np.nan
    np.save(tmp_path / "d.npy", X)
    done = job(3, *words, "--memory", "1500K", "-o", "bad.spdml")
    assert done.code == 1 and len(said(done)) == 1 and "X[250]" in said(done)[0]
    assert not (tmp_path / "bad.spdml").exists()
