/* protocol.c - three protocols: clauses, random splits, one group left out at a time. */
#include "cli/evaluate/protocol.h"

#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"

size_t protocol_count(const protocol *p, const char *flags, size_t round)
{
    size_t count = 0;
    for (size_t i = 0; i < p->data->p; i++)
        count += flags[round * p->data->p + i] != 0;
    return count;
}

static void make_rounds(protocol *p, size_t rounds)
{
    p->rounds = rounds;
    p->train = cli_alloc_table(rounds, p->data->p, 1, "flags");
    p->test = cli_alloc_table(rounds, p->data->p, 1, "flags");
    p->round_name = cli_alloc(rounds, sizeof *p->round_name, "rounds");
}

static char *text_of(const char *text)
{
    char *copy = cli_alloc(strlen(text) + 1, 1, "a name");
    return memcpy(copy, text, strlen(text) + 1);
}

/* ---- clauses ----------------------------------------------------------------------------------
 */

static int check_overlap(const protocol *p)
{
    size_t both = 0, first = 0;
    for (size_t i = p->data->p; i-- > 0;)
        if (p->train[i] && p->test[i]) {
            both++;
            first = i;
        }
    if (!both)
        return CLI_GOOD;
    cli_error("%s: %zu matrices train and are tested, the first is number %zu; let the clauses of "
              "--train-where and --test-where exclude each other",
              p->data->source, both, first);
    return CLI_FAILED;
}

/* A side without clauses is what the other leaves. */
static int take_rest(const protocol *p, const char *chosen, char *rest, const char *asked)
{
    size_t count = 0;
    for (size_t i = 0; i < p->data->p; i++) {
        rest[i] = (char)!chosen[i];
        count += rest[i] != 0;
    }
    if (count)
        return CLI_GOOD;
    cli_error("%s: --%s selects all matrices, nothing is left for the other side", p->data->source,
              asked);
    return CLI_FAILED;
}

/* text <- "train subject=bd,mm" */
static size_t say_clauses(session *s, const char *asked, const char *word, char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", word);
    size_t count = arguments_count(s->args, asked);
    for (size_t c = 0; c < count && at < size; c++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", c ? " and " : " ",
                               arguments_nth(s->args, asked, c));
    if (!count && at < size)
        at += (size_t)snprintf(text + at, size - at, " the others");
    return at < size ? at : size - 1;
}

static int by_clauses(session *s, protocol *p)
{
    int train = arguments_count(s->args, "train-where") > 0;
    int test = arguments_count(s->args, "test-where") > 0;
    int code = CLI_GOOD;
    make_rounds(p, 1);
    p->round_name[0] = text_of("1");
    if (train)
        code = where_select(s, p->data, "train-where", p->train);
    if (!code && test)
        code = where_select(s, p->data, "test-where", p->test);
    if (!code && !train)
        code = take_rest(p, p->test, p->train, "test-where");
    if (!code && !test)
        code = take_rest(p, p->train, p->test, "train-where");
    if (!code)
        code = check_overlap(p);
    size_t at = say_clauses(s, "train-where", "train", p->text, sizeof p->text);
    say_clauses(s, "test-where", ", test", p->text + at, sizeof p->text - at);
    p->fold_column = where_column(s, train ? "train-where" : "test-where");
    return code;
}

/* ---- random splits ----------------------------------------------------------------------------
 */

static int by_split(session *s, protocol *p)
{
    size_t rounds = (size_t)arguments_int(s->args, "repeats"), n = p->data->p;
    size_t per_class = (size_t)arguments_int(s->args, "train-per-class");
    double fraction = arguments_real(s->args, "split");
    uint64_t seed = (uint64_t)arguments_int(s->args, "seed");
    make_rounds(p, rounds);
    for (size_t r = 0; r < rounds; r++) {
        char name[32], *train = p->train + r * n;
        spd_status status =
            spd_split(s->ctx, n, p->data->label, fraction, per_class, seed, r, train);
        if (status < 0)
            return session_fail_in(s, p->data->source, status);
        for (size_t i = 0; i < n; i++)
            p->test[r * n + i] = (char)!train[i];
        snprintf(name, sizeof name, "%zu", r + 1);
        p->round_name[r] = text_of(name);
    }
    p->repeats_samples = rounds > 1;
    if (per_class)
        snprintf(p->text, sizeof p->text, "%zu random split%s, %zu of each class train", rounds,
                 rounds == 1 ? "" : "s", per_class);
    else
        snprintf(p->text, sizeof p->text, "%zu random split%s, %g %% of each class train", rounds,
                 rounds == 1 ? "" : "s", 100.0 * fraction);
    return CLI_GOOD;
}

/* ---- one group out ----------------------------------------------------------------------------
 */

static int by_groups(session *s, protocol *p)
{
    const char *column = arguments_text(s->args, "leave-one-group-out");
    groups g = {0};
    int code = groups_take(p->data, column, "leave-one-group-out", &g);
    if (!code && g.count < 2) {
        cli_error("%s: --leave-one-group-out %s: all matrices have the value '%s'; two values are "
                  "needed",
                  p->data->source, column, g.name[0]);
        code = CLI_FAILED;
    }
    if (!code)
        make_rounds(p, g.count);
    for (size_t r = 0; r < p->rounds; r++) {
        p->round_name[r] = text_of(g.name[r]);
        for (size_t i = 0; i < p->data->p; i++) {
            p->test[r * p->data->p + i] = (char)(g.group[i] == (int)r);
            p->train[r * p->data->p + i] = (char)(g.group[i] != (int)r);
        }
    }
    snprintf(p->text, sizeof p->text, "each %s left out once", column);
    p->fold_column = text_of(column);
    groups_free(&g);
    return code;
}

/* ---- folds ------------------------------------------------------------------------------------
 */

/* Do most training samples find their class under another value too? Else folds by value would
 * test classes that were never seen. */
static int values_share_classes(const protocol *p, const groups *g)
{
    size_t all = 0, shared = 0;
    const spd_data *d = p->data;
    int *seen = cli_alloc(d->classes, sizeof *seen, "classes"); /* 0, value + 1, or -1: several */
    for (size_t i = 0; i < d->p; i++) {
        int *at = &seen[d->label[i]], value = g->group[i] + 1;
        if (p->train[i])
            *at = *at == 0 || *at == value ? value : -1;
    }
    for (size_t i = 0; i < d->p; i++) {
        all += p->train[i] != 0;
        shared += p->train[i] && seen[d->label[i]] < 0;
    }
    cli_free(seen);
    return 2 * shared >= all;
}

/* Folds go by --cv-groups; else by the column that the protocol goes by, where that makes sense. */
static int choose_fold_column(session *s, protocol *p)
{
    const char *wish = arguments_text(s->args, "cv-groups");
    if (wish) {
        cli_free(p->fold_column);
        p->fold_column = strcmp(wish, "none") == 0 ? NULL : text_of(wish);
    }
    if (!p->fold_column)
        return CLI_GOOD;
    int code =
        groups_take(p->data, p->fold_column, wish ? "cv-groups" : "train-where", &p->fold_groups);
    if (!code && !wish && !values_share_classes(p, &p->fold_groups)) {
        cli_free(p->fold_column);
        p->fold_column = NULL;
    }
    return code;
}

/* ---- all of it --------------------------------------------------------------------------------
 */

static int check_protocol_options(session *s)
{
    int where =
        arguments_count(s->args, "train-where") + arguments_count(s->args, "test-where") > 0;
    int split = arguments_count(s->args, "split") + arguments_count(s->args, "train-per-class") > 0;
    int left_out = arguments_count(s->args, "leave-one-group-out") > 0;
    if (where + split + left_out == 1)
        return CLI_GOOD;
    cli_error("evaluate needs one protocol%s: --train-where and --test-where, --split or "
              "--train-per-class, or --leave-one-group-out",
              where + split + left_out ? ", not several" : "");
    return CLI_MISUSED;
}

int protocol_make(session *s, const spd_data *data, protocol *p)
{
    const char *by = arguments_text(s->args, "by");
    *p = (protocol){.data = data};
    int code = check_protocol_options(s);
    if (code)
        return code;
    if (arguments_count(s->args, "leave-one-group-out"))
        code = by_groups(s, p);
    else if (arguments_count(s->args, "split") + arguments_count(s->args, "train-per-class"))
        code = by_split(s, p);
    else
        code = by_clauses(s, p);
    if (!code)
        code = choose_fold_column(s, p);
    if (!code && by)
        code = groups_take(data, by, "by", &p->by);
    return code;
}

void protocol_free(protocol *p)
{
    for (size_t r = 0; r < p->rounds; r++)
        cli_free(p->round_name[r]);
    cli_free(p->round_name);
    cli_free(p->train);
    cli_free(p->test);
    cli_free(p->fold_column);
    groups_free(&p->fold_groups);
    groups_free(&p->by);
}
