/* sketch.c - principal components of logarithms; see sketch.h. */
#include "search/sketch.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/tall.h"
#include "run/parallel.h"

#define BASIS_SAMPLES 1024              /* the components are those of so many, evenly spread */
#define BASIS_MOST    ((size_t)1 << 25) /* or of fewer, so that they are no more doubles than this */
#define MEAN_SAMPLES  64                /* and the mean that of so many */
#define SHARE         0.97              /* of the variance that the components have together */
#define PART          ((size_t)1 << 22) /* doubles that are unfolded at a time */
#define EACH          64                /* samples of a chunk */
#define SKETCH_MOST   512               /* numbers of a vector; a multiple of 8 */

/* How matrices become long vectors (`length` doubles), and these short ones. */
typedef struct unfolding {
    size_t n, length, d;
    double *W;    /* n x n: seen from the mean, X is W'XW; NULL: prepared matrices as they are */
    float *basis; /* d x length, the leading one first; NULL: as they are */
    double scale; /* a power of two, so that floats hold the numbers */
} unfolding;

/* ---- long vectors ---------------------------------------------------------------------------- */

/* Z_i += share of its mean eigenvalue */
static void lift(size_t n, size_t count, double share, double *Z)
{
    for (size_t i = 0; i < count; i++, Z += n * n) {
        double trace = 0.0;
        for (size_t r = 0; r < n; r++)
            trace += fabs(Z[r * (n + 1)]);
        for (size_t r = 0; r < n; r++)
            Z[r * (n + 1)] += share * trace / (double)n;
    }
}

/* Z <- log Z. A matrix that is definite need not be so, up to rounding, when it is seen from a mean
 * that has other small eigenvalues. */
static spd_status take_logarithms(spd_context *ctx, size_t n, size_t count, double *Z)
{
    const spd_set set = *SPD_SET(n, count, Z);
    spd_status status = spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, &set, Z);
    for (double share = 1e-12; status == SPD_ENOTSPD && share < 0.1; share *= 1e3) {
        lift(n, count, share, Z);
        status = spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, &set, Z);
    }
    if (status == SPD_ENOTSPD)
        return ctx_fail(ctx, SPD_ENUMERIC,
                        "some matrices are not positive definite up to rounding when they are seen "
                        "from the mean of all; search exactly");
    return status;
}

/* Z (count x length) <- the logarithms of the count matrices X, seen from the mean: their lower
 * triangles, where an entry stands for two. There is room for the whole of them. */
static spd_status logarithms(spd_context *ctx, const unfolding *u, size_t count, const double *X,
                             double *Z)
{
    size_t n = u->n;
    spd_status status = spd_congruence(ctx, SPD_SET(n, count, X), n, u->W, Z);
    if (status >= 0)
        status = take_logarithms(ctx, n, count, Z);
    double *to = Z;
    for (size_t i = 0; i < count && status >= 0; i++)
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++)
                *to++ = Z[(i * n + r) * n + c] * (r == c ? 1.0 : sqrt(2.0));
    return status;
}

/* Z (count x length) <- the vectors of samples evenly spread. */
static spd_status unfold_spread(spd_context *ctx, const search *of, const unfolding *u,
                                size_t count, double *Z)
{
    arena room = {0};
    size_t stride = u->W ? u->n * u->n : u->length;
    const double *from = u->W ? of->X : of->F;
    double *some = u->W ? arena_alloc(&room, count, stride * sizeof *some) : Z;
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        memcpy(some + i * stride, from + i * of->p / count * stride, stride * sizeof *Z);
    if (u->W && status == SPD_OK)
        status = logarithms(ctx, u, count, some, Z);
    arena_free(&room);
    return status;
}

/* u->W <- L'^-1, where L L' is a mean of the matrices. */
static spd_status see_from_mean(spd_context *ctx, const search *of, unfolding *u, arena *keep)
{
    size_t n2 = u->n * u->n, count = of->p < MEAN_SAMPLES ? of->p : MEAN_SAMPLES;
    arena room = {0};
    double *some = arena_alloc(&room, count, n2 * sizeof *some);
    double *M = arena_alloc(&room, u->n, u->n * sizeof *M);
    u->W = arena_zero(keep, u->n, u->n * sizeof *u->W);
    spd_status status =
        u->W ? arena_status(&room, ctx, "neighbours") : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK) {
        for (size_t i = 0; i < count; i++)
            memcpy(some + i * n2, of->X + i * of->p / count * n2, n2 * sizeof *some);
        status = spd_mean(ctx, SPD_METRIC_JEFFREY, SPD_SET(u->n, count, some), NULL, M, NULL);
    }
    if (status >= 0 && dense_chol(u->n, M))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the mean of the matrices is singular up to rounding");
    if (status >= 0) {
        for (size_t i = 0; i < u->n; i++)
            u->W[i * u->n + i] = 1.0;
        dense_solve_trans(u->n, M, u->W);
    }
    arena_free(&room);
    return status < 0 ? status : SPD_OK;
}

/* ---- the components -------------------------------------------------------------------------- */

typedef struct basis_job {
    unfolding *u;
    size_t count; /* samples */
    size_t most;  /* directions */
    double *Z;    /* count x length, without their mean */
    double *G;    /* count x count */
    double *U;    /* most x count */
    double *lambda, *row, *work;
} basis_job;

/* u->basis, u->d <- the leading directions of Z, by way of the matrix of inner products, which is
 * smaller than that of covariances. In a loop of one chunk, where BLAS has one thread: the same
 * bits for any number of them. */
static spd_status basis_chunk(void *user, size_t chunk, int thread)
{
    const basis_job *j = user;
    unfolding *u = j->u;
    size_t count = j->count, most = j->most, length = u->length;
    (void)chunk;
    (void)thread;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)length, 1.0,
                j->Z, (int)length, j->Z, (int)length, 0.0, j->G, (int)count);
    double trace = 0.0, sum = 0.0;
    for (size_t i = 0; i < count; i++)
        trace += j->G[i * count + i];
    if (dense_eigh_some(count, count - most, most, j->G, j->lambda, j->U, j->work))
        return SPD_ENUMERIC;
    for (u->d = 0; u->d < most && sum < SHARE * trace; u->d++) {
        size_t last = most - 1 - u->d;
        sum += j->lambda[last];
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)count, (int)length, 1.0 / sqrt(j->lambda[last]),
                    j->Z, (int)length, j->U + last * count, 1, 0.0, j->row, 1);
        for (size_t e = 0; e < length; e++)
            u->basis[u->d * length + e] = (float)j->row[e];
    }
    if (u->d == 0) { /* all samples are one point: any direction does */
        memset(u->basis, 0, length * sizeof *u->basis);
        u->d = 1;
    }
    return SPD_OK;
}

static spd_status find_basis(spd_context *ctx, const search *of, unfolding *u, arena *keep)
{
    arena room = {0};
    size_t fit = BASIS_MOST / u->length, full = u->W ? u->n * u->n : u->length;
    basis_job j = {.u = u, .count = of->p < BASIS_SAMPLES ? of->p : BASIS_SAMPLES};
    j.count = j.count < fit ? j.count : fit < 2 ? 2 : fit;
    j.most = j.count <= 2 ? 1 : j.count - 1 < SKETCH_MOST ? j.count - 1 : SKETCH_MOST;
    u->basis = arena_alloc(keep, j.most, u->length * sizeof *u->basis);
    j.Z = arena_alloc(&room, j.count, full * sizeof *j.Z);
    j.G = arena_alloc(&room, j.count, j.count * sizeof *j.G);
    j.U = arena_alloc(&room, j.most, j.count * sizeof *j.U);
    j.lambda = arena_alloc(&room, j.count, sizeof *j.lambda);
    j.row = arena_alloc(&room, u->length, sizeof *j.row);
    j.work = arena_alloc(&room, dense_eigh_some_work(j.count), sizeof *j.work);
    spd_status status =
        u->basis ? arena_status(&room, ctx, "neighbours") : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        status = unfold_spread(ctx, of, u, j.count, j.Z);
    if (status == SPD_OK) {
        tall_centre(j.count, u->length, j.Z, j.row);
        status = parallel_for(ctx, 1, basis_chunk, &j, NULL, NULL, 0.0, NULL);
        if (status == SPD_ENUMERIC)
            ctx_fail(ctx, status, "the principal components of the matrices were not found");
    }
    arena_free(&room);
    return status;
}

/* ---- short vectors --------------------------------------------------------------------------- */

typedef struct shorten_job {
    const unfolding *u;
    const double *Z; /* count x length */
    size_t count, d; /* d: of a sketch, padded */
    float *V;        /* count x d */
    float *work;     /* threads x EACH x length */
} shorten_job;

static spd_status shorten_chunk(void *user, size_t chunk, int thread)
{
    shorten_job *j = user;
    const unfolding *u = j->u;
    size_t first = chunk * EACH, count = j->count - first < EACH ? j->count - first : EACH;
    const double *Z = j->Z + first * u->length;
    float *V = j->V + first * j->d, *z = j->work + (size_t)thread * EACH * u->length;
    memset(V, 0, count * j->d * sizeof *V);
    for (size_t e = 0; e < count * u->length; e++)
        z[e] = (float)(Z[e] * u->scale);
    if (u->basis)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)u->d, (int)u->length,
                    1.0F, z, (int)u->length, u->basis, (int)u->length, 0.0F, V, (int)j->d);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(V + i * j->d, z + i * u->length, u->length * sizeof *V);
    return SPD_OK;
}

/* V <- the sketches of all samples, a part at a time. */
static spd_status shorten(spd_context *ctx, const search *s, const unfolding *u, sketches *v)
{
    arena room = {0};
    size_t n2 = s->n * s->n, p = s->p, most = PART / (n2 + 1), part = most > EACH ? most : EACH;
    shorten_job j = {.u = u, .d = v->d};
    part = part < p ? part : p;
    double *Z = arena_alloc(&room, u->W ? part : 1, n2 * sizeof *Z);
    j.work = arena_alloc(&room, (size_t)parallel_threads(ctx), EACH * u->length * sizeof *j.work);
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t first = 0; first < p && status == SPD_OK; first += part) {
        j.count = p - first < part ? p - first : part;
        j.Z = u->W ? Z : s->F + first * u->length;
        j.V = v->V + first * j.d;
        if (u->W)
            status = logarithms(ctx, u, j.count, s->X + first * n2, Z);
        if (status == SPD_OK)
            status = parallel_for(ctx, (j.count + EACH - 1) / EACH, shorten_chunk, &j, NULL, NULL,
                                  0.0, NULL);
    }
    arena_free(&room);
    return status;
}

/* Numbers are seen as if the largest of the samples were about 1. */
static double scale_of(const search *s)
{
    int exponent;
    double most = 0.0;
    for (size_t e = 0; e < s->p * s->size; e++)
        most = fmax(most, fabs(s->F[e]));
    frexp(most, &exponent);
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

spd_status sketches_make(spd_context *ctx, const search *s, arena *keep, sketches *v)
{
    arena room = {0};
    int flat = s->metric->flat;
    unfolding u = {.n = s->n, .scale = flat ? scale_of(s) : 1.0};
    spd_status status = flat ? SPD_OK : see_from_mean(ctx, s, &u, &room);
    u.d = u.length = flat ? s->size : s->n * (s->n + 1) / 2;
    if (status == SPD_OK && u.length > SKETCH_MOST)
        status = find_basis(ctx, s, &u, &room);
    if (status == SPD_OK) {
        *v = (sketches){.d = (u.d + 7) / 8 * 8};
        v->V = arena_alloc(keep, s->p, v->d * sizeof *v->V);
        status = v->V ? shorten(ctx, s, &u, v) : ctx_nomem(ctx, "neighbours");
    }
    arena_free(&room);
    return status;
}

double sketch_dist2(size_t d, const float *a, const float *b, double limit)
{
    double total = 0.0;
    for (size_t first = 0; first < d && total <= limit; first += 32) {
        float sum[8] = {0.0F};
        size_t last = d - first < 32 ? d : first + 32;
        for (size_t e = first; e < last; e += 8)
            for (size_t l = 0; l < 8; l++) {
                float gap = a[e + l] - b[e + l];
                sum[l] += gap * gap;
            }
        total += (double)((sum[0] + sum[4]) + (sum[1] + sum[5]) +
                          ((sum[2] + sum[6]) + (sum[3] + sum[7])));
    }
    return total;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

#define DEPTH 64

spd_status leaves_new(spd_context *ctx, size_t count, size_t groups, size_t most, arena *keep,
                      leaves *l)
{
    /* A part that is cut has more than `most` vectors, so its halves have at least most / 2. */
    size_t room = groups + count / ((most + 1) / 2) + 1;
    l->count = 0;
    l->order = arena_alloc(keep, count, sizeof *l->order);
    l->first = arena_zero(keep, room + 1, sizeof *l->first);
    return l->order && l->first ? SPD_OK : ctx_nomem(ctx, "neighbours");
}

static double along(size_t d, const float *a, const float *b, const float *x)
{
    float sum[8] = {0.0F};
    for (size_t e = 0; e < d; e += 8)
        for (size_t l = 0; l < 8; l++)
            sum[l] += (a[e + l] - b[e + l]) * x[e + l];
    double total = 0.0;
    for (size_t l = 0; l < 8; l++)
        total += (double)sum[l];
    return total;
}

void leaves_cut(leaves *l, const sketches *s, size_t from, size_t count, size_t most, rng *r,
                double *work)
{
    struct {
        size_t from, count;
    } todo[DEPTH] = {{from, count}};
    size_t left = 1;
    while (left > 0) {
        size_t at = todo[--left].from, part = todo[left].count;
        size_t *order = l->order + at;
        if (part <= most || left + 2 > DEPTH) {
            l->first[l->count++] = at;
            l->first[l->count] = at + part;
            continue;
        }
        const float *a = s->V + order[rng_below(r, part)] * s->d;
        const float *b = s->V + order[rng_below(r, part)] * s->d;
        for (size_t i = 0; i < part; i++)
            work[order[i]] = along(s->d, a, b, s->V + order[i] * s->d);
        select_smallest(order, part, part / 2, work);
        todo[left].from = at + part / 2;
        todo[left++].count = part - part / 2;
        todo[left].from = at;
        todo[left++].count = part / 2;
    }
}
