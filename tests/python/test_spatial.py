"""Whitening: as pyRiemann's, what it is for, and matrices without full rank."""

import numpy as np
import pytest
import spdml
from conftest import random_spd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("dim_red", [None, {"n_components": 3}, {"n_components": 9},
                                     {"expl_var": 0.9}, {"max_cond": 5}])
@pytest.mark.parametrize("metric", ["euclid", "riemann"])
def test_whitening_is_pyriemanns(X, dim_red, metric):
    preprocessing = pytest.importorskip("pyriemann.preprocessing", reason="no pyRiemann")
    weight = np.linspace(1, 2, len(X))
    ours = spdml.preprocessing.Whitening(metric, dim_red).fit(X, sample_weight=weight)
    theirs = preprocessing.Whitening(metric, dim_red).fit(X, sample_weight=weight)
    assert ours.n_components_ == theirs.n_components_
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-5,
                               atol=1e-6)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)),
                               theirs.inverse_transform(theirs.transform(X)), rtol=1e-6, atol=1e-7)
    middle = spdml.mean(ours.transform(X), metric, weight)
    np.testing.assert_allclose(middle, np.eye(len(middle)), atol=1e-6 if dim_red is None else 2)


def test_whitening_piece_by_piece(X):
    whole = spdml.preprocessing.Whitening("logeuclid").fit(X)
    pieces = spdml.preprocessing.Whitening("logeuclid").partial_fit(X[:7]).partial_fit(X[7:])
    np.testing.assert_allclose(pieces.filters_, whole.filters_, rtol=1e-8, atol=1e-9)
    still = clone(pieces).fit(X[:7]).partial_fit(X[7:], alpha=0)
    np.testing.assert_array_equal(still.filters_, spdml.preprocessing.Whitening("logeuclid").fit(X[:7]).filters_)
    with pytest.raises(ValueError, match="alpha is 2"):
        pieces.partial_fit(X, alpha=2)


def test_whitening_gives_full_rank(rng):
    """What none of the matrices has is dropped; classes are told apart as before."""
    y = np.arange(30) % 2
    F = rng.standard_normal((8, 5))
    low = random_spd(rng, 30, 5) * np.where(y == 0, 1, 3)[:, None, None]
    X = F @ low @ F.T
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError):
        spdml.MDM().fit(X, y)
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match="dim_red"):
        spdml.preprocessing.Whitening().fit(X)
    whitening = spdml.preprocessing.Whitening(dim_red={"max_cond": 1e10})
    pipeline = make_pipeline(whitening, spdml.MDM()).fit(X, y)
    assert whitening.n_components_ == 5
    np.testing.assert_allclose(pipeline.transform(X), spdml.MDM().fit(low, y).transform(low),
                               rtol=1e-6)


@pytest.mark.parametrize("estimator,words", [
    (spdml.preprocessing.Whitening(dim_red=3), "dim_red is 3"), (spdml.preprocessing.Whitening(dim_red={"rank": 3}), "'rank'"),
    (spdml.preprocessing.Whitening(dim_red={"n_components": 0}), "positive"),
    (spdml.preprocessing.Whitening(dim_red={"expl_var": 2}), "expl_var"),
    (spdml.preprocessing.Whitening(dim_red={"max_cond": 1}), "max_cond"),
    (spdml.preprocessing.Whitening("manhattan"), "manhattan")])
def test_bad_parameters(X, estimator, words):
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(X, np.arange(20) % 2)


def test_bad_input(X):
    with pytest.raises(NotFittedError):
        spdml.preprocessing.Whitening().transform(X)
    with pytest.raises(ValueError, match="6 x 6 expected"):
        spdml.preprocessing.Whitening().fit(X).transform(X[:, :3, :3])
