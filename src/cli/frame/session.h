/* session.h - what every command needs while it runs: arguments, a context with progress,
 * loading, writing, and one way to fail. */
#ifndef SPD_CLI_FRAME_SESSION_H
#define SPD_CLI_FRAME_SESSION_H

#include "cli/frame/arguments.h"
#include "cli/frame/bar.h"
#include "cli/frame/cli_memory.h"
#include "cli/frame/message.h"
#include "cli/frame/sheet.h"
#include "cli/frame/shown.h"
#include "spdml-data.h"

/* A message with its advice. */
typedef struct advised {
    char text[800];
} advised;

/* "try --regularize 1e-6", or several: "try --shrinkage oas, --regularize 1e-3 or --model"; ""
 * where there is no remedy. */
void advice_words(unsigned remedy, double value, char *text, size_t size);

/* The message of a failure, and behind it "; try ...". */
advised advice_message(const spd_error *error);

/* The same of the last failure or remark in a context. */
advised advice_last(const spd_context *ctx);

typedef struct session {
    const arguments *args;
    spd_context *ctx;
    bar bar;
    int quiet, verbose;
    int rank, ranks; /* which process of how many: only the first prints and writes */
    double start;    /* bar_clock() at the beginning */
    sheet sheet;     /* what session_sheet hands out */
    void *mark;      /* what was allocated since belongs to the session */
} session;

/* Makes the context as the common options say. */
void session_open(session *s, const arguments *args);
void session_close(session *s);

/* Is there nothing to print or to write here, since another process of the job does? */
int session_follows(const session *s);

/* Runs a command with the session's arguments, prints its sheet and frees what it has allocated
 * (cli_memory.h). An exit status. */
int session_run(session *s, const command *c);

/* Ends the command with the context's message for a status < 0. So do all functions of this header
 * that meet a failure: what they return is there. */
void session_fail(session *s, spd_status status) __attribute__((noreturn));

/* The same if the status is a failure. */
void session_check(session *s, spd_status status);

/* A failure that has to do with a file that the message does not name. */
void session_fail_in(session *s, const char *path, spd_status status) __attribute__((noreturn));

/* The same if the status is a failure. */
void session_check_in(session *s, const char *path, spd_status status);

/* The same where the message speaks of X in one file and of `name` in another, which may be NULL.
 */
void session_fail_pair(session *s, const char *path, const char *other, const char *name,
                       spd_status status) __attribute__((noreturn));

/* A remark on stderr, unless quiet. */
void session_remark(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A remark if the map of `whom` (or NULL: no map) began at the paper's identity and could not leave
 * the blocks that it began in; its words, or NULL. */
char *session_unreached(session *s, const char *whom, const spd_model *map);

/* Talk on stderr with the time since the start, only when verbose. */
void session_talk(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A data set, read with the options of options_data; unchecked keeps matrices that are not SPD. */
spd_data *session_load(session *s, const char *path, int unchecked);

/* The same with labels from that file, or NULL, instead of --labels. */
spd_data *session_load_labels(session *s, const char *path, const char *labels, int unchecked);

/* The array of that name in a file, or the only one for NULL; complex numbers are refused. */
spd_array *session_read(session *s, const char *path, const char *name);

/* The same where they may be complex. */
spd_array *session_read_complex(session *s, const char *path, const char *name);

/* A model from a file. */
spd_model *session_model(session *s, const char *path);

/* The same, or the one so far of a file of the kind checkpoint. */
spd_model *session_fitted(session *s, const char *path, spd_kind kind);

/* Where results are shown, as --json says. */
sheet *session_sheet(session *s);

/* The file of --output, or NULL, also where another process writes it; does it end so? */
const char *session_output(const session *s);
int session_output_is(const session *s, const char *ending);

/* Is it "-", standard output? Then results are not shown, and --json is misuse. */
int session_to_stdout(const session *s);

/* Two data sets must have matrices of one size. */
void session_same_size(const spd_data *a, const spd_data *b);

/* Can the file of --output, if any, be made? Asked before long work. */
void session_check_output(session *s);

/* Ends the command if a file to write, or NULL, is that input. */
void session_refuse_input(const char *path, const char *input);

/* The same for all files that the command would write and all its inputs. */
void session_check_inputs(session *s);

/* The same for any path, or NULL. */
void session_check_path(const char *path);

/* Writes arrays to the file of --output, or the data set; nothing after Ctrl-C. */
void session_write(session *s, size_t count, const spd_array *const *arrays);
void session_save(session *s, const spd_data *data);

/* Writes one matrix, rows x columns, under that name, as a complex one if it is the real form of
 * such; nothing when there is no --output. */
void session_write_matrix(session *s, const char *name, size_t rows, size_t columns, double *values,
                          int hermitian);

/* The metric of --metric; the number of a choice's word. */
spd_metric session_metric(const session *s);
unsigned session_choice(const session *s, const char *name);

/* count squared distances between the matrices of a set <- distances. */
void session_distances(size_t count, double *d2);

/* A table of rows x columns numbers that stays the caller's, named for its file. */
spd_array session_array_f64(const char *name, size_t rows, size_t columns, double *values);
spd_array session_array_i64(const char *name, size_t rows, size_t columns, int64_t *values);

#endif
