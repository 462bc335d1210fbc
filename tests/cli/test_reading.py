"""Files that are read and checked by several threads, piece by piece: the same numbers and messages
for any number of them."""

import numpy as np
import pytest

from conftest import random_spd

P, N = 700, 60  # 20 MB: three pieces, five chunks of matrices


@pytest.fixture(scope="module")
def matrices():
    return random_spd(np.random.default_rng(3), P, N)


def save(tmp_path, ending, X):
    """One of the formats that hold float64 as they are."""
    if ending == "npy":
        np.save(tmp_path / "x.npy", X)
    else:
        np.savez(tmp_path / "x.npz", X=X)
    return f"x.{ending}"


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize("threads", [1, 4])
def test_what_is_read(spdml, tmp_path, matrices, ending, threads):
    path = save(tmp_path, ending, matrices)
    spdml("convert", path, "-o", "y.npy", "--threads", threads).good()
    assert (np.load(tmp_path / "y.npy") == matrices).all()


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_bad_matrix_is_named(spdml, tmp_path, matrices, threads):
    """A NaN anywhere comes before what is not symmetric; the lowest of each kind."""
    X = matrices.copy()
    X[[200, 690], 3, 4] += 1.0
    spdml("mean", save(tmp_path, "npy", X), "--threads", threads).failed("X[200] is not symmetric")
    X[[450, 655], 0, 0] = np.nan
    spdml("mean", save(tmp_path, "npy", X), "--threads", threads).failed("X[450] holds NaN or Inf")
    problems = spdml("info", "x.npy", "--json", "--threads", threads).good().json["problems"]
    assert [word.split(";")[0] for word in problems] == ["2 matrices with NaN or Inf, first X[450]",
                                                         "2 matrices not symmetric, first X[200]"]


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_a_file_that_is_cut_short(spdml, tmp_path, matrices, ending):
    path = tmp_path / save(tmp_path, ending, matrices)
    path.write_bytes(path.read_bytes()[:-1000])
    spdml("mean", path.name).failed("cut short" if ending == "npy" else "x.npz")


@pytest.mark.parametrize("at", [5_000, 19_000_000])
def test_a_wrong_byte_in_an_archive(spdml, tmp_path, matrices, at):
    """Checksums of pieces are those of the whole."""
    path = tmp_path / save(tmp_path, "npz", matrices)
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)
    spdml("mean", path.name, "--threads", 3).failed("its checksum is wrong")


def test_a_set_that_is_brought_into_memory(spdml, tmp_path, matrices):
    """The map does not depend on who read it."""
    save(tmp_path, "npy", matrices)
    np.save(tmp_path / "y.npy", np.arange(P) % 2)
    (tmp_path / "x.list").write_text("x.npy\n")
    for threads in 1, 4:
        spdml("fit", "x.list", "--labels", "y.npy", "-m", 2, "--max-iter", 1, "--nu-w", 2, "--nu-b", 2,
              "--threads", threads, "-o", f"{threads}.spdml").good()
    one, other = (np.load(tmp_path / f"{threads}.spdml")["W"] for threads in (1, 4))
    assert (one == other).all()
