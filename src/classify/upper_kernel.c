/* upper_kernel.c - upper triangles as vectors, and the products between them. */
#include "classify/upper_kernel.h"

#include <math.h>

#include "classify/values.h"
#include "classify/vectors.h"

/* u (n (n + 1)/2) <- the upper triangle of X (n x n), of length one; divided by its largest entry
 * first, so that squares stay in range. */
static void take_upper(size_t n, const double *X, double *u)
{
    size_t count = 0;
    double largest = 0.0;
    for (size_t e = 0; e < n * n; e++)
        largest = fmax(largest, fabs(X[e]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            u[count++] = X[i * n + j] / largest;
    values_to_unit(count, u);
}

static double *upper_of(const samples *s, arena *keep)
{
    size_t each = s->n * (s->n + 1) / 2;
    double *U = arena_alloc(keep, s->p, each * sizeof *U);
    for (size_t i = 0; i < s->p && U; i++)
        take_upper(s->n, s->X + i * s->n * s->n, U + i * each);
    return U;
}

spd_status upper_kernel(spd_context *ctx, const samples *a, const samples *b, double *K)
{
    arena room = {0};
    double *A = upper_of(a, &room), *B = a == b ? A : upper_of(b, &room);
    spd_status status = arena_status(&room, ctx, "upper triangles");
    if (status == SPD_OK)
        status = vectors_products(ctx, a->n * (a->n + 1) / 2, a->p, A, b->p, B, K);
    if (status == SPD_OK && a == b)
        spd_symmetrize(a->p, 1, K);
    arena_free(&room);
    return status;
}
