"""From files and epochs to matrices: `describe` and `from_epochs`."""

from __future__ import annotations

import ctypes as c
import json
import os
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._core.arrays import doubles, numbers, real, text, whole
from ._core.calls import call, context, number_of
from ._core.data_library import data_library, structs
from ._core.docs import documented
from ._core.header import Structure
from ._core.words import choice
from .exceptions import InvalidArgumentError
from .geometry.covariance import covariances

__all__ = ["Description", "describe", "from_epochs"]
PathName = Union[str, "os.PathLike[str]"]

_SHRINKAGES = {"cov": "none", "lwf": "ledoit-wolf"}  # names of estimators
_REGIONS = {"whole": 0, "halves": 1}
_GRID = 2

# option: the field and how it is understood
_COUNTS = {"order": "order", "observations": "observations", "sift_step": "step", "scales": "scales",
           "orientations": "orientations", "temporal_pyramid": "pyramid"}
_REALS = {"rate": "rate", "window": "window", "step": "stride"}
_FLAGS = {"channels_first": "channels_first", "keep_images": "keep_images",
          "keep_going": "keep_going", "overlap": "overlap", "unit_range": "unit_range"}
_TEXTS = {"group": "group", "asf": "asf", "x": "x_name", "y": "y_name", "events": "events"}
_LISTS = {"channels": "channels", "event_names": "event_names"}


class Description:
    """Matrices and what is known of them; made by `describe` and `from_epochs`.

    Attributes
    ----------
    X : (p, n, n)
    y : labels (p,), or None
    columns : further arrays with a row for each matrix, by name; feature_mean and feature_count are
        the means and the numbers of the observations behind each
    meta : how the matrices were made, a dictionary, or None
    channels : names of the rows of X, list of str, or None where they are not known
    skipped : inputs that were skipped with keep_going, (input, message) each
    passed_over : files in folders and archives that the descriptor does not take
    few_observations : dictionary with 'matrices', 'fewest' and 'rows' if matrices were made of too few
        observations for their rank, else None
    events_left_out : events that do not lie within their recording
    """

    def __init__(self, X: np.ndarray, y: Optional[np.ndarray] = None,
                 columns: Optional[Dict[str, np.ndarray]] = None,
                 meta: Optional[Dict[str, Any]] = None,
                 channels: Optional[List[str]] = None) -> None:
        self.X = X
        self.y = y
        self.columns = columns or {}
        self.meta = meta
        self.channels = channels
        self.skipped: List[Tuple[str, str]] = []
        self.passed_over: List[str] = []
        self.few_observations: Optional[Dict[str, int]] = None
        self.events_left_out = 0

    def __repr__(self) -> str:
        classes = "no labels" if self.y is None else f"{len(np.unique(self.y))} classes"
        more = f", columns {', '.join(self.columns)}" if self.columns else ""
        return f"{len(self.X)} matrices {self.X.shape[1]} x {self.X.shape[2]}, {classes}{more}"

    def save(self, path: PathName) -> None:
        """Writes an .npz file that the command reads.

        Parameters
        ----------
        path : str or path
            The name of the file.
        """
        arrays: Dict[str, Any] = {"X": self.X, **self.columns}
        if self.y is not None:
            arrays["y"] = self.y
        np.savez(path, **arrays)


# ---- describe -------------------------------------------------------------------------------------


def _array(array: Structure) -> np.ndarray:
    shape = tuple(array.shape[:array.ndim])
    if array.text:
        flat = np.array([array.text[i].decode("utf-8", "replace") for i in range(array.count)])
    elif array.count == 0:
        flat = np.zeros(0)
    else:
        flat = np.ctypeslib.as_array(array.f64 or array.i64, (array.count,)).copy()
    return flat.reshape(shape)


def _pair(value: Any, name: str) -> Tuple[int, int]:
    """One number for both, or two."""
    both = (value, value) if np.ndim(value) == 0 else tuple(value)
    if len(both) != 2:
        raise InvalidArgumentError(f"{name} is {value!r}; it must be one number or two")
    return whole(both[0], name, 0), whole(both[1], name, 0)


class _Options:
    """The library's options, and what they point to."""

    def __init__(self, kind: int, given: Dict[str, Any]) -> None:
        self.kept: List[Any] = []
        self.o = o = structs.describe_options()
        data_library().spd_describe_defaults(kind, c.byref(o), c.sizeof(o))
        self._simple(given)
        self._covariance(given)
        self._labels(given)
        self._shapes(given)
        self._signals(given)
        if given:
            raise InvalidArgumentError(f"describe has no option {sorted(given)[0]!r}")

    def _simple(self, given: Dict[str, Any]) -> None:
        for table, take in ((_COUNTS, lambda v, k: whole(v, k)), (_REALS, real),
                            (_FLAGS, lambda v, k: int(bool(v))), (_TEXTS, text)):
            for name, field in table.items():
                if given.get(name) is not None:
                    setattr(self.o, field, take(given[name], name))
                given.pop(name, None)
        for name, field in _LISTS.items():
            value = given.pop(name, None)
            if value is not None:
                joined = value if isinstance(value, str) else ",".join(map(str, value))
                setattr(self.o, field, text(joined, name))

    def _covariance(self, given: Dict[str, Any]) -> None:
        cov = self.o.covariance
        shrinkage = given.pop("shrinkage", "none")
        if isinstance(shrinkage, str):
            cov.shrinkage = choice("shrinkage", _SHRINKAGES.get(shrinkage, shrinkage))
        else:
            cov.shrinkage, cov.shrink = choice("shrinkage", "value"), real(shrinkage, "shrinkage")
        regularize = given.pop("regularize", None)
        if regularize is not None:
            cov.regularize = real(regularize, "regularize")
            if not cov.regularize >= 0:
                raise InvalidArgumentError(f"regularize is {regularize}; it must not be negative")
        model = given.pop("model", None)
        if model is not None:
            W = np.transpose(model.components_) if hasattr(model, "components_") else model
            W = numbers(W, "model")
            if W.ndim != 2:
                raise InvalidArgumentError(f"model has shape {W.shape}; W is n x m")
            self.kept.append(W)
            cov.W, cov.n, cov.m = doubles(W), W.shape[0], W.shape[1]

    def _labels(self, given: Dict[str, Any]) -> None:
        index, by = given.pop("labels", None), given.pop("label_by", "auto")
        if index is not None and by != "auto":
            raise InvalidArgumentError("labels and label_by cannot be used together")
        self.o.label_by = text(by, "label_by")
        if index is not None:
            self.o.index = os.fsencode(index)

    def _shapes(self, given: Dict[str, Any]) -> None:
        o = self.o
        if given.get("size") is not None:
            o.width, o.height = _pair(given["size"], "size")
        if given.get("grid") is not None:
            o.grid_rows, o.grid_columns = _pair(given["grid"], "grid")
        regions = given.get("regions")
        if isinstance(regions, str):
            if regions not in _REGIONS:
                raise InvalidArgumentError(f"regions is {regions!r}; it must be whole, halves or "
                                           "(rows, columns)")
            o.regions = _REGIONS[regions]
        elif regions is not None:
            o.regions = _GRID
            o.grid_rows, o.grid_columns = _pair(regions, "regions")
        if given.get("rects") is not None:
            rects = [structs.rect(*(whole(v, "rects", 0) for v in row)) for row in given["rects"]]
            o.rects, o.rect = len(rects), (structs.rect * len(rects))(*rects)
        if given.get("frames") is not None:
            o.first_frame, o.last_frame = _pair(given["frames"], "frames")
        o.grey |= int(bool(given.get("no_color")))
        o.center_root = int(given.get("center") is not None)
        if given.get("center") not in (None, "root"):
            raise InvalidArgumentError(f"center is {given['center']!r}; it must be 'root'")
        for name in ("size", "grid", "regions", "rects", "frames", "no_color", "center"):
            given.pop(name, None)

    def _signals(self, given: Dict[str, Any]) -> None:
        bands, epoch = given.pop("bands", None), given.pop("epoch", None)
        if bands is not None:
            edges = np.ascontiguousarray(bands, dtype=float)
            if edges.ndim != 2 or edges.shape[1] != 2:
                raise InvalidArgumentError("bands must be pairs of edges in Hz: [(8, 12), (18, 26)]")
            self.kept.append(edges)
            self.o.bands, self.o.band = len(edges), doubles(edges)
        if epoch is not None:
            self.o.epoch_from, self.o.epoch_to = (real(v, "epoch") for v in epoch)


def _note(made: Description, notes: Structure) -> None:
    made.skipped = [(os.fsdecode(notes.input[i]),
                     notes.error[i].contents.message.decode("utf-8", "replace"))
                    for i in range(notes.count)]
    made.passed_over = [os.fsdecode(notes.other[i]) for i in range(notes.others)]
    made.events_left_out = notes.events_cut
    if notes.few:
        made.few_observations = {"matrices": notes.few, "fewest": notes.fewest,
                                 "rows": notes.fewest_rows}
        warnings.warn(f"{notes.few} matrices are made of too few observations ({notes.fewest} for "
                      f"{notes.fewest_rows} rows); only shrinkage or regularisation makes them "
                      "positive definite", UserWarning, stacklevel=3)
    for count, what in ((notes.count, "inputs that are broken"),
                        (notes.others, "files that this descriptor does not take"),
                        (notes.events_cut, "events that do not lie within their recording"),
                        (notes.times, "columns of times (name columns in channels to take them)")):
        if count:
            warnings.warn(f"left out {count} {what}", UserWarning, stacklevel=3)


@documented
def describe(kind: str, paths: Union[PathName, Sequence[PathName]],
             n_jobs: Optional[int] = None, **options: Any) -> Description:
    """SPD matrices from images, motion capture, tables, signals and recordings, as the command
    ``spdml describe`` makes them.

    Parameters
    ----------
    kind : {'covariance', 'sift-color', 'gabor', 'region', 'joints'}
        The descriptor.
    paths : str or list of str
        A file, folder or archive, or several.
    options : those of the command, with underscores: shrinkage ('oas', 'ledoit-wolf' or a number),
        regularize, observations, model (an SPDML estimator or W), labels (an index file), label_by,
        x, y, keep_going; images: size, no_color, keep_images, sift_step, regions, scales,
        orientations, grid, rects; motion: asf, center, frames,
        temporal_pyramid, overlap, unit_range; signals: group, channels_first, rate, window, step, bands (pairs of
        edges), order, channels, events, epoch (from, to), event_names. Sizes are numbers or pairs.
    {n_jobs}

    Needs libspdml-data beside libspdml, which is in the package spdml-data.

    Returns
    -------
    Description

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np, spdml
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "signals.csv")
    ...     np.savetxt(path, np.random.default_rng(0).standard_normal((50, 3)), delimiter=",")
    ...     spdml.describe("covariance", path).X.shape
    (1, 3, 3)
    """
    library = data_library()
    number = number_of("descriptor", text(kind, "kind"))
    chosen = _Options(number, dict(options))
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else list(paths)
    names = (c.c_char_p * max(1, len(listed)))(*[os.fsencode(p) for p in listed])
    data, notes = c.POINTER(structs.data)(), c.POINTER(structs.describe_info)()
    call(context(n_jobs), "spd_describe", number, len(listed), names, c.byref(chosen.o), c.byref(data),
         c.byref(notes), library=library)
    try:
        d = data.contents
        X = np.ctypeslib.as_array(d.X, (d.p, d.n, d.n)).copy()
        columns = {d.column[i].contents.name.decode(): _array(d.column[i].contents)
                   for i in range(d.columns)}
        made = Description(X, _array(d.y.contents) if d.y else None, columns,
                           json.loads(d.meta) if d.meta else None)
        made.channels = (made.meta or {}).get("rows", {}).get("channels")
        _note(made, notes.contents)
    finally:
        library.spd_data_free(data)
        library.spd_describe_info_free(notes)
    return made


# ---- epochs ---------------------------------------------------------------------------------------


def _event_names(epochs: Any, codes: np.ndarray) -> np.ndarray:
    names = {code: name for name, code in dict(epochs.event_id).items()}
    unknown = sorted(set(codes.tolist()) - set(names))
    if unknown:
        raise InvalidArgumentError(f"events have the code {unknown[0]}, which event_id does not name")
    return np.array([names[code] for code in codes.tolist()])


def from_epochs(epochs: Any, estimator: Any = "cov", regularize: float = 0.0,
                picks: Optional[Sequence[str]] = None) -> Description:
    """Covariance matrices of epochs, as MNE has them; `.fif` files come through `mne.read_epochs`.

    Parameters
    ----------
    epochs : an mne.Epochs, or any object with get_data() (epochs, channels, times), events (epochs, 3)
        whose last column is a code, event_id (names to codes) and ch_names
    estimator : str, float or callable
        As of `covariances`.
    regularize : float
        As of `covariances`.
    picks : list of str, optional
        Names of the channels to take, in this order; all by default.

    Returns
    -------
    Description
        The labels are the names of the events; ``columns['sample']`` is the sample of the onset.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np, spdml
    >>> signals = np.random.default_rng(0).standard_normal((4, 2, 30))
    >>> epochs = SimpleNamespace(get_data=lambda: signals, event_id={"left": 1, "right": 2},
    ...                          events=np.array([[0, 0, 1], [30, 0, 2], [60, 0, 1], [90, 0, 2]]),
    ...                          ch_names=["C3", "C4"])
    >>> made = spdml.from_epochs(epochs, "oas")
    >>> made.X.shape, made.y.tolist()
    ((4, 2, 2), ['left', 'right', 'left', 'right'])
    """
    for name in ("get_data", "events", "event_id", "ch_names"):
        if not hasattr(epochs, name):
            raise InvalidArgumentError(f"epochs has no {name}; it must be an mne.Epochs or the like")
    signals = numbers(epochs.get_data(), "get_data()")
    channels = [str(name) for name in epochs.ch_names]
    events = np.asarray(epochs.events)
    if signals.ndim != 3 or signals.shape[1] != len(channels):
        raise InvalidArgumentError(f"get_data() has shape {signals.shape}; it must be (epochs, "
                                   f"{len(channels)}, times), one row for each channel")
    if events.shape != (len(signals), 3):
        raise InvalidArgumentError(f"events has shape {events.shape}; it must be {(len(signals), 3)}")
    if picks is not None:
        missing = [name for name in picks if name not in channels]
        if missing or isinstance(picks, str):
            raise InvalidArgumentError(f"picks must name channels; there are {', '.join(channels)}")
        signals = signals[:, [channels.index(name) for name in picks]]
        channels = list(picks)
    n, r = signals.shape[1:]
    made = Description(covariances(signals, estimator, regularize=regularize), _event_names(epochs, events[:, 2]),
                       {"sample": events[:, 0].copy()}, None, channels)
    if r <= n:
        made.few_observations = {"matrices": len(signals), "fewest": r, "rows": n}
        warnings.warn(f"{len(signals)} matrices are made of too few observations ({r} for {n} rows)",
                      UserWarning, stacklevel=2)
    return made
