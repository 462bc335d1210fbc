"""Support vector machines of scikit-learn on kernels of SPD matrices."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._arrays import square
from ._errors import InvalidArgumentError
from ._labels import weights
from ._matrices import checked, checked_size
from ._tags import MatrixEstimator
from .functions import apply, kernel, mean
from .tangent import tangent_space, upper

_RIEMANN, _LOG, _PLAIN, _STEIN = "airm", "log-euclidean", "euclidean", "stein"
_METRICS = {"riemann": _RIEMANN, "airm": _RIEMANN, "logeuclid": _LOG, "log-euclidean": _LOG,
            "euclid": _PLAIN, "euclidean": _PLAIN, "stein": _STEIN, "logdet": _STEIN}
_RIDGE = 1e-10  # on the diagonal, as pyRiemann has it


def wants_probability(estimator: Any) -> bool:
    return bool(estimator.probability) and estimator.probability != "deprecated"


class KernelMachine(MatrixEstimator):
    """What SVC and SVR share: the kernel. Kernels other than Stein's are inner products of vectors,
    which are kept of the training matrices."""

    _needs_y = True
    _machine: Any
    metric: str
    kernel_fct: Any
    Cref: Any
    beta: float

    def _samples(self, X: Any) -> np.ndarray:
        if not self._own_kernel() and self.metric not in _METRICS:
            raise InvalidArgumentError(
                f"metric {self.metric!r} is unknown; use riemann, logeuclid, euclid or stein")
        return checked(X, [self.metric])

    def _reference(self, X: np.ndarray, weight: Optional[np.ndarray]) -> Optional[np.ndarray]:
        """Cref_, of training matrices X."""
        if self.Cref is None:
            return None if _METRICS.get(self.metric) == _STEIN else mean(X, self.metric, weight)
        if not callable(self.Cref) and not isinstance(self.Cref, np.ndarray):
            raise TypeError(f"Cref is {self.Cref!r}; it must be an array, a function or None")
        given = square(self.Cref(X) if callable(self.Cref) else self.Cref, "Cref", X.shape[1])
        if given.ndim != 2:
            raise InvalidArgumentError(
                f"Cref has shape {given.shape}; it must be one square matrix")
        return given

    def _vectors(self, X: np.ndarray) -> np.ndarray:
        """Vectors (samples, k), real, whose inner products are the kernel."""
        kind = _METRICS[self.metric]
        if kind == _RIEMANN:
            T = tangent_space(X, self.Cref_, "airm")
        elif kind == _LOG:
            T = upper(apply(X, "log") - apply(self.Cref_, "log"))
        else:
            T = upper(X - self.Cref_)
        return np.concatenate((T.real, T.imag), axis=1) if np.iscomplexobj(T) else T

    def _own_kernel(self) -> bool:
        known = self.kernel_fct is None or isinstance(self.kernel_fct, str) and \
            self.kernel_fct == "precomputed"  # pyRiemann's word for none of one's own
        if not known and not callable(self.kernel_fct):
            raise TypeError(f"kernel_fct is {self.kernel_fct!r}; it must be a function or None")
        return callable(self.kernel_fct)

    def _train(self, X: np.ndarray, y: Any, sample_weight: Any) -> None:
        weight, used = weights(sample_weight, len(X)), np.arange(len(X))
        if weight is not None:  # scikit-learn mistakes samples where a given kernel has others
            used = np.flatnonzero(weight > 0)
            X, y, weight = X[used], np.asarray(y)[used], weight[used]
        options = self._options()
        self.Cref_ = self._reference(X, weight)
        direct = self._own_kernel() or _METRICS[self.metric] == _STEIN
        self._known = X.copy() if direct else self._vectors(X)
        K = self._kernel(X, None)
        self._svm = self._machine(kernel="precomputed", **options).fit(K, y, weight)
        self.n_features_in_ = X.shape[1]
        self.support_, self.dual_coef_ = used[self._svm.support_], self._svm.dual_coef_
        self.intercept_, self.n_iter_ = self._svm.intercept_, self._svm.n_iter_

    def _options(self) -> Dict[str, Any]:
        known = self._machine().get_params()
        named = {name: value for name, value in self.get_params(deep=False).items()
                 if name in known}
        if not wants_probability(self) if "probability" in named else False:
            del named["probability"]  # newer versions of scikit-learn say that it will go
        return named

    def _kernel(self, X: np.ndarray, known: Optional[np.ndarray]) -> np.ndarray:
        """Between X and what is known; within X without it."""
        if self._own_kernel():
            return np.asarray(self.kernel_fct(X, X if known is None else known, Cref=self.Cref_,
                                              metric=self.metric))
        if _METRICS[self.metric] == _STEIN:
            return np.asarray(kernel(X, known, "stein", self.beta))
        T = self._known if known is None else self._vectors(X)
        K = T @ self._known.T
        if known is None:
            K[np.diag_indices(len(K))] += _RIDGE
        return np.asarray(K)

    def _ask(self, what: str, X: Any) -> np.ndarray:
        check_is_fitted(self, "_svm")
        X = checked_size(X, self.n_features_in_)
        return np.asarray(getattr(self._svm, what)(self._kernel(X, self._known)))

    def predict(self, X: Any) -> np.ndarray:
        """The class or the value of each matrix (samples,)."""
        return self._ask("predict", X)
