/* hermitian.c - complex matrices and their real forms (math.md, eq. 22): each entry a + bi is the
 * block [a -b; b a]. */
#include "spdml.h"

void spd_complex_embed(size_t rows, size_t columns, size_t p, const double *Z, double *X)
{
    for (size_t r = 0; r < p * rows; r++, Z += 2 * columns, X += 4 * columns) {
        double *below = X + 2 * columns;
        for (size_t c = 0; c < columns; c++) {
            X[2 * c] = below[2 * c + 1] = Z[2 * c];
            X[2 * c + 1] = -Z[2 * c + 1];
            below[2 * c] = Z[2 * c + 1];
        }
    }
}

void spd_complex_extract(size_t rows, size_t columns, size_t p, const double *X, double *Z)
{
    for (size_t r = 0; r < p * rows; r++, Z += 2 * columns, X += 4 * columns) {
        const double *below = X + 2 * columns;
        for (size_t c = 0; c < columns; c++) {
            double real = X[2 * c] / 2 + below[2 * c + 1] / 2;
            double imaginary = below[2 * c] / 2 - X[2 * c + 1] / 2;
            Z[2 * c] = real;
            Z[2 * c + 1] = imaginary;
        }
    }
}
