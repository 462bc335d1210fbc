/* butterworth.c - design and use of band passes; see butterworth.h. */
#include "describe/butterworth.h"

#include <complex.h>
#include <math.h>

#define PI 3.14159265358979323846

typedef double complex point;

/* The section with these poles in the z plane: a conjugate pair or two real ones. */
static biquad section_of(point p, point q, point centre)
{
    biquad s = {1.0, -creal(p + q), creal(p * q)};
    point back = 1.0 / centre;
    point response = (1.0 - back * back) / (1.0 + s.a1 * back + s.a2 * back * back);
    s.b = 1.0 / cabs(response);
    return s;
}

/* What a low pass pole becomes: the two roots s, mapped to the z plane. */
static void split_pole(point p, double width, double w0, double rate, point z[2])
{
    point half = p * (width / 2.0), root = csqrt(half * half - w0 * w0);
    for (int i = 0; i < 2; i++) {
        point s = i ? half - root : half + root;
        z[i] = (2.0 * rate + s) / (2.0 * rate - s);
    }
}

spd_status butterworth_design(spd_context *ctx, size_t order, double low, double high, double rate,
                              biquad *section)
{
    if (order < 1 || order > BUTTERWORTH_MOST)
        return ctx_fail(ctx, SPD_EINVAL, "filter order %zu is not between 1 and %d", order,
                        BUTTERWORTH_MOST);
    if (!(low > 0.0 && high > low && high < rate / 2.0))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the band from %g to %g Hz does not lie between 0 and half the sampling "
                        "rate, %g Hz",
                        low, high, rate / 2.0);
    double w1 = 2.0 * rate * tan(PI * low / rate), w2 = 2.0 * rate * tan(PI * high / rate);
    double width = w2 - w1, w0 = sqrt(w1 * w2);
    point z[2], centre = cexp(I * 2.0 * atan(w0 / (2.0 * rate)));
    size_t at = 0;
    /* Poles above the real axis stand for their conjugates too. */
    for (size_t k = 0; k < order / 2; k++) {
        double angle = PI * (double)(2 * k + order + 1) / (double)(2 * order);
        split_pole(cexp(I * angle), width, w0, rate, z);
        section[at++] = section_of(z[0], conj(z[0]), centre);
        section[at++] = section_of(z[1], conj(z[1]), centre);
    }
    if (order % 2) {
        split_pole(-1.0, width, w0, rate, z);
        section[at] = section_of(z[0], z[1], centre);
    }
    return SPD_OK;
}

size_t butterworth_edge(size_t order)
{
    return 3 * (2 * order + 1);
}

/* One way through all sections, from x[0] in steps of `step` (1 or -1). The state is that of the
 * transposed form: u <- b 0 - a1 y + v, v <- -b x - a2 y. A constant c gives y = 0, u = v = -b c
 * in the first section, and nothing in those behind it. */
static void run_sections(size_t order, const biquad *section, size_t length, double *x, long step)
{
    for (size_t k = 0; k < order; k++) {
        const biquad s = section[k];
        double start = k == 0 ? -s.b * x[0] : 0.0, u = start, v = start, *at = x;
        for (size_t i = 0; i < length; i++, at += step) {
            double in = *at, out = s.b * in + u;
            u = v - s.a1 * out;
            v = -s.b * in - s.a2 * out;
            *at = out;
        }
    }
}

void butterworth_apply(size_t order, const biquad *section, size_t length, const double *x,
                       size_t x_stride, double *y, size_t y_stride, double *work)
{
    size_t edge = butterworth_edge(order), total = length + 2 * edge;
    double first = x[0], last = x[(length - 1) * x_stride];
    for (size_t i = 0; i < length; i++)
        work[edge + i] = x[i * x_stride];
    for (size_t i = 1; i <= edge; i++) {
        work[edge - i] = 2.0 * first - work[edge + i];
        work[edge + length - 1 + i] = 2.0 * last - work[edge + length - 1 - i];
    }
    run_sections(order, section, total, work, 1);
    run_sections(order, section, total, work + total - 1, -1);
    for (size_t i = 0; i < length; i++)
        y[i * y_stride] = work[edge + i];
}
