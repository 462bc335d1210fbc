/* complex.c - complex matrices and their real forms (math.md, eq. 22): each entry a + bi is the
 * block [a -b; b a]. */
#include "base/complex.h"

#include <string.h>

/* Number i of those at Z. */
static double number_at(const void *Z, int single, size_t i)
{
    const char *at = Z;
    float narrow;
    double value;
    if (!single) {
        memcpy(&value, at + i * sizeof value, sizeof value);
        return value;
    }
    memcpy(&narrow, at + i * sizeof narrow, sizeof narrow);
    return (double)narrow;
}

void complex_expand(size_t rows, size_t columns, size_t p, int single, const void *Z, double *X)
{
    size_t from = 0;
    for (size_t r = 0; r < p * rows; r++, X += 4 * columns) {
        double *below = X + 2 * columns;
        for (size_t c = 0; c < columns; c++, from += 2) {
            double real = number_at(Z, single, from), imaginary = number_at(Z, single, from + 1);
            X[2 * c] = below[2 * c + 1] = real;
            X[2 * c + 1] = -imaginary;
            below[2 * c] = imaginary;
        }
    }
}

void spd_complex_embed(size_t rows, size_t columns, size_t p, const double *Z, double *X)
{
    complex_expand(rows, columns, p, 0, Z, X);
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
