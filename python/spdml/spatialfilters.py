"""Spatial filters: of classes (CSP) and of a target (SPoC). Of complex matrices they diagonalise the means,
which takes conjugate transposes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import eigh, LinAlgError
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ._core.class_means import class_means
from ._core.labels import class_numbers, column
from ._core.matrices import checked, semidefinite
from ._core.sets import adjoint
from ._core.tags import Transformer
from .exceptions import InvalidArgumentError, NotPositiveDefiniteError
from .geometry.mean import mean

__all__ = ["CSP", "SPoC"]


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


def filter_count(nfilter: Any) -> int:
    """nfilter, a positive integer."""
    if not isinstance(nfilter, (int, np.integer)) or isinstance(nfilter, bool) or nfilter < 1:
        raise TypeError(f"nfilter is {nfilter!r}; it must be a positive integer")
    return int(nfilter)


def log_diagonal(X: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """(samples, filters): ln of the diagonals of F X F^H."""
    return np.asarray(np.log(np.einsum("fi,pij,fj->pf", filters, X, filters.conj(),
                                       optimize=True).real))


class _Filters(Transformer):
    """Filters F: matrices F X F', or the logarithms of their diagonals."""

    filters_: np.ndarray
    log: bool

    def _keep(self, filters: np.ndarray) -> None:
        if not isinstance(self.log, (bool, np.bool_)):
            raise TypeError(f"log is {self.log!r}; it must be True or False")
        self.filters_ = filters
        self.n_features_in_ = filters.shape[1]

    def transform(self, X: Any) -> np.ndarray:
        """The filtered matrices (samples, filters, filters), or with log the logarithms of their
        diagonals (samples, filters).

        {from_samples}
        array, shape (samples, filters, filters)
        """
        check_is_fitted(self, "filters_")
        X = semidefinite(X, self.n_features_in_)
        if self.log:
            return log_diagonal(X, self.filters_)
        return np.asarray(self.filters_ @ X @ adjoint(self.filters_))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """One for each filter."""
        check_is_fitted(self, "filters_")
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(len(self.filters_))], dtype=object)


class CSP(_Filters):
    """Common spatial patterns: filters whose variances set the classes apart. For two classes they
    are generalised eigenvectors of the means; for more, the means are diagonalised together as well
    as it goes, and the filters are sorted by what they tell of the class (Grosse-Wentrup and Buss
    2008).

    Parameters
    ----------
    nfilter : int
        Filters to keep.
    metric : str
        Of the class means.
    log : bool
        The logarithms of the variances, (samples, filters), instead of the filtered matrices.
    ajd_method : 'ajd_pham'
        How the means of more than two classes are diagonalised: by Pham's criterion. pyRiemann's
        'rjd' and 'uwedge' are not there.

    Attributes
    ----------
    filters_, patterns_ : (filters, n)
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import Covariances
    >>> from spdml.spatialfilters import CSP
    >>> signals = np.random.default_rng(0).standard_normal((20, 6, 100))
    >>> X = Covariances().transform(signals)
    >>> CSP(nfilter=2).fit_transform(X, [0, 1] * 10).shape
    (20, 2)
    """

    _needs_y = True

    def __init__(self, nfilter: int = 4, metric: str = "euclid", log: bool = True,
                 ajd_method: str = "ajd_pham") -> None:
        self.nfilter = nfilter
        self.metric = metric
        self.log = log
        self.ajd_method = ajd_method

    def fit(self, X: Any, y: Any = None) -> "CSP":
        """The filters.

        Parameters
        ----------
        {samples}
        {labels}

        {self}
        """
        count = filter_count(self.nfilter)
        if isinstance(X, str) or isinstance(y, str):
            raise TypeError("X and y must be arrays")
        X = checked(X, [self.metric])
        classes, label = class_numbers(y, len(X))
        if len(classes) < 2:
            raise InvalidArgumentError(f"y has {len(classes)} class; CSP needs two or more")
        C = class_means(X, label, len(classes), self.metric, None, None)
        if len(classes) == 2:
            values, V = general_eigenvectors(C[1], C[0] + C[1], "the sum of the class means")
            V = V[:, np.argsort(-np.abs(values - 0.5), kind="stable")]
        else:
            V = self._several(C, np.bincount(label) / len(label))
        self.patterns_ = np.linalg.pinv(adjoint(V))[:, :count].T
        self._keep(adjoint(V[:, :count]))
        return self

    def _several(self, C: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Filters of more than two classes, the most telling first."""
        if self.ajd_method != "ajd_pham":
            raise InvalidArgumentError(
                f"ajd_method {self.ajd_method!r} is unknown; use ajd_pham")
        if np.iscomplexobj(C):
            raise InvalidArgumentError(
                "X is complex, and y has more than two classes; CSP takes one or the other")
        V = jointly_diagonal(C).T
        total = mean(C, self.metric)
        V = V / np.sqrt(np.einsum("if,ij,jf->f", V.conj(), total, V).real)
        variance = np.einsum("if,kij,jf->kf", V.conj(), C, V).real
        telling = -(share @ np.log(np.sqrt(variance)) +
                    3.0 / 16 * (share @ (variance**2 - 1)) ** 2)
        return np.asarray(V[:, np.argsort(-telling, kind="stable")])


def jointly_diagonal(C: np.ndarray, tol: float = 1e-6, most: int = 100) -> np.ndarray:
    """B (n, n) such that all B C_k B' are nearly diagonal (Pham 2001): pairs of rows in turn are
    replaced by combinations that lower the sum of ln det diag - ln det. It ends where pyRiemann does,
    so that filters are the same; `_joint` goes on to the end."""
    C = C.copy()
    n = C.shape[-1]
    B = np.eye(n)
    for _ in range(most):
        gain = 0.0
        for i in range(1, n):
            for j in range(i):
                a, b, c = C[:, i, i], C[:, j, j], C[:, i, j]
                g = np.array([np.mean(c / a), np.mean(c / b)])
                wide = np.array([[np.mean(b / a), 1.0], [1.0, np.mean(a / b)]])
                wide[0, 0] += 1e-9 * (wide[0, 0] * wide[1, 1] - 1 < 1e-9)
                h = np.linalg.solve(wide, g)
                gain += len(C) * float(g @ h)
                step = 2.0 / (1.0 + np.sqrt(max(0.0, 1.0 - 4.0 * h[0] * h[1])))
                T = np.array([[1.0, -step * h[0]], [-step * h[1], 1.0]])
                C[:, [i, j], :] = T @ C[:, [i, j], :]
                C[:, :, [i, j]] = C[:, :, [i, j]] @ T.T
                B[[i, j]] = T @ B[[i, j]]
        if gain < n * (n - 1) * tol:
            return B
    warnings.warn("the class means could not be made diagonal together as well as asked for",
                  ConvergenceWarning, stacklevel=4)
    return B


class SPoC(CSP):
    """Source power comodulation (Dahne et al. 2014): filters whose variances go along with a target.

    Parameters
    ----------
    nfilter : int
        Filters to keep.
    metric : str
        Of the mean; matrices weighted by the target are averaged plainly.
    log : bool
        The logarithms of the variances, (samples, filters), instead of the filtered matrices.
    ajd_method : str
        Not used, as in pyRiemann.

    Attributes
    ----------
    filters_, patterns_ : (filters, n)
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.spatialfilters import SPoC
    >>> power = np.linspace(1, 5, 20)
    >>> X = np.array([np.diag([2.0, p, 2.0]) for p in power])
    >>> SPoC(nfilter=1).fit(X, power).filters_.round(1).tolist()[0][1] != 0
    True
    """

    def __init__(self, nfilter: int = 4, metric: str = "euclid", log: bool = True,
                 ajd_method: str = "ajd_pham") -> None:
        super().__init__(nfilter, metric, log, ajd_method)

    def fit(self, X: Any, y: Any = None) -> "SPoC":
        """The filters.

        Parameters
        ----------
        {samples}
        {targets}

        {self}
        """
        count = filter_count(self.nfilter)
        X = checked(X, [self.metric])
        target = column(y, len(X)).astype(float)
        spread = target.std()
        if not spread > 0:
            raise InvalidArgumentError(
                f"y is constant over n_samples = {len(X)}; SPoC needs a target that varies")
        target = (target - target.mean()) / spread
        weighted = np.tensordot(target, X, 1) / len(X)
        values, V = general_eigenvectors(weighted, mean(X, self.metric), "the mean")
        V = V[:, np.argsort(-np.abs(values), kind="stable")]
        self.patterns_ = np.linalg.pinv(adjoint(V))[:, :count].T
        self._keep(adjoint(V[:, :count]))
        return self
