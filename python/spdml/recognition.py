"""Classifiers on SPD matrices, with scikit-learn's interface."""

from __future__ import annotations

import warnings
from typing import Any, Dict, Optional, Tuple, Type, TypeVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._core import methods
from ._core.labels import class_numbers, places
from ._core.library import PARAMETERS
from ._core.matrices import checked, checked_size
from ._core.tags import MatrixEstimator
from .exceptions import InvalidArgumentError

__all__ = ["CDLClassifier", "RSRClassifier", "SPDClassifier"]


def softmax(scores: np.ndarray) -> np.ndarray:
    """Of each row."""
    share = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def _argument(parameter: str) -> str:
    """The name of a parameter of the command as an argument."""
    return "alpha" if parameter == "lambda" else parameter


def _has_probabilities(estimator: Any) -> bool:
    name = estimator._method(None)[0]
    return isinstance(name, str) and name.lower().startswith(("mdm", "ts-l", "krr", "knn"))


Own = TypeVar("Own", bound="_Recognizer")


class _Recognizer(ClassifierMixin, MatrixEstimator):  # type: ignore[misc]
    """What the classifiers share; each says its method and the values it fixes.

    What is fitted is one object that never changes (methods.Trained). Every method takes its own
    reference to it: threads may predict, fit and pickle at once."""

    _needs_y = True
    _aligns = False  # can it normalise and recentre?

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        """The method's joined name and its fixed values (None: default), for so many training
        samples (None: not known)."""
        raise NotImplementedError

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        """The parameters with which the estimator would have trained this method."""
        raise NotImplementedError

    def fit(self: Own, X: Any, y: Any) -> Own:
        """Trains the method on X and y. Neither is kept: what the method needs is copied."""
        return self._fit(X, y)

    def _fit(self: Own, X: Any, y: Any, means: Tuple[Any, Any] = (None, None), **more: Any) -> Own:
        metric = str(self._method(None)[0]).partition("-")[2]
        X = checked(X, [metric], n_jobs=self.n_jobs)
        classes, label = class_numbers(y, len(X))
        name, values = self._method(len(X))
        self._take(methods.train(name, values, X, classes, label, self.n_jobs,
                                  means, **more))
        return self

    def _take(self, trained: methods.Trained) -> None:
        self._trained = trained  # at once: what others see is the old one or the new one
        self.classes_ = trained.classes
        self.n_features_in_ = trained.size
        self.parameters_ = {_argument(name): value for name, value in trained.values.items()}

    def _fitted(self, X: Any) -> Tuple[methods.Trained, np.ndarray]:
        """What was fitted, held fast, and X as it takes it."""
        check_is_fitted(self, "_trained")
        trained = self._trained
        return trained, checked_size(X, trained.size)

    def predict(self, X: Any, *, groups: Any = None) -> np.ndarray:
        """The class of each matrix."""
        trained, X = self._fitted(X)
        return trained.predict(X, self.n_jobs, groups)

    def decision_function(self, X: Any, *, groups: Any = None) -> np.ndarray:
        """(samples, classes): what decides, the larger the better: margins, scores and votes as they
        are, distances and residuals with the other sign. For two classes (samples,): the second's
        less the first's. Of votes, where classes have as many, the one that is predicted has half a
        vote more."""
        trained, X = self._fitted(X)
        score = self._scores(trained, X, groups)
        self._break_ties(trained, X, score, 0.5, groups)
        return np.asarray(score[:, 1] - score[:, 0] if score.shape[1] == 2 else score)

    def _break_ties(self, trained: methods.Trained, X: np.ndarray, score: np.ndarray,
                    votes: float, groups: Any = None) -> None:
        """Of classes with as many neighbours, the one that is predicted gets so many votes more."""
        tied = np.flatnonzero((score == score.max(axis=1, keepdims=True)).sum(axis=1) > 1)
        if trained.name.startswith("knn") and len(tied):
            whole = trained.recenter == "groups"  # by means of all that is predicted together
            part = X if whole else np.ascontiguousarray(X[tied])
            chosen = trained.predict(part, self.n_jobs, groups)
            score[tied, places(trained.classes, chosen[tied] if whole else chosen)] += votes

    def _scores(self, trained: methods.Trained, X: np.ndarray, groups: Any = None) -> np.ndarray:
        """(samples, classes), the larger the better."""
        score = trained.scores(X, self.n_jobs, groups)
        return np.asarray(-score if trained.falls else score)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, *, groups: Any = None) -> np.ndarray:
        """(samples, classes): for ts-lda the probabilities of its Gaussian model; for ts-lr
        those of its model; for krr calibrated on training samples left out; for mdm the
        softmax of the negative squared distances, as pyRiemann has it, which are not calibrated; for
        knn the shares of the neighbours; if they are equal, that of the nearer class, which `predict`
        takes, is larger by a rounding error. Other methods have none."""
        trained, X = self._fitted(X)
        score = self._scores(trained, X, groups)
        self._break_ties(trained, X, score, 1e-12, groups)
        if trained.name.startswith("knn"):
            return np.asarray(score / score.sum(axis=1, keepdims=True))
        return softmax(score)

    def save(self, path: Any) -> None:
        """Writes what was fitted to a .spdml file, which the command and the C library read too."""
        check_is_fitted(self, "_trained")
        self._trained.save(path)

    @classmethod
    def load(cls: Type[Own], path: Any) -> Own:
        """The estimator of a .spdml file that was written here, by 'spdml train' or by the C
        library."""
        trained = methods.load(path)
        if trained.size == 0:
            raise InvalidArgumentError(f"{path}: {trained.name} works on vectors, not on matrices")
        if trained.regression:
            raise InvalidArgumentError(f"{path}: predicts numbers; use KernelRidge.load")
        if not cls._aligns and (trained.normalize, trained.recenter) != ("none", "none"):
            raise InvalidArgumentError(f"{path}: {trained.name} was trained with normalised or recentred "
                                       f"matrices, which {cls.__name__} is not; use SPDClassifier.load")
        made = cls(**cls._parameters_of(trained))
        made._take(trained)
        return made


class SPDClassifier(_Recognizer):
    """Any method of the command by its name.

    Parameters
    ----------
    method : str
        'nn-stein-ml', 'mdm-airm', 'rsr', 'cdl', 'ts-lda', 'ksvm-stein', ...: 'spdml evaluate --help'
        lists them.
    m, nu_w, nu_b, k, beta, beta_scale, alpha, components, dimensions, cost : number or None
        The values of the method's parameters; alpha is `lambda` of the command. None: the default. A value
        that the method has no use for is refused.
    objective : str or None
        That of a learned map, by its name.
    normalize : None, 'trace' or 'determinant'
        First divide each matrix by tr X / n, or by (det X)^(1/n).
    recenter : None, 'groups', 'all' or 'training'
        Then move matrices so that the AIRM mean of their group becomes the identity. 'groups': as
        `fit` and `predict` are told; matrices of a group that `fit` had are moved by its mean then,
        those of another by their own mean, so they are needed together, and without groups all are
        one. 'all': all matrices of a call are one group. 'training': new matrices are moved by the
        mean of training.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    parameters_ : dict
        The values in use.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import SPDClassifier
    >>> y = np.repeat([0, 1], 20)
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 50)) * np.where(y, 2, 1)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> SPDClassifier("nn-airm-ml", m=2).fit(X, y).score(X, y)
    1.0
    >>> new = 9 * X                                     # the same, seen by another amplifier
    >>> clf = SPDClassifier("mdm-airm", recenter="groups").fit(X, y, groups=["first"] * 40)
    >>> clf.score(new, y, groups=["second"] * 40)
    1.0
    """

    _aligns = True

    def __init__(self, method: str = "nn-airm", *, m: Optional[int] = None, nu_w: Optional[int] = None,
                 nu_b: Optional[int] = None, k: Optional[int] = None, beta: Optional[float] = None,
                 beta_scale: Optional[float] = None, alpha: Optional[float] = None,
                 components: Optional[int] = None, dimensions: Optional[int] = None,
                 cost: Optional[float] = None, objective: Optional[str] = None,
                 normalize: Optional[str] = None, recenter: Optional[str] = None,
                 n_jobs: Optional[int] = None) -> None:
        self.method = method
        self.m = m
        self.nu_w = nu_w
        self.nu_b = nu_b
        self.k = k
        self.beta = beta
        self.beta_scale = beta_scale
        self.alpha = alpha
        self.components = components
        self.dimensions = dimensions
        self.cost = cost
        self.objective = objective
        self.normalize = normalize
        self.recenter = recenter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, groups: Any = None, feature_mean: Any = None,
            feature_count: Any = None) -> "SPDClassifier":
        """Trains the method on X and y. Neither is kept: what the method needs is copied.

        Parameters
        ----------
        {samples}
        {labels}
        groups : array, shape (samples,), optional
            With recenter='groups', a value for each matrix, such as the subject.
        feature_mean : array, shape (samples, n), optional
            For pca-: means of the observations whose covariances X are, as `describe` has them in its
            columns. Without them it takes the pooled covariance, and warns.
        feature_count : array, shape (samples,) or (samples, blocks), optional
            Numbers of these observations.
        """
        if str(self.method).lower().startswith("pca-") and feature_mean is None:
            warnings.warn(methods.POOLED, UserWarning, stacklevel=2)
        self._fit(X, y, (feature_mean, feature_count), groups=groups,
                  alignment=(self.normalize, self.recenter))
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> float:
        """The share of the matrices whose class is predicted. groups: as in `fit`."""
        if groups is None:
            return float(super().score(X, y, sample_weight))
        return float(accuracy_score(y, self.predict(X, groups=groups), sample_weight=sample_weight))

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        values = {name: getattr(self, _argument(name)) for name in PARAMETERS}
        return self.method, {name: value for name, value in values.items() if value is not None}

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        return {"method": trained.name, **{_argument(name): value for name, value in trained.values.items()},
                "normalize": None if trained.normalize == "none" else trained.normalize,
                "recenter": None if trained.recenter == "none" else
                "all" if trained.recenter == "groups" and not trained.groups else trained.recenter}


class RSRClassifier(_Recognizer):
    """Riemannian sparse representation (Harandi et al., ECCV 2012): sparse coding with the Stein
    kernel over the training matrices; the class with the smallest residual.

    Parameters
    ----------
    beta : float or None
        Of the kernel.
    alpha : float or None
        The weight of the l1 term.
    beta_scale : float or None
        In place of beta: beta times the median squared distance of the training matrices.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    parameters_ : dict
        The values in use.
    n_features_in_ : int

    {references: rsr}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import RSRClassifier
    >>> y = np.repeat([0, 1], 20)
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 50)) * np.where(y, 2, 1)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> RSRClassifier().fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, beta: Optional[float] = None, alpha: Optional[float] = None, *,
                 beta_scale: Optional[float] = None, n_jobs: Optional[int] = None) -> None:
        self.beta = beta
        self.alpha = alpha
        self.beta_scale = beta_scale
        self.n_jobs = n_jobs

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        values = {"beta": self.beta, "beta_scale": self.beta_scale, "lambda": self.alpha}
        return "rsr", values

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        if trained.name != "rsr":
            raise trained.refusal(cls.__name__)
        values = trained.values
        return {"beta": values.get("beta"), "alpha": values.get("lambda"),
                "beta_scale": values.get("beta_scale")}


class CDLClassifier(_Recognizer):
    """Covariance discriminative learning (Wang et al., CVPR 2012): log-Euclidean kernel with kernel
    partial least squares or kernel discriminant analysis.

    Parameters
    ----------
    n_components : int or None
        Of partial least squares; None: the number of classes less one.
    variant : {'pls', 'lda'}
        Partial least squares, or a discriminant.
    {n_jobs}

    Attributes
    ----------
    classes_ : (classes,)
    parameters_ : dict
        The values in use.
    n_features_in_ : int

    {references: cdl}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import CDLClassifier
    >>> y = np.repeat([0, 1], 20)
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 50)) * np.where(y, 2, 1)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> CDLClassifier().fit(X, y).score(X, y)
    1.0
    """

    def __init__(self, n_components: Optional[int] = None, variant: str = "pls", *,
                 n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.variant = variant
        self.n_jobs = n_jobs

    def _method(self, samples: Optional[int]) -> Tuple[str, Dict[str, Any]]:
        if self.variant not in ("pls", "lda"):
            raise InvalidArgumentError(f"variant {self.variant!r} is unknown; use pls or lda")
        if self.variant == "lda":
            return "cdl-lda", {}
        return "cdl", {"components": self.n_components}

    @classmethod
    def _parameters_of(cls, trained: methods.Trained) -> Dict[str, Any]:
        if trained.name not in ("cdl", "cdl-lda"):
            raise trained.refusal(cls.__name__)
        if trained.name == "cdl-lda":
            return {"variant": "lda"}
        return {"n_components": int(trained.values["components"]), "variant": "pls"}
