"""ConnectivityMeasure: nilearn's definition, and nilearn itself where it is installed."""

import importlib

import numpy as np
import pytest
from conftest import wanted
from sklearn.base import clone
from sklearn.covariance import EmpiricalCovariance, LedoitWolf
from spdml.connectivity import ConnectivityMeasure
from spdml.exceptions import InvalidArgumentError


@pytest.fixture
def series(rng):
    """Six subjects with seven regions, one with a shorter recording."""
    A = np.eye(7) + rng.standard_normal((7, 7)) / 3
    made = [rng.standard_normal((60, 7)) @ (A + 0.1 * rng.standard_normal((7, 7))) for _ in range(6)]
    return made[:5] + [made[5][:40]]


def twin(covariances):
    """Mean, whitening and tangent vectors by their definitions."""
    def function(f, X):
        values, V = np.linalg.eigh(X)
        return (V * f(values)[..., None, :]) @ np.swapaxes(V, -1, -2)
    M = np.mean(covariances, axis=0)
    for _ in range(300):  # half steps, since whole ones need not converge
        root = function(np.sqrt, M)
        inverse = np.linalg.inv(root)
        T = function(np.log, inverse @ covariances @ inverse)
        M = root @ function(np.exp, T.mean(axis=0) / 2) @ root
    return M, inverse, T


@pytest.mark.parametrize("estimator", [None, EmpiricalCovariance()], ids=["shrunk", "plain"])
def test_definition(series, estimator):
    measure = ConnectivityMeasure(cov_estimator=estimator)
    T = measure.fit_transform(series)
    used = LedoitWolf() if estimator is None else estimator
    C = np.array([used.fit(x).covariance_ for x in series])
    mean, whitening, expected = twin(C)
    np.testing.assert_allclose(measure.mean_, mean, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(measure.whitening_, whitening, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(T, expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(measure.transform(series[4:]), expected[4:], rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(measure.inverse_transform(T), C, rtol=1e-9, atol=1e-11)
    assert measure.gradient_norm_ < 1e-10 and 1 <= measure.n_iter_ < 30


@pytest.mark.parametrize("discard", [False, True])
def test_vectors(series, discard):
    plain = ConnectivityMeasure()
    T = plain.fit_transform(series)
    measure = ConnectivityMeasure(vectorize=True, discard_diagonal=discard)
    vectors = measure.fit_transform(series)
    assert vectors.shape == (6, 21 if discard else 28)
    at = np.arange(7)
    diagonal = T[:, at, at] / np.sqrt(2.0) if discard else None
    np.testing.assert_allclose(measure.inverse_transform(vectors, diagonal), plain.inverse_transform(T),
                               rtol=1e-9, atol=1e-11)
    if not discard:
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1) * np.sqrt(2.0), np.linalg.norm(T, axis=(1, 2)))


def test_a_fit_needs_one_subject(series):
    measure = ConnectivityMeasure().fit(series[:1])
    np.testing.assert_allclose(measure.mean_, LedoitWolf().fit(series[0]).covariance_, rtol=1e-12)
    assert measure.transform(series).shape == (6, 7, 7)


def test_tolerance(series):
    loose, tight = ConnectivityMeasure(tol=1e-2).fit(series), ConnectivityMeasure().fit(series)
    assert loose.n_iter_ < tight.n_iter_ and loose.gradient_norm_ > tight.gradient_norm_
    assert clone(loose).tol == 1e-2


@pytest.mark.parametrize("call, words", [
    (lambda x: ConnectivityMeasure(kind="correlation").fit(x), "must be 'tangent'"),
    (lambda x: ConnectivityMeasure().fit_transform(x[:1]), "at least two"),
    (lambda x: ConnectivityMeasure().fit([]), "X is empty"),
    (lambda x: ConnectivityMeasure().fit(3), "list of arrays"),
    (lambda x: ConnectivityMeasure().fit(x + [x[0][:, :3]]), r"X\[6\] has shape \(60, 3\)"),
    (lambda x: ConnectivityMeasure().fit(x).transform([s[:, :3] for s in x]), "3 regions; the fit had 7"),
    (lambda x: ConnectivityMeasure().fit(x).transform(x, confounds=np.ones(6)), "vectorize=True"),
    (lambda x: ConnectivityMeasure(vectorize=True, discard_diagonal=True).fit(x).inverse_transform(np.ones((6, 21))),
     "diagonal="),
    (lambda x: ConnectivityMeasure(vectorize=True).fit(x).inverse_transform(np.ones((6, 21))), "must be"),
])
def test_refusals(series, call, words):
    with pytest.raises(InvalidArgumentError, match=words):
        call(series)


@pytest.mark.parametrize("vectorize", [False, True])
def test_same_as_nilearn(series, rng, vectorize):
    """Whose mean ends where its gradient is below 1e-7 n^2."""
    wanted("nilearn", "nilearn is not installed; the comparison is left out")
    peer = importlib.import_module("nilearn.connectome")
    options = {"kind": "tangent", "vectorize": vectorize}
    ours, theirs = ConnectivityMeasure(**options), peer.ConnectivityMeasure(**options)
    close = {"rtol": 0, "atol": 2e-6}
    T = theirs.fit_transform(series)
    np.testing.assert_allclose(ours.fit_transform(series), T, **close)
    for name in ("mean_", "whitening_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), **close)
    np.testing.assert_allclose(ours.inverse_transform(T), theirs.inverse_transform(T), **close)
    if vectorize:
        confounds = rng.standard_normal((6, 1))
        np.testing.assert_allclose(ours.transform(series, confounds), theirs.transform(series, confounds), rtol=0,
                                   atol=1e-4)
