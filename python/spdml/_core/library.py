"""The shared library, the types of its headers, and the module `quick`."""

from __future__ import annotations

import ctypes as c
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import sysconfig
from typing import Any, Dict, Tuple

from .header import Header, Structure, Structures

if sys.platform != "win32":
    import resource

PARAMETERS = ("m", "nu_w", "nu_b", "k", "beta", "beta_scale", "lambda", "components",
              "dimensions", "cost", "objective")
Handle = c.c_void_p
Doubles, Ints, Longs = c.POINTER(c.c_double), c.POINTER(c.c_int), c.POINTER(c.c_int64)


class Set(Structure):
    """Matrices wherever they lie; `sets` makes them. It is valid while what it `holds` is."""
    holds: Any
    leading: Tuple[int, ...]  # dimensions of the caller's array


_PACKAGE = pathlib.Path(__file__).parents[1]
HEADERS = _PACKAGE / "include"
if not HEADERS.is_dir():  # not installed, but used from the source tree
    HEADERS = _PACKAGE.parents[1] / "include"
HEADER = Header([HEADERS / "spdml" / f"{name}.h" for name in
                 ("base", "geometry", "learn", "classify", "evaluate")], {"spd_set": Set})
structs = Structures(HEADER.types)
# Enumerations whose values have words, in the order of spd_enum.
ENUMS = [name.removeprefix("SPD_ENUM_").lower() for name in HEADER.enums["spd_enum"][:-1]]
# Not in the headers: the Euclidean mean of arrays of any shape.
_PRIVATE = {"spd_private_flat_mean": (None, (c.c_size_t,) * 3 + (Doubles,) * 3)}


def _spare_blas_threads() -> None:
    """OpenBLAS starts threads as it is loaded, and each maps a buffer; where that fails (ulimit -v)
    it tries again for ever, and the process never ends. This package has no use for them."""
    if sys.platform != "win32" and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def file_name(library: str) -> str:
    """Of a library of ours in a wheel."""
    ending = {"darwin": "0.dylib", "win32": "dll"}.get(sys.platform, "so")
    return f"lib{library}.{ending}"


def _path() -> str:
    """The library next to this file; the environment variable SPDML_LIBRARY names another."""
    own = os.environ.get("SPDML_LIBRARY")
    if own and not os.path.isfile(own):
        raise ImportError(f"SPDML_LIBRARY names {own!r}, which is not a file; unset it to use the "
                          "library of the package")
    # A path, never a name: the loader would look for that in folders of its own.
    return os.path.abspath(own) if own else str(_PACKAGE / file_name("spdml"))


def declare(library: c.CDLL, functions: Dict[str, Tuple[Any, Tuple[Any, ...]]]) -> None:
    """Results and arguments of functions of a library."""
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


def _load() -> c.CDLL:
    _spare_blas_threads()
    library = c.CDLL(_path())
    declare(library, {**HEADER.functions, **_PRIVATE})
    return library


lib = _load()


def value(of: str, word: str) -> int:
    """The library's number of a word of one of its enumerations; below 0 if it knows none."""
    return int(lib.spd_parse(None, ENUMS.index(of), word.encode()))


# ---- the module quick ---------------------------------------------------------------------------

_BOUND = ("spd_context_set_threads", "spd_context_set_engine", "spd_context_set_progress",
          "spd_distance2", "spd_pairwise2", "spd_mean", "spd_geodesics", "spd_apply",
          "spd_congruence", "spd_cholesky", "spd_inverse", "spd_eigh_general", "spd_private_flat_mean")


def _load_quick() -> Any:
    """The module of python/quick/quick.c, which is beside the library, bound to it; None if there is
    none for this interpreter: before Python 3.11, and without a global lock, of which the stable
    interface knows nothing."""
    path = pathlib.Path(lib._name).with_name("_quick.abi3.so")
    if sys.version_info < (3, 11) or os.environ.get("SPDML_QUICK") == "0" or not path.is_file() or \
            sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    loader = importlib.machinery.ExtensionFileLoader("spdml._core._quick", str(path))
    spec = importlib.util.spec_from_loader("spdml._core._quick", loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:  # by another interpreter than CPython, or a damaged file: slower, not wrong
        return None
    module.bind(tuple(c.cast(getattr(lib, name), c.c_void_p).value for name in _BOUND))
    return module


quick = _load_quick()
