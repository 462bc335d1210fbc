/* test_alloc_sweep_geometry.c - every allocation of every geometric function fails once: the call
 * says so, leaks nothing and leaves its outputs alone. */
#include "random_spd.h"
#include "repeat.h"

#define N    5
#define P    40
#define EACH (N * N)
#define ROOM (P * P + P * EACH)

/* Until the call succeeds: SPD_ENOMEM with a message, no leak, its output as it was. */
#define SWEPT(out, call)                                                                           \
    for (sweep_state s = SWEEP(ctx, 1, out, (out) ? ROOM * sizeof(double) : 0); sweep_on(&s);) {   \
        s.what = #call;                                                                            \
        s.status = call;                                                                           \
        CHECK(spd_context_error(ctx)->status == s.status, "it says %s", said(ctx));                \
    }

static spd_status derivative(spd_context *ctx, const spd_set *X, const spd_set *Y, double *out)
{
    double F[P * EACH], spectrum[(P + 7) / 8 * 8 * (N + 1) * N];
    spd_status status = spd_apply_spectrum(ctx, SPD_FUNCTION_LOG, 0.0, X, F, spectrum);
    return status < 0 ? status : spd_apply_derivative(ctx, SPD_FUNCTION_LOG, 0.0, spectrum, Y, out);
}

TEST(functions)
{
    rng r = seeded(1);
    const spd_set *X = SPD_SET(N, P, random_set(&r, N, P, 10.0));
    const spd_set *Y = SPD_SET(N, P, random_set(&r, N, P, 10.0));
    /* Eigenvalues so far apart that the pair goes the general way, which allocates. */
    const double one[4] = {1.0, 0.0, 0.0, 1.0}, far[4] = {1e-12, 0.0, 0.0, 1.0};
    const uint32_t pairs[4] = {0, 1, 1, 2};
    double *out = block(ROOM);
    spd_context *ctx = context_on(0);
    SWEPT(NULL, spd_check(ctx, X, 0.0));
    SWEPT(out, spd_cholesky(ctx, X, out));
    SWEPT(out, spd_logdet(ctx, X, out));
    SWEPT(out, spd_inverse(ctx, X, out));
    SWEPT(out, spd_eigh(ctx, X, out, out + P * N));
    SWEPT(out, spd_eigh_general(ctx, X, Y, out, out + P * N));
    SWEPT(out, spd_congruence(ctx, X, 2, Y->X, out));
    SWEPT(out, spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, X, out));
    SWEPT(out, derivative(ctx, X, Y, out));
    SWEPT(out, spd_pairs_gradient(ctx, SPD_METRIC_STEIN, X, 2, pairs, Y->X, NULL, out));
    SWEPT(out, spd_congruence_gradient(ctx, X, 2, Y->X, X->X, out, NULL));
    SWEPT(out, spd_geodesic(ctx, SPD_METRIC_BURES_WASSERSTEIN, N, X->X, Y->X, 0.3, out));
    SWEPT(out, spd_distance2(ctx, SPD_METRIC_AIRM, 2, one, far, out));
    SWEPT(out, spd_pairwise2(ctx, SPD_METRIC_JEFFREY, X, Y, out));
    SWEPT(out, spd_kernel(ctx, SPD_KERNEL_STEIN, 1.0, X, Y, out));
    SWEPT(out, spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 1.0, X, Y, out));
    for (int m = 0; m < SPD_METRICS; m++)
        SWEPT(out, spd_mean(ctx, (spd_metric)m, X, NULL, out, NULL));
}

/* Finding out why a sample is bad needs memory too: whatever fails, the status is an error. */
TEST(bad_samples)
{
    rng r = seeded(1);
    double *X = random_set(&r, N, P, 10.0), *bad = copy_of(P * EACH, X), *out = block(P * P);
    spd_context *ctx = context_on(0);
    long live = mem_live();
    bad[17 * EACH] = -1.0;
    for (long k = 1; k < 20; k++) {
        mem_fail_at(k);
        spd_status status = spd_apply(ctx, SPD_FUNCTION_POWER, -1.0, SPD_SET(N, P, bad), out);
        mem_fail_at(k);
        spd_status general = spd_eigh_general(ctx, SPD_SET(N, P, X), SPD_SET(N, P, bad), out, NULL);
        mem_fail_at(0);
        CHECK(status == SPD_ENOMEM || status == SPD_ENOTSPD, "%d", (int)status);
        CHECK(general == SPD_ENOMEM || general == SPD_ENOTSPD, "%d", (int)general);
        CHECK(mem_live() == live, "leak at allocation %ld", k);
    }
    CHECK(spd_context_error(ctx)->status == SPD_ENOTSPD && spd_context_error(ctx)->index == 17,
          "%s", said(ctx));
}
