/* reading.c - from an item of the list to an image, a motion clip or a table. */
#include "describe/inputs.h"

#include <string.h>

#include "base/memory.h"
#include "describe/labelling.h"
#include "io/source.h"
#include "io/text.h"

void reading_close(reading *r)
{
    image_free(r->picture);
    motion_free(r->clip);
    recording_free(r->signals);
    events_free(&r->events);
    spd_array_free(r->array);
    text_table_free(&r->text);
    mem_free(r->turned);
    *r = (reading){0};
}

/* ---- what the descriptor gets ---------------------------------------------------------------- */

/* table (rows x columns) <- as observations in rows. */
static spd_status take_table(spd_context *ctx, const inputs *list, size_t rows, size_t columns,
                             const double *values, reading *r)
{
    r->in.table = (observations){rows, columns, values};
    if (list->options->channels && !r->in.channel)
        return text_table_no_names(ctx, list->options->channels_first);
    if (!list->options->channels_first)
        return SPD_OK;
    r->turned = mem_alloc(rows * columns, sizeof *r->turned);
    if (!r->turned)
        return ctx_nomem(ctx, "observations");
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            r->turned[j * rows + i] = values[i * columns + j];
    r->in.table = (observations){columns, rows, r->turned};
    return SPD_OK;
}

/* frames x 3K numbers as a clip. */
static spd_status take_positions(spd_context *ctx, size_t rows, size_t columns, double *values,
                                 reading *r)
{
    if (columns % 3)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu columns cannot be x, y, z of joints; expected a multiple of 3",
                        columns);
    r->lent = (motion){.frames = rows, .joints = columns / 3, .position = values};
    r->in.motion = &r->lent;
    return SPD_OK;
}

static spd_status take_numbers(spd_context *ctx, const inputs *list, size_t rows, size_t columns,
                               double *values, reading *r)
{
    return list->takes == INPUT_MOTION ? take_positions(ctx, rows, columns, values, r)
                                       : take_table(ctx, list, rows, columns, values, r);
}

static spd_status take_pixels(spd_context *ctx, const array_source *source, const double *values,
                              reading *r)
{
    spd_status status =
        image_new(ctx, source->columns, source->rows, source->channels, &r->picture);
    if (status < 0)
        return status;
    for (size_t e = 0; e < source->rows * source->columns * source->channels; e++)
        r->picture->pixel[e] = values[e] * source->scale;
    r->in.image = r->picture;
    return SPD_OK;
}

/* ---- where it comes from --------------------------------------------------------------------- */

/* The header's names are those of channels, unless channels are rows. */
static void name_columns(const inputs *list, char *const *name, const char *time, reading *r)
{
    r->in.channel = list->options->channels_first ? NULL : name;
    r->in.time = *time ? time : NULL;
}

static spd_status read_slice(spd_context *ctx, const inputs *list, const item *what, reading *r)
{
    const array_source *source = what->array;
    const size_t *start = source->start ? source->start + what->index : NULL;
    const size_t first = start ? start[0] : what->index * source->rows;
    const size_t rows = start ? start[1] - first : source->rows;
    double *values = source->X->f64 + first * source->columns * source->channels;
    name_columns(list, source->name, source->time, r);
    return list->takes == INPUT_IMAGE ? take_pixels(ctx, source, values, r)
                                      : take_numbers(ctx, list, rows, source->columns, values, r);
}

static spd_status read_clip(spd_context *ctx, const inputs *list, const item *what,
                            const unsigned char *bytes, size_t size, reading *r)
{
    const char *ending = path_ending(what->name), *text = (const char *)bytes;
    const skeleton *own;
    spd_status status;
    if (text_same(ending, ".bvh")) {
        status = bvh_parse(ctx, text, size, &r->clip);
    } else if (text_same(ending, ".c3d")) {
        status = c3d_parse(ctx, bytes, size, &r->clip);
    } else {
        status = skeletons_find(ctx, &list->bones, what->name, &own);
        if (status == SPD_OK)
            status = amc_parse(ctx, own, text, size, &r->clip);
    }
    r->in.motion = r->clip;
    return status;
}

static spd_status read_recording(spd_context *ctx, const inputs *list, const unsigned char *bytes,
                                 size_t size, reading *r)
{
    spd_status status = edf_parse(ctx, bytes, size, list->options->channels, &r->signals);
    if (status < 0)
        return status;
    r->in.table = (observations){r->signals->samples, r->signals->channels, r->signals->signal};
    r->in.rate = r->signals->rate;
    r->in.channel = r->signals->name;
    if (list->options->events && r->signals->events.count)
        r->in.events = &r->signals->events;
    return SPD_OK;
}

static spd_status decode(spd_context *ctx, const inputs *list, const item *what,
                         const unsigned char *bytes, size_t size, reading *r)
{
    if (size == 0)
        return ctx_fail(ctx, SPD_EFORMAT, "is empty");
    if (list->takes == INPUT_TABLE)
        return read_recording(ctx, list, bytes, size, r);
    if (list->takes != INPUT_IMAGE)
        return read_clip(ctx, list, what, bytes, size, r);
    spd_status status = image_decode(ctx, bytes, size, list->images, &r->picture);
    r->in.image = r->picture;
    return status;
}

/* An index of labels that lies among the tables and was not given as such is no bad table. */
static spd_status blame_index(spd_context *ctx, const item *what, const unsigned char *bytes,
                              size_t size, spd_status status)
{
    io_source *source = NULL;
    const spd_error found = ctx->error;
    if (!arrays_is_text(what->name) || (!bytes && source_load(ctx, what->name, &source) < 0)) {
        ctx->error = found;
        return status;
    }
    int likely = bytes ? index_is_likely((const char *)bytes, size)
                       : index_is_likely((const char *)source->bytes, source->size);
    source_free(source);
    if (!likely)
        return status;
    ctx_fail(ctx, SPD_EINVAL, "looks like an index%s", bytes ? "; unpack it" : "");
    return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_LABELS, 0.0);
}

/* A table of its own, in a file or in memory. */
static spd_status read_table(spd_context *ctx, const inputs *list, const item *what,
                             const unsigned char *bytes, size_t size, reading *r)
{
    const spd_describe_options *o = list->options;
    const int text = list->takes == INPUT_TABLE && !o->channels_first && arrays_is_text(what->name);
    spd_status status = text
                            ? arrays_read_text(ctx, what->name, o->channels, bytes, size, &r->text)
                            : arrays_read_table(ctx, what->name, o->x_name, bytes, size, &r->array);
    if (status < 0)
        return status == SPD_ENOMEM ? status : blame_index(ctx, what, bytes, size, status);
    if (text) {
        const spd_array *X = r->text.X;
        name_columns(list, r->text.name, r->text.time, r);
        return take_table(ctx, list, X->shape[0], X->shape[1], X->f64, r);
    }
    return take_numbers(ctx, list, r->array->shape[0], r->array->shape[1], r->array->f64, r);
}

/* Everything but events. */
static spd_status read_input(spd_context *ctx, const inputs *list, const item *what,
                             const unsigned char *bytes, size_t size, reading *r)
{
    io_source *source;
    int arrays = arrays_is_array(what->name) || arrays_is_text(what->name);
    if (what->array)
        return read_slice(ctx, list, what, r);
    if (arrays && list->takes != INPUT_IMAGE)
        return read_table(ctx, list, what, bytes, size, r);
    if (arrays && what->archive)
        return ctx_fail(ctx, SPD_EINVAL,
                        "arrays of images cannot be read from an archive; unpack "
                        "it");
    if (what->archive)
        return decode(ctx, list, what, bytes, size, r);
    spd_status status = source_load(ctx, what->name, &source);
    if (status < 0)
        return status;
    status = decode(ctx, list, what, source->bytes, source->size, r);
    source_free(source);
    return status;
}

spd_status reading_open(spd_context *ctx, const inputs *list, const item *what,
                        const unsigned char *bytes, size_t size, reading *r)
{
    *r = (reading){0};
    spd_status status = read_input(ctx, list, what, bytes, size, r);
    if (status < 0 || list->takes != INPUT_TABLE || !list->options->events)
        return status;
    status = events_of_input(ctx, list, what, &r->events);
    if (status == SPD_OK && r->events.count)
        r->in.events = &r->events;
    if (status == SPD_OK && !r->in.events)
        status = ctx_fail(ctx, SPD_EINVAL,
                          "has no events: there is no table of them beside it (NAME_events.tsv), "
                          "and no annotations in it");
    return status;
}
