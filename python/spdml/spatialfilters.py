"""Spatial filters: of evoked responses (Xdawn), of classes (CSP) and of a target (SPoC)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, eigh
from sklearn.utils.validation import check_is_fitted

from ._covariance import Estimator, estimated, signals
from ._errors import InvalidArgumentError, NotPositiveDefiniteError
from ._labels import chosen_classes
from ._tags import MatrixTransformer


def general_eigenvectors(A: np.ndarray, B: np.ndarray, what: str) -> Any:
    """Eigenvalues, falling, and eigenvectors of A v = lambda B v; `what` says what B is."""
    try:
        values, vectors = eigh(A, B)
    except LinAlgError:
        least = float(np.linalg.eigvalsh(B)[0])
        raise NotPositiveDefiniteError(
            f"{what} is not positive definite (smallest eigenvalue {least:.2g}); shrink it "
            f"(estimator='oas' or 'lwf') or drop the empty dimensions (Whitening with dim_red)",
            None, least) from None
    return values[::-1], vectors[:, ::-1]


class Xdawn(MatrixTransformer):
    """Spatial filters that raise the mean responses of the classes above the rest of the signals
    (Rivet et al. 2009): generalised eigenvectors of the covariance of a response and of all signals.

    Parameters
    ----------
    nfilter : int
        Filters of each class.
    classes : list or None
        The classes whose responses are taken; None: all.
    estimator : as for `Covariances`
    baseline_cov : (channels, channels) or None
        Covariance of the signals; None: that of all of them, in a row.

    Attributes
    ----------
    classes_ : the classes
    filters_, patterns_ : (classes x nfilter, channels)
    evokeds_ : (classes x nfilter, times)
        The filtered mean responses.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Xdawn
    >>> signals = np.random.default_rng(0).standard_normal((10, 6, 100))
    >>> Xdawn(nfilter=2).fit_transform(signals, [0, 1] * 5).shape
    (10, 4, 100)
    """

    _needs_y = True

    def __init__(self, nfilter: int = 4, classes: Any = None, estimator: Estimator = "scm",
                 baseline_cov: Any = None) -> None:
        self.nfilter = nfilter
        self.classes = classes
        self.estimator = estimator
        self.baseline_cov = baseline_cov

    def fit(self, X: Any, y: Any) -> "Xdawn":
        """The filters of each class.

        Parameters
        ----------
        X : array, (samples, channels, times)
        y : labels
        """
        count = filter_count(self.nfilter)
        X = signals(X)
        self.classes_, masks = chosen_classes(y, self.classes, len(X))
        all_in_a_row = X.transpose(1, 2, 0).reshape(1, X.shape[1], -1)
        baseline = estimated(all_in_a_row, self.estimator)[0] if self.baseline_cov is None \
            else np.asarray(self.baseline_cov)
        if baseline.shape != (X.shape[1], X.shape[1]):
            raise InvalidArgumentError(
                f"baseline_cov has shape {baseline.shape}; it must be {(X.shape[1],) * 2}")
        responses = np.array([X[mask].mean(axis=0) for mask in masks])
        filters, patterns = [], []
        for C in estimated(responses, self.estimator):
            vectors = general_eigenvectors(C, baseline, "the covariance of the signals")[1]
            vectors = vectors / np.linalg.norm(vectors, axis=0)
            filters.append(vectors[:, :count].T)
            patterns.append(np.linalg.pinv(vectors.T)[:, :count].T)
        self.evokeds_ = np.concatenate([F @ P for F, P in zip(filters, responses)])
        self.filters_ = np.concatenate(filters)
        self.patterns_ = np.concatenate(patterns)
        self.n_features_in_ = X.shape[1]
        self._rows_out = len(self.filters_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The filtered signals (samples, classes x nfilter, times)."""
        check_is_fitted(self, "filters_")
        X = signals(X)
        if X.shape[1] != self.n_features_in_:
            raise InvalidArgumentError(
                f"X has {X.shape[1]} channels; {self.n_features_in_} are expected")
        return np.asarray(self.filters_ @ X)


def filter_count(nfilter: Any) -> int:
    """nfilter, a positive integer."""
    if not isinstance(nfilter, (int, np.integer)) or isinstance(nfilter, bool) or nfilter < 1:
        raise TypeError(f"nfilter is {nfilter!r}; it must be a positive integer")
    return int(nfilter)
