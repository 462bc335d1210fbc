/* derivatives.c - functions of sets of matrices together with what their derivatives need, and
 * those.
 *
 * A spectrum is, octet after octet, eigenvectors (n x n x 8) and eigenvalues (n x 8), as the kernels
 * have them: nobody else looks into it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geometry/spdfun.h"
#include "ops/batch.h"

/* Doubles of one octet. */
static size_t spectrum_octet(size_t n)
{
    return (n * n + n) * LANES;
}

size_t spd_spectrum_size(size_t n, size_t p)
{
    return (p + LANES - 1) / LANES * spectrum_octet(n);
}

/* ---- the function ---------------------------------------------------------------------------- */

typedef struct spectrum_batch {
    batch b;
    double *to;         /* the spectrum, of the function */
    const double *from; /* the same, of its derivative */
} spectrum_batch;

static unsigned spectrum_body(void *user, size_t first, size_t count, double *work)
{
    const spectrum_batch *s = user;
    size_t n = s->b.n, full = n * n * LANES, each = n * LANES, tri = TRI(n) * LANES;
    double *given = work + BATCH_OCTETS * tri, *Z = given + BATCH_OCTETS * tri;
    double *lambda = Z + BATCH_OCTETS * full, *rest = lambda + BATCH_OCTETS * each;
    double *to = s->to + first / LANES * spectrum_octet(n);
    unsigned bad[BATCH_OCTETS];
    size_t used = octets_pack(s->b.k, n, first, count, s->b.X, work);
    memcpy(given, work, used * tri * sizeof *work);
    spdfun_spectrum(s->b.k, s->b.f, s->b.power, n, used, work, lambda, Z, bad, rest);
    for (size_t g = 0; g < used && spdfun_needs_spd(s->b.f); g++)
        bad[g] |= spdfun_judge(s->b.k, n, given + g * tri, lambda + g * each, rest);
    octets_unpack(s->b.k, n, first, count, work, s->b.result);
    for (size_t g = 0; g < used; g++, to += full + each) {
        memcpy(to, Z + g * full, full * sizeof *to);
        memcpy(to + full, lambda + g * each, each * sizeof *to);
    }
    return octets_mask(used, bad, count);
}

/* out[0] <- f(X), out[1] <- the spectrum. */
static spd_status spectrum_here(spd_context *ctx, const set_job *j)
{
    size_t n = j->X->n, bad = SPD_NO_INDEX;
    spectrum_batch s = {.b = apply_batch(j),
                        .to = mem_alloc(spd_spectrum_size(n, j->X->p), sizeof(double))};
    if (!s.to)
        return ctx_nomem(ctx, j->task);
    size_t work = BATCH_OCTETS * (2 * TRI(n) + n + n * n) * LANES + spdfun_spectrum_work(n);
    spd_status status = batch_run(ctx, &s.b, spectrum_body, work, &bad);
    if (status == SPD_ENUMERIC)
        status = apply_explain(ctx, &s.b, bad);
    if (status == SPD_OK) {
        memcpy(j->out[0], s.b.result, j->bytes[0]);
        memcpy(j->out[1], s.to, spd_spectrum_size(n, j->X->p) * sizeof(double));
    }
    mem_free(s.b.result);
    mem_free(s.to);
    return status;
}

/* A job of the processor, on matrices and with results (p x n x n) of that size. */
static set_job job_of(const spd_set *X, spd_function f, double power, double *out)
{
    return (set_job){.of = OPERATION_OTHER,
                     .task = "functions",
                     .unit = "matrices",
                     .X = X,
                     .f = f,
                     .power = power,
                     .out = {out},
                     .bytes = {X->p * X->n * X->n * sizeof *out}};
}

spd_status spd_apply_spectrum(spd_context *ctx, spd_function f, double power, const spd_set *given,
                              double *F, double *spectrum)
{
    spd_set X;
    spd_status status = batch_take(ctx, given, F, &X);
    if (status == SPD_OK)
        status = apply_check(ctx, f, power);
    if (status == SPD_OK && (!spectrum || X.place == SPD_PLACE_DEVICE))
        status = ctx_fail(ctx, SPD_EINVAL,
                          spectrum ? "a spectrum is made of matrices on the host"
                                   : "the array for the spectrum is missing");
    if (status < 0)
        return status;
    set_job j = job_of(&X, f, power, F);
    j.out[1] = spectrum;
    j.here = spectrum_here;
    return job_run(ctx, &j);
}

/* ---- its derivative -------------------------------------------------------------------------- */

/* octet <- the symmetric parts of count matrices (n x n) of G. parts: n n 8 doubles. */
static void pack_symmetric(const kernels *k, size_t n, size_t count, const double *G, double *octet,
                           double *parts)
{
    const double *in[LANES];
    for (size_t i = 0; i < count; i++, G += n * n, parts += n * n) {
        in[i] = parts;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++)
                parts[r * n + c] = 0.5 * (G[r * n + c] + G[c * n + r]);
    }
    k->pack(n, count, in, octet);
}

static unsigned derivative_body(void *user, size_t first, size_t count, double *work)
{
    const spectrum_batch *d = user;
    size_t n = d->b.n, last = first + count;
    double *Z = work + TRI(n) * LANES, *scratch = Z + spectrum_octet(n);
    for (; first < last; first += LANES) {
        const double *from = d->from + first / LANES * spectrum_octet(n);
        size_t lanes = last - first < LANES ? last - first : LANES;
        pack_symmetric(d->b.k, n, lanes, d->b.X + first * n * n, work, Z);
        memcpy(Z, from, spectrum_octet(n) * sizeof *Z); /* which is aligned */
        spdfun_derivative(d->b.k, d->b.f, d->b.power, n, Z + n * n * LANES, Z, work, scratch);
        octets_unpack(d->b.k, n, first, lanes, work, d->b.result);
    }
    return 0;
}

static spd_status derivative_here(spd_context *ctx, const set_job *j)
{
    size_t n = j->X->n, bad = SPD_NO_INDEX;
    spectrum_batch d = {.b = apply_batch(j), .from = j->user};
    size_t work = TRI(n) * LANES + spectrum_octet(n) + spdfun_derivative_work(n);
    spd_status status = batch_run(ctx, &d.b, derivative_body, work, &bad);
    if (status == SPD_OK)
        memcpy(j->out[0], d.b.result, j->bytes[0]);
    mem_free(d.b.result);
    return status;
}

spd_status spd_apply_derivative(spd_context *ctx, spd_function f, double power,
                                const double *spectrum, const spd_set *given, double *D)
{
    spd_set G;
    ctx_clear(ctx);
    spd_status status = set_take(ctx, "G", given, &G);
    if (status == SPD_OK)
        status = apply_check(ctx, f, power);
    if (status == SPD_OK && (!D || !spectrum))
        status =
            ctx_fail(ctx, SPD_EINVAL, "the %s is missing", spectrum ? "output array" : "spectrum");
    if (status < 0)
        return status;
    set_job j = job_of(&G, f, power, D);
    j.user = spectrum;
    j.here = derivative_here;
    return job_run(ctx, &j);
}
