/* files.c - what --output DIR holds after an evaluation.
 *
 *   predictions.npz  for every test of every round: round, index, y, and predicted-METHOD
 *   confusion.npz    classes, and for each METHOD a table of counts over all rounds, rows the truth
 *   results.csv      a line per method
 *   rounds.csv       a line per method and round
 *   results.json     what --json prints */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/cli_memory.h"
#include "cli/evaluate/tables.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

#define PATH_ROOM 4096

static int refuse(const char *path, const char *cause)
{
    cli_error("%s: cannot be written: %s", path, cause);
    return CLI_FAILED;
}

static int refuse_file(const char *path)
{
    cli_error("%s is a file; -o names a folder", path);
    return CLI_FAILED;
}

int evaluation_check_folder(session *s, int *made)
{
    const char *folder = arguments_text(s->args, "output");
    struct stat info;
    if (!folder)
        return CLI_GOOD;
    if (strlen(folder) + 40 > PATH_ROOM)
        return refuse(folder, strerror(ENAMETOOLONG));
    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST) {
        int why = errno, code = session_check_path(folder); /* mostly what it lies in is to blame */
        return code ? code : refuse(folder, strerror(why));
    }
    int bad = stat(folder, &info) != 0;
    if (bad ? errno == ENOTDIR : !S_ISDIR(info.st_mode))
        return refuse_file(folder);
    if (bad)
        return refuse(folder, strerror(errno));
    return access(folder, W_OK | X_OK) == 0 ? CLI_GOOD : refuse(folder, strerror(errno));
}

void evaluation_drop_folder(session *s)
{
    (void)rmdir(arguments_text(s->args, "output")); /* fails, as it should, when files are in it */
}

static void path_in(session *s, const char *name, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%s/%s", arguments_text(s->args, "output"), name);
}

/* ---- arrays -----------------------------------------------------------------------------------
 */

static int write_arrays(session *s, const char *name, size_t count, const spd_array *arrays)
{
    char path[PATH_ROOM];
    const spd_array **list = cli_alloc(count, sizeof *list, "arrays");
    for (size_t i = 0; i < count; i++)
        list[i] = &arrays[i];
    path_in(s, name, path);
    spd_status status = spd_arrays_write(s->ctx, path, count, list);
    cli_free(list);
    return status < 0 ? session_fail(s, status) : CLI_GOOD;
}

static spd_array counts(const char *name, size_t count)
{
    spd_array a = session_array_i64(name, count, 1, NULL);
    a.ndim = 1;
    a.i64 = cli_alloc(count, sizeof *a.i64, "numbers");
    return a;
}

static size_t tests_of(const evaluation *e)
{
    size_t total = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        total += e->found->round[r]->test_count;
    return total;
}

/* labels (tests) <- what a method predicted, round after round. */
static void chain_labels(const evaluation *e, size_t method, int *labels)
{
    for (size_t r = 0, at = 0; r < e->found->rounds; r++) {
        size_t count = e->found->round[r]->test_count;
        memcpy(labels + at, e->found->method[method]->outcome[r]->predicted,
               count * sizeof *labels);
        at += count;
    }
}

static int write_predictions(session *s, const evaluation *e)
{
    size_t total = tests_of(e), arrays = 3 + e->methods, at = 0;
    spd_array *a = cli_alloc(arrays, sizeof *a, "arrays");
    char(*name)[SPD_METHOD_NAME + 16] = cli_alloc(e->methods, sizeof *name, "names");
    int *labels = cli_alloc(total, sizeof *labels, "labels");
    a[0] = counts("round", total);
    a[1] = counts("index", total);
    for (size_t r = 0; r < e->found->rounds; r++)
        for (size_t i = 0; i < e->found->round[r]->test_count; i++, at++) {
            size_t sample = e->found->round[r]->test[i];
            a[0].i64[at] = (int64_t)r;
            a[1].i64[at] = (int64_t)sample;
            labels[at] = e->set.samples.label[sample];
        }
    a[2] = recognition_labels(e->set.data, "y", total, labels);
    for (size_t m = 0; m < e->methods; m++) {
        snprintf(name[m], sizeof name[m], "predicted-%s", e->found->method[m]->name);
        chain_labels(e, m, labels);
        a[3 + m] = recognition_labels(e->set.data, name[m], total, labels);
    }
    int code = write_arrays(s, "predictions.npz", arrays, a);
    for (size_t i = 0; i < arrays; i++)
        recognition_labels_free(&a[i]);
    cli_free(a);
    cli_free(name);
    cli_free(labels);
    return code;
}

static int write_confusion(session *s, const evaluation *e)
{
    size_t classes = e->set.samples.classes, arrays = 1 + e->methods;
    spd_array *a = cli_alloc(arrays, sizeof *a, "arrays");
    int *each = cli_alloc(classes, sizeof *each, "classes");
    for (size_t c = 0; c < classes; c++)
        each[c] = (int)c;
    a[0] = recognition_labels(e->set.data, "classes", classes, each);
    for (size_t m = 0; m < e->methods; m++)
        a[1 + m] = session_array_i64(e->found->method[m]->name, classes, classes,
                                     e->found->method[m]->confusion);
    int code = write_arrays(s, "confusion.npz", arrays, a);
    recognition_labels_free(&a[0]);
    cli_free(a);
    cli_free(each);
    return code;
}

/* ---- texts ------------------------------------------------------------------------------------
 */

static void csv_line(FILE *f, const evaluation *e, size_t method, size_t round)
{
    char text[ROUND_NAME];
    const spd_outcome *o = e->found->method[method]->outcome[round];
    const spd_round *r = e->found->round[round];
    fprintf(f, "%s,", e->found->method[method]->name);
    text_file_csv(f, protocol_round(&e->protocol, e->found, round, text));
    fprintf(f, ",%zu,%zu,%zu,%.17g,%.17g,", r->train_count, r->test_count, o->correct, o->accuracy,
            o->balanced);
    if (!isnan(o->cv_accuracy))
        fprintf(f, "%.17g", o->cv_accuracy);
    fprintf(f, ",%d,%zu,%.6g,%.6g,%.6g", o->folds, o->settings, o->tune_seconds, o->fit_seconds,
            o->test_seconds);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        if (spd_method_uses(&e->method[method], (spd_parameter)i) && !isnan(o->value[i]))
            fprintf(f, ",%.17g", o->value[i]);
        else
            fputc(',', f);
    fputc('\n', f);
}

static void print_csv(FILE *f, const void *what)
{
    const evaluation *e = what;
    fputs("method,round,train,test,correct,accuracy,balanced_accuracy,cv_accuracy,folds,settings,"
          "tune_seconds,fit_seconds,test_seconds",
          f);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        fprintf(f, ",%s", spd_parameter_name((spd_parameter)i));
    fputc('\n', f);
    for (size_t m = 0; m < e->methods; m++)
        for (size_t r = 0; r < e->found->rounds; r++)
            csv_line(f, e, m, r);
}

static void print_results(FILE *f, const void *what)
{
    const evaluation *e = what;
    fputs("method,rounds,accuracy_mean,accuracy_std,balanced_accuracy_mean,balanced_accuracy_std,"
          "mcnemar_p,tune_seconds,fit_seconds,test_seconds\n",
          f);
    for (size_t m = 0; m < e->methods; m++) {
        const spd_method_result *found = e->found->method[m];
        fprintf(f, "%s,%zu,%.17g,%.17g,%.17g,%.17g,", found->name, e->found->rounds,
                found->accuracy, found->accuracy_deviation, found->balanced,
                found->balanced_deviation);
        if (m > 0)
            fprintf(f, "%.17g", found->p_value[0]);
        fprintf(f, ",%.6g,%.6g,%.6g\n", found->tune_seconds, found->fit_seconds,
                found->test_seconds);
    }
}

static void print_json(FILE *f, const void *what)
{
    json_dumpf(what, f, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    fputc('\n', f);
}

static int write_text(session *s, const char *name, text_file_fn print, const void *what)
{
    char path[PATH_ROOM];
    path_in(s, name, path);
    return text_file_write(path, print, what);
}

/* What an earlier evaluation has left in the folder and this one may not replace. */
static void drop_figures(session *s)
{
    static const char *const names[] = {"report.html",   "convergence.csv", "spectrum.csv",
                                        "embedding.csv", "samples.svg",     "margins.csv"};
    char path[PATH_ROOM];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in(s, names[i], path);
        (void)unlink(path); /* mostly there is none */
    }
}

int evaluation_write(session *s, const evaluation *e, const json_t *object)
{
    if (!arguments_text(s->args, "output"))
        return CLI_GOOD;
    if (signals_interrupted())
        return session_fail(s, SPD_ECANCELLED);
    drop_figures(s);
    int code = write_predictions(s, e);
    if (!code)
        code = write_confusion(s, e);
    if (!code)
        code = write_text(s, "results.csv", print_results, e);
    if (!code)
        code = write_text(s, "rounds.csv", print_csv, e);
    if (!code)
        code = write_text(s, "results.json", print_json, object);
    if (!code)
        session_talk(s, "wrote %s", arguments_text(s->args, "output"));
    return code;
}
