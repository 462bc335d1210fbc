/* tall_axes.c - singular values and vectors of a tall matrix by way of H'H (tall.h). */
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"
#include "linalg/tall.h"

/* H where it has to be scaled, H'H, its eigenvectors, and what these need. */
size_t tall_axes_work(size_t n, size_t m)
{
    return n * m + 2 * m * m + kernels_single_work(m);
}

/* A times a power of 2 that lets squares neither overflow nor vanish: A itself, or room (count). */
static const double *scale_down(size_t count, const double *A, double *room, double *scale)
{
    double largest = tall_dot(count, 1, A, A);
    int exponent = 0;
    *scale = 1.0;
    if (largest > 1e-200 && largest < 1e200)
        return A;
    largest = 0.0;
    for (size_t e = 0; e < count; e++)
        largest = fabs(A[e]) > largest ? fabs(A[e]) : largest;
    if (isfinite(largest))
        frexp(largest, &exponent);
    *scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    for (size_t e = 0; e < count; e++)
        room[e] = *scale * A[e];
    return room;
}

/* V (m x m) <- rows of Z as columns, in descending order of x (m), which is spent. */
static void sort_columns(size_t m, const double *Z, double *x, double *V)
{
    for (size_t k = 0; k < m; k++) {
        size_t best = 0;
        for (size_t c = 1; c < m; c++)
            best = x[c] > x[best] ? c : best;
        for (size_t r = 0; r < m; r++)
            V[r * m + k] = Z[best * m + r];
        x[best] = -INFINITY;
    }
}

/* Columns of A (n x m) <- unit vectors, those of length 0 stay; length (m) <- what they were. */
static void make_units(size_t n, size_t m, double *A, double *length, double *work)
{
    memset(length, 0, m * sizeof *length);
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m; c++)
            length[c] += A[r * m + c] * A[r * m + c];
    for (size_t c = 0; c < m; c++) {
        length[c] = sqrt(length[c]);
        work[c] = length[c] > 0.0 ? 1.0 / length[c] : 0.0;
    }
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m; c++)
            A[r * m + c] *= work[c];
}

int tall_axes(size_t n, size_t m, const double *H, double *U, double *sigma, double *V,
              double *work)
{
    double *room = work, *M = room + n * m, *Z = M + m * m, *rest = Z + m * m, scale;
    const double *A = scale_down(n * m, H, room, &scale);
    tall_inner(n, m, A, A, M);
    if (kernels_get()->eigh_single(m, M, sigma, Z, rest))
        return 1;
    sort_columns(m, Z, sigma, V);
    tall_product(n, m, m, A, V, U);
    make_units(n, m, U, sigma, rest);
    for (size_t k = 0; k < m; k++)
        sigma[k] /= scale;
    return 0;
}
