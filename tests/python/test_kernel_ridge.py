"""KernelRidge against scikit-learn's on given kernels, and against itself without each group."""

import copy
import pickle

import numpy as np
import pytest
import spdml
import spdml.regression
from conftest import planted
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.preprocessing import KernelCenterer
from spdml.geometry.tangentspace import tangent_space


@pytest.fixture
def sets(rng):
    X, _ = planted(rng, 20, 5, noise=0.8)
    y = 50 + np.linalg.slogdet(X)[1] + 0.1 * rng.standard_normal(len(X))
    return X[:36], y[:36], X[36:]


def kernels(X, Q, kind):
    """Within X, and of Q with X."""
    K = k = 0
    if kind in ("stein", "both"):
        K, k = (np.exp(-2 * spdml.pairwise_distance(A, X, "stein") ** 2) for A in (X, Q))
    if kind in ("tangent", "both"):
        M = spdml.mean(X, "airm" if kind == "tangent" else "stein")
        T, t = tangent_space(X, M, "airm"), tangent_space(Q, M, "airm")
        scale = len(X) / (T ** 2).sum()
        K, k = K + scale * T @ T.T, k + scale * t @ T.T
    return K, k


@pytest.mark.parametrize("kind", ["stein", "tangent", "both"])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_is_that_of_scikit_learn(sets, kind, alpha):
    X, y, Q = sets
    K, k = kernels(X, Q, kind)
    centre = KernelCenterer().fit(K)
    twin = KernelRidge(alpha=alpha, kernel="precomputed").fit(centre.transform(K), y - y.mean())
    expected = twin.predict(centre.transform(k)) + y.mean()
    ours = spdml.regression.KernelRidge(kind, alpha=alpha, beta=None if kind == "tangent" else 2.0).fit(X, y)
    np.testing.assert_allclose(ours.predict(Q), expected, rtol=1e-6)
    for other in (ours, spdml.regression.KernelRidge(alpha=alpha).fit(X, y)):  # auto takes an alpha too
        assert other.parameters_["lambda"] == alpha


@pytest.mark.parametrize("kind", ["stein", "both"])
def test_left_out_is_what_others_predict(sets, kind):
    """By a fit without each matrix, and without each group. (The tangent space is that of all in closed
    form, so for a kernel with vectors only nearly.)"""
    X, y, _ = sets
    groups = np.repeat([3, 1, 4, 1, 5, 9], 6)
    for given in (None, groups):
        ours = spdml.regression.KernelRidge(kind, alpha=0.05, beta=2.0).fit(X, y, groups=given)
        fresh = spdml.regression.KernelRidge(kind, alpha=0.05, beta=2.0)
        left = cross_val_predict(fresh, X, y, cv=LeaveOneGroupOut(),
                                 groups=np.arange(len(X)) if given is None else given)
        if kind == "stein":
            np.testing.assert_allclose(ours.left_out_, left, rtol=1e-6)
        else:
            assert np.corrcoef(ours.left_out_, left)[0, 1] > 0.95
        assert ours.r2_ == pytest.approx(r2_score(y, ours.left_out_))
        assert ours.error_ == pytest.approx(np.sqrt(((y - ours.left_out_) ** 2).mean()))


def test_auto_takes_the_least_error(sets):
    X, y, _ = sets
    each = {kind: spdml.regression.KernelRidge(kind).fit(X, y) for kind in ("stein", "tangent", "both")}
    auto = spdml.regression.KernelRidge().fit(X, y)
    assert auto.error_ == min(one.error_ for one in each.values()) == each[auto.kernel_].error_


def test_copies_and_files(sets, tmp_path):
    X, y, Q = sets
    for kind in ("stein", "tangent", "both"):
        ours = spdml.regression.KernelRidge(kind).fit(X, y)
        ours.save(tmp_path / "r.spdml")
        read = spdml.regression.KernelRidge.load(tmp_path / "r.spdml")
        for other in (read, copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
            np.testing.assert_array_equal(other.predict(Q), ours.predict(Q))
            assert (other.r2_, other.kernel_) == (ours.r2_, ours.kernel_)
    with pytest.raises(ValueError, match="predicts numbers"):
        spdml.SPDClassifier.load(tmp_path / "r.spdml")
    spdml.SPDClassifier("krr").fit(X, y > y.mean()).save(tmp_path / "c.spdml")
    with pytest.raises(ValueError, match="tells classes apart"):
        spdml.regression.KernelRidge.load(tmp_path / "c.spdml")


def test_bad_input(sets):
    X, y, _ = sets
    with pytest.raises(ValueError, match="kernel 'linear' is unknown"):
        spdml.regression.KernelRidge("linear").fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        spdml.regression.KernelRidge().fit(X, np.where(y > y.mean(), np.nan, y))
    with pytest.raises(ValueError, match="must be positive"):
        spdml.regression.KernelRidge(alpha=-1.0).fit(X, y)
