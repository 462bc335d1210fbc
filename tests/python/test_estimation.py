"""From signals to matrices: the same as pyRiemann's, and what must hold whatever it says."""

import pickle

import numpy as np
import pytest
import spdml
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from spdml.geometry import covariance as _covariance

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the peer
ESTIMATORS = ["scm", "cov", "corr", "oas", "lwf", "sch", "hub", "stu", "tyl", "mcd"]


def signals_of(rng, p, n, times, is_complex=False):
    X = rng.standard_normal((p, n, times)) * np.exp(rng.standard_normal((p, n, 1))) + 3
    return X + 1j * rng.standard_normal((p, n, times)) if is_complex else X


@pytest.fixture
def peer():
    return pytest.importorskip("pyriemann.estimation", reason="pyRiemann is not installed")


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("shape", [(4, 5, 40), (2, 1, 20)])
def test_covariances_are_pyriemanns(rng, peer, estimator, is_complex, shape):
    X = signals_of(rng, *shape, is_complex)
    named = {"random_state": 1} if estimator == "mcd" else {}
    mine = spdml.Covariances(estimator, **named).fit_transform(X)
    np.testing.assert_allclose(mine, peer.Covariances(estimator, **named).transform(X), rtol=1e-9,
                               atol=1e-9)


@pytest.mark.parametrize("estimator,named", [
    ("scm", {"assume_centered": True}), ("scm", {"weights": np.arange(1.0, 31)}),
    ("cov", {"bias": True}), ("oas", {"assume_centered": True}), ("lwf", {"assume_centered": True}),
    ("hub", {"q": 0.7, "tol": 1e-6, "n_iter_max": 100}), ("stu", {"nu": 2, "tol": 1e-6}),
    ("tyl", {"norm": "determinant"}), ("tyl", {"init": np.eye(4), "assume_centered": True})])
def test_options_of_estimators(rng, peer, estimator, named):
    X = signals_of(rng, 3, 4, 30)
    np.testing.assert_allclose(spdml.Covariances(estimator, **named).transform(X),
                               peer.Covariances(estimator, **named).transform(X), rtol=1e-8)


def test_functions_and_numbers_as_estimators(rng, peer):
    X = signals_of(rng, 3, 4, 30)
    own = spdml.Covariances(lambda x, power=1: (x @ x.T) ** power, power=2).transform(X)
    np.testing.assert_allclose(own, (X @ X.transpose(0, 2, 1)) ** 2)
    np.testing.assert_allclose(spdml.Covariances(0.3).transform(X), spdml.covariances(X, 0.3),
                               rtol=1e-10)
    for estimator in ("oas", "lwf", "cov"):
        np.testing.assert_allclose(spdml.Covariances(estimator).transform(X),
                                   spdml.covariances(X, estimator), rtol=1e-10)
    np.testing.assert_allclose(
        spdml.estimation.Shrinkage(0.2).fit_transform(spdml.Covariances().transform(X)),
        peer.Shrinkage(0.2).transform(peer.Covariances().transform(X)), rtol=1e-12)


@pytest.mark.parametrize("mine,named", [
    ("ERPCovariances", {}), ("ERPCovariances", {"svd": 2, "estimator": "lwf"}),
    ("ERPCovariances", {"classes": ["b"]})])
def test_covariances_of_responses_are_pyriemanns(rng, peer, mine, named):
    X, y = signals_of(rng, 12, 4, 50), np.array(list("abc") * 4)
    ours, theirs = getattr(spdml.estimation, mine)(**named).fit(X, y), getattr(peer, mine)(**named).fit(X, y)
    signs = np.sign((ours.P_ * theirs.P_).sum(axis=1))  # an eigenvector may point either way
    np.testing.assert_allclose(ours.P_ * signs[:, None], theirs.P_, rtol=1e-7, atol=1e-9)
    if len(signs) < theirs.transform(X).shape[1]:
        signs = np.concatenate([signs, np.ones(4)])
    np.testing.assert_allclose(ours.transform(X) * np.outer(signs, signs), theirs.transform(X),
                               rtol=1e-7, atol=1e-8)
    assert len(ours.get_feature_names_out()) == theirs.transform(X).shape[1]


@pytest.mark.parametrize("mine,named", [
    ("TimeDelayCovariances", {}), ("TimeDelayCovariances", {"delays": [1, 5], "estimator": "oas"})])
def test_other_matrices_are_pyriemanns(rng, peer, mine, named):
    X = rng.standard_normal((3, 4, 100))
    ours, theirs = getattr(spdml.estimation, mine)(**named), getattr(peer, mine)(**named)
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name, named", [("BlockCovariances", {"block_size": 2}), ("XdawnCovariances", {"nfilter": 2}),
                                         ("CrossSpectra", {"window": 16}), ("CoSpectra", {"window": 16})])
def test_matrices_that_pyriemann_makes(rng, peer, name, named):
    """What it has and we have not goes into our classifiers; of spectra one frequency, also complex."""
    X, y = rng.standard_normal((40, 4, 100)), np.arange(40) % 2
    X[y == 1, :2] *= 3
    C = getattr(peer, name)(**named).fit_transform(X, y)
    C = C[..., 2] if C.ndim == 4 else C
    assert np.iscomplexobj(C) == (name == "CrossSpectra")
    assert spdml.MDM().fit(C[:20], y[:20]).score(C[20:], y[20:]) > 0.8


@pytest.mark.parametrize("metric", ["airm", "stein"])
def test_estimators_of_pyriemann_take_our_functions(rng, metric):
    module = pytest.importorskip("pyriemann.classification", reason="pyRiemann is not installed")
    X, y = rng.standard_normal((40, 4, 100)), np.arange(40) % 2
    X[y == 1, :2] *= 3
    X = spdml.covariances(X)

    def mean(X, sample_weight=None):
        return spdml.mean(X, metric, sample_weight)

    def distance(A, B, squared=False):
        return spdml.geometry.distance.distance(A, B, metric, squared)[:, 0]

    theirs = module.MDM({"mean": mean, "distance": distance}).fit(X[::2], y[::2])
    np.testing.assert_array_equal(theirs.predict(X), spdml.MDM(metric).fit(X[::2], y[::2]).predict(X))


@pytest.mark.parametrize("estimator", [
    spdml.Covariances("oas", assume_centered=True),
    spdml.estimation.TimeDelayCovariances(3), spdml.estimation.ERPCovariances(svd=1, assume_centered=True)], ids=lambda e: type(e).__name__)
def test_clones_pickles_and_samples_one_by_one(rng, estimator):
    X, y = rng.standard_normal((8, 4, 60)), np.arange(8) % 2
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    expected = copy.fit(X, y).transform(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(copy)).transform(X), expected)
    alone = np.concatenate([copy.transform(x[None]) for x in X])
    np.testing.assert_allclose(alone, expected, rtol=1e-12, atol=1e-14)
    assert copy.set_output(transform="pandas") is copy
    assert isinstance(copy.transform(X), np.ndarray)


@pytest.mark.parametrize("estimator", ["hub", "stu", "tyl"])
def test_iterations_go_over_pieces(rng, estimator, monkeypatch):
    """Python hears Ctrl-C between them. Each signal has its own end, so that pieces change no bit."""
    X = rng.standard_normal((30, 4, 50)) * rng.exponential(size=(30, 1, 50))
    whole = spdml.Covariances(estimator).transform(X)
    seen, weights = [], _covariance._weights

    def watched(*arguments):
        weigh = weights(*arguments)
        return lambda square: seen.append(len(square)) or weigh(square)

    monkeypatch.setattr(_covariance, "_weights", watched)
    monkeypatch.setattr(_covariance, "_PIECE", 7 * 4 * 50)
    np.testing.assert_array_equal(spdml.Covariances(estimator).transform(X), whole)
    assert max(seen) == 7
    with pytest.warns(ConvergenceWarning, match="30 of 30"):
        spdml.Covariances(estimator, tol=0, n_iter_max=2).transform(X)


def test_options_are_parameters():
    """scikit-learn's clone would forget them, and set_params refuse them."""
    estimator = spdml.Covariances("hub", q=0.8)
    assert estimator.get_params() == {"estimator": "hub", "q": 0.8}
    assert clone(estimator).kwds == {"q": 0.8}
    estimator.set_params(q=0.7, estimator="stu")
    assert estimator.kwds == {"q": 0.7} and estimator.estimator == "stu"
    estimator.set_params(regularize=1e-3)
    assert clone(estimator).kwds == {"q": 0.7, "regularize": 1e-3}
    with pytest.raises(ValueError, match="Invalid parameter"):
        estimator.set_params(p=1)


def test_signals_of_different_lengths(rng):
    X = [rng.standard_normal((3, times)) for times in (30, 40, 50)]
    estimator = spdml.Covariances("oas")
    expected = np.concatenate([estimator.transform(x[None]) for x in X])
    np.testing.assert_array_equal(estimator.fit(X).transform(X), expected)
    np.testing.assert_allclose(spdml.Covariances("oas").transform(X), spdml.covariances(X, "oas"))


def low_rank(rng, n=6, times=50):
    """Signals with an average reference: no matrix has full rank."""
    y = np.arange(40) % 2
    scale = np.where(y[:, None] == 1, np.linspace(1, 3, n), np.linspace(3, 1, n))
    X = rng.standard_normal((40, n, times)) * scale[:, :, None]
    return X - X.mean(axis=1, keepdims=True), y


@pytest.mark.parametrize("steps", [
    lambda: [spdml.Covariances("oas")], lambda: [spdml.Covariances(regularize=1e-6)],
    lambda: [spdml.Covariances(), spdml.estimation.Shrinkage(0.05)]])
def test_matrices_without_full_rank(rng, steps):
    """What pyRiemann's users ask most: what to do about "not positive definite"."""
    X, y = low_rank(rng)
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError):
        make_pipeline(spdml.Covariances(), spdml.MDM()).fit(X, y).predict(X)
    assert make_pipeline(*steps(), spdml.MDM()).fit(X[:30], y[:30]).score(X[30:], y[30:]) == 1


@pytest.mark.parametrize("X,words", [
    (np.zeros((3, 4)), "shape"), (np.zeros((0, 3, 4)), "empty"), ([[["a"]]], "dtype"),
    ([np.zeros((2, 3)), np.zeros((3, 4))], "numbers of channels")])
def test_what_are_no_signals(X, words):
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match=words):
        spdml.Covariances().transform(X)


@pytest.mark.parametrize("estimator", ["corr", "cov", "sch"])
def test_signals_of_one_time(estimator):
    with pytest.raises(ValueError, match="two times or more"):
        spdml.Covariances(estimator).transform(np.ones((2, 3, 1)))


def test_signals_that_are_not_finite(rng):
    X = rng.standard_normal((5, 2, 9))
    X[3, 1, 4] = np.nan
    with pytest.raises(spdml.exceptions.NotFiniteError, match=r"X\[3\]") as e:
        spdml.Covariances().transform(X)
    assert e.value.index == 3


@pytest.mark.parametrize("estimator,words", [
    (spdml.Covariances("best"), "'best' is unknown; use one of corr"),
    (spdml.Covariances(2.0), "between 0 and 1"),
    (spdml.Covariances("hub", q=0), "q is 0"), (spdml.Covariances("stu", nu=0), "nu is 0"),
    (spdml.Covariances("tyl", norm="max"), "norm"), (spdml.Covariances(regularize=-1), "regularize"),
    (spdml.Covariances("scm", weights=[1, 2]), "weights"),
    (spdml.estimation.TimeDelayCovariances("all"), "delays"),
    (spdml.estimation.ERPCovariances(svd=1.5), "svd"), (spdml.estimation.ERPCovariances(classes=[7]), "no samples"),
    (spdml.estimation.Shrinkage(2), "shrinkage")])
def test_bad_parameters(rng, estimator, words):
    X, y = rng.standard_normal((6, 4, 50)), [0, 1] * 3
    X = spdml.Covariances().transform(X) if isinstance(estimator, spdml.estimation.Shrinkage) else X
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(X, y).transform(X)


def test_warnings(rng):
    X = rng.standard_normal((2, 4, 50))
    with pytest.warns(ConvergenceWarning, match="2 of 2"):
        spdml.Covariances("tyl", tol=1e-12, n_iter_max=2).transform(X)
