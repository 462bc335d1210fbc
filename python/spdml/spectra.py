"""Spectra and coherences of signals: a matrix for each frequency."""

from __future__ import annotations

import warnings
from typing import Any, Optional, Tuple

import numpy as np

from ._covariance import each_length
from ._errors import InvalidArgumentError
from ._of_signals import OfSignals
from ._sets import adjoint


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


class CrossSpectra(OfSignals):
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
    >>> from spdml import CrossSpectra
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
    >>> from spdml import CoSpectra
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
    >>> from spdml import Coherences
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
