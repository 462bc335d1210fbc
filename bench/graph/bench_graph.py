"""bench_graph.py - neighbours in almost linear time, against the exact search and two others.

    covariances of image patches: region (9 x 9) and gabor (43 x 43), of the images in the folder
    SPDML_IMAGES, one subfolder a class, or of generated textures

First table: k = 10 within sets of growing size, one thread, seconds of the CPU: recall, the growth
exponent over all sizes, and the ratio to the exact search, which is measured up to 20,000 matrices
and grows with the square. Second: the log-Euclidean metric, beside pynndescent and faiss on the
vectors that make it Euclidean (their making is not counted for them). Third: the nearest neighbour
after a map, learned from the exact and from the approximate graph.

SPDML_SIZES=5000,20000,100000 sets the sizes."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPDML = ROOT / "build" / "release" / "spdml"
SIZES = [int(p) for p in os.environ.get("SPDML_SIZES", "5000,20000,100000").split(",")]
EXACT_UP_TO = 20000
K = 10


def run(*words):
    """The command's JSON and its seconds of the CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(SPDML), *map(str, words), "--json", "--threads", "1"],
                          check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def images(folder):
    given = os.environ.get("SPDML_IMAGES")
    if not given:
        given = folder / "textures"
        run("synth", "textures", "--classes", 10, "--samples", 40, "--size", 200, "-o", given)
    return pathlib.Path(given)


def patches(source, folder, count):
    """About count grey patches of 32 x 32, and a little more, one file each."""
    from PIL import Image
    files = sorted(f for f in source.glob("*/*") if f.suffix in (".png", ".jpg", ".pgm", ".ppm"))
    side = int(np.ceil(np.sqrt(count / len(files))))
    number = 0
    for file in files:
        image = np.asarray(Image.open(file).convert("L"))
        into = folder / file.parent.name
        into.mkdir(parents=True, exist_ok=True)
        for top in np.linspace(0, image.shape[0] - 32, side).astype(int):
            for left in np.linspace(0, image.shape[1] - 32, side).astype(int):
                patch = image[top:top + 32, left:left + 32]
                (into / f"{number:07d}.pgm").write_bytes(b"P5 32 32 255\n" + patch.tobytes())
                number += 1
    return len(files)


def describe(folder):
    """The sets by name: X and y, shuffled."""
    source, most = images(folder), max(SIZES)
    count = patches(source, folder / "patches", most)
    cells = int(np.ceil(np.sqrt(most / count)))
    run("describe", "region", source, "--grid", f"{cells}x{cells}", "--regularize", 1e-3,
        "-o", folder / "region.npz")
    run("describe", "gabor", folder / "patches", "--size", 32, "--regions", "whole", "--regularize",
        1e-3, "-o", folder / "gabor.npz")
    for name in ("region", "gabor"):
        with np.load(folder / f"{name}.npz") as file:
            X, y = file["X"], np.unique(file["y"], return_inverse=True)[1]
        order = np.random.default_rng(0).permutation(len(X))
        yield name, X[order], y[order]


def growth(folder, name, X):
    for metric in ("stein", "airm"):
        seconds, exact = {}, None
        for p in SIZES:
            np.save(folder / "X.npy", X[:p])
            words = ["neighbours", folder / "X.npy", "-k", K, "--metric", metric, "-o",
                     folder / "nn.npz"]
            found, seconds[p] = run(*words, "--search", "approximate")
            if p <= EXACT_UP_TO and metric == "stein":
                exact = (p, run(*words)[1])
            line = f"{name:7} {X.shape[1]:3} {metric:6} {p:7} {seconds[p]:9.1f} {found['recall']:7.3f}"
            if exact:
                line += f" {exact[1] * (p / exact[0])**2:11.1f} {exact[1] * (p / exact[0])**2 / seconds[p]:7.1f}x"
                line += "" if exact[0] == p else "  (extrapolated)"
            print(line, flush=True)
        first, last = min(seconds), max(seconds)
        exponent = np.log(seconds[last] / seconds[first]) / np.log(last / first)
        print(f"{'':31} exponent {exponent:.2f} (goal: at most 1.25)", flush=True)


def share(index, true):
    return np.mean([len(set(a) & set(b)) / K for a, b in zip(index, true)])


def peers(folder, name, X, p):
    """Log-Euclidean: ours on matrices, theirs on vectors."""
    import faiss
    import pynndescent
    np.save(folder / "X.npy", X[:p])
    words = ["neighbours", folder / "X.npy", "-k", K, "--metric", "log-euclidean", "-o",
             folder / "nn.npz"]
    w, V = np.linalg.eigh(X[:p])
    L = np.einsum("pij,pj,pkj->pik", V, np.log(w), V)
    rows, columns = np.tril_indices(X.shape[1])
    Z = np.ascontiguousarray(L[:, rows, columns] * np.where(rows == columns, 1, np.sqrt(2)), np.float32)
    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatL2(Z.shape[1])
    flat.add(Z)
    some = np.random.default_rng(1).choice(p, 500, replace=False)
    true = [[j for j in row if j != i][:K] for i, row in zip(some, flat.search(Z[some], K + 1)[1])]

    def others(index):
        return [[j for j in row if j != i][:K] for i, row in zip(some, index)]

    def show(program, seconds, index):
        print(f"{name:7} {X.shape[1]:3} {p:7} {program:22} {seconds:9.1f} {share(index, true):7.3f}", flush=True)

    _, seconds = run(*words, "--search", "approximate")
    show("spdml", seconds, np.load(folder / "nn.npz")["index"][some])
    pynndescent.NNDescent(Z[:500], n_neighbors=K + 1, n_jobs=1)  # compiles
    start = time.process_time()
    index = pynndescent.NNDescent(Z, n_neighbors=K + 1, n_jobs=1, random_state=1).neighbor_graph[0]
    show("pynndescent", time.process_time() - start, others(index[some]))
    for effort in (64, 256):
        start = time.process_time()
        graph = faiss.IndexHNSWFlat(Z.shape[1], 32)
        graph.hnsw.efConstruction, graph.hnsw.efSearch = effort, effort
        graph.add(Z)
        index = graph.search(Z, K + 1)[1]
        show(f"faiss HNSW, ef {effort}", time.process_time() - start, others(index[some]))
    start = time.process_time()
    index = flat.search(Z[:p // 10], K + 1)[1]
    show("faiss flat, all pairs", 10 * (time.process_time() - start),
         others(flat.search(Z[some], K + 1)[1]))


def accuracy(folder, name, X, y, p, m):
    np.savez(folder / "train.npz", X=X[:p], y=y[:p])
    np.savez(folder / "test.npz", X=X[p:2 * p], y=y[p:2 * p])
    words = ["classify", "--train", folder / "train.npz", "--test", folder / "test.npz", "--method",
             "nn-stein"]
    print(f"{name:7} {p:7} no map      {'':13} {run(*words)[0]['accuracy']:.4f}", flush=True)
    for search in ("exact", "approximate"):
        fit, _ = run("fit", folder / "train.npz", "-m", m, "--search", search, "-o", folder / "m.spdml")
        low = run(*words, "--model", folder / "m.spdml")[0]
        print(f"{name:7} {p:7} {search:11} {fit['recall']:6.3f} {fit['seconds_graph']:6.1f} "
              f"{low['accuracy']:.4f}", flush=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sets = list(describe(folder))
        print("set       n metric       p     CPU s  recall     exact s   ratio")
        for name, X, _ in sets:
            growth(folder, name, X)
        print("\nlog-euclidean\nset       n       p program                    CPU s  recall")
        for name, X, _ in sets:
            peers(folder, name, X, min(20000, max(SIZES)))
        print("\nset           p graph       recall graph s accuracy")
        for name, X, y in sets:
            accuracy(folder, name, X, y, min(5000, len(X) // 2), X.shape[1] // 3)


if __name__ == "__main__":
    main()
