"""Texts that docstrings have in common: a line {name} stands for one of them."""

from __future__ import annotations

import re
from typing import Any, TypeVar


Thing = TypeVar("Thing", bound=Any)

TEXTS = {
    "X": """X : array, shape (..., n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "X_set": """X : array, shape (p, n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "Cref": """Cref : array, shape (n, n)
    The positive definite matrix where the space touches.""",
    "sample_weight": """sample_weight : array, shape (p,), optional
    Weights from 0 on; equal ones by default.""",
    "squared": """squared : bool
    Squared distances.""",
    "n_jobs": """n_jobs : int, optional
    Threads, -1 for all cores, which is the default.""",
    "samples": """X : array, shape (samples, n, n)
    Positive definite matrices, symmetric or Hermitian.""",
    "samples_or_rows": """X : array, shape (samples, n, n) or (samples, k)
    Matrices, or vectors of tangent spaces.""",
    "from_samples": """Parameters
----------
X : array, shape (samples, n, n)
    Positive definite matrices, symmetric or Hermitian.

Returns
-------""",
    "from_samples_or_rows": """Parameters
----------
X : array, shape (samples, n, n) or (samples, k)
    Matrices, or vectors of tangent spaces.

Returns
-------""",
    "labels": """y : array, shape (samples,)
    The class of each.""",
    "targets": """y : array, shape (samples,)
    The number that belongs to each.""",
    "y_enc": """y_enc : array, shape (samples,)
    Labels with domains, of `encode_domains`.""",
    "ignored": """y : None
    Not used; pipelines hand it on.""",
    "no_weights": """sample_weight : None or array of equal numbers
    Neighbours have no weights; those that differ are refused.""",
    "path": """path : str or path
    The name of the file.""",
    "self": """Returns
-------
self""",
    "matrices": """Returns
-------
array, shape (..., n, n)""",
    "numbers": """Returns
-------
float or array, shape (...,)""",
}


def documented(thing: Thing) -> Thing:
    """A function or class whose docstring has the texts in the place of their names."""
    if thing.__doc__:
        thing.__doc__ = re.sub(
            r"^( *)\{(\w+)\}$", lambda found: re.sub("^", found[1], TEXTS[found[2]], flags=re.M),
            thing.__doc__, flags=re.M)
    return thing
