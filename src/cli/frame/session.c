/* session.c - context, loading and writing for every command. */
#define _POSIX_C_SOURCE 200809L

#include "cli/frame/session.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/frame/cli_memory.h"
#include "cli/frame/sets.h"
#include "cli/frame/shown.h"
#include "cli/frame/signals.h"
#include "cli/frame/words.h"

/* The context of the job: a process that leaves early ends it. */
static spd_context *joined;

static void release_session(void *session_)
{
    session *s = session_;
    bar_clear(&s->bar);
    if (joined == s->ctx)
        cli_before_leaving(NULL);
    spd_context_free(s->ctx);
}

static void end_job(int code)
{
    fflush(NULL);
    spd_ranks_stop(joined, code);
}

/* Joins the processes that mpirun has started. All but the first keep silent. */
static void join_ranks(session *s)
{
    spd_ranks about = SPD_STRUCT(spd_ranks);
    spd_status status = spd_ranks_join(s->ctx);
    spd_ranks_info(s->ctx, &about);
    s->rank = about.rank;
    s->ranks = about.ranks;
    joined = s->ctx;
    cli_set_rank(s->rank);
    cli_before_leaving(end_job);
    session_check(s, status);
    if (s->rank > 0) {
        s->quiet = 1;
        s->verbose = 0;
        if (!freopen("/dev/null", "w", stdout))
            cli_fail("/dev/null: cannot be written");
    }
    session_talk(s, "%d processes", s->ranks);
}

int session_follows(const session *s)
{
    return s->rank > 0;
}

static void set_memory(session *s, const char *text)
{
    double bytes = 0.0;
    if (sets_parse_size(text, &bytes))
        cli_misuse("--memory %s: must be a size such as 8G, 500M or 2.5e9", text);
    spd_context_set_memory(s->ctx, bytes);
}

void session_open(session *s, const arguments *args)
{
    *s = (session){.args = args, .start = bar_clock(), .mark = cli_mark(), .ranks = 1};
    s->ctx = spd_context_new();
    if (!s->ctx)
        cli_out_of_memory("a context");
    if (command_option_named(args->command, "threads", 7)) {
        s->quiet = arguments_flag(args, "quiet");
        s->verbose = arguments_flag(args, "verbose") && !s->quiet;
        spd_context_set_threads(s->ctx, (int)arguments_int(args, "threads"));
    }
    if (command_option_named(args->command, "memory", 6) && arguments_text(args, "memory"))
        set_memory(s, arguments_text(args, "memory"));
    cli_keep(s, release_session);
    if (command_option_named(args->command, "mpi", 3) && arguments_flag(args, "mpi"))
        join_ranks(s);
    bar_open(&s->bar, !s->quiet);
    spd_context_set_progress(s->ctx, bar_progress, &s->bar);
}

/* The engine of the command at hand. One that is asked for by name shall be there, whether or not
 * there is much to do. */
static void set_engine(session *s)
{
    char device[200];
    if (!command_option_named(s->args->command, "engine", 6))
        return;
    spd_engine engine = (spd_engine)session_choice(s, "engine");
    spd_context_set_engine(s->ctx, engine);
    if (engine == SPD_ENGINE_CUDA)
        session_check(s, spd_engine_device(s->ctx, engine, sizeof device, device));
}

int session_run(session *s, const command *c)
{
    void *mark = cli_mark();
    size_t before = spd_context_device_calls(s->ctx);
    if (spd_isa_check(s->ctx) != SPD_OK)
        cli_misuse("%s", spd_context_error(s->ctx)->message);
    set_engine(s);
    int code = c->run(s);
    bar_clear(&s->bar);
    if (spd_context_device_calls(s->ctx) > before)
        session_talk(s, "calls that the GPU answered: %zu",
                     spd_context_device_calls(s->ctx) - before);
    sheet_close(&s->sheet);
    cli_release(mark);
    return code;
}

void session_close(session *s)
{
    cli_release(s->mark);
}

static void __attribute__((noreturn)) interrupted(session *s)
{
    bar_clear(&s->bar);
    if (!s->quiet)
        cli_error("interrupted; nothing was written");
    cli_leave(CLI_INTERRUPTED);
}

void session_fail_in(session *s, const char *path, spd_status status)
{
    bar_clear(&s->bar);
    if (status == SPD_ECANCELLED || signals_interrupted())
        interrupted(s);
    advised message = advice_last(s->ctx);
    size_t length = path ? strlen(path) : 0;
    int named = strncmp(message.text, path ? path : "", length) == 0 && message.text[length] == ':';
    cli_fail("%s%s%s", path && !named ? path : "", path && !named ? ": " : "",
             message.text[0] ? message.text : spd_status_text(status));
}

void session_check_in(session *s, const char *path, spd_status status)
{
    if (status < 0)
        session_fail_in(s, path, status);
}

void session_fail_pair(session *s, const char *path, const char *other, const char *name,
                       spd_status status)
{
    session_fail_in(s, other ? words_text("%.255s (X), %.255s (%s)", path, other, name) : path,
                    status);
}

void session_fail(session *s, spd_status status)
{
    session_fail_in(s, NULL, status);
}

void session_check(session *s, spd_status status)
{
    if (status < 0)
        session_fail(s, status);
}

static void speak(session *s, const char *tail, const char *format, va_list args)
{
    char text[900];
    vsnprintf(text, sizeof text, format, args);
    bar_clear(&s->bar);
    cli_error("%s%s", text, tail);
}

void session_remark(session *s, const char *format, ...)
{
    if (s->quiet)
        return;
    va_list args;
    va_start(args, format);
    speak(s, "", format, args);
    va_end(args);
}

char *session_unreached(session *s, const char *whom, const spd_model *map)
{
    size_t unused = 0;
    if (!map || map->stop != SPD_STOP_INVARIANT)
        return NULL;
    for (size_t r = 0; r < map->n; r++) {
        size_t c = 0;
        while (c < map->m && map->W[r * map->m + c] == 0.0)
            c++;
        unused += c == map->m;
    }
    char *text = words_text("%s: the matrices are block-diagonal, and W cannot leave the blocks in "
                            "which the paper's start begins: %zu of %zu variables are not used; "
                            "--init random or --init mean leaves them",
                            whom, shown_rows(unused, map->options->hermitian), shown_map_n(map));
    session_remark(s, "%s", text);
    return text;
}

void session_talk(session *s, const char *format, ...)
{
    if (!s->verbose)
        return;
    char time[40];
    snprintf(time, sizeof time, " (%.3f s)", bar_clock() - s->start);
    va_list args;
    va_start(args, format);
    speak(s, time, format, args);
    va_end(args);
}

spd_data *session_load_labels(session *s, const char *path, const char *labels, int unchecked)
{
    spd_data *data;
    spd_load_options options = {.size = sizeof options, .unchecked = unchecked};
    ARGUMENTS_FILL(s->args, spd_load_options, &options);
    options.labels = labels;
    session_check(s, spd_data_load(s->ctx, path, &options, &data));
    keep_data(data);
    session_talk(s, "read %s: %zu %smatrices %zu x %zu", path, data->p, shown_kind(data->hermitian),
                 shown_n(data), shown_n(data));
    return data;
}

spd_data *session_load(session *s, const char *path, int unchecked)
{
    return session_load_labels(s, path, arguments_text(s->args, "labels"), unchecked);
}

spd_model *session_model(session *s, const char *path)
{
    spd_model *model;
    session_check(s, spd_model_load(s->ctx, path, &model));
    keep_model(model);
    return model;
}

spd_model *session_fitted(session *s, const char *path, spd_kind kind)
{
    spd_fit_state *state = NULL;
    spd_model *model = NULL;
    if (kind != SPD_KIND_CHECKPOINT)
        return session_model(s, path);
    spd_status status = spd_fit_state_load(s->ctx, path, &state);
    if (status == SPD_OK)
        status = spd_fit_state_model(s->ctx, state, &model);
    spd_fit_state_free(state);
    session_check(s, status);
    keep_model(model);
    return model;
}

spd_array *session_read_complex(session *s, const char *path, const char *name)
{
    spd_array *array;
    session_check(s, spd_array_read(s->ctx, path, name, &array));
    keep_array(array);
    return array;
}

spd_array *session_read(session *s, const char *path, const char *name)
{
    spd_array *array = session_read_complex(s, path, name);
    if (array->type == SPD_TYPE_COMPLEX128)
        cli_fail("%s: contains complex numbers where real ones are expected", path);
    return array;
}

sheet *session_sheet(session *s)
{
    bar_clear(&s->bar);
    if (!s->sheet.object)
        sheet_open(&s->sheet, arguments_flag(s->args, "json"));
    return &s->sheet;
}

/* ---- output ---------------------------------------------------------------------------------- */

const char *session_output(const session *s)
{
    return session_follows(s) ? NULL : arguments_text(s->args, "output");
}

int session_output_is(const session *s, const char *ending)
{
    return option_has_ending(session_output(s), ending);
}

int session_to_stdout(const session *s)
{
    const char *path = session_output(s);
    if (!path || strcmp(path, "-") != 0)
        return 0;
    if (arguments_flag(s->args, "json"))
        cli_misuse("--json and -o - cannot be used together: both are standard output");
    return 1;
}

void session_same_size(const spd_data *a, const spd_data *b)
{
    if (!a->hermitian != !b->hermitian)
        shown_check(a->source, "holds", a->n, a->hermitian, b);
    if (a->n != b->n)
        cli_fail("%s holds %zu x %zu matrices, but %s holds %zu x %zu; both sets must have the "
                 "same size",
                 a->source, shown_n(a), shown_n(a), b->source, shown_n(b), shown_n(b));
}

/* "cannot be written" and why; thing is the path itself or its folder. */
static void __attribute__((noreturn))
refuse_output(const char *path, const char *thing, const char *cause)
{
    if (strcmp(path, thing) == 0)
        cli_fail("%s: cannot be written: %s", path, cause);
    cli_fail("%s: cannot be written: folder %s: %s", path, thing, cause);
}

void session_refuse_input(const char *path, const char *input)
{
    struct stat output, info;
    if (path && input && stat(path, &output) == 0 && S_ISREG(output.st_mode) &&
        stat(input, &info) == 0 && info.st_ino == output.st_ino && info.st_dev == output.st_dev)
        cli_fail("%s: is an input and would be replaced; name another file", path);
}

/* Ends the command if what option `name` writes is one of the inputs. Two may be replaced: what
 * convert reads, and the checkpoint that a fit resumes. */
static void check_inputs(const session *s, const char *name)
{
    const arguments *args = s->args;
    const char *path = arguments_text(args, name);
    const option *o;
    if (!path || strcmp(args->command->name, "convert") == 0)
        return;
    for (size_t i = 0; i < args->operand_count; i++)
        session_refuse_input(path, args->operands[i]);
    for (size_t i = 0; (o = command_option(args->command, i)); i++)
        if (o->type == OPTION_FILE && !o->writes &&
            (strcmp(name, "checkpoint") != 0 || strcmp(o->name, "resume") != 0))
            session_refuse_input(path, arguments_text(args, o->name));
}

void session_check_inputs(session *s)
{
    const option *o;
    for (size_t i = 0; (o = command_option(s->args->command, i)) && !session_follows(s); i++)
        if (o->type == OPTION_FILE && o->writes)
            check_inputs(s, o->name);
}

void session_check_output(session *s)
{
    session_check_inputs(s);
    if (!session_to_stdout(s))
        session_check_path(session_output(s));
}

void session_check_path(const char *path)
{
    struct stat info;
    if (!path)
        return;
    int there = stat(path, &info) == 0;
    if (there && S_ISDIR(info.st_mode))
        refuse_output(path, path, strerror(EISDIR));
    if (there && access(path, W_OK) != 0)
        refuse_output(path, path, strerror(errno));
    char copy[4096], within[4100];
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    snprintf(within, sizeof within, "%s/.", folder); /* a file has nothing within it */
    if (access(within, W_OK | X_OK) != 0)
        refuse_output(path, folder, strerror(errno));
}

static void wrote(session *s, spd_status status)
{
    session_check(s, status);
    session_talk(s, "wrote %s", session_output(s));
}

void session_write(session *s, size_t count, const spd_array *const *arrays)
{
    if (signals_interrupted())
        interrupted(s);
    if (!session_follows(s))
        wrote(s, spd_arrays_write(s->ctx, session_output(s), count, arrays));
}

void session_save(session *s, const spd_data *data)
{
    if (signals_interrupted())
        interrupted(s);
    if (!session_follows(s))
        wrote(s, spd_data_save(s->ctx, data, session_output(s)));
}

unsigned session_choice(const session *s, const char *name)
{
    return option_value(command_option_named(s->args->command, name, strlen(name)),
                        arguments_text(s->args, name));
}

spd_metric session_metric(const session *s)
{
    return (spd_metric)session_choice(s, "metric");
}

void session_distances(size_t count, double *d2)
{
    for (size_t i = 0; i < count; i++)
        d2[i] = sqrt(fmax(d2[i], 0.0));
}

/* The library reads the name of an array it writes, and no more. */
static spd_array table(const char *name, spd_type type, size_t rows, size_t columns)
{
    return (spd_array){.name = (char *)(uintptr_t)name,
                       .type = type,
                       .ndim = 2,
                       .shape = {rows, columns},
                       .count = rows * columns};
}

spd_array session_array_f64(const char *name, size_t rows, size_t columns, double *values)
{
    spd_array array = table(name, SPD_TYPE_FLOAT64, rows, columns);
    array.f64 = values;
    return array;
}

spd_array session_array_i64(const char *name, size_t rows, size_t columns, int64_t *values)
{
    spd_array array = table(name, SPD_TYPE_INT64, rows, columns);
    array.i64 = values;
    return array;
}

void session_write_matrix(session *s, const char *name, size_t rows, size_t columns, double *values,
                          int hermitian)
{
    if (!session_output(s))
        return;
    spd_array array = shown_matrix(name, rows, columns, values, hermitian);
    const spd_array *const list[] = {&array};
    session_write(s, 1, list);
}
