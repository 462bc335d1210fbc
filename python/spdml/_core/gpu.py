"""Arrays in the memory of a GPU: where they lie, and new ones beside them, without a copy.

DLPack (``__dlpack__``) says it first, then ``__cuda_array_interface__``; of both only the pointer is
taken. Whoever made an array is told to have it ready in the default stream, or names the stream
that it will be ready in; the library waits for that. New arrays come from the library of the array that
was given, and are asked for in the same way: memory that it takes from its pool may still be read in
its own stream."""

from __future__ import annotations

import ctypes as c
import importlib
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

import numpy as np

from ..exceptions import InvalidArgumentError


_CUDA, _MANAGED = 2, 13  # DLPack's device types
DEFAULT_STREAM = 1       # in both protocols
_FLOAT, _SIGNED = 2, 0   # DLPack's kinds of numbers


class _Tensor(c.Structure):
    """DLPack's DLTensor."""
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("offset", c.c_uint64)]


class View(NamedTuple):
    """An array on a device, while `owner` lives."""
    pointer: int
    shape: Tuple[int, ...]
    device: int
    stream: Optional[int]
    owner: Any


# ---- what is given ------------------------------------------------------------------------------

def holds(X: Any) -> bool:
    """Does X lie on a GPU?"""
    if isinstance(X, (np.ndarray, list, tuple, str)) or X is None:
        return False
    if hasattr(type(X), "__dlpack_device__"):
        return X.__dlpack_device__()[0] in (_CUDA, _MANAGED)
    return getattr(X, "__cuda_array_interface__", None) is not None


def _contiguous(shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]]) -> bool:
    """Strides in numbers, not in bytes."""
    wanted = 1
    for length, step in zip(reversed(shape), reversed(strides or ())):
        if length != 1 and step != wanted:
            return False
        wanted *= length
    return True


def _refused(name: str, X: Any, why: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"{name}, an array of {type(X).__module__.partition('.')[0]} on the GPU, "
                                f"{why}")


def _by_dlpack(X: Any, name: str) -> Tuple[View, str, bool]:
    pointer = c.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]
    try:
        capsule = X.__dlpack__(stream=DEFAULT_STREAM)
    except (BufferError, RuntimeError, TypeError) as problem:
        raise _refused(name, X, f"is not given away: {problem}") from problem
    t = _Tensor.from_address(pointer(capsule, b"dltensor"))
    shape = tuple(t.shape[:t.ndim])
    kinds = {_FLOAT: "float", _SIGNED: "int"}
    kind = f"{kinds.get(t.code, 'another ')}{t.bits}" if t.lanes == 1 else "vectors"
    view = View((t.data or 0) + t.offset, shape, t.device, DEFAULT_STREAM, capsule)
    return view, kind, _contiguous(shape, tuple(t.strides[:t.ndim]) if t.strides else None)


def _by_interface(X: Any) -> Tuple[View, str, bool]:
    about = X.__cuda_array_interface__
    shape, dtype = tuple(about["shape"]), np.dtype(about["typestr"])
    strides = about.get("strides")
    steps = None if strides is None else tuple(step // dtype.itemsize for step in strides)
    stream = about.get("stream", DEFAULT_STREAM)
    number = getattr(getattr(X, "device", None), "id", 0)  # the protocol does not say
    return View(about["data"][0], shape, number, stream, X), dtype.name, _contiguous(shape, steps)


def view(X: Any, name: str, wanted: str = "float64") -> View:
    """Where X lies; it must hold C-contiguous numbers of that kind."""
    by_dlpack = hasattr(type(X), "__dlpack__")
    found, kind, contiguous = _by_dlpack(X, name) if by_dlpack else _by_interface(X)
    if kind != wanted:
        raise _refused(name, X, f"holds {kind}; {wanted} is needed: convert it there, with .double() "
                                f"(PyTorch) or .astype('float64') (CuPy)")
    if not contiguous:
        raise _refused(name, X, "is not C-contiguous; make it so there, with .contiguous() (PyTorch) or "
                                "cupy.ascontiguousarray")
    return found


def matrices(X: Any, name: str, size: Optional[int] = None, ndim: Optional[int] = None) -> View:
    """X as square matrices (..., n, n), of so many dimensions and of that size if told."""
    if not holds(X):
        raise InvalidArgumentError(f"{name} lies on the host, and others of the arrays on the GPU; bring "
                                   f"all of them to one place")
    found = view(X, name)
    shape = found.shape
    if len(shape) < 2 or shape[-1] != shape[-2] or (ndim and len(shape) != ndim):
        form = "(samples, n, n)" if ndim == 3 else "(..., n, n)"
        raise InvalidArgumentError(f"{name} has shape {shape}; it must be {form}: square matrices")
    if 0 in shape:
        raise InvalidArgumentError(f"{name} is empty: shape {shape}")
    if size is not None and shape[-1] != size:
        raise InvalidArgumentError(f"{name} holds {shape[-1]} x {shape[-1]} matrices; {size} x {size} "
                                   f"expected")
    return found


# ---- what is given back -------------------------------------------------------------------------

class Library(NamedTuple):
    """How a library makes an array beside X, takes roots in place, and brings an array of the host to
    where X is."""
    empty: Callable[[Any, Tuple[int, ...], str], Any]
    root: Callable[[Any], Any]
    array: Callable[[Any, np.ndarray], Any]


def _torch() -> Library:
    torch = importlib.import_module("torch")
    return Library(lambda X, shape, kind: torch.empty(shape, dtype=getattr(torch, kind), device=X.device),
                   lambda D: D.sqrt_(), lambda X, A: torch.from_numpy(A).to(X.device))


def _cupy() -> Library:
    cupy = importlib.import_module("cupy")

    def empty(X: Any, shape: Tuple[int, ...], kind: str) -> Any:
        with X.device:
            return cupy.empty(shape, dtype=kind)

    def root(D: Any) -> Any:
        with D.device:
            return cupy.sqrt(D, out=D)

    def array(X: Any, A: np.ndarray) -> Any:
        with X.device:
            return cupy.asarray(A)
    return Library(empty, root, array)


LIBRARIES: Dict[str, Callable[[], Library]] = {"torch": _torch, "cupy": _cupy}


def library(X: Any, name: str) -> Library:
    """The library that X is of."""
    for kind in type(X).__mro__:
        made = LIBRARIES.get(kind.__module__.partition(".")[0])
        if made:
            return made()
    raise _refused(name, X, "is of a library that spdml cannot ask for a new array; hand it over as "
                            "torch.from_dlpack(X) or cupy.asarray(X), which copy nothing")
