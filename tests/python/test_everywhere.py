"""What holds for every public name: it is walked over, not listed, so that a new one is here at once.

Estimators are pickled, copied, saved and loaded, forked after use by another thread, given complex
matrices, and compared before and after, also when they learn further. Functions are pickled and given
complex matrices. A name that needs special arguments says so in a table below."""

import concurrent.futures
import copy
import gc
import inspect
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest
import spdml
from conftest import public, public_modules, random_spd
from sklearn.base import is_classifier
from spdml._core import methods as _trained

pytestmark = pytest.mark.filterwarnings("ignore")

PUBLIC = public()
METHODS = ("transform", "predict", "predict_proba", "decision_function")


def walked(kind):
    return [name for name, thing in PUBLIC.items() if kind(thing)]


def is_estimator(thing):
    return inspect.isclass(thing) and hasattr(thing, "get_params") and hasattr(thing, "fit")


ESTIMATORS = walked(is_estimator)
FUNCTIONS = walked(inspect.isfunction)


# ---- data ----------------------------------------------------------------------------------------

def phases(samples=36, channels=4, times=60):
    """Two classes of complex signals. They differ in the sign of a phase, which real parts do not
    show."""
    rng = np.random.default_rng(5)
    y = np.arange(samples) % 2
    A = rng.standard_normal((samples, channels, times)) + 1j * rng.standard_normal((samples, channels, times))
    A[:, 0] += (1j * (2 * y - 1))[:, None] * A[:, 1]
    return A, y


def scales(samples=36, channels=4, times=60):
    """Two classes of real signals, of which one channel is louder in one of them."""
    rng = np.random.default_rng(5)
    y = np.arange(samples) % 2
    A = rng.standard_normal((samples, channels, times))
    A[y == 1, 0] *= 3
    return A, y


def covariances(A):
    C = A @ A.conj().swapaxes(1, 2) / A.shape[2]
    return (C + C.conj().swapaxes(1, 2)) / 2


# What an estimator is made with, if not with nothing.
MADE = {
    "SPDML": lambda: spdml.SPDML(2),
    "Kmeans": lambda: spdml.clustering.Kmeans(2, random_state=0),
    "PGA": lambda: spdml.PGA(3),
    "SPDClassifier": lambda: spdml.SPDClassifier("nn-stein-ml", m=2),
    "TLCenter": lambda: spdml.transfer.TLCenter("b"), "TLScale": lambda: spdml.transfer.TLScale("b"),
    "TLRotate": lambda: spdml.transfer.TLRotate("b"),
}
ON_SIGNALS = {"Covariances", "ERPCovariances", "TimeDelayCovariances"}
NUMBERS = {"KernelRidge", "KNearestNeighborRegressor", "SVR"}
REAL = {"TLRotate"}  # which refuse complex numbers


def made(name):
    estimator = MADE.get(name, PUBLIC[name])()
    if "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=2)
    return estimator


def given(name, signals, y):
    """X and y as the estimator of that name takes them."""
    X = signals if name in ON_SIGNALS else covariances(signals)
    y = y + 0.1 * np.arange(len(y)) if name in NUMBERS else y
    if name.startswith("TL"):
        return spdml.transfer.encode_domains(X, y, np.repeat(["a", "b"], len(y) // 2))
    return X, y


def results(estimator, X):
    """All that it says about X."""
    return {method: np.asarray(getattr(estimator, method)(X)) for method in METHODS
            if hasattr(estimator, method)}


def assert_same(found, expected, about="", **tolerance):
    assert found.keys() == expected.keys(), about
    for method, values in expected.items():
        if tolerance and values.dtype.kind in "fc":
            np.testing.assert_allclose(found[method], values, err_msg=f"{about} {method}", **tolerance)
        else:
            np.testing.assert_array_equal(found[method], values, err_msg=f"{about} {method}")


# ---- copies --------------------------------------------------------------------------------------

@pytest.mark.parametrize("module", public_modules().values(), ids=lambda module: module.__name__)
def test_every_name_is_there_pickled_and_described(module):
    assert {*module.__all__} <= {*dir(module)}
    for name in module.__all__:
        thing = getattr(module, name)
        if not inspect.ismodule(thing) and not isinstance(thing, dict):
            assert pickle.loads(pickle.dumps(thing)) is thing, name
            assert thing.__doc__, name


def test_names_of_the_package_are_those_of_its_modules():
    """Whoever checks types sees the same ones as are loaded when they are asked for."""
    source = pathlib.Path(spdml.__file__).read_text().partition("if TYPE_CHECKING:")[2].partition("\n\n")[0]
    told = {name.strip(): module for module, names in re.findall(r"from \.([\w.]+) import (.*)", source)
            for name in names.split(",")}
    assert told == spdml._HOMES
    assert {*spdml.__all__} - {*told} == {"isa_name", "progress", "set_engine"}


def ways(estimator, folder):
    """The estimator, through everything that it can go through."""
    yield "pickle", pickle.loads(pickle.dumps(estimator))
    yield "copy", copy.deepcopy(estimator)
    if hasattr(estimator, "save"):
        estimator.save(folder / "file.spdml")
        yield "file", type(estimator).load(folder / "file.spdml")


@pytest.mark.parametrize("signals", [scales, phases], ids=["real", "complex"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_comes_back(name, signals, tmp_path, monkeypatch):
    """And goes on learning as if it had never been away."""
    X, y = given(name, *signals())
    if name in REAL and signals is phases:
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="complex|real"):
            made(name).fit(X, y).transform(X)
        return
    first, more = np.arange(len(X)) < 24, slice(24, None)
    if name.startswith("TL"):
        first = np.arange(len(X)) % 3 > 0  # of both domains
    fitted = made(name).fit(X[first], y[first])
    expected = results(fitted, X)
    assert expected
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))  # nothing of it needs one
    for way, other in ways(fitted, tmp_path):
        about = f"{name} by {way}"
        rounding = {"rtol": 1e-9, "atol": 1e-11} if way == "file" else {}
        assert_same(results(other, X), expected, about, **rounding)
        if hasattr(fitted, "partial_fit"):
            ahead = copy.deepcopy(fitted).partial_fit(X[more], y[more])
            other.partial_fit(X[more], y[more])
            assert_same(results(other, X), results(ahead, X), f"{about}, further", **rounding)


# ---- complex matrices ----------------------------------------------------------------------------

# Whose result may be another one for complex matrices without imaginary parts, and why.
FREER = {"SPDML": "the map may be complex", "SPDClassifier": "the map may be complex",
         "FGDA": "shrinkage counts the dimensions, which are more", "FgMDM": "as FGDA",
         "Shrinkage": "the target counts real numbers"}


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in ON_SIGNALS | REAL])
def test_real_matrices_are_complex_ones(name):
    X, y = given(name, *scales())
    expected = results(made(name).fit(X, y), X)
    found = results(made(name).fit(X.astype(complex), y), X.astype(complex))
    assert {k: v.shape for k, v in found.items()} == {k: v.shape for k, v in expected.items()}
    if name not in FREER:
        assert_same(found, expected, name, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if is_classifier(made(name))])
def test_classifiers_see_imaginary_parts(name):
    X, y = given(name, *phases(72))
    fitted = made(name).fit(X[::2], y[::2]) if len(set(y[::2])) == len(set(y)) else made(name).fit(X, y)
    assert (fitted.predict(X).astype(int) == y).mean() > 0.8


def arguments(name, X, W):
    """Arguments for the function of that name, by the names of its parameters; None for those that
    take no matrices."""
    y = np.arange(len(X)) % 2
    if name in SPECIAL:
        return SPECIAL[name](X, W, y)
    known = {"X": X, "A": X[0], "B": X[1], "Cref": X[2]}
    needed = [p.name for p in inspect.signature(PUBLIC[name]).parameters.values()
              if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    assert set(needed) <= set(known), f"{name}: say in SPECIAL how it is called"
    return [known[one] for one in needed], {}


SPECIAL = {
    "apply": lambda X, W, y: ([X, "log"], {}),
    "powm": lambda X, W, y: ([X, 0.3], {}),
    "cost": lambda X, W, y: ([X, y, W], {"objective": "difference", "nu_w": 2, "nu_b": 2}),
    "evaluate": lambda X, W, y: ([X, y, ["nn-airm", "mdm-stein", "rsr", "knn-airm"]],
                                 {"cv": 3}),
    "explain": lambda X, W, y: ([W, X], {}),
    "exp_map": lambda X, W, y: ([spdml.geometry.tangentspace.log_map(X, X[0]), X[0]], {}),
    "maskedmean_riemann": lambda X, W, y: ([X, [np.eye(4)[:, :3]] * len(X)], {}),
    "recenter": lambda X, W, y: ([X, y], {}),
    "untangent_space": lambda X, W, y: ([spdml.geometry.tangentspace.tangent_space(X, X[0]), X[0]], {}),
    "unupper": lambda X, W, y: ([spdml.geometry.tangentspace.upper(X)], {}),
    "encode_domains": lambda X, W, y: ([X, y, y], {}),
    "decode_domains": lambda X, W, y: (list(spdml.transfer.encode_domains(X, y, y)), {}),
    "covariances": lambda X, W, y: None, "describe": lambda X, W, y: None, "from_epochs": lambda X, W, y: None,
    "embed": lambda X, W, y: None,  # of real matrices
    "distance_mahalanobis": lambda X, W, y: None,  # of vectors
    "isa_name": lambda X, W, y: None, "progress": lambda X, W, y: None, "set_engine": lambda X, W, y: None,
}


def numbers_of(result):
    """The numbers in a result, one array after the other."""
    if isinstance(result, spdml.evaluation.Evaluation):
        return [result.accuracy, result.kappa]
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(part) for part in parts if np.asarray(part).dtype.kind in "fciu"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_complex_matrices(name):
    """Real ones as complex ones give the same; a complex basis changes no invariant, and what is no
    invariant is complex where it should be."""
    rng = np.random.default_rng(2)
    X, W = random_spd(rng, 12, 4), np.linalg.qr(rng.standard_normal((4, 2)))[0]
    wanted = arguments(name, X, W)
    if wanted is None:
        pytest.skip("takes no matrices, or real ones alone")
    function = PUBLIC[name]
    expected = numbers_of(function(*wanted[0], **wanted[1]))
    as_complex = arguments(name, X.astype(complex), W.astype(complex))
    for found, values in zip(numbers_of(function(*as_complex[0], **as_complex[1])), expected):
        np.testing.assert_allclose(found, values, rtol=1e-7, atol=1e-9)
    U = np.linalg.qr(rng.standard_normal((4, 4)) + 1j * rng.standard_normal((4, 4)))[0]
    T = U @ X @ U.conj().T
    turned = arguments(name, (T + T.conj().swapaxes(1, 2)) / 2, U @ W)
    for found, values in zip(numbers_of(function(*turned[0], **turned[1])), expected):
        assert found.shape == values.shape
        if name in ("maskedmean_riemann", "nanmean_riemann") or "ajd" in name:  # by rows, which are others now
            continue
        if found.shape[-2:] == (4, 4) and found.dtype.kind == "c":  # matrices turn with theirs
            np.testing.assert_allclose(found, U @ values @ U.conj().T, rtol=1e-7, atol=1e-8)
        elif name not in ("explain", "upper", "tangent_space") and found.dtype.kind == "f":
            np.testing.assert_allclose(found, values, rtol=1e-7, atol=1e-8)


# ---- arguments that count ------------------------------------------------------------------------

CARRIED = {"ctranspose", "decode_domains", "encode_domains", "unupper", "upper"}  # only moved about


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in CARRIED])
def test_functions_pass_no_nan_on(name, bad):
    rng = np.random.default_rng(2)
    X, W = random_spd(rng, 12, 4), np.linalg.qr(rng.standard_normal((4, 2)))[0]
    if arguments(name, X, W) is None:
        pytest.skip("takes no matrices")
    X[0, 1, 1] = bad
    with pytest.raises(ValueError):
        wanted = arguments(name, X, W)
        PUBLIC[name](*wanted[0], **wanted[1])


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in CARRIED])
def test_estimators_pass_no_nan_on(name):
    X, y = given(name, *scales())
    bad, fitted = X.copy(), made(name).fit(X, y)
    bad[0, 1, 1] = np.nan
    calls = [getattr(fitted, method) for method in METHODS if hasattr(fitted, method)]
    for call in [lambda Z: made(name).fit(Z, y)] + calls:
        with pytest.raises(ValueError):
            call(bad)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "sample_weight" in inspect.signature(
    PUBLIC[name].fit).parameters])
def test_weights_are_used_or_refused(name):
    X, y = given(name, *scales())

    def said(weight):
        if name.startswith("TL"):  # transform is for the target, which stays
            return {"fit_transform": made(name).fit_transform(X, y, sample_weight=weight)}
        return results(made(name).fit(X, y, sample_weight=weight), X)

    plain = said(None)
    try:
        weighted = said(np.linspace(1, 3, len(X)) ** 3)
    except spdml.exceptions.InvalidArgumentError as problem:
        assert "sample_weight" in str(problem)
        assert_same(said(np.ones(len(X))), plain, name)
        return
    assert any((weighted[method] != values).any() for method, values in plain.items())


# ---- classes in any order ------------------------------------------------------------------------

def reordered(method, X, label, classes):
    """A classifier as it is loaded from a file with the classes in that order."""
    estimator, values = spdml.SPDClassifier(method), {"k": 4} if method.startswith("knn") else {}
    estimator._take(_trained.train(method, values, X, np.array(classes), label.astype(np.intc), 1))
    return estimator


@pytest.mark.parametrize("method", ["nn-airm", "knn-airm", "mdm-airm", "ts-lda", "rsr", "cdl", "ksvm-stein"])
def test_classes_need_not_be_sorted(method):
    """As those of files, which are in the order of the file. Labels are arbitrary, so that neighbours are
    tied."""
    rng = np.random.default_rng(3)
    X, y = random_spd(rng, 40, 4), rng.integers(0, 2, 40)
    sorted_one = reordered(method, X, y, ["a", "b"])
    other = reordered(method, X, 1 - y, ["b", "a"])
    expected, found = results(sorted_one, X), results(other, X)
    np.testing.assert_array_equal(found["predict"], expected["predict"])
    np.testing.assert_allclose(found["decision_function"], -expected["decision_function"],
                               atol=1e-3 if method.startswith("ksvm") else 1e-9)  # libsvm's tolerance
    chosen = np.where(found["decision_function"] > 0, "a", "b")
    np.testing.assert_array_equal(chosen, found["predict"])
    if "predict_proba" in expected:
        np.testing.assert_allclose(found["predict_proba"], expected["predict_proba"][:, ::-1], atol=1e-9)
    if method.startswith("knn"):
        share = expected["predict_proba"] * 4
        tied = share[:, 0].round() == 2
        np.testing.assert_allclose(share, share.round(), atol=1e-10)
        assert tied.any() and (np.abs(expected["decision_function"][tied]) == 0.5).all()


def test_means_of_unsorted_classes_learn_further(tmp_path):
    X, y = given("MDM", *scales())
    labels = np.array(["a", "b"])[y]
    means = spdml.MDM().fit(X[:20], labels[:20]).covmeans_
    expected = spdml.MDM.of_means(means, ["a", "b"]).partial_fit(X[20:], labels[20:]).covmeans_
    found = spdml.MDM.of_means(means[::-1], ["b", "a"]).partial_fit(X[20:], labels[20:])
    np.testing.assert_array_equal(found.covmeans_, expected[::-1])
    found.save(tmp_path / "b.spdml")
    back = spdml.MDM.load(tmp_path / "b.spdml")
    np.testing.assert_array_equal(back.classes_, ["b", "a"])
    np.testing.assert_array_equal(back.partial_fit(X[:1], ["a"]).covmeans_[0], back.covmeans_[0])


def test_weights_of_means_that_are_not_known(tmp_path):
    """Older files do not say of how many samples the means are."""
    X, y = given("MDM", *scales())
    fitted = spdml.MDM().fit(X, y)
    fitted.save(tmp_path / "a.spdml")
    _trained.load(tmp_path / "a.spdml").with_array("class_weight", None).save(tmp_path / "old.spdml")
    old = spdml.MDM.load(tmp_path / "old.spdml")
    np.testing.assert_array_equal(old.predict(X), fitted.predict(X))
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="how many samples"):
        old.partial_fit(X, y)
    old.save(tmp_path / "again.spdml")
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="how many samples"):
        spdml.MDM.load(tmp_path / "again.spdml").partial_fit(X, y)
    _trained.load(tmp_path / "a.spdml").with_array("class_weight", -np.ones((2, 1))).save(tmp_path / "bad.spdml")
    with pytest.raises(spdml.exceptions.FileFormatError, match="class_weight"):
        spdml.MDM.load(tmp_path / "bad.spdml")


# ---- forked children -----------------------------------------------------------------------------

def fork_after_use_by_another_thread():
    """Ends this process: 0 if a child has the same results of every estimator."""
    signals = scales(192)

    def use():
        used = {}
        for name in ESTIMATORS:
            X, y = given(name, *signals)
            fitted = made(name).fit(X, y)
            used[name] = (fitted, X, results(fitted, X))
        return used

    other = concurrent.futures.ThreadPoolExecutor(1)
    used = other.submit(use).result()
    child = os.fork()
    if child == 0:
        gc.collect()  # contexts of the other thread are in cycles
        for name, (fitted, X, expected) in used.items():
            assert_same(results(fitted, X), expected, name)
        os._exit(0)
    until, ended, status = time.monotonic() + 100, 0, 1
    while not ended and time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not ended:
        os.kill(child, signal.SIGKILL)
    os._exit(int(not ended or status != 0))


def test_a_forked_child_uses_what_another_thread_has_fitted():
    """In a program of its own, whose threads are known."""
    code = "import test_everywhere; test_everywhere.fork_after_use_by_another_thread()"
    folders = [str(pathlib.Path(spdml.__file__).parents[1]), str(pathlib.Path(__file__).parent)]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], timeout=200, check=False,
                          env=dict(os.environ, PYTHONPATH=os.pathsep.join(folders)))
    assert done.returncode == 0
