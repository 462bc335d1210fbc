"""Complex Hermitian matrices: every command against twins on complex numbers, and against itself on
real matrices that are stored as complex ones."""

import json

import learn_twins as twin
import numpy as np
import pytest
import scipy.io
import twins

METHODS = ["nn-airm", "knn-stein", "mdm-log-euclidean", "rsr", "cdl", "cdl-lda", "pga", "ksvm-stein",
           "ksvm-log-euclidean", "riemannian-lle", "riemannian-laplacian", "nn-stein-ml",
           "mdm-airm-csp", "nn-stein-mean", "pca-nn-stein", "nn-stein-random", "rsr-multi"]


def hermitian(rng, p, n, spread=1.0):
    """p positive definite matrices; eigenvalues exp(spread * normal)."""
    Q = np.linalg.qr(rng.standard_normal((p, n, n)) + 1j * rng.standard_normal((p, n, n)))[0]
    X = (Q * np.exp(spread * rng.standard_normal((p, 1, n)))) @ Q.conj().transpose(0, 2, 1)
    return (X + X.conj().transpose(0, 2, 1)) / 2


def classes(rng, p=30, n=5, count=3, spread=0.4):
    """p of them around `count` centres, and their labels."""
    y = np.arange(p) % count
    roots = np.array([twins.sqrt(X) for X in hermitian(rng, count, n, 0.8)])[y]
    X = roots @ hermitian(rng, p, n, spread) @ roots
    return (X + X.conj().transpose(0, 2, 1)) / 2, y


@pytest.fixture
def data(tmp_path, rng):
    X, y = classes(rng)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    return X, y


@pytest.fixture
def pair(tmp_path, rng):
    """The same real matrices as real and as complex ones, and others to predict."""
    X, y = twin.classes(rng, 36, 6)
    for name, kind in (("r", float), ("c", complex)):
        np.savez(tmp_path / f"{name}.npz", X=X[:24].astype(kind), y=y[:24])
        np.savez(tmp_path / f"{name}q.npz", X=X[24:].astype(kind), y=y[24:])
    return X, y


# ---- files ----------------------------------------------------------------------------------------


def mat73(path, X, **how):
    """As MATLAB writes it: the dimensions reversed, real and imaginary parts as a compound."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", userblock_size=512) as file:
        kind = np.dtype([("real", "<f8"), ("imag", "<f8")])
        stored = np.ascontiguousarray(X.transpose(0, 2, 1)).view(kind)
        file.create_dataset("X", data=stored, **how).attrs["MATLAB_class"] = np.bytes_("double")
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")


def h5(path, X, **how):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w", **how) as file:
        file["X"] = X


def cells(path, X):
    row = np.empty((1, len(X)), object)
    row[0] = list(X)
    scipy.io.savemat(path, {"X": row})


WRITERS = {
    "c16.npy": np.save,
    "big.npy": lambda path, X: np.save(path, X.astype(">c16")),
    "fortran.npy": lambda path, X: np.save(path, np.asfortranarray(X)),
    "packed.npz": lambda path, X: np.savez_compressed(path, X=X),
    "v5.mat": lambda path, X: scipy.io.savemat(path, {"X": X.transpose(1, 2, 0)}),
    "v7.mat": lambda path, X: scipy.io.savemat(path, {"X": X.transpose(1, 2, 0)},
                                               do_compression=True),
    "cells.mat": cells,
    "v73.mat": mat73,
    "chunks.mat": lambda path, X: mat73(path, X, chunks=(2, 3, 3), compression="gzip", shuffle=True),
    "h5.mat": h5,
    "latest.mat": lambda path, X: h5(path, X, libver="latest"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files(spdml, tmp_path, rng, name):
    X = hermitian(rng, 7, 3)
    WRITERS[name](tmp_path / name, X)
    shown = spdml("info", name, "--json").good().json
    assert (shown["p"], shown["n"], shown["complex"], shown["problems"]) == (7, 3, True, [])
    values = np.linalg.eigvalsh(X)
    assert shown["min_eigenvalue"] == pytest.approx(values.min(), rel=1e-12)
    for output, load in (("o.npz", lambda path: np.load(path)["X"]), ("o.npy", np.load),
                         ("o.mat", lambda path: scipy.io.loadmat(path)["X"].transpose(2, 0, 1))):
        spdml("convert", name, "-o", output).good()
        back = load(tmp_path / output)
        assert back.dtype == np.complex128
        assert np.array_equal(back, X)


def test_cells_that_matlab_found_real(spdml, tmp_path, rng):
    X = hermitian(rng, 4, 3)
    X[1] = X[1].real
    row = np.empty((1, 4), object)
    row[0] = [X[0], X[1].real, X[2], X[3]]
    scipy.io.savemat(tmp_path / "c.mat", {"X": row})
    spdml("convert", "c.mat", "-o", "o.npy").good()
    assert np.array_equal(np.load(tmp_path / "o.npy"), X)


def test_piece_by_piece(spdml, tmp_path, rng):
    X = hermitian(rng, 700, 12, 0.3)
    y = np.arange(700) % 2
    X[y == 1, 0, 0] += 1
    np.save(tmp_path / "a.npy", X[:300])
    np.save(tmp_path / "b.npy", X[300:])
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "ya.npy", y[:300])
    (tmp_path / "d.list").write_text("a.npy\nb.npy\n")
    found = []
    for memory in ("1G", "4M"):
        spdml("mean", "d.list", "--memory", memory, "-o", "M.npy").good()
        shown = spdml("fit", "d.list", "--labels", "y.npy", "-m", 2, "--memory", memory, "-o",
                      "m.spdml", "--nu-w", 1, "--nu-b", 1, "--max-iter", 3, "--json").good().json
        found.append((shown["cost"], np.load(tmp_path / "M.npy")))
        assert shown["stored"] == ("float64" if memory == "1G" else "file")
        spdml("classify", "--train", "a.npy", "--labels", "ya.npy", "--test", "d.list", "--method",
              "mdm-stein", "--memory", memory, "--scores", "-o", f"{memory}.npz").good()
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    assert np.abs(found[0][1] - found[1][1]).max() < 1e-13
    with np.load(tmp_path / "1G.npz") as whole, np.load(tmp_path / "4M.npz") as pieces:
        assert np.array_equal(whole["scores"], pieces["scores"])


# ---- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("spoil, words", [
    (lambda X: X[4].__setitem__((1, 2), X[4, 1, 2] + 0.1j), ["X[4] (label 1) is not Hermitian"]),
    (lambda X: X[4].__setitem__((1, 1), X[4, 1, 1] + 0.1j), ["X[4]", "diagonal has imaginary parts"]),
    (lambda X: X[4].__setitem__((1, 2), complex(X[4, 1, 2].real, np.nan)), ["X[4]", "NaN or Inf"]),
])
def test_bad_matrices(spdml, tmp_path, data, spoil, words):
    X, y = data
    spoil(X)
    np.savez(tmp_path / "bad.npz", X=X, y=y)
    spdml("mean", "bad.npz").failed("bad.npz", *words)
    if "NaN" not in words[-1]:
        shown = spdml("mean", "bad.npz", "--symmetrize", "-o", "M.npy", "--json").good().json
        assert shown["complex"] is True
        assert "try --symmetrize" in spdml("mean", "bad.npz").err
        assert "not Hermitian" in spdml("info", "bad.npz").good().out
        np.save(tmp_path / "bad.npy", X)
        (tmp_path / "bad.list").write_text("bad.npy\n")
        spdml("mean", "bad.list", "--memory", "4K").failed("X[4]", "Hermitian")


def test_real_and_complex_do_not_mix(spdml, tmp_path, pair):
    X, _ = pair
    np.savez(tmp_path / "wide.npz", X=np.array([np.kron(M, np.eye(2)) for M in X[:24]]),
             y=np.arange(24) % 3)
    spdml("distance", "c.npz", "r.npz").failed("c.npz", "complex 6 x 6", "r.npz", "real")
    spdml("distance", "c.npz", "wide.npz").failed("complex 6 x 6", "12 x 12 real")
    spdml("fit", "c.npz", "-m", 2, "-o", "m.spdml").good()
    spdml("transform", "m.spdml", "wide.npz", "-o", "s.npz").failed("maps complex 6 x 6", "real")
    spdml("train", "c.npz", "--method", "mdm", "-o", "t.spdml").good()
    spdml("predict", "t.spdml", "wide.npz").failed("trained with complex 6 x 6")
    spdml("join", "c.npz", "r.npz", "-o", "j.npz").failed("c.npz holds complex", "r.npz holds real")
    spdml("fit", "wide.npz", "-m", 4, "--init", "m.spdml", "-o", "n.spdml").failed("complex")


def test_places_for_real_numbers(spdml, tmp_path, data):
    X, y = data
    np.save(tmp_path / "w.npy", np.ones(30, complex))
    np.savez(tmp_path / "l.npz", X=X, y=y + 0j)
    spdml("mean", "d.npz", "--weights", "w.npy").failed("w.npy", "complex numbers where real")
    spdml("info", "l.npz").failed("l.npz: y", "complex numbers where real")
    spdml("convert", "d.npz", "-o", "o.csv").failed("o.csv", "complex", ".npz")
    spdml("describe", "covariance", "d.npz", "-o", "o.npz").failed("d.npz", "complex")
    spdml("fit", "d.npz", "-m", 2, "-o", "m.spdml").good()
    spdml("describe", "covariance", "w.npy", "--model", "m.spdml", "-o", "o.npz").failed("complex")
    assert not (tmp_path / "o.csv").exists() and not (tmp_path / "o.npz").exists()


# ---- geometry -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", twins.METRICS)
def test_geometry(spdml, tmp_path, data, metric):
    X, _ = data
    D2 = twins.pairwise2(metric, X, X)
    np.fill_diagonal(D2, 0)
    for words, wanted in (([], np.sqrt(np.maximum(D2, 0))), (["--squared"], D2)):
        spdml("distance", "d.npz", "--metric", metric, "-o", "D.npy", *words).good()
        assert np.abs(np.load(tmp_path / "D.npy") - wanted).max() < 1e-10 * wanted.max()
    spdml("neighbours", "d.npz", "-k", 3, "--metric", metric, "-o", "n.npz").good()
    with np.load(tmp_path / "n.npz") as found:
        index, near = twins.nearest(D2, 3, True)
        assert np.array_equal(found["index"], index)
        assert np.allclose(found["distance"], np.sqrt(near), rtol=1e-9)
    shown = spdml("mean", "d.npz", "--metric", metric, "-o", "M.npy", "--json").good().json
    M = np.load(tmp_path / "M.npy")
    assert (shown["n"], M.shape, M.dtype) == (5, (5, 5), np.complex128)
    assert np.array_equal(M, M.conj().T)
    assert twins.mean_defect(metric, M, X, np.ones(len(X))) < 1e-9


def test_mean_on_the_screen(spdml, tmp_path, data):
    spdml("mean", "d.npz", "-o", "M.npy").good()
    shown = spdml("mean", "d.npz", "--json").good().json
    M = np.array(shown["mean"]) + 1j * np.array(shown["mean_imaginary"])
    assert np.allclose(M, np.load(tmp_path / "M.npy"), rtol=1e-12)
    assert "imaginary part" in spdml("mean", "d.npz").good().out


@pytest.mark.parametrize("method", ["pga", "mds", "laplacian", "lle", "tsne"])
def test_embed_like_real(spdml, tmp_path, pair, method):
    Y = []
    for name in "rc":
        more = ["--iterations", 3] if method == "tsne" else []
        spdml("embed", f"{name}.npz", "--method", method, "--metric", "airm", "-k", 12, *more, "-o",
              "Y.npz").good()
        with np.load(tmp_path / "Y.npz") as file:
            Y.append({key: file[key] for key in file.files})
    for key in Y[0]:
        assert np.allclose(Y[0][key], Y[1][key], rtol=1e-5, atol=1e-6), key


# ---- the learned map ------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["stein", "airm", "jeffrey", "log-euclidean"])
def test_cost(spdml, tmp_path, data, rng, metric):
    X, y = data
    W = np.linalg.qr(rng.standard_normal((5, 2)) + 1j * rng.standard_normal((5, 2)))[0]
    np.save(tmp_path / "W.npy", W)
    Gw, Gb = twin.graphs(twins.pairwise2(metric, X, X), y, 2, 3)
    shown = spdml("cost", "d.npz", "--w", "W.npy", "--metric", metric, "--nu-w", 2, "--nu-b", 3,
                  "--objective", "difference", "--gradient", "G.npy", "--json").good().json

    assert (shown["n"], shown["m"]) == (5, 2)
    twin.agrees(shown, tmp_path / "G.npy", lambda V: twin.cost(metric, X, V, Gw, Gb), W)


@pytest.mark.parametrize("more", [
    ["--metric", "stein"], ["--metric", "airm"], ["--metric", "jeffrey"],
    ["--metric", "log-euclidean"], ["--metric", "log-euclidean", "--log-cost", "exact"],
    ["--init", "identity"], ["--init", "random"], ["--init", "csp"], ["--restarts", "3"],
    ["--unsupervised", "variance"]])
def test_fit(spdml, tmp_path, data, more):
    X, y = data
    shown = spdml("fit", "d.npz", "-m", 2, "-o", "m.spdml", "--json", "--objective", "difference",
                  *more).good().json
    with np.load(tmp_path / "m.spdml") as file:
        W, meta = file["W"], json.loads(file["meta.json"])
    assert (shown["n"], shown["m"], shown["complex"]) == (5, 2, True)
    assert (meta["n"], meta["m"], meta["hermitian"]) == (5, 2, 1)
    assert (W.dtype, W.shape) == (np.complex128, (5, 2))
    assert np.abs(W.conj().T @ W - np.eye(2)).max() < 1e-14
    assert shown["cost"] < shown["cost_start"]
    spdml("transform", "m.spdml", "d.npz", "-o", "s.npz").good()
    with np.load(tmp_path / "s.npz") as file:
        assert np.abs(file["X"] - W.conj().T @ X @ W).max() < 1e-12 * np.abs(X).max()
        assert np.array_equal(file["y"], y)
    if "--unsupervised" not in more:
        again = spdml("cost", "d.npz", "--w", "m.spdml", "--json", "--objective", "difference",
                      *[w for w in more if w in ("--metric", "--log-cost", "exact") or w in twins.METRICS],
                      "--nu-w", shown["nu_w"], "--nu-b", shown["nu_b"]).good().json
        assert again["cost"] == pytest.approx(shown["cost"], rel=1e-9)


@pytest.mark.parametrize("m", [1, 2])
def test_descent_stays_complex(spdml, tmp_path, m):
    """In its real form the problem has more room, and the cost falls in directions that lead out of
    the complex maps: along them rounding would be carried away."""
    np.savez(tmp_path / "d.npz", X=hermitian(np.random.default_rng(1), 24, 8), y=np.arange(24) % 3)
    costs = [spdml("fit", "d.npz", "-m", m, "-o", f"{most}.spdml", "--tol", 0, "--max-iter",
                   most, "--init", init, "--json").good().json["cost"]
             for most, init in ((400, "identity"), (0, "400.spdml"))]
    assert costs[1] == pytest.approx(costs[0], rel=1e-8)


def test_fit_resumed(spdml, tmp_path, data):
    words = ["d.npz", "-m", 2, "--tol", 0]
    spdml("fit", *words, "--max-iter", 9, "-o", "whole.spdml").good()
    spdml("fit", *words, "--max-iter", 4, "-o", "part.spdml", "--checkpoint", "c.npz").good()
    assert spdml("info", "c.npz", "--json").good().json["n"] == 5
    spdml("fit", *words, "--max-iter", 9, "--resume", "c.npz", "-o", "part.spdml").good()
    with np.load(tmp_path / "whole.spdml") as whole, np.load(tmp_path / "part.spdml") as part:
        assert np.array_equal(whole["W"], part["W"])
    spdml("fit", "d.npz", "-m", 3, "--resume", "c.npz", "-o", "n.spdml").failed("another --m")


def test_model_out(spdml, tmp_path, data):
    spdml("fit", "d.npz", "-m", 2, "-o", "m.spdml").good()
    W = np.load(tmp_path / "m.spdml")["W"]
    shown = spdml("info", "m.spdml", "--json").good().json
    assert np.array_equal(np.array(shown["W"]) + 1j * np.array(shown["W_imaginary"]), W)
    spdml("convert", "m.spdml", "-o", "W.npy").good()
    assert np.array_equal(np.load(tmp_path / "W.npy"), W)
    spdml("convert", "m.spdml", "-o", "W.mat").good()
    assert np.array_equal(scipy.io.loadmat(tmp_path / "W.mat")["W"], W)
    spdml("convert", "m.spdml", "-o", "W.csv").failed("complex")
    spdml("fit", "d.npz", "-m", 2, "--init", "m.spdml", "-o", "n.spdml").good()


# ---- recognition ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_methods_like_real(spdml, tmp_path, pair, method):
    """Stored as complex numbers, real matrices give what they give as real ones."""
    _, y = pair
    mapped = method.endswith(("-ml", "-csp", "-mean", "-random")) or method.startswith("pca-")
    more = ["--m", 3] if mapped else []
    if method in ("rsr", "ksvm-stein"):
        more = ["--grid", "beta=0.7"]
    found = []
    for name in "rc":
        spdml("train", f"{name}.npz", "--method", method, "--no-tune", "-o", f"{name}.spdml",
              *more).good()
        shown = spdml("predict", f"{name}.spdml", f"{name}q.npz", "--scores", "-o", "p.npz",
                      "--json").good().json
        with np.load(tmp_path / "p.npz") as file:
            found.append((shown["accuracy"], file["scores"]))
        assert spdml("info", f"{name}.spdml", "--json").good().json["n"] == 6
    if method != "nn-stein-random":
        assert found[0][0] == found[1][0]
        assert np.allclose(found[0][1], found[1][1], rtol=1e-4, atol=1e-6)


def test_tangent_discriminants(spdml, tmp_path, data):
    """Against the definition, in the n^2 real coordinates of Hermitian matrices."""
    X, y = data
    spdml("train", "d.npz", "--method", "ts-lda", "-o", "t.spdml").good()
    spdml("predict", "t.spdml", "d.npz", "--scores", "-o", "p.npz").good()
    spdml("mean", "d.npz", "-o", "M.npy").good()
    half = np.linalg.inv(twins.sqrt(np.load(tmp_path / "M.npy")))
    logs = np.array([twins.log(half @ A @ half) for A in X])
    upper = np.triu_indices(5, 1)
    T = np.concatenate([np.diagonal(logs, axis1=1, axis2=2).real,
                        np.sqrt(2) * logs[:, upper[0], upper[1]].real,
                        np.sqrt(2) * logs[:, upper[0], upper[1]].imag], axis=1)
    means = np.array([T[y == k].mean(axis=0) for k in range(3)])
    R = T - means[y]
    p, dim = T.shape
    S = R.T @ R / p
    mu = np.trace(S) / dim
    b = sum(np.sum((np.outer(r, r) - S) ** 2) for r in R) / (dim * p**2)
    d = np.sum((S - mu * np.eye(dim)) ** 2) / dim
    rho = min(b, d) / d
    A = np.linalg.solve((1 - rho) * S + rho * mu * np.eye(dim), means.T)
    wanted = T @ A - np.sum(means.T * A, axis=0) / 2 + np.log(1 / 3)
    assert np.allclose(np.load(tmp_path / "p.npz")["scores"], wanted, rtol=1e-6, atol=1e-6)


def test_evaluate_and_tune(spdml, tmp_path, rng):
    X, y = classes(rng, 60, 6)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    shown = spdml("evaluate", "d.npz", "--methods", "nn-stein-ml,rsr,mdm-airm", "--split", 0.5,
                  "--repeats", 2, "-o", "out", "--json").good().json
    assert (shown["n"], shown["complex"]) == (6, True)
    for result in shown["results"]:
        assert result["accuracy_mean"] > 0.8
    sizes = {outcome["parameters"]["m"] for outcome in shown["results"][0]["rounds"]}
    assert sizes <= {1, 2, 3, 5, 6}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "6 \xd7 6, complex" in page
    chosen = spdml("fit", "d.npz", "-m", "auto", "-o", "m.spdml", "--json").good().json
    assert chosen["m"] == chosen["chosen"]["m"] < 6 and f"-m {chosen['m']} " in chosen["command"]
    spdml("classify", "--train", "d.npz", "--test", "d.npz", "--method", "mdm-stein", "--model",
          "m.spdml").good()
