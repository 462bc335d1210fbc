#!/usr/bin/env python3
"""bench_trained.py SPDML - size of the file, time to load and time to predict, for trained methods.

1000 generated matrices 40 x 40 of ten classes train each method (maps to 15 x 15, which is quick and
shapes the file like any other), and 200 others are classified by the Python package, which SPDML_LIBRARY
may name the library of. Times are of the CPU, on one thread, the shortest of several runs; the table is
that of docs/trained.md."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import spdml  # noqa: E402

METHODS = ["nn-airm", "nn-airm-ml", "knn-stein", "mdm-airm", "mdm-airm-ml", "rsr", "rsr-ml", "cdl",
           "cdl-lda", "pga", "ts-lda", "ksvm-stein", "ksvm-log-euclidean", "riemannian-laplacian",
           "nn-stein-multi"]
RUNS = 3


def shortest(work):
    """The CPU's seconds of the shortest run."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            done = subprocess.run([command, *words, "--json"], cwd=folder, check=True,
                                  stdout=subprocess.PIPE)
            return json.loads(done.stdout)

        run("synth", "spd", "--classes", "10", "--samples", "120", "-n", "40", "--seed", "3", "-o",
            "all.npz")
        with np.load(f"{folder}/all.npz") as data:
            X, y = data["X"], data["y"]
        new = np.arange(len(y)) % 6 == 0
        np.savez(f"{folder}/old.npz", X=X[~new], y=y[~new])
        print("| method | file | samples held | loads | predicts 200 |\n|---|---|---|---|---|")
        path = f"{folder}/m.spdml"
        for method in METHODS:
            size = ["-m", "15"] if method.endswith("-ml") else []
            made = run("train", "old.npz", "--method", method, "--no-tune", *size, "-o",
                       "m.spdml")
            trained = spdml.SPDClassifier.load(path).set_params(n_jobs=1)
            load = shortest(lambda: spdml.SPDClassifier.load(path))
            test = shortest(lambda: trained.predict(X[new]))
            print(f"| `{method}` | {os.path.getsize(path) / 1000:.0f} kB | "
                  f"{made['held'] or 'none'} | {1000 * load:.0f} ms | {1000 * test:.0f} ms |",
                  flush=True)


if __name__ == "__main__":
    main()
