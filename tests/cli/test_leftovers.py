"""What a run leaves that was killed on the spot, and what the next one makes of it."""

import fcntl
import os
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import random_spd

TEXTURES = ["synth", "textures", "--classes", "3", "--samples", "4", "--size", "64"]


def work_folders(folder):
    return [name for name in os.listdir(folder) if name.startswith(".making-")]


@pytest.fixture
def stopped(command, tmp_path):
    """Starts a run, and stops it with a signal once its work folder is there."""

    def run(folder, number, *words):
        work = subprocess.Popen([command, *words], cwd=tmp_path, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)
        for _ in range(120000):
            if (tmp_path / folder).is_dir() and work_folders(tmp_path / folder):
                break
            assert work.poll() is None, work.stderr.read()
            time.sleep(0.005)
        work.send_signal(number)
        return work

    return run


MANY = ["synth", "textures", "--classes", "18", "--samples", "100", "-o", "out"]


def test_a_folder_after_a_kill(spdml, tmp_path, stopped):
    stopped("out", signal.SIGKILL, *MANY).communicate()
    assert work_folders(tmp_path / "out")
    spdml(*TEXTURES, "-o", "out").good()
    assert len(os.listdir(tmp_path / "out")) == 3 and not work_folders(tmp_path / "out")


def test_a_folder_in_which_a_run_is_at_work(spdml, tmp_path, stopped):
    work = stopped("out", signal.SIGSTOP, *MANY)
    before = work_folders(tmp_path / "out")
    spdml(*TEXTURES, "-o", "out").failed("out", "another run is writing", before[0])
    assert work_folders(tmp_path / "out") == before
    work.kill()
    work.communicate()
    spdml(*TEXTURES, "-o", "out").good()


def test_a_folder_that_is_half_moved(spdml, tmp_path):
    """Files beside a work folder: they are not removed, since they may be somebody's."""
    (tmp_path / "out" / ".making-abcdef").mkdir(parents=True)
    (tmp_path / "out" / "mine.txt").write_text("precious")
    spdml(*TEXTURES, "-o", "out").failed("out", "incomplete", "remove it")
    assert (tmp_path / "out" / "mine.txt").read_text() == "precious"


def test_temporaries_of_dead_and_living_writers(spdml, tmp_path, rng):
    np.savez(tmp_path / "d.npz", X=random_spd(rng, 3, 3))
    names = [".o.npz.0123abcd.tmp", ".o.npz.89abcdef.tmp", ".other.npz.0123abcd.tmp",
             ".o.npz.0123abcg.tmp", ".o.npz.tmp", "o.npz.0123abcd.tmp"]
    for name in names:
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".o.npz.00000000.tmp").symlink_to("d.npz")
    with open(tmp_path / names[1]) as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        spdml("convert", "d.npz", "-o", "o.npz").good()
        assert sorted(os.listdir(tmp_path)) == sorted(["d.npz", "o.npz", ".o.npz.00000000.tmp",
                                                       *names[1:]])
    spdml("convert", "d.npz", "-o", "o.npz").good()
    assert not (tmp_path / names[1]).exists()
