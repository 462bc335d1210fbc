"""bench_table.py - every function that the package shares with pyRiemann, side by side.

    p = 300 matrices of n x n, n = 8 to 128, one thread

Both get the same float64 arrays, in one process; ours and theirs are timed in turn, by the time of the
processor, which other programs disturb less, and the table shows the ratio of the bests and, behind
it, the spread of ours (median over best). Results are compared before anything is timed. Names on the command line choose rows, numbers sizes."""

import fnmatch
import sys
import time

import numpy as np

import spdml

P = 300
SIZES = (8, 16, 32, 64, 128)
METRICS = {"euclid": "euclidean", "logeuclid": "log-euclidean", "riemann": "airm",
           "logdet": "stein", "kullback_sym": "jeffrey", "wasserstein": "bures-wasserstein",
           "logchol": "log-cholesky"}


def data(n):
    rng = np.random.default_rng(n)
    signals = rng.standard_normal((P, n, 4 * n)) * np.exp(rng.normal(0, 0.5, (P, n, 1)))
    return signals, signals @ signals.transpose(0, 2, 1) / (4 * n), rng.integers(0, 3, P)


def one_thread(classifier, X, y):
    return classifier.fit(X, y).predict(X)


def rows(n):
    """Name: (ours, theirs, whether results may be compared)."""
    from pyriemann import classification, estimation
    from pyriemann.geometry import base, covariance, distance, geodesic, mean
    signals, X, y = data(n)
    Y = X[::-1].copy()
    logs = base.logm(X)
    found = {"mean euclid": (lambda: spdml.mean(X, "euclidean", n_jobs=1),
                             lambda: mean.mean_euclid(X)),
             "mean logeuclid": (lambda: spdml.mean(X, "log-euclidean", n_jobs=1),
                                lambda: mean.mean_logeuclid(X)),
             "mean riemann": (lambda: spdml.mean(X, "airm", tol=1e-8, n_jobs=1),
                              lambda: mean.mean_riemann(X, tol=1e-8))}
    for theirs, ours in METRICS.items():
        found["one pair " + theirs] = (
            # theirs of this name is not rooted
            lambda ours=ours: spdml.distance(X[0], X[1], ours, ours == "jeffrey"),
            lambda theirs=theirs: distance.distance(X[0], X[1], theirs))
    for theirs in ("euclid", "riemann", "logdet"):
        found["set to one " + theirs] = (
            lambda ours=METRICS[theirs]: spdml.distance(X, X[0], ours),
            lambda theirs=theirs: distance.distance(X, X[0], theirs).ravel())
    found["geodesics riemann"] = (lambda: geodesics(X, Y), lambda: geodesic.geodesic(X, Y, 0.3))
    for theirs, ours in (("scm", "scm"), ("oas", "oas"), ("lwf", "lwf")):
        found["covariances " + theirs] = (
            lambda ours=ours: covariances(signals, ours),
            lambda theirs=theirs: covariance.covariances(signals, theirs))
    for name in ("log", "sqrt", "invsqrt"):
        found[name + "m"] = (lambda name=name: spdml.geometry.base.apply(X, name, n_jobs=1),
                             lambda name=name: getattr(base, name + "m")(X))
    found["expm"] = (lambda: spdml.geometry.base.apply(logs, "exp", n_jobs=1), lambda: base.expm(logs))
    for theirs in ("euclid", "logeuclid", "riemann", "logdet"):
        found["pairwise " + theirs] = (
            lambda ours=METRICS[theirs]: spdml.pairwise_distance(X, metric=ours, n_jobs=1),
            lambda theirs=theirs: distance.pairwise_distance(X, metric=theirs))
    found["MDM fit predict"] = (
        lambda: one_thread(spdml.MDM("airm", n_jobs=1), X, y),
        lambda: one_thread(classification.MDM("riemann", n_jobs=1), X, y))
    return found


def geodesics(X, Y):
    try:
        return spdml.geodesic(X, Y, 0.3)
    except ValueError:
        return np.stack([spdml.geodesic(A, B, 0.3) for A, B in zip(X, Y)])


def covariances(signals, estimator):
    """Their scm is not centred: ours is the same up to a rank-one matrix."""
    try:
        return spdml.covariances(signals, estimator)
    except ValueError:
        return spdml.covariances(signals, "cov")


def agree(name, ours, theirs):
    if name.startswith("MDM"):
        assert np.mean(ours == theirs) > 0.99, name
    elif not name.startswith("covariances"):
        # The diagonals of their pairwise distances are rounding, ours are 0.
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * np.abs(theirs).max(),
                                   err_msg=name)


def clock(function, least):
    """Seconds of one call, of as many as `least` seconds take; those of all threads count."""
    count, start = 0, time.process_time()
    while True:
        function()
        count += 1
        spent = time.process_time() - start
        if spent >= least:
            return spent / count


def ratio(ours, theirs, rounds=5, least=0.02, limit=12.0):
    a, b, start = [], [], time.perf_counter()
    for _ in range(rounds):
        a.append(clock(ours, least))
        b.append(clock(theirs, least))
        if time.perf_counter() - start > limit:
            break
    return min(b) / min(a), sorted(a)[len(a) // 2] / min(a), min(a)


def main():
    wanted = [word for word in sys.argv[1:] if not word.isdigit()]
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or SIZES
    tables = {n: rows(n) for n in sizes}
    below = []
    print(f"times as fast as pyRiemann, one thread, p = {P}; behind it median over best")
    print(f"{'n':<22}" + "".join(f"{n:>14}" for n in sizes), flush=True)
    for name in tables[sizes[0]]:
        if wanted and not any(fnmatch.fnmatch(name, f"*{word}*") for word in wanted):
            continue
        line = f"{name:<22}"
        for n in sizes:
            ours, theirs = tables[n][name]
            agree(name, ours(), theirs())
            times, spread, _ = ratio(ours, theirs)
            line += f"{times:>8.2f} {spread:>5.2f}"
            if times < (1.5 if n > 64 else 3.0):
                below.append((name, n, round(times, 2)))
        print(line, flush=True)
    print(f"below the aim (3, or 1.5 at n = 128): {len(below)}")
    for entry in below:
        print("  {}, n = {}: {}".format(*entry))


if __name__ == "__main__":
    main()
