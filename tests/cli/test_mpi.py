"""--mpi: a job of several processes gives, bit by bit, what one process gives; and what becomes of a
job in which something goes wrong. Skipped without mpirun or without the module libspdml-mpi.so."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import zipfile

import numpy as np
import pytest

from conftest import Result, random_spd

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
            capture_output=True, timeout=300)
        return Result(done)

    return run


@pytest.fixture
def data(rng, tmp_path):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 70, 8), y=np.arange(70) % 4)
    return "d.npz"


def without_time(value):
    """A part of meta.json without what a clock says."""
    if isinstance(value, dict):
        return {k: without_time(v) for k, v in value.items() if not k.startswith("seconds")}
    return value


def contents(path):
    """The members of a model, as bytes, but for the seconds in them."""
    members = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            members[name] = archive.read(name)
    members["meta.json"] = without_time(json.loads(members["meta.json"]))
    history = np.load(path)["history"].copy()
    history[:, 3] = 0
    members["history.npy"] = history.tobytes()
    return members


def said(result):
    """The lines of our own: mpirun has much to say."""
    return [line for line in result.err.splitlines() if line.startswith("spdml: ")]


FITS = {
    "stein": ["--metric", "stein"],
    "airm": ["--metric", "airm", "--init", "mean"],
    "airm after stein": ["--metric", "airm"],
    "difference": ["--metric", "stein", "--objective", "difference"],
    "airm difference": ["--metric", "airm", "--objective", "difference", "--init", "mean"],
    "ratio": ["--metric", "stein", "--objective", "ratio"],
    "log-margin": ["--metric", "stein", "--objective", "log-margin"],
    "log-euclidean": ["--metric", "log-euclidean", "--log-cost", "exact"],
    "approximate": ["--metric", "log-euclidean"],
    "unsupervised": ["--unsupervised"],
    "variance": ["--unsupervised", "variance", "--metric", "stein"],
    "rounds": ["--rebuild-graph", "2", "--metric", "stein"],
    "restarts": ["--restarts", "2", "--metric", "stein"],
    "paper": ["--paper", "--metric", "stein"],
}


@pytest.mark.parametrize("how", FITS)
def test_fit_has_the_same_bits(spdml, job, data, tmp_path, how):
    words = ["fit", data, "-m", 3, "--max-iter", 12, *FITS[how]]
    spdml(*words, "--threads", 1, "-o", "0.spdml").good()
    alone = contents(tmp_path / "0.spdml")
    for ranks in (1, 2, 3, 4) if how in ("stein", "airm", "airm difference") else (3,):
        done = job(ranks, *words, "-o", f"{ranks}.spdml").good()
        assert done.out.count("cost at start") == 1
        assert contents(tmp_path / f"{ranks}.spdml") == alone


def test_many_blocks_of_pairs(spdml, job, rng, tmp_path):
    """So many pairs that their matrices do not fit the buffer at once."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 200, 18), y=np.arange(200) % 4)
    words = ["fit", "d.npz", "-m", 16, "--max-iter", 3, "--nu-w", 49, "--nu-b", 150, "--init", "mean"]
    for metric in "stein", "airm":
        spdml(*words, "--metric", metric, "-o", "0.spdml").good()
        job(3, *words, "--metric", metric, "-o", "3.spdml").good()
        assert contents(tmp_path / "3.spdml") == contents(tmp_path / "0.spdml")


def test_more_ranks_than_samples(spdml, job, rng, tmp_path):
    np.savez(tmp_path / "few.npz", X=random_spd(rng, 5, 4), y=[0, 1, 0, 1, 0])
    words = ["fit", "few.npz", "-m", 2, "--max-iter", 5, "--metric", "stein"]
    spdml(*words, "-o", "0.spdml").good()
    job(7, *words, "-o", "7.spdml").good()
    assert contents(tmp_path / "7.spdml") == contents(tmp_path / "0.spdml")
