/* test_scale.c - every public function on matrices of any size, from 1e-300 to 1e300, and of
 * different sizes: what comes out is what it is near 1, taken to that scale, or it is refused with
 * a message that says why. Nothing that overflows or underflows passes for a result. */
#include "test.h"

#include "random_spd.h"

#define P 12

static const int exponents[] = {-1000, -960, -800, -640, -480, -300, -200, -20,
                                20,    200,  300,  480,  640,  800,  960,  1000};
#define EXPONENTS (sizeof exponents / sizeof *exponents)

/* What a squared distance is multiplied by when matrices are, as a power: 0 for those that do not
 * change. Log-Cholesky has no rule. */
static int power_of(spd_metric metric)
{
    return metric == SPD_METRIC_EUCLIDEAN ? 2 : metric == SPD_METRIC_BURES_WASSERSTEIN ? 1 : 0;
}

static double *scaled(size_t count, const double *x, int e)
{
    double *y = block(count);
    for (size_t k = 0; k < count; k++)
        y[k] = ldexp(x[k], e);
    return y;
}

/* Can 2^e times a number near 1 be written with all its digits? */
static int fits(int e)
{
    return e > -980 && e < 1010;
}

/* x (count) <- x 2^-e, and it is y to rounding. */
static void check_same(size_t count, double *x, int e, const double *y, const char *what,
                       spd_metric metric, int exponent)
{
    for (size_t k = 0; k < count; k++)
        x[k] = ldexp(x[k], -e);
    CHECK(gap_between(count, x, y) <= 1e-11 * (norm(count, y) + 1e-3), "%s, %s, 2^%d: off by %g",
          what, METRIC_NAME(metric), exponent, gap_between(count, x, y));
}

/* A status that is right for a result of that size: refused only if it does not fit, with the
 * reason. Non-zero when there is a result. */
static int judge(const spd_context *ctx, spd_status status, int e, const char *what,
                 spd_metric metric)
{
    const char *message = said(ctx);
    if (status >= 0) {
        CHECK(e > -1020 && e < 1023, "%s, %s: a result of size 2^%d", what, METRIC_NAME(metric), e);
        return 1;
    }
    CHECK(!fits(e), "%s, %s, 2^%d: %s", what, METRIC_NAME(metric), e, message);
    CHECK(status == SPD_ENUMERIC && strstr(message, "range of numbers"), "%s, %s: '%s'", what,
          METRIC_NAME(metric), message);
    return 0;
}

static void check_distances(spd_context *ctx, spd_metric metric, size_t n, const double *X, int e)
{
    double D[P * P], E[P * P], *Y = scaled(P * n * n, X, e);
    int64_t index[P * 2], other[P * 2];
    double d2[P * 2];
    int size = power_of(metric) * e;
    CHECK(spd_pairwise2(ctx, metric, SPD_SET(n, P, X), NULL, E) == SPD_OK, "base");
    CHECK_OK(ctx, spd_nearest(ctx, metric, SPD_SET(n, P, X), NULL, 2, NULL, index, d2, NULL));
    for (size_t k = 0; metric == SPD_METRIC_LOG_CHOLESKY && k < P * P; k++)
        E[k] = k % (P + 1) ? twin_log_cholesky(n, Y + k / P * n * n, Y + k % P * n * n) : 0.0;
    if (judge(ctx, spd_pairwise2(ctx, metric, SPD_SET(n, P, Y), NULL, D), size, "distances",
              metric))
        check_same(P * P, D, size, E, "distances", metric, e);
    if (judge(ctx, spd_nearest(ctx, metric, SPD_SET(n, P, Y), NULL, 2, NULL, other, d2, NULL), size,
              "neighbours", metric) &&
        metric != SPD_METRIC_LOG_CHOLESKY)
        CHECK(memcmp(index, other, sizeof index) == 0, "%s, 2^%d: other neighbours",
              METRIC_NAME(metric), e);
}

TEST(distances_at_any_scale)
{
    spd_context *ctx = context_on(0);
    rng r = seeded(1);
    for (size_t n = 1; n <= 4; n += 3) {
        double *X = random_set(&r, n, P, 10.0);
        for (int m = 0; m < SPD_METRICS; m++)
            for (size_t k = 0; k < EXPONENTS; k++)
                check_distances(ctx, (spd_metric)m, n, X, exponents[k]);
    }
}

/* d2 of 2^a x and 2^b y, one dimension. */
static double known_d2(spd_metric metric, double x, int a, double y, int b)
{
    double t = log(x) - log(y) + (a - b) * log(2.0), root = sqrt(x), other = sqrt(y);
    switch (metric) {
    case SPD_METRIC_STEIN:
        return fabs(t) / 2.0 + log1p(exp(-fabs(t))) - log(2.0);
    case SPD_METRIC_JEFFREY:
        return cosh(t) - 1.0;
    case SPD_METRIC_BURES_WASSERSTEIN:
        return pow(ldexp(root, a / 2) - ldexp(other, b / 2), 2.0);
    case SPD_METRIC_LOG_CHOLESKY:
        return t * t / 4.0;
    case SPD_METRIC_EUCLIDEAN:
        return pow(ldexp(x, a) - ldexp(y, b), 2.0);
    default:
        return t * t;
    }
}

/* Two matrices of different size, diagonal, so that the answer is known. */
static void check_mixed(spd_context *ctx, spd_metric metric, int a, int b)
{
    enum { n = 3 };
    const double x[n] = {1.0, 2.5, 0.7}, y[n] = {1.6, 0.9, 3.1};
    double X[n * n] = {0}, Y[n * n] = {0}, known = 0.0, d2 = NAN;
    for (size_t i = 0; i < n; i++) {
        X[i * (n + 1)] = ldexp(x[i], a);
        Y[i * (n + 1)] = ldexp(y[i], b);
        known += known_d2(metric, x[i], a, y[i], b);
    }
    spd_status status = spd_distance2(ctx, metric, n, X, Y, &d2);
    if (status == SPD_OK) {
        CHECK_CLOSE(d2, known, 1e-11 * known, "%s, 2^%d and 2^%d", METRIC_NAME(metric), a, b);
        return;
    }
    int far = metric == SPD_METRIC_AIRM && abs(a - b) > 1000;
    CHECK(far || !(known > 0x1p-980 && known < 0x1p1010), "%s, 2^%d and 2^%d: %s",
          METRIC_NAME(metric), a, b, said(ctx));
    CHECK_SAYS(ctx, "range of numbers");
}

TEST(distances_between_scales)
{
    spd_context *ctx = context_on(0);
    for (int m = 0; m < SPD_METRICS; m++)
        for (size_t i = 0; i < EXPONENTS; i++)
            for (size_t j = 0; j < EXPONENTS; j++)
                check_mixed(ctx, (spd_metric)m, exponents[i], exponents[j]);
}

/* A small difference between matrices that are not small is rounding; equal ones are equal. */
TEST(euclidean_zeros)
{
    double X[] = {1.0, 0.0, 0.0, 1.0}, Y[] = {1.0, 1e-200, 1e-200, 1.0}, d2 = NAN;
    double Z[] = {1e-290, 0.0, 0.0, 1e-290}, O[4] = {0};
    CHECK(spd_distance2(NULL, SPD_METRIC_EUCLIDEAN, 2, X, Y, &d2) == SPD_OK && d2 == 0.0, "%g", d2);
    CHECK(spd_distance2(NULL, SPD_METRIC_EUCLIDEAN, 2, Z, Z, &d2) == SPD_OK && d2 == 0.0, "%g", d2);
    CHECK(spd_distance2(NULL, SPD_METRIC_EUCLIDEAN, 2, O, O, &d2) == SPD_OK && d2 == 0.0, "%g", d2);
    CHECK(spd_distance2(NULL, SPD_METRIC_EUCLIDEAN, 2, Z, O, &d2) == SPD_ENUMERIC, "%g", d2);
    CHECK(spd_distance2(NULL, SPD_METRIC_BURES_WASSERSTEIN, 2, Z, Z, &d2) == SPD_OK && d2 == 0.0,
          " ");
    for (size_t e = 0; e < 4; e++)
        Y[e] = 4.0 * Z[e]; /* the same but for a power of four */
    CHECK(spd_distance2(NULL, SPD_METRIC_BURES_WASSERSTEIN, 2, Z, Y, &d2) == SPD_OK, " ");
    CHECK_CLOSE(d2 / 2e-290, 1.0, 1e-12, "d2 = %g", d2);
}

static void check_points(spd_context *ctx, spd_metric metric, size_t n, const double *X, int e)
{
    double *Y = scaled(P * n * n, X, e), *M = block(n * n), *K = block(n * n);
    CHECK(spd_mean(ctx, metric, SPD_SET(n, P, X), NULL, K, NULL) == SPD_OK, "base");
    spd_status status = spd_mean(ctx, metric, SPD_SET(n, P, Y), NULL, M, NULL);
    if (judge(ctx, status, e, "mean", metric) && metric != SPD_METRIC_LOG_CHOLESKY)
        check_same(n * n, M, e, K, "mean", metric, e);
    CHECK(spd_geodesic(ctx, metric, n, X, X + n * n, 0.3, K) == SPD_OK, "base");
    status = spd_geodesic(ctx, metric, n, Y, Y + n * n, 0.3, M);
    if (judge(ctx, status, e, "geodesic", metric) && metric != SPD_METRIC_LOG_CHOLESKY)
        check_same(n * n, M, e, K, "geodesic", metric, e);
}

TEST(means_and_geodesics_at_any_scale)
{
    spd_context *ctx = context_on(0);
    rng r = seeded(2);
    for (size_t n = 1; n <= 4; n += 3) {
        double *X = random_set(&r, n, P, 10.0);
        for (int m = 0; m < SPD_METRICS; m++)
            for (size_t k = 0; k < EXPONENTS; k++)
                check_points(ctx, (spd_metric)m, n, X, exponents[k]);
    }
}

/* Means of matrices that are far apart in size exist, or are refused: they are never zero, infinite
 * or outside the cone. */
TEST(means_between_scales)
{
    enum { n = 3 };
    spd_context *ctx = context_on(0);
    rng r = seeded(3);
    double *X = random_set(&r, n, 2, 10.0), Y[2 * n * n], M[n * n];
    for (int m = 0; m < SPD_METRICS; m++)
        for (size_t i = 0; i < EXPONENTS; i++)
            for (size_t j = 0; j < EXPONENTS; j++)
                for (int what = 0; what < 2; what++) {
                    for (size_t e = 0; e < n * n; e++) {
                        Y[e] = ldexp(X[e], exponents[i]);
                        Y[n * n + e] = ldexp(X[n * n + e], exponents[j]);
                    }
                    spd_status status =
                        what ? spd_mean(ctx, (spd_metric)m, SPD_SET(n, 2, Y), NULL, M, NULL)
                             : spd_geodesic(ctx, (spd_metric)m, n, Y, Y + n * n, 0.5, M);
                    if (status >= 0)
                        CHECK(spd_check(NULL, SPD_SET(n, 1, M), 0.0) == SPD_OK, "%s, 2^%d and 2^%d",
                              METRIC_NAME(m), exponents[i], exponents[j]);
                    else /* log-Cholesky: the small diagonal is lost beside the rest */
                        CHECK(m == SPD_METRIC_LOG_CHOLESKY || strstr(said(ctx), "range of numbers"),
                              "%s: %s", METRIC_NAME(m), said(ctx));
                }
}

TEST(functions_at_any_scale)
{
    enum { n = 4 };
    const struct {
        spd_function f;
        double power;
    } all[] = {{SPD_FUNCTION_SQRT, 0.5},
               {SPD_FUNCTION_INVSQRT, -0.5},
               {SPD_FUNCTION_POWER, 0.25},
               {SPD_FUNCTION_LOG, 0.0}};
    rng r = seeded(4);
    double *X = random_set(&r, n, P, 10.0), *F = block(P * n * n), *G = block(P * n * n);
    for (size_t k = 0; k < EXPONENTS; k++)
        for (size_t i = 0; i < 4; i++) {
            int e = exponents[k];
            double *Y = scaled(P * n * n, X, e);
            CHECK(spd_apply(NULL, all[i].f, all[i].power, SPD_SET(n, P, X), F) == SPD_OK, " ");
            CHECK(spd_apply(NULL, all[i].f, all[i].power, SPD_SET(n, P, Y), G) == SPD_OK, "2^%d",
                  e);
            for (size_t d = 0; all[i].f == SPD_FUNCTION_LOG && d < P * n; d++)
                G[d / n * n * n + d % n * (n + 1)] -= e * log(2.0);
            check_same(P * n * n, G, (int)(all[i].power * e), F,
                       spd_name(SPD_ENUM_FUNCTION, all[i].f), 0, e);
        }
}

TEST(costs_at_any_scale)
{
    enum { n = 5, m = 2 };
    const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_LOG_EUCLIDEAN, SPD_METRIC_LOG_EUCLIDEAN};
    rng r = seeded(5);
    double *X = random_set(&r, n, P, 10.0), *Q = block(n * n), W[n * m], G[n * m], H[n * m];
    spd_pair pair[P];
    random_orthogonal(&r, n, Q);
    for (size_t i = 0; i < n; i++)
        memcpy(W + i * m, Q + i * n, m * sizeof *W);
    for (uint32_t i = 0; i < P; i++)
        pair[i] = (spd_pair){i, (i + 1) % P, i % 2 ? 1.0 : 0.0, i % 2 ? 0.0 : 1.0};
    for (size_t k = 0; k < 5 * EXPONENTS; k++) {
        spd_fit_options o = fit_defaults();
        double *Y = scaled(P * n * n, X, exponents[k / 5]), base = NAN, cost = NAN;
        o.m = m;
        o.W = W;
        o.metric = metrics[k % 5];
        o.log_cost = k % 5 == 4 ? SPD_LOG_COST_EXACT : SPD_LOG_COST_APPROXIMATE;
        o.pairs = P;
        o.own_pairs = pair;
        CHECK(spd_cost(NULL, SPD_SET(n, P, X), &o, &base, G) == SPD_OK, "base");
        CHECK(spd_cost(NULL, SPD_SET(n, P, Y), &o, &cost, H) == SPD_OK, "cost");
        CHECK_CLOSE(cost, base, 1e-10 * fabs(base), "%s, 2^%d", METRIC_NAME(o.metric),
                    exponents[k / 5]);
        CHECK(relative_gap(n * m, H, G) < 1e-9, "%s, 2^%d: gradient off by %g",
              METRIC_NAME(o.metric), exponents[k / 5], relative_gap(n * m, H, G));
    }
}

#define CLASSES 3
#define TRAIN   30

/* Labels of the last P of P + TRAIN samples, learned from the others. */
static spd_status classify(spd_context *ctx, const char *name, size_t n, const double *X,
                           const int *label, int *found)
{
    spd_method method = method_of(name);
    OWN(spd_classifier) c = NULL;
    spd_samples train = {.size = sizeof train, .p = TRAIN, .n = n, .X = X};
    spd_samples queries = {.size = sizeof queries, .p = P, .n = n, .X = X + TRAIN * n * n};
    train.classes = CLASSES;
    train.label = label;
    if (spd_method_uses(&method, SPD_PARAMETER_M))
        method.value[SPD_PARAMETER_M] = 2;
    spd_status status = spd_classifier_fit(ctx, &method, &train, NULL, &c);
    if (status >= 0)
        status = spd_classifier_predict(ctx, c, &queries, found);
    return status;
}

TEST(classifiers_at_any_scale)
{
    enum { n = 4, ALL = TRAIN + P };
    static const char *const names[] = {"nn-airm",
                                        "nn-stein",
                                        "nn-log-euclidean",
                                        "nn-bures-wasserstein",
                                        "nn-euclidean",
                                        "mdm-airm",
                                        "mdm-stein",
                                        "mdm-bures-wasserstein",
                                        "mdm-euclidean",
                                        "rsr",
                                        "cdl",
                                        "cdl-lda",
                                        "pga",
                                        "pga-euclidean",
                                        "ksvm-stein",
                                        "ksvm-log-euclidean",
                                        "ts-lda",
                                        "nn-stein-csp",
                                        "ts-lda-euclidean",
                                        "nn-airm-mean",
                                        "pca-nn-airm",
                                        "nn-jeffrey-ml",
                                        "nn-log-euclidean-ml"};
    spd_context *ctx = context_on(0);
    rng r = seeded(6);
    double *X = random_set(&r, n, ALL, 10.0);
    int label[ALL], base[P], found[P];
    for (size_t i = 0; i < ALL; i++) {
        label[i] = (int)(i % CLASSES);
        for (size_t d = 0; d < n; d++)
            X[(i * n + d) * n + d] += (int)d == label[i] ? 3.0 : 0.0;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        CHECK(classify(ctx, names[k], n, X, label, base) >= 0, "%s: %s", names[k], said(ctx));
        for (size_t i = 0; i < EXPONENTS; i++) {
            int e = exponents[i], euclidean = strstr(names[k], "-euclidean") != NULL &&
                                              !strstr(names[k], "log-euclidean");
            double *Y = scaled(ALL * n * n, X, e);
            spd_status status = classify(ctx, names[k], n, Y, label, found);
            if (status >= 0)
                CHECK(memcmp(base, found, sizeof base) == 0, "%s, 2^%d: other labels", names[k], e);
            else
                CHECK(euclidean && abs(e) > 400 && strstr(said(ctx), "range of numbers"),
                      "%s, 2^%d: %s", names[k], e, said(ctx));
        }
    }
}

/* Methods on vectors scale them to unit length, so that their size does not matter, or refuse it.
 */
TEST(vectors_at_any_scale)
{
    enum { SIDE = 12, dim = SIDE * SIDE, ALL = TRAIN + P };
    static const char *const names[] = {"src", "gsrc"};
    spd_context *ctx = context_on(0);
    rng r = seeded(10);
    double *V = block(ALL * dim);
    int label[ALL], base[2][P] = {0}, found[P];
    for (size_t i = 0; i < ALL; i++)
        label[i] = (int)(i % CLASSES);
    for (size_t e = 0; e < ALL * dim; e++)
        V[e] = 0.3 * rng_uniform(&r) +
               sin(6.28 * (double)((e / dim % CLASSES + 1) * (e % SIDE)) / SIDE); /* stripes */
    for (size_t k = 0; k < 2 * (EXPONENTS + 1); k++) {
        int e = k < 2 ? 0 : exponents[k / 2 - 1];
        size_t which = k % 2;
        const spd_method method = method_of(names[which]);
        OWN(spd_classifier) c = NULL;
        double *Y = scaled(ALL * dim, V, e);
        spd_samples train = {.size = sizeof train, .p = TRAIN, .height = SIDE, .width = SIDE};
        spd_samples queries = train;
        train.V = Y;
        train.classes = CLASSES;
        train.label = label;
        queries.p = P;
        queries.V = Y + TRAIN * dim;
        spd_status status = spd_classifier_fit(ctx, &method, &train, NULL, &c);
        if (status >= 0)
            status = spd_classifier_predict(ctx, c, &queries, k < 2 ? base[which] : found);
        if (status < 0)
            CHECK(abs(e) > (which ? 50 : 400) && strstr(said(ctx), "range of numbers"),
                  "%s, 2^%d: %s", names[which], e, said(ctx));
        else if (k >= 2)
            CHECK(memcmp(base[which], found, sizeof found) == 0, "%s, 2^%d", names[which], e);
        if (k == 0)
            CHECK(memcmp(base[which], label + TRAIN, sizeof found) == 0, "%s is not right",
                  names[which]);
    }
}

TEST(embeddings_at_any_scale)
{
    enum { n = 4, d = 2 };
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_LOG_EUCLIDEAN,
                                  SPD_METRIC_BURES_WASSERSTEIN, SPD_METRIC_EUCLIDEAN};
    spd_context *ctx = context_on(0);
    rng r = seeded(7);
    double *X = random_set(&r, n, P, 10.0), A[P * d], B[P * d];
    for (int kind = 0; kind < SPD_EMBEDDINGS; kind++)
        for (size_t k = 0; k < 5; k++)
            for (size_t i = 0; i < EXPONENTS; i++) {
                spd_embed_options o = {.size = sizeof o,
                                       .kind = (spd_embedding)kind,
                                       .metric = metrics[k],
                                       .k = 9,
                                       .dimensions = d,
                                       .iterations = 10}; /* tsne: later, rounding spreads */
                if (spd_embed(ctx, &o, n, P, X, A, NULL, NULL) == SPD_EINVAL)
                    continue; /* no log maps */
                int e = exponents[i], square = power_of(metrics[k]) * e;
                int grows = kind == SPD_EMBEDDING_MDS || kind == SPD_EMBEDDING_PGA;
                double *Y = scaled(P * n * n, X, e);
                spd_status status = spd_embed(ctx, &o, n, P, Y, B, NULL, NULL);
                if (status < 0)
                    CHECK(metrics[k] == SPD_METRIC_EUCLIDEAN && abs(e) > 400 &&
                              strstr(said(ctx), "range of numbers"),
                          "%s, 2^%d: %s", spd_name(SPD_ENUM_EMBEDDING, o.kind), e, said(ctx));
                else if (kind != SPD_EMBEDDING_PGA || metrics[k] != SPD_METRIC_BURES_WASSERSTEIN) {
                    for (size_t c = 0; grows && c < P * d; c++)
                        B[c] = ldexp(B[c], -square / 2);
                    CHECK(relative_gap(P * d, B, A) < 1e-6, "%s, %s, 2^%d",
                          spd_name(SPD_ENUM_EMBEDDING, o.kind), METRIC_NAME(metrics[k]), e);
                }
            }
}

TEST(covariances_at_any_scale)
{
    enum { n = 4, r = 30 };
    spd_context *ctx = context_on(0);
    rng g = seeded(8);
    double O[r * n], C[n * n], K[n * n];
    for (size_t e = 0; e < r * n; e++)
        O[e] = 3.0 + rng_normal(&g);
    for (int s = 0; s < SPD_SHRINKAGES; s++)
        for (size_t i = 0; i < EXPONENTS; i++) {
            int e = exponents[i];
            double *Q = scaled(r * n, O, e);
            spd_covariance_options o = {.shrinkage = (spd_shrinkage)s, .shrink = 0.2};
            CHECK(spd_covariance(ctx, r, n, O, &o, K) == SPD_OK, "base");
            spd_status status = spd_covariance(ctx, r, n, Q, &o, C);
            if (status == SPD_OK)
                check_same(n * n, C, 2 * e, K, spd_name(SPD_ENUM_SHRINKAGE, o.shrinkage), 0, e);
            else
                CHECK(!fits(2 * e) && strstr(said(ctx), "squares"), "%s, 2^%d: %s",
                      spd_name(SPD_ENUM_SHRINKAGE, o.shrinkage), e, said(ctx));
        }
}

TEST(linear_algebra_at_the_ends)
{
    enum { n = 3 };
    spd_context *ctx = context_on(0);
    double X[n * n] = {0}, Y[n * n] = {0}, S[n * n], lambda[n], W[n * n] = {0};
    for (size_t i = 0; i < n; i++) {
        X[i * (n + 1)] = ldexp(1.0 + (double)i, 600);
        Y[i * (n + 1)] = ldexp(1.0, -600);
        W[i * (n + 1)] = 0x1p300;
    }
    CHECK(spd_congruence(ctx, SPD_SET(n, 1, X), n, W, S) == SPD_ENUMERIC, "2^1200");
    CHECK_SAYS(ctx, "range of numbers");
    CHECK(spd_congruence(ctx, SPD_SET(n, 1, Y), n, W, S) == SPD_OK && S[0] == 1.0, "1");
    CHECK(spd_eigh_general(ctx, SPD_SET(n, 1, X), SPD_SET(n, 1, Y), lambda, NULL) < 0, "2^1200");
    CHECK(spd_eigh_general(ctx, SPD_SET(n, 1, Y), SPD_SET(n, 1, X), lambda, NULL) == SPD_ENUMERIC,
          "2^-1200");
    CHECK_SAYS(ctx, "range of numbers");
    CHECK(spd_inverse(ctx, SPD_SET(n, 1, X), S) == SPD_OK && S[0] == 0x1p-600, "2^-600");
    CHECK(spd_logdet(ctx, SPD_SET(n, 1, X), lambda) == SPD_OK, "determinant");
    CHECK_CLOSE(lambda[0], 1800.0 * log(2.0) + log(6.0), 1e-12, "determinant");
    X[0] = NAN;
    CHECK(spd_congruence(ctx, SPD_SET(n, 1, X), n, W, S) == SPD_ENOTFINITE, "NaN");
}

/* Only ratios of weights matter; those that would take gradients out of the range are refused. */
TEST(weights_of_a_graph)
{
    enum { n = 4 };
    rng r = seeded(9);
    double *X = random_set(&r, n, P, 10.0), first[n * 2];
    const double weight[] = {1.0, 0x1p100, 0x1p-100, 1e-200, 1e200};
    for (size_t k = 0; k < 5; k++) {
        spd_fit_options o = fit_defaults();
        OWN(spd_model) model = NULL;
        spd_pair pair[P];
        for (uint32_t i = 0; i < P; i++)
            pair[i] = (spd_pair){i, (i + 1) % P, i % 2 ? weight[k] : 0.0, i % 2 ? 0.0 : weight[k]};
        o.m = 2;
        o.max_iter = 10;
        o.learning = SPD_LEARNING_OWN_GRAPH;
        o.pairs = P;
        o.own_pairs = pair;
        spd_status status = spd_fit(NULL, SPD_SET(n, P, X), NULL, &o, NULL, &model);
        CHECK(status == (k < 3 ? SPD_OK : SPD_EINVAL), "weight %g: %d", weight[k], status);
        if (k == 0 && model)
            memcpy(first, model->W, sizeof first);
        if (k > 0 && model)
            CHECK(gap_between(n * 2, first, model->W) < 1e-6, "weight %g", weight[k]);
    }
}

/* Sums of numbers at the end of the range. */
TEST(repairs_at_the_end_of_the_range)
{
    double X[] = {1.5e308, 1e308, 1.2e308, 1.6e308};
    spd_symmetrize(2, 1, X);
    CHECK_CLOSE(X[1] / 1.1e308, 1.0, 1e-15, "%g", X[1]);
    CHECK(X[1] == X[2], "not symmetric");
    spd_regularize(2, 1, X, 0.01, 0.0);
    CHECK_CLOSE(X[0] / (1.5e308 + 0.01 * 1.55e308), 1.0, 1e-15, "%g", X[0]);
}
