/* test_classify_ridge.c - kernel ridge regression against equations solved one by one: the
 * coefficients, and what is predicted for each sample when it is left out. */
#include "unit/test_classify_common.h"

#include "classify/ridge.h"
#include "classify/samples.h"

#define N 4
#define P 24
#define Q 15
#define C 3

/* x (size x columns) <- A^-1 x by elimination with pivots; A (size x size) is destroyed. */
static void twin_solve(size_t size, size_t columns, double *A, double *x)
{
    for (size_t k = 0; k < size; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < size; i++)
            if (fabs(A[i * size + k]) > fabs(A[pivot * size + k]))
                pivot = i;
        for (size_t j = 0; j < size; j++) {
            double swap = A[k * size + j];
            A[k * size + j] = A[pivot * size + j];
            A[pivot * size + j] = swap;
        }
        for (size_t j = 0; j < columns; j++) {
            double swap = x[k * columns + j];
            x[k * columns + j] = x[pivot * columns + j];
            x[pivot * columns + j] = swap;
        }
        for (size_t i = 0; i < size; i++) {
            double factor = i == k ? 0.0 : A[i * size + k] / A[k * size + k];
            for (size_t j = k; j < size; j++)
                A[i * size + j] -= factor * A[k * size + j];
            for (size_t j = 0; j < columns; j++)
                x[i * columns + j] -= factor * x[k * columns + j];
        }
    }
    for (size_t k = 0; k < size; k++)
        for (size_t j = 0; j < columns; j++)
            x[k * columns + j] /= A[k * size + k];
}

/* x ((p + 1) x C) <- coefficients, then the intercepts: K + lambda I bordered by ones. out (p flags,
 * or NULL): samples that are left out, whose coefficients are 0. */
static void twin_ridge(size_t p, const double *K, const double *Y, double lambda, const char *out,
                       double *x)
{
    size_t size = p + 1;
    double *A = take_zeros(size * size, sizeof *A);
    memset(x, 0, size * C * sizeof *x);
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++)
            A[i * size + j] = out && (out[i] || out[j]) ? 0.0 : K[i * p + j];
        A[i * size + i] += lambda;
        if (out && out[i])
            continue;
        A[i * size + p] = A[p * size + i] = 1.0;
        memcpy(x + i * C, Y + i * C, C * sizeof *x);
    }
    twin_solve(size, C, A, x);
}

/* score (C) <- of a sample whose kernel with all p is k. */
static void twin_scores(size_t p, const double *k, const double *x, double *score)
{
    for (size_t c = 0; c < C; c++) {
        score[c] = x[p * C + c];
        for (size_t i = 0; i < p; i++)
            score[c] += k[i] * x[i * C + c];
    }
}

/* left (p x C) <- what is predicted for each sample by those of other groups; group NULL: by all
 * others. */
static ridge_quality twin_left(size_t p, const double *K, const double *Y, const int *label,
                               const int *group, double lambda, double *left)
{
    double *x = block((p + 1) * C);
    char *out = take(p);
    ridge_quality q = {0, 0.0};
    for (size_t i = 0; i < p; i++) {
        double *score = left + i * C;
        size_t best = 0;
        for (size_t j = 0; j < p; j++)
            out[j] = (char)(group ? group[i] == group[j] : i == j);
        twin_ridge(p, K, Y, lambda, out, x);
        twin_scores(p, K + i * p, x, score);
        for (size_t c = 0; c < C; c++) {
            q.error += (score[c] - Y[i * C + c]) * (score[c] - Y[i * C + c]);
            best = score[c] > score[best] ? c : best;
        }
        q.right += label && best == (size_t)label[i];
    }
    return q;
}

static void one_hot(size_t p, const int *label, double *Y)
{
    for (size_t e = 0; e < p * C; e++)
        Y[e] = e % C == (size_t)label[e / C];
}

static double *one_hot_block(const int *label)
{
    double *Y = block(P * C);
    one_hot(P, label, Y);
    return Y;
}

/* Five groups of different sizes, which have all classes. */
static const int group_of[P] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1,
                                1, 4, 4, 4, 4, 4, 7, 7, 7, 8, 8, 8};

static const double lambdas[] = {1e-3, 0.1, 10.0};

/* What a problem is made of: K is definite, of Stein's kernel. */
typedef struct equations {
    double K[P * P], Y[P * C];
    size_t at[P];
    int label[P];
    classes groups;
    arena room;
    ridge_targets to;
} equations;

static void free_equations(equations *e)
{
    arena_free(&e->room);
}

/* grouped: samples of a group are left out together; real: Y are numbers, no classes. */
static void make_equations(int grouped, int real, equations *e)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6);
    rng r = seeded(9);
    *e = (equations){.to = {.p = P, .count = C, .Y = e->Y, .at = real ? NULL : e->at}};
    twin_stein(1.5, N, P, train.X, P, train.X, e->K); /* beta = (n - 1)/2: definite */
    one_hot(P, train.label, e->Y);
    for (size_t k = 0; k < P; k++)
        e->at[k] = (size_t)(e->label[k] = train.label[k]);
    for (size_t k = 0; real && k < P * C; k++)
        e->Y[k] = 5.0 + rng_normal(&r);
    CHECK(classes_sort(NULL, P, group_of, &e->room, &e->groups) == SPD_OK, "groups");
    e->to.groups = grouped ? &e->groups : NULL;
}

/* left and quality are those of the twin. */
static void check_left(const equations *e, const double *K, double lambda, const double *left,
                       ridge_quality q)
{
    double *twin = block(P * C);
    ridge_quality own = twin_left(P, K, e->Y, e->to.at ? e->label : NULL,
                                  e->to.groups ? group_of : NULL, lambda, twin);
    CHECK(gap_between(P * C, left, twin) < 1e-9 * norm(P * C, twin), "lambda %g: left out", lambda);
    CHECK(q.right == own.right, "%zu right, not %zu", q.right, own.right);
    CHECK_CLOSE(q.error, own.error, 1e-9 * own.error, "squared error");
}

/* Of a kernel: by its tridiagonal form, and by its inverse. */
static void check_kernel(int grouped, int real)
{
    FREED_BY(free_equations) equations e;
    double *V = block(P * P), *left = block(P * C), *A = block(P * C), b[C];
    double *x = block((P + 1) * C);
    FREED_BY(arena_free) arena room = {0};
    ridge r;
    ridge_quality q;
    make_equations(grouped, real, &e);
    memcpy(V, e.K, sizeof e.K);
    CHECK(ridge_open(NULL, &e.to, V, &room, &r) == SPD_OK, "ridge");
    for (size_t l = 0; l < 3; l++) {
        double *inverse = block(P * P);
        twin_ridge(P, e.K, e.Y, lambdas[l], NULL, x);
        CHECK(ridge_leave_out(NULL, &r, lambdas[l], left, &q) == SPD_OK, "left out");
        check_left(&e, e.K, lambdas[l], left, q);
        ridge_solve(&r, lambdas[l], A, b);
        CHECK(gap_between(P * C, A, x) < 1e-9 * norm(P * C, x), "coefficients");
        CHECK(gap_between(C, b, x + P * C) < 1e-9, "intercepts");
        memcpy(inverse, e.K, sizeof e.K);
        for (size_t i = 0; i < P; i++) /* the upper triangle is not looked at */
            for (size_t j = i + 1; j < P; j++)
                inverse[i * P + j] = 1234.0;
        CHECK(ridge_once(NULL, &e.to, lambdas[l], inverse, left, &q, A, b) == SPD_OK, "inverse");
        check_left(&e, e.K, lambdas[l], left, q);
        CHECK(gap_between(P * C, A, x) < 1e-9 * norm(P * C, x), "coefficients by the inverse");
        CHECK(gap_between(C, b, x + P * C) < 1e-9, "intercepts by the inverse");
        CHECK(inverse[1] == 1234.0 && inverse[P * P - P - 1] == 1234.0, "the other triangle");
    }
}

/* Of vectors, fewer than samples and more. */
static void check_vectors(int grouped, int real, size_t dim)
{
    FREED_BY(free_equations) equations e;
    double *T = block(P * dim), *V = block(P * dim), *left = block(P * C);
    double *K = take_zeros(P * P, sizeof *K);
    double *w = block(dim * C), *twin = block(dim * C), b[C], *x = block((P + 1) * C);
    FREED_BY(arena_free) arena room = {0};
    ridge r;
    ridge_quality q;
    rng g = seeded(dim);
    make_equations(grouped, real, &e);
    for (size_t k = 0; k < P * dim; k++)
        T[k] = 3.0 + rng_normal(&g) * (k % dim == 1 ? 0.0 : 1.0); /* one that says nothing */
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++)
            for (size_t k = 0; k < dim; k++)
                K[i * P + j] += T[i * dim + k] * T[j * dim + k];
    memcpy(V, T, P * dim * sizeof *V);
    CHECK(ridge_open_vectors(NULL, &e.to, dim, V, &room, &r) == SPD_OK, "ridge");
    for (size_t l = 0; l < 3; l++) {
        CHECK(ridge_leave_out(NULL, &r, lambdas[l], left, &q) == SPD_OK, "left out");
        check_left(&e, K, lambdas[l], left, q);
        ridge_solve(&r, lambdas[l], w, b);
        twin_ridge(P, K, e.Y, lambdas[l], NULL, x);
        memset(twin, 0, dim * C * sizeof *twin);
        for (size_t i = 0; i < P; i++)
            for (size_t k = 0; k < dim * C; k++)
                twin[k] += T[i * dim + k / C] * x[i * C + k % C];
        CHECK(gap_between(dim * C, w, twin) < 1e-8 * (1.0 + norm(dim * C, twin)), "weights");
        CHECK(gap_between(C, b, x + P * C) < 1e-8 * (1.0 + norm(C, x + P * C)), "intercepts");
    }
}

TEST(coefficients_and_samples_left_out)
{
    for (int grouped = 0; grouped < 2; grouped++)
        for (int real = 0; real < 2; real++) {
            check_kernel(grouped, real);
            check_vectors(grouped, real, 5);
            check_vectors(grouped, real, P + 9);
        }
}

/* A kernel with a negative eigenvalue acts as its positive part. */
TEST(indefinite_kernel)
{
    rng r = seeded(5);
    double *lambda = block(P), *K = block(P * P), *V = block(P * P), *Y = block(P * P);
    double *A = block(P * C), *f = block(P * C), *kept = block(P * C), b[C];
    double *left = block(P * C), *other = block(P * C), *part = block(P * P);
    int label[P];
    FREED_BY(arena_free) arena room = {0};
    ridge_targets to = {.p = P, .count = C};
    ridge_quality q, same;
    ridge bad, good;
    for (size_t i = 0; i < P; i++) {
        lambda[i] = i < 4 ? -0.5 : 1.0 + (double)i;
        label[i] = (int)(i % C);
    }
    random_with_spectrum(&r, P, lambda, K);
    for (size_t i = 0; i < P; i++) /* centred already: rows and columns sum to zero */
        for (size_t j = 0; j < P; j++)
            Y[i * P + j] = (i == j ? 1.0 : 0.0) - 1.0 / P;
    congruent(P, P, Y, K, V);
    twin_eigh(P, V, lambda, K);
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < P; k++)
                sum += K[i * P + k] * fmax(lambda[k], 0.0) * K[j * P + k];
            Y[i * P + j] = sum;
        }
    CHECK(lambda[0] < -0.1, "%g is not negative", lambda[0]);
    memcpy(K, V, P * P * sizeof *K);
    to.Y = one_hot_block(label);
    CHECK(ridge_open(NULL, &to, V, &room, &bad) == SPD_OK, "ridge");
    CHECK(ridge_leave_out(NULL, &bad, 0.1, left, &q) == SPD_OK, "left out");
    ridge_solve(&bad, 0.1, A, b);
    times(P, P, C, K, A, f); /* what is fitted to training samples, by the kernel as it is */
    memcpy(part, Y, P * P * sizeof *part);
    CHECK(ridge_open(NULL, &to, Y, &room, &good) == SPD_OK, "ridge");
    CHECK(ridge_leave_out(NULL, &good, 0.1, other, &same) == SPD_OK, "left out");
    ridge_solve(&good, 0.1, A, b);
    times(P, P, C, part, A, kept);
    CHECK(bad.clamped && !good.clamped, "which is definite");
    CHECK(gap_between(P * C, f, kept) < 1e-9 * norm(P * C, f), "the positive part");
    CHECK(gap_between(P * C, left, other) < 1e-9 * norm(P * C, left),
          "the positive part, left out");
    memcpy(V, K, P * P * sizeof *V);
    CHECK(ridge_once(NULL, &to, 0.1, V, left, &q, A, b) == SPD_ENUMERIC, "by the inverse: refused");
}

static double likelihood(const double *left, const int *label, double factor)
{
    double sum = 0.0, miss = 1.0 / (P + 2.0);
    for (size_t i = 0; i < P; i++) {
        double total = 0.0;
        for (size_t c = 0; c < C; c++)
            total += exp(factor * left[i * C + c]);
        for (size_t c = 0; c < C; c++)
            sum += ((size_t)label[i] == c ? 1.0 - miss : miss / (C - 1)) *
                   (factor * left[i * C + c] - log(total));
    }
    return sum;
}

TEST(factor_of_probabilities)
{
    FREED_BY(free_equations) equations e;
    double *K = block(P * P), *left = block(P * C);
    FREED_BY(arena_free) arena room = {0};
    ridge r;
    ridge_quality q;
    labelled_set train = labelled_random(3, N, P, C, 0.3);
    make_equations(0, 0, &e);
    twin_stein(1.5, N, P, train.X, P, train.X, K);
    CHECK(ridge_open(NULL, &e.to, K, &room, &r) == SPD_OK, "ridge");
    CHECK(ridge_leave_out(NULL, &r, 0.1, left, &q) == SPD_OK, "left out");
    double best = ridge_sharpness(&e.to, left), most = likelihood(left, e.label, best);
    CHECK(best > 0.1 && best < 100.0, "factor %g", best);
    CHECK(most > likelihood(left, e.label, best * 1.01), "larger is better");
    CHECK(most > likelihood(left, e.label, best / 1.01), "smaller is better");
    for (size_t i = 0; i < P; i++) /* all right, without a doubt: still finite */
        for (size_t c = 0; c < C; c++)
            left[i * C + c] = (size_t)e.label[i] == c;
    best = ridge_sharpness(&e.to, left);
    double share = exp(best) / (exp(best) + C - 1);
    CHECK_CLOSE(share, (P + 1.0) / (P + 2.0), 1e-9, "the rule of succession");
}

TEST(classes_of_krr)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6), test = labelled_random(2, N, Q, C, 0.6);
    spd_method method = steps_method(&classifier_krr, SPD_METRIC_STEIN, &train.samples);
    double *K = block(P * P), *k = block(Q * P), *x = block((P + 1) * C), score[C];
    int label[Q];
    method.value[SPD_PARAMETER_BETA] = 1.5;
    method.value[SPD_PARAMETER_LAMBDA] = 0.05;
    steps_good(&classifier_krr, &method, &train, &test, label);
    twin_stein(1.5, N, P, train.X, P, train.X, K);
    twin_stein(1.5, N, Q, test.X, P, train.X, k);
    twin_ridge(P, K, one_hot_block(train.label), 0.05, NULL, x);
    for (size_t i = 0; i < Q; i++) {
        int best = 0;
        twin_scores(P, k + i * P, x, score);
        for (int c = 1; c < C; c++)
            best = score[c] > score[best] ? c : best;
        CHECK(label[i] == best, "query %zu: %d, not %d", i, label[i], best);
    }
}

/* Of all lambdas the one is chosen that is best when whole groups are left out; where groups have classes
 * of their own that says nothing, and samples are left out one by one. */
TEST(choice_by_groups)
{
    static const double tried[] = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2,
                                   1e-1, 3e-1, 1.0,  3.0,  10.0, 30.0, 100.0};
    labelled_set train = labelled_random(6, N, P, C, 0.5);
    double *K = block(P * P), *left = block(P * C), *known = block(P * C);
    double *Y = one_hot_block(train.label);
    int differ = 0;
    twin_stein(1.5, N, P, train.X, P, train.X, K);
    double found[3];
    for (int way = 0; way < 3; way++) {
        const int *group = way == 1 ? group_of : way == 2 ? train.label : NULL;
        spd_method method = method_of("krr");
        OWN(spd_classifier) c = NULL;
        ridge_quality best = {0, 0.0};
        double lambda = 0.0;
        method.value[SPD_PARAMETER_BETA] = 1.5;
        train.samples.fold_group = group;
        CHECK(spd_classifier_fit(NULL, &method, &train.samples, NULL, &c) == SPD_OK, "fit");
        for (size_t l = 0; l < sizeof tried / sizeof *tried; l++) {
            ridge_quality q =
                twin_left(P, K, Y, train.label, way == 1 ? group : NULL, tried[l], left);
            if (l && !ridge_is_better(q, best))
                continue;
            best = q;
            lambda = tried[l];
            memcpy(known, left, P * C * sizeof *left);
        }
        found[way] = spd_classifier_method(c)->value[SPD_PARAMETER_LAMBDA];
        CHECK(found[way] == lambda, "way %d: lambda %g, not %g", way, found[way], lambda);
        CHECK(spd_classifier_left_out(NULL, c, left) == SPD_OK, "left out");
        double factor = left[0] / known[0]; /* of probabilities */
        for (size_t e = 0; e < P * C; e++)
            CHECK_CLOSE(left[e], factor * known[e], 1e-6 * factor, "%zu", e);
        differ |= found[way] != found[0];
    }
    CHECK(found[2] == found[0], "groups of one class each");
    CHECK(differ, "groups change nothing here: %g, %g, %g", found[0], found[1], found[2]);
}

/* An evaluation that leaves a group out chooses within the others by groups too; so does auto. */
TEST(groups_reach_the_choice)
{
    labelled_set train = labelled_random(6, N, P, C, 0.5);
    spd_method method = method_of("krr");
    const spd_method *methods[] = {&method};
    spd_evaluate_options options;
    OWN(spd_evaluation) e = NULL;
    int differ = 0;
    spd_evaluate_defaults(&options, sizeof options);
    options.protocol = SPD_PROTOCOL_LEAVE_OUT;
    options.group = group_of;
    options.methods = 1;
    options.method = methods;
    CHECK(spd_evaluate(NULL, &train.samples, &options, &e) == SPD_OK, "evaluation");
    CHECK(e->rounds == 5 && e->folds_grouped, "%zu rounds", e->rounds);
    for (size_t k = 0; k < e->rounds; k++) {
        double lambda[2];
        for (int grouped = 0; grouped < 2; grouped++) {
            OWN(spd_samples) part = NULL;
            OWN(spd_classifier) c = NULL;
            train.samples.fold_group = grouped ? group_of : NULL;
            CHECK_OK(NULL, spd_samples_subset(NULL, &train.samples, e->round[k]->train_count,
                                              e->round[k]->train, &part));
            CHECK(spd_classifier_fit(NULL, &method, part, NULL, &c) == SPD_OK, "fit");
            lambda[grouped] = spd_classifier_method(c)->value[SPD_PARAMETER_LAMBDA];
        }
        double found = e->method[0]->outcome[k]->value[SPD_PARAMETER_LAMBDA];
        CHECK(found == lambda[1], "round %zu: lambda %g, not %g", k, found, lambda[1]);
        differ |= lambda[0] != lambda[1];
        train.samples.fold_group = NULL;
    }
    CHECK(differ, "groups change nothing here: other data is needed");
}

/* What is predicted, for new samples and for those left out, and what is said of it. */
TEST(regression)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6), test = labelled_random(2, N, Q, C, 0.6);
    double *K = block(P * P), *k = block(Q * P), *x = block((P + 1) * C), *Y = block(P * C);
    double *twin = block(P * C), score[C], target[P], found[Q], left[P], error = 0.0, all = 0.0;
    rng r = seeded(3);
    twin_stein(1.5, N, P, train.X, P, train.X, K);
    twin_stein(1.5, N, Q, test.X, P, train.X, k);
    for (size_t e = 0; e < P * C; e++)
        Y[e] = e % C ? Y[e - 1] : 100.0 * train.X[e / C * N * N] + rng_normal(&r);
    for (size_t i = 0; i < P; i++)
        target[i] = Y[i * C];
    train.samples.label = NULL;
    train.samples.target = target;
    test.samples.label = NULL;
    for (int grouped = 0; grouped < 2; grouped++) {
        spd_method method = method_of("krr");
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
        OWN(spd_classifier) c = NULL;
        method.value[SPD_PARAMETER_BETA] = 1.5;
        method.value[SPD_PARAMETER_LAMBDA] = 0.05;
        train.samples.fold_group = grouped ? group_of : NULL;
        CHECK(spd_classifier_fit(NULL, &method, &train.samples, NULL, &c) == SPD_OK, "fit");
        CHECK(spd_classifier_scores(NULL, c, &test.samples, NULL, found) == SPD_OK, "scores");
        twin_ridge(P, K, Y, 0.05, NULL, x);
        for (size_t i = 0; i < Q; i++) {
            twin_scores(P, k + i * P, x, score);
            CHECK_CLOSE(found[i], score[0], 1e-8 * (1.0 + fabs(score[0])), "query %zu", i);
        }
        CHECK(spd_classifier_left_out(NULL, c, left) == SPD_OK, "left out");
        twin_left(P, K, Y, NULL, grouped ? group_of : NULL, 0.05, twin);
        double mean = 0.0;
        error = all = 0.0;
        for (size_t i = 0; i < P; i++)
            mean += target[i] / P;
        for (size_t i = 0; i < P; i++) {
            CHECK_CLOSE(left[i], twin[i * C], 1e-8 * (1.0 + fabs(left[i])), "sample %zu", i);
            error += pow(twin[i * C] - target[i], 2);
            all += pow(target[i] - mean, 2);
        }
        CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK, "facts");
        CHECK(facts.regression && facts.classes == 1, "a regression");
        CHECK_CLOSE(facts.error, sqrt(error / P), 1e-8 * facts.error, "error");
        CHECK_CLOSE(facts.r2, 1.0 - error / all, 1e-8, "R2");
    }
}

/* auto takes the kernel with the least error; a file holds the regression. */
TEST(regression_of_auto_and_in_a_file)
{
    static const char *const names[] = {"krr-both", "krr", "krr-tangent", "auto"};
    labelled_set train = labelled_random(1, N, P, C, 0.1), test = labelled_random(2, N, Q, C, 0.1);
    double target[P], found[Q], again[Q], least = INFINITY;
    for (size_t i = 0; i < P; i++)
        target[i] = log(train.X[i * N * N]) + (i % C == 0);
    train.samples.label = NULL;
    train.samples.target = target;
    for (size_t k = 0; k < 4; k++) {
        spd_method method = method_of(names[k]);
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts), read = facts;
        OWN(spd_classifier) c = NULL;
        CHECK(spd_classifier_fit(NULL, &method, &train.samples, NULL, &c) == SPD_OK, "fit");
        CHECK(spd_classifier_info(NULL, c, &facts) == SPD_OK, "facts");
        CHECK(facts.r2 > 0.5, "%s: R2 %g, error %g", names[k], facts.r2, facts.error);
        if (k == 3)
            CHECK(facts.error == least, "auto: error %g, not %g", facts.error, least);
        least = fmin(least, facts.error);
        CHECK(spd_classifier_scores(NULL, c, &test.samples, NULL, found) == SPD_OK, "scores");
        const spd_classifier *same = read_back(c);
        CHECK(spd_classifier_info(NULL, same, &read) == SPD_OK, "facts");
        CHECK(read.regression && read.r2 == facts.r2 && read.error == facts.error, "facts");
        CHECK(spd_classifier_scores(NULL, same, &test.samples, NULL, again) == SPD_OK, "scores");
        CHECK(memcmp(found, again, sizeof found) == 0, "the same numbers");
    }
}

static void check_refused(const spd_samples *train, const char *name, const char *word)
{
    spd_context *ctx = context_on(1);
    spd_method method = method_of(name);
    spd_classifier *c = NULL;
    CHECK_FAILED(ctx, spd_classifier_fit(ctx, &method, train, NULL, &c), SPD_EINVAL, word);
    CHECK(!c, "%s", name);
}

TEST(regression_that_cannot_be)
{
    labelled_set train = labelled_random(1, N, P, C, 0.6);
    spd_method method = method_of("krr");
    OWN(spd_classifier) c = NULL;
    double target[P];
    int label[P];
    for (size_t i = 0; i < P; i++)
        target[i] = (double)i;
    train.samples.target = target;
    check_refused(&train.samples, "nn", "nn tells classes apart");
    check_refused(&train.samples, "krr-ml", "ml is learned from classes");
    check_refused(&train.samples, "krr-bag", "bag is learned from classes");
    CHECK(spd_classifier_fit(NULL, &method, &train.samples, NULL, &c) == SPD_OK, "fit");
    CHECK(spd_classifier_predict(NULL, c, &train.samples, label) == SPD_EINVAL, "classes");
    spd_context *ctx = context_on(1);
    spd_evaluation *evaluation = NULL;
    const spd_method *const methods[] = {&method};
    const spd_tune_options tuning = {.size = sizeof tuning, .folds = 2};
    spd_evaluate_options evaluating;
    spd_evaluate_defaults(&evaluating, sizeof evaluating);
    evaluating.method = methods;
    evaluating.methods = 1;
    CHECK_FAILED(ctx, spd_tune(ctx, &method, &train.samples, &tuning, NULL), SPD_EINVAL,
                 "without tuning");
    CHECK_FAILED(ctx, spd_evaluate(ctx, &train.samples, &evaluating, &evaluation), SPD_EINVAL,
                 "evaluations are of classes");
    target[5] = (double)NAN;
    check_refused(&train.samples, "krr", "sample 5 is nan");
    target[5] = -1e200;
    check_refused(&train.samples, "auto", "1e+200, and its square leaves the range");
    for (size_t i = 0; i < P; i++)
        target[i] = 1e-200 * (double)i;
    check_refused(&train.samples, "krr", "e-199, and its square leaves the range");
}

/* What is chosen is the best by leaving out; fixed values stay. */
TEST(choice_by_leaving_out)
{
    labelled_set train = labelled_random(4, N, P, C, 0.9);
    spd_method method = steps_method(&classifier_krr_both, SPD_METRIC_STEIN, &train.samples);
    training_state run = {.kind = &classifier_krr_both, .method = method, .train = train.samples};
    CHECK(run.kind->prepare(NULL, &run) == SPD_OK && run.kind->train(NULL, &run) == SPD_OK,
          "steps");
    CHECK(run.method.value[SPD_PARAMETER_BETA_SCALE] >= 0.1 &&
              run.method.value[SPD_PARAMETER_LAMBDA] >= 1e-5,
          "values are noted");
    arena_free(&run.training);
    run.method = method;
    run.method.value[SPD_PARAMETER_LAMBDA] = 0.7;
    CHECK(run.kind->train(NULL, &run) == SPD_OK, "training");
    CHECK(run.method.value[SPD_PARAMETER_LAMBDA] == 0.7, "a fixed lambda");
    training_state_free(&run);
    CHECK(ridge_is_better((ridge_quality){3, 9.0}, (ridge_quality){2, 1.0}), "right");
    CHECK(ridge_is_better((ridge_quality){3, 0.5}, (ridge_quality){3, 1.0}), "error");
    CHECK(!ridge_is_better((ridge_quality){3, 1.0}, (ridge_quality){3, 1.0}), "equal");
}

/* Equal matrices have no tangent vectors: the intercepts are all there is, in a file too. */
TEST(equal_matrices)
{
    static const char *const names[] = {"krr", "krr-tangent", "krr-both"};
    labelled_set train = labelled_random(1, N, P, C, 0.6);
    double *X = take_zeros(P * N * N, sizeof *X), target[P], score[P], left[P], mean = 0.0;
    for (size_t i = 0; i < P; i++) {
        for (size_t d = 0; d < N; d++)
            X[i * N * N + d * (N + 1)] = 1.0;
        target[i] = (double)(i * i);
        mean += target[i] / P;
    }
    train.samples.X = X;
    train.samples.target = target;
    for (size_t k = 0; k < 6; k++) {
        const char *name = names[k % 3];
        spd_method method = method_of(name);
        OWN(spd_classifier) c = NULL;
        train.samples.fold_group = k < 3 ? NULL : group_of;
        CHECK(spd_classifier_fit(NULL, &method, &train.samples, NULL, &c) == SPD_OK, "fit");
        const spd_classifier *same = read_back(c);
        CHECK(spd_classifier_scores(NULL, same, &train.samples, NULL, score) == SPD_OK, "scores");
        CHECK(spd_classifier_left_out(NULL, c, left) == SPD_OK, "left out");
        for (size_t i = 0; i < P; i++) {
            CHECK_CLOSE(score[i], mean, 1e-9 * mean, "%s: sample %zu", name, i);
            if (k < 3)
                CHECK_CLOSE(left[i], (P * mean - target[i]) / (P - 1), 1e-9 * mean, "%s: left out",
                            names[k]);
        }
    }
}

/* One sample per class says nothing about either. */
TEST(safe_values)
{
    labelled_set train = labelled_random(1, N, C, C, 0.3);
    spd_method method = steps_method(&classifier_krr, SPD_METRIC_STEIN, &train.samples);
    training_state run = {.kind = &classifier_krr, .method = method, .train = train.samples};
    CHECK(run.kind->prepare(NULL, &run) == SPD_OK && run.kind->train(NULL, &run) == SPD_OK,
          "steps");
    CHECK(run.method.value[SPD_PARAMETER_BETA_SCALE] == 1.0 &&
              run.method.value[SPD_PARAMETER_LAMBDA] == 1e-2,
          "beta-scale %g", run.method.value[SPD_PARAMETER_BETA_SCALE]);
    training_state_free(&run);
}

/* Distances of matrices with blocks are those of the whole; one entry outside, of one sample, joins
 * two blocks. */
TEST(distances_block_by_block)
{
    enum { WHOLE = 7, A = 9, B = 4 };
    const size_t first[] = {0, 3, 4, WHOLE};
    double *X = block((A + B) * WHOLE * WHOLE), D2[A * A], twin[A * A], to[A * B], twin_to[A * B];
    rng r = seeded(5);
    memset(X, 0, (A + B) * WHOLE * WHOLE * sizeof *X);
    for (size_t k = 0; k < A + B; k++)
        for (size_t b = 0; b < 3; b++)
            for (size_t i = first[b]; i < first[b + 1]; i++)
                for (size_t j = first[b]; j <= i; j++) {
                    double x = i == j ? 2.0 + rng_uniform(&r) : 0.3 * rng_normal(&r);
                    X[(k * WHOLE + i) * WHOLE + j] = X[(k * WHOLE + j) * WHOLE + i] = x;
                }
    for (int joined = 0; joined < 2; joined++) {
        spd_samples a = samples_of(WHOLE, A, X, 0, NULL),
                    b = samples_of(WHOLE, B, X + A * WHOLE * WHOLE, 0, NULL);
        const spd_set Y = *SPD_SET(WHOLE, A, a.X), Z = *SPD_SET(WHOLE, B, b.X);
        CHECK(samples_stein_to(NULL, &a, NULL, D2) == SPD_OK, " ");
        CHECK(samples_stein_to(NULL, &a, &b, to) == SPD_OK, " ");
        CHECK(spd_pairwise2(NULL, SPD_METRIC_STEIN, &Y, NULL, twin) == SPD_OK, " ");
        CHECK(spd_pairwise2(NULL, SPD_METRIC_STEIN, &Y, &Z, twin_to) == SPD_OK, " ");
        for (size_t e = 0; e < A * A; e++)
            CHECK_CLOSE(D2[e], twin[e], 1e-12, "%zu", e);
        for (size_t e = 0; e < A * B; e++)
            CHECK_CLOSE(to[e], twin_to[e], 1e-12, "%zu", e);
        double *far = X + (A + 1) * WHOLE * WHOLE; /* of the second set */
        far[0 * WHOLE + 6] = far[6 * WHOLE + 0] = 0.25;
    }
}
