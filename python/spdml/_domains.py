"""Domains on labels, "subject1/left", and samples of transfer: matrices or vectors."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._errors import InvalidArgumentError
from ._matrices import definite


def encode_domains(X: Any, y: Any, domain: Any) -> Tuple[Any, np.ndarray]:
    """X, and labels that begin with the domain.

    Parameters
    ----------
    X : array, which is handed back
    y : labels
    domain : one for each sample

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


def decode_domains(X: Any, y: Any) -> Tuple[Any, np.ndarray, np.ndarray]:
    """The inverse of `encode_domains`.

    Parameters
    ----------
    X : array, which is handed back
    y : texts "domain/label"

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
