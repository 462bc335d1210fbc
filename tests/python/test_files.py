"""Sets that stay in .npy files, and float32 without a copy: the same results as from arrays."""

import numpy as np
import pytest

import spdml


@pytest.fixture
def parts(tmp_path, rng):
    """X, y, and the paths of two files that hold X."""
    A = rng.standard_normal((90, 6, 9))
    X = A @ A.transpose(0, 2, 1) + np.eye(6)
    y = np.arange(90) % 3
    X[:, range(3), range(3)] += 4 * np.eye(3)[y]
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    np.save(paths[0], X[:20])
    np.save(paths[1], X[20:])
    return X, y, paths


def test_fit_and_transform(parts):
    X, y, paths = parts
    whole = spdml.SPDML(2, nu_w=3, nu_b=3).fit(X, y)
    for given in (paths, spdml.MatrixFiles(paths)):
        streamed = spdml.SPDML(2, nu_w=3, nu_b=3, memory=1e6).fit(given, y)
        assert (streamed.components_ == whole.components_).all()
        assert (streamed.transform(given) == whole.transform(X)).all()
    little = spdml.SPDML(2, nu_w=3, nu_b=3, memory=120e3).fit(paths, y)
    assert little.cost_history_[-1] == pytest.approx(whole.cost_history_[-1], rel=1e-8)


def test_float32_is_not_copied_and_gives_the_same(parts):
    X, y, _ = parts
    single = X.astype(np.float32)
    a, b = (spdml.SPDML(2, nu_w=3, nu_b=3).fit(data, y) for data in (single.astype(float), single))
    assert (a.components_ == b.components_).all()
    assert (a.transform(single) == a.transform(single.astype(float))).all()
    assert (spdml.mean(single) == spdml.mean(single.astype(float))).all()
    spdml.SPDML(2, metric="log-euclidean", nu_w=3, nu_b=3).fit(single, y)


def test_mean_and_neighbors(parts):
    X, _, paths = parts
    assert (spdml.mean(paths, "stein") == spdml.mean(X, "stein")).all()
    for queries in (None, X[:7]):
        for mine, other in zip(spdml.neighbors(paths, queries, 3), spdml.neighbors(X, queries, 3)):
            assert (mine == other).all()
    assert (spdml.mean(str(paths[0])) == spdml.mean(X[:20])).all()


def test_files(parts):
    X, _, paths = parts
    files = spdml.MatrixFiles(paths, regularize=0.5)
    assert files.shape == (90, 6, 6) and len(files) == 90
    assert (files.read(15, 10) == spdml.regularize(X[15:25], 0.5)).all()
    assert files.read(88).shape == (2, 6, 6) and files.read(200, 5).shape == (0, 6, 6)


def test_what_cannot_be_used(parts, tmp_path):
    X, y, paths = parts
    np.save(tmp_path / "c.npy", X[:, :5, :5].copy())
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="c.npy: holds 5 x 5"):
        spdml.MatrixFiles([*paths, tmp_path / "c.npy"])
    with pytest.raises(OSError, match="nowhere.npy"):
        spdml.mean("nowhere.npy")
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="paths"):
        spdml.MatrixFiles([])
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="'auto' needs X in memory"):
        spdml.SPDML("auto").fit(paths, y)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="6 x 6"):
        spdml.SPDML(2, nu_w=3, nu_b=3).fit(X, y).transform(str(tmp_path / "c.npy"))
    bad = X[20:].copy()
    bad[5, 2, 2] = np.nan
    np.save(paths[1], bad)
    with pytest.raises(spdml.exceptions.NotFiniteError, match=r"X\[25\].*sample 5 of .*b.npy"):
        spdml.mean(paths)
