#!/usr/bin/env python3
"""bench_recognition.py - `spdml classify` against pyRiemann: the nearest neighbour under AIRM.

    python bench_recognition.py [--spdml PATH] [--repeat N] [--peer-repeat N]

108 against 108 matrices of 155 x 155, 18 classes, as in the paper's material recognition, and the
same after a learned map to 20 x 20. Same files, same threads for both (for the peer: of its BLAS),
one after the other; both times are of fitting and predicting alone, without reading files. The
predictions must agree. The paper's seconds are its authors', in Matlab on a machine of 2014.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "fit"))
from bench_fit import SPDML, Failed, print_table, run_child, say  # noqa: E402
from workloads import Workload, chunks, labels  # noqa: E402

MATERIAL = Workload("material", n=155, p=216, classes=18, m=20)
GOAL = 10
PAPER = {155: 490.0, 20: 9.7}


def write_sets(work):
    """Half of each class to train on, half to test: paths of both, 155 x 155."""
    X, y = np.concatenate(list(chunks(MATERIAL))), labels(MATERIAL)
    half = MATERIAL.p // 2
    paths = work / "train-155.npz", work / "test-155.npz"
    for path, part in zip(paths, (slice(None, half), slice(half, None))):
        np.savez(path, X=X[part], y=y[part])
    return paths


def reduce_sets(spdml, work, paths):
    """The same after a map to 20 x 20, learned from the training set."""
    model = work / "model.spdml"
    run_child([spdml, "fit", paths[0], "-m", MATERIAL.m, "--metric", "airm", "--max-iter", 20,
               "-o", model, "-q"])
    small = []
    for path in paths:
        small.append(work / path.name.replace("155", str(MATERIAL.m)))
        run_child([spdml, "transform", model, path, "-o", small[-1], "-q"])
    return small


def time_ours(args, work, paths, threads):
    """Seconds of each run, ascending, and the predictions."""
    out, seconds = work / "predictions.npz", []
    for _ in range(args.repeat):
        shown = json.loads(run_child(
            [args.spdml, "classify", "--train", paths[0], "--test", paths[1], "--method", "nn-airm",
             "--threads", threads, "-o", out, "--json", "-q"])[0])
        seconds.append(shown["fit_seconds"] + shown["test_seconds"])
    with np.load(out) as file:
        return sorted(seconds), file["predicted"], shown["accuracy"]


def time_peer(args, paths, threads):
    env = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
    shown = json.loads(run_child([sys.executable, HERE / "peer.py", *paths, args.peer_repeat],
                                 env)[0])
    return sorted(shown["seconds"]), np.array(shown["predicted"])


def compare(args, work, n, paths, threads):
    """One row of the table."""
    say(f"{n} x {n}, {threads} threads: peer")
    theirs, expected = time_peer(args, paths, threads)
    say(f"{n} x {n}, {threads} threads: spdml")
    ours, predicted, accuracy = time_ours(args, work, paths, threads)
    if not (predicted == expected).all():
        raise Failed(f"{n} x {n}: {(predicted != expected).sum()} predictions differ")
    ratio = theirs[0] / ours[0]
    return [f"{n} x {n}", f"{threads}", f"{theirs[0]:.3f}", f"{ours[0]:.4f}",
            f"{100 * (ours[len(ours) // 2] / ours[0] - 1):.0f} %", f"{ratio:.1f}x", f"{GOAL}x",
            "reached" if ratio >= GOAL else "MISSED", f"{100 * accuracy:.1f} %",
            f"{PAPER[n]:.1f}"]


def run(args, work):
    large = write_sets(work)
    small = reduce_sets(args.spdml, work, large)
    rows = [compare(args, work, n, paths, threads)
            for n, paths in ((MATERIAL.n, large), (MATERIAL.m, small)) for threads in (1, 2)]
    print_table(
        "nearest neighbour under AIRM, 108 against 108, seconds: best of several, spread the "
        "median's",
        ["size", "threads", "pyRiemann", "spdml", "spread", "ratio", "goal", "", "accuracy",
         "paper"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spdml", type=pathlib.Path, default=SPDML)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--peer-repeat", type=int, default=2)
    args = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-recognition-") as work:
            run(args, pathlib.Path(work))
    except Failed as reason:
        print(f"bench_recognition: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
