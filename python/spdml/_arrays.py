"""numpy arrays as the library wants them: C-contiguous float64, copied only when they are not."""

from __future__ import annotations

import ctypes as c
from typing import Any, Optional, Tuple

import numpy as np

from ._errors import InvalidArgumentError, NotSymmetricError
from ._library import Doubles, Ints, Longs, lib


_CHUNK = 1 << 20  # entries that are compared at once


def numbers(X: Any, name: str) -> np.ndarray:
    """X as C-contiguous float64; fails if it does not hold real numbers."""
    array = np.asarray(X)
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise InvalidArgumentError(
            f"{name} has dtype {array.dtype}; it must hold real numbers. Matrices of different "
            f"sizes, text and complex numbers cannot be used")
    return np.ascontiguousarray(array, dtype=np.float64)


def matrices(X: Any, name: str = "X", size: Optional[int] = None) -> np.ndarray:
    """X as (p, n, n), p and n at least 1; size, if given, is the n it must have."""
    array = numbers(X, name)
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise InvalidArgumentError(
            f"{name} has shape {array.shape}; it must be (samples, n, n): square matrices")
    if 0 in array.shape:
        raise InvalidArgumentError(f"{name} is empty: shape {array.shape}")
    if size is not None and array.shape[1] != size:
        raise InvalidArgumentError(
            f"{name} holds {array.shape[1]} x {array.shape[1]} matrices; {size} x {size} expected")
    check_symmetric(array, name, 1e-8 if np.asarray(X).dtype.itemsize >= 8 else 1e-4)
    return array


def check_symmetric(X: np.ndarray, name: str, tolerance: float) -> None:
    """The library reads lower triangles, so that other upper ones would go unseen. What they may
    differ by is relative to the largest entry. NaN passes: the library names it."""
    from . import _fast
    if _fast.symmetric(X, tolerance):
        return
    step = max(1, _CHUNK // X[0].size)
    for first in range(0, len(X), step):
        part = X[first:first + step]
        with np.errstate(invalid="ignore", over="ignore"):  # infinities
            gap = np.abs(part - part.transpose(0, 2, 1)).max(axis=(1, 2))
        bad = np.flatnonzero(gap > tolerance * np.abs(part).max(axis=(1, 2)))
        if len(bad):
            i = int(bad[0])
            row, column = np.unravel_index(np.argmax(np.abs(part[i] - part[i].T)), part[i].shape)
            raise NotSymmetricError(
                f"{name}[{first + i}] is not symmetric: entries ({row},{column}) and "
                f"({column},{row}) differ by {gap[i]:.2g}; take (X + X.transpose(0, 2, 1)) / 2 if "
                f"that is rounding", first + i, float(gap[i]))


def matrix(X: Any, name: str, size: Optional[int] = None) -> np.ndarray:
    """X as one (n, n) matrix."""
    array = numbers(X, name)
    if array.ndim != 2:
        raise InvalidArgumentError(f"{name} has shape {array.shape}; it must be one square matrix")
    return matrices(array[None], name, size)[0]


def doubles(array: Optional[np.ndarray]) -> Any:
    """A pointer for the library; read-only arrays are fine where it only reads."""
    return None if array is None else c.cast(array.ctypes.data, Doubles)


def real(value: Any, name: str) -> float:
    """A number for the library."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(f"{name} is {value!r}; it must be a number") from None


def whole(value: Any, name: str, least: int = 1) -> int:
    """A whole number for the library, which must fit into a C int."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or \
            not least <= value < 2**31:
        kind = "a positive integer" if least == 1 else f"an integer from {least} on"
        raise InvalidArgumentError(f"{name} is {value!r}; it must be {kind}")
    return int(value)


def text(value: Any, name: str) -> bytes:
    """A word for the library."""
    if not isinstance(value, str) or "\0" in value:
        raise InvalidArgumentError(f"{name} is {value!r}; it must be a string without a zero byte")
    return value.encode()


def ints(array: Optional[np.ndarray]) -> Any:
    return None if array is None else c.cast(array.ctypes.data, Ints)


def longs(array: np.ndarray) -> Any:
    return c.cast(array.ctypes.data, Longs)


def metric_number(name: str) -> int:
    """The library's number of a metric; our names and pyRiemann's."""
    number = c.c_int()
    if not isinstance(name, str) or "\0" in name or \
            lib.spd_metric_parse(None, name.encode(), c.byref(number)) != 0:
        known = []
        while lib.spd_metric_name(len(known)):
            known.append(lib.spd_metric_name(len(known)).decode())
        raise InvalidArgumentError(f"metric {name!r} is unknown; use one of {', '.join(known)}")
    return number.value


def encode_labels(y: Any, samples: int) -> Tuple[np.ndarray, np.ndarray]:
    """classes (sorted) and the class number of each sample as C int."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        labels = np.ravel(labels) if labels.ndim == 2 and labels.shape[1] == 1 else labels
    if labels.ndim != 1:
        raise InvalidArgumentError(f"y has shape {labels.shape}; it must hold one label per sample")
    if len(labels) != samples:
        raise InvalidArgumentError(
            f"X has {samples} samples and y has {len(labels)} labels; the numbers must be equal")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidArgumentError("y holds NaN or infinity")
    classes, number = np.unique(labels, return_inverse=True)
    return classes, np.ascontiguousarray(number, dtype=np.intc)
