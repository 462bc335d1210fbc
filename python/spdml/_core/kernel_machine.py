"""Support vector machines of scikit-learn on kernels of SPD matrices."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InvalidArgumentError
from ..geometry.base import apply
from ..geometry.kernel import kernel
from ..geometry.mean import mean
from ..geometry.tangentspace import tangent_space, upper
from .arrays import square
from .hermitian import real_vectors
from .labels import weights
from .matrices import checked, checked_size
from .tags import MatrixEstimator


_RIEMANN, _LOG, _PLAIN, _STEIN = "airm", "log-euclidean", "euclidean", "stein"
_METRICS = {"riemann": _RIEMANN, "airm": _RIEMANN, "logeuclid": _LOG, "log-euclidean": _LOG,
            "euclid": _PLAIN, "euclidean": _PLAIN, "stein": _STEIN, "logdet": _STEIN}
_RIDGE = 1e-10  # on the diagonal, as pyRiemann has it


def wants_probability(estimator: Any) -> bool:
    return bool(estimator.probability) and estimator.probability != "deprecated"


class _Kernel(NamedTuple):
    """Which kernel, and where. Those other than Stein's and one's own are inner products of vectors."""

    metric: str
    beta: float
    own: Any  # a function or None
    reference: Optional[np.ndarray]

    def _direct(self) -> bool:
        return self.own is not None or _METRICS[self.metric] == _STEIN

    def kept(self, X: np.ndarray) -> np.ndarray:
        """What is kept of training matrices: themselves, or their vectors."""
        return X.copy() if self._direct() else self._vectors(X)

    def _vectors(self, X: np.ndarray) -> np.ndarray:
        """Vectors (samples, k), real, whose inner products are the kernel."""
        kind = _METRICS[self.metric]
        if kind == _RIEMANN:
            T = tangent_space(X, self.reference, "airm")
        elif kind == _LOG:
            T = upper(apply(X, "log") - apply(self.reference, "log"))
        else:
            T = upper(X - self.reference)
        return real_vectors(T)

    def _values(self, X: np.ndarray, Y: Optional[np.ndarray]) -> np.ndarray:
        """Between matrices, where there are no vectors."""
        if self.own is None:
            return np.asarray(kernel(X, Y, "stein", beta=self.beta))
        return np.asarray(self.own(X, X if Y is None else Y, Cref=self.reference,
                                   metric=self.metric))

    def within(self, X: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """Of training matrices, of which `kept` was kept."""
        if self._direct():
            return self._values(X, None)
        K = np.asarray(kept @ kept.T)
        K[np.diag_indices(len(K))] += _RIDGE
        return K

    def between(self, X: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """Of others with training matrices."""
        return self._values(X, kept) if self._direct() else np.asarray(self._vectors(X) @ kept.T)


class _Trained(NamedTuple):
    """What was fitted. It never changes: a fit replaces it as a whole, for the sake of threads."""

    kernel: _Kernel
    kept: np.ndarray
    svm: Any
    size: int


class KernelMachine(MatrixEstimator):
    """What SVC and SVR share: the kernel."""

    _needs_y = True
    _machine: Any
    metric: str
    kernel_fct: Any
    Cref: Any
    beta: float

    def _samples(self, X: Any) -> np.ndarray:
        if self._own_kernel() is None and self.metric not in _METRICS:
            raise InvalidArgumentError(
                f"metric {self.metric!r} is unknown; use riemann, logeuclid, euclid or stein")
        return checked(X, [self.metric])

    def _own_kernel(self) -> Any:
        """kernel_fct, if it is a kernel of one's own."""
        if callable(self.kernel_fct):
            return self.kernel_fct
        if self.kernel_fct is None or isinstance(self.kernel_fct, str) and \
                self.kernel_fct == "precomputed":  # pyRiemann's word for none of one's own
            return None
        raise TypeError(f"kernel_fct is {self.kernel_fct!r}; it must be a function or None")

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

    def _train(self, X: np.ndarray, y: Any, sample_weight: Any) -> None:
        weight, used = weights(sample_weight, len(X)), np.arange(len(X))
        if weight is not None:  # scikit-learn mistakes samples where a given kernel has others
            used = np.flatnonzero(weight > 0)
            X, y, weight = X[used], np.asarray(y)[used], weight[used]
        chosen = _Kernel(self.metric, self.beta, self._own_kernel(), self._reference(X, weight))
        kept = chosen.kept(X)
        svm = self._machine(kernel="precomputed", **self._options())
        svm.fit(chosen.within(X, kept), y, weight)
        self._trained = _Trained(chosen, kept, svm, X.shape[1])
        self.Cref_, self.n_features_in_ = chosen.reference, X.shape[1]
        self.support_, self.dual_coef_ = used[svm.support_], svm.dual_coef_
        self.intercept_, self.n_iter_ = svm.intercept_, svm.n_iter_

    def _options(self) -> Dict[str, Any]:
        known = self._machine().get_params()
        named = {name: value for name, value in self.get_params(deep=False).items()
                 if name in known}
        if "probability" in named and not wants_probability(self):
            del named["probability"]  # newer versions of scikit-learn say that it will go
        return named

    def _ask(self, what: str, X: Any) -> np.ndarray:
        check_is_fitted(self, "_trained")
        trained = self._trained
        X = checked_size(X, trained.size)
        return np.asarray(getattr(trained.svm, what)(trained.kernel.between(X, trained.kept)))

    def predict(self, X: Any) -> np.ndarray:
        """The class or the value of each matrix."""
        return self._ask("predict", X)
