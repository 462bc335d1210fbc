/* vectors.c - observations drawn, read and written.
 *
 * A generated sample is an SPD matrix C of `spdml synth spd`, and its observations are normal
 * vectors with that covariance, o = L z with C = L L': the classes differ in a planted subspace. */
#include "cli/experiment/vectors.h"

#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

#define OBSERVATIONS 16 /* times n */
#define TWO_PI       6.28318530717958647692

/* ---- random numbers ---------------------------------------------------------------------------
 */

/* SplitMix64 (Steele, Lea, Flood 2014) as a number in (0, 1). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller. */
static double normal(uint64_t *state)
{
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(TWO_PI * uniform(state));
}

/* O (r x n) <- rows L z. */
static void draw(size_t r, size_t n, const double *L, uint64_t *state, double *O)
{
    double *z = cli_alloc(n, sizeof *z, "a vector");
    for (size_t k = 0; k < r; k++) {
        for (size_t i = 0; i < n; i++)
            z[i] = normal(state);
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t j = 0; j <= i; j++)
                sum += L[i * n + j] * z[j];
            O[k * n + i] = sum;
        }
    }
    cli_free(z);
}

/* ---- drawn ------------------------------------------------------------------------------------
 */

static int draw_all(experiment *x, vectors *v, uint64_t seed)
{
    const spd_data *d = v->data;
    size_t size = d->n * d->n;
    double *L = cli_alloc_table(d->p, size, sizeof *L, "numbers");
    spd_status status = spd_cholesky(x->s->ctx, d->n, d->p, d->X, L);
    int code = status < 0 ? session_fail(x->s, status) : CLI_GOOD;
    if (!code) {
        v->drawn = cli_alloc_table(d->p, v->r * v->n, sizeof *v->drawn, "observations");
        for (size_t i = 0; i < d->p; i++)
            draw(v->r, v->n, L + i * size, &seed, v->drawn + i * v->r * v->n);
        v->O = v->drawn;
    }
    cli_free(L);
    return code;
}

static int generate(experiment *x, vectors *v)
{
    spd_synth_options o;
    spd_synth_defaults(SPD_SYNTH_SPD, &o, sizeof o);
    o.seed = (uint64_t)arguments_int(x->s->args, "seed");
    if (x->quick) {
        o.classes = 3;
        o.samples = 12;
        o.n = 12;
        o.planted = 4;
    }
    spd_status status = spd_synth_data(x->s->ctx, &o, NULL, &v->data);
    if (status < 0)
        return session_fail(x->s, status);
    v->p = v->data->p;
    v->n = v->data->n;
    v->r = OBSERVATIONS * v->n;
    v->classes = v->data->classes;
    v->label = v->data->label;
    return draw_all(x, v, o.seed);
}

/* ---- read -------------------------------------------------------------------------------------
 */

static int read_labels(experiment *x, vectors *v)
{
    spd_array *y = NULL;
    spd_status status = spd_array_read(x->s->ctx, x->data, "y", &y);
    if (status < 0)
        return session_fail(x->s, status);
    spd_data data = {.p = v->p, .source = (char *)(uintptr_t)x->data, .columns = 1, .column = &y};
    int code = groups_take(&data, "y", "data", &v->own);
    v->classes = v->own.count;
    v->label = v->own.group;
    spd_array_free(y);
    return code;
}

static int read_vectors(experiment *x, vectors *v)
{
    spd_status status = spd_array_read(x->s->ctx, x->data, "X", &v->read);
    if (status < 0)
        return session_fail(x->s, status);
    const spd_array *a = v->read;
    if (a->ndim != 3 || a->type != SPD_FLOAT64 || a->shape[1] <= a->shape[2]) {
        cli_error("%s: X must be p x r x n real numbers, p samples of r observations, with r > n",
                  x->data);
        return CLI_FAILED;
    }
    v->p = a->shape[0];
    v->r = a->shape[1];
    v->n = a->shape[2];
    v->O = a->f64;
    return read_labels(x, v);
}

int vectors_make(experiment *x, vectors *v)
{
    *v = (vectors){0};
    int code = x->data ? read_vectors(x, v) : generate(x, v);
    if (!code && x->m >= v->n) {
        cli_error("-m %zu: must be below n = %zu, the size of an observation", x->m, v->n);
        code = CLI_MISUSED;
    }
    return code;
}

void vectors_free(vectors *v)
{
    cli_free(v->drawn);
    spd_array_free(v->read);
    spd_data_free(v->data);
    groups_free(&v->own);
    *v = (vectors){0};
}

/* ---- taken ------------------------------------------------------------------------------------
 */

void vectors_take(const vectors *v, size_t sample, size_t every, size_t taken, double *rows)
{
    const double *from = v->O + sample * v->r * v->n;
    for (size_t k = 0; k < taken; k++)
        memcpy(rows + k * v->n, from + k * every * v->n, v->n * sizeof *rows);
}

int vectors_write(experiment *x, const vectors *v, const char *flag, char side, size_t every,
                  size_t taken, const char *name)
{
    size_t count = 0, each = taken * v->n;
    double *rows = cli_alloc_table(v->p, each, sizeof *rows, "observations");
    int64_t *label = cli_alloc(v->p, sizeof *label, "labels");
    for (size_t i = 0; i < v->p; i++)
        if (flag[i] == side) {
            vectors_take(v, i, every, taken, rows + count * each);
            label[count++] = v->label[i];
        }
    spd_array X = session_array_f64("X", count, each, rows);
    spd_array y = session_array_i64("y", count, 1, label);
    X.ndim = 3;
    X.shape[1] = taken;
    X.shape[2] = v->n;
    y.ndim = 1;
    const spd_array *const list[] = {&X, &y};
    char *path = experiment_path(x, name);
    spd_status status = spd_arrays_write(x->s->ctx, path, 2, list);
    cli_free(path);
    cli_free(rows);
    cli_free(label);
    return status < 0 ? session_fail(x->s, status) : CLI_GOOD;
}
