"""conclude.py - tables from what bench_maps.py has measured: which candidate, and how to choose.

A rule is a list of candidates to choose from. The choice of candidate and size is made by the folds
of the training part alone, of one split alone; "no map" stays unless the best map beats it there by
more than one standard error of the paired difference. Shown is the accuracy on the test part, mean
over splits. The last table chooses the rule itself: for every set by all the others.
"""
import argparse
import collections
import itertools
import json

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

NO_MAP = "no map"


def bits(text):
    return np.frombuffer(text.encode(), np.uint8) == ord("1")


def read(paths):
    """cells[set][split][candidate] = list of records, by size; errors left out."""
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for record in map(json.loads, file):
                of = cells[record["set"]][record["split"]].setdefault(record["candidate"], [])
                if "error" not in record:
                    of.append(record)
    return cells


def beats(best, none, errors=1.0):
    """Does `best` get more right than `none`, by more than its standard error?"""
    gain = best.astype(int) - none.astype(int)
    return gain.sum() > errors * np.sqrt(len(gain) * gain.var())


def choose(cell, names, by, careful=True):
    """The record that the folds choose among candidates and sizes."""
    records = [r for name in names for r in cell.get(name, [])]
    best = max(records, key=lambda r: bits(r["folds_" + by]).sum(), default=None)
    if NO_MAP not in cell or best is None:
        return best
    none = cell[NO_MAP][0]
    keep = careful and not beats(bits(best["folds_" + by]), bits(none["folds_" + by]))
    return none if keep else best


def accuracy(splits, names, by, careful=True):
    """Mean over splits that have all of the names, in per cent; NaN without any."""
    found = []
    for cell in splits.values():
        if all(name in cell for name in names):
            record = choose(cell, names, by, careful)
            if record is not None:
                found.append(100 * bits(record["test_" + by]).mean())
    return np.mean(found) if found else np.nan


def common(cells, names):
    """The sets with only those splits that have every candidate."""
    kept = {}
    for name, splits in cells.items():
        full = {s: c for s, c in splits.items() if all(n in c for n in names)}
        if full:
            kept[name] = full
    return kept


def table(cells, rows, by, careful):
    """rows: label -> names of candidates. Accuracies, labels x sets."""
    values = np.array([[accuracy(cells[s], names, by, careful) for s in cells]
                       for names in rows.values()])
    width = max(len(label) for label in rows)
    print(f"{'':{width}s} " + " ".join(f"{s[:10]:>10s}" for s in cells) + "   mean  rank")
    ranks = np.mean([rankdata(-column) for column in values.T], axis=0)
    for label, row, rank in zip(rows, values, ranks):
        print(f"{label:{width}s} " + " ".join(f"{v:10.1f}" for v in row) +
              f" {row.mean():6.1f} {rank:5.1f}")
    return values


def rank_tests(rows, values):
    if len(rows) > 2 and values.shape[1] > 2:
        print(f"Friedman over sets: p = {friedmanchisquare(*values).pvalue:.2g}")
    for label, row in list(zip(rows, values))[1:]:
        change = row - values[0]
        if np.any(change) and len(change) > 4:
            print(f"  {label}: {np.sum(change > 0)} better, {np.sum(change < 0)} worse than "
                  f"{next(iter(rows))}, Wilcoxon p = {wilcoxon(row, values[0]).pvalue:.2g}")


def portfolios(names, largest):
    for size in range(1, largest + 1):
        yield from itertools.combinations(names, size)


def leave_one_out(cells, names, largest):
    """For every set the portfolio that is best on the others (mean of both classifiers)."""
    rules = list(portfolios(names, largest))
    values = {by: np.array([[accuracy(cells[s], rule, by) for s in cells] for rule in rules])
              for by in ("nn", "rsr")}
    none = {by: np.array([accuracy(cells[s], [NO_MAP], by) for s in cells]) for by in values}
    gain = sum(values[by] - none[by] for by in values) / 2
    for i, name in enumerate(cells):
        others = np.delete(gain, i, axis=1).mean(axis=1)
        best = int(np.argmax(others))
        print(f"{name:12s} nn {none['nn'][i]:5.1f} -> {values['nn'][best, i]:5.1f}   "
              f"rsr {none['rsr'][i]:5.1f} -> {values['rsr'][best, i]:5.1f}   by {rules[best]}")
    order = np.argsort(-gain.mean(axis=1))[:12]
    print("\nbest on all sets:")
    for k in order:
        print(f"  mean gain {gain[k].mean():5.2f}, least {gain[k].min():5.2f}: {rules[k]}")


def tables(results, names, largest):
    cells = read(results)
    names = names or sorted({c for s in cells.values() for split in s.values()
                             for c in split} - {NO_MAP})
    cells = common(cells, [NO_MAP] + names)
    print("splits: " + ", ".join(f"{s} {len(c)}" for s, c in cells.items()))
    rows = {NO_MAP: [NO_MAP], **{name: [name] for name in names}}
    for by, careful in itertools.product(("nn", "rsr"), (False, True)):
        print(f"\n{by}, size chosen in training" + (", no map unless beaten" if careful else ""))
        rank_tests(rows, table(cells, rows, by, careful))
    if len(cells) > 1:
        print("\nportfolio chosen on the other sets, reported on the one left out")
        leave_one_out(cells, names, largest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results", nargs="+")
    parser.add_argument("--candidates", nargs="+")
    parser.add_argument("--largest", type=int, default=3, help="portfolio")
    args = parser.parse_args()
    tables(args.results, args.candidates, args.largest)


if __name__ == "__main__":
    main()
