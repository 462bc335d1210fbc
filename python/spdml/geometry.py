"""pyRiemann's names: what ``pyriemann.geometry`` (0.12) has, with its arguments, computed here.

``from spdml.geometry import mean_riemann, distance_logdet`` stands for imports from
``pyriemann.geometry.mean``, ``.distance``, ``.geodesic``, ``.kernel``, ``.base``, ``.median`` and
``.tangentspace``. Iterations end at the limit of rounding unless `tol` says otherwise. Matrices that
are not symmetric are refused, and so are those that are not positive definite."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Optional

import numpy as np

import spdml

from ._sets import adjoint as ctranspose
from .distances import mahalanobis as distance_mahalanobis
from .matrix_functions import eigvalsh as _eigvalsh
from .matrix_functions import expm, invsqrtm, logm, powm, sqrtm
from .matrix_functions import expm_derivative as ddexpm
from .matrix_functions import logm_derivative as ddlogm
from .matrix_functions import nearest_spd as nearest_sym_pos_def
from .tangent import inner_product as innerproduct
from .tangent import transport, unupper, upper

Function = Callable[..., Any]


def _by(name: str, function: Function, metric: str) -> Function:
    """The function with that metric, as a function of its own: with a name, a signature and help."""
    def named(*arguments: Any, **more: Any) -> Any:
        return function(*arguments, metric=metric, **more)

    whole = inspect.signature(function)
    vars(named)["__signature__"] = whole.replace(
        parameters=[one for one in whole.parameters.values() if one.name != "metric"])
    named.__name__ = named.__qualname__ = name
    named.__doc__ = f"``spdml.{function.__name__}`` with the metric {metric!r}."
    return named


def _table(begin: str) -> Dict[str, Function]:
    """pyRiemann's tables: functions by metric, here those whose names begin so."""
    metrics = ("chol", "euclid", "harmonic", "kullback", "kullback_right", "kullback_sym", "logchol",
               "logdet", "logeuclid", "riemann", "thompson", "wasserstein")
    return {metric: globals()[begin + metric] for metric in metrics if begin + metric in globals()}


# ---- distances ----------------------------------------------------------------------------------


def _distance(metric: str) -> Callable[..., Any]:
    def function(A: Any, B: Any, squared: bool = False) -> Any:
        return spdml.distance(A, B, metric, squared)

    function.__name__ = function.__qualname__ = f"distance_{metric}"
    function.__doc__ = f"``spdml.distance`` with the metric {metric!r}."
    return function


distance_chol = _distance("chol")
distance_euclid = _distance("euclid")
distance_harmonic = _distance("harmonic")
distance_kullback = _distance("kullback")
distance_kullback_right = _distance("kullback_right")
distance_kullback_sym = _distance("kullback_sym")
distance_logchol = _distance("logchol")
distance_logdet = _distance("logdet")
distance_logeuclid = _distance("logeuclid")
distance_riemann = _distance("riemann")
distance_thompson = _distance("thompson")
distance_wasserstein = _distance("wasserstein")


distance_functions = _table("distance_")


def distance_poweuclid(A: Any, B: Any, p: float, squared: bool = False) -> Any:
    """``spdml.distance`` with the metric 'power-euclidean'."""
    return spdml.distance(A, B, "poweuclid", squared, power=p)


def distance(A: Any, B: Any, metric: Any = "riemann", squared: bool = False) -> Any:
    """``spdml.distance`` of two matrices, two sets of the same shape, or a set and a matrix; the
    latter as (p, 1)."""
    a, b = np.shape(A), np.shape(B)
    if a != b and not (len(a) == 3 and len(b) == 2):
        raise ValueError(f"A has shape {a} and B {b}: incompatible dimensions")
    D = spdml.distance(A, B, metric, squared)
    return D if a == b else np.asarray(D)[..., None]


def pairwise_distance(X: Any, Y: Any = None, metric: Any = "riemann", squared: bool = False
                      ) -> np.ndarray:
    """``spdml.pairwise_distances``."""
    return spdml.pairwise_distances(X, Y, metric, squared)


# ---- means --------------------------------------------------------------------------------------


def _mean(metric: str) -> Callable[..., np.ndarray]:
    def function(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                 sample_weight: Any = None) -> np.ndarray:
        return spdml.mean(X, metric, sample_weight, tol, maxiter, init=init)

    function.__name__ = function.__qualname__ = f"mean_{metric}"
    function.__doc__ = f"``spdml.mean`` with the metric {metric!r}."
    return function


mean_ale = _mean("ale")
mean_alm = _mean("alm")
mean_bmp = _mean("bmp")
mean_cheap = _mean("cheap")
mean_chol = _mean("chol")
mean_euclid = _mean("euclid")
mean_harmonic = _mean("harmonic")
mean_kullback_sym = _mean("kullback_sym")
mean_logchol = _mean("logchol")
mean_logdet = _mean("logdet")
mean_logeuclid = _mean("logeuclid")
mean_riemann = _mean("riemann")
mean_thompson = _mean("thompson")
mean_wasserstein = _mean("wasserstein")


def mean_power(X: Any, p: float, *, sample_weight: Any = None, zeta: float = 0.0,
               maxiter: Optional[int] = None, init: Any = None) -> np.ndarray:
    """``spdml.mean`` with the metric 'power'."""
    return spdml.mean(X, "power", sample_weight, zeta, maxiter, init=init, power=p)


def mean_poweuclid(X: Any, p: float, *, sample_weight: Any = None) -> np.ndarray:
    """``spdml.mean`` with the metric 'power-euclidean'."""
    return spdml.mean(X, "poweuclid", sample_weight, power=p)


def maskedmean_riemann(X: Any, masks: Any, *, tol: float = 0.0, maxiter: Optional[int] = None,
                       init: Any = None, sample_weight: Any = None) -> np.ndarray:
    """``spdml.masked_mean``."""
    return spdml.masked_mean(X, masks, sample_weight, tol, maxiter, init)


def nanmean_riemann(X: Any, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                    sample_weight: Any = None) -> np.ndarray:
    """``spdml.nan_mean``."""
    return spdml.nan_mean(X, sample_weight, tol, maxiter, init)


mean_functions: Dict[str, Callable[..., np.ndarray]] = {
    "ale": mean_ale, "alm": mean_alm, "bmp": mean_bmp, "cheap": mean_cheap, "chol": mean_chol,
    "euclid": mean_euclid, "harmonic": mean_harmonic, "kullback_sym": mean_kullback_sym,
    "logchol": mean_logchol, "logdet": mean_logdet, "logeuclid": mean_logeuclid,
    "power": mean_power, "poweuclid": mean_poweuclid, "riemann": mean_riemann,
    "thompson": mean_thompson, "wasserstein": mean_wasserstein,
}


def gmean(X: Any, *args: Any, metric: Any = "riemann", sample_weight: Any = None, **more: Any
          ) -> np.ndarray:
    """The mean by a metric; args and more are those of its function."""
    function = mean_functions.get(metric) if isinstance(metric, str) else metric
    if not callable(function):
        raise ValueError(f"metric {metric!r} is unknown; use one of {', '.join(mean_functions)}")
    return np.asarray(function(X, *args, sample_weight=sample_weight, **more))


def median_euclid(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                  weights: Any = None) -> np.ndarray:
    """``spdml.median`` with the metric 'euclidean'."""
    return spdml.median(X, "euclidean", weights, tol, maxiter, init)


def median_riemann(X: Any, *, tol: float = 0.0, maxiter: Optional[int] = None, init: Any = None,
                   weights: Any = None, step_size: float = 1.0) -> np.ndarray:
    """``spdml.median`` with the metric 'airm'."""
    return spdml.median(X, "airm", weights, tol, maxiter, init, step_size)


# ---- geodesics ----------------------------------------------------------------------------------


def _geodesic(metric: str) -> Callable[..., np.ndarray]:
    def function(A: Any, B: Any, alpha: Any = 0.5) -> np.ndarray:
        return spdml.geodesic(A, B, alpha, metric)

    function.__name__ = function.__qualname__ = f"geodesic_{metric}"
    function.__doc__ = f"``spdml.geodesic`` with the metric {metric!r}."
    return function


geodesic_chol = _geodesic("chol")
geodesic_euclid = _geodesic("euclid")
geodesic_logchol = _geodesic("logchol")
geodesic_logeuclid = _geodesic("logeuclid")
geodesic_riemann = _geodesic("riemann")
geodesic_thompson = _geodesic("thompson")
geodesic_wasserstein = _geodesic("wasserstein")
geodesic_functions = _table("geodesic_")


def geodesic(A: Any, B: Any, alpha: Any, metric: Any = "riemann") -> np.ndarray:
    """``spdml.geodesic``."""
    return spdml.geodesic(A, B, alpha, metric)


# ---- kernels ------------------------------------------------------------------------------------


def kernel(X: Any, Y: Any = None, *, Cref: Any = None, metric: Any = "riemann",
           reg: float = 1e-10) -> np.ndarray:
    """``spdml.kernel``, with the small number on the diagonal that pyRiemann adds."""
    return spdml.kernel(X, Y, metric, Cref=Cref, reg=reg)


kernel_euclid = _by("kernel_euclid", kernel, "euclid")
kernel_logeuclid = _by("kernel_logeuclid", kernel, "logeuclid")
kernel_riemann = _by("kernel_riemann", kernel, "riemann")
kernel_functions = _table("kernel_")


# ---- tangent spaces -----------------------------------------------------------------------------


def log_map(X: Any, Cref: Any, *, metric: Any = "riemann", C12: bool = False) -> np.ndarray:
    """``spdml.log_map``; C12 is its ``full``."""
    return spdml.log_map(X, Cref, metric, C12)


def exp_map(X: Any, Cref: Any, *, metric: Any = "riemann", Cm12: bool = False) -> np.ndarray:
    """``spdml.exp_map``; Cm12 is its ``full``."""
    return spdml.exp_map(X, Cref, metric, Cm12)


log_map_euclid = _by("log_map_euclid", log_map, "euclid")
log_map_logchol = _by("log_map_logchol", log_map, "logchol")
log_map_logeuclid = _by("log_map_logeuclid", log_map, "logeuclid")
log_map_riemann = _by("log_map_riemann", log_map, "riemann")
log_map_wasserstein = _by("log_map_wasserstein", log_map, "wasserstein")
exp_map_euclid = _by("exp_map_euclid", exp_map, "euclid")
exp_map_logchol = _by("exp_map_logchol", exp_map, "logchol")
exp_map_logeuclid = _by("exp_map_logeuclid", exp_map, "logeuclid")
exp_map_riemann = _by("exp_map_riemann", exp_map, "riemann")
exp_map_wasserstein = _by("exp_map_wasserstein", exp_map, "wasserstein")
log_map_functions, exp_map_functions = _table("log_map_"), _table("exp_map_")


def innerproduct_euclid(X: Any, Y: Any, Cref: Any = None) -> Any:
    """``spdml.inner_product`` with the metric 'euclidean'."""
    return innerproduct(X, Y, Cref, "euclid")


innerproduct_logchol = _by("innerproduct_logchol", innerproduct, "logchol")
innerproduct_logeuclid = _by("innerproduct_logeuclid", innerproduct, "logeuclid")
innerproduct_riemann = _by("innerproduct_riemann", innerproduct, "riemann")
innerproduct_functions = _table("innerproduct_")


def tangent_space(X: Any, Cref: Any, *, metric: Any = "riemann") -> np.ndarray:
    """``spdml.tangent_space``."""
    return spdml.tangent_space(X, Cref, metric)


def untangent_space(T: Any, Cref: Any, *, metric: Any = "riemann") -> np.ndarray:
    """``spdml.untangent_space``."""
    return spdml.untangent_space(T, Cref, metric)


def norm(X: Any, Cref: Any, metric: Any = "riemann") -> Any:
    """``spdml.norm``."""
    return spdml.norm(X, Cref, metric)


def transport_euclid(X: Any, A: Any = None, B: Any = None) -> np.ndarray:
    """X itself."""
    return transport(X, A, B, "euclid")


transport_logchol = _by("transport_logchol", transport, "logchol")
transport_logeuclid = _by("transport_logeuclid", transport, "logeuclid")
transport_riemann = _by("transport_riemann", transport, "riemann")
transport_functions = _table("transport_")
