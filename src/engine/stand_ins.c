/* stand_ins.c - principal components of logarithms; see stand_ins.h. */
#include "engine/stand_ins.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "engine/parallel.h"
#include "linalg/dense.h"

#define BASIS_SAMPLES 256               /* the components are those of so many, evenly spread */
#define MEAN_SAMPLES  64                /* and the mean that of so many */
#define PART          ((size_t)1 << 22) /* doubles that are unfolded at a time */
#define EACH          64                /* samples of a chunk */
#define NEGLIGIBLE    1e-14             /* variance, of the largest */

/* How samples become long vectors (`length` doubles), and these short ones. */
typedef struct unfolding {
    const metric *m;
    size_t n, p, length, d;
    const double *X, *F;
    double *W;     /* n x n: seen from the mean, X is W'XW; NULL: F is taken as it is */
    double *basis; /* d x length; NULL: as they are */
} unfolding;

/* ---- long vectors ----------------------------------------------------------------------------
 */

/* Z (count x length) <- the logarithms of the count matrices X, seen from the mean. */
static spd_status logarithms(spd_context *ctx, const unfolding *u, size_t count, const double *X,
                             double *Z)
{
    spd_status status = spd_congruence(ctx, u->n, u->n, count, X, u->W, Z);
    return status < 0 ? status : spd_apply(ctx, SPD_LOG, 0.0, u->n, count, Z, Z);
}

/* Z (count x length) <- the vectors of samples evenly spread. */
static spd_status unfold_spread(spd_context *ctx, const unfolding *u, size_t count, double *Z)
{
    arena room = {0};
    size_t stride = u->W ? u->n * u->n : u->length;
    const double *from = u->W ? u->X : u->F;
    double *some = u->W ? arena_alloc(&room, count, stride * sizeof *some) : Z;
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        memcpy(some + i * stride, from + i * u->p / count * stride, stride * sizeof *Z);
    if (u->W && status == SPD_OK)
        status = logarithms(ctx, u, count, some, Z);
    arena_free(&room);
    return status;
}

/* u->W <- L'^-1, where L L' is a mean of the matrices. */
static spd_status see_from_mean(spd_context *ctx, unfolding *u, arena *keep)
{
    size_t n2 = u->n * u->n, count = u->p < MEAN_SAMPLES ? u->p : MEAN_SAMPLES;
    arena room = {0};
    double *some = arena_alloc(&room, count, n2 * sizeof *some);
    double *M = arena_alloc(&room, u->n, u->n * sizeof *M);
    u->W = arena_zero(keep, u->n, u->n * sizeof *u->W);
    spd_status status =
        u->W ? arena_status(&room, ctx, "neighbours") : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK) {
        for (size_t i = 0; i < count; i++)
            memcpy(some + i * n2, u->X + i * u->p / count * n2, n2 * sizeof *some);
        status = spd_mean(ctx, SPD_JEFFREY, u->n, count, some, NULL, M, NULL);
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

static void subtract_mean(size_t count, size_t length, double *Z, double *mean)
{
    memset(mean, 0, length * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < length; e++)
            mean[e] += Z[i * length + e] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < length; e++)
            Z[i * length + e] -= mean[e];
}

/* u->basis, u->d <- the leading directions of Z (count x length, without a mean), by way of the
 * matrix of inner products, of which there are fewer. U: d x count, G: count x count. */
static int leading(unfolding *u, size_t count, const double *Z, double *G, double *U,
                   double *lambda, double *work)
{
    size_t d = u->d;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)u->length,
                1.0, Z, (int)u->length, Z, (int)u->length, 0.0, G, (int)count);
    if (dense_eigh_some(count, count - d, d, G, lambda, U, work))
        return 1;
    for (size_t k = 0; k < d; k++) {
        double scale = lambda[k] > NEGLIGIBLE * lambda[d - 1] ? 1.0 / sqrt(lambda[k]) : 0.0;
        for (size_t i = 0; i < count; i++)
            U[k * count + i] *= scale;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)d, (int)u->length, (int)count, 1.0,
                U, (int)count, Z, (int)u->length, 0.0, u->basis, (int)u->length);
    return 0;
}

typedef struct basis_job {
    unfolding *u;
    size_t count;
    double *Z, *G, *U, *lambda, *work;
    int failed;
} basis_job;

/* In a loop of one chunk, where BLAS has one thread: the same bits for any number of them. */
static spd_status basis_chunk(void *user, size_t chunk, int thread)
{
    basis_job *j = user;
    (void)chunk;
    (void)thread;
    return leading(j->u, j->count, j->Z, j->G, j->U, j->lambda, j->work) ? SPD_ENUMERIC : SPD_OK;
}

static spd_status find_basis(spd_context *ctx, unfolding *u, arena *keep)
{
    arena room = {0};
    basis_job j = {.u = u, .count = u->p < BASIS_SAMPLES ? u->p : BASIS_SAMPLES};
    u->d = j.count - 1 < STAND_IN_MOST ? j.count - 1 : STAND_IN_MOST;
    u->basis = arena_alloc(keep, u->d, u->length * sizeof *u->basis);
    j.Z = arena_alloc(&room, j.count, u->length * sizeof *j.Z);
    j.G = arena_alloc(&room, j.count, j.count * sizeof *j.G);
    j.U = arena_alloc(&room, u->d, j.count * sizeof *j.U);
    j.lambda = arena_alloc(&room, j.count, sizeof *j.lambda);
    j.work = arena_alloc(&room, dense_eigh_some_work(j.count) + u->length, sizeof *j.work);
    spd_status status =
        u->basis ? arena_status(&room, ctx, "neighbours") : ctx_nomem(ctx, "neighbours");
    if (status == SPD_OK)
        status = unfold_spread(ctx, u, j.count, j.Z);
    if (status == SPD_OK) {
        subtract_mean(j.count, u->length, j.Z, j.work);
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
    size_t count, d; /* d: of a stand-in, padded */
    float *V;        /* count x d */
    double *work;    /* threads x EACH x u->d */
} shorten_job;

static spd_status shorten_chunk(void *user, size_t chunk, int thread)
{
    shorten_job *j = user;
    const unfolding *u = j->u;
    size_t first = chunk * EACH, count = j->count - first < EACH ? j->count - first : EACH;
    const double *Z = j->Z + first * u->length;
    double *S = j->work + (size_t)thread * EACH * u->d;
    if (u->basis) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)u->d, (int)u->length,
                    1.0, Z, (int)u->length, u->basis, (int)u->length, 0.0, S, (int)u->d);
        Z = S;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < j->d; e++)
            j->V[(first + i) * j->d + e] = e < u->d ? (float)Z[i * u->d + e] : 0.0F;
    return SPD_OK;
}

/* s->V <- all of them, a part at a time. */
static spd_status shorten_all(spd_context *ctx, const unfolding *u, const stand_ins *s)
{
    arena room = {0};
    size_t n2 = u->n * u->n, part = PART / u->length > EACH ? PART / u->length : EACH;
    shorten_job j = {.u = u, .d = s->d};
    double *Z = arena_alloc(&room, u->W ? part : 1, u->length * sizeof *Z);
    j.work = arena_alloc(&room, (size_t)parallel_threads(ctx), EACH * u->d * sizeof *j.work);
    spd_status status = arena_status(&room, ctx, "neighbours");
    for (size_t first = 0; first < u->p && status == SPD_OK; first += part) {
        j.count = u->p - first < part ? u->p - first : part;
        j.Z = u->W ? Z : u->F + first * u->length;
        j.V = s->V + first * s->d;
        if (u->W)
            status = logarithms(ctx, u, j.count, u->X + first * n2, Z);
        if (status == SPD_OK)
            status = parallel_for(ctx, (j.count + EACH - 1) / EACH, shorten_chunk, &j, NULL, NULL,
                                  0.0, NULL);
    }
    arena_free(&room);
    return status;
}

spd_status stand_ins_make(spd_context *ctx, const metric *m, size_t n, size_t p, const double *X,
                          const double *F, arena *keep, stand_ins *s)
{
    arena room = {0};
    unfolding u = {.m = m, .n = n, .p = p, .X = X, .F = F};
    spd_status status = m->flat ? SPD_OK : see_from_mean(ctx, &u, &room);
    u.d = u.length = m->flat ? m->size(n) : n * n;
    if (status == SPD_OK && u.length > STAND_IN_MOST)
        status = find_basis(ctx, &u, &room);
    if (status == SPD_OK) {
        s->d = (u.d + 7) / 8 * 8;
        s->V = arena_alloc(keep, p, s->d * sizeof *s->V);
        status = s->V ? shorten_all(ctx, &u, s) : ctx_nomem(ctx, "neighbours");
    }
    arena_free(&room);
    return status;
}

double stand_ins_dist2(size_t d, const float *a, const float *b)
{
    float sum[8] = {0.0F};
    for (size_t e = 0; e < d; e += 8)
        for (size_t l = 0; l < 8; l++) {
            float gap = a[e + l] - b[e + l];
            sum[l] += gap * gap;
        }
    return (double)((sum[0] + sum[4]) + (sum[1] + sum[5]) +
                    ((sum[2] + sum[6]) + (sum[3] + sum[7])));
}
