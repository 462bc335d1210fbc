"""Whitening: a set moved to the identity, and into fewer dimensions."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ._core import shortcuts
from ._core.labels import weights
from ._core.matrices import checked, checked_size, semidefinite
from ._core.sets import adjoint, filtered
from ._core.tags import MatrixTransformer
from .exceptions import InvalidArgumentError, NotPositiveDefiniteError
from .geometry.geodesic import geodesic
from .geometry.mean import mean

__all__ = ["Whitening"]


class Whitening(MatrixTransformer):
    """Moves a set so that its mean is the identity, and keeps the main dimensions if asked to.

    With ``dim_red`` and the Euclidean mean it takes matrices that have no full rank: dimensions in
    which none of them has anything are dropped, and the smaller matrices are positive definite. That
    is the remedy for an average reference or for removed components.

    Parameters
    ----------
    metric : str
        Of the mean.
    dim_red : dict or None
        One of {'n_components': k}, {'expl_var': share of the variance, up to 1}, {'max_cond': the
        largest condition number of the mean}; None keeps all dimensions.
    verbose : bool
        Prints the dimensions that are kept.
    {n_jobs}

    Attributes
    ----------
    n_components_ : int
    filters_ : (n, n_components_)
    inv_filters_ : (n_components_, n)
    n_features_in_ : int

    Examples
    --------
    Signals with an average reference have covariances without full rank:

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from spdml import Covariances, MDM
    >>> from spdml.preprocessing import Whitening
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> signals = rng.standard_normal((40, 6, 200)) * np.where(y == 0, 1, 2)[:, None, None]
    >>> signals -= signals.mean(axis=1, keepdims=True)
    >>> whitening = Whitening(dim_red={"max_cond": 1e8})
    >>> pipeline = make_pipeline(Covariances(), whitening, MDM()).fit(signals, y)
    >>> whitening.n_components_, pipeline.score(signals, y)
    (5, 1.0)
    """

    def __init__(self, metric: str = "euclid", dim_red: Any = None, verbose: bool = False, *,
                 n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.dim_red = dim_red
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Whitening":
        """The mean and the filters."""
        X = checked(X, [self.metric], n_jobs=self.n_jobs)
        self._settle(self._mean_of(X, sample_weight), float(len(X)))
        return self

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None,
                    alpha: Optional[float] = None) -> "Whitening":
        """More samples: the mean moves along the geodesic to theirs.

        Parameters
        ----------
        {samples}
        {ignored}
        {sample_weight}
        alpha : float, optional
            How far to move, from 0 to 1; by default the share of the new samples.
        """
        before = getattr(self, "_mean", None)
        X = checked(X, [self.metric], None if before is None else len(before), self.n_jobs)
        count = len(X) + (0.0 if before is None else self._count)
        share = len(X) / count if alpha is None else alpha
        if not 0 <= share <= 1:
            raise InvalidArgumentError(f"alpha is {alpha}; it must be between 0 and 1")
        new = self._mean_of(X, sample_weight)
        if before is not None:
            new = geodesic(before, new, share, self.metric) if share else before
        self._settle(new, count)
        return self

    def _mean_of(self, X: np.ndarray, sample_weight: Any) -> np.ndarray:
        return mean(X, self.metric, weights(sample_weight, len(X)), n_jobs=self.n_jobs)

    def _settle(self, M: np.ndarray, count: float) -> None:
        """The filters that whiten M."""
        values, vectors = np.linalg.eigh(M)
        values, vectors = values[::-1], vectors[:, ::-1]
        kept = self._kept(values)
        if not values[kept - 1] > (len(values) + 16) * np.finfo(float).eps * abs(values[0]):
            raise NotPositiveDefiniteError(
                f"the mean is not positive definite (smallest eigenvalue {values[kept - 1]:.2g}); "
                f"try dim_red={{'max_cond': 1e8}}", None, float(values[kept - 1]))
        root, vectors = np.sqrt(values[:kept]), vectors[:, :kept]
        if self.dim_red is None:
            self.filters_ = (vectors / root) @ adjoint(vectors)
            self.inv_filters_ = (vectors * root) @ adjoint(vectors)
        else:
            self.filters_ = np.ascontiguousarray(vectors / root)
            self.inv_filters_ = root[:, None] * adjoint(vectors)
        self.n_components_ = self._rows_out = kept
        self.n_features_in_ = len(M)
        self._mean, self._count = M, count
        if self.verbose:
            print(f"Whitening keeps {kept} of {len(M)} dimensions")

    def _kept(self, values: np.ndarray) -> int:
        """How many of these falling eigenvalues dim_red keeps."""
        if self.dim_red is None:
            return len(values)
        if not isinstance(self.dim_red, dict) or len(self.dim_red) != 1:
            raise InvalidArgumentError(
                f"dim_red is {self.dim_red!r}; it must be None or a dictionary of one of "
                f"n_components, expl_var, max_cond")
        (name, value), = self.dim_red.items()
        if name == "n_components":
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise InvalidArgumentError(
                    f"n_components is {value!r}; it must be a positive integer")
            return min(int(value), len(values))
        if name == "expl_var":
            if not 0 < value <= 1:
                raise InvalidArgumentError(f"expl_var is {value}; it must be above 0 and up to 1")
            shares = np.cumsum(values / values.sum())
            return min(int(np.searchsorted(shares, value, side="right")) + 1, len(values))
        if name == "max_cond":
            if not value > 1:
                raise InvalidArgumentError(f"max_cond is {value}; it must be above 1")
            return max(1, int(np.sum(values * value > values[0])))
        raise InvalidArgumentError(
            f"dim_red has the key {name!r}; use n_components, expl_var or max_cond")

    def transform(self, X: Any) -> np.ndarray:
        """The whitened matrices (samples, n_components_, n_components_).

        Returns
        -------
        array, shape (samples, n_components_, n_components_)
        """
        if not hasattr(self, "filters_"):
            check_is_fitted(self, "filters_")  # in words; looking for it takes as long as a small set
        made = shortcuts.congruence(X, self.filters_, self.n_jobs)
        return filtered(semidefinite(X, self.n_features_in_), self.filters_, self.n_jobs) if made is None else made

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Back to (samples, n, n): without dim_red what they were, with it their main part.

        Parameters
        ----------
        X : array
            As `transform` gives them.

        Returns
        -------
        array, shape (samples, n, n)
        """
        check_is_fitted(self, "filters_")
        X = checked_size(X, self.n_components_)
        return filtered(X, self.inv_filters_, self.n_jobs)
