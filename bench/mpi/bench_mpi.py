#!/usr/bin/env python3
"""bench_mpi.py - a fit by one process and by several, one thread each: how well they share it.

    python bench_mpi.py [-p N] [-n N] [-m N] [--within N] [--between N] [--ranks R]... [--metric NAME]...
                        [--objective NAME] [--iterations N] [--spdml PATH] [--work DIR] [--launcher WORDS]

Random matrices (20,000 of 93 x 93, 1.4 GB, kept in the folder of --work) and a random graph with so many
pairs within and between classes for each of them, so that no neighbour search is measured, and nearly all
pairs join matrices of two processes: the worst case for what is sent.

The columns: seconds of an iteration, the median; the same for R processes at once that have 1/R of the
samples each and do not speak to each other, which is all that the machine allows, whoever else uses it;
processor seconds of the first process, and those of them that it spent exchanging, the waiting for others
included; the efficiency: the time of one process over R times that of R, the time of those apart over that of
R, and by processor time outside the exchange; what a process sends per iteration, as -v tells. The model must
have the same W as that of one process, bit by bit.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SPDML = HERE.parents[1] / "build" / "release" / "spdml"
GOAL = 0.9
BLOCK = 500


def make_data(folder, p, n):
    """p random covariances of 2 n observations in a file; made once."""
    path = folder / f"x-{p}-{n}.npy"
    if path.exists():
        return path
    rng = np.random.default_rng(1)
    whole = np.lib.format.open_memmap(path.with_suffix(".part"), "w+", float, (p, n, n))
    for first in range(0, p, BLOCK):
        A = rng.standard_normal((min(BLOCK, p - first), n, 2 * n))
        whole[first:first + len(A)] = A @ A.transpose(0, 2, 1) / (2 * n)
    whole.flush()
    path.with_suffix(".part").rename(path)
    return path


def make_graph(folder, p, within, between):
    """A random graph: so many pairs of each kind for each sample, none twice."""
    path = folder / f"g-{p}-{within}-{between}.npz"
    if path.exists():
        return path
    rng = np.random.default_rng(2)
    kinds = np.repeat([1.0, -1.0], [within, between])
    i = np.repeat(np.arange(p), len(kinds))
    j = (i + rng.integers(1, p, len(i))) % p
    low, high = np.minimum(i, j), np.maximum(i, j)
    _, first = np.unique(low.astype(np.int64) * p + high, return_index=True)
    np.savez(path, i=low[first], j=high[first], value=np.tile(kinds, p)[first])
    return path


def environment():
    """Where so many processes may run, and as anyone."""
    more = {"OPENBLAS_NUM_THREADS": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    if os.geteuid() == 0:
        more |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**os.environ, **more}


def command(options, ranks, data, graph, metric, number=0):
    """The words of a fit, and the stem of the files that it writes."""
    stem = options.work / f"fit-{number}"
    words = [options.spdml, "fit", data, "--affinity", graph, "--objective", options.objective, "-m", options.m,
             "--metric", metric, "--init", "identity", "--tol", 0, "--max-iter",
             options.iterations, "--threads", 1, "-o", f"{stem}.spdml", "--history", f"{stem}.csv", "-v"]
    if ranks > 1:
        words = [*options.launcher.split(), "-n", ranks, *words, "--mpi"]
    return [str(word) for word in words], stem


def seconds_in(stem):
    """Those of every iteration."""
    return np.diff(np.loadtxt(f"{stem}.csv", delimiter=",", skiprows=1, ndmin=2)[:, 4])


def fit(options, ranks, data, graph, metric):
    """What a fit by so many processes took and sent, and its W."""
    words, stem = command(options, ranks, data, graph, metric)
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    busy = float(re.search(r"([\d.e+-]+) s of processor time", done.stderr)[1])
    sent = re.search(r"sent ([\d.e+]+) MB in (\d+) messages .*, ([\d.e+-]+) s of", done.stderr)
    size, messages, within = sent.groups() if sent else ("-", "-", "0")
    return {"seconds": statistics.median(seconds_in(stem)), "busy": busy, "within": float(within), "MB": size,
            "messages": messages, "W": np.load(f"{stem}.spdml")["W"]}


def apart(options, ranks, metric):
    """Seconds of an iteration of so many processes at once that have a share of the samples each and do not
    speak to each other: the slowest."""
    p = options.p // ranks
    data, graph = make_data(options.work, p, options.n), make_graph(options.work, p, options.within, options.between)
    fits = [command(options, 1, data, graph, metric, k) for k in range(ranks)]
    running = [subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for words, _ in fits]
    if any([process.wait() for process in running]):
        sys.exit("a fit of a share failed")
    return max(statistics.median(seconds_in(stem)) for _, stem in fits)


def show(metric, ranks, found, alone, share):
    """One line."""
    efficiency, to_apart = alone["seconds"] / (ranks * found["seconds"]), share / found["seconds"]
    by_cpu = alone["busy"] / (ranks * (found["busy"] - found["within"]))
    same = "yes" if (found["W"] == alone["W"]).all() else "NO"
    print(f"{metric:8}{ranks:6}{found['seconds']:9.3f}{share:9.3f}{found['busy']:9.3f}{found['within']:10.3f}"
          f"{efficiency:12.3f}{to_apart:10.3f}{by_cpu:8.3f}{found['MB']:>9}{found['messages']:>10}  {same}"
          f"{'' if max(efficiency, to_apart) >= GOAL else f', below {GOAL}'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in ("-p", 20000), ("-n", 93), ("-m", 20), ("--within", 3), ("--between", 4), ("--iterations", 4):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--ranks", type=int, action="append")
    parser.add_argument("--metric", action="append")
    parser.add_argument("--objective", default="softmax")
    parser.add_argument("--spdml", default=SPDML)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "bench-mpi")
    parser.add_argument("--launcher", default="mpirun --bind-to core")
    options = parser.parse_args()
    if not shutil.which(options.launcher.split()[0]):
        sys.exit("skipped: no mpirun")
    options.work.mkdir(exist_ok=True)
    data = make_data(options.work, options.p, options.n)
    graph = make_graph(options.work, options.p, options.within, options.between)
    print(f"p {options.p}, n {options.n}, m {options.m}, {options.within} + {options.between} pairs per sample, "
          f"objective {options.objective}, one thread each")
    print(f"{'metric':8}{'ranks':>6}{'s/iter':>9}{'apart':>9}{'CPU':>9}{'exchange':>10}{'efficiency':>12}{'to apart':>10}"
          f"{'by CPU':>8}{'MB':>9}{'messages':>10}  same bits")
    for metric in options.metric or ["stein", "airm"]:
        alone = fit(options, 1, data, graph, metric)
        for ranks in options.ranks or [2]:
            found, share = fit(options, ranks, data, graph, metric), apart(options, ranks, metric)
            show(metric, 1, alone, alone, alone["seconds"])
            show(metric, ranks, found, alone, share)


if __name__ == "__main__":
    main()
