"""The short way to a few functions: arrays that are right already, without ctypes. They are decorated
with it where they are defined.

`_quick` is a small C module (python/quick/quick.c). It serves C-contiguous float64 arrays of symmetric
matrices, and answers None to everything else and to every failure: then the function itself is called,
which converts, checks and explains. Without the module, as before Python 3.11 or where it cannot be
loaded (PyPy, interpreters without a global lock), it is always called."""

from __future__ import annotations

import contextlib
import ctypes as c
import functools
import importlib.machinery
import importlib.util
import math
import os
import pathlib
import sys
import sysconfig
import threading
from typing import Any, Callable, Dict, Optional, TypeVar, cast

import numpy as np

from . import _errors, _jobs
from ._calls import call, context, long_way
from ._library import CovarianceOptions, Doubles, lib

Function = TypeVar("Function", bound=Callable[..., Any])

_BOUND = ("spd_context_set_threads", "spd_context_set_progress", "spd_distance2", "spd_pairwise2",
          "spd_mean", "spd_geodesics", "spd_apply")
_SYMMETRY = float(np.sqrt(np.finfo(np.float64).eps))  # as in _arrays
_LITTLE = 2e6  # operations that are not worth a second thread
_FUNCTIONS = {"log": 0, "exp": 1, "sqrt": 2, "invsqrt": 3, "power": 4}
_SHRINKAGES = {"cov": 0, "oas": 1, "lwf": 2, "scm": 3}  # the last by a share of 0


def _load() -> Any:
    """The module beside the library, bound to it; None if there is none for this interpreter."""
    path = pathlib.Path(lib._name).with_name("_quick.abi3.so")
    if sys.version_info < (3, 11) or os.environ.get("SPDML_QUICK") == "0" or not path.is_file() or \
            sysconfig.get_config_var("Py_GIL_DISABLED"):  # of which the stable interface knows nothing
        return None
    loader = importlib.machinery.ExtensionFileLoader("spdml._quick", str(path))
    spec = importlib.util.spec_from_loader("spdml._quick", loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:  # by another interpreter than CPython, or a damaged file: slower, not wrong
        return None
    module.bind(tuple(c.cast(getattr(lib, name), c.c_void_p).value for name in _BOUND))
    return module


def _numbers() -> Dict[str, int]:
    """Metrics by name, of which one has another meaning here than for the library."""
    names = ["airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky",
             "euclidean", "riemann", "logdet", "logeuclid", "wasserstein", "logchol", "euclid"]
    found, number = {}, c.c_int()
    for name in names:
        if lib.spd_metric_parse(None, name.encode(), c.byref(number)) == 0:
            found[name] = number.value
    return found


quick = _load()
_metrics = _numbers()
# numpy's own sums are the quicker ones, and the Euclidean metric takes any matrices there
_curved = {name: number for name, number in _metrics.items() if not name.startswith("euclid")}


class _Context:
    """A context of the library for the short way; Ctrl-C ends calls with it."""

    def __init__(self) -> None:
        self.handle = lib.spd_context_new()
        if not self.handle:
            raise MemoryError("spdml: out of memory for a context")
        quick.watch(self.handle)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.spd_context_free(self.handle)


_local = threading.local()


def _handle() -> int:
    try:
        return cast(int, _local.handle)
    except AttributeError:
        _local.context = _Context()
        _local.handle = _local.context.handle
        return cast(int, _local.handle)


def _threads(n_jobs: Any, work: float) -> Optional[int]:
    """Threads for so many operations; None where the function itself has to judge n_jobs."""
    if n_jobs is not None and (type(n_jobs) is not int or n_jobs == 0):
        return None
    return 1 if work < _LITTLE else _jobs.threads(n_jobs)


def _is_set(X: Any) -> bool:
    return X.__class__ is np.ndarray and X.ndim == 3 and X.dtype == np.float64


def _between(A: Any, B: Any, metric: str) -> Optional[np.ndarray]:
    """Squared distances of a set A to one matrix B, or by 'euclidean' also to as many; None for the
    long way."""
    if not _is_set(A) or A.size == 0 or B.__class__ is not np.ndarray or B.size == 0:
        return None
    D2 = np.empty(len(A))
    if metric not in _curved:
        return D2 if quick.apart(A, B, D2) else None
    if B.ndim != 2 or len(A) < 2:
        return None
    threads = _threads(None, A.size * A.shape[1])
    good = threads is not None and quick.pairwise(
        _handle(), threads, _curved[metric], B[None], A, D2[None], _SYMMETRY)
    return D2 if good else None


def distance(function: Function) -> Function:
    """function(A, B, metric, squared): the distance of two matrices, or of a set to one."""
    array, root, numbers, curved = np.ndarray, math.sqrt, _metrics, _curved
    pair, apart = quick and quick.pair, quick and quick.apart

    @functools.wraps(function)
    def short(A: Any, B: Any, metric: Any = "airm", squared: Any = False, *rest: Any,
              **more: Any) -> Any:
        if A.__class__ is array and B.__class__ is array and metric.__class__ is str and \
                not rest and not more:
            number = numbers.get(metric)
            if number is not None and not long_way():
                if A.ndim == 3:
                    D2 = _between(A, B, metric)
                    if D2 is not None:
                        return D2 if squared else np.sqrt(D2, out=D2)
                else:
                    d2 = (pair(_handle(), number, A, B, _SYMMETRY) if metric in curved else
                          apart(A, B))
                    if d2 is not None:
                        return d2 if squared else root(d2)
        return function(A, B, metric, squared, *rest, **more)

    return cast(Function, short) if quick else function


def mean(function: Function) -> Function:
    """function(X, metric, ...): the mean of a set; n_jobs and tol are the only further arguments of
    the short way."""

    @functools.wraps(function)
    def short(X: Any, metric: Any = "airm", *rest: Any, **more: Any) -> Any:
        if metric.__class__ is str and metric in _metrics and not rest and _is_set(X) and \
                more.keys() <= {"n_jobs", "tol"} and not long_way():
            tol = more.get("tol", 0.0)
            threads = _threads(more.get("n_jobs"), X.size * X.shape[1])
            M = np.empty(X.shape[1:])
            if threads is not None and tol.__class__ is float and X.size and (
                    quick.mean_flat(X, M) if metric not in _curved else
                    quick.mean(_handle(), threads, _curved[metric], X, tol, 0, M, _SYMMETRY)):
                return M
        return function(X, metric, *rest, **more)

    return cast(Function, short) if quick else function


def apply(function: Function) -> Function:
    """function(X, function, power, n_jobs): a function of each matrix."""

    @functools.wraps(function)
    def short(X: Any, f: Any, power: Any = 1.0, n_jobs: Any = None, **more: Any) -> Any:
        if f.__class__ is str and f in _FUNCTIONS and power.__class__ is float and not more and \
                X.__class__ is np.ndarray and X.size and not long_way():
            threads = _threads(n_jobs, X.size * X.shape[-1])
            F = np.empty(X.shape)
            if threads is not None and quick.apply(_handle(), threads, _FUNCTIONS[f], power, X, F,
                                                   _SYMMETRY):
                return F
        return function(X, f, power, n_jobs, **more)

    return cast(Function, _named(short, function)) if quick else function


def _named(short: Callable[..., Any], function: Function) -> Callable[..., Any]:
    """`short`, whose second parameter cannot have the name that it has in `function`."""

    @functools.wraps(function)
    def outer(*arguments: Any, **named: Any) -> Any:
        if "function" in named:
            named["f"] = named.pop("function")
        return short(*arguments, **named)

    return outer


def geodesic(function: Function) -> Function:
    """function(A, B, alpha, metric): points between matrices, or between as many and as many."""

    @functools.wraps(function)
    def short(A: Any, B: Any, alpha: Any = 0.5, metric: Any = "airm", *rest: Any,
              **more: Any) -> Any:
        if metric.__class__ is str and metric in _curved and alpha.__class__ is float and \
                A.__class__ is np.ndarray and B.__class__ is np.ndarray and not rest and \
                not more and A.shape == B.shape and A.size and not long_way():
            G = np.empty(A.shape)
            if quick.geodesics(_handle(), 1, _curved[metric], A, B, alpha, G, _SYMMETRY):
                return G
        return function(A, B, alpha, metric, *rest, **more)

    return cast(Function, short) if quick else function


def pairwise_distances(function: Function) -> Function:
    """function(X, Y, metric, squared, n_jobs): distances within a set or between two."""

    @functools.wraps(function)
    def short(X: Any, Y: Any = None, metric: Any = "airm", squared: Any = False, n_jobs: Any = None,
              *rest: Any, **more: Any) -> Any:
        if metric.__class__ is str and metric in _metrics and _is_set(X) and X.size and \
                (Y is None or _is_set(Y)) and not rest and not more and not long_way():
            other = X if Y is None else Y
            threads = _threads(n_jobs, float(X.size) * X.shape[1] * len(other))
            D2 = np.empty((len(X), len(other)))
            if threads is not None and D2.size and quick.pairwise(
                    _handle(), threads, _metrics[metric], X, Y, D2, _SYMMETRY):
                return D2 if squared else np.sqrt(D2, out=D2)
        return function(X, Y, metric, squared, n_jobs, *rest, **more)

    return cast(Function, short) if quick else function


def covariances(function: Function) -> Function:
    """function(signals, estimator, ...): of an array of signals, in one call of the library."""

    @functools.wraps(function)
    def short(signals: Any, estimator: Any = "cov", *rest: Any, **more: Any) -> Any:
        if _is_set(signals) and signals.size and signals.flags.c_contiguous and not rest and \
                not more and estimator.__class__ is str and estimator in _SHRINKAGES:
            p, n, r = signals.shape
            C = np.empty((p, n, n))
            options = CovarianceOptions(shrinkage=_SHRINKAGES[estimator])
            with contextlib.suppress(_errors.SPDError, ValueError):
                call(context(1), "spd_covariances", p, n, r, c.cast(signals.ctypes.data, Doubles),
                     c.byref(options), c.cast(C.ctypes.data, Doubles))
                return C
        return function(signals, estimator, *rest, **more)

    return cast(Function, short)


def symmetric(X: np.ndarray, tolerance: float) -> bool:
    """Are all matrices of X (p, n, n) symmetric? No also where that cannot be told this way."""
    return quick is not None and quick.symmetric(X, tolerance) == -1
