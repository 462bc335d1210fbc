"""Checkpoints: a fit that is killed goes on, and damage is noticed."""

import json
import subprocess
import time
import zipfile

import learn_twins as twin
import numpy as np
import pytest

FIT = ["fit", "d.npz", "-m", "8", "--nu-w", "4", "--nu-b", "3", "--threads", "1"]
LIMITS = ["--tol", "0", "--gtol", "0", "--max-iter", "150"]


@pytest.fixture
def data(tmp_path, rng):
    X, y = twin.classes(rng, 120, 24)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    return X, y


@pytest.mark.parametrize("metric", ["stein", "airm"])
def test_killed_at_any_moment(command, spdml, tmp_path, rng, data, metric):
    words = [*FIT, "--metric", metric, *LIMITS, "-o", "m.spdml", "--json"]
    started = time.monotonic()
    whole = spdml(*words).good().json
    pace = time.monotonic() - started
    kills = 0
    go_on = []
    for _ in range(8):
        work = subprocess.Popen(
            [command, *words, *go_on, "--checkpoint", "c.npz", "--checkpoint-every", "0.002s"],
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            work.wait(timeout=rng.uniform(0.02, 0.4 * pace + 0.05))
        except subprocess.TimeoutExpired:
            work.kill()
            kills += 1
        work.communicate()
        if (tmp_path / "c.npz").exists():
            assert spdml("info", "c.npz", "--json").good().json["kind"] == "checkpoint"
            go_on = ["--resume", "c.npz"]
    assert kills > 0
    done = spdml(*words, *go_on).good().json
    assert done["cost"] == pytest.approx(whole["cost"], rel=1e-8)
    assert done["iterations"] == whole["iterations"] == 150
    assert done["cost_start"] == whole["cost_start"]


@pytest.fixture
def checkpoint(spdml, tmp_path, data):
    """A checkpoint at iteration 20 in c.npz."""
    shown = spdml(*FIT, "--tol", 0, "--max-iter", 20, "-o", "half.spdml", "--checkpoint", "c.npz",
                  "--json").good().json
    assert shown["stop"] == "iterations"
    return shown


def test_limits_count_from_the_original_start(spdml, tmp_path, checkpoint):
    whole = spdml(*FIT, "--tol", 0, "--max-iter", 50, "-o", "w.spdml", "--json").good().json
    done = spdml("fit", "d.npz", "--resume", "c.npz", "--max-iter", 50, "-o", "m.spdml",
                 "--history", "h.csv", "--json").good().json
    assert done["iterations"] == 50 and done["m"] == 8 and done["nu_w"] == 4
    assert done["cost"] == pytest.approx(whole["cost"], rel=1e-8)
    assert len((tmp_path / "h.csv").read_text().splitlines()) == 52
    assert done["data_passes"] <= 50 + 2 + 1 + 1  # and one to come back


def test_a_fit_that_had_ended(spdml, checkpoint):
    done = spdml("fit", "d.npz", "--resume", "c.npz", "-o", "m.spdml", "--json").good().json
    assert done["iterations"] == 20 and done["cost"] == pytest.approx(checkpoint["cost"])


@pytest.mark.parametrize("more", [["--unsupervised"], ["--unsupervised", "variance"],
                                  ["--solver", "lbfgs"], ["--metric", "log-euclidean"],
                                  ["--affinity", "A.npz"], ["--restarts", "3", "--seed", "5"],
                                  ["--objective", "ratio"]])
def test_every_kind_of_fit_goes_on(spdml, tmp_path, data, more):
    np.savez(tmp_path / "A.npz", i=np.arange(119), j=np.arange(1, 120),
             value=np.where(np.arange(119) % 3, 1.0, -1.0))
    words = ["fit", "d.npz", "-m", 8, "--threads", 1, *more, "--max-iter", 6]
    spdml(*words, "-o", "a.spdml", "--checkpoint", "c.npz").good()
    done = spdml(*words[:-1], 12, "--resume", "c.npz", "-o", "m.spdml", "--json").good().json
    assert done["cost"] <= spdml("info", "a.spdml", "--json").good().json["cost"]
    spdml("info", "m.spdml").good()


def test_info(spdml, checkpoint):
    shown = spdml("info", "c.npz", "--json").good().json
    assert shown["kind"] == "checkpoint" and shown["iterations"] == 20
    assert shown["cost"] == checkpoint["cost"] and shown["max_iter"] == 20
    assert "checkpoint" in spdml("info", "c.npz").good().out


@pytest.mark.parametrize("words, tells", [
    (["-m", 9], "--m"), (["--metric", "airm"], "--metric"), (["--nu-b", 2], "--nu-b"),
    (["--solver", "hz"], "--solver"), (["--unsupervised"], "--unsupervised"),
    (["--seed", 2], "--seed"), (["--objective", "ratio"], "--objective")])
def test_options_of_another_fit(spdml, checkpoint, words, tells):
    spdml("fit", "d.npz", "--resume", "c.npz", "-o", "m.spdml", *words).failed("c.npz", tells)


def test_other_data(spdml, tmp_path, data, checkpoint):
    np.savez(tmp_path / "e.npz", X=1.5 * data[0], y=data[1])
    spdml("fit", "e.npz", "--resume", "c.npz", "-o", "m.spdml").failed("e.npz", "other data")
    np.savez(tmp_path / "e.npz", X=data[0], y=data[1][::-1])
    spdml("fit", "e.npz", "--resume", "c.npz", "-o", "m.spdml").failed("e.npz", "other data")


def test_damage_is_noticed(spdml, tmp_path, rng, checkpoint):
    whole = (tmp_path / "c.npz").read_bytes()
    words = ["fit", "d.npz", "--resume", "bad.npz", "-o", "m.spdml"]
    for size in [0, *rng.integers(1, len(whole), 4)]:
        (tmp_path / "bad.npz").write_bytes(whole[:size])
        spdml(*words).failed("bad.npz")
    with zipfile.ZipFile(tmp_path / "c.npz") as archive:
        at = [entry.header_offset + 200 for entry in archive.infolist() if entry.file_size > 400]
    for byte in at:
        changed = bytearray(whole)
        changed[byte] ^= 16
        (tmp_path / "bad.npz").write_bytes(changed)
        spdml(*words).failed("bad.npz")
    assert not (tmp_path / "m.spdml").exists()


def test_parts_of_two_checkpoints(spdml, tmp_path, checkpoint):
    """Each member is whole, but they do not belong together."""
    spdml(*FIT, "--tol", 0, "--max-iter", 10, "-o", "x.spdml", "--checkpoint", "other.npz").good()
    with zipfile.ZipFile(tmp_path / "c.npz") as a, zipfile.ZipFile(tmp_path / "other.npz") as b:
        with zipfile.ZipFile(tmp_path / "bad.npz", "w") as out:
            for name in a.namelist():
                out.writestr(name, (b if name == "W.npy" else a).read(name))
    spdml("fit", "d.npz", "--resume", "bad.npz", "-o", "m.spdml").failed("bad.npz", "damaged")


def test_what_is_no_checkpoint(spdml, checkpoint):
    spdml("fit", "d.npz", "--resume", "half.spdml", "-o", "m.spdml").failed(
        "half.spdml", "spdml model", "spdml checkpoint")
    spdml("fit", "d.npz", "--resume", "d.npz", "-o", "m.spdml").failed("d.npz", "meta.json")
    spdml("transform", "c.npz", "d.npz", "-o", "low.npz").failed("c.npz", "spdml checkpoint")


def test_another_format(spdml, tmp_path, checkpoint):
    with zipfile.ZipFile(tmp_path / "c.npz") as a, zipfile.ZipFile(tmp_path / "f.npz", "w") as out:
        for name in a.namelist():
            content = a.read(name)
            if name == "meta.json":
                content = json.dumps({**json.loads(content), "format": 2, "version": "3.0.0"})
            out.writestr(name, content)
    spdml("fit", "d.npz", "--resume", "f.npz", "-o", "m.spdml").failed("f.npz", "format 2",
                                                                     "spdml 3.0.0")


def test_a_checkpoint_that_cannot_be_written(spdml, tmp_path, data):
    (tmp_path / "c.npz").mkdir()
    spdml(*FIT, "-o", "m.spdml", "--checkpoint", "c.npz").failed("c.npz", "directory")


@pytest.mark.parametrize("time_text", ["0", "0.5", "30s", "0.25s", "2m", "1h"])
def test_times(spdml, data, time_text):
    spdml(*FIT, "--max-iter", 1, "-o", "m.spdml", "--checkpoint", "c.npz", "--checkpoint-every",
          time_text).good()
