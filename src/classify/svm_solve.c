/* svm_solve.c - one support vector machine between two classes, by libsvm. */
#include "classify/svm_solve.h"

#include <libsvm/svm.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

#include "base/arena.h"

#define TOLERANCE 1e-4 /* on the conditions of the optimum; values of f are about 1 */
#define CACHE     64.0 /* megabytes that libsvm may keep of K */

static char version[16];

static void say_nothing(const char *text)
{
    (void)text;
}

static void begin(void)
{
    svm_set_print_string_function(say_nothing);
    snprintf(version, sizeof version, "%d.%02d", libsvm_version / 100,
             libsvm_version % 100); /* 330 */
}

const char *svm_solve_version(void)
{
    static once_flag begun = ONCE_FLAG_INIT;
    call_once(&begun, begin);
    return version;
}

/* K as libsvm reads it: row i is (0: i + 1), (1: K_i0), (2: K_i1), ..., and an end. */
static void fill_problem(size_t size, size_t first, const double *K, struct svm_problem *problem,
                         struct svm_node *node)
{
    for (size_t i = 0; i < size; i++) {
        struct svm_node *at = problem->x[i] = node + i * (size + 2);
        problem->y[i] = i < first ? 1.0 : -1.0;
        at[0] = (struct svm_node){0, (double)(i + 1)};
        for (size_t j = 0; j < size; j++)
            at[j + 1] = (struct svm_node){(int)(j + 1), K[i * size + j]};
        at[size + 1] = (struct svm_node){-1, 0.0};
    }
}

static void solve(const struct svm_problem *problem, double cost, double *coef, double *rho)
{
    const struct svm_parameter parameter = {.svm_type = C_SVC,
                                            .kernel_type = PRECOMPUTED,
                                            .cache_size = CACHE,
                                            .eps = TOLERANCE,
                                            .C = cost,
                                            .shrinking = 1};
    struct svm_model *model = svm_train(problem, &parameter);
    memset(coef, 0, (size_t)problem->l * sizeof *coef);
    for (int k = 0; k < model->l; k++)
        coef[model->sv_indices[k] - 1] = model->sv_coef[0][k];
    *rho = model->rho[0];
    svm_free_and_destroy_model(&model);
}

spd_status svm_solve(size_t size, size_t first, const double *K, double cost, double *coef,
                     double *rho)
{
    arena room = {0};
    struct svm_node *node = arena_alloc(&room, size, (size + 2) * sizeof *node);
    struct svm_problem problem = {.l = (int)size,
                                  .y = arena_alloc(&room, size, sizeof *problem.y),
                                  .x = arena_alloc(&room, size, sizeof *problem.x)};
    spd_status status = room.failed ? SPD_ENOMEM : SPD_OK;
    if (status == SPD_OK) {
        fill_problem(size, first, K, &problem, node);
        solve(&problem, cost, coef, rho);
    }
    arena_free(&room);
    return status;
}

/* K again as libsvm reads it, rows of it in single precision up to the cache, and about forty
 * numbers for each sample. libsvm itself does not look whether it got them, and ends the process
 * without. */
double svm_solve_bytes(size_t size)
{
    double nodes = (double)size * (double)(size + 2) * sizeof(struct svm_node);
    double rows = 4.0 * (double)size * (double)size, cache = CACHE * 0x1p20;
    return nodes + (rows < cache ? rows : cache) + 8.0 * 40.0 * (double)size + 0x1p17;
}
