/* vectors.c - sets of vectors: products through BLAS on blocks of rows, and nearest neighbours in
 * Euclidean distance:
 *
 *   label_i = that of v_j,   j = argmin_j sum_k (q_ik - v_jk)^2
 *
 * The differences are squared one by one: through products (|q|^2 - 2 q'v + |v|^2) equal vectors
 * would not be at distance zero, and ties would be decided by rounding. */
#include <math.h>
#include <string.h>

#include "classify/vectors.h"
#include "classify/values.h"
#include "base/order.h"
#include "run/parallel.h"
#include "ops/scale.h"
#include "linalg/tall.h"

#define ROWS              64  /* of a chunk: enough for BLAS to run at speed */
#define TILE              16  /* rows and columns that are turned at once */
#define LANES             8   /* independent sums, so that the compiler may use vectors */
#define BLOCK             256 /* terms between two looks at the best */
#define QUERIES_PER_CHUNK 16

/* ---- products ----------------------------------------------------------------------------- */

typedef struct job {
    size_t dim, q, p;
    const double *A, *B;
    double *C;
} job;

static spd_status rows_body(void *user, size_t chunk, int thread)
{
    const job *j = user;
    size_t first = chunk * ROWS, rows = smaller(ROWS, j->q - first);
    (void)thread;
    tall_product_trans(rows, j->dim, j->p, j->A + first * j->dim, j->B, j->C + first * j->p);
    return SPD_OK;
}

static spd_status dots_body(void *user, size_t chunk, int thread)
{
    const job *j = user;
    size_t last = smaller((chunk + 1) * ROWS, j->q);
    (void)thread;
    for (size_t i = chunk * ROWS; i < last; i++)
        for (size_t k = 0; k < j->p; k++)
            j->C[i * j->p + k] = values_dot(j->dim, j->A + i * j->dim, j->B + k * j->dim);
    return SPD_OK;
}

spd_status vectors_products(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
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

spd_status vectors_dots(spd_context *ctx, size_t dim, size_t q, const double *A, size_t p,
                        const double *B, double *C)
{
    job j = {.dim = dim, .q = q, .p = p, .A = A, .B = B, .C = C};
    return parallel_for(ctx, (q + ROWS - 1) / ROWS, dots_body, &j, "products", "pairs",
                        (double)p * (double)q, NULL);
}

void vectors_flip(size_t rows, size_t columns, const double *A, double *T)
{
    for (size_t r0 = 0; r0 < rows; r0 += TILE)
        for (size_t c0 = 0; c0 < columns; c0 += TILE)
            for (size_t r = r0; r < smaller(r0 + TILE, rows); r++)
                for (size_t c = c0; c < smaller(c0 + TILE, columns); c++)
                    T[c * rows + r] = A[r * columns + c];
}

/* ---- nearest neighbours ------------------------------------------------------------------- */

typedef struct search {
    size_t dim, p, q;
    const double *V, *Q;
    const int *of;
    int *label;
    size_t classes;
    double *score; /* q x classes, or NULL */
} search;

/* sum of (a_k - b_k)^2 */
static double dist2(size_t count, const double *a, const double *b)
{
    double sum[LANES] = {0}, total = 0.0;
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double gap = a[k + l] - b[k + l];
            sum[l] += gap * gap;
        }
    for (; k < count; k++)
        total += (a[k] - b[k]) * (a[k] - b[k]);
    for (size_t l = 0; l < LANES; l++)
        total += sum[l];
    return total;
}

/* The squared distance, or some number >= limit once it is clear that it is no smaller. */
static double dist2_below(size_t dim, const double *a, const double *b, double limit)
{
    double sum = 0.0;
    for (size_t k = 0; k < dim && sum < limit; k += BLOCK)
        sum += dist2(dim - k < BLOCK ? dim - k : BLOCK, a + k, b + k);
    return sum;
}

/* The label of query i, and its distances to the classes. A sum is left unfinished once it has
 * passed the best of all or, with distances to the classes, of its class. */
static int nearest_of(const search *s, size_t i)
{
    double best = INFINITY, *each = s->score ? s->score + i * s->classes : NULL;
    size_t nearest = 0;
    for (size_t j = 0; each && j < s->p; j++)
        each[s->of[j]] = INFINITY;
    for (size_t j = 0; j < s->p; j++) {
        double *limit = each ? &each[s->of[j]] : &best;
        double d2 = dist2_below(s->dim, s->Q + i * s->dim, s->V + j * s->dim, *limit);
        if (d2 < best) {
            best = d2;
            nearest = j;
        }
        *limit = fmin(*limit, d2);
    }
    return s->of[nearest];
}

static spd_status nearest_body(void *user, size_t chunk, int thread)
{
    const search *s = user;
    size_t first = chunk * QUERIES_PER_CHUNK, last = first + QUERIES_PER_CHUNK;
    (void)thread;
    for (size_t i = first; i < last && i < s->q; i++)
        s->label[i] = nearest_of(s, i);
    return SPD_OK;
}

spd_status vectors_nearest(spd_context *ctx, size_t dim, size_t p, const double *V, const int *of,
                           size_t q, const double *Q, int *label, size_t classes, double *score)
{
    arena room = {0};
    search s = {.dim = dim, .p = p, .q = q, .V = V, .Q = Q, .of = of};
    size_t chunks = (q + QUERIES_PER_CHUNK - 1) / QUERIES_PER_CHUNK;
    s.label = arena_alloc(&room, q, sizeof *s.label);
    s.classes = classes;
    s.score = score;
    if (!s.label)
        return ctx_nomem(ctx, "nearest vectors");
    spd_status status = parallel_for(ctx, chunks, nearest_body, &s, "neighbours", "pairs",
                                     (double)p * (double)q, NULL);
    if (status == SPD_OK)
        memcpy(label, s.label, q * sizeof *label);
    arena_free(&room);
    return status;
}

spd_status vectors_check(spd_context *ctx, size_t dim, size_t p, const double *V, int exponent)
{
    double most = ldexp(1.0, exponent);
    for (size_t i = 0; i < p; i++) {
        double largest = scale_largest(dim, V + i * dim);
        if (largest > most || (largest > 0.0 && largest < 1.0 / most))
            return ctx_fail(ctx, SPD_ENUMERIC,
                            "a vector with entries up to %.2g leaves the range of numbers; bring "
                            "the vectors to a scale near 1",
                            largest);
    }
    return SPD_OK;
}
