/* npy_header.c - a small strict parser of the dictionary in an .npy header:
 *
 *   {'descr': '<f8', 'fortran_order': False, 'shape': (200, 93, 93), }
 *
 * Three keys, in any order, each once; then only white space. Nothing is allocated here, and
 * sizes are refused when their product does not fit. */
#include "io/npy.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_space(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
        c->at++;
}

/* Takes one character after white space; zero when it is another. */
static int take(cursor *c, char wanted)
{
    skip_space(c);
    if (c->at == c->end || *c->at != wanted)
        return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_space(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return 0;
    c->at += length;
    return 1;
}

/* A quoted text without escapes; *from and *length name the part between the quotes. */
static int take_text(cursor *c, const char **from, size_t *length)
{
    skip_space(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return 0;
    const char *close = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at - 1));
    if (!close)
        return 0;
    *from = c->at + 1;
    *length = (size_t)(close - *from);
    c->at = close + 1;
    return 1;
}

/* A decimal number, with Python 2's L allowed; zero when there is none or it does not fit. */
static int take_size(cursor *c, size_t *value)
{
    size_t sum = 0;
    skip_space(c);
    const char *start = c->at;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++)
        if (mem_mul(sum, 10, &sum) || __builtin_add_overflow(sum, (size_t)(*c->at - '0'), &sum))
            return 0;
    if (c->at == start)
        return 0;
    if (c->at < c->end && *c->at == 'L')
        c->at++;
    *value = sum;
    return 1;
}

static spd_status parse_shape(spd_context *ctx, cursor *c, npy_header *h)
{
    if (!take(c, '('))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed");
    h->ndim = 0;
    while (!take(c, ')')) {
        if (h->ndim == SPD_MAX_DIMS)
            return ctx_fail(ctx, SPD_EFORMAT, "has more than %d dimensions", SPD_MAX_DIMS);
        if (!take_size(c, &h->shape[h->ndim]))
            return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed or too large");
        h->ndim++;
        if (!take(c, ',') && (c->at == c->end || *c->at != ')'))
            return ctx_fail(ctx, SPD_EFORMAT, "the header's shape is malformed");
    }
    return SPD_OK;
}

/* A type as one text: byte order, kind, width. Kinds we cannot decode keep their letter. */
static spd_status parse_descr_text(spd_context *ctx, const char *text, size_t length, npy_header *h)
{
    cursor c = {text, text + length};
    char start[21];
    snprintf(start, sizeof start, "%.*s", length < 20 ? (int)length : 20, text);
    text_plain(start, h->descr, sizeof h->descr);
    if (c.at < c.end && strchr("<>|=", *c.at))
        h->swap = *c.at++ == '>';
    if (c.at == c.end)
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type '%s' is malformed", h->descr);
    h->kind = *c.at++;
    h->width = 0;
    if (c.at < c.end && !take_size(&c, &h->width))
        h->kind = '?'; /* dates such as M8[ns] are not decoded; their width is not needed */
    if (h->kind == 'U' && mem_mul(h->width, 4, &h->width))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type '%s' is too wide", h->descr);
    return SPD_OK;
}

/* A structured type is a list; it is passed over, brackets and quotes matched. */
static spd_status skip_structure(spd_context *ctx, cursor *c, npy_header *h)
{
    int depth = 0;
    h->kind = 'V';
    snprintf(h->descr, sizeof h->descr, "structured");
    do {
        const char *from;
        size_t length;
        if (take(c, '[') || take(c, '('))
            depth++;
        else if (take(c, ']') || take(c, ')'))
            depth--;
        else if (!take_text(c, &from, &length) && c->at < c->end)
            c->at++;
    } while (depth > 0 && c->at < c->end);
    if (depth != 0)
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type is malformed");
    return SPD_OK;
}

static spd_status parse_descr(spd_context *ctx, cursor *c, npy_header *h)
{
    const char *from;
    size_t length;
    skip_space(c);
    if (c->at < c->end && *c->at == '[')
        return skip_structure(ctx, c, h);
    if (!take_text(c, &from, &length))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's element type is malformed");
    return parse_descr_text(ctx, from, length, h);
}

/* One `key: value` pair; seen gathers a bit per key. */
static spd_status parse_pair(spd_context *ctx, cursor *c, npy_header *h, unsigned *seen)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    const char *from = "";
    size_t length = 0;
    unsigned k = 3;
    if (take_text(c, &from, &length) && take(c, ':'))
        for (k = 0; k < 3; k++)
            if (length == strlen(keys[k]) && memcmp(from, keys[k], length) == 0)
                break;
    if (k == 3 || (*seen & 1u << k))
        return ctx_fail(ctx, SPD_EFORMAT, "the header is not that of an .npy file");
    *seen |= 1u << k;
    if (k == 0)
        return parse_descr(ctx, c, h);
    if (k == 2)
        return parse_shape(ctx, c, h);
    h->fortran = take_word(c, "True");
    if (!h->fortran && !take_word(c, "False"))
        return ctx_fail(ctx, SPD_EFORMAT, "the header's fortran_order is neither True nor False");
    return SPD_OK;
}

static spd_status check_sizes(spd_context *ctx, npy_header *h)
{
    char text[80];
    size_t step = 1;
    if (array_count(h->ndim, h->shape, &h->count) || mem_mul(h->count, h->width, &h->bytes)) {
        array_shape_text(h->ndim, h->shape, text, sizeof text);
        return ctx_fail(ctx, SPD_EFORMAT,
                        "the header promises %s elements, more than any memory can hold", text);
    }
    walk_fortran(h->ndim, h->shape, h->stride);
    for (size_t d = h->ndim; d-- > 0 && !h->fortran; step *= h->shape[d])
        h->stride[d] = step;
    return SPD_OK;
}

spd_status npy_parse_dictionary(spd_context *ctx, const char *text, size_t size, npy_header *header)
{
    cursor c = {text, text + size};
    unsigned seen = 0;
    memset(header, 0, sizeof *header);
    if (!take(&c, '{'))
        return ctx_fail(ctx, SPD_EFORMAT, "the header is not that of an .npy file");
    while (!take(&c, '}')) {
        spd_status status = parse_pair(ctx, &c, header, &seen);
        if (status < 0)
            return status;
        if (!take(&c, ',') && (c.at == c.end || *c.at != '}'))
            return ctx_fail(ctx, SPD_EFORMAT, "the header is malformed");
    }
    skip_space(&c);
    if (seen != 7 || c.at != c.end)
        return ctx_fail(ctx, SPD_EFORMAT, "the header lacks descr, fortran_order or shape");
    return check_sizes(ctx, header);
}
