"""From signals to SPD matrices, by the names of pyRiemann's module. Its spectra, coherences and Xdawn are as
fast as ours would be, and their matrices go into every estimator here."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._core.labels import chosen_classes
from ._core.matrices import semidefinite
from ._core.sets import adjoint
from ._core.tags import MatrixTransformer, OpenOptions
from .exceptions import InvalidArgumentError
from .geometry.covariance import each_length, estimated, Estimator, loaded, signals, towards_identity

__all__ = ["Covariances", "ERPCovariances", "Shrinkage", "TimeDelayCovariances"]


Own = TypeVar("Own", bound="_OfSignals")


class _OfSignals(MatrixTransformer):
    """Estimators that learn nothing from what they are fitted to."""

    _stateless = True
    _takes = "signals"

    def fit(self: Own, X: Any, y: Any = None) -> Own:
        """Checks X, and learns nothing: `transform` may be called without it."""
        self.n_features_in_ = each_length(X, lambda part: part[:, :, :1]).shape[1]
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _regularised(X: np.ndarray, estimator: Estimator, options: Dict[str, Any]) -> np.ndarray:
    """The covariances, regularised if the options say so."""
    rest = {name: value for name, value in options.items() if name != "regularize"}
    return loaded(estimated(X, estimator, **rest), options.get("regularize", 0.0))


class Covariances(OpenOptions, _OfSignals):
    """Covariance matrices of signals.

    Parameters
    ----------
    estimator : str, float or callable
        'scm' (divided by the number of times), 'cov' (by one less), 'corr' (correlations); shrunk:
        'oas', 'lwf' (Ledoit and Wolf), 'sch' (Schaefer and Strimmer), or a number between 0 and 1,
        the weight of the identity; robust: 'mcd', 'hub' (Huber), 'stu' (Student), 'tyl' (Tyler). A
        function takes a signal (channels, times) and returns its matrix.
    **kwds : options of the estimator, and regularize
        regularize, a number, adds this times the mean of the diagonal to the diagonal: what matrices
        of lower rank need to be positive definite. 'scm': assume_centered, weights; 'oas', 'lwf': assume_centered; 'mcd': support_fraction,
        random_state; 'hub', 'stu', 'tyl': tol, n_iter_max, assume_centered, init, and q (hub), nu
        (stu), norm ('trace' or 'determinant', tyl).

    Notes
    -----
    A signal with fewer times than channels, an average reference, or removed components give
    matrices without full rank, which have no logarithm. Shrink ('oas', `Shrinkage`), regularize
    (``regularize=1e-6``), or drop the empty dimensions (`Whitening` with ``dim_red``).

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> Covariances("oas").transform(signals).shape
    (10, 4, 4)
    >>> few = signals[:, :, :3]                       # 3 times of 4 channels: rank 2
    >>> X = Covariances("scm", regularize=1e-3).fit_transform(few)
    >>> bool(np.linalg.eigvalsh(X).min() > 0)
    True
    """

    def __init__(self, estimator: Estimator = "scm", **kwds: Any) -> None:
        self.estimator = estimator
        self.kwds = kwds

    def transform(self, X: Any) -> np.ndarray:
        """Covariance matrices.

        Parameters
        ----------
        X : array, (samples, channels, times)
            Real or complex; or a list of signals of different lengths.

        Returns
        -------
        array, (samples, channels, channels)
        """
        return each_length(X, lambda part: _regularised(part, self.estimator, self.kwds))


class TimeDelayCovariances(Covariances):
    """Covariance matrices of signals beside copies of themselves that are delayed (rolled), which
    hold some of the spectrum.

    Parameters
    ----------
    delays : int or list of int
        An integer d stands for the delays 1 to d - 1.
    estimator : str, float or callable
        As of `Covariances`.
    **kwds : dict
        As of `Covariances`.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.estimation import TimeDelayCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 2, 100))
    >>> TimeDelayCovariances(delays=4).fit_transform(signals).shape
    (10, 8, 8)
    """

    def __init__(self, delays: Any = 4, estimator: Estimator = "scm", **kwds: Any) -> None:
        self.delays = delays
        super().__init__(estimator, **kwds)

    def transform(self, X: Any) -> np.ndarray:
        """Covariance matrices (samples, channels x delays, channels x delays) of signals (samples,
        channels, times).

        Returns
        -------
        array, shape (samples, channels x delays, channels x delays)
        """
        X = signals(X)
        if isinstance(self.delays, (int, np.integer)) and not isinstance(self.delays, bool):
            delays: Sequence[int] = range(1, int(self.delays))
        elif isinstance(self.delays, (list, tuple, np.ndarray)):
            delays = [int(d) for d in self.delays]
        else:
            raise InvalidArgumentError(
                f"delays is {self.delays!r}; it must be an integer or a list of integers")
        if len(delays) >= X.shape[-1]:
            raise InvalidArgumentError(
                f"delays is {self.delays!r}; signals of {X.shape[-1]} times have fewer")
        rolled = [X, *(np.roll(X, d, axis=-1) for d in delays)]
        return _regularised(np.concatenate(rolled, axis=1), self.estimator, self.kwds)


class Shrinkage(MatrixTransformer):
    """Matrices drawn towards the identity: (1 - shrinkage) X + shrinkage tr(X)/n I. What was
    positive semi-definite, such as covariances of lower rank, becomes positive definite.

    Parameters
    ----------
    shrinkage : float
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from spdml import Covariances, MDM
    >>> from spdml.estimation import Shrinkage
    >>> signals = np.random.default_rng(0).standard_normal((20, 6, 4))      # rank 3 of 6
    >>> y = [0, 1] * 10
    >>> pipeline = make_pipeline(Covariances(), Shrinkage(0.1), MDM())
    >>> pipeline.fit(signals, y).predict(signals).shape
    (20,)
    """

    _stateless = True

    def __init__(self, shrinkage: float = 0.1) -> None:
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any = None) -> "Shrinkage":
        """Checks X, and learns nothing: `transform` may be called without it."""
        self.n_features_in_ = semidefinite(X).shape[1]
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any) -> np.ndarray:
        """The shrunk matrices (samples, n, n).

        Returns
        -------
        array, shape (samples, n, n)
        """
        if not 0 <= self.shrinkage <= 1:
            raise InvalidArgumentError(
                f"shrinkage is {self.shrinkage}; it must be between 0 and 1")
        X = semidefinite(X)
        return towards_identity(X, np.full(len(X), float(self.shrinkage)))


class ERPCovariances(OpenOptions, MatrixTransformer):
    """Covariance matrices of signals beside the mean responses of the classes, for event-related
    potentials (Barachant and Congedo 2014): they hold how a signal goes along with each response.

    Parameters
    ----------
    classes : list or None
        The classes whose mean responses are taken; None: all.
    estimator : str, float or callable
        As of `Covariances`.
    **kwds : dict
        As of `Covariances`.
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
    >>> from spdml.estimation import ERPCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> ERPCovariances(svd=2).fit_transform(signals, [0, 1] * 5).shape
    (10, 8, 8)
    """

    _needs_y = True
    _takes = "signals"
    P_: np.ndarray

    def __init__(self, classes: Any = None, estimator: Estimator = "scm",
                 svd: Optional[int] = None, **kwds: Any) -> None:
        self.classes = classes
        self.estimator = estimator
        self.svd = svd
        self.kwds = kwds

    def fit(self, X: Any, y: Any) -> "ERPCovariances":
        """The mean responses of the classes."""
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
        channels, times).

        Returns
        -------
        array, shape (samples, responses + channels, the same)
        """
        return self._beside(self._check_channels(X))

    def _beside(self, X: np.ndarray) -> np.ndarray:
        """The covariances of X below P_, of which the upper left block is the same for all."""
        if X.shape[-1] != self.P_.shape[-1]:
            raise InvalidArgumentError(
                f"X has {X.shape[-1]} times; the responses have {self.P_.shape[-1]}")
        P = np.broadcast_to(self.P_, (len(X), *self.P_.shape))
        stacked = np.concatenate((P, X), axis=1)
        return _regularised(stacked, self.estimator, self.kwds)

    def _check_channels(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "P_")
        X = signals(X)
        if X.shape[1] != self.n_features_in_:
            raise InvalidArgumentError(
                f"X has {X.shape[1]} channels; {self.n_features_in_} are expected")
        return np.asarray(X)
