"""What a failed call of the library becomes: an exception with the library's own message and
its advice in the words of this package."""

from __future__ import annotations

import math
from typing import Optional

__all__ = ["DeviceError", "FileFormatError", "InvalidArgumentError", "NotFiniteError",
           "NotPositiveDefiniteError", "NotSymmetricError", "NumericError", "SPDError"]
NOT_CONVERGED, NOT_DEFINITE = 1, 2
ENOMEM, EINVAL, ENOTSPD, ENOTSYM, ENOTFINITE = -1, -2, -3, -4, -5
EIO, EFORMAT, ECANCELLED, ENUMERIC, EDEVICE = -6, -7, -8, -9, -10


# The library's remedies (spd_remedy in its header) that functions of this package can meet, as
# their arguments.
REMEDIES = {
    1 << 0: "regularize=VALUE",
    1 << 2: "symmetrize=True",
    1 << 3: "estimator='oas'",
    1 << 15: "engine='auto'",
}


def _number(value: float) -> str:
    """Small powers of ten as such: 1e-3, 1e-6."""
    exponent = round(math.log10(value)) if value > 0 else 0
    return f"1e{exponent}" if value < 0.05 and f"{value:.6e}" == f"{10.0 ** exponent:.6e}" else f"{value:g}"


# Of matrices that were given, which the functions that take them do not change.
_OF_MATRICES = {1 << 0: "spdml.regularize(X, VALUE)"}


def advised(message: str, remedy: int, value: float, status: int = EINVAL) -> str:
    """The message, and what the library says would help: "...; try regularize=1e-6"."""
    arguments = {**REMEDIES, **_OF_MATRICES} if status in (ENOTSPD, ENUMERIC) else REMEDIES
    words = [text for bit, text in arguments.items() if remedy & bit]
    if not words:
        return message
    *others, last = words
    advice = f"{', '.join(others)} or {last}" if others else last
    return f"{message}; try {advice.replace('VALUE', _number(value))}"


class SPDError(Exception):
    """A call of the library failed. Base class of the exceptions below."""


class InvalidArgumentError(SPDError, ValueError):
    """An argument is out of range or has the wrong shape."""


class BadMatrixError(SPDError, ValueError):
    """A matrix of a set is invalid; ``index`` says which (None if there is only one)."""

    def __init__(self, message: str, index: Optional[int] = None, value: float = 0.0) -> None:
        super().__init__(message, index, value)
        self.index = index
        self.value = value

    def __str__(self) -> str:
        return str(self.args[0])


class NotPositiveDefiniteError(BadMatrixError):
    """A matrix is not positive definite; ``eigenvalue`` is its smallest one."""

    @property
    def eigenvalue(self) -> float:
        return self.value


class NotSymmetricError(BadMatrixError):
    """A matrix is not symmetric."""


class NotFiniteError(BadMatrixError):
    """A matrix holds NaN or infinity."""


class FileFormatError(SPDError, ValueError):
    """A file is not what it claims to be."""


class NumericError(BadMatrixError, ArithmeticError):
    """A result cannot be computed from these matrices: they are too ill-conditioned, too large or too
    small; ``index`` says which one it was found at (None if all are meant)."""


class DeviceError(SPDError, RuntimeError):
    """The engine asked for cannot be had: no GPU, or it failed."""


class Cancelled(SPDError):
    """The progress callback asked to stop."""


_SIMPLE = {
    ENOMEM: MemoryError,
    EINVAL: InvalidArgumentError,
    EIO: OSError,
    EFORMAT: FileFormatError,
    ECANCELLED: Cancelled,
    EDEVICE: DeviceError,
}
_ABOUT_A_MATRIX = {
    ENOTSPD: NotPositiveDefiniteError,
    ENOTSYM: NotSymmetricError,
    ENOTFINITE: NotFiniteError,
    ENUMERIC: NumericError,
}


_DEFINITE = ("; try spdml.regularize(X, 1e-6), or, where X is made, Covariances('oas'), Shrinkage() or "
             "Whitening(dim_red=...)")


def exception(status: int, message: str, index: Optional[int], value: float) -> BaseException:
    """The exception for a status below zero."""
    if status == ENOTSPD and "; try " not in message:
        message += _DEFINITE
    if status in _ABOUT_A_MATRIX:
        return _ABOUT_A_MATRIX[status](message, index, value)
    return _SIMPLE.get(status, SPDError)(message)
