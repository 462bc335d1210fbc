"""sets.py - the data sets that maps are compared on, and how each is split.

A set is a file of matrices X with labels y (NAME.npz, as `spdml describe` writes it) in a folder of
your own; sets whose file is missing are left out. A split is (train, test, group): indices, and for
each training sample what cross-validation keeps together, or None.
"""
import itertools
import pathlib

import numpy as np

SPLITS = 10


def halves(y, rng, share=0.5):
    """Train on a share of each class, test on the rest."""
    train = np.zeros(len(y), bool)
    for label in np.unique(y):
        of = rng.permutation(np.flatnonzero(y == label))
        train[of[:max(1, round(share * len(of)))]] = True
    return np.flatnonzero(train), np.flatnonzero(~train), None


def random_halves(data, seed):
    return halves(data["y"], np.random.default_rng(seed))


def by_subjects(data, train_subjects):
    mine = np.isin(data["subject"], train_subjects)
    train = np.flatnonzero(mine)
    return train, np.flatnonzero(~mine), np.unique(data["subject"][train], return_inverse=True)[1]


def pairs_of_subjects(data, seed):
    """Two subjects train, the others are tested: the ten choices."""
    names = np.unique(data["subject"])
    return by_subjects(data, list(itertools.combinations(names, 2))[seed])


def half_of_subjects(data, seed):
    names = np.random.default_rng(seed).permutation(np.unique(data["subject"]))
    return by_subjects(data, names[:len(names) // 2])


def poses(data, seed):
    """Three of the seven poses train; the first split is the paper's."""
    choice = list(itertools.combinations(["bd", "be", "bf", "bg", "ba", "bj", "bk"], 3))[::-1]
    mine = np.isin(data["pose"], choice[0 if seed == 0 else 3 * seed])
    train = np.flatnonzero(mine)
    return train, np.flatnonzero(~mine), np.unique(data["pose"][train], return_inverse=True)[1]


PROTOCOLS = {
    "spd": random_halves,
    "toy": random_halves,
    "kth_region": random_halves,
    "hdm05": pairs_of_subjects,
    "motion": pairs_of_subjects,
    "ssvep": half_of_subjects,
    "feret43": poses,
    "materials": random_halves,
    "orl": random_halves,
    "kth": random_halves,
    "kth_gabor": random_halves,
}


def load(folder, name):
    """The arrays of a set, or None where it is not at hand."""
    path = pathlib.Path(folder) / f"{name}.npz"
    if not path.exists():
        return None
    with np.load(path) as file:
        return {key: file[key] for key in ("X", "y", "subject", "pose") if key in file.files}
