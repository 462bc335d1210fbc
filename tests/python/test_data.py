"""describe, from_epochs, embed and cost: the same as the command, and as numpy."""

import json
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
import spdml
from conftest import ROOT

BESIDE = pathlib.Path(os.environ.get("SPDML_LIBRARY", "none")).parent / "libspdml-data.so"
needs_data = pytest.mark.skipif(not BESIDE.exists(), reason="no libspdml-data.so beside libspdml.so")
needs_command = pytest.mark.skipif("SPDML" not in os.environ, reason="no command")


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def run(folder, *words):
    done = subprocess.run([os.environ["SPDML"], *map(str, words), "--json"], cwd=folder, check=True,
                          capture_output=True)
    return json.loads(done.stdout)


def spd(rng, p=30, n=6):
    A = rng.standard_normal((p, n, 2 * n))
    return A @ A.transpose(0, 2, 1) / n


# ---- describe ------------------------------------------------------------------------------------


@needs_data
def test_tables(rng, tmp_path):
    X = rng.standard_normal((4, 50, 3))
    np.savez(tmp_path / "t.npz", X=X, y=["a", "b", "a", "b"], subject=[1, 2, 3, 4])
    made = spdml.describe("covariance", tmp_path / "t.npz", shrinkage="oas")
    assert np.allclose(made.X, spdml.covariances(X.transpose(0, 2, 1), "oas"), rtol=1e-12)
    assert list(made.y) == ["a", "b", "a", "b"] and list(made.columns["subject"]) == [1, 2, 3, 4]
    assert made.meta["descriptor"] == "covariance" and made.few_observations is None
    assert repr(made).startswith("4 matrices 3 x 3, 2 classes")
    made.save(tmp_path / "c.npz")
    assert np.array_equal(np.load(tmp_path / "c.npz")["X"], made.X)


@needs_data
@needs_command
@pytest.mark.parametrize("kind, words, options", [
    ("region", ["--grid", "2x3", "--no-color", "--size", "40x30"],
     dict(grid=(2, 3), no_color=True, size=(40, 30))),
    ("gabor", ["--regions", "whole", "--scales", 2, "--orientations", 3, "--regularize", "1e-3"],
     dict(regions="whole", scales=2, orientations=3, regularize=1e-3)),
    ("sift-color", ["--size", 64, "--sift-step", 8, "--label-by", "{}/{y}x_{}"],
     dict(size=64, sift_step=8, label_by="{}/{y}x_{}")),
])
def test_images_as_the_command(tmp_path, kind, words, options):
    run(tmp_path, "synth", "textures", "-o", "in", "--classes", 2, "--samples", 2, "--size", 48)
    if "label_by" in options:
        for image in list((tmp_path / "in").rglob("*.png")):
            image.rename(image.with_name(f"{image.parent.name.lower().strip('0123456789_-')}x_{image.name}"))
    run(tmp_path, "describe", kind, "in", *words, "-o", "c.npz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few observations
        made = spdml.describe(kind, tmp_path / "in", **options)
    out = np.load(tmp_path / "c.npz")
    assert np.array_equal(made.X, out["X"]) and list(made.y) == list(out["y"])


@needs_data
@needs_command
def test_clips_as_the_command(tmp_path, rng):
    np.savez(tmp_path / "t.npz", X=rng.standard_normal((3, 40, 6)))
    run(tmp_path, "describe", "joints", "t.npz", "--temporal-pyramid", 2, "--overlap", "--unit-range",
        "-o", "c.npz")
    made = spdml.describe("joints", tmp_path / "t.npz", temporal_pyramid=2, overlap=True,
                          unit_range=True)
    out = np.load(tmp_path / "c.npz")
    assert made.X.shape == (3, 24, 24) and np.array_equal(made.X, out["X"])
    assert np.array_equal(made.columns["feature_mean"], out["feature_mean"])
    assert made.columns["feature_count"].tolist() == [[40, 20, 20, 20]] * 3


@needs_data
def test_observations_are_projected_by_a_map(rng, tmp_path):
    O, y = rng.standard_normal((20, 40, 5)), np.arange(20) % 2
    np.savez(tmp_path / "t.npz", X=O, y=y)
    C = spdml.describe("covariance", tmp_path / "t.npz").X
    fit = spdml.SPDML(2, max_iter=3).fit(C, y)
    for model in (fit, fit.components_.T):
        made = spdml.describe("covariance", tmp_path / "t.npz", model=model)
        assert np.allclose(made.X, fit.transform(C), rtol=1e-9)


@needs_data
def test_recordings(rng, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    from make_recordings import edf
    (tmp_path / "a.edf").write_bytes(edf(40 * rng.standard_normal((2, 640)),
                                         [(1, "up"), (4, "down"), (9, "up")], ["C3", "C4"], 64))
    with pytest.warns(UserWarning, match="left out 1 events"):
        made = spdml.describe("covariance", str(tmp_path / "a.edf"), events="auto", epoch=(0, 2),
                              bands=[(8, 12)], channels=["C4", "C3"])
    assert list(made.y) == ["up", "down"] and made.events_left_out == 1
    assert made.channels == ["C4", "C3"]
    assert made.X.shape == (2, 2, 2) and list(made.columns["onset"]) == [1, 4]


@needs_data
def test_what_is_said(rng, tmp_path):
    np.savez(tmp_path / "few.npz", X=rng.standard_normal((2, 6, 6)))
    with pytest.warns(UserWarning, match="too few observations"):
        made = spdml.describe("covariance", tmp_path / "few.npz", regularize=0.1)
    assert made.few_observations == {"matrices": 2, "fewest": 6, "rows": 6}
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / "a.npy", rng.standard_normal((9, 2)))
    (tmp_path / "in" / "b.csv").write_text("1,x\n2,3\n")
    (tmp_path / "in" / "c.doc").write_text("?")
    with pytest.warns(UserWarning) as said:
        made = spdml.describe("covariance", [tmp_path / "in"], keep_going=True)
    assert len(made.X) == 1 and len(made.skipped) == 1 and "b.csv" in made.skipped[0][1]
    assert [pathlib.Path(p).name for p in made.passed_over] == ["c.doc"] and len(said) == 2


@needs_data
@pytest.mark.parametrize("kind, options, message", [
    ("covariances", {}, "covariance"), ("covariance", {"nonsense": 1}, "nonsense"),
    ("covariance", {"bands": [8, 12]}, "pairs"), ("covariance", {"shrinkage": "much"}, "shrinkage"),
    ("covariance", {"labels": "a.csv", "label_by": "none"}, "together"),
    ("covariance", {"label_by": 3}, "label_by"), ("gabor", {"regions": "some"}, "regions"),
    ("region", {"size": (1, 2, 3)}, "size"), ("covariance", {"regularize": -1}, "negative"),
    ("covariance", {"model": np.zeros(3)}, "n x m"), ("joints", {"center": "left"}, "root"),
    ("covariance", {}, "none.npz"),
])
def test_refusals(tmp_path, kind, options, message):
    with pytest.raises((spdml.SPDError, ValueError, OSError), match=message):
        spdml.describe(kind, tmp_path / "none.npz", **options)


def test_without_the_library(tmp_path):
    """A wheel holds libspdml alone: everything else works, and the message says what is missing."""
    code = ("import os, shutil, sys; "
            "shutil.copy(os.environ['SPDML_LIBRARY'], sys.argv[1]); "
            "os.environ['SPDML_LIBRARY'] = sys.argv[1]; import spdml\n"
            "try: spdml.describe('covariance', 'a.npz')\n"
            "except ImportError as e: print(e)")
    if "SPDML_LIBRARY" not in os.environ:
        pytest.skip("the package's own library")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "libspdml.so")],
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                          capture_output=True, text=True)
    assert "describe needs libspdml-data" in done.stdout, done.stderr


# ---- epochs --------------------------------------------------------------------------------------


class Epochs:
    """What from_epochs asks of MNE's."""

    def __init__(self, data, codes, event_id, ch_names):
        self._data, self.event_id, self.ch_names = data, event_id, ch_names
        self.events = np.column_stack([100 * np.arange(len(codes)), np.zeros_like(codes), codes])

    def get_data(self):
        return self._data


@pytest.fixture
def epochs(rng):
    return Epochs(rng.standard_normal((6, 4, 50)), np.array([1, 2, 1, 2, 1, 7]),
                  {"left": 1, "right": 2, "rest": 7}, ["C3", "Cz", "C4", "EOG"])


def test_from_epochs(epochs):
    made = spdml.from_epochs(epochs, "oas")
    assert np.array_equal(made.X, spdml.covariances(epochs.get_data(), "oas"))
    assert list(made.y) == ["left", "right", "left", "right", "left", "rest"]
    assert made.channels == ["C3", "Cz", "C4", "EOG"] and list(made.columns["sample"])[:2] == [0, 100]
    some = spdml.from_epochs(epochs, picks=["C4", "C3"])
    assert np.allclose(some.X, spdml.covariances(epochs.get_data()[:, [2, 0]]))
    assert some.channels == ["C4", "C3"]


def test_from_epochs_refuses(epochs, rng):
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="get_data"):
        spdml.from_epochs(np.zeros((2, 3, 4)))
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="C3, Cz"):
        spdml.from_epochs(epochs, picks=["Fz"])
    epochs.event_id = {"left": 1, "right": 2}
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="code 7"):
        spdml.from_epochs(epochs)
    epochs.ch_names = ["C3"]
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="shape"):
        spdml.from_epochs(epochs)
    few = Epochs(rng.standard_normal((2, 4, 4)), np.array([1, 1]), {"a": 1}, list("abcd"))
    with pytest.warns(UserWarning, match="too few"):
        made = spdml.from_epochs(few, "oas")
    assert made.few_observations == {"matrices": 2, "fewest": 4, "rows": 4}


def test_from_mne(rng, tmp_path):
    mne = pytest.importorskip("mne")
    info = mne.create_info(["C3", "Cz", "C4"], 100.0, "eeg")
    events = np.column_stack([np.arange(5) * 200, np.zeros(5, int), [1, 2, 1, 2, 1]])
    data = 1e-5 * rng.standard_normal((5, 3, 80))
    made = mne.EpochsArray(data, info, events, event_id={"left": 1, "right": 2}, verbose=False)
    made.save(tmp_path / "a-epo.fif", verbose=False)
    for epochs in (made, mne.read_epochs(tmp_path / "a-epo.fif", verbose=False)):
        got = spdml.from_epochs(epochs)
        assert np.allclose(got.X, spdml.covariances(data), rtol=1e-4)
        assert list(got.y) == ["left", "right", "left", "right", "left"]
        assert got.channels == ["C3", "Cz", "C4"]


# ---- embed and cost ------------------------------------------------------------------------------


@needs_command
@pytest.mark.parametrize("method", ["pga", "mds", "lle", "laplacian", "hessian-lle"])
def test_embed_as_the_command(rng, tmp_path, method):
    X = spd(rng)
    np.save(tmp_path / "x.npy", X)
    run(tmp_path, "embed", "x.npy", "--method", method, "-d", 2, "-k", 8, "-o", "e.npy")
    got = spdml.embed(X, 2, method, n_neighbors=8)
    assert np.array_equal(got, np.load(tmp_path / "e.npy"))


def test_embed_refuses(rng):
    X = spd(rng, 5)
    for options in ({"n_components": 5}, {"method": "tea-leaves"}, {"n_components": 0},
                    {"metric": "none"}, {"method": "lle", "n_neighbors": 5}):
        with pytest.raises((spdml.SPDError, ValueError)):
            spdml.embed(X, **options)


@needs_command
@pytest.mark.parametrize("metric", ["stein", "airm", "log-euclidean"])
def test_cost_as_the_command(rng, tmp_path, metric):
    X, y = spd(rng), np.arange(30) % 3
    W = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    np.savez(tmp_path / "d.npz", X=X, y=y)
    np.save(tmp_path / "w.npy", W)
    said = run(tmp_path, "cost", "d.npz", "--w", "w.npy", "--metric", metric, "--objective", "difference",
               "--nu-w", 3, "--nu-b", 4, "--gradient", "g.npy")
    value, G = spdml.maps.cost(X, y, W, gradient=True, metric=metric, objective="difference", nu_w=3, nu_b=4)
    assert value == said["cost"] and np.array_equal(G, np.load(tmp_path / "g.npy"))
    assert spdml.maps.cost(X, y, W, metric=metric, objective="difference", nu_w=3, nu_b=4) == value


def test_cost_refuses(rng):
    X, W = spd(rng), np.eye(6)[:, :2]
    for y, w, options in [(None, np.eye(5), {}), (np.zeros(3), W, {}), (np.arange(30) % 2, W, {"seed": 1}),
                          (np.arange(30) % 2, 0 * W, {}), (np.arange(30) % 2, W, {"metric": "x"})]:
        with pytest.raises((spdml.SPDError, ValueError)):
            spdml.maps.cost(X, y, w, **options)


def test_what_is_missing_can_be_installed(monkeypatch, tmp_path):
    """The message names a command that works, also for what comes from a source tree: packaging/extras.py."""
    from spdml._core import data_library as _data_library
    monkeypatch.setenv("SPDML_LIBRARY", str(tmp_path / "libspdml.so"))
    with pytest.raises(ImportError, match=r"pip install 'spdml\[data\]' .*pip install \./packaging/data"):
        _data_library._path()
    assert 'name = "spdml-data"' in (pathlib.Path(ROOT) / "packaging/data/pyproject.toml").read_text()


@needs_data
def test_a_column_of_times_is_left_out(rng, tmp_path):
    O = rng.standard_normal((30, 2))
    np.savetxt(tmp_path / "t.csv", np.c_[np.arange(30), O], delimiter=",", header="time,Fz,Cz",
               comments="")
    with pytest.warns(UserWarning, match="left out 1 columns of times"):
        made = spdml.describe("covariance", tmp_path / "t.csv")
    assert made.channels == ["Fz", "Cz"]
    np.testing.assert_allclose(made.X[0], np.cov(O.T), rtol=1e-12)
    assert spdml.describe("covariance", tmp_path / "t.csv", channels=["Cz"]).X.shape == (1, 1, 1)
    with pytest.raises(ValueError, match="no channel 'Oz'"):
        spdml.describe("covariance", tmp_path / "t.csv", channels=["Oz"])
