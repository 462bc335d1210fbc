/* test_objective.c - softmax: its weights are its derivatives; multiplying distances, changing the
 * order of samples or their coordinates; duplicates, samples that have nothing to compare; what is
 * refused. What a fit takes where nothing is said. */
#include "test.h"

#include "fit/engine.h"
#include "engine_rig.h"
#include "objective/objective.h"

/* What a fit takes where nothing is said, and what it leaves alone. */
TEST(what_auto_is)
{
    spd_pair only = {0, 1, 1.0, 0.0};
    spd_fit_options o, start;
    spd_fit_defaults(&start, sizeof start);
    o = start;
    spd_fit_resolve(&o);
    CHECK(o.objective == SPD_OBJECTIVE_SOFTMAX, "%d", (int)o.objective);
    CHECK(o.init == SPD_INIT_AUTO && o.coordinates == SPD_COORDINATES_AUTO,
          "start and coordinates depend on the data");
    CHECK(o.solver == SPD_SOLVER_LBFGS, "%d", (int)o.solver);
    o = start;
    o.nu_w = o.nu_b = 3;
    spd_fit_resolve(&o);
    CHECK(o.objective == SPD_OBJECTIVE_SOFTMAX, "neighbours change the objective to %d",
          (int)o.objective);
    struct {
        spd_learning learning;
        const spd_pair *pairs;
        spd_metric metric;
        int paper;
    } other[] = {{SPD_LEARNING_UNSUPERVISED, NULL, SPD_METRIC_STEIN, 0},
                 {SPD_LEARNING_VARIANCE, NULL, SPD_METRIC_STEIN, 0},
                 {SPD_LEARNING_OWN_GRAPH, &only, SPD_METRIC_STEIN, 0},
                 {SPD_LEARNING_SUPERVISED, &only, SPD_METRIC_STEIN, 0},
                 {SPD_LEARNING_SUPERVISED, NULL, SPD_METRIC_LOG_EUCLIDEAN, 0},
                 {SPD_LEARNING_SUPERVISED, NULL, SPD_METRIC_STEIN, 1}};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        o = start;
        o.learning = other[i].learning;
        o.own_pairs = other[i].pairs;
        o.metric = other[i].metric;
        o.paper = other[i].paper;
        spd_fit_resolve(&o);
        CHECK(o.objective == SPD_OBJECTIVE_DIFFERENCE, "case %zu: %d", i, (int)o.objective);
        CHECK(o.init == (o.paper ? SPD_INIT_IDENTITY : SPD_INIT_AUTO), "case %zu", i);
        CHECK(o.coordinates == (o.paper ? SPD_COORDINATES_PLAIN : SPD_COORDINATES_AUTO), "%zu", i);
        CHECK(o.solver == (o.paper ? SPD_SOLVER_POLAK_RIBIERE : SPD_SOLVER_LBFGS), "case %zu", i);
    }
    o = start;
    o.paper = 1;
    o.objective = SPD_OBJECTIVE_SOFTMAX;
    o.init = SPD_INIT_CSP;
    o.coordinates = SPD_COORDINATES_WITHIN;
    o.solver = SPD_SOLVER_LBFGS;
    spd_fit_resolve(&o);
    CHECK(o.objective == SPD_OBJECTIVE_SOFTMAX && o.init == SPD_INIT_CSP &&
              o.coordinates == SPD_COORDINATES_WITHIN && o.solver == SPD_SOLVER_LBFGS,
          "what was said");
}

#define MOST 10

typedef struct lists {
    double d2[2][MOST], weight[2][MOST];
    size_t count[2];
} lists;

static double value_of(lists *l)
{
    memset(l->weight, 0, sizeof l->weight);
    return objective_softmax(&(objective_list){l->count[0], l->d2[0], l->weight[0]},
                             &(objective_list){l->count[1], l->d2[1], l->weight[1]});
}

/* Ascending, around 1; the first `zeros` of both kinds are duplicates. */
static lists random_lists(rng *r, size_t same, size_t other, size_t zeros)
{
    lists l = {.count = {same, other}};
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < l.count[kind]; i++) {
            double before = i ? l.d2[kind][i - 1] : 0.5;
            l.d2[kind][i] = i < zeros ? 0.0 : (before > 0.0 ? before : 0.5) + 0.2 * rng_uniform(r);
        }
    return l;
}

static const size_t shapes[][3] = {{3, 10, 0}, {1, 1, 0},  {2, 3, 0},  {1, 7, 0},
                                   {3, 1, 0},  {3, 10, 1}, {3, 10, 2}, {1, 2, 1}};
#define SHAPES (sizeof shapes / sizeof *shapes)

TEST(weights_of_samples)
{
    rng r = seeded(1);
    for (size_t s = 0; s < SHAPES; s++) {
        lists l = random_lists(&r, shapes[s][0], shapes[s][1], shapes[s][2]), near = l;
        CHECK(isfinite(value_of(&l)), "shape %zu", s);
        for (size_t k = 0; k < l.count[0] + l.count[1]; k++) {
            int kind = k >= l.count[0];
            size_t i = kind ? k - l.count[0] : k;
            double h = 1e-6 * (l.d2[kind][i] + 1e-6), x = l.d2[kind][i];
            near.d2[kind][i] = x + h;
            double up = value_of(&near);
            near.d2[kind][i] = x - h;
            double down = value_of(&near);
            near.d2[kind][i] = x;
            CHECK_CLOSE(l.weight[kind][i], (up - down) / (2 * h),
                        1e-5 * fabs(l.weight[kind][i]) + 1e-9 / h * 1e-6, "shape %zu, %s %zu", s,
                        kind ? "other" : "same", i);
        }
    }
}

/* Distances times a number: the same value, weights divided by it. */
TEST(no_scale)
{
    rng r = seeded(2);
    for (size_t s = 0; s < SHAPES; s++) {
        lists l = random_lists(&r, shapes[s][0], shapes[s][1], shapes[s][2]), far = l;
        for (int k = 0; k < 2 * MOST; k++)
            far.d2[k / MOST][k % MOST] *= 1024.0;
        double f = value_of(&l), g = value_of(&far);
        CHECK_CLOSE(g, f, 1e-12 * fabs(f), "shape %zu", s);
        for (int k = 0; k < 2 * MOST; k++) {
            double a = l.weight[k / MOST][k % MOST], b = far.weight[k / MOST][k % MOST];
            CHECK_CLOSE(1024.0 * b, a, 1e-11 * fabs(a) + 1e-14, "shape %zu", s);
        }
    }
}

/* The value falls where all of the own kind come nearer, and rises where all others do. */
TEST(directions)
{
    rng r = seeded(3);
    lists l = random_lists(&r, 3, 10, 0);
    double f = value_of(&l), moved[2];
    for (int kind = 0; kind < 2; kind++) {
        lists near = l;
        for (size_t i = 0; i < MOST; i++)
            near.d2[kind][i] *= 0.9;
        moved[kind] = value_of(&near);
    }
    CHECK(moved[0] < f && f < moved[1], "%g, %g, %g", moved[0], f, moved[1]);
}

/* One near and one far candidate. */
TEST(known_values)
{
    lists l = {.count = {1, 1}, .d2 = {{2.0}, {6.0}}};
    CHECK_CLOSE(value_of(&l), -log(exp(-2.0) / (exp(-2.0) + exp(-6.0))), 1e-14, "softmax");
    l.d2[1][0] = 2.0;
    CHECK_CLOSE(value_of(&l), log(2.0), 1e-14, "softmax");
}

/* One far outlier among many near others: exponentials that underflow do no harm. */
TEST(outlier)
{
    double d2[2000], weight[2000] = {0}, far = 1e6, own = 0.0;
    for (size_t i = 0; i < 2000; i++)
        d2[i] = 1.0 + (double)i * 1e-6;
    double f =
        objective_softmax(&(objective_list){1, &far, &own}, &(objective_list){2000, d2, weight});
    CHECK(isfinite(f) && isfinite(own) && own > 0.0, "%g, weight %g", f, own);
}

#define N       9
#define M       4
#define SAMPLES 24

/* All pairs of three classes of eight, candidates of each other. */
static rig classes_rig(rng *r, spd_metric metric)
{
    rig g = rig_make(r, N, M, SAMPLES, SAMPLES * (SAMPLES - 1) / 2, 50.0, 0);
    size_t at = 0;
    for (uint32_t j = 0; j < SAMPLES; j++)
        for (uint32_t i = 0; i < j; i++)
            g.pair[at++] = (spd_pair){i, j, i % 3 == j % 3, i % 3 != j % 3};
    g.in.metric = metric;
    g.in.objective = SPD_OBJECTIVE_SOFTMAX;
    return g;
}

/* The cost; G (n x m) <- its gradient. */
static double cost_of(const engine_input *in, const double *W, double *G)
{
    problem *e = NULL;
    double f = NAN;
    CHECK(engine_cpu_new(NULL, in, &e) == SPD_OK, "no engine");
    CHECK(e->start(e, W) == SPD_OK && e->cost_grad(e, &f, G) == SPD_OK, "no cost");
    engine_free(e);
    return f;
}

static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                     SPD_METRIC_LOG_EUCLIDEAN};

/* Samples and pairs in another order, some pairs the other way round. */
TEST(order_of_samples)
{
    rng r = seeded(4);
    for (int k = 0; k < 4; k++) {
        rig g = classes_rig(&r, metrics[k]);
        double *X = block(SAMPLES * N * N), G[N * M], H[N * M];
        spd_pair *turned = take(g.in.pairs * sizeof *turned);
        for (size_t i = 0; i < SAMPLES; i++)
            memcpy(X + (i * 7 + 5) % SAMPLES * N * N, g.X + i * N * N, N * N * sizeof *X);
        for (size_t e = 0; e < g.in.pairs; e++) {
            spd_pair t = g.pair[g.in.pairs - 1 - e];
            uint32_t i = (t.i * 7 + 5) % SAMPLES, j = (t.j * 7 + 5) % SAMPLES;
            turned[e] = (spd_pair){e % 2 ? i : j, e % 2 ? j : i, t.within, t.between};
        }
        double f = cost_of(&g.in, g.W, G);
        g.in.X = X;
        g.in.pair = turned;
        double h = cost_of(&g.in, g.W, H);
        CHECK_CLOSE(h, f, 1e-12 * f, "case %d", k);
        CHECK(relative_gap(N * M, G, H) < 1e-10, "case %d: %g", k, relative_gap(N * M, G, H));
    }
}

/* A X A' with A^-T W: the same small matrices. And W B for any B of full rank: the same cost. */
TEST(other_coordinates)
{
    rng r = seeded(5);
    for (int k = 0; k < 3; k++) {
        rig g = classes_rig(&r, metrics[k]);
        double *X = block(SAMPLES * N * N), A[N * N], V[N * M], B[M * M], G[N * M];
        double f = cost_of(&g.in, g.W, G);
        for (size_t e = 0; e < M * M; e++)
            B[e] = rng_uniform(&r) + (e % (M + 1) == 0 ? 2.0 : 0.0);
        times(N, M, M, g.W, B, V);
        CHECK_CLOSE(cost_of(&g.in, V, G), f, 1e-9 * f, "case %d: W B", k);
        double *spd = random_set(&r, N, 1, 20.0); /* A = A' = spd^-1, A^-T W = spd W */
        spd_inverse(NULL, SPD_SET(N, 1, spd), A);
        for (size_t i = 0; i < SAMPLES; i++)
            congruent(N, N, A, g.X + i * N * N, X + i * N * N);
        spd_symmetrize(N, SAMPLES, X);
        times(N, N, M, spd, g.W, V);
        g.in.X = X;
        CHECK_CLOSE(cost_of(&g.in, V, G), f, 1e-9 * f, "case %d: A X A'", k);
    }
}

/* Equal matrices in one class and in two: a finite cost that a gradient can lower. */
TEST(duplicates)
{
    rng r = seeded(6);
    for (int k = 0; k < 4; k++) {
        rig g = classes_rig(&r, metrics[k]);
        double G[N * M], H[N * M], V[N * M], norm = 0.0;
        memcpy(g.X + 3 * N * N, g.X, N * N * sizeof *g.X); /* of one class */
        memcpy(g.X + 4 * N * N, g.X, N * N * sizeof *g.X); /* of another */
        double f = cost_of(&g.in, g.W, G);
        CHECK(isfinite(f), "case %d: %g", k, f);
        for (size_t e = 0; e < N * M; e++)
            norm += G[e] * G[e];
        double t = 1e-6 / sqrt(norm);
        for (size_t e = 0; e < N * M; e++)
            V[e] = g.W[e] - t * G[e];
        CHECK_CLOSE(cost_of(&g.in, V, H) - f, -t * norm, 1e-3 * t * norm, "case %d", k);
    }
}

TEST(all_equal)
{
    rng r = seeded(7);
    for (int k = 0; k < 4; k++) {
        rig g = classes_rig(&r, metrics[k]);
        double G[N * M];
        for (size_t i = 1; i < SAMPLES; i++)
            memcpy(g.X + i * N * N, g.X, N * N * sizeof *g.X);
        /* seven of the own class, sixteen others, as if all at distance 1 */
        CHECK_CLOSE(cost_of(&g.in, g.W, G), log(23.0 / 7.0), 1e-12, "case %d", k);
        for (size_t e = 0; e < N * M; e++)
            CHECK(G[e] == 0.0, "case %d: gradient %g", k, G[e]);
    }
}

/* A sample with pairs of one kind adds nothing, and its pairs count for the others. */
TEST(nothing_to_compare)
{
    rng r = seeded(8);
    rig g = rig_make(&r, N, M, 4, 3, 50.0, 0);
    double G[N * M], S[4 * M * M], d2[2];
    const spd_pair few[] = {{0, 1, 1.0, 0.0}, {0, 2, 0.0, 1.0}, {2, 3, 0.0, 1.0}};
    g.in.pair = few;
    g.in.objective = SPD_OBJECTIVE_SOFTMAX;
    spd_congruence(NULL, SPD_SET(N, 4, g.X), M, g.W, S);
    spd_distance2(NULL, SPD_METRIC_STEIN, M, S, S + M * M, &d2[0]);
    spd_distance2(NULL, SPD_METRIC_STEIN, M, S, S + 2 * M * M, &d2[1]);
    double mean = 0.5 * (d2[0] + d2[1]); /* only sample 0 has both */
    double wanted = log(1.0 + exp(4.0 * (d2[0] - d2[1]) / mean));
    CHECK_CLOSE(cost_of(&g.in, g.W, G), wanted, 1e-10 * wanted, "one sample");
    g.in.pairs = 1;
    spd_context *ctx = context_on(0);
    problem *e = NULL;
    CHECK(engine_cpu_new(ctx, &g.in, &e) == SPD_EINVAL && !e, "an engine without a sample");
    CHECK_SAYS(ctx, "nothing to compare");
}

TEST(no_gpu)
{
    rng r = seeded(9);
    rig g = classes_rig(&r, SPD_METRIC_STEIN);
    spd_context *ctx = context_on(0);
    problem *e = NULL;
    CHECK(engine_cuda_new(ctx, &g.in, NULL, &e) == SPD_EDEVICE && !e, "a CUDA engine");
    CHECK_SAYS(ctx, "CUDA");
    spd_context_set_engine(ctx, SPD_ENGINE_AUTO);
    CHECK_OK(ctx, engine_new(ctx, &g.in, &e));
    engine_free(e);
}
