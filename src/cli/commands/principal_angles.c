/* principal_angles.c - C = A'B has the cosines as singular values, R = B - A C the sines: cosines
 * tell large angles, sines small ones.
 *
 *   eigenvalues of C'C, falling:  cos^2        of R'R, rising:  sin^2 */
#include "cli/commands/principal_angles.h"

#include <math.h>

#include "cli/frame/cli_memory.h"

#define DEGREES (180.0 / 3.14159265358979323846)

/* G (m x m) <- M'M for M (rows x m). */
static void gram(size_t rows, size_t m, const double *M, double *G)
{
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < rows; i++)
                sum += M[i * m + a] * M[i * m + b];
            G[a * m + b] = sum;
        }
}

spd_status principal_angles(spd_context *ctx, size_t n, size_t m, const double *A, const double *B,
                            double *angle)
{
    double *C = cli_alloc_table(m, m, sizeof *C, "angles");
    double *R = cli_alloc_table(n, m, sizeof *R, "angles");
    double *G = cli_alloc_table(m, m, sizeof *G, "angles");
    double *cos2 = cli_alloc(m, sizeof *cos2, "angles"),
           *sin2 = cli_alloc(m, sizeof *sin2, "angles");
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            C[a * m + b] = 0.0;
            for (size_t i = 0; i < n; i++)
                C[a * m + b] += A[i * m + a] * B[i * m + b];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < m; b++) {
            R[i * m + b] = B[i * m + b];
            for (size_t a = 0; a < m; a++)
                R[i * m + b] -= A[i * m + a] * C[a * m + b];
        }
    gram(m, m, C, G);
    spd_status status = spd_eigh(ctx, m, 1, G, cos2, NULL);
    gram(n, m, R, G);
    if (status == SPD_OK)
        status = spd_eigh(ctx, m, 1, G, sin2, NULL);
    for (size_t k = 0; k < m && status == SPD_OK; k++)
        angle[k] = atan2(sqrt(fmax(sin2[k], 0.0)), sqrt(fmax(cos2[m - 1 - k], 0.0))) * DEGREES;
    return status;
}
