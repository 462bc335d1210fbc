"""Sets of matrices that need not lie in memory: .npy files, and float32 arrays without a copy."""

from __future__ import annotations

import ctypes as c
import os
from typing import Any, Optional, Tuple

import numpy as np

from ._core.arrays import check_symmetric, doubles, real, SYMMETRY, tolerance
from ._core.calls import call, context
from ._core.hermitian import extract
from ._core.library import lib, Set, structs
from ._core.sets import host
from .exceptions import InvalidArgumentError

__all__ = ["MatrixFiles"]


class MatrixFiles:
    """The matrices of .npy files, one after the other, as one set (p, n, n) that stays on disk.

    Each file holds (p, n, n) of float64, float32, complex128 or complex64 in C order; all are alike in
    n and type.
    `SPDML.fit`, `SPDML.transform`, `mean` and `neighbors` take such a set, or a path, or a list of
    paths, in place of an array, and read it piece by piece.

    Parameters
    ----------
    paths : str, path, or list of these
        The files.
    symmetrize : bool
        Matrices that are not symmetric are replaced by their symmetric parts as they are read.
    regularize : float
        What is added to diagonals as they are read, relative to them, as by `spdml.regularize`.

    Examples
    --------
    >>> import os, tempfile, numpy as np, spdml
    >>> path = os.path.join(tempfile.mkdtemp(), "X.npy")
    >>> np.save(path, np.array([np.eye(2), 3 * np.eye(2)]))
    >>> spdml.mean(spdml.MatrixFiles(path), "euclidean")
    array([[2., 0.],
           [0., 2.]])
    """

    def __init__(self, paths: Any, *, symmetrize: bool = False, regularize: float = 0.0) -> None:
        names = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not names or not all(isinstance(name, (str, os.PathLike)) for name in names):
            raise InvalidArgumentError("paths must be the path of an .npy file, or a list of them")
        given = (c.c_char_p * len(names))(*(os.fsencode(name) for name in names))
        options = structs.set_options(symmetrize=int(symmetrize), regularize=real(regularize, "regularize"))
        opened = _Opened()
        call(context(), "spd_set_open", len(names), given, c.byref(options), c.byref(opened.pointer))
        self._set: Set = opened.pointer.contents
        self._set.holds = opened

    @property
    def shape(self) -> Tuple[int, int, int]:
        n = self._set.n // (1 + self._set.hermitian)
        return self._set.p, n, n

    def __len__(self) -> int:
        return int(self._set.p)

    def read(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Some of the matrices.

        Parameters
        ----------
        first : int
            Number of the first.
        count : int, optional
            How many; by default all that follow.

        Returns
        -------
        array, shape (count, n, n)
            Of float64 or complex128.
        """
        p, n = self._set.p, self._set.n
        first = min(max(int(first), 0), p)
        count = p - first if count is None else min(max(int(count), 0), p - first)
        X = np.empty((count, n, n))
        call(context(), "spd_set_read", self._set, first, count, doubles(X))
        return extract(X) if self._set.hermitian else X


class _Opened:
    """Frees a set of files; it is there before the set is, since Ctrl-C may be raised at any place."""

    def __init__(self) -> None:
        self.pointer = c.POINTER(Set)()

    def __del__(self) -> None:
        lib.spd_set_free(self.pointer)


def _is_files(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike)) or (
        isinstance(X, (list, tuple)) and len(X) > 0
        and all(isinstance(x, (str, os.PathLike)) for x in X))


def _is_single(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.float32 and X.ndim == 3 and X.size > 0 and \
        X.shape[1] == X.shape[2] and X.flags.c_contiguous


def stored_set(X: Any, arrays: bool = True, check: bool = True) -> Optional[Set]:
    """The set that X is: files, or, with arrays, one of float32, which is not copied; None for all
    else. check: are the matrices symmetric? A pass over them."""
    if _is_files(X):
        X = MatrixFiles(X)
    if isinstance(X, MatrixFiles):
        if check:
            call(context(), "spd_check", X._set, SYMMETRY)
        return X._set
    if not arrays or not _is_single(X):
        return None
    check_symmetric(X, "X", tolerance(X))
    return host(X)
