/* test_evaluate_score.c - scores, McNemar's test, splits, folds, recentring. */
#include "random_spd.h"
#include "test.h"

#include "evaluate/folds.h"

static void scores(void)
{
    const int truth[] = {0, 0, 0, 0, 1, 1, 3, 3}, said[] = {0, 0, 1, 0, 1, 2, 3, 3};
    int64_t table[16];
    spd_score score = SPD_INIT(spd_score);
    CHECK(spd_score_predictions(NULL, 8, 4, truth, said, &score, table) == SPD_OK, " ");
    CHECK(score.total == 8 && score.correct == 6, "%zu of %zu", score.correct, score.total);
    CHECK_CLOSE(score.accuracy, 0.75, 0.0, " ");
    CHECK_CLOSE(score.balanced, (0.75 + 0.5 + 1.0) / 3.0, 1e-15, "class 2 does not occur");
    const int64_t expected[16] = {3, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    CHECK(memcmp(table, expected, sizeof table) == 0, "confusion");
    score.total = 77;
    const int outside[] = {4};
    CHECK(spd_score_predictions(NULL, 1, 4, outside, said, &score, NULL) == SPD_EINVAL, " ");
    CHECK(spd_score_predictions(NULL, 0, 4, truth, said, &score, NULL) == SPD_EINVAL, " ");
    CHECK(score.total == 77, "touched");
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

static void mcnemar(void)
{
    int truth[200] = {0}, first[200], second[200];
    for (size_t b = 0; b < 30; b += 3)
        for (size_t c = 0; c < 30; c += 2) {
            spd_mcnemar_result result = SPD_INIT(spd_mcnemar_result);
            for (size_t i = 0; i < 200; i++) {
                first[i] = i < 10 || (i >= 100 && i < 100 + c) ? 1 : 0;
                second[i] = i < 10 || (i >= 50 && i < 50 + b) ? 2 : 0;
            }
            CHECK(spd_mcnemar(NULL, 200, truth, first, second, &result) == SPD_OK, " ");
            CHECK(result.only_first == b && result.only_second == c, "%zu %zu", b, c);
            CHECK_CLOSE(result.p_value, twin_mcnemar(b, c), 1e-12, "%zu %zu", b, c);
        }
    spd_mcnemar_result result = SPD_INIT(spd_mcnemar_result);
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

static void splits(void)
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

static void folds_by_class(void)
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

static void folds_by_group(void)
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
            CHECK(count[f][k] >= 6 && count[f][k] <= 11, "fold %zu class %zu: %zu", f, k,
                  count[f][k]);
    for (size_t i = 0; i < 120; i++)
        group[i] = (int)(i / 60);
    CHECK(folds_deal_groups(NULL, 120, label, group, 1, &folds, fold) == SPD_OK && folds == 2,
          "two groups: %zu folds", folds);
    CHECK(fold[0] != fold[119], "each group a fold");
    for (size_t i = 0; i < 120; i++)
        group[i] = 4;
    CHECK(folds_deal_groups(NULL, 120, label, group, 1, &folds, fold) == SPD_EINVAL, "one group");
}

/* After recentring the mean of each group is the identity. */
static void recentring(void)
{
    const size_t n = 4, p = 30;
    /* those whose mean moves with congruences */
    const spd_metric metrics[] = {SPD_AIRM, SPD_STEIN, SPD_JEFFREY, SPD_EUCLIDEAN};
    int group[30];
    rng r;
    rng_seed(&r, 5);
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
            CHECK(spd_mean(NULL, metrics[k], n, size, part, NULL, M, NULL) >= 0, " ");
            for (size_t e = 0; e < n * n; e++)
                CHECK_CLOSE(M[e], e % (n + 1) == 0 ? 1.0 : 0.0, 1e-9, "metric %zu", k);
        }
    }
    CHECK(spd_recenter(NULL, SPD_AIRM, n, p, X, group, Y) == SPD_OK, " ");
    CHECK(spd_recenter(NULL, SPD_AIRM, n, p, X, group, X) == SPD_OK, "in place");
    CHECK(memcmp(X, Y, p * n * n * sizeof *X) == 0, "in place");
    group[3] = -1;
    CHECK(spd_recenter(NULL, SPD_AIRM, n, p, X, group, Y) == SPD_EINVAL, "no group");
    free(X);
    free(Y);
    free(part);
}

int main(void)
{
    RUN(scores);
    RUN(mcnemar);
    RUN(splits);
    RUN(folds_by_class);
    RUN(folds_by_group);
    RUN(recentring);
    return test_summary();
}
