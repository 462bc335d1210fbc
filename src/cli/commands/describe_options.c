/* describe_options.c - from the command line to the library's options of a description. */
#include "cli/commands/describe_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

words describe_kinds(void)
{
    return option_names(SPD_ENUM_DESCRIPTOR);
}

/* ---- values of several parts ----------------------------------------------------------------- */

/* *value <- the whole number at *text, up to a million; *text moves behind it. Non-zero: none. */
static int parse_count(const char **text, size_t *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return 1;
    unsigned long number = strtoul(*text, &end, 10);
    if (number > 1000000)
        return 1;
    *value = number;
    *text = end;
    return 0;
}

/* *first, *second <- "3x4". Non-zero when text is not that. */
static int parse_pair(const char *text, size_t *first, size_t *second)
{
    if (parse_count(&text, first) || *text++ != 'x' || parse_count(&text, second))
        return 1;
    return *text != '\0';
}

/* What follows reads the text of an option; non-zero when it is none of what is expected. */

static int take_size(const char *text, spd_describe_options *o)
{
    if (!parse_pair(text, &o->width, &o->height))
        return 0;
    int bad = parse_count(&text, &o->width) || *text;
    o->height = o->width;
    return bad;
}

/* Cells of a grid, at least one each way. */
static int take_grid(const char *text, spd_describe_options *o)
{
    return parse_pair(text, &o->grid_rows, &o->grid_columns) || !o->grid_rows || !o->grid_columns;
}

static int take_regions(const char *text, spd_describe_options *o)
{
    int known = spd_parse(NULL, SPD_ENUM_REGIONS, text);
    o->regions = known < 0 ? SPD_REGIONS_GRID : (spd_regions)known;
    return o->regions == SPD_REGIONS_GRID && take_grid(text, o);
}

static int take_frames(const char *text, spd_describe_options *o)
{
    int bad = (*text != ':' && parse_count(&text, &o->first_frame)) || *text++ != ':' ||
              (*text && parse_count(&text, &o->last_frame)) || *text;
    return bad || (o->last_frame && o->last_frame <= o->first_frame);
}

/* "12-14,16-18" */
static int take_bands(const char *text, spd_describe_options *o)
{
    o->bands = 1;
    for (const char *c = text; *c; c++)
        o->bands += *c == ',';
    double *edge = cli_alloc_table(o->bands, 2, sizeof *edge, "bands");
    for (size_t k = 0; k < 2 * o->bands; k++) {
        char *end;
        edge[k] = strtod(text, &end);
        char after = k % 2 == 0 ? '-' : k + 1 < 2 * o->bands ? ',' : '\0';
        if (end == text || *text == '-' || *end != after || !isfinite(edge[k]))
            return 1;
        text = end + 1;
    }
    o->band = edge;
    return 0;
}

/* "-0.5:2" */
static int take_epoch(const char *text, spd_describe_options *o)
{
    char *end;
    o->epoch_from = strtod(text, &end);
    if (end == text || *end != ':' || !isfinite(o->epoch_from))
        return 1;
    const char *second = end + 1;
    o->epoch_to = strtod(second, &end);
    return end == second || *end || !isfinite(o->epoch_to) || !(o->epoch_from < o->epoch_to);
}

static int take_shrinkage(const char *text, spd_describe_options *o)
{
    spd_covariance_options *c = &o->covariance;
    int known = spd_parse(NULL, SPD_ENUM_SHRINKAGE, text);
    c->shrinkage = known < 0 ? SPD_SHRINKAGE_VALUE : (spd_shrinkage)known;
    if (c->shrinkage != SPD_SHRINKAGE_VALUE)
        return 0;
    return option_parse_real(text, &c->shrink) || !(c->shrink >= 0.0 && c->shrink <= 1.0);
}

static const struct {
    const char *name;
    int (*take)(const char *text, spd_describe_options *o);
    const char *expected;
} texts[] = {
    {"shrinkage", take_shrinkage, "none, oas, ledoit-wolf or a number from 0 to 1"},
    {"size", take_size, "a number of pixels or WIDTHxHEIGHT, such as 64x48"},
    {"regions", take_regions, "whole, halves or ROWSxCOLUMNS, such as 2x2"},
    {"grid", take_grid, "ROWSxCOLUMNS, such as 3x4"},
    {"frames", take_frames, "FIRST:LAST with FIRST below LAST, such as 10:200 or 10:"},
    {"epoch", take_epoch, "FROM:TO in seconds with FROM below TO, such as 0.5:2.5"},
    {"bands", take_bands, "LOW-HIGH in Hz, separated by commas: 12-14,16-18"},
};

/* ---- files ----------------------------------------------------------------------------------- */

static void take_model(session *s, spd_covariance_options *o)
{
    const char *path = arguments_text(s->args, "model");
    if (!path)
        return;
    spd_model *model = session_model(s, path);
    if (model->options->hermitian)
        cli_fail("%s: is a map of complex matrices; observations are real numbers", path);
    o->W = model->W;
    o->m = model->m;
    o->n = model->n;
}

/* A table of rectangles: whole numbers, sizes above zero. */
static void take_rects(session *s, spd_describe_options *o)
{
    const char *path = arguments_text(s->args, "rects");
    spd_array *table;
    if (!path)
        return;
    table = session_read(s, path, NULL);
    size_t columns = table->ndim == 2 ? table->shape[1] : table->count;
    if (table->ndim > 2 || columns != 4 || table->count == 0)
        cli_fail("%s: rectangles need four columns: x, y, width, height", path);
    o->rects = table->count / 4;
    spd_rect *rect = cli_alloc_table(o->rects, 1, sizeof *rect, "rectangles");
    for (size_t i = 0; i < table->count; i++) {
        double value = table->type == SPD_TYPE_INT64     ? (double)table->i64[i]
                       : table->type == SPD_TYPE_FLOAT64 ? table->f64[i]
                                                         : -1.0;
        size_t *part[] = {&rect[i / 4].x, &rect[i / 4].y, &rect[i / 4].width, &rect[i / 4].height};
        if (!(value >= (i % 4 < 2 ? 0.0 : 1.0) && value <= 1e6 && value == floor(value)))
            cli_fail("%s: rectangle %zu is not given in whole numbers of pixels", path, i / 4);
        *part[i % 4] = (size_t)value;
    }
    o->rect = rect;
}

/* ---- all ------------------------------------------------------------------------------------- */

int describe_options_take(session *s, spd_descriptor *kind, spd_describe_options *o)
{
    unsigned number;
    int code = arguments_kind(s->args, "descriptor", SPD_ENUM_DESCRIPTOR, &number);
    if (code)
        return code;
    *kind = (spd_descriptor)number;
    spd_describe_defaults(*kind, o, sizeof *o);
    ARGUMENTS_FILL(s->args, spd_describe_options, o);
    o->center_root = arguments_count(s->args, "center") > 0;
    if (o->index && arguments_count(s->args, "label-by"))
        cli_misuse("--labels and --label-by cannot be used together");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!arguments_count(s->args, texts[i].name))
            continue;
        const char *text = arguments_text(s->args, texts[i].name);
        if (texts[i].take(text, o))
            cli_misuse("--%s %s: must be %s", texts[i].name, text, texts[i].expected);
    }
    take_rects(s, o);
    take_model(s, &o->covariance);
    return CLI_GOOD;
}
