/* embed_lle.c - Riemannian locally linear embedding (Roweis and Saul 2000; Goh and Vidal 2008).
 *
 * Each sample is written by its neighbours as well as its tangent space allows:
 *
 *   G_i[j,l] = <log_Xi Xj, log_Xi Xl>,   (G_i + RIDGE tr(G_i) I) w = 1,   w <- w / sum w
 *
 * and coordinates that are written by their neighbours with the same weights are the bottom
 * eigenvectors of M = (I - W)'(I - W), after the constant one. M is the sum over i of v v' with v
 * = e_i - w, which has k + 1 entries.
 *
 * M f = 0 means f = W f. Where several components are closed (embed_closed.c), f may be any
 * constant on each, and what it is elsewhere follows: of the samples T outside, M_TT f_T =
 * -M_T,component 1. */
#include <math.h>
#include <string.h>

#include "classify/embed.h"
#include "linalg/dense.h"

#define RIDGE 1e-3

/* w (k) <- weights of neighbourhood i; A: k k doubles of scratch. */
static void weights(const neighbourhoods *h, size_t i, size_t k, double *w, double *A)
{
    const double *G = h->G + i * h->k * h->k;
    double trace = 0.0, sum = 0.0;
    for (size_t r = 0; r < k; r++) {
        memcpy(A + r * k, G + r * h->k, k * sizeof *A);
        trace += A[r * k + r];
        w[r] = 1.0;
    }
    for (size_t r = 0; r < k; r++)
        A[r * k + r] += RIDGE * trace;
    if (trace > 0.0 && !dense_chol(k, A))
        dense_solve_vector(k, A, w);
    for (size_t r = 0; r < k; r++) /* equal weights where all neighbours are the sample itself */
        sum += w[r];
    for (size_t r = 0; r < k; r++)
        w[r] /= sum;
}

/* M <- M + v v' */
static void add_outer(size_t p, size_t i, size_t k, const int64_t *neighbour, const double *w,
                      double *M)
{
    M[i * p + i] += 1.0;
    for (size_t r = 0; r < k; r++) {
        size_t a = (size_t)neighbour[r];
        M[i * p + a] -= w[r];
        M[a * p + i] -= w[r];
        for (size_t c = 0; c < k; c++)
            M[a * p + (size_t)neighbour[c]] += w[r] * w[c];
    }
}

spd_status lle_matrix(spd_context *ctx, const neighbourhoods *h, size_t k, double *M)
{
    arena room = {0};
    double *w = arena_alloc(&room, k + 1, k * sizeof *w);
    if (!w)
        return ctx_nomem(ctx, "the weights of lle");
    for (size_t i = 0; i < h->p; i++) {
        weights(h, i, k, w, w + k);
        add_outer(h->p, i, k, h->index + i * h->k, w, M);
    }
    arena_free(&room);
    return SPD_OK;
}

/* Row z (p) of Z, with 1 on its component and 0 on the others, filled outside of all closed ones:
 * outside (count) are the samples there, L the factor of M among them, b (count) scratch. */
static void extend(size_t p, const double *M, size_t count, const size_t *outside, const double *L,
                   double *z, double *b)
{
    for (size_t a = 0; a < count; a++) {
        b[a] = 0.0;
        for (size_t j = 0; j < p; j++)
            b[a] -= M[outside[a] * p + j] * z[j];
    }
    dense_solve_vector(count, L, b);
    for (size_t a = 0; a < count; a++)
        z[outside[a]] = b[a];
}

/* L (count x count) <- factor of M among the samples outside, with `ridge` times its largest
 * diagonal entry added. */
static int factor_outside(size_t p, const double *M, size_t count, const size_t *outside,
                          double ridge, double *L)
{
    double largest = 0.0;
    for (size_t a = 0; a < count; a++)
        largest = fmax(largest, M[outside[a] * p + outside[a]]);
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++)
            L[a * count + b] = M[outside[a] * p + outside[b]];
        L[a * count + a] += ridge * largest;
    }
    return dense_chol(count, L);
}

spd_status lle_vectors(spd_context *ctx, size_t p, const double *M,
                       const graph_components *components, double *Z)
{
    arena room = {0};
    size_t count = 0, *outside = arena_alloc(&room, p, sizeof *outside);
    components_vectors(p, components, NULL, Z);
    if (!outside)
        return ctx_nomem(ctx, "the graph of neighbours");
    for (size_t i = 0; i < p; i++)
        if (components->component[i] == NO_COMPONENT)
            outside[count++] = i;
    double *L = arena_alloc(&room, count + 1, count * sizeof *L);
    spd_status status = arena_status(&room, ctx, "the graph of neighbours");
    if (L && components->count > 1 && count > 0) {
        /* A component that is all but closed makes the factor fail without help. */
        if (factor_outside(p, M, count, outside, 0.0, L) &&
            factor_outside(p, M, count, outside, 1e-12, L))
            status = ctx_fail(ctx, SPD_ENUMERIC, "the weights of lle are singular; use another k");
        for (size_t c = 1; c < components->count && status == SPD_OK; c++)
            extend(p, M, count, outside, L, Z + c * p, L + count * count);
    }
    arena_free(&room);
    return status;
}
