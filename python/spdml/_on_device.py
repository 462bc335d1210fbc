"""Functions of sets that lie on a GPU (`_device`): the library's, and results beside the sets."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Tuple, cast

import numpy as np

from . import _device, _metrics
from ._arrays import doubles, metric_number, place, real
from ._calls import call, context
from ._errors import InvalidArgumentError
from ._library import Device, Doubles, Longs, Neighbours
from ._sets import FUNCTIONS, called, given_weights, mean_options

_TOLERANCE = 2.0 ** -26  # of symmetry, as of float64 in _arrays


def _pointer(found: Optional[_device.View], kind: Any = Doubles) -> Any:
    return None if found is None else c.cast(found.pointer, kind)


class Sets:
    """X and, if given, Y of one call, checked; and where they lie."""

    def __init__(self, X: Any, Y: Any, names: Tuple[str, str], n_jobs: Optional[int],
                 ndim: Optional[int] = 3) -> None:
        self.given, self.names, self.n_jobs = X, names, n_jobs
        self.library = _device.library(X, names[0])
        self.X = _device.matrices(X, names[0], None, ndim)
        self.n = self.X.shape[-1]
        self.shape = self.X.shape
        self.p = 1
        for length in self.X.shape[:-2]:
            self.p *= length
        self.Y = None if Y is None else _device.matrices(Y, names[1], self.n, ndim)
        self.q = self.p if self.Y is None else self.Y.shape[0]
        if self.Y is not None and self.Y.device != self.X.device:
            raise InvalidArgumentError(f"{names[0]} lies on GPU {self.X.device} and {names[1]} on GPU "
                                       f"{self.Y.device}; bring them to one")
        self._check(names[0], self.X, self.p)
        if self.Y is not None:
            self._check(names[1], self.Y, self.q)

    def _where(self, stream: Optional[int]) -> Any:
        return c.byref(Device(number=self.X.device, stream=stream))

    def _check(self, name: str, found: _device.View, count: int) -> None:
        with called(("X", name, found.shape[:-2])):
            call(context(self.n_jobs), "spd_device_check", self._where(found.stream), self.n, count,
                 _pointer(found), _TOLERANCE)

    def make(self, shape: Tuple[int, ...], kind: str = "float64") -> Tuple[Any, _device.View]:
        """A new array, and where it lies."""
        made = self.library.empty(self.given, shape, kind)
        return made, _device.view(made, "the result", kind)

    def alone(self) -> Tuple[Any, ...]:
        """X as the library takes it: where, n, p, pointer."""
        return self._where(_device.DEFAULT_STREAM), self.n, self.p, _pointer(self.X)

    def run(self, name: str, *arguments: Any) -> None:
        """The sets were waited for when they were checked; the results are new."""
        leading = () if self.Y is None else self.Y.shape[:-2]
        with called(("X", self.names[0], self.X.shape[:-2]),
                    ("Q" if name == "spd_device_nearest" else "Y", self.names[1], leading)):
            self.call(name, *arguments)

    def call(self, name: str, *arguments: Any) -> None:
        """The same, where the caller says what a matrix is called."""
        call(context(self.n_jobs), name, self._where(_device.DEFAULT_STREAM), *arguments)


def samples(X: Any, y: Any, engine: Optional[str], n_jobs: Optional[int]) -> Sets:
    """X of a fit: by an engine that reaches it, with labels on the host."""
    if engine == "cpu":
        raise InvalidArgumentError("X lies on the GPU, and engine='cpu' learns on the processor; use engine='cuda' or "
                                   "'auto', or bring X to the host, with .cpu() (PyTorch) or .get() (CuPy)")
    if _device.holds(y):
        raise InvalidArgumentError("y lies on the GPU; bring the labels to the host, with .cpu() (PyTorch) or .get() "
                                   "(CuPy)")
    return Sets(X, None, ("X", ""), n_jobs)


def apply(X: Any, function: str, power: Any = 1.0, n_jobs: Optional[int] = None) -> np.ndarray:
    """A function of each matrix, by name. Results here are arrays of X's library; to who checks types
    they are what they are for arrays in memory."""
    s = Sets(X, None, ("X", ""), n_jobs, None)
    F, to = s.make(s.X.shape)
    s.run("spd_device_apply", FUNCTIONS[function], real(power, "power"), s.n, s.p, _pointer(s.X),
          _pointer(to))
    return cast(np.ndarray, F)


def congruence(X: Any, W: np.ndarray, n_jobs: Optional[int] = None) -> np.ndarray:
    """W' X_i W (p, m, m); W lies on the host."""
    s = Sets(X, None, ("X", ""), n_jobs)
    n, m = W.shape
    if s.n != n:
        raise InvalidArgumentError(f"X holds {s.n} x {s.n} matrices; {n} x {n} expected")
    if np.iscomplexobj(W):
        raise InvalidArgumentError("the map is complex, and arrays on the GPU are real; bring X to the host")
    S, to = s.make((s.p, m, m))
    s.run("spd_device_congruence", n, m, s.p, _pointer(s.X), doubles(W), _pointer(to))
    return cast(np.ndarray, S)


def _own(metric: Any) -> Any:
    """The metric, which must be one of the library's own."""
    if not isinstance(metric, str) or _metrics.OURS.get(metric, metric) not in _metrics.CORE:
        raise InvalidArgumentError(f"metric {metric!r} is not for arrays on a GPU; use one of "
                                   f"{', '.join(_metrics.CORE)}, or bring the arrays to the host")
    return metric


def pairwise(X: Any, Y: Any, metric: Any, squared: bool, power: Any, n_jobs: Optional[int]) -> np.ndarray:
    """Distances by a metric of the library's own."""
    number = metric_number(_own(metric))
    if power is not None:
        raise InvalidArgumentError(f"power is {power!r}; metric {metric!r} has none")
    s = Sets(X, Y, ("X", "Y"), n_jobs)
    D2, to = s.make((s.p, s.q))
    s.run("spd_device_pairwise2", number, s.n, s.p, _pointer(s.X), s.q,
          _pointer(s.Y), _pointer(to))
    return cast(np.ndarray, D2 if squared else s.library.root(D2))


def mean(X: Any, metric: str, sample_weight: Any, tol: float, max_iter: Optional[int],
         n_jobs: Optional[int]) -> np.ndarray:
    """The mean by a metric of the library's own, over the third dimension from the end. Its steps are
    the processor's, and the small matrix is taken from there to the GPU."""
    number = _metrics.core_number(_own(metric))
    s = Sets(X, None, ("X", ""), n_jobs, None)
    if len(s.X.shape) < 3:
        raise InvalidArgumentError(
            f"X has shape {s.X.shape}; it must be (samples, n, n): square matrices")
    leading, p = s.X.shape[:-3], s.X.shape[-3]
    weights = given_weights(sample_weight, p)
    options = mean_options(weights, tol, max_iter)
    M = np.empty((s.p // p, s.n, s.n))
    for i, each in enumerate(M):
        set_at = s.X._replace(pointer=s.X.pointer + i * p * each.nbytes)
        with called(("X", "X" + place(i, leading), (p,))):
            s.call("spd_device_mean", number, s.n, p, _pointer(set_at), c.byref(options),
                   doubles(each), None)
    return cast(np.ndarray, s.library.array(X, M.reshape(leading + M.shape[1:])))


def kernel(X: Any, Y: Any, kind: Any, beta: float, n_jobs: Optional[int]) -> np.ndarray:
    """Kernel values of a kind of the library's own."""
    kinds = {"stein": 0, "log-euclidean": 1}
    number = kinds.get(_metrics.OURS.get(kind, kind)) if isinstance(kind, str) else None
    if number is None:
        raise InvalidArgumentError(f"kind {kind!r} is not for arrays on a GPU; use one of "
                                   f"{', '.join(kinds)}, or bring the arrays to the host")
    s = Sets(X, Y, ("X", "Y"), n_jobs)
    K, to = s.make((s.p, s.q))
    s.run("spd_device_kernel", number, beta, s.n, s.p, _pointer(s.X), s.q, _pointer(s.Y),
          _pointer(to))
    return cast(np.ndarray, K)


def neighbors(X: Any, Q: Any, k: int, metric: str, squared: bool, n_jobs: Optional[int]
              ) -> Tuple[Any, Any]:
    """Distances and numbers of the k nearest."""
    number = metric_number(metric)
    s = Sets(X, Q, ("X", "Q"), n_jobs)
    most = s.p - 1 if Q is None else s.p
    if not 1 <= k <= most:
        raise InvalidArgumentError(f"n_neighbors is {k}; it must be between 1 and {most}")
    d2, at = s.make((s.q, k))
    index, index_at = s.make((s.q, k), "int64")
    found = Neighbours(k=k, index=_pointer(index_at, Longs), d2=_pointer(at))
    s.run("spd_device_nearest", number, s.n, s.p, _pointer(s.X), s.q, _pointer(s.Y), c.byref(found))
    return d2 if squared else s.library.root(d2), index
