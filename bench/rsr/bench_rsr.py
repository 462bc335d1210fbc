"""bench_rsr.py - sparse coding beside scikit-learn's Lasso, in one run on one machine.

    minimise v'Kv - 2 v'k + lambda |v|_1     for every query k, one kernel matrix K

bench_rsr (C) makes the problems, times ours and writes them; scikit-learn gets the same K and k:

    loop   one Lasso(alpha).fit(K^1/2, K^-1/2 k) after the other, as a user would write it, stopping
           at the gap that we stop at
    loose  the same with the default stopping rule, a gap of 1e-4 of |y|^2
    gram   all queries in one call, with K precomputed: the best that the package offers

The ratio is of queries per second, ours on one and on two threads; ours computes kernel values and
class residuals besides. Objectives are compared before anything is said about time."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

# One thread for BLAS: what is compared is the solvers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/bench/bench_rsr"
GOAL = 20
SECONDS = 5  # for each kind of peer and problem
TOLERANCE = 1e-8
ITERATIONS = 10000  # at most; a query of the larger problem takes seconds then


def features(K, k):
    """K^1/2 (p x p) and K^-1/2 k as columns (p x queries)."""
    value, U = np.linalg.eigh(K)
    value = np.maximum(value, 1e-14 * value[-1])
    return (U * np.sqrt(value)).T.copy(order="F"), (U / np.sqrt(value)).T @ k.T


def objective(K, k, lam, v):
    return v @ K @ v - 2 * v @ k + lam * np.abs(v).sum()


def model(p, lam, tol, iterations, **more):
    """Its objective is |y - Xv|^2 / (2p) + alpha |v|_1."""
    return Lasso(alpha=lam / (2 * p), fit_intercept=False, tol=tol, max_iter=iterations, **more)


def loop(A, Y, lam, tol, iterations):
    """Codes and queries per second, as many queries as fit into the time."""
    codes = []
    start = time.perf_counter()
    for y in Y.T:
        codes.append(model(len(A), lam, tol, iterations).fit(A, y).coef_)
        if time.perf_counter() - start > SECONDS:
            break
    return codes, len(codes) / (time.perf_counter() - start)


def gram(A, K, Y, lam, rate):
    """The same in one call; the rate of the loop tells how many queries to give it."""
    count = int(np.clip(rate * SECONDS, 2, Y.shape[1]))
    K = np.ascontiguousarray(K)
    start = time.perf_counter()
    fit = model(len(A), lam, TOLERANCE, ITERATIONS, precompute=K, copy_X=False).fit(A, Y[:, :count])
    return list(fit.coef_), count / (time.perf_counter() - start)


def compare(name, problem):
    K, k = problem["K"], problem["k"]
    A, Y = features(K, k)
    for lam, (one, two) in zip(problem["lambdas"], problem["seconds"]):
        ours = len(k) / one, len(k) / two
        rows = {"loop": loop(A, Y, lam, TOLERANCE, ITERATIONS),
                "loose": loop(A, Y, lam, 1e-4, 1000)}
        rows["gram"] = gram(A, K, Y, lam, rows["loop"][1])
        best = [objective(K, q, lam, v) for q, v in zip(k, rows["loop"][0])]
        for kind, (codes, rate) in rows.items():
            off = max((objective(K, q, lam, v) - b) / abs(b) for q, v, b in zip(k, codes, best))
            verdict = "" if kind != "loop" else "  met" if ours[0] / rate >= GOAL else "  NOT met"
            print(f"{name:<12} {lam:>7g} {kind:<6} {rate:>10.1f} {off:>9.1e} {ours[0]:>10.0f} "
                  f"{ours[1]:>10.0f} {ours[0] / rate:>8.1f} {ours[1] / rate:>8.1f}{verdict}",
                  flush=True)


def main():
    program = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else PROGRAM
    warnings.simplefilter("ignore", ConvergenceWarning)
    with tempfile.TemporaryDirectory(prefix="bench-rsr-") as folder:
        subprocess.run([program, folder], check=True)
        print(f"\nqueries per second beside scikit-learn, goal {GOAL} times one thread of the loop")
        print(f"{'data':<12} {'lambda':>7} {'peer':<6} {'peer/s':>10} {'off by':>9} "
              f"{'ours/s, 1':>10} {'ours/s, 2':>10} {'ratio 1':>8} {'ratio 2':>8}")
        for path in sorted(pathlib.Path(folder).glob("*.npz"), reverse=True):
            with np.load(path) as problem:
                compare(path.stem, dict(problem))


if __name__ == "__main__":
    main()
