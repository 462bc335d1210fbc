/* test_evaluate_score.c - scores, tests of McNemar and Wilcoxon, Holm's correction, splits, folds,
 * recentring. */
#include "random_spd.h"
#include "test.h"

#include "evaluate/folds.h"

TEST(scores)
{
    const int truth[] = {0, 0, 0, 0, 1, 1, 3, 3}, said[] = {0, 0, 1, 0, 1, 2, 3, 3};
    int64_t table[16];
    spd_score score = SPD_STRUCT(spd_score);
    CHECK(spd_score_predictions(NULL, 8, 4, truth, said, &score, table) == SPD_OK, " ");
    CHECK(score.total == 8 && score.correct == 6, "%zu of %zu", score.correct, score.total);
    CHECK_CLOSE(score.accuracy, 0.75, 0.0, " ");
    CHECK_CLOSE(score.balanced, (0.75 + 0.5 + 1.0) / 3.0, 1e-15, "class 2 does not occur");
    /* by hand: 6/8 right; chance (4*3 + 2*2 + 0*1 + 2*2) / 64 */
    CHECK_CLOSE(score.kappa, (0.75 - 20.0 / 64.0) / (1.0 - 20.0 / 64.0), 1e-15, "kappa");
    CHECK_CLOSE(score.macro_f1, (6.0 / 7.0 + 2.0 / 4.0 + 0.0 + 1.0) / 4.0, 1e-15, "F1");
    const int64_t expected[16] = {3, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    CHECK(memcmp(table, expected, sizeof table) == 0, "confusion");
    score.total = 77;
    const int outside[] = {4};
    CHECK(spd_score_predictions(NULL, 1, 4, outside, said, &score, NULL) == SPD_EINVAL, " ");
    CHECK(spd_score_predictions(NULL, 0, 4, truth, said, &score, NULL) == SPD_EINVAL, " ");
    CHECK(score.total == 77, "touched");
    CHECK(spd_score_predictions(NULL, 4, 4, truth, truth, &score, NULL) == SPD_OK, " ");
    CHECK(isnan(score.kappa), "one class: %g", score.kappa);
    CHECK_CLOSE(score.macro_f1, 1.0, 0.0, "one class");
}

/* The share of pairs of a sample of the class and another that are in order, counted. */
static double twin_auc(size_t p, size_t kinds, const int *truth, const double *score, int falls)
{
    double sum = 0.0, areas = 0.0, margin[60];
    for (size_t c = 0; c < kinds; c++) {
        double good = 0.0, pairs = 0.0;
        for (size_t i = 0; i < p; i++) {
            double best = -1e300;
            for (size_t k = 0; k < kinds; k++)
                if (k != c)
                    best = fmax(best, falls ? -score[i * kinds + k] : score[i * kinds + k]);
            margin[i] = (falls ? -score[i * kinds + c] : score[i * kinds + c]) - best;
        }
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++)
                if ((size_t)truth[i] == c && (size_t)truth[j] != c) {
                    pairs += 1.0;
                    good += margin[i] > margin[j] ? 1.0 : margin[i] < margin[j] ? 0.0 : 0.5;
                }
        sum += pairs > 0.0 ? good / pairs : 0.0;
        areas += pairs > 0.0;
    }
    return sum / areas;
}

TEST(areas)
{
    enum { COUNT = 60, KINDS = 4 };
    int truth[COUNT];
    double score[COUNT * KINDS], auc = 0.0;
    rng r = seeded(8);
    for (int round = 0; round < 6; round++) {
        int falls = round % 2, kinds = round < 2 ? 2 : KINDS;
        for (size_t i = 0; i < COUNT; i++) {
            truth[i] = (int)rng_below(&r, (uint64_t)(kinds == 2 ? 2 : 3)); /* 3 never occurs */
            for (int k = 0; k < kinds; k++)                                /* few values: ties */
                score[i * (size_t)kinds + (size_t)k] =
                    (double)rng_below(&r, 5) +
                    (falls ? -1.0 : 1.0) * (double)(truth[i] == k) * (round < 4 ? 1.0 : 9.0);
        }
        CHECK(spd_auc(NULL, COUNT, (size_t)kinds, truth, score, falls, &auc) == SPD_OK, " ");
        CHECK_CLOSE(auc, twin_auc(COUNT, (size_t)kinds, truth, score, falls), 1e-13, "round %d",
                    round);
    }
    CHECK_CLOSE(auc, 1.0, 1e-15, "scores that tell the classes apart");
    const int two[] = {0, 1};
    const double unknown[] = {1.0, NAN, NAN, 1.0};
    CHECK(spd_auc(NULL, 2, 2, two, unknown, 1, &auc) == SPD_OK && auc == 1.0, "NaN is the worst");
    const int same[] = {1, 1};
    CHECK(spd_auc(NULL, 2, 2, same, unknown, 1, &auc) == SPD_OK && isnan(auc), "one class");
    const int outside[] = {0, 2};
    CHECK(spd_auc(NULL, 2, 2, outside, unknown, 1, &auc) == SPD_EINVAL, "class");
    CHECK(spd_auc(NULL, 0, 2, two, unknown, 1, &auc) == SPD_EINVAL, "no samples");
}

/* All 2^n signs, tried. */
static double twin_wilcoxon(size_t n, const double *rank, double plus)
{
    double low = 0.0, high = 0.0, all = pow(2.0, (double)n);
    for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += (signs >> i & 1) ? rank[i] : 0.0;
        low += sum <= plus + 1e-9;
        high += sum >= plus - 1e-9;
    }
    return fmin(1.0, 2.0 * fmin(low, high) / all);
}

/* Of ranks 1 to n without ties. */
static double normal_p(double n, double plus)
{
    double z = (plus - n * (n + 1) / 4) / sqrt(n * (n + 1) * (2 * n + 1) / 24);
    return erfc(fabs(z) / sqrt(2.0));
}

TEST(wilcoxon)
{
    double first[300], second[300], rank[12];
    rng r = seeded(4);
    for (int round = 0; round < 20; round++) {
        size_t n = 1 + rng_below(&r, 11);
        double plus = 0.0;
        for (size_t i = 0; i < n; i++) { /* whole differences from -3 to 4, without 0: ties */
            double gap = (double)rng_below(&r, 7) - 3.0;
            second[i] = 0.25 * (double)i;
            first[i] = second[i] + (gap >= 0.0 ? gap + 1.0 : gap);
        }
        for (size_t i = 0; i < n; i++) {
            rank[i] = 0.5;
            for (size_t j = 0; j < n; j++) {
                double gap = fabs(first[j] - second[j]) - fabs(first[i] - second[i]);
                rank[i] += gap < -1e-9 ? 1.0 : gap < 1e-9 ? 0.5 : 0.0;
            }
            plus += first[i] > second[i] ? rank[i] : 0.0;
        }
        first[n] = second[n] = 7.0; /* no difference: left out */
        spd_wilcoxon_result result = SPD_STRUCT(spd_wilcoxon_result);
        CHECK(spd_wilcoxon(NULL, n + 1, first, second, &result) == SPD_OK, " ");
        CHECK(result.used == n, "%zu of %zu", result.used, n);
        CHECK_CLOSE(result.plus, plus, 1e-12, "round %d", round);
        CHECK_CLOSE(result.plus + result.minus, (double)(n * (n + 1)) / 2.0, 1e-12, "sums");
        CHECK_CLOSE(result.p_value, twin_wilcoxon(n, rank, plus), 1e-12, "round %d", round);
    }
    /* Exact and normal nearly agree where one takes over from the other. */
    spd_wilcoxon_result few = SPD_STRUCT(spd_wilcoxon_result), many = few;
    for (size_t i = 0; i < 300; i++) {
        second[i] = 0.0;
        first[i] = (i % 5 < 3 ? 1.0 : -1.0) * (double)(i + 1);
    }
    CHECK(spd_wilcoxon(NULL, 200, first, second, &few) == SPD_OK, " ");
    CHECK(spd_wilcoxon(NULL, 201, first, second, &many) == SPD_OK, " ");
    CHECK_CLOSE(few.p_value, normal_p(200, few.plus), 1e-3, "exact, and nearly normal");
    CHECK_CLOSE(many.p_value, normal_p(201, many.plus), 1e-12, "normal");
    CHECK(spd_wilcoxon(NULL, 5, second, second, &few) == SPD_OK && few.p_value == 1.0 &&
              few.used == 0,
          "no differences");
    first[3] = NAN;
    CHECK(spd_wilcoxon(NULL, 5, first, second, &few) == SPD_ENOTFINITE, "NaN");
    CHECK(spd_wilcoxon(NULL, 0, first, second, &few) == SPD_EINVAL, "none");
}

TEST(holm)
{
    const double p[] = {0.01, 0.04, NAN, 0.03, 0.005, 0.9};
    const double expected[] = {0.04, 0.09, NAN, 0.09, 0.025, 0.9};
    double made[6];
    CHECK(spd_holm(NULL, 6, p, made) == SPD_OK, " ");
    for (size_t i = 0; i < 6; i++)
        if (i == 2)
            CHECK(isnan(made[i]), "NaN stays");
        else
            CHECK_CLOSE(made[i], expected[i], 1e-15, "p value %zu", i);
    double high[] = {0.6, 0.7};
    CHECK(spd_holm(NULL, 2, high, high) == SPD_OK && high[0] == 1.0 && high[1] == 1.0, "at most 1");
    CHECK(spd_holm(NULL, 0, p, made) == SPD_EINVAL, "none");
}

/* Sums of whole binomial coefficients. */
static double twin_mcnemar(size_t b, size_t c)
{
    size_t all = b + c, few = b < c ? b : c;
    double choose = 1.0, sum = 0.0;
    for (size_t i = 0; i <= few; i++) {
        sum += choose;
        choose = choose * (double)(all - i) / (double)(i + 1);
    }
    double p = 2.0 * sum * pow(0.5, (double)all);
    return p < 1.0 ? p : 1.0;
}

TEST(mcnemar)
{
    int truth[200] = {0}, first[200], second[200];
    for (size_t b = 0; b < 30; b += 3)
        for (size_t c = 0; c < 30; c += 2) {
            spd_mcnemar_result result = SPD_STRUCT(spd_mcnemar_result);
            for (size_t i = 0; i < 200; i++) {
                first[i] = i < 10 || (i >= 100 && i < 100 + c) ? 1 : 0;
                second[i] = i < 10 || (i >= 50 && i < 50 + b) ? 2 : 0;
            }
            CHECK(spd_mcnemar(NULL, 200, truth, first, second, &result) == SPD_OK, " ");
            CHECK(result.only_first == b && result.only_second == c, "%zu %zu", b, c);
            CHECK_CLOSE(result.p_value, twin_mcnemar(b, c), 1e-12, "%zu %zu", b, c);
        }
    spd_mcnemar_result result = SPD_STRUCT(spd_mcnemar_result);
    CHECK(spd_mcnemar(NULL, 200, truth, truth, truth, &result) == SPD_OK, " ");
    CHECK_CLOSE(result.p_value, 1.0, 0.0, "no difference");
}

/* Class c has 4 + 3 c samples. */
static size_t labels_of(size_t kinds, int *label)
{
    size_t p = 0;
    for (size_t c = 0; c < kinds; c++)
        for (size_t i = 0; i < 4 + 3 * c; i++)
            label[p++] = (int)c;
    return p;
}

TEST(splits)
{
    int label[100];
    char train[100], again[100], other[100];
    size_t p = labels_of(4, label);
    CHECK(spd_split(NULL, p, label, 0.5, 0, 7, 0, train) == SPD_OK, " ");
    CHECK(spd_split(NULL, p, label, 0.5, 0, 7, 0, again) == SPD_OK, " ");
    CHECK(spd_split(NULL, p, label, 0.5, 0, 7, 1, other) == SPD_OK, " ");
    CHECK(memcmp(train, again, p) == 0 && memcmp(train, other, p) != 0, "repeats");
    for (int c = 0; c < 4; c++) {
        size_t size = 0, training = 0;
        for (size_t i = 0; i < p; i++) {
            size += label[i] == c;
            training += label[i] == c && train[i];
        }
        CHECK(training == (size_t)floor(0.5 * (double)size + 0.5), "class %d: %zu of %zu", c,
              training, size);
    }
    CHECK(spd_split(NULL, p, label, 0.0, 6, 7, 0, train) == SPD_OK, " ");
    for (int c = 0; c < 4; c++) {
        size_t training = 0;
        for (size_t i = 0; i < p; i++)
            training += label[i] == c && train[i];
        CHECK(training == (c == 0 ? 3 : 6), "class %d: %zu", c, training); /* never all */
    }
    CHECK(spd_split(NULL, p, label, 0.0, 13, 7, 0, train) == SPD_EINVAL, "nothing to test");
    CHECK(spd_split(NULL, p, label, 1.0, 0, 7, 0, train) == SPD_EINVAL, "fraction");
    CHECK(spd_split(NULL, p, label, NAN, 0, 7, 0, train) == SPD_EINVAL, "fraction");
    const int each[] = {0, 1, 2};
    CHECK(spd_split(NULL, 3, each, 0.5, 0, 7, 0, train) == SPD_EINVAL, "one sample a class");
}

TEST(folds_by_class)
{
    int label[100];
    size_t p = labels_of(4, label), folds = 9, fold[100], count[4][4] = {{0}};
    label[p] = 9; /* alone in its class */
    classes c;
    arena room = {0};
    CHECK(classes_sort(NULL, p + 1, label, &room, &c) == SPD_OK, " ");
    CHECK(folds_limit(NULL, &c, &folds) == SPD_OK && folds == 4, "%zu folds", folds);
    folds_deal(p + 1, &c, folds, 3, fold);
    arena_free(&room);
    CHECK(fold[p] == FOLD_NEVER, "the only one of its class always trains");
    for (size_t i = 0; i < p; i++) {
        CHECK(fold[i] < folds, "fold %zu", fold[i]);
        count[fold[i] % 4][label[i]]++;
    }
    for (size_t f = 0; f < 4; f++)
        for (size_t k = 0; k < 4; k++) {
            size_t size = 4 + 3 * k;
            CHECK(count[f][k] >= size / 4 && count[f][k] <= size / 4 + 1, "fold %zu class %zu", f,
                  k);
        }
}

TEST(folds_by_group)
{
    int label[120], group[120];
    size_t folds = 5, fold[120], home[12], count[5][3] = {{0}};
    for (size_t i = 0; i < 120; i++) {
        label[i] = (int)(i % 3);
        group[i] = 3 * (int)(i / 10); /* numbers with gaps */
    }
    CHECK(folds_deal_groups(NULL, 120, label, group, 1, &folds, fold) == SPD_OK, " ");
    CHECK(folds == 5, "%zu", folds);
    for (size_t i = 0; i < 120; i++) {
        if (i % 10 == 0)
            home[i / 10] = fold[i];
        CHECK(fold[i] == home[i / 10], "group %zu is torn", i / 10);
        count[fold[i]][label[i]]++;
    }
    for (size_t f = 0; f < 5; f++)
        for (size_t k = 0; k < 3; k++)
            CHECK(count[f][k] >= 6 && count[f][k] <= 11, "fold %zu class %zu", f, k);
    for (size_t i = 0; i < 120; i++)
        group[i] = (int)(i / 60);
    CHECK(folds_deal_groups(NULL, 120, label, group, 1, &folds, fold) == SPD_OK && folds == 2,
          "two groups: %zu folds", folds);
    CHECK(fold[0] != fold[119], "each group a fold");
    for (size_t i = 0; i < 120; i++)
        group[i] = 4;
    CHECK(folds_deal_groups(NULL, 120, label, group, 1, &folds, fold) == SPD_EINVAL, "one group");
}

/* Groups that suit all folds alike go to the smallest. */
TEST(small_folds_come_first)
{
    const int label[5] = {0, 0, 0, 1, 2}, group[5] = {7, 7, 7, 8, 9};
    for (uint64_t seed = 0; seed < 4; seed++) {
        size_t folds = 2, fold[5];
        CHECK(folds_deal_groups(NULL, 5, label, group, seed, &folds, fold) == SPD_OK, " ");
        CHECK(fold[3] != fold[0] && fold[4] == fold[3], "%zu %zu %zu", fold[0], fold[3], fold[4]);
    }
}

/* After recentring the mean of each group is the identity. */
TEST(recentring)
{
    const size_t n = 4, p = 30;
    /* those whose mean moves with congruences */
    const spd_metric metrics[] = {SPD_METRIC_AIRM, SPD_METRIC_STEIN, SPD_METRIC_JEFFREY,
                                  SPD_METRIC_EUCLIDEAN};
    int group[30];
    rng r = seeded(5);
    double *X = random_set(&r, n, p, 50.0), *Y = block(p * n * n), *part = block(p * n * n);
    for (size_t i = 0; i < p; i++)
        group[i] = (int)(i % 3) * 2;
    for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++) {
        CHECK(spd_recenter(NULL, metrics[k], n, p, X, group, Y) == SPD_OK, " ");
        for (int g = 0; g < 6; g += 2) {
            size_t size = 0;
            double M[16];
            for (size_t i = 0; i < p; i++)
                if (group[i] == g)
                    memcpy(part + size++ * n * n, Y + i * n * n, n * n * sizeof *Y);
            CHECK(spd_mean(NULL, metrics[k], SPD_SET(n, size, part), NULL, M, NULL) >= 0, " ");
            for (size_t e = 0; e < n * n; e++)
                CHECK_CLOSE(M[e], e % (n + 1) == 0 ? 1.0 : 0.0, 1e-9, "metric %zu", k);
        }
    }
    CHECK(spd_recenter(NULL, SPD_METRIC_AIRM, n, p, X, group, Y) == SPD_OK, " ");
    CHECK(spd_recenter(NULL, SPD_METRIC_AIRM, n, p, X, group, X) == SPD_OK, "in place");
    CHECK(memcmp(X, Y, p * n * n * sizeof *X) == 0, "in place");
    group[3] = -1;
    CHECK(spd_recenter(NULL, SPD_METRIC_AIRM, n, p, X, group, Y) == SPD_EINVAL, "no group");
}

/* Shares that cannot be written in binary add up to 1 all the same. */
TEST(kappa_of_all_right)
{
    int truth[60];
    for (int k = 2; k <= 20; k++)
        for (size_t p = (size_t)k; p <= 60; p++) {
            spd_score score = SPD_STRUCT(spd_score);
            for (size_t i = 0; i < p; i++)
                truth[i] = (int)i % k;
            CHECK_OK(NULL, spd_score_predictions(NULL, p, (size_t)k, truth, truth, &score, NULL));
            CHECK(score.kappa == 1.0, "%d classes, %zu: %.17g", k, p, score.kappa);
        }
}
