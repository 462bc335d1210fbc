"""Where the package computes: set_engine.

With the CUDA engine emulated (tests/cuda runs this file so), or with a GPU, estimators give what they give on
the processor; without one, 'cuda' says so and 'auto' goes on."""

import ctypes as c
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import spdml
from conftest import random_spd
from spdml._core import calls as _calls
from spdml.exceptions import DeviceError
from spdml._core.library import lib

THERE = lib.spd_engine_device(None, lib.spd_parse(None, 0, b"cuda"), 256, c.create_string_buffer(256)) == 0


@pytest.fixture(autouse=True)
def processor():
    """Whatever a test sets is over with it."""
    yield
    spdml.set_engine("cpu")


@pytest.fixture
def two_classes(rng):
    X, y = random_spd(rng, 60, 24), np.arange(60) % 2
    X[y == 1, :4, :4] *= 1.5
    return X, y


def calls_of(work):
    """The result of some work, and how often a GPU has answered meanwhile."""
    before = lib.spd_context_device_calls(_calls.context(1).handle)
    result = work()
    return result, lib.spd_context_device_calls(_calls.context(1).handle) - before


def test_what_it_returns_and_refuses():
    assert spdml.set_engine("auto") == "cpu"
    assert spdml.set_engine("cpu") == "auto"
    with pytest.raises(ValueError, match="gpu"):
        spdml.set_engine("gpu")
    with pytest.raises(ValueError, match="'cpu', 'cuda' or 'auto'"):
        spdml.set_engine(None)


@pytest.mark.skipif(THERE, reason="there is a GPU")
def test_without_a_gpu(two_classes):
    with pytest.raises(DeviceError, match="engine='auto'"):
        spdml.set_engine("cuda")
    assert _calls.engine_name() == "cpu"
    spdml.set_engine("auto")
    assert spdml.KNearestNeighbor(metric="stein").fit(*two_classes).score(*two_classes) > 0.5


@pytest.mark.skipif(not shutil.which("cc"), reason="no compiler for a module")
@pytest.mark.parametrize("load, found", [("./libspdml.so", False), ("{}/libspdml.so", True)])
def test_modules_lie_beside_the_library_not_in_the_current_folder(tmp_path, load, found):
    """A library that was loaded by a relative path, before the process went to another folder."""
    tests = pathlib.Path(__file__).parents[1]
    (tmp_path / "other").mkdir()
    subprocess.run(["cc", "-Werror", "-shared", "-fPIC", "-DKIND=4", f"-I{tests.parent / 'src'}",
                    f"-I{tests.parent / 'include'}", tests / "cli/stand_in_module.c",
                    "-o", tmp_path / "other/libspdml-cuda.so"], check=True)
    shutil.copy(lib._name, tmp_path / "libspdml.so")
    if found:
        shutil.copy(tmp_path / "other/libspdml-cuda.so", tmp_path)
    program = f"""if True:
        import ctypes, os
        lib, text = ctypes.CDLL({load.format(tmp_path)!r}), ctypes.create_string_buffer(100)
        os.chdir("other")
        print(lib.spd_engine_device(None, lib.spd_parse(None, 0, b"cuda"), ctypes.c_size_t(100), text), text.value.decode())"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("Stand-in 0" in done.stdout) == found, done.stdout


@pytest.mark.skipif(not THERE, reason="there is no GPU")
@pytest.mark.parametrize("make", [
    lambda: spdml.KNearestNeighbor(3, metric="stein"), lambda: spdml.MDM(metric="logeuclid"),
    lambda: spdml.RSRClassifier(), lambda: spdml.CDLClassifier(), lambda: spdml.classification.SVC(metric="logeuclid")],
    ids=["knn", "mdm", "rsr", "cdl", "svc"])
def test_classifiers_as_on_the_processor(two_classes, make):
    X, y = two_classes
    expected, none = calls_of(lambda: make().fit(X[:40], y[:40]).predict(X))
    spdml.set_engine("cuda")
    found, some = calls_of(lambda: make().fit(X[:40], y[:40]).predict(X))
    assert none == 0 and some > 0
    assert (found == expected).all() and len(set(found)) == 2


@pytest.mark.skipif(not THERE, reason="there is no GPU")
def test_functions_that_have_a_short_way(two_classes):
    X, _ = two_classes
    expected = spdml.pairwise_distance(X, metric="stein")
    spdml.set_engine("cuda")
    found, some = calls_of(lambda: spdml.pairwise_distance(X, metric="stein"))
    assert some == 1 and np.allclose(found, expected, rtol=1e-10)


@pytest.mark.skipif(not THERE, reason="there is no GPU")
def test_the_engine_of_a_map_is_its_own_or_that_of_the_package(two_classes):
    X, y = two_classes
    settings = {"n_components": 3, "nu_w": 3, "nu_b": 3, "max_iter": 2, "metric": "stein"}
    spdml.set_engine("cuda")
    assert calls_of(lambda: spdml.SPDML(engine="cpu", **settings).fit(X, y))[1] == 0
    assert calls_of(lambda: spdml.SPDML(**settings).fit(X, y))[1] > 0
