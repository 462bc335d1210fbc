"""Arrays of files by the library, through the shared libspdml-data beside libspdml."""

import ctypes
import os
import pathlib

import numpy as np
import pytest

DIMS = 8
COMPLEX128 = 3


class Array(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("ndim", ctypes.c_size_t),
                ("shape", ctypes.c_size_t * DIMS), ("count", ctypes.c_size_t),
                ("f64", ctypes.POINTER(ctypes.c_double)), ("i64", ctypes.POINTER(ctypes.c_int64)),
                ("text", ctypes.POINTER(ctypes.c_char_p))]


class Refused(Exception):
    pass


def open_library():
    beside = pathlib.Path(os.environ["SPDML_LIBRARY"]).parent / "libspdml-data.so"
    if not beside.exists():
        pytest.skip("there is no libspdml-data.so beside libspdml.so", allow_module_level=True)
    library = ctypes.CDLL(str(beside))
    core = ctypes.CDLL(os.environ["SPDML_LIBRARY"])
    core.spd_context_new.restype = ctypes.c_void_p
    library.spd_array_read.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                                       ctypes.POINTER(ctypes.POINTER(Array))]
    core.spd_array_free.argtypes = [ctypes.POINTER(Array)]
    return library, core


LIBRARY, CORE = open_library()


def read(path, name=None):
    """The array of that name; Refused where the library refuses."""
    got = ctypes.POINTER(Array)()
    status = LIBRARY.spd_array_read(None, str(path).encode(), name.encode() if name else None,
                                    ctypes.byref(got))
    if status < 0:
        raise Refused(status)
    array = got.contents
    shape = tuple(array.shape[:array.ndim])
    if array.text:
        flat = np.array([array.text[i].decode() for i in range(array.count)], dtype=object)
    elif array.count == 0:
        flat = np.zeros(0)
    elif array.type == COMPLEX128:
        flat = np.ctypeslib.as_array(array.f64, (2 * array.count,)).copy().view(np.complex128)
    else:
        flat = np.ctypeslib.as_array(array.f64 or array.i64, (array.count,)).copy()
    CORE.spd_array_free(got)
    return flat.reshape(shape)


def pages_first(array):
    """MATLAB's dimensions as ours: pages in front, in reversed order."""
    array = np.asarray(array)
    rank = array.ndim
    return array.transpose(list(range(rank - 1, 1, -1)) + [0, 1]) if rank > 2 else array


def put_header(path):
    """The 128 bytes with which MATLAB begins a file of version 7.3."""
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created on: Mon Jan  1 00:00:00 2024 HDF5"
    with open(path, "r+b") as file:
        file.write(head.ljust(116) + bytes(8) + b"\x00\x02IM")
