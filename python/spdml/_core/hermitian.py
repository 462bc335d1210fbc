"""Complex Hermitian matrices as real symmetric ones of twice the size.

Every complex entry becomes a block of two rows and two columns,

    a + b i   ->   [a  -b]
                   [b   a]

which keeps sums, products, inverses and, with the conjugate transpose as transpose, Cholesky
factors: embed(L) is lower triangular where L is, since the diagonal of L is real. Functions of
matrices, means and geodesics of embedded matrices are embedded, and every eigenvalue appears twice.
So does every term of a squared distance: for all seven metrics of the library

    d2(embed(X), embed(Y)) = 2 d2(X, Y)

Traces and log-determinants double likewise; tr(embed(X) embed(Y)) = 2 tr(X Y)."""

from __future__ import annotations

import numpy as np


def embed(X: np.ndarray) -> np.ndarray:
    """The real form (..., 2 n, 2 m) of complex matrices X (..., n, m), as a new C-contiguous float64
    array."""
    X = np.asarray(X)
    n, m = X.shape[-2:]
    Y = np.empty(X.shape[:-2] + (n, 2, m, 2))
    Y[..., :, 0, :, 0] = Y[..., :, 1, :, 1] = X.real
    Y[..., :, 1, :, 0] = X.imag
    np.negative(X.imag, out=Y[..., :, 0, :, 1])
    return Y.reshape(X.shape[:-2] + (2 * n, 2 * m))


def extract(Y: np.ndarray) -> np.ndarray:
    """The complex matrices (..., n, m) nearest to those whose real form is Y (..., 2 n, 2 m): the
    two copies of every number, which rounding may have set apart, are averaged."""
    n, m = Y.shape[-2] // 2, Y.shape[-1] // 2
    blocks = np.asarray(Y).reshape(Y.shape[:-2] + (n, 2, m, 2))
    X = np.empty(Y.shape[:-2] + (n, m), dtype=np.complex128)
    np.add(blocks[..., :, 0, :, 0], blocks[..., :, 1, :, 1], out=X.real)
    np.subtract(blocks[..., :, 1, :, 0], blocks[..., :, 0, :, 1], out=X.imag)
    X *= 0.5
    return X


def real_vectors(T: np.ndarray) -> np.ndarray:
    """Vectors of upper triangles (..., n (n + 1)/2), complex, as real ones (..., n^2) of the same inner
    products: real parts, then the imaginary parts off the diagonal. Real ones stay as they are."""
    if not np.iscomplexobj(T):
        return T
    return np.concatenate((T.real, T.imag[..., _off_diagonal(T.shape[-1])]), axis=-1)


def complex_vectors(R: np.ndarray, n: int) -> np.ndarray:
    """The same back."""
    k = n * (n + 1) // 2
    T = R[..., :k].astype(np.complex128)
    T.imag[..., _off_diagonal(k)] = R[..., k:]
    return T


def _off_diagonal(k: int) -> np.ndarray:
    """Which of the k = n (n + 1)/2 entries of an upper triangle, row by row, are off the diagonal."""
    row, column = np.triu_indices(int((np.sqrt(1 + 8 * k) - 1) / 2))
    return np.asarray(row != column)
