"""Another process comes between two system calls: race.c, preloaded, calls it there."""

import pathlib
import shlex
import shutil
import subprocess

import numpy as np
import pytest
from conftest import random_spd

SOURCE = pathlib.Path(__file__).parent / "race.c"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    if not shutil.which("cc"):
        pytest.skip("no compiler for a library to preload")
    path = tmp_path_factory.mktemp("race") / "race.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", SOURCE, "-o", path, "-ldl"], check=True)
    return path


@pytest.fixture
def meeting(spdml, library, tmp_path, rng):
    """Runs `spdml mean d.npz -o o.npy`, and at that call on such a path another command."""
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 5, 3))

    def run(call, part, other, output="o.npy"):
        done = spdml("mean", "d.npz", "-o", output, env={
            "LD_PRELOAD": str(library), "RACE": f"{call}:{part}:{other}; echo > met", "RACE_LOG": "calls",
            "ASAN_OPTIONS": "verify_asan_link_order=0"})
        assert (tmp_path / "met").exists(), "the call was never made"
        return done
    return run


def names(folder):
    return {path.name for path in folder.iterdir()} - {"d.npz", "met", "calls"}


def test_a_temporary_that_another_removes_before_it_is_locked(meeting, tmp_path):
    meeting("flock", ".o.npy.", "rm .o.npy.*.tmp").good()
    assert names(tmp_path) == {"o.npy"} and np.load(tmp_path / "o.npy").shape == (3, 3)


def test_a_temporary_that_another_has_locked_to_remove_it(meeting, tmp_path):
    wait = "for _ in $(seq 3000); do test -e {} && break; sleep .01; done"
    meeting("flock", ".o.npy.", f"flock -n .o.npy.*.tmp sh -c ': > ready; {wait.format('o.npy')}; rm .o.npy.*.tmp' & "
            + wait.format("ready")).good()
    used = {line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("flock ")}
    assert len(used) == 2, "the name that another has was used"
    assert names(tmp_path) == {"o.npy", "ready"}


def test_two_that_write_the_same_file(meeting, command, tmp_path):
    """The second, which writes the whole file while the first is about to end, leaves the first alone."""
    meeting("fsync", ".o.npy.", f"{shlex.quote(command)} convert d.npz -o o.npy").good()
    assert names(tmp_path) == {"o.npy"} and np.load(tmp_path / "o.npy").shape == (3, 3)


def test_a_link_that_appears_after_the_look(meeting, tmp_path):
    (tmp_path / "victim.npy").write_bytes(b"precious")
    meeting("lstat", "o.npy", "ln -s victim.npy o.npy").good()
    assert (tmp_path / "victim.npy").read_bytes() == b"precious"
    assert not (tmp_path / "o.npy").is_symlink() and np.load(tmp_path / "o.npy").shape == (3, 3)


def test_a_link_that_is_turned_after_the_look(meeting, tmp_path):
    """One's own link is read once: what it leads to then is written, whatever becomes of it."""
    (tmp_path / "victim.npy").write_bytes(b"precious")
    (tmp_path / "mine.npy").write_bytes(b"old")
    (tmp_path / "o.npy").symlink_to("mine.npy")
    meeting("lstat", "mine.npy", "ln -sf victim.npy o.npy").good()
    assert (tmp_path / "victim.npy").read_bytes() == b"precious"
    assert np.load(tmp_path / "mine.npy").shape == (3, 3)


def test_bytes_are_on_the_disk_before_the_name(meeting, tmp_path):
    meeting("rename", ".o.npy.", ":").good()
    calls = [line.split(" ", 1) for line in (tmp_path / "calls").read_text().splitlines()]
    temporary = [call for call, path in calls if pathlib.Path(path).name.startswith(".o.npy.")]
    assert temporary == ["flock", "fsync", "rename"]
    assert calls[-1] == ["fsync", str(tmp_path)], "the folder comes last"
