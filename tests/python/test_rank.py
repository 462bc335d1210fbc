"""Matrices without full rank are refused, named, by all that needs positive definite ones: always,
not by the sign of a rounding error."""
import numpy as np
import pytest

import spdml

METRICS = ["airm", "stein", "jeffrey", "log-euclidean", "log-cholesky", "bures-wasserstein"]
BAD = 2


def good(rng, n, p, is_complex):
    A = rng.standard_normal((p, n, 3 * n))
    if is_complex:
        A = A + 1j * rng.standard_normal(A.shape)
    return A @ A.conj().transpose(0, 2, 1) / (3 * n)


def singular(rng, n, is_complex, kind):
    """One, in any units."""
    A = rng.standard_normal((n, 3 * n + 5))
    if is_complex:
        A = A + 1j * rng.standard_normal(A.shape)
    if kind == "average reference":
        A = A - A.mean(axis=0)
    elif kind == "copied channel":
        A[-1] = A[0]
    else:
        A = np.outer(np.arange(1, n + 1), A[0])
    A = A * 10.0 ** rng.uniform(-3, 3, (n, 1))
    C = A @ A.conj().T / A.shape[1]
    return (C + C.conj().T) / 2


def calls(X):
    """Functions of a set whose matrix BAD is singular, and of that one alone."""
    one, I = X[BAD], np.eye(X.shape[-1])
    for metric in METRICS:
        yield metric, lambda: spdml.distance(one, I, metric=metric)
        yield metric, lambda: spdml.distance(I, one, metric=metric)
        yield metric, lambda: spdml.pairwise_distance(X, metric=metric)
        yield metric, lambda: spdml.mean(X, metric=metric)
        yield metric, lambda: spdml.geodesic(I, one, 0.5, metric=metric)
    for metric in "thompson", "cholesky", "kullback", "harmonic":
        yield metric, lambda: spdml.distance(one, I, metric=metric)
        yield metric, lambda: spdml.pairwise_distance(X, metric=metric)
    for metric in "thompson", "cholesky":
        yield metric, lambda: spdml.geodesic(I, one, 0.5, metric=metric)
    for metric in "harmonic", "thompson", "ale":
        yield metric, lambda: spdml.mean(X, metric=metric)
    for function in "log", "invsqrt":
        yield function, lambda: spdml.geometry.base.apply(X, function)
        yield function, lambda: spdml.geometry.base.apply(one, function)
    yield "logm", lambda: spdml.logm(X)
    yield "logm", lambda: spdml.logm(one)
    yield "invsqrtm", lambda: spdml.invsqrtm(one)
    yield "invm", lambda: spdml.geometry.base.invm(X)
    yield "invm", lambda: spdml.geometry.base.invm(one)
    yield "MDM", lambda: spdml.MDM().fit(X, np.arange(len(X)) % 2)
    yield "KNearestNeighbor", lambda: spdml.KNearestNeighbor(1).fit(X, np.arange(len(X)) % 2).predict(X)
    yield "TangentSpace", lambda: spdml.TangentSpace().fit_transform(X)
    yield "Whitening", lambda: spdml.preprocessing.Whitening("riemann").fit(X)


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize("kind", ["average reference", "copied channel", "rank 1"])
def test_without_full_rank(kind, is_complex):
    rng = np.random.default_rng(1)
    for n in 2, 3, 5, 12, 20:
        for _ in range(3):
            X = good(rng, n, 6, is_complex)
            X[BAD] = singular(rng, n, is_complex, kind)
            for name, function in calls(X):
                with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match="is not positive definite.*; try ") as found:
                    function()
                assert found.value.index in (None, 0, BAD), name


def test_a_fit():
    rng = np.random.default_rng(2)
    for _ in range(6):
        X = good(rng, 5, 12, False)
        X[BAD] = singular(rng, 5, False, "average reference")
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"X\[2\] is not positive definite"):
            spdml.SPDML(2, max_iter=2).fit(X, np.arange(12) % 2)


def test_what_needs_no_full_rank():
    rng = np.random.default_rng(3)
    for is_complex in False, True:
        X = good(rng, 6, 5, is_complex)
        X[BAD] = singular(rng, 6, is_complex, "average reference") / 1e7
        assert np.isfinite(spdml.pairwise_distance(X, metric="euclidean")).all()
        assert np.isfinite(spdml.mean(X, metric="euclidean")).all()
        assert np.isfinite(spdml.expm(X)).all()
        root = spdml.sqrtm(X)
        assert np.abs(root @ root - X).max() < 1e-12 * np.abs(X).max()
        spdml.mean(spdml.regularize(X, 1e-6), metric="airm")  # what the message advises
        E = spdml.geodesic(X[0], X[1], 0.3, metric="bures-wasserstein")
        assert np.linalg.eigvalsh(E).min() > 0


@pytest.mark.parametrize("is_complex", [False, True])
def test_bad_condition_is_taken(is_complex):
    rng = np.random.default_rng(4)
    for n in 3, 8, 20:
        X = good(rng, n, 4, is_complex)
        Q = np.linalg.qr(X[0])[0]
        X[BAD] = (Q * np.geomspace(1, 1e-12, n)) @ Q.conj().T
        X[BAD] = (X[BAD] + X[BAD].conj().T) / 2
        for metric in METRICS:
            assert np.isfinite(spdml.pairwise_distance(X, metric=metric)).all()
            assert np.isfinite(spdml.distance(X[BAD], X[0], metric=metric))
        assert np.isfinite(spdml.logm(X)).all() and np.isfinite(spdml.logm(X[BAD])).all()


def test_the_smallest_example():
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match="zero up to rounding"):
        spdml.distance(2 * np.ones((3, 3)), np.eye(3))
    with pytest.raises(ValueError, match=r"X\[0\] is not positive definite.*spdml.regularize\(X, 1e-6\)"):
        spdml.mean(2 * np.ones((10, 3, 3)))


def test_a_breakdown_is_a_value_error_with_advice_that_can_be_followed():
    """Matrices that are definite, each in its units, but nothing can be made of them."""
    X = np.stack([np.diag([1e200, 1e-100]), np.eye(2)])
    with pytest.raises(spdml.exceptions.NumericError) as found:
        spdml.geometry.base.apply(X, "power", 1000.0)
    assert isinstance(found.value, (ValueError, spdml.SPDError)) and isinstance(found.value, ArithmeticError)
    assert found.value.index == 0 and "X[0]" in str(found.value)
    message = spdml.exceptions.advised("bad", 1, 1e-6, spdml.exceptions.ENUMERIC)
    assert message == "bad; try spdml.regularize(X, 1e-6)"
    assert issubclass(spdml.exceptions.DeviceError, RuntimeError) and issubclass(spdml.exceptions.DeviceError, spdml.SPDError)
