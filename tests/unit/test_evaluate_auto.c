/* test_evaluate_auto.c - `auto` against a slow twin that judges the whole portfolio, its expectation
 * and interval, its limits. */
#include "classify_steps.h"

#include "classify/samples.h"
#include "evaluate/folds.h"
#include "evaluate/method.h"
#include "evaluate/settings.h"

#define N     5
#define P     36
#define FOLDS 3

/* Classes differ by steps of `gap`. */
static labelled_set draw_set(uint64_t seed, double gap, double noise)
{
    return labelled_in_two(seed, N, P, 3, (const double[]){0.4, 0.4, noise}, gap, gap);
}

static spd_tune_options tuning_of(int exhaustive)
{
    return (spd_tune_options){
        .size = sizeof(spd_tune_options), .folds = FOLDS, .seed = 3, .exhaustive = exhaustive};
}

/* hit (P) <- which samples of all folds a method gets right; 0 if it fails. */
static int twin_hits(const labelled_set *s, const size_t *fold, const spd_method *method, char *hit)
{
    for (size_t f = 0; f < FOLDS; f++) {
        size_t train[P], test[P], a = 0, b = 0;
        OWN(spd_samples) known = NULL, *asked = NULL;
        OWN(spd_classifier) c = NULL;
        int label[P];
        for (size_t i = 0; i < P; i++)
            *(fold[i] == f ? &test[b++] : &train[a++]) = i;
        spd_samples_subset(NULL, &s->samples, a, train, &known);
        spd_samples_subset(NULL, &s->samples, b, test, &asked);
        asked->label = NULL;
        if (spd_classifier_fit(NULL, method, known, NULL, &c) < 0 ||
            spd_classifier_predict(NULL, c, asked, label) < 0)
            return 0;
        for (size_t k = 0; k < b; k++)
            hit[test[k]] = label[k] == s->label[test[k]];
    }
    return 1;
}

typedef struct judged {
    spd_method method;
    char hit[P];
    size_t right;
    int times[P]; /* right, of three deals of folds */
    int again;    /* judged on them */
} judged;

static void twin_fold(const labelled_set *s, uint64_t seed, size_t *fold)
{
    arena room = {0};
    classes c;
    size_t folds = FOLDS;
    CHECK(classes_sort(NULL, P, s->label, &room, &c) == SPD_OK, " ");
    if (s->samples.fold_group)
        folds_deal_groups(NULL, P, s->label, s->samples.fold_group, seed, &folds, fold);
    else
        folds_deal(P, &c, FOLDS, seed, fold);
    CHECK(folds == FOLDS, "%zu folds", folds);
    arena_free(&room);
}

/* By more than a standard error of the difference; samples of a group have one difference. */
static int twin_beats(const labelled_set *s, const int *first, const int *second)
{
    int sum = 0, squares = 0, gap[P] = {0};
    for (size_t i = 0; i < P; i++)
        gap[s->samples.fold_group ? s->samples.fold_group[i] : (int)i] += first[i] - second[i];
    for (size_t i = 0; i < P; i++) {
        sum += gap[i];
        squares += gap[i] * gap[i];
    }
    return sum > sqrt(squares);
}

static int twin_total(const judged *one)
{
    int sum = 0;
    for (size_t i = 0; i < P; i++)
        sum += one->times[i];
    return sum;
}

/* The best setting of a method: every one is trained on every fold by public functions. */
static judged twin_judge(const labelled_set *s, const size_t *fold, const char *name)
{
    static arena room;
    judged best = {.method = method_of(name)};
    spd_method method = best.method;
    char(*hit)[P] = (char(*)[P])block(200 * P / sizeof(double));
    int64_t right[200];
    settings all;
    CHECK(settings_make(NULL, &method, &s->samples, NULL, 13, &room, &all) == SPD_OK, "%s", name);
    size_t count = settings_count(&all),
           none = method_learns_map(&method) ? all.fitted * all.decisions : count;
    CHECK(count <= 200, "%s: %zu settings", name, count);
    for (size_t k = 0; k < count; k++) {
        right[k] = -1;
        settings_use(&all, k, &method);
        if (k >= none || !twin_hits(s, fold, &method, hit[k]))
            continue;
        right[k] = 0;
        for (size_t i = 0; i < P; i++)
            right[k] += hit[k][i];
    }
    size_t at = settings_best(&all, right, NULL, 0, count);
    CHECK(at != SIZE_MAX, "%s", name);
    settings_use(&all, at, &best.method);
    memcpy(best.hit, hit[at], P);
    best.right = (size_t)right[at];
    arena_free(&room);
    return best;
}

static int is_mapped(const char *name)
{
    return method_of(name).map != SPD_MAP_NONE;
}

static const char *const portfolio[] = {
    "nn-stein",     "ts-lda",        "krr-tangent",    "krr-stein",
    "krr-both",     "cdl",           "ts-lr",          "ksvm-stein",
    "rsr",          "krr-stein-bag", "ksvm-stein-bag", "nn-stein-ml",
    "krr-stein-ml", "krr-both-ml",   "ksvm-stein-ml",  "rsr-ml"};
#define COUNT (sizeof portfolio / sizeof *portfolio)

/* The leaders are those ahead of the usual one that the best does not beat, and itself. */
static void twin_again(const labelled_set *s, uint64_t seed, judged *all, size_t usual)
{
    size_t fold[P], best = 0, leaders = 0;
    char hit[P];
    for (size_t k = 0; k < COUNT; k++) {
        best = all[k].right > all[best].right ? k : best;
        for (size_t i = 0; i < P; i++)
            all[k].times[i] = all[k].hit[i];
    }
    for (size_t k = 0; k < COUNT; k++) {
        int ahead =
            all[k].right > all[usual].right && !twin_beats(s, all[best].times, all[k].times);
        all[k].again = ahead || k == usual;
        leaders += (size_t)all[k].again;
    }
    for (uint64_t deal = 1; deal < 3; deal++) {
        twin_fold(s, rng_key(seed, 23, deal), fold);
        for (size_t k = 0; k < COUNT; k++) {
            all[k].again = leaders > 1 && all[k].again;
            if (!all[k].again)
                continue;
            CHECK(twin_hits(s, fold, &all[k].method, hit), "%s", portfolio[k]);
            for (size_t i = 0; i < P; i++)
                all[k].times[i] += hit[i];
        }
    }
}

static const spd_candidate *row_of(const spd_league *league, const char *name)
{
    for (size_t k = 0; k < league->candidates; k++)
        if (strcmp(league->candidate[k]->name, name) == 0)
            return league->candidate[k];
    CHECK(0, "%s is no candidate", name);
    return NULL;
}

static int against_the_twin(uint64_t seed, double noise, const int *group, int *judged_again)
{
    labelled_set s = draw_set(seed, 0.45, noise);
    s.samples.fold_group = group;
    size_t fold[P], usual = 9, chosen = usual, plain = 0, again = 0;
    static judged all[COUNT];
    spd_method method = method_of("auto");
    spd_tune_options tuning = tuning_of(1);
    tuning.group = group;
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    OWN(spd_league) league = NULL;
    CHECK(spd_tune_auto(NULL, &method, &s.samples, &tuning, &tuned, &league) == SPD_OK, " ");
    CHECK(league->candidates == COUNT && league->folds == FOLDS && league->tested == P, " ");
    twin_fold(&s, tuning.seed, fold);
    for (size_t k = 0; k < COUNT; k++) {
        all[k] = twin_judge(&s, fold, portfolio[k]);
        if (!is_mapped(portfolio[k]) && all[k].right > all[plain].right)
            plain = k;
    }
    CHECK(strcmp(portfolio[usual], "krr-stein-bag") == 0, " ");
    twin_again(&s, tuning.seed, all, usual);
    for (size_t k = 0; k < COUNT; k++) {
        const spd_candidate *row = row_of(league, portfolio[k]);
        int deals = all[k].again ? 3 : 1;
        CHECK_CLOSE(row->accuracy, (double)twin_total(&all[k]) / (P * deals), 1e-12, "%s",
                    portfolio[k]);
        CHECK(memcmp(row->method.value, all[k].method.value, sizeof row->method.value) == 0,
              "%s: other values", portfolio[k]);
        CHECK(row->folds == FOLDS * deals && !row->late && !row->message[0], "%s", portfolio[k]);
        if (all[k].again && twin_total(&all[k]) > twin_total(&all[chosen]))
            chosen = k;
        again += (size_t)all[k].again;
    }
    chosen = twin_beats(&s, all[chosen].times, all[usual].times) ? chosen : usual;
    char name[SPD_METHOD_NAME];
    spd_method_name(&method, name);
    CHECK(strcmp(name, portfolio[chosen]) == 0, "%s instead of %s", name, portfolio[chosen]);
    CHECK(strcmp(league->candidate[league->chosen]->name, name) == 0, " ");
    CHECK_CLOSE(tuned.accuracy, row_of(league, name)->accuracy, 1e-12, " ");
    CHECK_CLOSE(tuned.accuracy_no_map, row_of(league, portfolio[plain])->accuracy, 1e-12, " ");
    *judged_again += again > 1;
    return is_mapped(name);
}

/* On some sets a map is chosen, on some none; on some the leaders are judged again. */
TEST(against_twins)
{
    int mapped = 0, again = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        mapped += against_the_twin(seed, seed % 2 ? 0.4 : 2.5, NULL, &again) > 0;
    CHECK(mapped > 0 && mapped < 4, "%d of 4 with a map", mapped);
    CHECK(again > 0, "none was judged again");
}

/* Groups stay together, and are what a difference is judged by. */
TEST(against_twins_with_groups)
{
    int group[P], again = 0;
    for (int i = 0; i < P; i++)
        group[i] = i / 4;
    for (uint64_t seed = 1; seed <= 4; seed++)
        against_the_twin(seed, seed % 2 ? 0.4 : 2.5, group, &again);
    CHECK(again > 0, "none was judged again");
}

/* Candidates leave; those that stay have what the search without a race finds, where nothing is
 * fitted roughly. The threads do not matter. */
TEST(race_against_search)
{
    labelled_set s = draw_set(5, 0.5, 2.0);
    spd_tune_options race = tuning_of(0), search = tuning_of(1);
    spd_method a = method_of("auto"), b = a, c = a;
    OWN(spd_league) one = NULL, *two = NULL, *three = NULL;
    spd_context *ctx = context_on(1);
    CHECK(spd_tune_auto(ctx, &a, &s.samples, &race, NULL, &one) == SPD_OK, " ");
    CHECK(spd_tune_auto(ctx, &b, &s.samples, &search, NULL, &two) == SPD_OK, " ");
    spd_context_set_threads(ctx, 3);
    CHECK(spd_tune_auto(ctx, &c, &s.samples, &race, NULL, &three) == SPD_OK, " ");
    CHECK(memcmp(&a, &c, sizeof a) == 0, "threads change the choice");
    CHECK(one->accuracy == three->accuracy && one->low == three->low, " ");
    size_t left = 0;
    for (size_t k = 0; k < COUNT; k++) {
        const spd_candidate *x = row_of(one, portfolio[k]), *y = row_of(two, portfolio[k]);
        left += x->folds < FOLDS;
        if (x->folds == FOLDS && y->folds == FOLDS && !is_mapped(portfolio[k]))
            CHECK(x->accuracy == y->accuracy, "%s", portfolio[k]);
    }
    CHECK(left > 0, "nobody leaves");
    CHECK(one->candidate[one->chosen]->folds >= FOLDS, "the chosen one was judged in full");
}

/* Labels that the matrices know nothing of: the best of hundreds of settings looks better than it
 * can be. */
TEST(expectation_is_corrected)
{
    double raw = 0.0, expected = 0.0;
    int covered = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        labelled_set s = draw_set(30 + seed, 0.0, 0.4);
        spd_tune_options tuning = tuning_of(0);
        spd_method method = method_of("auto");
        OWN(spd_league) league = NULL;
        CHECK(spd_tune_auto(NULL, &method, &s.samples, &tuning, NULL, &league) == SPD_OK, " ");
        raw += league->candidate[league->chosen]->accuracy / 4;
        expected += league->accuracy / 4;
        covered += league->low <= 1.0 / 3 && 1.0 / 3 <= league->high;
        CHECK(league->low <= league->accuracy && league->accuracy <= league->high, " ");
    }
    CHECK(raw > 1.0 / 3 + 0.08, "raw %g", raw);
    CHECK(fabs(expected - 1.0 / 3) < 0.6 * (raw - 1.0 / 3), "%g of %g", expected, raw);
    CHECK(covered >= 3, "%d of 4", covered);
}

/* The share of new samples, from three other sets, that a method gets right. */
static double achieved(const spd_method *method, const labelled_set *s, uint64_t seed, double gap,
                       double noise)
{
    double sum = 0.0;
    OWN(spd_classifier) c = NULL;
    CHECK(spd_classifier_fit(NULL, method, &s->samples, NULL, &c) >= 0, " ");
    for (uint64_t k = 1; k <= 3; k++) {
        labelled_set other = draw_set(1000 * seed + k, gap, noise);
        int label[P];
        other.samples.label = NULL;
        CHECK(spd_classifier_predict(NULL, c, &other.samples, label) >= 0, " ");
        for (size_t i = 0; i < P; i++)
            sum += label[i] == other.label[i];
    }
    return sum / (3 * P);
}

/* The whole procedure on training sets drawn anew: what it expects is what it achieves on samples
 * that nothing was chosen by, within what 12 sets of 36 tell (a standard error of about 0.03). */
TEST(expectation_is_achieved)
{
    const double gap = 0.7, noise = 0.6;
    double expected = 0.0, got = 0.0;
    int covered = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        labelled_set s = draw_set(60 + seed, gap, noise);
        spd_tune_options tuning = tuning_of(0);
        tuning.folds = 6; /* what trains is nearly all */
        spd_method method = method_of("auto");
        OWN(spd_league) league = NULL;
        CHECK(spd_tune_auto(NULL, &method, &s.samples, &tuning, NULL, &league) == SPD_OK, " ");
        double here = achieved(&method, &s, seed, gap, noise);
        expected += league->accuracy / 12;
        got += here / 12;
        covered += league->low <= here && here <= league->high;
    }
    CHECK(got > 0.4 && got < 0.95, "%g achieved: too easy or too hard to tell", got);
    CHECK(fabs(expected - got) < 0.09, "expected %g, achieved %g", expected, got);
    CHECK(covered >= 7, "%d of 12 intervals", covered);
}

/* With groups the interval is that of fewer samples. */
TEST(groups_widen_the_interval)
{
    labelled_set s = draw_set(7, 0.6, 0.8);
    int group[P];
    for (int i = 0; i < P; i++)
        group[i] = i / 6;
    spd_tune_options tuning = tuning_of(0);
    spd_method a = method_of("auto"), b = a;
    OWN(spd_league) alone = NULL, *grouped = NULL;
    CHECK(spd_tune_auto(NULL, &a, &s.samples, &tuning, NULL, &alone) == SPD_OK, " ");
    tuning.group = group;
    CHECK(spd_tune_auto(NULL, &b, &s.samples, &tuning, NULL, &grouped) == SPD_OK, " ");
    CHECK(grouped->high - grouped->low > alone->high - alone->low, "%g, %g",
          grouped->high - grouped->low, alone->high - alone->low);
}

/* The first candidate is judged in any case. */
TEST(no_time)
{
    labelled_set s = draw_set(8, 0.6, 0.8);
    spd_tune_options tuning = tuning_of(0);
    spd_method method = method_of("auto");
    OWN(spd_league) league = NULL;
    spd_context *ctx = context_on(2);
    tuning.seconds = 1e-9;
    CHECK_OK(ctx, spd_tune_auto(ctx, &method, &s.samples, &tuning, NULL, &league));
    CHECK(league->chosen == 0 && strcmp(league->candidate[0]->name, "nn-stein") == 0, " ");
    CHECK(!league->candidate[0]->late && league->candidate[1]->late, " ");
    CHECK(isnan(league->candidate[1]->accuracy) && isnan(league->candidate[1]->left), " ");
}

TEST(cancelled)
{
    labelled_set s = draw_set(9, 0.6, 0.8);
    int calls = 0;
    spd_tune_options tuning = tuning_of(0);
    spd_method method = method_of("auto");
    OWN(spd_league) league = NULL;
    spd_context *ctx = context_on(1);
    spd_context_set_progress(ctx, stop_now, &calls);
    CHECK(spd_tune_auto(ctx, &method, &s.samples, &tuning, NULL, &league) == SPD_ECANCELLED, " ");
    spd_context_set_progress(ctx, NULL, NULL);
    CHECK(calls > 0 && !league && method.automatic, " ");
}

/* What a caller is told, and when it has enough. */
typedef struct listener {
    double last, stop_at;
    int falls;
} listener;

static int listen(void *user, const spd_progress *progress)
{
    listener *l = user;
    l->falls += progress->done < l->last;
    l->last = progress->done;
    return l->last > l->stop_at;
}

/* Progress of the whole never falls; a stop near its end, while leaders are judged again, stops all
 * of it. */
TEST(progress)
{
    labelled_set s = draw_set(1, 0.45, 0.4);
    spd_tune_options tuning = tuning_of(0);
    spd_method method = method_of("auto"), other = method;
    OWN(spd_league) league = NULL, *none = NULL;
    spd_context *ctx = context_on(1);
    listener all = {0.0, INFINITY, 0}, some = {0.0, 0.92 * COUNT, 0};
    spd_context_set_progress(ctx, listen, &all);
    CHECK(spd_tune_auto(ctx, &method, &s.samples, &tuning, NULL, &league) == SPD_OK, " ");
    CHECK(league->candidate[league->chosen]->folds == 3 * FOLDS, "none was judged again");
    CHECK(all.falls == 0, "%d times it fell", all.falls);
    spd_context_set_progress(ctx, listen, &some);
    CHECK(spd_tune_auto(ctx, &other, &s.samples, &tuning, NULL, &none) == SPD_ECANCELLED, " ");
    CHECK(some.last < COUNT && !none, "%g", some.last);
    spd_context_set_progress(ctx, NULL, NULL);
}

static void refused(const spd_samples *given, const spd_tune_options *tuning, const char *word)
{
    spd_context *ctx = context_on(1);
    spd_method method = method_of("auto");
    OWN(spd_league) league = NULL;
    spd_status status = spd_tune_auto(ctx, &method, given, tuning, NULL, &league);
    CHECK(status == SPD_EINVAL, "%d", (int)status);
    CHECK(strstr(said(ctx), word), "%s", said(ctx));
    CHECK(!league && method.automatic, "something was chosen");
}

TEST(what_cannot_be_judged)
{
    labelled_set s = draw_set(10, 0.6, 0.8);
    int one[P] = {0}, own[P], group[P];
    spd_tune_options tuning = tuning_of(0);
    s.samples.label = one;
    refused(&s.samples, &tuning, "of one class");
    for (int i = 0; i < P; i++)
        own[i] = i;
    s.samples.label = own;
    s.samples.classes = P;
    refused(&s.samples, &tuning, "too few samples");
    s.samples.label = s.label;
    s.samples.classes = 3;
    for (int i = 0; i < P; i++)
        group[i] = s.label[i];
    tuning.group = group;
    refused(&s.samples, &tuning, "one group only");
    tuning.group = one;
    refused(&s.samples, &tuning, "one group");
    tuning.group = NULL;
    tuning.folds = 1;
    refused(&s.samples, &tuning, "at least 2");
}

TEST(auto_is_a_method)
{
    labelled_set s = draw_set(11, 0.8, 0.8);
    char name[SPD_METHOD_NAME];
    spd_method method = method_of("AUTO"), tuned = method, *both[2] = {&tuned, &tuned};
    spd_tune_options tuning = {.size = sizeof tuning, .folds = 5, .seed = 1};
    OWN(spd_classifier) c = NULL, *same = NULL;
    int label[P], other[P];
    spd_context *ctx = context_on(1);
    spd_method_name(&method, name);
    CHECK(strcmp(name, "auto") == 0 && !spd_method_uses(&method, SPD_PARAMETER_M), "%s", name);
    CHECK(spd_tune_together(ctx, 2, both, &s.samples, &tuning, NULL) == SPD_EINVAL, "two");
    CHECK(spd_tune(ctx, &tuned, &s.samples, &tuning, NULL) == SPD_OK && !tuned.automatic, " ");
    CHECK(spd_classifier_fit(ctx, &method, &s.samples, NULL, &c) >= 0, " ");
    CHECK(spd_classifier_fit(ctx, &tuned, &s.samples, NULL, &same) >= 0, " ");
    CHECK(!spd_classifier_method(c)->automatic, "what is trained is an ordinary method");
    CHECK(spd_classifier_predict(ctx, c, &s.samples, label) >= 0, " ");
    CHECK(spd_classifier_predict(ctx, same, &s.samples, other) >= 0, " ");
    CHECK(memcmp(label, other, sizeof label) == 0, " ");
    CHECK(spd_tune_auto(ctx, &tuned, &s.samples, &tuning, NULL, NULL) == SPD_EINVAL, "not auto");
}

/* In every round it chooses what it chooses alone of the training part. */
TEST(auto_under_a_protocol)
{
    labelled_set s = draw_set(12, 0.5, 1.5);
    spd_method method = method_of("auto"), nn = method_of("nn-stein");
    const spd_method *methods[] = {&nn, &method};
    spd_evaluate_options o;
    OWN(spd_evaluation) e = NULL;
    spd_evaluate_defaults(&o, sizeof o);
    o.methods = 2;
    o.method = methods;
    o.repeats = 2;
    o.folds = FOLDS;
    CHECK(spd_evaluate(NULL, &s.samples, &o, &e) == SPD_OK, " ");
    CHECK(strcmp(e->method[1]->name, "auto") == 0, " ");
    for (size_t r = 0; r < 2; r++) {
        const spd_outcome *found = e->method[1]->outcome[r];
        OWN(spd_samples) train = NULL;
        spd_method alone = method_of("auto");
        spd_tune_options tuning = {.size = sizeof tuning, .folds = FOLDS, .seed = o.seed};
        spd_samples_subset(NULL, &s.samples, e->round[r]->train_count, e->round[r]->train, &train);
        CHECK(spd_tune(NULL, &alone, train, &tuning, NULL) == SPD_OK, " ");
        CHECK(!found->chosen.automatic && found->chosen.classifier == alone.classifier &&
                  found->chosen.map == alone.map,
              "round %zu", r);
        CHECK(e->method[0]->outcome[r]->chosen.classifier == SPD_CLASSIFIER_NN, " ");
    }
}
