/* test_classify_cdl.c - kernel partial least squares and kernel discriminant analysis, against
 * NIPALS as it is written down and a dense generalised eigenproblem. */
#include "unit/test_classify_common.h"

#include "classify/kernel_pls.h"
#include "classify/log_kernel.h"
#include "golden_recognition.h"
#include "golden_values.h"

#define N 5
#define P 36
#define Q 15
#define C 4

/* K (rows x columns) <- tr(log X log Y). */
static void twin_kernel(size_t n, size_t rows, const double *X, size_t columns, const double *Y,
                        double *K)
{
    double *A = block(n * n), *B = block(n * n);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            twin_function(n, log, X + i * n * n, A);
            twin_function(n, log, Y + j * n * n, B);
            K[i * columns + j] = 0.0;
            for (size_t e = 0; e < n * n; e++)
                K[i * columns + j] += A[e] * B[e];
        }
}

/* A (rows x columns) <- L A R, L and R the centring matrices I - 11'/size where wanted. */
static void twin_centre(size_t rows, size_t columns, int left, int right, double *A)
{
    for (size_t j = 0; left && j < columns; j++) {
        double mean = 0.0;
        for (size_t i = 0; i < rows; i++)
            mean += A[i * columns + j] / (double)rows;
        for (size_t i = 0; i < rows; i++)
            A[i * columns + j] -= mean;
    }
    for (size_t i = 0; right && i < rows; i++) {
        double mean = 0.0;
        for (size_t j = 0; j < columns; j++)
            mean += A[i * columns + j] / (double)columns;
        for (size_t j = 0; j < columns; j++)
            A[i * columns + j] -= mean;
    }
}

/* K (p x p) centred on both sides, Kt (q x p): (Kq - 11'K/p)(I - 11'/p). */
static void twin_kernels(const spd_samples *train, const spd_samples *queries, double *K,
                         double *Kt)
{
    size_t p = train->p, q = queries->p;
    twin_kernel(train->n, p, train->X, p, train->X, K);
    twin_kernel(train->n, q, queries->X, p, train->X, Kt);
    for (size_t j = 0; j < p; j++) {
        double mean = 0.0;
        for (size_t i = 0; i < p; i++)
            mean += K[i * p + j] / (double)p;
        for (size_t i = 0; i < q; i++)
            Kt[i * p + j] -= mean;
    }
    twin_centre(q, p, 0, 1, Kt);
    twin_centre(p, p, 1, 1, K);
}

/* x <- x / |x|; the length before. */
static double unit(size_t count, double *x)
{
    double length = norm(count, x);
    for (size_t i = 0; i < count; i++)
        x[i] /= length;
    return length;
}

/* A (r x c) <- (I - tt') A, and with both sides for square A. */
static void twin_deflate(size_t r, size_t c, const double *t, double *A)
{
    for (size_t j = 0; j < c; j++) {
        double part = 0.0;
        for (size_t i = 0; i < r; i++)
            part += t[i] * A[i * c + j];
        for (size_t i = 0; i < r; i++)
            A[i * c + j] -= t[i] * part;
    }
}

/* B (p x c) <- U (T'KU)^-1 T'Y by NIPALS as Rosipal and Trejo write it down. */
static void twin_nipals(size_t p, size_t c, const double *K, const double *Y, size_t components,
                        double *B)
{
    size_t a = components;
    double *Kd = copy_of(p * p, K), *Yd = copy_of(p * c, Y), *flat = block(p * p);
    double *T = block(p * a), *U = block(p * a), *Tt = block(a * p);
    double *t = block(p), *u = block(p), *w = block(c), *old = block(p), *KU = block(p * a);
    double *R = block(a * a), *Z = block(a * c);
    for (size_t k = 0; k < a; k++) {
        size_t column = 0; /* any column of Y that is not used up will do to start with */
        for (size_t j = 0; j < c; j++) {
            double size = 0.0;
            for (size_t i = 0; i < p; i++)
                size += Yd[i * c + j] * Yd[i * c + j];
            if (size > 1e-12)
                column = j;
        }
        for (size_t i = 0; i < p; i++)
            u[i] = Yd[i * c + column];
        memset(old, 0, p * sizeof *old);
        for (int round = 0; round < 20000; round++) {
            times(p, p, 1, Kd, u, t);
            unit(p, t);
            times(1, p, c, t, Yd, w);
            times(p, c, 1, Yd, w, u);
            unit(p, u);
            if (gap_between(p, t, old) < 1e-15)
                break;
            memcpy(old, t, p * sizeof *old);
        }
        twin_deflate(p, p, t, Kd);
        flip(p, p, Kd, flat);
        twin_deflate(p, p, t, flat);
        flip(p, p, flat, Kd);
        twin_deflate(p, c, t, Yd);
        for (size_t i = 0; i < p; i++) {
            T[i * a + k] = t[i];
            U[i * a + k] = u[i];
        }
    }
    flip(p, a, T, Tt);
    times(p, p, a, K, U, KU);
    times(a, p, a, Tt, KU, R);
    times(a, p, c, Tt, Y, Z);
    lapack_int pivots[64];
    if (LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)a, (lapack_int)c, R, (lapack_int)a, pivots, Z,
                      (lapack_int)c))
        abort();
    times(p, a, c, U, Z, B);
}

/* Y (p x classes) <- one-hot, columns centred; mean (classes) <- what was taken away. */
static void twin_one_hot(const spd_samples *train, double *Y, double *mean)
{
    size_t p = train->p, classes = train->classes;
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < classes; c++)
            Y[i * classes + c] = (size_t)train->label[i] == c ? 1.0 : 0.0;
    for (size_t c = 0; c < classes; c++) {
        mean[c] = 0.0;
        for (size_t i = 0; i < p; i++)
            mean[c] += Y[i * classes + c] / (double)p;
    }
    twin_centre(p, classes, 1, 0, Y);
}

/* label (q) <- cdl by the twins. */
static void twin_cdl(const spd_samples *train, const spd_samples *queries, size_t components,
                     int *label)
{
    size_t p = train->p, q = queries->p, c = train->classes;
    double *K = block(p * p), *Kt = block(q * p), *Y = block(p * c), *B = block(p * c);
    double *S = block(q * c), *mean = block(c);
    twin_kernels(train, queries, K, Kt);
    twin_one_hot(train, Y, mean);
    twin_nipals(p, c, K, Y, components, B);
    times(q, p, c, Kt, B, S);
    for (size_t i = 0; i < q; i++) {
        label[i] = 0;
        for (size_t j = 1; j < c; j++)
            if (S[i * c + j] + mean[j] > S[i * c + (size_t)label[i]] + mean[label[i]])
                label[i] = (int)j;
    }
}

typedef struct pls_input {
    labelled_set train;
    double K[P * P], Y[P * C], mean[C];
} pls_input;

static void make_input(pls_input *in, double spread)
{
    in->train = labelled_random(5, N, P, C, spread);
    twin_kernel(N, P, in->train.X, P, in->train.X, in->K);
    twin_centre(P, P, 1, 1, in->K);
    twin_one_hot(&in->train.samples, in->Y, in->mean);
}

static double *coefficients(const kernel_pls *pls, size_t components)
{
    double *B = block(pls->p * pls->outputs), *work = block(pls->count * pls->outputs);
    kernel_pls_coefficients(pls, components, B, work);
    return B;
}

TEST(equals_nipals)
{
    pls_input in;
    make_input(&in, 0.3);
    for (size_t a = 1; a <= 6; a++) {
        kernel_pls pls;
        FREED_BY(arena_free) arena room = {0};
        double *twin = block(P * C);
        CHECK(kernel_pls_fit(NULL, P, C, in.K, in.Y, a, &room, &pls) == SPD_OK, " ");
        CHECK(pls.count == a && !pls.exhausted, "%zu components", pls.count);
        double *B = coefficients(&pls, a);
        twin_nipals(P, C, in.K, in.Y, a, twin);
        CHECK_CLOSE(relative_gap(P * C, B, twin), 0.0, 1e-8, "%zu components", a);
    }
}

TEST(shorter_is_a_beginning)
{
    pls_input in;
    kernel_pls shorter, longer;
    FREED_BY(arena_free) arena room = {0};
    make_input(&in, 0.3);
    CHECK(kernel_pls_fit(NULL, P, C, in.K, in.Y, 3, &room, &shorter) == SPD_OK, " ");
    CHECK(kernel_pls_fit(NULL, P, C, in.K, in.Y, 9, &room, &longer) == SPD_OK, " ");
    double *a = coefficients(&shorter, 3), *b = coefficients(&longer, 3);
    double *c = coefficients(&longer, 9);
    CHECK(memcmp(a, b, P * C * sizeof *a) == 0, "gap %g", gap_between(P * C, a, b));
    CHECK(relative_gap(P * C, c, b) > 1e-3, "more components change nothing");
}

/* With all components there are, the training labels are met: K B = Y. */
TEST(ends_when_used_up)
{
    pls_input in;
    kernel_pls pls;
    arena room = {0};
    double *KB = block(P * C), nothing[P * C] = {0};
    make_input(&in, 0.3);
    for (size_t i = 0; i < P; i++) /* a kernel of full rank but for the constant */
        in.K[i * P + i] += 5.0;
    twin_centre(P, P, 1, 1, in.K);
    CHECK(kernel_pls_fit(NULL, P, C, in.K, in.Y, 1000, &room, &pls) == SPD_OK, " ");
    CHECK(pls.exhausted && pls.count < P && pls.count >= C - 1, "%zu components", pls.count);
    double *B = coefficients(&pls, 1000);
    times(P, P, C, in.K, B, KB);
    CHECK_CLOSE(relative_gap(P * C, KB, in.Y), 0.0, 1e-8, "training labels");
    arena_free(&room);
    CHECK(kernel_pls_fit(NULL, P, C, in.K, nothing, 5, &room, &pls) == SPD_OK, " ");
    CHECK(pls.exhausted && pls.count == 0, "%zu components of nothing", pls.count);
    B = coefficients(&pls, 5);
    CHECK(norm(P * C, B) == 0.0, "coefficients of nothing");
    arena_free(&room);
}

TEST(golden_predictions)
{
    const spd_samples train = golden_samples(GOLDEN_P, golden_X);
    const spd_samples queries = golden_samples(GOLDEN_Q, golden_Xq);
    int label[GOLDEN_Q];
    spd_method method = steps_method(&classifier_cdl, SPD_METRIC_LOG_EUCLIDEAN, &train);
    CHECK(method.value[SPD_PARAMETER_COMPONENTS] == 2.0, "%g",
          method.value[SPD_PARAMETER_COMPONENTS]);
    CHECK(steps_run(NULL, &classifier_cdl, &method, &train, &queries, label) == SPD_OK, " ");
    for (int i = 0; i < GOLDEN_Q; i++)
        CHECK(label[i] == golden_cdl[i], "query %d: %d, expected %d", i, label[i], golden_cdl[i]);
}

/* label (Q) <- as cross-validation goes about it: prepared before components are known. */
static void tuned_labels(const spd_samples *train, const spd_samples *queries, double components,
                         int *label)
{
    const classifier *c = &classifier_cdl;
    FREED_BY(training_state_free)
    training_state run = {.kind = c, .train = *train, .queries = *queries};
    run.method = (spd_method){.metric = SPD_METRIC_LOG_EUCLIDEAN};
    run.method.value[SPD_PARAMETER_COMPONENTS] = (double)NAN;
    CHECK(c->prepare(NULL, &run) == SPD_OK, " ");
    run.method.value[SPD_PARAMETER_COMPONENTS] = components;
    CHECK(c->train(NULL, &run) == SPD_OK, " ");
    CHECK(c->meet(NULL, &run) == SPD_OK, " ");
    CHECK(c->decide(NULL, &run, label) == SPD_OK, " ");
}

/* Also fewer components than were prepared, and more. */
TEST(predictions_equal_the_twin)
{
    labelled_set train = labelled_random(5, N, P, C, 0.2);
    labelled_set queries = labelled_random(6, N, Q, C, 0.2);
    int label[Q], twin[Q], while_tuned[Q];
    spd_method method = steps_method(&classifier_cdl, SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
    const double tried[] = {1, 2, 3, 6, 12, 14};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; k++) {
        method.value[SPD_PARAMETER_COMPONENTS] = tried[k];
        steps_good(&classifier_cdl, &method, &train, &queries, label);
        tuned_labels(&train.samples, &queries.samples, tried[k], while_tuned);
        CHECK(memcmp(label, while_tuned, sizeof label) == 0, "%g components", tried[k]);
        twin_cdl(&train.samples, &queries.samples, (size_t)tried[k], twin);
        CHECK(memcmp(label, twin, sizeof label) == 0, "%g components", tried[k]);
    }
    CHECK(steps_correct(&queries.samples, label) > Q / 2, "%zu",
          steps_correct(&queries.samples, label));
}

TEST(parameters_of_cdl)
{
    labelled_set train = labelled_random(5, N, P, C, 0.2);
    const classifier *c = &classifier_cdl;
    double values[10];
    int label[P];
    CHECK(classifier_choice(c, SPD_PARAMETER_COMPONENTS) && !classifier_choice(c, SPD_PARAMETER_K),
          " ");
    CHECK(steps_grid(c, &train.samples, SPD_PARAMETER_COMPONENTS, values) == 4, " ");
    CHECK(values[0] == 2 && values[1] == 3 && values[2] == 6 && values[3] == 12, " ");
    train.samples.p = 6; /* p - 1 at most */
    CHECK(steps_grid(c, &train.samples, SPD_PARAMETER_COMPONENTS, values) == 3 && values[2] == 5,
          " ");
    train.samples.p = P;
    train.samples.classes = 9; /* five of them without samples */
    CHECK(choice_standard(classifier_choice(c, SPD_PARAMETER_COMPONENTS), &train.samples) == 3.0,
          " ");
    spd_context *ctx = context_on(0);
    spd_method method = steps_method(c, SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
    CHECK(steps_run(ctx, c, &method, &train.samples, &train.samples, label) == SPD_OK, " ");
    CHECK(steps_correct(&train.samples, label) > P / 2, " ");
    method.value[SPD_PARAMETER_COMPONENTS] = 0.0;
    CHECK_FAILED(ctx, steps_run(ctx, c, &method, &train.samples, &train.samples, label), SPD_EINVAL,
                 "components is 0");
}

/* B (p x p): class means of the rows of K, m_c, weighted: sum n_c m_c m_c'. */
static void twin_between(const spd_samples *train, const double *K, double *B)
{
    size_t p = train->p;
    double *m = block(p);
    memset(B, 0, p * p * sizeof *B);
    for (size_t c = 0; c < train->classes; c++) {
        double count = 0.0;
        memset(m, 0, p * sizeof *m);
        for (size_t i = 0; i < p; i++)
            if ((size_t)train->label[i] == c) {
                count += 1.0;
                for (size_t j = 0; j < p; j++)
                    m[j] += K[i * p + j];
            }
        for (size_t i = 0; i < p && count > 0.0; i++)
            for (size_t j = 0; j < p; j++)
                B[i * p + j] += m[i] * m[j] / count;
    }
}

/* Coordinates of training (p x d) and queries (q x d) by a dense generalised eigenproblem. */
static void twin_lda(const spd_samples *train, const double *K, size_t q, const double *Kt,
                     size_t d, double *V, double *W)
{
    size_t p = train->p;
    lapack_int size = (lapack_int)p;
    double *B = block(p * p), *T = block(p * p), *lambda = block(p), *a = block(p), *Ka = block(p);
    double *out = block(q);
    twin_between(train, K, B);
    times(p, p, p, K, K, T);
    for (size_t i = 0; i < p; i++)
        T[i * p + i] += 0.01;
    if (LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'L', size, B, size, T, size, lambda))
        abort();
    for (size_t k = 0; k < d; k++) {
        double aKa = 0.0;
        for (size_t i = 0; i < p; i++)
            a[i] = B[i * p + p - 1 - k];
        times(p, p, 1, K, a, Ka);
        for (size_t i = 0; i < p; i++)
            aKa += a[i] * Ka[i];
        times(q, p, 1, Kt, a, out);
        for (size_t i = 0; i < p; i++)
            V[i * d + k] = Ka[i] / sqrt(aKa);
        for (size_t i = 0; i < q; i++)
            W[i * d + k] = out[i] / sqrt(aKa);
    }
}

static size_t twin_nearest(size_t d, size_t p, const double *V, const double *w)
{
    size_t best = 0;
    for (size_t i = 1; i < p; i++)
        if (gap_between(d, V + i * d, w) < gap_between(d, V + best * d, w))
            best = i;
    return best;
}

TEST(lda_equals_the_dense_problem)
{
    labelled_set train = labelled_random(8, N, P, C, 0.2);
    labelled_set queries = labelled_random(9, N, Q, C, 0.2);
    double *K = block(P * P), *Kt = block(Q * P), *V = block(P * (C - 1)), *W = block(Q * (C - 1));
    int label[Q];
    twin_kernels(&train.samples, &queries.samples, K, Kt);
    twin_lda(&train.samples, K, Q, Kt, C - 1, V, W);
    spd_method method = steps_method(&classifier_cdl_lda, SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
    steps_good(&classifier_cdl_lda, &method, &train, &queries, label);
    for (size_t i = 0; i < Q; i++) {
        size_t twin = twin_nearest(C - 1, P, V, W + i * (C - 1));
        CHECK(label[i] == train.label[twin], "query %zu: %d", i, label[i]);
    }
    CHECK(steps_correct(&queries.samples, label) > Q / 2, "%zu",
          steps_correct(&queries.samples, label));
}

/* X -> R X R' with R orthogonal changes no logarithm's inner products. */
TEST(rotations_change_nothing)
{
    labelled_set train = labelled_random(8, N, P, C, 0.2);
    labelled_set queries = labelled_random(9, N, Q, C, 0.2);
    const classifier *const all[] = {&classifier_cdl, &classifier_cdl_lda};
    int label[2][Q], turned[2][Q];
    double R[N * N], copy[N * N];
    rng r = seeded(3);
    random_orthogonal(&r, N, R);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < 2; k++) {
            spd_method method = steps_method(all[k], SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
            steps_good(all[k], &method, &train, &queries, pass ? turned[k] : label[k]);
        }
        for (size_t i = 0; i < P; i++) {
            memcpy(copy, train.X + i * N * N, sizeof copy);
            congruent(N, N, R, copy, train.X + i * N * N);
        }
        for (size_t i = 0; i < Q; i++) {
            memcpy(copy, queries.X + i * N * N, sizeof copy);
            congruent(N, N, R, copy, queries.X + i * N * N);
        }
    }
    CHECK(memcmp(label, turned, sizeof label) == 0, " ");
}

/* Training with more components than were prepared is a run of its own. */
TEST(allocations_of_a_longer_run)
{
    labelled_set train = labelled_random(8, N, P, C, 0.2);
    const classifier *c = &classifier_cdl;
    FREED_BY(training_state_free) training_state run = {.kind = c, .train = train.samples};
    run.method = steps_method(c, SPD_METRIC_LOG_EUCLIDEAN, &train.samples);
    CHECK(c->prepare(NULL, &run) == SPD_OK, " ");
    run.method.value[SPD_PARAMETER_COMPONENTS] = 20;
    for (sweep_state s = SWEEP(NULL, 8, NULL, 0); sweep_on(&s);) {
        s.status = c->train(NULL, &run);
        arena_free(&run.training);
    }
}
