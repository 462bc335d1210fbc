/* test_evaluate_tune.c - values by cross-validation: against a slow twin, whatever the threads. */
#include "classify_steps.h"

#include "evaluate/method.h"
#include "evaluate/race.h"
#include "evaluate/settings.h"
#include "learn/affinity.h"
#include "evaluate/folds.h"

#define N 6
#define P 45

static labelled_set make_set(uint64_t seed)
{
    return labelled_in_two(seed, N, P, 3, (const double[]){0.3, 0.8, 0.8}, 0.8, 0.8);
}

static spd_tune_options tuning_of(int folds, uint64_t seed, const spd_grid *grid)
{
    return (spd_tune_options){
        .size = sizeof(spd_tune_options), .folds = folds, .seed = seed, .grid = grid};
}

static arena room; /* what a test makes, until its end */

static settings settings_of(const char *name, const spd_samples *train, const spd_grid *grid)
{
    settings s;
    spd_method method = method_of(name);
    CHECK(settings_make(NULL, &method, train, grid, 13, &room, &s) == SPD_OK, "%s", name);
    return s;
}

/* Of a map the size alone is tried; neighbours of the difference, where that is asked for. */
TEST(default_grids)
{
    spd_samples train = {.size = sizeof(spd_samples), .p = 40, .n = 93, .classes = 3};
    const double expected[] = {12, 23, 35, 47, 70, 93}, nu_b[] = {1, 2, 3, 5, 10, 13};
    settings s = settings_of("nn-stein-ml", &train, NULL);
    CHECK(s.maps == 6 && s.fitted == 5 && s.decisions == 1, "%zu x %zu", s.maps, s.decisions);
    for (size_t i = 0; i < 6; i++) {
        spd_method method = method_of("nn-stein-ml");
        settings_use(&s, i, &method);
        double o = method.value[SPD_PARAMETER_OBJECTIVE];
        CHECK_CLOSE(method.value[SPD_PARAMETER_M], expected[i], 0.0, "setting %zu", i);
        CHECK(i == 5 ? isnan(o) : o == SPD_OBJECTIVE_SOFTMAX, "objective of setting %zu", i);
        CHECK(isnan(method.value[SPD_PARAMETER_NU_B]), "nu_b of setting %zu", i);
    }
    const char *const differences[] = {"nn-stein-ml", "nn-log-euclidean-ml"};
    for (size_t k = 0; k < 2; k++) { /* asked for; and where there is no softmax */
        spd_method method = method_of(differences[k]);
        if (k == 0)
            method.value[SPD_PARAMETER_OBJECTIVE] = SPD_OBJECTIVE_DIFFERENCE;
        CHECK(settings_make(NULL, &method, &train, NULL, 13, &room, &s) == SPD_OK, " ");
        CHECK(s.maps == 31 && s.fitted == 30, "%s: %zu", differences[k], s.maps);
        for (size_t i = 0; i < 30; i++) {
            settings_use(&s, i, &method);
            CHECK(method.value[SPD_PARAMETER_OBJECTIVE] == SPD_OBJECTIVE_DIFFERENCE, "setting %zu",
                  i);
            CHECK_CLOSE(method.value[SPD_PARAMETER_NU_B], nu_b[i % 6], 0.0, "setting %zu", i);
        }
    }
    arena_free(&room);
    train.n = 3; /* sizes fall together */
    s = settings_of("nn-stein-csp", &train, NULL);
    CHECK(s.maps == 3, "%zu sizes of 3 x 3", s.maps);
    arena_free(&room);
    s = settings_of("nn-stein", &train, NULL);
    CHECK(s.maps == 1 && s.decisions == 1, "nothing to tune");
    arena_free(&room);
}

/* Of several nu_b of the difference, its own or a grid's, those above nu_w are left out; one that is
 * given stays. */
TEST(nu_b_up_to_nu_w)
{
    spd_samples train = {.size = sizeof(spd_samples), .p = 40, .n = 16, .classes = 3};
    const double grid_of[] = {2, 7, 9}, expected[2][5] = {{1, 2, 3, 5, 8}, {2, 7}};
    spd_grid grid = {0};
    settings s;
    grid.value[SPD_PARAMETER_NU_B] = grid_of;
    for (size_t way = 0; way < 4; way++) {
        const size_t smallest = way < 2 ? 8 : 1, own = way % 2, count = way > 1 ? 1 : own ? 2 : 5;
        spd_method method = method_of("nn-stein-ml");
        method.value[SPD_PARAMETER_OBJECTIVE] = SPD_OBJECTIVE_DIFFERENCE;
        grid.count[SPD_PARAMETER_NU_B] = own ? 3 : 0;
        CHECK(settings_make(NULL, &method, &train, &grid, smallest, &room, &s) == SPD_OK, " ");
        CHECK(s.ways == count, "%zu ways", s.ways);
        for (size_t i = 0; i < s.ways && i < count; i++) {
            settings_use(&s, i, &method);
            CHECK_CLOSE(method.value[SPD_PARAMETER_NU_B], expected[own][i], 0.0, "way %zu", i);
        }
    }
    spd_method method = method_of("nn-stein-ml");
    method.value[SPD_PARAMETER_OBJECTIVE] = SPD_OBJECTIVE_DIFFERENCE;
    method.value[SPD_PARAMETER_NU_W] = 2;
    CHECK(settings_make(NULL, &method, &train, NULL, 8, &room, &s) == SPD_OK && s.ways == 2, " ");
    method.value[SPD_PARAMETER_NU_B] = 12;
    CHECK(settings_make(NULL, &method, &train, NULL, 8, &room, &s) == SPD_OK && s.ways == 1, " ");
    settings_use(&s, 0, &method);
    CHECK_CLOSE(method.value[SPD_PARAMETER_NU_B], 12.0, 0.0, "given");
    arena_free(&room);
}

/* The paper's grid, a fixed objective, and the user's own objectives and neighbours. */
TEST(objectives_of_maps)
{
    int label[40];
    spd_samples train = {
        .size = sizeof(spd_samples), .p = 40, .n = 16, .classes = 3, .label = label};
    for (int i = 0; i < 40; i++)
        label[i] = i % 3;
    const double both[] = {SPD_OBJECTIVE_SOFTMAX, SPD_OBJECTIVE_DIFFERENCE}, nu_b[] = {2, 4},
                 nu_w[] = {1, 2, 3};
    spd_fit_options fit = fit_defaults();
    spd_grid grid = {0};
    settings s;
    spd_method method = method_of("nn-stein-ml");
    fit.paper = 1;
    method.fit = &fit;
    CHECK(settings_make(NULL, &method, &train, NULL, 13, &room, &s) == SPD_OK, " ");
    CHECK(s.maps == 31 && s.fitted == 30, "the paper's: %zu", s.maps);
    for (size_t i = 0; i < 30; i++) {
        settings_use(&s, i, &method);
        CHECK(method.value[SPD_PARAMETER_OBJECTIVE] == SPD_OBJECTIVE_DIFFERENCE, "setting %zu", i);
    }
    method = method_of("nn-stein-ml");
    method.value[SPD_PARAMETER_OBJECTIVE] = SPD_OBJECTIVE_SOFTMAX;
    CHECK(settings_make(NULL, &method, &train, NULL, 13, &room, &s) == SPD_OK, " ");
    CHECK(s.maps == 6, "softmax alone: %zu", s.maps);
    grid.count[SPD_PARAMETER_OBJECTIVE] = grid.count[SPD_PARAMETER_NU_B] = 2;
    grid.value[SPD_PARAMETER_OBJECTIVE] = both;
    grid.value[SPD_PARAMETER_NU_B] = nu_b;
    s = settings_of("nn-stein-ml", &train, &grid);
    CHECK(s.maps == 5 * 4 + 1, "each objective with each nu_b: %zu", s.maps);
    grid_try(&grid, SPD_PARAMETER_NU_W, 3, nu_w);
    s = settings_of("nn-stein-ml", &train, &grid);
    CHECK(s.maps == 5 * 9 + 1, "and with each nu_w, that it fits: %zu", s.maps);
    method = method_of("nn-stein-ml");
    method.value[SPD_PARAMETER_OBJECTIVE] = 77;
    CHECK_STATUS(settings_make(NULL, &method, &train, NULL, 13, &room, &s), SPD_EINVAL);
    grid.count[SPD_PARAMETER_OBJECTIVE] = 0; /* numbers of neighbours do not change the objective */
    s = settings_of("nn-stein-ml", &train, &grid);
    CHECK(s.maps == 5 * 6 + 1, "neighbours alone: %zu", s.maps);
    settings_use(&s, 29, &method);
    CHECK(method.value[SPD_PARAMETER_OBJECTIVE] == SPD_OBJECTIVE_SOFTMAX, "the usual");
    arena_free(&room);
}

TEST(own_grids)
{
    spd_samples train = {.size = sizeof(spd_samples), .p = 40, .n = 8, .classes = 3};
    const double m[] = {6, 2, 6, 8}, nu_b[] = {4, 1}, k[] = {3, 1, 5};
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_M, 4, m);
    grid_try(&grid, SPD_PARAMETER_NU_B, 2, nu_b);
    grid_try(&grid, SPD_PARAMETER_K, 3, k);
    settings s = settings_of("knn-airm-ml", &train, &grid);
    CHECK(s.maps == 5 && s.decisions == 3, "%zu x %zu", s.maps, s.decisions);
    spd_method method = method_of("knn-airm-ml");
    settings_use(&s, 5, &method); /* map 1, decision 2 */
    CHECK_CLOSE(method.value[SPD_PARAMETER_M], 2.0, 0.0, " ");
    CHECK_CLOSE(method.value[SPD_PARAMETER_NU_B], 4.0, 0.0, " ");
    CHECK_CLOSE(method.value[SPD_PARAMETER_K], 5.0, 0.0, " ");
    arena_free(&room);
    const double bad[] = {9};
    grid_try(&grid, SPD_PARAMETER_M, 1, bad);
    CHECK_OK(NULL, settings_make(NULL, &method, &train, &grid, 13, &room, &s));
    arena_free(&room);
    method = method_of("knn-airm-ml");
    CHECK(settings_make(NULL, &method, &train, &grid, 13, &room, &s) == SPD_EINVAL, "m above n");
    arena_free(&room);
}

/* Once beta is settled, by a value or a grid, beta-scale is idle. */
TEST(beta_or_its_scale)
{
    spd_samples train = {.size = sizeof(spd_samples), .p = 40, .n = 8, .classes = 3};
    const double beta[] = {1, 2, 3}, scale[] = {0.5, 1, 2, 4}, lambda[] = {0.1};
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_BETA_SCALE, 4, scale);
    grid_try(&grid, SPD_PARAMETER_LAMBDA, 1, lambda);
    settings s = settings_of("rsr", &train, &grid);
    CHECK(s.decisions == 4, "%zu scales", s.decisions);
    arena_free(&room);
    spd_method method = method_of("rsr");
    method.value[SPD_PARAMETER_BETA] = 2.0;
    CHECK(settings_make(NULL, &method, &train, &grid, 13, &room, &s) == SPD_OK, " ");
    CHECK(s.decisions == 1, "%zu with a fixed beta", s.decisions);
    arena_free(&room);
    grid_try(&grid, SPD_PARAMETER_BETA, 3, beta);
    s = settings_of("rsr", &train, &grid);
    CHECK(s.decisions == 3, "%zu betas", s.decisions);
    method = method_of("rsr");
    settings_use(&s, 1, &method);
    CHECK(method.value[SPD_PARAMETER_BETA] == 2.0 && isnan(method.value[SPD_PARAMETER_BETA_SCALE]),
          " ");
    arena_free(&room);
}

static size_t best_of(const settings *s, const int64_t *right)
{
    return settings_best(s, right, NULL, 0, settings_count(s));
}

/* The plateau beats the peak of the same height; the identity has neighbours too. */
TEST(chosen_setting)
{
    spd_samples train = {.size = sizeof(spd_samples), .p = 40, .n = 16, .classes = 3};
    settings s = settings_of("nn-stein-csp", &train, NULL); /* m 2 4 6 8 12 16 */
    const int64_t peak[6] = {10, 3, 9, 10, 9, 2}, plain[6] = {1, 2, 3, 4, 5, 6};
    const int64_t flat[6] = {7, 7, 7, 7, 7, 7}, failed[6] = {-1, -1, 5, -1, 5, -1};
    const int64_t none[6] = {-1, -1, -1, -1, -1, -1}, border[6] = {5, 4, 5, 5, 3, 0};
    CHECK(best_of(&s, peak) == 3, "plateau: %zu", best_of(&s, peak));
    CHECK(best_of(&s, plain) == 5, "highest: %zu", best_of(&s, plain));
    CHECK(best_of(&s, flat) == 0, "smallest m: %zu", best_of(&s, flat));
    CHECK(best_of(&s, failed) == 2, "failures: %zu", best_of(&s, failed));
    CHECK(best_of(&s, none) == SIZE_MAX, "all failed");
    CHECK(best_of(&s, border) == 2, "4.75 beats 4.67: %zu", best_of(&s, border));
    const size_t out[6] = {0, 1, 0, 2, 0, 1}, gone[6] = {1, 1, 1, 1, 1, 1};
    CHECK(settings_best(&s, peak, out, 0, 6) == 0, "the peak's twin has left the race");
    CHECK(settings_best(&s, flat, out, 0, 6) == 0, "as neighbours they count");
    CHECK(settings_best(&s, border, out, 0, 6) == 2, "%zu", settings_best(&s, border, out, 0, 6));
    CHECK(settings_best(&s, peak, gone, 0, 6) == SIZE_MAX, "none is left");
    arena_free(&room);
}

/* hit (P) <- which of a fold a map with nn gets right, by public functions alone. */
static void twin_hits(const labelled_set *s, const size_t *fold, size_t which,
                      const spd_method *method, char *hit)
{
    double *A = block(P * N * N), *B = block(P * N * N), d2[P];
    int label[P];
    int64_t index[P];
    size_t a = 0, b = 0, asked[P], m = (size_t)method->value[SPD_PARAMETER_M];
    OWN(spd_model) model = NULL;
    spd_fit_options o = fit_defaults();
    for (size_t i = 0; i < P; i++)
        if (fold[i] == which) {
            asked[b] = i;
            memcpy(B + b++ * N * N, s->X + i * N * N, N * N * sizeof *B);
        } else {
            label[a] = s->label[i];
            memcpy(A + a++ * N * N, s->X + i * N * N, N * N * sizeof *A);
        }
    o.m = m;
    o.paper = method->fit && method->fit->paper;
    if (m < N) {
        o.nu_b = (size_t)method->value[SPD_PARAMETER_NU_B];
        o.objective = (spd_objective)method->value[SPD_PARAMETER_OBJECTIVE];
        CHECK(spd_fit(NULL, SPD_SET(N, a, A), label, &o, NULL, &model) >= 0, "fit");
        spd_congruence(NULL, SPD_SET(N, a, A), m, model->W, A);
        spd_congruence(NULL, SPD_SET(N, b, B), m, model->W, B);
    }
    CHECK(spd_nearest(NULL, SPD_METRIC_STEIN, SPD_SET(m, a, A), SPD_SET(m, b, B), 1,
                      &(spd_nearest_options){.size = sizeof(spd_nearest_options), .brute = 1},
                      index, d2, NULL) == SPD_OK,
          "nearest");
    for (size_t i = 0; i < b; i++)
        hit[asked[i]] = label[index[i]] == s->label[asked[i]];
}

/* Is the first better by more than the standard deviation that the sum has if both are as good? */
static int twin_beats(const char *first, const char *second)
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < P; i++) {
        double difference = first[i] - second[i];
        sum += difference;
        squares += difference * difference;
    }
    return sum > sqrt(squares);
}

/* Every other set has labels that its matrices know nothing of. */
static void against_the_twin(uint64_t seed, int paper, int *no_map)
{
    enum { MOST = 13 };
    const size_t count = paper ? 10 : MOST, none = count - 1;
    const double m[] = {1, 2, 4, N}, both[] = {SPD_OBJECTIVE_DIFFERENCE, SPD_OBJECTIVE_SOFTMAX};
    const double nu_b[] = {1, paper ? P : 3}; /* above nu_w: left out of the difference */
    labelled_set s = make_set(seed);
    size_t fold[P];
    char hit[MOST][P];
    int64_t right[MOST] = {0};
    classes c;
    spd_grid grid = {0};
    spd_tune_options tuning = tuning_of(3, 5, &grid);
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    spd_fit_options fit = fit_defaults();
    spd_method method = method_of("nn-stein-ml"), same;
    tuning.exhaustive = 1;
    fit.paper = paper;
    method.fit = &fit;
    same = method;
    for (size_t i = 0; i < P && seed % 2; i++)
        s.label[i] = (int)(i / 3 % 3);
    grid_try(&grid, SPD_PARAMETER_M, 4, m);
    grid.count[SPD_PARAMETER_NU_B] = grid.count[SPD_PARAMETER_OBJECTIVE] = 2;
    grid.value[SPD_PARAMETER_NU_B] = nu_b;
    grid.value[SPD_PARAMETER_OBJECTIVE] = both;
    CHECK(spd_tune(NULL, &method, &s.samples, &tuning, &tuned) == SPD_OK, " ");
    CHECK(tuned.settings == count && tuned.folds == 3, "%zu, %d", tuned.settings, tuned.folds);
    CHECK(classes_sort(NULL, P, s.label, &room, &c) == SPD_OK, " ");
    folds_deal(P, &c, 3, 5, fold);
    settings all = {0};
    CHECK(settings_make(NULL, &same, &s.samples, &grid, 13, &room, &all) == SPD_OK, " ");
    for (size_t i = 0; i < count; i++) {
        settings_use(&all, i, &same);
        for (size_t f = 0; f < 3; f++)
            twin_hits(&s, fold, f, &same, hit[i]);
        for (size_t k = 0; k < P; k++)
            right[i] += hit[i][k];
    }
    size_t best = settings_best(&all, right, NULL, 0, none);
    if (paper)
        best = best_of(&all, right);
    else if (!twin_beats(hit[best], hit[none]))
        best = none;
    settings_use(&all, best, &same);
    arena_free(&room);
    CHECK_CLOSE(tuned.accuracy, (double)right[best] / P, 1e-15, " ");
    CHECK_CLOSE(tuned.accuracy_no_map, (double)right[none] / P, 1e-15, " ");
    CHECK(memcmp(same.value, method.value, sizeof same.value) == 0,
          "m %g, nu_b %g instead of %g, %g", method.value[SPD_PARAMETER_M],
          method.value[SPD_PARAMETER_NU_B], same.value[SPD_PARAMETER_M],
          same.value[SPD_PARAMETER_NU_B]);
    *no_map += best == none;
}

/* On some sets a map is chosen, on some none; the paper's rule seldom leaves it out. */
TEST(against_twins)
{
    int without = 0, papers = 0;
    for (uint64_t seed = 10; seed < 20; seed++) {
        against_the_twin(seed, 0, &without);
        against_the_twin(seed, 1, &papers);
    }
    CHECK(without > 0 && without < 10, "%d of 10 without a map", without);
    CHECK(papers < without, "%d against %d", papers, without);
}

enum { RACERS = 5, TESTED = 40 }; /* the last racer is no map */

/* A race of nn after one fold of two; row k of `rights` is how many of the 40 samples, the first
 * ones, racer k gets right, -1 where it fails or has not run. out (RACERS) <- who leaves. */
static void race_by(spd_status (*drop)(const trial_shared *shared), const int *rights, int paper,
                    size_t *out)
{
    static double value[RACERS * SPD_PARAMETERS];
    size_t at[RACERS * SPD_PARAMETERS] = {0};
    size_t fold[2 * TESTED];
    int64_t right[2 * RACERS];
    char hit[RACERS * 2 * TESTED] = {0};
    spd_fit_options fit;
    spd_method method = method_of("nn-stein-ml");
    settings own = {
        .maps = RACERS, .fitted = RACERS - 1, .ways = 1, .decisions = 1, .value = value, .at = at};
    spd_samples train = {.size = sizeof train, .p = 2 * TESTED, .n = 8, .classes = 2};
    int64_t *right_at = right;
    char *hit_at = hit;
    trial_shared shared = {.methods = 1,
                           .method = &method,
                           .settings = &own,
                           .train = &train,
                           .folds = 2,
                           .fold = fold,
                           .right = &right_at,
                           .hit = &hit_at,
                           .out = &out};
    spd_fit_defaults(&fit, sizeof fit);
    fit.paper = paper;
    method.fit = &fit;
    for (size_t i = 0; i < 2 * TESTED; i++)
        fold[i] = i / TESTED;
    for (size_t k = 0; k < RACERS; k++) {
        at[k * SPD_PARAMETERS + SPD_PARAMETER_M] = k;
        right[k] = rights[k];
        right[RACERS + k] = -99; /* not tested yet */
        for (int i = 0; i < rights[k]; i++)
            hit[k * 2 * TESTED + (size_t)i] = 1;
    }
    CHECK(drop(&shared) == SPD_OK, " ");
    for (size_t k = 0; k < RACERS; k++)
        CHECK(race_runs(&shared, k) == !out[k], "racer %zu", k);
}

static spd_status drop_after_fold(const trial_shared *shared)
{
    return race_drop(NULL, shared, 1);
}

static spd_status drop_between(const trial_shared *shared)
{
    return race_drop_between(NULL, shared);
}

static void race_of(const int *rights, int paper, size_t *out)
{
    race_by(drop_after_fold, rights, paper, out);
}

TEST(who_leaves_the_race)
{
    const int hopeless[] = {30, 10, 29, -1, 12}, behind_none[] = {30, 28, 10, 36, 30};
    const int failed[] = {-1, -1, -1, -1, 3}, all[] = {-1, -1, -1, -1, -1};
    size_t out[RACERS] = {0};
    race_of(hopeless, 0, out);
    CHECK(!out[0] && !out[2], "the leader and one that is close");
    CHECK(out[1] == 1 && out[3] == 1, "hopeless: %zu, failed: %zu", out[1], out[3]);
    CHECK(!out[4], "no map never leaves");
    race_of(hopeless, 0, out);
    CHECK(out[1] == 1 && !out[0], "once out, always out");
    size_t one[RACERS] = {0}, papers[RACERS] = {0};
    race_of(behind_none, 0, one);
    race_of(behind_none, 1, papers);
    CHECK(one[0] && one[1] && one[2] && !one[3] && !one[4], "36 is far ahead of 30");
    CHECK(papers[1] && !papers[4], "the leader is the same for the paper's rule");
    const int close[] = {10, 28, 5, 30, 30}, same[] = {30, 30, 30, 30, 12};
    size_t near[RACERS] = {0}, near_papers[RACERS] = {0}, equal[RACERS] = {0};
    race_of(close, 0, near);
    race_of(close, 1, near_papers);
    CHECK(near[1] == 1 && !near[3], "two behind no map: it will not beat it any more");
    CHECK(!near_papers[1] && !near_papers[3], "two behind the leader: it may catch up");
    race_of(same, 0, equal);
    CHECK(!equal[0] && !equal[1] && equal[2] && equal[3], "half of the equals stay");
    CHECK(!equal[4], "no map takes no place");
    size_t lone[RACERS] = {0}, none[RACERS] = {0};
    race_of(failed, 0, lone);
    CHECK(lone[0] && lone[3] && !lone[4], "no map alone works");
    race_of(all, 0, none);
    CHECK(!none[4], "all have failed");
}

/* Every other size from no map down waits, but for the smallest, also where each has two ways. */
TEST(who_waits)
{
    const settings usual = {.maps = 6, .fitted = 5, .ways = 1},
                   even = {.maps = 5, .fitted = 5, .ways = 1};
    const settings two = {.maps = 5, .fitted = 4, .ways = 2},
                   lone = {.maps = 2, .fitted = 1, .ways = 1};
    const int usual_waits[] = {0, 0, 1, 0, 1, 0}, even_waits[] = {0, 1, 0, 1, 0};
    const int two_wait[] = {0, 0, 1, 1, 0};
    for (size_t k = 0; k < 6; k++)
        CHECK(race_waits(&usual, k) == usual_waits[k], "size %zu", k);
    for (size_t k = 0; k < 5; k++)
        CHECK(race_waits(&even, k) == even_waits[k] && race_waits(&two, k) == two_wait[k], "%zu",
              k);
    CHECK(!race_waits(&lone, 0) && !race_waits(&lone, 1), "one size and no map");
}

/* Racers 1 and 3 wait: 0, 2 and no map have run. */
TEST(who_waits_in_vain)
{
    const int above[] = {30, -1, 10, -1, 12}, none[] = {10, -1, 11, -1, 30};
    const int below[] = {10, -1, 30, -1, 12}, close[] = {30, -1, 10, -1, 28},
              failed[] = {30, -1, -1, -1, 12};
    size_t out[RACERS] = {0};
    race_by(drop_between, above, 0, out);
    CHECK(out[3] == 1 && !out[0] && !out[1] && !out[2] && !out[4], "between two that are behind");
    size_t low[RACERS] = {0}, high[RACERS] = {0}, all[RACERS] = {0}, unknown[RACERS] = {0};
    race_by(drop_between, none, 0, low);
    CHECK(low[1] == 1 && !low[3], "no map is ahead");
    race_by(drop_between, below, 0, high);
    race_by(drop_between, close, 0, all);
    race_by(drop_between, failed, 0, unknown);
    for (size_t k = 0; k < RACERS; k++)
        CHECK(!high[k] && !all[k] && !unknown[k], "racer %zu: one neighbour is not behind", k);
}

/* Where there is a clear winner, a map or none, the race finds what the exhaustive search does. */
TEST(race_and_exhaustive_search)
{
    const double m[] = {2, N}, objective[] = {SPD_OBJECTIVE_SOFTMAX};
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_M, 2, m);
    grid_try(&grid, SPD_PARAMETER_OBJECTIVE, 1, objective);
    for (int gap = 0; gap < 2; gap++) {
        labelled_set s = labelled_in_two(35, N, P, 3, (const double[]){0.1, 0.1, 1.0}, gap, gap);
        /* the others drown the two */
        spd_tune_options tuning = tuning_of(4, 3, &grid);
        spd_tune_info race = SPD_STRUCT(spd_tune_info), search = race;
        spd_method a = method_of("nn-stein-ml"), b = a;
        CHECK(spd_tune(NULL, &a, &s.samples, &tuning, &race) == SPD_OK, " ");
        tuning.exhaustive = 1;
        CHECK(spd_tune(NULL, &b, &s.samples, &tuning, &search) == SPD_OK, " ");
        CHECK(memcmp(a.value, b.value, sizeof a.value) == 0, "m %g instead of %g",
              a.value[SPD_PARAMETER_M], b.value[SPD_PARAMETER_M]);
        CHECK(a.value[SPD_PARAMETER_M] == (gap ? 2 : N), "m = %g", a.value[SPD_PARAMETER_M]);
        CHECK(race.settings == search.settings && race.folds == search.folds, "the same grid");
        CHECK(search.fits == 4 && race.fits <= 4 && race.fits >= 1, "%zu fits", race.fits);
        CHECK(race.iterations < search.iterations, "%zu", race.iterations);
        CHECK_CLOSE(race.accuracy_no_map, search.accuracy_no_map, 0.0, "no map runs to the end");
        CHECK(!gap || race.accuracy > race.accuracy_no_map + 0.2, "%g", race.accuracy);
    }
}

/* Two of each class: a fold leaves no pair within a class, so only no map works. */
TEST(maps_that_fail)
{
    const double m[] = {2, 3, N};
    labelled_set s = make_set(15);
    s.samples.p = 6;
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_M, 3, m);
    for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
        spd_tune_options tuning = tuning_of(3, 1, &grid);
        tuning.exhaustive = exhaustive;
        spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
        spd_method method = method_of("nn-stein-ml");
        CHECK(spd_tune(NULL, &method, &s.samples, &tuning, &tuned) == SPD_OK, " ");
        CHECK(method.value[SPD_PARAMETER_M] == N, "m = %g", method.value[SPD_PARAMETER_M]);
        CHECK_CLOSE(tuned.accuracy, tuned.accuracy_no_map, 0.0, " ");
    }
}

/* One thread runs trials in turn, several at once: the same choice, to the bit. */
TEST(whatever_the_threads)
{
    const char *names[] = {"knn-airm-ml", "nn-stein-random", "rsr"};
    labelled_set s = make_set(12);
    int group[P];
    for (size_t i = 0; i < P; i++)
        group[i] = (int)(i / 9);
    spd_tune_options tuning = tuning_of(4, 2, NULL);
    tuning.group = group;
    for (size_t k = 0; k < 3; k++) {
        spd_method first = method_of(names[k]), second = first;
        spd_tune_info a = SPD_STRUCT(spd_tune_info), b = SPD_STRUCT(spd_tune_info);
        spd_context *ctx = context_on(1);
        CHECK(spd_tune(ctx, &first, &s.samples, &tuning, &a) == SPD_OK, "%s", names[k]);
        for (int threads = 2; threads <= 4; threads++) {
            second = method_of(names[k]);
            spd_context_set_threads(ctx, threads);
            CHECK(spd_tune(ctx, &second, &s.samples, &tuning, &b) == SPD_OK, "%s", names[k]);
            CHECK(memcmp(&first, &second, sizeof first) == 0, "%s: another choice", names[k]);
            CHECK(a.accuracy == b.accuracy && a.folds == 4 && b.folds == 4, "%s", names[k]);
            CHECK(same_number(a.accuracy_no_map, b.accuracy_no_map), "%s", names[k]);
        }
    }
}

/* A graph from distances is the graph that the matrices give. */
TEST(graph_of_distances)
{
    labelled_set s = make_set(13);
    double *D = block(P * P);
    spd_fit_options a, b;
    spd_pair *x = NULL, *y = NULL;
    size_t m = 0, n = 0;
    spd_fit_defaults(&a, sizeof a);
    a.nu_b = 4;
    a.nu_w = 3;
    a.objective = SPD_OBJECTIVE_DIFFERENCE;
    spd_fit_resolve(&a);
    b = a;
    CHECK(spd_pairwise2(NULL, SPD_METRIC_STEIN, SPD_SET(N, P, s.X), NULL, D) == SPD_OK, " ");
    CHECK(spd_affinity(NULL, SPD_SET(N, P, s.X), s.label, &a, &x, &m) == SPD_OK, " ");
    CHECK(affinity_of_distances(NULL, P, D, s.label, &b, &y, &n) == SPD_OK, " ");
    CHECK(m == n && memcmp(x, y, m * sizeof *x) == 0, "%zu and %zu pairs", m, n);
    spd_pairs_free(x);
    spd_pairs_free(y);
}

/* Methods behind one map choose together what they choose alone. */
TEST(together_as_alone)
{
    const char *names[] = {"nn-stein-ml", "rsr-ml", "knn-stein-ml"};
    const double m[] = {2, 4}, nu_b[] = {1, 3};
    labelled_set s = make_set(18);
    spd_method all[3], alone, *const all_at[3] = {&all[0], &all[1], &all[2]};
    spd_tune_info tuned[3], one = SPD_STRUCT(spd_tune_info);
    spd_tune_info *const tuned_at[3] = {&tuned[0], &tuned[1], &tuned[2]};
    spd_grid grid = {0};
    spd_tune_options tuning = tuning_of(3, 4, &grid);
    grid.count[SPD_PARAMETER_M] = grid.count[SPD_PARAMETER_NU_B] = 2;
    grid.value[SPD_PARAMETER_M] = m;
    grid.value[SPD_PARAMETER_NU_B] = nu_b;
    for (size_t k = 0; k < 3; k++) {
        all[k] = method_of(names[k]);
        tuned[k] = (spd_tune_info)SPD_STRUCT(spd_tune_info);
    }
    CHECK(spd_tune_together(NULL, 3, all_at, &s.samples, &tuning, tuned_at) == SPD_OK, " ");
    for (size_t k = 0; k < 3; k++) {
        alone = method_of(names[k]);
        CHECK(spd_tune(NULL, &alone, &s.samples, &tuning, &one) == SPD_OK, "%s", names[k]);
        CHECK(memcmp(&alone, &all[k], sizeof alone) == 0, "%s chooses otherwise", names[k]);
        CHECK(tuned[k].accuracy == one.accuracy && tuned[k].settings == one.settings, "%s",
              names[k]);
    }
    all[1] = method_of("nn-airm-ml");
    CHECK_STATUS(spd_tune_together(NULL, 3, all_at, &s.samples, &tuning, tuned_at), SPD_EINVAL);
}

/* More neighbours than there are give the same graph, hence the same accuracy. */
TEST(ties_go_to_the_smaller_nu_b)
{
    const double m[] = {2}, nu_b[] = {500, 300, 400};
    labelled_set s = make_set(21);
    spd_grid grid = {0};
    spd_tune_options tuning = tuning_of(3, 4, &grid);
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    spd_method method = method_of("nn-stein-ml");
    grid_try(&grid, SPD_PARAMETER_M, 1, m);
    grid_try(&grid, SPD_PARAMETER_NU_B, 3, nu_b);
    CHECK(spd_tune(NULL, &method, &s.samples, &tuning, &tuned) == SPD_OK, " ");
    CHECK_CLOSE(method.value[SPD_PARAMETER_NU_B], 300.0, 0.0, "of %zu", tuned.settings);
}

/* Classes are spread evenly over the folds; who is alone in a class, or has none, is never asked.
 */
TEST(dealt_folds)
{
    enum { ALL = 15, FOLDS = 3 };
    const int label[ALL] = {5, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 2, -1, 7};
    size_t fold[ALL], other[ALL], differ = 0;
    classes c = {0};
    CHECK(classes_sort(NULL, ALL, label, &room, &c) == SPD_OK, "classes");
    memset(fold, 0, sizeof fold);
    folds_deal(ALL, &c, FOLDS, 1, fold);
    CHECK(fold[0] == FOLD_NEVER && fold[13] == FOLD_NEVER && fold[14] == FOLD_NEVER, "never");
    for (int k = 1; k < 3; k++) {
        size_t count[FOLDS] = {0}, size = 0;
        for (size_t i = 0; i < ALL; i++)
            if (label[i] == k && fold[i] < FOLDS) {
                count[fold[i]]++;
                size++;
            }
        CHECK(size == (k == 1 ? 7 : 5), "%zu of class %d", size, k);
        for (size_t f = 0; f < FOLDS; f++)
            CHECK(count[f] >= size / FOLDS && count[f] <= size / FOLDS + 1, "%zu", count[f]);
    }
    CHECK(classes_sort(NULL, ALL, label, &room, &c) == SPD_OK, "classes");
    folds_deal(ALL, &c, FOLDS, 2, other);
    for (size_t i = 0; i < ALL; i++)
        differ += fold[i] != other[i];
    CHECK(differ > 0, "another seed, the same folds");
    arena_free(&room);
}

/* Hessian LLE in 2 dimensions wants 6 neighbours: settings with fewer are left out. */
TEST(settings_that_fail)
{
    const double k[] = {3, 4, 8};
    labelled_set s = make_set(4);
    spd_grid grid = {0};
    spd_tune_options tuning = tuning_of(3, 1, &grid);
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    spd_context *ctx = context_on(0);
    spd_method method = method_of("riemannian-hessian-lle");
    method.value[SPD_PARAMETER_DIMENSIONS] = 2.0;
    grid_try(&grid, SPD_PARAMETER_K, 3, k);
    CHECK(spd_tune(ctx, &method, &s.samples, &tuning, &tuned) >= 0, "%s", said(ctx));
    CHECK(method.value[SPD_PARAMETER_K] == 8.0, "k = %g", method.value[SPD_PARAMETER_K]);
    CHECK(tuned.settings == 3 && tuned.accuracy > 0.2, "%zu, %g", tuned.settings, tuned.accuracy);
    method.value[SPD_PARAMETER_K] = NAN;
    grid.count[SPD_PARAMETER_K] = 2;
    spd_status status = spd_tune(ctx, &method, &s.samples, &tuning, &tuned);
    CHECK_FAILED(ctx, status, SPD_EINVAL, "hessian-lle in 2");
    CHECK(isnan(method.value[SPD_PARAMETER_K]), "touched");
}

TEST(fewer_folds)
{
    labelled_set s = make_set(14);
    s.samples.p = 9; /* three of each class */
    spd_tune_options tuning = tuning_of(5, 1, NULL);
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    spd_method method = method_of("knn-airm");
    CHECK(spd_tune(NULL, &method, &s.samples, &tuning, &tuned) == SPD_OK, " ");
    CHECK(tuned.folds == 3, "%d folds", tuned.folds);
    CHECK(method.value[SPD_PARAMETER_K] >= 1.0, "k");
    method = method_of("nn-airm");
    tuned.folds = -1;
    CHECK(spd_tune(NULL, &method, &s.samples, &tuning, &tuned) == SPD_OK, " ");
    CHECK(tuned.settings == 1 && tuned.folds == 0 && isnan(tuned.accuracy), "nothing to tune");
}

static void refuse(const char *name, const spd_samples *train, const spd_tune_options *tuning,
                   const char *word)
{
    spd_context *ctx = context_on(0);
    spd_method method = method_of(name), before = method;
    spd_tune_info tuned = {.size = sizeof(spd_tune_info), .folds = -7};
    CHECK(spd_tune(ctx, &method, train, tuning, &tuned) < 0, "%s", word);
    CHECK_SAYS(ctx, word);
    CHECK(tuned.folds == -7 && memcmp(&method, &before, sizeof method) == 0, "touched");
}

TEST(bad_input)
{
    labelled_set s = make_set(15);
    int one[P] = {0}, by_class[P];
    spd_tune_options tuning = tuning_of(1, 0, NULL);
    refuse("knn-airm", &s.samples, &tuning, "at least 2");
    tuning.folds = 3;
    tuning.group = one;
    refuse("knn-airm", &s.samples, &tuning, "one group");
    for (size_t i = 0; i < P; i++)
        by_class[i] = (int)(i % 3) - 1;
    tuning.group = by_class;
    refuse("knn-airm", &s.samples, &tuning, "are in no group");
    for (size_t i = 0; i < P; i++)
        by_class[i] = s.label[i] > 0;
    tuning.group = by_class;
    refuse("knn-airm", &s.samples, &tuning, "fewer than two classes");
    tuning.group = NULL;
    spd_samples few = s.samples;
    few.p = 3; /* one of each class */
    refuse("knn-airm", &few, &tuning, "too few samples");
    few.label = one;
    refuse("knn-airm", &few, &tuning, "one class");
    few = s.samples;
    few.p = 6; /* two of each: the within graph of a fold is empty, whatever the setting */
    const double m[] = {2, 3};
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_M, 2, m);
    tuning.grid = &grid;
    refuse("nn-stein-ml", &few, &tuning, "no setting works");
}

/* Progress comes ten times a second: the search is long enough for that on any machine. */
TEST(cancelled)
{
    labelled_set s = make_set(16);
    double nu_b[64];
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_NU_B, 64, nu_b);
    for (size_t i = 0; i < 64; i++)
        nu_b[i] = 1.0 + (double)i;
    spd_tune_options tuning = tuning_of(5, 1, &grid);
    for (int k = 0; k < 4; k++) {
        int calls = 0, threads = k < 2 ? 1 : 4;
        tuning.exhaustive = k % 2;
        spd_context *ctx = context_on(0);
        spd_fit_options fit = fit_defaults();
        spd_method method = method_of("nn-airm-ml");
        fit.tol = 0.0;
        fit.max_iter = 1000000;
        method.fit = &fit;
        spd_context_set_threads(ctx, threads);
        spd_context_set_progress(ctx, stop_now, &calls);
        CHECK(spd_tune(ctx, &method, &s.samples, &tuning, NULL) == SPD_ECANCELLED, "%d threads",
              threads);
        CHECK(calls == 1 || calls == 2, "%d calls", calls); /* one more by the loop */
        CHECK_SAYS(ctx, "cancelled");
    }
}

TEST(allocation_sweep)
{
    const char *names[] = {"nn-stein-ml", "knn-airm"};
    const double m[] = {2}, nu_b[] = {1, 2};
    labelled_set s = make_set(17);
    int group[P];
    s.samples.p = 18;
    for (size_t i = 0; i < P; i++)
        group[i] = (int)(i / 6);
    spd_grid grid = {0};
    grid_try(&grid, SPD_PARAMETER_M, 1, m);
    grid_try(&grid, SPD_PARAMETER_NU_B, 2, nu_b);
    spd_tune_options tuning = tuning_of(2, 1, &grid);
    spd_context *ctx = context_on(1);
    for (size_t k = 0; k < 2; k++) {
        const spd_method same = method_of(names[k]);
        tuning.group = k ? group : NULL;
        for (sweep_state w = SWEEP(ctx, 19, NULL, 0); sweep_on(&w);) {
            spd_method method[2] = {same, same}, *const method_at[2] = {&method[0], &method[1]};
            w.what = names[k];
            w.remarks = 1;
            w.status = spd_tune_together(ctx, 2, method_at, &s.samples, &tuning, NULL);
            CHECK(w.status >= 0 || memcmp(&method[1], &same, sizeof same) == 0, "touched");
        }
    }
}
