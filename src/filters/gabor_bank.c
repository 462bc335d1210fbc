/* gabor_bank.c - convolution with Gabor wavelets through the Fourier transform.
 *
 * A wavelet is a difference of two products of a function of x and one of y:
 *
 *   psi(x,y) = (k^2/s^2) (a(x) b(y) - d g(x) g(y)),   g(t) = exp(-k^2 t^2 / (2 s^2))
 *   a(t) = g(t) exp(i k_x t),   b(t) = g(t) exp(i k_y t),   d = exp(-s^2/2)
 *
 * so its transform is such a difference too, and the bank keeps lines instead of planes. All of
 * them are real, since g is even; they are summed by definition, in double precision.
 *
 *   F[fx][fy]   spectrum of the image, zero padded to rows x columns, one line per fx
 *   T[fx][y]    inverse transform along fy of F[fx][fy] psi^[fy][fx]
 *   out[x]      inverse transform along fx of T[.][y], for y < height alone
 *
 * A wavelet covers a small part of the spectrum: lines fx where a^ and d g^ are below 1e-9 of the
 * largest a^, far under single precision, are skipped. Transforms have sizes 2^a 3^b 5^c, for which
 * KissFFT neither allocates nor writes to its plans, so these are shared by threads. */
#include "filters/gabor_bank.h"

#include <kissfft/kiss_fft.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

#ifndef KISSFFT_VERSION /* it has no function that tells: the build asks pkg-config */
#define KISSFFT_VERSION ""
#endif
#define PI             3.14159265358979323846
#define LONGEST_SIDE   16384
#define MOST_FILTERS   4096
#define NEGLIGIBLE     1e-9
#define GAUSSIAN_REACH 9.0 /* deviations; exp(-40) is nothing to double precision */

/* One direction, x or y: a side of the image and the transforms along it. */
typedef struct axis {
    size_t side, length; /* pixels; length of the transform, >= 2 side - 1 */
    kiss_fft_cfg forward, inverse;
    float *wave;     /* filters x length: a^ or b^; along x times the constants in front */
    float *envelope; /* scales x length: g^; the same, and times d */
} axis;

struct gabor_bank {
    size_t scales, orientations;
    double kmax, spacing, sigma;
    axis x, y;
    unsigned char *used; /* filters x x.length: lines of the spectrum the filter needs */
    arena room;          /* of all lines and plans */
};

const char *gabor_bank_version(void)
{
    return KISSFFT_VERSION;
}

size_t gabor_bank_filters(const gabor_bank *bank)
{
    return bank->scales * bank->orientations;
}

void gabor_bank_free(gabor_bank *bank)
{
    if (bank)
        arena_free(&bank->room);
    mem_free(bank);
}

/* ---- making a bank ------------------------------------------------------------------------ */

static spd_status check_parameters(spd_context *ctx, const gabor_bank *bank)
{
    if (bank->x.side < 1 || bank->y.side < 1 || bank->x.side > LONGEST_SIDE ||
        bank->y.side > LONGEST_SIDE)
        return ctx_fail(ctx, SPD_EINVAL,
                        "Gabor filters need images of 1 to %d pixels per side, not %zu x %zu; "
                        "resize to something smaller",
                        LONGEST_SIDE, bank->x.side, bank->y.side);
    if (bank->scales < 1 || bank->orientations < 1 ||
        bank->scales > MOST_FILTERS / bank->orientations)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu scales and %zu orientations of Gabor filters; there may be 1 to %d "
                        "filters in all, and 5 and 8 are usual",
                        bank->scales, bank->orientations, MOST_FILTERS);
    if (!(bank->kmax > 0.0 && bank->kmax <= PI))
        return ctx_fail(ctx, SPD_EINVAL,
                        "kmax of the Gabor filters is %g radians per pixel; it must be above 0 and "
                        "at most pi, beyond which waves alias",
                        bank->kmax);
    if (!(isfinite(bank->spacing) && (bank->spacing > 1.0 || bank->scales == 1)))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the spacing of the Gabor filters is %g; it must be above 1, or all "
                        "scales are equal",
                        bank->spacing);
    if (!(bank->sigma > 0.0 && isfinite(bank->sigma)))
        return ctx_fail(ctx, SPD_EINVAL, "sigma of the Gabor filters is %g; it must be positive",
                        bank->sigma);
    return SPD_OK;
}

/* A plan in memory of ours; NULL when there is none. */
static kiss_fft_cfg plan_new(arena *room, size_t length, int inverse)
{
    size_t bytes = 0;
    kiss_fft_alloc((int)length, inverse, NULL, &bytes);
    void *memory = arena_alloc(room, bytes, 1);
    return memory ? kiss_fft_alloc((int)length, inverse, memory, &bytes) : NULL;
}

static void make_axis(gabor_bank *bank, axis *a)
{
    int least = (int)(2 * a->side - 1);
    a->length = (size_t)kiss_fft_next_fast_size(least < 2 ? 2 : least);
    a->forward = plan_new(&bank->room, a->length, 0);
    a->inverse = plan_new(&bank->room, a->length, 1);
    a->wave = arena_alloc(&bank->room, gabor_bank_filters(bank) * a->length, sizeof *a->wave);
    a->envelope = arena_alloc(&bank->room, bank->scales * a->length, sizeof *a->envelope);
}

static spd_status make_room(spd_context *ctx, gabor_bank *bank)
{
    make_axis(bank, &bank->x);
    make_axis(bank, &bank->y);
    bank->used = arena_alloc(&bank->room, gabor_bank_filters(bank), bank->x.length);
    return arena_status(&bank->room, ctx, "Gabor filters");
}

/* The length-th roots of unity: root (length x 2) <- cos, sin of 2 pi j / length. */
static void fill_roots(size_t length, double *root)
{
    for (size_t j = 0; j < length; j++) {
        root[2 * j] = cos(2.0 * PI * (double)j / (double)length);
        root[2 * j + 1] = sin(2.0 * PI * (double)j / (double)length);
    }
}

/* What is multiplied along an axis before summing: g(t) exp(i w t) for 0 <= t < count. */
typedef struct profile {
    size_t count;
    double *re, *im;
} profile;

static void fill_profile(const axis *a, double deviation, double w, profile *q)
{
    const double reach = GAUSSIAN_REACH * deviation;
    for (q->count = 0; q->count < a->side && (double)q->count <= reach; q->count++) {
        double t = (double)q->count, g = exp(-0.5 * (t / deviation) * (t / deviation));
        q->re[q->count] = g * cos(w * t);
        q->im[q->count] = g * sin(w * t);
    }
}

/* line (length) <- sum over |t| < count of g(t) exp(i w t) exp(-2 pi i f t / length). */
static void transform_profile(const axis *a, const double *root, const profile *q, float *line)
{
    for (size_t f = 0; f < a->length; f++) {
        double sum = 0.5 * q->re[0];
        for (size_t t = 1, j = f; t < q->count; t++) {
            sum += q->re[t] * root[2 * j] + q->im[t] * root[2 * j + 1];
            j += f;
            j -= j >= a->length ? a->length : 0;
        }
        line[f] = (float)(2.0 * sum);
    }
}

/* Lines of all filters along the axis at the angle turn, without the constants in front. */
static void fill_axis(const gabor_bank *bank, axis *a, double turn, const double *root, profile *q)
{
    double k = bank->kmax;
    for (size_t v = 0; v < bank->scales; v++, k /= bank->spacing) {
        double deviation = bank->sigma / k;
        fill_profile(a, deviation, 0.0, q);
        transform_profile(a, root, q, a->envelope + v * a->length);
        for (size_t u = 0; u < bank->orientations; u++) {
            double phi = PI * (double)u / (double)bank->orientations;
            fill_profile(a, deviation, k * cos(phi - turn), q);
            transform_profile(a, root, q, a->wave + (u + bank->orientations * v) * a->length);
        }
    }
}

/* Puts k^2/s^2 before the lines along x, d before g^, and the 1/(rows columns) that KissFFT's
 * inverse leaves to us. */
static void scale_lines(gabor_bank *bank)
{
    const size_t length = bank->x.length, each = bank->orientations * length;
    const double share = 1.0 / ((double)length * (double)bank->y.length), s = bank->sigma;
    double k = bank->kmax;
    for (size_t v = 0; v < bank->scales; v++, k /= bank->spacing) {
        double front = share * k * k / (s * s), flat = front * exp(-0.5 * s * s);
        for (size_t f = 0; f < length; f++)
            bank->x.envelope[v * length + f] *= (float)flat;
        for (size_t e = 0; e < each; e++)
            bank->x.wave[v * each + e] *= (float)front;
    }
}

/* Room for what fill_axis needs, and its call. */
static spd_status fill_lines(spd_context *ctx, gabor_bank *bank)
{
    size_t side = bank->x.side > bank->y.side ? bank->x.side : bank->y.side;
    size_t length = bank->x.length > bank->y.length ? bank->x.length : bank->y.length;
    double *room = mem_alloc(2 * length + 2 * side, sizeof *room);
    if (!room)
        return ctx_nomem(ctx, "Gabor filters");
    profile q = {.re = room + 2 * length, .im = room + 2 * length + side};
    fill_roots(bank->x.length, room);
    fill_axis(bank, &bank->x, 0.0, room, &q);
    fill_roots(bank->y.length, room);
    fill_axis(bank, &bank->y, 0.5 * PI, room, &q);
    scale_lines(bank);
    mem_free(room);
    return SPD_OK;
}

static void mark_used(gabor_bank *bank)
{
    const size_t length = bank->x.length;
    for (size_t i = 0; i < gabor_bank_filters(bank); i++) {
        const float *wave = bank->x.wave + i * length;
        const float *envelope = bank->x.envelope + i / bank->orientations * length;
        float largest = 0.0F;
        for (size_t f = 0; f < length; f++)
            largest = fmaxf(largest, fabsf(wave[f]));
        for (size_t f = 0; f < length; f++)
            bank->used[i * length + f] =
                fmaxf(fabsf(wave[f]), fabsf(envelope[f])) > NEGLIGIBLE * largest;
    }
}

spd_status gabor_bank_new(spd_context *ctx, size_t width, size_t height, size_t scales,
                          size_t orientations, double kmax, double spacing, double sigma,
                          gabor_bank **bank)
{
    gabor_bank *b = mem_zero(1, sizeof *b);
    if (!b)
        return ctx_nomem(ctx, "Gabor filters");
    *b = (gabor_bank){.scales = scales,
                      .orientations = orientations,
                      .kmax = kmax,
                      .spacing = spacing,
                      .sigma = sigma,
                      .x = {.side = width},
                      .y = {.side = height}};
    spd_status status = check_parameters(ctx, b);
    if (status >= 0)
        status = make_room(ctx, b);
    if (status >= 0)
        status = fill_lines(ctx, b);
    if (status >= 0)
        mark_used(b);
    if (status < 0)
        gabor_bank_free(b);
    else
        *bank = b;
    return status;
}

/* ---- using it ----------------------------------------------------------------------------- */

/* The parts of the scratch. */
typedef struct scratch {
    kiss_fft_cpx *F, *T;    /* x.length x y.length; T is y.length x x.length on the way in */
    kiss_fft_cpx *in, *out; /* longer of the two lengths */
} scratch;

static size_t plane_size(const gabor_bank *bank)
{
    return bank->x.length * bank->y.length;
}

static size_t line_size(const gabor_bank *bank)
{
    return bank->x.length > bank->y.length ? bank->x.length : bank->y.length;
}

size_t gabor_bank_work(const gabor_bank *bank)
{
    return 2 * (plane_size(bank) + line_size(bank)) * sizeof(kiss_fft_cpx);
}

/* s->F <- spectrum of the image */
static void transform_image(const gabor_bank *bank, const double *grey, const scratch *s)
{
    const size_t columns = bank->x.length, rows = bank->y.length;
    memset(s->T, 0, plane_size(bank) * sizeof *s->T);
    memset(s->in, 0, columns * sizeof *s->in);
    for (size_t y = 0; y < bank->y.side; y++) {
        for (size_t x = 0; x < bank->x.side; x++)
            s->in[x].r = (float)grey[y * bank->x.side + x];
        kiss_fft(bank->x.forward, s->in, s->T + y * columns);
    }
    for (size_t f = 0; f < columns; f++)
        kiss_fft_stride(bank->y.forward, s->T + f, s->F + f * rows, (int)columns);
}

/* s->T <- inverse transform along y of the spectrum times that of filter i */
static void filter_columns(const gabor_bank *bank, size_t i, const scratch *s)
{
    const size_t columns = bank->x.length, rows = bank->y.length, v = i / bank->orientations;
    const float *b = bank->y.wave + i * rows, *g = bank->y.envelope + v * rows;
    for (size_t f = 0; f < columns; f++) {
        if (!bank->used[i * columns + f]) {
            memset(s->T + f * rows, 0, rows * sizeof *s->T);
            continue;
        }
        const kiss_fft_cpx *F = s->F + f * rows;
        float wave = bank->x.wave[i * columns + f], flat = bank->x.envelope[v * columns + f];
        for (size_t h = 0; h < rows; h++) {
            float psi = wave * b[h] - flat * g[h];
            s->in[h].r = psi * F[h].r;
            s->in[h].i = psi * F[h].i;
        }
        kiss_fft(bank->y.inverse, s->in, s->T + f * rows);
    }
}

void gabor_bank_apply(const gabor_bank *bank, const double *grey, double *magnitude, void *work)
{
    const size_t width = bank->x.side, height = bank->y.side;
    scratch s = {.F = work};
    s.T = s.F + plane_size(bank);
    s.in = s.T + plane_size(bank);
    s.out = s.in + line_size(bank);
    transform_image(bank, grey, &s);
    for (size_t i = 0; i < gabor_bank_filters(bank); i++) {
        filter_columns(bank, i, &s);
        for (size_t y = 0; y < height; y++) {
            double *row = magnitude + (i * height + y) * width;
            kiss_fft_stride(bank->x.inverse, s.T + y, s.out, (int)bank->y.length);
            for (size_t x = 0; x < width; x++)
                row[x] = (double)sqrtf(s.out[x].r * s.out[x].r + s.out[x].i * s.out[x].i);
        }
    }
}
