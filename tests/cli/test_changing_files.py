"""Files that another process changes, cuts or replaces while they are read."""

import os
import subprocess
import time

import numpy as np
import pytest
from conftest import random_spd

SHARES = np.linspace(0.1, 1.2, 6)  # of the time that an undisturbed run takes


@pytest.fixture
def large(tmp_path, rng):
    """24 MB of matrices, dated in the past, so that a change shows in the time stamp."""
    path = tmp_path / "large.npy"
    X = np.broadcast_to(random_spd(rng, 1, 40), (1900, 40, 40))

    def write():
        np.save(path, X)
        os.utime(path, (1e9, 1e9))
        return path

    return write


@pytest.mark.parametrize("words", [["info"], ["mean", "--metric", "euclidean"]])
def test_a_file_that_shrinks(command, tmp_path, large, words):
    """Whenever it is cut: a result or a message, and no signal."""
    large()
    run = [command, *words, "large.npy", "--json"]
    start = time.monotonic()
    whole = subprocess.run(run, cwd=tmp_path, capture_output=True, check=True)
    seconds = time.monotonic() - start
    for share in SHARES:
        path = large()
        work = subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(share * seconds / 2)
        os.truncate(path, 4096)
        out, err = work.communicate(timeout=600)
        assert work.returncode in (0, 1), (share, work.returncode, err)
        if work.returncode == 0:
            assert out == whole.stdout
        else:
            assert b"while it was being read" in err or b"cut short" in err, err


def test_values_that_change(command, tmp_path, large):
    """Another process writes NaN into it: it is refused, or the values of before are used."""
    large()
    run = [command, "mean", "--metric", "euclidean", "large.npy", "-o", "mean.npy"]
    start = time.monotonic()
    subprocess.run(run, cwd=tmp_path, capture_output=True, check=True)
    seconds = time.monotonic() - start
    whole = np.load(tmp_path / "mean.npy")
    for share in SHARES:
        path = large()
        (tmp_path / "mean.npy").unlink(missing_ok=True)
        work = subprocess.Popen(run, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(share * seconds / 2)
        with open(path, "r+b") as file:
            file.seek(128)
            for _ in range(24):
                file.write(np.full(1 << 17, np.nan).tobytes())
        err = work.communicate(timeout=600)[1]
        assert work.returncode in (0, 1), (share, work.returncode, err)
        if work.returncode == 0:
            assert np.array_equal(np.load(tmp_path / "mean.npy"), whole)
        else:
            assert b"while it was being read" in err or b"NaN" in err, err
            assert not (tmp_path / "mean.npy").exists()
