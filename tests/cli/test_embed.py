"""embed against slow twins, on planted families, and with bad input."""

import csv

import numpy as np
import pytest
import scipy.io
from conftest import random_spd
from embed_twins import hessian_lle, laplacian, lle, mds, neighbours, pga
from twins import METRICS, function

LOG_MAPS = ("airm", "log-euclidean", "log-cholesky", "euclidean")


def embed(spdml, tmp_path, X, *options):
    np.save(tmp_path / "x.npy", X)
    done = spdml("embed", "x.npy", "-o", "Y.npz", "--json", *options).good()
    return np.load(tmp_path / "Y.npz")["Y"], done.json


def close(ours, twin, tolerance=1e-6):
    assert ours.shape == twin.shape and ours.dtype == np.float64
    assert np.max(np.abs(ours - twin)) < tolerance * np.max(np.abs(twin))


def curve(rng, p, n=4, noise=0.05):
    """Matrices near a smooth curve: the graph of few neighbours is connected."""
    A, B = (random_symmetric(rng, n) for _ in range(2))
    s = np.linspace(-1, 1, p) + noise * rng.standard_normal(p)
    return np.array([function(t * A + t**2 * B + 0.3 * noise * random_symmetric(rng, n), np.exp)
                     for t in s])


def random_symmetric(rng, n):
    A = rng.standard_normal((n, n)) / np.sqrt(n)
    return (A + A.T) / 2


def sheet(rng, p, n=3):
    """A planted patch with two parameters: X = M exp(a A + b B) M', A and B commuting, so that
    AIRM is flat on it; and the parameters."""
    ab = rng.uniform(-1, 1, (p, 2))
    Q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    E = np.linalg.qr(rng.standard_normal((n, 2)))[0]
    M = rng.standard_normal((n, n)) + 2 * np.eye(n)
    X = np.array([M @ (Q * np.exp(E @ t)) @ Q.T @ M.T for t in ab])
    return (X + X.transpose(0, 2, 1)) / 2, ab


def explained_linearly(Y, Z):
    """The smallest share of the variance of a column of Z that is affine in Y."""
    A = np.column_stack([np.ones(len(Y)), Y])
    left = Z - A @ np.linalg.lstsq(A, Z, rcond=None)[0]
    return 1 - np.max(left.var(0) / Z.var(0))


# ---- twins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", LOG_MAPS)
@pytest.mark.parametrize("n, k", [(2, 5), (4, 9), (9, 20)])
def test_lle(spdml, tmp_path, rng, metric, n, k):
    X = random_spd(rng, 40, n, 0.3)
    Y, said = embed(spdml, tmp_path, X, "--method", "lle", "--metric", metric, "-k", k, "-d", 3)
    twin, values = lle(metric, X, k, 3)
    close(Y, twin)
    assert np.allclose(said["eigenvalues"], values, rtol=1e-8)
    assert (said["method"], said["metric"], said["k"]) == ("lle", metric, k)
    assert "explained" not in said


@pytest.mark.parametrize("metric", LOG_MAPS)
@pytest.mark.parametrize("n, k, d", [(3, 8, 1), (4, 12, 2), (5, 17, 3)])
def test_hessian_lle(spdml, tmp_path, rng, metric, n, k, d):
    X = curve(rng, 40, n) if d == 1 else random_spd(rng, 40, n, 0.3)
    Y, said = embed(spdml, tmp_path, X, "--method", "hessian-lle", "--metric", metric, "-k", k,
                    "-d", d)
    twin, values = hessian_lle(metric, X, k, d)
    close(Y, twin)
    assert np.allclose(said["eigenvalues"], values, rtol=1e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_laplacian(spdml, tmp_path, rng, metric):
    X = random_spd(rng, 40, 4, 0.3)
    Y, said = embed(spdml, tmp_path, X, "--method", "laplacian", "--metric", metric, "-k", 6,
                    "-d", 4)
    twin, values, t = laplacian(metric, X, 6, 4)
    close(Y, twin)
    assert np.allclose(said["eigenvalues"], values, rtol=1e-8)
    assert said["bandwidth"] == pytest.approx(t, rel=1e-10)


@pytest.mark.parametrize("metric", METRICS)
def test_mds(spdml, tmp_path, rng, metric):
    X = random_spd(rng, 25, 4)
    Y, said = embed(spdml, tmp_path, X, "--method", "mds", "--metric", metric, "-d", 3)
    twin, values, share = mds(metric, X, 3)
    close(Y, twin)
    assert np.allclose(said["eigenvalues"], values, rtol=1e-9)
    assert said["explained"] == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("p, n", [(25, 3), (9, 6)])
def test_pga(spdml, tmp_path, rng, p, n):
    X = random_spd(rng, p, n)
    Y, said = embed(spdml, tmp_path, X, "-d", 3)
    twin, values, share = pga(X, 3)
    close(Y, twin)
    assert said["method"] == "pga"
    assert np.allclose(said["eigenvalues"], values, rtol=1e-9)
    assert said["explained"] == pytest.approx(share, rel=1e-9)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lle", "hessian-lle", "laplacian", "pga", "mds"])
def test_congruences_change_nothing_for_airm(spdml, tmp_path, rng, method):
    X = random_spd(rng, 40, 3, 0.4)
    M = rng.standard_normal((3, 3)) + 2 * np.eye(3)
    moved = M @ X @ M.T
    options = ("--method", method, "-k", 10, "-d", 2)
    first, _ = embed(spdml, tmp_path, X, *options)
    second, _ = embed(spdml, tmp_path, (moved + moved.transpose(0, 2, 1)) / 2, *options)
    close(second, first)


@pytest.mark.parametrize("method", ["lle", "hessian-lle", "laplacian", "pga", "mds"])
def test_a_planted_sheet_is_found(spdml, tmp_path, rng, method):
    """AIRM is flat on it: mds, pga and the Hessians find its parameters, the others nearly."""
    X, ab = sheet(rng, 250)
    Y, said = embed(spdml, tmp_path, X, "--method", method, "-k", 12)
    least = {"lle": 0.9, "laplacian": 0.8}.get(method, 0.999)
    assert explained_linearly(Y, ab) > least
    if method in ("pga", "mds"):
        assert said["explained"] > 1 - 1e-9


def test_a_rolled_sheet_is_unrolled(spdml, tmp_path, rng):
    """A sheet bent in the log-Euclidean metric: scaling sees the roll, the Hessians the sheet."""
    turn, width = rng.uniform(1.5 * np.pi, 3.5 * np.pi, 500), rng.uniform(0, 8, 500)
    arc = (turn * np.sqrt(1 + turn**2) + np.arcsinh(turn)) / 2
    coordinates = np.column_stack([turn * np.cos(turn), turn * np.sin(turn), width]) / 4
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0][:3]
    low, weight = np.tril_indices(3), np.where(np.equal(*np.tril_indices(3)), 1, 2**-0.5)
    S = np.zeros((500, 3, 3))
    S[:, low[0], low[1]] = S[:, low[1], low[0]] = coordinates @ basis * weight
    X = np.array([function(A, np.exp) for A in S])
    options = ("--metric", "log-euclidean", "-k", 12)
    planted = np.column_stack([arc, width])
    Y, _ = embed(spdml, tmp_path, X, "--method", "hessian-lle", *options)
    assert explained_linearly(Y, planted) > 0.99
    Y, _ = embed(spdml, tmp_path, X, "--method", "mds", *options)
    assert explained_linearly(Y, planted) < 0.9


@pytest.mark.parametrize("method", ["lle", "hessian-lle", "laplacian", "mds", "pga"])
def test_threads_change_no_bit(spdml, tmp_path, rng, method):
    X = random_spd(rng, 60, 4, 0.4)
    options = ("--method", method, "-k", 12, "-d", 3)
    first, _ = embed(spdml, tmp_path, X, *options, "--threads", 1)
    second, _ = embed(spdml, tmp_path, X, *options, "--threads", 3)
    assert np.array_equal(first, second)


# ---- files -----------------------------------------------------------------------------------------


def test_labels_go_along(spdml, tmp_path, rng):
    y = np.array(["a, b", "c"] * 6)
    np.savez(tmp_path / "x.npz", X=random_spd(rng, 12, 3), y=y)
    spdml("embed", "x.npz", "-o", "Y.npz").good()
    written = np.load(tmp_path / "Y.npz")
    assert set(written.files) == {"Y", "eigenvalue", "y"}
    assert written["eigenvalue"].shape == (2,) and np.array_equal(written["y"], y)
    spdml("embed", "x.npz", "-o", "Y.csv").good()
    rows = list(csv.reader(open(tmp_path / "Y.csv")))
    assert rows[0] == ["y1", "y2", "label"] and [row[2] for row in rows[1:]] == list(y)
    assert np.array_equal(np.array([row[:2] for row in rows[1:]], float), written["Y"])
    spdml("embed", "x.npz", "-o", "Y.npy").good()
    assert np.array_equal(np.load(tmp_path / "Y.npy"), written["Y"])
    spdml("embed", "x.npz", "-o", "Y.mat").good()
    assert np.array_equal(scipy.io.loadmat(tmp_path / "Y.mat")["Y"], written["Y"])


def test_without_labels(spdml, tmp_path, rng):
    np.save(tmp_path / "x.npy", random_spd(rng, 12, 3))
    spdml("embed", "x.npy", "-d", 3, "-o", "Y.csv").good()
    rows = list(csv.reader(open(tmp_path / "Y.csv")))
    assert rows[0] == ["y1", "y2", "y3"] and len(rows) == 13
    spdml("embed", "x.npy", "-o", "Y.npz").good()
    assert set(np.load(tmp_path / "Y.npz").files) == {"Y", "eigenvalue"}


def test_few_coordinates_are_printed(spdml, tmp_path, rng):
    np.save(tmp_path / "x.npy", random_spd(rng, 5, 3))
    out = spdml("embed", "x.npy", "--method", "mds").good().out
    assert "explained" in out and "% of the variance" in out
    assert len(out.splitlines()[-1].split()) == 3
    shown = spdml("embed", "x.npy", "--method", "mds", "--json").good().json
    assert np.shape(shown["Y"]) == (5, 2)
    np.save(tmp_path / "x.npy", random_spd(rng, 13, 3))
    assert "-o FILE" in spdml("embed", "x.npy").good().out


# ---- bad input -------------------------------------------------------------------------------------


@pytest.fixture
def ten(tmp_path, rng):
    np.save(tmp_path / "x.npy", random_spd(rng, 10, 2, 0.3))


def test_too_many_neighbours(spdml, ten):
    for method in ("lle", "hessian-lle", "laplacian"):
        spdml("embed", "x.npy", "--method", method).failed("x.npy", "k is 10", "between 1 and 9")
    spdml("embed", "x.npy", "--method", "pga").good()


def test_too_many_dimensions(spdml, ten):
    spdml("embed", "x.npy", "--method", "mds", "-d", 10).failed("10 dimensions", "1 to 9")
    spdml("embed", "x.npy", "-d", 4).failed("4 dimensions", "2 x 2", "has only 3")
    spdml("embed", "x.npy", "-d", 2000000000).failed("2000000000 dimensions")


def test_too_few_neighbours_for_hessians(spdml, ten):
    spdml("embed", "x.npy", "--method", "hessian-lle", "-k", 5).failed(
        "hessian-lle in 2 dimensions", "= 6 neighbours", "raise k")


def test_metrics_without_log_maps(spdml, ten):
    for metric in ("stein", "jeffrey", "bures-wasserstein"):
        for method in ("lle", "hessian-lle"):
            spdml("embed", "x.npy", "--method", method, "--metric", metric, "-k", 6).failed(
                metric, "tangent", "airm")


def test_one_matrix(spdml, tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3)[None])
    for method in ("lle", "hessian-lle", "laplacian", "pga", "mds"):
        spdml("embed", "x.npy", "--method", method).failed("one matrix cannot be embedded")


def test_a_graph_in_parts(spdml, tmp_path, rng):
    X = random_spd(rng, 30, 3, 0.1)
    X[20:] *= 100
    np.save(tmp_path / "x.npy", X)
    for method in ("lle", "hessian-lle", "laplacian"):
        spdml("embed", "x.npy", "--method", method, "-k", 7).failed(
            "7 nearest neighbours", "2 parts", "20 of the 30", "X[20], with 10", "larger k")
        spdml("embed", "x.npy", "--method", method, "-k", 12).good()


def test_groups_that_are_closed(spdml, tmp_path, rng):
    """One matrix between two clusters joins them, but no member of a cluster leads to it."""
    place = np.concatenate([rng.uniform(0, 0.05, 10), rng.uniform(0.95, 1, 10), [0.5]])
    A, B = random_symmetric(rng, 3), 0.01 * random_symmetric(rng, 3)
    X = np.array([function(t * A + t**2 * B, np.exp) for t in place])
    np.save(tmp_path / "x.npy", X)
    near, _ = neighbours("airm", X, 4)
    assert {j < 10 for j in near[20]} == {True, False} and not np.any(near[:20] == 20)
    spdml("embed", "x.npy", "--method", "lle", "-k", 4).failed(
        "2 groups", "4 nearest neighbours among themselves", "9 others", "larger k")
    spdml("embed", "x.npy", "--method", "laplacian", "-k", 4).good()
    spdml("embed", "x.npy", "--method", "lle", "-k", 12).good()


def test_equal_matrices(spdml, tmp_path):
    """Nothing to see, but no NaN either."""
    np.save(tmp_path / "x.npy", np.repeat(np.eye(3)[None], 9, axis=0))
    for method in ("lle", "hessian-lle", "laplacian", "pga", "mds"):
        shown = spdml("embed", "x.npy", "--method", method, "-k", 8, "--json").good().json
        assert np.all(np.isfinite(np.array(shown["Y"], float)))


def test_unknown_method(spdml, ten):
    spdml("embed", "x.npy", "--method", "isomap").failed("isomap", "lle", code=2)


# ---- t-SNE --------------------------------------------------------------------------------------


def three_groups(rng, p=150, n=4):
    X = random_spd(rng, p, n, 0.4)
    return X * 6.0 ** (np.arange(p) % 3)[:, None, None]


def tsne_divergence(D2, Y, perplexity):
    """The divergence over all pairs, by its definition."""
    p = len(D2)
    P = np.zeros((p, p))
    for i in range(p):
        d = np.delete(D2[i], i)
        low, high = 1e-9, 1e9
        for _ in range(200):
            b = np.sqrt(low * high)
            q = np.exp(-b * (d - d.min()))
            q /= q.sum()
            entropy = -(q[q > 0] * np.log(q[q > 0])).sum()
            low, high = (b, high) if entropy > np.log(perplexity) else (low, b)
        P[i, np.arange(p) != i] = q
    P = (P + P.T) / (2 * p)
    w = 1 / (1 + ((Y[:, None] - Y[None]) ** 2).sum(axis=2))
    np.fill_diagonal(w, 0)
    some = P > 0
    return (P[some] * np.log(P[some] / (w / w.sum())[some])).sum()


@pytest.mark.parametrize("p, theta", [(150, 0), (510, 0.5)])
def test_tsne_says_its_divergence(spdml, tmp_path, rng, p, theta):
    """By all pairs, and for more than 500 matrices by a tree."""
    X = three_groups(rng, p)
    Y, told = embed(spdml, tmp_path, X, "--method", "tsne", "--metric", "stein", "--perplexity", 12)
    assert Y.shape == (p, 2) and told["theta"] == theta and told["perplexity"] == 12
    spdml("distance", "x.npy", "--metric", "stein", "--squared", "-o", "D.npy").good()
    D2 = np.load(tmp_path / "D.npy")
    exact = tsne_divergence(D2, Y, 12)
    assert told["divergence"] == pytest.approx(exact, rel=1e-6 if theta == 0 else 0.1)
    nearest = np.argmin(((Y[:, None] - Y[None]) ** 2).sum(2) + 1e9 * np.eye(p), axis=1)
    assert (nearest % 3 == np.arange(p) % 3).mean() > 0.95


def test_tsne_is_as_good_as_that_of_scikit_learn(spdml, tmp_path, rng):
    manifold = pytest.importorskip("sklearn.manifold")
    for p, method in ((150, "exact"), (510, "barnes_hut")):
        X = three_groups(rng, p)
        np.save(tmp_path / "x.npy", X)
        spdml("distance", "x.npy", "-o", "D.npy").good()
        D = np.load(tmp_path / "D.npy")
        ours = embed(spdml, tmp_path, X, "--method", "tsne", "--perplexity", 20)[0]
        peer = manifold.TSNE(metric="precomputed", init="random", perplexity=20, random_state=1,
                             method=method).fit_transform(D).astype(float)
        assert (tsne_divergence(D**2, ours, 20) < 1.1 * tsne_divergence(D**2, peer, 20))
        trust = [manifold.trustworthiness(D, Y, n_neighbors=10, metric="precomputed")
                 for Y in (ours, peer)]
        assert trust[0] > trust[1] - 0.03


def test_tsne_seeds_and_threads(spdml, tmp_path, rng):
    X = three_groups(rng, 510)
    same = [embed(spdml, tmp_path, X, "--method", "tsne", "--iterations", 60,
                  "--threads", t, "--seed", 3)[0] for t in (1, 2)]
    assert np.array_equal(*same)
    other = embed(spdml, tmp_path, X, "--method", "tsne", "--iterations", 60,
                  "--seed", 4)[0]
    assert not np.array_equal(same[0], other)


def test_tsne_output_and_refusals(spdml, tmp_path, rng):
    X = three_groups(rng, 12)
    np.savez(tmp_path / "x.npz", X=X, y=np.arange(12) % 3)
    told = spdml("embed", "x.npz", "--method", "tsne", "-o", "Y.npz").good().out
    assert "divergence" in told and "eigenvalues" not in told and "all pairs" in told
    with np.load(tmp_path / "Y.npz") as file:
        assert sorted(file.files) == ["Y", "y"]
    spdml("embed", "x.npz", "--method", "tsne", "-o", "Y.csv").good()
    spdml("embed", "x.npz", "--method", "tsne", "-d", 4).failed("at most 3")
    spdml("embed", "x.npz", "--method", "tsne", "--perplexity", 12).failed("perplexity 12", "12")
