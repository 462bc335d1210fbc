/* cmd_join.c - `spdml join`: several data sets as one. */
#include <string.h>

#include "cli/commands/data_output.h"
#include "cli/commands/meta_compare.h"
#include "cli/methods/groups.h"
#include "cli/frame/words.h"

/* Columns of any set that the joined one has not. */
static void remark_columns(session *s, size_t count, spd_data *const *sets, const spd_data *joined)
{
    words lost = {0};
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < sets[k]->columns; c++) {
            const char *name = sets[k]->column[c]->name;
            if (name && !column_named(joined, name) && !words_has(&lost, name))
                words_add(&lost, name);
        }
    if (lost.count)
        session_remark(s, "left out column%s %s: not in all files, or of different shapes",
                       lost.count == 1 ? "" : "s", words_join(&lost, lost.count, ", "));
}

static void remark_meta(session *s, size_t count, spd_data *const *sets)
{
    size_t with = 0;
    for (size_t k = 0; k < count; k++)
        with += sets[k]->meta != NULL;
    if (with && with < count)
        session_remark(
            s, "left out the record of how the matrices were made: only %zu of %zu files have one",
            with, count);
}

static int run(session *s)
{
    const arguments *a = s->args;
    const size_t count = a->operand_count;
    spd_data **sets = cli_alloc(count, sizeof(spd_data *), "a list of files");
    spd_data *joined = NULL;
    data_output out = data_output_open(s);
    for (size_t k = 0; k < count; k++) {
        sets[k] = session_load_labels(s, a->operands[k], NULL, 0);
        const char *differs = meta_compare(sets[0]->meta, sets[k]->meta);
        if (differs) /* they look alike and are not */
            cli_fail(
                "%s: was described differently from %s (%s); describe it with the same options",
                sets[k]->source, sets[0]->source, differs);
    }
    session_check(s, spd_data_join(s->ctx, count, (const spd_data *const *)sets,
                                   arguments_text(a, "source"), &joined));
    keep_data(joined);
    remark_columns(s, count, sets, joined);
    remark_meta(s, count, sets);
    data_output_select(s, &joined);
    data_output_save(s, &out, joined);
    if (!out.standard) {
        sheet *r = session_sheet(s);
        sheet_count(r, "inputs", "files", count, "");
        sheet_text(r, "output", "output", out.path);
        sheet_set(r, joined->p, shown_n(joined), joined->hermitian);
        sheet_count(r, "classes", "classes", joined->classes, "");
        sheet_count(r, "columns", "further columns", joined->columns, "");
    }
    return CLI_GOOD;
}

static const option options_join[] = {
    {"source", 0, OPTION_TEXT, "COLUMN",
     .help = "Add a column of this name with the file that each sample comes from"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Writes the samples of several data sets, one file after the other, into one. Their matrices "
    "must have one size and must have been described alike; all have labels of one kind, or none. "
    "Columns that all files have are kept, and those that are left out are named.",
    "With --source the file of each sample becomes a column, so that 'spdml evaluate "
    "--leave-one-group-out COLUMN' can leave out one file after the other; --where takes some of "
    "the joined samples, by any column.",
    NULL};

static const command_example examples[] = {
    {"spdml join monday.npz tuesday.mat -o both.npz --source session",
     "Two recordings, and which is which."},
    {"spdml join *.npz --where y=left,right -o two.npz", "Two of the classes alone."},
    {NULL, NULL}};

COMMAND(join, "several data sets as one, or some samples of them", "DATA...",
        .groups = {{"Options", options_data_to},
                   {"Joining", options_join},
                   {"Data", options_sets},
                   {"Common options", options_common}});
