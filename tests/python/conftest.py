"""What the tests of the Python package share.

The package is python/spdml with the library that SPDML_LIBRARY names, or an installed one."""

import importlib
import inspect
import os
import pathlib
import pkgutil
import sys
import threading

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if os.environ.get("SPDML_LIBRARY"):
    sys.path.insert(0, str(ROOT / "python"))


def public_modules():
    """The modules of the package that are meant for users, by name; without those of PyTorch, whose names
    are the same again and which test_torch.py sees to."""
    import spdml
    found = {"spdml": spdml}
    for one in pkgutil.walk_packages(spdml.__path__, "spdml."):
        if not any(part.startswith("_") or part == "torch" for part in one.name.split(".")):
            found[one.name] = importlib.import_module(one.name)
    return found


def public():
    """What is public, by name; functions of a metric (mean_riemann of mean) and tables of them left out."""
    found = {name: getattr(module, name) for module in public_modules().values() for name in module.__all__}
    return {name: thing for name, thing in found.items() if inspect.isclass(thing) or
            inspect.isfunction(thing) and name not in BY_METRIC and not hasattr(thing, "__signature__")}


# Thin ones, without an example of their own
BY_METRIC = {f"mean_{metric}" for metric in
             ("ale", "alm", "bmp", "cheap", "chol", "euclid", "harmonic", "kullback_sym", "logchol", "logdet",
              "logeuclid", "power", "poweuclid", "riemann", "thompson", "wasserstein")} | {
    "distance_poweuclid", "gmean"}


def random_spd(rng, p, n, spread=1.0):
    """p matrices with eigenvalues between exp(-spread) and exp(spread), bases at random."""
    Q = np.linalg.qr(rng.standard_normal((p, n, n)))[0]
    X = (Q * np.exp(rng.uniform(-spread, spread, (p, 1, n)))) @ Q.transpose(0, 2, 1)
    return (X + X.transpose(0, 2, 1)) / 2


def random_hpd(rng, p, n, spread=1.0):
    """The same, complex."""
    F = rng.standard_normal((p, n, n)) + 1j * rng.standard_normal((p, n, n))
    Q = np.linalg.qr(F)[0]
    X = (Q * np.exp(rng.uniform(-spread, spread, (p, 1, n)))) @ Q.conj().transpose(0, 2, 1)
    return (X + X.conj().transpose(0, 2, 1)) / 2


def planted(rng, per_class, n, classes=3, informative=3, noise=0.3):
    """Classes that differ in a few dimensions; the others vary by noise alone."""
    X, y = [], []
    for k in range(classes):
        centre = random_spd(rng, 1, informative, 1.5)[0]
        L = np.linalg.cholesky(centre)
        for _ in range(per_class):
            M = np.diag(np.exp(rng.normal(0, noise, n)))
            M[:informative, :informative] = L @ random_spd(rng, 1, informative, 0.3)[0] @ L.T
            X.append(M)
            y.append(k)
    order = rng.permutation(len(X))
    return np.array(X)[order], np.array(y)[order]


def at_once(*works):
    """Calls the functions at the same time, each in a thread of its own; none may raise anything."""
    problems, begin = [], threading.Barrier(len(works))

    def call(work):
        begin.wait()
        try:
            work()
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=call, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def X(rng):
    return random_spd(rng, 20, 6)


@pytest.fixture
def labelled(rng):
    return planted(rng, 12, 8)


def wanted(name, reason):
    """The module of that name. Tests that need it are skipped without, unless REQUIRE names it."""
    if name in os.environ.get("REQUIRE", "").replace(",", " ").split():
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=reason)
