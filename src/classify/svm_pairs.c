/* svm_pairs.c - C-support vector classification by libsvm, one against one.
 *
 * The pairs are separate problems (svm_solve.h), so they are solved side by side, each on a copy of
 * its block of K. This is what libsvm does with several classes, except that a class is known by
 * its number and not by where it is first seen, so that the order of the samples decides no tie. */
#include "classify/svm_pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "classify/svm_solve.h"
#include "run/parallel.h"

typedef struct training {
    size_t p;
    const double *K; /* p x p */
    double cost;
    svm_pairs *t;
} training;

size_t svm_pairs_sample(const svm_pairs *t, const svm_pair *pair, size_t i)
{
    const classes *of = &t->of;
    size_t count = class_size(of, pair->a);
    return of->order[i < count ? of->first[pair->a] + i : of->first[pair->b] + i - count];
}

static size_t samples_of(const svm_pairs *t, const svm_pair *pair)
{
    return class_size(&t->of, pair->a) + class_size(&t->of, pair->b);
}

/* ---- one pair ------------------------------------------------------------------------------- */

/* Is there memory for the largest problem on every thread? */
static spd_status ask(spd_context *ctx, const svm_pairs *t)
{
    size_t most = 0, threads = (size_t)parallel_threads(ctx);
    for (size_t i = 0; i < t->pairs; i++)
        most = samples_of(t, &t->pair[i]) > most ? samples_of(t, &t->pair[i]) : most;
    double at_once = (double)(threads < t->pairs ? threads : t->pairs);
    double bytes = at_once * ((double)most * (double)most * sizeof(double) + svm_solve_bytes(most));
    return mem_could(bytes) ? SPD_OK : ctx_short(ctx, "support vectors", bytes);
}

static spd_status train_pair(void *user, size_t chunk, int thread)
{
    const training *r = user;
    svm_pair *pair = &r->t->pair[chunk];
    size_t size = samples_of(r->t, pair);
    arena room = {0};
    double *block = arena_alloc(&room, size, size * sizeof *block);
    spd_status status = room.failed ? SPD_ENOMEM : SPD_OK;
    (void)thread;
    for (size_t i = 0; status == SPD_OK && i < size; i++) {
        const double *row = r->K + svm_pairs_sample(r->t, pair, i) * r->p;
        for (size_t j = 0; j < size; j++)
            block[i * size + j] = row[svm_pairs_sample(r->t, pair, j)];
    }
    if (status == SPD_OK)
        status =
            svm_solve(size, class_size(&r->t->of, pair->a), block, r->cost, pair->coef, &pair->rho);
    arena_free(&room);
    return status;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

/* t->pair, with room for their coefficients. */
static spd_status list_pairs(spd_context *ctx, arena *keep, svm_pairs *t)
{
    size_t count = t->of.count;
    t->pair = arena_alloc(keep, count * (count - 1) / 2, sizeof *t->pair);
    for (size_t a = 0; a < count && !keep->failed; a++)
        for (size_t b = a + 1; b < count; b++) {
            svm_pair *pair = &t->pair[t->pairs++];
            *pair = (svm_pair){.a = a, .b = b};
            pair->coef = arena_alloc(keep, samples_of(t, pair), sizeof *pair->coef);
        }
    return arena_status(keep, ctx, "support vectors");
}

spd_status svm_pairs_train(spd_context *ctx, size_t p, const int *label, const double *K,
                           double cost, arena *keep, svm_pairs *machines)
{
    training r = {.p = p, .K = K, .cost = cost, .t = machines};
    *machines = (svm_pairs){0};
    if (!svm_solve_version())
        return ctx_fail(
            ctx, SPD_EINVAL,
            "this build has no support vector machines: libsvm was missing when it was built");
    spd_status status = classes_sort(ctx, p, label, keep, &machines->of);
    if (status == SPD_OK)
        status = list_pairs(ctx, keep, machines);
    if (status == SPD_OK)
        status = ask(ctx, machines);
    if (status < 0)
        return status;
    status = parallel_for(ctx, machines->pairs, train_pair, &r, "support vectors", "pairs",
                          (double)machines->pairs, NULL);
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "support vectors") : status;
}

/* ---- files ---------------------------------------------------------------------------------- */

void svm_pairs_used(const svm_pairs *t, size_t p, char *used)
{
    memset(used, 0, p);
    for (size_t k = 0; k < t->of.count; k++)
        used[t->of.order[t->of.first[k]]] = 1;
    for (size_t i = 0; i < t->pairs; i++)
        for (size_t e = 0; e < samples_of(t, &t->pair[i]); e++)
            if (t->pair[i].coef[e] != 0.0)
                used[svm_pairs_sample(t, &t->pair[i], e)] = 1;
}

/* A sum over fewer samples is the same: what is left out is zero. */
spd_status svm_pairs_part(spd_context *ctx, const svm_pairs *t, const char *used, size_t p,
                          const int *label, arena *keep, svm_pairs *part)
{
    *part = (svm_pairs){0};
    spd_status status = classes_sort(ctx, p, label, keep, &part->of);
    if (status == SPD_OK)
        status = list_pairs(ctx, keep, part);
    for (size_t i = 0; status == SPD_OK && i < t->pairs; i++) {
        size_t count = 0;
        part->pair[i].rho = t->pair[i].rho;
        for (size_t e = 0; e < samples_of(t, &t->pair[i]); e++)
            if (used[svm_pairs_sample(t, &t->pair[i], e)])
                part->pair[i].coef[count++] = t->pair[i].coef[e];
    }
    return status;
}

/* rho and coefficients of all pairs, one after the other: to there, or back. */
static void copy_pairs(const svm_pairs *t, int back, double *rho, double *duals)
{
    for (size_t i = 0; i < t->pairs; i++) {
        svm_pair *pair = &t->pair[i];
        size_t size = samples_of(t, pair) * sizeof *duals;
        *(back ? &pair->rho : &rho[i]) = back ? rho[i] : pair->rho;
        memcpy(back ? pair->coef : duals, back ? duals : pair->coef, size);
        duals += samples_of(t, pair);
    }
}

void svm_pairs_keep(saved_arrays *s, size_t p, const int *label, svm_pairs *t)
{
    double *rho = NULL, *duals = NULL;
    if (s->status == SPD_OK && saved_taking(s)) {
        *t = (svm_pairs){0};
        s->status = classes_sort(s->ctx, p, label, s->room, &t->of);
    }
    if (s->status == SPD_OK && saved_taking(s))
        s->status = list_pairs(s->ctx, s->room, t);
    if (s->status != SPD_OK)
        return;
    size_t others = t->of.count - 1; /* every sample is in so many pairs */
    if (!saved_taking(s)) {
        rho = arena_alloc(s->room, t->pairs, sizeof *rho);
        duals = arena_alloc(s->room, p, others * sizeof *duals);
        s->status = arena_status(s->room, s->ctx, "support vectors");
        if (s->status == SPD_OK)
            copy_pairs(t, 0, rho, duals);
    }
    saved_reals(s, "rho", t->pairs, 1, &rho);
    saved_reals(s, "duals", p, others, &duals);
    if (s->status == SPD_OK && saved_taking(s))
        copy_pairs(t, 1, rho, duals);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Sum of coef_i k_i over class c. */
static double class_sum(const classes *of, size_t c, const double *coef, const double *k)
{
    const size_t *order = of->order + of->first[c];
    double sum = 0.0;
    for (size_t i = 0; i < class_size(of, c); i++)
        sum += coef[i] * k[order[i]];
    return sum;
}

static double decision(const classes *of, const svm_pair *pair, const double *k)
{
    return class_sum(of, pair->a, pair->coef, k) +
           class_sum(of, pair->b, pair->coef + class_size(of, pair->a), k) - pair->rho;
}

void svm_pairs_score(const svm_pairs *t, const double *k, double *score)
{
    for (size_t c = 0; c < t->of.count; c++) {
        double sum = 0.0, won = 0.0;
        for (size_t i = 0; i < t->pairs; i++) {
            const svm_pair *pair = &t->pair[i];
            if (pair->a != c && pair->b != c)
                continue;
            double f = decision(&t->of, pair, k);
            won += (f > 0.0) == (pair->a == c) ? 1.0 : 0.0;
            sum += pair->a == c ? f : -f;
        }
        score[class_label(&t->of, c)] = won + sum / (3.0 * (fabs(sum) + 1.0));
    }
}

int svm_pairs_choose(const svm_pairs *machines, const double *k, size_t *votes)
{
    size_t best = 0;
    memset(votes, 0, machines->of.count * sizeof *votes);
    for (size_t i = 0; i < machines->pairs; i++) {
        const svm_pair *pair = &machines->pair[i];
        votes[decision(&machines->of, pair, k) > 0.0 ? pair->a : pair->b]++;
    }
    for (size_t c = 0; c < machines->of.count; c++)
        if (votes[c] > votes[best])
            best = c;
    return class_label(&machines->of, best);
}
