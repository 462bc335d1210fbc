"""Artefacts: matrices that are too far from the mean of the others."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np
from scipy.special import ndtr
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from ._core.arrays import whole
from ._core.labels import column, weights
from ._core.matrices import checked, checked_size, metrics_of
from ._core.tags import MatrixTransformer
from .exceptions import InvalidArgumentError
from .geometry.distance import pairwise_distance
from .geometry.geodesic import geodesic
from .geometry.mean import mean

__all__ = ["Potato"]


class _Ball(NamedTuple):
    """A centre, and mean and deviation of the logarithms of the distances from it."""

    centre: np.ndarray
    middle: float
    spread: float
    metrics: Tuple[Any, Any]


class Potato(MatrixTransformer):
    """Riemannian potato (Barachant, Andreev and Congedo 2013): a matrix is clean if the logarithm of
    its distance from the mean of the clean ones has a z-score below a threshold. The mean is found
    by leaving out, again and again, what is not clean.

    Parameters
    ----------
    metric : str or dict
        Of mean and distances; or {'mean': ..., 'distance': ...}.
    threshold : float
        Of the z-score.
    n_iter_max : int
        How often matrices are left out at most.
    pos_label, neg_label : int
        The labels of clean matrices and of artefacts.
    {n_jobs}

    Attributes
    ----------
    covmean_ : (n, n)
        The mean of the clean matrices.
    classes_ : the two labels
    n_features_in_ : int

    {references: potato}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.artifact_detection import Potato
    >>> A = np.random.default_rng(0).standard_normal((30, 3, 50))
    >>> A[7] *= 20
    >>> X = A @ A.transpose(0, 2, 1)
    >>> np.flatnonzero(Potato().fit(X).predict(X) == 0)
    array([7])
    """

    def __init__(self, metric: Any = "airm", threshold: float = 3, n_iter_max: int = 100,
                 pos_label: int = 1, neg_label: int = 0, *, n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.threshold = threshold
        self.n_iter_max = n_iter_max
        self.pos_label = pos_label
        self.neg_label = neg_label
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Potato":
        """The mean of the clean matrices, and how far they lie from it.

        Parameters
        ----------
        {samples}
        y : labels or None
            Only matrices with pos_label are used; None: all.
        {sample_weight}
        """
        if self.pos_label == self.neg_label:
            raise InvalidArgumentError(f"pos_label and neg_label are both {self.pos_label}")
        metrics = metrics_of(self.metric, ("mean", "distance"))
        X = checked(X, metrics, n_jobs=self.n_jobs)
        weight = weights(sample_weight, len(X))
        clean = self._clean(y, len(X))
        for _ in range(whole(self.n_iter_max, "n_iter_max")):
            if not clean.any():
                raise InvalidArgumentError(
                    "all matrices were left out; choose a higher threshold")
            centre = mean(X[clean], metrics[0], None if weight is None else weight[clean],
                          n_jobs=self.n_jobs)
            d = self._logarithms(X[clean], centre, metrics[1])
            ball = _Ball(centre, float(d.mean()), float(d.std()), (metrics[0], metrics[1]))
            before, clean = clean, clean.copy()
            clean[before] = _score(d, ball) < self.threshold
            if (clean == before).all():
                break
        self._take(ball)
        return self

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None,
                    alpha: float = 0.1) -> "Potato":
        """Moves along with more samples: the mean by alpha towards theirs, and so its distances.

        Parameters
        ----------
        {samples}
        y : labels or None
            Only matrices with pos_label are used; None: all.
        {sample_weight}
        alpha : float
            From 0, nothing changes, to 1, only the new samples count.
        """
        if not hasattr(self, "_ball"):
            raise InvalidArgumentError("partial_fit goes on from a fit: call fit first")
        if not 0 <= alpha <= 1:
            raise InvalidArgumentError(f"alpha is {alpha}; it must be between 0 and 1")
        ball = self._ball
        X = checked(X, ball.metrics, len(ball.centre), self.n_jobs)
        clean, weight = self._clean(y, len(X)), weights(sample_weight, len(X))
        if alpha == 0:
            return self
        new = mean(X[clean], ball.metrics[0], None if weight is None else weight[clean],
                   n_jobs=self.n_jobs)
        centre = geodesic(ball.centre, new, alpha, ball.metrics[0])
        d = float(self._logarithms(new[None], centre, ball.metrics[1])[0])
        middle = (1 - alpha) * ball.middle + alpha * d
        spread = np.sqrt((1 - alpha) * ball.spread**2 + alpha * (d - middle) ** 2)
        self._take(_Ball(centre, middle, float(spread), ball.metrics))
        return self

    def _clean(self, y: Any, samples: int) -> np.ndarray:
        """Which matrices are labelled clean."""
        if y is None:
            return np.ones(samples, dtype=bool)
        labels = column(y, samples)
        names = np.unique(labels)
        if len(names) > 2:
            raise InvalidArgumentError(f"y has {len(names)} classes; a potato knows two")
        clean = np.asarray(labels == self.pos_label)
        if not clean.any():
            raise InvalidArgumentError(f"y has no sample of pos_label, {self.pos_label}")
        return clean

    def _take(self, ball: _Ball) -> None:
        self._ball = ball
        self.covmean_ = ball.centre
        self.classes_ = np.sort([self.neg_label, self.pos_label])
        self.n_features_in_ = len(ball.centre)

    def _logarithms(self, X: np.ndarray, centre: np.ndarray, metric: Any) -> np.ndarray:
        with np.errstate(divide="ignore"):  # a matrix that is the mean
            return np.asarray(np.log(
                pairwise_distance(X, centre[None], metric, n_jobs=self.n_jobs)[:, 0]))

    def transform(self, X: Any) -> np.ndarray:
        """The z-scores (samples,) of the logarithms of the distances from the mean.

        Returns
        -------
        array, shape (samples,)
        """
        check_is_fitted(self, "_ball")
        ball = self._ball
        X = checked_size(X, len(ball.centre))
        return _score(self._logarithms(X, ball.centre, ball.metrics[1]), ball)

    def predict(self, X: Any) -> np.ndarray:
        """pos_label for clean matrices and neg_label for artefacts (samples,)."""
        return np.where(self.transform(X) < self.threshold, self.pos_label, self.neg_label)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability (samples,) of a z-score that is at least as high: near 0 for artefacts.

        Returns
        -------
        array, shape (samples,)
        """
        return np.asarray(ndtr(-self.transform(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of `predict`."""
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))


def _score(d: np.ndarray, ball: _Ball) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):  # matrices that are all the same
        return np.nan_to_num((d - ball.middle) / ball.spread, nan=0.0)
