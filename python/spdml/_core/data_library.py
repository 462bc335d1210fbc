"""libspdml-data, which reads files, and the types of its header as ctypes sees them. It is loaded when
it is first asked for: the wheel spdml holds libspdml alone, the wheel spdml-data this one."""

from __future__ import annotations

import ctypes as c
import functools
import importlib.util
import os
import pathlib

from .library import (CovarianceOptions, Double, Doubles, Error, Handle, Int, Ints, Longs, MAX_DIMS,
                       Size, Text, file_name)


class Array(c.Structure):
    _fields_ = [("name", Text), ("type", Int), ("ndim", Size), ("shape", Size * MAX_DIMS),
                ("count", Size), ("f64", Doubles), ("i64", Longs), ("text", c.POINTER(Text))]


class DataSet(c.Structure):
    _fields_ = [("p", Size), ("n", Size), ("X", Doubles), ("classes", Size), ("label", Ints),
                ("class_name", c.POINTER(Text)), ("y", c.POINTER(Array)), ("columns", Size),
                ("column", c.POINTER(c.POINTER(Array))), ("source", Text), ("meta", Text),
                ("x", c.POINTER(Array)), ("hermitian", c.c_int), ("blocks", Size),
                ("mean", Doubles), ("observations", Doubles)]


class Rect(c.Structure):
    _fields_ = [("x", Size), ("y", Size), ("width", Size), ("height", Size)]


class DescribeOptions(c.Structure):
    _fields_ = [
        ("size", Size), ("covariance", CovarianceOptions), ("labels", Int), ("index", Text),
        ("pattern", Text), ("x_name", Text), ("y_name", Text), ("keep_going", Int),
        ("width", Size), ("height", Size), ("grey", Int), ("keep_images", Int), ("step", Size),
        ("bin", Size), ("smooth", Double), ("scales", Size), ("orientations", Size),
        ("kmax", Double), ("spacing", Double), ("sigma", Double), ("regions", Int),
        ("grid_rows", Size), ("grid_columns", Size), ("rects", Size), ("rect", c.POINTER(Rect)),
        ("asf", Text), ("center_root", Int), ("first_frame", Size), ("last_frame", Size),
        ("pyramid", Size), ("rate", Double), ("window", Double), ("stride", Double),
        ("bands", Size), ("band", Doubles), ("order", Size), ("group", Text),
        ("channels_first", Int), ("channels", Text), ("events", Text), ("epoch_from", Double),
        ("epoch_to", Double), ("event_names", Text), ("overlap", Int), ("unit_range", Int),
        ("every", Size),
    ]


class Failures(c.Structure):
    _fields_ = [("count", Size), ("input", c.POINTER(Text)),
                ("error", c.POINTER(c.POINTER(Error))), ("others", Size),
                ("other", c.POINTER(Text)), ("few", Size), ("fewest", Size),
                ("fewest_rows", Size), ("events_cut", Size), ("times", Size),
                ("time_column", c.c_char * 64)]


PROTOTYPES = {
    "spd_describe_defaults": (None, [Int, c.POINTER(DescribeOptions), Size]),
    "spd_describe": (Int, [Handle, Int, Size, c.POINTER(Text), c.POINTER(DescribeOptions),
                           c.POINTER(c.POINTER(DataSet)), c.POINTER(c.POINTER(Failures))]),
    "spd_data_free": (None, [c.POINTER(DataSet)]),
    "spd_describe_info_free": (None, [c.POINTER(Failures)]),
}


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
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library
