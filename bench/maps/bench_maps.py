#!/usr/bin/env python3
"""bench_maps.py - accuracy of nearest neighbours and of sparse coding after each candidate map.

    python bench_maps.py [FOLDER] [-o RESULTS.jsonl] [--sets ...] [--candidates ...] [--splits A B]

For every set, split, candidate and size m: the map is learned in each of three folds of the training
part and on all of it. What is kept is which samples were decided rightly, in the folds (to choose by)
and in the test part (to report): every rule of choosing can be tried afterwards, by conclude.py,
without another fit. One JSON object per line; what the output holds already is not done again.
FOLDER holds the sets (sets.py); without one, a small generated set shows what comes out.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SPDML_LIBRARY", str(ROOT / "build" / "release" / "libspdml.so"))
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402

import conclude  # noqa: E402
import spdml  # noqa: E402
from candidates import CANDIDATES  # noqa: E402
from sets import PROTOCOLS, SPLITS, load  # noqa: E402

FOLDS = 3
SHARES = (0.125, 0.25, 0.5)
LARGE = 60  # from this n on half of it is left out: those fits take longest


def deal(y, group, seed):
    """A fold for every sample: stratified, or whole groups."""
    rng = np.random.default_rng(1000 + seed)
    fold = np.zeros(len(y), int)
    if group is not None:
        count = min(FOLDS, group.max() + 1)
        return rng.permutation(group.max() + 1)[group] % count
    at = 0
    for label in np.unique(y):
        of = rng.permutation(np.flatnonzero(y == label))
        if len(of) == 1:
            fold[of] = -1  # always trains
            continue
        fold[of] = (at + np.arange(len(of))) % FOLDS
        at += len(of)
    return fold


def right_of(train, y_train, test, y_test):
    """Which of the test samples nearest neighbours (Stein) and sparse coding decide rightly."""
    nearest = spdml.neighbors(train, test, 1, metric="stein", n_jobs=1)[1][:, 0]
    coding = spdml.RSRClassifier(alpha=1e-2, beta_scale=0.25, n_jobs=1).fit(train, y_train)
    return y_train[nearest] == y_test, coding.predict(test) == y_test


def mapped(W, X):
    """What is compared in place of X. Of several maps, the mapped matrices and X itself as blocks of
    one: squared distances (Stein, AIRM) of the blocks add up."""
    if W is None:
        return X
    if not isinstance(W, list):
        return np.ascontiguousarray(W.T @ X @ W)
    parts = [mapped(one, X) for one in W + [None]]
    whole = np.zeros((len(X),) + (sum(part.shape[1] for part in parts),) * 2)
    at = 0
    for part in parts:
        whole[:, at:at + part.shape[1], at:at + part.shape[1]] = part
        at += part.shape[1]
    return whole


def learn(options, m, X, y):
    if options is None:
        return None, 0
    if options.get("several"):
        plain = {key: value for key, value in options.items() if key != "several"}
        made = [learn(plain, size, X, y) for size in sizes(X.shape[1])]
        return [W for W, _ in made], sum(iterations for _, iterations in made)
    estimator = spdml.SPDML(m, "stein", n_jobs=1, random_state=1, **options).fit(X, y)
    return estimator.components_.T, estimator.n_iter_


def text(bits):
    return "".join("1" if b else "0" for b in bits)


def one(options, m, X, y, train, test, fold):
    """A record: bits of folds and of the test, iterations, seconds of learning on all of it."""
    folds = np.zeros((2, len(train)), bool)
    for f in np.unique(fold[fold >= 0]):
        a, b = train[fold != f], train[fold == f]
        W, _ = learn(options, m, X[a], y[a])
        folds[:, fold == f] = right_of(mapped(W, X[a]), y[a], mapped(W, X[b]), y[b])
    began = time.process_time()
    W, iterations = learn(options, m, X[train], y[train])
    seconds = time.process_time() - began
    tested = right_of(mapped(W, X[train]), y[train], mapped(W, X[test]), y[test])
    return {"iterations": int(iterations), "seconds": round(seconds, 3),
            "folds_nn": text(folds[0]), "folds_rsr": text(folds[1]),
            "test_nn": text(tested[0]), "test_rsr": text(tested[1])}


def sizes(n):
    return sorted({max(2, round(share * n)) for share in SHARES if share < 0.5 or n < LARGE})


def work(args, done):
    """What there is to do, cheap sets first in every round."""
    for split in range(*args.splits):
        for name in args.sets:
            for candidate in ["no map"] + args.candidates:
                if (name, split, candidate) not in done:
                    yield name, split, candidate


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", help="where the sets are")
    parser.add_argument("-o", "--output", help="JSON lines; added to")
    parser.add_argument("--sets", nargs="+", default=list(PROTOCOLS))
    parser.add_argument("--candidates", nargs="+", default=list(CANDIDATES))
    parser.add_argument("--splits", nargs=2, type=int, default=(0, SPLITS))
    args = parser.parse_args()
    if args.folder and not args.output:
        parser.error("sets of your own need -o RESULTS.jsonl")
    return args


def try_out():
    """A generated set, three splits, and the conclusion."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / "build" / "release" / "spdml", "synth", "spd", "--samples", "30",
                        "-o", f"{folder}/spd.npz", "-q"], check=True, stdout=subprocess.DEVNULL)
        args = argparse.Namespace(folder=folder, output=f"{folder}/results.jsonl", sets=["spd"],
                                  candidates=["difference 3", "softmax"],
                                  splits=(0, 3))
        measure(args)
        conclude.tables([args.output], args.candidates, 2)


def main():
    args = arguments()
    if args.folder:
        measure(args)
    else:
        try_out()


def measure(args):
    done, data = set(), {}
    if os.path.exists(args.output):
        with open(args.output, encoding="utf-8") as file:
            done = {(r["set"], r["split"], r["candidate"]) for r in map(json.loads, file)}
    for name, split, candidate in work(args, done):
        if name not in data:
            data[name] = load(args.folder, name)
        if data[name] is None:
            continue
        X, y = np.ascontiguousarray(data[name]["X"], float), data[name]["y"]
        train, test, group = PROTOCOLS[name](data[name], split)
        fold = deal(y[train], group, split)
        options = CANDIDATES.get(candidate)
        lines = []
        several = options is None or options.get("several")
        for m in [X.shape[1]] if several else sizes(X.shape[1]):
            record = {"set": name, "split": split, "candidate": candidate, "m": m}
            try:
                record.update(one(options, m, X, y, train, test, fold))
            except spdml.SPDError as error:
                record["error"] = str(error)
            lines.append(json.dumps(record) + "\n")
        with open(args.output, "a", encoding="utf-8") as file:
            file.write("".join(lines))


if __name__ == "__main__":
    main()
