/* classify_files.c - predictions as arrays, or as a table that other programs read.
 *
 *   .npz, .mat  predicted, y where it is known, name where the test set has it
 *   .csv        index,name,predicted,y: a header, then a line per test matrix */
#include "cli/commands/classify_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/evaluate/columns.h"
#include "cli/evaluate/recognition.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

/* What a .csv file is made of. */
typedef struct predictions {
    const spd_data *train, *test;
    const spd_array *name; /* or NULL */
    const int *predicted;
} predictions;

const char *classify_endings(size_t i)
{
    static const char *const endings[] = {".npz", ".mat", ".csv"};
    return i < sizeof endings / sizeof *endings ? endings[i] : NULL;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void write_arrays(session *s, const predictions *p)
{
    spd_array predicted = recognition_labels(p->train, "predicted", p->test->p, p->predicted);
    spd_array truth = {0};
    const spd_array *list[3];
    size_t count = 0;
    list[count++] = &predicted;
    if (p->test->y) {
        truth = *p->test->y;
        truth.name = (char *)(uintptr_t) "y";
        list[count++] = &truth;
    }
    if (p->name)
        list[count++] = p->name;
    session_write(s, count, list);
}

/* ---- a table --------------------------------------------------------------------------------- */

static void put_name(FILE *f, const spd_array *name, size_t i)
{
    if (name->type == SPD_TEXT)
        text_file_csv(f, name->text[i]);
    else if (name->type == SPD_INT64)
        fprintf(f, "%" PRId64, name->i64[i]);
    else
        fprintf(f, "%.17g", name->f64[i]);
}

static void print_table(FILE *f, const void *what)
{
    const predictions *p = what;
    fprintf(f, "index,%spredicted%s\n", p->name ? "name," : "", p->test->label ? ",y" : "");
    for (size_t i = 0; i < p->test->p; i++) {
        fprintf(f, "%zu,", i);
        if (p->name) {
            put_name(f, p->name, i);
            fputc(',', f);
        }
        text_file_csv(f, p->train->class_name[p->predicted[i]]);
        if (p->test->label) {
            fputc(',', f);
            text_file_csv(f, p->test->class_name[p->test->label[i]]);
        }
        fputc('\n', f);
    }
}

static void write_table(session *s, predictions *p)
{
    const char *path = session_output(s);
    if (signals_interrupted())
        session_fail(s, SPD_ECANCELLED);
    if (p->name && p->name->count != p->test->p)
        p->name = NULL; /* several to a matrix */
    text_file_write(path, print_table, p);
    session_talk(s, "wrote %s", path);
}

void classify_write(session *s, const spd_data *train, const spd_data *test, const int *predicted)
{
    predictions p = {train, test, column_named(test, "name"), predicted};
    if (session_output(s) && session_output_is(s, ".csv"))
        write_table(s, &p);
    else if (session_output(s))
        write_arrays(s, &p);
}
