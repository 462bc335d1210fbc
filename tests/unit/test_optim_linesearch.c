/* test_optim_linesearch.c - the line search on functions of one variable: smooth ones, ones that
 * end at a cliff, and ones that cannot be lowered. */
#include "test.h"

#include "optim/linesearch.h"

#define WAVES 4

/* f(t) = bowl t^2 + sum a cos(w t + phase) - barrier ln(1 - t/cliff); NaN from the cliff on. */
typedef struct curve {
    double bowl, a[WAVES], w[WAVES], phase[WAVES], barrier, cliff, offset;
    double lie; /* added to the derivative */
    int abyss;  /* -Inf, flat, in place of NaN */
    int probes, fail_at;
    double last;
} curve;

static spd_status curve_probe(void *user, double t, double *f, double *df)
{
    curve *c = user;
    c->last = t;
    *f = c->offset + c->bowl * t * t;
    *df = 2.0 * c->bowl * t + c->lie;
    for (int k = 0; k < WAVES; k++) {
        *f += c->a[k] * cos(c->w[k] * t + c->phase[k]);
        *df -= c->a[k] * c->w[k] * sin(c->w[k] * t + c->phase[k]);
    }
    if (c->cliff > 0.0) {
        *f = t < c->cliff ? *f - c->barrier * log(1.0 - t / c->cliff) : NAN;
        *df += c->barrier / (c->cliff - t);
    }
    if (c->abyss && t >= c->cliff) {
        *f = -INFINITY;
        *df = 0.0;
    }
    return ++c->probes == c->fail_at ? SPD_ENOTSPD : SPD_OK;
}

/* Falls at 0. */
static curve random_curve(rng *r)
{
    curve c = {.bowl = 0.05 + rng_uniform(r)};
    double f, df;
    for (int k = 0; k < WAVES; k++) {
        c.a[k] = rng_normal(r);
        c.w[k] = 3.0 * rng_uniform(r);
        c.phase[k] = 6.3 * rng_uniform(r);
    }
    curve_probe(&c, 0.0, &f, &df);
    if (df > 0.0)
        for (int k = 0; k < WAVES; k++)
            c.a[k] = -c.a[k];
    c.probes = 0;
    return c;
}

static line_result search_curve(const line_rule *rule, curve *c, double trial, double *f0,
                                double *df0)
{
    line_result found;
    curve_probe(c, 0.0, f0, df0);
    c->probes = 0;
    CHECK(line_search(rule, curve_probe, c, *f0, *df0, trial, &found) == SPD_OK, "status");
    CHECK(found.probes == c->probes && c->probes <= rule->max_probes + 1, "%d probes", c->probes);
    return found;
}

static void check_wolfe(const line_rule *rule, const curve *c, const line_result *x, double f0,
                        double df0, int seed)
{
    CHECK(x->found, "curve %d", seed);
    CHECK(x->at.t > 0.0 && x->at.t <= rule->longest && x->at.t == c->last, "curve %d", seed);
    CHECK(x->at.f <= f0 + rule->decrease * x->at.t * df0, "curve %d: %g from %g", seed, x->at.f,
          f0);
    CHECK(fabs(x->at.df) <= -rule->curvature * df0 || x->at.t == rule->longest,
          "curve %d: slope %g from %g at %g", seed, x->at.df, df0, x->at.t);
}

TEST(wolfe_holds_on_smooth_curves)
{
    int probes = 0;
    for (int seed = 0; seed < 3000; seed++) {
        rng r = seeded((uint64_t)seed);
        curve c = random_curve(&r);
        line_rule rule = {1e-4, seed % 2 ? 0.1 : 0.4, seed % 3 ? 1e3 : 0.7, 25};
        double trial = exp(3.0 * rng_normal(&r)), f0, df0;
        line_result x = search_curve(&rule, &c, trial, &f0, &df0);
        check_wolfe(&rule, &c, &x, f0, df0, seed);
        probes += x.probes;
    }
    CHECK(probes < 3000 * 6, "%g probes each", probes / 3000.0);
}

/* The barrier makes a minimum before the cliff; trials beyond it are failed probes. */
TEST(wolfe_holds_before_a_cliff)
{
    for (int seed = 0; seed < 2000; seed++) {
        rng r = seeded((uint64_t)(5000 + seed));
        curve c = random_curve(&r);
        line_rule rule = {1e-4, 0.3, 1e3, 25};
        double f0, df0;
        c.cliff = exp(rng_normal(&r));
        c.barrier = 0.1;
        curve_probe(&c, 0.0, &f0, &df0);
        if (df0 >= 0.0) /* the barrier is too steep for this one */
            continue;
        line_result x =
            search_curve(&rule, &c, c.cliff * (0.5 + 20.0 * rng_uniform(&r)), &f0, &df0);
        check_wolfe(&rule, &c, &x, f0, df0, seed);
        CHECK(x.at.t < c.cliff, "curve %d", seed);
    }
}

static const line_rule usual = {1e-4, 0.1, 1e3, 25};

/* f falls right up to the cliff: nothing flat exists, the lowest point seen is taken. */
TEST(falls_up_to_a_cliff)
{
    curve c = {.bowl = -1.0, .cliff = 1.0};
    line_result x;
    CHECK(line_search(&usual, curve_probe, &c, 0.0, -1e-3, 5.0, &x) == SPD_OK, "status");
    CHECK(x.found && x.at.t < 1.0 && x.at.t > 0.5 && isfinite(x.at.f), "t = %g", x.at.t);
    CHECK(x.at.t == c.last && x.probes <= 26, "%d probes", x.probes);
}

TEST(accepts_the_longest_step_while_falling)
{
    curve c = {.bowl = 1.0, .a = {10.0}, .w = {0.01}, .phase = {1.0}};
    line_rule rule = {1e-4, 0.1, 1e-3, 25};
    double f0, df0;
    line_result x = search_curve(&rule, &c, 1e-4, &f0, &df0);
    CHECK(x.found && x.at.t == rule.longest && x.at.f < f0, "t = %g", x.at.t);
}

TEST(never_accepts_nan)
{
    curve c = {.bowl = 1.0, .cliff = 1e-300};
    line_result x;
    CHECK(line_search(&usual, curve_probe, &c, 0.0, -1.0, 1.0, &x) == SPD_OK, "status");
    CHECK(!x.found && x.probes == c.probes && x.probes <= 25, "%d probes", x.probes);
}

TEST(never_accepts_infinity)
{
    curve c = {.bowl = 1.0, .lie = -1.0, .cliff = 10.0, .abyss = 1};
    line_result x;
    CHECK(line_search(&usual, curve_probe, &c, 0.0, -1.0, 20.0, &x) == SPD_OK, "status");
    CHECK(!x.found || isfinite(x.at.f), "f = %g at %g", x.at.f, x.at.t);
    CHECK(c.probes > 1, "it went on looking");
}

TEST(says_when_nothing_descends)
{
    curve c = {.bowl = 1.0};
    line_result x;
    CHECK(line_search(&usual, curve_probe, &c, 0.0, -1.0, 1.0, &x) == SPD_OK, "status");
    CHECK(!x.found && x.probes <= 25, "t = %g", x.at.t);
}

/* Far up, differences of f are rounding; the slopes are still good. */
TEST(works_where_costs_are_rounded)
{
    curve c = {.bowl = 1.0, .offset = 1e9, .lie = -2e-5};
    double f0, df0;
    line_result x = search_curve(&usual, &c, 1e-4, &f0, &df0);
    CHECK(x.found && fabs(x.at.t - 1e-5) <= 1e-6, "t = %g", x.at.t);
}

TEST(passes_a_status_on)
{
    line_rule rule = {1e-4, 0.01, 1e3, 25};
    for (int k = 1; k <= 2; k++) {
        curve c = {.bowl = 1.0, .a = {1.0}, .w = {1.0}, .phase = {1.0}, .fail_at = k};
        line_result x;
        CHECK(line_search(&rule, curve_probe, &c, cos(1.0), -sin(1.0), 50.0, &x) == SPD_ENOTSPD,
              "probe %d", k);
        CHECK(x.probes == k && !x.found, "%d probes", x.probes);
    }
}

/* t^3 - 3 t has its minimum at 1. */
TEST(cubic_is_exact)
{
    line_point a = {0.2, 0.008 - 0.6, 0.12 - 3.0}, b = {3.0, 18.0, 24.0};
    CHECK_CLOSE(line_cubic(&a, &b), 1.0, 1e-14, "forwards");
    CHECK_CLOSE(line_cubic(&b, &a), 1.0, 1e-14, "backwards");
}
