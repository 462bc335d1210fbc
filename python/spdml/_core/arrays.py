"""numpy arrays as the library wants them: C-contiguous float64, copied only when they are not."""

from __future__ import annotations

import ctypes as c
from typing import Any, List, Optional, Tuple

import numpy as np

from ..exceptions import InvalidArgumentError, NotSymmetricError
from .gpu import holds
from .library import Doubles, ENUMS, Ints, lib, quick, value


_CHUNK = 1 << 20  # entries that are compared at once
SYMMETRY = float(np.sqrt(np.finfo(float).eps))  # of float64, see `tolerance`


def numbers(X: Any, name: str, complex_too: bool = False) -> np.ndarray:
    """X as C-contiguous float64; fails if it does not hold real numbers. With complex_too complex
    numbers are taken as well, as complex128."""
    if not isinstance(X, np.ndarray) and holds(X):
        raise InvalidArgumentError(
            f"{name} lies on the GPU, where this function does not reach; bring it to the host, with "
            f".cpu() (PyTorch) or .get() (CuPy)")
    array = np.asarray(X)
    if complex_too and array.dtype.kind == "c":
        return np.ascontiguousarray(array, dtype=np.complex128)
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise InvalidArgumentError(
            f"{name} has dtype {array.dtype}; it must hold {'' if complex_too else 'real '}numbers. "
            f"Matrices of different sizes{' and' if complex_too else ','} text"
            f"{'' if complex_too else ' and complex numbers'} cannot be used")
    return np.ascontiguousarray(array, dtype=np.float64)


def matrices(X: Any, name: str = "X", size: Optional[int] = None) -> np.ndarray:
    """X as (p, n, n), real, p and n at least 1; size, if given, is the n it must have."""
    array = numbers(X, name)
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise InvalidArgumentError(
            f"{name} has shape {array.shape}; it must be (samples, n, n): square matrices")
    _check_size(array, name, size)
    check_symmetric(array, name, tolerance(X))
    return array


def square(X: Any, name: str = "X", size: Optional[int] = None, symmetric: bool = True
           ) -> np.ndarray:
    """X as (..., n, n), real or complex, with any leading dimensions; symmetric or Hermitian unless
    that does not matter."""
    array = numbers(X, name, complex_too=True)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise InvalidArgumentError(
            f"{name} has shape {array.shape}; it must be (..., n, n): square matrices")
    _check_size(array, name, size)
    if symmetric:
        allowed = tolerance(X)
        check_symmetric(array.reshape((-1,) + array.shape[-2:]), name, allowed, array.shape[:-2])
        if allowed > tolerance(array):  # a copy, made from fewer digits
            row, column = np.tril_indices(array.shape[-1])
            array[..., column, row] = array[..., row, column].conj()
    return array


def _check_size(array: np.ndarray, name: str, size: Optional[int]) -> None:
    if 0 in array.shape:
        raise InvalidArgumentError(f"{name} is empty: shape {array.shape}")
    n = array.shape[-1]
    if size is not None and n != size:
        raise InvalidArgumentError(f"{name} holds {n} x {n} matrices; {size} x {size} expected")


def tolerance(X: Any) -> float:
    """By how much the entries ij and ji of a symmetric or Hermitian matrix may differ, relative to
    the largest entry: the square root of the precision of the numbers as they were given, 1.5e-8
    for float64 and 3.5e-4 for float32. Every function of the package has this rule."""
    dtype = X.dtype if isinstance(X, np.ndarray) else np.asarray(X).dtype
    if dtype == np.float64:
        return SYMMETRY
    short = dtype.kind == "f" and dtype.itemsize < 8 or dtype.kind == "c" and dtype.itemsize < 16
    return float(np.sqrt(np.finfo(dtype if short else float).eps))


def place(index: int, leading: Optional[Tuple[int, ...]]) -> str:
    """Where the matrix of that number stands in an array with such leading dimensions: "[3]",
    "[0, 2]"; nothing for a single matrix."""
    if leading is None:
        return f"[{index}]"
    where = ", ".join(str(int(i)) for i in np.unravel_index(index, leading)) if leading else ""
    return f"[{where}]" if where else ""


def check_symmetric(X: np.ndarray, name: str, tolerance: float,
                    leading: Optional[Tuple[int, ...]] = None) -> None:
    """The library reads lower triangles, so that other upper ones would go unseen. What they may
    differ by is relative to the largest entry. NaN passes: the library names it. X is (p, n, n),
    real or complex; leading says how a message numbers its matrices."""
    if quick is not None and (quick.hermitian(X.view(np.float64), tolerance) if X.dtype.kind == "c" else
                              quick.symmetric(X, tolerance) == -1):
        return
    step = max(1, _CHUNK // X[0].size)
    for first in range(0, len(X), step):
        part = X[first:first + step]
        if (part == part.conj().transpose(0, 2, 1)).all():
            continue  # to the bit, as most are: one pass instead of four
        with np.errstate(invalid="ignore", over="ignore"):  # infinities
            gap = np.abs(part - part.conj().transpose(0, 2, 1)).max(axis=(1, 2))
        bad = np.flatnonzero(gap > tolerance * np.abs(part).max(axis=(1, 2)))
        if len(bad):
            i = int(bad[0])
            _not_symmetric(part[i], name + place(first + i, leading),
                           None if leading == () else first + i)


def _not_symmetric(X: np.ndarray, where: str, index: Optional[int]) -> None:
    """Raises what is wrong with X, which is not symmetric or Hermitian."""
    apart = np.abs(X - X.conj().T)
    row, column = np.unravel_index(np.argmax(apart), X.shape)
    gap = float(apart[row, column])
    if np.iscomplexobj(X) and row == column:
        raise NotSymmetricError(
            f"{where} is not Hermitian: entry ({row},{row}) of its diagonal is {X[row, row]:.4g}; "
            f"the diagonal must be real", index, gap / 2)
    kind, mean = (("Hermitian", "(X + X.conj().swapaxes(-1, -2)) / 2") if np.iscomplexobj(X) else
                  ("symmetric", "(X + X.swapaxes(-1, -2)) / 2"))
    differ = ("are not conjugate: they " if np.iscomplexobj(X) else "") + f"differ by {gap:.2g}"
    raise NotSymmetricError(
        f"{where} is not {kind}: entries ({row},{column}) and ({column},{row}) {differ}; take "
        f"{mean} if that is rounding", index, gap)


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


def metric_number(name: str) -> int:
    """The library's number of a metric; our names and pyRiemann's."""
    number = value("metric", name) if isinstance(name, str) and "\0" not in name else -1
    if number < 0:
        known: List[str] = []
        while lib.spd_name(ENUMS.index("metric"), len(known)):
            known.append(lib.spd_name(ENUMS.index("metric"), len(known)).decode())
        raise InvalidArgumentError(f"metric {name!r} is unknown; use one of {', '.join(known)}")
    return number
