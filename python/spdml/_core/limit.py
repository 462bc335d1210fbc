"""When an iteration is over."""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from ..exceptions import InvalidArgumentError
from .arrays import real, whole


_PATIENCE = 5       # steps without progress that are taken as rounding
_ROUNDING = 1e-7    # residuals from here on may be


class Limit:
    """An iteration is done when its residual is at most tol, or when it no longer shrinks at a level
    that is rounding. ::

        limit = Limit("the power mean", tol, max_iter)
        while limit.goes_on():
            ...
            limit.note(residual)

    Where max_iter steps were not enough a ConvergenceWarning says so."""

    def __init__(self, what: str, tol: float, max_iter: Optional[int], usual: int = 1000,
                 usual_tol: float = 1e-13) -> None:
        tol = real(tol, "tol")
        if not tol >= 0:
            raise InvalidArgumentError(f"tol is {tol}; it must not be negative")
        self.what, self.tol = what, tol or usual_tol
        self.steps = usual if max_iter is None else whole(max_iter, "max_iter", 0)
        self.taken, self.stalled = 0, 0
        self.residual = self.best = np.inf

    def done(self) -> bool:
        return self.residual <= self.tol or (
            self.best <= _ROUNDING and self.stalled >= _PATIENCE)

    def goes_on(self) -> bool:
        if self.done():
            return False
        if self.taken >= self.steps:
            self.warn()
            return False
        self.taken += 1
        return True

    def note(self, residual: Any) -> None:
        """The size of the step just taken, relative to the point."""
        self.residual = float(residual)
        self.stalled = 0 if self.residual < 0.9 * self.best else self.stalled + 1
        self.best = min(self.best, self.residual)

    def warn(self) -> None:
        from sklearn.exceptions import ConvergenceWarning
        warnings.warn(
            f"{self.what} did not converge in {self.steps} iterations: the last step was "
            f"{self.residual:.2g} of it; allow more with max_iter=", ConvergenceWarning,
            stacklevel=6)
