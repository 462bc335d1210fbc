/* test_trained_file.c - trained methods in files, for every method of the table: the same labels
 * from what is read as from what was written, the notes, what a file holds of its training samples,
 * files of the first version, and damage. */
#define TEST_OWN_MAIN
#include "classify_steps.h"
#include "evaluate/trained.h"
#include "unit/test_io_common.h"

#define N    8
#define P    30
#define Q    15
#define SIDE 16 /* of images: the filters of gsrc want that many */

static labelled_set both_random(uint64_t seed, size_t p)
{
    return labelled_both(seed, N, p, 0.4, SIDE, SIDE);
}

/* A method whose name begins with + normalises and recentres groups, which have names. */
static spd_classifier *trained_by(const char *name, const spd_samples *train)
{
    static const char *const groups[] = {"ann", "bob", "cy"};
    const int aligns = name[0] == '+';
    spd_fit_options fit = fit_defaults();
    spd_classifier *c = NULL;
    spd_samples own = *train;
    spd_method method = method_of(name + aligns);
    fit.max_iter = 4;
    method.fit = &fit;
    method.normalize = aligns ? SPD_NORMALIZATION_DETERMINANT : SPD_NORMALIZATION_NONE;
    method.recenter = aligns ? SPD_RECENTERING_GROUPS : SPD_RECENTERING_NONE;
    own.group = own.label;
    spd_status status = spd_classifier_fit(ctx, &method, &own, NULL, &c);
    CHECK(status >= 0 && c, "%s: %s", name, said(ctx));
    if (!aligns || !c)
        return c;
    spd_metadata notes = *spd_classifier_metadata(c);
    notes.group_column = "subject";
    notes.groups = 3;
    notes.group_name = groups;
    CHECK_OK(ctx, spd_classifier_set_metadata(ctx, c, &notes));
    return c;
}

static void predict(const spd_classifier *c, const spd_samples *queries, int *label)
{
    memset(label, 0x55, Q * sizeof *label);
    spd_status status = spd_classifier_predict(ctx, c, queries, label);
    CHECK(status >= 0, "%s", said(ctx));
}

/* The names of all methods: every classifier with every map and metric that it can do. */
static size_t all_methods(char name[][SPD_METHOD_NAME], size_t room)
{
    size_t count = 0;
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++)
        for (unsigned a = 0; a < SPD_MAPS; a++)
            for (unsigned metric = 0; metric < SPD_METRICS; metric++) {
                spd_method method = SPD_STRUCT(spd_method), back = SPD_STRUCT(spd_method);
                method.classifier = (spd_classifier_kind)kind;
                method.map = (spd_map)a;
                method.metric = (spd_metric)metric;
                spd_method_name(&method, name[count]);
                int good = spd_method_parse(NULL, name[count], &back) == SPD_OK &&
                           back.metric == method.metric && back.map == method.map;
                if (good && count + 1 < room)
                    count++;
            }
    return count;
}

TEST(same_after_a_file)
{
    static char name[800][SPD_METHOD_NAME];
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    size_t count = all_methods(name, 800);
    CHECK(count > 100 && count < 799, "%zu methods", count);
    for (size_t i = 0; i < count; i++) {
        spd_classifier *c = trained_by(name[i], &train.samples), *back = NULL;
        int before[Q], after[Q];
        double score[Q * 3], score_after[Q * 3];
        if (!c)
            continue;
        predict(c, &queries.samples, before);
        CHECK(spd_classifier_scores(ctx, c, &queries.samples, after, score) >= 0, "%s", name[i]);
        CHECK(memcmp(before, after, sizeof before) == 0, "%s: labels of scores", name[i]);
        CHECK(spd_classifier_save(ctx, c, scratch("t.spdml")) == SPD_OK, "%s", name[i]);
        CHECK(spd_classifier_load(ctx, scratch("t.spdml"), &back) == SPD_OK, "%s", name[i]);
        spd_classifier_free(c);
        if (!back)
            continue;
        predict(back, &queries.samples, after);
        CHECK(memcmp(before, after, sizeof before) == 0, "%s", name[i]);
        CHECK(spd_classifier_scores(ctx, back, &queries.samples, NULL, score_after) >= 0, "%s",
              name[i]);
        CHECK(memcmp(score, score_after, sizeof score) == 0, "%s: scores", name[i]);
        char again[SPD_METHOD_NAME];
        spd_method_name(spd_classifier_method(back), again);
        CHECK(strcmp(again, name[i]) == 0, "%s became %s", name[i], again);
        spd_classifier_free(back);
    }
}

/* Nothing of the caller's samples is used after training. */
TEST(samples_may_go)
{
    labelled_set queries = both_random(2, Q);
    for (unsigned kind = 0; kind < SPD_CLASSIFIERS; kind++) {
        OWN(spd_classifier) c = NULL;
        int before[Q], after[Q];
        {
            SCOPE; /* with which the samples go */
            labelled_set train = both_random(1, P);
            c = trained_by(CLASSIFIER_NAME(kind), &train.samples);
            predict(c, &queries.samples, before);
            memset(train.X, 0xff, P * N * N * sizeof *train.X);
            memset(train.V, 0xff, P * SIDE * SIDE * sizeof *train.V);
            memset(train.label, 0, P * sizeof *train.label);
        }
        predict(c, &queries.samples, after);
        CHECK(memcmp(before, after, sizeof before) == 0, "classifier %u", kind);
    }
}

TEST(what_is_held)
{
    static const struct {
        const char *name;
        spd_holding holding;
    } all[] = {{"mdm-airm-ml", SPD_HOLDING_NONE},   {"ts-lda", SPD_HOLDING_NONE},
               {"pga", SPD_HOLDING_VECTORS},        {"src", SPD_HOLDING_VECTORS},
               {"nn-airm", SPD_HOLDING_SAMPLES},    {"ksvm-stein", SPD_HOLDING_SAMPLES},
               {"cov3dj", SPD_HOLDING_SAMPLES},     {"ts-lr", SPD_HOLDING_NONE},
               {"krr-tangent", SPD_HOLDING_NONE},   {"krr-stein", SPD_HOLDING_SAMPLES},
               {"krr-both-ml", SPD_HOLDING_SAMPLES}};
    labelled_set train = both_random(1, P);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        spd_classifier *c = trained_by(all[i].name, &train.samples), *back = NULL;
        spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
        CHECK(spd_classifier_save(ctx, c, scratch("h.spdml")) == SPD_OK, "%s", all[i].name);
        CHECK(spd_classifier_load(ctx, scratch("h.spdml"), &back) == SPD_OK, "%s", all[i].name);
        CHECK(spd_classifier_info(ctx, back, &facts) == SPD_OK, "%s", all[i].name);
        CHECK(facts.holding == all[i].holding && facts.trained == P && facts.classes == 3, "%s",
              all[i].name);
        CHECK((facts.held > 0) == (all[i].holding != SPD_HOLDING_NONE) && facts.held <= P,
              "%s: %zu", all[i].name, facts.held);
        CHECK((facts.n == N) == !spd_method_on_vectors(spd_classifier_method(back)), "%s",
              all[i].name);
        CHECK(!back->state.train.X == (all[i].holding != SPD_HOLDING_SAMPLES), "%s", all[i].name);
        spd_classifier_free(c);
        spd_classifier_free(back);
    }
}

/* Classes apart: most samples are no support vectors, and a file leaves them out. */
TEST(support_vectors_alone)
{
    labelled_set train = labelled_random(3, N, 60, 2, 0.05);
    OWN(spd_classifier) c = trained_by("ksvm-stein", &train.samples), *back = NULL;
    spd_classifier_facts facts = SPD_STRUCT(spd_classifier_facts);
    CHECK(spd_classifier_save(ctx, c, scratch("k.spdml")) == SPD_OK, " ");
    CHECK(spd_classifier_load(ctx, scratch("k.spdml"), &back) == SPD_OK, " ");
    CHECK(spd_classifier_info(ctx, back, &facts) == SPD_OK && facts.held < 60 && facts.held >= 2,
          "%zu support vectors", facts.held);
    CHECK(facts.trained == 60, "%zu", facts.trained);
}

/* Kernels of rsr that are definite, and clipped. */
TEST(kernels_of_all_sorts)
{
    static const double betas[] = {2.0, 1e-4};
    labelled_set train = both_random(1, P), queries = both_random(2, Q);
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
        spd_method method = method_of("rsr");
        OWN(spd_classifier) c = NULL, *back = NULL;
        double score[Q * 3], after[Q * 3];
        unsigned char *bytes = NULL;
        size_t size = 0;
        method.value[SPD_PARAMETER_BETA] = betas[i];
        CHECK(spd_classifier_fit(ctx, &method, &train.samples, NULL, &c) >= 0, "%zu", i);
        CHECK(spd_classifier_pack(ctx, c, &bytes, &size) == SPD_OK, "%zu", i);
        CHECK(spd_classifier_unpack(ctx, bytes, size, &back) == SPD_OK, "%zu", i);
        CHECK(spd_classifier_scores(ctx, c, &queries.samples, NULL, score) >= 0, "%zu", i);
        CHECK(spd_classifier_scores(ctx, back, &queries.samples, NULL, after) >= 0, "%zu", i);
        CHECK(memcmp(score, after, sizeof score) == 0, "%zu", i);
        spd_bytes_free(bytes);
    }
}

TEST(notes_come_back)
{
    static const char *const names[] = {"rest", "left hand", "gr\xc3\xbcn"};
    labelled_set train = both_random(1, P);
    OWN(spd_classifier) c = trained_by("mdm-airm", &train.samples), *back = NULL;
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    notes.classes = 3;
    notes.class_name = names;
    notes.label_type = SPD_TYPE_TEXT;
    notes.made = "{\"descriptor\": \"joints\", \"parameters\": {\"center\": \"root\"}}";
    notes.settings = 12;
    notes.folds = 5;
    notes.accuracy = 1.0 / 3;
    notes.accuracy_no_map = (double)NAN;
    CHECK_OK(ctx, spd_classifier_set_metadata(ctx, c, &notes));
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK(spd_classifier_pack(ctx, c, &bytes, &size) == SPD_OK && size > 100, " ");
    CHECK_OK(ctx, spd_classifier_unpack(ctx, bytes, size, &back));
    const spd_metadata *got = spd_classifier_metadata(back);
    CHECK(got->classes == 3 && got->label_type == SPD_TYPE_TEXT, " ");
    for (size_t k = 0; k < 3; k++)
        CHECK(strcmp(got->class_name[k], names[k]) == 0, "%s", got->class_name[k]);
    CHECK(got->made && strstr(got->made, "\"center\": \"root\""), "%s", got->made);
    CHECK(got->settings == 12 && got->folds == 5 && got->accuracy == 1.0 / 3, " ");
    CHECK(isnan(got->accuracy_no_map) && strcmp(got->version, spd_version()) == 0, " ");
    notes.classes = 2;
    CHECK_FAILED(ctx, spd_classifier_set_metadata(ctx, c, &notes), SPD_EINVAL,
                 "3 classes, but names for 2");
    CHECK(strcmp(spd_classifier_metadata(c)->class_name[0], "rest") == 0,
          "the notes are as before");
    spd_bytes_free(bytes);
}

/* The map of a trained method is that of its model. */
TEST(maps_as_its_model)
{
    labelled_set train = both_random(1, P);
    OWN(spd_classifier) c = trained_by("nn-airm-ml", &train.samples);
    const spd_model *model = spd_classifier_model(c);
    double *S = block(P * model->m * model->m), *T = block(P * model->m * model->m);
    CHECK(spd_classifier_map(ctx, c, N, P, train.X, S) == SPD_OK, " ");
    CHECK(spd_congruence(ctx, SPD_SET(N, P, train.X), model->m, model->W, T) == SPD_OK, " ");
    CHECK(memcmp(S, T, P * model->m * model->m * sizeof *S) == 0, "another map");
    CHECK_FAILED(ctx, spd_classifier_map(ctx, c, N + 1, 1, train.X, S), SPD_EINVAL,
                 "9 x 9|trained with 8 x 8");
}

TEST(one_taken_for_the_other)
{
    labelled_set train = both_random(1, P);
    spd_classifier *c = trained_by("nn-airm-ml", &train.samples), *back = NULL;
    spd_model *model = NULL;
    CHECK(spd_classifier_save(ctx, c, scratch("method.spdml")) == SPD_OK, " ");
    CHECK(spd_file_kind(scratch("method.spdml")) == SPD_KIND_METHOD, " ");
    CHECK_FAILED(ctx, spd_model_load(ctx, scratch("method.spdml"), &model), SPD_EFORMAT,
                 "method.spdml|is a spdml trained method, not a spdml model");
    CHECK(spd_model_save(ctx, spd_classifier_model(c), scratch("model.spdml")) == SPD_OK, " ");
    CHECK_FAILED(ctx, spd_classifier_load(ctx, scratch("model.spdml"), &back), SPD_EFORMAT,
                 "model.spdml|is a spdml model, not a");
    CHECK_FAILED(ctx, spd_classifier_load(ctx, scratch("none.spdml"), &back), SPD_EIO,
                 "none.spdml");
    CHECK(!model && !back, "touched");
    spd_classifier_free(c);
}

/* A trained method of every kind that keeps something, as bytes. */
static const char *const kinds[] = {"nn-airm-ml",
                                    "mdm-stein-csp",
                                    "rsr",
                                    "cdl",
                                    "cdl-lda",
                                    "pga",
                                    "ksvm-stein",
                                    "ksvm-log-euclidean",
                                    "ts-lda",
                                    "src",
                                    "nn-stein-multi",
                                    "cov3dj",
                                    "ts-lr",
                                    "krr-stein",
                                    "krr-tangent-log-euclidean",
                                    "krr-both",
                                    "+mdm-airm"};

/* Every byte changed, every length cut, a few of them each: no crash, no leak, and either a message
 * or a method that predicts. */
TEST(damage_anywhere)
{
    labelled_set train = both_random(1, 9);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        spd_classifier *c = trained_by(kinds[k], &train.samples);
        unsigned char *bytes = NULL;
        size_t size = 0;
        CHECK(spd_classifier_pack(ctx, c, &bytes, &size) == SPD_OK, "%s", kinds[k]);
        spd_classifier_free(c);
        const long live = mem_live();
        for (size_t at = 0; at < size; at += 1 + size / 400) {
            OWN(spd_classifier) back = NULL;
            CHECK(spd_classifier_unpack(ctx, bytes, at, &back) < 0 && !back, "%s cut at %zu",
                  kinds[k], at);
            bytes[at] ^= 0x11;
            spd_status status = spd_classifier_unpack(ctx, bytes, size, &back);
            bytes[at] ^= 0x11;
            CHECK((status >= 0) == (back != NULL), "%s changed at %zu", kinds[k], at);
            CHECK(status >= 0 || said(ctx)[0], "no message");
        }
        CHECK(mem_live() == live, "%s: a leak", kinds[k]);
        spd_bytes_free(bytes);
    }
}

TEST(out_of_memory_anywhere)
{
    spd_context *one = context_on(1);
    labelled_set train = both_random(1, 9);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        spd_classifier *c = trained_by(kinds[k], &train.samples), *back = NULL;
        unsigned char *bytes = NULL;
        size_t size = 0;
        CHECK(spd_classifier_pack(ctx, c, &bytes, &size) == SPD_OK, "%s", kinds[k]);
        for (sweep_state w = SWEEP(one, 2, NULL, 0); sweep_on(&w);) {
            unsigned char *other = NULL;
            size_t length = 0;
            w.status = spd_classifier_pack(one, c, &other, &length);
            CHECK_MADE(w, other);
            spd_bytes_free(other);
        }
        for (sweep_state w = SWEEP(one, 2, NULL, 0); sweep_on(&w);) {
            w.status = spd_classifier_unpack(one, bytes, size, &back);
            CHECK_MADE(w, back);
            spd_classifier_free(back);
            back = NULL;
        }
        spd_bytes_free(bytes);
        spd_classifier_free(c);
    }
}

/* ---- files of older versions ------------------------------------------------------------------
 *
 * A folder for each version of the format, written by `test_trained_file FOLDER` when that version
 * was the newest; with one method of every kind, trained on the samples below. */

#define OLD_N 3
#define OLD_P 6

/* Two classes that no rounding confuses, as matrices and as images. */
typedef struct old_set {
    double X[OLD_P * OLD_N * OLD_N], V[OLD_P * SIDE * SIDE];
    int label[OLD_P];
    spd_samples samples;
} old_set;

static void old_make(double shift, old_set *s)
{
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < OLD_P; i++) {
        double far = i % 2 ? 4.0 : 1.0, small = 0.05 * (double)i + shift;
        double *x = s->X + i * OLD_N * OLD_N, *v = s->V + i * SIDE * SIDE;
        for (size_t a = 0; a < OLD_N; a++)
            x[a * (OLD_N + 1)] = (a == i % 2 ? far : 1.0) + small * (double)(a + 1);
        x[1] = x[OLD_N] = 0.1 + small;
        for (size_t e = 0; e < SIDE * SIDE; e++)
            v[e] = (e / (i % 2 ? 3 : 5) % 2 ? 2.0 : 0.5) + small * (double)(e % 7);
        s->label[i] = (int)(i % 2);
    }
    s->samples = (spd_samples){.size = sizeof s->samples,
                               .p = OLD_P,
                               .n = OLD_N,
                               .X = s->X,
                               .height = SIDE,
                               .width = SIDE,
                               .V = s->V,
                               .classes = 2,
                               .label = s->label};
}

static const char *const old_names[] = {"nn-airm-ml",
                                        "knn-stein-csp",
                                        "mdm-airm",
                                        "rsr-multi",
                                        "cdl",
                                        "cdl-lda",
                                        "pga",
                                        "riemannian-lle",
                                        "riemannian-laplacian",
                                        "ksvm-stein",
                                        "ksvm-log-euclidean",
                                        "ts-lda",
                                        "src",
                                        "gsrc",
                                        "cov3dj"};

/* The method of the i-th name, on the old samples. */
static spd_classifier *old_trained(size_t i, const spd_samples *train)
{
    static const char *const classes_named[] = {"left", "right"};
    spd_classifier *c = NULL;
    spd_fit_options fit = fit_defaults();
    spd_method method = method_of(old_names[i]);
    fit.max_iter = 3;
    method.fit = &fit;
    if (spd_method_uses(&method, SPD_PARAMETER_K))
        method.value[SPD_PARAMETER_K] = 3;
    if (spd_method_uses(&method, SPD_PARAMETER_DIMENSIONS))
        method.value[SPD_PARAMETER_DIMENSIONS] = 2;
    spd_status status = spd_classifier_fit(ctx, &method, train, NULL, &c);
    CHECK(status >= 0, "%s: %s", old_names[i], said(ctx));
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    notes.classes = 2;
    notes.class_name = classes_named;
    notes.label_type = SPD_TYPE_TEXT;
    notes.made = "{\"descriptor\": \"covariance\"}";
    notes.settings = 4;
    notes.folds = 2;
    notes.accuracy = 0.75;
    if (c)
        CHECK(spd_classifier_set_metadata(ctx, c, &notes) == SPD_OK, "%s", old_names[i]);
    return c;
}

/* Files of format 2 may have balanced means, which are gone. */
TEST(what_is_gone_is_refused)
{
    spd_classifier *c = NULL;
    CHECK_FAILED(ctx, spd_classifier_load(ctx, TESTS_FOLDER "/formats/methods-2/aligned.spdml", &c),
                 SPD_EFORMAT, "train the method again");
}

static int old_write(const char *folder)
{
    static old_set train;
    old_make(0.0, &train);
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++) {
        char path[300];
        OWN(spd_classifier) c = old_trained(i, &train.samples);
        snprintf(path, sizeof path, "%s/%s.spdml", folder, old_names[i]);
        CHECK(c && spd_classifier_save(ctx, c, path) == SPD_OK, "%s", path);
    }
    return test_summary();
}

TEST(older_files_are_read)
{
    static old_set queries;
    old_make(0.02, &queries);
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++) {
        char path[300], name[SPD_METHOD_NAME];
        int label[OLD_P];
        OWN(spd_classifier) c = NULL;
        snprintf(path, sizeof path, "%s/formats/methods-1/%s.spdml", TESTS_FOLDER, old_names[i]);
        CHECK_OK(ctx, spd_classifier_load(ctx, path, &c));
        if (!c)
            continue;
        spd_method_name(spd_classifier_method(c), name);
        CHECK(strcmp(name, old_names[i]) == 0, "%s is %s", path, name);
        CHECK(spd_classifier_predict(ctx, c, &queries.samples, label) >= 0, "%s", path);
        CHECK(memcmp(label, queries.label, sizeof label) == 0, "%s predicts otherwise", path);
        const spd_metadata *notes = spd_classifier_metadata(c);
        CHECK(notes->classes == 2 && strcmp(notes->class_name[1], "right") == 0, "%s", path);
        CHECK(notes->settings == 4 && notes->accuracy == 0.75 && notes->made, "%s", path);
    }
}

/* What comes back from a file, and whether it says that it has no names. */
static void names_in_file(const spd_classifier *c, int unnamed, spd_type type, const char *second)
{
    OWN(spd_classifier) back = NULL;
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK(spd_classifier_pack(ctx, c, &bytes, &size) == SPD_OK, " ");
    CHECK_OK(ctx, spd_classifier_unpack(ctx, bytes, size, &back));
    const spd_metadata *got = spd_classifier_metadata(back);
    CHECK(got->classes == 3 && !got->unnamed == !unnamed && got->label_type == type, "%s", second);
    CHECK(strcmp(got->class_name[1], second) == 0, "%s is %s", second, got->class_name[1]);
    spd_bytes_free(bytes);
}

/* Names that the samples bring are kept, and copied; without any, a file says so. */
TEST(names_of_samples)
{
    labelled_set train = both_random(50, P);
    char first[] = "walk", second[] = "run";
    const char *names[3] = {first, second, "sit"};
    const char *const numbers[3] = {"1", "-2", "30"};
    const size_t some[2] = {1, 4};
    OWN(spd_classifier) bare = trained_by("mdm-airm", &train.samples);
    names_in_file(bare, 1, SPD_TYPE_INT64, "1");
    train.samples.class_name = numbers;
    OWN(spd_classifier) numbered = trained_by("nn-stein-ml", &train.samples);
    names_in_file(numbered, 0, SPD_TYPE_INT64, "-2");
    train.samples.class_name = names;
    OWN(spd_classifier) named = trained_by("nn-airm", &train.samples);
    spd_samples *part = NULL;
    CHECK(spd_samples_subset(ctx, &train.samples, 2, some, &part) == SPD_OK, " ");
    second[0] = 'f';
    CHECK(part && strcmp(part->class_name[1], "run") == 0, "a subset has its own names");
    names_in_file(named, 0, SPD_TYPE_TEXT, "run");
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    notes.accuracy = 0.5;
    CHECK(spd_classifier_set_metadata(ctx, named, &notes) == SPD_OK, " ");
    names_in_file(named, 0, SPD_TYPE_TEXT, "run");
    spd_samples_free(part);
}

int main(int count, char **argument)
{
    return count > 1 ? old_write(argument[1]) : test_all();
}
