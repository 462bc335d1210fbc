/* minimise.c - the main loop. One iteration from W along H:
 *
 *   aim        H = U diag(sigma) V'                                            (eq. 6)
 *   search     t with the strong Wolfe conditions for f(W(t))
 *   move_on    W <- W(t); H, the old gradient and L-BFGS's pairs go along      (eq. 7)
 *   arrive     f and grad = D - W W'D, D the Euclidean gradient                (eq. 5)
 *   turn_to    the next H: conjugate gradient or L-BFGS, or -grad where that does not descend
 *
 * The problem turns its basis by V each time it aims, and stands at W V; here W and all vectors
 * keep the basis of the last fresh start, so that nothing else is turned: only gradients come in
 * by V', and what the problem is told is V'(before) V. A problem may go on working when aim or step
 * have returned: what need not be known for the next call is done after them.
 *
 * Whether to go on is read from the state alone, so that a resumed run decides alike. The problem
 * is moved along by its own updates, which differ from a fresh start by rounding; every move since
 * the last fresh start is therefore noted, and a resumed run makes them again. */
#include "optim/minimise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "optim/grassmann.h"
#include "optim/linesearch.h"

/* ---- what it carries ------------------------------------------------------------------------ */

#define ROWS 4 /* W, H, grad, origin; L-BFGS's pairs follow */

/* Moves there is room for at first: there are more only where a search fails when a fresh start is
 * due. */
#define FIRST_ROOM 64

size_t minimise_rows(spd_solver solver)
{
    return ROWS + (solver == SPD_SOLVER_LBFGS ? lbfgs_room(1) : 0);
}

/* Doubles of a move. */
static size_t move_size(const minimise_state *s)
{
    return s->n * s->m + 1;
}

/* Move k: H, then t. */
static double *minimise_move(const minimise_state *s, size_t k)
{
    return s->move + k * move_size(s);
}

/* Memory for s->rows and s->room. */
static spd_status make_room(minimise_state *s)
{
    size_t count = s->n * s->m;
    s->block = mem_zero(s->rows, count * sizeof *s->block);
    s->move = mem_alloc(s->room, move_size(s) * sizeof *s->move);
    if (!s->block || !s->move) {
        minimise_close(s);
        return SPD_ENOMEM;
    }
    s->W = s->block;
    s->H = s->W + count;
    s->grad = s->H + count;
    s->origin = s->grad + count;
    lbfgs kept = s->memory;
    if (s->rows > ROWS)
        lbfgs_open(&s->memory, count, s->origin + count);
    s->memory.count = kept.count;
    s->memory.first = kept.first;
    return SPD_OK;
}

spd_status minimise_open(minimise_state *s, spd_solver solver, size_t n, size_t m)
{
    *s = (minimise_state){.n = n, .m = m, .rows = minimise_rows(solver), .room = FIRST_ROOM};
    return make_room(s);
}

spd_status minimise_copy(minimise_state *to, const minimise_state *from)
{
    minimise_state fresh = *from;
    fresh.room = from->moves + FIRST_ROOM;
    if (make_room(&fresh) != SPD_OK)
        return SPD_ENOMEM;
    memcpy(fresh.block, from->block, from->rows * from->n * from->m * sizeof *from->block);
    if (from->moves)
        memcpy(fresh.move, from->move, from->moves * move_size(from) * sizeof *from->move);
    *to = fresh;
    return SPD_OK;
}

void minimise_close(minimise_state *s)
{
    mem_free(s->block);
    mem_free(s->move);
    *s = (minimise_state){0};
}

/* Adds the move along s->H, which has not been gone yet: t is 0. */
static spd_status minimise_note_move(minimise_state *s)
{
    size_t size = move_size(s), bytes = s->room * size * sizeof *s->move;
    if (s->moves == s->room) {
        double *grown = mem_grow(s->move, bytes, 2 * bytes);
        if (!grown)
            return SPD_ENOMEM;
        s->move = grown;
        s->room *= 2;
    }
    double *move = minimise_move(s, s->moves++);
    memcpy(move, s->H, (size - 1) * sizeof *move);
    move[size - 1] = 0.0;
    return SPD_OK;
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* The line search; the curvature constants were chosen by trial, for few probes in all. */
#define DECREASE        1e-4
#define CURVATURE_CG    0.2
#define CURVATURE_LBFGS 0.9
#define MAX_PROBES      25

/* Largest angle (radians) of the very first trial, and of any step. */
#define FIRST_ANGLE   0.1
#define LONGEST_ANGLE 1.5707963267948966

/* A direction whose cosine with -grad is smaller does not descend. */
#define LEAST_COSINE 1e-8

/* |W'W - I| that calls for a fresh start. */
#define LARGEST_DRIFT 1e-12

typedef struct run {
    problem *p;
    const minimise_options *o;
    minimise_state *s;
    minimise_fn after;
    void *user;
    size_t count; /* n m */
    grassmann_path path;
    double *before; /* n x m: the gradient one iteration ago, carried here */
    double *turned; /* m x m: the problem stands at W times its transpose; V' of the last aim */
    double *turn;   /* m x m: the turn that the problem is told of */
    double *packed; /* TRANSPORTED x m x m: H, before and L-BFGS's pairs, packed for transport */
    double guess;   /* the path has been gone, and the vectors carried, to this t; or NaN */
    int fresh;      /* it shall end with a fresh start */
    double *block;  /* all of the memory */
    double began;   /* seconds on the clock, less those spent before */
    int steepest;   /* H is -grad */
    int stuck;      /* and even so nothing was found */
    int cancelled;
} run;

/* Most vectors that go along. */
#define TRANSPORTED (2 + 2 * LBFGS_MEMORY)

/* ---- one run -------------------------------------------------------------------------------- */

/* The time that max_time is measured by. */
static double minimise_clock(const minimise_options *options)
{
    return options->clock ? options->clock(options->clock_user) : clock_seconds();
}

static spd_status run_open(run *r)
{
    size_t n = r->p->n, m = r->p->m, room = grassmann_room(n, m);
    r->count = n * m;
    r->began = minimise_clock(r->o) - r->o->seconds_before;
    r->block = mem_alloc(room + r->count + (2 + TRANSPORTED) * m * m, sizeof *r->block);
    if (!r->block)
        return SPD_ENOMEM;
    grassmann_open(&r->path, n, m, r->block);
    r->before = r->block + room;
    r->turned = r->before + r->count;
    r->turn = r->turned + m * m;
    r->packed = r->turn + m * m;
    return SPD_OK;
}

/* ---- direction ---------------------------------------------------------------------------- */

static double dot(const run *r, const double *A, const double *B)
{
    return tall_dot(r->p->n, r->p->m, A, B);
}

static void head_downhill(run *r)
{
    for (size_t e = 0; e < r->count; e++)
        r->s->H[e] = -r->s->grad[e];
    lbfgs_forget(&r->s->memory);
}

static int is_steepest(const run *r)
{
    for (size_t e = 0; e < r->count; e++)
        if (r->s->H[e] != -r->s->grad[e])
            return 0;
    return 1;
}

/* H <- -grad + beta H by Polak and Ribiere, beta = max(0, <grad, grad - before> / norm_before^2), or
 * 0 where beta does not exist. */
static int conjugate(run *r, double norm_before)
{
    double *H = r->s->H, *grad = r->s->grad, product = 0.0;
    for (size_t e = 0; e < r->count; e++)
        product += grad[e] * (grad[e] - r->before[e]);
    double beta = product / (norm_before * norm_before);
    if (beta < 0.0) /* NaN stays */
        beta = 0.0;
    for (size_t e = 0; e < r->count; e++)
        H[e] = beta * H[e] - grad[e];
    return isfinite(beta);
}

/* H goes down, by more than rounding. */
static int descends(const run *r)
{
    double length = sqrt(dot(r, r->s->H, r->s->H));
    return dot(r, r->s->grad, r->s->H) < -LEAST_COSINE * r->s->gradient_norm * length;
}

/* The next H; H and the old gradient have been carried here, over a step of length t. The next
 * search first looks where the first-order decrease is that of this step, which had slope df;
 * L-BFGS knows better: at 1. */
static void turn_to(run *r, double t, double df, double norm_before)
{
    minimise_state *s = r->s;
    int good = 1;
    if (r->o->solver == SPD_SOLVER_LBFGS) {
        lbfgs_add(&s->memory, t, s->H, s->grad, r->before);
        lbfgs_direction(&s->memory, s->grad, s->H);
    } else {
        good = conjugate(r, norm_before);
    }
    grassmann_project(r->p->n, r->p->m, s->W, s->H, r->path.inner);
    if (!good || !descends(r))
        head_downhill(r);
    double trial = s->memory.count > 0 ? 1.0 : t * df / dot(r, s->grad, s->H);
    s->last_step = isfinite(trial) ? trial : 0.0;
}

/* ---- the point ---------------------------------------------------------------------------- */

/* f and grad where the problem stands. */
static spd_status arrive(run *r)
{
    minimise_state *s = r->s;
    double *G = r->path.tall;
    spd_status status = r->p->cost_grad(r->p, &s->f, G);
    if (status)
        return status;
    s->passes += r->p->grad_pass ? 1 : 0;
    tall_product(r->p->n, r->p->m, r->p->m, G, r->turned, s->grad);
    grassmann_project(r->p->n, r->p->m, s->W, s->grad, r->path.inner);
    s->gradient_norm = sqrt(dot(r, s->grad, s->grad));
    return isfinite(s->f) && isfinite(s->gradient_norm) ? SPD_OK : SPD_ENUMERIC;
}

static void orthonormalise(run *r)
{
    tall_orthonormalise(r->p->n, r->p->m, r->s->W, r->path.work);
}

/* Starts the problem afresh at W. */
static spd_status start_at(run *r, const double *W)
{
    size_t m = r->p->m;
    for (size_t e = 0; e < m * m; e++)
        r->turned[e] = e / m == e % m;
    return r->p->start(r->p, W);
}

static spd_status start_here(run *r)
{
    minimise_state *s = r->s;
    memcpy(s->origin, s->W, r->count * sizeof *s->W);
    s->moves = 0;
    s->passes++;
    return start_at(r, s->W);
}

/* U, sigma, V <- SVD of H, and the problem knows. */
static spd_status aim_along(run *r, const double *H)
{
    size_t m = r->p->m;
    grassmann_path *g = &r->path;
    if (grassmann_aim(g, H))
        return SPD_ENUMERIC;
    dense_product(m, r->turned, g->V, r->turn);
    spd_status status = r->p->aim(r->p, g->U, g->sigma, r->turn);
    memcpy(r->turned, g->V, m * m * sizeof *r->turned);
    dense_transpose(m, r->turned);
    return status;
}

static spd_status begin(run *r)
{
    minimise_state *s = r->s;
    s->iteration = s->refreshes = s->small_steps = 0;
    spd_status status = start_here(r);
    if (!status)
        status = arrive(r);
    if (status)
        return status;
    s->first_f = s->f;
    s->last_step = 0.0; /* not known: see first_trial */
    head_downhill(r);
    return SPD_OK;
}

/* Brings the problem to where it was, the way it went: same calls, same bits. A search that found
 * nothing leaves it probed and not moved. */
static spd_status replay(run *r)
{
    minimise_state *s = r->s;
    spd_status status = start_at(r, s->origin);
    for (size_t k = 0; !status && k < s->moves; k++) {
        const double *H = minimise_move(s, k);
        double t = H[r->count], f, df;
        status = aim_along(r, H);
        if (!status)
            status = r->p->probe(r->p, t, &f, &df);
        if (!status && t > 0.0)
            status = r->p->step(r->p, t);
    }
    return status;
}

/* ---- the journey -------------------------------------------------------------------------- */

/* Vector k of those that go along, and how many there are. */
static double *transported(const run *r, size_t k)
{
    return k == 0 ? r->s->H : k == 1 ? r->before : lbfgs_vector(&r->s->memory, k - 2);
}

static size_t luggage_count(const run *r)
{
    return 2 + 2 * r->s->memory.count;
}

/* To t, with what was packed, unless it has come there already. */
static void go(run *r, double t)
{
    size_t mm = r->p->m * r->p->m;
    if (r->guess == t)
        return;
    grassmann_go(&r->path, r->s->W, t);
    for (size_t k = 0; k < luggage_count(r); k++)
        grassmann_carry(&r->path, r->packed + k * mm, transported(r, k));
    grassmann_settle(&r->path);
    r->guess = t;
}

/* W <- W(t), the problem too; from scratch now and then, so that rounding does not pile up. The
 * turn by R in W = Q R is the identity up to that rounding: tangent vectors ignore it. */
static spd_status move_on(run *r, double t)
{
    minimise_state *s = r->s;
    spd_status status = SPD_OK;
    if (!r->fresh) {
        minimise_move(s, s->moves - 1)[r->count] = t;
        status = r->p->step(r->p, t);
    }
    go(r, t);
    memcpy(s->W, r->path.end, r->count * sizeof *s->W);
    if (!r->fresh)
        return status;
    orthonormalise(r);
    s->refreshes++;
    return start_here(r);
}

/* ---- one iteration ------------------------------------------------------------------------ */

/* Where the search along the path looks first. */
static double first_trial(const run *r)
{
    double t = r->s->last_step, sigma = r->path.sigma[0];
    return fmin(t > 0.0 && isfinite(t) ? t : FIRST_ANGLE / sigma, LONGEST_ANGLE / sigma);
}

/* All that can be done for the journey while t is not known. L-BFGS mostly takes its first trial:
 * the journey goes there already, and on from there if need be. A search that finds nothing has
 * no use for what was carried. */
static void pack(run *r)
{
    minimise_state *s = r->s;
    size_t mm = r->p->m * r->p->m;
    int due = r->o->refresh > 0 && (s->iteration + 1) % r->o->refresh == 0;
    r->fresh = due || grassmann_drift(r->p->n, r->p->m, s->W, r->path.inner) > LARGEST_DRIFT;
    grassmann_depart(&r->path, s->W);
    memcpy(r->before, s->grad, r->count * sizeof *s->grad);
    for (size_t k = 0; k < luggage_count(r); k++)
        grassmann_pack(&r->path, transported(r, k), r->packed + k * mm);
    r->guess = NAN;
    if (s->memory.count > 0)
        go(r, first_trial(r));
}

/* Prepares the geodesic along H; *df <- the slope there. */
static spd_status aim(run *r, double *df)
{
    minimise_state *s = r->s;
    r->steepest = is_steepest(r);
    spd_status status = aim_along(r, s->H);
    s->passes++;
    if (!status)
        status = minimise_note_move(s);
    if (status)
        return status;
    if (r->p->ahead)
        r->p->ahead(r->p, first_trial(r));
    *df = dot(r, s->grad, s->H);
    pack(r);
    return SPD_OK;
}

static spd_status probe(void *user, double t, double *f, double *df)
{
    problem *p = user;
    return p->probe(p, t, f, df);
}

/* The step that the search found. */
static spd_status advance(run *r, double df, double t)
{
    minimise_state *s = r->s;
    double f_before = s->f, norm_before = s->gradient_norm;
    spd_status status = move_on(r, t);
    if (status)
        return status;
    lbfgs_weigh(&s->memory);
    status = arrive(r);
    if (status)
        return status;
    minimise_count_small(r->o, s, f_before);
    turn_to(r, t, df, norm_before);
    return SPD_OK;
}

static void tell(run *r, double step, int probes)
{
    minimise_state *s = r->s;
    spd_fit_step last = {s->f, s->gradient_norm, step, clock_seconds() - r->began, probes};
    r->cancelled = r->after && r->after(r->user, s, &last);
}

static spd_status iterate(run *r)
{
    line_result found;
    double df;
    spd_status status = aim(r, &df);
    if (status)
        return status;
    double curvature = r->o->solver == SPD_SOLVER_LBFGS ? CURVATURE_LBFGS : CURVATURE_CG;
    line_rule rule = {DECREASE, curvature, LONGEST_ANGLE / r->path.sigma[0], MAX_PROBES};
    status = line_search(&rule, probe, r->p, r->s->f, df, first_trial(r), &found);
    if (!status && found.found) {
        status = advance(r, df, found.at.t);
    } else if (!status) {
        /* Downhill next time, as if for the first time; if it was that already, this is the end. The
         * problem has been probed but not moved: it stands at W still. */
        r->stuck = r->steepest;
        head_downhill(r);
        r->s->last_step = 0.0;
    }
    if (!status && !r->stuck) {
        r->s->iteration++;
        tell(r, found.found ? found.at.t : 0.0, found.probes);
    }
    return status;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* What changes of f are measured by. */
static double scale(const minimise_state *s)
{
    return fmax(fmax(fabs(s->f), s->first_f - s->f), DBL_MIN);
}

void minimise_count_small(const minimise_options *options, minimise_state *s, double f_before)
{
    int small = fabs(f_before - s->f) <= options->tol * scale(s);
    s->small_steps = options->tol > 0.0 && small ? s->small_steps + 1 : 0;
}

int minimise_converged(const minimise_options *options, minimise_state *s)
{
    if (s->gradient_norm <= options->gtol * scale(s) || s->gradient_norm == 0.0)
        s->stop = SPD_STOP_GRADIENT;
    else if (s->small_steps >= MINIMISE_SMALL_STEPS)
        s->stop = SPD_STOP_TOLERANCE;
    else
        return 0;
    return 1;
}

/* Non-zero, and s->stop says why, when the end is reached. */
static int at_end(run *r)
{
    minimise_state *s = r->s;
    const minimise_options *o = r->o;
    if (r->cancelled)
        s->stop = SPD_STOP_CANCELLED;
    else if (r->stuck)
        s->stop = SPD_STOP_LINE_SEARCH;
    else if (minimise_converged(o, s))
        return 1;
    else if (s->iteration >= o->max_iter)
        s->stop = SPD_STOP_ITERATIONS;
    else if (o->max_time > 0.0 && minimise_clock(o) - r->began >= o->max_time)
        s->stop = SPD_STOP_TIME;
    else
        return 0;
    return 1;
}

spd_status minimise(problem *p, const minimise_options *options, int resumed, minimise_state *s,
                    minimise_fn after, void *user)
{
    run r = {.p = p, .o = options, .s = s, .after = after, .user = user};
    spd_status status = run_open(&r);
    if (status)
        goto end;
    status = resumed ? replay(&r) : begin(&r);
    if (status)
        goto end;
    if (!resumed)
        tell(&r, 0.0, 0);
    while (!status && !at_end(&r))
        status = iterate(&r);
    if (!status)
        orthonormalise(&r);
end:
    mem_free(r.block);
    return status;
}
