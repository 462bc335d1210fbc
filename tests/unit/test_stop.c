/* test_stop.c - work that is no longer wanted ends soon: how often it asks, and how much it does
 * after the answer. No clock: the questions themselves are counted. */
#include "random_spd.h"
#include "test.h"

#include "base/context.h"
#include "base/stop.h"
#include "run/parallel.h"
#include "linalg/kernels.h"

#define LARGE (STOP_FROM + 3)
#define FEW   40 /* questions that may follow the answer: one for each loop that is left */

/* Says stop from question `at` on. */
typedef struct patience {
    size_t asked, at;
} patience;

static int impatient(void *user)
{
    patience *p = user;
    return ++p->asked >= p->at;
}

static stop_source source_of(patience *p)
{
    return (stop_source){impatient, p};
}

/* A chunk that would never end. */
static spd_status endless(void *user, size_t chunk, int thread)
{
    (void)chunk;
    (void)thread;
    while (!stop_wanted())
        ++*(size_t *)user;
    return SPD_OK;
}

TEST(callback_ends_a_chunk)
{
    spd_context *ctx = context_on(1);
    size_t turns = 0;
    int calls = 0;
    spd_context_set_progress(ctx, stop_now, &calls);
    CHECK(parallel_for(ctx, 1, endless, &turns, "waiting", "turns", 1.0, NULL) == SPD_ECANCELLED,
          " ");
    CHECK(calls == 1, "%d calls", calls);
    CHECK(strcmp(said(ctx), "waiting cancelled") == 0, " ");
    /* without a name it repeats what was told before */
    CHECK(parallel_for(ctx, 1, endless, &turns, NULL, NULL, 0.0, NULL) == SPD_ECANCELLED, " ");
    CHECK(calls == 2, "%d calls", calls);
}

/* A loop within a loop hears the outer one's answer; afterwards the outer one is asked again. */
TEST(outer_answer)
{
    patience p = {.at = 1000};
    size_t turns = 0;
    stop_source before = stop_swap(source_of(&p));
    CHECK(parallel_for(NULL, 1, endless, &turns, NULL, NULL, 0.0, NULL) == SPD_ECANCELLED, " ");
    CHECK(turns == 999 && p.asked <= 1001, "%zu turns, asked %zu times", turns, p.asked);
    CHECK(stop_swap(before).user == &p, "another source is left behind");
    CHECK(!stop_wanted(), "nobody to ask");
}

typedef struct room {
    double *X, *A, *L, *Z, *lambda, *full, *work;
} room;

static room room_new(rng *r, const kernels *k)
{
    size_t n = LARGE, tri = TRI(n) * LANES, square = n * n * LANES;
    double *set = random_set(r, n, LANES, 100.0);
    const double *each[LANES];
    room o;
    for (size_t l = 0; l < LANES; l++)
        each[l] = set + l * n * n;
    size_t total = 3 * tri + 2 * square + n * LANES + kernels_eigh_work(n);
    o.X = take_aligned(total, sizeof *o.X);
    o.A = o.X + tri;
    o.L = o.A + tri;
    o.Z = o.L + tri;
    o.full = o.Z + square;
    o.lambda = o.full + square;
    o.work = o.lambda + n * LANES;
    k->pack(n, LANES, each, o.X);
    return o;
}

enum { CHOL, INVERSE, GRAM, SOLVE, TIMES, BACK, REDUCE, EXPAND, EIGVALS, EIGH, REBUILD, KERNELS };

static void run_kernel(const kernels *k, int which, const room *o)
{
    size_t n = LARGE;
    unsigned bad;
    memcpy(o->A, o->X, TRI(n) * LANES * sizeof *o->A);
    switch (which) {
    case CHOL:
        memcpy(o->L, o->X, TRI(n) * LANES * sizeof *o->L);
        k->chol(n, o->L, NULL);
        break;
    case INVERSE:
        k->tri_inverse(n, o->L, o->A);
        break;
    case GRAM:
        k->tri_gram(n, o->L, o->A);
        break;
    case SOLVE:
        k->solve(n, n, o->L, o->Z);
        break;
    case TIMES:
        k->lower_times(n, n, o->L, o->Z);
        break;
    case BACK:
        k->solve_trans(n, n, o->L, o->Z);
        break;
    case REDUCE:
        k->reduce(n, o->L, o->X, o->A, o->full);
        break;
    case EXPAND:
        k->expand(n, o->L, o->X, o->A, o->full);
        break;
    case EIGVALS:
        k->eigvals(n, 1, o->A, o->lambda, &bad, o->work);
        break;
    case EIGH:
        k->eigh(n, 1, o->A, o->lambda, o->Z, &bad, o->work);
        break;
    default:
        k->rebuild(n, o->Z, o->lambda, o->A, o->full);
    }
}

static size_t questions(const kernels *k, int which, const room *o, size_t at)
{
    patience p = {.at = at};
    stop_source before = stop_swap(source_of(&p));
    run_kernel(k, which, o);
    stop_swap(before);
    return p.asked;
}

TEST(kernels_ask)
{
    rng r = seeded(1);
    const kernels *k = kernels_get();
    room o = room_new(&r, k);
    for (int which = 0; which < KERNELS; which++) {
        size_t all = questions(k, which, &o, SIZE_MAX), half = all / 2;
        CHECK(all >= LARGE / 8, "kernel %d asks %zu times", which, all);
        size_t then = questions(k, which, &o, half);
        CHECK(then >= half && then <= half + FEW, "kernel %d: %zu", which, then);
        run_kernel(k, which, &o); /* whole again for the next */
    }
}

typedef spd_status (*public_call)(spd_context *ctx, size_t n, size_t p, const double *X,
                                  double *out);

static spd_status call_pairwise(spd_context *ctx, size_t n, size_t p, const double *X, double *out)
{
    return spd_pairwise2(ctx, SPD_METRIC_AIRM, SPD_SET(n, p, X), NULL, out);
}

static spd_status call_mean(spd_context *ctx, size_t n, size_t p, const double *X, double *out)
{
    return spd_mean(ctx, SPD_METRIC_LOG_EUCLIDEAN, SPD_SET(n, p, X), NULL, out, NULL);
}

static spd_status call_log(spd_context *ctx, size_t n, size_t p, const double *X, double *out)
{
    return spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(n, p, X), out);
}

static spd_status call_covariance(spd_context *ctx, size_t n, size_t p, const double *X,
                                  double *out)
{
    return spd_covariance(ctx, p * n, n, X, NULL, out);
}

static void calls_end(size_t n, size_t p, size_t least)
{
    const public_call calls[] = {call_pairwise, call_mean, call_log, call_covariance};
    rng r = seeded(2);
    double *X = random_set(&r, n, p, 100.0), *out = block(p * n * n + p * p);
    spd_context *ctx = context_on(1);
    for (size_t c = 0; c < 4; c++) {
        patience all = {.at = SIZE_MAX}, half = {0};
        stop_source before = stop_swap(source_of(&all));
        CHECK(calls[c](ctx, n, p, X, out) == SPD_OK, "call %zu", c);
        CHECK(all.asked >= least, "call %zu, n %zu: %zu questions", c, n, all.asked);
        half.at = all.asked / 2 + 1;
        stop_swap(source_of(&half));
        CHECK(calls[c](ctx, n, p, X, out) == SPD_ECANCELLED, "call %zu goes on", c);
        CHECK(half.asked <= half.at + FEW, "call %zu: %zu questions after the answer", c,
              half.asked - half.at);
        stop_swap(before);
    }
}

TEST(small_matrices)
{
    calls_end(6, 300, 5);
}

TEST(large_matrices)
{
    calls_end(LARGE, 9, 2);
}

/* A fit that is stopped within an iteration leaves the map of the one before. */
TEST(fit_keeps_its_map)
{
    enum { N = 8, P = 40, M = 3 };
    rng r = seeded(3);
    double *X = random_set(&r, N, P, 20.0), *WW = block(M * M);
    int label[P], maps = 0, none = 0;
    spd_fit_options o = fit_defaults();
    o.m = M;
    for (int i = 0; i < P; i++)
        label[i] = i % 2;
    spd_context *ctx = context_on(1);
    for (size_t at = 1; at < 3000; at += at / 2 + 1) {
        spd_model *model = NULL;
        patience p = {.at = at};
        stop_source before = stop_swap(source_of(&p));
        spd_status status = spd_fit(ctx, SPD_SET(N, P, X), label, &o, NULL, &model);
        stop_swap(before);
        if (p.asked < at) { /* it had ended before */
            spd_model_free(model);
            break;
        }
        CHECK(status == SPD_ECANCELLED, "question %zu: %d", at, status);
        CHECK(p.asked <= at + FEW, "%zu questions after %zu", p.asked, at);
        none += !model;
        maps += model && model->iterations > 0;
        if (model) {
            CHECK(model->stop == SPD_STOP_CANCELLED, " ");
            memset(WW, 0, M * M * sizeof *WW);
            for (size_t a = 0; a < M; a++)
                for (size_t b = 0; b < M; b++)
                    for (size_t k = 0; k < N; k++)
                        WW[a * M + b] += model->W[k * M + a] * model->W[k * M + b];
            for (size_t e = 0; e < M * M; e++)
                CHECK_CLOSE(WW[e], e % (M + 1) == 0, 1e-12, "question %zu", at);
        }
        spd_model_free(model);
    }
    CHECK(none > 0 && maps > 0, "%d without a map, %d with one", none, maps);
}
