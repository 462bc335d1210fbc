#!/usr/bin/env python3
"""bench_tune.py - what choosing a learned map costs, and what is chosen: the race over the folds
against the exhaustive search.

    python bench_tune.py [FILE.npz]... [--method NAME]... [--repeats N] [--spdml PATH]
                         [--before PATH] [--work DIR]

Without files: generated matrices, materials and motion capture, the last for the first method
alone. Each set is split in halves, at random within each class, --repeats times (2); the map is
chosen within the training half, once with --exhaustive and once without, on one thread.

The columns: CPU seconds of the tuning (those of the whole command, times the share of tuning in its
time), fits of maps and their iterations, all per split; the accuracy that cross-validation promised
and that of the test; the choices. A set is good if the race takes a tenth and its test accuracy is
not below that of the exhaustive search by more than half a standard error, sqrt(a (1 - a) / tests).

--before names another build, of an earlier state: its race is compared in place of the exhaustive
search, which is left out.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SPDML = HERE.parents[1] / "build" / "release" / "spdml"
METHODS = ["nn-stein-ml", "nn-airm-ml"]
GOAL = 10


class Failed(Exception):
    """Something did not run."""


def run(command):
    """Standard output of a command, and the CPU seconds that it took."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        # pylint: disable-next=consider-using-with
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err,
                                 env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode:
            raise Failed(f"{' '.join(map(str, command))}\n{err.read()}".strip())
        return out.read(), usage.ru_utime + usage.ru_stime


def generate(spdml, work):
    """The files of the generated sets."""
    spd, clips, motion = work / "spd.npz", work / "clips", work / "motion.npz"
    images, materials = work / "images", work / "materials.npz"
    run([spdml, "synth", "spd", "-o", spd, "--samples", 40, "--seed", 3])
    run([spdml, "synth", "motion", "-o", clips, "--classes", 6, "--samples", 2, "--frames", 100])
    run([spdml, "describe", "joints", clips, "--labels", clips / "index.csv", "--regularize", 1e-3,
         "-o", motion])
    run([spdml, "synth", "textures", "-o", images, "--classes", 8, "--size", 100])
    run([spdml, "describe", "region", images, "-o", materials])
    return [spd, materials, motion]


def setting(values):
    """The choice of a round in words."""
    if values.get("objective") is None:
        return "no map"
    rest = f" nu-b {values['nu-b']}" if values.get("nu-b") else ""
    return f"{values['objective']} m {values['m']}{rest}"


def measure(args, spdml, path, method, *options):
    """Means over the splits of one method on one set."""
    out, cpu = run([spdml, "evaluate", path, "--methods", method, "--split", 0.5, "--repeats",
                    args.repeats, "--threads", 1, "--final", "none", "--json", *options])
    result = json.loads(out)["results"][0]
    rounds = result["rounds"]
    seconds = [result[f"{name}_seconds"] for name in ("tune", "fit", "test")]

    def mean(name):
        return sum(r[name] for r in rounds) / len(rounds)

    return {"cpu": cpu * seconds[0] / sum(seconds) / len(rounds), "fits": mean("tune_fits"),
            "iterations": mean("tune_iterations"), "cv": 100 * mean("cv_accuracy"),
            "test": 100 * mean("accuracy"), "tests": rounds[0]["test"],
            "choice": "; ".join(setting(r["parameters"]) for r in rounds)}


def verdict(old, new, goal):
    """Is the race cheap, and its choice as good?"""
    share = old["test"] / 100
    half = 50 * math.sqrt(share * (1 - share) / old["tests"])
    cheap = old["cpu"] >= goal * new["cpu"]
    good = new["test"] >= old["test"] - half
    words = [f"1/{old['cpu'] / new['cpu']:.1f}" + ("" if cheap else " (too dear)"),
             f"{new['test'] - old['test']:+.2f} of -{half:.2f}" + ("" if good else " (WORSE)")]
    return ", ".join(words)


def show(name, label, found):
    print(f"{name:<22} {label:<10} {found['cpu']:8.2f} {found['fits']:6.0f} "
          f"{found['iterations']:10.0f} {found['cv']:7.2f} {found['test']:7.2f}  "
          f"{found['choice']}", flush=True)


def compare(args, paths):
    print(f"{'set, method':<33} {'CPU s':>8} {'fits':>6} {'iterations':>10} {'CV %':>7} "
          f"{'test %':>7}  choice")
    for path in paths:
        usual = METHODS[:1] if not args.file and path.stem == "motion" else METHODS
        for method in args.method or usual:
            if args.before:
                old = measure(args, args.before, path, method)
            else:
                old = measure(args, args.spdml, path, method, "--exhaustive")
            new = measure(args, args.spdml, path, method)
            show(f"{path.stem} {method}", "before" if args.before else "exhaustive", old)
            show("", "now" if args.before else "race", new)
            print(f"{'':<22} {verdict(old, new, 1 if args.before else GOAL)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", nargs="*", type=pathlib.Path)
    parser.add_argument("--method", action="append")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--spdml", type=pathlib.Path, default=SPDML)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    args = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(dir=args.work) as work:
            compare(args, args.file or generate(args.spdml, pathlib.Path(work)))
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
