/* test_alloc_sweep_geometry.c - every allocation of every geometric function fails once: the call
 * says so, leaks nothing and leaves its outputs alone. */
#include "random_spd.h"
#include "repeat.h"

#define N    5
#define P    40
#define EACH (N * N)

typedef struct input {
    double *X, *Y, *bad; /* P x N x N; bad[17] is indefinite */
} input;

typedef spd_status (*call)(spd_context *ctx, const input *in, double *out);

static spd_status call_check(spd_context *ctx, const input *in, double *out)
{
    spd_status status = spd_check(ctx, SPD_SET(N, P, in->X), 0.0);
    out[0] = status == SPD_OK ? 1.0 : out[0]; /* it has no output */
    return status;
}

static spd_status call_cholesky(spd_context *ctx, const input *in, double *out)
{
    return spd_cholesky(ctx, SPD_SET(N, P, in->X), out);
}

static spd_status call_logdet(spd_context *ctx, const input *in, double *out)
{
    return spd_logdet(ctx, SPD_SET(N, P, in->X), out);
}

static spd_status call_inverse(spd_context *ctx, const input *in, double *out)
{
    return spd_inverse(ctx, SPD_SET(N, P, in->X), out);
}

static spd_status call_eigh(spd_context *ctx, const input *in, double *out)
{
    return spd_eigh(ctx, SPD_SET(N, P, in->X), out, out + P * N);
}

static spd_status call_general(spd_context *ctx, const input *in, double *out)
{
    return spd_eigh_general(ctx, SPD_SET(N, P, in->X), SPD_SET(N, P, in->Y), out, out + P * N);
}

static spd_status call_congruence(spd_context *ctx, const input *in, double *out)
{
    return spd_congruence(ctx, SPD_SET(N, P, in->X), 2, in->Y, out);
}

static spd_status call_apply(spd_context *ctx, const input *in, double *out)
{
    return spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, in->X), out);
}

static spd_status call_spectrum(spd_context *ctx, const input *in, double *out)
{
    double F[P * EACH], spectrum[(P + 7) / 8 * 8 * (N + 1) * N];
    spd_status status =
        spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, SPD_SET(N, P, in->X), F, spectrum);
    return status < 0 ? status
                      : spd_apply_derivative(ctx, SPD_FUNCTION_LOG, 0.0, spectrum,
                                             SPD_SET(N, P, in->Y), out);
}

static spd_status call_pairs(spd_context *ctx, const input *in, double *out)
{
    const uint32_t pairs[4] = {0, 1, 1, 2};
    return spd_pairs_gradient(ctx, SPD_METRIC_STEIN, SPD_SET(N, P, in->X), 2, pairs, in->Y, NULL,
                              out);
}

static spd_status call_congruence_gradient(spd_context *ctx, const input *in, double *out)
{
    return spd_congruence_gradient(ctx, SPD_SET(N, P, in->X), 2, in->Y, in->X, out, NULL);
}

static spd_status call_geodesic(spd_context *ctx, const input *in, double *out)
{
    return spd_geodesic(ctx, SPD_METRIC_BURES_WASSERSTEIN, N, in->X, in->Y, 0.3, out);
}

/* Eigenvalues so far apart that the pair goes the general way, which allocates. */
static spd_status call_distance(spd_context *ctx, const input *in, double *out)
{
    const double X[4] = {1.0, 0.0, 0.0, 1.0}, Y[4] = {1e-12, 0.0, 0.0, 1.0};
    (void)in;
    return spd_distance2(ctx, SPD_METRIC_AIRM, 2, X, Y, out);
}

static spd_status call_pairwise(spd_context *ctx, const input *in, double *out)
{
    return spd_pairwise2(ctx, SPD_METRIC_JEFFREY, SPD_SET(N, P, in->X), SPD_SET(N, P, in->Y), out);
}

static spd_status call_stein_kernel(spd_context *ctx, const input *in, double *out)
{
    return spd_kernel(ctx, SPD_KERNEL_STEIN, 1.0, SPD_SET(N, P, in->X), SPD_SET(N, P, in->Y), out);
}

static spd_status call_log_kernel(spd_context *ctx, const input *in, double *out)
{
    return spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 1.0, SPD_SET(N, P, in->X),
                      SPD_SET(N, P, in->Y), out);
}

/* Until the call succeeds: SPD_ENOMEM with a message, no leak, out as it was. */
static void sweep(const char *name, call c, const input *in)
{
    size_t room = (P * P + P * EACH) * sizeof(double);
    double *out = take(room);
    spd_context *ctx = context_on(0);
    for (sweep_state s = SWEEP(ctx, 1, out, room); sweep_on(&s);) {
        s.what = name;
        s.status = c(ctx, in, out);
    }
    CHECK(spd_context_error(ctx)->status == SPD_OK, "%s still says %s", name, said(ctx));
}

static input make_input(void)
{
    rng r = seeded(1);
    input in = {random_set(&r, N, P, 10.0), random_set(&r, N, P, 10.0), NULL};
    in.bad = copy_of(P * EACH, in.X);
    in.bad[17 * EACH] = -1.0;
    return in;
}

TEST(functions)
{
    const struct {
        const char *name;
        call c;
    } calls[] = {{"check", call_check},
                 {"cholesky", call_cholesky},
                 {"logdet", call_logdet},
                 {"inverse", call_inverse},
                 {"eigh", call_eigh},
                 {"eigh_general", call_general},
                 {"congruence", call_congruence},
                 {"apply", call_apply},
                 {"derivative", call_spectrum},
                 {"pairs", call_pairs},
                 {"congruence gradient", call_congruence_gradient},
                 {"geodesic", call_geodesic},
                 {"distance2", call_distance},
                 {"pairwise2", call_pairwise},
                 {"stein kernel", call_stein_kernel},
                 {"log-Euclidean kernel", call_log_kernel}};
    input in = make_input();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sweep(calls[i].name, calls[i].c, &in);
}

static spd_metric mean_metric;

static spd_status call_mean(spd_context *ctx, const input *in, double *out)
{
    return spd_mean(ctx, mean_metric, SPD_SET(N, P, in->X), NULL, out, NULL);
}

TEST(means)
{
    input in = make_input();
    for (int m = 0; m < SPD_METRICS; m++) {
        mean_metric = (spd_metric)m;
        sweep(METRIC_NAME(mean_metric), call_mean, &in);
    }
}

/* Finding out why a sample is bad needs memory too: whatever fails, the status is an error. */
TEST(bad_samples)
{
    input in = make_input();
    double *out = block(P * P);
    spd_context *ctx = context_on(0);
    long live = mem_live();
    for (long k = 1; k < 20; k++) {
        mem_fail_at(k);
        spd_status status = spd_apply(ctx, SPD_FUNCTION_POWER, -1.0, SPD_SET(N, P, in.bad), out);
        mem_fail_at(k);
        spd_status general =
            spd_eigh_general(ctx, SPD_SET(N, P, in.X), SPD_SET(N, P, in.bad), out, NULL);
        mem_fail_at(0);
        CHECK(status == SPD_ENOMEM || status == SPD_ENOTSPD, "%d", (int)status);
        CHECK(general == SPD_ENOMEM || general == SPD_ENOTSPD, "%d", (int)general);
        CHECK(mem_live() == live, "leak at allocation %ld", k);
    }
    CHECK(spd_context_error(ctx)->status == SPD_ENOTSPD && spd_context_error(ctx)->index == 17,
          "%s", said(ctx));
}
