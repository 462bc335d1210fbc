"""Classifiers around means and tangent spaces."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC as SklearnSVC
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ._core import methods
from ._core.arrays import metric_number, whole
from ._core.calls import word_of
from ._core.class_means import ByDistance, class_means, class_weights
from ._core.hermitian import extract
from ._core.kernel_machine import KernelMachine, wants_probability
from ._core.labels import class_numbers, column, equal_weights, places, weights
from ._core.matrices import checked, checked_size, metrics_of
from ._core.tags import MatrixEstimator
from .embedding import neighbors
from .exceptions import FileFormatError, InvalidArgumentError
from .geometry.distance import pairwise_distance
from .geometry.geodesic import geodesic
from .recognition import _Recognizer
from .tangentspace import FGDA, TangentSpace

__all__ = ["FgMDM", "KNearestNeighbor", "MDM", "SVC", "TSClassifier"]


class _Centres(NamedTuple):
    """What MDM has learned. It never changes: a fit replaces it as a whole, so that threads may
    predict and fit the same estimator at once."""

    classes: np.ndarray
    means: np.ndarray  # (classes, n, n)
    weight: np.ndarray  # (classes,): of the samples so far; 0: no mean yet; inf: not known
    metric: Any  # of distances


class MDM(ByDistance):
    """Minimum distance to mean: the class whose mean is nearest.

    Parameters
    ----------
    metric : str or dict
        Of means and distances, by our names or pyRiemann's; or {'mean': ..., 'distance': ...}.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    covmeans_ : (classes, n, n)
        The means.
    n_features_in_ : int

    {references: mdm}

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
        """The mean of each class."""
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
        {samples}
        {labels}
        classes : array, optional
            All the classes that there will be, in the first call; by default those of y.
        {sample_weight}
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
        if np.isinf(before.weight).any():
            raise InvalidArgumentError(
                "the file of this MDM does not say how many samples its means are of, so that their "
                "share is not known; fit it anew, or begin with MDM.of_means")
        new = class_means(X, label, len(present), metrics[0], weight, self.n_jobs)
        means, so_far = before.means.copy(), before.weight.copy()
        for k, M, w in zip(places(before.classes, present), new, total):
            so_far[k] += w
            means[k] = M if so_far[k] == w else geodesic(means[k], M, w / so_far[k], metrics[0])
        self._take(_Centres(before.classes, means, so_far, metrics[1]))
        return self

    @classmethod
    def of_means(cls, means: Any, classes: Any = None, metric: Any = "airm",
                 n_jobs: Optional[int] = None) -> "MDM":
        """An MDM with these means, each of which counts as one sample in `partial_fit`.

        Parameters
        ----------
        means : array, shape (classes, n, n)
            The means, positive definite.
        classes : array, optional
            Their names; by default their numbers.
        metric : str or dict
            As of `MDM`.
        n_jobs : int, optional
            As of `MDM`.
        """
        made = cls(metric, n_jobs=n_jobs)
        metrics = metrics_of(metric, ("mean", "distance"))
        M = checked(means, metrics)
        names = np.arange(len(M)) if classes is None else np.asarray(classes)
        made._take(_Centres(names, M, np.ones(len(M)), metrics[1]))
        return made

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
        D[:, seen] = pairwise_distance(X, centres.means[seen], centres.metric, n_jobs=self.n_jobs)
        return centres.classes, D

    def save(self, path: Any) -> None:
        """Writes the means and their weights to a .spdml file, which the command and the C library
        read too."""
        centres = self._state()
        if not centres.weight.all():
            raise InvalidArgumentError("files hold a mean for every class; use pickle")
        name = word_of("metric", metric_number(centres.metric))
        label = np.arange(len(centres.classes), dtype=np.intc)
        trained = methods.train(f"mdm-{name}", {}, np.ascontiguousarray(centres.means), centres.classes,
                                label, self.n_jobs)
        known = centres.weight[:, None] if np.isfinite(centres.weight).all() else None
        trained.with_array("class_weight", known).save(path)

    @classmethod
    def load(cls, path: Any) -> "MDM":
        """The estimator of a .spdml file that was written here, by 'spdml train' or by the C library."""
        trained = methods.load(path)
        metric = trained.metric_of("mdm", cls.__name__)
        with np.load(path) as file:
            means, label = file["means"], file["class"].ravel().astype(int)
            known = file["class_weight"].ravel() if "class_weight" in file.files else None
        if known is not None and not (known.shape == label.shape and np.isfinite(known).all() and
                                      (known > 0).all()):
            raise FileFormatError(f"{path}: class_weight: is not a positive number for each class")
        made = cls(metric)
        n, weight = trained.size, np.zeros(len(trained.classes))
        if trained.hermitian:
            means = extract(means.reshape(-1, 2 * n, 2 * n))
        all_means = np.full((len(weight), n, n), np.nan, dtype=means.dtype)
        all_means[label] = means.reshape(-1, n, n)
        weight[label] = np.inf if known is None else known
        made._take(_Centres(trained.classes, all_means, weight, metric))
        return made


class FgMDM(ByDistance):
    """`MDM` after the filter of `FGDA` (Barachant et al. 2010).

    Parameters
    ----------
    metric : str or dict
        Of means, distances and tangent space; or {'mean': ..., 'distance': ..., 'map': ...}.
    tsupdate : bool
        As of `TangentSpace`.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    covmeans_ : (classes, n, n)
        The means of the filtered matrices.
    n_features_in_ : int

    {references: fgda}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances
    >>> from spdml.classification import FgMDM
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> signals = rng.standard_normal((40, 4, 100)) * np.where(y == 0, 1, 2)[:, None, None]
    >>> X = Covariances().transform(signals)
    >>> FgMDM().fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, metric: Any = "airm", tsupdate: bool = False, *,
                 n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.tsupdate = tsupdate
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "FgMDM":
        """The filter, and the means of the filtered classes."""
        metrics_of(self.metric, ("mean", "distance", "map"))
        fgda = FGDA(self.metric, self.tsupdate, n_jobs=self.n_jobs)
        # the samples themselves are seen from their own mean
        filtered = fgda.fit_transform(X, y, sample_weight)
        mdm = MDM(self.metric, n_jobs=self.n_jobs).fit(filtered, y, sample_weight)
        self._parts = (fgda, mdm)
        self.classes_, self.covmeans_ = mdm.classes_, mdm.covmeans_
        self.n_features_in_ = fgda.n_features_in_
        return self

    def _distances(self, X: Any) -> Tuple[np.ndarray, np.ndarray]:
        check_is_fitted(self, "_parts")
        fgda, mdm = self._parts
        return mdm._distances(fgda.transform(X))


def _inner_has(name: str) -> Callable[[Any], bool]:
    """Whether the classifier in the tangent space has that method."""

    def check(estimator: Any) -> bool:
        inner = estimator._parts[1] if hasattr(estimator, "_parts") else estimator._chosen()
        return hasattr(inner, name)

    return check


class TSClassifier(ClassifierMixin, MatrixEstimator):  # type: ignore[misc]
    """A classifier of scikit-learn in the tangent space.

    Parameters
    ----------
    metric : str or dict
        As of `TangentSpace`.
    tsupdate : bool
        As of `TangentSpace`.
    clf : classifier or None
        None: LogisticRegression. It is cloned, and stays as it is.
    n_jobs : int or None
        Threads of the mean; None and -1: all cores.

    Attributes
    ----------
    classes_ : (classes,)
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import LinearSVC
    >>> from spdml import Covariances
    >>> from spdml.classification import TSClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> signals = rng.standard_normal((40, 4, 100)) * np.where(y == 0, 1, 2)[:, None, None]
    >>> X = Covariances().transform(signals)
    >>> TSClassifier(clf=LinearSVC()).fit(X, y).score(X, y)
    1.0
    """

    _needs_y = True

    def __init__(self, metric: Any = "airm", tsupdate: bool = False, clf: Any = None, *,
                 n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.tsupdate = tsupdate
        self.clf = clf
        self.n_jobs = n_jobs

    def _chosen(self) -> Any:
        return LogisticRegression() if self.clf is None else self.clf

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "TSClassifier":
        """The tangent space, and the classifier there.

        Parameters
        ----------
        {samples}
        {labels}
        sample_weight : (samples,) or None
            Of the mean, and of the classifier if it takes weights.
        """
        if not hasattr(self._chosen(), "fit") or not is_classifier(self._chosen()):
            raise TypeError(f"clf is {self.clf!r}; it must be a classifier")
        X = checked(X, metrics_of(self.metric, ("mean", "map")), n_jobs=self.n_jobs)
        class_numbers(y, len(X))
        space = TangentSpace(self.metric, self.tsupdate, n_jobs=self.n_jobs)
        T = space.fit(X, sample_weight=sample_weight)._real_vectors(X, False)
        inner = clone(self._chosen())
        weight = weights(sample_weight, len(X))
        if weight is not None and has_fit_parameter(inner, "sample_weight"):
            inner.fit(T, y, sample_weight=weight)
        else:
            inner.fit(T, y)
        self._parts = (space, inner)  # at once, for threads
        self.classes_ = inner.classes_
        self.n_features_in_ = X.shape[1]
        return self

    def _ask(self, what: str, X: Any) -> np.ndarray:
        check_is_fitted(self, "_parts")
        space, inner = self._parts
        X = checked_size(X, len(space.reference_))
        return np.asarray(getattr(inner, what)(space._real_vectors(X, space.tsupdate)))

    def predict(self, X: Any) -> np.ndarray:
        """The class of each matrix (samples,)."""
        return self._ask("predict", X)

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities (samples, classes), where the classifier has any."""
        return self._ask("predict_proba", X)

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the classifier, where it has any.

        Returns
        -------
        array
        """
        return self._ask("decision_function", X)


class SVC(ClassifierMixin, KernelMachine):  # type: ignore[misc]
    """Support vector machine of scikit-learn with a kernel of SPD matrices.

    Parameters
    ----------
    metric : str
        'riemann': inner products of tangent vectors at Cref; 'logeuclid' and 'euclid': of
        differences from it; 'stein': exp(-beta d^2) of the Stein distance, without Cref.
    kernel_fct : callable or None
        A kernel of your own, called as kernel_fct(X, Y, Cref=..., metric=...).
    Cref : array, callable or None
        The reference; a function is called with the training matrices; None: their mean.
    C, shrinking, probability, tol, cache_size, class_weight, verbose, max_iter
        As of scikit-learn's SVC.
    decision_function_shape, break_ties, random_state
        As of scikit-learn's SVC.
    beta : float
        Of the kernel of 'stein'.

    Attributes
    ----------
    classes_ : (classes,)
    Cref_ : (n, n) or None
    support_, dual_coef_, intercept_ : as of scikit-learn's SVC
    n_features_in_ : int

    {references: kernels}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances
    >>> from spdml.classification import SVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> signals = rng.standard_normal((40, 4, 100)) * np.where(y == 0, 1, 2)[:, None, None]
    >>> X = Covariances().transform(signals)
    >>> SVC(metric="logeuclid", C=10).fit(X, y).score(X, y)
    1.0
    """

    _machine = SklearnSVC

    def __init__(self, *, metric: str = "riemann", kernel_fct: Any = None, Cref: Any = None,
                 C: float = 1.0, shrinking: bool = True, probability: Any = False,
                 tol: float = 1e-3, cache_size: float = 200, class_weight: Any = None,
                 verbose: bool = False, max_iter: int = -1, decision_function_shape: str = "ovr",
                 break_ties: bool = False, random_state: Any = None, beta: float = 1.0) -> None:
        self.metric = metric
        self.kernel_fct = kernel_fct
        self.Cref = Cref
        self.C = C
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.beta = beta

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SVC":
        """Trains the machine on the kernel of X."""
        X = self._samples(X)
        classes, label = class_numbers(y, len(X))
        class_weights(label, len(classes), weights(sample_weight, len(X)), classes)
        self._train(X, y, sample_weight)
        self.classes_ = self._trained.svm.classes_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The margins, as of scikit-learn's SVC.

        Returns
        -------
        array
        """
        return self._ask("decision_function", X)

    @available_if(wants_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities (samples, classes), with probability=True."""
        return self._ask("predict_proba", X)


class KNearestNeighbor(_Recognizer):
    """The majority class of the nearest training matrices; ties go to the nearer class.

    Parameters
    ----------
    n_neighbors : int
        At most all that there are.
    metric : str
        By our names or pyRiemann's.
    {n_jobs}

    Attributes
    ----------
    classes_ : array, shape (classes,)
    covmeans_ : array, shape (samples, n, n)
        The training matrices, a copy.
    classmeans_ : array, shape (samples,)
        Their classes.
    n_features_in_ : int

    See Also
    --------
    spdml.neighbors : The nearest matrices themselves, also approximately, and of sets on disk.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import KNearestNeighbor
    >>> y = np.repeat([0, 1], 20)
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 50)) * np.where(y, 2, 1)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> knn = KNearestNeighbor(3).fit(X, y)
    >>> knn.score(X, y)
    1.0
    >>> knn.kneighbors(X[:2], return_distance=False)[:, 0]
    array([0, 1])
    """

    def __init__(self, n_neighbors: int = 5, metric: str = "airm", *,
                 n_jobs: Optional[int] = None) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KNearestNeighbor":
        """Keeps a copy of X and y.

        Parameters
        ----------
        X : array, shape (samples, n, n)
            Positive definite matrices, symmetric or Hermitian.
        y : array, shape (samples,)
            Labels.
        sample_weight : None or array of equal numbers
            Neighbours have no weights; those that differ are refused.

        Returns
        -------
        self
        """
        equal_weights(sample_weight, len(X))
        super().fit(X, y)
        self.covmeans_, self.classmeans_ = np.array(X), np.array(column(y, len(X)))
        return self

    def kneighbors(self, X: Any = None, n_neighbors: Optional[int] = None, return_distance: bool = True
                   ) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
        """The nearest training matrices.

        Parameters
        ----------
        X : array, shape (queries, n, n), optional
            Without it those of the training matrices, none of which is its own neighbour.
        n_neighbors : int, optional
            That of the estimator by default.
        return_distance : bool
            Distances too.

        Returns
        -------
        distances : array, shape (queries, n_neighbors)
            Only with return_distance.
        indices : array, shape (queries, n_neighbors)
            Numbers of training matrices, the nearest first.
        """
        check_is_fitted(self, "covmeans_")
        most = len(self.covmeans_) - (X is None)
        k = min(self.n_neighbors, most) if n_neighbors is None else n_neighbors
        distances, index = neighbors(self.covmeans_, X, k, metrics_of(self.metric, ("distance",))[0],
                                     n_jobs=self.n_jobs)
        return (distances, index) if return_distance else index

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        k = whole(self.n_neighbors, "n_neighbors")
        metric_number(self.metric)  # 'ml' and 'csp' would be maps
        return f"knn-{self.metric}", {"k": k if samples is None else min(k, samples)}

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        return {"n_neighbors": int(trained.values.get("k", 5)),
                "metric": trained.metric_of("knn", cls.__name__)}
