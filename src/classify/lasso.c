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
 * of K + shift I; c runs ahead of v (Nesterov, Gueler 1992). Five to twenty of them reach the gap.
 * That this is the way shows while the working set grows. */
#include "classify/lasso.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/order.h"
#include "classify/lasso_set.h"
#include "classify/values.h"
#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/tall.h"
#include "ops/check.h"

/* With Q = K^-1 the dual is a quadratic problem in a box:
 *
 *   minimise (k - h)' Q (k - h)   over   |h_j| <= lambda/2,      v = Q (k - h),
 *
 * h being the gradient k - Kv. Atoms that are used rest on the wall that their sign says, so where
 * few are unused, few h_j are free, and a solution costs little more than the product Q k. The
 * inverse is made once for all queries. */
typedef struct lasso_dual {
    const kernels *kernel;
    size_t p;
    double *h, *v; /* p: the point, and Q (k - h) */
    size_t *free;  /* p: numbers of the free h_j */
    double *step;  /* p: theirs */
    arena *keep;
    size_t room;
    double *factor; /* room x room: of Q over the free ones; from keep */
} lasso_dual;

/* ---- in the dual, for codes that use most atoms --------------------------------------------- */

#define DUAL_ROUNDS 500
#define DUAL_ROOM   32

/* With a larger share of free h_j the other way is the better one: in one solution, and in one of
 * many steps. */
#define MOST_FREE    0.9
#define MOST_IN_STEP 0.65

/* A move that is smaller than this share of the box's half width is none. */
#define NO_MOVE 1e-13

/* What of it does not grow. */
static void lasso_dual_make(lasso_dual *d, size_t p, arena *keep)
{
    *d = (lasso_dual){.kernel = kernels_get(),
                      .p = p,
                      .h = arena_alloc(keep, p, sizeof *d->h),
                      .v = arena_alloc(keep, p, sizeof *d->v),
                      .free = arena_alloc(keep, p, sizeof *d->free),
                      .step = arena_alloc(keep, p, sizeof *d->step),
                      .keep = keep};
}

/* Room for a factor of n x n; its contents are lost. What it had stays in the arena: with rooms
 * that double these are a third of it at most. */
static spd_status grow(lasso_dual *d, size_t n)
{
    if (n <= d->room)
        return SPD_OK;
    d->room = n < DUAL_ROOM ? DUAL_ROOM : 2 * n;
    d->factor = arena_alloc(d->keep, d->room, d->room * sizeof *d->factor);
    return d->factor ? SPD_OK : SPD_ENOMEM;
}

/* h_j <- h_j + change */
static void move(lasso_dual *d, const double *Q, size_t j, double change)
{
    d->h[j] += change;
    d->kernel->axpy(d->p, -change, Q + j * d->p, d->v);
}

/* Every h_j to its minimum within the walls, once; returns how many moved. */
static size_t sweep(lasso_dual *d, const double *Q, double half)
{
    size_t moved = 0;
    for (size_t j = 0; j < d->p; j++) {
        double to = d->h[j] + d->v[j] / Q[j * (d->p + 1)];
        to = to > half ? half : to < -half ? -half : to;
        if (!(fabs(to - d->h[j]) > NO_MOVE * half))
            continue;
        move(d, Q, j, to - d->h[j]);
        d->h[j] = to; /* exactly, walls above all */
        moved++;
    }
    return moved;
}

static size_t find_free(lasso_dual *d, double half)
{
    size_t count = 0;
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->free[count++] = j;
    return count;
}

/* The free h_j to their common minimum, or to where the first of them meets a wall. */
static spd_status newton(lasso_dual *d, const double *Q, size_t n, double half)
{
    spd_status status = grow(d, n);
    if (status < 0)
        return status;
    for (size_t a = 0; a < n; a++) {
        const double *row = Q + d->free[a] * d->p;
        for (size_t b = 0; b < n; b++)
            d->factor[a * n + b] = row[d->free[b]];
        d->step[a] = d->v[d->free[a]];
    }
    if (dense_chol(n, d->factor))
        return SPD_OK;
    dense_solve_vector(n, d->factor, d->step);
    double t = 1.0;
    for (size_t a = 0; a < n; a++) {
        double wall = copysign(half, d->step[a]) - d->h[d->free[a]];
        if (fabs(wall) < t * fabs(d->step[a]))
            t = wall / d->step[a];
    }
    for (size_t a = 0; a < n; a++)
        move(d, Q, d->free[a], t * d->step[a]);
    return SPD_OK;
}

/* From the walls, for v0 = Q k and qs = Q sign(v0). */
static void start(lasso_dual *d, double half, const double *v0, const double *qs)
{
    for (size_t j = 0; j < d->p; j++)
        d->h[j] = copysign(half, v0[j]);
    memcpy(d->v, v0, d->p * sizeof *d->v);
    d->kernel->axpy(d->p, -half, qs, d->v);
}

/* From d->h and d->v to the code in d->v, exact zeros where it is not used; *found <- 0 when a larger
 * share of the h_j than most_free came free: this is not the way then. SPD_ENOMEM. */
static spd_status lasso_dual_solve(lasso_dual *d, const double *Q, double half, double most_free,
                                   int *found)
{
    double spent = 0.0; /* on sweeps since the last Newton step, as in lasso_set_descend */
    *found = 1;
    for (int round = 0; round < DUAL_ROUNDS; round++) {
        size_t moved = sweep(d, Q, half), n = find_free(d, half);
        if (moved == 0)
            break;
        if ((double)n > most_free * (double)d->p) {
            *found = 0;
            return SPD_OK;
        }
        spent += (double)moved * lasso_move_cost(d->p);
        if (n == 0 || spent <= lasso_newton_cost(n))
            continue;
        spent = 0.0;
        spd_status status = newton(d, Q, n, half);
        if (status < 0)
            return status;
    }
    for (size_t j = 0; j < d->p; j++)
        if (fabs(d->h[j]) < half)
            d->v[j] = 0.0;
    return SPD_OK;
}

/* From the gradient g of a code that is almost there, for the shifted K and k + shift centre. */
static void start_near(lasso_dual *d, const lasso_dictionary *of, double half, const double *k,
                       const double *g, const double *centre)
{
    for (size_t j = 0; j < d->p; j++) {
        d->h[j] = fmax(-half, fmin(half, g[j]));
        d->step[j] = k[j] + of->shift * centre[j] - d->h[j];
    }
    tall_product(1, d->p, d->p, d->step, of->shifted, d->v);
}

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

/* The inverse is trusted up to this condition, bounded by the largest row sums of K and K^-1. */
#define WORST_CONDITION 1e8

/* Of a K without, this share of the largest row sum is added to the diagonal: with less the inverse
 * loses digits, with more there are more steps. */
#define SHIFT      1e-7
#define MOST_STEPS 50
#define IDLE_STEPS 5 /* without a smaller gap: they go round in circles */

/* When the set has come to this share of the atoms, and this share are twice as steep as they may
 * be in the end, the code will use most of them. */
#define SHARE_BEGUN 0.1
#define SHARE_STEEP 0.5

/* ---- the dictionary ----------------------------------------------------------------------- */

static void measure_rows(size_t p, const double *A, double *length)
{
    for (size_t r = 0; r < p; r++) {
        double sum = 0.0;
        for (size_t c = 0; c < p; c++)
            sum += A[r * p + c] * A[r * p + c];
        length[r] = sqrt(sum);
    }
}

/* Asked beforehand, since spd_inverse would find out, at some cost, what is wrong with K. */
static spd_status ask_definite(spd_context *ctx, size_t p, const double *K, int *definite)
{
    arena room = {0};
    double *scratch = arena_alloc(&room, p, p * sizeof *scratch);
    *definite = scratch && check_definite(p, K, scratch);
    spd_status status = arena_status(&room, ctx, "sparse coding");
    arena_free(&room);
    return status;
}

/* Without an inverse there is the other way. */
static spd_status forgive(spd_context *ctx, spd_status status)
{
    if (status != SPD_ENOTSPD)
        return status;
    ctx_clear(ctx);
    return SPD_OK;
}

spd_status lasso_dictionary_make(spd_context *ctx, size_t p, const double *K, arena *keep,
                                 lasso_dictionary *d)
{
    int definite;
    *d = (lasso_dictionary){.p = p, .K = K};
    spd_status status = ask_definite(ctx, p, K, &definite);
    if (!definite)
        return status;
    double *Q = arena_alloc(keep, p, p * sizeof *Q), *spread = arena_alloc(keep, p, sizeof *spread);
    status = Q && spread ? spd_inverse(ctx, SPD_SET(p, 1, K), Q) : ctx_nomem(ctx, "sparse coding");
    if (status == SPD_OK && values_row_sum(p, K) * values_row_sum(p, Q) <= WORST_CONDITION) {
        measure_rows(p, Q, spread);
        d->inverse = Q;
        d->spread = spread;
    }
    return forgive(ctx, status); /* another Cholesky, another rounding */
}

spd_status lasso_dictionary_shift(spd_context *ctx, arena *keep, lasso_dictionary *d)
{
    size_t p = d->p;
    arena room = {0};
    if (d->inverse)
        return SPD_OK;
    double *S = arena_alloc(&room, p, p * sizeof *S), *Q = arena_alloc(keep, p, p * sizeof *Q);
    spd_status status = S && Q ? SPD_OK : ctx_nomem(ctx, "sparse coding");
    if (status == SPD_OK) {
        d->shift = SHIFT * values_row_sum(p, d->K);
        memcpy(S, d->K, p * p * sizeof *S);
        for (size_t i = 0; i < p; i++)
            S[i * (p + 1)] += d->shift;
        status = spd_inverse(ctx, SPD_SET(p, 1, S), Q);
        d->shifted = status == SPD_OK ? Q : NULL;
    }
    arena_free(&room);
    return forgive(ctx, status);
}

void lasso_dictionary_keep(saved_arrays *s, size_t p, const double *K, lasso_dictionary *d)
{
    size_t inverted = !saved_taking(s) && d->inverse;
    if (saved_taking(s))
        *d = (lasso_dictionary){.p = p, .K = K};
    saved_size(s, "inverted", 0, 1, &inverted);
    if (s->status == SPD_OK && inverted)
        saved_symmetric(s, "inverse", p, &d->inverse);
    if (s->status != SPD_OK || !saved_taking(s) || !inverted)
        return;
    d->spread = arena_alloc(s->room, p, sizeof *d->spread);
    if (d->spread)
        measure_rows(p, d->inverse, d->spread);
    s->status = arena_status(s->room, s->ctx, "sparse coding");
}

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
    double *v, *g; /* p: code, k - Kv */
    double *size;  /* p: scratch of the choice of atoms */
    char *inside;  /* p: is in the set */
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
    lasso_set_free(&l->set);
    arena_free(&room);
}

void lasso_begin(lasso *l, const lasso_dictionary *d, double lambda, size_t count, const double *k)
{
    l->dictionary = d;
    l->lambda = lambda;
    l->k = k;
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
    for (size_t j = 0; j < l->p; j++)
        if (l->size[j] >= least) {
            lasso_set_add(&l->set, l->p, l->dictionary->K, k, l->g, j);
            l->set.v[l->set.count - 1] = l->v[j];
            l->inside[j] = 1;
        }
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
        if (l->v[j] != 0.0) {
            l->set.kernel->axpy(l->p, -l->v[j], l->dictionary->K + j * l->p, l->g);
            used++;
        }
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
    size_t steep = 0;
    if ((double)used <= SHARE_BEGUN * (double)l->p)
        return 0;
    for (size_t j = 0; j < l->p; j++)
        steep += fabs(l->g[j]) > l->lambda;
    return (double)steep >= SHARE_STEEP * (double)l->p;
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

/* v, centre <- after a step to d->v. Returns the momentum of the next (Nesterov; it begins anew
 * where it has led uphill). */
static double move_on(lasso *l, double *centre, double momentum)
{
    const double *to = l->dual.v;
    double uphill = 0.0, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum));
    for (size_t j = 0; j < l->p; j++)
        uphill += (centre[j] - to[j]) * (to[j] - l->v[j]);
    double ahead = uphill > 0.0 ? 0.0 : (momentum - 1.0) / next;
    for (size_t j = 0; j < l->p; j++)
        centre[j] = to[j] + ahead * (to[j] - l->v[j]);
    memcpy(l->v, to, l->p * sizeof *l->v);
    return uphill > 0.0 ? 1.0 : next;
}

/* From v, where K has no inverse: v <- argmin P(v) + shift |v - centre|^2, again and again, each by
 * the dual with the inverse of K + shift I. */
static spd_status take_steps(lasso *l, const double *k, double y2, lasso_state *state)
{
    const lasso_dictionary *d = l->dictionary;
    double half = 0.5 * l->lambda, momentum = 1.0, least = INFINITY, *centre = l->size;
    int idle = 0;
    memcpy(centre, l->v, l->p * sizeof *centre);
    for (int step = 0; step < MOST_STEPS && idle < IDLE_STEPS && state->gap > state->target;
         step++) {
        int found;
        start_near(&l->dual, d, half, k, l->g, centre);
        spd_status status = lasso_dual_solve(&l->dual, d->shifted, half, MOST_IN_STEP, &found);
        if (status < 0 || !found)
            return status;
        momentum = move_on(l, centre, momentum);
        refresh(l, k);
        *state = judge(l, k, y2);
        idle = state->gap < least ? 0 : idle + 1;
        least = fmin(least, state->gap);
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
        start(&l->dual, half, l->plain + i * l->p, l->pushed + i * l->p);
        status = lasso_dual_solve(&l->dual, l->dictionary->inverse, half, MOST_FREE, &found);
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
