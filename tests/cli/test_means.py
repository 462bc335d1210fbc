"""The means of observations: from `describe` through files and commands to the map pca-, which with them
is the PCA of all observations."""

import numpy as np
import pytest

N = 6


@pytest.fixture
def tables(tmp_path, rng):
    """Folders a and b with twelve tables each, of different lengths, means far apart and far from 0."""
    made = []
    for i in range(24):
        O = rng.standard_normal((15 + i, N)) * [4, 3, 2, 1, 1, 1]
        O = O @ rng.standard_normal((N, N)) + 100 + rng.standard_normal(N) * [1, 1, 1, 4, 6, 8]
        folder = tmp_path / "in" / "ab"[i % 2]
        folder.mkdir(parents=True, exist_ok=True)
        np.savetxt(folder / f"t{i:02}.csv", O, delimiter=",", fmt="%.17g")
        made.append(O)
    return [made[i] for i in (*range(0, 24, 2), *range(1, 24, 2))]  # as files are found


def described(spdml, tmp_path, *words):
    spdml("describe", *words, "-o", "c.npz").good()
    return np.load(tmp_path / "c.npz")


def angle(W, V):
    """The sine of the largest principal angle."""
    return np.linalg.norm(W - V @ (V.T @ W), 2)


def axes(O, m):
    return np.linalg.eigh(np.cov(np.concatenate(O).T))[1][:, :-m - 1:-1]


def trained(spdml, tmp_path, data, m, *more):
    done = spdml("train", data, "--method", "pca-nn-airm", "-m", m, "--no-tune", "-o", "t.spdml",
                 *more).good()
    return np.load(tmp_path / "t.spdml")["W"], done


def test_means_of_tables(spdml, tmp_path, tables):
    made = described(spdml, tmp_path, "covariance", "in")
    assert np.abs(made["feature_mean"] - [O.mean(axis=0) for O in tables]).max() < 1e-11
    assert (made["feature_count"] == [len(O) for O in tables]).all()
    few = described(spdml, tmp_path, "covariance", "in", "--window", "5", "--step", "3",
                    "--regularize", "1e-3")
    windows = [O[at:at + 5] for O in tables for at in range(0, len(O) - 4, 3)]
    assert np.abs(few["feature_mean"] - [w.mean(axis=0) for w in windows]).max() < 1e-11
    assert (few["feature_count"] == 5).all() and len(few["feature_count"]) == len(windows)


def test_means_of_projected_observations(spdml, tmp_path, tables):
    whole = described(spdml, tmp_path, "covariance", "in")
    spdml("fit", "c.npz", "-m", 2, "--max-iter", 2, "-o", "m.spdml").good()
    W = np.load(tmp_path / "m.spdml")["W"]
    small = described(spdml, tmp_path, "covariance", "in", "--model", "m.spdml")
    assert np.abs(small["feature_mean"] - whole["feature_mean"] @ W).max() < 1e-10
    assert (small["feature_count"] == whole["feature_count"]).all()


def test_means_of_blocks(spdml, tmp_path, rng):
    """gabor: the whole image and its halves; the first three features are intensity, x and y."""
    images = rng.random((4, 16, 18))
    np.savez(tmp_path / "i.npz", X=images, y=[0, 0, 1, 1])
    made = described(spdml, tmp_path, "gabor", "i.npz", "--size", "18x16", "--scales", "2",
                     "--orientations", "2", "--regularize", "1e-6")
    size = made["X"].shape[1] // 3
    assert size == 7 and made["feature_mean"].shape == (4, 21)
    assert (made["feature_count"] == [[288, 144, 144]] * 4).all()
    y, x = np.mgrid[:16, :18]
    for block, part in enumerate([slice(None), slice(0, 9), slice(9, None)]):
        mean = made["feature_mean"][:, block * size:][:, :3]
        for k in range(4):
            expected = [images[k][:, part].mean(), x[:, part].mean(), y[:, part].mean()]
            assert mean[k] == pytest.approx(expected, abs=1e-6)
    spdml("fit", "c.npz", "-m", 2, "--max-iter", 2, "-o", "m.spdml").good()
    added = described(spdml, tmp_path, "gabor", "i.npz", "--size", "18x16", "--scales", "2",
                      "--orientations", "2", "--model", "m.spdml")  # blocks are added up
    assert "feature_mean" not in added.files and "feature_count" not in added.files


@pytest.mark.parametrize("m", [1, 3, 5])
def test_pca_is_that_of_all_observations(spdml, tmp_path, tables, m):
    described(spdml, tmp_path, "covariance", "in")
    W, done = trained(spdml, tmp_path, "c.npz", m)
    assert angle(W, axes(tables, m)) < 1e-12 and done.err == ""
    described(spdml, tmp_path, "covariance", "in", "--regularize", "0.1")  # adds to the diagonal
    assert angle(trained(spdml, tmp_path, "c.npz", m)[0], axes(tables, m)) < 1e-2


def test_without_means(spdml, tmp_path, tables):
    """The pooled covariance, and a remark, in results.json too."""
    made = described(spdml, tmp_path, "covariance", "in")
    for missing in ({}, {"feature_mean": made["feature_mean"]},
                    {"feature_mean": made["feature_mean"][:, 1:],
                     "feature_count": made["feature_count"]}):
        np.savez(tmp_path / "raw.npz", X=made["X"], y=made["y"], **missing)
        W, done = trained(spdml, tmp_path, "raw.npz", 2)
        assert angle(W, np.linalg.eigh(made["X"].mean(axis=0))[1][:, :-3:-1]) < 1e-12
        assert "raw.npz: has no means of observations" in done.err and "pooled" in done.err
    assert angle(W, axes(tables, 2)) > 0.1
    words = ["--methods", "pca-nn-airm,nn-airm", "-m", 2, "--split", 0.5, "--repeats", 3]
    done = spdml("evaluate", "raw.npz", *words, "--json", "-o", "out").good()
    assert done.err.count("has no means of observations") == 1
    assert len(done.json["remarks"]) == 1 and "pooled" in done.json["remarks"][0]
    assert spdml("evaluate", "c.npz", *words, "--json").good().json["remarks"] == []
    only = spdml("evaluate", "raw.npz", "--methods", "nn-airm", *words[4:], "--json").good()
    assert only.json["remarks"] == [] and only.err == ""
    done = spdml("classify", "--train", "raw.npz", "--test", "c.npz", "--method", "pca-nn-airm",
                 "-m", 2).good()
    assert "has no means of observations" in done.err


def test_recentred_matrices_have_none(spdml, tmp_path, tables):
    made = described(spdml, tmp_path, "covariance", "in")
    np.savez(tmp_path / "g.npz", group=np.arange(24) % 3, **{k: made[k] for k in made.files
                                                             if k != "meta.json"})
    words = ["evaluate", "g.npz", "--methods", "pca-nn-airm", "-m", 2, "--split", 0.5, "--repeats", 2]
    assert spdml(*words).good().err == ""
    assert "has no means" in spdml(*words, "--recenter", "group").good().err


def test_means_go_with_their_samples(spdml, tmp_path, tables):
    """convert, --where and join carry them; transform drops them; a map learned of a part is that of
    the part's observations."""
    made = described(spdml, tmp_path, "covariance", "in")
    for name in ("p.npz", "p.mat"):
        spdml("convert", "c.npz", "--where", "y=b", "-o", name).good()
        spdml("convert", "c.npz", "--where", "y=a", "-o", f"other-{name}").good()
        spdml("join", name, f"other-{name}", "-o", f"all-{name}").good()
        W, done = trained(spdml, tmp_path, f"all-{name}", 2)
        assert angle(W, axes(tables, 2)) < 1e-12 and done.err == ""
    with np.load(tmp_path / "p.npz") as part:
        assert (part["feature_mean"] == made["feature_mean"][12:]).all()
        assert (part["feature_count"] == made["feature_count"][12:]).all()
    spdml("fit", "c.npz", "-m", 3, "--max-iter", 2, "-o", "m.spdml").good()
    spdml("transform", "m.spdml", "c.npz", "-o", "low.npz").good()
    with np.load(tmp_path / "low.npz") as low:
        assert "name" in low.files and "feature_mean" not in low.files
        assert "feature_count" not in low.files
    whole = {k: made[k] for k in made.files if k != "meta.json"}
    whole["feature_count"] = whole["feature_count"].astype(int)
    np.savez(tmp_path / "whole.npz", **whole)
    assert angle(trained(spdml, tmp_path, "whole.npz", 2)[0], axes(tables, 2)) < 1e-12


def test_a_round_has_the_means_of_its_part(spdml, tmp_path, tables):
    made = described(spdml, tmp_path, "covariance", "in")
    train = np.arange(24) % 12 < 7
    np.savez(tmp_path / "s.npz", part=np.where(train, "one", "two"),
             **{k: made[k] for k in made.files if k != "meta.json"})
    spdml("evaluate", "s.npz", "--methods", "pca-nn-airm", "-m", 2, "--train-where", "part=one", "-o",
          "out", "--keep", "kept").good()
    W = np.load(tmp_path / "kept/pca-nn-airm.spdml")["W"]
    assert angle(W, axes([O for O, t in zip(tables, train) if t], 2)) < 1e-12


def test_counts_are_no_labels(spdml, tmp_path, tables):
    """They are whole numbers that occur more than once, but nobody means them by labels."""
    made = described(spdml, tmp_path, "covariance", "in", "--window", "10")
    np.savez(tmp_path / "n.npz", X=made["X"], feature_mean=made["feature_mean"],
             feature_count=made["feature_count"], subject=np.arange(len(made["X"])) % 3)
    done = spdml("train", "n.npz", "--method", "nn-airm", "-o", "t.spdml")
    done.failed("--y subject takes that column")
