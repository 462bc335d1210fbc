"""spdml.explain against numpy and the command's own arithmetic."""

import numpy as np
import pytest
import spdml
from conftest import random_spd


def data(rng, p=40, n=6):
    y = np.arange(p) % 2
    X = random_spd(rng, p, n)
    X[y == 1, 0, 0] += 4.0
    return X, y


def test_against_numpy(rng):
    X, y = data(rng)
    learned = spdml.SPDML(2).fit(X, y)
    found = spdml.explain(learned, X)
    W, M = learned.components_.T, X.mean(axis=0)
    A = M @ W @ np.linalg.inv(W.T @ M @ W)
    carried = np.diag(A @ (W.T @ M @ W) @ A.T)
    np.testing.assert_allclose(found.carried, carried, rtol=1e-11)
    np.testing.assert_allclose(found.kept, carried / np.diag(M), rtol=1e-11)
    np.testing.assert_allclose(found.share, carried / carried.sum(), rtol=1e-11)
    np.testing.assert_allclose(found.weight, (W**2).sum(axis=1), rtol=1e-11)
    np.testing.assert_allclose((found.pattern**2).sum(axis=1), carried, rtol=1e-11)
    np.testing.assert_allclose(found.variance, np.linalg.eigvalsh(W.T @ M @ W)[::-1], rtol=1e-11)


def test_a_classifier_has_a_map_too(rng):
    X, y = data(rng)
    for method in ("nn-stein-csp", "nn-stein-ml", "pca-mdm-airm"):
        found = spdml.explain(spdml.SPDClassifier(method, m=2).fit(X, y), X)
        assert found.pattern.shape == (6, 2)
        assert found.weight.sum() == pytest.approx(2.0)


def test_without_data_there_are_weights(rng):
    W = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    found = spdml.explain(W)
    np.testing.assert_allclose(found.carried, (W**2).sum(axis=1), rtol=1e-12)
    assert (found.variance == 1).all()


def test_what_has_no_map_is_refused(rng):
    X, y = data(rng)
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="no single map"):
        spdml.explain(spdml.SPDClassifier("nn-stein").fit(X, y))
    with pytest.raises(spdml.exceptions.InvalidArgumentError, match="fitted"):
        spdml.explain(spdml.SPDML(2))
    with pytest.raises(spdml.exceptions.InvalidArgumentError):
        spdml.explain(np.ones((5, 2)))
    with pytest.raises(spdml.exceptions.InvalidArgumentError):
        spdml.explain(np.eye(5)[:, :2], X)
