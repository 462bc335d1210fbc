"""Spatial filters and whitening: as pyRiemann's, what they are for, and matrices without full rank."""

import numpy as np
import pytest
import spdml
from conftest import random_spd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def peer():
    return pytest.importorskip("pyriemann.spatialfilters", reason="pyRiemann is not installed")


@pytest.fixture
def scaled(rng):
    """Classes whose variances differ in two dimensions of five, after a mixing."""
    y = np.arange(36) % 3
    scale = np.ones((36, 5))
    scale[y == 1, 0], scale[y == 2, 1] = 3, 4
    mixing = rng.standard_normal((5, 5))
    S = mixing @ (scale[:, :, None] * rng.standard_normal((36, 5, 80)))
    return spdml.Covariances("cov").transform(S), y, mixing


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("metric", ["euclid", "riemann"])
@pytest.mark.parametrize("log", [True, False])
def test_csp_is_pyriemanns(scaled, peer, classes, metric, log):
    X, y, _ = scaled
    X, y = X[y < classes], y[y < classes]
    ours = spdml.spatialfilters.CSP(3, metric, log).fit(X, y)
    theirs = peer.CSP(3, metric, log).fit(X, y)
    signs = np.sign((ours.filters_ * theirs.filters_).sum(axis=1))[:, None]
    np.testing.assert_allclose(ours.filters_ * signs, theirs.filters_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.patterns_ * signs, theirs.patterns_, rtol=1e-5, atol=1e-6)
    if log:
        np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-6, atol=1e-6)
    else:
        assert ours.transform(X).shape == (len(X), 3, 3)


def test_csp_finds_what_was_mixed(scaled):
    X, y, mixing = scaled
    patterns = spdml.spatialfilters.CSP(2).fit(X, y).patterns_
    cosine = np.abs(patterns @ mixing[:, :2]) / np.linalg.norm(patterns, axis=1)[:, None] / \
        np.linalg.norm(mixing[:, :2], axis=0)
    assert sorted(cosine.argmax(axis=1)) == [0, 1] and (cosine.max(axis=1) > 0.9).all()
    from sklearn.linear_model import LogisticRegression
    pipeline = make_pipeline(spdml.spatialfilters.CSP(2), LogisticRegression())
    assert pipeline.fit(X[:24], y[:24]).score(X[24:], y[24:]) > 0.9


def test_spoc_is_pyriemanns(rng, scaled, peer):
    X, _, _ = scaled
    target = np.log(X[:, 2, 2]) + 0.1 * rng.standard_normal(len(X))
    ours, theirs = spdml.spatialfilters.SPoC(3).fit(X, target), peer.SPoC(3).fit(X, target)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)


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
    (spdml.preprocessing.Whitening("manhattan"), "manhattan"), (spdml.spatialfilters.CSP(0), "nfilter"),
    (spdml.spatialfilters.CSP(log=2), "log is 2")])
def test_bad_parameters(X, estimator, words):
    with pytest.raises((ValueError, TypeError), match=words):
        estimator.fit(X, np.arange(20) % 2)


def test_bad_input(X):
    with pytest.raises(ValueError, match="two or more"):
        spdml.spatialfilters.CSP().fit(X, np.zeros(20, int))
    with pytest.raises(ValueError, match="use ajd_pham"):
        spdml.spatialfilters.CSP(ajd_method="rjd").fit(X, np.arange(20) % 3)
    with pytest.raises(ValueError, match="constant"):
        spdml.spatialfilters.SPoC().fit(X, np.ones(20))
    with pytest.raises(NotFittedError):
        spdml.preprocessing.Whitening().transform(X)
    with pytest.raises(ValueError, match="6 x 6 expected"):
        spdml.preprocessing.Whitening().fit(X).transform(X[:, :3, :3])


def test_tables(X):
    pytest.importorskip("pandas")
    pipeline = make_pipeline(spdml.preprocessing.Whitening(), spdml.spatialfilters.CSP(2)).set_output(transform="pandas")
    table = pipeline.fit_transform(X, np.arange(20) % 2)
    assert list(table.columns) == ["csp0", "csp1"] == list(pipeline.get_feature_names_out())
