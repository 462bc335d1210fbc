"""Means of classes, and classifiers by the smallest distance."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_is_fitted

from ..exceptions import InvalidArgumentError
from ..geometry.mean import mean
from .tags import Transformer


class ByDistance(ClassifierMixin, Transformer):  # type: ignore[misc]
    """What classifiers share that choose the class with the smallest distance."""

    _needs_y = True

    def _distances(self, X: Any) -> Tuple[np.ndarray, np.ndarray]:
        """The classes, and the distances (samples, classes), of one and the same fit."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The class of each matrix."""
        classes, D = self._distances(X)
        return np.asarray(classes[D.argmin(axis=1)])

    def transform(self, X: Any) -> np.ndarray:
        """The distances to the classes.

        Returns
        -------
        array, shape (samples, classes)
        """
        return self._distances(X)[1]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The softmax of the negative squared distances, as pyRiemann has it. They are not calibrated;
        scikit-learn's CalibratedClassifierCV does that."""
        return np.asarray(softmax(-self._distances(X)[1] ** 2))

    def decision_function(self, X: Any) -> np.ndarray:
        """The negative squared distances.

        Returns
        -------
        array, shape (samples, classes)
            For two classes (samples,): positive for the second.
        """
        score = -self._distances(X)[1] ** 2
        return np.asarray(score[:, 1] - score[:, 0] if score.shape[1] == 2 else score)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One for each class."""
        check_is_fitted(self)
        return np.array([f"{type(self).__name__.lower()}{name}" for name in self.classes_],
                        dtype=object)


def class_means(X: np.ndarray, label: np.ndarray, count: int, metric: Any,
                weight: Optional[np.ndarray], n_jobs: Optional[int]) -> np.ndarray:
    """(count, n, n): the mean of each class, which all have samples."""
    return np.stack([
        mean(X[label == k], metric, None if weight is None else weight[label == k], n_jobs=n_jobs)
        for k in range(count)])


def class_weights(label: np.ndarray, count: int, weight: Optional[np.ndarray],
                  classes: np.ndarray) -> np.ndarray:
    """(count,): the weights of the samples of each class, which must not all be zero."""
    total = np.bincount(label, weight, minlength=count)
    empty = np.flatnonzero(total <= 0)
    if len(empty):
        raise InvalidArgumentError(f"sample_weight leaves nothing of class {classes[empty[0]]}")
    return np.asarray(total, dtype=float)
