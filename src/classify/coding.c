/* coding.c - sparse coding of all queries, a batch at a time, and their class residuals. */
#include "classify/coding.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/parallel.h"

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

static int room_make(const coding *c, room *r)
{
    size_t p = c->dictionary->p;
    r->solver = lasso_new(p);
    r->k = mem_alloc(LASSO_BATCH * sizeof *r->k, p);
    r->y2 = mem_alloc(LASSO_BATCH, sizeof *r->y2);
    r->v = mem_zero(p, sizeof *r->v);
    r->image = mem_zero(p, sizeof *r->image);
    r->used = mem_alloc(p, sizeof *r->used);
    r->work = mem_alloc(c->work, sizeof *r->work);
    return r->solver && r->k && r->y2 && r->v && r->image && r->used && r->work;
}

static void room_free(room *r)
{
    lasso_free(r->solver);
    mem_free(r->k);
    mem_free(r->y2);
    mem_free(r->v);
    mem_free(r->image);
    mem_free(r->used);
    mem_free(r->work);
}

/* ---- residuals ---------------------------------------------------------------------------- */

/* v_c' (K_cc v_c - 2 k_c + 2 image_c) over the members of class c. */
static double residual(const coding *d, size_t c, const double *k, room *r)
{
    const members *m = d->members;
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

static int smallest_residual(const coding *d, const double *k, const lasso_code *code, room *r)
{
    const members *m = d->members;
    double best = INFINITY;
    int label = -1;
    for (size_t a = 0; a < code->count; a++)
        r->v[code->atom[a]] = code->value[a];
    fill_image(d->dictionary, m->first[m->classes], code, r->image);
    for (size_t c = 0; c < m->classes; c++) {
        if (members_count(m, c) == 0)
            continue;
        double left = residual(d, c, k, r);
        if (left < best || label < 0) {
            best = left;
            label = (int)c;
        }
    }
    for (size_t a = 0; a < code->count; a++)
        r->v[code->atom[a]] = 0.0;
    return label;
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
        j->label[first + i] = smallest_residual(c, r->k + i * p, &code, r);
    }
    return SPD_OK;
}

static spd_status run(spd_context *ctx, job *j)
{
    size_t chunks = (j->q + LASSO_BATCH - 1) / LASSO_BATCH;
    spd_status status =
        parallel_for(ctx, chunks, decide_batch, j, "coding", "queries", (double)j->q, NULL);
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "sparse coding") : status;
}

static spd_status check(spd_context *ctx, const coding *c)
{
    if (c->lambda > 0.0 && isfinite(c->lambda))
        return SPD_OK;
    return ctx_fail(ctx, SPD_EINVAL, "lambda is %g: give a number above zero", c->lambda);
}

spd_status coding_decide(spd_context *ctx, const coding *c, size_t q, int *label)
{
    size_t threads = (size_t)parallel_threads(ctx), unfinished = 0;
    spd_status status = check(ctx, c);
    if (status < 0 || q == 0)
        return status;
    job j = {.c = c, .q = q};
    j.rooms = mem_zero(threads, sizeof *j.rooms);
    j.label = mem_alloc(q, sizeof *j.label);
    if (!j.rooms || !j.label)
        status = ctx_nomem(ctx, "sparse coding");
    for (size_t t = 0; t < threads && status == SPD_OK; t++)
        if (!room_make(c, j.rooms + t))
            status = ctx_nomem(ctx, "sparse coding");
    if (status == SPD_OK)
        status = run(ctx, &j);
    if (status == SPD_OK)
        memcpy(label, j.label, q * sizeof *label);
    for (size_t t = 0; t < threads && j.rooms; t++) {
        unfinished += j.rooms[t].unfinished;
        room_free(j.rooms + t);
    }
    mem_free(j.rooms);
    mem_free(j.label);
    if (status == SPD_OK && unfinished)
        status = ctx_fail(ctx, SPD_NOT_CONVERGED,
                          "%zu of %zu sparse codes did not reach a duality gap of %g; try a larger "
                          "lambda",
                          unfinished, q, LASSO_TOLERANCE);
    return status;
}
