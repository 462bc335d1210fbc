#!/usr/bin/env python3
"""device_arrays.py LIBRARY [torch|cupy]... - arrays of PyTorch and CuPy on a GPU through the Python package, against
numpy's on the host. For machines that have the GPU and little else: of libspdml a part is enough (tools/cuda-check
builds it, with the CUDA module beside), of the Python packages numpy and one of the two; no test runner.

    CUDA_CHECK=build tools/cuda-check && tests/cuda/device_arrays.py build/cuda-check/libspdml.so
"""
import ctypes
import importlib
import os
import pathlib
import sys
import time
import types

import numpy as np

sys.dont_write_bytecode = True


class Part(ctypes.CDLL):
    """A library without some of its functions, which nobody here calls."""

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if not name.startswith("spd_"):
                raise
            return types.SimpleNamespace()


def package(library):
    """Modules of the package, without what needs further packages."""
    os.environ["SPDML_LIBRARY"] = library
    ctypes.CDLL = Part
    spdml = types.ModuleType("spdml")
    spdml.__path__ = [str(pathlib.Path(__file__).resolve().parents[2] / "python/spdml")]
    sys.modules["spdml"] = spdml
    for name in ("_core.gpu", "_core.sets", "embedding", "exceptions", "geometry"):
        importlib.import_module(f"spdml.{name}")
    return spdml


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.name = f"PyTorch {self.torch.__version__}"

    def device(self, X):
        return self.torch.from_numpy(X).cuda()

    def host(self, A):
        assert isinstance(A, self.torch.Tensor) and A.is_cuda
        return A.cpu().numpy()

    def wait(self):
        self.torch.cuda.synchronize()

    def late(self, X):
        """X as a stream of its own will have written it, once it has done other things; and that stream."""
        stream = self.torch.cuda.Stream()
        A = self.device(X)
        self.wait()
        with self.torch.cuda.stream(stream):
            B = self.torch.zeros_like(A)
            self.torch.cuda._sleep(200_000_000)
            B.copy_(A)
        return B, self.torch.cuda.stream(stream)


class Cupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.name = f"CuPy {self.cupy.__version__}"

    def device(self, X):
        return self.cupy.asarray(X)

    def host(self, A):
        assert isinstance(A, self.cupy.ndarray)
        return A.get()

    def wait(self):
        self.cupy.cuda.runtime.deviceSynchronize()

    def late(self, X):
        stream = self.cupy.cuda.Stream(non_blocking=True)
        A = self.device(X)
        self.wait()
        with stream:
            B, work = self.cupy.zeros_like(A), self.cupy.ones((4096, 4096))
            for _ in range(20):
                work = work @ work * 0.0
            B[...] = A
        return B, stream


class Interface:
    """CuPy's arrays, known by __cuda_array_interface__ alone; new ones are CuPy's."""

    def __init__(self, A):
        self.A = A
        self.device = A.device

    @property
    def __cuda_array_interface__(self):
        return self.A.__cuda_array_interface__


def random_spd(rng, p, n):
    A = rng.standard_normal((p, n, 2 * n + 3))
    return A @ A.transpose(0, 2, 1) / n


def close(A, B, what, tolerance=1e-9):
    gap = float(np.abs(A - B).max()) / max(1.0, float(np.abs(B).max()))
    assert A.shape == B.shape and A.dtype == B.dtype and gap <= tolerance, f"{what}: off by {gap:g}"


def calls(spdml):
    """name: a function of X and, for some, of a second set."""
    geometry, f = spdml.geometry, spdml.embedding
    m, d, k = geometry.base, geometry.distance, geometry.kernel
    one = {"log": m.logm, "exp": lambda X: m.expm(X * 0.01), "sqrt": m.sqrtm, "invsqrt": m.invsqrtm,
           "power": lambda X: m.powm(X, 0.3)}
    for metric in "airm", "stein", "log-euclidean", "jeffrey", "euclidean", "log-cholesky":
        one[f"{metric} mean"] = lambda X, metric=metric: spdml.geometry.mean.mean(X, metric, np.arange(1.0, len(X) + 1.0))
    two = {metric: lambda X, Y=None, metric=metric: d.pairwise_distance(X, Y, metric=metric, squared=True)
           for metric in ("airm", "stein", "log-euclidean", "euclidean", "jeffrey")}
    two["distances"] = lambda X, Y=None: d.pairwise_distance(X, Y, metric="stein")
    two["stein kernel"] = lambda X, Y=None: k.kernel(X, Y, "stein", beta=X.shape[-1] / 2)
    two["log kernel"] = lambda X, Y=None: k.kernel(X, Y, "log-euclidean")
    return one, two, lambda X, Q=None: f.neighbors(X, Q, n_neighbors=5, metric="stein")


def results(spdml, gpu, rng, n):
    one, two, near = calls(spdml)
    X, Y = random_spd(rng, 70, n), random_spd(rng, 40, n)
    A, B = gpu.device(X), gpu.device(Y)
    for name, function in one.items():
        close(gpu.host(function(A)), function(X), f"{name}, n {n}")
    for name, function in two.items():
        close(gpu.host(function(A)), function(X), f"{name}, n {n}")
        close(gpu.host(function(A, B)), function(X, Y), f"{name} of two sets, n {n}")
    for m in {1, (n + 2) // 3, n}:
        W = rng.standard_normal((n, m))
        close(gpu.host(congruence(spdml, A, W)), W.T @ X @ W, f"W'XW, n {n}, m {m}", 1e-12)
    for there, here in ((near(A), near(X)), (near(A, B), near(X, Y))):
        close(gpu.host(there[0]), here[0], f"neighbours, n {n}")
        assert (gpu.host(there[1]) == here[1]).all(), "neighbours"
    assert (gpu.host(A) == X).all() and (gpu.host(B) == Y).all(), "inputs were written to"


def raised(call, kind, words):
    try:
        call()
    except kind as problem:
        assert words in str(problem), problem
        return
    raise AssertionError(f"nothing was said of {words}")


def faults(spdml, gpu, rng):
    e, logm, distances = spdml.exceptions, spdml.geometry.base.logm, spdml.geometry.distance.pairwise_distance
    mean = spdml.geometry.mean.mean
    X = random_spd(rng, 90, 6)
    for spoil, kind, words in ((-1.0, e.NotPositiveDefiniteError, "X[77] is not positive definite"),
                               (np.nan, e.NotFiniteError, "X[77] holds NaN")):
        Z = X.copy()
        Z[77] *= spoil
        for call in (logm, distances, lambda A: distances(A, metric="stein"),
                     lambda A: spdml.geometry.kernel.kernel(A, metric="stein"), mean,
                     lambda A: mean(A, "stein"), lambda A: mean(A, "jeffrey")):
            raised(lambda: call(gpu.device(Z)), kind, words)
    Z = X.copy()
    Z[80, 0, 1] += 1.0
    raised(lambda: logm(gpu.device(Z)), e.NotSymmetricError, "X[80]")
    raised(lambda: logm(gpu.device(X.astype(np.float32))), e.InvalidArgumentError, "float32")
    raised(lambda: logm(gpu.device(X)[::2]), e.InvalidArgumentError, "contiguous")
    raised(lambda: distances(gpu.device(X), X), e.InvalidArgumentError, "Y lies on the host")


def host_memory_is_refused(spdml, X):
    """Said, not read: a pointer of the host as one of the GPU."""
    _errors, _calls = spdml.exceptions, sys.modules["spdml._core.calls"]
    S = spdml._core.sets.host(X)
    S.place = 2  # SPD_PLACE_DEVICE
    raised(lambda: _calls.call(_calls.context(1), "spd_apply", 0, 0.0, S, spdml._core.sets.new(S, X.shape)[1]),
           _errors.InvalidArgumentError, "not in the memory of a GPU")


def streams(spdml, gpu, rng):
    X = random_spd(rng, 200, 8)
    wanted = spdml.geometry.distance.pairwise_distance(X, metric="stein")
    A, current = gpu.late(X)
    with current:
        D = spdml.geometry.distance.pairwise_distance(A, metric="stein") * 2.0
    gpu.wait()
    close(gpu.host(D), 2.0 * wanted, "what a stream is still writing")


def congruence(spdml, A, W):
    return spdml._core.sets.congruence(spdml._core.sets.device(A, "X"), W)


def learned(library, calls, X, label, **options):
    """W of a fit by the CUDA engine."""
    o, model = library.structs.fit_options(), ctypes.POINTER(library.structs.model)()
    ctx = calls.context(None, library.value("engine", "cuda"))
    library.lib.spd_fit_defaults(ctypes.byref(o), ctypes.sizeof(o))
    for key, value in options.items():
        setattr(o, key, value)
    labels = None if label is None else label.ctypes.data_as(library.Ints)
    calls.call(ctx, "spd_fit", X, labels, ctypes.byref(o), None, ctypes.byref(model))
    W = np.ctypeslib.as_array(model.contents.W, (X.n, o.m)).copy()
    library.lib.spd_model_free(model)
    return W


def fits(spdml, gpu, rng):
    """The same bits from the GPU's memory as from the host's; without scikit-learn, so SPDML is not there."""
    library, calls = sys.modules["spdml._core.library"], sys.modules["spdml._core.calls"]
    for p, n, m in ((60, 9, 3), (400, 43, 10), (300, 155, 20)):
        X, label = random_spd(rng, p, n), (np.arange(p) % 3).astype(np.int32)
        A = gpu.device(X)
        here, there = spdml._core.sets.host(X), spdml._core.sets.device(A, "X")
        for metric, more in ((1, {}), (0, {}), (1, {"restarts": 2}), (1, {"learning": 1}),
                             (0, {"learning": 2})):
            options = {"m": m, "metric": metric, "max_iter": 5, **more}
            y = None if more.get("learning") else label
            one = learned(library, calls, here, y, **options)
            other = learned(library, calls, there, y, **options)
            assert (one == other).all(), f"n {n}, {options}: other bits"
            assert np.abs(one.T @ one - np.eye(m)).max() < 1e-12, "not a map"
        assert (gpu.host(A) == X).all(), "the matrices were written to"


def timing(spdml, gpu, rng):
    """Of many matrices, from the GPU to the GPU; the best of three."""
    X = random_spd(rng, 10000, 32)
    A = gpu.device(X)
    distances = spdml.geometry.distance.pairwise_distance
    for there, here in ((None, None), (A, X)):
        D = gpu.host(distances(A, there, metric="stein"))
        close(D[[3, 9876]], distances(X[[3, 9876]], X, metric="stein"), "10,000 x 10,000", 1e-6)
        assert here is not None or (D == D.T).all()
    for what, call in (("Stein, 10,000 x 10,000, n 32", lambda A: distances(A, metric="stein", squared=True)),
                       ("logarithms of 10,000, n 32", spdml.geometry.base.logm),
                       ("AIRM mean of 10,000, n 32", spdml.geometry.mean.mean),
                       ("Stein mean of 10,000, n 32", lambda A: spdml.geometry.mean.mean(A, "stein")),
                       ("Jeffrey mean of 10,000, n 32", lambda A: spdml.geometry.mean.mean(A, "jeffrey"))):
        best = np.inf
        for _ in range(3):
            begin = time.perf_counter()
            result = call(A)
            gpu.wait()
            best = min(best, time.perf_counter() - begin)
            del result
        print(f"  {what}: {best:.4f} s")


def main():
    spdml = package(os.path.abspath(sys.argv[1]))
    rng = np.random.default_rng(3)
    host_memory_is_refused(spdml, random_spd(rng, 4, 3))
    for kind in sys.argv[2:] or ["torch", "cupy"]:
        gpu = {"torch": Torch, "cupy": Cupy}[kind]()
        print(gpu.name, flush=True)
        for n in (1, 2, 7, 16, 21, 33, 43, 100, 131):
            results(spdml, gpu, rng, n)
        faults(spdml, gpu, rng)
        streams(spdml, gpu, rng)
        fits(spdml, gpu, rng)
        if kind == "cupy":
            X = random_spd(rng, 30, 5)
            spdml._core.gpu.LIBRARIES["__main__"] = spdml._core.gpu.LIBRARIES["cupy"]
            close(gpu.host(spdml.geometry.base.logm(Interface(gpu.device(X)))), spdml.geometry.base.logm(X),
                  "__cuda_array_interface__")
        timing(spdml, gpu, rng)
        print("  all as on the host")


if __name__ == "__main__":
    main()
