"""Domains of samples: on their labels, "subject1/left", in splits, and each moved to the identity."""

from __future__ import annotations

from typing import Any, Iterator, Optional, Tuple, TypeVar

import numpy as np

from .._core.arrays import doubles, ints, metric_number
from .._core.calls import call, context
from .._core.docs import documented
from .._core.matrices import definite
from .._core.sets import from_real, real_form
from ..exceptions import InvalidArgumentError
from ..geometry.distance import set_of

Samples = TypeVar("Samples")


def encode_domains(X: Samples, y: Any, domain: Any) -> Tuple[Samples, np.ndarray]:
    """X, and labels that begin with the domain.

    Parameters
    ----------
    X : array
        Handed back.
    y : array, shape (samples,)
        Labels.
    domain : array, shape (samples,)
        The domain of each sample.

    Returns
    -------
    X, and an array of texts "domain/label"

    Examples
    --------
    >>> from spdml.transfer import encode_domains
    >>> encode_domains(None, [0, 1], ["anna", "ben"])[1]
    array(['anna/0', 'ben/1'], dtype='<U6')
    """
    if len(y) != len(domain):
        raise InvalidArgumentError(f"there are {len(y)} labels and {len(domain)} domains")
    return X, np.array([f"{d}/{label}" for d, label in zip(domain, y)])


def decode_domains(X: Samples, y: Any) -> Tuple[Samples, np.ndarray, np.ndarray]:
    """The inverse of `encode_domains`.

    Parameters
    ----------
    X : array
        Handed back.
    y : array, shape (samples,)
        Texts "domain/label".

    Returns
    -------
    X, the labels and the domains, both texts

    Examples
    --------
    >>> from spdml.transfer import decode_domains
    >>> decode_domains(None, ["anna/0", "ben/1"])[1:]
    (array(['0', '1'], dtype='<U1'), array(['anna', 'ben'], dtype='<U4'))
    """
    pairs = [str(text).rpartition("/")[::2] for text in y]
    for text, (domain, _) in zip(y, pairs):
        if not domain:
            raise InvalidArgumentError(
                f"label {str(text)!r} has no domain; make labels with encode_domains")
    return X, np.array([label for _, label in pairs]), np.array([domain for domain, _ in pairs])


def samples_of(X: Any) -> np.ndarray:
    """Matrices (p, n, n), or vectors (p, k) of tangent spaces."""
    if np.ndim(X) == 3:
        return definite(X)
    array = np.asarray(X)
    if array.ndim != 2 or array.dtype.kind not in "fiub" or not np.isfinite(array).all():
        raise InvalidArgumentError(
            f"X has shape {array.shape}; it must be matrices (samples, n, n) or finite vectors "
            f"(samples, k)")
    return array.astype(float)


class TLSplitter:
    """Splits for cross-validation: all samples of other domains are for training, those of the target
    domain are split by cv.

    Parameters
    ----------
    target_domain : str
        The domain that new samples are of.
    cv : splitter of scikit-learn
        Of the samples of the target domain.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold
    >>> from spdml.transfer import TLSplitter
    >>> y = ["anna/0", "anna/1", "ben/0", "ben/1"]
    >>> [test.tolist() for _, test in TLSplitter("ben", KFold(2)).split(np.zeros((4, 2, 2)), y)]
    [[2], [3]]
    """

    def __init__(self, target_domain: str, cv: Any) -> None:
        self.target_domain = target_domain
        self.cv = cv

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
        """The splits.

        Parameters
        ----------
        X : array
            The samples; only their number matters.
        y : array, shape (samples,)
            Labels with domains, of `encode_domains`.
        groups : None
            Not used.

        Returns
        -------
        iterator of (train, test)
            Indices for training and for testing.
        """
        _, labels, domains = decode_domains(X, y)
        source = np.flatnonzero(domains != str(self.target_domain))
        target = np.flatnonzero(domains == str(self.target_domain))
        for train, test in self.cv.split(target, labels[target]):
            yield np.concatenate([source, target[train]]), target[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits.

        Parameters
        ----------
        X, y, groups : array, optional
            Handed to the splitter of the target domain.

        Returns
        -------
        int
        """
        return int(self.cv.get_n_splits(X, y, groups))


@documented
def recenter(X: Any, groups: Any, metric: str = "airm", n_jobs: Optional[int] = None) -> np.ndarray:
    """Every group moved to the identity by its own mean, as ``spdml evaluate --recenter`` does:
    M^-1/2 X M^-1/2.

    Parameters
    ----------
    {X_set}
    groups : array, shape (p,)
        A value for each matrix, such as the subject.
    metric : str
        Of the means, as of `neighbors`.
    {n_jobs}

    Returns
    -------
    array, shape (p, n, n)

    Examples
    --------
    >>> import numpy as np, spdml
    >>> X = np.array([2.0, 2.0, 5.0])[:, None, None] * np.eye(1)
    >>> spdml.recenter(X, ["a", "a", "b"]).ravel().round(12)
    array([1., 1., 1.])
    """
    number = metric_number(metric)
    X = set_of(X, "X")
    p = len(X)
    values = np.asarray(groups)
    if values.shape != (p,):
        raise InvalidArgumentError(f"groups has shape {values.shape}; {p} values are needed")
    group = np.ascontiguousarray(np.unique(values, return_inverse=True)[1], dtype=np.intc)
    R = real_form(X)
    Y = np.empty_like(R)
    call(context(n_jobs), "spd_recenter", number, R.shape[1], p, doubles(R), ints(group),
         doubles(Y))
    return from_real(Y, (p,), np.iscomplexobj(X))
