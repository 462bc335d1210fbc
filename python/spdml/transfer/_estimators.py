"""Transfer between domains (subjects, sessions): every domain moved, scaled and turned to fit another.

The domain of a sample travels with its label, as in pyRiemann: "subject1/left". What is fitted is fitted
to all domains; `fit_transform` treats every sample by its own domain, `transform` all as samples of the
target domain, which is what new data are."""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional, Tuple, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core.labels import column, weights
from .._core.sets import filtered
from .._core.tags import MatrixTransformer
from ..exceptions import InvalidArgumentError
from ..geometry.base import apply
from ..geometry.distance import pairwise_distance
from ..geometry.mean import mean
from ..preprocessing import Whitening
from ._rotate import rotation_of_matrices, rotation_of_vectors
from ._tools import decode_domains, samples_of


Own = TypeVar("Own", bound="_PerDomain")


class _PerDomain(MatrixTransformer):
    """What is done to every domain on its own."""

    _needs_y = True
    _takes = "samples_or_rows"
    target_domain: str

    def _parts(self, X: Any, y_enc: Any, sample_weight: Any) -> Iterator[Tuple[str, np.ndarray, Any]]:
        """Each domain, which samples it has, and their weights."""
        weight = weights(sample_weight, len(X))
        domains = decode_domains(X, column(y_enc, len(X)))[2]
        for domain in np.unique(domains):
            mask = domains == domain
            yield str(domain), mask, None if weight is None else weight[mask]

    def _target(self, known: Any) -> str:
        """The target domain; with 'last' or '' the last there is."""
        name = str(self.target_domain) if str(self.target_domain) not in ("", "last") else list(known)[-1]
        if name not in known:
            raise InvalidArgumentError(
                f"target_domain is {name!r}; the domains are {', '.join(known)}")
        return name

    def _moved(self, domain: str, X: np.ndarray) -> np.ndarray:
        """Samples of a domain, treated."""
        raise NotImplementedError

    def fit(self: Own, X: Any, y_enc: Any, sample_weight: Any = None) -> Own:
        raise NotImplementedError

    def fit_transform(self, X: Any, y_enc: Any = None, sample_weight: Any = None) -> np.ndarray:
        """`fit`, and every sample treated by its own domain.

        Returns
        -------
        array, shape (samples, n, n)
        """
        self.fit(X, y_enc, sample_weight)
        X = samples_of(X)
        made = np.empty_like(X)
        for domain, mask, _ in self._parts(X, y_enc, None):
            made[mask] = self._moved(domain, X[mask])
        return np.asarray(made)


class TLCenter(_PerDomain):
    """Recentring (Zanini et al. 2018): every domain is moved so that its mean is the identity, or, of
    vectors, zero.

    Parameters
    ----------
    target_domain : str
        What `transform` takes its matrices to be samples of. 'last', or '': the last of the domains;
        'transductive': of a domain of their own, whose mean is theirs.
    metric : str
        Of the means.

    Attributes
    ----------
    centers_ : dict
        A fitted `Whitening` for each domain; of vectors, their means.

    {references: centre}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import MDM, mean
    >>> from spdml.transfer import TLCenter, encode_domains
    >>> rng = np.random.default_rng(0)
    >>> y, domain = np.tile([0, 1], 20), np.repeat(["anna", "ben"], 20)
    >>> A = rng.standard_normal((40, 3, 50)) * np.where(domain == "anna", 1, 9)[:, None, None]
    >>> X = A @ A.transpose(0, 2, 1)
    >>> centre = TLCenter("ben")
    >>> centred = centre.fit_transform(*encode_domains(X, y, domain))
    >>> np.allclose(mean(centred[domain == "anna"]), np.eye(3))
    True
    >>> new = centre.transform(X[:2])          # taken for matrices of ben's
    """

    def __init__(self, target_domain: str = "", metric: str = "riemann") -> None:
        self.target_domain = target_domain
        self.metric = metric

    def fit(self, X: Any, y_enc: Any, sample_weight: Any = None) -> "TLCenter":
        """The mean of each domain."""
        X = samples_of(X)
        self.centers_: Dict[str, Any] = {
            domain: self._centre(X[mask], weight) for domain, mask, weight in self._parts(X, y_enc, sample_weight)}
        self.n_features_in_ = X.shape[1]
        return self

    def _centre(self, X: np.ndarray, weight: Optional[np.ndarray] = None) -> Any:
        """Of one domain: a fitted `Whitening`; of vectors, their mean."""
        if X.ndim == 3:
            return Whitening(self.metric).fit(X, sample_weight=weight)
        return np.average(X, axis=0, weights=weight)

    @staticmethod
    def _from(centre: Any, X: np.ndarray) -> np.ndarray:
        return np.asarray(centre.transform(X) if X.ndim == 3 else X - centre)

    def _moved(self, domain: str, X: np.ndarray) -> np.ndarray:
        return self._from(self.centers_[domain], X)

    def transform(self, X: Any) -> np.ndarray:
        """Samples of the target domain, moved by its mean.

        Returns
        -------
        array of the same shape
        """
        check_is_fitted(self, "centers_")
        X = samples_of(X)
        if str(self.target_domain) == "transductive":
            return self._from(self._centre(X), X)
        return self._moved(self._target(self.centers_), X)


class TLScale(_PerDomain):
    """Restretching (Rodrigues et al. 2019): every domain is scaled about its mean to the same
    dispersion, the mean squared distance from it; vectors are divided by their mean length.

    Parameters
    ----------
    target_domain : str
        What `transform` takes its matrices to be samples of; '': the last of the domains.
    final_dispersion : float
        The dispersion of all domains afterwards.
    centered_data : bool
        The means are the identity already, as after `TLCenter`.
    metric : str
        Of the distances.

    Attributes
    ----------
    scales_ : dict
        The dispersion of each domain.

    {references: procrustes}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml import mean, pairwise_distance
    >>> from spdml.transfer import TLScale, encode_domains
    >>> A = np.random.default_rng(0).standard_normal((20, 3, 50))
    >>> X = A @ A.transpose(0, 2, 1)
    >>> X, y = encode_domains(X, [0, 1] * 10, ["anna"] * 20)
    >>> scaled = TLScale("anna").fit_transform(X, y)
    >>> d = pairwise_distance(scaled, mean(scaled)[None])
    >>> round(float(np.mean(d**2)), 6)
    1.0
    """

    def __init__(self, target_domain: str = "", final_dispersion: float = 1.0,
                 centered_data: bool = False, metric: str = "riemann") -> None:
        self.target_domain = target_domain
        self.final_dispersion = final_dispersion
        self.centered_data = centered_data
        self.metric = metric

    def fit(self, X: Any, y_enc: Any, sample_weight: Any = None) -> "TLScale":
        """The mean and the dispersion of each domain."""
        X = samples_of(X)
        self.scales_: Dict[str, float] = {}
        self._means: Dict[str, np.ndarray] = {}
        for domain, mask, weight in self._parts(X, y_enc, sample_weight):
            if X.ndim == 3:
                M = np.eye(X.shape[1]) if self.centered_data else mean(X[mask], "airm", weight)
                self._means[domain] = M
                size = pairwise_distance(X[mask], M[None], self.metric, squared=True)[:, 0]
            else:
                size = np.linalg.norm(X[mask], axis=1)
            self.scales_[domain] = float(np.average(size, weights=weight))
            if not self.scales_[domain] > 1e-20:
                raise InvalidArgumentError(f"all samples of domain {domain!r} are the same")
        self.n_features_in_ = X.shape[1]
        return self

    def _moved(self, domain: str, X: np.ndarray) -> np.ndarray:
        scale = self.scales_[domain]
        if X.ndim == 2:
            return X / scale
        power = float(np.sqrt(self.final_dispersion / scale))
        if self.centered_data:
            return apply(X, "power", power)
        M = self._means[domain]
        return filtered(apply(filtered(X, apply(M, "invsqrt")), "power", power), apply(M, "sqrt"))

    def transform(self, X: Any) -> np.ndarray:
        """Samples of the target domain, scaled by its dispersion."""
        check_is_fitted(self, "scales_")
        return self._moved(self._target(self.scales_), samples_of(X))


class TLRotate(_PerDomain):
    """Rotation (Rodrigues et al. 2019): every other domain is turned so that its class means, or, of
    vectors, the means of its classes and of parts of them, fit those of the target domain. Centred
    data are expected.

    Parameters
    ----------
    target_domain : str
        The domain that the others are turned to.
    weights : (classes,) or None
        What each class counts.
    metric : 'euclid' or 'riemann'
        Of the distances between class means.
    expl_var : float
        Of vectors: the share of the singular values that is kept, or their number.
    n_components, n_clusters : int
        Of vectors: how many principal components of a class are cut into how many parts, whose means
        are used beside those of the classes.
    tol_step : float
        It ends when a step is smaller.
    maxiter : int
        Most iterations.

    Attributes
    ----------
    rotations_ : dict
        The orthogonal matrix of each domain but the target.

    {references: procrustes}

    Examples
    --------
    >>> import numpy as np
    >>> from spdml.transfer import TLRotate, encode_domains
    >>> rng = np.random.default_rng(0)
    >>> y = np.tile([0, 1], 10)
    >>> A = rng.standard_normal((20, 3, 400)) * np.where(y[:, None], [1, 2, 3], [3, 1, 2])[:, :, None]
    >>> X = A @ A.transpose(0, 2, 1) / 400
    >>> Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    >>> both = np.concatenate([X, Q @ X @ Q.T])
    >>> y_enc = encode_domains(both, np.tile(y, 2), np.repeat(["anna", "ben"], 20))[1]
    >>> turned = TLRotate("anna").fit_transform(both, y_enc)
    >>> bool(np.abs(turned[20:] - X).max() < 1e-5)
    True
    """

    def __init__(self, target_domain: str = "", weights: Any = None, metric: str = "euclid",
                 expl_var: float = 0.999, n_components: Any = 1, n_clusters: int = 3,
                 tol_step: float = 1e-9, maxiter: int = 10000) -> None:
        self.target_domain = target_domain
        self.weights = weights
        self.metric = metric
        self.expl_var = expl_var
        self.n_components = n_components
        self.n_clusters = n_clusters
        self.tol_step = tol_step
        self.maxiter = maxiter

    def fit(self, X: Any, y_enc: Any, sample_weight: Any = None) -> "TLRotate":
        """The rotation of each domain."""
        X = samples_of(X)
        labels = decode_domains(X, column(y_enc, len(X)))[1]
        parts = {domain: (X[mask], labels[mask], weight)
                 for domain, mask, weight in self._parts(X, y_enc, sample_weight)}
        target = self._target(parts)
        self.rotations_: Dict[str, np.ndarray] = {}
        for domain, part in parts.items():
            if domain == target:
                continue
            if set(part[1]) != set(parts[target][1]):
                raise InvalidArgumentError(
                    f"domain {domain!r} has other classes than the target {target!r}")
            turn = rotation_of_matrices if X.ndim == 3 else rotation_of_vectors
            self.rotations_[domain] = turn(part, parts[target], self)
        self.n_features_in_ = X.shape[1]
        return self

    def _moved(self, domain: str, X: np.ndarray) -> np.ndarray:
        if domain not in self.rotations_:
            return X
        Q = self.rotations_[domain]
        return filtered(X, Q.T) if X.ndim == 3 else np.asarray(X @ Q)

    def transform(self, X: Any) -> np.ndarray:
        """Samples of the target domain: as they are."""
        check_is_fitted(self, "rotations_")
        return samples_of(X)
