"""A function of a metric as functions of their own: distance_riemann of distance."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Sequence

Function = Callable[..., Any]


def by_metric(function: Function, name: str, metric: str) -> Function:
    """The function with that metric, which has a name, a signature and help as pyRiemann's has."""
    def named(*arguments: Any, **more: Any) -> Any:
        return function(*arguments, metric=metric, **more)

    whole = inspect.signature(function)
    vars(named)["__signature__"] = whole.replace(
        parameters=[one for one in whole.parameters.values() if one.name != "metric"])
    named.__name__ = named.__qualname__ = name
    named.__module__ = function.__module__
    named.__doc__ = f"`{function.__name__.strip('_')}` by the metric {metric!r}."
    return named


METRICS = ("ale", "alm", "bmp", "cheap", "chol", "euclid", "harmonic", "kullback", "kullback_right",
           "kullback_sym", "logchol", "logdet", "logeuclid", "power", "poweuclid", "riemann", "thompson",
           "wasserstein")


def table(module: Dict[str, Any], begin: str, without: Sequence[str] = ()) -> Dict[str, Function]:
    """The functions of a module whose names begin so, by metric, as pyRiemann has them."""
    return {metric: module[begin + metric] for metric in METRICS
            if begin + metric in module and metric not in without}
