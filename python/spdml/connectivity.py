"""Functional connectivity of many subjects in the tangent space at their mean, as nilearn's
``ConnectivityMeasure(kind="tangent")``."""

from __future__ import annotations

import ctypes as c
import importlib
from typing import Any, List, Optional

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ._core.arrays import doubles
from ._core.calls import call, context
from ._core.library import structs
from ._core.sets import apply, called, hermitian, host, whitened
from ._core.tags import MatrixTransformer
from .exceptions import InvalidArgumentError
from .geometry.covariance import covariances

__all__ = ["ConnectivityMeasure"]


def _times_by_channels(X: Any) -> List[np.ndarray]:
    if not hasattr(X, "__iter__"):
        raise InvalidArgumentError(f"X is {type(X).__name__}; it must be a list of arrays (times, regions)")
    series = [np.asarray(x, dtype=float) for x in ([X] if isinstance(X, np.ndarray) and X.ndim == 2 else X)]
    for i, x in enumerate(series):
        if x.ndim != 2 or x.shape[1] != series[0].shape[1]:
            raise InvalidArgumentError(f"X[{i}] has shape {x.shape}; it must be (times, regions), with as many "
                                       f"regions as X[0]")
    if not series:
        raise InvalidArgumentError("X is empty")
    return series


class ConnectivityMeasure(MatrixTransformer):
    """Covariances of the time series of many subjects, as matrices or vectors of the tangent space at
    their geometric mean: nilearn's class of that name, of the kind 'tangent'.

    The mean is found to all digits, as `n_iter_` and `gradient_norm_` tell.

    Parameters
    ----------
    cov_estimator : estimator or None
        Of scikit-learn, with `fit` and `covariance_`. None: `LedoitWolf`, computed here.
    kind : {'tangent'}
        nilearn has the others, which need no geometry.
    vectorize : bool
        `transform` gives lower triangles, the diagonal divided by the root of two.
    discard_diagonal : bool
        Vectors have no diagonal.
    standardize : bool
        As in nilearn; not used for this kind.
    verbose : int
        As in nilearn; not used.
    tol : float
        Of the mean: the size of the last step. 0 means 1e-12; nilearn's test is passed at about 1e-4.
    n_jobs : int or None
        Threads; None and -1: all cores.

    Attributes
    ----------
    mean_ : array, shape (regions, regions)
        The geometric mean of the covariances.
    whitening_ : array, shape (regions, regions)
        Its inverse square root.
    cov_estimator_ : estimator or None
        The estimator that was used.
    n_features_in_ : int
        Regions.
    n_iter_ : int
        Steps towards the mean.
    gradient_norm_ : float
        Of the mean logarithm of whitened covariances, which is zero at the mean; nilearn asks that it is
        below 1e-7 times the square of the number of regions.

    References
    ----------
    Varoquaux, Baronnet, Kleinschmidt, Fillard, Thirion: Detection of brain functional-connectivity
    difference in post-stroke patients using group-level covariance modeling. MICCAI 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.connectivity import ConnectivityMeasure
    >>> rng = np.random.default_rng(0)
    >>> series = [rng.standard_normal((100, 6)) for _ in range(5)]
    >>> measure = ConnectivityMeasure(kind="tangent", vectorize=True)
    >>> measure.fit_transform(series).shape
    (5, 21)
    >>> bool(measure.gradient_norm_ < 1e-12)
    True
    """

    def __init__(self, cov_estimator: Any = None, kind: str = "tangent", vectorize: bool = False,
                 discard_diagonal: bool = False, standardize: bool = True, verbose: int = 0,
                 tol: float = 0.0, n_jobs: Optional[int] = None) -> None:
        self.cov_estimator = cov_estimator
        self.kind = kind
        self.vectorize = vectorize
        self.discard_diagonal = discard_diagonal
        self.standardize = standardize
        self.verbose = verbose
        self.tol = tol
        self.n_jobs = n_jobs

    def _covariances(self, X: Any) -> np.ndarray:
        series = _times_by_channels(X)
        known = getattr(self, "n_features_in_", series[0].shape[1])
        if series[0].shape[1] != known:
            raise InvalidArgumentError(f"X has {series[0].shape[1]} regions; the fit had {known}")
        if self.cov_estimator_ is not None:
            return np.stack([self.cov_estimator_.fit(x).covariance_ for x in series])
        if len({x.shape for x in series}) == 1:
            return covariances(np.stack([x.T for x in series]), "lwf")
        return np.concatenate([covariances(x.T[None], "lwf") for x in series])

    def _begin(self, X: Any) -> np.ndarray:
        """Fits; the covariances."""
        if self.kind != "tangent":
            raise InvalidArgumentError(f"kind is {self.kind!r}; it must be 'tangent': use "
                                       f"nilearn.connectome.ConnectivityMeasure for the others")
        for name in ("n_features_in_", "cov_estimator_"):
            if hasattr(self, name):
                delattr(self, name)
        self.cov_estimator_: Any = None if self.cov_estimator is None else clone(self.cov_estimator)
        C = self._covariances(X)
        self.n_features_in_ = C.shape[1]
        info, M = structs.mean_info(), np.empty(C.shape[1:])
        with called(("X", "the covariance of X", (len(C),))):
            call(context(self.n_jobs), "spd_mean", 0, host(C), structs.mean_options(tol=self.tol), doubles(M), info)
        self.mean_, self.whitening_ = M, apply(M, "invsqrt", n_jobs=self.n_jobs)
        self.n_iter_ = int(info.iterations)
        return C

    def fit(self, X: Any, y: Any = None) -> "ConnectivityMeasure":
        """Finds the mean.

        Parameters
        ----------
        X : list of arrays, shape (times, regions)
            The time series of each subject.
        y : None
            Not used.

        Returns
        -------
        self
        """
        self._end(self._begin(X))
        return self

    def _end(self, C: np.ndarray) -> np.ndarray:
        """The tangent vectors of the covariances that the mean is of."""
        T = self._tangent(C)
        self.gradient_norm_ = float(np.linalg.norm(T.mean(axis=0)))
        return T

    def _tangent(self, C: np.ndarray) -> np.ndarray:
        return apply(whitened(C, self.whitening_), "log", n_jobs=self.n_jobs)

    def _shaped(self, T: np.ndarray, confounds: Any) -> np.ndarray:
        if not self.vectorize:
            if confounds is not None:
                raise InvalidArgumentError("confounds are cleaned from vectors; use vectorize=True")
            return T
        rows, columns = np.tril_indices(T.shape[1], -1 if self.discard_diagonal else 0)
        vectors: np.ndarray = T[:, rows, columns]
        if not self.discard_diagonal:
            vectors[:, rows == columns] /= np.sqrt(2.0)
        if confounds is None:
            return vectors
        return np.asarray(importlib.import_module("nilearn.signal").clean(vectors, confounds=confounds))

    def fit_transform(self, X: Any, y: Any = None, confounds: Any = None) -> np.ndarray:
        """Finds the mean, and transforms what it is of.

        Parameters
        ----------
        X : list of arrays, shape (times, regions)
            The time series of each subject.
        y : None
            Not used.
        confounds : array, shape (subjects,) or (subjects, confounds), or None
            Cleaned from the vectors by nilearn.

        Returns
        -------
        array, shape (subjects, regions, regions), or vectors
        """
        if len(X) <= 1:
            raise InvalidArgumentError("the tangent space shows how subjects differ from their mean; give at least "
                                       "two")
        return self._shaped(self._end(self._begin(X)), confounds)

    def transform(self, X: Any, confounds: Any = None) -> np.ndarray:
        """Tangent vectors at the mean that was fitted.

        Parameters
        ----------
        X : list of arrays, shape (times, regions)
            The time series of each subject.
        confounds : array, shape (subjects,) or (subjects, confounds), or None
            Cleaned from the vectors by nilearn.

        Returns
        -------
        array, shape (subjects, regions, regions), or vectors
        """
        check_is_fitted(self, "mean_")
        return self._shaped(self._tangent(self._covariances(X)), confounds)

    def inverse_transform(self, connectivities: Any, diagonal: Any = None) -> np.ndarray:
        """Covariances of tangent vectors.

        Parameters
        ----------
        connectivities : array, shape (subjects, regions, regions), or vectors
            As `transform` gives them.
        diagonal : array, shape (subjects, regions), or None
            Divided by the root of two as in vectors; needed where they have none.

        Returns
        -------
        array, shape (subjects, regions, regions)
        """
        check_is_fitted(self, "mean_")
        T = np.asarray(connectivities, dtype=float)
        if self.vectorize:
            if self.discard_diagonal and diagonal is None:
                raise InvalidArgumentError("the vectors have no diagonal; give it as diagonal=")
            T = self._unshaped(T, diagonal)
        return hermitian(whitened(apply(T, "exp", n_jobs=self.n_jobs, name="connectivities"),
                                  apply(self.mean_, "sqrt")))

    def _unshaped(self, vectors: np.ndarray, diagonal: Any) -> np.ndarray:
        n = len(self.mean_)
        rows, columns = np.tril_indices(n, 0 if diagonal is None else -1)
        if vectors.ndim != 2 or vectors.shape[1] != len(rows):
            raise InvalidArgumentError(f"connectivities has shape {vectors.shape}; it must be (subjects, {len(rows)})")
        T = np.zeros((len(vectors), n, n))
        T[:, rows, columns] = T[:, columns, rows] = vectors
        at = np.arange(n)
        T[:, at, at] = np.sqrt(2.0) * (T[:, at, at] if diagonal is None else np.asarray(diagonal, dtype=float))
        return T
