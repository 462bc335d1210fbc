"""What scikit-learn should know of estimators whose samples are matrices or signals."""

from __future__ import annotations

import inspect
from typing import Any, Dict

import numpy as np
import threadpoolctl  # scikit-learn's own
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import jobs
from .calls import version
from .docs import complete, documented


class _Pool(threadpoolctl.LibController):  # type: ignore[misc]
    """Threads of the library, as threadpoolctl limits them."""

    user_api = "openmp"
    internal_api = "spdml"
    filename_prefixes = ("libspdml",)
    check_symbols = ("spd_version",)

    def get_num_threads(self) -> int:
        return jobs.limit() or jobs.cores()

    def set_num_threads(self, num_threads: int) -> None:
        jobs.limit(num_threads)

    def get_version(self) -> str:
        return version()

    def set_additional_attributes(self) -> None:
        pass


if hasattr(threadpoolctl, "register"):  # 3.2 and later
    threadpoolctl.register(_Pool)


class MatrixInput:
    """X is (samples, n, n), or (samples, channels, times), instead of (samples, features)."""

    _needs_y = False
    _stateless = False
    _takes = "samples"  # what X is, as a text of docstrings

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        documented(cls)
        y = "targets" if issubclass(cls, RegressorMixin) else "labels" if cls._needs_y else "ignored"
        for thing in vars(cls).values():
            function = getattr(thing, "fn", getattr(thing, "__func__", thing))  # of available_if, a classmethod
            if inspect.isfunction(function):
                complete(function, cls._takes, y)

    def __sklearn_tags__(self) -> Any:  # scikit-learn 1.6 and later
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.positive_only = False
        tags.target_tags.required = self._needs_y
        tags.requires_fit = not self._stateless
        return tags

    def _more_tags(self) -> Dict[str, Any]:  # before that
        return {"X_types": ["3darray"], "requires_y": self._needs_y, "stateless": self._stateless,
                "requires_fit": not self._stateless}


class MatrixEstimator(MatrixInput, BaseEstimator):  # type: ignore[misc]
    """Predicts from matrices."""


class Transformer(MatrixInput, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """From matrices or signals to rows of features."""


class MatrixTransformer(MatrixInput, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """transform gives (samples, m, m): no table can hold it. ``set_output`` is understood, so that it
    can be set for a whole pipeline, and changes nothing here."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(auto_wrap_output_keys=None, **more)

    def set_output(self, *, transform: Any = None) -> Any:
        """Accepted for the sake of pipelines; the result stays an array of matrices."""
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One name for each row of the matrices that come out."""
        if not getattr(self, "_stateless", False):
            check_is_fitted(self)
        rows = getattr(self, "_rows_out", getattr(self, "n_features_in_", None))
        if input_features is not None and (rows is None or len(input_features) == rows):
            return np.asarray(input_features, dtype=object)
        return np.array([f"{type(self).__name__.lower()}{i}" for i in range(rows or 0)],
                        dtype=object)


class OpenOptions:
    """Options beyond the named parameters, in ``kwds``: scikit-learn's get_params, set_params and
    clone see them as parameters too."""

    kwds: Dict[str, Any]
    _open = ("regularize",)  # options that can be set at any time

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The named parameters and the further options."""
        return {**super().get_params(deep), **self.kwds}  # type: ignore[misc]

    def set_params(self, **params: Any) -> Any:
        """Sets named parameters and further options."""
        named = super().get_params(False)  # type: ignore[misc]
        self.kwds.update({name: params.pop(name) for name in list(params)
                          if name not in named and (name in self.kwds or name in self._open)})
        return super().set_params(**params)  # type: ignore[misc]


for _method in (OpenOptions.get_params, OpenOptions.set_params):
    complete(_method, "samples", "ignored")
