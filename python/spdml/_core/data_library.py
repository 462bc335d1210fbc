"""libspdml-data, which reads files, and the types of its header. It is loaded when it is first asked for:
the wheel spdml holds libspdml alone, the wheel spdml-data this one."""

from __future__ import annotations

import ctypes as c
import functools
import importlib.util
import os
import pathlib

from .header import Header, Structures
from .library import declare, file_name, HEADER as LIBRARY, HEADERS


HEADER = Header([HEADERS / "spdml-data.h"], LIBRARY.types)
structs = Structures(HEADER.types)


def _path() -> pathlib.Path:
    """The library beside libspdml, or that of the package spdml-data."""
    own = os.environ.get("SPDML_LIBRARY")
    folder = pathlib.Path(os.path.abspath(own)).parent if own else pathlib.Path(__file__).parents[1]
    path = folder / file_name("spdml-data")
    added = None if own or path.is_file() else importlib.util.find_spec("spdml_data")
    if added and added.origin:
        path = pathlib.Path(added.origin).with_name(path.name)
    if not path.is_file():
        raise ImportError(f"describe needs libspdml-data, which is not there ({path}): pip install "
                          "'spdml[data]' (where the source tree has moved: pip install ./packaging/data "
                          "in it), or let SPDML_LIBRARY name the libspdml.so of a build that has both")
    return path


@functools.lru_cache(maxsize=None)
def data_library() -> c.CDLL:
    """libspdml-data, which finds libspdml by its name: it is loaded."""
    library = c.CDLL(str(_path()))
    declare(library, HEADER.functions)
    return library
