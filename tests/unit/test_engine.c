/* test_engine.c - the engines against their slow twin, for every metric and objective: cost and
 * gradient, probes over the whole geodesic, their derivative, steps; the
 * same bits for any number of threads; allocation failures. All but the last two run over the CUDA
 * engine too, where there is a device. */
#define TEST_OWN_MAIN
#include "repeat.h"

#include "fit/engine.h"
#include "run/cuda.h"
#include "engine_rig.h"
#include "twin_engine.h"

static int on_cuda; /* which engine the tests ask for */

/* The engine under test. */
static problem *engine_made(spd_context *ctx, const engine_input *in)
{
    problem *e = NULL;
    spd_status status = on_cuda ? engine_cuda_new(ctx, in, NULL, &e) : engine_cpu_new(ctx, in, &e);
    if (!CHECK(status == SPD_OK, "no engine: %s", ctx ? said(ctx) : ""))
        exit(test_summary() | 1);
    return e;
}

typedef struct setting {
    size_t n, m, p, pairs;
    spd_metric metric;
    spd_objective objective;
    double condition;
    int extra;
} setting;

static const setting settings[] = {
    {8, 3, 11, 20, SPD_METRIC_STEIN, SPD_OBJECTIVE_DIFFERENCE, 100.0, 0},
    {8, 3, 11, 20, SPD_METRIC_AIRM, SPD_OBJECTIVE_DIFFERENCE, 100.0, 0},
    {8, 3, 11, 20, SPD_METRIC_JEFFREY, SPD_OBJECTIVE_DIFFERENCE, 20.0, 0},
    {7, 6, 9, 30, SPD_METRIC_STEIN, SPD_OBJECTIVE_DIFFERENCE, 1e4, 0}, /* m = n - 1 */
    {7, 6, 9, 30, SPD_METRIC_AIRM, SPD_OBJECTIVE_DIFFERENCE, 1e4, 0},
    {6, 1, 40, 90, SPD_METRIC_AIRM, SPD_OBJECTIVE_DIFFERENCE, 10.0, 0},
    {20, 9, 40, 130, SPD_METRIC_STEIN, SPD_OBJECTIVE_DIFFERENCE, 1e3, 1},
    {20, 9, 40, 130, SPD_METRIC_AIRM, SPD_OBJECTIVE_DIFFERENCE, 1e3, 1},
    {8, 3, 6, 8, SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_DIFFERENCE, 100.0, 0},
    {7, 6, 6, 5, SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_DIFFERENCE, 1e4, 0},
    {6, 1, 9, 8, SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_DIFFERENCE, 10.0, 0},
    {10, 4, 9, 7, SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_DIFFERENCE, 1e3, 1},
    {20, 9, 40, 60, SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX, 1e3,
     1}, /* few: some samples have one kind only */
    {8, 3, 11, 60, SPD_METRIC_STEIN, SPD_OBJECTIVE_SOFTMAX, 100.0, 0},
    {8, 3, 11, 60, SPD_METRIC_JEFFREY, SPD_OBJECTIVE_SOFTMAX, 20.0, 0},
    {8, 3, 6, 20, SPD_METRIC_LOG_EUCLIDEAN, SPD_OBJECTIVE_SOFTMAX, 100.0, 0},
    {20, 9, 40, 60, SPD_METRIC_AIRM, SPD_OBJECTIVE_SOFTMAX, 1e3, 1},
    {7, 6, 9, 30, SPD_METRIC_AIRM, SPD_OBJECTIVE_SOFTMAX, 1e4, 0},
};
#define SETTINGS (sizeof settings / sizeof *settings)

static rig rig_new(rng *r, const setting *s)
{
    rig g = rig_make(r, s->n, s->m, s->p, s->pairs, s->condition, s->extra);
    g.in.metric = s->metric;
    g.in.objective = s->objective;
    return g;
}

static double scale_of(const setting *s)
{
    return 1e-13 * s->condition * (double)s->pairs;
}

static void cost_and_gradient(void)
{
    rng r = seeded(1);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        size_t count = settings[i].n * settings[i].m;
        double *G = block(count), *H = block(count), f, h;
        problem *tested = engine_made(NULL, &g.in), *twin = twin_engine_new(&g.in);
        CHECK(tested->start(tested, g.W) == SPD_OK, "start");
        twin->start(twin, g.W);
        tested->cost_grad(tested, &f, G);
        twin->cost_grad(twin, &h, H);
        CHECK_CLOSE(f, h, 1e-11 * fabs(h) + scale_of(&settings[i]), "setting %zu", i);
        CHECK(relative_gap(count, G, H) < 1e-9, "setting %zu", i);
        engine_free(tested);
        engine_free(twin);
    }
}

/* Over three steps: probes, their slope, the step, and the gradient after it. */
static void probes_and_steps(void)
{
    rng r = seeded(2);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        size_t count = settings[i].n * settings[i].m;
        double *G = block(count), *H = block(count);
        problem *tested = engine_made(NULL, &g.in), *twin = twin_engine_new(&g.in);
        tested->start(tested, g.W);
        twin->start(twin, g.W);
        double f, df, h, dh;
        tested->aim(tested, g.U, g.sigma, g.V);
        twin->aim(twin, g.U, g.sigma, g.V);
        for (double t = -1.5; t <= 1.5; t += 0.25) {
            tested->probe(tested, t, &f, &df);
            twin->probe(twin, t, &h, &dh);
            CHECK_CLOSE(f, h, 1e-10 * fabs(h) + scale_of(&settings[i]), "setting %zu t %g", i, t);
            CHECK_CLOSE(df, dh, 1e-8 * fabs(dh) + 10.0 * scale_of(&settings[i]), "setting %zu t %g",
                        i, t);
        }
        /* the step goes where no probe was */
        CHECK(tested->step(tested, 0.37) == SPD_OK, "step");
        twin->step(twin, 0.37);
        tested->cost_grad(tested, &f, G);
        twin->cost_grad(twin, &h, H);
        CHECK_CLOSE(f, h, 1e-10 * fabs(h) + scale_of(&settings[i]), "setting %zu", i);
        CHECK(relative_gap(count, G, H) < 1e-9, "setting %zu", i);
        /* and a fresh start there agrees */
        tested->start(tested, ((twin_engine *)twin)->W);
        tested->cost_grad(tested, &h, H);
        CHECK_CLOSE(f, h, 1e-10 * fabs(h) + scale_of(&settings[i]), "setting %zu", i);
        CHECK(relative_gap(count, G, H) < 1e-9, "setting %zu", i);
        engine_free(tested);
        engine_free(twin);
    }
}

static void slope_is_the_derivative(void)
{
    rng r = seeded(3);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        problem *tested = engine_made(NULL, &g.in);
        double f0, f1, df, other, remainder[2];
        tested->start(tested, g.W);
        tested->aim(tested, g.U, g.sigma, g.V);
        tested->probe(tested, 0.2, &f0, &df);
        for (int k = 0; k < 2; k++) {
            double t = k ? 1e-4 : 1e-3;
            tested->probe(tested, 0.2 + t, &f1, &other);
            remainder[k] = fabs(f1 - f0 - t * df);
        }
        double order = log10(remainder[0] / remainder[1]);
        CHECK(order > 1.8 && order < 2.2, "setting %zu: order %g", i, order);
        engine_free(tested);
    }
}

static void same_bits_for_any_threads(void)
{
    rng r = seeded(4);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        size_t count = settings[i].n * settings[i].m;
        double *G[3], f[3], df[3];
        for (int threads = 1; threads <= 3; threads++) {
            spd_context *ctx = context_on(0);
            problem *tested;
            G[threads - 1] = block(count);
            spd_context_set_threads(ctx, threads);
            tested = engine_made(ctx, &g.in);
            tested->start(tested, g.W);
            tested->aim(tested, g.U, g.sigma, g.V);
            tested->probe(tested, 0.3, &f[threads - 1], &df[threads - 1]);
            tested->step(tested, 0.3);
            tested->cost_grad(tested, &f[threads - 1], G[threads - 1]);
            engine_free(tested);
        }
        for (int k = 1; k < 3; k++) {
            CHECK(f[k] == f[0] && df[k] == df[0], "setting %zu: %d threads", i, k + 1);
            CHECK(memcmp(G[k], G[0], count * sizeof(double)) == 0, "setting %zu", i);
        }
    }
}

/* A direction that is given up after probing leaves the point where it was. */
static void aiming_again_after_probes(void)
{
    rng r = seeded(7);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        problem *tested = engine_made(NULL, &g.in), *twin = twin_engine_new(&g.in);
        double f, df, h, dh;
        tested->start(tested, g.W);
        twin->start(twin, g.W);
        for (int again = 0; again < 3; again++) {
            tested->aim(tested, g.U, g.sigma, g.V);
            twin->aim(twin, g.U, g.sigma, g.V);
            tested->probe(tested, 0.7, &f, &df);
            twin->probe(twin, 0.7, &h, &dh);
            CHECK_CLOSE(f, h, 1e-10 * fabs(h) + scale_of(&settings[i]), "setting %zu, %d", i,
                        again);
        }
        engine_free(tested);
        engine_free(twin);
    }
}

/* What was begun ahead is a hint: a probe there, one elsewhere, a step elsewhere, another aim and
 * the end of it all are as without. */
static void a_probe_begun_ahead_is_a_hint(void)
{
    static const double hints[] = {0.2, 0.7, -0.3};
    rng r = seeded(8);
    for (size_t i = 0; i < SETTINGS; i++) {
        rig g = rig_new(&r, &settings[i]);
        size_t count = settings[i].n * settings[i].m;
        double f[2][3], df[2], *G[2] = {block(count), block(count)};
        for (int hinted = 0; hinted < 2; hinted++) {
            problem *tested = engine_made(NULL, &g.in);
            tested->start(tested, g.W);
            for (int k = 0; k < 3; k++) {
                tested->aim(tested, g.U, g.sigma, g.V);
                if (hinted && tested->ahead)
                    tested->ahead(tested, hints[k]);
                if (k < 2)
                    tested->probe(tested, 0.2, &f[hinted][k], &df[hinted]);
            }
            tested->step(tested, 0.4);
            tested->cost_grad(tested, &f[hinted][2], G[hinted]);
            tested->aim(tested, g.U, g.sigma, g.V);
            if (hinted && tested->ahead)
                tested->ahead(tested, 0.1);
            engine_free(tested);
        }
        for (int k = 0; k < 3; k++)
            CHECK(f[0][k] == f[1][k], "setting %zu, %d: %.17g and %.17g", i, k, f[0][k], f[1][k]);
        CHECK(df[0] == df[1], "setting %zu: %.17g and %.17g", i, df[0], df[1]);
        CHECK(memcmp(G[0], G[1], count * sizeof *G[0]) == 0, "setting %zu: other gradients", i);
    }
}

/* A probe that leaves the cone is NaN and does no harm to the next. */
static void a_failed_probe_is_harmless(void)
{
    rng r = seeded(5);
    rig g = rig_new(&r, &settings[0]);
    problem *tested = engine_made(NULL, &g.in);
    double f, df, again, d;
    tested->start(tested, g.W);
    tested->aim(tested, g.U, g.sigma, g.V);
    tested->probe(tested, 0.1, &f, &df);
    tested->probe(tested, NAN, &again, &d);
    CHECK(isnan(again), "cost at NaN is %g", again);
    tested->probe(tested, 0.1, &again, &d);
    CHECK(again == f && d == df, "%g after a failed probe, %g before", again, f);
    engine_free(tested);
}

static void allocation_failures(void)
{
    rng r = seeded(6);
    for (size_t i = 3; i < SETTINGS; i += SETTINGS - 4) {
        rig g = rig_new(&r, &settings[i]);
        for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
            problem *cpu = NULL;
            s.status = engine_cpu_new(NULL, &g.in, &cpu);
            CHECK_MADE(s, cpu);
            engine_free(cpu);
        }
    }
}

int main(void)
{
    spd_context *ctx = context_on(0);
    char device[200];
    RUN(allocation_failures);
    for (on_cuda = 0; on_cuda < 2; on_cuda++) {
        if (on_cuda && cuda_describe(ctx, device, sizeof device) < 0) {
            test_skip("on CUDA: %s", said(ctx));
            break;
        }
        RUN(cost_and_gradient);
        RUN(probes_and_steps);
        RUN(slope_is_the_derivative);
        RUN(same_bits_for_any_threads);
        RUN(aiming_again_after_probes);
        RUN(a_probe_begun_ahead_is_a_hint);
        RUN(a_failed_probe_is_harmless);
    }
    return test_summary();
}
