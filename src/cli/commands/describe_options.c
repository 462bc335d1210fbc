/* describe_options.c - from the command line to the library's options of a description. */
#include "cli/commands/describe_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/kinds.h"

/* ---- which options belong to which kind --------------------------------------------------------
 */

static const kind_options serves[] = {{options_describe_signals, KIND(SPD_DESCRIBE_COVARIANCE)},
                                      {options_describe_images, KIND(SPD_DESCRIBE_SIFT_COLOR) |
                                                                    KIND(SPD_DESCRIBE_GABOR) |
                                                                    KIND(SPD_DESCRIBE_REGION)},
                                      {options_describe_sift, KIND(SPD_DESCRIBE_SIFT_COLOR)},
                                      {options_describe_gabor, KIND(SPD_DESCRIBE_GABOR)},
                                      {options_describe_region, KIND(SPD_DESCRIBE_REGION)},
                                      {options_describe_motion, KIND(SPD_DESCRIBE_JOINTS)},
                                      {NULL, 0}};

static const char *kind_name(size_t kind)
{
    return spd_descriptor_name((spd_descriptor)kind);
}

/* ---- values of several parts ------------------------------------------------------------------
 */

static int bad_value(const char *name, const char *text, const char *expected)
{
    cli_error("--%s %s: must be %s", name, text, expected);
    return CLI_MISUSED;
}

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

static int take_size(session *s, spd_describe_options *o)
{
    const char *text = arguments_text(s->args, "size"), *at = text;
    size_t side;
    if (!text || !parse_pair(text, &o->width, &o->height))
        return CLI_GOOD;
    if (parse_count(&at, &side) || *at)
        return bad_value("size", text, "a number of pixels or WIDTHxHEIGHT, such as 64x48");
    o->width = o->height = side;
    return CLI_GOOD;
}

/* Cells of a grid, at least one each way. */
static int take_grid(const char *name, const char *text, spd_describe_options *o)
{
    if (parse_pair(text, &o->grid_rows, &o->grid_columns) || !o->grid_rows || !o->grid_columns)
        return bad_value(name, text,
                         strcmp(name, "grid") == 0 ? "ROWSxCOLUMNS, such as 3x4"
                                                   : "whole, halves or ROWSxCOLUMNS, such as 2x2");
    return CLI_GOOD;
}

static int take_regions(session *s, spd_describe_options *o)
{
    const char *text = arguments_text(s->args, "regions");
    if (!arguments_count(s->args, "regions"))
        return CLI_GOOD;
    if (spd_regions_parse(NULL, text, &o->regions) != SPD_OK)
        o->regions = SPD_REGIONS_GRID;
    return o->regions == SPD_REGIONS_GRID ? take_grid("regions", text, o) : CLI_GOOD;
}

static int take_frames(session *s, spd_describe_options *o)
{
    const char *text = arguments_text(s->args, "frames"), *at = text;
    if (!text)
        return CLI_GOOD;
    int bad = (*at != ':' && parse_count(&at, &o->first_frame)) || *at++ != ':' ||
              (*at && parse_count(&at, &o->last_frame)) || *at;
    if (bad || (o->last_frame && o->last_frame <= o->first_frame))
        return bad_value("frames", text, "FIRST:LAST with FIRST below LAST, such as 10:200 or 10:");
    return CLI_GOOD;
}

static size_t count_parts(const char *text, char separator)
{
    size_t parts = 1;
    for (; *text; text++)
        parts += *text == separator;
    return parts;
}

/* "12-14,16-18" */
static int take_bands(session *s, spd_describe_options *o)
{
    const char *text = arguments_text(s->args, "bands"), *at = text;
    if (!text)
        return CLI_GOOD;
    size_t bands = count_parts(text, ',');
    double *edge = session_table(s, bands, 2, sizeof *edge, "bands");
    for (size_t k = 0; k < 2 * bands; k++) {
        char *end;
        edge[k] = strtod(at, &end);
        char after = k % 2 == 0 ? '-' : k + 1 < 2 * bands ? ',' : '\0';
        if (end == at || *at == '-' || *end != after || !isfinite(edge[k]))
            return bad_value("bands", text, "LOW-HIGH in Hz, separated by commas: 12-14,16-18");
        at = end + 1;
    }
    o->bands = bands;
    o->band = edge;
    return CLI_GOOD;
}

static int take_shrinkage(session *s, spd_covariance_options *o)
{
    const char *text = arguments_text(s->args, "shrinkage");
    spd_shrinkage named;
    if (spd_shrinkage_parse(NULL, text, &named) == SPD_OK && named != SPD_SHRINK_VALUE) {
        o->shrinkage = named;
        return CLI_GOOD;
    }
    o->shrinkage = SPD_SHRINK_VALUE;
    if (option_parse_real(text, &o->shrink) || !(o->shrink >= 0.0 && o->shrink <= 1.0))
        return bad_value("shrinkage", text, "none, oas, ledoit-wolf or a number from 0 to 1");
    return CLI_GOOD;
}

/* ---- files ------------------------------------------------------------------------------------
 */

static int take_model(session *s, spd_covariance_options *o)
{
    const char *path = arguments_text(s->args, "model");
    spd_model *model;
    int code = path ? session_model(s, path, &model) : CLI_GOOD;
    if (code || !path)
        return code;
    o->W = model->W;
    o->m = model->m;
    o->n = model->n;
    return CLI_GOOD;
}

/* A table of rectangles: whole numbers, sizes above zero. */
static int take_rects(session *s, spd_describe_options *o)
{
    const char *path = arguments_text(s->args, "rects");
    spd_array *table;
    int code = path ? session_array(s, path, &table) : CLI_GOOD;
    if (code || !path)
        return code;
    size_t columns = table->ndim == 2 ? table->shape[1] : table->count;
    if (table->ndim > 2 || columns != 4 || table->count == 0) {
        cli_error("%s: rectangles need four columns: x, y, width, height", path);
        return CLI_FAILED;
    }
    o->rects = table->count / 4;
    spd_rect *rect = session_table(s, o->rects, 1, sizeof *rect, "rectangles");
    for (size_t i = 0; i < table->count; i++) {
        double value = table->type == SPD_INT64     ? (double)table->i64[i]
                       : table->type == SPD_FLOAT64 ? table->f64[i]
                                                    : -1.0;
        size_t *part[] = {&rect[i / 4].x, &rect[i / 4].y, &rect[i / 4].width, &rect[i / 4].height};
        if (!(value >= (i % 4 < 2 ? 0.0 : 1.0) && value <= 1e6 && value == floor(value))) {
            cli_error("%s: rectangle %zu is not given in whole numbers of pixels", path, i / 4);
            return CLI_FAILED;
        }
        *part[i % 4] = (size_t)value;
    }
    o->rect = rect;
    return CLI_GOOD;
}

/* ---- all --------------------------------------------------------------------------------------
 */

/* Options of one value: what is not given keeps the descriptor's default. */
static void take_simple(const arguments *args, spd_describe_options *o)
{
    arguments_take_count(args, "order", &o->order);
    arguments_take_count(args, "sift-step", &o->step);
    arguments_take_count(args, "sift-bin", &o->bin);
    arguments_take_count(args, "scales", &o->scales);
    arguments_take_count(args, "orientations", &o->orientations);
    arguments_take_count(args, "temporal-pyramid", &o->pyramid);
    arguments_take_real(args, "regularize", &o->covariance.regularize);
    arguments_take_real(args, "rate", &o->rate);
    arguments_take_real(args, "window", &o->window);
    arguments_take_real(args, "step", &o->stride);
    arguments_take_real(args, "smooth", &o->smooth);
    arguments_take_real(args, "kmax", &o->kmax);
    arguments_take_real(args, "spacing", &o->spacing);
    arguments_take_real(args, "sigma", &o->sigma);
    o->channels_first = arguments_flag(args, "channels-first");
    o->keep_images = arguments_flag(args, "keep-images");
    o->keep_going = arguments_flag(args, "keep-going");
    o->grey |= arguments_flag(args, "no-color");
    o->center_root = arguments_count(args, "center") > 0;
    o->group = arguments_text(args, "group");
    o->asf = arguments_text(args, "asf");
    o->x_name = arguments_text(args, "x");
    o->y_name = arguments_text(args, "y");
}

static int take_labels(session *s, spd_describe_options *o)
{
    const char *by = arguments_text(s->args, "label-by");
    o->index = arguments_text(s->args, "labels");
    o->pattern = arguments_text(s->args, "label-pattern");
    if ((o->index != NULL) + (o->pattern != NULL) + (arguments_count(s->args, "label-by") > 0) >
        1) {
        cli_error("--labels, --label-pattern and --label-by cannot be used together");
        return CLI_MISUSED;
    }
    spd_label_source_parse(NULL, o->pattern ? "pattern" : by, &o->labels);
    return CLI_GOOD;
}

int describing_take(session *s, describing *d)
{
    static const kind_table kinds = {"descriptor", kind_name, serves};
    spd_describe_options *o = &d->options;
    size_t kind;
    int code = kinds_take(s, &kinds, &kind);
    if (code)
        return code;
    d->kind = (spd_descriptor)kind;
    spd_describe_defaults(d->kind, o, sizeof *o);
    take_simple(s->args, o);
    code = take_labels(s, o);
    if (!code)
        code = take_shrinkage(s, &o->covariance);
    if (!code)
        code = take_size(s, o);
    if (!code)
        code = take_regions(s, o);
    if (!code && arguments_text(s->args, "grid"))
        code = take_grid("grid", arguments_text(s->args, "grid"), o);
    if (!code)
        code = take_frames(s, o);
    if (!code)
        code = take_bands(s, o);
    if (!code)
        code = take_rects(s, o);
    return code ? code : take_model(s, &o->covariance);
}
