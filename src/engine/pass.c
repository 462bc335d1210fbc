/* pass.c - the walk of a data pass, and the coefficients of a probe. */
#include "engine/pass.h"

#include "base/stop.h"

spd_status pass_run(const pass *over, size_t first, size_t last, pass_body body, void *user,
                    double *work, double *sum)
{
    size_t p = over->set->p - over->begin, n2 = over->set->n * over->set->n, count = 0;
    size_t stored = last < p ? last : p;
    store_walk_begin(over->walk, over->begin + first, over->begin + stored, NULL);
    for (size_t i = first; i < stored; i += count) {
        const double *X = store_walk_next(over->walk, &count);
        if (!X)
            return SPD_EIO;
        const double *after = store_walk_ahead(over->walk), *last_one = X + (count - 1) * n2;
        for (const double *at = X; at <= last_one && !stop_wanted(); at += n2)
            body(user, i + (size_t)(at - X) / n2, at,
                 at < last_one ? at + n2
                 : after       ? after
                               : at,
                 work, sum);
    }
    if (stored < last)
        body(user, p, over->extra, over->extra, work, sum);
    return SPD_OK;
}

/* Products x_r y_c of one factor by row, one by column. With derivative the product rule:
 * (x y)' = x' y + x y'. */
void blend_coefficients(size_t m, const double *sigma, const double *cosine, const double *sine,
                        int derivative, double *out)
{
    const double *s = sigma, *factor[2] = {cosine, sine};
    for (int part = 0; part < PASS_PARTS; part++) {
        int a = part >> 1, b = part & 1;
        const double *x = factor[a], *y = factor[b], *co_x = factor[!a], *co_y = factor[!b];
        for (size_t r = 0; r < m; r++)
            for (size_t c = 0; c <= r; c++) {
                double dx = s[r] * (a ? co_x[r] : -co_x[r]), dy = s[c] * (b ? co_y[c] : -co_y[c]);
                *out++ = derivative ? dx * y[c] + x[r] * dy : x[r] * y[c];
            }
    }
}

double blend_slope(size_t m, const double *c, const double *z)
{
    double sum = 0.0;
    for (int part = 0; part < PASS_PARTS; part++)
        for (size_t r = 0; r < m; r++, c++, z++) {
            for (size_t col = 0; col < r; col++)
                sum += *c++ * *z++;
            sum += 0.5 * *c * *z;
        }
    return sum;
}
