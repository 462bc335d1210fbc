"""The shared library and the types of its header, as ctypes sees them.

The structures repeat include/spdml.h field by field; tests/python compares sizes and offsets with
what a C compiler makes of the header."""

from __future__ import annotations

import ctypes as c
import os
import pathlib

PARAMETERS = ("m", "nu_w", "nu_b", "k", "beta", "beta_scale", "lambda", "components",
              "dimensions", "cost")
MAX_DIMS = 8
METHOD_NAME = 64

Double, Size, Int, Text = c.c_double, c.c_size_t, c.c_int, c.c_char_p
Doubles = c.POINTER(Double)
Ints = c.POINTER(Int)
Longs = c.POINTER(c.c_int64)
Handle = c.c_void_p


class Error(c.Structure):
    _fields_ = [("status", Int), ("index", Size), ("value", Double), ("message", c.c_char * 512),
                ("remedy", c.c_uint), ("remedy_value", Double)]


class Progress(c.Structure):
    _fields_ = [("task", Text), ("unit", Text), ("done", Double), ("total", Double)]


class NearestInfo(c.Structure):
    _fields_ = [("pairs", Double), ("exact", Double), ("pruned", Double)]


class MeanInfo(c.Structure):
    _fields_ = [("iterations", Int), ("residual", Double), ("converged", Int)]


class FitOptions(c.Structure):
    _fields_ = [
        ("size", Size), ("m", Size), ("metric", Int), ("learning", Int), ("objective", Int),
        ("nu_w", Size), ("nu_b", Size), ("graph", Int), ("affinity_weight", Double),
        ("pairs", Size), ("own_pairs", c.c_void_p), ("init", Int), ("W", Doubles),
        ("restarts", Int), ("seed", c.c_uint64), ("solver", Int), ("transport", Int),
        ("tol", Double), ("gtol", Double), ("max_iter", Int), ("max_time", Double),
    ]


class FitStep(c.Structure):
    _fields_ = [("cost", Double), ("gradient_norm", Double), ("step", Double),
                ("seconds", Double), ("probes", Int)]


class Model(c.Structure):
    _fields_ = [
        ("n", Size), ("m", Size), ("W", Doubles), ("options", c.POINTER(FitOptions)),
        ("pairs_within", Size), ("pairs_between", Size), ("cost_start", Double),
        ("cost", Double), ("gradient_norm", Double), ("iterations", Int), ("data_passes", Size),
        ("stop", Int), ("seconds_graph", Double), ("seconds_fit", Double), ("steps", Size),
        ("history", c.POINTER(FitStep)), ("version", Text),
    ]


class Method(c.Structure):
    _fields_ = [("classifier", Int), ("map", Int), ("metric", Int), ("normalize_kernel", Int),
                ("value", Double * len(PARAMETERS)), ("fit", c.POINTER(FitOptions))]


class Samples(c.Structure):
    _fields_ = [("p", Size), ("n", Size), ("X", Doubles), ("height", Size), ("width", Size),
                ("V", Doubles), ("classes", Size), ("label", Ints)]


class CovarianceOptions(c.Structure):
    _fields_ = [("shrinkage", Int), ("shrink", Double), ("regularize", Double), ("m", Size),
                ("W", Doubles), ("n", Size)]


ProgressFn = c.CFUNCTYPE(Int, c.c_void_p, c.POINTER(Progress))
FitFn = c.CFUNCTYPE(Int, c.c_void_p, c.c_void_p, c.POINTER(FitStep), Int)


class FitWatch(c.Structure):
    _fields_ = [("size", Size), ("resume", Handle), ("after", FitFn), ("user", c.c_void_p)]


# name: result, arguments. Functions whose first argument is a context return a status unless said.
PROTOTYPES = {
    "spd_context_new": (Handle, []),
    "spd_context_free": (None, [Handle]),
    "spd_context_set_threads": (None, [Handle, Int]),
    "spd_context_set_progress": (None, [Handle, ProgressFn, c.c_void_p]),
    "spd_context_error": (c.POINTER(Error), [Handle]),
    "spd_version": (Text, []),
    "spd_isa_name": (Text, []),
    "spd_check": (Int, [Handle, Size, Size, Doubles, Double]),
    "spd_regularize": (None, [Size, Size, Doubles, Double, Double]),
    "spd_congruence": (Int, [Handle, Size, Size, Size, Doubles, Doubles, Doubles]),
    "spd_metric_name": (Text, [Int]),
    "spd_metric_parse": (Int, [Handle, Text, Ints]),
    "spd_pairwise2": (Int, [Handle, Int, Size, Size, Doubles, Size, Doubles, Doubles]),
    "spd_nearest": (Int, [Handle, Int, Size, Size, Doubles, Size, Doubles, Size, Int, Longs,
                          Doubles, c.POINTER(NearestInfo)]),
    "spd_mean": (Int, [Handle, Int, Size, Size, Doubles, Doubles, Double, Int, Doubles,
                       c.POINTER(MeanInfo)]),
    "spd_geodesic": (Int, [Handle, Int, Size, Doubles, Doubles, Double, Doubles]),
    "spd_apply": (Int, [Handle, Int, Double, Size, Size, Doubles, Doubles]),
    "spd_kernel": (Int, [Handle, Int, Double, Size, Size, Doubles, Size, Doubles, Doubles]),
    "spd_fit_defaults": (None, [c.POINTER(FitOptions), Size]),
    "spd_solver_parse": (Int, [Handle, Text, Ints]),
    "spd_objective_parse": (Int, [Handle, Text, Ints]),
    "spd_graph_parse": (Int, [Handle, Text, Ints]),
    "spd_init_parse": (Int, [Handle, Text, Ints]),
    "spd_stop_name": (Text, [Int]),
    "spd_solver_name": (Text, [Int]),
    "spd_objective_name": (Text, [Int]),
    "spd_graph_name": (Text, [Int]),
    "spd_fit": (Int, [Handle, Size, Size, Doubles, Ints, c.POINTER(FitOptions),
                      c.POINTER(FitWatch), c.POINTER(c.POINTER(Model))]),
    "spd_model_free": (None, [c.POINTER(Model)]),
    "spd_model_save": (Int, [Handle, c.POINTER(Model), Text]),
    "spd_model_load": (Int, [Handle, Text, c.POINTER(c.POINTER(Model))]),
    "spd_method_parse": (Int, [Handle, Text, c.POINTER(Method)]),
    "spd_method_name": (None, [c.POINTER(Method), Text]),
    "spd_method_uses": (Int, [c.POINTER(Method), Int]),
    "spd_method_on_vectors": (Int, [c.POINTER(Method)]),
    "spd_classifier_fit": (Int, [Handle, c.POINTER(Method), c.POINTER(Samples), c.POINTER(Model),
                                 c.POINTER(Handle)]),
    "spd_classifier_predict": (Int, [Handle, Handle, c.POINTER(Samples), Ints]),
    "spd_classifier_method": (c.POINTER(Method), [Handle]),
    "spd_classifier_free": (None, [Handle]),
    "spd_covariance": (Int, [Handle, Size, Size, Doubles, c.POINTER(CovarianceOptions), Doubles]),
}


def _load() -> c.CDLL:
    """The library next to this file; the environment variable SPDML_LIBRARY names another."""
    path = os.environ.get("SPDML_LIBRARY")
    library = c.CDLL(path or str(pathlib.Path(__file__).with_name("libspdml.so")))
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()
