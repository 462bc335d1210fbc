#!/usr/bin/env python3
"""torch_pyriemann.py LIBRARY FOLDER [--p 10000] [--seconds 120] [--arrays torch|numpy] [n]... - the package on arrays
that lie on a GPU beside pyRiemann with PyTorch's tensors on the same GPU, in one run: sizes 8 to 128 unless told.

LIBRARY is libspdml.so (tools/cuda-check builds it), FOLDER has pyriemann 0.12 with array_api_compat and
array_api_extra: `pip install --no-deps --target FOLDER pyriemann==0.12 array-api-compat array-api-extra`. Of pyRiemann
only its geometry is loaded. Where scikit-learn is missing, the four functions that it wants of that for arrays on the host
fail if they are called. A cell is theirs over ours, both for as many matrices as theirs does in some tenths of a second
(how many: in brackets). Results are compared first. Nothing new is begun after so many seconds."""
import argparse
import contextlib
import importlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import time
import types

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZES = (8, 16, 32, 64, 128)
LIMIT = 0.4  # seconds of one of their calls
METRICS = {"euclid": "euclidean", "logeuclid": "log-euclidean", "riemann": "airm", "logdet": "stein"}


def absent(*_words, **_options):
    raise RuntimeError("scikit-learn is not here")


def load_theirs(folder):
    """Its modules of geometry, without the rest of the package."""
    sys.path.insert(0, folder)
    package = types.ModuleType("pyriemann")
    package.__path__ = [f"{folder}/pyriemann"]
    sys.modules["pyriemann"] = package
    with contextlib.suppress(ImportError):
        importlib.import_module("sklearn.metrics")
    if "sklearn" not in sys.modules:
        for name, functions in (("sklearn", ()), ("sklearn.metrics", ("euclidean_distances",)),
                                ("sklearn.covariance", ("fast_mcd", "ledoit_wolf", "oas"))):
            sys.modules[name] = types.ModuleType(name)
            for function in functions:
                setattr(sys.modules[name], function, absent)
    bare = types.ModuleType("pyriemann.geometry")
    bare.__path__ = [f"{folder}/pyriemann/geometry"]
    sys.modules["pyriemann.geometry"] = bare
    return {name: importlib.import_module(f"pyriemann.geometry.{name}") for name in ("base", "distance", "mean", "kernel")}


def load_ours(library):
    loader = importlib.machinery.SourceFileLoader("device_arrays", str(ROOT / "tests/cuda/device_arrays.py"))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("device_arrays", loader))
    loader.exec_module(tool)
    return tool.package(str(pathlib.Path(library).resolve())).geometry


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.name = f"PyTorch {self.torch.__version__} on {self.torch.cuda.get_device_name()}"

    def put(self, X):
        return self.torch.from_numpy(X).cuda()

    def take(self, A):
        return A.cpu().numpy() if hasattr(A, "cpu") else np.asarray(A)

    def wait(self):
        self.torch.cuda.synchronize()


class Numpy:
    name = f"NumPy {np.__version__}"

    def put(self, X):
        return X

    def take(self, A):
        return np.asarray(A)

    def wait(self):
        pass


def matrices(p, n):
    """Covariances of 4 n observations; 500 of them, and these scaled."""
    rng = np.random.default_rng(n)
    signals = rng.standard_normal((min(p, 500), n, 4 * n)) * np.exp(rng.normal(0, 0.3, (min(p, 500), n, 1)))
    few = signals @ signals.transpose(0, 2, 1) / (4 * n)
    X = few[np.arange(p) % len(few)] * rng.uniform(0.5, 2.0, (p, 1, 1))
    return np.ascontiguousarray(0.5 * (X + X.transpose(0, 2, 1)))


def rows(ours, theirs):
    """Name: (ours, theirs) of a set X and `count` of them; in pairwise the first `count` with all."""
    b, d, m = ours.base, ours.distance.pairwise_distance, ours.mean.mean
    found = {}
    for name in ("logm", "sqrtm", "invsqrtm", "expm"):
        found[name] = (lambda X, k, f=getattr(b, name): f(X[:k]), lambda X, k, f=getattr(theirs["base"], name): f(X[:k]))
    found["powm 0.3"] = (lambda X, k: b.powm(X[:k], 0.3), lambda X, k: theirs["base"].powm(X[:k], 0.3))
    for name, options in (("euclid", {}), ("logeuclid", {}), ("kullback_sym", {}), ("riemann", {"tol": 1e-8}),
                          ("logdet", {"tol": 1e-8})):
        found[f"mean {name}"] = (
            lambda X, k, metric=METRICS.get(name, "jeffrey"), options=options: m(X[:k], metric, **options),
            lambda X, k, f=getattr(theirs["mean"], f"mean_{name}"), options=options: f(X[:k], **options))
    for name, metric in METRICS.items():
        found[f"to one {name}"] = (lambda X, k, metric=metric: d(X[:k], X[:1], metric=metric).reshape(-1),
                                   lambda X, k, name=name: theirs["distance"].distance(X[:k], X[0], name).reshape(-1))
        found[f"pairwise {name}"] = (lambda X, k, metric=metric: d(X[:k], X, metric=metric),
                                     lambda X, k, name=name: theirs["distance"].pairwise_distance(X[:k], X, metric=name))
    return found


def clock(gpu, call):
    gpu.wait()
    begin = time.perf_counter()
    call()
    gpu.wait()
    return time.perf_counter() - begin


def most(gpu, call, X, name):
    """How many matrices theirs does in LIMIT seconds or so, p at most."""
    p, k = len(X), 1 if name.startswith("pairwise") else min(len(X), 256)
    top = min(p, 256) if name.startswith("pairwise") else p
    call(X, k)
    while k < top:
        took = clock(gpu, lambda: call(X, k))
        if 4 * took > LIMIT:
            break
        k = min(top, 4 * k)
    return k


def cell(gpu, ours, theirs, X, name):
    k = most(gpu, theirs, X, name)
    one, other = (gpu.take(call(X, min(k, 256))) for call in (ours, theirs))
    gap = float(np.abs(one - other).max() / np.abs(other).max())
    took = [min(clock(gpu, lambda: call(X, k)) for _ in range(3)) for call in (ours, theirs)]
    return k, gap, took


def main():
    words = argparse.ArgumentParser()
    words.add_argument("library")
    words.add_argument("folder")
    words.add_argument("--p", type=int, default=10000)
    words.add_argument("--seconds", type=float, default=120.0)
    words.add_argument("--arrays", choices=("torch", "numpy"), default="torch")
    words.add_argument("sizes", type=int, nargs="*")
    w = words.parse_intermixed_args()
    gpu = Torch() if w.arrays == "torch" else Numpy()
    table = rows(load_ours(w.library), load_theirs(w.folder))
    begin, times = time.perf_counter(), {}
    print(f"times as fast as pyRiemann 0.12 with {gpu.name}, p = {w.p}; in brackets how many matrices, or rows of pairs")
    for n in w.sizes or SIZES:
        X = gpu.put(matrices(w.p, n))
        for name, (ours, theirs) in table.items():
            if time.perf_counter() - begin > w.seconds:
                print(f"n {n:3}  {name}: no time left", flush=True)
                continue
            problem = io.StringIO()
            try:
                with contextlib.redirect_stderr(problem):
                    k, gap, took = cell(gpu, ours, theirs, X, name)
            except Exception as fault:  # one cell is not the table
                print(f"n {n:3}  {name}: {type(fault).__name__}: {fault}", flush=True)
                continue
            print(f"n {n:3}  {name:<18} {took[1] / took[0]:8.2f}   ours {took[0]:9.5f} s, theirs {took[1]:9.5f} s  [{k}]"
                  f"{'' if gap < 1e-5 else f'  APART BY {gap:.1e}'}", flush=True)
            times[name, n] = took[1] / took[0]
    sizes = w.sizes or SIZES
    print("|  |", *(f" {n} |" for n in sizes), sep="")
    print("|---|", *("---|" for _ in sizes), sep="")
    for name in table:
        print(f"| {name} |", *(f" {times[name, n]:.1f} |" if (name, n) in times else " |" for n in sizes), sep="")
    print(f"below 3: {sum(ratio < 3.0 for ratio in times.values())} of {len(times)}")


if __name__ == "__main__":
    main()
