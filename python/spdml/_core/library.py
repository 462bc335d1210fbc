"""The shared library and the types of its header, as ctypes sees them; and the module `quick`.

The structures repeat include/spdml/ field by field; tests/python compares sizes and offsets with
what a C compiler makes of the header."""

from __future__ import annotations

import ctypes as c
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import sysconfig
from typing import Any, Tuple

if sys.platform != "win32":
    import resource


# Enumerations whose values have words, in the order of spd_enum.
ENUMS = ("engine", "remedy", "metric", "search", "function", "kernel", "type", "objective",
         "log_cost", "graph", "learning", "init", "coordinates", "solver", "transport", "stop",
         "kind", "classifier", "map", "parameter", "holding", "protocol", "fold_rule", "remark",
         "embedding", "shrinkage", "descriptor", "regions", "label_source", "synth", "normalization",
         "recentering")
PARAMETERS = ("m", "nu_w", "nu_b", "k", "beta", "beta_scale", "lambda", "components",
              "dimensions", "cost", "objective")
MAX_DIMS = 8
METHOD_NAME = 64
PARAMETER_ROOM = 32

Double, Size, Int, Text = c.c_double, c.c_size_t, c.c_int, c.c_char_p
Doubles = c.POINTER(Double)
Ints = c.POINTER(Int)
Longs = c.POINTER(c.c_int64)
Sizes = c.POINTER(Size)
Handle = c.c_void_p
EvaluateFn = c.CFUNCTYPE(Int, c.c_void_p, c.c_void_p, Size, Size)


class Error(c.Structure):
    _fields_ = [("status", Int), ("index", Size), ("value", Double), ("message", c.c_char * 512),
                ("remedy", c.c_uint), ("remedy_value", Double)]


class Progress(c.Structure):
    _fields_ = [("task", Text), ("unit", Text), ("done", Double), ("total", Double)]


class FitOptions(c.Structure):
    _fields_ = [
        ("size", Size), ("m", Size), ("metric", Int), ("learning", Int), ("objective", Int),
        ("nu_w", Size), ("nu_b", Size), ("graph", Int), ("affinity_weight", Double),
        ("pairs", Size), ("own_pairs", c.c_void_p), ("init", Int), ("W", Doubles),
        ("restarts", Int), ("seed", c.c_uint64), ("solver", Int), ("transport", Int),
        ("tol", Double), ("gtol", Double), ("max_iter", Int), ("max_time", Double),
        ("log_cost", Int), ("coordinates", Int), ("rebuild_graph", Int), ("paper", Int),
        ("search", Int), ("recall", Double), ("candidates", Size), ("hermitian", Int),
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
        ("history", c.POINTER(FitStep)), ("version", Text), ("starts", Int), ("rounds", Int),
        ("pairs_changed", Size), ("passes_each", Int),
    ]


class Sized(c.Structure):
    """A structure that begins with its own size."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(c.sizeof(type(self)), *values, **named)


class Set(Sized):
    """Matrices wherever they lie; `_sets` makes them. It is valid while what it `holds` is."""
    _fields_ = [("size", Size), ("n", Size), ("p", Size), ("X", c.c_void_p), ("type", Int),
                ("hermitian", Int), ("place", Int), ("device", Int), ("stream", c.c_void_p),
                ("files", c.c_void_p)]
    holds: Any
    leading: Tuple[int, ...]  # dimensions of the caller's array


class SetOptions(Sized):
    _fields_ = [("size", Size), ("symmetrize", Int), ("regularize", Double), ("ridge", Double)]


class NearestOptions(Sized):
    _fields_ = [("size", Size), ("search", Int), ("brute", Int), ("seed", c.c_uint64), ("recall", Double),
                ("index", c.c_void_p)]


class MeanOptions(Sized):
    _fields_ = [("size", Size), ("weights", Doubles), ("tol", Double), ("max_iter", Int)]


class Explanation(Sized):
    _fields_ = [("size", Size), ("weight", Doubles), ("carried", Doubles), ("kept", Doubles),
                ("pattern", Doubles), ("variance", Doubles)]


class Method(Sized):
    _fields_ = [("size", Size), ("classifier", Int), ("map", Int), ("metric", Int), ("normalize_kernel", Int),
                ("value", Double * PARAMETER_ROOM), ("fit", c.POINTER(FitOptions)),
                ("no_occlusion", Int), ("normalize", Int), ("recenter", Int), ("balance", Int),
                ("automatic", Size)]


class Samples(Sized):
    _fields_ = [("size", Size), ("p", Size), ("n", Size), ("X", Doubles), ("height", Size),
                ("width", Size), ("V", Doubles), ("classes", Size), ("label", Ints),
                ("hermitian", Int), ("blocks", Size), ("mean", Doubles), ("observations", Doubles),
                ("class_name", c.POINTER(Text)), ("group", Ints), ("fold_group", Ints),
                ("target", Doubles)]


class Facts(Sized):
    _fields_ = [("size", Size), ("n", Size), ("m", Size), ("height", Size), ("width", Size),
                ("classes", Size), ("trained", Size), ("holding", Int), ("held", Size),
                ("score", Text), ("score_falls", Int), ("hermitian", Int), ("regression", Int),
                ("r2", Double), ("error", Double), ("missed", Double),
                ("scale_low", Double), ("scale_high", Double)]


class Notes(Sized):
    _fields_ = [("size", Size), ("classes", Size), ("class_name", c.POINTER(Text)),
                ("label_type", Int), ("made", Text), ("settings", Size), ("folds", Int),
                ("accuracy", Double), ("accuracy_no_map", Double), ("version", Text),
                ("unnamed", Int), ("group_column", Text), ("groups", Size),
                ("group_name", c.POINTER(Text))]


class Grid(c.Structure):
    _fields_ = [("count", Size * PARAMETER_ROOM), ("value", Doubles * PARAMETER_ROOM)]


class EvaluateOptions(c.Structure):
    _fields_ = [
        ("size", Size), ("methods", Size), ("method", c.POINTER(c.POINTER(Method))),
        ("protocol", Int), ("repeats", Size), ("fraction", Double), ("per_class", Size),
        ("train", c.c_void_p), ("test", c.c_void_p), ("group", Ints), ("folds", Int),
        ("fold_rule", Int), ("fold_group", Ints), ("grid", c.POINTER(Grid)), ("seed", c.c_uint64),
        ("after", EvaluateFn), ("user", c.c_void_p), ("exhaustive", Int), ("outer_folds", Int),
        ("auc", Int), ("calibration", Double), ("calibration_unlabeled", Int),
        ("seconds", Double), ("rounds", Size),
    ]


class Tuning(Sized):
    _fields_ = [("size", Size), ("folds", Int), ("group", Ints), ("seed", c.c_uint64),
                ("grid", c.POINTER(Grid)), ("exhaustive", Int), ("seconds", Double)]


class Tuned(Sized):
    _fields_ = [("size", Size), ("settings", Size), ("folds", Int), ("accuracy", Double),
                ("seconds", Double), ("accuracy_no_map", Double), ("fits", Size),
                ("iterations", Size)]


class Candidate(c.Structure):
    _fields_ = [("name", c.c_char * METHOD_NAME), ("method", Method), ("settings", Size), ("folds", Int),
                ("accuracy", Double), ("seconds", Double), ("late", Int), ("left", Double),
                ("message", c.c_char * 200)]


class League(c.Structure):
    _fields_ = [("candidates", Size), ("candidate", c.POINTER(c.POINTER(Candidate))), ("chosen", Size),
                ("tested", Size), ("folds", Int), ("accuracy", Double), ("low", Double),
                ("high", Double), ("seconds", Double), ("seed", c.c_uint64)]


class Round(c.Structure):
    _fields_ = [("group", Int), ("train_count", Size), ("test_count", Size), ("train", Sizes),
                ("test", Sizes), ("calibration_count", Size), ("calibration", Sizes)]


class Outcome(c.Structure):
    _fields_ = [
        ("value", Double * PARAMETER_ROOM), ("correct", Size), ("accuracy", Double),
        ("balanced", Double), ("settings", Size), ("folds", Int), ("cv_accuracy", Double),
        ("tune_seconds", Double), ("fit_seconds", Double), ("test_seconds", Double),
        ("predicted", Ints), ("model", c.POINTER(Model)), ("cv_accuracy_no_map", Double),
        ("tune_fits", Size), ("tune_iterations", Size), ("kappa", Double), ("macro_f1", Double),
        ("auc", Double), ("chosen", Method), ("expected", Double), ("expected_low", Double),
        ("expected_high", Double),
    ]


class MethodResult(c.Structure):
    _fields_ = [
        ("name", c.c_char * METHOD_NAME), ("accuracy", Double), ("accuracy_deviation", Double),
        ("balanced", Double), ("balanced_deviation", Double), ("tune_seconds", Double),
        ("fit_seconds", Double), ("test_seconds", Double), ("confusion", Longs),
        ("p_value", Doubles), ("outcome", c.POINTER(c.POINTER(Outcome))), ("kappa", Double),
        ("kappa_deviation", Double), ("macro_f1", Double), ("macro_f1_deviation", Double),
        ("auc", Double), ("auc_deviation", Double),
    ]


class ResultField(c.Structure):
    _fields_ = [("name", c.c_char_p), ("label", c.c_char_p), ("type", Int), ("percent", Int),
                ("outcome", Size), ("mean", Size), ("deviation", Size)]


class Remark(c.Structure):
    _fields_ = [("kind", Int), ("round", Size), ("count", Size), ("total", Size), ("label", Int)]


class EmbedOptions(Sized):
    _fields_ = [("size", Size), ("kind", Int), ("metric", Int), ("k", Size), ("dimensions", Size),
                ("ridge", Double), ("bandwidth", Double), ("perplexity", Double),
                ("theta", Double), ("iterations", Size), ("seed", c.c_uint64)]


class EmbedInfo(Sized):
    _fields_ = [("size", Size), ("explained", Double), ("bandwidth", Double),
                ("divergence", Double), ("perplexity", Double), ("theta", Double),
                ("iterations", Size)]


class Pair(c.Structure):
    _fields_ = [("i", c.c_uint32), ("j", c.c_uint32), ("within", Double), ("between", Double)]


class Evaluation(c.Structure):
    _fields_ = [
        ("rounds", Size), ("methods", Size), ("classes", Size),
        ("round", c.POINTER(c.POINTER(Round))), ("method", c.POINTER(c.POINTER(MethodResult))),
        ("repeats_samples", Int), ("folds_grouped", Int), ("least_folds", Int),
        ("most_folds", Int), ("remarks", Size), ("remark", c.POINTER(c.POINTER(Remark))),
    ]


class CovarianceOptions(c.Structure):
    _fields_ = [("shrinkage", Int), ("shrink", Double), ("regularize", Double), ("m", Size),
                ("W", Doubles), ("n", Size), ("reserved", Double * 8)]


ProgressFn = c.CFUNCTYPE(Int, c.c_void_p, c.POINTER(Progress))
FitFn = c.CFUNCTYPE(Int, c.c_void_p, c.c_void_p, c.POINTER(FitStep), Int)


class FitWatch(c.Structure):
    _fields_ = [("size", Size), ("resume", Handle), ("after", FitFn), ("user", c.c_void_p)]


# name: result, arguments. Functions whose first argument is a context return a status unless said.
PROTOTYPES = {
    "spd_result_field_at": (c.POINTER(ResultField), [Size]),
    "spd_context_new": (Handle, []),
    "spd_context_free": (None, [Handle]),
    "spd_context_set_threads": (None, [Handle, Int]),
    "spd_context_set_engine": (None, [Handle, Int]),
    "spd_context_set_memory": (None, [Handle, Double]),
    "spd_context_set_progress": (None, [Handle, ProgressFn, c.c_void_p]),
    "spd_context_error": (c.POINTER(Error), [Handle]),
    "spd_version": (Text, []),
    "spd_name": (Text, [Int, Int]),
    "spd_parse": (Int, [Handle, Int, Text]),
    "spd_isa_name": (Text, []),
    "spd_isa_check": (Int, [Handle]),
    "spd_set_open": (Int, [Handle, Size, c.POINTER(c.c_char_p), c.POINTER(SetOptions),
                           c.POINTER(c.POINTER(Set))]),
    "spd_set_free": (None, [c.POINTER(Set)]),
    "spd_set_read": (Int, [Handle, c.POINTER(Set), Size, Size, Doubles]),
    "spd_check": (Int, [Handle, c.POINTER(Set), Double]),
    "spd_regularize": (None, [Size, Size, Doubles, Double, Double]),
    "spd_cholesky": (Int, [Handle, c.POINTER(Set), Doubles]),
    "spd_inverse": (Int, [Handle, c.POINTER(Set), Doubles]),
    "spd_logdet": (Int, [Handle, c.POINTER(Set), Doubles]),
    "spd_eigh": (Int, [Handle, c.POINTER(Set), Doubles, Doubles]),
    "spd_eigh_general": (Int, [Handle, c.POINTER(Set), c.POINTER(Set), Doubles, Doubles]),
    "spd_congruence": (Int, [Handle, c.POINTER(Set), Size, Doubles, Doubles]),
    "spd_distance2": (Int, [Handle, Int, Size, Doubles, Doubles, Doubles]),
    "spd_pairwise2": (Int, [Handle, Int, c.POINTER(Set), c.POINTER(Set), Doubles]),
    "spd_nearest": (Int, [Handle, Int, c.POINTER(Set), c.POINTER(Set), Size, c.POINTER(NearestOptions),
                           Longs, Doubles, c.c_void_p]),
    "spd_index_make": (Int, [Handle, Int, c.POINTER(Set), c.c_uint64, c.POINTER(c.c_void_p)]),
    "spd_index_save": (Int, [Handle, c.c_void_p, Text]),
    "spd_index_load": (Int, [Handle, Text, c.POINTER(c.c_void_p)]),
    "spd_index_free": (None, [c.c_void_p]),
    "spd_mean": (Int, [Handle, Int, c.POINTER(Set), c.POINTER(MeanOptions), Doubles, c.c_void_p]),
    "spd_geodesics": (Int, [Handle, Int, c.POINTER(Set), c.POINTER(Set), Size, Doubles, Doubles]),
    "spd_apply": (Int, [Handle, Int, Double, c.POINTER(Set), Doubles]),
    "spd_spectrum_size": (Size, [Size, Size]),
    "spd_apply_spectrum": (Int, [Handle, Int, Double, c.POINTER(Set), c.c_void_p, c.c_void_p]),
    "spd_apply_derivative": (Int, [Handle, Int, Double, c.c_void_p, c.POINTER(Set), c.c_void_p]),
    "spd_congruence_gradient": (Int, [Handle, c.POINTER(Set), Size, c.c_void_p, c.c_void_p,
                                      c.c_void_p, c.c_void_p]),
    "spd_pairs_gradient": (Int, [Handle, Int, c.POINTER(Set), Size, c.c_void_p, c.c_void_p,
                                 c.c_void_p, c.c_void_p]),
    "spd_kernel": (Int, [Handle, Int, Double, c.POINTER(Set), c.POINTER(Set), Doubles]),
    "spd_explain": (Int, [Handle, Size, Size, Doubles, Doubles, c.POINTER(Explanation)]),
    "spd_classifier_weights": (Doubles, [Handle]),
    "spd_fit_defaults": (None, [c.POINTER(FitOptions), Size]),
    "spd_engine_device": (Int, [Handle, Int, Size, c.c_char_p]),
    "spd_context_device_calls": (Size, [Handle]),
    "spd_fit": (Int, [Handle, c.POINTER(Set), Ints, c.POINTER(FitOptions),
                      c.POINTER(FitWatch), c.POINTER(c.POINTER(Model))]),
    "spd_fit_resolve": (None, [c.POINTER(FitOptions)]),
    "spd_affinity": (Int, [Handle, c.POINTER(Set), Ints, c.POINTER(FitOptions),
                           c.POINTER(c.POINTER(Pair)), Sizes]),
    "spd_pairs_free": (None, [c.POINTER(Pair)]),
    "spd_cost": (Int, [Handle, c.POINTER(Set), c.POINTER(FitOptions), Doubles, Doubles]),
    "spd_recenter": (Int, [Handle, Int, Size, Size, Doubles, Ints, Doubles]),
    "spd_embed": (Int, [Handle, c.POINTER(EmbedOptions), Size, Size, Doubles, Doubles, Doubles,
                        c.POINTER(EmbedInfo)]),
    "spd_model_free": (None, [c.POINTER(Model)]),
    "spd_model_save": (Int, [Handle, c.POINTER(Model), Text]),
    "spd_model_gain": (Double, [c.POINTER(Model)]),
    "spd_model_load": (Int, [Handle, Text, c.POINTER(c.POINTER(Model))]),
    "spd_model_pack": (Int, [Handle, c.POINTER(Model), c.POINTER(c.c_void_p), c.POINTER(Size)]),
    "spd_model_unpack": (Int, [Handle, c.c_char_p, Size, c.POINTER(c.POINTER(Model))]),
    "spd_method_parse": (Int, [Handle, Text, c.POINTER(Method)]),
    "spd_method_name": (None, [c.POINTER(Method), Text]),
    "spd_method_uses": (Int, [c.POINTER(Method), Int]),
    "spd_method_on_vectors": (Int, [c.POINTER(Method)]),
    "spd_classifier_fit": (Int, [Handle, c.POINTER(Method), c.POINTER(Samples), c.POINTER(Model),
                                 c.POINTER(Handle)]),
    "spd_classifier_predict": (Int, [Handle, Handle, c.POINTER(Samples), Ints]),
    "spd_classifier_scores": (Int, [Handle, Handle, c.POINTER(Samples), Ints, Doubles]),
    "spd_classifier_left_out": (Int, [Handle, Handle, Doubles]),
    "spd_classifier_info": (Int, [Handle, Handle, c.POINTER(Facts)]),
    "spd_classifier_set_metadata": (Int, [Handle, Handle, c.POINTER(Notes)]),
    "spd_classifier_metadata": (c.POINTER(Notes), [Handle]),
    "spd_classifier_save": (Int, [Handle, Handle, Text]),
    "spd_classifier_load": (Int, [Handle, Text, c.POINTER(Handle)]),
    "spd_classifier_pack": (Int, [Handle, Handle, c.POINTER(c.c_void_p), c.POINTER(Size)]),
    "spd_classifier_unpack": (Int, [Handle, c.c_char_p, Size, c.POINTER(Handle)]),
    "spd_bytes_free": (None, [c.c_void_p]),
    "spd_classifier_method": (c.POINTER(Method), [Handle]),
    "spd_classifier_free": (None, [Handle]),
    "spd_tune": (Int, [Handle, c.POINTER(Method), c.POINTER(Samples), c.POINTER(Tuning),
                       c.POINTER(Tuned)]),
    "spd_tune_auto": (Int, [Handle, c.POINTER(Method), c.POINTER(Samples), c.POINTER(Tuning),
                            c.POINTER(Tuned), c.POINTER(c.POINTER(League))]),
    "spd_league_free": (None, [c.POINTER(League)]),
    "spd_evaluate_defaults": (None, [c.POINTER(EvaluateOptions), Size]),
    "spd_evaluate": (Int, [Handle, c.POINTER(Samples), c.POINTER(EvaluateOptions),
                           c.POINTER(c.POINTER(Evaluation))]),
    "spd_evaluation_free": (None, [c.POINTER(Evaluation)]),
    "spd_covariance": (Int, [Handle, Size, Size, Doubles, c.POINTER(CovarianceOptions), Doubles]),
    "spd_covariances": (Int, [Handle, Size, Size, Size, Doubles, c.POINTER(CovarianceOptions),
                              Doubles]),
}
# Not in the header: the Euclidean mean of arrays of any shape.
PRIVATE = {
    "spd_private_flat_mean": (None, [Size, Size, Size, Doubles, Doubles, Doubles]),
}


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
    return os.path.abspath(own) if own else str(pathlib.Path(__file__).parents[1] / file_name("spdml"))


def _load() -> c.CDLL:
    _spare_blas_threads()
    library = c.CDLL(_path())
    for name, (result, arguments) in {**PROTOTYPES, **PRIVATE}.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _load()


def value(of: str, word: str) -> int:
    """The library's number of a word of one of its enumerations; below 0 if it knows none."""
    return int(lib.spd_parse(None, ENUMS.index(of), word.encode()))


# ---- the module quick ---------------------------------------------------------------------------

_BOUND = ("spd_context_set_threads", "spd_context_set_engine", "spd_context_set_progress",
          "spd_distance2", "spd_pairwise2", "spd_mean", "spd_geodesics", "spd_apply",
          "spd_private_flat_mean")


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
