"""Sets of matrices as estimators take them: named X in every message, checked before work begins."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import doubles, matrices
from ._calls import call, context
from ._errors import NotFiniteError

_SYMMETRY = 1e-3  # `matrices` has looked at it more closely


def semidefinite(X: Any, size: Optional[int] = None) -> np.ndarray:
    """X as (samples, n, n), symmetric or Hermitian and finite; eigenvalues are not looked at."""
    array = matrices(X, size=size)
    finite = np.isfinite(array).all(axis=(1, 2))
    if not finite.all():
        bad = int(np.flatnonzero(~finite)[0])
        raise NotFiniteError(f"X[{bad}] holds NaN or infinity; leave it out", bad, float("nan"))
    return array


def definite(X: Any, size: Optional[int] = None, n_jobs: Optional[int] = None) -> np.ndarray:
    """The same, and every matrix has a Cholesky factor."""
    array = matrices(X, size=size)
    call(context(n_jobs), "spd_check", array.shape[1], len(array), doubles(array), _SYMMETRY)
    return array
