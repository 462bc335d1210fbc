/* files.c - what --output DIR holds after an evaluation.
 *
 *   predictions.npz  for every test of every round: round, index, y, and predicted-METHOD
 *   confusion.npz    classes, and for each METHOD a table of counts over all rounds, rows the truth
 *   results.csv      a line per method
 *   rounds.csv       a line per method and round
 *   results.json     what --json prints, but for what --final adds
 *   final.json       that */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/results/results.h"
#include "cli/frame/number.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"
#include "cli/frame/words.h"
#include "cli/drawing/html.h"

#define PATH_ROOM    4096
#define LARGEST_PAGE ((size_t)256 << 20)

static void __attribute__((noreturn)) refuse(const char *path, int why)
{
    cli_fail("%s: cannot be written: %s", path, strerror(why));
}

/* Fails, as it should, when files are in it. */
static void drop_folder(void *folder)
{
    (void)rmdir(folder);
}

/* The folder of an option, or NULL. */
static void make_folder(const char *folder, const char *asked)
{
    struct stat info;
    if (!folder)
        return;
    if (strlen(folder) + 40 > PATH_ROOM)
        refuse(folder, ENAMETOOLONG);
    int why = mkdir(folder, 0777) == 0 ? 0 : errno;
    if (!why)
        cli_keep(cli_text(folder, strlen(folder)), drop_folder);
    if (why && why != EEXIST) {
        session_check_path(folder); /* mostly what it lies in is to blame */
        refuse(folder, why);
    }
    int bad = stat(folder, &info) != 0;
    if (bad ? errno == ENOTDIR : !S_ISDIR(info.st_mode))
        cli_fail("%s is a file; %s names a folder", folder, asked);
    if (bad || access(folder, W_OK | X_OK) != 0)
        refuse(folder, errno);
}

/* Is it a name that an evaluation removes or replaces in its folder, besides its own tables: of files
 * that may be the user's where the folder is none of ours? */
static int is_figure(const char *name)
{
    static const char *const names[] = {
        "report.html", "convergence.csv", "spectrum.csv",     "embedding.csv",   "margins.csv",
        "tsne.csv",    "final.json",      "samples.*",        "tsne.*",          "cost.*",
        "gradient.*",  "spectrum.*",      "margins-before.*", "margins-after.*", "ellipses.*"};
    int drawing = option_has_ending(name, ".svg") || option_has_ending(name, ".pdf");
    size_t stem = strlen(name) - (drawing ? 3 : 0);
    if (drawing && strncmp(name, "confusion-", 10) == 0)
        return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (drawing ? strncmp(name, names[i], stem) == 0 && strcmp(names[i] + stem, "*") == 0
                    : strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* The names of such files in a folder. */
static words figures_in(const char *folder)
{
    words found = {0};
    DIR *listing = opendir(folder);
    for (struct dirent *at; listing && (at = readdir(listing));)
        if (is_figure(at->d_name))
            words_add(&found, at->d_name);
    if (listing)
        closedir(listing);
    return found;
}

/* Does a file of the folder hold that text? */
static int holds(const char *folder, const char *name, const char *text)
{
    size_t length;
    char *found = text_file_read(words_text("%s/%s", folder, name), LARGEST_PAGE, &length);
    int does = found && strstr(found, text);
    cli_free(found);
    return does;
}

/* Refuses a folder that has such a file, but not what an earlier run leaves there. */
static void check_ours(const char *folder)
{
    struct stat info;
    if (!folder || holds(folder, "report.html", HTML_WRITTEN_BY) ||
        holds(folder, "results.json", "\"protocol\"") ||
        holds(folder, "results.csv", "method,rounds,"))
        return;
    words names = figures_in(folder);
    words_split(&names, "results.json results.csv rounds.csv predictions.npz confusion.npz", " ");
    for (size_t i = 0; i < names.count; i++)
        if (lstat(words_text("%s/%s", folder, names.word[i]), &info) == 0 && S_ISREG(info.st_mode))
            cli_fail("%s: has a %s that is of no earlier run, and would be replaced; name another "
                     "folder, or move it away",
                     folder, names.word[i]);
}

void results_make_folder(session *s)
{
    make_folder(session_output(s), "-o");
    check_ours(session_output(s));
    if (!session_follows(s))
        make_folder(arguments_text(s->args, "keep"), "--keep");
}

static char *path_in(session *s, const char *name)
{
    return text_file_in(session_output(s), name);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void write_arrays(session *s, const char *name, size_t count, const spd_array *arrays)
{
    const spd_array **list = cli_alloc(count, sizeof *list, "arrays");
    for (size_t i = 0; i < count; i++)
        list[i] = &arrays[i];
    session_check(s, spd_arrays_write(s->ctx, path_in(s, name), count, list));
}

static spd_array counts(const char *name, size_t count)
{
    spd_array a = session_array_i64(name, count, 1, NULL);
    a.ndim = 1;
    a.i64 = cli_alloc(count, sizeof *a.i64, "numbers");
    return a;
}

/* labels (tests) <- what a method predicted, round after round. */
static void chain_labels(const results *e, size_t method, int *labels)
{
    for (size_t r = 0, at = 0; r < e->found->rounds; r++) {
        size_t count = e->found->round[r]->test_count;
        memcpy(labels + at, e->found->method[method]->outcome[r]->predicted,
               count * sizeof *labels);
        at += count;
    }
}

static void write_predictions(session *s, const results *e)
{
    size_t total = 0, arrays = 3 + e->methods, at = 0;
    for (size_t r = 0; r < e->found->rounds; r++)
        total += e->found->round[r]->test_count;
    spd_array *a = cli_alloc(arrays, sizeof *a, "arrays");
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
        chain_labels(e, m, labels);
        a[3 + m] = recognition_labels(
            e->set.data, words_text("predicted-%s", e->found->method[m]->name), total, labels);
    }
    write_arrays(s, "predictions.npz", arrays, a);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The member of an object after a comma; without the object its name. */
static void put_field(FILE *f, const char *key, const json_t *object)
{
    const json_t *value = json_object_get(object, key);
    char text[NUMBER_TEXT] = "";
    if (json_is_real(value))
        number_text(json_real_value(value), text);
    if (!object)
        fprintf(f, ",%s", key);
    else if (json_is_integer(value))
        fprintf(f, ",%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value) && strstr(key, "seconds"))
        fprintf(f, ",%.6g", json_real_value(value));
    else if (json_is_string(value))
        fprintf(f, ",%s", json_string_value(value)); /* a name: nothing to quote */
    else
        fprintf(f, ",%s", text);
}

static void put_seconds(FILE *f, const json_t *object)
{
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        put_field(f, results_seconds(k)->name, object);
}

/* The rest of a line, from an object of results.json; of the heading without. */
static void put_round(FILE *f, const json_t *round)
{
    static const char *const counts[] = {"train", "test", "correct"};
    static const char *const tuning[] = {"cv_accuracy", "folds", "settings"};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        put_field(f, counts[k], round);
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++)
        put_field(f, spd_result_field_at(k)->name, round);
    for (size_t k = 0; k < sizeof tuning / sizeof *tuning; k++)
        put_field(f, tuning[k], round);
    put_seconds(f, round);
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        put_field(f, spd_name(SPD_ENUM_PARAMETER, (spd_parameter)i),
                  json_object_get(round, "parameters"));
    fputc('\n', f);
}

static void put_method(FILE *f, const json_t *method)
{
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        put_field(f, words_text("%s_mean", spd_result_field_at(k)->name), method);
        put_field(f, words_text("%s_std", spd_result_field_at(k)->name), method);
    }
    put_field(f, "mcnemar_p", method);
    put_seconds(f, method);
    fputc('\n', f);
}

static const json_t *method_of(const results *e, size_t method)
{
    return json_array_get(json_object_get(e->object, "results"), method);
}

static void print_rounds(FILE *f, const void *what)
{
    const results *e = what;
    char text[ROUND_NAME];
    fputs("method,round", f);
    put_round(f, NULL);
    for (size_t m = 0; m < e->methods; m++)
        for (size_t r = 0; r < e->found->rounds; r++) {
            fprintf(f, "%s,", e->found->method[m]->name);
            text_file_csv(f, protocol_round(&e->protocol, e->found, r, text));
            put_round(f, json_array_get(json_object_get(method_of(e, m), "rounds"), r));
        }
}

static void print_results(FILE *f, const void *what)
{
    const results *e = what;
    fputs("method,rounds", f);
    put_method(f, NULL);
    for (size_t m = 0; m < e->methods; m++) {
        fprintf(f, "%s,%zu", e->found->method[m]->name, e->found->rounds);
        put_method(f, method_of(e, m));
    }
}

void results_write_final(session *s, const json_t *list)
{
    if (session_output(s))
        text_file_write(path_in(s, "final.json"), text_file_json, list);
}

void results_write(session *s, const results *e)
{
    if (!session_output(s))
        return;
    if (signals_interrupted())
        session_fail(s, SPD_ECANCELLED);
    /* What an earlier evaluation has left in the folder and this one may not replace. */
    words names = figures_in(session_output(s));
    for (size_t i = 0; i < names.count; i++)
        (void)unlink(path_in(s, names.word[i]));
    text_file_write(path_in(s, "results.csv"), print_results, e); /* first: check_ours knows it */
    write_predictions(s, e);
    size_t classes = e->set.samples.classes, arrays = 1 + e->methods;
    spd_array *a = cli_alloc(arrays, sizeof *a, "arrays");
    a[0] = recognition_labels(e->set.data, "classes", classes, NULL);
    for (size_t m = 0; m < e->methods; m++)
        a[1 + m] = session_array_i64(e->found->method[m]->name, classes, classes,
                                     e->found->method[m]->confusion);
    write_arrays(s, "confusion.npz", arrays, a);
    text_file_write(path_in(s, "rounds.csv"), print_rounds, e);
    text_file_write(path_in(s, "results.json"), text_file_json, e->object);
    session_talk(s, "wrote %s", session_output(s));
}
