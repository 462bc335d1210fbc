"""From signals to SPD matrices: covariances here, those of evoked responses in `responses`, spectra and
coherences in `spectra`; all by the names of pyRiemann's module."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._core.labels import chosen_classes
from ._core.matrices import semidefinite
from ._core.sets import adjoint
from ._core.tags import MatrixTransformer, OpenOptions
from .exceptions import InvalidArgumentError
from .geometry.covariance import each_length, estimated, Estimator, loaded, signals, towards_identity
from .spatialfilters import Xdawn

__all__ = ["BlockCovariances", "CoSpectra", "Coherences", "Covariances", "CrossSpectra", "ERPCovariances",
           "Shrinkage", "TimeDelayCovariances", "XdawnCovariances"]


class _OfSignals(MatrixTransformer):
    """Estimators that learn nothing from what they are fitted to."""

    _stateless = True

    def fit(self, X: Any, y: Any = None) -> Any:
        """Checks X, and learns nothing: `transform` may be called without it.

        Parameters
        ----------
        X : array, (samples, channels, times)
        y : ignored
        """
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
    >>> from spdml.estimation import BlockCovariances
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
            C[:, part, part] = _regularised(X[:, part], self.estimator, self.kwds)
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


# ---- responses ----------------------------------------------------------------------------------


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
        return _regularised(stacked, self.estimator, self.kwds)

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
    >>> from spdml.estimation import ERPCovariances
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
    >>> from spdml.estimation import XdawnCovariances
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


# ---- spectra ------------------------------------------------------------------------------------


def _power_of_two(least: int) -> int:
    return 1 << max(0, int(least) - 1).bit_length()


def _chosen_frequencies(window: int, fmin: Optional[float], fmax: Optional[float],
                        fs: Optional[float]) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """Which bins of the half spectrum are wanted, and their frequencies (None without fs)."""
    bins = window // 2 + 1
    if fs is None:
        for name, value in (("fmin", fmin), ("fmax", fmax)):
            if value is not None:
                warnings.warn(f"{name} is not used, since fs is None", UserWarning, stacklevel=4)
        return np.ones(bins, dtype=bool), None
    low, high = 0.0 if fmin is None else fmin, fs / 2 if fmax is None else fmax
    if high <= low:
        raise InvalidArgumentError(f"fmax is {high} and fmin {low}; fmax must be larger")
    if 2 * high > fs:
        raise InvalidArgumentError(f"fmax is {high}; it must be at most fs/2, {fs / 2}")
    freqs = np.arange(bins) * (fs / window)
    wanted = (freqs >= low) & (freqs <= high)
    return wanted, freqs[wanted]


class CrossSpectra(_OfSignals):
    """Complex Hermitian matrices of cross-spectra, one for each frequency: averages over overlapping
    windows (Welch), with a Hann window; their sum over all frequencies is about the covariance.

    Parameters
    ----------
    window : int
        Times in a window; the next power of two is taken.
    overlap : float
        The share of a window that it has in common with the next, between 0 and 1.
    fmin, fmax : float or None
        The range of frequencies, with fs.
    fs : float or None
        Samples per second; None: all frequencies, without names.

    Attributes
    ----------
    freqs_ : (frequencies,) or None
        The frequencies; None without fs.

    Notes
    -----
    A range of frequencies gives what the whole spectrum has there. pyRiemann (0.12) halves the
    first and the last matrix of a range.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.estimation import CrossSpectra
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 256))
    >>> spectra = CrossSpectra(window=64, fs=128, fmin=8, fmax=12)
    >>> spectra.fit_transform(signals).shape, spectra.freqs_
    ((10, 4, 4, 3), array([ 8., 10., 12.]))
    """

    def __init__(self, window: int = 128, overlap: float = 0.75, fmin: Optional[float] = None,
                 fmax: Optional[float] = None, fs: Optional[float] = None) -> None:
        self.window = window
        self.overlap = overlap
        self.fmin = fmin
        self.fmax = fmax
        self.fs = fs

    @property
    def freqs_(self) -> Optional[np.ndarray]:
        """The frequencies; None without fs."""
        if self.fs is None:
            return None
        return _chosen_frequencies(_power_of_two(self.window), self.fmin, self.fmax, self.fs)[1]

    def transform(self, X: Any) -> np.ndarray:
        """Cross-spectra.

        Parameters
        ----------
        X : array, (samples, channels, times)

        Returns
        -------
        complex array, (samples, channels, channels, frequencies)
        """
        return self._spectra(X)

    def _spectra(self, X: Any) -> np.ndarray:
        return each_length(X, self._spectra_of)

    def _spectra_of(self, X: np.ndarray) -> np.ndarray:
        if X.dtype.kind == "c":
            raise InvalidArgumentError("X is complex; spectra are of real signals")
        window, step = self._window(X.shape[-1])
        wanted, _ = _chosen_frequencies(window, self.fmin, self.fmax, self.fs)
        taper = np.hanning(window)
        views = np.lib.stride_tricks.sliding_window_view(X, window, axis=-1)[:, :, ::step]
        F = np.fft.rfft(views * taper, axis=-1)[..., wanted]  # samples, channels, windows, bins
        F = np.ascontiguousarray(F.transpose(0, 3, 1, 2))
        S = np.conj(F) @ F.transpose(0, 1, 3, 2) / (F.shape[-1] * (taper @ taper))
        S = (S + adjoint(S)) / 2  # BLAS may round the two halves differently
        twice = np.full(window // 2 + 1, 2.0)  # for the half that is left out; not at the ends
        twice[0] = 1.0
        if window % 2 == 0:
            twice[-1] = 1.0
        return np.moveaxis(S * twice[wanted][:, None, None], 1, -1)

    def _window(self, times: int) -> Tuple[int, int]:
        """Its length, and the step from one to the next."""
        if not isinstance(self.window, (int, np.integer)) or self.window < 1:
            raise InvalidArgumentError(f"window is {self.window!r}; it must be a positive integer")
        if not 0 < self.overlap < 1:
            raise InvalidArgumentError(f"overlap is {self.overlap}; it must be between 0 and 1")
        window = _power_of_two(int(self.window))
        if window > times:
            raise InvalidArgumentError(
                f"window is {window} times, and the signals have {times}; choose a smaller one")
        return window, max(1, int((1.0 - self.overlap) * window))


class CoSpectra(CrossSpectra):
    """The real parts of `CrossSpectra`: real symmetric matrices, one for each frequency.

    Parameters
    ----------
    window, overlap, fmin, fmax, fs : as for `CrossSpectra`

    Attributes
    ----------
    freqs_ : (frequencies,) or None
        The frequencies; None without fs.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.estimation import CoSpectra
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 256))
    >>> CoSpectra(window=64).fit_transform(signals).shape
    (10, 4, 4, 33)
    """

    def transform(self, X: Any) -> np.ndarray:
        """Co-spectra (samples, channels, channels, frequencies) of signals (samples, channels,
        times)."""
        return self._spectra(X).real


_COHERENCES = ("ordinary", "instantaneous", "lagged", "imaginary")


class Coherences(CrossSpectra):
    """Squared coherences between channels, one matrix for each frequency.

    Parameters
    ----------
    window, overlap, fmin, fmax, fs : as for `CrossSpectra`
    coh : 'ordinary', 'instantaneous', 'lagged' or 'imaginary'
        With S the cross-spectra: |S_ij|^2, Re(S_ij)^2 or Im(S_ij)^2 over S_ii S_jj; 'lagged' is
        Im(S_ij)^2 over S_ii S_jj - Re(S_ij)^2, and 0 where S is real, at the ends of the spectrum.

    Attributes
    ----------
    freqs_ : (frequencies,) or None
        The frequencies; None without fs.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.estimation import Coherences
    >>> signals = np.random.default_rng(0).standard_normal((10, 4, 256))
    >>> C = Coherences(window=64).fit_transform(signals)
    >>> C.shape, bool((np.diagonal(C, axis1=1, axis2=2).round(9) == 1).all())
    ((10, 4, 4, 33), True)
    """

    def __init__(self, window: int = 128, overlap: float = 0.75, fmin: Optional[float] = None,
                 fmax: Optional[float] = None, fs: Optional[float] = None,
                 coh: str = "ordinary") -> None:
        self.coh = coh
        super().__init__(window, overlap, fmin, fmax, fs)

    def transform(self, X: Any) -> np.ndarray:
        """Squared coherences (samples, channels, channels, frequencies) of signals (samples,
        channels, times)."""
        if self.coh not in _COHERENCES:
            raise InvalidArgumentError(
                f"coh {self.coh!r} is unknown; use one of {', '.join(_COHERENCES)}")
        S = self._spectra(X)
        power = np.diagonal(S, axis1=1, axis2=2).real.transpose(0, 2, 1)
        product = power[:, :, None] * power[:, None, :]
        if self.coh == "lagged":
            return self._lagged(S, product)
        above = {"ordinary": np.abs(S) ** 2, "instantaneous": S.real**2, "imaginary": S.imag**2}
        return np.asarray(above[self.coh] / product)

    def _lagged(self, S: np.ndarray, product: np.ndarray) -> np.ndarray:
        n, bins, freqs = S.shape[1], S.shape[-1], self.freqs_
        if freqs is None or self.fs is None:
            inner = (np.arange(bins) > 0) & (np.arange(bins) < bins - 1)
        else:
            inner = (freqs > 0) & (freqs < self.fs / 2)
        if not inner.all():
            warnings.warn("lagged coherence is not defined at the ends of the spectrum: it is set "
                          "to zero there", UserWarning, stacklevel=3)
        off = ~np.eye(n, dtype=bool)[:, :, None]
        below = product - np.where(off, S.real, 0.0) ** 2
        below = np.where(np.abs(below) < 1e-10, 1e-10, below)
        return np.where(inner, S.imag**2 / below, 0.0)
