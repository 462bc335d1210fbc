/* collection.c - gathers matrices while inputs are described. */
#include "describe/collection.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "formats/data.h"
#include "io/array.h"
#include "io/text.h"

/* ---- the data set --------------------------------------------------------------------------- */

void collection_free(collection *all)
{
    for (size_t k = 0; k < all->parts; k++) {
        description_free(&all->part[k].made);
        image_free(all->part[k].picture);
    }
    mem_free(all->part);
    *all = (collection){0};
}

static spd_status check_sizes(spd_context *ctx, const char *first_name, const part *first,
                              const description *made, const image *picture)
{
    const image *other = first->picture;
    if (made->n != first->made.n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "gives matrices of size %zu x %zu, but %.200s gives %zu x %zu; describe "
                        "them separately, or make the inputs alike",
                        made->n, made->n, first_name, first->made.n, first->made.n);
    for (size_t k = 0; made->channel && first->made.channel && k < made->channels; k++)
        if (k >= first->made.channels || strcmp(made->channel[k], first->made.channel[k]) != 0)
            return ctx_fail(ctx, SPD_EINVAL,
                            "channel %zu is '%.20s', but '%.20s' in %.200s; name the channels to "
                            "take, in one order",
                            k + 1, made->channel[k],
                            k < first->made.channels ? first->made.channel[k] : "", first_name);
    if (!picture || (picture->height == other->height && picture->width == other->width))
        return SPD_OK;
    ctx_fail(ctx, SPD_EINVAL,
             "has %zu x %zu pixels, but %.200s has %zu x %zu; images to be kept must have one size",
             picture->width, picture->height, first_name, other->width, other->height);
    return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_SIZE, 0.0);
}

spd_status collection_add(spd_context *ctx, const inputs *list, size_t i, description *made,
                          image **picture, collection *all)
{
    if (all->parts) {
        const part *first = &all->part[0];
        spd_status status = check_sizes(ctx, list->item[first->item].name, first, made, *picture);
        if (status < 0)
            return status;
        description_forget_names(made); /* they are the first one's */
    }
    part *grown = mem_list(all->part, all->parts, sizeof *grown);
    if (!grown)
        return ctx_nomem(ctx, "covariance matrices");
    all->part = grown;
    all->part[all->parts++] = (part){i, *made, *picture};
    *made = (description){0};
    *picture = NULL;
    return SPD_OK;
}

/* ---- the data set ---------------------------------------------------------------------------- */

/* Everything that is known while columns are made. */
typedef struct making {
    const inputs *list;
    const labelling *labels;
    const part *first;
    const part **of; /* p: where each matrix comes from */
    cell *cells;     /* p */
    spd_data *data;
    arena room; /* of scratch */
} making;

static int is_taken(const spd_data *data, const char *name)
{
    return data_column(data, name) || strcmp(name, "X") == 0 || strcmp(name, "y") == 0;
}

/* Adds the column that the cells give under a name, unless it cannot be or the name is taken. */
static spd_status add_column(spd_context *ctx, making *m, const char *name)
{
    spd_array *column;
    if (is_taken(m->data, name))
        return SPD_OK;
    spd_status status = column_gather(ctx, name, m->data->p, m->cells, &column);
    if (status == SPD_OK && column)
        m->data->column[m->data->columns++] = column;
    return status;
}

/* *column <- a new column of reals, rows of this shape. */
static spd_status new_column(spd_context *ctx, making *m, const char *name, size_t ndim,
                             const size_t *shape, spd_array **column)
{
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, ndim, shape, column);
    if (status < 0)
        return status;
    m->data->column[m->data->columns++] = *column;
    return array_rename(ctx, *column, name);
}

/* Labels of events, which every matrix has for itself. */
static spd_status add_event_labels(spd_context *ctx, making *m)
{
    const char **texts = arena_alloc(&m->room, m->data->p, sizeof *texts);
    spd_status status = arena_status(&m->room, ctx, "labels");
    for (size_t s = 0, k = 0; s < m->data->p && status == SPD_OK; s++) {
        k = s && m->of[s] == m->of[s - 1] ? k + 1 : 0;
        texts[s] = m->of[s]->made.label[k];
    }
    if (status == SPD_OK)
        status = column_texts(ctx, "y", m->data->p, texts, &m->data->y);
    return status < 0 ? status : labels_classify(ctx, m->data);
}

static spd_status add_labels(spd_context *ctx, making *m)
{
    if (m->first->made.label)
        return add_event_labels(ctx, m);
    if (!m->labels->label[0].array)
        return SPD_OK;
    for (size_t s = 0; s < m->data->p; s++)
        m->cells[s] = m->labels->label[m->of[s]->item];
    spd_status status = column_gather(ctx, "y", m->data->p, m->cells, &m->data->y);
    if (status == SPD_OK && !m->data->y) {
        status = ctx_fail(ctx, SPD_EINVAL,
                          "some labels are numbers, others are strings; describe the inputs "
                          "separately");
        ctx_advise(ctx, status, SPD_REMEDY_LABELS, 0.0);
    }
    return status < 0 ? status : labels_classify(ctx, m->data);
}

static spd_status add_names(spd_context *ctx, making *m)
{
    spd_array *names = NULL;
    const char **texts = arena_alloc(&m->room, m->data->p, sizeof *texts);
    spd_status status = arena_status(&m->room, ctx, "names");
    for (size_t s = 0; s < m->data->p && status == SPD_OK; s++)
        texts[s] = m->list->item[m->of[s]->item].name;
    if (status == SPD_OK)
        status = column_texts(ctx, "name", m->data->p, texts, &names);
    if (status == SPD_OK)
        m->data->column[m->data->columns++] = names;
    return status;
}

static spd_status add_index_columns(spd_context *ctx, making *m)
{
    const labelling *labels = m->labels;
    spd_status status = SPD_OK;
    for (size_t j = 2; j < labels->index.columns && status == SPD_OK; j++) {
        if (!labels->index.column[j])
            continue;
        for (size_t s = 0; s < m->data->p; s++)
            m->cells[s] = (cell){labels->index.column[j], labels->row[m->of[s]->item]};
        status = add_column(ctx, m, labels->index.column[j]->name);
    }
    return status;
}

/* Where in its input a matrix comes from. */
static spd_status add_places(spd_context *ctx, making *m)
{
    const description *first = &m->first->made;
    spd_status status = SPD_OK;
    for (size_t c = 0; c < first->columns && status == SPD_OK; c++) {
        spd_array *place;
        if (is_taken(m->data, first->column_name[c]))
            continue;
        status = new_column(ctx, m, first->column_name[c], 1, &m->data->p, &place);
        for (size_t s = 0, k = 0; s < m->data->p && status == SPD_OK; s++) {
            k = s && m->of[s] == m->of[s - 1] ? k + 1 : 0;
            place->f64[s] = m->of[s]->made.column[k * first->columns + c];
        }
    }
    return status;
}

/* Columns of the first array that all others have too. */
static spd_status add_carried(spd_context *ctx, making *m)
{
    spd_status status = SPD_OK;
    const spd_data *extras = m->list->arrays ? m->list->array[0]->extras : NULL;
    for (size_t i = 0; extras && i < extras->columns && status == SPD_OK; i++) {
        const char *name = extras->column[i]->name;
        if (!name)
            continue;
        for (size_t s = 0; s < m->data->p; s++) {
            const item *what = &m->list->item[m->of[s]->item];
            const spd_data *own = what->array ? what->array->extras : NULL;
            m->cells[s] = (cell){own ? data_column(own, name) : NULL, what->index};
        }
        status = add_column(ctx, m, name);
    }
    return status;
}

static spd_status add_images(spd_context *ctx, making *m)
{
    const image *like = m->first->picture;
    spd_array *images;
    if (!like || is_taken(m->data, "images"))
        return SPD_OK;
    const size_t shape[] = {m->data->p, like->height, like->width}, each = shape[1] * shape[2];
    spd_status status = new_column(ctx, m, "images", 3, shape, &images);
    for (size_t s = 0; s < m->data->p && status == SPD_OK; s++)
        memcpy(images->f64 + s * each, m->of[s]->picture->pixel, each * sizeof(double));
    return status;
}

/* The means of the observations behind each matrix, and how many there are in each block. */
static spd_status add_means(spd_context *ctx, making *m)
{
    const size_t n = m->data->n, blocks = m->first->made.blocks;
    const size_t means[] = {m->data->p, n}, counts[] = {m->data->p, blocks};
    spd_array *mean = NULL, *seen = NULL;
    if (!blocks)
        return SPD_OK;
    spd_status status = new_column(ctx, m, DATA_MEAN, 2, means, &mean);
    if (status == SPD_OK)
        status = new_column(ctx, m, DATA_COUNT, blocks > 1 ? 2 : 1, counts, &seen);
    for (size_t s = 0; s < m->data->p && status == SPD_OK; s += m->of[s]->made.count) {
        const description *made = &m->of[s]->made;
        memcpy(mean->f64 + s * n, made->mean, made->count * n * sizeof(double));
        memcpy(seen->f64 + s * blocks, made->seen, made->count * blocks * sizeof(double));
    }
    return status < 0 ? status : data_find_means(ctx, m->data);
}

static spd_status add_matrices(spd_context *ctx, making *m)
{
    spd_data *data = m->data;
    const size_t shape[3] = {data->p, data->n, data->n}, each = data->n * data->n;
    spd_status status = array_new(ctx, SPD_TYPE_FLOAT64, 3, shape, &data->x);
    if (status < 0)
        return status;
    data->X = data->x->f64;
    for (size_t s = 0; s < data->p; s += m->of[s]->made.count)
        memcpy(data->X + s * each, m->of[s]->made.X, m->of[s]->made.count * each * sizeof(double));
    return SPD_OK;
}

static spd_status add_all(spd_context *ctx, making *m)
{
    static spd_status (*const steps[])(spd_context *, making *) = {
        add_matrices,      add_labels, add_names,   add_means,
        add_index_columns, add_places, add_carried, add_images};
    spd_status status = SPD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == SPD_OK; i++)
        status = steps[i](ctx, m);
    return status;
}

/* Room for what is known of p matrices; non-zero when out of memory. */
static int make_room(making *m, size_t p)
{
    const spd_data *extras = m->list->arrays ? m->list->array[0]->extras : NULL;
    const size_t columns =
        4 + m->first->made.columns + m->labels->index.columns + (extras ? extras->columns : 0);
    m->of = arena_alloc(&m->room, p, sizeof *m->of);
    m->cells = arena_alloc(&m->room, p, sizeof *m->cells);
    m->data = mem_zero(1, sizeof *m->data);
    if (m->room.failed || !m->data)
        return 1;
    m->data->p = p;
    m->data->n = m->first->made.n;
    m->data->source = mem_text(m->list->item[m->first->item].name);
    m->data->column = mem_zero(columns, sizeof *m->data->column);
    return !m->data->source || !m->data->column;
}

spd_status collection_data(spd_context *ctx, const inputs *list, const labelling *labels,
                           const collection *all, spd_data **data)
{
    making m = {.list = list, .labels = labels, .first = &all->part[0]};
    size_t p = 0, s = 0;
    for (size_t k = 0; k < all->parts; k++)
        p += all->part[k].made.count;
    spd_status status = make_room(&m, p) ? ctx_nomem(ctx, "a data set") : SPD_OK;
    for (size_t k = 0; k < all->parts && status == SPD_OK; k++)
        for (size_t e = 0; e < all->part[k].made.count; e++)
            m.of[s++] = &all->part[k];
    if (status == SPD_OK)
        status = add_all(ctx, &m);
    arena_free(&m.room);
    if (status < 0)
        spd_data_free(m.data);
    else
        *data = m.data;
    return status;
}
