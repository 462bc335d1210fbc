"""Complex Hermitian matrices and their real form."""

import numpy as np
import pytest
import spdml
from conftest import random_hpd
from spdml._core.hermitian import embed, extract

METRICS = ["airm", "stein", "log-euclidean", "jeffrey", "bures-wasserstein", "log-cholesky",
           "euclidean"]


def test_the_real_form_keeps_products_and_cholesky_factors(rng):
    A, B = random_hpd(rng, 2, 4)
    np.testing.assert_array_equal(extract(embed(A)), A)
    np.testing.assert_allclose(embed(A) @ embed(B), embed(A @ B), rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(embed(A.conj().T), embed(A).T)
    np.testing.assert_allclose(np.linalg.cholesky(embed(A)), embed(np.linalg.cholesky(A)),
                               rtol=1e-12, atol=1e-13)
    rectangle = rng.standard_normal((3, 2, 5)) + 1j * rng.standard_normal((3, 2, 5))
    assert embed(rectangle).shape == (3, 4, 10)
    np.testing.assert_array_equal(extract(embed(rectangle)), rectangle)


@pytest.mark.parametrize("metric", METRICS)
def test_squared_distances_double(rng, metric):
    """Against the metric's own definition on complex matrices."""
    X, Y = random_hpd(rng, 2, 3)
    log = lambda A: (lambda w, V: (V * np.log(w)) @ V.conj().T)(*np.linalg.eigh(A))  # noqa: E731
    values = np.linalg.eigvals(np.linalg.solve(X, Y)).real
    L, K = np.linalg.cholesky(X), np.linalg.cholesky(Y)
    expected = {
        "airm": np.sum(np.log(values) ** 2),
        "stein": np.sum(np.log((1 + values) / 2) - np.log(values) / 2),
        "log-euclidean": np.linalg.norm(log(X) - log(Y)) ** 2,
        "jeffrey": np.sum(values + 1 / values) / 2 - 3,
        "bures-wasserstein": np.trace(X + Y).real
        - 2 * np.sqrt(np.linalg.eigvals(X @ Y).real).sum(),
        "log-cholesky": np.linalg.norm(np.tril(L - K, -1)) ** 2
        + np.sum(np.log(np.diag(L).real / np.diag(K).real) ** 2),
        "euclidean": np.linalg.norm(X - Y) ** 2,
    }[metric]
    assert spdml.distance(embed(X), embed(Y), metric, squared=True) == pytest.approx(2 * expected)
