"""Regression on SPD matrices."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.svm import SVR as SklearnSVR
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_is_fitted

from ._core import methods
from ._core.arrays import whole
from ._core.kernel_machine import KernelMachine
from ._core.labels import column, equal_weights
from ._core.matrices import checked, checked_size, metrics_of
from ._core.tags import MatrixEstimator
from .classification import KNearestNeighbor
from .exceptions import InvalidArgumentError
from .geometry.distance import pairwise_distance

__all__ = ["KernelRidge", "KNearestNeighborRegressor", "SVR"]


class KNearestNeighborRegressor(RegressorMixin, MatrixEstimator):  # type: ignore[misc]
    """The mean of the values of the nearest training matrices, weighted by the softmax of their
    negative squared distances.

    Parameters
    ----------
    n_neighbors : int
        At most all that there are.
    metric : str
        By our names or pyRiemann's.
    {n_jobs}

    Attributes
    ----------
    covmeans_ : (samples, n, n)
        The training matrices, a copy.
    values_ : (samples,)
        Their values.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.regression import KNearestNeighborRegressor
    >>> y = np.linspace(1, 3, 50)
    >>> X = np.array([np.diag([v, 1.0]) for v in y])
    >>> KNearestNeighborRegressor(2).fit(X, y).predict(np.diag([2.0, 1.0])[None]).round(1)
    array([2.])
    """

    _needs_y = True

    def __init__(self, n_neighbors: int = 5, metric: Any = "airm", *,
                 n_jobs: Optional[int] = None) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KNearestNeighborRegressor":
        """Keeps a copy of X and y.

        Parameters
        ----------
        {samples}
        {targets}
        {no_weights}
        """
        metric = metrics_of(self.metric, ("distance",))[0]
        X = checked(X, [metric], n_jobs=self.n_jobs)
        equal_weights(sample_weight, len(X))
        values = column(y, len(X)).astype(float)
        k = min(whole(self.n_neighbors, "n_neighbors"), len(X))
        self._known: Any = (X.copy(), values.copy(), metric, k)
        self.covmeans_, self.values_ = self._known[0], values
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The value of each matrix (samples,)."""
        check_is_fitted(self, "_known")
        known, values, metric, k = self._known
        X = checked_size(X, known.shape[-1])
        D = pairwise_distance(X, known, metric, n_jobs=self.n_jobs)
        nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
        share = softmax(-np.take_along_axis(D, nearest, axis=1) ** 2)
        return np.asarray((values[nearest] * share).sum(axis=1))

    kneighbors = KNearestNeighbor.kneighbors


_KERNELS = {"auto": "auto", "stein": "krr-stein", "tangent": "krr-tangent", "both": "krr-both"}


class KernelRidge(RegressorMixin, MatrixEstimator):  # type: ignore[misc]
    """Kernel ridge regression; what is not given is chosen by leaving out each matrix, or each group
    of them, in closed form.

    Parameters
    ----------
    kernel : 'auto', 'stein', 'tangent' or 'both'
        exp(-beta d^2) of the Stein divergence; t(X)'t(Y) / mean |t|^2 of vectors in the tangent space
        at the mean; their sum; auto takes the one with the least squared error of matrices left out.
    alpha : float or None
        The weight of the squared norm, as of scikit-learn's KernelRidge; the intercept is free. None:
        chosen from 1e-5 to 100.
    beta : float or None
        Of the Stein kernel. None: 0.1 to 2 times one over the median squared distance.
    metric : str
        Of the tangent space, with kernel='tangent'.
    {n_jobs}

    Attributes
    ----------
    kernel_ : str
    parameters_ : dict
        The values in use.
    left_out_ : (samples,)
        What is predicted for each training matrix without it, or without its group.
    r2_, error_ : float
        Of left_out_: 1 less the mean squared error over the variance of y, and the root of that error.
        alpha and beta have been chosen by them.
    missed_ : float
        With more matrices than there is memory for pairs of them: the share of the Stein kernel that
        is missed by the few that are kept; else 0.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.regression import KernelRidge
    >>> y = np.linspace(-1, 1, 30)
    >>> X = np.array([np.diag([np.exp(v), 1.0]) for v in y])
    >>> KernelRidge().fit(X, y).r2_ > 0.99
    True
    """

    _needs_y = True

    def __init__(self, kernel: str = "auto", *, alpha: Optional[float] = None,
                 beta: Optional[float] = None, metric: str = "airm",
                 n_jobs: Optional[int] = None) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.beta = beta
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> "KernelRidge":
        """Neither X nor y is kept: what is needed is copied.

        Parameters
        ----------
        {samples}
        {targets}
        groups : array, shape (samples,), optional
            A value for each matrix, such as the subject: matrices of a group are left out together.
        """
        if self.kernel not in _KERNELS:
            raise InvalidArgumentError(
                f"kernel {self.kernel!r} is unknown; use one of {', '.join(_KERNELS)}")
        name = _KERNELS[self.kernel]
        if self.kernel == "tangent":
            name += "-" + str(metrics_of(self.metric, ("distance",))[0])
        X = checked(X, [self.metric if self.kernel == "tangent" else "stein"], n_jobs=self.n_jobs)
        values = column(y, len(X)).astype(float)
        trained, left = methods.train_numbers(name, {"lambda": self.alpha, "beta": self.beta}, X,
                                               values, groups, self.n_jobs)
        self._take(trained)
        self.left_out_ = left
        return self

    def _take(self, trained: methods.Trained) -> None:
        self._trained = trained  # at once: what others see is the old one or the new one
        self.kernel_ = "tangent" if trained.name.startswith("krr-tangent") else \
            {"krr-stein": "stein", "krr-both": "both"}[trained.name]
        self.parameters_: Dict[str, Any] = dict(trained.values)
        self.r2_, self.error_, self.missed_ = trained.r2, trained.error, trained.missed
        self.n_features_in_ = trained.size

    def predict(self, X: Any) -> np.ndarray:
        """The number of each matrix (samples,)."""
        check_is_fitted(self, "_trained")
        trained = self._trained
        return trained.scores(checked_size(X, trained.size), self.n_jobs)[:, 0]

    def save(self, path: Any) -> None:
        """Writes what was fitted to a .spdml file, without left_out_; the command and the C library
        read it too."""
        check_is_fitted(self, "_trained")
        self._trained.save(path)

    @classmethod
    def load(cls, path: Any) -> "KernelRidge":
        """What was saved here, by 'spdml train --target' or by the C library."""
        trained = methods.load(path)
        if not trained.regression:
            raise InvalidArgumentError(f"{path}: {trained.name} tells classes apart; use SPDClassifier.load")
        made = cls()
        made._take(trained)
        made.set_params(kernel=made.kernel_, alpha=trained.values.get("lambda"),
                        beta=trained.values.get("beta"))
        if made.kernel_ == "tangent":
            made.metric = trained.name[len("krr-tangent-"):] or "airm"
        return made


class SVR(RegressorMixin, KernelMachine):  # type: ignore[misc]
    """Support vector regression of scikit-learn with a kernel of SPD matrices.

    Parameters
    ----------
    metric, kernel_fct, Cref, beta
        As of `SVC`.
    tol, C, epsilon, shrinking, cache_size, verbose, max_iter
        As of scikit-learn's SVR.

    Attributes
    ----------
    Cref_ : (n, n) or None
    support_, dual_coef_, intercept_ : as of scikit-learn's SVR
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.regression import SVR
    >>> y = np.linspace(-1, 1, 30)
    >>> X = np.array([np.diag([np.exp(v), 1.0]) for v in y])
    >>> SVR(C=100, epsilon=0.01).fit(X, y).score(X, y) > 0.99
    True
    """

    _machine = SklearnSVR

    def __init__(self, *, metric: str = "riemann", kernel_fct: Any = None, Cref: Any = None,
                 tol: float = 1e-3, C: float = 1.0, epsilon: float = 0.1, shrinking: bool = True,
                 cache_size: float = 200, verbose: bool = False, max_iter: int = -1,
                 beta: float = 1.0) -> None:
        self.metric = metric
        self.kernel_fct = kernel_fct
        self.Cref = Cref
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.beta = beta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SVR":
        """Trains the machine on the kernel of X."""
        X = self._samples(X)
        self._train(X, column(y, len(X)).astype(float), sample_weight)
        return self
