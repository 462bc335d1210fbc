/* values.c - the median, length; matrices about their mean, and of orthonormal rows. */
#include "classify/values.h"

#include <math.h>

#include "base/order.h"
#include "linalg/tall.h"

#define LANES 8 /* independent sums, so that the compiler may use vectors */

/* What a row may add to those before it and still be nothing. */
#define NOTHING 1e-10

spd_status values_median_above(spd_context *ctx, size_t p, const double *D, double *median)
{
    size_t count = 0;
    arena room = {0};
    double *x = arena_alloc(&room, p, p * sizeof *x), middle = 0.0;
    if (!x)
        return ctx_nomem(ctx, "a median");
    for (size_t r = 0; r < p; r++)
        for (size_t c = r + 1; c < p; c++)
            x[count++] = D[r * p + c];
    if (count)
        middle = order_median(count, x);
    *median = middle > 0.0 ? middle : 1.0;
    arena_free(&room);
    return SPD_OK;
}

double values_dot(size_t count, const double *a, const double *b)
{
    double sum[LANES] = {0}, total = 0.0;
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (size_t l = 0; l < LANES; l++)
            sum[l] += a[k + l] * b[k + l];
    for (; k < count; k++)
        total += a[k] * b[k];
    for (size_t l = 0; l < LANES; l++)
        total += sum[l];
    return total;
}

void values_to_unit(size_t count, double *x)
{
    double length = sqrt(values_dot(count, x, x));
    for (size_t e = 0; e < count && length > 0.0; e++)
        x[e] /= length;
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* K_ij <- K_ij - mean_i - mean_j + mean of all */
void values_centre(size_t p, double *K, double *mean)
{
    double all = 0.0;
    for (size_t i = 0; i < p; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < p; j++)
            sum += K[i * p + j];
        mean[i] = sum / (double)p;
        all += mean[i];
    }
    all /= (double)p;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            K[i * p + j] = K[j * p + i] = K[i * p + j] - (mean[i] + mean[j]) + all;
}

/* Modified Gram-Schmidt, every row twice: what rounding leaves of the first time the second takes
 * away. */
void values_orthonormal(size_t count, size_t size, double *Z)
{
    for (size_t a = 0; a < count; a++) {
        double *z = Z + a * size, before = sqrt(tall_dot(size, 1, z, z));
        for (size_t b = 0; b < 2 * a; b++) {
            const double *other = Z + b % a * size;
            double part = tall_dot(size, 1, other, z);
            for (size_t i = 0; i < size; i++)
                z[i] -= part * other[i];
        }
        double left = sqrt(tall_dot(size, 1, z, z)),
               scale = left > NOTHING * before ? 1.0 / left : 0.0;
        for (size_t i = 0; i < size; i++)
            z[i] *= scale;
    }
}

double values_row_sum(size_t p, const double *A)
{
    double largest = 0.0;
    for (size_t r = 0; r < p; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < p; c++)
            sum += fabs(A[r * p + c]);
        largest = fmax(largest, sum);
    }
    return largest;
}
