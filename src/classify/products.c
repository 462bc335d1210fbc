/* products.c - dot products between sets of vectors: BLAS on blocks of rows, side by side. */
#include "classify/products.h"

#include <string.h>

#include "engine/parallel.h"
#include "linalg/tall.h"

#define ROWS 64 /* of a chunk: enough for BLAS to run at speed */
#define TILE 16 /* rows and columns that are turned at once */

typedef struct job {
    size_t dim, q, p;
    const double *A, *B;
    double *C;
} job;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static spd_status rows_body(void *user, size_t chunk, int thread)
{
    const job *j = user;
    size_t first = chunk * ROWS, rows = smaller(ROWS, j->q - first);
    (void)thread;
    tall_product_trans(rows, j->dim, j->p, j->A + first * j->dim, j->B, j->C + first * j->p);
    return SPD_OK;
}

spd_status products_between(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
                            const double *B, double *C)
{
    job j = {.dim = dim, .q = q, .p = p, .A = A, .B = B, .C = C};
    if (dim == 0 || p == 0) { /* which BLAS refuses */
        memset(C, 0, q * p * sizeof *C);
        return SPD_OK;
    }
    return parallel_for(ctx, (q + ROWS - 1) / ROWS, rows_body, &j, "products", "pairs",
                        (double)p * (double)q, NULL);
}

void products_flip(size_t rows, size_t columns, const double *A, double *T)
{
    for (size_t r0 = 0; r0 < rows; r0 += TILE)
        for (size_t c0 = 0; c0 < columns; c0 += TILE)
            for (size_t r = r0; r < smaller(r0 + TILE, rows); r++)
                for (size_t c = c0; c < smaller(c0 + TILE, columns); c++)
                    T[c * rows + r] = A[r * columns + c];
}
