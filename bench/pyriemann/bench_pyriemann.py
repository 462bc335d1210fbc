"""bench_pyriemann.py - the Python package beside pyRiemann, in one run on one machine.

    pairwise distances (Stein, AIRM), the AIRM mean, and nearest-neighbour prediction,
    p = 500 matrices of 32 x 32

and then, in bench_table.py, everything that both have, for n = 8 to 128.

Both get the same float64 arrays. The table shows the best of several runs, the spread of ours
(slowest over fastest), and the ratio of the bests, for one and for two threads of ours. pyRiemann
runs with as many BLAS threads as we have threads. Results are compared before anything is timed."""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
P, N = 500, 32
GOALS = {"pairwise stein": 20, "pairwise airm": 4, "mean airm": 4, "knn predict airm": 4}


def best(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times), max(times) / min(times)


def work(threads):
    """Name: (ours, theirs, how their results are compared)."""
    import numpy as np
    import spdml
    from pyriemann.classification import KNearestNeighbor
    try:
        from pyriemann.geometry.distance import pairwise_distance
        from pyriemann.geometry.mean import mean_riemann
    except ImportError:  # before 0.12
        from pyriemann.utils.distance import pairwise_distance
        from pyriemann.utils.mean import mean_riemann
    rng = np.random.default_rng(1)
    A = rng.standard_normal((P, N, 2 * N)) * np.exp(rng.normal(0, 0.5, (P, N, 1)))
    X = A @ A.transpose(0, 2, 1) / (2 * N)
    y = rng.integers(0, 4, P)
    half = P // 2
    ours = spdml.KNearestNeighbor(1, "airm", n_jobs=threads).fit(X[:half], y[:half])
    theirs = KNearestNeighbor(1, metric="riemann").fit(X[:half], y[:half])
    return {
        "pairwise stein": (lambda: spdml.pairwise_distance(X, metric="stein", n_jobs=threads),
                           lambda: pairwise_distance(X, metric="logdet")),
        "pairwise airm": (lambda: spdml.pairwise_distance(X, metric="airm", n_jobs=threads),
                          lambda: pairwise_distance(X, metric="riemann")),
        "mean airm": (lambda: spdml.mean(X, "airm", tol=1e-8, n_jobs=threads),
                      lambda: mean_riemann(X, tol=1e-8)),
        "knn predict airm": (lambda: ours.predict(X[half:]), lambda: theirs.predict(X[half:])),
    }


def agree(name, ours, theirs):
    import numpy as np
    if name.startswith("knn"):
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def measure(threads):
    for name, (ours, theirs) in work(threads).items():
        agree(name, ours(), theirs())
        fast, spread = best(ours, 7)
        slow, _ = best(theirs, 2)
        print(f"{name:<18} {threads:>7} {1e3 * fast:>10.2f} {spread:>7.2f} {1e3 * slow:>13.1f} "
              f"{slow / fast:>7.1f} {GOALS[name]:>6}", flush=True)


def main():
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
        return
    print(f"p = {P} matrices of {N} x {N}; goals are for two threads")
    print(f"{'':<18} {'threads':>7} {'spdml ms':>10} {'spread':>7} {'pyRiemann ms':>13} "
          f"{'ratio':>7} {'goal':>6}", flush=True)
    for threads in (1, 2):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"),
                           OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
        environment.setdefault("SPDML_LIBRARY", str(ROOT / "build/release/libspdml.so"))
        subprocess.run([sys.executable, __file__, str(threads)], env=environment, check=True)
    environment.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    table = pathlib.Path(__file__).with_name("bench_table.py")
    subprocess.run([sys.executable, str(table)], env=environment, check=True)


if __name__ == "__main__":
    main()
