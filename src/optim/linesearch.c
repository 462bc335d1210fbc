/* linesearch.c - bracket a minimum, narrow the bracket until the strong Wolfe conditions hold. */
#include "optim/linesearch.h"

#include <math.h>

/* Relative difference of two costs that may be rounding. */
#define COST_ROUNDING 1e-14

/* A trial stays inside the bracket by these parts of its width, at the low and the high end. */
#define MARGIN_LOW  0.02
#define MARGIN_HIGH 0.1

/* A bracket that keeps more than this part of its width is halved next. */
#define SLOW 0.7

/* How much further to look while f falls, as multiples of the last stride. */
#define STRIDE_LEAST 0.2
#define STRIDE_MOST  9.0

/* Part of the way to a failed probe that is tried next. */
#define RETREAT 0.25

/* low is the lowest point so far with the first condition; once bounded, a minimum lies between
 * low and high, whichever is the larger t. */
typedef struct search {
    const line_rule *rule;
    line_point start, low, high, before; /* before: the low point before this one */
    int bounded;
    int blind;    /* the probe at high failed: only its t is known */
    double width; /* of the bracket when it was last narrowed */
    double noise; /* differences of f below it mean nothing */
} search;

double line_cubic(const line_point *a, const line_point *b)
{
    double slope = (b->f - a->f) / (b->t - a->t), mid = a->df + b->df - 3.0 * slope;
    double root = copysign(sqrt(mid * mid - a->df * b->df), b->t - a->t);
    return b->t - (b->t - a->t) * (b->df + root - mid) / (b->df - a->df + 2.0 * root);
}

static double interpolate(const search *s, const line_point *a, const line_point *b)
{
    double t = fabs(a->f - b->f) > 10.0 * s->noise ? line_cubic(a, b) : NAN;
    if (isfinite(t))
        return t;
    return b->t - b->df * (b->t - a->t) / (b->df - a->df); /* where a straight f' is zero */
}

static int flat_enough(const search *s, const line_point *x)
{
    return fabs(x->df) <= -s->rule->curvature * s->start.df;
}

static int falls_enough(const search *s, const line_point *x)
{
    double line = s->start.f + s->rule->decrease * x->t * s->start.df;
    return x->f <= line || (x->f <= s->start.f + s->noise && flat_enough(s, x));
}

/* x is the new low point; the minimum lies on the side of it where f falls. */
static void lower(search *s, const line_point *x)
{
    double onward = s->bounded ? s->high.t - s->low.t : 1.0;
    if (x->df * onward >= 0.0) {
        s->high = s->low;
        s->bounded = 1;
        s->blind = 0;
    }
    s->before = s->low;
    s->low = *x;
}

static void bound(search *s, const line_point *x, int blind)
{
    s->high = *x;
    s->bounded = 1;
    s->blind = blind;
}

/* Takes in the probe x; non-zero when it is accepted. */
static int take(search *s, const line_point *x)
{
    if (!isfinite(x->f) || !isfinite(x->df)) {
        bound(s, x, 1);
        return 0;
    }
    if (!falls_enough(s, x) || x->f > s->low.f + s->noise) {
        bound(s, x, 0);
        return 0;
    }
    if (flat_enough(s, x) || (!s->bounded && x->df < 0.0 && x->t >= s->rule->longest))
        return 1;
    lower(s, x);
    return 0;
}

/* The next t inside the bracket. */
static double narrow(search *s)
{
    double width = s->high.t - s->low.t, part;
    int slow = fabs(width) > SLOW * s->width;
    s->width = fabs(width);
    if (s->blind)
        return s->low.t + RETREAT * width;
    part = slow ? 0.5 : (interpolate(s, &s->low, &s->high) - s->low.t) / width;
    if (!isfinite(part))
        part = 0.5;
    return s->low.t + fmin(fmax(part, MARGIN_LOW), 1.0 - MARGIN_HIGH) * width;
}

/* The next t beyond low, where f still falls. */
static double widen(const search *s)
{
    double stride = s->low.t - s->before.t;
    double onward = (interpolate(s, &s->before, &s->low) - s->low.t) / stride;
    if (!isfinite(onward) || onward <= 0.0)
        onward = STRIDE_MOST;
    onward = fmin(fmax(onward, STRIDE_LEAST), STRIDE_MOST);
    return fmin(s->low.t + onward * stride, s->rule->longest);
}

/* Out of probes: the low point will do if it is lower by more than rounding, but it must be the
 * last probed. */
static spd_status settle(const search *s, line_fn probe, void *user, line_result *result)
{
    spd_status status = SPD_OK;
    if (s->low.f < s->start.f - s->noise) {
        line_point x = {.t = s->low.t};
        status = probe(user, x.t, &x.f, &x.df);
        result->probes++;
        result->at = x;
        result->found = !status && isfinite(x.f) && isfinite(x.df);
    }
    return status;
}

spd_status line_search(const line_rule *rule, line_fn probe, void *user, double f, double df,
                       double trial, line_result *result)
{
    search s = {.rule = rule, .start = {0.0, f, df}, .width = INFINITY};
    line_point x = {.t = fmin(trial, rule->longest)};
    s.low = s.before = s.start;
    s.noise = COST_ROUNDING * fabs(f);
    result->found = result->probes = 0;
    /* until no t in the bracket is different from its ends in a way that matters */
    while (result->probes < rule->max_probes &&
           !(s.bounded && fabs(s.high.t - s.low.t) <= 1e-15 * fmax(s.high.t, s.low.t))) {
        spd_status status = probe(user, x.t, &x.f, &x.df);
        result->probes++;
        if (status)
            return status;
        if (take(&s, &x)) {
            result->at = x;
            result->found = 1;
            return SPD_OK;
        }
        x.t = s.bounded ? narrow(&s) : widen(&s);
    }
    return settle(&s, probe, user, result);
}
