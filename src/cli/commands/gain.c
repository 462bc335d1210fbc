/* gain.c - nearest neighbours of the right class before and after a map, leave one out. */
#include "cli/commands/gain.h"

#include <math.h>
#include <string.h>

#define WORK   2e10 /* operations for all pairs, about: n^3 each, ten times as many under AIRM */
#define FEWEST 50   /* samples, whatever n is */
#define SHARE  0.05 /* of --memory, that copies of matrices may take */

/* index (one per labelled sample) <- the labelled samples, class by class; how many. */
static size_t by_class(const learning *l, size_t *index)
{
    size_t *end = cli_alloc(l->data->classes + 1, sizeof *end, "class counts");
    for (size_t i = 0; i < l->data->p; i++)
        if (l->label[i] >= 0)
            end[l->label[i] + 1]++;
    for (size_t c = 0; c < l->data->classes; c++)
        end[c + 1] += end[c];
    for (size_t i = 0; i < l->data->p; i++)
        if (l->label[i] >= 0)
            index[end[l->label[i]]++] = i;
    return end[l->data->classes];
}

/* The share of the samples whose nearest neighbour has their class. */
static double share_right(session *s, const learning *l, const spd_set *X, const size_t *index)
{
    int64_t *nearest = cli_alloc(X->p, sizeof *nearest, "neighbours");
    double *d2 = cli_alloc(X->p, sizeof *d2, "distances");
    size_t right = 0;
    spd_status status = spd_nearest(s->ctx, l->options.metric, X, NULL, 1, NULL, nearest, d2, NULL);
    session_check_in(s, l->data->source, status);
    for (size_t i = 0; i < X->p; i++)
        right += l->label[index[i]] == l->label[index[nearest[i]]];
    return (double)right / (double)X->p;
}

/* The matrices of those numbers. */
static double *copies(session *s, const learning *l, size_t count, const size_t *index)
{
    const size_t each = l->data->n * l->data->n;
    double *X = cli_alloc_table(count, each, sizeof *X, "matrices");
    for (size_t i = 0; i < count; i++) {
        spd_status status = spd_set_read(s->ctx, &l->set.X, index[i], 1, X + i * each);
        session_check_in(s, l->data->source, status);
    }
    return X;
}

gain gain_measure(session *s, const learning *l, const spd_model *model)
{
    gain g = {0};
    spd_set X = l->set.X, S;
    if (!l->label || l->classes < 2)
        return g;
    size_t *index = cli_alloc(X.p, sizeof *index, "samples");
    g.of = by_class(l, index);
    /* No more than can be looked at soon. */
    const double n = (double)l->data->n, bytes = 8.0 * n * n;
    const double pair = (l->options.metric == SPD_METRIC_AIRM ? 10.0 : 1.0) * n * n * n;
    double most = fmax(sqrt(WORK / pair), FEWEST);
    most = fmin(most, SHARE * spd_context_memory(s->ctx) / bytes);
    const size_t count = most < (double)g.of ? (size_t)most : g.of;
    if (count < 2)
        return g;
    for (size_t i = 0; i < count; i++)
        index[i] = index[(size_t)((double)i * (double)g.of / (double)count)];
    X = *SPD_SET(X.n, count, copies(s, l, count, index));
    X.hermitian = l->set.X.hermitian;
    S = X;
    S.n = model->m;
    double *small = cli_alloc_table(count, S.n * S.n, sizeof *small, "entries of small matrices");
    session_check_in(s, l->data->source, spd_congruence(s->ctx, &X, S.n, model->W, small));
    S.X = small;
    g.samples = count;
    g.before = share_right(s, l, &X, index);
    g.after = share_right(s, l, &S, index);
    return g;
}

void gain_show(sheet *r, const gain *g)
{
    if (!g->samples)
        return;
    json_t *object = sheet_json_object();
    sheet_json_set(object, "samples", sheet_json_whole((json_int_t)g->samples));
    sheet_json_set(object, "before", sheet_json_real(g->before));
    sheet_json_set(object, "after", sheet_json_real(g->after));
    sheet_json(r, "nearest_right", object);
    sheet_line(r, "nearest neighbour",
               "%.1f %% right before the map, %.1f %% after it: leave one out", 100 * g->before,
               100 * g->after);
    if (g->samples < g->of)
        sheet_line(r, "", "among %zu of the training samples, which the map has seen;", g->samples);
    else
        sheet_line(r, "", "in the training data, which the map has seen;");
    sheet_line(r, "", "'spdml evaluate' measures new data");
}
