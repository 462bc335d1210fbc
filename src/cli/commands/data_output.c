/* data_output.c - files and standard output of convert and join.
 *
 * The library writes files, whole or not at all. For standard output it writes one into a folder of
 * our own, which is copied when it is complete and removed whatever happens. */
#include "cli/commands/data_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/methods/groups.h"
#include "cli/frame/signals.h"
#include "cli/frame/words.h"

const option options_data_to[] = {
    {"output", 'o', OPTION_FILE, "FILE", .required = 1, .writes = 1,
     .help = "The file to write; its extension, .npz, .mat, .npy or .csv, decides the format. - is "
             "standard output, in the format of --to"},
    {"to", 0, OPTION_CHOICE, "FORMAT", "npz", .choice = "npz|mat|npy|csv",
     .help = "Format of standard output: npz, mat, npy or csv"},
    {"where", 0, OPTION_TEXT, "COLUMN=V,...", .repeatable = 1,
     .help = "Take only the samples whose COLUMN has one of the values; if repeated, all clauses "
             "must hold. y means the labels"},
    OPTION_END};

/* ---- the folder of our own ------------------------------------------------------------------- */

typedef struct spool {
    char *folder, *file;
} spool;

static void release_spool(void *thing)
{
    const spool *t = thing;
    (void)unlink(t->file);
    (void)rmdir(t->folder);
}

/* ---- the output ------------------------------------------------------------------------------ */

int data_output_is(const data_output *out, const char *ending)
{
    return option_has_ending(out->path, ending);
}

data_output data_output_open(session *s)
{
    data_output out = {.path = session_output(s)};
    int known = 0;
    if (session_to_stdout(s)) {
        if (isatty(STDOUT_FILENO))
            cli_fail("standard output is a terminal; name a file, or pipe it somewhere");
        const char *where = getenv("TMPDIR");
        spool *t = cli_alloc(1, sizeof *t, "a temporary file");
        t->folder = words_text("%s/spdml-XXXXXX", where && *where ? where : "/tmp");
        if (!mkdtemp(t->folder))
            cli_fail("%s: cannot be made: %s", t->folder, strerror(errno));
        t->file = words_text("%s/data.%s", t->folder, arguments_text(s->args, "to"));
        cli_keep(t, release_spool);
        return (data_output){t->file, 1};
    }
    if (arguments_count(s->args, "to"))
        cli_misuse("--to is for -o -; the extension of %s decides the format", out.path);
    const words formats = option_choices(command_option_named(s->args->command, "to", 2));
    for (size_t i = 0; i < formats.count && !known; i++)
        known = data_output_is(&out, words_text(".%s", formats.word[i]));
    if (!known)
        cli_misuse("-o %s: must end in .npz, .mat, .npy or .csv, or be -", out.path);
    session_check_output(s);
    return out;
}

static void copy_out(const char *path)
{
    char piece[1 << 16];
    size_t got;
    FILE *from = fopen(path, "rb");
    if (!from)
        cli_fail("%s: cannot open: %s", path, strerror(errno));
    while ((got = fread(piece, 1, sizeof piece, from)) > 0 && fwrite(piece, 1, got, stdout) == got)
        ;
    int failed = ferror(from) || fflush(stdout) != 0 || ferror(stdout);
    int error = errno;
    fclose(from);
    if (failed)
        cli_fail("standard output cannot be written: %s", strerror(error));
}

void data_output_close(session *s, const data_output *out)
{
    if (out->standard)
        copy_out(out->path);
    else
        session_talk(s, "wrote %s", out->path);
}

void data_output_save(session *s, const data_output *out, const spd_data *data)
{
    if (signals_interrupted())
        session_fail(s, SPD_ECANCELLED);
    session_check(s, spd_data_save(s->ctx, data, out->path));
    const char *name = out->standard ? "standard output" : out->path;
    if (data_output_is(out, ".npy") && (data->y || data->columns))
        session_remark(s, "%s: contains only the matrices; labels and columns need .npz or .mat",
                       name);
    else if (data_output_is(out, ".csv") && data->columns)
        session_remark(s, "%s: contains matrices and labels; columns need .npz or .mat", name);
    data_output_close(s, out);
}

void data_output_select(session *s, spd_data **data)
{
    spd_data *all = *data;
    if (!arguments_count(s->args, "where"))
        return;
    char *flag = cli_alloc(all->p, 1, "flags");
    size_t *index = cli_alloc(all->p, sizeof *index, "samples"), count = 0;
    where_select(s, all, "where", flag);
    for (size_t i = 0; i < all->p; i++)
        if (flag[i])
            index[count++] = i;
    session_check(s, spd_data_select(s->ctx, all, count, index, data));
    keep_data(*data);
    session_talk(s, "took %zu of %zu samples", count, all->p);
}
