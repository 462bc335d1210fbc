/* learning.c - from the command line to the library's options of a fit. */
#include "cli/commands/learning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/methods/groups.h"

/* *value <- the whole number that an option gives, or *is_auto; both stay without it. */
static void take_or_auto(session *s, const char *name, int64_t most, const char *expected,
                         int *is_auto, size_t *value)
{
    const char *text = arguments_text(s->args, name);
    int64_t number = 0;
    if (!text)
        return;
    *is_auto = strcmp(text, "auto") == 0;
    if (*is_auto)
        return;
    if (option_parse_int(text, &number) || number < 1 || number > most)
        cli_misuse("--%s %s: must be a whole number %s, or auto", name, text, expected);
    *value = (size_t)number;
}

void learning_take_m(session *s, learning *l)
{
    take_or_auto(s, "m", 1000000, "between 1 and 1000000", &l->auto_m, &l->options.m);
}

/* `cost` has only graphs by labels and the user's own. */
static int offered(const session *s, const char *name)
{
    return command_option_named(s->args->command, name, strlen(name)) != NULL;
}

/* Which kind of graph: by labels, without, or the user's own. */
static void take_learning(session *s, learning *l)
{
    int own = arguments_count(s->args, "affinity") > 0;
    int free_of_labels = offered(s, "unsupervised") && arguments_count(s->args, "unsupervised") > 0;
    if (own && free_of_labels)
        cli_misuse("--affinity and --unsupervised cannot be used together");
    if (own)
        l->options.learning = SPD_LEARNING_OWN_GRAPH;
    else if (free_of_labels)
        l->options.learning = session_choice(s, "unsupervised") == 0 ? SPD_LEARNING_UNSUPERVISED
                                                                     : SPD_LEARNING_VARIANCE;
    if ((l->auto_nu_b || l->auto_m) && l->options.learning != SPD_LEARNING_SUPERVISED)
        cli_misuse("%s auto: needs labels to choose by", l->auto_m ? "-m" : "--nu-b");
}

void learning_options(session *s, learning *l)
{
    spd_fit_options *o = &l->options;
    ARGUMENTS_FILL(s->args, spd_fit_options, o);
    if (arguments_count(s->args, "log-cost") && o->metric != SPD_METRIC_LOG_EUCLIDEAN)
        cli_misuse("--log-cost: belongs to --metric log-euclidean; %s has only one cost",
                   spd_name(SPD_ENUM_METRIC, o->metric));
    take_or_auto(s, "nu-b", 1000000000, "of at least 1", &l->auto_nu_b, &o->nu_b);
    take_learning(s, l);
    /* Can nu_b be chosen, and is it to be? The paper chooses it by cross-validation. */
    spd_fit_options usual = l->options;
    spd_fit_resolve(&usual);
    if (l->auto_nu_b && usual.objective == SPD_OBJECTIVE_SOFTMAX)
        cli_misuse("--nu-b auto: the objective softmax takes all candidates; add --objective "
                   "difference, which has neighbours to choose");
    l->nu_b_by_paper = usual.paper && usual.learning == SPD_LEARNING_SUPERVISED && !usual.nu_b &&
                       !l->auto_nu_b && usual.objective == SPD_OBJECTIVE_DIFFERENCE;
    l->auto_nu_b |= l->nu_b_by_paper;
    if (o->learning == SPD_LEARNING_VARIANCE && o->metric == SPD_METRIC_LOG_EUCLIDEAN &&
        o->log_cost == SPD_LOG_COST_APPROXIMATE)
        cli_misuse("--unsupervised variance: under log-euclidean needs --log-cost exact");
}

/* l->label <- class numbers without gaps, -1 for the class that means unknown. */
static void take_labels(session *s, learning *l)
{
    const char *unknown = offered(s, "unlabelled") ? arguments_text(s->args, "unlabelled") : NULL;
    const spd_data *data = l->data;
    int hidden = -1;
    if (!data->label)
        return;
    for (size_t c = 0; unknown && c < data->classes; c++)
        if (strcmp(data->class_name[c], unknown) == 0)
            hidden = (int)c;
    if (unknown && hidden < 0)
        session_remark(s, "%s: no matrix has the label %s; all count as labelled", data->source,
                       unknown);
    l->classes = data->classes - (hidden >= 0);
    l->label = cli_alloc(data->p, sizeof *l->label, "labels");
    for (size_t i = 0; i < data->p; i++) {
        int label = data->label[i];
        l->label[i] = hidden < 0 || label < hidden ? label : label == hidden ? -1 : label - 1;
    }
}

/* ---- a graph of the user's own --------------------------------------------------------------- */

typedef struct edge_list {
    spd_array *i, *j, *value;
} edge_list;

static void read_edges(session *s, const char *path, edge_list *e)
{
    e->i = session_read(s, path, "i");
    e->j = session_read(s, path, "j");
    e->value = session_read(s, path, "value");
    if (e->i->count != e->j->count || e->i->count != e->value->count)
        cli_fail("%s: i, j and value must have the same length, not %zu, %zu and %zu", path,
                 e->i->count, e->j->count, e->value->count);
    if (e->i->type == SPD_TYPE_TEXT || e->j->type == SPD_TYPE_TEXT ||
        e->value->type == SPD_TYPE_TEXT)
        cli_fail("%s: i, j and value must be numbers", path);
}

static double number_at(const spd_array *array, size_t k)
{
    return array->type == SPD_TYPE_INT64 ? (double)array->i64[k] : array->f64[k];
}

/* Element k as the number of a sample; UINT32_MAX, which no sample has, when it is none. */
static uint32_t index_at(const spd_array *array, size_t k)
{
    double number = number_at(array, k);
    return number >= 0 && number < UINT32_MAX && floor(number) == number ? (uint32_t)number
                                                                         : UINT32_MAX;
}

/* All entries, zeros too, so that the library's messages count them as the file does. */
static void take_edges(const char *path, const edge_list *e, learning *l)
{
    size_t count = e->i->count;
    spd_pair *pairs = cli_alloc(count, sizeof *pairs, "pairs of the graph");
    for (size_t k = 0; k < count; k++) {
        double value = number_at(e->value, k);
        spd_pair pair = {index_at(e->i, k), index_at(e->j, k), fmax(value, 0), fmax(-value, 0)};
        if (pair.i >= l->data->p || pair.j >= l->data->p || !isfinite(value))
            cli_fail("%s: pair %zu (i = %.10g, j = %.10g, value = %.6g): i and j must count the "
                     "%zu matrices from 0, and the value must be finite",
                     path, k, number_at(e->i, k), number_at(e->j, k), value, l->data->p);
        pairs[k] = pair;
    }
    l->options.pairs = count;
    l->options.own_pairs = pairs;
}

static void load_edges(session *s, learning *l)
{
    const char *path = arguments_text(s->args, "affinity");
    edge_list e;
    read_edges(s, path, &e);
    take_edges(path, &e, l);
    /* The library judges the graph; asked here, so that the message can name its file. */
    spd_fit_options options = l->options;
    spd_pair *pairs = NULL;
    size_t count;
    spd_status status = spd_affinity(s->ctx, &l->set.X, l->label, &options, &pairs, &count);
    spd_pairs_free(pairs);
    session_check_in(s, path, status);
}

void learning_load(session *s, const char *path, learning *l)
{
    if (l->may_be_large) {
        sets_load(s, path, arguments_text(s->args, "labels"), &l->set);
    } else {
        l->set.data = session_load(s, path, 0);
        l->set.X = sets_view(l->set.data);
    }
    l->data = l->set.data;
    if (l->data->hermitian && !l->options.hermitian)
        l->options.m *= 2; /* a resumed fit knows */
    l->options.hermitian = l->data->hermitian;
    if (l->nu_b_by_paper && !l->auto_m && l->set.apart) {
        session_remark(s,
                       "%s: not in memory as float64, so --nu-b is not chosen by cross-validation; "
                       "it is the smaller of 3 and --nu-w",
                       l->data->source);
        l->auto_nu_b = l->nu_b_by_paper = 0;
    }
    if (l->auto_m || l->auto_nu_b)
        sets_need_memory(s, &l->set, "choosing by cross-validation");
    take_labels(s, l);
    if (l->options.learning == SPD_LEARNING_SUPERVISED && !l->label)
        labels_missing(l->data, " to learn from",
                       offered(s, "unsupervised") ? ", or use --unsupervised" : "");
    if (l->options.learning == SPD_LEARNING_OWN_GRAPH && !l->options.own_pairs)
        load_edges(s, l);
}
