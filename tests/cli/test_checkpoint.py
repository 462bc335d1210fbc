"""Checkpoints: a fit that is killed goes on, and damage is noticed."""

import signal
import subprocess
import time
import zipfile

import learn_twins as twin
import numpy as np
import pytest
from conftest import members, model_members, rewrite

FIT = ["fit", "d.npz", "-m", "8", "--objective", "difference", "--nu-w", "4", "--nu-b", "3", "--threads", "1"]
LIMITS = ["--tol", "0", "--max-iter", "150"]


@pytest.fixture
def data(tmp_path, rng):
    X, y = twin.classes(rng, 120, 24)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    return X, y


def kill_and_resume(command, tmp_path, rng, words, pace):
    """Runs the fit, killed at random moments and resumed each time, until it ends by itself."""
    go_on, kills = [], 0
    while True:
        work = subprocess.Popen(
            [command, *words, *go_on, "-o", "m.spdml", "--checkpoint", "c.npz",
             "--checkpoint-every", "0.002s"],
            cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            patience = 600 if kills == 4 else rng.uniform(0.02, 0.4 * pace + 0.02)
            assert work.wait(timeout=patience) == 0, work.stderr.read()
            return kills
        except subprocess.TimeoutExpired:
            work.send_signal(signal.SIGKILL)
            work.communicate()
            kills += 1
        if (tmp_path / "c.npz").exists():
            go_on = ["--resume", "c.npz"]


@pytest.mark.parametrize("more", [
    ["--metric", "stein"], ["--metric", "airm"], ["--metric", "jeffrey", "--paper"],
    ["--metric", "stein", "--paper", "--restarts", "2"],
    ["--metric", "airm", "--objective", "softmax"],
    ["--metric", "stein", "--unsupervised", "variance", "--restarts", "2"],
    ["--metric", "stein", "--objective", "softmax", "--nu-w", "30", "--nu-b", "60"],
    ["--metric", "airm", "--restarts", "2"],
    ["--metric", "log-euclidean", "--restarts", "8"]])
def test_killed_at_any_moment(command, spdml, tmp_path, rng, data, more):
    """The model is that of an undisturbed fit, byte by byte, with another number of threads."""
    kind = [] if {"variance", "--nu-w"} & set(more) else ["--nu-w", "4", "--nu-b", "3"]
    kind += [] if "--objective" in more else ["--objective", "difference"]
    limits = LIMITS if len(more) < 6 else [*LIMITS[:-1], "50"]  # the slower ones
    words = ["fit", "d.npz", "-m", "8", *kind, *more, *limits]
    started = time.monotonic()
    spdml(*words, "--threads", 1, "-o", "whole.spdml").good()
    pace = time.monotonic() - started
    kills = kill_and_resume(command, tmp_path, rng, [*words, "--threads", "2"], pace)
    assert kills > 0
    assert model_members(tmp_path / "whole.spdml") == model_members(tmp_path / "m.spdml")


def test_model_of_a_checkpoint(spdml, tmp_path, data):
    """With restarts, and where the cost may rise, info shows the best so far, with its history."""
    for metric in ["stein", "log-euclidean"]:
        for limit in [0, 1, 4, 9]:
            words = [*FIT, "--metric", metric, "--restarts", 2, "--max-iter", limit]
            done = spdml(*words, "-o", "m.spdml", "--checkpoint", "c.npz", "--json").good().json
            shown = spdml("info", "c.npz", "--json").good().json
            costs = [step["cost"] for step in shown["history"]]
            for key in ["cost", "gradient_norm", "iterations", "cost_start", "data_passes"]:
                assert shown[key] == done[key]
            assert shown["cost"] == min(costs) and shown["cost_start"] == costs[0]
            assert shown["iterations"] == len(costs) - 1


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
    assert done["cost"] == whole["cost"] and done["data_passes"] == whole["data_passes"]
    assert model_members(tmp_path / "m.spdml") == model_members(tmp_path / "w.spdml")
    assert len((tmp_path / "h.csv").read_text().splitlines()) == 52
    assert done["data_passes"] <= 50 + 2 + 1


def test_an_older_checkpoint_keeps_its_settings(spdml, tmp_path, data):
    """As a version wrote it that did not know coordinates: plain ones, whatever is chosen now."""
    words = [*FIT, "--paper", "--tol", 1e-4]
    whole = spdml(*words, "-o", "w.spdml", "--json").good().json
    spdml(*words, "--max-iter", 9, "-o", "half.spdml", "--checkpoint", "c.npz").good()
    rewrite(tmp_path / "c.npz", lambda meta: [meta["optimiser"].pop("first_f"), meta["now"].pop("coordinates")])
    done = spdml("fit", "d.npz", "--resume", "c.npz", "--max-iter", 1000, "-o", "m.spdml",
                 "--json").good().json
    assert done["coordinates"] == "plain"
    assert done["iterations"] == whole["iterations"] > 9 and done["cost"] == whole["cost"]
    assert model_members(tmp_path / "m.spdml") == model_members(tmp_path / "w.spdml")


def test_a_fit_that_had_ended(spdml, checkpoint):
    done = spdml("fit", "d.npz", "--resume", "c.npz", "-o", "m.spdml", "--json").good().json
    assert done["iterations"] == 20 and done["cost"] == checkpoint["cost"]


@pytest.mark.parametrize("more", [["--unsupervised"], ["--unsupervised", "variance"],
                                  ["--paper"], ["--metric", "log-euclidean"],
                                  ["--metric", "log-euclidean", "--log-cost", "exact"],
                                  ["--affinity", "A.npz"], ["--restarts", "3", "--seed", "5"],
                                  ["--objective", "softmax"]])
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
    (["--unsupervised"], "--unsupervised"),
    (["--seed", 2], "--seed"), (["--objective", "softmax"], "--objective")])
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
    other = members(tmp_path / "other.npz")["point.npy"]
    rewrite(tmp_path / "c.npz", more={"point.npy": other}, to=tmp_path / "bad.npz")
    spdml("fit", "d.npz", "--resume", "bad.npz", "-o", "m.spdml").failed("bad.npz", "damaged")


def test_what_is_no_checkpoint(spdml, checkpoint):
    spdml("fit", "d.npz", "--resume", "half.spdml", "-o", "m.spdml").failed(
        "half.spdml", "spdml model", "spdml checkpoint")
    spdml("fit", "d.npz", "--resume", "d.npz", "-o", "m.spdml").failed("d.npz", "meta.json")
    spdml("transform", "c.npz", "d.npz", "-o", "low.npz").failed("c.npz", "spdml checkpoint")


@pytest.mark.parametrize("form, tells", [(2, "older version"), (4, "newer version")])
def test_another_format(spdml, tmp_path, checkpoint, form, tells):
    rewrite(tmp_path / "c.npz", lambda meta: meta.update(format=form, version="3.0.0"), to=tmp_path / "f.npz")
    spdml("fit", "d.npz", "--resume", "f.npz", "-o", "m.spdml").failed("f.npz", f"format {form}",
                                                                     "spdml 3.0.0", tells)


def test_a_checkpoint_that_cannot_be_written(spdml, tmp_path, data):
    (tmp_path / "c.npz").mkdir()
    spdml(*FIT, "-o", "m.spdml", "--checkpoint", "c.npz").failed("c.npz", "directory")


@pytest.mark.parametrize("time_text", ["0", "0.5", "30s", "0.25s", "2m", "1h"])
def test_times(spdml, data, time_text):
    spdml(*FIT, "--max-iter", 1, "-o", "m.spdml", "--checkpoint", "c.npz", "--checkpoint-every",
          time_text).good()
