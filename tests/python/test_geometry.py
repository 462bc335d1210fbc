"""Functions of matrices against scipy, and what distances and means must satisfy."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import spdml
from conftest import random_hpd, random_spd
from sklearn.exceptions import ConvergenceWarning

MEDIANS = {"airm": spdml.geometry.median.median_riemann, "euclidean": spdml.geometry.median.median_euclid}
CLOSE = {"rtol": 1e-9, "atol": 1e-9}
kinds = pytest.mark.parametrize("draw", [random_spd, random_hpd], ids=["spd", "hpd"])
sizes = pytest.mark.parametrize("n", [3, 20, 40])  # complex ones change hands at 16 and 32


def same(got, expected, **close):
    np.testing.assert_allclose(got, expected, **(close or CLOSE))


def adjoint(X):
    return X.conj().swapaxes(-1, -2)


# ---- functions of matrices ------------------------------------------------------------------------


@kinds
@sizes
def test_functions_of_matrices_are_scipys(rng, draw, n):
    X, H = draw(rng, 2, n)[0], draw(rng, 1, n)[0] - np.eye(n)
    same(spdml.logm(X), scipy.linalg.logm(X))
    same(spdml.expm(H), scipy.linalg.expm(H))
    same(spdml.sqrtm(X), scipy.linalg.sqrtm(X))
    same(spdml.powm(X, -0.3), scipy.linalg.fractional_matrix_power(X, -0.3))
    root = scipy.linalg.sqrtm(X).astype(X.dtype)  # complex256 in SciPy 1.13
    same(spdml.invsqrtm(X), np.linalg.inv(root))
    same(spdml.geometry.base.invm(X), np.linalg.inv(X))
    same(spdml.geometry.base.eigvalsh(H, X), scipy.linalg.eigvalsh(H, X))
    same(spdml.geometry.base.eigvalsh(H), scipy.linalg.eigvalsh(H))
    same(spdml.geometry.base.ddexpm(X, H), scipy.linalg.expm_frechet(H, X, compute_expm=False))
    same(spdml.geometry.base.ddlogm(spdml.geometry.base.ddexpm(X, H), spdml.expm(H)), X)


@kinds
def test_derivatives_where_eigenvalues_are_equal_or_close(rng, draw):
    H = draw(rng, 1, 4)[0]
    Q = np.linalg.qr(H)[0]
    for gap in (0, 1e-15, 1e-9):
        C = (Q * [2.0, 2.0 + gap, 3.0, 3.0 + 2 * gap]) @ adjoint(Q)
        C = (C + adjoint(C)) / 2
        same(spdml.geometry.base.ddexpm(H, C), scipy.linalg.expm_frechet(C, H, compute_expm=False))
        same(spdml.geometry.base.ddlogm(spdml.geometry.base.ddexpm(H, C), spdml.expm(C)), H)


def test_roots_of_singular_matrices():
    X = np.diag([4.0, 1.0, 0.0])
    same(spdml.sqrtm(X), np.diag([2.0, 1.0, 0.0]), atol=1e-15)
    same(spdml.powm(np.array([[1, -1j], [1j, 1]]), 2), [[2, -2j], [2j, 2]], atol=1e-14)
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match="X is not positive definite.*regularize"):
        spdml.sqrtm(np.diag([4.0, 1.0, -1e-3]))
    with pytest.raises(spdml.exceptions.NotPositiveDefiniteError):
        spdml.powm(X, -1)


# ---- distances ------------------------------------------------------------------------------------


@kinds
@sizes
@pytest.mark.parametrize("metric", ["airm", "stein", "jeffrey", "thompson", "kullback",
                                    "kullback_right", "kullback_sym"])
def test_distances_do_not_change_under_congruence(rng, draw, n, metric):
    A, B = draw(rng, 6, n).reshape(2, 3, n, n)
    W = np.linalg.qr(draw(rng, 1, n)[0])[0] * rng.uniform(0.5, 2, n)
    expected = spdml.distance(A, B, metric)
    congruent = [(C + adjoint(C)) / 2 for C in (W @ A @ adjoint(W), W @ B @ adjoint(W))]
    same(spdml.distance(*congruent, metric), expected, rtol=1e-7)
    same(np.diag(spdml.pairwise_distance(A, B, metric)), expected, rtol=1e-8)


@kinds
@sizes
@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein",
                                    "log-cholesky", "euclidean", "cholesky", "harmonic", "thompson"])
def test_pairs_are_the_diagonal_of_all_pairs(rng, draw, n, metric):
    A, B = draw(rng, 6, n).reshape(2, 3, n, n)
    D = spdml.pairwise_distance(A, B, metric)
    same(spdml.distance(A, B, metric), np.diag(D), rtol=1e-8)
    same(spdml.distance(A, B[1], metric), D[:, 1:2], rtol=1e-8)
    same(spdml.distance(A[:, None], B[None], metric), D, rtol=1e-8)
    assert spdml.distance(A[0], B[0], metric) == pytest.approx(D[0, 0], rel=1e-8)


@pytest.mark.parametrize("metric", ["airm", "jeffrey", "thompson", "kullback", "kullback_right",
                                    "bures-wasserstein"])
def test_small_distances_keep_their_digits(metric):
    """Of matrices that differ in the ninth digit, to first order."""
    A, h = np.diag([1.0, 2.0, 3.0]), 1e-9
    B = A + h * np.diag([1.0, 1.0, 0.0])
    u = np.array([h, h / 2])
    expected = {"airm": np.sqrt((u**2).sum()), "jeffrey": np.sqrt((u**2).sum() / 2),
                "thompson": h, "kullback": (u**2).sum() / 4, "kullback_right": (u**2).sum() / 4,
                "bures-wasserstein": np.sqrt(h**2 / 4 + h**2 / 8)}[metric]
    assert spdml.distance([A, A], [B, A], metric) == pytest.approx([expected, 0], rel=1e-5, abs=1e-14)


@pytest.mark.parametrize("metric", ["airm", "stein", "jeffrey", "bures-wasserstein"])
def test_pairs_that_are_hard(rng, metric):
    """Beyond the digits of their eigenvalues a pair is measured as it is on its own."""
    Q = np.linalg.qr(rng.standard_normal((2, 2, 5, 5)))[0]
    X = (Q * np.logspace(-4, 4, 5)) @ adjoint(Q)
    A, B = (X + adjoint(X)) / 2 + 1e-6 * np.eye(5)
    each = [spdml.distance(a, b, metric) for a, b in zip(A, B)]
    same(spdml.distance(A, B, metric), each, rtol=1e-3)


# ---- means ----------------------------------------------------------------------------------------


@kinds
@pytest.mark.parametrize("n", [3, 20])
def test_the_power_mean_is_the_mean_of_geodesic_points(rng, draw, n):
    X, weights = draw(rng, 5, n), rng.uniform(0.2, 1, 5)
    weights /= weights.sum()
    for power in (0.4, -0.7):
        M = spdml.mean(X, "power", weights, power=power)
        G = spdml.geodesic(M if power > 0 else spdml.geometry.base.invm(M), X if power > 0 else spdml.geometry.base.invm(X),
                           abs(power))
        same(np.tensordot(weights, G, 1), M if power > 0 else spdml.geometry.base.invm(M))


@kinds
@pytest.mark.parametrize("metric", ["airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein",
                                    "log-cholesky", "euclidean", "cholesky", "harmonic", "kullback",
                                    "kullback_right", "power-euclidean"])
def test_means_minimise(rng, draw, metric):
    """The weighted sum of squared distances, or of divergences, has no slope at the mean."""
    X, weights = draw(rng, 6, 3), rng.uniform(0.2, 1, 6)
    power = {"power": 0.5} if metric == "power-euclidean" else {}
    M = spdml.mean(X, metric, weights, **power)
    divergence = metric.startswith("kullback")
    H = draw(rng, 1, 3)[0] - np.eye(3)

    def cost(step):
        there = M + step * H
        return weights @ spdml.distance(X, there, metric, squared=not divergence, **power)[:, 0]

    slope = (cost(1e-4) - cost(-1e-4)) / 2e-4
    assert abs(slope) < 1e-6 * weights.sum() and cost(0.1) > cost(0) and cost(-0.1) > cost(0)


@kinds
@pytest.mark.parametrize("metric", ["airm", "alm", "bmp", "cheap", "thompson", "ale"])
def test_geometric_means_follow_a_congruence(rng, draw, metric):
    X = draw(rng, 4, 3, 0.5)
    W = np.linalg.qr(draw(rng, 1, 3)[0])[0] * rng.uniform(0.5, 2, 3)
    Y = W @ X @ adjoint(W)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # thompson
        same(spdml.mean((Y + adjoint(Y)) / 2, metric), W @ spdml.mean(X, metric) @ adjoint(W),
             rtol=1e-6, atol=1e-7)


@kinds
def test_weights_of_means_count_matrices(rng, draw):
    X = draw(rng, 3, 3)
    twice = np.concatenate([X, X[:1]])
    for metric in ("airm", "stein", "harmonic", "cholesky", "cheap", "log-euclidean"):
        same(spdml.mean(X, metric, [2, 1, 1]), spdml.mean(twice, metric), rtol=1e-6)
    for metric in ("airm", "euclidean"):
        same(MEDIANS[metric](X, weights=[2, 1, 1]), MEDIANS[metric](twice), rtol=1e-6, atol=1e-7)
    same(spdml.mean(X, "bmp", [1, 1, 0]), spdml.geodesic(X[0], X[1]))
    for bad in ([1, 1], [1, -1, 1], [0, 0, 0], [1, np.nan, 1]):
        for metric in ("airm", "harmonic", "power-euclidean"):
            with pytest.raises(ValueError, match="weight"):
                spdml.mean(X, metric, bad, power=0.5 if "power" in metric else None)
    with pytest.raises(ValueError, match="equal weights"):
        spdml.mean(X, "alm", [1, 2, 3])


@kinds
@pytest.mark.parametrize("metric", ["airm", "euclidean"])
def test_medians_minimise(rng, draw, metric):
    X, weights = draw(rng, 7, 3), rng.uniform(0.2, 1, 7)
    M = MEDIANS[metric](X, weights=weights)
    H = draw(rng, 1, 3)[0] - np.eye(3)
    cost = lambda step: weights @ spdml.distance(X, M + step * H, metric)[:, 0]  # noqa: E731
    assert abs(cost(1e-5) - cost(-1e-5)) / 2e-5 < 1e-6 and cost(0.1) > cost(0)
    heavy = np.where(np.arange(7) == 2, 10.0, 1.0)
    same(MEDIANS[metric](X, weights=heavy), X[2], rtol=1e-6, atol=1e-7)


@kinds
def test_masked_means_minimise(rng, draw):
    X, weights = draw(rng, 8, 4), rng.uniform(0.5, 1, 8)
    masks = [np.linalg.qr(draw(rng, 1, 4)[0])[0][:, :k] for k in (4, 3, 3, 2, 2, 1, 4, 0)]
    M = spdml.geometry.mean.maskedmean_riemann(X, masks, sample_weight=weights)
    H = draw(rng, 1, 4)[0] - np.eye(4)

    def cost(step):
        total = 0.0
        for x, V, w in zip(X, masks, weights):
            if V.shape[1]:
                parts = [adjoint(V) @ Y @ V for Y in (x, M + step * H)]
                total += w * spdml.distance(*[(P + adjoint(P)) / 2 for P in parts], squared=True)
        return total

    assert abs(cost(1e-4) - cost(-1e-4)) / 2e-4 < 1e-6 and cost(0.05) > cost(0) < cost(-0.05)
    same(spdml.geometry.mean.maskedmean_riemann(X, [np.eye(4)] * 8, sample_weight=weights), spdml.mean(X, sample_weight=weights))


def test_means_of_matrices_with_missing_rows(rng):
    X = random_spd(rng, 6, 4)
    whole = spdml.mean(X)
    same(spdml.geometry.mean.nanmean_riemann(X), whole)
    X[1, 2, :] = X[1, :, 2] = np.nan
    masks = [np.eye(4)] * 6
    masks[1] = np.eye(4)[:, [0, 1, 3]]
    filled = np.where(np.isnan(X), 0.0, X)
    same(spdml.geometry.mean.nanmean_riemann(X), spdml.geometry.mean.maskedmean_riemann(filled, masks), rtol=1e-9)
    same(spdml.geometry.mean.nanmean_riemann(np.array([X, X[::-1]]))[1], spdml.geometry.mean.nanmean_riemann(X))
    X[3, 0, 1] = np.nan
    with pytest.raises(ValueError, match=r"X\[3\] holds NaN"):
        spdml.geometry.mean.nanmean_riemann(X)


def test_iterations_that_end_too_soon(rng):
    X = random_spd(rng, 5, 3)
    for metric in ("airm", "stein", "bures-wasserstein", "ale", "alm", "bmp", "cheap", "power"):
        power = {"power": 0.3} if metric == "power" else {}
        with pytest.warns(ConvergenceWarning):
            assert spdml.mean(X, metric, max_iter=0, **power).shape == (3, 3)
        with pytest.warns(ConvergenceWarning):
            spdml.mean(X, metric, max_iter=1, **power)
    with pytest.warns(ConvergenceWarning):
        MEDIANS["airm"](X, maxiter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in ("airm", "stein", "ale", "alm", "bmp", "cheap", "bures-wasserstein"):
            spdml.mean(X, metric)
        spdml.mean(X, "power", power=0.01)
        MEDIANS["airm"](X)
        spdml.geometry.mean.maskedmean_riemann(X, [np.eye(3)[:, :2]] * 5)


# ---- geodesics and tangent spaces ---------------------------------------------------------------


@kinds
@sizes
@pytest.mark.parametrize("metric", ["airm", "bures-wasserstein", "log-euclidean", "log-cholesky"])
def test_points_divide_geodesics(rng, draw, n, metric):
    A, B = draw(rng, 4, n).reshape(2, 2, n, n)
    t = np.array([0.25, 0.7])
    G = spdml.geodesic(A, B, t, metric)
    same(spdml.distance(A, G, metric), t * spdml.distance(A, B, metric), rtol=1e-7)
    same(G, adjoint(G), atol=1e-12)
    same(spdml.geodesic(A[0], B[0], 0.25, metric), G[0])
    T = spdml.geometry.tangentspace.log_map(B, A[0], metric, C12=True)
    same(spdml.geometry.tangentspace.exp_map(t[0] * T, A[0], metric, Cm12=True)[0], G[0], rtol=1e-7)


def test_geodesics_of_hard_pairs(rng):
    Q = np.linalg.qr(rng.standard_normal((2, 2, 5, 5)))[0]
    X = (Q * np.logspace(-4, 4, 5)) @ adjoint(Q)
    A, B = (X + adjoint(X)) / 2 + 1e-6 * np.eye(5)
    for metric in ("airm", "bures-wasserstein"):
        each = np.array([spdml.geodesic(a, b, 0.3, metric) for a, b in zip(A, B)])
        same(spdml.geodesic(A, B, 0.3, metric), each, rtol=1e-2, atol=1e-6 * np.abs(each).max())


@kinds
def test_vectors_keep_lengths(rng, draw):
    T = draw(rng, 3, 4) - np.eye(4)
    same(spdml.geometry.tangentspace.unupper(spdml.geometry.tangentspace.upper(T)), T)
    assert np.linalg.norm(spdml.geometry.tangentspace.upper(T[0])) == pytest.approx(np.linalg.norm(T[0]))


# ---- complex matrices, and what is no matrix ------------------------------------------------------


def test_hermitian_sets(rng):
    X, Q = random_hpd(rng, 12, 3), random_hpd(rng, 4, 3)
    for metric in ("airm", "log-cholesky", "kullback_sym"):
        D = spdml.pairwise_distance(Q, X, metric)
        distance, index = spdml.neighbors(X, Q, 3, metric)
        np.testing.assert_array_equal(index, np.argsort(D, axis=1)[:, :3])
        same(distance, np.take_along_axis(D, index, 1))
    same(spdml.regularize(X, 0.1, 0.2), X + (0.1 * np.trace(X, axis1=1, axis2=2).real / 3 + 0.2)
         [:, None, None] * np.eye(3))
    centred = spdml.recenter(X, np.arange(12) % 2)
    same(spdml.mean(centred[::2]), np.eye(3))
    apart = spdml.embed(X, 11, "mds", "euclidean")
    same(np.linalg.norm(apart[:, None] - apart[None], axis=2),
         spdml.pairwise_distance(X, metric="euclidean"), atol=1e-6)
    K = spdml.kernel(X, metric="stein", beta=2)
    same(K, np.exp(-2 * spdml.pairwise_distance(X, metric="stein", squared=True)))
    same(spdml.kernel(X, Q, "airm", Cref=Q[0]), np.einsum(
        "iab,jba->ij", *(spdml.geometry.tangentspace.log_map(Y, Q[0]) for Y in (X, Q))).real)
    with pytest.warns(UserWarning, match="positive definite"):
        spdml.kernel(X, metric="stein", beta=0.5)


@pytest.mark.parametrize("n", [3, 20])
def test_bad_hermitian_matrices_are_named(rng, n):
    X = random_hpd(rng, 6, n).reshape(2, 3, n, n)
    for function in (spdml.logm, spdml.mean, lambda Y: spdml.distance(Y, Y, "cholesky"),
                     lambda Y: spdml.geodesic(Y, X, 0.5, "log-cholesky"), spdml.geometry.base.invm):
        bad = X.copy()
        bad[1, 2] = -bad[1, 2]
        with pytest.raises(spdml.exceptions.NotPositiveDefiniteError, match=r"\[1(, |\]\[)2\] is not p"):
            function(bad)
        bad[1, 2] = X[1, 2]
        bad[1, 2, 0, 1] += 0.1
        with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"\[1, 2\] is not Hermitian: entries "):
            function(bad)
        bad[1, 2] = X[1, 2] + 1e-3j * np.eye(n)
        with pytest.raises(spdml.exceptions.NotSymmetricError, match=r"\[1, 2\].*diagonal must be real"):
            function(bad)
        bad[1, 2] = np.nan
        with pytest.raises(spdml.exceptions.NotFiniteError):
            function(bad)


@pytest.mark.parametrize("dtype,allowed", [(np.float64, 1.4e-8), (np.float32, 3e-4),
                                           (np.complex128, 1.4e-8), (np.complex64, 3e-4)])
def test_the_rule_of_symmetry(rng, dtype, allowed):
    """The square root of the precision of the type, relative to the largest entry, everywhere."""
    X = (7 * (random_spd(rng, 3, 4) if np.dtype(dtype).kind == "f" else random_hpd(rng, 3, 4)))
    X = X.astype(dtype)
    C, largest = X[2], np.abs(X[1]).max()
    calls = (spdml.mean, spdml.logm, lambda Y: spdml.distance(Y, C), lambda Y: spdml.distance(C, Y[1]),
             lambda Y: spdml.geodesic(Y, C), lambda Y: spdml.geodesic(C, Y[1]), spdml.geometry.tangentspace.upper,
             spdml.pairwise_distance, spdml.neighbors, lambda Y: spdml.kernel(Y, metric="stein", beta=5),
             lambda Y: spdml.geometry.tangentspace.log_map(Y, C), MEDIANS["airm"], lambda Y: spdml.mean(Y, "cholesky"))
    for share, good in ((0.9, True), (1.3, False)):
        Y = X.copy()
        Y[1, 0, 2] = Y[1, 2, 0].conj() + share * allowed * largest
        for call in calls:
            if good:
                call(Y)
            else:
                with pytest.raises(spdml.exceptions.NotSymmetricError):
                    call(Y)


def test_functions_of_wrong_arguments(X):
    for call, words in (
            (lambda: spdml.distance(X, X, "power-euclidean"), "needs power="),
            (lambda: spdml.distance(X, X, "airm", power=2), "has none"),
            (lambda: spdml.distance(X, X[:3]), "leading dimensions"),
            (lambda: spdml.distance(X, np.eye(3)), "3 x 3 matrices; 6 x 6 expected"),
            (lambda: spdml.distance(X, X, 42), "unknown; use one of airm"),
            (lambda: spdml.mean(X, "power", power=2), "from -1 to 1"),
            (lambda: spdml.mean(X, "power", power=[1]), "a number"),
            (lambda: spdml.mean(X, init=np.eye(3)), "init has shape"),
            (lambda: spdml.mean(X[0]), "samples"),
            (lambda: spdml.geodesic(X[0], X[1], "abc"), "alpha must be a float"),
            (lambda: spdml.geodesic(X[0], X[1], np.inf), "finite"),
            (lambda: spdml.geodesic(X[0], X[1], metric="harmonic"), "unknown"),
            (lambda: spdml.geometry.tangentspace.log_map(X, X), "Cref has shape"),
            (lambda: spdml.geometry.tangentspace.log_map(X, X[0], "stein"), "unknown"),
            (lambda: spdml.geometry.tangentspace.unupper(np.ones(5)), "whole n"),
            (lambda: spdml.kernel(X, metric="airm", Cref=np.eye(3)), "Cref has shape"),
            (lambda: spdml.geometry.mean.maskedmean_riemann(X, [np.eye(6)]), "masks; 20 are needed"),
            (lambda: spdml.geometry.mean.maskedmean_riemann(X, [np.ones((6, 2))] * 20), r"masks\[0\]"),
            (lambda: MEDIANS["airm"](X, step_size=3), "step_size"),
            (lambda: spdml.geometry.distance.distance_mahalanobis(np.ones((3, 2)), X), "vectors as columns"),
            (lambda: spdml.geometry.base.nearest_sym_pos_def(np.zeros((2, 2))), "is zero")):
        with pytest.raises(spdml.exceptions.InvalidArgumentError, match=words):
            call()
