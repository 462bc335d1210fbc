#!/usr/bin/env python3
"""bench_fit.py - `spdml fit` against pymanopt, and how its time and memory grow.

    python bench_fit.py [--case NAME]... [--metric NAME]... [--quick] [--spdml PATH] [--work DIR]

Same data, same graph (an affinity file, read by both), same start (the truncated identity), two
threads each, one after the other. The peer runs 50 iterations or --peer-seconds; the cost it has
then is the one to reach. Ours is first asked how many iterations it needs for that cost, then
timed with so many: from the history, whose seconds count everything after the graph. Should ours
end above the peer's cost, both are compared at ours, and the table says so.

Peers: `plain` evaluates cost and gradient on their own, as pymanopt calls them; `shared` keeps
what both have in common for the last point (see peer.py); `coordinates` is that one in the
coordinates that ours descends in, from the same start: the others show what coordinates and code
gain together, this one what the code does alone.
"""
import argparse
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import workloads

HERE = pathlib.Path(__file__).resolve().parent
SPDML = HERE.parents[1] / "build" / "release" / "spdml"
METRICS = ("stein", "airm", "log-euclidean")  # the last with its exact cost
USUAL = METRICS[:2]
PEERS = ("plain", "shared", "coordinates")
GOALS = {"stein": 60, "airm": 40, "log-euclidean": 20}
THREADS = "2"
PEER_ITERATIONS = 50
MOST_ITERATIONS = 1000
PAIR_BYTES = 24  # of one pair of the graph: two indices and two weights


class Failed(Exception):
    """Something did not run, or the two programs do not do the same."""


def print_table(title, head, rows):
    """Aligned columns, text to the left and everything else to the right."""
    lines = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[c]) for line in lines) for c in range(len(head))]
    text = [all(isinstance(row[c], str) and not row[c][:1].isdigit() for row in rows)
            for c in range(len(head))]
    print(f"\n{title}")
    for line in lines:
        cells = (f"{cell:<{w}}" if t else f"{cell:>{w}}" for cell, w, t in zip(line, widths, text))
        print("  ".join(cells).rstrip())
    sys.stdout.flush()


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- running the two programs -------------------------------------------------------------------


# A process inherits the peak memory of the one that started it; so a small one does that here.
STARTER = """
import os, sys, time
began = time.perf_counter()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    print(time.perf_counter() - began, usage.ru_maxrss, file=file)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
"""


def run_child(command, env=None):
    """Runs a command; returns its standard output, wall seconds and peak memory in bytes."""
    command = [str(c) for c in command]
    with tempfile.NamedTemporaryFile("r") as usage:
        child = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, usage.name, *command],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                               check=False)
        if child.returncode:
            raise Failed(f"exit status {child.returncode} from: {' '.join(command)}\n"
                         f"{child.stderr}{child.stdout}".strip())
        seconds, peak = usage.read().split()
    return child.stdout, float(seconds), 1024 * int(peak)


@dataclasses.dataclass
class Run:
    """One run: cost and seconds by iteration, 0 is the start."""

    cost: np.ndarray
    seconds: np.ndarray
    probes: float = 0.0  # per iteration
    report: dict = dataclasses.field(default_factory=dict)
    wall: float = 0.0
    peak: int = 0

    @property
    def iterations(self):
        return len(self.cost) - 1

    @property
    def per_iteration(self):
        return (self.seconds[-1] - self.seconds[0]) / max(self.iterations, 1)

    def first_at(self, cost):
        """The first iteration with at most this cost."""
        there = np.nonzero(self.cost <= cost)[0]
        if len(there) == 0:
            raise Failed(f"a run that should reach the cost {cost!r} ends at {self.cost.min()!r}")
        return int(there[0])


class Bench:
    """The command, the place for files, and how long things may take."""

    def __init__(self, args, work):
        self.args = args
        self.work = pathlib.Path(work)

    def verdict(self, good):
        """The goals are meant for the real sizes."""
        if self.args.quick:
            return "quick"
        return "reached" if good else "MISSED"

    def fit(self, data, m, metric, *options):
        history = self.work / "history.csv"
        if metric == "log-euclidean":
            options += ("--log-cost", "exact")
        out, wall, peak = run_child(
            [self.args.spdml, "fit", data, "-m", m, "--metric", metric, "--threads", THREADS,
             "--history", history, "-o", self.work / "model.spdml", "--json", "-q", *options])
        with open(history, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        cost, seconds, probes = (
            np.array([float(row[name]) for row in rows]) for name in ("cost", "seconds", "probes"))
        return Run(cost, seconds, probes[1:].sum() / max(len(rows) - 1, 1), json.loads(out), wall,
                   peak)

    def fit_exactly(self, data, m, metric, graph, iterations, *options):
        """So many iterations, unless the line search ends before."""
        return self.fit(data, m, metric, "--affinity", graph, "--init", "identity", "--tol", "0",
                        "--max-iter", iterations, *options)

    def coordinates(self, data, w, metric, graph):
        """A checkpoint with the coordinates that a fit chooses; None for plain ones."""
        path = self.work / "coordinates.npz"
        run = self.fit_exactly(data, w.m, metric, graph, 0, "--checkpoint", path)
        return None if run.report["coordinates"] == "plain" else path

    def peer(self, data, graph, w, metric, kind):
        history = self.work / "peer.npz"
        env = dict(os.environ, OPENBLAS_NUM_THREADS=THREADS, OMP_NUM_THREADS=THREADS)
        command = [sys.executable, HERE / "peer.py", data, graph, history, "--m", w.m,
                   "--metric", metric]
        if kind == "coordinates":
            path = self.coordinates(data, w, metric, graph)
            command += ["--coordinates", path] if path else []
        if self.args.check:
            say(run_child(command + ["--check"], env)[0].strip())
        run_child(command + ["--iterations", PEER_ITERATIONS, "--seconds", self.args.peer_seconds]
                  + (["--plain"] if kind == "plain" else []), env)
        with np.load(history) as h:
            return Run(h["cost"], h["seconds"])

    def data_file(self, w):
        path = self.work / f"{w.name}.npz"
        if not path.exists():
            workloads.write_npz(w, path)
        return path

    def graph_file(self, w, metric):
        """The neighbour graph, from distances that `spdml distance` computes."""
        path = self.work / f"{w.name}-{metric}-pairs.npz"
        if not path.exists():
            D = self.work / "distances.npy"
            run_child([self.args.spdml, "distance", self.data_file(w), "--metric", metric,
                       "--squared", "--threads", THREADS, "-q", "-o", D])
            workloads.write_pairs(
                path, workloads.nearest_pairs(np.load(D), workloads.labels(w), w.nu_w, w.nu_b))
        return path


# ---- against the peer ---------------------------------------------------------------------------


def check_same_start(ours, peer):
    a, b = ours.cost[0], peer.cost[0]
    if abs(a - b) > 1e-9 * abs(b):
        raise Failed(f"the costs at the start differ: ours {a!r}, the peer's {b!r}")


def compare(bench, w, metric):
    """Rows of the table for one workload and metric, one per kind of peer."""
    data, graph = bench.data_file(w), bench.graph_file(w, metric)
    peers = {}
    for kind in bench.args.peer:
        say(f"{w.name} {metric}: peer ({kind})")
        peers[kind] = bench.peer(data, graph, w, metric, kind)
    say(f"{w.name} {metric}: spdml")
    probe = bench.fit_exactly(data, w.m, metric, graph, MOST_ITERATIONS)
    targets = {}
    for kind, peer in peers.items():
        check_same_start(probe, peer)
        slack = 1e-9 * abs(peer.cost[0] - peer.cost[-1])
        targets[kind] = max(peer.cost.min(), probe.cost.min()) + slack
    needed = max(probe.first_at(target) for target in targets.values())
    runs = [bench.fit_exactly(data, w.m, metric, graph, needed)
            for _ in range(bench.args.repeat)]
    return [row(bench, w, metric, kind, peers[kind], runs, target, probe)
            for kind, target in targets.items()]


def row(bench, w, metric, kind, peer, runs, target, probe):
    times = sorted(run.seconds[run.first_at(target)] for run in runs)
    best, median = times[0], times[len(times) // 2]
    theirs = peer.first_at(target)
    ratio = peer.seconds[theirs] / best
    worse = probe.cost.min() > target
    per_iteration = min(run.per_iteration for run in runs)
    goal = GOALS[metric] if kind != "coordinates" else 0  # coordinates have a part in the goal
    return [
        w.name, metric, kind, f"{target:.6g}" + (" (ours)" if worse else ""),
        f"{peer.seconds[theirs]:.2f}", f"{best:.4f}", f"{100 * (median / best - 1):.0f} %",
        f"{ratio:.1f}x", f"{goal}x" if goal else "", bench.verdict(ratio >= goal) if goal else "",
        f"{theirs}", f"{runs[0].first_at(target)}",
        f"{1e3 * peer.per_iteration:.1f}", f"{1e3 * per_iteration:.2f}",
        f"{peer.per_iteration / per_iteration:.1f}x"]


def compare_all(bench, chosen):
    rows = [r for w in chosen for metric in bench.args.metric for r in compare(bench, w, metric)]
    print_table(
        "time to the same cost, two threads each; ours the best of several, spread the median's",
        ["workload", "metric", "peer", "cost", "peer s", "ours s", "spread", "ratio", "goal", "",
         "peer it", "ours it", "peer ms/it", "ours ms/it", "per it"], rows)


# ---- ours alone ---------------------------------------------------------------------------------


def memory_limit(w, pairs):
    """The goal: 1.2 times what samples and products need, and the graph, in bytes."""
    graph = PAIR_BYTES * pairs
    return 1.2 * 8 * w.p * (w.n**2 + 2 * w.n * w.m + 4 * w.m**2) + graph, graph


def run_large(bench, w, metric, iterations):
    """Makes the files, where they are not there yet, and runs so many iterations."""
    data, graph = bench.work / f"{w.name}.npy", bench.work / f"{w.name}-pairs.npz"
    if not data.exists():
        say(f"{w.name}: making {w.p} matrices")
        workloads.write_npy(w, data)
    workloads.write_pairs(graph, workloads.random_pairs(w))
    say(f"{w.name} {metric}: spdml")
    runs = [bench.fit_exactly(data, w.m, metric, graph, iterations)
            for _ in range(min(bench.args.repeat, 3))]
    return min(runs, key=lambda run: run.per_iteration)


def large(bench, w):
    rows = []
    for metric in bench.args.metric:
        run = run_large(bench, w, metric, bench.args.iterations)
        limit, graph = memory_limit(w, 10 * w.p)
        rows.append([
            w.name, metric, f"{w.p}", f"{run.iterations}", f"{run.per_iteration:.3f}",
            f"{run.probes:.1f}", f"{run.report['seconds_fit']:.2f}", f"{run.wall:.2f}",
            f"{run.peak / 2**20:.0f}", f"{limit / 2**20:.0f}", f"{graph / 2**20:.1f}",
            bench.verdict(run.peak <= limit)])
    print_table(
        "large: ours alone, 10 pairs per sample; peak memory at most 1.2 x 8p(n^2 + 2nm + 4m^2) "
        "bytes + graph",
        ["workload", "metric", "p", "iterations", "s/it", "probes/it", "fit s", "whole s",
         "peak MiB", "goal MiB", "graph MiB", ""], rows)


def linear(bench, base, sizes):
    rows = []
    for metric in bench.args.metric:
        seconds = []
        for p in sizes:
            w = dataclasses.replace(base, name=f"linear-{p}", p=p)
            run = run_large(bench, w, metric, bench.args.iterations)
            seconds.append(run.per_iteration)
            rows.append([metric, f"{p}", f"{1e3 * run.per_iteration:.2f}",
                         f"{1e6 * run.per_iteration / p:.2f}", f"{run.probes:.1f}", "", "", ""])
        exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        rows[-1][-3:] = [f"{exponent:.3f}", "0.9 to 1.1", bench.verdict(0.9 <= exponent <= 1.1)]
    print_table(f"time per iteration over p (n {base.n}, m {base.m}, 10 pairs per sample)",
                ["metric", "p", "ms/it", "us/it/p", "probes/it", "exponent", "goal", ""], rows)


def whole(bench, w):
    """The command as a person runs it: reading, checking, graph, fit, writing; defaults."""
    rows = []
    for metric in bench.args.metric:
        with np.load(bench.graph_file(w, metric)) as g:
            pairs = [int((g["value"] > 0).sum()), int((g["value"] < 0).sum())]
        runs = [bench.fit(bench.data_file(w), w.m, metric, "--nu-w", w.nu_w, "--nu-b", w.nu_b)
                for _ in range(bench.args.repeat)]
        run = min(runs, key=lambda r: r.wall)
        report = run.report
        if pairs != [report["pairs_within"], report["pairs_between"]]:
            raise Failed(f"{w.name} {metric}: the graph has {report['pairs_within']} and "
                         f"{report['pairs_between']} pairs, by its distances {pairs}")
        rows.append([
            w.name, metric, f"{run.wall:.3f}", f"{report['seconds_graph']:.3f}",
            f"{report['seconds_fit']:.3f}", f"{report['iterations']}", report["stop"],
            "1 s" if metric == "stein" else "",
            bench.verdict(run.wall < 1) if metric == "stein" else ""])
    print_table("the whole of `spdml fit`, reading and graph included, default options",
                ["workload", "metric", "whole s", "graph s", "fit s", "iterations", "stop", "goal",
                 ""], rows)


# ---- the list of cases --------------------------------------------------------------------------


def cases(args):
    """Name -> what to run. A quick run has the same cases on small data."""
    w = workloads.WORKLOADS
    against = ["hdm05-like", "uiuc-like", "feret-like"]
    if not args.quick:
        return against, {
            "whole": lambda b: whole(b, w["hdm05-like"]),
            "linear": lambda b: linear(b, w["large"], (1000, 2000, 4000, 8000)),
            "large": lambda b: large(b, w["large"])}
    small = dataclasses.replace(w["large"], name="large-small", n=40, m=8, p=2000)
    return ["small"], {
        "whole": lambda b: whole(b, workloads.SMALL),
        "linear": lambda b: linear(b, small, (1000, 2000)),
        "large": lambda b: large(b, small)}


def run_cases(bench):
    against, alone = cases(bench.args)
    names = bench.args.case or against + list(alone)
    for name in names:
        if name not in against and name not in alone:
            raise Failed(f"no case {name!r}; there are {', '.join(against + list(alone))}")
    table = dict(workloads.WORKLOADS, small=workloads.SMALL)
    chosen = [table[name] for name in names if name in against]
    if chosen:
        compare_all(bench, chosen)
    for name in names:
        if name in alone:
            alone[name](bench)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", action="append", metavar="NAME",
                        help="hdm05-like, uiuc-like, feret-like, whole, linear or large; all")
    parser.add_argument("--metric", action="append", choices=METRICS,
                        help=f"{' and '.join(USUAL)} by default")
    parser.add_argument("--quick", action="store_true", help="small data, to see that it runs")
    parser.add_argument("--spdml", type=pathlib.Path, default=SPDML, help="the command")
    parser.add_argument("--work", metavar="DIR", help="where data are made and kept")
    parser.add_argument("--peer", action="append", choices=PEERS,
                        help="kind of peer; all three by default")
    parser.add_argument("--peer-seconds", type=float, default=60, help="limit for each peer")
    parser.add_argument("--check", action="store_true", help="check the peer's gradient too")
    parser.add_argument("--repeat", type=int, default=5, help="runs of ours")
    parser.add_argument("--iterations", type=int, default=20, help="of linear and large")
    args = parser.parse_args()
    args.metric = args.metric or list(USUAL)
    args.peer = args.peer or list(PEERS)
    return args


def main():
    args = parse()
    try:
        if args.work:
            os.makedirs(args.work, exist_ok=True)
            run_cases(Bench(args, args.work))
        else:
            with tempfile.TemporaryDirectory(prefix="bench-fit-") as work:
                run_cases(Bench(args, work))
    except Failed as reason:
        print(f"bench_fit: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
