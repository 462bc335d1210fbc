"""Clusters of SPD matrices."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple, Optional

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ._core.arrays import whole
from ._core.class_means import class_means
from ._core.matrices import checked, checked_size, metrics_of
from ._core.tags import Transformer
from .classification import MDM
from .exceptions import InvalidArgumentError
from .geometry.distance import pairwise_distance

__all__ = ["Kmeans"]


class _Clusters(NamedTuple):
    """The outcome of one start."""

    centres: np.ndarray
    label: np.ndarray
    inertia: float
    iterations: int
    converged: bool


class Kmeans(ClusterMixin, Transformer):  # type: ignore[misc]
    """k means under a metric of SPD matrices: every matrix belongs to the nearest of k means.

    Parameters
    ----------
    n_clusters : int
        How many means.
    max_iter : int
        Of each start.
    metric : str or dict
        Of means and distances; or {'mean': ..., 'distance': ...}.
    random_state : int, RandomState or None
        Of the starts.
    init : 'random', 'k-means++', or an (n_clusters, n, n) array
        Matrices of the set drawn at random, drawn so that they are far apart, or given.
    n_init : int
        Starts, of which the best is kept; a given start is one.
    {n_jobs}
    tol : float
        It ends when no more than this share of the matrices changes its cluster.

    Attributes
    ----------
    labels_ : (samples,)
    cluster_centers_ : (n_clusters, n, n); also `centroids()`
    inertia_ : the sum of the distances to the own mean, as pyRiemann has it
    n_iter_ : int
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.clustering import Kmeans
    >>> rng = np.random.default_rng(0)
    >>> A = rng.standard_normal((30, 3, 20)) * np.repeat([1, 5], 15)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> labels = Kmeans(2, random_state=1).fit_predict(X)
    >>> bool((labels[:15] == labels[0]).all() and (labels[15:] != labels[0]).all())
    True
    """

    def __init__(self, n_clusters: int = 2, max_iter: int = 100, metric: Any = "airm",
                 random_state: Any = None, init: Any = "random", n_init: int = 10,
                 n_jobs: Optional[int] = None, tol: float = 1e-4) -> None:
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.metric = metric
        self.random_state = random_state
        self.init = init
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.tol = tol

    def fit(self, X: Any, y: Any = None) -> "Kmeans":
        """Finds the clusters."""
        metrics = metrics_of(self.metric, ("mean", "distance"))
        X = checked(X, metrics, n_jobs=self.n_jobs)
        k = whole(self.n_clusters, "n_clusters")
        if k > len(X):
            raise InvalidArgumentError(f"n_clusters is {k}; there are {len(X)} samples")
        random = check_random_state(self.random_state)
        starts = whole(self.n_init, "n_init") if isinstance(self.init, str) else 1
        best = min((self._run(X, self._start(X, k, random, metrics[1]), metrics)
                    for _ in range(starts)), key=lambda found: found.inertia)
        if not best.converged:
            warnings.warn(f"clusters still changed after {self.max_iter} iterations; raise max_iter",
                          ConvergenceWarning, stacklevel=2)
        self._clusters: Any = (best.centres, metrics[1])
        self.cluster_centers_ = best.centres
        self.labels_, self.inertia_, self.n_iter_ = best.label, best.inertia, best.iterations
        self.n_features_in_ = X.shape[1]
        return self

    def _start(self, X: np.ndarray, k: int, random: Any, metric: Any) -> np.ndarray:
        """(k, n, n)."""
        if not isinstance(self.init, str):
            given = checked_size(self.init, X.shape[1])
            if len(given) != k:
                raise InvalidArgumentError(
                    f"init has shape {given.shape}; {(k, *X.shape[1:])} is expected")
            return given
        if self.init == "random":
            return np.asarray(X[random.permutation(len(X))[:k]])
        if self.init != "k-means++":
            raise InvalidArgumentError(
                f"init {self.init!r} is unknown; use random, k-means++ or an array")
        chosen = [int(random.randint(len(X)))]
        nearest = np.full(len(X), np.inf)
        while len(chosen) < k:
            d2 = pairwise_distance(X, X[chosen[-1:]], metric, n_jobs=self.n_jobs)[:, 0] ** 2
            nearest = np.minimum(nearest, d2)
            total = nearest.sum()
            share = nearest / total if total > 0 else None
            chosen.append(int(random.choice(len(X), p=share)))
        return np.asarray(X[chosen])

    def _run(self, X: np.ndarray, centres: np.ndarray, metrics: Any) -> _Clusters:
        k, everyone = len(centres), np.arange(len(X))
        D = pairwise_distance(X, centres, metrics[1], n_jobs=self.n_jobs)
        label = D.argmin(axis=1)
        for iteration in range(1, whole(self.max_iter, "max_iter") + 1):
            last, used = label, _without_empty(label, D, k)
            centres = class_means(X, used, k, metrics[0], None, self.n_jobs)
            D = pairwise_distance(X, centres, metrics[1], n_jobs=self.n_jobs)
            label = D.argmin(axis=1)
            settled = bool(np.mean(label != used) <= self.tol or (label == last).all())
            if settled:
                break
        return _Clusters(centres, label, float(D[everyone, label].sum()), iteration, settled)

    def predict(self, X: Any) -> np.ndarray:
        """The number of the nearest mean (samples,)."""
        return np.asarray(self._distances(X).argmin(axis=1))

    def transform(self, X: Any) -> np.ndarray:
        """The distances to the means (samples, n_clusters).

        Returns
        -------
        array, shape (samples, n_clusters)
        """
        return self._distances(X)

    def _distances(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "_clusters")
        centres, metric = self._clusters
        X = checked_size(X, centres.shape[-1])
        return np.asarray(pairwise_distance(X, centres, metric, n_jobs=self.n_jobs))

    def centroids(self) -> np.ndarray:
        """The means (n_clusters, n, n)."""
        check_is_fitted(self, "_clusters")
        return np.asarray(self._clusters[0])

    @property
    def mdm_(self) -> MDM:
        """The clusters as classes of an `MDM`, as pyRiemann has them."""
        check_is_fitted(self, "_clusters")
        return MDM.of_means(self._clusters[0], metric=self.metric, n_jobs=self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One for each cluster."""
        check_is_fitted(self, "_clusters")
        return np.array([f"kmeans{i}" for i in range(len(self._clusters[0]))], dtype=object)


Kmeans = Kmeans


def _without_empty(label: np.ndarray, D: np.ndarray, k: int) -> np.ndarray:
    """The labels, after every cluster without members got the matrix that is farthest from its own
    mean, of a cluster that has others."""
    label = label.copy()
    for empty in np.flatnonzero(np.bincount(label, minlength=k) == 0):
        own = D[np.arange(len(D)), label]
        alone = np.bincount(label, minlength=k)[label] == 1
        label[np.where(alone, -1.0, own).argmax()] = empty
    return label
