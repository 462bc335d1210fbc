/* protocol.c - four protocols: clauses, random splits, one group left out at a time, folds. */
#include "cli/results/results.h"

#include <stdio.h>
#include <string.h>

#include "cli/frame/words.h"

/* "train subject=bd,mm" */
static char *say_clauses(session *s, const char *asked, const char *word)
{
    words clauses = {0};
    for (size_t c = 0; c < arguments_count(s->args, asked); c++)
        words_add(&clauses, arguments_nth(s->args, asked, c));
    return words_text("%s %s", word,
                      clauses.count ? words_join(&clauses, clauses.count, " and ") : "the others");
}

/* *flag <- where the clauses of an option hold; NULL where there are none. */
static void take_clauses(session *s, const spd_data *data, const char *asked, char **flag)
{
    if (arguments_count(s->args, asked) == 0)
        return;
    *flag = cli_alloc(data->p, 1, "flags");
    where_select(s, data, asked, *flag);
}

static void by_clauses(session *s, const spd_data *data, protocol *p, spd_evaluate_options *o)
{
    take_clauses(s, data, "train-where", &p->train);
    take_clauses(s, data, "test-where", &p->test);
    snprintf(p->text, sizeof p->text, "%s, %s", say_clauses(s, "train-where", "train"),
             say_clauses(s, "test-where", "test"));
    p->fold_column = where_column(s, p->train ? "train-where" : "test-where");
    o->protocol = SPD_PROTOCOL_GIVEN;
    o->train = p->train;
    o->test = p->test;
}

static void by_split(session *s, protocol *p, spd_evaluate_options *o)
{
    o->protocol = SPD_PROTOCOL_SPLITS;
    o->repeats = (size_t)arguments_int(s->args, "repeats");
    o->per_class = (size_t)arguments_int(s->args, "train-per-class");
    o->fraction = arguments_real(s->args, "split");
    const char *plural = o->repeats == 1 ? "" : "s";
    if (o->per_class)
        snprintf(p->text, sizeof p->text, "%zu random split%s, %zu of each class train", o->repeats,
                 plural, o->per_class);
    else
        snprintf(p->text, sizeof p->text, "%zu random split%s, %g %% of each class train",
                 o->repeats, plural, 100.0 * o->fraction);
}

static void by_groups(session *s, const spd_data *data, protocol *p, spd_evaluate_options *o)
{
    const char *column = arguments_text(s->args, "leave-one-group-out");
    char own[60] = "";
    groups_take(data, column, "leave-one-group-out", &p->left_out);
    if (p->left_out.count < 2)
        cli_fail(
            "%s: --leave-one-group-out %s: all matrices have the value '%s'; two values are needed",
            data->source, column, p->left_out.name[0]);
    o->calibration = arguments_real(s->args, "calibration-size");
    if (o->calibration > 0.0)
        snprintf(own, sizeof own, ", its first %g %% train", 100.0 * o->calibration);
    snprintf(p->text, sizeof p->text, "each %.200s left out once%s", column, own);
    p->fold_column = column;
    o->protocol = SPD_PROTOCOL_LEAVE_OUT;
    o->group = p->left_out.group;
}

/* Folds are dealt once unless --repeats says otherwise. */
static void by_folds(session *s, const spd_data *data, protocol *p, spd_evaluate_options *o)
{
    const char *column = arguments_text(s->args, "outer-groups");
    char kept[160] = "", times[60] = "";
    o->protocol = SPD_PROTOCOL_FOLDS;
    o->outer_folds = (int)arguments_int(s->args, "outer-folds");
    o->repeats =
        arguments_count(s->args, "repeats") ? (size_t)arguments_int(s->args, "repeats") : 1;
    if (column) {
        groups_take(data, column, "outer-groups", &p->outer_groups);
        if (p->outer_groups.count < (size_t)o->outer_folds)
            cli_fail("%s: --outer-folds %d --outer-groups %s: there are only %zu values of %s",
                     data->source, o->outer_folds, column, p->outer_groups.count, column);
        snprintf(kept, sizeof kept, ", %.100s kept together", column);
        o->group = p->outer_groups.group;
        p->fold_column = column;
    }
    if (o->repeats > 1)
        snprintf(times, sizeof times, ", dealt %zu times", o->repeats);
    snprintf(p->text, sizeof p->text, "%d folds%s%s, each tested once", o->outer_folds, kept,
             times);
}

/* Folds go by --cv-groups; else by the column that the protocol goes by, where that makes sense. */
static void take_folds(session *s, const spd_data *data, protocol *p, spd_evaluate_options *o)
{
    const char *wish = arguments_text(s->args, "cv-groups");
    if (wish) {
        p->fold_column = strcmp(wish, "none") == 0 ? NULL : wish;
        o->fold_rule = p->fold_column ? SPD_FOLD_RULE_GROUPED : SPD_FOLD_RULE_SINGLE;
    }
    if (!p->fold_column)
        return;
    groups_take(data, p->fold_column, wish ? "cv-groups" : "train-where", &p->fold_groups);
    o->fold_group = p->fold_groups.group;
}

/* ---- the usual one --------------------------------------------------------------------------- */

#define LARGE     5000 /* samples, of which one split says enough */
#define FOLDS     5
#define LEAVE_OUT 10 /* values of a column, up to which each is left out once */

/* Has every class samples in two groups, so that what is tested can be learned elsewhere? */
static int classes_spread(const spd_data *data, const groups *g)
{
    int *first = cli_alloc(data->classes, sizeof *first, "groups of classes");
    size_t spread = 0;
    for (size_t i = 0; i < data->p; i++) {
        int *one = &first[data->label[i]];
        if (*one == 0)
            *one = 1 + g->group[i];
        if (*one > 0 && *one != 1 + g->group[i]) {
            *one = -1;
            spread++;
        }
    }
    return spread == data->classes;
}

/* g <- the first column whose name says that its samples belong together. */
static int find_groups(const spd_data *data, groups *g)
{
    static const char *const names[] = {"subject",   "person", "patient", "participant",
                                        "recording", "group",  "session"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const spd_array *a = column_named(data, names[i]);
        if (!a || a->count != data->p)
            continue;
        groups_take(data, names[i], "outer-groups", g);
        if (g->count > 1 && classes_spread(data, g))
            return 1;
    }
    return 0;
}

static size_t smallest_class(const spd_data *data)
{
    size_t *count = cli_alloc(data->classes, sizeof *count, "sizes of classes"), least = data->p;
    for (size_t i = 0; i < data->p; i++)
        count[data->label[i]]++;
    for (size_t c = 0; c < data->classes; c++)
        least = count[c] < least ? count[c] : least;
    return least;
}

int protocol_add(const spd_data *data, arguments *a)
{
    static const char *const all[] = {"train-where",         "test-where",  "split",
                                      "train-per-class",     "outer-folds", "outer-groups",
                                      "leave-one-group-out", "repeats"};
    groups g;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (arguments_count(a, all[i]))
            return 0;
    int grouped = find_groups(data, &g);
    if (grouped && g.count <= LEAVE_OUT) {
        arguments_add(a, "leave-one-group-out", g.column);
    } else if (grouped || (data->p < LARGE && smallest_class(data) >= FOLDS)) {
        arguments_add(a, "outer-folds", words_text("%d", FOLDS));
        if (grouped)
            arguments_add(a, "outer-groups", g.column);
    } else {
        arguments_add(a, "split", "0.5");
        arguments_add(a, "repeats", data->p < LARGE ? "10" : "1");
    }
    return 1;
}

/* ---- what was asked for ---------------------------------------------------------------------- */

static void check_protocol_options(session *s)
{
    int where =
        arguments_count(s->args, "train-where") + arguments_count(s->args, "test-where") > 0;
    int split = arguments_count(s->args, "split") + arguments_count(s->args, "train-per-class") > 0;
    int left_out = arguments_count(s->args, "leave-one-group-out") > 0;
    int folds = arguments_count(s->args, "outer-folds") > 0;
    if (where + split + left_out + folds != 1)
        cli_misuse("evaluate needs one protocol%s: --train-where and --test-where, --split or "
                   "--train-per-class, --leave-one-group-out, or --outer-folds",
                   where + split + left_out + folds ? ", not several" : "");
    if (arguments_count(s->args, "outer-groups") && !folds)
        cli_misuse("--outer-groups belongs to --outer-folds");
    if (arguments_count(s->args, "calibration-size") && !left_out)
        cli_misuse("--calibration-size belongs to --leave-one-group-out");
}

void protocol_take(session *s, const spd_data *data, protocol *p, spd_evaluate_options *options)
{
    const char *by = arguments_text(s->args, "by");
    check_protocol_options(s);
    if (arguments_count(s->args, "leave-one-group-out"))
        by_groups(s, data, p, options);
    else if (arguments_count(s->args, "outer-folds"))
        by_folds(s, data, p, options);
    else if (arguments_count(s->args, "split") + arguments_count(s->args, "train-per-class"))
        by_split(s, p, options);
    else
        by_clauses(s, data, p, options);
    take_folds(s, data, p, options);
    if (by)
        groups_take(data, by, "by", &p->by);
}

const char *protocol_round(const protocol *p, const spd_evaluation *found, size_t round,
                           char text[ROUND_NAME])
{
    if (p->left_out.count)
        return p->left_out.name[found->round[round]->group];
    snprintf(text, ROUND_NAME, "%zu", round + 1);
    return text;
}
