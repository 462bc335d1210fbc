"""From signals to SPD matrices: covariances here, those of evoked responses in `responses`, spectra and
coherences in `spectra`; all by the names of pyRiemann's module."""

from __future__ import annotations

from typing import Any, List, Sequence

import numpy as np

from ._covariance import Estimator, each_length, signals, towards_identity
from ._errors import InvalidArgumentError
from ._matrices import semidefinite
from ._of_signals import OfSignals, regularised
from ._tags import MatrixTransformer, OpenOptions
from .responses import ERPCovariances, XdawnCovariances
from .spectra import CoSpectra, Coherences, CrossSpectra

__all__ = ["BlockCovariances", "Coherences", "CoSpectra", "Covariances", "CrossSpectra", "ERPCovariances",
           "Shrinkage", "TimeDelayCovariances", "XdawnCovariances"]


class Covariances(OpenOptions, OfSignals):
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
        return each_length(X, lambda part: regularised(part, self.estimator, self.kwds))


def _blocks(size: Any, channels: int) -> List[int]:
    """The sizes of the blocks."""
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool):
        if size < 1 or channels % size:
            raise InvalidArgumentError(
                f"block_size is {size}; it must divide the number of channels, {channels}")
        return [int(size)] * (channels // int(size))
    if not isinstance(size, (list, tuple, np.ndarray)):
        raise InvalidArgumentError(
            f"block_size is {size!r}; it must be an integer or a list of integers")
    sizes = [int(s) for s in size]
    if min(sizes, default=0) < 1 or sum(sizes) != channels:
        raise InvalidArgumentError(
            f"block_size is {list(size)}; positive sizes that sum to {channels} channels are needed")
    return sizes


class BlockCovariances(Covariances):
    """Covariance matrices whose blocks on the diagonal are those of groups of channels, and zero
    elsewhere: for channels of different kinds.

    Parameters
    ----------
    block_size : int or list of int
        Channels of every block, or of each.
    estimator, **kwds : as for `Covariances`

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import BlockCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 100))
    >>> X = BlockCovariances([3, 1]).fit_transform(signals)
    >>> X.shape, float(X[0, 0, 3])
    ((10, 4, 4), 0.0)
    """

    def __init__(self, block_size: Any = 1, estimator: Estimator = "scm", **kwds: Any) -> None:
        self.block_size = block_size
        super().__init__(estimator, **kwds)

    def transform(self, X: Any) -> np.ndarray:
        """Block diagonal covariance matrices (samples, channels, channels) of signals (samples,
        channels, times)."""
        X = signals(X)
        C = np.zeros((len(X), X.shape[1], X.shape[1]), dtype=X.dtype)
        first = 0
        for size in _blocks(self.block_size, X.shape[1]):
            part = slice(first, first + size)
            C[:, part, part] = regularised(X[:, part], self.estimator, self.kwds)
            first += size
        return C


class TimeDelayCovariances(Covariances):
    """Covariance matrices of signals beside copies of themselves that are delayed (rolled), which
    hold some of the spectrum.

    Parameters
    ----------
    delays : int or list of int
        An integer d stands for the delays 1 to d - 1.
    estimator, **kwds : as for `Covariances`

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import TimeDelayCovariances
    >>> signals = np.random.default_rng(0).standard_normal((10, 2, 100))
    >>> TimeDelayCovariances(delays=4).fit_transform(signals).shape
    (10, 8, 8)
    """

    def __init__(self, delays: Any = 4, estimator: Estimator = "scm", **kwds: Any) -> None:
        self.delays = delays
        super().__init__(estimator, **kwds)

    def transform(self, X: Any) -> np.ndarray:
        """Covariance matrices (samples, channels x delays, channels x delays) of signals (samples,
        channels, times)."""
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
        return regularised(np.concatenate(rolled, axis=1), self.estimator, self.kwds)


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
    >>> from spdml import Covariances, MDM, Shrinkage
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
        """Checks X, and learns nothing: `transform` may be called without it.

        Parameters
        ----------
        X : array, (samples, n, n)
        y : ignored
        """
        self.n_features_in_ = semidefinite(X).shape[1]
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def transform(self, X: Any) -> np.ndarray:
        """The shrunk matrices (samples, n, n)."""
        if not 0 <= self.shrinkage <= 1:
            raise InvalidArgumentError(
                f"shrinkage is {self.shrinkage}; it must be between 0 and 1")
        X = semidefinite(X)
        return towards_identity(X, np.full(len(X), float(self.shrinkage)))
