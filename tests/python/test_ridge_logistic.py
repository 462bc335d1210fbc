"""krr and ts-lr against scikit-learn's KernelRidge and LogisticRegression."""

import numpy as np
import pytest
import spdml
from conftest import planted
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import KernelCenterer
from spdml.geometry.tangentspace import tangent_space


@pytest.fixture
def sets(rng):
    X, y = planted(rng, 20, 5, noise=0.8)
    return X[:36], y[:36], X[36:], y[36:]


def stein(A, B):
    """Squared Stein distances."""
    def logdet(X):
        return np.linalg.slogdet(X)[1]
    return logdet((A[:, None] + B[None]) / 2) - (logdet(A)[:, None] + logdet(B)[None]) / 2


def vectors(X, Q, metric):
    space = spdml.TangentSpace(metric=metric).fit(X)
    return space.transform(X), space.transform(Q)


def check_ridge(X, y, Q, K, k, method, values):
    """Scores are those of KernelRidge on the centred kernel, times one factor."""
    ours = spdml.SPDClassifier(method, **values).fit(X, y)
    centre = KernelCenterer().fit(K)
    Y = np.eye(3)[y]
    twin = KernelRidge(alpha=values["alpha"], kernel="precomputed").fit(centre.transform(K), Y - Y.mean(axis=0))
    expected = twin.predict(centre.transform(k)) + Y.mean(axis=0)
    scores = ours.decision_function(Q)
    factor = (scores * expected).sum() / (expected ** 2).sum()
    assert factor > 0
    np.testing.assert_allclose(scores, factor * expected, atol=1e-6 * np.abs(scores).max())
    assert (ours.predict(Q) == expected.argmax(axis=1)).all()


@pytest.mark.parametrize("regularisation", [1e-3, 0.1])
def test_ridge_is_that_of_scikit_learn(sets, regularisation):
    X, y, Q, _ = sets
    K, k = np.exp(-2 * stein(X, X)), np.exp(-2 * stein(Q, X))  # beta (n - 1)/2: definite
    check_ridge(X, y, Q, K, k, "krr-stein", {"beta": 2.0, "alpha": regularisation})
    T, t = vectors(X, Q, "riemann")
    scale = len(X) / (T ** 2).sum()
    check_ridge(X, y, Q, scale * T @ T.T, scale * t @ T.T, "krr-tangent", {"alpha": regularisation})
    M = spdml.mean(X, "stein")
    T, t = (tangent_space(A, M, "airm").reshape(len(A), -1) for A in (X, Q))
    scale = len(X) / (T ** 2).sum()
    check_ridge(X, y, Q, K + scale * T @ T.T, k + scale * t @ T.T, "krr-both", {"beta": 2.0, "alpha": regularisation})


@pytest.mark.parametrize("method", ["krr-stein", "krr-tangent", "krr-both", "ts-lr"])
def test_probabilities(sets, method):
    X, y, Q, z = sets
    fitted = spdml.SPDClassifier(method).fit(X, y)
    share = fitted.predict_proba(Q)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    assert (fitted.classes_[share.argmax(axis=1)] == fitted.predict(Q)).all()
    guess = np.bincount(y) / len(y)
    assert -np.log(share[np.arange(len(z)), z]).mean() < -np.log(guess[z]).mean()


def calibration_error(share, right):
    """Expected, over ten bins of the probability of the class that is chosen."""
    bins = np.minimum((share * 10).astype(int), 9)
    return sum(abs(share[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
               for b in np.unique(bins))


@pytest.mark.parametrize("method", ["krr-stein", "krr-tangent", "krr-both"])
def test_probabilities_are_calibrated(rng, method):
    """Better than the softmax of the raw scores, which lie between 0 and 1, and good."""
    y = np.arange(900) % 3
    A = rng.standard_normal((900, 3, 10)) * (1 + 0.6 * (np.arange(3) == y[:, None]))[:, :, None]
    X = A @ A.transpose(0, 2, 1) / 10
    fitted = spdml.SPDClassifier(method).fit(X[:300], y[:300])
    share, scores = fitted.predict_proba(X[300:]), fitted.decision_function(X[300:])
    raw = scores - scores.mean(axis=1, keepdims=True)
    raw = raw / np.abs(raw).max()  # a range like that of one-hot labels
    raw = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    right = fitted.predict(X[300:]) == y[300:]
    assert 0.5 < right.mean() < 0.97  # classes overlap
    ours, theirs = calibration_error(share.max(axis=1), right), calibration_error(raw.max(axis=1), right)
    assert ours < 0.06 and ours < theirs, (right.mean(), ours, theirs)


@pytest.mark.parametrize("regularisation", [1e-3, 1e-1])
def test_logistic_regression_is_that_of_scikit_learn(sets, regularisation):
    X, y, Q, _ = sets
    T, t = vectors(X, Q, "riemann")
    scale = np.sqrt(len(X) / (T ** 2).sum())
    twin = LogisticRegression(C=1 / (regularisation * len(X)), tol=1e-10, max_iter=100000).fit(scale * T, y)
    ours = spdml.SPDClassifier("ts-lr", alpha=regularisation).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), twin.predict_proba(scale * t), atol=1e-4)


@pytest.mark.parametrize("metric", ["stein", "log-euclidean"])
def test_logistic_regression_at_another_mean(sets, metric):
    X, y, Q, _ = sets
    M = spdml.mean(X, metric)
    T, t = (tangent_space(A, M, "airm") if metric == "stein" else spdml.logm(A) - spdml.logm(M) for A in (X, Q))
    T, t = T.reshape(len(T), -1), t.reshape(len(t), -1)
    scale = np.sqrt(len(X) / (T ** 2).sum())
    twin = LogisticRegression(C=1 / (0.01 * len(X)), tol=1e-10, max_iter=100000).fit(scale * T, y)
    ours = spdml.SPDClassifier(f"ts-lr-{metric}", alpha=0.01).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(Q), twin.predict_proba(scale * t), atol=1e-4)


def test_hermitian(rng):
    """Complex matrices with real entries are classified as the real ones."""
    X, y = planted(rng, 12, 4)
    for method in ("krr-stein", "krr-tangent", "krr-both", "ts-lr"):
        real = spdml.SPDClassifier(method).fit(X, y).predict_proba(X)
        hermitian = spdml.SPDClassifier(method).fit(X.astype(complex), y).predict_proba(X.astype(complex))
        np.testing.assert_allclose(hermitian, real, atol=1e-5)
