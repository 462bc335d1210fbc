"""Arrays on a GPU: taken and given without a copy, with the results of the host.

With the CUDA engine emulated (tests/cuda runs this file so) device memory is ordinary memory, and a
class of this file stands for the libraries; with a GPU it is PyTorch and CuPy, where they are installed."""

import ctypes as c
import gc
import importlib

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import spdml
from conftest import random_spd
from spdml._core import gpu as _device
from spdml.exceptions import BadMatrixError, DeviceError, NumericError
from spdml._core.library import lib, value


def device_name():
    text = c.create_string_buffer(256)
    return text.value.decode() if lib.spd_engine_device(None, lib.spd_parse(None, 0, b"cuda"), c.c_size_t(256), text) == 0 else ""


NAME = device_name()
EMULATED = NAME.startswith("emulated")


# ---- arrays that say they are on a device ---------------------------------------------------------

class Managed(c.Structure):
    """DLPack's DLManagedTensor."""


DELETER = c.CFUNCTYPE(None, c.POINTER(Managed))
Managed._fields_ = [("tensor", _device._Tensor), ("context", c.c_void_p), ("deleter", DELETER)]
new_capsule = c.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = c.py_object, [c.c_void_p, c.c_char_p, c.c_void_p]


class Plain:
    """Memory of numpy; `streams` are those that were asked for."""

    def __init__(self, array, device=0):
        self.array, self.number, self.streams = array, device, []

    def get(self):
        return self.array


class Packed(Plain):
    def __dlpack_device__(self):
        return 2, self.number

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        a = self.array
        shape = (c.c_int64 * a.ndim)(*a.shape)
        strides = (c.c_int64 * a.ndim)(*(step // a.itemsize for step in a.strides))
        code = {"f": 2, "i": 0, "c": 5}[a.dtype.kind]
        tensor = _device._Tensor(a.ctypes.data - 8, 2, self.number, a.ndim, code, 8 * a.itemsize, 1, shape,
                                 strides, 8)
        self.kept = Managed(tensor, None, DELETER()), shape, strides
        return new_capsule(c.addressof(self.kept[0]), b"dltensor", None)


class Described(Plain):
    version = 3

    @property
    def __cuda_array_interface__(self):
        a = self.array
        self.streams.append(1)
        return {"shape": a.shape, "typestr": a.dtype.str, "data": (a.ctypes.data, False), "version": 3,
                "strides": None if a.flags.c_contiguous else a.strides, "stream": 1}


class Fake:
    """A library whose arrays are those of a class."""

    def __init__(self, kind, monkeypatch):
        self.kind, self.device = kind, kind
        made = _device.Library(lambda X, shape, dtype: kind(np.full(shape, -7, dtype), X.number),
                               lambda D: kind(np.sqrt(D.array), D.number),
                               lambda X, A: kind(A, X.number))
        monkeypatch.setitem(_device.LIBRARIES, kind.__module__, lambda: made)

    def is_own(self, A, X):
        return type(A) is self.kind

    def host(self, A):
        return A.get()


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")

    def device(self, A):
        return self.torch.from_numpy(np.array(A)).cuda()

    def is_own(self, A, X):
        return isinstance(A, self.torch.Tensor) and A.device == X.device

    def host(self, A):
        return A.cpu().numpy()


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
        try:
            self.cupy.zeros(1)
        except Exception as problem:
            pytest.skip(f"CuPy finds no GPU: {problem}")

    def device(self, A):
        return self.cupy.asarray(np.array(A))

    def is_own(self, A, X):
        return isinstance(A, self.cupy.ndarray) and A.device == X.device

    def host(self, A):
        return A.get()


@pytest.fixture(params=["dlpack", "interface", "torch", "cupy"])
def gpu(request, monkeypatch):
    if not NAME:
        pytest.skip("no GPU, or no CUDA module")
    if EMULATED == (request.param in ("torch", "cupy")):
        pytest.skip("a GPU is emulated" if EMULATED else "a GPU is there")
    return {"torch": Torch, "cupy": Cupy}[request.param]() if not EMULATED else Fake(
        Packed if request.param == "dlpack" else Described, monkeypatch)


# ---- results --------------------------------------------------------------------------------------

def close(A, B, tolerance=1e-10):
    assert A.dtype == B.dtype and A.shape == B.shape
    return np.abs(A - B).max() <= tolerance * max(1.0, np.abs(B).max())


@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "euclidean", "jeffrey", "riemann"])
def test_distances(gpu, rng, metric):
    X, Y = random_spd(rng, 20, 4), random_spd(rng, 5, 4)
    A, B = gpu.device(X), gpu.device(Y)
    for squared in False, True:
        for other, there in ((None, None), (Y, B)):
            D = spdml.pairwise_distance(A, there, metric=metric, squared=squared)
            assert gpu.is_own(D, A)
            assert close(gpu.host(D), spdml.pairwise_distance(X, other, metric=metric, squared=squared), 1e-7)


def test_neighbours(gpu, rng):
    X, Q = random_spd(rng, 11, 4), random_spd(rng, 3, 4)
    A, B = gpu.device(X), gpu.device(Q)
    for other, there in ((None, None), (Q, B)):
        d, i = spdml.neighbors(A, there, n_neighbors=3, metric="stein")
        wanted = spdml.neighbors(X, other, n_neighbors=3, metric="stein")
        assert gpu.is_own(d, A) and gpu.is_own(i, A)
        assert close(gpu.host(d), wanted[0]) and (gpu.host(i) == wanted[1]).all()


@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "jeffrey", "euclidean", "logdet", "kullback_sym",
                                    "bures-wasserstein", "log-cholesky"])
def test_means(gpu, rng, metric):
    X, w = random_spd(rng, 24, 4), rng.random(24)
    A = gpu.device(X)
    for weight in None, w:
        M = spdml.mean(A, metric, weight)
        assert gpu.is_own(M, A) and close(gpu.host(M), spdml.mean(X, metric, weight))
    M = spdml.mean(gpu.device(X.reshape(2, 3, 4, 4, 4)), metric, w[:4])
    assert close(gpu.host(M), spdml.mean(X.reshape(2, 3, 4, 4, 4), metric, w[:4]))
    assert (gpu.host(A) == X).all()


def test_means_of_few_iterations(gpu, rng):
    X = random_spd(rng, 9, 3)
    with pytest.warns(ConvergenceWarning):
        M = spdml.mean(gpu.device(X), "stein", max_iter=1)
    with pytest.warns(ConvergenceWarning):
        assert close(gpu.host(M), spdml.mean(X, "stein", max_iter=1))
    loose = gpu.host(spdml.mean(gpu.device(X), "stein", tol=1e-3))
    assert close(loose, spdml.mean(X, "stein", tol=1e-3)) and not close(loose, spdml.mean(X, "stein"), 1e-12)


FUNCTIONS = {"log": spdml.logm, "exp": spdml.expm, "sqrt": spdml.sqrtm, "invsqrt": spdml.invsqrtm,
             "power": lambda X: spdml.powm(X, -0.4), "apply": lambda X: spdml.geometry.base.apply(X, "power", 0.3)}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 3, 3)])
def test_functions(gpu, rng, name, shape):
    X = random_spd(rng, 8, 3)[:int(np.prod(shape[:-2], dtype=int))].reshape(shape)
    A = gpu.device(X)
    F = FUNCTIONS[name](A)
    assert gpu.is_own(F, A) and close(gpu.host(F), FUNCTIONS[name](X))
    assert (gpu.host(A) == X).all()


@pytest.mark.parametrize("kind", ["stein", "log-euclidean"])
def test_kernels(gpu, rng, kind):
    X, Y = random_spd(rng, 20, 3), random_spd(rng, 5, 3)
    A, B = gpu.device(X), gpu.device(Y)
    for other, there in ((None, None), (Y, B), (X, A)):
        K = spdml.kernel(A, there, metric=kind, beta=1.5)
        assert gpu.is_own(K, A) and close(gpu.host(K), spdml.kernel(X, other, metric=kind, beta=1.5))
    if kind == "stein":
        with pytest.warns(UserWarning, match="not positive definite"):
            spdml.kernel(A, metric="stein", beta=0.7)


def some_map(rng, n, m):
    """A map as a fit leaves it."""
    made = spdml.SPDML(m)
    made.components_, made.n_features_in_ = np.linalg.qr(rng.standard_normal((n, m)))[0].T, n
    return made


@pytest.mark.parametrize("n, m", [(2, 1), (9, 4), (33, 17), (140, 129)])
def test_transform(gpu, rng, n, m):
    X = random_spd(rng, 12, n)
    A, model = gpu.device(X), some_map(rng, n, m)
    S = model.transform(A)
    assert gpu.is_own(S, A) and close(gpu.host(S), model.transform(X), 1e-13)
    assert (gpu.host(S) == gpu.host(S).transpose(0, 2, 1)).all() and (gpu.host(A) == X).all()


def test_transform_of_what_does_not_fit_the_map(gpu, rng):
    X, model = random_spd(rng, 5, 4), some_map(rng, 4, 2)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="3 x 3 matrices; 4 x 4 expected"):
        model.transform(gpu.device(X[:, :3, :3].copy()))
    X[2, 0, 1] += 1.0
    with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"X\[2\]"):
        model.transform(gpu.device(X))
    X[2] = np.nan
    with pytest.raises(spdml.exceptions.NotFiniteError, match=r"X\[2\]"):
        model.transform(gpu.device(X))
    model.components_ = model.components_ * 1j
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="map is complex"):
        model.transform(gpu.device(random_spd(rng, 5, 4)))


# ---- fits ------------------------------------------------------------------------------------------

FITS = {"stein": {}, "airm": {"metric": "airm"}, "unsupervised": {}, "restarts": {"restarts": 3, "random_state": 1},
        "stein first": {"metric": "airm", "init": "stein"},
        "difference": {"objective": "difference", "nu_w": 3, "nu_b": 3}}


def classes_apart(rng, p=24, n=7):
    X, y = random_spd(rng, p, n), np.arange(p) % 3
    X[y == 1, :2, :2] *= 2.0
    return X + 0.5 * np.eye(n), y


@pytest.mark.parametrize("kind", FITS)
def test_fits_have_the_bits_of_the_host(gpu, rng, kind):
    X, y = classes_apart(rng)
    A, y = gpu.device(X), None if kind == "unsupervised" else y
    make = lambda: spdml.SPDML(3, max_iter=6, engine="cuda", **FITS[kind])
    here, there = make().fit(X, y), make().fit(A, y)
    assert (here.components_ == there.components_).all()
    assert (here.cost_history_ == there.cost_history_).all() and len(there.cost_history_) > 1
    assert (gpu.host(A) == X).all()


def test_fit_and_transform(gpu, rng):
    X, y = classes_apart(rng)
    A = gpu.device(X)
    S = spdml.SPDML(3, max_iter=4, engine="auto").fit_transform(A, y)
    assert gpu.is_own(S, A)
    assert close(gpu.host(S), spdml.SPDML(3, max_iter=4, engine="cpu").fit(X, y).transform(X), 1e-9)


@pytest.mark.parametrize("metric, log_cost", [("jeffrey", "approximate"), ("log-euclidean", "exact")])
def test_fits_under_other_metrics(gpu, rng, metric, log_cost):
    X, y = classes_apart(rng)
    make = lambda engine: spdml.SPDML(3, metric, log_cost=log_cost, max_iter=4, engine=engine)
    there, here = make("cuda").fit(gpu.device(X), y), make("cuda").fit(X, y)
    assert (there.components_ == here.components_).all()
    assert close(there.transform(X), make("cpu").fit(X, y).transform(X), 1e-9)


def test_a_callback_stops_a_fit(gpu, rng):
    X, y = classes_apart(rng)
    seen = []

    def twice(iteration, cost):
        seen.append(cost)
        return iteration == 2
    model = spdml.SPDML(3, engine="cuda", tol=0).fit(gpu.device(X), y, callback=twice)
    assert model.stop_ == "cancelled" and model.n_iter_ == 2 and len(seen) == 3


def test_fits_that_cannot_be(gpu, rng):
    X, y = classes_apart(rng)
    A = gpu.device(X)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="engine='cpu' learns on the processor; use engine='cuda'"):
        spdml.SPDML(3, engine="cpu").fit(A, y)
    assert spdml.SPDML(3, max_iter=2).fit(A, y).components_.shape == (3, 7)  # by auto
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="y lies on the GPU"):
        spdml.SPDML(3, engine="cuda").fit(A, gpu.device(y))
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="'auto' needs X in memory"):
        spdml.SPDML("auto", engine="cuda").fit(A, y)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="smaller than the matrices"):
        spdml.SPDML(7, engine="cuda").fit(A, y)
    X[5] -= 90 * np.eye(7)
    for Z in X, gpu.device(X):
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"^X\[5\] is not positive definite"):
            spdml.SPDML(3, engine="cuda").fit(Z, y)


def test_the_engine_of_a_fit_in_c(gpu, rng):
    """By the library the processor learns from a copy on the host; a fit of nothing is refused."""
    from spdml._core import calls as _calls, sets as _sets
    from spdml.maps import _fit
    X, y = classes_apart(rng)
    S, options = _sets.device(gpu.device(X), "X"), spdml.SPDML(3, max_iter=6)._options(7, y)[0]
    cpu = value("engine", "cpu")
    there, here = (_fit(_calls.context(1, cpu), each, y.astype(np.intc), options, None) for each in (S, _sets.host(X)))
    assert (there.W == here.W).all()
    S.p = 0
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="empty"):
        _fit(_calls.context(1, value("engine", "cuda")), S, y.astype(np.intc), options, None)


def test_sizes_without_kernels_go_through_the_host(gpu, rng):
    X = random_spd(rng, 3, 513)
    D = spdml.pairwise_distance(gpu.device(X), metric="stein")
    assert close(gpu.host(D), spdml.pairwise_distance(X, metric="stein"))
    X = random_spd(rng, 70, 2)
    d, i = spdml.neighbors(gpu.device(X), n_neighbors=66)
    wanted = spdml.neighbors(X, n_neighbors=66)
    assert close(gpu.host(d), wanted[0]) and (gpu.host(i) == wanted[1]).all()


# ---- what is wrong ----------------------------------------------------------------------------------

CALLS = {"pairwise": spdml.pairwise_distance, "stein": lambda X: spdml.pairwise_distance(X, metric="stein"),
         "flat": lambda X: spdml.pairwise_distance(X, metric="logeuclid"), "neighbours": spdml.neighbors,
         "log": spdml.logm, "sqrt": spdml.sqrtm, "stein kernel": lambda X: spdml.kernel(X, metric="stein"),
         "kernel": lambda X: spdml.kernel(X, metric="log-euclidean"), "mean": spdml.mean,
         "stein mean": lambda X: spdml.mean(X, "stein"), "jeffrey mean": lambda X: spdml.mean(X, "jeffrey"),
         "log mean": lambda X: spdml.mean(X, "log-euclidean")}


@pytest.mark.parametrize("name", CALLS)
def test_bad_matrices_are_named_as_on_the_host(gpu, rng, name):
    X = random_spd(rng, 8, 3)
    for spoil in "indefinite", "nan", "asymmetric":
        Z = X.copy()
        if spoil == "indefinite":
            Z[5] -= 9 * np.eye(3)
        elif spoil == "nan":
            Z[5, 1, 2] = Z[5, 2, 1] = np.nan
        else:
            Z[5, 0, 2] += 0.1
        with pytest.raises(BadMatrixError) as there:
            CALLS[name](gpu.device(Z))
        with pytest.raises(BadMatrixError) as here:
            CALLS[name](Z)
        assert type(there.value) is type(here.value) and there.value.index == here.value.index == 5
        assert str(there.value).startswith("X[5] ") and str(here.value).startswith("X[5] ")
        if spoil == "indefinite":
            assert str(there.value) == str(here.value)


def test_the_second_set_is_named(gpu, rng):
    X, Y = random_spd(rng, 5, 3), random_spd(rng, 4, 3)
    Y[2] *= -1
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"Y\[2\]"):
        spdml.pairwise_distance(gpu.device(X), gpu.device(Y))
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"Q\[2\]"):
        spdml.neighbors(gpu.device(X), gpu.device(Y))
    Y[2, 0, 1] += 1
    with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"Y\[2\]"):
        spdml.kernel(gpu.device(X), gpu.device(Y), "stein")
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"X\[1\]\[2\]"):
        spdml.mean(gpu.device(np.stack([X[:3], [X[3], X[4], -X[0]]])), "stein")
    with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"X\[1, 0\]"):
        spdml.expm(gpu.device(Y.reshape(2, 2, 3, 3)))


def test_a_power_that_overflows_is_named(gpu):
    X = np.eye(2) * np.array([1.0, 2.0, 1e200])[:, None, None]
    with pytest.raises(NumericError, match=r"power of X\[2\] is too large"):
        spdml.powm(gpu.device(X), 3.0)


def test_other_arrays_are_refused(gpu, rng):
    host = random_spd(rng, 4, 3)
    X = gpu.device(host)
    small, wide, empty = (gpu.device(A) for A in (host[:, :2, :2].copy(), host[:, :2].copy(), host[:0]))
    for call, words in (
            (lambda: spdml.pairwise_distance(gpu.device(host.astype(np.float32))), "float32"),
            (lambda: spdml.pairwise_distance(wide), "square"),
            (lambda: spdml.pairwise_distance(empty), "empty"),
            (lambda: spdml.pairwise_distance(gpu.device(host[0])), "samples"),
            (lambda: spdml.pairwise_distance(X, small), "2 x 2 matrices; 3 x 3"),
            (lambda: spdml.pairwise_distance(X, host), "Y lies on the host"),
            (lambda: spdml.neighbors(X, n_neighbors=4), "n_neighbors is 4"),
            (lambda: spdml.pairwise_distance(X, metric="thompson"), "thompson"),
            (lambda: spdml.pairwise_distance(X, power=2.0), "has none"),
            (lambda: spdml.kernel(X, metric="airm"), "'airm' is not for arrays on a GPU"),
            (lambda: spdml.kernel(X, metric="log-euclidean", Cref=np.eye(3)), "Cref"),
            (lambda: spdml.mean(X, "harmonic"), "'harmonic' is not for arrays on a GPU"),
            (lambda: spdml.mean(X, sample_weight=np.ones(5)), "4 weights"),
            (lambda: spdml.mean(X, sample_weight=[1, 1, -1, 1]), "weight 2 is -1"),
            (lambda: spdml.mean(gpu.device(host[0])), "samples"),
            (lambda: spdml.mean(X, max_iter=0), "max_iter"),
            (lambda: spdml.geometry.median.median_riemann(X), "bring it to the host")):
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match=words):
            call()


def test_strides(gpu, rng):
    X = gpu.device(random_spd(rng, 8, 3))
    if EMULATED:
        X = gpu.device(X.get()[::2])
    else:
        X = X[::2]
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="not C-contiguous"):
        spdml.logm(X)


# ---- of the protocols ---------------------------------------------------------------------------------

@pytest.mark.skipif(not EMULATED, reason="no emulated GPU")
def test_streams_are_asked_for_and_numbers_of_devices_looked_at(rng, monkeypatch):
    X = Packed(random_spd(rng, 4, 3))
    Fake(Packed, monkeypatch)
    D = spdml.pairwise_distance(X)
    assert X.streams == [1] and D.streams == []  # the root is another array
    D = spdml.pairwise_distance(X, squared=True)
    assert D.streams == [1]
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="no GPU number 3"):
        spdml.logm(Packed(X.array, 3))
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="GPU 0 and Y on GPU 3"):
        spdml.pairwise_distance(X, Packed(X.array, 3))


class Unwilling(Packed):
    def __dlpack__(self, stream=None):
        raise BufferError("it requires a gradient")


def test_arrays_that_cannot_be_had(rng, monkeypatch):
    X = random_spd(rng, 4, 3)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="torch.from_dlpack"):
        spdml.logm(Packed(X))
    Fake(Unwilling, monkeypatch)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="it requires a gradient"):
        spdml.logm(Unwilling(X))


@pytest.mark.skipif(bool(NAME), reason="a GPU is there")
@pytest.mark.parametrize("name", CALLS)
def test_without_a_gpu(rng, name, monkeypatch):
    for kind in Packed, Described:
        Fake(kind, monkeypatch)
        with pytest.raises(DeviceError, match="CUDA|GPU"):
            CALLS[name](kind(random_spd(rng, 4, 3)))


def test_memory_of_the_host_is_refused(rng, monkeypatch):
    """By a real GPU; an emulated one has no other."""
    if not NAME or EMULATED:
        pytest.skip("no GPU")
    Fake(Packed, monkeypatch)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="not in the memory of a GPU"):
        spdml.logm(Packed(random_spd(rng, 4, 3)))


def test_torch_streams_and_gradients(rng):
    """A set that a slow stream is still writing."""
    if EMULATED:
        pytest.skip("a GPU is emulated")
    t = Torch().torch
    X = t.from_numpy(random_spd(rng, 2000, 24)).cuda()
    wanted = spdml.pairwise_distance(X.cpu().numpy()[:50], metric="stein")
    own = t.cuda.Stream()
    t.cuda.synchronize()
    with t.cuda.stream(own):
        Y = t.zeros_like(X)
        for _ in range(20):
            Y = t.linalg.matrix_exp(Y * 0.0)
        Y.copy_(X)
        D = spdml.pairwise_distance(Y[:50], metric="stein")
        half = D * 0.5
    t.cuda.synchronize()
    assert close(half.cpu().numpy(), 0.5 * wanted)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="grad"):
        spdml.logm(X[:2].clone().requires_grad_())
    gc.collect()
    assert importlib.util.find_spec("torch")
