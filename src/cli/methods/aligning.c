/* aligning.c - options of normalising and recentring; columns as groups. */
#include "cli/methods/aligning.h"

#include <string.h>

#include "cli/frame/words.h"

#define ALL        "all"
#define TRAINING   "training"
#define NEW_GROUPS (1 << 30) /* numbers from here on are of groups that training did not have */

const option options_aligning[] = {
    {"normalize", 0, OPTION_CHOICE, "KIND", "none", .choice = "none|trace|determinant",
     .names = SPD_ENUM_NORMALIZATION,
     .help = "First divide each matrix by the mean of its eigenvalues: by tr X / n, or by "
             "det X ^ (1/n)"},
    {"recenter", 0, OPTION_TEXT, "COLUMN|all|training",
     .help =
         "Then move the mean of the matrices of each value of COLUMN to the identity; no labels "
         "are used. Matrices of a new value are moved by their own mean, so they are needed "
         "together. all: the matrices of DATA are one group, and new ones another; training: "
         "new ones are moved by the mean of training"},
    OPTION_END};

const option options_regroup[] = {
    {"recenter", 0, OPTION_TEXT, "COLUMN|all", .common = 1,
     .help = "If METHOD recentres by a column: the column of NEW that names its groups, if it is "
             "called otherwise; all: NEW is one group"},
    {"recenter-known", 0, OPTION_FLAG,
     .help = "Groups that training had are moved by their mean of training, not by that of their "
             "matrices in NEW, which may then be few"},
    OPTION_END};

static int is_word(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

void aligning_take(session *s, spd_method *method, int strict)
{
    const char *column = arguments_text(s->args, "recenter");
    const spd_normalization how = (spd_normalization)session_choice(s, "normalize");
    if (spd_method_on_vectors(method)) {
        if (strict && (column || how != SPD_NORMALIZATION_NONE))
            cli_misuse("--%s: %s works on vectors, and only matrices are normalised or recentred",
                       column ? "recenter" : "normalize",
                       spd_name(SPD_ENUM_CLASSIFIER, method->classifier));
        return;
    }
    method->normalize = how;
    method->recenter = !column                     ? SPD_RECENTERING_NONE
                       : is_word(column, TRAINING) ? SPD_RECENTERING_TRAINING
                                                   : SPD_RECENTERING_GROUPS;
}

/* A group of one matrix would become the identity. */
static void check_groups(const spd_data *data, const groups *g)
{
    size_t *size = cli_alloc(g->count, sizeof *size, "groups");
    for (size_t i = 0; i < data->p; i++)
        size[g->group[i]]++;
    for (size_t k = 0; k < g->count; k++)
        if (size[k] == 1)
            cli_fail("%s: --recenter: only one matrix has the %s '%s', and it would become the "
                     "identity; a group needs two: name another column, or all",
                     data->source, g->column, g->name[k]);
    cli_free(size);
}

void aligning_groups(session *s, const spd_data *data, groups *g, spd_samples *samples)
{
    const char *column = arguments_text(s->args, "recenter");
    *g = (groups){0};
    if (!column || is_word(column, ALL) || is_word(column, TRAINING))
        return;
    groups_take(data, column, "recenter", g);
    check_groups(data, g);
    samples->group = g->group;
}

/* Numbers of groups <- those that training had, by name, if known; of all others new ones. */
static void number(const spd_metadata *notes, int known, const spd_data *data, groups *g)
{
    int *of = cli_alloc(g->count, sizeof *of, "groups");
    for (size_t k = 0; k < g->count; k++) {
        of[k] = NEW_GROUPS + (int)k;
        for (size_t e = 0; known && e < notes->groups; e++)
            if (strcmp(g->name[k], notes->group_name[e]) == 0)
                of[k] = (int)e;
    }
    if (!known)
        check_groups(data, g);
    int *mine = cli_alloc(data->p, sizeof *mine, "groups");
    for (size_t i = 0; i < data->p; i++)
        mine[i] = of[g->group[i]];
    g->group = mine;
}

void aligning_apart(session *s, const spd_data *data, spd_samples *samples)
{
    groups g;
    aligning_groups(s, data, &g, samples);
    if (g.count)
        number(NULL, 0, data, &g);
    samples->group = g.group;
}

void aligning_note(const groups *g, spd_metadata *notes)
{
    notes->group_column = g->count ? g->column : NULL;
    notes->groups = g->count;
    notes->group_name = g->name;
}

void aligning_column(const trained_method *t, const spd_data *data, const char *or_else, groups *g)
{
    const char *column = spd_classifier_metadata(t->classifier)->group_column;
    const spd_array *a = column_named(data, column);
    if (!a || a->count != data->p)
        cli_fail("%s: has no column '%s' with one value per matrix, and %s recentres by it%s",
                 data->source, column, t->classes.source, or_else);
    groups_take(data, column, "recenter", g);
}

void aligning_queries(session *s, const trained_method *t, const spd_data *data,
                      spd_samples *samples)
{
    const spd_method *method = spd_classifier_method(t->classifier);
    const spd_metadata *notes = spd_classifier_metadata(t->classifier);
    const char *given = arguments_text(s->args, "recenter");
    const int known = arguments_flag(s->args, "recenter-known");
    groups g = {0};
    if (method->recenter != SPD_RECENTERING_GROUPS) {
        if (given || known)
            cli_misuse("--%s: %s does not move new matrices by means of their own",
                       given ? "recenter" : "recenter-known", t->classes.source);
        return;
    }
    if (known && !notes->groups)
        cli_misuse("--recenter-known: %s has no names of groups", t->classes.source);
    if (is_word(given, ALL) || (!given && !notes->group_column)) {
        if (data->p == 1)
            cli_fail("%s: is one matrix, and %s recentres by the mean of new matrices: give it "
                     "several of one person or session together",
                     data->source, t->classes.source);
        return;
    }
    if (given)
        groups_take(data, given, "recenter", &g);
    else
        aligning_column(t, data,
                        "; --recenter COLUMN names another, --recenter all takes all matrices "
                        "together",
                        &g);
    number(notes, known, data, &g);
    samples->group = g.group;
}

char *aligning_text(const spd_method *method, const char *column)
{
    const char *size = method->normalize == SPD_NORMALIZATION_NONE
                           ? ""
                           : spd_name(SPD_ENUM_NORMALIZATION, method->normalize);
    words w = {0};
    if (size[0])
        words_take(&w, words_text("normalised by the %s", size));
    if (method->recenter == SPD_RECENTERING_TRAINING)
        words_add(&w, "recentred by the mean of training");
    else if (method->recenter != SPD_RECENTERING_NONE)
        words_take(&w, words_text("recentred by %s", column ? column : "the mean of each set"));
    return w.count ? words_join(&w, w.count, ", ") : NULL;
}
