/* test_complex.c - complex matrices as their real forms: there and back, the factors that they
 * carry, maps that are complex, and fits and trained methods in files. */
#include "learn/complex_map.h"
#include "random_spd.h"
#include "unit/test_io_common.h"

/* Z (p x n x n complex) <- random Hermitian positive definite matrices A A^H + I. */
static void random_hermitian(rng *r, size_t n, size_t p, double *Z)
{
    double *A = block(2 * n * n);
    for (size_t k = 0; k < p; k++, Z += 2 * n * n) {
        for (size_t e = 0; e < 2 * n * n; e++)
            A[e] = rng_normal(r);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                double real = i == j, imaginary = 0.0;
                for (size_t c = 0; c < n; c++) {
                    const double *a = A + 2 * (i * n + c), *b = A + 2 * (j * n + c);
                    real += a[0] * b[0] + a[1] * b[1];
                    imaginary += a[1] * b[0] - a[0] * b[1];
                }
                Z[2 * (i * n + j)] = real;
                Z[2 * (i * n + j) + 1] = i == j ? 0.0 : imaginary;
            }
    }
}

/* X (p x 2n x 2n, new) <- real forms of such matrices. */
static double *random_forms(rng *r, size_t n, size_t p)
{
    double *Z = block(2 * p * n * n), *X = block(4 * p * n * n);
    random_hermitian(r, n, p, Z);
    spd_complex_embed(n, n, p, Z, X);
    return X;
}

TEST(there_and_back)
{
    enum { R = 3, C = 2, COUNT = 4 };
    rng r = seeded(1);
    double Z[COUNT * R * C * 2], X[COUNT * R * C * 4], back[COUNT * R * C * 2];
    for (size_t e = 0; e < COUNT * R * C * 2; e++)
        Z[e] = rng_normal(&r);
    spd_complex_embed(R, C, COUNT, Z, X);
    for (size_t k = 0; k < COUNT; k++)
        for (size_t i = 0; i < R; i++)
            for (size_t j = 0; j < C; j++) {
                const double *z = Z + 2 * ((k * R + i) * C + j);
                const double *x = X + (k * 2 * R + 2 * i) * 2 * C + 2 * j;
                CHECK(x[0] == z[0] && x[1] == -z[1] && x[2 * C] == z[1] && x[2 * C + 1] == z[0],
                      "entry %zu, %zu of %zu", i, j, k);
            }
    spd_complex_extract(R, C, COUNT, X, back);
    CHECK(memcmp(back, Z, sizeof Z) == 0, "back");
    X[0] += 2.0; /* the copies are averaged, in place too */
    X[1] += 4.0;
    spd_complex_extract(R, C, COUNT, X, X);
    Z[0] += 1.0;
    Z[1] -= 2.0;
    CHECK(gap_between(COUNT * R * C * 2, X, Z) < 1e-15, "nearest, in place");
}

/* Products and inverses of real forms are real forms; all metrics see each eigenvalue twice. */
TEST(distances_are_doubled)
{
    enum { N = 3 };
    rng r = seeded(2);
    double *X = random_forms(&r, N, 2), d2, d2_real, diagonal[2][N * N] = {{0}}, Z[2 * N * N];
    double forms[2][4 * N * N];
    for (int k = 0; k < 2; k++) { /* real diagonal ones, whose distances are known at size N */
        memset(Z, 0, sizeof Z);
        for (size_t i = 0; i < N; i++)
            diagonal[k][i * (N + 1)] = Z[2 * i * (N + 1)] = exp(rng_normal(&r));
        spd_complex_embed(N, N, 1, Z, forms[k]);
    }
    CHECK(spd_check(NULL, SPD_SET(2 * N, 2, X), 0.0) == SPD_OK, "symmetric and definite");
    for (int m = 0; m < SPD_METRICS; m++) {
        CHECK(spd_distance2(NULL, (spd_metric)m, N, diagonal[0], diagonal[1], &d2_real) == SPD_OK &&
                  spd_distance2(NULL, (spd_metric)m, 2 * N, forms[0], forms[1], &d2) == SPD_OK,
              "metric %d", m);
        CHECK_CLOSE(d2, 2.0 * d2_real, 1e-13 * d2, "metric %d", m);
    }
}

/* The largest of |W'W - I| and of what W lacks to be a real form. */
static double defect(size_t n, size_t m, const double *W)
{
    double worst = 0.0, *Z = block(n * m / 2), *form = block(n * m);
    spd_complex_extract(n / 2, m / 2, 1, W, Z);
    spd_complex_embed(n / 2, m / 2, 1, Z, form);
    for (size_t e = 0; e < n * m; e++)
        worst = fmax(worst, fabs(form[e] - W[e]));
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = a == b ? -1.0 : 0.0;
            for (size_t i = 0; i < n; i++)
                sum += W[i * m + a] * W[i * m + b];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

/* P (n x n) <- W W' */
static double *projector(size_t n, size_t m, const double *W)
{
    double *T = block(m * n), *P = block(n * n);
    flip(n, m, W, T);
    times(n, m, n, W, T, P);
    return P;
}

static void orthonormal(rng *r, size_t n, size_t m, double *W)
{
    for (size_t e = 0; e < n * m; e++)
        W[e] = rng_normal(r);
    double *tau = block(m);
    LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, (int)n, (int)m, W, (int)m, tau);
    LAPACKE_dorgqr(LAPACK_ROW_MAJOR, (int)n, (int)m, (int)m, W, (int)m, tau);
}

TEST(nearest_maps)
{
    static const size_t sizes[][2] = {{2, 2}, {4, 2}, {10, 4}, {12, 10}, {60, 24}};
    rng r = seeded(3);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s][0], m = sizes[s][1];
        double *W = block(n * m), *turned = block(n * m), *R = block(m * m), *work = block(n * m);
        orthonormal(&r, n, m, W);
        CHECK(complex_map_nearest(NULL, n, m, W) == SPD_OK, "n %zu", n);
        CHECK(defect(n, m, W) < 1e-14 * (double)n, "n %zu, m %zu: %g", n, m, defect(n, m, W));
        orthonormal(&r, m, m, R); /* the same span in a basis that is not complex */
        for (int k = 0; k < 2; k++) {
            times(n, m, m, W, R, turned);
            if (k == 0)
                CHECK(complex_map_nearest(NULL, n, m, turned) == SPD_OK, "n %zu", n);
            else
                complex_map_basis(n, m, turned, work);
            double *P = projector(n, m, W), *Q = projector(n, m, turned);
            CHECK(defect(n, m, turned) < 1e-14 * (double)n, "n %zu, way %d", n, k);
            CHECK(gap_between(n * n, P, Q) < 1e-13 * (double)n, "n %zu: the span, way %d", n, k);
        }
    }
}

/* Of all complex lines the nearest to a plane: no rotation of it comes nearer. */
TEST(nearest_is_nearest)
{
    enum { N = 6, M = 2 };
    rng r = seeded(4);
    double W[N * M], best[N * M], other[N * M];
    orthonormal(&r, N, M, W);
    memcpy(best, W, sizeof W);
    CHECK(complex_map_nearest(NULL, N, M, best) == SPD_OK, "nearest");
    double *P = projector(N, M, W), *B = projector(N, M, best), gap = 0.0;
    for (size_t e = 0; e < N * N; e++)
        gap += pow(P[e] - B[e], 2.0);
    for (int k = 0; k < 200; k++) {
        double z[N], length = 0.0, far = 0.0; /* a complex vector near the best one */
        for (size_t i = 0; i < N; i++) {
            z[i] = best[i * M] + 0.1 * rng_normal(&r);
            length += z[i] * z[i];
        }
        for (size_t i = 0; i < N; i++)
            z[i] /= sqrt(length);
        spd_complex_embed(N / 2, 1, 1, z, other);
        double *Q = projector(N, M, other);
        for (size_t e = 0; e < N * N; e++)
            far += pow(P[e] - Q[e], 2.0);
        CHECK(far >= gap - 1e-12, "%g is nearer than %g", far, gap);
    }
}

enum { SIZE = 4, COUNT = 24, CLASSES = 3 };

/* Real forms as a set. */
static const spd_set *forms_of(size_t n, size_t p, const double *X, spd_set *set)
{
    *set = *SPD_SET(n, p, X);
    set->hermitian = 1;
    return set;
}

static void label_all(int *label)
{
    for (size_t i = 0; i < COUNT; i++)
        label[i] = (int)(i % CLASSES);
}

static spd_fit_options options_of(size_t m)
{
    spd_fit_options o = fit_defaults();
    o.m = m;
    o.max_iter = 12;
    return o;
}

TEST(fits_in_files)
{
    rng r = seeded(5);
    double *X = random_forms(&r, SIZE, COUNT);
    int label[COUNT];
    spd_model *model = NULL, *back = NULL;
    label_all(label);
    spd_set forms;
    spd_fit_options o = options_of(4);
    CHECK(spd_fit(ctx, forms_of(2 * SIZE, COUNT, X, &forms), label, &o, NULL, &model) >= 0, "%s",
          said(ctx));
    if (!model)
        return;
    CHECK(defect(8, 4, model->W) < 1e-13, "a complex map");
    CHECK(spd_model_save(ctx, model, scratch("m.spdml")) == SPD_OK, "saved");
    spd_array *W = NULL;
    CHECK(spd_array_read(ctx, scratch("m.spdml"), "W", &W) == SPD_OK &&
              W->type == SPD_TYPE_COMPLEX128 && W->shape[0] == 4 && W->shape[1] == 2 &&
              W->f64[0] == model->W[0],
          "a complex array");
    spd_array_free(W);
    CHECK_OK(ctx, spd_model_load(ctx, scratch("m.spdml"), &back));
    CHECK(back && back->n == 8 && back->m == 4 && back->options->m == 4 && back->options->hermitian,
          "sizes");
    CHECK(back && gap_between(32, back->W, model->W) < 1e-16, "W");
    spd_model_free(model);
    spd_model_free(back);
    for (size_t m = 1; m < 4; m += 2) {
        o = options_of(m);
        CHECK(spd_fit(ctx, forms_of(8, COUNT, X, &forms), label, &o, NULL, &model) == SPD_EINVAL,
              "m = %zu", m);
    }
    o = options_of(2);
    CHECK_STATUS(spd_fit(ctx, forms_of(7, COUNT, X, &forms), label, &o, NULL, &model), SPD_EINVAL);
}

/* Every way to a map through a file: the same scores, bit for bit. */
TEST(methods_in_files)
{
    static const char *const names[] = {"nn-stein-ml",     "nn-stein-mean", "mdm-airm-csp",
                                        "nn-stein-random", "rsr-multi",     "pca-ts-lda",
                                        "krr-stein-ml",    "krr-both-ml",   "krr-tangent-csp",
                                        "ts-lr-ml",        "krr-stein-bag"};
    rng r = seeded(6);
    double *X = random_forms(&r, SIZE, COUNT), before[COUNT * CLASSES], after[COUNT * CLASSES];
    int label[COUNT];
    label_all(label);
    spd_samples set = {.size = sizeof set,
                       .p = COUNT,
                       .n = 2 * SIZE,
                       .X = X,
                       .classes = CLASSES,
                       .label = label,
                       .hermitian = 1};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        spd_method method = method_of(names[k]);
        OWN(spd_classifier) c = NULL, *back = NULL;
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
        if (spd_method_uses(&method, SPD_PARAMETER_M))
            method.value[SPD_PARAMETER_M] = 2;
        CHECK(spd_classifier_fit(ctx, &method, &set, NULL, &c) >= 0, "%s: %s", names[k], said(ctx));
        CHECK(spd_classifier_info(ctx, c, &facts) == SPD_OK && facts.hermitian && facts.n == 8,
              "%s", names[k]);
        CHECK(facts.m == (method.map >= SPD_MAP_MULTI ? 8 + 2 + 4 : 4), "%s", names[k]);
        CHECK(spd_classifier_save(ctx, c, scratch("t.spdml")) == SPD_OK &&
                  spd_classifier_load(ctx, scratch("t.spdml"), &back) == SPD_OK,
              "%s: %s", names[k], said(ctx));
        CHECK(spd_classifier_scores(ctx, c, &set, NULL, before) >= 0 &&
                  spd_classifier_scores(ctx, back, &set, NULL, after) >= 0,
              "%s", names[k]);
        CHECK(memcmp(before, after, sizeof before) == 0, "%s: scores", names[k]);
        set.hermitian = 0;
        CHECK(spd_classifier_scores(ctx, c, &set, NULL, after) == SPD_EINVAL, "%s", names[k]);
        set.hermitian = 1;
    }
}

TEST(allocation_sweep)
{
    rng r = seeded(7);
    double *X = random_forms(&r, SIZE, COUNT);
    int label[COUNT];
    label_all(label);
    spd_set forms;
    spd_fit_options o = options_of(2);
    o.max_iter = 2;
    o.objective = SPD_OBJECTIVE_DIFFERENCE;
    spd_context_set_threads(ctx, 1);
    for (sweep_state s = SWEEP(ctx, 9, NULL, 0); sweep_on(&s);) {
        OWN(spd_model) model = NULL;
        s.remarks = 1;
        s.status = spd_fit(ctx, forms_of(2 * SIZE, COUNT, X, &forms), label, &o, NULL, &model);
        CHECK_MADE(s, model);
    }
}
