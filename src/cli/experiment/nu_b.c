/* nu_b.c - accuracy against nu_b, how many neighbours of other classes are pushed away.
 *
 * The matrices and splits are those of materials; m is fixed, nu_w is the smallest class, so that
 * nu_b alone changes from point to point. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/experiment.h"

#define MOST       12
#define MOST_QUICK 3

static int evaluate_at(experiment *x, const char *path, size_t nu_b)
{
    words w = {0};
    char folder[24], column[24];
    snprintf(folder, sizeof folder, "nu-b-%zu", nu_b);
    snprintf(column, sizeof column, "%zu", nu_b);
    experiment_evaluate_words(x, path, folder, 0, &w);
    words_add(&w, "-m");
    words_add(&w, "%zu", x->m);
    words_add(&w, "--nu-b");
    words_add(&w, "%zu", nu_b);
    words_add(&w, "--split");
    words_add(&w, "0.5");
    words_add(&w, "--repeats");
    words_add(&w, "%zu", x->repeats);
    int code = experiment_step(x, &w);
    if (!code)
        code = experiment_gather(x, folder, column, 0);
    words_free(&w);
    return code;
}

/* A figure has its points in rows. */
static void transpose(experiment_table *t)
{
    experiment_table turned;
    experiment_table_make(&turned, t->columns, t->rows);
    for (size_t r = 0; r < t->rows; r++)
        memcpy(turned.column[r], t->row[r], EXPERIMENT_NAME);
    for (size_t c = 0; c < t->columns; c++) {
        memcpy(turned.row[c], t->column[c], EXPERIMENT_NAME);
        for (size_t r = 0; r < t->rows; r++) {
            turned.value[c * t->rows + r] = t->value[r * t->columns + c];
            turned.deviation[c * t->rows + r] = t->deviation[r * t->columns + c];
        }
    }
    experiment_table_free(t);
    *t = turned;
}

int experiment_nu_b(experiment *x)
{
    char *path = NULL;
    int code = experiment_textures(x, &path);
    for (size_t nu_b = 1; nu_b <= (x->quick ? MOST_QUICK : MOST) && !code; nu_b++)
        code = evaluate_at(x, path, nu_b);
    if (!code)
        transpose(&x->table);
    words_add(&x->notes, "m is %zu throughout, nu_w the size of the smallest class", x->m);
    cli_free(path);
    return code;
}
