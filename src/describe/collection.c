/* collection.c - gathers matrices while inputs are described. */
#include "describe/collection.h"

#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "formats/data.h"

void collection_free(collection *all)
{
    mem_free(all->X);
    mem_free(all->item);
    mem_free(all->column);
    mem_free(all->image);
    mem_free(all->image_of);
    *all = (collection){0};
}

/* A list with room for more elements of size bytes behind have of them, in powers of two: the list
 * itself or one that has taken its place; NULL when out of memory. */
static void *reserve(void *list, size_t have, size_t more, size_t size)
{
    size_t room = 1, bytes;
    while (room < have)
        room *= 2;
    if (list && have && have + more <= room)
        return list;
    while (room < have + more)
        room *= 2;
    return mem_mul(room, size, &bytes) ? NULL : mem_grow(list, have * size, bytes);
}

static spd_status check_sizes(spd_context *ctx, const inputs *list, const description *made,
                              const image *picture, const collection *all)
{
    if (all->p && made->n != all->n)
        return ctx_fail(ctx, SPD_EINVAL,
                        "gives matrices of size %zu x %zu, but %.200s gives %zu x %zu; describe "
                        "them separately, or make the inputs alike",
                        made->n, made->n, list->item[all->item[0]].name, all->n, all->n);
    if (!picture || !all->images ||
        (picture->height == all->height && picture->width == all->width))
        return SPD_OK;
    ctx_fail(ctx, SPD_EINVAL,
             "has %zu x %zu pixels, but %.200s has %zu x %zu; images to be kept must have one size",
             picture->width, picture->height, list->item[all->item[0]].name, all->width,
             all->height);
    return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_SIZE, 0.0);
}

/* Non-zero when out of memory. */
static int reserve_all(const description *made, const image *picture, collection *all)
{
    size_t p = all->p, count = made->count, real = sizeof(double);
    size_t pixels = picture ? picture->height * picture->width : 0;
    double *X = reserve(all->X, p, count, made->n * made->n * real);
    all->X = X ? X : all->X;
    size_t *own = reserve(all->item, p, count, sizeof *own);
    all->item = own ? own : all->item;
    size_t *shown = reserve(all->image_of, p, count, sizeof *shown);
    all->image_of = shown ? shown : all->image_of;
    double *column = reserve(all->column, p, count, (made->columns + 1) * real);
    all->column = column ? column : all->column;
    double *pixel = picture ? reserve(all->image, all->images, 1, pixels * real) : NULL;
    all->image = pixel ? pixel : all->image;
    return !X || !own || !shown || !column || (picture && !pixel);
}

spd_status collection_add(spd_context *ctx, const inputs *list, size_t i, const description *made,
                          const image *picture, collection *all)
{
    size_t each = made->n * made->n, columns = made->columns;
    spd_status status = check_sizes(ctx, list, made, picture, all);
    if (status < 0)
        return status;
    if (reserve_all(made, picture, all))
        return ctx_nomem(ctx, "covariance matrices");
    all->n = made->n;
    all->columns = columns;
    all->column_name = made->column_name;
    memcpy(all->X + all->p * each, made->X, made->count * each * sizeof(double));
    if (columns)
        memcpy(all->column + all->p * columns, made->column,
               made->count * columns * sizeof(double));
    for (size_t k = 0; k < made->count; k++) {
        all->item[all->p + k] = i;
        all->image_of[all->p + k] = all->images;
    }
    all->p += made->count;
    if (picture) {
        size_t pixels = picture->height * picture->width;
        memcpy(all->image + all->images * pixels, picture->pixel, pixels * sizeof(double));
        all->height = picture->height;
        all->width = picture->width;
        all->images++;
    }
    return SPD_OK;
}

/* ---- the data set ---------------------------------------------------------------------------- */

/* Everything that is known while columns are made. */
typedef struct making {
    const inputs *list;
    const labelling *labels;
    const collection *all;
    cell *cells; /* p */
    spd_data *data;
    size_t room; /* columns there can be */
} making;

static int is_taken(const spd_data *data, const char *name)
{
    return data_column(data, name) || strcmp(name, "X") == 0 || strcmp(name, "y") == 0;
}

/* Adds the column that the cells give under a name, unless it cannot be or the name is taken. */
static spd_status add_column(spd_context *ctx, making *m, const char *name)
{
    spd_array *column;
    if (is_taken(m->data, name) || m->data->columns == m->room)
        return SPD_OK;
    spd_status status = column_gather(ctx, name, m->all->p, m->cells, &column);
    if (status == SPD_OK && column)
        m->data->column[m->data->columns++] = column;
    return status;
}

static spd_status add_names(spd_context *ctx, making *m)
{
    spd_array *names = NULL;
    const char **texts = mem_alloc(m->list->count, sizeof *texts);
    if (!texts)
        return ctx_nomem(ctx, "names");
    for (size_t i = 0; i < m->list->count; i++)
        texts[i] = m->list->item[i].name;
    spd_status status = column_texts(ctx, "name", m->list->count, texts, &names);
    mem_free(texts);
    if (status < 0)
        return status;
    for (size_t s = 0; s < m->all->p; s++)
        m->cells[s] = (cell){names, m->all->item[s]};
    status = add_column(ctx, m, "name");
    spd_array_free(names);
    return status;
}

/* Where in its input a matrix comes from. */
static spd_status add_places(spd_context *ctx, making *m)
{
    const collection *all = m->all;
    spd_status status = SPD_OK;
    for (size_t c = 0; c < all->columns && status == SPD_OK; c++) {
        spd_array *place = NULL;
        status = array_new(ctx, SPD_FLOAT64, 1, &all->p, &place);
        for (size_t s = 0; s < all->p && status == SPD_OK; s++) {
            place->f64[s] = all->column[s * all->columns + c];
            m->cells[s] = (cell){place, s};
        }
        if (status == SPD_OK)
            status = add_column(ctx, m, all->column_name[c]);
        spd_array_free(place);
    }
    return status;
}

static spd_status add_index_columns(spd_context *ctx, making *m)
{
    const labelling *labels = m->labels;
    spd_status status = SPD_OK;
    for (size_t j = 2; labels->row && j < labels->index.columns && status == SPD_OK; j++) {
        for (size_t s = 0; s < m->all->p; s++)
            m->cells[s] = (cell){labels->index.column[j], labels->row[m->all->item[s]]};
        status = add_column(ctx, m, labels->index.column[j]->name);
    }
    return status;
}

/* The column of that name that came with the array of an input. */
static cell carried(const inputs *list, const item *what, const char *name)
{
    const spd_data *extras = what->form == ITEM_SLICE ? list->array[what->source]->extras : NULL;
    return (cell){extras ? data_column(extras, name) : NULL, what->index};
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
        for (size_t s = 0; s < m->all->p; s++)
            m->cells[s] = carried(m->list, &m->list->item[m->all->item[s]], name);
        status = add_column(ctx, m, name);
    }
    return status;
}

static spd_status add_images(spd_context *ctx, making *m)
{
    const collection *all = m->all;
    spd_array images = {.type = SPD_FLOAT64,
                        .ndim = 3,
                        .shape = {all->images, all->height, all->width},
                        .count = all->images * all->height * all->width,
                        .f64 = all->image};
    if (!all->images)
        return SPD_OK;
    for (size_t s = 0; s < all->p; s++)
        m->cells[s] = (cell){&images, all->image_of[s]};
    return add_column(ctx, m, "images");
}

static spd_status add_labels(spd_context *ctx, making *m)
{
    if (!m->labels->label)
        return SPD_OK;
    for (size_t s = 0; s < m->all->p; s++)
        m->cells[s] = m->labels->label[m->all->item[s]];
    spd_status status = column_gather(ctx, "y", m->all->p, m->cells, &m->data->y);
    if (status == SPD_OK && !m->data->y) {
        status = ctx_fail(ctx, SPD_EINVAL,
                          "some labels are numbers, others are strings; describe the inputs "
                          "separately");
        ctx_advise(ctx, status, SPD_REMEDY_LABELS, 0.0);
    }
    return status < 0 ? status : labels_classify(ctx, m->data);
}

static spd_status add_all(spd_context *ctx, making *m)
{
    static spd_status (*const steps[])(spd_context *, making *) = {
        add_labels, add_names, add_index_columns, add_places, add_carried, add_images};
    spd_status status = SPD_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == SPD_OK; i++)
        status = steps[i](ctx, m);
    return status;
}

static spd_status take_matrices(spd_context *ctx, collection *all, spd_data *data)
{
    const size_t shape[3] = {all->p, all->n, all->n};
    spd_status status = array_adopt(ctx, 3, shape, all->X, &data->storage);
    if (status < 0)
        return status;
    data->X = all->X;
    all->X = NULL;
    data->p = all->p;
    data->n = all->n;
    return SPD_OK;
}

spd_status collection_data(spd_context *ctx, const inputs *list, const labelling *labels,
                           collection *all, spd_data **data)
{
    making m = {.list = list, .labels = labels, .all = all};
    const spd_data *extras = list->arrays ? list->array[0]->extras : NULL;
    m.room = 2 + all->columns + labels->index.columns + (extras ? extras->columns : 0);
    m.cells = mem_alloc(all->p, sizeof *m.cells);
    m.data = mem_zero(1, sizeof *m.data);
    spd_status status = SPD_OK;
    if (!m.cells || !m.data || !(m.data->source = mem_text(list->item[all->item[0]].name)) ||
        !(m.data->column = mem_zero(m.room, sizeof *m.data->column)))
        status = ctx_nomem(ctx, "a data set");
    if (status == SPD_OK)
        status = take_matrices(ctx, all, m.data);
    if (status == SPD_OK)
        status = add_all(ctx, &m);
    mem_free(m.cells);
    if (status < 0)
        spd_data_free(m.data);
    else
        *data = m.data;
    return status;
}
