/* lasso.c - the two ways of sparse coding, and the growing working set of the first.
 *
 * Where few atoms take part in a code, the problem is solved on a working set (lasso_set.h), first
 * loosely; the gradient over all atoms then tells the gap and which atoms are missing, those with
 * |g_j| > lambda/2. The steepest of them join, so many that the set about doubles.
 *
 * Where most atoms take part, the dual is the smaller problem (lasso_dual.h): with 118 and 600
 * atoms and lambda 1e-3 it codes 57 and 128 times as many queries a second (bench_rsr), and tuning
 * rsr on 205 matrices of textures takes half the time. Which of the two it will be is foretold by
 * Q k, the code without penalty: the penalty moves entry j by lambda/2 times row j of Q times a
 * vector of signs, so by about lambda/2 times the length of the row; entries smaller than that will
 * be zero.
 *
 * A K without an inverse (kernels of many samples are nearly singular) gets a small shift on its
 * diagonal, and v is found by proximal steps, v <- argmin P(v) + shift |v - c|^2, each by the dual
 * of K + shift I; c runs ahead of v (Nesterov, Gueler 1992). Five to a hundred of them reach the gap.
 * Where they are slow, and no atom comes into use any more or goes out of it, the minimum over those
 * in use is found by the factor of their part of K. That this is the way shows while the working set
 * grows. */
#include "classify/lasso.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "classify/lasso_dual.h"
#include "classify/lasso_set.h"
#include "linalg/kernels.h"
#include "linalg/tall.h"

/* ---- both ways ------------------------------------------------------------------------------ */

#define FIRST_ROOM  64
#define FIRST_ATOMS 16 /* that join at once, at least */
#define MOST_SWEEPS 20000
#define MOST_ROUNDS 1000
#define MOST_IDLE   20 /* rounds without a smaller gap: rounding keeps it from falling */

/* A round ends when the gap within the set is this share of the gap of the round before. */
#define LOOSE 0.3

/* The dual is tried when at most this share of the code seems to be zero. */
#define FEW_ZEROS 0.85

/* In one solution of the dual, and in one of many steps, with a larger share of free h_j the other
 * way is the better one. */
#define MOST_FREE    0.9
#define MOST_IN_STEP 0.65

#define MOST_STEPS 400
#define IDLE_STEPS 25 /* without a smaller gap: they go round in circles */

/* The cost of a step: so many times p^2, in the unit of lasso_newton_cost. Measured. */
#define STEP_COST 6.0

/* When the set has come to this share of the atoms, and this share are twice as steep as they may
 * be in the end, the code will use most of them; or when it uses a larger share, and this one is used
 * or too steep. */
#define SHARE_BEGUN 0.1
#define SHARE_STEEP 0.5
#define SHARE_USED  0.2
#define SHARE_SEEN  0.6

/* ---- room --------------------------------------------------------------------------------- */

struct lasso {
    arena room; /* all of it, this struct too */
    size_t p;
    /* the queries at hand */
    const lasso_dictionary *dictionary;
    double lambda;
    const double *k;
    double *plain;  /* LASSO_BATCH x p: Q k */
    double *sign;   /* LASSO_BATCH x p: its signs */
    double *pushed; /* LASSO_BATCH x p: Q times these */
    /* one query */
    double *v, *g;          /* p: code, k - Kv */
    double *size;           /* p: scratch of the choice of atoms */
    double *centre, *slope; /* p: of a proximal step, and the gradient there */
    char *inside;           /* p: is in the set */
    lasso_set set;
    lasso_dual dual;
    /* what is handed out */
    double *value; /* p */
    size_t *atom;  /* p */
};

lasso *lasso_new(size_t p)
{
    arena room = {0};
    lasso *l = arena_zero(&room, 1, sizeof *l);
    if (!l)
        return NULL;
    l->room = room;
    l->p = p;
    l->plain = arena_alloc(&l->room, LASSO_BATCH * sizeof *l->plain, p);
    l->sign = arena_alloc(&l->room, LASSO_BATCH * sizeof *l->sign, p);
    l->pushed = arena_alloc(&l->room, LASSO_BATCH * sizeof *l->pushed, p);
    l->v = arena_alloc(&l->room, p, sizeof *l->v);
    l->g = arena_alloc(&l->room, p, sizeof *l->g);
    l->size = arena_alloc(&l->room, p, sizeof *l->size);
    l->centre = arena_alloc(&l->room, p, sizeof *l->centre);
    l->slope = arena_alloc(&l->room, p, sizeof *l->slope);
    l->inside = arena_alloc(&l->room, p, sizeof *l->inside);
    l->value = arena_alloc(&l->room, p, sizeof *l->value);
    l->atom = arena_alloc(&l->room, p, sizeof *l->atom);
    lasso_dual_make(&l->dual, p, &l->room);
    lasso_set_make(&l->set, p, &l->room);
    if (l->room.failed || lasso_set_grow(&l->set, p < FIRST_ROOM ? p : FIRST_ROOM)) {
        lasso_free(l);
        return NULL;
    }
    return l;
}

void lasso_free(lasso *l)
{
    if (!l)
        return;
    arena room = l->room;
    growing_free(&l->set.factor);
    arena_free(&room);
}

void lasso_begin(lasso *l, const lasso_dictionary *d, double lambda, size_t count, const double *k)
{
    l->dictionary = d;
    l->lambda = lambda;
    l->k = k;
    l->dual.factored = 0; /* of another Q */
    if (!d->inverse)
        return;
    tall_product(count, l->p, l->p, k, d->inverse, l->plain);
    for (size_t e = 0; e < count * l->p; e++)
        l->sign[e] = copysign(1.0, l->plain[e]);
    tall_product(count, l->p, l->p, l->sign, d->inverse, l->pushed);
}

/* ---- the working set ---------------------------------------------------------------------- */

/* Makes room and adds all atoms j with size[j] >= least. */
static spd_status add_atoms(lasso *l, const double *k, double least)
{
    size_t joining = 0;
    for (size_t j = 0; j < l->p; j++)
        joining += l->size[j] >= least;
    size_t needed = l->set.count + joining;
    if (needed > l->set.room) {
        spd_status status = lasso_set_grow(&l->set, needed < l->p / 2 ? 2 * needed : l->p);
        if (status < 0)
            return status;
    }
    size_t first = l->set.count;
    for (size_t j = 0; j < l->p; j++)
        if (l->size[j] >= least) {
            lasso_set_add(&l->set, j, l->v[j], l->g[j], k[j]);
            l->inside[j] = 1;
        }
    lasso_set_fill(&l->set, first, l->p, l->dictionary->K);
    return SPD_OK;
}

/* The steepest atoms outside that are too steep, about `wanted` of them, join the set. */
static spd_status add_steepest(lasso *l, const double *k, size_t wanted)
{
    size_t count = 0;
    double half = 0.5 * l->lambda, least = half;
    for (size_t j = 0; j < l->p; j++)
        if (!l->inside[j] && fabs(l->g[j]) > half)
            l->value[count++] = fabs(l->g[j]);
    if (count == 0)
        return SPD_OK;
    if (count > wanted)
        least = order_largest(count, l->value, wanted - 1);
    for (size_t j = 0; j < l->p; j++) {
        double steep = fabs(l->g[j]);
        l->size[j] = !l->inside[j] && steep > half ? steep : -1.0;
    }
    return add_atoms(l, k, least);
}

/* A set of the atoms that are used by v. */
static spd_status add_used(lasso *l, const double *k)
{
    for (size_t j = 0; j < l->p; j++)
        l->size[j] = l->v[j] != 0.0 ? 1.0 : -1.0;
    return add_atoms(l, k, 0.0);
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* g <- k - Kv afresh; returns how many atoms are used. */
static size_t refresh(lasso *l, const double *k)
{
    size_t used = 0;
    memcpy(l->g, k, l->p * sizeof *l->g);
    for (size_t j = 0; j < l->p; j++)
        used += l->v[j] != 0.0;
    if (2 * used > l->p) {
        lasso_add_product(l->set.kernel, l->p, -1.0, l->dictionary->K, l->v, l->g);
        return used;
    }
    for (size_t j = 0; j < l->p; j++)
        if (l->v[j] != 0.0)
            l->set.kernel->axpy(l->p, -l->v[j], l->dictionary->K + j * l->p, l->g);
    return used;
}

static lasso_state judge(const lasso *l, const double *k, double y2)
{
    double steepest = 0.0;
    for (size_t j = 0; j < l->p; j++)
        if (fabs(l->g[j]) > steepest)
            steepest = fabs(l->g[j]);
    return lasso_set_state(l->p, l->v, l->g, k, l->lambda, y2, steepest);
}

/* Between the set and the whole: v outwards, g inwards. */
static size_t exchange(lasso *l, const double *k)
{
    lasso_set *s = &l->set;
    for (size_t a = 0; a < s->count; a++)
        l->v[s->atom[a]] = s->v[a];
    size_t used = refresh(l, k);
    for (size_t a = 0; a < s->count; a++)
        s->g[a] = l->g[s->atom[a]];
    return used;
}

/* Is the set, with `used` atoms, on its way to most of them? */
static int becomes_full(const lasso *l, size_t used)
{
    size_t steep = 0, steeper = 0;
    double share = (double)used / (double)l->p;
    for (size_t j = 0; j < l->p; j++) {
        steep += !l->inside[j] && fabs(l->g[j]) > 0.5 * l->lambda;
        steeper += fabs(l->g[j]) > l->lambda;
    }
    return (share > SHARE_BEGUN && (double)steeper >= SHARE_STEEP * (double)l->p) ||
           (share > SHARE_USED && (double)(used + steep) >= SHARE_SEEN * (double)l->p);
}

/* From v, on working sets; *full, unless NULL, <- was it given up since the code becomes full? */
static spd_status grow_set(lasso *l, const double *k, double y2, lasso_state *state, int *full)
{
    size_t sweeps = 0, used = 0, atoms = 0;
    int idle = 0;
    double least = INFINITY;
    lasso_set_clear(&l->set);
    memset(l->inside, 0, l->p);
    spd_status status = add_used(l, k);
    for (int round = 0; round < MOST_ROUNDS && sweeps < MOST_SWEEPS && idle < MOST_IDLE; round++) {
        size_t wanted = 2 * used > FIRST_ATOMS ? 2 * used : FIRST_ATOMS;
        if (status == SPD_OK)
            status = add_steepest(l, k, wanted);
        if (status < 0)
            return status;
        sweeps +=
            lasso_set_descend(&l->set, l->lambda, y2, LOOSE * state->gap, MOST_SWEEPS - sweeps);
        used = exchange(l, k);
        *state = judge(l, k, y2);
        if (!(state->gap > state->target))
            break;
        if (full && (*full = becomes_full(l, used)))
            break;
        idle = state->gap < least || l->set.count > atoms ? 0 : idle + 1;
        least = fmin(least, state->gap);
        atoms = l->set.count;
    }
    return SPD_OK;
}

/* ---- proximal steps -------------------------------------------------------------------------- */

/* v, centre and their gradients <- after a step to d->v; returns the momentum of the next (Nesterov; it
 * begins anew where it has led uphill). *changes <- how many atoms came into use, or out of it. */
static double move_on(lasso *l, const double *k, double momentum, size_t *changes)
{
    const double *to = l->dual.v;
    double uphill = 0.0, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum));
    *changes = 0;
    for (size_t j = 0; j < l->p; j++) {
        uphill += (l->centre[j] - to[j]) * (to[j] - l->v[j]);
        *changes += (to[j] != 0.0) != (l->v[j] != 0.0);
    }
    double ahead = uphill > 0.0 ? 0.0 : (momentum - 1.0) / next;
    for (size_t j = 0; j < l->p; j++) {
        l->centre[j] = to[j] + ahead * (to[j] - l->v[j]);
        l->slope[j] = -ahead * l->g[j];
    }
    memcpy(l->v, to, l->p * sizeof *l->v);
    refresh(l, k);
    for (size_t j = 0; j < l->p; j++)
        l->slope[j] += (1.0 + ahead) * l->g[j];
    return uphill > 0.0 ? 1.0 : next;
}

/* The centre <- v */
static void begin_steps(lasso *l)
{
    memcpy(l->centre, l->v, l->p * sizeof *l->centre);
    memcpy(l->slope, l->g, l->p * sizeof *l->slope);
}

/* v <- the minimum over the atoms that it uses, unless there is nothing to win: near the end, where
 * these are alike, rounding would undo what the steps have found. */
static spd_status settle(lasso *l, const double *k, double y2, lasso_state *state)
{
    double *before = l->value;
    memcpy(before, l->v, l->p * sizeof *before);
    lasso_set_clear(&l->set);
    memset(l->inside, 0, l->p);
    spd_status status = add_used(l, k);
    if (status < 0)
        return status;
    lasso_set_settle(&l->set, l->lambda);
    exchange(l, k);
    lasso_state there = judge(l, k, y2);
    if (there.gap < state->gap || state->objective - there.objective > state->target) {
        *state = there;
        begin_steps(l);
        return SPD_OK;
    }
    memcpy(l->v, before, l->p * sizeof *before);
    refresh(l, k);
    return SPD_OK;
}

/* Would steps that let the gap fall as the last one did, from `before`, cost more than to settle? */
static int pays_to_settle(const lasso *l, const lasso_state *state, double before)
{
    size_t used = 0;
    double p = (double)l->p, steps = INFINITY;
    for (size_t j = 0; j < l->p; j++)
        used += l->v[j] != 0.0;
    if (state->gap < before)
        steps = log(state->gap / state->target) / log(before / state->gap);
    return steps * STEP_COST * p * p > lasso_newton_cost(used);
}

/* From v, where K has no inverse: proximal steps, again and again. Once no atom comes into use or goes
 * out of it, the minimum over those in use is near, which a linear system finds at once. */
static spd_status take_steps(lasso *l, const double *k, double y2, lasso_state *state)
{
    const double *Q = l->dictionary->shifted;
    double half = 0.5 * l->lambda, momentum = 1.0, least = INFINITY;
    int idle = 0, tried = 0;
    begin_steps(l);
    for (int step = 0; step < MOST_STEPS && idle < IDLE_STEPS && state->gap > state->target;
         step++) {
        int found;
        size_t changes;
        double before = state->gap;
        lasso_dual_start_near(&l->dual, Q, half, l->g, l->centre, l->slope);
        spd_status status = lasso_dual_solve(&l->dual, Q, half, MOST_IN_STEP, step > 0, &found);
        if (status < 0 || !found)
            return status;
        momentum = move_on(l, k, momentum, &changes);
        *state = judge(l, k, y2);
        idle = state->gap < least ? 0 : idle + 1;
        least = fmin(least, state->gap);
        tried = changes > 0 ? 0 : tried;
        if (changes > 0 || tried || !(state->gap > state->target) ||
            !pays_to_settle(l, state, before))
            continue;
        tried = 1;
        status = settle(l, k, y2, state);
        if (status < 0)
            return status;
    }
    return SPD_OK;
}

/* ---- one query ---------------------------------------------------------------------------- */

/* Will most atoms be used by query i? */
static int seems_full(const lasso *l, size_t i)
{
    const lasso_dictionary *d = l->dictionary;
    size_t zeros = 0;
    if (!d->inverse)
        return 0;
    for (size_t j = 0; j < l->p; j++)
        zeros += fabs(l->plain[i * l->p + j]) < 0.5 * l->lambda * d->spread[j];
    return (double)zeros <= FEW_ZEROS * (double)l->p;
}

/* v <- where to start from: the dual's solution where it is the way, else zero. */
static spd_status first_code(lasso *l, size_t i)
{
    int found = 0;
    double half = 0.5 * l->lambda;
    spd_status status = SPD_OK;
    if (seems_full(l, i)) {
        lasso_dual_start(&l->dual, half, l->plain + i * l->p, l->pushed + i * l->p);
        status = lasso_dual_solve(&l->dual, l->dictionary->inverse, half, MOST_FREE, 0, &found);
    }
    if (found)
        memcpy(l->v, l->dual.v, l->p * sizeof *l->v);
    else
        memset(l->v, 0, l->p * sizeof *l->v);
    return status;
}

static void hand_out(lasso *l, const lasso_state *state, lasso_code *code)
{
    size_t count = 0;
    for (size_t j = 0; j < l->p; j++)
        if (l->v[j] != 0.0) {
            l->atom[count] = j;
            l->value[count++] = l->v[j];
        }
    *code = (lasso_code){.count = count,
                         .atom = l->atom,
                         .value = l->value,
                         .objective = state->objective,
                         .gap = state->gap,
                         .converged = state->gap <= state->target};
}

spd_status lasso_solve(lasso *l, size_t i, double y2, lasso_code *code)
{
    const double *k = l->k + i * l->p;
    spd_status status = first_code(l, i);
    if (status < 0)
        return status;
    if (l->dictionary->inverse)
        y2 = fmax(y2, tall_dot(1, l->p, k, l->plain + i * l->p));
    refresh(l, k);
    lasso_state state = judge(l, k, y2);
    int full = 0;
    if (state.gap > state.target)
        status = grow_set(l, k, y2, &state, l->dictionary->shifted ? &full : NULL);
    if (full && status == SPD_OK) {
        status = take_steps(l, k, y2, &state);
        if (status == SPD_OK && state.gap > state.target)
            status = grow_set(l, k, y2, &state, NULL);
    }
    if (status == SPD_OK)
        hand_out(l, &state, code);
    return status;
}
