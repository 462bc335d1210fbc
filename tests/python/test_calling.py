"""The calling layer: threads by n_jobs, the short way beside the long one, progress bars, Ctrl-C."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import types
import unittest.mock

import joblib
import numpy as np
import pytest

import spdml
from spdml._core import arrays as _arrays, calls as _calls, jobs as _jobs, shortcuts as _shortcuts
from spdml._core.library import quick
from conftest import at_once, random_hpd, random_spd

QUICK = pytest.mark.skipif(quick is None, reason="no module spdml._quick (Python 3.11 or newer)")


def without_shortcuts(name):
    """The function, which goes the long way."""
    def function(*arguments, **named):
        with unittest.mock.patch.multiple(_shortcuts, _ALL={}, _FLAT={}, _CURVED={}, _FACTORS={}, quick_handle=lambda: None):
            return getattr(spdml.geometry.base if name == "apply" else spdml, name)(*arguments, **named)
    return function


LONG = types.SimpleNamespace(**{name: without_shortcuts(name) for name in (
    "apply", "distance", "geodesic", "mean", "pairwise_distance")})
METRICS = ("airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky", "euclidean")


# ---- n_jobs --------------------------------------------------------------------------------------

@pytest.mark.parametrize("n_jobs, expected", [
    (1, 1), (3, 3), (np.int64(2), 2), (-1, 0), (-2, max(_jobs.cores() - 1, 1)), (-1000, 1),
    (2**40, 2**31 - 1)])
def test_n_jobs_is_that_of_scikit_learn(n_jobs, expected):
    assert _jobs.threads(n_jobs) == expected


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_what_is_no_number_of_threads(n_jobs):
    with pytest.raises(ValueError, match="n_jobs"):
        _jobs.threads(n_jobs)


@pytest.mark.parametrize("text, expected", [(None, 0), ("3", 3), ("2,4", 2), ("", 0), ("x", 0), ("0", 0)])
def test_none_is_what_omp_num_threads_says(monkeypatch, text, expected):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if text is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert _jobs.threads(None) == expected
    assert _jobs.threads(2) == 2


def test_none_is_what_a_surrounding_configuration_says(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with joblib.parallel_config(n_jobs=3):
        assert _jobs.threads(None) == 3
        assert _jobs.threads(2) == 2
    assert _jobs.threads(None) == 7


def _threads_there(_number):
    return _jobs.threads(None)


def test_workers_of_joblib_do_not_take_all_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    work = [joblib.delayed(_threads_there)(i) for i in range(4)]
    assert joblib.Parallel(n_jobs=2, backend="threading")(work) == [1] * 4


def test_workers_of_loky_share_the_cores():
    code = ("import joblib, runpy, sys\n"
            "path = sys.argv[1]\n"
            "def f(_):\n"
            "    import joblib.parallel\n"
            "    return runpy.run_path(path)['threads'](None)\n"
            "print(*joblib.Parallel(n_jobs=2)(joblib.delayed(f)(i) for i in range(2)))\n")
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    text = subprocess.run([sys.executable, "-c", code, _jobs.__file__], env=environment, check=True,
                          stdout=subprocess.PIPE, text=True, timeout=600).stdout
    assert all(1 <= int(one) <= max(_jobs.cores() // 2, 1) for one in text.split()), text


# ---- the short way -------------------------------------------------------------------------------

@QUICK
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [1, 2, 5, 8, 17])
def test_short_distances_are_the_long_ones(rng, metric, n):
    X = random_spd(rng, 20, n)
    for squared in (False, True):
        np.testing.assert_allclose(spdml.distance(X[0], X[1], metric, squared),
                                   LONG.distance(X[0], X[1], metric, squared),
                                   rtol=1e-14 if metric == "euclidean" else 0)
    for Y in (None, X[3:9]):
        np.testing.assert_array_equal(spdml.pairwise_distance(X, Y, metric, n_jobs=1),
                                      LONG.pairwise_distance(X, Y, metric, n_jobs=1))
    np.testing.assert_array_equal(spdml.mean(X, metric, n_jobs=1), LONG.mean(X, metric, n_jobs=1))
    np.testing.assert_allclose(spdml.geodesic(X, X[::-1].copy(), 0.25, metric)[4],
                               LONG.geodesic(X[4], X[-5], 0.25, metric), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(spdml.geodesic(X[4], X[5], 0.25, metric),
                               LONG.geodesic(X[4], X[5], 0.25, metric), rtol=0,
                               atol=1e-15 if metric == "euclidean" else 0)


@QUICK
@pytest.mark.parametrize("metric", ["chol", "harmonic", "logchol", "kullback", "kullback_right", "kullback_sym",
                                    "thompson"])
@pytest.mark.parametrize("n", [1, 2, 7, 41])
def test_short_ways_of_other_metrics(rng, metric, n):
    X, Y = random_spd(rng, 6, n), random_spd(rng, 6, n)
    close = {"rtol": 1e-11, "atol": 1e-13}
    for A, B in ((X, Y), (X[0], Y[0])):
        for squared in (False, True):
            found = spdml.distance(A, B, metric, squared)
            assert isinstance(found, float) or A.ndim == 3
            np.testing.assert_allclose(found, LONG.distance(A, B, metric, squared), **close)
        if metric in ("chol", "logchol", "thompson"):
            np.testing.assert_allclose(spdml.geodesic(A, B, 0.3, metric), LONG.geodesic(A, B, 0.3, metric), **close)
    if metric in ("chol", "harmonic"):
        np.testing.assert_allclose(spdml.mean(X, metric), LONG.mean(X, metric), **close)
    bad = -np.eye(n)
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match="^B is not"):
        spdml.distance(X[0], bad, metric)
    if n > 1:
        bad = X[1] + np.triu(np.ones((n, n)), 1)
        with pytest.raises(spdml.exceptions.NotSymmetricError, match="^A is not"):
            spdml.distance(bad, X[0], metric)


@QUICK
@pytest.mark.parametrize("n, m", [(1, 1), (5, 5), (5, 2), (33, 7)])
def test_short_congruences_are_the_long_ones(rng, n, m):
    X, W = random_spd(rng, 9, n), rng.standard_normal((n, m))
    np.testing.assert_array_equal(_shortcuts.congruence(X, W, 1), spdml._core.sets.filtered(X, W))
    for wrong in (W.T if n != m else W[None], W[:-1], W.astype(np.float32), np.hstack([W] * (n // m + 1))):
        assert _shortcuts.congruence(X, wrong, 1) is None if wrong.ndim == 2 and 0 not in wrong.shape else True
    X[2, 0, 0] = np.inf
    assert _shortcuts.congruence(X, W, 1) is None


@QUICK
def test_hermitian_or_not(rng):
    X = random_hpd(rng, 5, 4)
    assert quick.hermitian(X.view(float), 1e-8) is True
    assert quick.hermitian(X.view(float)[:, :, :7], 1e-8) is None
    for i, gap in (((2, 1, 3), 1e-6), ((4, 0, 0), 1e-6j), ((0, 3, 0), -1e-6j)):
        worse = X.copy()
        worse[i] += gap
        assert quick.hermitian(worse.view(float), 1e-8) is None
        with pytest.raises(spdml.exceptions.NotSymmetricError, match=rf"^X\[{i[0]}\] is not Hermitian"):
            spdml.logm(worse)


@QUICK
@pytest.mark.parametrize("function", ["log", "exp", "sqrt", "invsqrt", "power"])
def test_short_functions_are_the_long_ones(rng, function):
    X = random_spd(rng, 20, 6)
    np.testing.assert_array_equal(spdml.geometry.base.apply(X, function, 0.3), LONG.apply(X, function, 0.3))
    np.testing.assert_array_equal(spdml.geometry.base.apply(X[2], function=function, power=0.3),
                                  LONG.apply(X[2], function, 0.3))


def test_covariances_of_an_array_are_those_of_a_list(rng):
    signals = rng.standard_normal((7, 4, 50)) + 100.0
    for estimator in ("cov", "scm", "oas", "lwf"):
        np.testing.assert_allclose(spdml.covariances(signals, estimator),
                                   spdml.covariances(list(signals), estimator), rtol=1e-10)
    for channels in (1, 4, 8, 11, 17):
        signals = rng.standard_normal((3, channels, 40)) * 3.0 - 50.0
        expected = [np.cov(x, bias=True).reshape(channels, channels) for x in signals]
        np.testing.assert_allclose(spdml.covariances(signals, "scm"), expected, rtol=1e-10)


@QUICK
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 5), (16, 16), (33, 33)])
@pytest.mark.parametrize("p", [1, 2, 7, 8, 9, 30])
def test_euclidean_means_and_distances_of_any_arrays(rng, p, shape):
    X, Y = rng.standard_normal((2, p, *shape))
    np.testing.assert_allclose(spdml.mean(X, "euclidean"), X.mean(axis=0), rtol=0, atol=1e-14)
    together = spdml.distance(X, Y, "euclidean")
    to_one = spdml.distance(X, Y[0], "euclid", squared=True)
    for i in range(p):
        assert together[i] == pytest.approx(np.linalg.norm(X[i] - Y[i]), rel=1e-13)
        assert to_one[i, 0] == pytest.approx(np.linalg.norm(X[i] - Y[0])**2, rel=1e-13)
        assert spdml.distance(X[i], Y[i], "euclidean") == together[i]


@QUICK
def test_euclidean_faults_go_the_long_way(rng):
    X = rng.standard_normal((9, 4, 4))
    assert quick.apart(X, X[:3], np.empty(9)) is None
    assert quick.apart(X, X[0, :3], np.empty(9)) is None
    assert quick.apart(X, X[0], np.empty(8)) is None
    assert quick.apart(X[0], X) is None
    assert quick.mean_flat(X, np.empty((4, 3))) is None
    assert quick.mean_flat(X.astype(np.float32), np.empty((4, 4))) is None
    X[5, 1, 2] = np.nan
    for call in (lambda: spdml.mean(X, "euclidean"), lambda: spdml.distance(X, X[0], "euclidean"),
                 lambda: spdml.distance(X[0], X[5], "euclidean")):
        with pytest.raises(spdml.exceptions.NotFiniteError):
            call()


@QUICK
@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "jeffrey", "logchol"])
def test_a_set_to_one_matrix(rng, metric):
    X = random_spd(rng, 19, 6)
    expected = [LONG.distance(x, X[3], metric) for x in X]
    np.testing.assert_allclose(spdml.distance(X, X[3], metric)[:, 0], expected, rtol=1e-9, atol=1e-6)
    assert spdml.distance(X[:1], X[3], metric).shape == (1, 1)


@QUICK
def test_what_is_not_served_goes_the_long_way(rng):
    X = random_spd(rng, 4, 3)
    expected = LONG.distance(X[0], X[1])
    assert quick.pair(_calls.quick_handle(), 0, X[0], X[1], 1e-8) is not None
    for A in (X[0].astype(np.float32), np.asfortranarray(X[0]) if X[0].flags.c_contiguous else X[0],
              X[0].tolist(), X[::2][0], np.ma.array(X[0])):
        assert spdml.distance(A, X[1]) == pytest.approx(expected, rel=1e-5)
    assert quick.pair(_calls.quick_handle(), 0, X[0].astype(np.float32), X[1], 1e-8) is None
    assert quick.pair(_calls.quick_handle(), 0, X[0], X[1][:2, :2], 1e-8) is None
    assert quick.pair(_calls.quick_handle(), 0, X[0][:2], X[1][:2], 1e-8) is None
    assert quick.symmetric(X.astype(">f8"), 1e-8) is None


@QUICK
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 16, 17, 40])
def test_symmetry_is_looked_at_everywhere(rng, n):
    X = random_spd(rng, 3, n)
    assert quick.symmetric(X, 1e-8) == -1
    largest = np.abs(X[1]).max()
    for row, column in {(0, n - 1), (n - 1, 0), (n // 2, n // 3), (n // 3, n // 2)}:
        if row == column:
            continue
        for factor, found in ((0.5, -1), (2.0, 1)):
            Y = X.copy()
            Y[1, row, column] += factor * 1e-3 * largest
            assert quick.symmetric(Y, 1e-3) == found, (row, column, factor)
    nan = X.copy()
    nan[1, 0, 0] = np.nan
    assert quick.symmetric(nan, 1e-8) == -1


def test_symmetry_is_looked_at_without_the_module(rng, monkeypatch):
    monkeypatch.setattr(_arrays, "quick", None)
    X = random_spd(rng, 3, 4)
    _arrays.check_symmetric(X, "X", 1e-8)
    X[2, 0, 3] += 1.0
    with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"X\[2\]"):
        _arrays.check_symmetric(X, "X", 1e-8)


@QUICK
def test_the_package_works_where_the_module_cannot_be_loaded(tmp_path):
    """As by PyPy, or where the file is damaged. The module is looked for beside the library."""
    library = shutil.copy(spdml._core.library.lib._name, tmp_path / "libspdml.so")
    (tmp_path / "_quick.abi3.so").write_bytes(b"no library")
    code = ("import numpy as np, spdml\n"
            "assert spdml._core.library.quick is None\n"
            "print(spdml.distance(np.eye(2), 3 * np.eye(2)), spdml.mean(np.ones((2, 1, 1)))[0, 0])")
    environment = dict(os.environ, SPDML_LIBRARY=str(library),
                       PYTHONPATH=str(pathlib.Path(spdml.__file__).parents[1]))
    text = subprocess.run([sys.executable, "-c", code], env=environment, check=True,
                          stdout=subprocess.PIPE, text=True, timeout=100).stdout
    assert [float(word) for word in text.split()] == pytest.approx([2**0.5 * np.log(3), 1.0])


def test_threads_have_contexts_of_their_own(rng):
    X = random_spd(rng, 40, 6)
    expected = [spdml.distance(X[0], x) for x in X]

    def run():
        for _ in range(20):
            assert [spdml.distance(X[0], x) for x in X] == expected

    at_once(*[run] * 4)


def test_a_callback_may_call_the_library(labelled):
    """Within a fit, which goes on as if nothing had been."""
    X, y = labelled
    expected, seen = spdml.SPDML(3, max_iter=8).fit(X, y), []

    def callback(iteration, cost):
        seen.append(spdml.mean(X) - spdml.mean(X, sample_weight=np.ones(len(X))))
        spdml.set_engine("auto"), spdml.set_engine("cpu")

    fitted = spdml.SPDML(3, max_iter=8).fit(X, y, callback=callback)
    np.testing.assert_array_equal(fitted.components_, expected.components_)
    assert len(seen) > 5 and not np.any(seen)


# ---- Ctrl-C --------------------------------------------------------------------------------------

@pytest.mark.parametrize("setting", ["0", "1"])
def test_ctrl_c_ends_a_call_on_large_matrices(setting):
    """Distances that would take minutes end by KeyboardInterrupt, the short way and the long."""
    code = ("import numpy as np, spdml, sys\n"
            "X = np.eye(300) + np.random.default_rng(1).uniform(0, 0.001, (120, 1, 1))\n"
            "X = np.ascontiguousarray(X)\n"
            "print('ready', flush=True)\n"
            "try:\n"
            "    spdml.pairwise_distance(X, n_jobs=1)\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n")
    environment = dict(os.environ, SPDML_QUICK=setting, PYTHONPATH=os.pathsep.join(sys.path))
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE,
                               text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=600)[0] == "interrupted\n"


# ---- progress ------------------------------------------------------------------------------------

class Bar:
    """What tqdm would be asked to draw."""

    made = []

    def __init__(self, total=None, leave=True):
        self.total, self.n, self.closed, self.seen = total, 0, False, []
        Bar.made.append(self)

    def reset(self, total=None):
        self.total = total

    def set_description(self, text, refresh=True):
        self.text = text

    def refresh(self):
        assert not self.closed
        self.seen.append((self.text, self.n, self.total, self.unit))

    def close(self):
        self.closed = True


def test_one_bar_for_each_call_closed_in_whole_numbers(rng, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")
    monkeypatch.setattr(tqdm, "tqdm", Bar)
    Bar.made = []
    X = random_spd(rng, 150, 50)
    with spdml.progress():
        spdml.pairwise_distance(X, n_jobs=1)
        spdml.pairwise_distance(X, n_jobs=1)
    assert len(Bar.made) == 2
    for bar in Bar.made:
        assert bar.closed and bar.seen
        for _, n, total, _ in bar.seen:
            assert isinstance(n, int) and isinstance(total, int) and 0 <= n <= total


def test_a_bar_is_closed_when_a_call_fails(rng, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto")

    class Broken(Bar):
        def refresh(self):
            raise RuntimeError("no")

    monkeypatch.setattr(tqdm, "tqdm", Broken)
    Bar.made = []
    X = random_spd(rng, 150, 50)
    with spdml.progress(), pytest.raises(RuntimeError):
        spdml.pairwise_distance(X, n_jobs=1)
    assert len(Bar.made) == 1 and Bar.made[0].closed


def test_threads_are_limited_by_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl", minversion="3.2", reason="no threadpoolctl")
    _ = spdml.MDM  # estimators bring it
    with threadpoolctl.threadpool_limits(1):
        assert [_jobs.threads(n) for n in (None, -1, 4)] == [1, 1, 1]
        own = [one for one in threadpoolctl.threadpool_info() if one["internal_api"] == "spdml"]
        assert own and own[0]["num_threads"] == 1
    assert _jobs.threads(-1) == 0 and _jobs.threads(4) == 4
