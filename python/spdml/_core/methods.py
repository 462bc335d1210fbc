"""Trained methods: one object that owns an spd_classifier and never changes.

An estimator holds one and replaces it when it is fitted again. Whoever predicts takes a reference
first, so that a fit, a copy or a pickle in another thread cannot take it away."""

from __future__ import annotations

import ctypes as c
import io
import os
import zipfile
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..exceptions import BadMatrixError, InvalidArgumentError
from .arrays import doubles, ints, numbers, text
from .calls import call, context, number_of, word_of
from .header import Structure
from .library import Handle, HEADER, lib, PARAMETERS, structs, value
from .metrics import CORE
from .model import packed
from .sets import real_form
from .words import parameter_number, parameter_value


_FLOAT64, _INT64, _TEXT = (value("type", name) for name in ("float64", "int64", "text"))


def _samples(X: np.ndarray, label: Optional[np.ndarray], classes: int) -> Structure:
    """Complex matrices go in their real form."""
    R = real_form(X)
    made = structs.samples(p=len(R), n=R.shape[1], X=doubles(R), classes=classes, label=ints(label),
                           hermitian=int(np.iscomplexobj(X)))
    made.held = R  # lives as long
    return made


POOLED = ("there are no means of observations (feature_mean, feature_count), so pca- takes the pooled "
          "covariance, without the variation between the samples; describe gives them")


def take_means(samples: Structure, mean: Any, count: Any, keep: List[Any]) -> None:
    """Means and numbers of the observations behind the matrices; both or none."""
    if mean is None and count is None:
        return
    p, n = samples.p, samples.n
    mean = numbers([] if mean is None else mean, "feature_mean")
    count = numbers([] if count is None else count, "feature_count")
    blocks = count.shape[1] if count.ndim == 2 else 1
    if mean.shape != (p, n) or count.shape not in ((p,), (p, blocks)) or not blocks or n % blocks:
        raise InvalidArgumentError(f"feature_mean has shape {mean.shape} and feature_count "
                                   f"{count.shape}; they must be ({p}, {n}) and ({p},) or ({p}, blocks)")
    if not np.isfinite(mean).all() or not np.isfinite(count).all() or (count < 1).any():
        raise InvalidArgumentError("feature_mean or feature_count holds numbers that cannot be: NaN, "
                                   "infinity, or fewer than one observation")
    samples.blocks, samples.mean, samples.observations = blocks, doubles(mean), doubles(count)
    keep += [mean, count]


def _ask(n_jobs: Optional[int], name: str, *arguments: Any) -> None:
    """A call about queries, which the library names Q or Y and estimators X."""
    try:
        call(context(n_jobs), name, *arguments)
    except BadMatrixError as problem:
        message = str(problem)
        if not message.startswith(("Q[", "Y[")):
            raise
        raise type(problem)("X" + message[1:], problem.index, problem.value) from None


def _names(classes: np.ndarray) -> Tuple[List[bytes], int]:
    """The classes as texts, and what they are."""
    kind = classes.dtype.kind
    if kind in "iu":
        return [str(int(name)).encode() for name in classes], _INT64
    if kind == "f":
        whole = all(float(name).is_integer() for name in classes)
        return [(str(int(name)) if whole else repr(float(name))).encode()
                for name in classes], _FLOAT64
    return [str(name).replace("\0", "").encode(errors="replace") for name in classes], _TEXT


def _classes(notes: Any) -> np.ndarray:
    """The same back."""
    names = [notes.class_name[i].decode(errors="replace") for i in range(notes.classes)]
    try:
        if notes.label_type == _INT64:
            return np.array([int(name) for name in names])
        if notes.label_type == _FLOAT64:
            return np.array([float(name) for name in names])
    except (ValueError, OverflowError):
        pass
    return np.array(names)


_GROUPS = value("recentering", "groups")


def take_alignment(method: Structure, normalize: Any, recenter: int) -> None:
    """What is done to the matrices first."""
    method.normalize = number_of("normalization", b"none" if normalize is None
                                 else text(normalize, "normalize"))
    method.recenter = recenter


def recentering(recenter: Any, names: Sequence[str]) -> int:
    """The library's number of None, 'training', or one of these words, which go by groups."""
    if recenter is None:
        return value("recentering", "none")
    if isinstance(recenter, str) and recenter in names:
        return _GROUPS
    if isinstance(recenter, str) and recenter == "training":
        return value("recentering", "training")
    raise InvalidArgumentError(
        f"recenter is {recenter!r}; it must be None, {', '.join(map(repr, names))} or 'training'")


def group_numbers(groups: Any, samples: int, known: Sequence[str]) -> Tuple[List[str], np.ndarray]:
    """The names of the groups, those known first, and the number of each sample's."""
    values = np.asarray(groups)
    if values.shape != (samples,):
        raise InvalidArgumentError(f"groups has shape {values.shape}; {samples} values are needed")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InvalidArgumentError("groups holds NaN, which is no group")
    number = {name: i for i, name in enumerate(known)}
    found = [number.setdefault(str(one), len(number)) for one in values.tolist()]
    return list(number), np.array(found, dtype=np.intc)


class _Owner:
    """Frees an spd_classifier; it is there before the classifier is, since Ctrl-C may be raised at
    any place."""

    def __init__(self) -> None:
        self.pointer = Handle()

    def __del__(self) -> None:
        if self.pointer:
            lib.spd_classifier_free(self.pointer)


class Trained:
    """A trained method: its classes, its values, and the library's part of it."""

    def __init__(self, owner: _Owner, classes: np.ndarray) -> None:
        pointer = owner.pointer
        method = lib.spd_classifier_method(pointer).contents
        name = c.create_string_buffer(HEADER.constants["SPD_METHOD_NAME"])
        lib.spd_method_name(c.byref(method), name)
        facts = structs.classifier_facts()
        call(context(1), "spd_classifier_info", pointer, c.byref(facts))
        if facts.classes != len(classes):
            raise InvalidArgumentError(
                f"the trained method has {facts.classes} classes, and {len(classes)} are named")
        self._owner = owner
        self.pointer = pointer
        self.classes = classes
        self.name = name.value.decode()
        share = 2 if facts.hermitian else 1
        self.hermitian = bool(facts.hermitian)
        self.regression = bool(facts.regression)
        self.r2, self.error, self.missed = facts.r2, facts.error, facts.missed
        self.size = facts.n // share
        self.reduced = facts.m // share
        self.falls = bool(facts.score_falls)
        self.score = facts.score.decode()
        self.normalize = word_of("normalization", method.normalize)
        self.recenter = word_of("recentering", method.recenter)
        notes = lib.spd_classifier_metadata(pointer).contents
        self.column = notes.group_column
        self.groups = [notes.group_name[i].decode(errors="replace") for i in range(notes.groups)]
        self.values: Dict[str, Any] = {
            parameter: parameter_value(parameter, method.value[i])
            for i, parameter in enumerate(PARAMETERS)
            if not np.isnan(method.value[i]) and lib.spd_method_uses(c.byref(method), i)}

    def __copy__(self) -> "Trained":
        return self

    def __deepcopy__(self, memo: Any) -> "Trained":
        return self  # it never changes

    def __reduce__(self) -> Any:
        return _unpacked, (self.pack(), self.classes)

    def refusal(self, wanted: str) -> InvalidArgumentError:
        """What to raise where an estimator of that name should be loaded, and this is another."""
        return InvalidArgumentError(
            f"the file holds {self.name}, which is no {wanted}; use SPDClassifier.load")

    def metric_of(self, classifier: str, wanted: str) -> str:
        """The metric of a method of this classifier without a map."""
        begin, _, metric = self.name.partition("-")
        if begin != classifier or metric not in CORE:
            raise self.refusal(wanted)
        return metric

    def pack(self) -> bytes:
        """The bytes of its file."""
        return packed("spd_classifier_pack", self.pointer)

    def with_array(self, name: str, array: Optional[np.ndarray]) -> "Trained":
        """The same with this array in its file; None: without one of that name."""
        made = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(self.pack())) as old, zipfile.ZipFile(made, "w") as new:
            for member in old.namelist():
                if member != f"{name}.npy":
                    new.writestr(member, old.read(member))
            if array is not None:
                text = io.BytesIO()
                np.lib.format.write_array(text, array)
                new.writestr(f"{name}.npy", text.getvalue())
        return _unpacked(made.getvalue(), self.classes)

    def save(self, path: Any) -> None:
        call(context(1), "spd_classifier_save", self.pointer, os.fsencode(path))

    def _queries(self, X: np.ndarray, groups: Any) -> Structure:
        """Real matrices are complex ones too."""
        made = _samples(X.astype(complex) if self.hermitian else X, None, len(self.classes))
        if groups is None:
            return made
        if self.recenter != "groups":
            raise InvalidArgumentError("groups are for methods with recenter='groups'")
        made.numbers = group_numbers(groups, len(X), self.groups)[1]
        made.group = ints(made.numbers)
        return made

    def predict(self, X: np.ndarray, n_jobs: Optional[int], groups: Any = None) -> np.ndarray:
        label = np.empty(len(X), dtype=np.intc)
        queries = self._queries(X, groups)
        _ask(n_jobs, "spd_classifier_predict", self.pointer, c.byref(queries), ints(label))
        return self.classes[label]

    def scores(self, X: np.ndarray, n_jobs: Optional[int], groups: Any = None) -> np.ndarray:
        """(samples, classes): what decides, as the library gives it."""
        score = np.empty((len(X), len(self.classes)))
        queries = self._queries(X, groups)
        _ask(n_jobs, "spd_classifier_scores", self.pointer, c.byref(queries), None,
             doubles(score))
        return score


def _unpacked(image: bytes, classes: np.ndarray) -> Trained:
    made = _Owner()
    call(context(), "spd_classifier_unpack", image, len(image), c.byref(made.pointer))
    return Trained(made, classes)


def load(path: Any) -> Trained:
    made = _Owner()
    call(context(), "spd_classifier_load", os.fsencode(path), c.byref(made.pointer))
    return Trained(made, _classes(lib.spd_classifier_metadata(made.pointer).contents))


def _parse(name: str, values: Dict[str, Any]) -> Structure:
    method = structs.method()
    call(context(1), "spd_method_parse", text(name, "method"), c.byref(method))
    if lib.spd_method_on_vectors(c.byref(method)):
        raise InvalidArgumentError(f"{name} works on vectors, not on SPD matrices")
    for i, parameter in enumerate(PARAMETERS):
        value = values.get(parameter)
        if value is not None and name != "auto" and not lib.spd_method_uses(c.byref(method), i):
            raise InvalidArgumentError(f"method {name!r} has no parameter {parameter!r}; leave it None")
        method.value[i] = np.nan if value is None else parameter_number(parameter, value)
    return method


def _candidate(row: Any, folds: int) -> Dict[str, Any]:
    values = {parameter: parameter_value(parameter, row.method.value[i])
              for i, parameter in enumerate(PARAMETERS) if not np.isnan(row.method.value[i])}
    state = ("late" if row.late else "failed" if row.message else "judged" if row.folds >= folds
             else "left" if row.folds else "unneeded")
    accuracy = None if np.isnan(row.accuracy) else row.accuracy
    return {"method": row.name.decode(), "accuracy": accuracy, "folds": row.folds,
            "seconds": row.seconds, "parameters": values, "state": state,
            "message": row.message.decode(errors="replace")}


def train_auto(X: np.ndarray, classes: np.ndarray, label: np.ndarray, group: Optional[np.ndarray],
               folds: int, seed: int, seconds: float,
               n_jobs: Optional[int]) -> Tuple[Trained, Dict[str, Any]]:
    """The best of the portfolio, trained; and the league with what to expect."""
    method = _parse("auto", {})
    samples = _samples(X, label, len(classes))
    samples.fold_group = ints(group)
    tuning = structs.tune_options(folds=folds, group=ints(group), seed=seed, seconds=seconds)
    league = c.POINTER(structs.league)()
    try:
        call(context(n_jobs), "spd_tune_auto", c.byref(method), c.byref(samples), c.byref(tuning),
             None, c.byref(league))
        found = league.contents
        told = {"league": [_candidate(found.candidate[k].contents, found.folds)
                           for k in range(found.candidates)],
                "accuracy": found.accuracy, "interval": (found.low, found.high)}
    finally:
        lib.spd_league_free(league)
    return _fit(method, samples, classes, n_jobs), told


def train(name: str, values: Dict[str, Any], X: np.ndarray, classes: np.ndarray,
          label: np.ndarray, n_jobs: Optional[int],
          means: Tuple[Any, Any] = (None, None),
          alignment: Tuple[Any, Any] = (None, None), groups: Any = None) -> Trained:
    """The method, trained on X with the class numbers label; nothing of them is kept. alignment:
    normalize and recenter of SPDClassifier."""
    method = _parse(name, values)
    take_alignment(method, alignment[0], recentering(alignment[1], ("groups", "all")))
    if (groups is None) == (alignment[1] == "groups"):
        raise InvalidArgumentError("groups and recenter='groups' belong together")
    samples = _samples(X, label, len(classes))
    group_names, number = group_numbers([0] * len(X) if groups is None else groups, len(X), [])
    if groups is None:
        group_names = []
    else:
        samples.group = ints(number)
    keep: List[Any] = []
    take_means(samples, means[0], means[1], keep)
    return _fit(method, samples, classes, n_jobs, group_names)


def train_numbers(name: str, values: Dict[str, Any], X: np.ndarray, y: np.ndarray, groups: Any,
                  n_jobs: Optional[int]) -> Tuple[Trained, np.ndarray]:
    """The method, trained on X with the numbers y; and what it predicts for each sample without its
    group, or without it alone."""
    method = _parse("krr-both" if name == "auto" else name, values)  # which has all values
    method.automatic = int(name == "auto")
    samples = _samples(X, None, 1)
    samples.target = doubles(y)
    if groups is not None:
        number = group_numbers(groups, len(X), [])[1]
        samples.fold_group = ints(number)
    trained = _fit(method, samples, np.array(["y"]), n_jobs)
    left = np.empty(len(X))
    call(context(1), "spd_classifier_left_out", trained.pointer, doubles(left))
    return trained, left


def _fit(method: Structure, samples: Structure, classes: np.ndarray, n_jobs: Optional[int],
         group_names: Sequence[str] = ()) -> Trained:
    made = _Owner()
    call(context(n_jobs), "spd_classifier_fit", c.byref(method), c.byref(samples), None,
         c.byref(made.pointer))
    texts, kind = _names(classes)
    names = (c.c_char_p * len(texts))(*texts)
    group_texts = [name.replace("\0", "").encode(errors="replace") for name in group_names]
    notes = structs.metadata(classes=len(texts), class_name=names, label_type=kind, accuracy=np.nan,
                             accuracy_no_map=np.nan, groups=len(group_texts),
                             group_name=(c.c_char_p * len(group_texts))(*group_texts))
    call(context(1), "spd_classifier_set_metadata", made.pointer, c.byref(notes))
    return Trained(made, classes)
