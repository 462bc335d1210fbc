"""Classifiers around means and tangent spaces."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _trained
from ._arrays import metric_number
from ._errors import InvalidArgumentError
from ._labels import class_numbers, weights
from ._library import lib
from ._matrices import checked, checked_size, metrics_of
from ._means import ByDistance, class_means, class_weights
from .classifiers import CDLClassifier, KNearestNeighbors, RSRClassifier, SPDClassifier
from .classifiers import KNearestNeighbors as KNearestNeighbor
from .functions import geodesic, pairwise_distances

__all__ = ["CDLClassifier", "KNearestNeighbor", "KNearestNeighbors", "MDM", "RSRClassifier",
           "SPDClassifier"]


class _Centres(NamedTuple):
    """What MDM has learned. It never changes: a fit replaces it as a whole, so that threads may
    predict and fit the same estimator at once."""

    classes: np.ndarray
    means: np.ndarray  # (classes, n, n)
    weight: np.ndarray  # (classes,): of the samples so far; 0: no mean yet
    metric: Any  # of distances


class MDM(ByDistance):
    """Minimum distance to mean: the class whose mean is nearest.

    Parameters
    ----------
    metric : str or dict
        Of means and distances, by our names or pyRiemann's; or {'mean': ..., 'distance': ...}.
    n_jobs : int or None
        Threads; None and -1: all cores.

    Attributes
    ----------
    classes_ : (classes,)
    covmeans_ : (classes, n, n)
        The means.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances, MDM
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["rest", "move"], 20)
    >>> signals = rng.standard_normal((40, 4, 100)) * np.where(y == "rest", 1, 2)[:, None, None]
    >>> X = Covariances("oas").transform(signals)
    >>> mdm = MDM({"mean": "logeuclid", "distance": "riemann"}).fit(X, y)
    >>> mdm.covmeans_.shape, mdm.score(X, y)
    ((2, 4, 4), 1.0)
    >>> more = MDM().partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    >>> more.transform(X).shape
    (40, 2)
    """

    def __init__(self, metric: Any = "airm", *, n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MDM":
        """The mean of each class.

        Parameters
        ----------
        X : array, (samples, n, n)
            Real symmetric or complex Hermitian.
        y : labels
        sample_weight : (samples,) or None
        """
        metrics = metrics_of(self.metric, ("mean", "distance"))
        X = checked(X, metrics, n_jobs=self.n_jobs)
        classes, label = class_numbers(y, len(X))
        weight = weights(sample_weight, len(X))
        total = class_weights(label, len(classes), weight, classes)
        means = class_means(X, label, len(classes), metrics[0], weight, self.n_jobs)
        self._take(_Centres(classes, means, total, metrics[1]))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None,
                    sample_weight: Any = None) -> "MDM":
        """More samples: the mean of a class moves along the geodesic to the mean of its new samples,
        by their share of the weight so far. For metrics with a mean in closed form that is the mean
        of all samples; for others it is near it.

        Parameters
        ----------
        X : array, (samples, n, n)
        y : labels
        classes : all the classes that there will be, in the first call, or None: those of y
        sample_weight : (samples,) or None
        """
        metrics = metrics_of(self.metric, ("mean", "distance"))
        before: Optional[_Centres] = getattr(self, "_centres", None)
        X = checked(X, metrics, None if before is None else before.means.shape[-1], self.n_jobs)
        present, label = class_numbers(y, len(X))
        weight = weights(sample_weight, len(X))
        total = class_weights(label, len(present), weight, present)
        if before is None:
            named = present if classes is None else np.unique(np.asarray(classes))
            nothing = np.full((len(named), *X.shape[1:]), np.nan, dtype=X.dtype)
            before = _Centres(named, nothing, np.zeros(len(named)), metrics[1])
        unknown = sorted(set(present.tolist()) - set(before.classes.tolist()))
        if unknown:
            raise InvalidArgumentError(
                f"y holds {unknown[0]!r}, which is not in the classes of the first call; name them "
                f"all there with classes=")
        new = class_means(X, label, len(present), metrics[0], weight, self.n_jobs)
        means, so_far = before.means.copy(), before.weight.copy()
        for k, M, w in zip(np.searchsorted(before.classes, present), new, total):
            so_far[k] += w
            means[k] = M if so_far[k] == w else geodesic(means[k], M, w / so_far[k], metrics[0])
        self._take(_Centres(before.classes, means, so_far, metrics[1]))
        return self

    def _take(self, centres: _Centres) -> None:
        self._centres = centres  # at once: what others see is the old one or the new one
        self.n_features_in_ = centres.means.shape[-1]
        self.parameters_: Dict[str, Any] = {}

    def _state(self) -> _Centres:
        check_is_fitted(self, "_centres")
        return self._centres

    @property
    def classes_(self) -> np.ndarray:
        """The classes."""
        return self._centres.classes

    @property
    def covmeans_(self) -> np.ndarray:
        """The means."""
        return self._centres.means

    def _distances(self, X: Any) -> Tuple[np.ndarray, np.ndarray]:
        centres = self._state()
        X = checked_size(X, centres.means.shape[-1])
        seen = centres.weight > 0
        D = np.full((len(X), len(centres.classes)), np.inf)
        D[:, seen] = pairwise_distances(X, centres.means[seen], centres.metric, n_jobs=self.n_jobs)
        return centres.classes, D

    def save(self, path: Any) -> None:
        """Writes the means to a .spdml file, which the command and the C library read too.

        Parameters
        ----------
        path : name of the file
        """
        centres = self._state()
        if np.iscomplexobj(centres.means) or not centres.weight.all():
            raise InvalidArgumentError("files hold real means, one for every class; use pickle")
        name = lib.spd_metric_name(metric_number(centres.metric)).decode()
        label = np.arange(len(centres.classes), dtype=np.intc)
        _trained.train(f"mdm-{name}", {}, False, np.ascontiguousarray(centres.means),
                       centres.classes, label, self.n_jobs).save(path)

    @classmethod
    def load(cls, path: Any) -> "MDM":
        """The estimator of a .spdml file that was written here, by 'spdml train' or by the C library.

        Parameters
        ----------
        path : name of the file
        """
        trained = _trained.load(path)
        metric = trained.metric_of("mdm", cls.__name__)
        with np.load(path) as file:
            means, label = file["means"], file["class"].ravel().astype(int)
        made = cls(metric)
        n, weight = trained.size, np.zeros(len(trained.classes))
        all_means = np.full((len(weight), n, n), np.nan)
        all_means[label] = means.reshape(-1, n, n)
        weight[label] = 1.0
        made._take(_Centres(trained.classes, all_means, weight, metric))
        return made
