/* embed_hessian.c - Riemannian Hessian locally linear embedding (Donoho and Grimes 2003; Goh and
 * Vidal 2008).
 *
 * A neighbourhood is the s = k nearest of a sample; one that is nobody's neighbour would be tied to
 * nothing and joins its own, s = k + 1. Its tangent coordinates are the leading d eigenvectors U
 * (s x d) of the centred inner products (I - 11'/s) G_i (I - 11'/s), that is, principal components
 * of the log maps at X_i about their mean. A function on the neighbourhood is fitted by
 *
 *   [ 1 | U_a | U_a U_b, a <= b ]      s x (1 + d + d(d+1)/2), columns made orthonormal in turn
 *
 * and the last d(d+1)/2 columns H measure its second derivatives: M is the sum over i of H H' on
 * the neighbourhood of i. Its null space holds the constant and d coordinates. */
#include <string.h>

#include "classify/embed.h"
#include "classify/values.h"
#include "linalg/dense.h"

#define NOTHING 1e-10 /* directions in which so little of the spread lies are left out */

typedef struct hessian_room {
    size_t s;       /* members of the neighbourhood at hand, at most k + 1 */
    size_t *member; /* s: the neighbours, and the sample where it joins them */
    char *lonely;   /* p: is nobody's neighbour */
    double *A;      /* s x s: centred inner products */
    double *lambda; /* d */
    double *U;      /* d x s, a coordinate per row */
    double *Z;      /* columns x s, a function per row */
    double *work;
} hessian_room;

static size_t columns_for(size_t d)
{
    return 1 + d + d * (d + 1) / 2;
}

/* Z <- 1, coordinates, products. */
static void functions(size_t s, size_t d, const double *U, double *Z)
{
    double *z = Z + (1 + d) * s;
    for (size_t i = 0; i < s; i++)
        Z[i] = 1.0;
    memcpy(Z + s, U, d * s * sizeof *Z);
    for (size_t a = 0; a < d; a++)
        for (size_t b = a; b < d; b++, z += s)
            for (size_t i = 0; i < s; i++)
                z[i] = U[a * s + i] * U[b * s + i];
}

/* M <- M + H H' on the members, H' the count rows of Z. */
static void add_squares(size_t p, size_t s, const size_t *member, size_t count, const double *Z,
                        double *M)
{
    for (size_t a = 0; a < count; a++, Z += s)
        for (size_t r = 0; r < s; r++)
            for (size_t c = 0; c < s; c++)
                M[member[r] * p + member[c]] += Z[r] * Z[c];
}

/* w->member, w->A <- neighbourhood i and its inner products, not centred. The sample itself is the
 * origin of its tangent space. */
static void gather(const neighbourhoods *h, size_t i, size_t k, hessian_room *w)
{
    size_t s = w->s = k + (w->lonely[i] ? 1 : 0);
    memset(w->A, 0, s * s * sizeof *w->A);
    w->member[s - 1] = i;
    for (size_t r = 0; r < k; r++) {
        memcpy(w->A + r * s, h->G + (i * h->k + r) * h->k, k * sizeof *w->A);
        w->member[r] = (size_t)h->index[i * h->k + r];
    }
}

/* w->U <- tangent coordinates; zero where the members do not spread. */
static int coordinates(size_t d, hessian_room *w)
{
    size_t s = w->s;
    values_centre(s, w->A, w->work);
    if (dense_eigh_some(s, s - d, d, w->A, w->lambda, w->U, w->work))
        return 1;
    for (size_t a = 0; a < d; a++)
        if (!(w->lambda[a] > NOTHING * w->lambda[d - 1]))
            memset(w->U + a * s, 0, s * sizeof *w->U);
    return 0;
}

static spd_status add_all(spd_context *ctx, const neighbourhoods *h, size_t k, size_t d,
                          hessian_room *w, double *M)
{
    size_t columns = columns_for(d);
    memset(w->lonely, 1, h->p);
    for (size_t i = 0; i < h->p; i++)
        for (size_t c = 0; c < k; c++)
            w->lonely[h->index[i * h->k + c]] = 0;
    for (size_t i = 0; i < h->p; i++) {
        gather(h, i, k, w);
        if (coordinates(d, w))
            return ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues at X[%zu] did not converge", i);
        functions(w->s, d, w->U, w->Z);
        values_orthonormal(columns, w->s, w->Z);
        add_squares(h->p, w->s, w->member, columns - 1 - d, w->Z + (1 + d) * w->s, M);
    }
    return SPD_OK;
}

spd_status hessian_matrix(spd_context *ctx, const neighbourhoods *h, size_t k, size_t d, double *M)
{
    size_t most = k + 1;
    arena room = {0};
    hessian_room w = {.member = arena_alloc(&room, most, sizeof *w.member),
                      .lonely = arena_alloc(&room, h->p, sizeof *w.lonely),
                      .A = arena_alloc(&room, most, most * sizeof *w.A),
                      .lambda = arena_alloc(&room, d, sizeof *w.lambda),
                      .U = arena_alloc(&room, d, most * sizeof *w.U),
                      .Z = arena_alloc(&room, columns_for(d), most * sizeof *w.Z),
                      .work = arena_alloc(&room, dense_eigh_some_work(most), sizeof *w.work)};
    spd_status status = arena_status(&room, ctx, "tangent coordinates");
    if (status == SPD_OK)
        status = add_all(ctx, h, k, d, &w, M);
    arena_free(&room);
    return status;
}
