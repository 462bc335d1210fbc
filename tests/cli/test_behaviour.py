"""Ctrl-C, the progress bar, quiet and verbose."""

import os
import pty
import re
import resource
import select
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import random_spd


@pytest.fixture
def long_work(command, tmp_path, rng):
    """A command line that would compute for minutes."""
    np.save(tmp_path / "a.npy", np.repeat(random_spd(rng, 50, 24), 120, axis=0))
    return [command, "distance", "a.npy", "--metric", "airm", "--threads", "1", "-o", "D.npy"]


def test_interrupt(long_work, tmp_path):
    (tmp_path / "D.npy").write_bytes(b"precious")
    job = subprocess.Popen(long_work, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    assert job.poll() is None, job.stderr.read()
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=600)
    assert job.returncode == 130
    assert out == b"" and err == b"spdml: interrupted; nothing was written\n"
    assert (tmp_path / "D.npy").read_bytes() == b"precious"
    assert sorted(os.listdir(tmp_path)) == ["D.npy", "a.npy"]


def read_terminal(master, until, seconds):
    """What arrives on a terminal until a pattern does, or the time is over."""
    seen, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and not re.search(until, seen):
        if select.select([master], [], [], 0.2)[0]:
            try:
                seen += os.read(master, 4096)
            except OSError:
                break
    return seen


@pytest.fixture
def terminal():
    """Both ends of a pseudo-terminal."""
    try:
        return pty.openpty()
    except OSError as problem:  # a root without /dev/pts
        pytest.skip(f"no pseudo-terminal can be had: {problem}")


def test_bar_on_a_terminal(long_work, terminal, tmp_path):
    master, slave = terminal
    start = time.monotonic()
    job = subprocess.Popen(long_work, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shape = rb"distances.*\[#*-*\] +\d+ %  [\d.]+( million)? pairs/s  [\d:]+ left"
    seen = read_terminal(master, shape, 600)
    assert re.search(shape, seen), seen
    assert time.monotonic() - start >= 1
    job.send_signal(signal.SIGINT)
    seen += read_terminal(master, rb"interrupted", 600)
    assert job.wait(timeout=600) == 130
    os.close(master)
    assert b"\r\x1b[Kspdml: interrupted" in seen


def test_bar_says_which_round_and_method(command, terminal, tmp_path, rng):
    """The whole is told: the round, the method, what came out last; no time left from nothing."""
    X = random_spd(rng, 400, 40)
    np.savez(tmp_path / "a.npz", X=X, y=np.arange(400) % 4)
    master, slave = terminal
    job = subprocess.Popen([command, "evaluate", "a.npz", "--methods", "mdm-airm,nn-stein-ml", "--split", "0.5",
                            "--repeats", "30"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shape = rb"round \d+ of 30, nn-stein-ml  tuning \d+ of \d+ fits.*mdm-airm [\d.]+ %"
    seen = read_terminal(master, shape, 600)
    assert re.search(shape, seen), seen
    assert not re.search(rb"tuning 0 of \d+ fits, [\d:]+ left", seen)
    job.send_signal(signal.SIGINT)
    seen += read_terminal(master, rb"interrupted", 600)
    assert job.wait(timeout=600) == 130
    os.close(master)
    assert b"\r\x1b[Kspdml: interrupted" in seen


def test_no_bar_when_quiet(long_work, terminal, tmp_path):
    master, slave = terminal
    job = subprocess.Popen([*long_work, "-q"], cwd=tmp_path, stdout=subprocess.DEVNULL,
                           stderr=slave)
    os.close(slave)
    seen = read_terminal(master, rb".", 3)
    job.send_signal(signal.SIGINT)
    assert job.wait(timeout=600) == 130
    seen += read_terminal(master, rb".", 1)
    os.close(master)
    assert seen == b""


def test_verbose_and_quiet(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    loud = spdml("mean", "a.npy", "-v", "-o", "M.npy").good()
    assert "read a.npy: 5 matrices 3 x 3" in loud.err and "wrote M.npy" in loud.err
    assert re.search(r"\(\d+\.\d+ s\)", loud.err)
    plain = spdml("mean", "a.npy", "-o", "M.npy").good()
    assert plain.err == "" and plain.out == loud.out
    assert spdml("mean", "a.npy", "-v", "-q", "-o", "M.npy").good().err == ""


@pytest.mark.parametrize("words", [["evaluate", "--help"], ["version"], ["help", "--completion"],
                                   ["mean", "a.npy", "--json"]])
def test_a_reader_that_leaves_is_no_news(command, tmp_path, rng, words):
    """As in `spdml evaluate --help | head -1`, whatever the length of the output."""
    np.save(tmp_path / "a.npy", random_spd(rng, 3, 12))
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([command, *words], cwd=tmp_path, stdout=write_end,
                          stderr=subprocess.PIPE, timeout=600)
    os.close(write_end)
    assert done.returncode == 1 and done.stderr == b""


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_forced_instruction_set(spdml, tmp_path, rng, isa):
    shown = spdml("version", "--json", env={"SPDML_ISA": isa})
    if shown.code == 2:
        shown.failed("SPDML_ISA", f"this machine has no {isa}; its best is ", code=2)
        pytest.skip(f"this machine has no {isa}")
    assert shown.good().json["isa"] == isa
    A = random_spd(rng, 9, 6)
    np.save(tmp_path / "a.npy", A)
    spdml("distance", "a.npy", "--metric", "stein", "-o", "D.npy", env={"SPDML_ISA": isa}).good()
    spdml("distance", "a.npy", "--metric", "stein", "-o", "E.npy").good()
    assert np.allclose(np.load(tmp_path / "D.npy"), np.load(tmp_path / "E.npy"), rtol=1e-9)


def test_distances_that_do_not_fit_into_memory(spdml, command, tmp_path):
    with open(command, "rb") as file:
        if b"__asan_init" in file.read():
            pytest.skip("AddressSanitizer itself needs all addresses")
    np.save(tmp_path / "a.npy", np.ones((30000, 1, 1)))
    limit = 4 << 30
    done = spdml("distance", "a.npy", "-o", "D.npy", "--threads", "1",
                 env={"OPENBLAS_NUM_THREADS": "1"},
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    done.failed("out of memory", "30000 x 30000 distances", "6.71 GiB")
    assert not (tmp_path / "D.npy").exists()


def test_numbers_of_json_are_as_short_as_they_can_be(spdml, tmp_path, rng):
    """The shortest that reads back the same, as Python writes them."""
    values = 10.0 ** rng.uniform(-12, 12, 12)
    values[:6] = [1e-5, 0.1, 1.0, 20.0, 1e22, 1 / 3]
    np.savez(tmp_path / "a.npz", X=values[:, None, None], y=["1.50e+07"] + 11 * ["b"])
    text = spdml("distance", "a.npz", "--metric", "euclidean", "--json").good().out
    found = re.findall(r"(?<=[ \[])-?[0-9.]+(?:e-?[0-9]+)?(?=[,\n\]])", text)
    assert len(found) > 144
    for shown in found:
        digits = shown.lstrip("-").split("e")[0].replace(".", "").strip("0")
        best = repr(float(shown)).lstrip("-").split("e")[0].replace(".", "").strip("0")
        assert digits == best, shown


# ---- outputs that are inputs -----------------------------------------------------------------------


@pytest.mark.parametrize("words", [
    ["mean", "a.npz", "-o", "a.npz"], ["mean", "./a.npz", "-o", "a.npz"],
    ["distance", "a.npz", "-o", "link.npz"], ["embed", "a.npz", "-o", "a.npz"],
    ["describe", "covariance", "a.npz", "-o", "a.npz"],
    ["transform", "m.spdml", "a.npz", "-o", "a.npz"], ["join", "b.npz", "a.npz", "-o", "a.npz"],
    ["embed", "b.npz", "--labels", "a.npz", "-o", "a.npz"],
    ["predict", "t.spdml", "a.npz", "-o", "a.npz"],
    ["classify", "--train", "b.npz", "--test", "a.npz", "--method", "nn-airm", "-o", "a.npz"],
    ["neighbours", "a.npz", "--queries", "b.npz", "-o", "b.npz"],
    ["explain", "m.spdml", "--data", "a.npz", "-o", "link.svg"],
    ["explain", "m.spdml", "-o", "map.svg"],
    ["train", "a.npz", "--method", "nn-airm-ml", "--model", "m.spdml", "-o", "m.spdml"],
    ["fit", "a.npz", "-m", 2, "--init", "m.spdml", "-o", "m.spdml"],
    ["fit", "a.npz", "-m", 2, "-o", "n.spdml", "--history", "link.csv"],
    ["compare", "run", "-o", "run/results.json"], ["compare", "run", "-o", "run/results.csv"],
    ["cost", "a.npz", "--w", "m.spdml", "--gradient", "a.npz"],
    ["fit", "a.npz", "-m", 2, "-o", "n.spdml", "--checkpoint", "a.npz"]])
def test_no_input_is_replaced(spdml, rng, tmp_path, words):
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", X=random_spd(rng, 8, 3),
                 y=np.arange(8) % 2)
    for ending in ["npz", "svg", "csv"]:
        (tmp_path / f"link.{ending}").symlink_to("a.npz")
    spdml("fit", "a.npz", "-m", 2, "--max-iter", 2, "-o", "m.spdml").good()
    spdml("train", "a.npz", "--method", "nn-airm", "-o", "t.spdml").good()
    (tmp_path / "map.svg").symlink_to("m.spdml")
    spdml("evaluate", "a.npz", "--methods", "nn-airm", "--split", 0.5, "--no-report", "-o", "run").good()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    spdml(*words).failed(words[-1], "is an input and would be replaced")
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_folder_of_somebody_else(spdml, rng, tmp_path):
    """What evaluate would replace or remove stays, unless an earlier run has written it."""
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 12, 3), y=np.arange(12) % 2)
    words = ["evaluate", "a.npz", "--methods", "nn-airm", "--split", "0.5", "-o", "mine"]
    (tmp_path / "mine").mkdir()
    for name in ["report.html", "embedding.csv", "results.json", "results.csv", "predictions.npz"]:
        (tmp_path / "mine" / name).write_text("my own\n")
        spdml(*words).failed("mine: has a " + name, "of no earlier run")
        assert (tmp_path / "mine" / name).read_text() == "my own\n"
        (tmp_path / "mine" / name).unlink()
    (tmp_path / "mine" / "notes.txt").write_text("mine\n")
    spdml(*words).good()
    spdml(*words).good()
    (tmp_path / "mine" / "results.json").unlink()
    spdml(*words).good()
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine\n"
