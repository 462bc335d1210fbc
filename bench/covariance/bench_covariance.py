#!/usr/bin/env python3
"""bench_covariance.py - spd_covariance against numpy.cov: observations per second at n = 155.

    python bench_covariance.py [--program PATH] [--rounds N]

Same shapes, uniform numbers, both in memory; both get the same number of threads (numpy's are those
of its BLAS). Rounds alternate, the best of each counts. Rows are 9604 as in dense SIFT on 400 x 400
pixels, and ten times as many.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = [(9604, 155), (96040, 155)]


def peer(rows, n):
    """In a process of its own, so that its BLAS obeys OPENBLAS_NUM_THREADS."""
    import numpy as np

    O, best = np.random.default_rng(1).random((rows, n)), float("inf")
    for _ in range(5):
        start = time.perf_counter()
        np.cov(O, rowvar=False)
        best = min(best, time.perf_counter() - start)
    print(json.dumps({"seconds": best}))


def seconds(words, threads):
    env = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run([str(w) for w in words], env=env, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["seconds"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=ROOT / "build/release/bench/bench_covariance")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer", nargs=2, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        peer(*args.peer)
        return
    print(f"{'rows':>8} {'n':>4} {'threads':>8} {'spdml rows/s':>14} {'numpy rows/s':>14} "
          f"{'ratio':>6}")
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        for rows, n in SHAPES:
            ours, theirs = [], []
            for _ in range(args.rounds):
                ours.append(seconds([args.program, "--json", rows, n, threads], threads))
                theirs.append(seconds([sys.executable, __file__, "--peer", rows, n], threads))
            print(f"{rows:8} {n:4} {threads:8} {rows / min(ours):14.3g} {rows / min(theirs):14.3g} "
                  f"{min(theirs) / min(ours):6.2f}")


if __name__ == "__main__":
    main()
