/* coding.c - sparse coding of all queries, a batch at a time, and their class residuals. */
#include "classify/coding.h"

#include <math.h>
#include <string.h>

#include "run/parallel.h"

/* What a thread works with. */
typedef struct room {
    lasso *solver;
    double *k;     /* LASSO_BATCH x p */
    double *y2;    /* LASSO_BATCH */
    double *v;     /* p: one code, unpacked */
    double *image; /* p: K_B v_B for the atoms of the classes */
    size_t *used;  /* p: atoms of one class that are used */
    double *work;
    size_t unfinished; /* codes that did not reach their gap */
} room;

typedef struct job {
    const coding *c;
    size_t q;
    room *rooms; /* one for each thread */
    int *label;
} job;

static void room_make(const coding *c, arena *keep, room *r)
{
    size_t p = c->dictionary->p;
    *r = (room){.solver = lasso_new(p),
                .k = arena_alloc(keep, LASSO_BATCH * sizeof *r->k, p),
                .y2 = arena_alloc(keep, LASSO_BATCH, sizeof *r->y2),
                .v = arena_zero(keep, p, sizeof *r->v),
                .image = arena_zero(keep, p, sizeof *r->image),
                .used = arena_alloc(keep, p, sizeof *r->used),
                .work = arena_alloc(keep, c->work, sizeof *r->work)};
}

/* ---- residuals ---------------------------------------------------------------------------- */

/* v_c' (K_cc v_c - 2 k_c + 2 image_c) over the atoms of class c. */
static double residual(const coding *d, size_t c, const double *k, room *r)
{
    const classes *m = d->of;
    size_t p = d->dictionary->p, count = 0;
    for (size_t e = m->first[c]; e < m->first[c + 1]; e++)
        if (r->v[m->order[e]] != 0.0)
            r->used[count++] = m->order[e];
    double sum = 0.0;
    for (size_t a = 0; a < count; a++) {
        size_t i = r->used[a];
        const double *row = d->dictionary->K + i * p;
        double inner = 2.0 * (r->image[i] - k[i]);
        for (size_t b = 0; b < count; b++)
            inner += row[r->used[b]] * r->v[r->used[b]];
        sum += r->v[i] * inner;
    }
    return sum;
}

/* image <- K_B v_B for the used atoms of the classes; they are the first `own` atoms. */
static void fill_image(const lasso_dictionary *d, size_t own, const lasso_code *code, double *image)
{
    for (size_t a = 0; a < code->count && code->atom[a] < own; a++) {
        double sum = 0.0;
        for (size_t b = code->count; b-- > 0 && code->atom[b] >= own;)
            sum += d->K[code->atom[a] * d->p + code->atom[b]] * code->value[b];
        image[code->atom[a]] = sum;
    }
}

/* score: of all classes, or NULL. */
static int smallest_residual(const coding *d, const double *k, const lasso_code *code, room *r,
                             double *score)
{
    double best = INFINITY;
    size_t winner = 0;
    for (size_t a = 0; a < code->count; a++)
        r->v[code->atom[a]] = code->value[a];
    fill_image(d->dictionary, d->of->labelled, code, r->image);
    for (size_t c = 0; c < d->of->count; c++) {
        double left = residual(d, c, k, r);
        if (score)
            score[class_label(d->of, c)] = left;
        if (left < best) {
            best = left;
            winner = c;
        }
    }
    for (size_t a = 0; a < code->count; a++)
        r->v[code->atom[a]] = 0.0;
    return class_label(d->of, winner);
}

/* ---- the loop ----------------------------------------------------------------------------- */

static spd_status decide_batch(void *user, size_t chunk, int thread)
{
    const job *j = user;
    const coding *c = j->c;
    room *r = j->rooms + thread;
    size_t first = chunk * LASSO_BATCH, p = c->dictionary->p;
    size_t count = j->q - first < LASSO_BATCH ? j->q - first : LASSO_BATCH;
    c->fill(c->user, first, count, r->k, r->y2, r->work);
    lasso_begin(r->solver, c->dictionary, c->lambda, count, r->k);
    for (size_t i = 0; i < count; i++) {
        lasso_code code;
        spd_status status = lasso_solve(r->solver, i, r->y2[i], &code);
        if (status < 0)
            return status;
        r->unfinished += !code.converged;
        double *score = c->score ? c->score + (first + i) * c->classes : NULL;
        j->label[first + i] = smallest_residual(c, r->k + i * p, &code, r, score);
    }
    return SPD_OK;
}

spd_status coding_decide(spd_context *ctx, const coding *c, size_t q, int *label)
{
    size_t threads = (size_t)parallel_threads(ctx), unfinished = 0;
    if (!(c->lambda > 0.0 && isfinite(c->lambda)))
        return ctx_fail(ctx, SPD_EINVAL, "lambda is %g: give a number above zero", c->lambda);
    arena own = {0};
    job j = {.c = c, .q = q};
    j.rooms = arena_zero(&own, threads, sizeof *j.rooms);
    j.label = arena_alloc(&own, q, sizeof *j.label);
    int ready = j.rooms != NULL;
    for (size_t t = 0; t < threads && ready; t++) {
        room_make(c, &own, j.rooms + t);
        ready = j.rooms[t].solver && !own.failed;
    }
    spd_status status = SPD_ENOMEM;
    if (ready)
        status = parallel_for(ctx, (q + LASSO_BATCH - 1) / LASSO_BATCH, decide_batch, &j, "coding",
                              "queries", (double)q, NULL);
    if (status == SPD_ENOMEM)
        ctx_nomem(ctx, "sparse coding");
    if (status == SPD_OK)
        memcpy(label, j.label, q * sizeof *label);
    for (size_t t = 0; t < threads && j.rooms; t++) {
        unfinished += j.rooms[t].unfinished;
        lasso_free(j.rooms[t].solver);
    }
    arena_free(&own);
    if (status == SPD_OK && unfinished)
        status = ctx_fail(ctx, SPD_NOT_CONVERGED,
                          "%zu of %zu sparse codes did not reach a duality gap of %g; try a larger "
                          "lambda",
                          unfinished, q, LASSO_TOLERANCE);
    return status;
}
