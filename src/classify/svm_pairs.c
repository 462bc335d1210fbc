/* svm_pairs.c - C-support vector classification by libsvm, one against one.
 *
 *   minimise  a'Qa/2 - 1'a   subject to   0 <= a <= cost,  y'a = 0,   Q_ij = y_i y_j K_ij
 *
 * over the samples of two classes, y = 1 for the lower one and -1 for the other; coef_i = y_i a_i.
 * The pairs are separate problems, so they are solved side by side, each on a copy of its block of
 * K. This is what libsvm does with several classes, except that a class is known by its number and
 * not by where it is first seen, so that the order of the samples decides no tie. */
#include "classify/svm_pairs.h"

#include <libsvm/svm.h>
#include <string.h>
#include <threads.h>

#include "base/memory.h"
#include "engine/parallel.h"

#define TOLERANCE 1e-4 /* on the conditions of the optimum; values of f are about 1 */
#define CACHE     64.0 /* megabytes that libsvm may keep of a block */

typedef struct training {
    size_t p;
    const double *K; /* p x p */
    double cost;
    svm_pairs *t;
} training;

size_t svm_pairs_sample(const svm_pairs *t, const svm_pair *pair, size_t i)
{
    const members *m = &t->m;
    size_t count = members_count(m, pair->a);
    return m->order[i < count ? m->first[pair->a] + i : m->first[pair->b] + i - count];
}

static size_t samples_of(const svm_pairs *t, const svm_pair *pair)
{
    return members_count(&t->m, pair->a) + members_count(&t->m, pair->b);
}

/* ---- one pair ------------------------------------------------------------------------------- */

/* A block of K as libsvm reads it: row i is (0: i + 1), (1: K_i0), (2: K_i1), ..., and an end. */
static void fill_problem(const training *r, const svm_pair *pair, struct svm_problem *problem,
                         struct svm_node *node)
{
    size_t size = (size_t)problem->l, first = members_count(&r->t->m, pair->a);
    for (size_t i = 0; i < size; i++) {
        const double *row = r->K + svm_pairs_sample(r->t, pair, i) * r->p;
        struct svm_node *at = problem->x[i] = node + i * (size + 2);
        problem->y[i] = i < first ? 1.0 : -1.0;
        at[0] = (struct svm_node){0, (double)(i + 1)};
        for (size_t j = 0; j < size; j++)
            at[j + 1] = (struct svm_node){(int)(j + 1), row[svm_pairs_sample(r->t, pair, j)]};
        at[size + 1] = (struct svm_node){-1, 0.0};
    }
}

static void solve(const struct svm_problem *problem, double cost, svm_pair *pair)
{
    const struct svm_parameter parameter = {.svm_type = C_SVC,
                                            .kernel_type = PRECOMPUTED,
                                            .cache_size = CACHE,
                                            .eps = TOLERANCE,
                                            .C = cost,
                                            .shrinking = 1};
    struct svm_model *model = svm_train(problem, &parameter);
    memset(pair->coef, 0, (size_t)problem->l * sizeof *pair->coef);
    for (int k = 0; k < model->l; k++)
        pair->coef[model->sv_indices[k] - 1] = model->sv_coef[0][k];
    pair->rho = model->rho[0];
    svm_free_and_destroy_model(&model);
}

static spd_status train_pair(void *user, size_t chunk, int thread)
{
    const training *r = user;
    svm_pair *pair = &r->t->pair[chunk];
    size_t size = samples_of(r->t, pair);
    struct svm_problem problem = {.l = (int)size};
    struct svm_node *node = mem_alloc(size, (size + 2) * sizeof *node);
    spd_status status = SPD_ENOMEM;
    (void)thread;
    problem.y = mem_alloc(size, sizeof *problem.y);
    problem.x = mem_alloc(size, sizeof *problem.x);
    if (node && problem.y && problem.x) {
        fill_problem(r, pair, &problem, node);
        solve(&problem, r->cost, pair);
        status = SPD_OK;
    }
    mem_free(node);
    mem_free(problem.y);
    mem_free(problem.x);
    return status;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

/* t->pair and where their coefficients are. */
static void list_pairs(svm_pairs *t)
{
    const members *m = &t->m;
    double *coef = t->coef;
    while (members_count(m, t->first_class) == 0)
        t->first_class++;
    for (size_t a = t->first_class; a < m->classes; a++)
        for (size_t b = a + 1; b < m->classes; b++) {
            if (members_count(m, a) == 0 || members_count(m, b) == 0)
                continue;
            svm_pair *pair = &t->pair[t->pairs++];
            *pair = (svm_pair){.a = a, .b = b, .coef = coef};
            coef += samples_of(t, pair);
        }
}

static spd_status make_room(spd_context *ctx, const samples *train, svm_pairs *t)
{
    size_t present = 0;
    spd_status status = members_sort(ctx, train, &t->m);
    if (status < 0)
        return status;
    for (size_t c = 0; c < train->classes; c++)
        present += members_count(&t->m, c) > 0;
    t->pair = mem_alloc(present * (present - 1) / 2, sizeof *t->pair);
    t->coef = mem_alloc(present - 1, train->p * sizeof *t->coef);
    return t->pair && t->coef ? SPD_OK : ctx_nomem(ctx, "support vectors");
}

static void say_nothing(const char *text)
{
    (void)text;
}

static void silence(void)
{
    svm_set_print_string_function(say_nothing);
}

spd_status svm_pairs_train(spd_context *ctx, const samples *train, const double *K, double cost,
                           svm_pairs **machines)
{
    static once_flag silenced = ONCE_FLAG_INIT;
    training r = {.p = train->p, .K = K, .cost = cost, .t = mem_zero(1, sizeof *r.t)};
    if (!r.t)
        return ctx_nomem(ctx, "support vectors");
    call_once(&silenced, silence);
    spd_status status = make_room(ctx, train, r.t);
    if (status == SPD_OK) {
        list_pairs(r.t);
        status = parallel_for(ctx, r.t->pairs, train_pair, &r, "support vectors", "pairs",
                              (double)r.t->pairs, NULL);
        if (status == SPD_ENOMEM)
            ctx_nomem(ctx, "support vectors");
    }
    if (status < 0)
        svm_pairs_free(r.t);
    else
        *machines = r.t;
    return status;
}

void svm_pairs_free(svm_pairs *machines)
{
    if (!machines)
        return;
    members_free(&machines->m);
    mem_free(machines->pair);
    mem_free(machines->coef);
    mem_free(machines);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Sum of coef_i k_i over class c. */
static double class_sum(const members *m, size_t c, const double *coef, const double *k)
{
    const size_t *order = m->order + m->first[c];
    double sum = 0.0;
    for (size_t i = 0; i < members_count(m, c); i++)
        sum += coef[i] * k[order[i]];
    return sum;
}

static double decision(const members *m, const svm_pair *pair, const double *k)
{
    return class_sum(m, pair->a, pair->coef, k) +
           class_sum(m, pair->b, pair->coef + members_count(m, pair->a), k) - pair->rho;
}

int svm_pairs_choose(const svm_pairs *machines, const double *k, size_t *votes)
{
    size_t best = machines->first_class;
    memset(votes, 0, machines->m.classes * sizeof *votes);
    for (size_t i = 0; i < machines->pairs; i++) {
        const svm_pair *pair = &machines->pair[i];
        votes[decision(&machines->m, pair, k) > 0.0 ? pair->a : pair->b]++;
    }
    for (size_t c = 0; c < machines->m.classes; c++)
        if (votes[c] > votes[best])
            best = c;
    return (int)best;
}
