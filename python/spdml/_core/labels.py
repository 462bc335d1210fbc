"""Labels and weights of samples, with scikit-learn's words where they are wrong."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ..exceptions import InvalidArgumentError


def column(y: Any, samples: int) -> np.ndarray:
    """y as one value for each sample."""
    if y is None:
        raise InvalidArgumentError("requires y to be passed, but the target y is None")
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.ndim != 1:
        raise InvalidArgumentError(f"y has shape {values.shape}; it must hold one label per sample")
    if len(values) != samples:
        raise InvalidArgumentError(
            f"X has {samples} samples and y has {len(values)} labels; the numbers must be equal")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InvalidArgumentError("Input y contains NaN or infinity")
    return values


def class_numbers(y: Any, samples: int) -> Tuple[np.ndarray, np.ndarray]:
    """The classes in order, and the number of each sample's class as C int."""
    labels = column(y, samples)
    if labels.dtype.kind in "biuUS":  # others may be anything, which scikit-learn judges
        classes, number = np.unique(labels, return_inverse=True)
        return classes, np.ascontiguousarray(number, dtype=np.intc)
    if labels.dtype == object:  # before scikit-learn compares what cannot be compared
        kinds = sorted({type(label).__name__ for label in labels})
        if len(kinds) > 1 and any(isinstance(label, str) or label is None for label in labels):
            raise TypeError(
                "Encoders require their input argument must be uniformly strings or numbers. Got "
                f"{kinds}")
    check_classification_targets(labels)
    encoder = LabelEncoder()
    number = encoder.fit_transform(labels)
    return encoder.classes_, np.ascontiguousarray(number, dtype=np.intc)


def places(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Where each label stands among the classes, which need not be sorted: those of files are in the
    order of the file."""
    order = np.argsort(classes, kind="stable")
    return np.asarray(order[np.searchsorted(classes, labels, sorter=order)])


def chosen_classes(y: Any, classes: Any, samples: int) -> Tuple[np.ndarray, List[np.ndarray]]:
    """The classes named, or all; and which samples are in each."""
    labels = column(y, samples)
    named = class_numbers(y, samples)[0] if classes is None else np.asarray(classes)
    masks = [labels == name for name in named]
    for name, mask in zip(named, masks):
        if not mask.any():
            raise InvalidArgumentError(f"class {name} has no samples")
    return named, masks


def equal_weights(sample_weight: Any, samples: int) -> None:
    """For methods that have no use for weights: those that differ are refused, not ignored."""
    values = weights(sample_weight, samples)
    if values is not None and (values != values[0]).any():
        raise InvalidArgumentError(
            "sample_weight differs between samples, and nearest neighbours take no weights; leave it "
            "out")


def weights(sample_weight: Any, samples: int) -> Optional[np.ndarray]:
    """Weights that are finite, not negative and not all zero; None stays None."""
    if sample_weight is None:
        return None
    values = np.asarray(sample_weight)
    if values.dtype.kind not in "fiub" or values.shape != (samples,):
        raise InvalidArgumentError(
            f"sample_weight has shape {values.shape}; {samples} weights are needed")
    values = np.ascontiguousarray(values, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise InvalidArgumentError(
            "sample_weight must hold finite weights that are not negative, and not all zero")
    return values
