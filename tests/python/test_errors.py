"""Bad input: exceptions with the library's message, nothing else."""

import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import spdml
from conftest import ROOT
from spdml import exceptions as _errors


def test_a_matrix_that_is_not_positive_definite(X):
    X[7] -= 10 * np.eye(6)
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"X\[7\].*not positive definite") as e:
        spdml.mean(X)
    assert e.value.index == 7
    assert e.value.eigenvalue == pytest.approx(np.linalg.eigvalsh(X[7])[0], rel=1e-6)
    copy = pickle.loads(pickle.dumps(e.value))
    assert (str(copy), copy.index, copy.eigenvalue) == (str(e.value), 7, e.value.eigenvalue)
    assert isinstance(e.value, ValueError) and isinstance(e.value, spdml.SPDError)


def test_advice_names_arguments():
    """What the command words as --shrinkage and --regularize."""
    assert _errors.advised("bad", 1 | 1 << 3, 1e-3) == "bad; try regularize=1e-3 or estimator='oas'"
    assert _errors.advised("bad", 1, 1e-6) == "bad; try regularize=1e-6"
    assert _errors.advised("bad", 1, 0.02) == "bad; try regularize=0.02"
    assert _errors.advised("bad", 1 | 1 << 6, 10.0) == "bad; try regularize=10"
    assert _errors.advised("bad", 1 << 6, 0.0) == "bad"


def test_remedies_are_those_of_the_header():
    header = (ROOT / "include/spdml/base.h").read_text()
    bits = {int(bit): name for name, bit in re.findall(r"SPD_REMEDY_(\w+)\s+=\s+1 << (\d+)", header)}
    named = {0: "REGULARIZE", 2: "SYMMETRIZE", 3: "SHRINK", 15: "AUTO_ENGINE"}
    assert set(_errors.REMEDIES) == {1 << bit for bit in named}
    assert {bit: bits[bit] for bit in named} == named


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_matrix_with_nan(X, bad):
    X[3, 1, 2] = X[3, 2, 1] = bad
    with pytest.raises(spdml.exceptions.NotFiniteError, match=r"X\[3\]") as e:
        spdml.pairwise_distance(X)
    assert e.value.index == 3


@pytest.mark.parametrize("bad,words", [
    (np.zeros((3, 4, 5)), "square"), (np.zeros((3, 4)), "shape"), (np.zeros((0, 4, 4)), "empty"),
    (np.zeros((4, 0, 0)), "empty"), (np.array([[["a"]]]), "dtype"),
    (np.array([np.eye(2), np.eye(3)], dtype=object), "dtype object"),
    (np.eye(3)[None] * 1j, "diagonal must be real"), (3.0, "shape")])
def test_arrays_that_are_no_matrices(bad, words):
    with pytest.raises(ValueError, match=words):
        spdml.mean(bad)


@pytest.mark.parametrize("metric", ["airm", "log-euclidean", "log-cholesky", "harmonic", "kullback_sym"])
@pytest.mark.parametrize("kind", [float, complex])
def test_places_are_those_of_the_caller(metric, kind):
    """A single matrix has no number; one of several dimensions has its indices."""
    good, bad = np.eye(2, dtype=kind), np.diag([1.0, -1.0]).astype(kind)
    for A, B, place in [(good, bad, "B is"), (bad, good, "A is"), (good, np.stack([good, bad]), r"B\[1\] is"),
                        (np.stack([good, good, bad]), good, r"A\[2\] is"), (np.stack([good, good]), bad, "B is"),
                        (np.stack([good, good, bad, good]).reshape(2, 2, 2, 2), good, r"A\[1, 0\] is")]:
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=f"^{place}"):
            spdml.distance(A, B, metric)


def test_sizes_that_differ(X):
    with pytest.raises(ValueError, match="Y holds 2 x 2 matrices; 6 x 6 expected"):
        spdml.pairwise_distance(X, np.eye(2)[None])
    with pytest.raises(ValueError, match="sample_weight"):
        spdml.mean(X, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="n_neighbors is 20"):
        spdml.neighbors(X, n_neighbors=20)


def test_an_unknown_metric_names_those_there_are(X):
    with pytest.raises(ValueError, match="'manhattan' is unknown; use one of airm, stein"):
        spdml.mean(X, "manhattan")
    with pytest.raises(ValueError, match="unknown"):
        spdml.mean(X, None)


@pytest.mark.parametrize("estimator", [spdml.SPDML(2), spdml.PGA(), spdml.MDM()])
def test_another_size_than_fitted(labelled, estimator):
    X, y = labelled
    estimator.fit(X, y)
    use = getattr(estimator, "predict", None) or estimator.transform
    with pytest.raises(ValueError, match="5 x 5 matrices; 8 x 8 expected"):
        use(X[:, :5, :5])


@pytest.mark.parametrize("estimator", [spdml.SPDML(2), spdml.MDM(), spdml.RSRClassifier()])
def test_labels_that_do_not_fit(labelled, estimator):
    X, y = labelled
    with pytest.raises(ValueError, match="36 samples and y has 35"):
        estimator.fit(X, y[:-1])
    with pytest.raises(ValueError, match="one label per sample"):
        estimator.fit(X, np.stack([y, y], 1))
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit(X, np.where(y == 0, np.nan, y))


def test_values_out_of_range(labelled):
    X, y = labelled
    for bad, words in [(spdml.SPDML(8), "smaller than the matrices"), (spdml.SPDML(0), "positive"),
                       (spdml.SPDML(2.5), "positive integer"), (spdml.SPDML(2, nu_w=0), "nu_w"),
                       (spdml.SPDML(2, init="zero"), "use one of"),
                       (spdml.SPDML(2, init=np.eye(3)), "init has shape"),
                       (spdml.KNearestNeighbor(0), "n_neighbors is 0"),
                       (spdml.CDLClassifier(variant="svm"), "variant"),
                       (spdml.SPDClassifier("nn-manhattan"), "nn-manhattan"),
                       (spdml.SPDClassifier("src"), "vectors"),
                       (spdml.SPDClassifier("nn", cost=1.0), "cost")]:
        with pytest.raises(ValueError, match=words):
            bad.fit(X, y)


def test_a_callback_that_raises_ends_the_call(rng, labelled):
    X, y = labelled

    def bad(iteration, cost):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        spdml.SPDML(3).fit(X, y, callback=bad)


def test_progress_is_reported_and_can_end_a_call():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((900, 24, 48))
    X = A @ A.transpose(0, 2, 1)
    seen = []
    with spdml.progress(lambda *what: seen.append(what)):
        spdml.pairwise_distance(X)
    assert seen and all(0 <= done <= total and unit for _, done, total, unit in seen)

    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    with spdml.progress(stop), pytest.raises(Enough):
        spdml.pairwise_distance(X)
    assert spdml.distance(X[0], X[1]) > 0  # and the next call is as good as any


@pytest.mark.parametrize("quick", ["1", "0"])
def test_a_forked_child_can_go_on(quick):
    """After calls with workers by this thread and by another, which is idle then. In a program of its
    own: a fork copies the calling thread alone, and the test runner and its libraries may have others
    that hold a lock just then. Python drops the other threads' contexts within os.fork()."""
    program = """
import concurrent.futures, gc, os, signal, sys, time
import numpy as np, spdml
A = np.random.default_rng(0).standard_normal((200, 20, 40))  # so many that workers are worth it
X = A @ A.transpose(0, 2, 1)
expected = spdml.pairwise_distance(X, n_jobs=2)
other = concurrent.futures.ThreadPoolExecutor(1)
assert (other.submit(spdml.pairwise_distance, X, n_jobs=2).result() == expected).all()
child = os.fork()
if child == 0:
    gc.collect()  # contexts are in cycles
    os._exit(0 if (spdml.pairwise_distance(X, n_jobs=2) == expected).all() else 1)
until = time.monotonic() + 60
ended, status = 0, 0
while not ended and time.monotonic() < until:
    ended, status = os.waitpid(child, os.WNOHANG)
    time.sleep(0.01)
if not ended:
    os.kill(child, signal.SIGKILL)
sys.exit(not ended or status != 0)
"""
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(spdml.__file__).parents[1]),
                       SPDML_QUICK=quick)
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment,
                          timeout=600).returncode == 0


def test_matrices_that_are_not_symmetric(X):
    """The library reads lower triangles; an upper one of its own would go unseen."""
    X = X[:4].copy()
    bad = X.copy()
    bad[2, 0, 1] += 0.1
    for call in (lambda: spdml.pairwise_distance(bad), lambda: spdml.mean(bad),
                 lambda: spdml.distance(bad[2], X[0]), lambda: spdml.neighbors(X, bad),
                 lambda: spdml.kernel(bad, metric="stein"), lambda: spdml.geometry.base.apply(bad, "log"),
                 lambda: spdml.geodesic(X[0], bad[2]), lambda: spdml.regularize(bad, 0.1)):
        with pytest.raises(spdml.exceptions.NotSymmetricError, match="is not symmetric"):
            call()
    with pytest.raises(spdml.exceptions.NotSymmetricError) as caught:
        spdml.mean(bad)
    assert caught.value.index == 2 and caught.value.value == pytest.approx(0.1)
    rounded = X.astype(np.float32)
    rounded[:, 0, 1] *= 1 + 1e-6
    np.testing.assert_allclose(spdml.mean(rounded), spdml.mean(X), rtol=1e-5, atol=1e-5)
    with pytest.raises(spdml.exceptions.NotFiniteError):
        spdml.mean(np.full((1, 2, 2), np.nan))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none(X, value):
    for call in (lambda: spdml.regularize(X, value), lambda: spdml.regularize(X, 0.1, value),
                 lambda: spdml.geometry.base.apply(X, "power", power=value), lambda: spdml.kernel(X, metric="stein", beta=value),
                 lambda: spdml.geodesic(X[0], X[1], value), lambda: spdml.mean(X, tol=-1.0),
                 lambda: spdml.covariances(np.ones((1, 2, 9)), regularize=-abs(value))):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, None])
def test_seeds_that_are_none(labelled, seed):
    """ctypes would take -1 for 2**64 - 1."""
    X, y = labelled
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="random_state is .*; it must be an integer"):
        spdml.evaluate(X, y, ["nn-airm"], train_per_class=2, random_state=seed)
    if seed in (-1, 2**64):
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match="random_state is"):
            spdml.SPDML(random_state=seed).fit(X, y)


def test_a_late_interrupt_does_not_lose_the_classifier(labelled, monkeypatch):
    """Ctrl-C that arrives when the call has done its work: what it made is freed."""
    X, y = labelled
    freed = []
    free = spdml._core.calls.lib.spd_classifier_free
    inner = spdml._core.calls.call

    def late(ctx, name, *arguments, **more):
        status = inner(ctx, name, *arguments, **more)
        if name == "spd_classifier_fit":
            raise KeyboardInterrupt
        return status

    class Watched:
        def __getattr__(self, name):
            if name == "spd_classifier_free":
                return lambda pointer: (freed.append(1), free(pointer))
            return getattr(spdml._core.calls.lib, name)

    monkeypatch.setattr(spdml._core.methods, "call", late)
    monkeypatch.setattr(spdml._core.methods, "lib", Watched())
    with pytest.raises(KeyboardInterrupt):
        spdml.SPDClassifier("nn-airm").fit(X, y)
    assert freed == [1]


def import_with(tmp_path, **variables):
    """What `import spdml` in a new process says, with these in its environment."""
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(spdml.__file__).parents[1]),
                       **variables)
    return subprocess.run([sys.executable, "-c", "import spdml; print(spdml.isa_name())"],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)


def test_unknown_instruction_set_is_told(tmp_path):
    done = import_with(tmp_path, SPDML_ISA="vliw")
    assert done.returncode == 0 and "RuntimeWarning: SPDML_ISA: instruction set 'vliw'" in done.stderr
    assert done.stdout.strip() == spdml.isa_name()
    done = import_with(tmp_path, SPDML_ISA="baseline")
    assert (done.stdout, done.stderr) == ("baseline\n", "")


@pytest.mark.parametrize("name", ["nowhere.so", "libspdml.so.0"])
def test_library_that_is_not_there(tmp_path, name):
    """Not even if the loader would find one of that name somewhere."""
    done = import_with(tmp_path, SPDML_LIBRARY=name)
    assert done.returncode == 1 and f"ImportError: SPDML_LIBRARY names '{name}'" in done.stderr


def test_no_library_of_the_current_folder_is_loaded(tmp_path):
    """Files there with the names of all libraries: the loader would stop at one of them."""
    from spdml._core import library as _library
    needed = subprocess.run(["ldd", _library.lib._name], capture_output=True, text=True).stdout
    names = re.findall(r"^\s*(lib\S+)", needed, re.M)
    assert names
    for name in [*names, "libspdml.so"]:
        (tmp_path / name).write_bytes(b"\x7fELF, and nothing more")
    done = import_with(tmp_path)
    assert done.returncode == 0, done.stderr
