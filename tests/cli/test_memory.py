"""Little memory: nothing hangs, nothing crashes, and what does not fit is refused beforehand."""

import os
import resource
import subprocess

import numpy as np
import pytest

from conftest import random_spd

MIB = 1 << 20


@pytest.fixture
def limited(command, sanitized, tmp_path):
    """Runs the command with so many bytes of addresses, on several threads of OpenBLAS."""
    if sanitized:
        pytest.skip("AddressSanitizer itself needs all addresses")

    def run(limit, *arguments, which=resource.RLIMIT_AS):
        return subprocess.run([command, *arguments], cwd=tmp_path, capture_output=True, timeout=600,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "4"}, text=True,
                              preexec_fn=lambda: resource.setrlimit(which, (limit, limit)))

    return run


FOUND = []


@pytest.fixture
def base(limited):
    """Bytes of addresses with which the command just begins."""
    limits = range(50 * MIB, 1000 * MIB, 10 * MIB)
    if not FOUND:
        FOUND.append(next(limit for limit in limits if limited(limit, "version").returncode == 0))
    return FOUND[0]


def good_or_told(done):
    """It gave the result, or said what is missing."""
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    if done.returncode:
        assert done.stderr.startswith("spdml: ") and "out of memory" in done.stderr, done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("arguments", [
    ("mean", "a.npz"), ("fit", "a.npz", "-m", "2", "-o", "m.spdml", "--max-iter", "2"),
    ("classify", "--train", "a.npz", "--test", "a.npz", "--method", "ksvm", "--no-tune")])
def test_every_amount_of_memory_is_enough_or_is_told(limited, base, tmp_path, rng, arguments):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 40, 30), y=np.arange(40) % 2)
    ends = [good_or_told(limited(base + more * MIB, *arguments)) for more in range(0, 520, 40)]
    assert not ends[0] and ends[-1], ends
    assert "BLAS" in limited(base, *arguments).stderr


def test_fewer_threads_where_there_are_fewer_buffers(limited, base, tmp_path, rng):
    X = random_spd(rng, 64, 40)
    np.savez(tmp_path / "a.npz", X=X)
    words = ["mean", "a.npz", "--metric", "airm", "--threads", "8", "-o"]
    assert good_or_told(limited(base + 400 * MIB, *words, "few.npy"))
    assert good_or_told(limited(base + 4000 * MIB, *words, "many.npy"))
    assert (tmp_path / "few.npy").read_bytes() == (tmp_path / "many.npy").read_bytes()


def test_a_limit_on_data(limited, base, tmp_path, rng):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 40, 30))
    ends = [good_or_told(limited(more * MIB, "mean", "a.npz", which=resource.RLIMIT_DATA))
            for more in range(60, 500, 40)]
    assert not ends[0] and ends[-1], ends


@pytest.mark.parametrize("method", ["ksvm", "rsr", "cdl", "cdl-lda"])
def test_a_kernel_that_does_not_fit_is_refused_before_the_work(limited, base, tmp_path, method):
    p = 16000  # a kernel of 2 GB
    np.savez(tmp_path / "a.npz", X=np.ones((p, 1, 1)), y=np.arange(p) % 2)
    done = limited(base + 1000 * MIB, "evaluate", "a.npz", "--methods", f"nn-airm,{method}",
                   "--train-per-class", str(p // 2 - 1), "--repeats", "1")
    assert done.returncode == 1 and "GB are needed" in done.stderr, done.stderr
    assert f"{method}" in done.stderr and "are available" in done.stderr


def test_an_embedding_that_does_not_fit_is_refused(limited, base, tmp_path):
    np.savez(tmp_path / "a.npz", X=np.ones((16000, 1, 1)))
    done = limited(base + 1000 * MIB, "embed", "a.npz", "--method", "mds", "-o", "e.npy")
    assert done.returncode == 1 and "4.1 GB are needed" in done.stderr, done.stderr
