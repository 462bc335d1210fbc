#!/usr/bin/env python3
"""fuzz_calls.py - random calls of every public function of the package.

    fuzz_calls.py [--seed N] [--calls N] [--seconds S] [--only I]

Arguments are good ones, good ones of odd types, orders and strides, and wrong ones: a call returns,
or raises one of the package's exceptions, TypeError or ValueError (MemoryError where something too
large was asked for, OSError for files). Anything else, and a crash, is a finding. Every call depends
on seed and number alone, so that --only shows it again."""
import argparse
import faulthandler
import inspect
import os
import sys
import tempfile
import time
import warnings

import numpy as np

import spdml
from sklearn.model_selection import LeaveOneGroupOut

ALLOWED = (spdml.SPDError, TypeError, ValueError, MemoryError, OSError)  # text in place of X is a path
PATIENCE = 0.3  # seconds that a call may take before it is asked to stop


class Stopped(Exception):
    """Raised by the progress callback."""


# ---- arguments -----------------------------------------------------------------------------------

def spd_set(rng, p=None, n=None):
    p, n = p or rng.integers(1, 8), n or rng.integers(1, 5)
    A = rng.standard_normal((p, n, n))
    return A @ A.transpose(0, 2, 1) + 0.1 * np.eye(n)


def disguised(rng, X):
    """The same numbers in another type, order or stride."""
    ways = [
        lambda: X.astype(np.float32), lambda: X.astype(">f8"), lambda: np.asfortranarray(X),
        lambda: np.repeat(X, 2, axis=0)[::2], lambda: X[::-1], lambda: X.tolist(),
        lambda: np.ma.masked_array(X), lambda: np.round(X * 10).astype(rng.choice([np.int8, np.int64,
                                                                                  np.uint16])),
        lambda: X.astype(np.float16), lambda: X.astype(np.longdouble), lambda: list(X),
        lambda: np.swapaxes(X, 0, -1) if X.ndim > 1 else X, lambda: read_only(X),
        lambda: unaligned(X),
    ]
    return ways[rng.integers(len(ways))]()


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def unaligned(X):
    room = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = room[1:].view(X.dtype) if X.nbytes else X
    view[:] = X.ravel()
    return view.reshape(X.shape)


def spoilt(rng, X):
    """A set with something wrong in it."""
    X = X.copy()
    at = tuple(rng.integers(0, k) for k in X.shape)
    X[at] = rng.choice([np.nan, np.inf, -np.inf, -1e3, 1e308, 5e-324, 0.0])
    return X * rng.choice([1.0, 1e-290, 1e290, 0.0, -1.0])


def rubbish(rng):
    things = [None, 0, -1, 7, 2**31, 2**63, 2**64, 10**30, -2**31, 0.5, float("nan"), float("inf"), "",
              "airm", "stein", "a\0b", "\ud800", b"airm", [], {}, (), [[]], [1, [2]], object(), True,
              np.int8(3), np.float32(2), np.zeros(0), np.zeros((0, 2, 2)), np.zeros((2, 0, 0)),
              np.zeros((2, 3, 4)), np.zeros((2, 2)), np.zeros(4), np.zeros((1, 2, 2, 2)),
              np.array("x"), np.array([1, None]), np.zeros((2, 2, 2), complex), lambda *_: 1,
              np.datetime64("2020-01-01"), np.zeros((3, 3, 3), dtype="S3"), slice(3), 1j, range(4),
              np.eye(3)[None], np.array(2.5), memoryview(b"12345678")]
    return things[rng.integers(len(things))]


def some(rng, good):
    """Mostly what good() makes, now and then rubbish."""
    return rubbish(rng) if rng.random() < 0.12 else good()


def matrices(rng, X):
    def good():
        chance = rng.random()
        return X if chance < 0.5 else disguised(rng, X) if chance < 0.8 else spoilt(rng, X)
    return some(rng, good)


def word(rng, *words):
    return some(rng, lambda: words[rng.integers(len(words))])


def metric(rng):
    return word(rng, "airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky",
                "euclidean", "riemann", "logdet", "no-such")


def number(rng, *values):
    return some(rng, lambda: values[rng.integers(len(values))])


def jobs(rng):
    return number(rng, None, 1, 2, -1)


def labels(rng, p):
    def good():
        y = rng.integers(0, 3, p)
        ways = [y, y.astype(str), y.astype(float), y.tolist(), y.astype(np.uint8), y[:, None],
                y - 5, np.array(["u\u00e9", "b", "c"])[y], y.astype(object), y[:-1]]
        return ways[rng.integers(len(ways))]
    return some(rng, good)


def maybe(rng, options):
    """Each keyword with chance one half, so that defaults are met too."""
    return {name: make() for name, make in options.items() if rng.random() < 0.5}


# ---- calls ---------------------------------------------------------------------------------------

def call_functions(rng):
    X = spd_set(rng)
    Y = spd_set(rng, n=X.shape[1])
    one = {"metric": lambda: metric(rng), "squared": lambda: number(rng, True, False),
           "n_jobs": lambda: jobs(rng)}
    calls = [
        lambda: spdml.pairwise_distance(matrices(rng, X), some(rng, lambda: Y), **maybe(rng, one)),
        lambda: spdml.distance(matrices(rng, X[0]), matrices(rng, Y[0]), metric(rng)),
        lambda: spdml.mean(matrices(rng, X), **maybe(rng, {
            "metric": lambda: metric(rng), "n_jobs": lambda: jobs(rng),
            "sample_weight": lambda: matrices(rng, rng.random(len(X))),
            "tol": lambda: number(rng, 0.0, 1e-6, -1.0), "max_iter": lambda: number(rng, 0, 1, 50)})),
        lambda: spdml.geodesic(matrices(rng, X[0]), matrices(rng, Y[0]), number(rng, 0.5, 0, 2, -3.0),
                               metric(rng)),
        lambda: spdml.neighbors(matrices(rng, X), some(rng, lambda: Y), number(rng, 1, 2, 3, 9),
                                **maybe(rng, one)),
        lambda: spdml.geometry.base.apply(matrices(rng, X), word(rng, "log", "exp", "sqrt", "invsqrt", "power"),
                            number(rng, 1.0, -2, 0.5, 1e300)),
        lambda: spdml.kernel(matrices(rng, X), some(rng, lambda: Y),
                             word(rng, "stein", "log-euclidean"), beta=number(rng, 1.0, 0.1, -1, 1e308)),
        lambda: spdml.regularize(matrices(rng, X), number(rng, 0.0, 1e-3), number(rng, 0.0, -1e9)),
        lambda: spdml.covariances(matrices(rng, rng.standard_normal((3, 2, 9))),
                                  word(rng, "cov", "oas", "lwf", 0.5, 2), number(rng, 0.0, 1e-3)),
    ]
    return calls[rng.integers(len(calls))]()


def geometry_metric(rng):
    return word(rng, "airm", "stein", "logeuclid", "jeffrey", "wasserstein", "logchol", "euclid",
                "chol", "harmonic", "kullback", "kullback_right", "kullback_sym", "thompson", "power",
                "poweuclid", "ale", "alm", "bmp", "cheap")


def call_geometry(rng):
    """Any leading dimensions, real or complex."""
    n, leading = int(rng.integers(1, 5)), [(), (3,), (2, 3), (1, 3)][rng.integers(4)]
    complex_too = 1j if rng.random() < 0.5 else 0

    def draw(*leading):
        F = rng.standard_normal((*leading, n, n)) + complex_too * rng.standard_normal((*leading, n, n))
        return F @ F.conj().swapaxes(-1, -2) + 0.1 * np.eye(n)

    def several():
        return matrices(rng, draw(*leading))

    def single():
        return matrices(rng, draw())

    power = maybe(rng, {"power": lambda: number(rng, 0.5, -1, 0, 2, 1e300)})
    ends = maybe(rng, {"tol": lambda: number(rng, 0.0, 1e-3, -1), "init": single,
                       "max_iter": lambda: number(rng, None, 0, 1, 20),
                       "sample_weight": lambda: matrices(rng, rng.random(3))})
    function = [spdml.logm, spdml.expm, spdml.sqrtm, spdml.invsqrtm, spdml.geometry.base.invm, spdml.geometry.tangentspace.upper,
                spdml.geometry.tangentspace.unupper, spdml.geometry.base.eigvalsh, spdml.geometry.base.nearest_sym_pos_def][rng.integers(9)]
    ways = [
        lambda: function(several()), lambda: spdml.powm(several(), number(rng, 0.5, -1, 1e300)),
        lambda: spdml.distance(several(), several(), geometry_metric(rng), **power),
        lambda: spdml.distance(several(), single(), geometry_metric(rng), **power),
        lambda: spdml.pairwise_distance(matrices(rng, draw(3)), some(rng, lambda: draw(2)),
                                         geometry_metric(rng), **power),
        lambda: spdml.geodesic(several(), several(), number(rng, 0.5, 2, np.ones(3)),
                               geometry_metric(rng)),
        lambda: spdml.mean(matrices(rng, draw(3)), geometry_metric(rng), **ends, **power),
        lambda: spdml.mean(several(), geometry_metric(rng)),
        lambda: spdml.geometry.median.median_riemann(matrices(rng, draw(3)), **ends),
        lambda: spdml.geometry.mean.maskedmean_riemann(matrices(rng, draw(3)), some(rng, lambda: [np.eye(n)] * 3), **ends),
        lambda: spdml.geometry.mean.nanmean_riemann(matrices(rng, draw(3)), **ends),
        lambda: spdml.geometry.tangentspace.log_map(several(), single(), geometry_metric(rng), number(rng, True, False)),
        lambda: spdml.geometry.tangentspace.exp_map(several(), single(), geometry_metric(rng), number(rng, True, False)),
        lambda: spdml.geometry.tangentspace.tangent_space(several(), single(), geometry_metric(rng)),
        lambda: spdml.geometry.tangentspace.untangent_space(rng.random(n * (n + 1) // 2), single(), geometry_metric(rng)),
        lambda: spdml.kernel(matrices(rng, draw(3)), some(rng, lambda: draw(2)),
                             geometry_metric(rng), Cref=some(rng, single)),
        lambda: spdml.neighbors(matrices(rng, draw(3)), metric=geometry_metric(rng)),
        lambda: spdml.geometry.base.eigvalsh(several(), single()),
        lambda: spdml.geometry.base.ddlogm(several(), single()),
        lambda: spdml.geometry.base.ddexpm(several(), single()),
        lambda: spdml.geometry.distance.distance_mahalanobis(several(), single(), some(rng, lambda: None)),
    ]
    return ways[rng.integers(len(ways))]()


def call_estimators(rng):
    X = spd_set(rng, p=int(rng.integers(2, 10)))
    n = X.shape[1]
    y = labels(rng, len(X))
    makers = [
        lambda: spdml.SPDML(number(rng, None, 1, 2, n), **maybe(rng, {
            "metric": lambda: metric(rng), "nu_w": lambda: number(rng, None, 1, 3),
            "nu_b": lambda: number(rng, None, 1, 3), "max_iter": lambda: number(rng, 1, 5),
            "init": lambda: word(rng, "identity", "mean", "random", np.eye(n)[:, :1]),
            "tol": lambda: number(rng, 0, 1),
            "random_state": lambda: number(rng, None, 0, 3), "n_jobs": lambda: jobs(rng),
            "objective": lambda: word(rng, "difference", "softmax"),
            "restarts": lambda: number(rng, 1, 2)})),
        lambda: spdml.PGA(number(rng, None, 1, 2), n_jobs=jobs(rng)),
        lambda: spdml.KNearestNeighbor(number(rng, 1, 3, 50), metric(rng), n_jobs=jobs(rng)),
        lambda: spdml.MDM(metric(rng), n_jobs=jobs(rng)),
        lambda: spdml.RSRClassifier(number(rng, None, 0.5), number(rng, None, 0.1)),
        lambda: spdml.CDLClassifier(number(rng, None, 1), word(rng, "pls", "lda")),
        lambda: spdml.SPDClassifier(
            word(rng, "nn-airm", "knn-stein", "mdm-riemann-ml", "rsr", "cdl", "pga", "ksvm-stein",
                 "ts-lda", "riemannian-lle", "pca-nn-stein", "nn-random", "src"),
            **{word(rng, "m", "k", "beta", "alpha"): number(rng, 1, 2.5, None)}),
    ]
    return used(rng, makers[rng.integers(len(makers))](), X, y)


def used(rng, model, X, y):
    """Fitted, and asked for all that it has."""
    weight = {"sample_weight": matrices(rng, rng.random(len(X)))} \
        if rng.random() < 0.3 and "sample_weight" in inspect.signature(model.fit).parameters else {}
    model.fit(matrices(rng, X), y, **weight)
    if hasattr(model, "partial_fit") and rng.random() < 0.3:
        model.partial_fit(matrices(rng, X), y)
    for name in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(model, name):
            result = getattr(model, name)(matrices(rng, X))
            if name == "transform" and hasattr(model, "inverse_transform") and rng.random() < 0.5:
                model.inverse_transform(some(rng, lambda: result))
    return model


def metrics(rng):
    return some(rng, lambda: {"mean": metric(rng), "distance": metric(rng), "map": metric(rng)}) \
        if rng.random() < 0.3 else metric(rng)


def call_means(rng):
    """Estimators around means and tangent spaces."""
    X = spd_set(rng, p=int(rng.integers(2, 10)))
    X = X + 0.1j * (X - X.transpose(0, 2, 1)) if rng.random() < 0.2 else X
    y = labels(rng, len(X))
    named = maybe(rng, {"metric": lambda: metrics(rng), "n_jobs": lambda: jobs(rng)})
    simple = maybe(rng, {"metric": lambda: metric(rng)})
    domains = some(rng, lambda: [f"{word(rng, 'a', 'b')}/{i % 2}" for i in range(len(X))])
    makers = [
        lambda: spdml.MDM(**named), lambda: spdml.classification.FgMDM(**named), lambda: spdml.tangentspace.FGDA(**named),
        lambda: spdml.TangentSpace(tsupdate=number(rng, True, False), **named),
        lambda: spdml.classification.TSClassifier(clf=some(rng, lambda: None), **named),
        lambda: spdml.classification.SVC(**simple, **maybe(rng, {
            "C": lambda: number(rng, 1.0, 0, -1), "beta": lambda: number(rng, 1.0, 0, -1),
            "Cref": lambda: some(rng, lambda: X[0]), "kernel_fct": lambda: some(rng, lambda: None)})),
        lambda: spdml.regression.SVR(**simple), lambda: spdml.regression.KernelRidge(alpha=number(rng, 1, 9)),
        lambda: spdml.regression.KNearestNeighborRegressor(number(rng, 1, 9), **named),
        lambda: spdml.clustering.Kmeans(number(rng, 1, 2, 9), number(rng, 1, 5), n_init=number(rng, 1, 2),
                             init=word(rng, "random", "k-means++", X[:2]),
                             random_state=number(rng, None, 0), **named),
        lambda: spdml.artifact_detection.Potato(threshold=number(rng, 3, 0, -1), n_iter_max=number(rng, 1, 5), **named),
        lambda: spdml.preprocessing.Whitening(dim_red=some(rng, lambda: {
            word(rng, "n_components", "expl_var", "max_cond"): number(rng, 1, 0.5, 100)}), **simple),
        lambda: spdml.estimation.Shrinkage(number(rng, 0.1, 0, 2)),
        lambda: spdml.transfer.TLCenter(word(rng, "a", "b", ""), **simple),
        lambda: spdml.transfer.TLScale(word(rng, "a", "b", ""), number(rng, 1.0, 0, -1), **simple),
        lambda: spdml.transfer.TLRotate(word(rng, "a", "b", ""), maxiter=number(rng, 1, 20),
                               metric=word(rng, "euclid", "riemann")),
    ]
    model = makers[rng.integers(len(makers))]()
    return used(rng, model, X, domains if type(model).__name__.startswith("TL") else y)


def call_signals(rng):
    X = rng.standard_normal((int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 30))))
    X = X + 1j * rng.standard_normal(X.shape) if rng.random() < 0.2 else X
    estimator = word(rng, "scm", "cov", "corr", "oas", "lwf", "sch", "hub", "stu", "tyl", 0.2, "none")
    named = maybe(rng, {"regularize": lambda: number(rng, 0, 0.1, -1)})
    makers = [
        lambda: spdml.Covariances(estimator, **named),
        lambda: spdml.estimation.TimeDelayCovariances(number(rng, 1, 3, [1, -2]), estimator, **named),
        lambda: spdml.estimation.ERPCovariances(None, estimator, number(rng, None, 1, 9), **named),
    ]
    return used(rng, makers[rng.integers(len(makers))](), X, labels(rng, len(X)))


def call_evaluate(rng):
    X = spd_set(rng, p=int(rng.integers(4, 12)))
    p = len(X)
    protocols = [{"cv": number(rng, 0.5, 0.9, 0, 2)}, {"train_per_class": number(rng, 1, 2)},
                 {"cv": [(some(rng, lambda: np.arange(p // 2)), some(rng, lambda: rng.random(p) < 0.5))]},
                 {"cv": LeaveOneGroupOut(), "groups": labels(rng, p)}]
    return spdml.evaluate(
        matrices(rng, X), labels(rng, p),
        some(rng, lambda: ["nn-stein", "mdm-airm"][:rng.integers(0, 3)]),
        **protocols[rng.integers(len(protocols))], **maybe(rng, {
            "repeats": lambda: number(rng, 1, 2), "cv": lambda: number(rng, 2, 3)}))


class Epochs:
    """What from_epochs asks for, with something wrong in it now and then."""

    def __init__(self, rng):
        p, channels = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        self._data = matrices(rng, rng.standard_normal((p, channels, 9)))
        self.ch_names = some(rng, lambda: [f"C{i}" for i in range(channels)])
        self.events = some(rng, lambda: rng.integers(0, 2, (p, 3)))
        self.event_id = some(rng, lambda: {"a": 0, "b": 1})

    def get_data(self):
        return self._data


def call_data(rng):
    X = spd_set(rng, p=int(rng.integers(2, 9)))
    n = X.shape[1]
    calls = [
        lambda: spdml.from_epochs(some(rng, lambda: Epochs(rng)), **maybe(rng, {
            "estimator": lambda: word(rng, "cov", "oas"), "regularize": lambda: number(rng, 0, 0.1),
            "picks": lambda: some(rng, lambda: ["C0"])})),
        lambda: spdml.recenter(matrices(rng, X), labels(rng, len(X)), metric(rng)),
        lambda: spdml.embed(matrices(rng, X), **maybe(rng, {
            "n_components": lambda: number(rng, 1, 2), "n_neighbors": lambda: number(rng, 1, 3),
            "method": lambda: word(rng, "pga", "mds", "lle", "laplacian", "hessian-lle"),
            "metric": lambda: metric(rng), "n_jobs": lambda: jobs(rng)})),
        lambda: spdml.maps.cost(matrices(rng, X), labels(rng, len(X)),
                           matrices(rng, rng.standard_normal((n, int(rng.integers(1, n + 1))))),
                           **maybe(rng, {
                               "gradient": lambda: number(rng, True, False),
                               "metric": lambda: metric(rng), "nu_w": lambda: number(rng, 1, 2),
                               "objective": lambda: word(rng, "difference", "softmax")})),
        lambda: spdml.describe(word(rng, "covariance", "region", "joints"), some(rng, lambda: []),
                               **maybe(rng, {
                                   "shrinkage": lambda: word(rng, "oas", 0.5), "size": lambda: number(rng, 3),
                                   "bands": lambda: some(rng, lambda: [(1, 2)]),
                                   "epoch": lambda: some(rng, lambda: (0, 1)),
                                   "channels": lambda: some(rng, lambda: ["a"]),
                                   "labels": lambda: some(rng, lambda: "none.csv"),
                                   "model": lambda: matrices(rng, np.eye(3)[:, :2])})),
    ]
    try:
        return calls[rng.integers(len(calls))]()
    except (OSError, ImportError) as refused:  # there is no such file, or no libspdml-data
        return refused


def call_files(rng):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.spdml")
        X = spd_set(rng, p=6, n=3)
        spdml.SPDML(1, max_iter=1).fit(X, [0, 1, 0, 1, 0, 1]).save(path)
        with open(path, "rb") as file:
            content = bytearray(file.read())
        for _ in range(rng.integers(0, 4)):
            content[rng.integers(len(content))] = rng.integers(256)
        with open(path, "wb") as file:
            file.write(content[:rng.integers(len(content) + 1)] if rng.random() < 0.3 else content)
        try:
            return spdml.SPDML.load(some(rng, lambda: path)).transform(matrices(rng, X))
        except OSError as refused:
            return refused


CALLS = (call_functions,) * 10 + (call_geometry,) * 10 + (call_estimators,) * 6 + (call_evaluate,) * 3 + (
    call_files,) + (call_data,) * 4 + (call_means,) * 8 + (call_signals,) * 4


def one(seed, i):
    """Call number i; the exception that is a finding, or None."""
    rng = np.random.default_rng([seed, i])
    start = time.monotonic()

    def hurry(*_):
        if time.monotonic() - start > PATIENCE:
            raise Stopped

    try:
        with warnings.catch_warnings(), spdml.progress(hurry):
            warnings.simplefilter("ignore")
            CALLS[rng.integers(len(CALLS))](rng)
    except (*ALLOWED, Stopped):
        pass
    except Exception as problem:
        return problem
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--only", type=int)
    asked = parser.parse_args()
    faulthandler.enable()
    start, made = time.monotonic(), 0
    for i in range(asked.calls) if asked.only is None else [asked.only]:
        if time.monotonic() - start > asked.seconds:
            break
        os.environ["FUZZ_CALL"] = str(i)  # for whoever looks into a core dump
        problem = one(asked.seed, i)
        made += 1
        if problem is not None:
            print(f"call {i} raised {type(problem).__name__}: {problem}\n"
                  f"to see it again: {sys.argv[0]} --seed {asked.seed} --only {i}", flush=True)
            if asked.only is not None:
                raise problem
            return 1
    print(f"{made} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
