"""distance, mean and neighbours against slow twins."""

import re
import zipfile

import numpy as np
import pytest
from conftest import random_spd
from twins import METRICS, mean_defect, nearest, pairwise2


def close2(ours, twin, n):
    """Squared distances to rounding: relative where they are large, absolute near zero."""
    scale = np.maximum(np.abs(twin), 1e-3 * np.max(np.abs(twin)))
    assert ours.dtype == np.float64 and ours.shape == twin.shape
    assert np.max(np.abs(ours - twin) / scale) < 1e-11 * n


@pytest.mark.parametrize("n", [1, 2, 5, 16, 21])
@pytest.mark.parametrize("metric", METRICS)
def test_distance_between_two_sets(spdml, tmp_path, rng, metric, n):
    A, B = random_spd(rng, 7, n), random_spd(rng, 11, n)
    np.savez(tmp_path / "a.npz", X=A)
    np.save(tmp_path / "b.npy", B)
    spdml("distance", "a.npz", "b.npy", "--metric", metric, "--squared", "-o", "D.npy").good()
    D2 = np.load(tmp_path / "D.npy")
    close2(D2, pairwise2(metric, A, B), n)
    spdml("distance", "a.npz", "b.npy", "--metric", metric, "-o", "D.npy").good()
    assert np.array_equal(np.load(tmp_path / "D.npy"), np.sqrt(np.maximum(D2, 0)))


@pytest.mark.parametrize("metric", METRICS)
def test_distance_within_one_set(spdml, tmp_path, rng, metric):
    A = random_spd(rng, 23, 6)
    np.savez_compressed(tmp_path / "a.npz", X=A)
    done = spdml("distance", "a.npz", "--metric", metric, "--squared", "-o", "D.npy", "--json")
    D2 = np.load(tmp_path / "D.npy")
    assert np.array_equal(D2, D2.T) and np.all(np.diag(D2) == 0)
    off = ~np.eye(23, dtype=bool)
    twin = pairwise2(metric, A, A)
    close2(D2[off], twin[off], 6)
    shown, upper = done.good().json, D2[np.triu_indices(23, 1)]
    assert (shown["p"], shown["q"], shown["n"], shown["metric"]) == (23, 23, 6, metric)
    assert shown["squared"] is True
    assert (shown["min"], shown["max"]) == (upper.min(), upper.max())
    assert shown["median"] == np.median(upper)


@pytest.mark.parametrize("name, alias", [("airm", "riemann"), ("log-euclidean", "logeuclid")])
def test_other_names_of_a_metric(spdml, tmp_path, rng, name, alias):
    np.save(tmp_path / "a.npy", random_spd(rng, 4, 3))
    first = spdml("distance", "a.npy", "--metric", name).good().out
    assert spdml("distance", "a.npy", "--metric", alias).good().out == first
    assert f"metric             {name}\n" in first


def test_small_distances_are_printed(spdml, tmp_path):
    np.save(tmp_path / "a.npy", np.stack([np.eye(2), np.e * np.eye(2)]))
    done = spdml("distance", "a.npy", "--squared").good()
    rows = [line.split() for line in done.out.splitlines()[-3:]]
    assert rows == [["0", "1"], ["0", "0", "2"], ["1", "2", "0"]]
    assert done.err == ""
    shown = spdml("distance", "a.npy", "--squared", "--json").json
    assert np.allclose(shown["distance"], [[0, 2], [2, 0]], rtol=1e-14)


def test_many_distances_are_summarised(spdml, tmp_path, rng):
    A = random_spd(rng, 13, 3)
    np.save(tmp_path / "a.npy", A)
    done = spdml("distance", "a.npy").good()
    assert "13 x 13" in done.out and "-o FILE" in done.out
    rows = dict(line.split(None, 1) for line in done.out.splitlines())
    upper = np.sqrt(pairwise2("airm", A, A))[np.triu_indices(13, 1)]
    for word, value in [("least", upper.min()), ("median", np.median(upper)),
                        ("largest", upper.max())]:
        assert float(rows[word]) == pytest.approx(value, rel=1e-5)


def test_one_matrix_has_no_pairs(spdml, tmp_path):
    np.save(tmp_path / "a.npy", np.eye(3)[None])
    shown = spdml("distance", "a.npy", "--json").good().json
    assert shown["min"] is None and shown["distance"] == [[0.0]]


def test_sets_of_different_size(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 3, 4))
    np.save(tmp_path / "b.npy", random_spd(rng, 3, 5))
    spdml("distance", "a.npy", "b.npy").failed("a.npy", "4 x 4", "b.npy", "5 x 5")
    spdml("neighbours", "a.npy", "--queries", "b.npy").failed("a.npy", "4 x 4", "b.npy", "5 x 5")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_mean_solves_its_equation(spdml, tmp_path, rng, metric, weighted):
    A, w = random_spd(rng, 12, 5), np.ones(12)
    np.savez(tmp_path / "a.npz", X=A)
    more = []
    if weighted:
        w = rng.uniform(0.1, 2, 12)
        w[3] = 0
        np.save(tmp_path / "w.npy", w)
        more = ["--weights", "w.npy"]
    done = spdml("mean", "a.npz", "--metric", metric, *more, "-o", "M.npy", "--json").good()
    M, shown = np.load(tmp_path / "M.npy"), done.json
    assert M.dtype == np.float64 and M.shape == (5, 5) and np.array_equal(M, M.T)
    assert mean_defect(metric, M, A, w) < 1e-10
    assert shown["converged"] is True and shown["iterations"] >= 0 and shown["residual"] < 1e-9
    assert (shown["metric"], shown["p"], shown["n"]) == (metric, 12, 5)
    assert done.err == ""


def test_mean_with_integer_weights(spdml, tmp_path, rng):
    A = random_spd(rng, 4, 3)
    w = np.array([1, 2, 0, 5])
    np.save(tmp_path / "a.npy", A)
    np.save(tmp_path / "w.npy", w)
    spdml("mean", "a.npy", "--weights", "w.npy", "--metric", "euclidean", "-o", "M.npy").good()
    M = np.load(tmp_path / "M.npy")
    assert np.allclose(M, np.average(A, axis=0, weights=w), rtol=1e-14, atol=1e-15)


def test_mean_that_does_not_converge(spdml, tmp_path, rng):
    A = random_spd(rng, 20, 6, spread=3.0)
    np.save(tmp_path / "a.npy", A)
    done = spdml("mean", "a.npy", "--max-iter", "1", "-o", "M.npy", "--json").good()
    assert done.json["converged"] is False and done.json["iterations"] == 1
    assert "did not converge in 1 iteration" in done.err and "--max-iter" in done.err
    assert len(done.err.splitlines()) == 1
    assert np.all(np.linalg.eigvalsh(np.load(tmp_path / "M.npy")) > 0)
    assert spdml("mean", "a.npy", "--max-iter", "1", "-q").good().err == ""


def test_small_mean_is_printed(spdml, tmp_path):
    np.save(tmp_path / "a.npy", np.stack([np.eye(2), 4 * np.eye(2)]))
    shown = spdml("mean", "a.npy", "--json").good().json
    assert np.allclose(shown["mean"], 2 * np.eye(2), rtol=1e-12, atol=1e-15)
    out = spdml("mean", "a.npy").good().out
    assert [line.split() for line in out.splitlines()[-2:]] == [["0", "2", "0"], ["1", "0", "2"]]


@pytest.mark.parametrize("weights, tells", [
    (np.ones(4), ["4 weights", "5 matrices"]), (np.array(list("abcde")), ["numbers"]),
    (np.array([1, 1, -1, 1, 1.0]), ["weight"]), (np.zeros(5), ["weight"]),
    (np.array([1, 1, np.nan, 1, 1]), ["weight"])])
def test_bad_weights(spdml, tmp_path, rng, weights, tells):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    np.save(tmp_path / "w.npy", weights)
    spdml("mean", "a.npy", "--weights", "w.npy", "-o", "M.npy").failed("w.npy: ", *tells)
    assert not (tmp_path / "M.npy").exists()


@pytest.mark.parametrize("metric", METRICS)
def test_neighbours_in_another_set(spdml, tmp_path, rng, metric):
    A, B = random_spd(rng, 60, 6), random_spd(rng, 17, 6)
    np.savez(tmp_path / "a.npz", X=A)
    np.savez(tmp_path / "b.npz", X=B)
    base = ["neighbours", "a.npz", "--queries", "b.npz", "-k", "5", "--metric", metric, "--json"]
    shown = spdml(*base, "-o", "nn.npz").good().json
    found = np.load(tmp_path / "nn.npz")
    assert sorted(found.files) == ["distance", "index"]
    assert found["index"].dtype == np.int64 and found["distance"].dtype == np.float64
    index, d2 = nearest(pairwise2(metric, B, A), 5, within=False)
    assert np.array_equal(found["index"], index)
    assert np.allclose(found["distance"], np.sqrt(d2), rtol=1e-9)
    assert (shown["p"], shown["q"], shown["k"], shown["metric"]) == (60, 17, 5, metric)
    assert shown["pairs"] == 60 * 17 and 0 < shown["exact"] <= shown["pairs"]
    assert shown["pruned"] == pytest.approx(1 - shown["exact"] / shown["pairs"], abs=1e-12)


@pytest.mark.parametrize("metric", ["airm", "stein"])
def test_pruning_changes_nothing(spdml, tmp_path, rng, metric):
    """Clusters of different spread along few directions: most pairs need no exact distance."""
    F = rng.standard_normal((300, 16, 3)) * 0.1 + np.repeat(rng.standard_normal((6, 16, 3)), 50, 0)
    X = 3 * F @ F.transpose(0, 2, 1) + 0.1 * np.eye(16) + 0.02 * random_spd(rng, 300, 16)
    np.save(tmp_path / "a.npy", X)
    done = spdml("neighbours", "a.npy", "-k", "3", "--metric", metric, "-o", "nn.npz", "--json").good()
    assert done.json["pruned"] > 0.3
    index, _ = nearest(pairwise2(metric, X[:20], X) + 1e9 * np.eye(20, 300), 3, within=False)
    assert np.array_equal(np.load(tmp_path / "nn.npz")["index"][:20], index)


@pytest.mark.parametrize("metric", METRICS)
def test_neighbours_with_duplicates_and_ties(spdml, tmp_path, rng, metric):
    """Copies of a matrix are neighbours at distance zero, and equally far from all others."""
    base = random_spd(rng, 8, 5)
    A = base[[0, 1, 2, 0, 3, 1, 4, 0, 5, 6, 7, 1]]
    np.save(tmp_path / "a.npy", A)
    twin = np.round(np.sqrt(np.maximum(pairwise2(metric, A, A), 0)), 6)  # rounding makes ties equal
    spdml("neighbours", "a.npy", "-k", "11", "--metric", metric, "-o", "nn.npz").good()
    found = np.load(tmp_path / "nn.npz")
    index, _ = nearest(twin, 11, within=True)
    assert np.array_equal(found["index"], index)
    # copies: bit-equal distances
    for i, row in enumerate(found["index"]):
        of = dict(zip(row, found["distance"][i]))
        for group in ([0, 3, 7], [1, 5, 11]):
            assert len({of[j] for j in group if j != i}) == 1


def test_most_neighbours_are_found_approximately(spdml, tmp_path, rng):
    F = rng.standard_normal((700, 5, 8))
    X = F @ F.transpose(0, 2, 1) + 0.1 * np.eye(5)
    np.save(tmp_path / "a.npy", X)
    base = ["neighbours", "a.npy", "-k", "5", "--metric", "stein"]
    shown = spdml(*base, "--json", "--search", "approximate", "-o", "nn.npz").good().json
    exact = spdml(*base, "--json", "--search", "auto", "-o", "exact.npz").good().json
    assert (shown["search"], exact["search"], exact["recall"]) == ("approximate", "exact", 1)
    found, true = np.load(tmp_path / "nn.npz"), np.load(tmp_path / "exact.npz")
    share = np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found["index"], true["index"])])
    assert share > 0.9 and shown["recall"] == pytest.approx(share, abs=0.05)
    again = spdml(*base, "--search", "approximate", "--threads", "3", "-o", "again.npz").good()
    assert "approximate" in again.out and "of the true neighbours" in again.out
    assert np.array_equal(np.load(tmp_path / "again.npz")["index"], found["index"])
    spdml(*base, "--search", "aproximate").failed("approximate", code=2)
    np.save(tmp_path / "q.npy", X[:300] * 1.1)
    spdml(*base, "--queries", "q.npy", "--search", "approximate").failed("within one set")
    many = spdml(*base, "--queries", "q.npy", "--search", "auto", "--json").good().json
    assert (many["search"], many["recall"]) == ("exact", 1) and many["exact"] <= many["pairs"]


def test_an_index_of_earlier_versions_is_refused(spdml, tmp_path):
    np.savez(tmp_path / "i.npz", links=np.zeros((2, 48), np.int64))
    with zipfile.ZipFile(tmp_path / "i.npz", "a") as file:
        file.writestr("meta.json", '{"format": 1, "kind": "spdml index", "version": "0.1.0"}')
    spdml("info", "i.npz").failed("i.npz: is a spdml index", "a search needs none now")


def test_neighbours_are_printed(spdml, tmp_path):
    X = np.stack([np.exp(v) * np.eye(2) for v in (0, 1, 3, 7)])
    np.save(tmp_path / "a.npy", X)
    lines = spdml("neighbours", "a.npy", "-k", "2").good().out.splitlines()
    table = [line.split() for line in lines[-4:]]
    assert [[row[0], row[1], row[3]] for row in table] == [
        ["0", "1", "2"], ["1", "0", "2"], ["2", "1", "0"], ["3", "2", "1"]]
    assert float(table[0][2]) == pytest.approx(np.sqrt(2), rel=1e-5)


def singular(sign):
    """Has a Cholesky factor in exact arithmetic, but rounding might have made it."""
    return np.array([[1.0, sign], [sign, 1.0 + 2.0**-52]])


def far(sign):
    """Two of them, of opposite signs, are farther apart than numbers reach."""
    return np.diag([10.0**(-300 * sign), 10.0**(300 * sign)])


NO_DISTANCE = re.compile(r"spdml: (.*): the distance between (.)\[(\d+)\] and (.)\[(\d+)\] leaves the range of "
                         r"numbers: .*; bring the matrices to a scale near 1\n")


@pytest.mark.parametrize("words, names", [
    (["distance", "a.npy"], "a.npy"), (["distance", "a.npy", "b.npy"], "a.npy (X), b.npy (Y)"),
    (["neighbours", "a.npy", "-k", 39], "a.npy"),
    (["neighbours", "a.npy", "-k", 40, "--queries", "b.npy"], "a.npy (X), b.npy (Q)"),
])
def test_pair_without_a_distance_is_named(spdml, tmp_path, words, names):
    X = np.stack([(1 + k) * np.eye(2) for k in range(40)])
    X[21], X[33] = far(1), far(-1)
    sets = {"X": X, "Y": X[17:36], "Q": X[17:36]}
    np.save(tmp_path / "a.npy", sets["X"])
    np.save(tmp_path / "b.npy", sets["Y"])
    done = [spdml(*words, "--metric", "airm", "--threads", threads) for threads in [1, 3]]
    assert done[0].err == done[1].err
    told = NO_DISTANCE.fullmatch(done[0].failed().err)
    assert told and told[1] == names
    first, second = sets[told[2]][int(told[3])], sets[told[4]][int(told[5])]
    assert (first[0, 0], second[0, 0]) in ((1e-300, 1e300), (1e300, 1e-300))
    np.save(tmp_path / "one.npy", first[None])
    np.save(tmp_path / "other.npy", second[None])
    spdml("distance", "one.npy", "other.npy", "--metric", "airm").failed("X[0] and Y[0]")


def test_distances_of_almost_singular_matrices(spdml, tmp_path):
    """Two eigenvalues of the pair are 2.8e14 and its inverse."""
    almost = [np.array([[1.0, sign], [sign, 1.0 + 2.0**-46]]) for sign in (1.0, -1.0)]
    np.save(tmp_path / "a.npy", np.stack(almost))
    spdml("distance", "a.npy", "--metric", "airm", "-o", "d.npy").good()
    assert np.load(tmp_path / "d.npy")[0, 1] == pytest.approx(np.sqrt(2) * np.log(2.0**48), rel=1e-3)
    np.save(tmp_path / "b.npy", np.stack([almost[0], singular(1.0)]))
    spdml("distance", "b.npy", "--metric", "airm").failed("b.npy: X[1] is not positive definite", "zero up to rounding")


def test_mean_of_singular_matrices(spdml, tmp_path):
    X = np.stack([np.eye(2), singular(1.0), 2 * np.eye(2), singular(-1.0)])
    np.save(tmp_path / "a.npy", X)
    spdml("mean", "a.npy").failed("a.npy: X[1] is not positive definite", "; try --regularize 1e-6\n")
    spdml("mean", "a.npy", "--regularize", "1e-6").good()


def test_numbers_of_a_part_are_not_told(spdml, tmp_path):
    """X[3] of a training part would be another matrix of the file."""
    X = np.stack([2.0**(k % 5) * far(1 if k % 3 else -1) for k in range(24)])
    np.savez(tmp_path / "a.npz", X=X, y=np.arange(24) % 2, group=np.arange(24) // 12)
    words = ["evaluate", "a.npz", "--split", "0.5", "--repeats", 1, "--methods"]
    runs = [words + [method] for method in ["nn-airm", "mdm-airm", "nn-airm-ml"]]
    runs.append(words + ["nn-airm", "--recenter", "group"])
    for run in runs:
        done = spdml(*run).failed("the range of numbers", "; bring the matrices to a scale near 1")
        assert "X[" not in done.err and "Q[" not in done.err


def test_too_many_neighbours(spdml, tmp_path, rng):
    np.save(tmp_path / "a.npy", random_spd(rng, 5, 3))
    spdml("neighbours", "a.npy", "-k", "4").good()
    spdml("neighbours", "a.npy", "-k", "5", "-o", "nn.npz").failed("a.npy", "-k 5", "4")
    spdml("neighbours", "a.npy", "--queries", "a.npy", "-k", "5").good()
    spdml("neighbours", "a.npy", "--queries", "a.npy", "-k", "6").failed("-k 6")
    assert not (tmp_path / "nn.npz").exists()


@pytest.mark.parametrize("metric", METRICS)
def test_same_bits_for_any_number_of_threads(spdml, tmp_path, rng, metric):
    np.savez(tmp_path / "a.npz", X=random_spd(rng, 70, 7))
    for name, ending in [("distance", "npy"), ("mean", "npy"), ("neighbours", "npz")]:
        files = []
        for threads in (1, 2, 5):
            out = tmp_path / f"{name}{threads}.{ending}"
            more = ["-k", "4"] if name == "neighbours" else []
            spdml(name, "a.npz", "--metric", metric, "--threads", threads, *more, "-o", out).good()
            loaded = np.load(out)
            arrays = [loaded[key] for key in loaded.files] if ending == "npz" else [loaded]
            files.append([array.tobytes() for array in arrays])
        assert files[0] == files[1] == files[2]
