"""What a user of pyRiemann may rely on: the same functions give the same values, for symmetric and
Hermitian matrices, with weights, with leading dimensions."""

import warnings

import numpy as np
import pytest
import spdml
from conftest import random_hpd, random_spd

pytest.importorskip("pyriemann", reason="pyRiemann is not installed; the comparison is left out")
peer_base = pytest.importorskip("pyriemann.geometry.base", reason="pyRiemann is older than 0.12")
from pyriemann.geometry import ajd as peer_ajd  # noqa: E402
from pyriemann.geometry import distance as peer_distance  # noqa: E402
from pyriemann.geometry import geodesic as peer_geodesic  # noqa: E402
from pyriemann.geometry import kernel as peer_kernel  # noqa: E402
from pyriemann.geometry import mean as peer_mean  # noqa: E402
from pyriemann.geometry import median as peer_median  # noqa: E402
from pyriemann.geometry import tangentspace as peer_tangent  # noqa: E402
from spdml.geometry import base, distance, geodesic, kernel, mean, median, tangentspace  # noqa: E402

CLOSE = {"rtol": 1e-9, "atol": 1e-10}
DISTANCES = ["chol", "euclid", "harmonic", "kullback", "kullback_right", "kullback_sym", "logchol",
             "logdet", "logeuclid", "riemann", "thompson", "wasserstein"]
GEODESICS = ["chol", "euclid", "logchol", "logeuclid", "riemann", "thompson", "wasserstein"]
MAPS = ["euclid", "logchol", "logeuclid", "riemann", "wasserstein"]
kinds = pytest.mark.parametrize("draw", [random_spd, random_hpd], ids=["spd", "hpd"])


def same(got, expected, **close):
    assert np.shape(got) == np.shape(expected)
    assert np.iscomplexobj(got) == np.iscomplexobj(expected)
    np.testing.assert_allclose(got, expected, **(close or CLOSE))


@kinds
@pytest.mark.parametrize("metric", DISTANCES)
def test_distances(rng, draw, metric):
    A, B = draw(rng, 6, 4).reshape(2, 3, 4, 4), draw(rng, 6, 4).reshape(2, 3, 4, 4)
    peer = getattr(peer_distance, f"distance_{metric}")
    own = getattr(distance, f"distance_{metric}")
    for first, second in ((A, B), (A[0, 0], B[0, 0]), (A[0], B[0, 1]), (A, B[0, 0]), (A[:, :1], B[1])):
        same(own(first, second), peer(first, second))
    same(own(A, B, squared=True), peer(A, B, squared=True))
    same(distance.distance(A[0], B[0, 0], metric), peer_distance.distance(A[0], B[0, 0], metric))
    assert isinstance(distance.distance(A[0, 0], B[0, 0], metric), float)
    same(distance.pairwise_distance(A[0], B[1], metric),
         peer_distance.pairwise_distance(A[0], B[1], metric))
    within = distance.pairwise_distance(A[0], metric=metric, squared=True)
    same(within, peer_distance.pairwise_distance(A[0], metric=metric, squared=True), atol=1e-9)
    assert (np.diag(within) == 0).all()


@kinds
def test_distances_with_a_parameter(rng, draw):
    A, B = draw(rng, 2, 4)
    for power in (-1, -0.3, 0, 0.5, 1):
        same(spdml.distance(A, B, "poweuclid", power=power),
             peer_distance.distance_poweuclid(A, B, power))
    same(spdml.pairwise_distance(A[None], B[None], "poweuclid", power=0.4)[0, 0],
         peer_distance.distance_poweuclid(A, B, 0.4))
    x = rng.standard_normal((4, 9)) + (1j * rng.standard_normal((4, 9)) if draw is random_hpd else 0)
    centre = x[:, :1]
    same(distance.distance_mahalanobis(x, A, centre), peer_distance.distance_mahalanobis(x, A, centre))


def test_metrics_may_be_functions(rng):
    X = random_spd(rng, 5, 3)

    def gap(A, B, squared=False):
        return np.linalg.norm(A - B, axis=(-2, -1))

    same(spdml.distance(X, X[0], gap), gap(X, X[0])[:, None])
    same(spdml.pairwise_distance(X, metric=lambda A, B, squared: gap(A, B)),
         spdml.pairwise_distance(X, metric="euclid"), atol=1e-12)
    same(spdml.mean(X, lambda X, sample_weight: X[0]), X[0])
    same(spdml.geodesic(X[0], X[1], 0.2, lambda A, B, t: A + t * B), X[0] + 0.2 * X[1])
    same(tangentspace.log_map(X, X[0], lambda X, C: X - C), X - X[0])
    same(spdml.kernel(X, metric=lambda X, Y, Cref, reg: np.eye(len(X))), np.eye(5))


@kinds
@pytest.mark.parametrize("metric", ["chol", "euclid", "harmonic", "kullback_sym", "logchol", "logdet",
                                    "logeuclid", "riemann", "wasserstein"])
def test_means(rng, draw, metric):
    X = draw(rng, 24, 3).reshape(2, 2, 6, 3, 3)
    weights = rng.uniform(0.5, 2, 6)
    iterated = {"tol": 1e-14, "maxiter": 500} if metric in ("riemann", "logdet", "wasserstein") else {}
    peer = getattr(peer_mean, f"mean_{metric}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's, at that tolerance
        expected, weighted = peer(X, **iterated), peer(X[0, 0], sample_weight=weights, **iterated)
    same(spdml.mean(X, metric), expected)
    same(getattr(mean, f"mean_{metric}")(X[0, 0], sample_weight=weights), weighted)
    same(mean.gmean(X[0, 0], metric=metric), expected[0, 0])


@kinds
@pytest.mark.parametrize("power", [-1, -0.4, 0, 0.3, 1])
def test_power_means(rng, draw, power):
    X, weights = draw(rng, 5, 3), rng.uniform(0.5, 2, 5)
    same(mean.mean_power(X, power, sample_weight=weights, init=X[0]),
         peer_mean.mean_power(X, power, sample_weight=weights, zeta=1e-13, maxiter=1000))
    same(mean.mean_poweuclid(X, power, sample_weight=weights),
         peer_mean.mean_poweuclid(X, power, sample_weight=weights))


@kinds
@pytest.mark.parametrize("metric", ["alm", "bmp"])
def test_recursive_means(rng, draw, metric):
    X = draw(rng, 3, 3)
    more = {"tol": 1e-14, "maxiter": 200}
    same(spdml.mean(X, metric), getattr(peer_mean, f"mean_{metric}")(X, **more), rtol=1e-6)
    same(spdml.mean(X, metric), spdml.mean(X, "airm"), rtol=0.02, atol=0.02)
    same(spdml.mean(X[:2], metric), spdml.geodesic(X[0], X[1]))
    with pytest.raises(ValueError, match="factorial"):
        spdml.mean(draw(rng, 10, 2), metric)


@kinds
def test_means_by_joint_diagonalisation(rng, draw):
    X = draw(rng, 6, 3, 0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's, at that tolerance
        B = peer_ajd.ajd_pham(X, eps=1e-14, n_iter_max=1000)[0]
    same(spdml.mean(X, "ale"), peer_mean.mean_ale(X, init=B, tol=1e-12, maxiter=500), rtol=1e-6,
         atol=1e-7)
    Q = np.linalg.qr(X[0])[0]
    shared = (Q * rng.uniform(1, 3, (5, 1, 3))) @ Q.conj().T
    same(spdml.mean(shared, "ale"), spdml.mean(shared, "airm"))
    same(spdml.mean(shared, "cheap"), spdml.mean(shared, "airm"))


@kinds
def test_inductive_mean(rng, draw):
    X = draw(rng, 4, 3)
    with pytest.warns(UserWarning):
        expected = peer_mean.mean_thompson(X)
    with pytest.warns(UserWarning, match="did not converge in 50"):
        same(spdml.mean(X, "thompson"), expected)


@kinds
@pytest.mark.parametrize("metric", ["euclid", "riemann"])
def test_medians(rng, draw, metric):
    X, weights = draw(rng, 7, 3), rng.uniform(0.5, 2, 7)
    peer = getattr(peer_median, f"median_{metric}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = peer(X, weights=weights, tol=1e-13, maxiter=2000)
    same(getattr(median, f"median_{metric}")(X, weights=weights), expected, rtol=1e-7)
    same(getattr(median, f"median_{metric}")(X[None], weights=weights)[0], expected, rtol=1e-7)


@kinds
@pytest.mark.parametrize("metric", GEODESICS)
def test_geodesics(rng, draw, metric):
    A, B = draw(rng, 6, 4).reshape(2, 3, 4, 4), draw(rng, 6, 4).reshape(2, 3, 4, 4)
    peer, own = (getattr(module, f"geodesic_{metric}") for module in (peer_geodesic, geodesic))
    for alpha in (0, 0.3, 1):
        same(own(A, B, alpha), peer(A, B, alpha))
        same(own(A[0, 0], B[0, 0], alpha), peer(A[0, 0], B[0, 0], alpha))
    alpha = rng.uniform(0, 1, 3)
    each = [peer(a, b, float(t)) for a, b, t in zip(A[0], B[0], alpha)]
    same(own(A[0], B[0], alpha), np.array(each))
    same(own(A[0, 0], B[0], alpha), np.array([own(A[0, 0], b, t) for b, t in zip(B[0], alpha)]))
    with pytest.raises(ValueError, match="alpha must have shape"):
        own(A[0], B[0], alpha[:-1])


@kinds
@pytest.mark.parametrize("metric", MAPS)
def test_tangent_spaces(rng, draw, metric):
    X, C = draw(rng, 6, 4).reshape(2, 3, 4, 4), draw(rng, 1, 4)[0]
    T = peer_tangent.log_map(X, C, metric=metric)
    same(tangentspace.log_map(X, C, metric), T)
    same(tangentspace.exp_map(T, C, metric), peer_tangent.exp_map(T, C, metric=metric))
    vectors = peer_tangent.tangent_space(X, C, metric=metric)
    same(tangentspace.tangent_space(X, C, metric), vectors)
    same(tangentspace.untangent_space(vectors, C, metric), X)
    if metric == "riemann":
        full = peer_tangent.log_map_riemann(X, C, C12=True)
        same(tangentspace.log_map_riemann(X, C, C12=True), full)
        same(tangentspace.exp_map_riemann(full, C, Cm12=True), X)


@pytest.mark.parametrize("metric", ["euclid", "logeuclid", "riemann"])
def test_kernels(rng, metric):
    X, Y, C = random_spd(rng, 5, 4), random_spd(rng, 3, 4), random_spd(rng, 1, 4)[0]
    same(kernel.kernel(X, Y, metric=metric), peer_kernel.kernel(X, Y, metric=metric), rtol=1e-6)
    same(kernel.kernel(X, Cref=C, metric=metric), peer_kernel.kernel(X, Cref=C, metric=metric))


@kinds
@pytest.mark.parametrize("name", ["expm", "invsqrtm", "logm", "sqrtm", "nearest_sym_pos_def"])
def test_matrix_functions(rng, draw, name):
    X = draw(rng, 6, 4).reshape(2, 3, 4, 4)
    if name != "nearest_sym_pos_def" or draw is random_spd:
        same(getattr(base, name)(X), getattr(peer_base, name)(X))
    same(base.powm(X, 0.3), peer_base.powm(X, 0.3))
    for derivative in ("ddlogm", "ddexpm"):
        same(getattr(base, derivative)(X, X[0, 0]), getattr(peer_base, derivative)(X, X[0, 0]))


def test_tables_of_functions_are_theirs():
    for module, own, table in [
            (peer_distance, distance, "distance_functions"), (peer_geodesic, geodesic, "geodesic_functions"),
            (peer_kernel, kernel, "kernel_functions"), (peer_tangent, tangentspace, "log_map_functions"),
            (peer_tangent, tangentspace, "exp_map_functions")]:
        theirs, mine = getattr(module, table), getattr(own, table)
        assert mine.keys() == theirs.keys()
        for metric, function in theirs.items():
            assert mine[metric].__name__ == function.__name__


def test_matrices_that_are_not_square(rng):
    A, B = rng.standard_normal((2, 5, 3, 4)) + 1j * rng.standard_normal((2, 5, 3, 4))
    same(spdml.distance(A, B, "euclid"), peer_distance.distance_euclid(A, B))
    same(spdml.mean(A, "euclid"), A.mean(axis=0))
    same(spdml.geodesic(A, B, 0.3, "euclid"), 0.7 * A + 0.3 * B)
    same(tangentspace.log_map(A, B[0], "euclid"), A - B[0])
    same(spdml.kernel(A.real, B.real, "euclid"), peer_kernel.kernel_euclid(A.real, B.real))
    same(median.median_euclid(A.real, tol=1e-12),
         peer_median.median_euclid(A.real, tol=1e-13, maxiter=2000), rtol=1e-6)


def test_reference_by_its_name(rng):
    """Arguments have pyRiemann's names."""
    X = random_spd(rng, 5, 4)
    T = tangentspace.tangent_space(X, Cref=X[0], metric="riemann")
    same(T, peer_tangent.tangent_space(X, Cref=X[0], metric="riemann"))
    same(tangentspace.untangent_space(T, Cref=X[0], metric="riemann"), X)
