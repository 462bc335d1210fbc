/* test_butterworth.c - band passes: the squared magnitude by its formula, no shift in time, and the
 * ends of a signal against the slow way, which pads by hand and waits for the steady state. */
#include "test.h"

#include <complex.h>

#include "describe/butterworth.h"

#define PI 3.14159265358979323846

/* |H|^2 at f Hz of the cascade. */
static double power_of(size_t order, const biquad *section, double f, double rate)
{
    double complex z = cexp(-I * 2.0 * PI * f / rate), H = 1.0;
    for (size_t k = 0; k < order; k++)
        H *= section[k].b * (1.0 - z * z) / (1.0 + section[k].a1 * z + section[k].a2 * z * z);
    return creal(H * conj(H));
}

/* 1 / (1 + ((w^2 - w1 w2) / (w (w2 - w1)))^2N), frequencies bent by the bilinear map. */
static double power_by_formula(size_t order, double low, double high, double f, double rate)
{
    double w = tan(PI * f / rate), w1 = tan(PI * low / rate), w2 = tan(PI * high / rate);
    return 1.0 / (1.0 + pow((w * w - w1 * w2) / (w * (w2 - w1)), 2.0 * (double)order));
}

TEST(magnitude_is_butterworths)
{
    static const double band[][2] = {{12, 14}, {1, 40}, {0.5, 99}, {30, 31}};
    biquad section[BUTTERWORTH_MOST];
    const double rate = 200.0;
    for (size_t b = 0; b < 4; b++)
        for (size_t order = 1; order <= 8; order++) {
            CHECK(butterworth_design(NULL, order, band[b][0], band[b][1], rate, section) == SPD_OK,
                  "band %zu, order %zu", b, order);
            for (double f = 0.3; f < 100.0; f += 1.7)
                CHECK_CLOSE(power_of(order, section, f, rate),
                            power_by_formula(order, band[b][0], band[b][1], f, rate), 1e-9,
                            "band %zu, order %zu, %g Hz", b, order, f);
        }
}

TEST(poles_are_stable)
{
    biquad section[BUTTERWORTH_MOST];
    for (size_t order = 1; order <= BUTTERWORTH_MOST; order++) {
        butterworth_design(NULL, order, 8, 30, 250, section);
        for (size_t k = 0; k < order; k++)
            CHECK(section[k].a2 < 1.0 && fabs(section[k].a1) < 1.0 + section[k].a2,
                  "order %zu, section %zu", order, k);
    }
}

/* A sine in the band comes out as it went in: same phase, gain 1 at the centre. */
TEST(phase_is_zero)
{
    enum { LENGTH = 4000, ORDER = 4 };
    biquad section[ORDER];
    double *x = take((3 * LENGTH + 2 * butterworth_edge(ORDER)) * sizeof *x), *y = x + LENGTH,
           *work = y + LENGTH;
    const double rate = 200.0,
                 centre = rate / PI * atan(sqrt(tan(PI * 12 / rate) * tan(PI * 14 / rate)));
    butterworth_design(NULL, ORDER, 12, 14, rate, section);
    for (size_t i = 0; i < LENGTH; i++)
        x[i] = sin(2.0 * PI * centre * (double)i / rate);
    butterworth_apply(ORDER, section, LENGTH, x, 1, y, 1, work);
    for (size_t i = LENGTH / 3; i < 2 * LENGTH / 3; i++)
        CHECK_CLOSE(y[i], x[i], 1e-6, "sample %zu", i);
}

/* One pass of the difference equation, after a constant has been fed in until nothing moves. */
static void twin_pass(size_t order, const biquad *section, size_t length, double *x)
{
    enum { SETTLE = 20000 };
    for (size_t k = 0; k < order; k++) {
        /* Sections behind the first see what a constant leaves: zero. */
        double constant = k == 0 ? x[0] : 0.0, x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (size_t i = 0; i < SETTLE + length; i++) {
            double in = i < SETTLE ? constant : x[i - SETTLE];
            double out = section[k].b * (in - x2) - section[k].a1 * y1 - section[k].a2 * y2;
            x2 = x1;
            x1 = in;
            y2 = y1;
            y1 = out;
            if (i >= SETTLE)
                x[i - SETTLE] = out;
        }
    }
}

static void turn(size_t length, double *x)
{
    for (size_t i = 0; i < length / 2; i++) {
        double other = x[length - 1 - i];
        x[length - 1 - i] = x[i];
        x[i] = other;
    }
}

TEST(ends_follow_the_slow_way)
{
    enum { LENGTH = 90, ORDER = 3, STRIDE = 2 };
    biquad section[ORDER];
    size_t edge = butterworth_edge(ORDER), total = LENGTH + 2 * edge;
    double x[LENGTH * STRIDE], y[LENGTH * STRIDE], *twin = take(total * sizeof *twin);
    double *work = take(total * sizeof *work);
    rng g = seeded(3);
    butterworth_design(NULL, ORDER, 5, 20, 100, section);
    for (size_t i = 0; i < LENGTH * STRIDE; i++) {
        x[i] = 5.0 + rng_normal(&g);
        y[i] = -1.0;
    }
    for (size_t i = 0; i < total; i++) {
        long at = (long)i - (long)edge, last = LENGTH - 1;
        twin[i] = at < 0      ? 2.0 * x[0] - x[-at * STRIDE]
                  : at > last ? 2.0 * x[last * STRIDE] - x[(2 * last - at) * STRIDE]
                              : x[at * STRIDE];
    }
    twin_pass(ORDER, section, total, twin);
    turn(total, twin);
    twin_pass(ORDER, section, total, twin);
    turn(total, twin);
    butterworth_apply(ORDER, section, LENGTH, x, STRIDE, y, STRIDE, work);
    for (size_t i = 0; i < LENGTH; i++) {
        CHECK_CLOSE(y[i * STRIDE], twin[edge + i], 1e-11, "sample %zu", i);
        CHECK(y[i * STRIDE + 1] == -1.0, "other channels are left alone");
    }
}

TEST(refuses_bands_that_are_none)
{
    static const double bad[][3] = {{0, 10, 100},  {10, 10, 100}, {20, 10, 100}, {10, 50, 100},
                                    {10, 60, 100}, {-1, 10, 100}, {NAN, 10, 100}};
    biquad section[BUTTERWORTH_MOST] = {{7, 7, 7}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(butterworth_design(NULL, 4, bad[i][0], bad[i][1], bad[i][2], section) == SPD_EINVAL,
              "band %zu", i);
    CHECK(butterworth_design(NULL, 0, 1, 2, 100, section) == SPD_EINVAL, "order 0");
    CHECK_STATUS(butterworth_design(NULL, BUTTERWORTH_MOST + 1, 1, 2, 100, section), SPD_EINVAL);
    CHECK(section[0].b == 7, "outputs are untouched");
}
