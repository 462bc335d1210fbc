/* test_coordinates.c - a fit in other coordinates: its path does not depend on the basis of the
 * data, its W is orthonormal in the original one and has the cost that it says; what cannot work is
 * refused. */
#include "test.h"

#include "learn/coordinates.h"
#include "random_spd.h"

#define N 8
#define M 3
#define P 24

static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY};
static const spd_objective objectives[] = {SPD_OBJECTIVE_DIFFERENCE, SPD_OBJECTIVE_SOFTMAX};

typedef struct set {
    double *X;
    int label[P];
} set;

static set set_new(uint64_t seed)
{
    rng r = seeded(seed);
    set s = {.X = random_set(&r, N, P, 30.0)};
    for (int i = 0; i < P; i++) {
        s.label[i] = i % 3;
        s.X[(size_t)i * N * N + (size_t)s.label[i] * (N + 1)] += 2.0;
    }
    return s;
}

static spd_fit_options options_of(size_t k)
{
    spd_fit_options o = fit_defaults();
    o.m = M;
    o.metric = metrics[k % 3];
    o.objective = objectives[k / 3 % 2];
    o.nu_w = o.nu_b = 3;
    o.tol = 0.0;
    o.max_iter = 8;
    return o;
}

static spd_model *learn(const set *s, const spd_fit_options *o)
{
    spd_context *ctx = context_on(0);
    spd_model *model = NULL;
    CHECK_OK(ctx, spd_fit(ctx, SPD_SET(N, P, s->X), s->label, o, NULL, &model));
    return model;
}

/* A (N x N, lower triangle) far from orthogonal. */
static void skewed(rng *r, double *A)
{
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            A[i * N + j] = i == j ? exp(rng_normal(r)) : j < i ? rng_normal(r) : 0.0;
}

/* W (N x M) <- A^-T W0 */
static void back(const double *A, const double *W0, double *W)
{
    for (size_t c = 0; c < M; c++)
        for (size_t i = N; i-- > 0;) {
            double sum = W0[i * M + c];
            for (size_t j = i + 1; j < N; j++)
                sum -= A[j * N + i] * W[j * M + c];
            W[i * M + c] = sum / A[i * N + i];
        }
}

/* Largest part of A'W that lies outside the span of the orthonormal W0, column by column. */
static double outside(const double *A, const double *W, const double *W0)
{
    double worst = 0.0;
    for (size_t c = 0; c < M; c++) {
        double v[N] = {0.0}, whole = 0.0, rest = 0.0;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++)
                v[i] += A[j * N + i] * W[j * M + c];
        for (size_t i = 0; i < N; i++)
            whole += v[i] * v[i];
        for (size_t b = 0; b < M; b++) {
            double dot = 0.0;
            for (size_t i = 0; i < N; i++)
                dot += W0[i * M + b] * v[i];
            for (size_t i = 0; i < N; i++)
                v[i] -= dot * W0[i * M + b];
        }
        for (size_t i = 0; i < N; i++)
            rest += v[i] * v[i];
        worst = fmax(worst, sqrt(rest / whole));
    }
    return worst;
}

/* How far the histories of the same fit in two bases are apart; *apart <- the spaces. */
static double compare_bases(size_t k, spd_coordinates coordinates, double *apart)
{
    rng r = seeded(90 + k);
    set s = set_new(k), t = s;
    double A[N * N], W0[N * M], W[N * M], worst = 0.0;
    spd_fit_options o = options_of(k);
    o.coordinates = coordinates;
    skewed(&r, A);
    t.X = block(P * N * N);
    for (size_t i = 0; i < P; i++)
        congruent(N, N, A, s.X + i * N * N, t.X + i * N * N);
    for (size_t e = 0; e < N * M; e++)
        W0[e] = rng_normal(&r);
    back(A, W0, W);
    o.init = SPD_INIT_GIVEN;
    o.W = W0;
    OWN(spd_model) a = learn(&s, &o);
    o.W = W;
    OWN(spd_model) b = learn(&t, &o);
    if (a && b && CHECK(a->steps == b->steps, "%zu and %zu steps", a->steps, b->steps)) {
        for (size_t i = 0; i < a->steps; i++)
            worst = fmax(worst, fabs(a->history[i].cost - b->history[i].cost));
        worst /= fabs(a->cost_start);
        *apart = outside(A, b->W, a->W);
    }
    return worst;
}

TEST(the_basis_does_not_matter)
{
    const spd_coordinates kinds[] = {SPD_COORDINATES_AUTO, SPD_COORDINATES_MEAN,
                                     SPD_COORDINATES_HARMONIC, SPD_COORDINATES_WITHIN};
    double apart = NAN;
    for (size_t k = 0; k < 12; k++) {
        for (size_t c = 0; c < 4; c++) {
            double worst = compare_bases(k, kinds[c], &apart);
            CHECK(worst < 1e-6 && apart < 1e-4, "fit %zu, %s: costs %g, spaces %g apart", k,
                  spd_name(SPD_ENUM_COORDINATES, kinds[c]), worst, apart);
        }
        CHECK(compare_bases(k, SPD_COORDINATES_PLAIN, &apart) > 1e-4, "plain ones do depend on it");
    }
}

TEST(W_is_as_promised)
{
    set s = set_new(40);
    for (size_t k = 0; k < 12 * 5; k++) {
        spd_fit_options o = options_of(k / 5);
        spd_pair *pairs = NULL;
        double cost = NAN;
        o.coordinates = (spd_coordinates)(k % 5);
        OWN(spd_model) model = learn(&s, &o);
        if (!model)
            continue;
        CHECK(model->options->coordinates != SPD_COORDINATES_AUTO, "which ones is told");
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b < M; b++) {
                double dot = 0.0;
                for (size_t i = 0; i < N; i++)
                    dot += model->W[i * M + a] * model->W[i * M + b];
                CHECK_CLOSE(dot, a == b, 1e-13, "W'W, fit %zu", k);
            }
        CHECK_OK(NULL, spd_affinity(NULL, SPD_SET(N, P, s.X), s.label, &o, &pairs, &o.pairs));
        o.own_pairs = pairs;
        o.W = model->W;
        CHECK(spd_cost(NULL, SPD_SET(N, P, s.X), &o, &cost, NULL) == SPD_OK, "cost");
        CHECK_CLOSE(cost, model->cost, 1e-10 * fabs(cost), "fit %zu", k);
        spd_pairs_free(pairs);
    }
}

static void refuse(const spd_fit_options *o, const char *words)
{
    spd_context *ctx = context_on(0);
    spd_model *model = NULL;
    set s = set_new(50);
    CHECK(spd_fit(ctx, SPD_SET(N, P, s.X), s.label, o, NULL, &model) == SPD_EINVAL && !model, "%s",
          words);
    CHECK_SAYS(ctx, words);
}

TEST(bad_options)
{
    spd_fit_options o;
    for (int c = SPD_COORDINATES_MEAN; c <= SPD_COORDINATES_WITHIN; c++) {
        o = options_of(0);
        o.metric = SPD_METRIC_LOG_EUCLIDEAN;
        o.coordinates = (spd_coordinates)c;
        refuse(&o, "not available under log-euclidean");
    }
    o = options_of(0);
    o.coordinates = (spd_coordinates)(SPD_COORDINATES_WITHIN + 1);
    refuse(&o, "there is no");
}

static engine_input input_of(size_t p, const double *X, const spd_pair *link)
{
    return (engine_input){.n = N,
                          .m = M,
                          .p = p,
                          .X = X,
                          .metric = SPD_METRIC_STEIN,
                          .objective = SPD_OBJECTIVE_DIFFERENCE,
                          .pairs = 1,
                          .pair = link};
}

/* No fit comes with matrices like these; what is made of others may be as bad by rounding. */
TEST(a_singular_mean)
{
    spd_context *ctx = context_on(0);
    double X[2 * N * N] = {0.0}, L[N * N];
    const spd_pair both = {0, 1, 1.0, 0.0};
    const engine_input in = input_of(2, X, &both);
    for (size_t i = 0; i < 2; i++)
        for (size_t d = 1; d < N; d++)
            X[i * N * N + d * (N + 1)] = 1.0 + (double)(i * d);
    for (int c = SPD_COORDINATES_MEAN; c <= SPD_COORDINATES_WITHIN; c++) {
        CHECK(coordinates_factor(ctx, (spd_coordinates)c, &in, L) < 0, "coordinates %d", c);
        CHECK(said(ctx)[0], "a word about it");
    }
    CHECK_SAYS(ctx, "singular");
}

/* Means of inverses are those of 48 matrices, here every other one of 96. */
TEST(large_sets_are_thinned)
{
    spd_context *ctx = context_on(0);
    rng r = seeded(5);
    double *X = random_set(&r, N, 96, 100.0), L[N * N], alone[N * N];
    double *half = take(48 * N * N * sizeof *half);
    const spd_pair link = {0, 1, 1.0, 0.0};
    const engine_input in = input_of(96, X, &link), thin = input_of(48, half, &link);
    for (size_t i = 0; i < 48; i++)
        memcpy(half + i * N * N, X + 2 * i * N * N, N * N * sizeof *half);
    for (int c = SPD_COORDINATES_MEAN; c <= SPD_COORDINATES_HARMONIC; c++) {
        CHECK(coordinates_factor(ctx, (spd_coordinates)c, &in, L) == SPD_OK, "coordinates %d", c);
        CHECK(coordinates_factor(ctx, (spd_coordinates)c, &thin, alone) == SPD_OK, "half, %d", c);
        CHECK(!memcmp(L, alone, sizeof L), "coordinates %d of all and of half", c);
    }
}
