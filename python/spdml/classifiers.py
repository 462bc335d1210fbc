"""Classifiers on SPD matrices, with scikit-learn's interface."""

from __future__ import annotations

import ctypes as c
from typing import Any, Dict, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._arrays import doubles, encode_labels, ints, matrices, text
from ._calls import call, context
from ._errors import InvalidArgumentError
from ._library import PARAMETERS, Handle, Method, Samples, lib
from ._tags import MatrixInput
from .maps import parameter_number, parameter_value


class _ClassifierHandle:
    """Owns one spd_classifier and what it borrows."""

    def __init__(self, pointer: Any, borrowed: Tuple[Any, ...]) -> None:
        self.pointer = pointer
        self.borrowed = borrowed

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            lib.spd_classifier_free(self.pointer)


def _samples(X: np.ndarray, label: Optional[np.ndarray], classes: int) -> Samples:
    return Samples(p=len(X), n=X.shape[1], X=doubles(X), classes=classes, label=ints(label))


class _Recognizer(MatrixInput, ClassifierMixin, BaseEstimator):
    """What the classifiers share; each says its method and the values it fixes."""

    _needs_y = True

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        """The method's joined name, its fixed values (None: default), normalize_kernel."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any) -> "_Recognizer":
        """Trains the method on X and y."""
        if y is None:
            raise InvalidArgumentError("requires y to be passed, but the target y is None")
        X = matrices(X)
        self.classes_, self._label = encode_labels(y, len(X))
        self.n_features_in_ = X.shape[1]
        self._train = X
        self._handle = self._fitted()
        method = lib.spd_classifier_method(self._handle.pointer).contents
        self.parameters_ = {name: parameter_value(name, method.value[i])
                            for i, name in enumerate(PARAMETERS) if not np.isnan(method.value[i])}
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class of each matrix."""
        check_is_fitted(self, "classes_")
        X = matrices(X, size=self.n_features_in_)
        if self._handle is None:  # unpickled
            self._handle = self._fitted()
        label = np.empty(len(X), dtype=np.intc)
        queries = _samples(X, None, len(self.classes_))
        call(context(self.n_jobs), "spd_classifier_predict", self._handle.pointer,
             c.byref(queries), ints(label))
        return self.classes_[label]

    def _fitted(self) -> _ClassifierHandle:
        name, values, normalize = self._method()
        ctx = context(self.n_jobs)
        method = Method()
        call(ctx, "spd_method_parse", text(name, "method"), c.byref(method))
        if lib.spd_method_on_vectors(c.byref(method)):
            raise InvalidArgumentError(f"{name} works on vectors, not on SPD matrices")
        method.normalize_kernel = int(normalize)
        for i, parameter in enumerate(PARAMETERS):
            value = values.get(parameter)
            method.value[i] = np.nan if value is None else parameter_number(parameter, value)
        samples = _samples(self._train, self._label, len(self.classes_))
        made = _ClassifierHandle(Handle(), (samples, self._train, self._label))
        call(ctx, "spd_classifier_fit", c.byref(method), c.byref(samples), None,
             c.byref(made.pointer))  # owned before the call: Ctrl-C may be raised after it
        return made

    def __getstate__(self) -> Dict[str, Any]:
        state = super().__getstate__().copy()
        if "_handle" in state:
            state["_handle"] = None
        return state


class SPDClassifier(_Recognizer):
    """Any method of the command by its name: 'nn-stein-ml', 'mdm-airm', 'rsr', 'cdl', 'ts-lda',
    'ksvm-stein', ... ('spdml evaluate --help' lists them), with its values: a dictionary of m, nu_w,
    nu_b, k, beta, beta_scale, lambda, components, dimensions, cost, objective (a name). Omitted
    values have their defaults."""

    def __init__(self, method: str = "nn-airm", values: Optional[Dict[str, Any]] = None, *,
                 normalize_kernel: bool = False, n_jobs: Optional[int] = None) -> None:
        self.method = method
        self.values = values
        self.normalize_kernel = normalize_kernel
        self.n_jobs = n_jobs

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        values = self.values or {}
        unknown = sorted(set(values) - set(PARAMETERS))
        if unknown:
            raise InvalidArgumentError(
                f"value {unknown[0]!r} is unknown; use one of {', '.join(PARAMETERS)}")
        return self.method, values, self.normalize_kernel


class KNearestNeighbors(_Recognizer):
    """The majority class of the nearest training matrices; ties go to the nearer class."""

    def __init__(self, n_neighbors: int = 5, metric: str = "airm", *,
                 n_jobs: Optional[int] = None) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_jobs = n_jobs

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        if not 1 <= self.n_neighbors <= len(self._train):
            raise InvalidArgumentError(
                f"n_neighbors is {self.n_neighbors}; there are {len(self._train)} training samples")
        return f"knn-{self.metric}", {"k": self.n_neighbors}, False


class MDM(_Recognizer):
    """Minimum distance to mean: the class whose mean is nearest."""

    def __init__(self, metric: str = "airm", *, n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        return f"mdm-{self.metric}", {}, False


class RSRClassifier(_Recognizer):
    """Riemannian sparse representation (Harandi et al., ECCV 2012): sparse coding with the Stein
    kernel over the training matrices; the class with the smallest residual.

    beta of the kernel, or beta_scale (beta times the median squared distance of the training
    matrices); alpha is the weight of the l1 term."""

    def __init__(self, beta: Optional[float] = None, alpha: Optional[float] = None, *,
                 beta_scale: Optional[float] = None, normalize_kernel: bool = False,
                 n_jobs: Optional[int] = None) -> None:
        self.beta = beta
        self.alpha = alpha
        self.beta_scale = beta_scale
        self.normalize_kernel = normalize_kernel
        self.n_jobs = n_jobs

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        values = {"beta": self.beta, "beta_scale": self.beta_scale, "lambda": self.alpha}
        return "rsr", values, self.normalize_kernel


class CDLClassifier(_Recognizer):
    """Covariance discriminative learning (Wang et al., CVPR 2012): log-Euclidean kernel with kernel
    partial least squares ('pls', n_components of them, by default classes - 1) or kernel
    discriminant analysis ('lda')."""

    def __init__(self, n_components: Optional[int] = None, variant: str = "pls", *,
                 n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.variant = variant
        self.n_jobs = n_jobs

    def _method(self) -> Tuple[str, Dict[str, Any], bool]:
        if self.variant not in ("pls", "lda"):
            raise InvalidArgumentError(f"variant {self.variant!r} is unknown; use pls or lda")
        if self.variant == "lda":
            return "cdl-lda", {}, False
        return "cdl", {"components": self.n_components}, False
