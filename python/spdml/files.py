"""Sets of matrices that need not lie in memory: .npy files, and float32 arrays without a copy."""

from __future__ import annotations

import ctypes as c
import os
from typing import Any, Optional, Tuple

import numpy as np

from ._arrays import check_symmetric, doubles, real, tolerance
from ._calls import Context, call, context
from ._errors import InvalidArgumentError
from ._hermitian import extract
from ._library import Floats, Handle, StoreOptions, lib

_SYMMETRY = tolerance(0.0)


class MatrixFiles:
    """The matrices of .npy files, one after the other, as one set (p, n, n) that stays on disk.

    Each file holds (p, n, n) of float64, float32, complex128 or complex64 in C order; all are alike in
    n and type.
    `SPDML.fit`, `SPDML.transform`, `mean` and `neighbors` take such a set, or a path, or a list of
    paths, in place of an array, and read it piece by piece. symmetrize, regularize and ridge are
    repairs that are made while it is read, as the command's options of these names."""

    def __init__(self, paths: Any, *, symmetrize: bool = False, regularize: float = 0.0,
                 ridge: float = 0.0) -> None:
        names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not names or not all(isinstance(name, (str, os.PathLike)) for name in names):
            raise InvalidArgumentError("paths must be the path of an .npy file, or a list of them")
        given = (c.c_char_p * len(names))(*(os.fsencode(name) for name in names))
        options = StoreOptions(symmetrize=int(symmetrize), regularize=real(regularize, "regularize"),
                               ridge=real(ridge, "ridge"))
        self._store = Store(context())
        call(self._store.ctx, "spd_store_open", len(names), given, c.byref(options),
             c.byref(self._store.handle))

    @property
    def shape(self) -> Tuple[int, int, int]:
        p, n, _ = self._store.shape
        n //= 1 + self._store.hermitian
        return p, n, n

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Matrices first .. first+count-1 as an array of float64 or complex128; by default all from
        first on."""
        p, n = self._store.shape[:2]
        first = min(max(int(first), 0), p)
        count = p - first if count is None else min(max(int(count), 0), p - first)
        X = np.empty((count, n, n))
        call(context(), "spd_store_read", self._store.handle, first, count, doubles(X))
        return extract(X) if self._store.hermitian else X


class Store:
    """A store of the library, and what it lies in."""

    def __init__(self, ctx: Context, array: Optional[np.ndarray] = None) -> None:
        self.handle, self.array, self.ctx = Handle(), array, ctx

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            lib.spd_store_free(self.handle)

    @property
    def hermitian(self) -> bool:
        """Are they real forms of the complex matrices of files?"""
        return bool(lib.spd_store_hermitian(self.handle))

    @property
    def shape(self) -> Tuple[int, int, int]:
        n = lib.spd_store_n(self.handle)
        return lib.spd_store_p(self.handle), n, n


def _is_files(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike)) or (
        isinstance(X, (list, tuple)) and len(X) > 0
        and all(isinstance(x, (str, os.PathLike)) for x in X))


def _is_single(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float32 and X.ndim == 3 and X.size > 0 and \
        X.shape[1] == X.shape[2] and X.flags.c_contiguous


def store_of(X: Any, arrays: bool = True, check: bool = True) -> Optional[Store]:
    """The store that X is: files, or, with arrays, one of float32, which is not copied; None for all
    else. check: are the matrices symmetric? A pass over them."""
    if _is_files(X):
        X = MatrixFiles(X)
    if isinstance(X, MatrixFiles):
        if check:
            call(context(), "spd_check_store", X._store.handle, _SYMMETRY)
        return X._store
    if not arrays or not _is_single(X):
        return None
    check_symmetric(X, "X", tolerance(X))
    store = Store(context(), X)
    call(store.ctx, "spd_store_lend_float", X.shape[1], len(X), c.cast(X.ctypes.data, Floats),
         c.byref(store.handle))
    return store


def lend(X: np.ndarray) -> Store:
    """A store around an array of float64, as `matrices` gives it."""
    store = Store(context(), X)
    call(store.ctx, "spd_store_lend", X.shape[1], len(X), doubles(X), c.byref(store.handle))
    return store
