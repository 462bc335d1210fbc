/* cmd_update.c - `spdml update`: a trained method with further samples, and further classes.
 *
 * With the old data (--data) everything is learned anew, and the learned map begins where the old
 * one is. Without, the method must hold its training samples; these are mapped already, so that the
 * map stays as it is and the classifier alone is trained again.
 *
 * What it brings is measured on a fifth of each set that is left out, with methods trained for this
 * purpose: one without the new samples and one with them. */
#include <math.h>
#include <string.h>

#include "cli/commands/meta_compare.h"
#include "cli/methods/aligning.h"
#include "cli/methods/predictions.h"
#include "cli/methods/show_trained.h"

#define TRAINING_SHARE 0.8
#define DEGREES        (180.0 / 3.14159265358979323846)

/* Accuracies on samples that were left out. */
typedef struct judgement {
    size_t tested; /* 0: too few samples to leave any out */
    double before, after;
} judgement;

typedef struct updating {
    trained_method method;
    recognition_set more, old; /* old: with --data alone */
    words group_name;          /* of recentring by a column: those of both sets */
    int relearn;               /* with --data: the map, too, is learned */
    size_t classes, added;     /* with those that are new */
    const char **class_name;
    spd_samples was, is_new, all; /* as they go to training, in the numbers of class_name */
    spd_method trained_as;        /* how they are trained for the judgement */
    spd_fit_options fit;
    spd_classifier *classifier;
    judgement on_old, on_new;
    double *angle; /* degrees, ascending; NULL: the map stays */
    size_t angles;
} updating;

/* ---- samples --------------------------------------------------------------------------------- */

static void check(const updating *u, const spd_data *data)
{
    if (!data->label)
        labels_missing(data, " to learn from", "");
    trained_check_size(&u->method, data);
    meta_check_trained(data, &u->method.classes);
}

/* Why a file alone will not do. */
static void check_held(const updating *u)
{
    const spd_classifier_facts *facts = &u->method.facts;
    char name[SPD_METHOD_NAME];
    spd_method_name(spd_classifier_method(u->method.classifier), name);
    if (u->relearn || spd_classifier_samples(u->method.classifier))
        return;
    if (facts->holding == SPD_HOLDING_SAMPLES)
        cli_fail("%s: %s holds only %zu support vectors of the %zu samples it was trained with; "
                 "give these with --data",
                 u->method.classes.source, name, facts->held, facts->trained);
    cli_fail("%s: %s keeps no training samples, only what was computed from all of them, and "
             "cannot take further ones into that; give the old samples with --data",
             u->method.classes.source, name);
}

/* The file has no groups of its samples, and the new ones cannot be told to go to them. */
static void check_column(const updating *u)
{
    const char *column = spd_classifier_metadata(u->method.classifier)->group_column;
    if (!u->relearn && column)
        cli_fail("%s: recentres by %s, which takes all samples at once; give the old ones with "
                 "--data",
                 u->method.classes.source, column);
}

static void load(session *s, updating *u)
{
    scale found = SCALE_OF_NONE;
    const char *old = arguments_text(s->args, "data");
    trained_load(s, s->args->operands[0], &u->method);
    if (u->method.facts.regression)
        cli_fail("%s: predicts numbers; train it anew with all samples", u->method.classes.source);
    u->relearn = old != NULL;
    if (spd_method_on_vectors(spd_classifier_method(u->method.classifier)))
        cli_fail("%s: is a method on vectors; train it again with all samples",
                 s->args->operands[0]);
    check_held(u);
    check_column(u);
    recognition_load(s, s->args->operands[1], arguments_text(s->args, "labels"), 1, 0, &u->more);
    check(u, u->more.data);
    scale_take(&found, u->more.data->n, u->more.data->p, u->more.data->X);
    scale_remark(s, &found, u->method.classifier, u->more.data->source);
    if (!old)
        return;
    recognition_load(s, old, NULL, 1, 0, &u->old);
    check(u, u->old.data);
}

/* ---- classes --------------------------------------------------------------------------------- */

/* The number of a class by its name, which becomes one where there is none yet. */
static int class_number(updating *u, const char *name)
{
    size_t k = 0;
    while (k < u->classes && strcmp(u->class_name[k], name) != 0)
        k++;
    if (k == u->classes)
        u->class_name[u->classes++] = name;
    return (int)k;
}

/* Labels of a set in these numbers. */
static int *numbers_of(updating *u, const spd_data *data)
{
    int *label = cli_alloc(data->p, sizeof *label, "labels");
    for (size_t i = 0; i < data->p; i++)
        label[i] = class_number(u, data->class_name[data->label[i]]);
    return label;
}

static spd_samples as_samples(const spd_data *data, const double *X, size_t n, const int *label)
{
    return (spd_samples){.size = sizeof(spd_samples),
                         .p = data->p,
                         .n = n,
                         .X = X,
                         .label = label,
                         .hermitian = data->hermitian,
                         .blocks = data->blocks,
                         .mean = n == data->n ? data->mean : NULL,
                         .observations = n == data->n ? data->observations : NULL};
}

/* samples->group <- the column of the method, numbered by the names of both sets; without one each
 * set is a group. */
static void take_groups(updating *u, const spd_data *data, int set, spd_samples *samples)
{
    int *group = cli_alloc(data->p, sizeof *group, "groups");
    groups g = {0};
    if (spd_classifier_metadata(u->method.classifier)->group_column)
        aligning_column(&u->method, data, "", &g);
    for (size_t i = 0; i < data->p; i++) {
        size_t k = 0;
        while (g.count && k < u->group_name.count &&
               strcmp(u->group_name.word[k], g.name[g.group[i]]) != 0)
            k++;
        if (g.count && k == u->group_name.count)
            words_add(&u->group_name, g.name[g.group[i]]);
        group[i] = g.count ? (int)k : set;
    }
    samples->group = group;
}

/* Rows of A, then those of B, each of so many numbers. */
static double *rows_of_both(size_t rows, const double *A, size_t more, const double *B, size_t each)
{
    double *both = cli_alloc_table(rows + more, each, sizeof *both, "samples");
    memcpy(both, A, rows * each * sizeof *both);
    memcpy(both + rows * each, B, more * each * sizeof *both);
    return both;
}

/* Old and new samples one after the other. */
static spd_samples joined(const spd_samples *a, const spd_samples *b)
{
    int *label = cli_alloc(a->p + b->p, sizeof *label, "labels");
    memcpy(label, a->label, a->p * sizeof *label);
    memcpy(label + a->p, b->label, b->p * sizeof *label);
    spd_samples both = *a;
    both.p = a->p + b->p;
    both.X = rows_of_both(a->p, a->X, b->p, b->X, a->n * a->n);
    both.label = label;
    if (a->mean && b->mean && a->blocks == b->blocks) {
        both.mean = rows_of_both(a->p, a->mean, b->p, b->mean, a->n);
        both.observations = rows_of_both(a->p, a->observations, b->p, b->observations, a->blocks);
    } else {
        both.mean = both.observations = NULL;
    }
    if (a->group && b->group) {
        int *group = cli_alloc(both.p, sizeof *group, "groups");
        memcpy(group, a->group, a->p * sizeof *group);
        memcpy(group + a->p, b->group, b->p * sizeof *group);
        both.group = group;
    }
    return both;
}

static void gather(session *s, updating *u)
{
    const spd_data *more = u->more.data, *old = u->old.data, *known = &u->method.classes;
    size_t m = u->method.facts.m, room = known->classes + more->classes + (old ? old->classes : 0);
    if (spd_classifier_metadata(u->method.classifier)->unnamed)
        cli_fail("%s: was saved without the names of its classes, so the labels of %s cannot be "
                 "compared with them; train it anew",
                 known->source, more->source);
    u->class_name = cli_alloc(room, sizeof *u->class_name, "classes");
    for (size_t k = 0; k < known->classes; k++)
        u->class_name[u->classes++] = known->class_name[k];
    if (old) {
        u->was = as_samples(old, old->X, old->n, numbers_of(u, old));
        u->is_new = as_samples(more, more->X, more->n, numbers_of(u, more));
        take_groups(u, old, 0, &u->was);
        take_groups(u, more, 1, &u->is_new);
    } else {
        double *S = cli_alloc_table(more->p, m * m, sizeof *S, "entries of small matrices");
        spd_status status =
            spd_classifier_map(s->ctx, u->method.classifier, more->n, more->p, more->X, S);
        session_check_in(s, more->source, status);
        u->was = *spd_classifier_samples(u->method.classifier);
        u->is_new = as_samples(more, S, m, numbers_of(u, more));
    }
    u->added = u->classes - known->classes;
    u->was.classes = u->is_new.classes = u->classes;
    u->all = joined(&u->was, &u->is_new);
}

/* ---- training -------------------------------------------------------------------------------- */

/* How samples are trained: as before, the learned map from where it is; or, where they are mapped
 * already, without a map. */
static void prepare(updating *u)
{
    const spd_model *model = spd_classifier_model(u->method.classifier);
    static const spd_parameter of_map[] = {SPD_PARAMETER_M, SPD_PARAMETER_NU_W, SPD_PARAMETER_NU_B,
                                           SPD_PARAMETER_OBJECTIVE};
    u->trained_as = *spd_classifier_method(u->method.classifier);
    if (u->relearn && model) {
        spd_fit_defaults(&u->fit, sizeof u->fit);
        u->fit = *model->options;
        u->fit.init = SPD_INIT_GIVEN;
        u->fit.W = model->W;
        u->trained_as.fit = &u->fit;
    }
    if (u->relearn)
        return;
    u->trained_as.map = SPD_MAP_NONE;
    u->trained_as.normalize = SPD_NORMALIZATION_NONE;
    u->trained_as.recenter = SPD_RECENTERING_NONE;
    for (size_t i = 0; i < sizeof of_map / sizeof *of_map; i++)
        u->trained_as.value[of_map[i]] = NAN;
}

static spd_classifier *trained_on(session *s, const updating *u, const spd_samples *train)
{
    spd_classifier *c = NULL;
    spd_status status = spd_classifier_fit(s->ctx, &u->trained_as, train, NULL, &c);
    session_check_in(s, u->more.data->source, status);
    keep_classifier(c);
    return c;
}

static void train(session *s, updating *u)
{
    if (u->relearn) {
        u->classifier = trained_on(s, u, &u->all);
    } else {
        spd_status status =
            spd_classifier_retrain(s->ctx, u->method.classifier, &u->all, &u->classifier);
        session_check_in(s, u->more.data->source, status);
        keep_classifier(u->classifier);
    }
    session_talk(s, "trained on %zu samples", u->all.p);
}

/* ---- judgement ------------------------------------------------------------------------------- */

/* Those samples whose flag is `wanted`; p = 0 where there are none. */
static spd_samples part(session *s, const spd_samples *all, const char *flag, int wanted)
{
    spd_samples *subset = NULL, none = *all;
    size_t *index = cli_alloc(all->p, sizeof *index, "samples"), count = 0;
    for (size_t i = 0; i < all->p; i++)
        if (flag[i] == wanted)
            index[count++] = i;
    none.p = 0;
    if (count == 0)
        return none;
    session_check(s, spd_samples_subset(s->ctx, all, count, index, &subset));
    keep_samples(subset);
    return *subset;
}

/* Share of the samples that a classifier gets right. */
static double accuracy(session *s, const spd_classifier *c, const spd_samples *test)
{
    spd_samples queries = *test;
    int *label = cli_alloc(test->p, sizeof *label, "predictions");
    size_t right = 0;
    queries.label = NULL;
    session_check(s, spd_classifier_predict(s->ctx, c, &queries, label));
    for (size_t i = 0; i < test->p; i++)
        right += label[i] == test->label[i];
    return (double)right / (double)test->p;
}

/* 1 for training; all of them where no class has two samples. */
static char *split(session *s, const spd_samples *all)
{
    char *flag = cli_alloc(all->p, 1, "flags");
    if (spd_split(s->ctx, all->p, all->label, TRAINING_SHARE, 0,
                  (uint64_t)arguments_int(s->args, "seed"), 0, flag) < 0)
        memset(flag, 1, all->p);
    return flag;
}

static void judge(session *s, updating *u)
{
    char *old_flag = split(s, &u->was), *new_flag = split(s, &u->is_new);
    spd_samples old_train = part(s, &u->was, old_flag, 1), old_test = part(s, &u->was, old_flag, 0);
    spd_samples new_train = part(s, &u->is_new, new_flag, 1);
    spd_samples new_test = part(s, &u->is_new, new_flag, 0);
    if (old_test.p == 0 && new_test.p == 0)
        return;
    spd_samples both = joined(&old_train, &new_train);
    const spd_classifier *before = trained_on(s, u, &old_train), *after = trained_on(s, u, &both);
    u->on_old.tested = old_test.p;
    u->on_new.tested = new_test.p;
    if (old_test.p)
        u->on_old =
            (judgement){old_test.p, accuracy(s, before, &old_test), accuracy(s, after, &old_test)};
    if (new_test.p)
        u->on_new =
            (judgement){new_test.p, accuracy(s, before, &new_test), accuracy(s, after, &new_test)};
    session_talk(s, "judged on %zu samples", old_test.p + new_test.p);
}

/* G (m x m) <- M'M for M (rows x m). */
static void gram(size_t rows, size_t m, const double *M, double *G)
{
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < rows; i++)
                sum += M[i * m + a] * M[i * m + b];
            G[a * m + b] = sum;
        }
}

/* angle (m, ascending, degrees) <- the principal angles between the columns of A and B (n x m,
 * orthonormal). C = A'B has the cosines as singular values, R = B - A C the sines: cosines tell
 * large angles, sines small ones.
 *
 *   eigenvalues of C'C, falling:  cos^2        of R'R, rising:  sin^2 */
static spd_status principal_angles(spd_context *ctx, size_t n, size_t m, const double *A,
                                   const double *B, double *angle)
{
    double *C = cli_alloc_table(m, m, sizeof *C, "angles");
    double *R = cli_alloc_table(n, m, sizeof *R, "angles");
    double *G = cli_alloc_table(m, m, sizeof *G, "angles");
    double *cos2 = cli_alloc(m, sizeof *cos2, "angles"),
           *sin2 = cli_alloc(m, sizeof *sin2, "angles");
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) {
            C[a * m + b] = 0.0;
            for (size_t i = 0; i < n; i++)
                C[a * m + b] += A[i * m + a] * B[i * m + b];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < m; b++) {
            R[i * m + b] = B[i * m + b];
            for (size_t a = 0; a < m; a++)
                R[i * m + b] -= A[i * m + a] * C[a * m + b];
        }
    gram(m, m, C, G);
    spd_status status = spd_eigh(ctx, SPD_SET(m, 1, G), cos2, NULL);
    gram(n, m, R, G);
    if (status == SPD_OK)
        status = spd_eigh(ctx, SPD_SET(m, 1, G), sin2, NULL);
    for (size_t k = 0; k < m && status == SPD_OK; k++)
        angle[k] = atan2(sqrt(fmax(sin2[k], 0.0)), sqrt(fmax(cos2[m - 1 - k], 0.0))) * DEGREES;
    return status;
}

/* How far the map has moved. */
static void measure(session *s, updating *u)
{
    const spd_model *a = spd_classifier_model(u->method.classifier);
    const spd_model *b = spd_classifier_model(u->classifier);
    if (!u->relearn || !a || !b || a->n != b->n || a->m != b->m)
        return;
    u->angles = a->m;
    u->angle = cli_alloc(a->m, sizeof *u->angle, "angles");
    session_check(s, principal_angles(s->ctx, a->n, a->m, a->W, b->W, u->angle));
    u->angles = shown_map_m(a); /* of complex maps each is there twice */
    for (size_t i = 0; i < u->angles; i++)
        u->angle[i] = u->angle[i * (a->m / u->angles)];
}

/* ---- results --------------------------------------------------------------------------------- */

static void keep(session *s, updating *u)
{
    spd_metadata notes = *spd_classifier_metadata(u->method.classifier);
    notes.classes = u->classes;
    notes.class_name = u->class_name;
    notes.settings = 0; /* of the old samples */
    notes.accuracy = notes.accuracy_no_map = NAN;
    if (u->relearn) {
        notes.groups = u->group_name.count;
        notes.group_name = (const char *const *)u->group_name.word;
    }
    if (u->added && u->more.data->y->type == SPD_TYPE_TEXT)
        notes.label_type = SPD_TYPE_TEXT;
    session_check(s, spd_classifier_set_metadata(s->ctx, u->classifier, &notes));
    session_check(s, spd_classifier_save(s->ctx, u->classifier, session_output(s)));
    session_talk(s, "wrote %s", session_output(s));
}

static void show_map(sheet *r, const updating *u)
{
    double sum = 0.0;
    for (size_t i = 0; i < u->angles; i++)
        sum += u->angle[i];
    sheet_json(r, "principal_angles",
               u->angle ? sheet_json_reals(u->angles, u->angle) : json_null());
    if (u->angle)
        sheet_line(r, "map", "moved by %.3g degrees at most, %.3g on average (principal angles)",
                   u->angle[u->angles - 1], sum / (double)u->angles);
    else if (u->method.facts.m == u->method.facts.n)
        sheet_line(r, "map", "none");
    else if (u->relearn)
        sheet_line(r, "map", "made anew");
    else
        sheet_line(r, "map", "stays: the file holds samples after the map; --data would move it");
}

static void show_judgement(sheet *r, const char *key, const char *label, const judgement *j)
{
    json_t *object = sheet_json_object();
    sheet_json_set(object, "tested", sheet_json_whole((json_int_t)j->tested));
    sheet_json_set(object, "before", j->tested ? sheet_json_real(j->before) : json_null());
    sheet_json_set(object, "after", j->tested ? sheet_json_real(j->after) : json_null());
    sheet_json(r, key, object);
    if (j->tested)
        sheet_line(r, label, "%.2f %% before, %.2f %% after, on %zu left out", 100.0 * j->before,
                   100.0 * j->after, j->tested);
    else
        sheet_line(r, label, "not measured: too few samples to leave any out");
}

static void show(session *s, const updating *u)
{
    sheet *r = session_sheet(s);
    const char **added = u->class_name + u->classes - u->added;
    sheet_text(r, "file", "trained method", u->method.classes.source);
    sheet_count(r, "old_samples", "old samples", u->was.p, "");
    sheet_count(r, "new_samples", "new samples", u->is_new.p, "");
    for (size_t k = 0; k < u->added; k++)
        sheet_line(r, k ? "" : "new classes", "%s", added[k]);
    sheet_json(r, "new_classes", sheet_json_texts(u->added, added));
    show_map(r, u);
    show_judgement(r, "on_old", "on old samples", &u->on_old);
    show_judgement(r, "on_new", "on new samples", &u->on_new);
    sheet_text(r, "output", "output", session_output(s));
}

static int run(session *s)
{
    updating u = {0};
    session_check_output(s);
    load(s, &u);
    gather(s, &u);
    prepare(&u);
    judge(s, &u);
    train(s, &u);
    measure(s, &u);
    bar_clear(&s->bar);
    keep(s, &u);
    show(s, &u);
    return CLI_GOOD;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const option options[] = {
    {"data", 0, OPTION_FILE, "FILE", .common = 1,
     .help = "The data set that METHOD was trained with: its map is learned further, with old and "
             "new samples. Without it the map stays as it is, and METHOD must hold its samples"},
    OPTION_ENGINE,
    {OPTION_OUTPUT(OPTION_MODEL_ENDINGS, "The file of the new trained method"), .required = 1},
    OPTION_END};

static const char *const paragraphs[] = {
    "Trains a method that 'spdml train' has kept with the labelled samples of MORE as well; "
    "classes that are new become classes of the method. Parameters stay as they are.",
    "With --data, the old data set, a learned map is trained further, and the principal angles say "
    "how far it has moved. Without --data, the samples in the file are used; they are already "
    "mapped, so the map stays as it is. mdm, ts-lda, pga and ksvm-stein keep none or only some of "
    "their samples and need --data.",
    "Accuracies before and after are measured on a fifth of the old and new samples, with two "
    "methods trained for this purpose on the rest, one without and one with the new samples. The "
    "method in the file is then trained with all samples.",
    NULL};

static const command_example examples[] = {
    {"spdml update method.spdml more.npz --data old.npz -o new.spdml", "Map and classifier."},
    {"spdml update method.spdml more.npz -o method.spdml",
     "The classifier, behind the same map; the file is replaced."},
    {NULL, NULL}};

COMMAND(update, "train a trained method with further samples", "METHOD MORE",
        .groups = COMMAND_DATA_GROUPS(options));
