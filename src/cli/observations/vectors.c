/* vectors.c - observations read, or drawn: o = L z with C = L L' and z normal has covariance C. */
#include "cli/observations/vectors.h"

#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

#define TWO_PI 6.28318530717958647692

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

/* O (r x n) <- rows L z; z (n) is scratch. */
static void draw_sample(size_t r, size_t n, const double *L, uint64_t *state, double *O, double *z)
{
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
}

/* v->O <- v->r vectors for each of the covariances that it holds. */
static int draw_all(session *s, vectors *v)
{
    size_t size = v->n * v->n;
    uint64_t state = (uint64_t)arguments_int(s->args, "seed");
    double *L = cli_alloc_table(v->p, size, sizeof *L, "numbers");
    double *z = cli_alloc(v->n, sizeof *z, "a vector");
    double *O = cli_alloc_table(v->p, v->r * v->n, sizeof *O, "observations");
    spd_status status = spd_cholesky(s->ctx, v->n, v->p, v->O, L);
    for (size_t i = 0; i < v->p && status >= 0; i++)
        draw_sample(v->r, v->n, L + i * size, &state, O + i * v->r * v->n, z);
    v->O = O;
    return session_check(s, status);
}

int vectors_load(session *s, const char *path, size_t draw, vectors *v)
{
    spd_array *a, *y;
    int code = session_read(s, path, "X", &a);
    if (code)
        return code;
    int table = a->ndim == 3 && a->type == SPD_FLOAT64;
    if (!table || (draw ? a->shape[1] != a->shape[2] : a->shape[1] <= a->shape[2]))
        return cli_fail(
            draw ? "%s: --draw: X must be p x n x n real numbers, p covariance matrices"
                 : "%s: X must be p x r x n real numbers, p samples of r observations, with "
                   "r > n; from covariance matrices --draw R draws some",
            path);
    v->p = a->shape[0];
    v->n = a->shape[2];
    v->r = draw ? draw : a->shape[1];
    v->O = a->f64;
    code = session_read(s, path, "y", &y);
    if (code)
        return code;
    spd_data data = {.p = v->p, .source = (char *)(uintptr_t)path, .columns = 1, .column = &y};
    code = groups_take(&data, "y", "data", &v->classes);
    return code || !draw ? code : draw_all(s, v);
}

void vectors_take(const vectors *v, size_t sample, size_t every, size_t taken, double *rows)
{
    const double *from = v->O + sample * v->r * v->n;
    for (size_t k = 0; k < taken; k++)
        memcpy(rows + k * v->n, from + k * every * v->n, v->n * sizeof *rows);
}
