/* test_optim_minimise.c - every solver finds known minima, every rule stops, a
 * resumed run ends where an undisturbed one does, bit for bit. */
#include "test_optim_common.h"
#include "repeat.h"

#define MOST 3000

static const minimise_options DEFAULTS = {
    .solver = SPD_SOLVER_POLAK_RIBIERE, .gtol = 1e-7, .max_iter = MOST, .refresh = 50};

/* What the callback saw; it cancels at cancel_at and copies the state at copy_at. */
typedef struct witness {
    const slow *p;
    int calls, cancel_at, copy_at, probes, bad_order;
    double cost[MOST + 1], last_step, seconds;
    minimise_state copy;
} witness;

static int watch(void *user, const minimise_state *s, const spd_fit_step *last)
{
    witness *w = user;
    w->calls++;
    w->bad_order += last->seconds < w->seconds || last->cost != s->f;
    w->seconds = last->seconds;
    w->cost[s->iteration] = last->cost;
    w->probes += last->probes;
    w->last_step = last->step;
    if (w->copy_at > 0 && s->iteration == w->copy_at)
        w->copy = state_copy(s);
    return w->cancel_at > 0 && s->iteration == w->cancel_at;
}

/* A problem of that kind, a start and a witness. */
typedef struct trial {
    slow *p;
    minimise_options o;
    minimise_state s;
    witness w;
} trial;

static trial trial_new(uint64_t seed, size_t n, size_t m, slow_cost cost)
{
    rng r = seeded(seed);
    trial t = {.p = slow_new(&r, n, m, 6, 10.0, cost), .o = DEFAULTS};
    t.s = state_new(n, m, t.p->W);
    t.w.p = t.p;
    return t;
}

static spd_status trial_run(trial *t, int resumed)
{
    return minimise(&t->p->base, &t->o, resumed, &t->s, watch, &t->w);
}

static void trial_free(trial *t)
{
    minimise_close(&t->s);
    if (t->w.copy.block)
        minimise_close(&t->w.copy);
}

static void check_minimum(trial *t, const char *what)
{
    const slow *p = t->p;
    double known = known_minimum(p), scale = fmax(fabs(known), 1.0);
    CHECK(trial_run(t, 0) == SPD_OK, "%s", what);
    int i = t->s.iteration;
    CHECK(t->s.stop == SPD_STOP_GRADIENT, "%s: stop %d after %d", what, (int)t->s.stop, i);
    CHECK_CLOSE(t->s.f, known, 1e-10 * scale, "%s", what);
    CHECK(frame_error(p->n, p->m, t->s.W) < 1e-13, "%s: %g", what, frame_error(p->n, p->m, t->s.W));
    CHECK(t->w.calls == i + 1 && t->w.bad_order == 0, "%s: %d calls", what, t->w.calls);
    CHECK(t->w.probes == p->probes && p->aims <= i + 1, "%s: %d aims", what, p->aims);
    CHECK(p->starts == 1 + t->s.refreshes, "%s: %d starts", what, p->starts);
    for (int k = 1; k <= i; k++)
        CHECK(t->w.cost[k] <= t->w.cost[k - 1] + 1e-13 * scale, "%s rises at %d", what, k);
}

TEST(every_solver_finds_the_minimum)
{
    static const size_t sizes[][2] = {{6, 1}, {6, 5}, {12, 4}, {20, 7}, {2, 1}};
    slow_cost costs[] = {cost_trace, cost_fisher};
    for (size_t k = 0; k < 5 * 2 * 2; k++) {
        FREED_BY(trial_free)
        trial t = trial_new(k, sizes[k % 5][0], sizes[k % 5][1], costs[k / 5 % 2]);
        char what[80];
        t.o.solver = (spd_solver)(SPD_SOLVER_POLAK_RIBIERE + k / 10);
        snprintf(what, sizeof what, "n %zu m %zu cost %zu solver %d", t.p->n, t.p->m, k / 5 % 2,
                 (int)t.o.solver);
        check_minimum(&t, what);
    }
}

/* A probe is real work: few are needed, and little changes that. */
TEST(probes_are_few)
{
    for (int solver = SPD_SOLVER_POLAK_RIBIERE; solver <= SPD_SOLVER_LBFGS; solver++) {
        FREED_BY(trial_free) trial t = trial_new(77, 15, 5, cost_stein);
        t.o.solver = (spd_solver)solver;
        CHECK(trial_run(&t, 0) == SPD_OK, "solver %d", solver);
        CHECK(t.s.stop == SPD_STOP_GRADIENT, "solver %d: stop %d", solver, (int)t.s.stop);
        CHECK(t.p->probes <= 2.2 * t.s.iteration + 5.0, "solver %d: %d probes in %d", solver,
              t.p->probes, t.s.iteration);
    }
}

/* Where the cost does not exist the search goes back. */
TEST(a_cliff_does_no_harm)
{
    FREED_BY(trial_free) trial t = trial_new(3, 12, 4, cost_trace);
    double known = known_minimum(t.p);
    t.p->cliff = 0.02;
    CHECK(trial_run(&t, 0) == SPD_OK, "cliff");
    CHECK_CLOSE(t.s.f, known, 1e-10, "after %d iterations", t.s.iteration);
}

TEST(stops_by_tolerance)
{
    FREED_BY(trial_free) trial t = trial_new(11, 12, 4, cost_fisher);
    t.o.tol = 1e-3;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_TOLERANCE, "stop %d", (int)t.s.stop);
    int small = 0, i = t.s.iteration;
    for (int k = 1; k <= i; k++) {
        double scale = fmax(fabs(t.w.cost[k]), t.w.cost[0] - t.w.cost[k]);
        int now = fabs(t.w.cost[k] - t.w.cost[k - 1]) <= 1e-3 * scale;
        small = now ? small + 1 : 0;
        CHECK((small == MINIMISE_SMALL_STEPS) == (k == i), "iteration %d of %d", k, i);
    }
}

TEST(stops_by_gradient)
{
    FREED_BY(trial_free) trial t = trial_new(12, 12, 4, cost_trace);
    t.o.gtol = 1e-2;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_GRADIENT, "stop %d", (int)t.s.stop);
    CHECK(t.s.gradient_norm <= 1e-2 * fmax(fabs(t.s.f), t.s.first_f - t.s.f), "%g",
          t.s.gradient_norm);
    CHECK_CLOSE(t.s.gradient_norm, norm(48, t.s.grad), 1e-14, "norm of grad");
}

/* In other units the cost is multiplied by a number, here one that does not round. */
static double cost_in_units(const slow *p, const double *W, double *G)
{
    double f = cost_fisher(p, W, G);
    for (size_t e = 0; e < p->n * p->m; e++)
        G[e] *= 0x1p-40;
    return 0x1p-40 * f;
}

TEST(units_do_not_matter)
{
    for (int rule = 0; rule < 2; rule++) {
        FREED_BY(trial_free)
        trial a = trial_new(12, 12, 4, cost_fisher), b = trial_new(12, 12, 4, cost_in_units);
        a.o.gtol = rule ? 0.0 : 1e-4;
        a.o.tol = rule ? 1e-4 : 0.0;
        b.o = a.o;
        CHECK(trial_run(&a, 0) == SPD_OK && trial_run(&b, 0) == SPD_OK, "rule %d", rule);
        CHECK(a.s.stop == (rule ? SPD_STOP_TOLERANCE : SPD_STOP_GRADIENT), "rule %d", rule);
        CHECK(a.s.stop == b.s.stop && a.s.iteration == b.s.iteration && a.s.iteration > 5,
              "%d and %d iterations", a.s.iteration, b.s.iteration);
    }
}

/* A cost that begins at 0 and falls is measured by its fall, not by how near it is to 0. */
TEST(a_cost_may_pass_through_zero)
{
    minimise_options o = {.tol = 1e-3, .gtol = 1e-3};
    minimise_state s = {.first_f = 100.0, .f = 1e-9, .gradient_norm = 0.2};
    minimise_count_small(&o, &s, 0.05);
    CHECK(s.small_steps == 1, "a small step");
    minimise_count_small(&o, &s, 0.5);
    CHECK(s.small_steps == 0, "a large one");
    CHECK(!minimise_converged(&o, &s), "gradient");
    s.gradient_norm = 0.05;
    CHECK(minimise_converged(&o, &s) && s.stop == SPD_STOP_GRADIENT, "gradient");
}

TEST(stops_at_once_without_gradient)
{
    FREED_BY(trial_free) trial t = trial_new(13, 12, 4, cost_constant);
    t.o.gtol = 0.0;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_GRADIENT, "stop %d", (int)t.s.stop);
    CHECK(t.s.iteration == 0 && t.w.calls == 1 && t.p->aims == 0, "%d", t.s.iteration);
}

TEST(stops_by_iterations)
{
    for (int limit = 0; limit < 4; limit += 3) {
        FREED_BY(trial_free) trial t = trial_new(14, 12, 4, cost_trace);
        t.o.max_iter = limit;
        CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_ITERATIONS, "%d", (int)t.s.stop);
        CHECK(t.s.iteration == limit && t.p->aims == limit, "%d", t.s.iteration);
    }
}

TEST(stops_by_time)
{
    FREED_BY(trial_free) trial t = trial_new(15, 12, 4, cost_trace);
    t.o.max_time = 100.0;
    t.o.seconds_before = 100.5;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_TIME, "stop %d", (int)t.s.stop);
    CHECK(t.s.iteration == 0 && t.w.seconds >= 100.5, "%g s", t.w.seconds);
    t.o.seconds_before = 0.0;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_GRADIENT, "stop %d", (int)t.s.stop);
}

/* A gradient with the wrong sign: no step along -grad lowers the cost. */
TEST(stops_when_nothing_descends)
{
    FREED_BY(trial_free) trial t = trial_new(16, 12, 4, cost_trace);
    t.p->sign = -1.0;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_LINE_SEARCH, "%d", (int)t.s.stop);
    CHECK(t.s.iteration == 0 && t.p->aims == 1 && t.w.calls == 1, "%d aims", t.p->aims);
    CHECK(t.s.f == t.w.cost[0], "%g", t.s.f);
    CHECK(frame_error(12, 4, t.s.W) < 1e-13, "orthonormal");
}

/* With f claimed lower than it is the search fails along H, then along -grad. */
TEST(a_failed_search_tries_the_gradient_next)
{
    FREED_BY(trial_free) trial t = trial_new(17, 12, 4, cost_trace);
    t.o.max_iter = 5;
    CHECK(trial_run(&t, 0) == SPD_OK, "run");
    double f = t.s.f;
    t.o.max_iter = MOST;
    t.s.f = f - 100.0;
    CHECK(trial_run(&t, 1) == SPD_OK && t.s.stop == SPD_STOP_LINE_SEARCH, "%d", (int)t.s.stop);
    CHECK(t.s.iteration == 6 && t.w.last_step == 0.0, "%d iterations", t.s.iteration);
    CHECK(t.p->aims == 5 + 5 + 2 && t.s.passes == 1 + 5 + 2, "%d aims: first, again, and two more",
          t.p->aims);
    double *G = block(48), now = t.p->cost(t.p, t.s.W, G);
    CHECK_CLOSE(now, f, 1e-12, "still at W");
    t.s.f = now; /* the truth again: it goes on to the minimum */
    CHECK(trial_run(&t, 1) == SPD_OK && t.s.stop == SPD_STOP_GRADIENT, "%d", (int)t.s.stop);
    CHECK_CLOSE(t.s.f, known_minimum(t.p), 1e-10, "minimum");
}

TEST(uphill_directions_are_mended)
{
    FREED_BY(trial_free) trial t = trial_new(18, 12, 4, cost_trace);
    t.o.max_iter = 0;
    CHECK(trial_run(&t, 0) == SPD_OK, "start");
    for (size_t e = 0; e < 48; e++)
        t.s.H[e] = t.s.grad[e];
    t.o.max_iter = MOST;
    CHECK(trial_run(&t, 1) == SPD_OK && t.s.stop == SPD_STOP_GRADIENT, "%d", (int)t.s.stop);
    CHECK(t.w.cost[1] == t.w.cost[0] && t.w.cost[2] < t.w.cost[1], "%g", t.w.cost[2]);
    CHECK_CLOSE(t.s.f, known_minimum(t.p), 1e-10, "minimum");
}

TEST(cancel_keeps_what_was_reached)
{
    FREED_BY(trial_free) trial t = trial_new(19, 12, 4, cost_trace);
    t.w.cancel_at = 4;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_CANCELLED, "%d", (int)t.s.stop);
    CHECK(t.s.iteration == 4 && t.s.f == t.w.cost[4] && t.w.calls == 5, "%d", t.s.iteration);
    double *G = block(48);
    CHECK_CLOSE(t.p->cost(t.p, t.s.W, G), t.s.f, 1e-13, "W and f belong together");
    CHECK(frame_error(12, 4, t.s.W) < 1e-13, "orthonormal");
}

/* A run that goes on from a copy of iteration `at` ends as the undisturbed one, bit for bit. The
 * slow problem moves its own W, which differs from the optimiser's by rounding. */
static void check_resume(spd_solver solver, slow_cost cost, double cliff, int at)
{
    FREED_BY(trial_free) trial t = trial_new(21, 14, 5, cost), u = trial_new(21, 14, 5, cost);
    t.o.solver = u.o.solver = solver;
    t.o.tol = u.o.tol = 1e-6;
    t.o.refresh = u.o.refresh = 10;
    t.p->cliff = u.p->cliff = cliff;
    t.w.copy_at = at;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.iteration > at, "%d iterations", t.s.iteration);
    if (t.w.copy.block) {
        minimise_close(&u.s);
        u.s = state_copy(&t.w.copy);
        CHECK(trial_run(&u, 1) == SPD_OK, "resumed at %d", at);
        CHECK(u.s.f == t.s.f && u.s.gradient_norm == t.s.gradient_norm, "solver %d at %d: %g off",
              (int)solver, at, u.s.f - t.s.f);
        CHECK(memcmp(u.s.block, t.s.block, u.s.rows * 70 * sizeof *u.s.block) == 0,
              "solver %d at %d: other bits", (int)solver, at);
        CHECK(u.s.stop == t.s.stop && u.s.passes == t.s.passes && u.s.moves == t.s.moves,
              "stop %d and %d", (int)u.s.stop, (int)t.s.stop);
        CHECK(u.s.iteration == t.s.iteration && u.s.refreshes == t.s.refreshes,
              "solver %d at %d: %d and %d", (int)solver, at, u.s.iteration, t.s.iteration);
        CHECK(u.w.calls == u.s.iteration - at, "%d calls", u.w.calls);
        CHECK(memcmp(u.w.cost + at + 1, t.w.cost + at + 1, (size_t)u.w.calls * 8) == 0, "costs");
    }
}

TEST(resumed_runs_end_alike)
{
    static const int at[] = {1, 7, 9, 10, 11, 13};
    for (int solver = SPD_SOLVER_POLAK_RIBIERE; solver <= SPD_SOLVER_LBFGS; solver++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            check_resume((spd_solver)solver, cost_fisher, 0.0, at[k]);
            check_resume((spd_solver)solver, cost_trace, 0.0, at[k]);
            check_resume((spd_solver)solver, cost_trace, 0.02, at[k]);
        }
}

/* Whatever the iteration it is stopped at, the last one included. */
TEST(resume_knows_a_run_that_has_ended)
{
    FREED_BY(trial_free) trial t = trial_new(22, 12, 4, cost_fisher);
    t.o.tol = 1e-4;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.stop == SPD_STOP_TOLERANCE, "%d", (int)t.s.stop);
    int i = t.s.iteration, calls = t.w.calls;
    CHECK(trial_run(&t, 1) == SPD_OK && t.s.stop == SPD_STOP_TOLERANCE, "%d", (int)t.s.stop);
    CHECK(t.s.iteration == i && t.w.calls == calls, "%d", t.s.iteration);
}

TEST(refreshes_are_regular)
{
    FREED_BY(trial_free) trial t = trial_new(23, 12, 4, cost_trace);
    t.o.refresh = 5;
    t.o.gtol = 0.0;
    t.o.max_iter = 23;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.iteration == 23, "%d", t.s.iteration);
    CHECK(t.s.refreshes == 4 && t.p->starts == 5 && t.p->steps == 19, "%d", t.s.refreshes);
}

TEST(drift_calls_for_a_refresh)
{
    FREED_BY(trial_free) trial t = trial_new(24, 12, 4, cost_trace);
    for (size_t e = 0; e < 48; e++)
        t.s.W[e] *= 1.0 + 1e-9;
    t.o.max_iter = 3;
    CHECK(trial_run(&t, 0) == SPD_OK && t.s.refreshes == 1, "%d", t.s.refreshes);
    CHECK(frame_error(12, 4, t.s.W) < 1e-13, "%g", frame_error(12, 4, t.s.W));
}

/* Each call of the problem in turn fails. */
TEST(statuses_are_passed_on)
{
    spd_status status = SPD_ENOTSPD;
    int k = 0;
    while (status == SPD_ENOTSPD && k < 1000) {
        FREED_BY(trial_free) trial t = trial_new(25, 6, 2, cost_trace);
        t.o.max_iter = 6;
        t.o.refresh = 3;
        t.p->fail_at = ++k;
        long live = mem_live();
        status = trial_run(&t, 0);
        CHECK(mem_live() == live, "call %d leaks", k);
        CHECK(t.p->calls == k || status == SPD_OK, "call %d is the last, saw %d", k, t.p->calls);
    }
    CHECK(status == SPD_OK && k > 20, "status %d at call %d", (int)status, k);
}

TEST(a_start_without_cost_is_refused)
{
    FREED_BY(trial_free) trial t = trial_new(26, 6, 2, cost_fisher);
    for (size_t e = 0; e < 36; e++)
        t.p->X[e] = -t.p->X[e];
    CHECK(trial_run(&t, 0) == SPD_ENUMERIC && t.w.calls == 0, "%d calls", t.w.calls);
}

TEST(every_allocation_may_fail)
{
    for (int solver = SPD_SOLVER_POLAK_RIBIERE; solver <= SPD_SOLVER_LBFGS; solver += 4) {
        FREED_BY(trial_free) trial t = trial_new(27, 6, 2, cost_trace);
        t.o.solver = (spd_solver)solver;
        for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
            s.status = trial_run(&t, 0);
            CHECK(s.status == SPD_OK || t.p->calls == 0, "failed late at %ld", s.k);
        }
    }
}

static int arm(void *user, const minimise_state *s, const spd_fit_step *last)
{
    (void)user;
    (void)last;
    if (s->iteration == 0)
        mem_fail_at(1);
    return 0;
}

TEST(iterations_allocate_nothing)
{
    FREED_BY(trial_free) trial t = trial_new(28, 12, 4, cost_trace);
    t.o.solver = SPD_SOLVER_LBFGS;
    t.o.refresh = 4;
    CHECK(minimise(&t.p->base, &t.o, 0, &t.s, arm, NULL) == SPD_OK, "run");
    CHECK(t.s.iteration > 8, "%d", t.s.iteration);
    CHECK(mem_alloc(1, 1) == NULL, "the failure was still waiting");
    mem_fail_at(0);
}
