"""Covariances beside the mean responses of classes, for event-related potentials."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._covariance import Estimator, signals
from ._errors import InvalidArgumentError
from ._labels import chosen_classes
from ._of_signals import regularised
from ._sets import adjoint
from ._tags import MatrixTransformer, OpenOptions
from .spatialfilters import Xdawn


class _OfResponses(OpenOptions, MatrixTransformer):
    """Covariances of signals beside the mean responses `P_` of the classes."""

    _needs_y = True
    P_: np.ndarray
    estimator: Estimator

    def _beside(self, X: np.ndarray) -> np.ndarray:
        """The covariances of X below P_, of which the upper left block is the same for all."""
        if X.shape[-1] != self.P_.shape[-1]:
            raise InvalidArgumentError(
                f"X has {X.shape[-1]} times; the responses have {self.P_.shape[-1]}")
        P = np.broadcast_to(self.P_, (len(X), *self.P_.shape))
        stacked = np.concatenate((P, X), axis=1)
        return regularised(stacked, self.estimator, self.kwds)

    def _check_channels(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "P_")
        X = signals(X)
        if X.shape[1] != self.n_features_in_:
            raise InvalidArgumentError(
                f"X has {X.shape[1]} channels; {self.n_features_in_} are expected")
        return np.asarray(X)


class ERPCovariances(_OfResponses):
    """Covariance matrices of signals beside the mean responses of the classes, for event-related
    potentials (Barachant and Congedo 2014): they hold how a signal goes along with each response.

    Parameters
    ----------
    classes : list or None
        The classes whose mean responses are taken; None: all.
    estimator, **kwds : as for `Covariances`
    svd : int or None
        Responses are reduced to so many of their principal components.

    Attributes
    ----------
    P_ : (responses, times)
        The mean responses, one below the other.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import ERPCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> ERPCovariances(svd=2).fit_transform(signals, [0, 1] * 5).shape
    (10, 8, 8)
    """

    def __init__(self, classes: Any = None, estimator: Estimator = "scm",
                 svd: Optional[int] = None, **kwds: Any) -> None:
        self.classes = classes
        self.estimator = estimator
        self.svd = svd
        self.kwds = kwds

    def fit(self, X: Any, y: Any) -> "ERPCovariances":
        """The mean responses of the classes.

        Parameters
        ----------
        X : array, (samples, channels, times)
        y : labels
        """
        if self.svd is not None and (not isinstance(self.svd, (int, np.integer)) or self.svd < 1):
            raise TypeError(f"svd is {self.svd!r}; it must be None or a positive int")
        X = signals(X)
        parts = []
        for mask in chosen_classes(y, self.classes, len(X))[1]:
            P = X[mask].mean(axis=0)
            if self.svd is not None:
                P = adjoint(np.linalg.svd(P)[0][:, :self.svd]) @ P
            parts.append(P)
        self.P_ = np.concatenate(parts)
        self.n_features_in_ = X.shape[1]
        self._rows_out = len(self.P_) + X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Covariance matrices (samples, responses + channels, the same) of signals (samples,
        channels, times)."""
        return self._beside(self._check_channels(X))


class XdawnCovariances(_OfResponses):
    """As `ERPCovariances`, after the spatial filters of `Xdawn`, which keep what sets the responses
    apart from the rest.

    Parameters
    ----------
    nfilter : int
        Filters of each class.
    applyfilters : bool
        Filter the signals too, and not the mean responses alone.
    classes : list or None
        The classes whose responses are taken; None: all.
    estimator, **kwds : as for `Covariances`
    xdawn_estimator : as estimator, for the filters
    baseline_cov : (channels, channels) or None
        Covariance of the signals for the filters; None: that of all signals.

    Attributes
    ----------
    P_ : (classes x nfilter, times)
        The filtered mean responses.
    Xd_ : the fitted `Xdawn`
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import XdawnCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 6, 100))
    >>> XdawnCovariances(nfilter=2).fit_transform(signals, [0, 1] * 5).shape
    (10, 8, 8)
    """

    def __init__(self, nfilter: int = 4, applyfilters: bool = True, classes: Any = None,
                 estimator: Estimator = "scm", xdawn_estimator: Estimator = "scm",
                 baseline_cov: Any = None, **kwds: Any) -> None:
        self.nfilter = nfilter
        self.applyfilters = applyfilters
        self.classes = classes
        self.estimator = estimator
        self.xdawn_estimator = xdawn_estimator
        self.baseline_cov = baseline_cov
        self.kwds = kwds

    def fit(self, X: Any, y: Any) -> "XdawnCovariances":
        """The spatial filters and the filtered mean responses.

        Parameters
        ----------
        X : array, (samples, channels, times)
        y : labels
        """
        self.Xd_ = Xdawn(self.nfilter, self.classes, self.xdawn_estimator, self.baseline_cov)
        self.Xd_.fit(X, y)
        self.P_ = self.Xd_.evokeds_
        self.n_features_in_ = self.Xd_.n_features_in_
        rows = len(self.Xd_.filters_) if self.applyfilters else self.n_features_in_
        self._rows_out = len(self.P_) + rows
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Covariance matrices of signals (samples, channels, times)."""
        X = self._check_channels(X)
        return self._beside(self.Xd_.transform(X) if self.applyfilters else X)
