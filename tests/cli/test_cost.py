"""`spdml cost` against golden values and against twins."""

import golden_fit as golden
import learn_twins as twin
import numpy as np
import pytest
import twins

METRICS = ["stein", "airm", "jeffrey", "log-euclidean"]


@pytest.fixture
def golden_data(tmp_path):
    np.savez(tmp_path / "g.npz", X=golden.matrices(), y=golden.y)
    np.save(tmp_path / "W.npy", golden.W)


@pytest.mark.parametrize("metric", ["stein", "airm"])
def test_golden(spdml, tmp_path, golden_data, metric):
    shown = spdml("cost", "g.npz", "--w", "W.npy", "--metric", metric, "--objective", "difference",
                  "--nu-w", golden.NU_W, "--nu-b", golden.NU_B, "--gradient", "G.npy", "--json").good().json
    assert shown["cost"] == pytest.approx(golden.cost[metric], rel=1e-9)
    assert (shown["pairs_within"], shown["pairs_between"]) == golden.pairs[metric]
    G = np.load(tmp_path / "G.npy")
    assert G.shape == golden.W.shape
    assert np.abs(G - golden.gradient[metric]).max() < 1e-9 * np.abs(G).max()


@pytest.fixture
def case(tmp_path, rng):
    X, y = twin.classes(rng, 18, 6)
    W = np.linalg.qr(rng.standard_normal((6, 3)))[0] @ (np.eye(3) + 0.1)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    np.save(tmp_path / "W.npy", W)
    return X, y, W


@pytest.mark.parametrize("metric", METRICS)
def test_against_twins(spdml, tmp_path, case, metric):
    X, y, W = case
    Gw, Gb = twin.graphs(twins.pairwise2(metric, X, X), y, 2, 3)
    shown = spdml("cost", "d.npz", "--w", "W.npy", "--metric", metric, "--nu-w", 2, "--nu-b", 3,
                  "--objective", "difference", "--gradient", "G.npy", "--json").good().json
    assert shown["pairs_within"] == np.count_nonzero(np.triu(Gw))
    assert shown["pairs_between"] == np.count_nonzero(np.triu(Gb))

    twin.agrees(shown, tmp_path / "G.npy", lambda V: twin.cost(metric, X, V, Gw, Gb), W)


def test_exact_log_euclidean(spdml, tmp_path, case):
    X, y, W = case
    Gw, Gb = twin.graphs(twins.pairwise2("log-euclidean", X, X), y, 2, 3)
    words = ["--w", "W.npy", "--metric", "log-euclidean", "--nu-w", 2, "--nu-b", 3, "--objective",
             "difference", "--json"]
    shown = spdml("cost", "d.npz", *words, "--log-cost", "exact", "--gradient", "G.npy").good().json

    assert shown["log_cost"] == "exact"
    twin.agrees(shown, tmp_path / "G.npy", lambda V: twin.cost("log-euclidean", X, V, Gw, Gb, log_cost="exact"), W)
    rough = spdml("cost", "d.npz", *words).good().json
    assert rough["log_cost"] == "approximate"
    assert rough["cost"] != pytest.approx(shown["cost"], rel=1e-3)


@pytest.mark.parametrize("metric, log_cost", [(metric, "exact") for metric in METRICS]
                         + [("log-euclidean", "approximate")])
@pytest.mark.parametrize("candidates", [[], ["--nu-w", 2, "--nu-b", 4]])
def test_softmax(spdml, tmp_path, case, metric, log_cost, candidates):
    """Without numbers of candidates all pairs of a set as small as this are candidates."""
    X, y, W = case
    numbers = candidates[1::2] or (5, 12)
    Gw, Gb = twin.graphs(twins.pairwise2(metric, X, X), y, *numbers)
    which = ["--log-cost", log_cost] if metric == "log-euclidean" else []
    shown = spdml("cost", "d.npz", "--w", "W.npy", "--metric", metric, "--objective", "softmax",
                  *candidates, *which, "--gradient", "G.npy", "--json").good().json
    assert (shown["nu_w"], shown["nu_b"]) == tuple(numbers)
    assert shown["pairs_within"] == np.count_nonzero(np.triu(Gw))
    assert shown["pairs_between"] == np.count_nonzero(np.triu(Gb))
    twin.agrees(shown, tmp_path / "G.npy", lambda V: twin.cost_of_samples(metric, X, V, Gw, Gb, log_cost), W)


def test_candidates_of_your_own(spdml, tmp_path, case):
    """The signs of the values say who is near and who is far; how large they are does not count."""
    X, y, W = case
    i, j = np.triu_indices(len(y), 1)
    value = np.where(y[i] == y[j], 0.3, -7.0)
    np.savez(tmp_path / "A.npz", i=i, j=j, value=value)
    words = ["cost", "d.npz", "--w", "W.npy", "--objective", "softmax", "--json"]
    own = spdml(*words, "--affinity", "A.npz").good().json
    assert own["cost"] == spdml(*words).good().json["cost"]


def test_own_graph(spdml, tmp_path, case):
    X, y, W = case
    i, j, value = [0, 5, 7, 2], [1, 3, 4, 9], [1.0, -2.0, 0.5, 0.0]
    np.savez(tmp_path / "A.npz", i=i, j=j, value=value)
    shown = spdml("cost", "d.npz", "--w", "W.npy", "--affinity", "A.npz", "--json").good().json
    assert (shown["pairs_within"], shown["pairs_between"]) == (2, 1)
    S = np.einsum("ia,pij,jb->pab", W, X, W)
    wanted = sum(2 * v * twins.stein(S[a], S[b]) for a, b, v in zip(i, j, value))
    assert shown["cost"] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("arrays, tells", [
    (dict(i=[0, 1], j=[1], value=[1.0]), ["A.npz", "the same length", "2, 1 and 1"]),
    (dict(i=[0, 2], j=[1, 2], value=[1.0, 1.0]), ["A.npz", "pair 1", "sample 2 with itself"]),
    (dict(i=[0], j=[18], value=[1.0]), ["A.npz", "pair 0", "j = 18", "18 matrices"]),
    (dict(i=[-1], j=[3], value=[1.0]), ["A.npz", "pair 0", "i = -1"]),
    (dict(i=[0.5], j=[3], value=[1.0]), ["A.npz", "pair 0", "i = 0.5"]),
    (dict(i=[0], j=[3], value=[np.nan]), ["A.npz", "pair 0", "finite"]),
    (dict(i=[0, 3], j=[3, 0], value=[1.0, -1.0]), ["A.npz", "0 and 3", "once"]),
    (dict(i=[0], j=[3], value=[0.0]), ["A.npz", "empty"]),
    (dict(i=[0], j=[3]), ["A.npz", "'value'"]),
    (dict(i=["a"], j=["b"], value=["c"]), ["A.npz", "numbers"]),
])
def test_bad_graphs(spdml, tmp_path, case, arrays, tells):
    np.savez(tmp_path / "A.npz", **{name: np.array(a) for name, a in arrays.items()})
    spdml("cost", "d.npz", "--w", "W.npy", "--affinity", "A.npz").failed(*tells)


def test_w_of_a_model(spdml, tmp_path, case):
    words = ["--objective", "difference", "--nu-w", 2, "--nu-b", 3, "--json"]
    fitted = spdml("fit", "d.npz", "-m", 2, "-o", "m.spdml", *words).good().json
    shown = spdml("cost", "d.npz", "--w", "m.spdml", *words).good().json
    assert shown["cost"] == pytest.approx(fitted["cost"], rel=1e-10)
    assert shown["m"] == 2


@pytest.mark.parametrize("W", [np.zeros((5, 2)), np.zeros(6), np.zeros((6, 7)), np.zeros((6, 0)),
                               np.array([["a"] * 2] * 6)])
def test_bad_w(spdml, tmp_path, case, W):
    np.save(tmp_path / "bad.npy", W)
    spdml("cost", "d.npz", "--w", "bad.npy").failed("bad.npy", "6 x m", "d.npz")


def test_misuse(spdml, case):
    spdml("cost", "d.npz", "--w", "W.npy", "--log-cost", "exact").failed(
        "--log-cost", "--metric log-euclidean", "stein", code=2)
    spdml("cost", "d.npz").failed("cost needs --w FILE", code=2)
    spdml("cost", "d.npz", "--w", "W.npy", "--nu-b", "few").failed("--nu-b few", "auto", code=2)
    spdml("cost", "d.npz", "--w", "W.npy", "--gradient", "no/G.npy").failed("no/G.npy", "folder")
    spdml("cost", "d.npz", "--w", "W.npy", "--metric", "euclidean").failed("--metric euclidean",
                                                                         code=2)
