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

spd_set sets_view(const spd_data *data)
{
    return (spd_set){.size = sizeof(spd_set),
                     .n = data->n,
                     .p = data->p,
                     .X = data->X,
                     .hermitian = data->hermitian,
                     .checked = data->checked};
}

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

/* The matrices of a set, in memory as float32. */
static void narrow(session *s, const char *path, const spd_set *from, large_set *set)
{
    spd_status status = spd_set_load(s->ctx, from, SPD_TYPE_FLOAT32, &set->apart);
    session_check_in(s, path, status);
    keep_set(set->apart);
    session_talk(s, "%s: held as float32, %.3g GB", path, 1e-9 * spd_set_bytes(set->apart));
}

/* A file whose matrices can stay where they are, opened; else set->apart is NULL. */
static void open_files(session *s, const char *path, const char *labels, large_set *set)
{
    spd_load_options o = {.size = sizeof o};
    int list = option_has_ending(path, ".list");
    ARGUMENTS_FILL(s->args, spd_load_options, &o);
    o.labels = labels;
    if (!list && !option_has_ending(path, ".npy"))
        return;
    spd_status status = spd_data_open(s->ctx, path, &o, &set->data, &set->apart);
    if (status == SPD_OK) {
        keep_data(set->data);
        keep_set(set->apart);
    } else if (list) {
        session_fail(s, status); /* of others session_load will tell what is wrong, if anything */
    }
}

static void load(session *s, const char *path, const char *labels, large_set *set)
{
    double most = SHARE_OF_SET * spd_context_memory(s->ctx);
    *set = (large_set){0};
    open_files(s, path, labels, set);
    double stored = set->apart ? spd_set_bytes(set->apart) : 0.0;
    double entries = set->apart ? (double)set->data->p * pow((double)set->data->n, 2.0) : 0.0;
    if (!set->apart || 8.0 * entries <= most) {
        set->apart = NULL;
        set->data = session_load_labels(s, path, labels, 0);
        return;
    }
    double narrow_width =
        set->data->hermitian ? 2.5 : 5.0; /* of complex128 an entry takes 4 bytes */
    if (stored < narrow_width * entries && 4.0 * entries <= most) {
        narrow(s, path, set->apart, set);
        return;
    }
    if (s->ranks > 1 && 8.0 * entries <= most * s->ranks) {
        spd_status status = spd_set_hold(s->ctx, set->apart);
        session_check_in(s, path, status);
        session_talk(s, "%s: each process holds its share, %.3g GB", path,
                     8e-9 * entries / s->ranks);
        set->streams = set->held = 1;
        return;
    }
    set->streams = 1;
    session_talk(s, "%s: %.3g GB are read piece by piece; the limit is %.3g GB", path,
                 1e-9 * stored, 2e-9 * most);
}

void sets_load(session *s, const char *path, const char *labels, large_set *set)
{
    load(s, path, labels, set);
    set->X = set->apart ? *set->apart : sets_view(set->data);
}

void sets_check(session *s, const large_set *set)
{
    spd_status status = set->apart ? spd_check(s->ctx, set->apart, SYMMETRY) : SPD_OK;
    session_check_in(s, set->data->source, status);
}

void sets_need_memory(const session *s, const large_set *set, const char *what)
{
    if (set->apart)
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
    double *X = set->apart ? cli_alloc_table(each, data->n * data->n, sizeof *X, "matrices") : NULL;
    if (!set->apart) {
        spd_status status = body(s, user, 0, data->p, data->X);
        session_check_in(s, data->source, status);
        return;
    }
    for (size_t first = 0, count; first < data->p; first += count) {
        count = data->p - first < each ? data->p - first : each;
        spd_status status = spd_set_read(s->ctx, set->apart, first, count, X);
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
    return set->streams ? "file" : set->apart ? "float32" : "float64";
}

void sets_show_passes(session *s, sheet *r, const large_set *set, int passes)
{
    const char *where = set->held      ? "a share in the memory of each process"
                        : set->streams ? "read piece by piece from files"
                                       : "in memory as float32";
    sheet_count(r, "passes_per_iteration", NULL, (size_t)passes, "");
    sheet_text(r, "stored", NULL, stored_as(set));
    if (set->apart || passes > 1)
        sheet_line(r, "matrices", "%s; %s", set->apart ? where : "in memory",
                   passes > 1 ? "two passes per iteration: little is kept of each"
                              : "one pass per iteration");
    sets_show_memory(s, r);
}
