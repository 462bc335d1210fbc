/* lasso_set.c - coordinate descent and Newton steps on a working set. */
#include "classify/lasso_set.h"

#include <math.h>
#include <string.h>

#include "classify/lasso.h"

/* The gap cannot be computed more exactly than this, relative to its terms. */
#define ROUNDING 4e-16

/* Of K_SS, relative to its diagonal and order; raised a hundredfold until there is a factor. */
#define FIRST_RIDGE 1e-15
#define LAST_RIDGE  1e-3

/* Atoms enter when |g| exceeds lambda/2 by more than this share of the most that one does. */
#define ENTRY 0.7

/* Costs in multiplications of a long vector operation: a call of one, and a Newton step beside
 * its s^3/6 for the factor. Measured. */
#define CALL_COST        40.0
#define NEWTON_COST      2000.0
#define NEWTON_COST_SQR  4.0
#define NEWTON_COST_CUBE (1.0 / 12.0)
#define CHANGE_COST_SQR  2.0 /* of an atom that joins or leaves the factor */

/* A factor that differs by a larger share of its atoms is made anew. */
#define MOST_CHANGES 0.25

void lasso_set_make(lasso_set *s, size_t p, arena *keep)
{
    *s = (lasso_set){.kernel = kernels_get(),
                     .atom = arena_alloc(keep, p, sizeof *s->atom),
                     .v = arena_alloc(keep, p, sizeof *s->v),
                     .g = arena_alloc(keep, p, sizeof *s->g),
                     .k = arena_alloc(keep, p, sizeof *s->k),
                     .support = arena_alloc(keep, p, sizeof *s->support),
                     .held = arena_alloc(keep, p, sizeof *s->held),
                     .step = arena_alloc(keep, p, sizeof *s->step),
                     .turn = arena_alloc(keep, p, sizeof *s->turn),
                     .keep = keep};
}

/* The factor is made anew when it is wanted. The old K stays in the arena: with rooms that double
 * these are a third of it at most. */
spd_status lasso_set_grow(lasso_set *s, size_t room)
{
    if (room <= s->room)
        return SPD_OK;
    double *K = room <= s->most ? s->K : arena_alloc(s->keep, room, room * sizeof *K);
    growing_clear(&s->factor);
    if (!K || growing_room(&s->factor, room))
        return SPD_ENOMEM;
    memset(s->held, 0, s->count);
    for (size_t a = s->count; a-- > 0;)
        memmove(K + a * room, s->K + a * s->room, s->count * sizeof *K);
    s->K = K;
    s->room = room;
    s->most = room > s->most ? room : s->most;
    return SPD_OK;
}

void lasso_set_clear(lasso_set *s)
{
    s->count = 0;
    s->room = 0;
    growing_clear(&s->factor);
}

void lasso_set_add(lasso_set *s, size_t atom, double v, double g, double k)
{
    size_t at = s->count++;
    s->atom[at] = atom;
    s->v[at] = v;
    s->held[at] = 0;
    s->g[at] = g;
    s->k[at] = k;
}

void lasso_set_fill(lasso_set *s, size_t first, size_t p, const double *G)
{
    for (size_t a = 0; a < s->count; a++) {
        const double *row = G + s->atom[a] * p;
        for (size_t b = a < first ? first : 0; b < s->count; b++)
            s->K[a * s->room + b] = row[s->atom[b]];
    }
}

/* ---- the gap ------------------------------------------------------------------------------ */

lasso_state lasso_set_state(size_t count, const double *v, const double *g, const double *k,
                            double lambda, double y2, double steepest)
{
    double l1 = 0.0, vk = 0.0, vg = 0.0;
    for (size_t a = 0; a < count; a++) {
        l1 += fabs(v[a]);
        vk += v[a] * k[a];
        vg += v[a] * g[a];
    }
    double r2 = fmax(y2 - vk - vg, 0.0); /* |y - Av|^2, since v'Kv = v'k - v'g */
    double scale = steepest > 0.0 ? lambda / (2.0 * steepest) : 1.0;
    double best = r2 > 0.0 ? fmax(1.0 + vg / r2, 0.0) : 1.0;
    scale = fmin(scale, best);
    lasso_state state = {.objective = lambda * l1 - vk - vg};
    state.gap = (1.0 - scale) * (1.0 - scale) * r2 + lambda * l1 - 2.0 * scale * vg;
    state.target =
        fmax(-LASSO_TOLERANCE * state.objective, ROUNDING * (fabs(vk) + fabs(vg) + lambda * l1));
    return state;
}

static double steepest_of(const lasso_set *s)
{
    double steepest = 0.0;
    for (size_t a = 0; a < s->count; a++)
        if (fabs(s->g[a]) > steepest)
            steepest = fabs(s->g[a]);
    return steepest;
}

/* ---- coordinate descent ------------------------------------------------------------------- */

/* Every atom once, of those with v = 0 the ones with |g| > entry; returns how many moved. */
static size_t sweep(lasso_set *s, double half, double entry)
{
    size_t moved = 0;
    for (size_t a = 0; a < s->count; a++) {
        double size = s->K[a * s->room + a], v = s->v[a];
        if ((v == 0.0 && fabs(s->g[a]) <= entry) || !(size > 0.0))
            continue;
        double z = s->g[a] + size * v;
        double to = z > half ? (z - half) / size : z < -half ? (z + half) / size : 0.0;
        if (to == v)
            continue;
        s->kernel->axpy(s->count, v - to, s->K + a * s->room, s->g);
        s->v[a] = to; /* exactly, zero above all */
        moved++;
    }
    return moved;
}

/* ---- the factor of the support ------------------------------------------------------------ */

static int used(const lasso_set *s, size_t a)
{
    return s->v[a] != 0.0;
}

/* How many atoms are used, and by how many *changes the factor differs from them. */
static size_t find_support(const lasso_set *s, size_t *changes)
{
    size_t count = 0;
    *changes = 0;
    for (size_t a = 0; a < s->count; a++) {
        count += (size_t)used(s, a);
        *changes += used(s, a) != (s->held[a] != 0);
    }
    return count;
}

/* A factor of all used atoms; non-zero when there is none, it is then empty. */
static int make_factor(lasso_set *s, double ridge)
{
    size_t n = 0;
    for (size_t a = 0; a < s->count; a++) {
        s->held[a] = (char)used(s, a);
        if (s->held[a])
            s->support[n++] = a;
    }
    for (size_t i = 0; i < n; i++) {
        const double *row = s->K + s->support[i] * s->room;
        double *to = s->factor.U + i * s->factor.room;
        for (size_t j = i; j < n; j++)
            to[j] = row[s->support[j]];
        to[i] *= 1.0 + ridge;
    }
    s->ridge = ridge;
    if (!growing_make(&s->factor, n))
        return 0;
    memset(s->held, 0, s->count);
    return 1;
}

static void leave(lasso_set *s, size_t i)
{
    s->held[s->support[i]] = 0;
    growing_remove(&s->factor, i);
    memmove(s->support + i, s->support + i + 1, (s->factor.n - i) * sizeof *s->support);
}

static int join(lasso_set *s, size_t a)
{
    size_t n = s->factor.n;
    const double *row = s->K + a * s->room;
    for (size_t i = 0; i < n; i++)
        s->step[i] = row[s->support[i]];
    s->step[n] = row[a] * (1.0 + s->ridge);
    if (growing_append(&s->factor, s->step))
        return 1;
    s->support[n] = a;
    s->held[a] = 1;
    return 0;
}

/* The factor follows the support atom by atom; non-zero when that fails. */
static int change_factor(lasso_set *s)
{
    for (size_t i = s->factor.n; i-- > 0;)
        if (!used(s, s->support[i]))
            leave(s, i);
    for (size_t a = 0; a < s->count; a++)
        if (used(s, a) && !s->held[a] && join(s, a))
            return 1;
    return 0;
}

/* The factor of n used atoms, `changes` away; non-zero when there is none. */
static int renew_factor(lasso_set *s, size_t n, size_t changes)
{
    if ((double)changes < MOST_CHANGES * (double)n && !change_factor(s))
        return 0;
    double ridge = FIRST_RIDGE * (double)n;
    int failed = make_factor(s, ridge);
    while (failed && ridge <= LAST_RIDGE) {
        ridge *= 100.0;
        failed = make_factor(s, ridge);
    }
    return failed;
}

/* ---- Newton ------------------------------------------------------------------------------- */

/* A line v + t d: P falls with slope fall at t = 0, and curve is d'Kd, both halved. */
typedef struct line {
    double fall, curve;
} line;

/* step <- d, turn <- K d, and the line along it. */
static line direction(lasso_set *s, double half)
{
    line l = {0};
    size_t n = s->factor.n;
    for (size_t i = 0; i < n; i++)
        s->step[i] = s->g[s->support[i]] - copysign(half, s->v[s->support[i]]);
    growing_solve(&s->factor, s->step);
    memset(s->turn, 0, s->count * sizeof *s->turn);
    for (size_t i = 0; i < n; i++)
        s->kernel->axpy(s->count, s->step[i], s->K + s->support[i] * s->room, s->turn);
    for (size_t i = 0; i < n; i++) {
        size_t a = s->support[i];
        l.fall += s->step[i] * (s->g[a] - copysign(half, s->v[a]));
        l.curve += s->step[i] * s->turn[a];
    }
    l.curve = fmax(l.curve, 0.0);
    return l;
}

/* The first t > after at which an atom changes sign; INFINITY when none does. */
static double next_crossing(const lasso_set *s, double after, size_t *which)
{
    double first = INFINITY;
    for (size_t i = 0; i < s->factor.n; i++) {
        double t = -s->v[s->support[i]] / s->step[i];
        if (t > after && t < first) {
            first = t;
            *which = i;
        }
    }
    return first;
}

/* The t that minimises P(v + t d), a convex function that is quadratic between changes of sign;
 * *zero <- the place in the support that becomes zero there, or n. *crossed <- are there changes
 * of sign up to there? */
static double along(const lasso_set *s, double half, line l, size_t *zero, int *crossed)
{
    double t = 0.0;
    size_t n = s->factor.n;
    for (size_t changes = 0; changes <= n; changes++) {
        size_t which = n;
        double stop = l.curve > 0.0 ? l.fall / l.curve : INFINITY;
        double crossing = next_crossing(s, t, &which);
        *zero = n;
        *crossed = changes > 0;
        if (stop <= crossing)
            return isfinite(stop) ? fmax(stop, t) : t;
        t = crossing;
        *zero = which;
        *crossed = 1;
        l.fall -= 2.0 * half * fabs(s->step[which]);
        if (l.fall <= t * l.curve)
            return t;
    }
    return t;
}

/* One step; is there a reason for another, signs having changed? */
static int newton_step(lasso_set *s, double half)
{
    line l = direction(s, half);
    size_t zero;
    int crossed;
    if (!(l.fall > 0.0))
        return 0;
    double t = along(s, half, l, &zero, &crossed);
    for (size_t i = 0; i < s->factor.n; i++)
        s->v[s->support[i]] += t * s->step[i];
    s->kernel->axpy(s->count, -t, s->turn, s->g);
    if (zero < s->factor.n) {
        s->v[s->support[zero]] = 0.0;
        leave(s, zero);
    }
    return crossed && s->factor.n > 0;
}

/* Steps on the support of n atoms, the factor being `changes` away. */
static void newton(lasso_set *s, size_t n, size_t changes, double half)
{
    if (renew_factor(s, n, changes))
        return;
    for (size_t step = 0; step < 2 * n && newton_step(s, half); step++)
        ;
}

void lasso_set_settle(lasso_set *s, double lambda)
{
    size_t changes, n = find_support(s, &changes);
    if (n > 0)
        newton(s, n, changes, 0.5 * lambda);
}

/* ---- in turns ----------------------------------------------------------------------------- */

double lasso_newton_cost(size_t n)
{
    double s = (double)n;
    return NEWTON_COST + s * s * (NEWTON_COST_SQR + s * NEWTON_COST_CUBE);
}

double lasso_move_cost(size_t count)
{
    return (double)count + CALL_COST;
}

/* The same where the factor is there but for some changes. */
static double step_cost(size_t n, size_t changes)
{
    double s = (double)n,
           near = NEWTON_COST + s * s * (NEWTON_COST_SQR + CHANGE_COST_SQR * (double)changes);
    return fmin(near, lasso_newton_cost(n));
}

/* Sweeps go on until they have cost as much as a Newton step would: whichever is better suited to
 * this problem, not more than twice its cost is spent. Only the steepest atoms may enter at a time:
 * where atoms are alike, all would enter, and leave again one by one. */
size_t lasso_set_descend(lasso_set *s, double lambda, double y2, double loose, size_t sweeps)
{
    double spent = 0.0, half = 0.5 * lambda, steepest = steepest_of(s);
    size_t done = 0;
    while (done < sweeps) {
        size_t moved = sweep(s, half, half + ENTRY * fmax(steepest - half, 0.0));
        done++;
        steepest = steepest_of(s);
        lasso_state state = lasso_set_state(s->count, s->v, s->g, s->k, lambda, y2, steepest);
        if (state.gap <= fmax(loose, 0.5 * state.target) || moved == 0)
            break;
        spent += (double)moved * lasso_move_cost(s->count);
        size_t changes = 0, n = spent > NEWTON_COST ? find_support(s, &changes) : 0;
        if (n && spent > step_cost(n, changes)) {
            newton(s, n, changes, half);
            steepest = steepest_of(s);
            spent = 0.0;
        }
    }
    return done;
}
