/* numbers.c - numbers in place of classes: taken from columns, predicted, written and shown. */
#include "cli/methods/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/screen.h"
#include "cli/frame/text_file.h"
#include "cli/frame/words.h"
#include "cli/methods/groups.h"
#include "cli/methods/predictions.h"

#define SAMPLES_SHOWN 20

typedef struct numbers {
    const spd_data *data;
    const char *column; /* what is predicted */
    double *predicted;
    double *truth; /* or NULL */
    double r2, error;
} numbers;

/* ---- columns --------------------------------------------------------------------------------- */

/* The array of a column of one number per matrix, or NULL. */
static const spd_array *number_column(const spd_data *data, const char *column)
{
    const spd_array *a = column_named(data, column), *y = data->y;
    if (!a && y && (strcmp(column, "y") == 0 || (y->name && strcmp(column, y->name) == 0)))
        a = y;
    return a && a->count == data->p && a->type != SPD_TYPE_TEXT ? a : NULL;
}

static void __attribute__((noreturn)) no_numbers(const spd_data *data, const char *column)
{
    words names = {0};
    for (size_t i = 0; i < data->columns; i++)
        if (data->column[i]->name && number_column(data, data->column[i]->name))
            words_add(&names, data->column[i]->name);
    if (number_column(data, "y"))
        words_add(&names, "y");
    cli_fail("%s: --target: no column '%s' with one number per matrix; there %s %.399s",
             data->source, column, names.count == 1 ? "is" : "are",
             names.count ? words_join(&names, names.count, ", ") : "none");
}

double *numbers_take(const spd_data *data, const char *column)
{
    const spd_array *a = number_column(data, column);
    if (!a)
        no_numbers(data, column);
    double *value = cli_alloc(data->p, sizeof *value, "numbers");
    for (size_t i = 0; i < data->p; i++) {
        value[i] = a->type == SPD_TYPE_INT64 ? (double)a->i64[i] : a->f64[i];
        if (!isfinite(value[i]))
            cli_fail("%s: --target: %s of matrix %zu is missing (%g); give it a value or leave the "
                     "matrix out",
                     data->source, column, i, value[i]);
    }
    return value;
}

spd_metadata numbers_notes(const spd_data *data, const char *const *column)
{
    spd_metadata notes = SPD_STRUCT(spd_metadata);
    notes.classes = 1;
    notes.class_name = column;
    notes.label_type = SPD_TYPE_FLOAT64;
    notes.made = data->meta;
    return notes;
}

/* ---- predicted ------------------------------------------------------------------------------- */

static void compare(numbers *n)
{
    size_t p = n->data->p;
    double mean = 0.0, error = 0.0, all = 0.0;
    for (size_t i = 0; i < p; i++)
        mean += n->truth[i] / (double)p;
    for (size_t i = 0; i < p; i++) {
        error += (n->truth[i] - n->predicted[i]) * (n->truth[i] - n->predicted[i]);
        all += (n->truth[i] - mean) * (n->truth[i] - mean);
    }
    n->error = sqrt(error / (double)p);
    n->r2 = all > 0.0 ? 1.0 - error / all : (double)NAN;
}

static void print_table(FILE *f, const void *what)
{
    const numbers *n = what;
    const spd_array *name = column_named(n->data, "name");
    int named = name && name->count == n->data->p && name->type == SPD_TYPE_TEXT;
    fprintf(f, "index,%spredicted", named ? "name," : "");
    if (n->truth) {
        fputc(',', f);
        text_file_csv(f, n->column);
    }
    fputc('\n', f);
    for (size_t i = 0; i < n->data->p; i++) {
        fprintf(f, "%zu,", i);
        if (named) {
            text_file_csv(f, name->text[i]);
            fputc(',', f);
        }
        fprintf(f, "%.17g", n->predicted[i]);
        if (n->truth)
            fprintf(f, ",%.17g", n->truth[i]);
        fputc('\n', f);
    }
}

static void write_arrays(session *s, const numbers *n)
{
    spd_array predicted = session_array_f64("predicted", n->data->p, 1, n->predicted);
    spd_array truth = session_array_f64("y", n->data->p, 1, n->truth);
    predicted.ndim = truth.ndim = 1;
    const spd_array *list[] = {&predicted, n->truth ? &truth : NULL, NULL};
    const spd_array *name = column_named(n->data, "name");
    size_t count = n->truth ? 2 : 1;
    if (name)
        list[count++] = name;
    session_write(s, count, list);
}

static void show(session *s, const trained_method *t, const numbers *n)
{
    sheet *r = session_sheet(s);
    size_t p = n->data->p, shown = p < SAMPLES_SHOWN ? p : SAMPLES_SHOWN;
    sheet_text(r, "file", "trained method", t->classes.source);
    show_method(r, spd_classifier_method(t->classifier));
    sheet_text(r, "target", "predicts", n->column);
    sheet_line(r, "input", "%s: %s", n->data->source, words_count(p, "sample", "samples"));
    sheet_count(r, "total", NULL, p, "");
    sheet_json(r, "r2", sheet_json_real(n->r2));
    sheet_json(r, "error", sheet_json_real(n->error));
    if (n->truth)
        sheet_line(r, "compared", "R2 %.3f, error %.4g (root of the mean square)", n->r2, n->error);
    sheet_json(r, "predicted", sheet_json_reals(p, n->predicted));
    sheet_text(r, "output", "output", session_output(s));
    if (r->object || session_output(s))
        return;
    screen_print("\nsample  predicted%s\n", n->truth ? "  true" : "");
    for (size_t i = 0; i < shown; i++)
        screen_print(n->truth ? "%-6zu  %-9.5g  %.5g\n" : "%-6zu  %.5g\n", i, n->predicted[i],
                     n->truth ? n->truth[i] : 0.0);
    if (p > shown)
        printf("(the first %zu of %zu; -o FILE writes all, -o - prints them)\n", shown, p);
}

void numbers_predict(session *s, const trained_method *t, const spd_data *data,
                     const spd_samples *queries)
{
    const char *given = arguments_text(s->args, "target");
    spd_samples plain = *queries;
    numbers n = {.data = data,
                 .column = given ? given : t->classes.class_name[0],
                 .predicted = cli_alloc(data->p, sizeof *n.predicted, "predictions"),
                 .r2 = (double)NAN,
                 .error = (double)NAN};
    plain.label = NULL;
    spd_status status = spd_classifier_scores(s->ctx, t->classifier, &plain, NULL, n.predicted);
    session_check_in(s, data->source, status);
    predictions_remark(s, status);
    if (given || number_column(data, n.column)) {
        n.truth = numbers_take(data, n.column);
        compare(&n);
    }
    if (session_to_stdout(s))
        print_table(stdout, &n);
    else if (session_output(s) && session_output_is(s, ".csv"))
        text_file_write(session_output(s), print_table, &n);
    else if (session_output(s))
        write_arrays(s, &n);
    if (!session_to_stdout(s))
        show(s, t, &n);
}
