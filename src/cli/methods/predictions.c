/* predictions.c - predicted classes: made, compared, written, shown. */
#include "cli/methods/predictions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/methods/groups.h"
#include "cli/frame/screen.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"
#include "cli/frame/words.h"

#define CLASSES_SHOWN 20
#define SAMPLES_SHOWN 20
#define NAME_SHOWN    40
#define CLASSES_NAMED 3 /* in a remark */

const option options_predictions[] = {
    {"scores", .common = 1,
     .help = "Also give a score for each class: distance, residual, votes or margin, by method; as "
             "columns of .csv, as the array scores, or in the JSON"},
    {OPTION_OUTPUT(".npz|.mat|.csv",
                   "Write predicted (in the type of the training labels), and y and name if known, "
                   "to FILE; .csv has a header and a line per sample: index, name, predicted, y; - "
                   "is standard output, as .csv"),
     .to_stdout = 1},
    OPTION_END};

/* ---- made ------------------------------------------------------------------------------------ */

void predictions_remark(session *s, spd_status status)
{
    if (status > 0)
        session_remark(s, "%s", advice_last(s->ctx).text);
}

/* "a, b, c, ..." */
static const char *some_classes(const spd_data *data)
{
    words list = {0};
    for (size_t k = 0; k < data->classes && k < CLASSES_NAMED; k++)
        words_add(&list, data->class_name[k]);
    if (data->classes > CLASSES_NAMED)
        words_add(&list, "...");
    return words_join(&list, list.count, ", ");
}

/* Can the labels be compared with the classes at all? Says why not. */
static int can_compare(session *s, predictions *p)
{
    const spd_data *train = p->train, *test = p->test;
    if (!test->label) {
        if (!p->unscored)
            session_remark(s, "%s: has no labels; the predictions are not scored", test->source);
        return 0;
    }
    if (p->unnamed) {
        session_remark(s,
                       "%s: was saved without the names of its classes, so the labels of %s cannot "
                       "be compared with them; the predictions are numbers and are not scored",
                       train->source, test->source);
        return 0;
    }
    p->truth = recognition_match(train, test, &p->classes, &p->unseen);
    if (p->unseen < test->p)
        return 1;
    p->truth = NULL;
    session_remark(s,
                   "%s: none of its labels (%s) is a class of %s; the predictions are not scored",
                   test->source, some_classes(test), train->source);
    if (p->guessed) {
        p->bare = *test;
        p->bare.label = NULL;
        p->bare.y = NULL;
        p->test = &p->bare;
    }
    return 0;
}

static void compare(session *s, predictions *p)
{
    const spd_data *train = p->train, *test = p->test;
    if (!can_compare(s, p))
        return;
    if (p->unseen)
        session_remark(
            s,
            "%s: %zu of %zu samples have a label that does not occur in %s; they count as errors",
            test->source, p->unseen, test->p, train->source);
    session_check(s, spd_score_predictions(s->ctx, test->p, p->classes, p->truth, p->predicted,
                                           &p->judged, NULL));
}

/* What is decided about some of the queries. */
typedef struct decision {
    const spd_classifier *c;
    predictions *p;
    spd_samples queries;
    spd_status remark;
    scale scale; /* of queries */
} decision;

/* p->best <- the scores of those of d->queries, which begin with number `first`, that are shown. */
static spd_status take_best(session *s, const decision *d, size_t first)
{
    spd_samples few = d->queries;
    const size_t classes = d->p->train->classes;
    const size_t left = first < SAMPLES_SHOWN ? SAMPLES_SHOWN - first : 0;
    few.p = few.p < left ? few.p : left;
    if (few.p == 0)
        return SPD_OK;
    double *score = cli_alloc_table(few.p, classes, sizeof *score, "scores");
    int *label = cli_alloc(few.p, sizeof *label, "predictions");
    spd_status status = spd_classifier_scores(s->ctx, d->c, &few, label, score);
    for (size_t i = 0; i < few.p; i++)
        d->p->best[first + i] = score[i * classes + (size_t)d->p->predicted[first + i]];
    return status;
}

/* The classes, and scores, of d->queries, which begin with number `first`. */
static spd_status decide(session *s, decision *d, size_t first)
{
    int *predicted = d->p->predicted + first;
    scale_take(&d->scale, d->queries.n, d->queries.p, d->queries.X);
    double *score = d->p->score ? d->p->score + first * d->p->train->classes : NULL;
    spd_status status = score ? spd_classifier_scores(s->ctx, d->c, &d->queries, predicted, score)
                              : spd_classifier_predict(s->ctx, d->c, &d->queries, predicted);
    d->remark = status > 0 ? status : d->remark;
    return status < 0 || !d->p->best ? status : take_best(s, d, first);
}

static spd_status decide_block(session *s, void *user, size_t first, size_t count, const double *X)
{
    decision *d = user;
    d->queries.p = count;
    d->queries.X = X;
    return decide(s, d, first);
}

void predictions_make(session *s, const spd_classifier *c, const spd_samples *queries,
                      predictions *p)
{
    spd_samples unlabelled = *queries;
    size_t classes = p->train->classes;
    p->judged = (spd_score)SPD_STRUCT(spd_score);
    p->facts = (spd_classifier_facts)SPD_STRUCT(spd_classifier_facts);
    session_check(s, spd_classifier_info(s->ctx, c, &p->facts));
    unlabelled.label = NULL;
    p->predicted = cli_alloc(queries->p, sizeof *p->predicted, "predictions");
    if (arguments_flag(s->args, "scores"))
        p->score = cli_alloc_table(queries->p, classes, sizeof *p->score, "scores");
    if (p->listed && !p->score)
        p->best = cli_alloc(SAMPLES_SHOWN, sizeof *p->best, "scores");
    decision d = {c, p, unlabelled, SPD_OK, SCALE_OF_NONE};
    spd_status status = SPD_OK;
    if (p->large)
        sets_each(s, p->large, decide_block, &d);
    else
        status = decide(s, &d, 0);
    session_check_in(s, p->test->source, status);
    predictions_remark(s, d.remark);
    scale_remark(s, &d.scale, c, p->test->source);
    session_talk(s, "predicted %zu samples", queries->p);
    bar_clear(&s->bar);
    compare(s, p);
}

/* ---- written --------------------------------------------------------------------------------- */

static void write_arrays(session *s, const predictions *p)
{
    spd_array predicted = recognition_labels(p->train, "predicted", p->test->p, p->predicted);
    spd_array truth = {0}, scores = {0}, names = {0};
    const spd_array *list[5], *name = column_named(p->test, "name");
    size_t count = 0;
    list[count++] = &predicted;
    if (p->test->y) {
        truth = *p->test->y;
        truth.name = "y";
        list[count++] = &truth;
    }
    if (name)
        list[count++] = name;
    if (p->score) {
        scores = session_array_f64("scores", p->test->p, p->train->classes, p->score);
        names = recognition_labels(p->train, "classes", p->train->classes, NULL);
        list[count++] = &scores;
        list[count++] = &names;
    }
    session_write(s, count, list);
}

static const char *name_text(const spd_array *name, size_t i)
{
    return name->type == SPD_TYPE_TEXT    ? name->text[i]
           : name->type == SPD_TYPE_INT64 ? words_text("%" PRId64, name->i64[i])
                                          : words_text("%.17g", name->f64[i]);
}

/* The names of the sources; NULL where there are none, or several to a sample. */
static const spd_array *names_of(const predictions *p)
{
    const spd_array *name = column_named(p->test, "name");
    return name && name->count == p->test->p ? name : NULL;
}

static void print_head(FILE *f, const predictions *p)
{
    fprintf(f, "index,%spredicted%s", names_of(p) ? "name," : "", p->test->label ? ",y" : "");
    for (size_t k = 0; p->score && k < p->train->classes; k++) {
        const char *text = p->train->class_name[k];
        char *title = cli_alloc(strlen(text) + 10, 1, "a title");
        snprintf(title, strlen(text) + 10, "score %s", text);
        fputc(',', f);
        text_file_csv(f, title);
    }
    fputc('\n', f);
}

static void print_table(FILE *f, const void *what)
{
    const predictions *p = what;
    const spd_array *name = names_of(p);
    size_t classes = p->train->classes;
    print_head(f, p);
    for (size_t i = 0; i < p->test->p; i++) {
        fprintf(f, "%zu,", i);
        if (name) {
            text_file_csv(f, name_text(name, i));
            fputc(',', f);
        }
        text_file_csv(f, p->train->class_name[p->predicted[i]]);
        if (p->test->label) {
            fputc(',', f);
            text_file_csv(f, p->test->class_name[p->test->label[i]]);
        }
        for (size_t k = 0; p->score && k < classes; k++)
            if (isnan(p->score[i * classes + k])) /* a class without samples */
                fputc(',', f);
            else
                fprintf(f, ",%.17g", p->score[i * classes + k]);
        fputc('\n', f);
    }
}

static void write_table(session *s, const predictions *p)
{
    const char *path = session_output(s);
    if (signals_interrupted())
        session_fail(s, SPD_ECANCELLED);
    text_file_write(path, print_table, p);
    session_talk(s, "wrote %s", path);
}

void predictions_write(session *s, const predictions *p)
{
    if (session_to_stdout(s))
        print_table(stdout, p);
    else if (session_output(s) && session_output_is(s, ".csv"))
        write_table(s, p);
    else if (session_output(s))
        write_arrays(s, p);
}

/* ---- shown ----------------------------------------------------------------------------------- */

/* How many of the test samples went to each class. */
static void show_counts(sheet *r, const predictions *p)
{
    const spd_data *train = p->train;
    size_t *count = cli_alloc(train->classes, sizeof *count, "class counts"), shown = 0, more = 0;
    json_t *object = sheet_json_object();
    for (size_t i = 0; i < p->test->p; i++)
        count[p->predicted[i]]++;
    for (size_t k = 0; k < train->classes; k++) {
        json_t *name = sheet_json_text(train->class_name[k]); /* UTF-8, as a key must be */
        sheet_json_set(object, json_string_value(name), json_integer((json_int_t)count[k]));
        json_decref(name);
        if (p->truth || !count[k])
            continue;
        if (shown < CLASSES_SHOWN)
            sheet_line(r, shown++ ? "" : "predicted", "%zu as %s", count[k], train->class_name[k]);
        else
            more++;
    }
    if (more)
        sheet_line(r, "", "and %zu further classes (-o FILE writes all predictions)", more);
    sheet_json(r, "predicted", object);
}

/* The score of the class that a sample was given; NaN if there is none. */
static double score_of(const predictions *p, size_t i)
{
    if (p->score)
        return p->score[i * p->train->classes + (size_t)p->predicted[i]];
    return p->best ? p->best[i] : (double)NAN;
}

enum { COLUMN_SAMPLE, COLUMN_NAME, COLUMN_PREDICTED, COLUMN_SCORE, COLUMN_LABEL, COLUMNS };

/* The name of sample i, of a long one its end. */
static const char *short_name(const predictions *p, size_t i)
{
    const char *text = name_text(names_of(p), i);
    const size_t length = strlen(text);
    if (length <= NAME_SHOWN)
        return text;
    text += length - NAME_SHOWN + 3;
    while (((unsigned char)*text & 0xc0) == 0x80) /* within a character */
        text++;
    return words_text("...%s", text);
}

/* What a column of the list shows of sample i; NULL if there is no such column. */
static const char *cell_text(const predictions *p, int column, size_t i)
{
    switch (column) {
    case COLUMN_NAME:
        return names_of(p) ? short_name(p, i) : NULL;
    case COLUMN_PREDICTED:
        return p->train->class_name[p->predicted[i]];
    case COLUMN_SCORE:
        return words_text("%.4g", score_of(p, i));
    case COLUMN_LABEL:
        return p->test->label ? p->test->class_name[p->test->label[i]] : NULL;
    default:
        return words_text("%zu", i);
    }
}

void predictions_list(sheet *r, const predictions *p)
{
    static const char *const title[] = {"sample", "name", "predicted", "score", "label"};
    if (r->object || !p->listed)
        return;
    const size_t count = p->test->p < SAMPLES_SHOWN ? p->test->p : SAMPLES_SHOWN;
    char *line[SAMPLES_SHOWN + 1];
    for (size_t i = 0; i <= count; i++)
        line[i] = words_text("%s", "");
    for (int c = 0; c < COLUMNS; c++) {
        size_t width = 0;
        if (count == 0 || !cell_text(p, c, 0))
            continue;
        for (size_t i = 0; i <= count && c > 0; i++)
            width = words_width(line[i]) + 2 > width ? words_width(line[i]) + 2 : width;
        for (size_t i = 0; i <= count; i++)
            line[i] = words_text("%s%*s%s", line[i], (int)(width - words_width(line[i])), "",
                                 i ? cell_text(p, c, i - 1) : title[c]);
    }
    for (size_t i = 0; i <= count; i++)
        screen_print(i ? "%s\n" : "\n%s\n", line[i]);
    printf("score: %s; the %s is the best\n", p->facts.score,
           p->facts.score_falls ? "smallest" : "largest");
    if (p->test->p > count)
        printf("(the first %zu of %zu; -o FILE writes all, -o - prints them)\n", count, p->test->p);
}

/* All samples, for JSON. */
static json_t *samples_json(const predictions *p)
{
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < p->test->p; i++) {
        json_t *sample = sheet_json_object();
        if (names_of(p))
            sheet_json_set(sample, "name", sheet_json_text(name_text(names_of(p), i)));
        sheet_json_set(sample, "predicted", sheet_json_text(p->train->class_name[p->predicted[i]]));
        if (p->test->label)
            sheet_json_set(sample, "y", sheet_json_text(p->test->class_name[p->test->label[i]]));
        if (p->score)
            sheet_json_set(sample, "score", sheet_json_real(score_of(p, i)));
        sheet_json_append(list, sample);
    }
    return list;
}

static void show_score(sheet *r, const predictions *p)
{
    size_t total = p->test->p;
    const spd_score *score = &p->judged;
    sheet_json(r, "accuracy", p->truth ? sheet_json_real(score->accuracy) : json_null());
    sheet_json(r, "correct", p->truth ? json_integer((json_int_t)score->correct) : json_null());
    sheet_json(r, "total", json_integer((json_int_t)total));
    sheet_json(r, "balanced_accuracy", p->truth ? sheet_json_real(score->balanced) : json_null());
    sheet_json(r, "unseen_labels", json_integer((json_int_t)p->unseen));
    if (!p->truth)
        return;
    sheet_line(r, "accuracy", "%.2f %% (%zu of %zu)", 100 * score->accuracy, score->correct, total);
    sheet_line(r, "balanced accuracy", "%.2f %%", 100 * score->balanced);
}

/* The scores of all samples: in JSON, where they are wanted. */
static void show_all_scores(sheet *r, const predictions *p)
{
    size_t classes = p->train->classes;
    if (!p->score)
        return;
    if (!p->listed)
        sheet_line(r, "scores", "%s; the %s is the best", p->facts.score,
                   p->facts.score_falls ? "smallest" : "largest");
    json_t *labels = sheet_json_list();
    for (size_t i = 0; i < p->test->p; i++)
        sheet_json_append(labels, sheet_json_text(p->train->class_name[p->predicted[i]]));
    json_t *object = sheet_json_object();
    sheet_json_set(object, "what", sheet_json_text(p->facts.score));
    sheet_json_set(object, "best", sheet_json_text(p->facts.score_falls ? "smallest" : "largest"));
    sheet_json_set(object, "classes", sheet_json_texts(classes, p->train->class_name));
    sheet_json_set(object, "labels", labels);
    sheet_json_set(object, "values", sheet_json_matrix(p->test->p, classes, p->score));
    sheet_json(r, "scores", object);
}

void predictions_show(sheet *r, const predictions *p)
{
    show_score(r, p);
    show_counts(r, p);
    show_all_scores(r, p);
    if (r->object)
        sheet_json(r, "samples", samples_json(p));
}
