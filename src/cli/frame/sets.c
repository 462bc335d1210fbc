/* sets.c - data sets that may be larger than memory. */
#include "cli/frame/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/frame/signals.h"

#define SHARE_OF_SET 0.5  /* of --memory, that a set in memory may take */
#define BLOCK_BYTES  32e6 /* of sets_each */
#define SYMMETRY     1e-10

enum { STORE_AUTO, STORE_FLOAT64, STORE_FLOAT32 };

int sets_parse_size(const char *text, double *bytes)
{
    char *unit;
    double number = strtod(text, &unit);
    double factor = *unit == '\0'            ? 1.0
                    : strcmp(unit, "K") == 0 ? 1e3
                    : strcmp(unit, "M") == 0 ? 1e6
                    : strcmp(unit, "G") == 0 ? 1e9
                    : strcmp(unit, "T") == 0 ? 1e12
                                             : 0.0;
    if (unit == text || factor == 0.0 || !isfinite(number * factor) || number <= 0.0)
        return 1;
    *bytes = number * factor;
    return 0;
}

static void release_store(void *store)
{
    spd_store_free(store);
}

static int wanted_store(session *s)
{
    int known = command_option_named(s->args->command, "store", 5) != NULL;
    return known ? (int)session_choice(s, "store") : STORE_AUTO;
}

/* *copy <- the matrices of a store in memory as float32. */
static void narrow(session *s, const char *path, const spd_store *from, large_set *set)
{
    spd_status status = spd_store_load(s->ctx, from, 1, &set->store);
    if (status < 0)
        session_fail_in(s, path, status);
    cli_keep(set->store, release_store);
    session_talk(s, "%s: held as float32, %.3g GB", path, 1e-9 * spd_store_bytes(set->store));
}

/* Takes what is in memory already down to float32. */
static void narrow_loaded(session *s, large_set *set)
{
    spd_data *data = set->data;
    spd_store *lent = NULL;
    session_check(s, spd_store_lend(s->ctx, data->n, data->p, data->X, &lent));
    cli_keep(lent, release_store);
    narrow(s, data->source, lent, set);
    spd_array_free(data->x);
    data->x = NULL;
    data->X = NULL;
}

/* A file whose matrices can stay where they are, opened; else set->store is NULL. */
static void open_files(session *s, const char *path, const char *labels, large_set *set)
{
    const spd_load_options o = {.size = sizeof o,
                                .y_name = arguments_text(s->args, "y"),
                                .labels = labels,
                                .symmetrize = arguments_flag(s->args, "symmetrize"),
                                .regularize = arguments_real(s->args, "regularize"),
                                .anywhere = arguments_flag(s->args, "anywhere"),
                                .ridge = arguments_real(s->args, "ridge")};
    int list = option_has_ending(path, ".list");
    if (!list && !option_has_ending(path, ".npy"))
        return;
    spd_status status = spd_data_open(s->ctx, path, &o, &set->data, &set->store);
    if (status == SPD_OK) {
        session_keep_data(set->data);
        cli_keep(set->store, release_store);
    } else if (list) {
        session_fail(s, status); /* of others session_load will tell what is wrong, if anything */
    }
}

void sets_load(session *s, const char *path, const char *labels, large_set *set)
{
    double most = SHARE_OF_SET * spd_context_memory(s->ctx);
    int wanted = wanted_store(s);
    *set = (large_set){0};
    open_files(s, path, labels, set);
    double stored = set->store ? spd_store_bytes(set->store) : 0.0;
    double entries = set->store ? (double)set->data->p * pow((double)set->data->n, 2.0) : 0.0;
    if (!set->store || (wanted != STORE_FLOAT32 && 8.0 * entries <= most)) {
        set->store = NULL;
        set->data = session_load_labels(s, path, labels, 0);
        if (wanted == STORE_FLOAT32)
            narrow_loaded(s, set);
        return;
    }
    double narrow_width =
        set->data->hermitian ? 2.5 : 5.0; /* of complex128 an entry takes 4 bytes */
    int single =
        wanted == STORE_FLOAT32 || (wanted == STORE_AUTO && stored < narrow_width * entries);
    if (single && 4.0 * entries <= most) {
        narrow(s, path, set->store, set);
        return;
    }
    if (s->ranks > 1 && wanted != STORE_FLOAT32 && 8.0 * entries <= most * s->ranks) {
        spd_status status = spd_store_hold(s->ctx, set->store);
        if (status < 0)
            session_fail_in(s, path, status);
        session_talk(s, "%s: each process holds its share, %.3g GB", path,
                     8e-9 * entries / s->ranks);
        set->streams = set->held = 1;
        return;
    }
    set->streams = 1;
    session_talk(s, "%s: %.3g GB are read piece by piece; the limit is %.3g GB", path,
                 1e-9 * stored, 2e-9 * most);
}

void sets_check(session *s, const large_set *set)
{
    spd_status status = set->store ? spd_check_store(s->ctx, set->store, SYMMETRY) : SPD_OK;
    if (status < 0)
        session_fail_in(s, set->data->source, status);
}

void sets_need_memory(const session *s, const large_set *set, const char *what)
{
    if (set->store)
        cli_fail("%s: %s needs all matrices in memory as float64, %.3g GB, and the limit is %.3g "
                 "GB of which half are for them; use a larger --memory, or fewer matrices",
                 set->data->source, what,
                 8e-9 * (double)set->data->p * pow((double)set->data->n, 2.0),
                 1e-9 * spd_context_memory(s->ctx));
}

void sets_each(session *s, const large_set *set, sets_body body, void *user)
{
    const spd_data *data = set->data;
    double fits = BLOCK_BYTES / (8.0 * pow((double)data->n, 2.0));
    size_t each = fits < 1.0 ? 1 : fits < (double)data->p ? (size_t)fits : data->p;
    double *X = set->store ? cli_alloc_table(each, data->n * data->n, sizeof *X, "matrices") : NULL;
    if (!set->store) {
        spd_status status = body(s, user, 0, data->p, data->X);
        if (status < 0)
            session_fail_in(s, data->source, status);
        return;
    }
    for (size_t first = 0, count; first < data->p; first += count) {
        count = data->p - first < each ? data->p - first : each;
        spd_status status = spd_store_read(s->ctx, set->store, first, count, X);
        if (status == SPD_OK)
            status = body(s, user, first, count, X);
        if (status < 0 || signals_interrupted())
            session_fail_in(s, data->source, status < 0 ? status : SPD_ECANCELLED);
    }
}

void sets_show_memory(session *s, sheet *r)
{
    struct rusage used;
    double peak = getrusage(RUSAGE_SELF, &used) == 0 ? 1024.0 * (double)used.ru_maxrss : NAN;
    sheet_real(r, "peak_memory", NULL, peak);
    sheet_real(r, "memory_limit", NULL, spd_context_memory(s->ctx));
    sheet_line(r, "memory", "%.3g GB at most, of %.3g GB", 1e-9 * peak,
               1e-9 * spd_context_memory(s->ctx));
}

static const char *stored_as(const large_set *set)
{
    if (set->held)
        return "share";
    return set->streams ? "file" : set->store ? "float32" : "float64";
}

void sets_show_passes(session *s, sheet *r, const large_set *set, int passes)
{
    const char *where = set->held      ? "a share in the memory of each process"
                        : set->streams ? "read piece by piece from files"
                                       : "in memory as float32";
    sheet_count(r, "passes_per_iteration", NULL, (size_t)passes, "");
    sheet_text(r, "stored", NULL, stored_as(set));
    if (set->store || passes > 1)
        sheet_line(r, "matrices", "%s; %s", set->store ? where : "in memory",
                   passes > 1 ? "two passes per iteration: little is kept of each"
                              : "one pass per iteration");
    sets_show_memory(s, r);
}
