"""Principal geodesic analysis: coordinates at the mean."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._arrays import numbers, whole
from ._errors import InvalidArgumentError
from ._hermitian import complex_vectors, real_vectors
from ._matrices import checked_size
from ._sets import hermitian
from ._tags import Transformer
from .functions import apply, mean
from .maps import filtered
from .tangent import unupper, upper


class PGA(Transformer):
    """Principal geodesic analysis in its tangent form (Fletcher 2004): principal components of
    log(M^-1/2 X M^-1/2) at the Karcher mean M.

    Parameters
    ----------
    n_components : int or None for all
    n_jobs : threads; None and -1: all cores

    Attributes
    ----------
    mean_ : (n, n); components_ : (k, n(n+1)/2), in tangent vectors whose off-diagonal entries are
    multiplied by sqrt 2, for complex matrices (k, n^2), with the imaginary parts off the diagonal at the
    end; explained_variance_ratio_ : (k,); n_features_in_

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import PGA
    >>> A = np.random.default_rng(0).standard_normal((40, 3, 30))
    >>> X = A @ A.transpose(0, 2, 1)
    >>> pga = PGA(2).fit(X)
    >>> pga.transform(X).shape, pga.inverse_transform(pga.transform(X)).shape
    ((40, 2), (40, 3, 3))
    """

    def __init__(self, n_components: Optional[int] = 2, *, n_jobs: Optional[int] = None) -> None:
        self.n_components = n_components
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "PGA":
        """The mean and the components.

        Parameters
        ----------
        X : array, (samples, n, n)
            Real symmetric or complex Hermitian.
        y : ignored
        """
        X = checked_size(X, None)
        p, n = X.shape[:2]
        most = min(p, n * n if np.iscomplexobj(X) else n * (n + 1) // 2)
        k = most if self.n_components is None else whole(self.n_components, "n_components")
        if k > most:
            raise InvalidArgumentError(f"n_components is {k}; {p} samples of {n} x {n} allow {most}")
        self.mean_ = mean(X, "airm", n_jobs=self.n_jobs)
        self.n_features_in_ = n
        _, s, Vt = np.linalg.svd(self._tangent(X), full_matrices=False)
        largest = np.abs(Vt).argmax(axis=1)
        Vt *= np.sign(Vt[np.arange(len(Vt)), largest])[:, None]
        total = float(np.sum(s**2))
        self.components_ = Vt[:k]
        self.explained_variance_ratio_ = s[:k] ** 2 / total if total > 0 else np.zeros(k)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates (p, k)."""
        check_is_fitted(self, "components_")
        return np.asarray(self._tangent(checked_size(X, self.n_features_in_)) @ self.components_.T)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The SPD matrices (p, n, n) at these coordinates."""
        check_is_fitted(self, "components_")
        n = self.n_features_in_
        T = numbers(Z, "Z") @ self.components_
        T = unupper(complex_vectors(T, n) if np.iscomplexobj(self.mean_) else T)
        return filtered(apply(T, "exp"), apply(self.mean_, "sqrt"), self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One for each component."""
        check_is_fitted(self, "components_")
        return np.array([f"pga{i}" for i in range(len(self.components_))], dtype=object)

    def _tangent(self, X: np.ndarray) -> np.ndarray:
        if np.iscomplexobj(X) and not np.iscomplexobj(self.mean_):
            raise InvalidArgumentError("X is complex, and real matrices were fitted")
        white = filtered(X, apply(self.mean_, "invsqrt"), self.n_jobs)
        return real_vectors(upper(apply(hermitian(white), "log", n_jobs=self.n_jobs)))
