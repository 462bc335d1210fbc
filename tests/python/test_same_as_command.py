"""The package and the command give the same bits."""

import json
import os
import subprocess

import numpy as np
import pytest
import spdml

COMMAND = os.environ.get("SPDML")
pytestmark = pytest.mark.skipif(not COMMAND, reason="SPDML does not name the command")


def run(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=True)
    return done.stdout.decode()


@pytest.fixture
def files(tmp_path, labelled):
    X, y = labelled
    np.savez(tmp_path / "train.npz", X=X[:24], y=y[:24])
    np.savez(tmp_path / "test.npz", X=X[24:], y=y[24:])
    return tmp_path


@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "bures-wasserstein"])
def test_distances_and_means(files, labelled, metric):
    X = labelled[0][:24]
    run("distance", files / "train.npz", "--metric", metric, "-o", files / "D.npy")
    np.testing.assert_array_equal(np.load(files / "D.npy"),
                                  spdml.pairwise_distances(X, metric=metric))
    run("mean", files / "train.npz", "--metric", metric, "-o", files / "M.npy")
    np.testing.assert_array_equal(np.load(files / "M.npy").reshape(8, 8), spdml.mean(X, metric))


@pytest.mark.parametrize("metric", ["airm", "stein"])
def test_maps(files, labelled, metric):
    X, y = labelled
    run("fit", files / "train.npz", "-m", 3, "--metric", metric, "-o", files / "m.spdml")
    mine = spdml.SPDML(3, metric).fit(X[:24], y[:24])
    theirs = spdml.SPDML.load(files / "m.spdml")
    np.testing.assert_array_equal(theirs.components_, mine.components_)
    run("transform", files / "m.spdml", files / "test.npz", "-o", files / "low.npz")
    np.testing.assert_array_equal(np.load(files / "low.npz")["X"], mine.transform(X[24:]))


@pytest.mark.parametrize("method", ["nn-airm", "mdm-stein", "rsr", "cdl", "ts-lda"])
def test_predictions(files, labelled, method):
    X, y = labelled
    out = json.loads(run("classify", "--train", files / "train.npz", "--test", files / "test.npz",
                         "--method", method, "--no-tune", "--json", "-o", files / "p.npz"))
    fitted = spdml.SPDClassifier(method).fit(X[:24], y[:24])
    np.testing.assert_array_equal(np.load(files / "p.npz")["predicted"], fitted.predict(X[24:]))
    assert out["accuracy"] == pytest.approx(fitted.score(X[24:], y[24:]))
