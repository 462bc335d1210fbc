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


@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "bures-wasserstein", "euclidean"])
def test_distances_and_means(files, labelled, metric):
    X = labelled[0][:24]
    run("distance", files / "train.npz", "--metric", metric, "-o", files / "D.npy")
    np.testing.assert_array_equal(np.load(files / "D.npy"),
                                  spdml.pairwise_distance(X, metric=metric))
    run("mean", files / "train.npz", "--metric", metric, "-o", files / "M.npy")
    M = np.load(files / "M.npy").reshape(8, 8)
    np.testing.assert_array_equal(M, spdml.mean(X, metric))
    np.testing.assert_array_equal(M, spdml.mean(X, metric, sample_weight=np.ones(24)))


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


@pytest.fixture
def complex_files(tmp_path, rng):
    """Two classes that differ in the sign of a phase."""
    y = np.arange(40) % 2
    A = rng.standard_normal((40, 4, 30)) + 1j * rng.standard_normal((40, 4, 30))
    A[:, 0] += (1j * (2 * y - 1))[:, None] * A[:, 1]
    X = A @ A.conj().transpose(0, 2, 1) / 30
    X = (X + X.conj().transpose(0, 2, 1)) / 2
    np.savez(tmp_path / "data.npz", X=X, y=y)
    return tmp_path, X, y


def test_explanations_of_complex_maps(complex_files):
    folder, X, _ = complex_files
    run("fit", folder / "data.npz", "-m", 2, "-o", folder / "m.spdml")
    rows = json.loads(run("explain", folder / "m.spdml", "--data", folder / "data.npz", "--json"))["rows"]
    found = spdml.explain(spdml.SPDML.load(folder / "m.spdml"), X)
    np.testing.assert_allclose(found.share, [row["share"] for row in rows], rtol=1e-9)
    np.testing.assert_allclose(found.kept, [row["kept"] for row in rows], rtol=1e-9)
    np.testing.assert_allclose(found.weight / 2, [row["weight"] for row in rows], rtol=1e-9)


def test_evaluations_of_complex_matrices(complex_files):
    folder, X, y = complex_files
    methods = ["nn-airm", "nn-stein-ml", "ts-lda"]
    out = json.loads(run("evaluate", folder / "data.npz", "--methods", ",".join(methods), "--split", 0.5,
                         "--repeats", 2, "--json"))
    result = spdml.evaluate(X, y, methods, cv=0.5, repeats=2)
    np.testing.assert_array_equal([[one["accuracy"] for one in row["rounds"]] for row in out["results"]],
                                  result.accuracy)
    assert result.accuracy.min() > 0.9


def test_means_of_the_command_learn_further(tmp_path, labelled):
    """Its classes are in the order of their numbers, which is not that of texts; its means are of as many
    samples as there were."""
    X, y = labelled
    names = np.array(["2", "9", "10"])[y]
    np.savez(tmp_path / "data.npz", X=X[:24], y=names[:24])
    run("train", tmp_path / "data.npz", "--method", "mdm-airm", "-o", tmp_path / "mdm.spdml")
    found = spdml.MDM.load(tmp_path / "mdm.spdml").partial_fit(X[24:], names[24:])
    expected = spdml.MDM().fit(X[:24], names[:24]).partial_fit(X[24:], names[24:])
    for name, M in zip(expected.classes_, expected.covmeans_):
        np.testing.assert_allclose(found.covmeans_[found.classes_ == name][0], M, rtol=1e-8, atol=1e-10)
