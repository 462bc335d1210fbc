/* cpu.c - the engine on one machine's cores.
 *
 * Per sample it keeps (math.md, eq. 8)
 *
 *   Y = X W, P = X U                      n x m each, the only things that know n
 *   Q = [Qaa | Qab | Qab' | Qbb]          four lower triangles: W'XW, W'XU, its transpose, U'XU
 *   S, Z                                  at the point probed last
 *
 * A probe blends the four parts of Q entry by entry:
 *   S(t)_rc = C_r C_c Qaa + C_r S_c Qab + S_r C_c Qab' + S_r S_c Qbb,  C = cos, S = sin(sigma t).
 * Y has no part in that: aim and step say what is to become of it, Y <- Y V C + P S, and the walk
 * that sums the gradient does it on its way, so that Y and P are read once per iteration. Y's new
 * value takes P's place, and the two arrays change roles. Where memory is short
 * (engine_choose_room), Y and P are not kept: the gradient is another pass, which makes Y = X W on
 * its way.
 * Work is cut into chunks of samples that depend neither on the number of threads nor on that of
 * ranks, and partial sums are added along a fixed tree (split.h, ranks.h). A rank keeps all this of
 * its own samples alone; arrays are counted from its first sample and its first chunk. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/stop.h"
#include "fit/engine.h"
#include "fit/pair_sums.h"
#include "run/parallel.h"
#include "run/split.h"

#define PARTS 4 /* of Q */

typedef struct cpu_engine {
    problem base;
    arena room; /* where the engine lies, and all its arrays */
    spd_context *ctx;
    const kernels *k;
    engine_input in;
    spd_set lent;       /* around in.X */
    const spd_set *set; /* the p samples */
    int small;
    set_walk *walks; /* one for each thread */
    split cut;       /* of the samples, the extra one included */
    size_t own;      /* samples of this rank */
    size_t ld, tri;  /* PASS_LD(m); TRI(m) */
    pair_sums *sums;
    double *W, *U, *V;        /* n x ld, n x ld, m x ld, padded with zeros */
    double *sigma;            /* m */
    double *Y, *P;            /* own x n x ld; NULL where they are not kept */
    double *rotation, *shift; /* m x ld, ld: what Y is owed, Y <- Y rotation + P diag(shift) */
    double *ones;             /* ld */
    double *Q;                /* own x PARTS x tri */
    double *S, *Z;            /* pair_sums_room x tri, own x tri */
    double *partial;          /* own chunks x n x ld, and one more */
    double *collected;        /* own chunks x PARTS x tri, and one more */
    double *work;             /* threads x cpu_work */
    double *coefficient;      /* PARTS x tri */
    double *cosine, *sine;    /* ld */
    double t, f;              /* the last probe; t is NaN before one */
    int owed;                 /* Y's rotation has not been made yet */
    int adrift;               /* S and Z belong to a probe that was not followed by its step */
} cpu_engine;

/* Full small matrices, three of m x ld, and Y or P of one sample, where they are not kept. */
static size_t cpu_work(const cpu_engine *e)
{
    return (3 * e->in.m + (e->small ? e->in.n : 0)) * e->ld;
}

static double *thread_work(const cpu_engine *e, int thread)
{
    return e->work + (size_t)thread * cpu_work(e);
}

static void chunk_range(const cpu_engine *e, size_t chunk, size_t *first, size_t *last)
{
    *first = chunk * e->cut.each;
    *last = *first + e->cut.each < e->own ? *first + e->cut.each : e->own;
}

static spd_status loop(cpu_engine *e, parallel_body body)
{
    spd_status status = parallel_for(e->ctx, e->cut.owned, body, e, NULL, NULL, 0.0, NULL);
    return set_fail(e->ctx, e->set, status);
}

/* What a data pass does with sample i of this rank, which is X (n x n). next: where the one after it
 * lies; sum: the chunk's part of the gradient. */
typedef void (*pass_body)(cpu_engine *e, size_t i, const double *X, const double *next,
                          double *work, double *sum);

/* A data pass over the samples of a chunk, in order. SPD_EIO when they cannot be read. */
static spd_status pass_chunk(cpu_engine *e, size_t chunk, int thread, pass_body body)
{
    size_t first, last, n2 = e->in.n * e->in.n, begin = e->cut.first, count = 0;
    double *work = thread_work(e, thread), *sum = e->partial + chunk * e->in.n * e->ld;
    set_walk *walk = set_walk_at(e->walks, (size_t)thread);
    chunk_range(e, chunk, &first, &last);
    size_t stored = last < e->in.p - begin ? last : e->in.p - begin; /* but for the extra one */
    set_walk_begin(walk, begin + first, begin + stored, NULL);
    for (size_t i = first; i < stored; i += count) {
        const double *X = set_walk_next(walk, &count);
        if (!X)
            return SPD_EIO;
        const double *after = set_walk_ahead(walk), *final = X + (count - 1) * n2;
        for (const double *at = X; at < final && !stop_wanted(); at += n2)
            body(e, i + (size_t)(at - X) / n2, at, at + n2, work, sum);
        if (!stop_wanted())
            body(e, i + count - 1, final, after ? after : final, work, sum);
    }
    if (stored < last)
        body(e, stored, e->in.extra, e->in.extra, work, sum);
    return SPD_OK;
}

/* Where Y, or P, of sample i is made. */
static double *made_at(const cpu_engine *e, double *kept, size_t i, double *work)
{
    return e->small ? work + 3 * e->in.m * e->ld : kept + i * e->in.n * e->ld;
}

/* For bodies that touch `entries` numbers per sample, once: waking threads costs more than a
 * hundred thousand of them. */
static spd_status light_loop(cpu_engine *e, size_t entries, parallel_body body)
{
    if (e->own * entries > 100000)
        return loop(e, body);
    for (size_t chunk = 0; chunk < e->cut.owned; chunk++)
        body(e, chunk, 0);
    return SPD_OK;
}

/* padded (rows x ld) <- A (rows x m) and zeros. */
static void pad(const cpu_engine *e, size_t rows, const double *A, double *padded)
{
    size_t m = e->in.m;
    for (size_t r = 0; r < rows; r++) {
        memcpy(padded + r * e->ld, A + r * m, m * sizeof *A);
        memset(padded + r * e->ld + m, 0, (e->ld - m) * sizeof *A);
    }
}

/* T (tri) <- lower triangle of A (m x ld), or of its transpose. */
static void fold(const cpu_engine *e, const double *A, int transpose, double *T)
{
    for (size_t r = 0; r < e->in.m; r++)
        for (size_t c = 0; c <= r; c++)
            *T++ = transpose ? A[c * e->ld + r] : A[r * e->ld + c];
}

/* A (m x ld, padding zero) <- symmetric T (tri). */
static void unfold(const cpu_engine *e, const double *T, double *A)
{
    memset(A, 0, e->in.m * e->ld * sizeof *A);
    for (size_t r = 0; r < e->in.m; r++)
        for (size_t c = 0; c <= r; c++, T++)
            A[r * e->ld + c] = A[c * e->ld + r] = *T;
}

/* ---- start ---------------------------------------------------------------------------------- */

/* Y = X W, S = W'Y: a data pass. */
static void start_one(cpu_engine *e, size_t i, const double *X, const double *next, double *work,
                      double *sum)
{
    size_t n = e->in.n, m = e->in.m;
    double *A = work, *Y = made_at(e, e->Y, i, work);
    (void)sum;
    e->k->product(n, n, m, X, n, 1, e->W, Y, next);
    e->k->product(m, n, m, e->W, 1, e->ld, Y, A, e->W);
    fold(e, A, 0, e->S + i * e->tri);
}

static spd_status start_chunk(void *user, size_t chunk, int thread)
{
    return pass_chunk(user, chunk, thread, start_one);
}

static spd_status cpu_start(problem *base, const double *W)
{
    cpu_engine *e = (cpu_engine *)base;
    pad(e, e->in.n, W, e->W);
    e->t = NAN;
    e->adrift = e->owed = 0;
    spd_status status = loop(e, start_chunk);
    if (status == SPD_OK)
        status = pair_sums_value(e->sums, e->S, &e->f, e->Z);
    if (status != SPD_OK || isfinite(e->f))
        return status;
    return engine_no_cost(e->ctx);
}

/* ---- gradient ------------------------------------------------------------------------------- */

/* Y of sample i at the current point; where a rotation is owed, it is made in P's place. */
static const double *rotated(const cpu_engine *e, size_t i)
{
    size_t n = e->in.n, m = e->in.m;
    const double *Y = e->Y + i * n * e->ld;
    double *P = e->P + i * n * e->ld;
    if (!e->owed)
        return Y;
    e->k->product_onto(n, m, m, Y, e->ld, 1, e->rotation, e->shift, P);
    return P;
}

static void settle(cpu_engine *e)
{
    double *Y = e->Y;
    if (!e->owed)
        return;
    e->Y = e->P;
    e->P = Y;
    e->owed = 0;
}

/* partial <- sum of Y_i Z_i over the chunk. */
static spd_status gradient_chunk(void *user, size_t chunk, int thread)
{
    cpu_engine *e = user;
    size_t n = e->in.n, m = e->in.m, first, last;
    double *Z = thread_work(e, thread), *sum = e->partial + chunk * n * e->ld;
    chunk_range(e, chunk, &first, &last);
    memset(sum, 0, n * e->ld * sizeof *sum);
    for (size_t i = first; i < last; i++) {
        const double *Y = rotated(e, i);
        unfold(e, e->Z + i * e->tri, Z);
        e->k->product_onto(n, m, m, Y, e->ld, 1, Z, e->ones, sum);
    }
    return SPD_OK;
}

/* The same with Y made on the way: a data pass. */
static void gradient_one(cpu_engine *e, size_t i, const double *X, const double *next, double *work,
                         double *sum)
{
    size_t n = e->in.n, m = e->in.m;
    double *Z = work, *Y = made_at(e, e->Y, i, work);
    e->k->product(n, n, m, X, n, 1, e->W, Y, next);
    unfold(e, e->Z + i * e->tri, Z);
    e->k->product_onto(n, m, m, Y, e->ld, 1, Z, e->ones, sum);
}

static spd_status gradient_pass_chunk(void *user, size_t chunk, int thread)
{
    cpu_engine *e = user;
    size_t size = e->in.n * e->ld;
    memset(e->partial + chunk * size, 0, size * sizeof *e->partial);
    return pass_chunk(e, chunk, thread, gradient_one);
}

static spd_status cpu_cost_grad(problem *base, double *f, double *G)
{
    cpu_engine *e = (cpu_engine *)base;
    size_t m = e->in.m, size = e->in.n * e->ld;
    spd_status status = loop(e, e->small ? gradient_pass_chunk : gradient_chunk);
    if (status < 0)
        return status;
    settle(e);
    *f = e->f;
    double *sum = e->partial + e->cut.owned * size;
    ranks_sum(e->cut.ranks, e->cut.chunks, size, e->partial, sum);
    for (size_t r = 0; r < e->in.n; r++)
        memcpy(G + r * m, sum + r * e->ld, m * sizeof *G);
    return SPD_OK;
}

/* ---- aim ------------------------------------------------------------------------------------ */

/* Where no gradient was asked for: the rotation that Y is owed, and nothing else. */
static spd_status rotate_chunk(void *user, size_t chunk, int thread)
{
    cpu_engine *e = user;
    size_t first, last;
    (void)thread;
    chunk_range(e, chunk, &first, &last);
    for (size_t i = first; i < last; i++)
        rotated(e, i);
    return SPD_OK;
}

/* P = X U (the data pass), and the parts of Q in the basis of the geodesic. */
static void aim_one(cpu_engine *e, size_t i, const double *X, const double *next, double *work,
                    double *sum)
{
    size_t n = e->in.n, m = e->in.m, ld = e->ld;
    double *A = work, *B = A + m * ld, *D = B + m * ld;
    double *P = made_at(e, e->P, i, work), *Q = e->Q + i * PARTS * e->tri;
    (void)sum;
    unfold(e, e->adrift ? Q : e->S + i * e->tri, A); /* S at the point itself is the old Qaa */
    e->k->product(m, m, m, A, ld, 1, e->V, B, A);
    e->k->product(m, m, m, e->V, 1, ld, B, D, B);
    fold(e, D, 0, Q);
    e->k->product(n, n, m, X, n, 1, e->U, P, next);
    e->k->product(m, n, m, e->W, 1, ld, P, A, e->W);
    e->k->product_lower(n, m, e->U, 1, ld, P, B);
    fold(e, A, 0, Q + e->tri);
    fold(e, A, 1, Q + 2 * e->tri);
    fold(e, B, 0, Q + 3 * e->tri);
}

static spd_status aim_chunk(void *user, size_t chunk, int thread)
{
    return pass_chunk(user, chunk, thread, aim_one);
}

/* W <- W V; U; and what becomes of Y if no step follows. */
static void set_frame(cpu_engine *e, const double *U, const double *V)
{
    size_t n = e->in.n, m = e->in.m, ld = e->ld;
    double *W = e->partial; /* free at this time, and as large */
    pad(e, n, U, e->U);
    pad(e, m, V, e->V);
    e->k->product(n, m, m, e->W, ld, 1, e->V, W, e->W);
    memcpy(e->W, W, n * ld * sizeof *W);
    memcpy(e->rotation, e->V, m * ld * sizeof *V);
    memset(e->shift, 0, ld * sizeof *e->shift);
}

static spd_status cpu_aim(problem *base, const double *U, const double *sigma, const double *V)
{
    cpu_engine *e = (cpu_engine *)base;
    spd_status status = e->owed ? loop(e, rotate_chunk) : SPD_OK;
    if (status < 0)
        return status;
    settle(e);
    set_frame(e, U, V);
    memcpy(e->sigma, sigma, e->in.m * sizeof *sigma);
    e->t = NAN;
    status = loop(e, aim_chunk);
    e->adrift = 0;
    e->owed = !e->small;
    return status;
}

/* ---- probe ---------------------------------------------------------------------------------- */

static void set_angles(cpu_engine *e, double t)
{
    for (size_t c = 0; c < e->in.m; c++) {
        e->cosine[c] = cos(e->sigma[c] * t);
        e->sine[c] = sin(e->sigma[c] * t);
    }
}

/* out (PARTS x TRI(m)) <- the coefficients of the parts at the angles whose cosine and sine are given
 * (m each), or their derivatives by t. Products x_r y_c of one factor by row, one by column. With derivative the product rule:
 * (x y)' = x' y + x y'. */
static void blend_coefficients(size_t m, const double *sigma, const double *cosine,
                               const double *sine, int derivative, double *out)
{
    const double *s = sigma, *factor[2] = {cosine, sine};
    for (int part = 0; part < PARTS; part++) {
        int a = part >> 1, b = part & 1;
        const double *x = factor[a], *y = factor[b], *co_x = factor[!a], *co_y = factor[!b];
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r; c++) {
                double dx = s[r] * (a ? co_x[r] : -co_x[r]), dy = s[c] * (b ? co_y[c] : -co_y[c]);
                *out++ = derivative ? dx * y[c] + x[r] * dy : x[r] * y[c];
            }
    }
}

/* Half of the sum of products of coefficients c and what was collected for them, z; entries off the
 * diagonal stand for two. */
static double blend_slope(size_t m, const double *c, const double *z)
{
    double sum = 0.0;
    for (int part = 0; part < PARTS; part++)
        for (size_t r = 0; r < m; r++, c++, z++) {
            for (size_t col = 0; col < r; col++)
                sum += *c++ * *z++;
            sum += 0.5 * *c * *z;
        }
    return sum;
}

static void set_coefficients(cpu_engine *e, int derivative)
{
    blend_coefficients(e->in.m, e->sigma, e->cosine, e->sine, derivative, e->coefficient);
}

static spd_status blend_chunk(void *user, size_t chunk, int thread)
{
    cpu_engine *e = user;
    size_t first, last;
    (void)thread;
    chunk_range(e, chunk, &first, &last);
    for (size_t i = first; i < last; i++)
        e->k->blend(e->tri, e->coefficient, e->Q + i * PARTS * e->tri, e->S + i * e->tri);
    return SPD_OK;
}

static spd_status collect_chunk(void *user, size_t chunk, int thread)
{
    cpu_engine *e = user;
    size_t first, last;
    double *sum = e->collected + chunk * PARTS * e->tri;
    (void)thread;
    chunk_range(e, chunk, &first, &last);
    memset(sum, 0, PARTS * e->tri * sizeof *sum);
    for (size_t i = first; i < last; i++)
        e->k->collect(e->tri, e->Z + i * e->tri, e->Q + i * PARTS * e->tri, sum);
    return SPD_OK;
}

/* sum_i tr(Z_i dS_i)/2 from what the chunks collected; off-diagonal entries stand for two. */
static double slope(cpu_engine *e)
{
    size_t size = PARTS * e->tri;
    double *all = e->collected + e->cut.owned * size;
    set_coefficients(e, 1);
    ranks_sum(e->cut.ranks, e->cut.chunks, size, e->collected, all);
    return blend_slope(e->in.m, e->coefficient, all);
}

static spd_status cpu_probe(problem *base, double t, double *f, double *df)
{
    cpu_engine *e = (cpu_engine *)base;
    e->adrift = 1;
    set_angles(e, t);
    set_coefficients(e, 0);
    spd_status status = light_loop(e, PARTS * e->tri, blend_chunk);
    if (status == SPD_OK)
        status = pair_sums_value(e->sums, e->S, &e->f, e->Z);
    if (status == SPD_OK)
        status = light_loop(e, PARTS * e->tri, collect_chunk);
    if (status < 0)
        return status;
    e->t = t;
    *f = e->f;
    *df = isfinite(e->f) ? slope(e) : NAN;
    return SPD_OK;
}

/* ---- step ----------------------------------------------------------------------------------- */

/* The angles are those of the probe at t. */
static spd_status cpu_step(problem *base, double t)
{
    cpu_engine *e = (cpu_engine *)base;
    size_t ld = e->ld;
    double f, df;
    spd_status status = SPD_OK;
    if (!(e->t == t))
        status = cpu_probe(base, t, &f, &df);
    if (status < 0)
        return status;
    e->adrift = 0;
    memcpy(e->shift, e->sine, ld * sizeof *e->shift);
    for (size_t r = 0; r < e->in.m; r++)
        for (size_t c = 0; c < ld; c++)
            e->rotation[r * ld + c] = e->V[r * ld + c] * e->cosine[c];
    for (size_t r = 0; r < e->in.n; r++)
        for (size_t c = 0; c < ld; c++)
            e->W[r * ld + c] = e->W[r * ld + c] * e->cosine[c] + e->U[r * ld + c] * e->sine[c];
    return SPD_OK;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void cpu_free(problem *base)
{
    arena room = ((cpu_engine *)base)->room; /* the engine itself lies there */
    set_walks_end(((cpu_engine *)base)->walks);
    arena_free(&room);
}

static void cpu_allocate(cpu_engine *e, arena *keep)
{
    size_t n = e->in.n, m = e->in.m, ld = e->ld, size = sizeof(double);
    size_t threads = (size_t)parallel_threads(e->ctx);
    e->W = arena_alloc(keep, n * ld, size);
    e->U = arena_alloc(keep, n * ld, size);
    e->V = arena_alloc(keep, m * ld, size);
    e->rotation = arena_alloc(keep, m * ld, size);
    e->shift = arena_alloc(keep, ld, size);
    e->ones = arena_alloc(keep, ld, size);
    e->sigma = arena_alloc(keep, m, size);
    if (!e->small) {
        e->Y = arena_alloc(keep, e->own, n * ld * size);
        e->P = arena_alloc(keep, e->own, n * ld * size);
    }
    e->Q = arena_alloc(keep, e->own, PARTS * e->tri * size);
    e->S = arena_alloc(keep, pair_sums_room(e->sums), e->tri * size);
    e->Z = arena_alloc(keep, e->own, e->tri * size);
    e->partial = arena_alloc(keep, e->cut.owned + 1, n * ld * size);
    e->collected = arena_alloc(keep, e->cut.owned + 1, PARTS * e->tri * size);
    e->work = arena_alloc(keep, threads, cpu_work(e) * size);
    e->coefficient = arena_alloc(keep, PARTS * e->tri, size);
    e->cosine = arena_zero(keep, ld, size);
    e->sine = arena_zero(keep, ld, size);
}

/* The samples, and how much of them is kept. */
static spd_status cpu_set(cpu_engine *e)
{
    e->set = engine_set(&e->in, &e->lent);
    spd_status status = engine_choose_room(e->ctx, &e->in, e->set, &e->small);
    e->base.grad_pass = e->small;
    return status;
}

spd_status engine_cpu_new(spd_context *ctx, const engine_input *in, problem **out)
{
    arena room = {0};
    cpu_engine *e = arena_zero(&room, 1, sizeof *e);
    if (!e)
        return ctx_nomem(ctx, "the engine");
    e->base = (problem){.n = in->n,
                        .m = in->m,
                        .start = cpu_start,
                        .cost_grad = cpu_cost_grad,
                        .aim = cpu_aim,
                        .probe = cpu_probe,
                        .step = cpu_step,
                        .free = cpu_free};
    e->ctx = ctx;
    e->k = kernels_get();
    e->in = *in;
    e->cut = split_make(ctx, in->p + (in->extra ? 1 : 0));
    e->own = e->cut.last - e->cut.first;
    e->ld = PASS_LD(in->m);
    e->tri = TRI(in->m);
    spd_status status = cpu_set(e);
    if (status == SPD_OK)
        status = pair_sums_new(ctx, in->metric, in->objective, in->m, &e->cut, in->pairs, in->pair,
                               &room, &e->sums);
    if (status == SPD_OK) {
        cpu_allocate(e, &room);
        status = arena_status(&room, ctx, "the engine");
    }
    if (status == SPD_OK)
        status =
            set_walks_new(ctx, e->set, (size_t)parallel_threads(ctx), 1, ENGINE_PIECE, &e->walks);
    e->room = room;
    if (status < 0) {
        cpu_free(&e->base);
        return status;
    }
    for (size_t c = 0; c < e->ld; c++)
        e->ones[c] = 1.0;
    *out = &e->base;
    return SPD_OK;
}
