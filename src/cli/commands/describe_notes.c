/* describe_notes.c - what a description should not hide, in words. */
#include "cli/commands/describe_notes.h"

#include <string.h>

#include "cli/frame/words.h"

#define NAMED 4 /* files that are named in the remark; JSON names all */

static void release_described(void *found)
{
    described *d = found;
    spd_data_free(d->data);
    spd_describe_info_free(d->notes);
}

const described *describe_operands(session *s, spd_descriptor kind, const spd_describe_options *how)
{
    described *d = cli_alloc(1, sizeof *d, "a description");
    cli_keep(d, release_described);
    session_check(s, spd_describe(s->ctx, kind, s->args->operand_count - 1, s->args->operands + 1,
                                  how, &d->data, &d->notes));
    return d;
}

/* The ending of a file's name, or what stands for none. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name && dot[1] ? dot : "without an ending";
}

/* "20 .heic, 1 .txt", in the order in which the endings are met. */
static const char *count_endings(const spd_describe_info *notes)
{
    words endings = {0}, counted = {0};
    for (size_t i = 0; i < notes->others; i++)
        if (!words_has(&endings, ending_of(notes->other[i])))
            words_add(&endings, ending_of(notes->other[i]));
    for (size_t e = 0; e < endings.count; e++) {
        size_t count = 0;
        for (size_t i = 0; i < notes->others; i++)
            count += strcmp(ending_of(notes->other[i]), endings.word[e]) == 0;
        if (e < NAMED)
            words_take(&counted, words_text("%zu %s", count, endings.word[e]));
        else if (e == NAMED)
            words_add(&counted, "...");
    }
    return words_join(&counted, counted.count, ", ");
}

static void remark_others(session *s, const spd_describe_info *notes)
{
    words names = {0};
    if (notes->others == 0)
        return;
    for (size_t i = 0; i < notes->others && i < NAMED; i++)
        words_add(&names, notes->other[i]);
    if (notes->others > NAMED)
        words_take(&names, words_text("and %zu more", notes->others - NAMED));
    session_remark(s, "ignored %zu file%s (%s), which this descriptor cannot read: %s",
                   notes->others, notes->others == 1 ? "" : "s", count_endings(notes),
                   words_join(&names, names.count, ", "));
}

static void remark_few(session *s, const spd_describe_info *notes)
{
    if (notes->few == 0)
        return;
    session_remark(s,
                   "%zu matri%s made of too few observations (%zu for %zu rows): rank %zu at most, "
                   "positive definite only by shrinkage or regularisation; take more observations, "
                   "or fewer rows (--model)",
                   notes->few, notes->few == 1 ? "x is" : "ces are", notes->fewest,
                   notes->fewest_rows, notes->fewest - 1);
}

void describe_notes_remark(session *s, const spd_describe_info *notes)
{
    remark_others(s, notes);
    remark_few(s, notes);
    if (notes->times)
        session_remark(
            s,
            "left out the column '%s' of %zu table%s: it rises from row to row, as times "
            "do; --channels takes the columns that it names",
            notes->time_column, notes->times, notes->times == 1 ? "" : "s");
    if (notes->events_cut)
        session_remark(s, "left out %zu event%s: the epoch does not lie within the recording",
                       notes->events_cut, notes->events_cut == 1 ? "" : "s");
}

void describe_notes_show(sheet *r, const spd_describe_info *notes)
{
    if (notes->others)
        sheet_line(r, "passed over", "%zu (%s)", notes->others, count_endings(notes));
    sheet_json(r, "passed_over",
               sheet_json_texts(notes->others, (const char *const *)notes->other));
    if (notes->times)
        sheet_json(r, "times_left_out", sheet_json_text(notes->time_column));
    if (notes->events_cut)
        sheet_count(r, "events_left_out", "events left out", notes->events_cut, "");
    if (notes->few == 0)
        return;
    sheet_line(r, "few observations", "%zu matrices, of %zu observations for %zu rows", notes->few,
               notes->fewest, notes->fewest_rows);
    sheet_json(r, "few_observations",
               json_pack("{s:I,s:I,s:I}", "matrices", (json_int_t)notes->few, "fewest",
                         (json_int_t)notes->fewest, "rows", (json_int_t)notes->fewest_rows));
}
