"""Tangent spaces as transformers: matrices as vectors, and filtered there."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ._core.arrays import numbers, whole
from ._core.hermitian import complex_vectors, real_vectors
from ._core.labels import class_numbers, weights
from ._core.matrices import checked, checked_size, metrics_of
from ._core.sets import filtered, hermitian
from ._core.tags import MatrixTransformer, Transformer
from .exceptions import InvalidArgumentError
from .geometry.base import apply
from .geometry.mean import mean
from .geometry.tangentspace import tangent_space, untangent_space, unupper, upper

__all__ = ["FGDA", "PGA", "TangentSpace"]


class TangentSpace(Transformer):
    """Matrices as vectors of the tangent space at their mean, where methods for vectors apply. Before a
    fit, the space is that at the identity, where `Whitening` and `TLCenter` put their matrices.

    Parameters
    ----------
    metric : str or dict
        Of the mean and of the map: 'airm' ('riemann'), 'log-euclidean', 'log-cholesky',
        'bures-wasserstein', 'euclidean'; or {'mean': ..., 'map': ...}.
    tsupdate : bool
        `transform` uses the mean of what it is given, instead of the one that was fitted: for data
        that have moved as a whole.
    n_jobs : int or None
        Threads of the mean; None and -1: all cores.

    Attributes
    ----------
    reference_ : (n, n)
        The mean.
    n_features_in_ : int

    {references: mdm}

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from spdml import Covariances, TangentSpace
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 20)
    >>> signals = rng.standard_normal((40, 4, 100)) * np.where(y == 0, 1, 2)[:, None, None]
    >>> pipeline = make_pipeline(Covariances(), TangentSpace(), LogisticRegression())
    >>> pipeline.fit(signals, y).score(signals, y)
    1.0
    >>> TangentSpace().fit_transform(Covariances().transform(signals)).shape
    (40, 10)
    """

    _stateless = True  # as far as that a fit is not needed

    def __init__(self, metric: Any = "airm", tsupdate: bool = False, *,
                 n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.tsupdate = tsupdate
        self.n_jobs = n_jobs

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "TangentSpace":
        """The mean, where the space touches."""
        metrics = metrics_of(self.metric, ("mean", "map"))
        X = checked(X, metrics, n_jobs=self.n_jobs)
        self.reference_ = mean(X, metrics[0], weights(sample_weight, len(X)), n_jobs=self.n_jobs)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Tangent vectors.

        Returns
        -------
        array, (samples, n (n + 1)/2)
            The upper triangles row by row, with sqrt(2) for entries off the diagonal.
        """
        return self._vectors(checked_size(X, getattr(self, "n_features_in_", None)), self.tsupdate)

    def _vectors(self, X: np.ndarray, update: bool) -> np.ndarray:
        """Always an array, whatever `set_output` says."""
        metrics = metrics_of(self.metric, ("mean", "map"))
        at = mean(X, metrics[0], n_jobs=self.n_jobs) if update else self._at(X.shape[1])
        return np.asarray(tangent_space(X, at, metrics[1]))

    def _real_vectors(self, X: np.ndarray, update: bool) -> np.ndarray:
        """The same for methods that know real vectors alone; n^2 numbers for complex matrices."""
        if np.iscomplexobj(self.reference_) or not np.iscomplexobj(X):
            return real_vectors(self._vectors(X, update))
        raise InvalidArgumentError("X is complex, and real matrices were fitted")

    def _at(self, n: int) -> np.ndarray:
        """The reference; before a fit, the identity."""
        return getattr(self, "reference_", np.eye(n))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Back to matrices.

        Parameters
        ----------
        X : array, shape (samples, n (n + 1)/2)
            Tangent vectors.

        Returns
        -------
        array, (samples, n, n)
        """
        T = numbers(X, "X", complex_too=True)
        n = getattr(self, "n_features_in_", int((np.sqrt(1 + 8 * np.shape(T)[-1]) - 1) / 2))
        if T.ndim != 2 or T.shape[1] != n * (n + 1) // 2:
            raise InvalidArgumentError(
                f"X has shape {T.shape}; it must be (samples, {n * (n + 1) // 2})")
        metric = metrics_of(self.metric, ("mean", "map"))[1]
        return np.asarray(untangent_space(T, self._at(n), metric))

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """`fit`, and the tangent vectors of the same matrices at their mean.

        Returns
        -------
        array
        """
        return self.fit(X, y, sample_weight).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The row and column that each feature stands for."""
        if not hasattr(self, "reference_"):
            raise NotFittedError("TangentSpace has no names of features before a fit")
        rows, columns = np.triu_indices(self.n_features_in_)
        names = [str(i) for i in range(self.n_features_in_)] if input_features is None or \
            len(input_features) != self.n_features_in_ else [str(name) for name in input_features]
        return np.array([f"tangentspace_{names[i]}_{names[j]}" for i, j in zip(rows, columns)],
                        dtype=object)


class FGDA(MatrixTransformer):
    """Fisher geodesic discriminant analysis (Barachant et al. 2010): in the tangent space, only what
    a linear discriminant analysis looks at is kept, and the rest is set to that of the mean.

    Parameters
    ----------
    metric : str or dict
        As of `TangentSpace`.
    tsupdate : bool
        As of `TangentSpace`.
    n_jobs : int or None
        Threads of the mean; None and -1: all cores.

    Attributes
    ----------
    classes_ : (classes,)
    n_features_in_ : int

    {references: fgda}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances
    >>> from spdml.tangentspace import FGDA
    >>> signals = np.random.default_rng(0).standard_normal((20, 3, 50))
    >>> X = Covariances().transform(signals)
    >>> FGDA().fit_transform(X, [0, 1] * 10).shape
    (20, 3, 3)
    """

    _needs_y = True

    def __init__(self, metric: Any = "airm", tsupdate: bool = False, *,
                 n_jobs: Optional[int] = None) -> None:
        self.metric = metric
        self.tsupdate = tsupdate
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "FGDA":
        """The mean and the discriminant.

        Parameters
        ----------
        {samples}
        {labels}
        sample_weight : (samples,) or None
            Of the mean.
        """
        space = TangentSpace(self.metric, self.tsupdate, n_jobs=self.n_jobs)
        X = checked(X, metrics_of(self.metric, ("mean", "map")), n_jobs=self.n_jobs)
        self.classes_, label = class_numbers(y, len(X))
        if len(self.classes_) < 2:
            raise InvalidArgumentError(
                f"y has {len(self.classes_)} class; a discriminant needs two or more")
        T = space.fit(X, sample_weight=sample_weight)._real_vectors(X, False)
        lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto",
                                         n_components=len(self.classes_) - 1)
        W = np.asarray(lda.fit(T, label).coef_)
        self._parts = (space, W.T @ np.linalg.pinv(W @ W.T) @ W)  # at once, for threads
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The filtered matrices (samples, n, n).

        Returns
        -------
        array, shape (samples, n, n)
        """
        check_is_fitted(self, "_parts")
        space, kept = self._parts
        X = checked_size(X, len(space.reference_))
        T = space._real_vectors(X, space.tsupdate) @ kept
        if np.iscomplexobj(space.reference_):
            T = complex_vectors(T, X.shape[1])
        return space.inverse_transform(T)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """`fit`, and `transform` of the same matrices.

        Returns
        -------
        array
        """
        return self.fit(X, y, sample_weight).transform(X)


class PGA(Transformer):
    """Principal geodesic analysis in its tangent form (Fletcher 2004): principal components of
    log(M^-1/2 X M^-1/2) at the Karcher mean M.

    Parameters
    ----------
    n_components : int or None
        How many; None: all.
    n_jobs : int, optional
        Threads; None and -1: all cores.

    Attributes
    ----------
    mean_ : (n, n); components_ : (k, n(n+1)/2), in tangent vectors whose off-diagonal entries are
    multiplied by sqrt 2, for complex matrices (k, n^2), with the imaginary parts off the diagonal at the
    end; explained_variance_ratio_ : (k,); n_features_in_

    {references: pga}

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
        """The mean and the components."""
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
        """Coordinates (p, k).

        Returns
        -------
        array, shape (p, k)
        """
        check_is_fitted(self, "components_")
        return np.asarray(self._tangent(checked_size(X, self.n_features_in_)) @ self.components_.T)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """The SPD matrices (p, n, n) at these coordinates.

        Parameters
        ----------
        Z : array, shape (samples, k)
            Coordinates.

        Returns
        -------
        array, shape (p, n, n)
        """
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
