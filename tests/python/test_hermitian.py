"""Complex Hermitian matrices and their real form."""

import numpy as np
from conftest import random_hpd
from spdml._core.hermitian import embed, extract


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
