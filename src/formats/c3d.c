/* c3d.c - markers of .c3d files.
 *
 * A file is a row of blocks of 512 bytes: the header, somewhere the parameters, then the data.
 *
 * Words of the header, from 1: byte 1 the block of the parameters, byte 2 the mark 0x50; 2 points,
 * 3 analog numbers per frame, 4 and 5 first and last frame, 7-8 scale, 9 block of the data,
 * 11-12 frames per second. Floats of DEC are those of the VAX: words swapped, and four times the
 * IEEE number of these bits.
 *
 * Parameters are a chain of records with groups and names; each gives its distance to the next. The
 * fourth byte of their section tells the machine.
 *
 * A frame holds for every point x, y, z and a fourth number whose sign says whether the point was
 * seen; as integers, which POINT:SCALE turns into lengths, or as floats, which are lengths
 * already. A gap between the frames a and b in which a marker was seen is filled by
 *   x(f) = x(a) + (f - a)/(b - a) (x(b) - x(a)). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/lines.h"
#include "formats/motion.h"

enum { BLOCK = 512, MARK = 0x50 };

/* How the machine that wrote the file kept numbers. */
typedef enum c3d_machine { C3D_INTEL = 84, C3D_DEC = 85, C3D_MIPS = 86 } c3d_machine;

typedef struct c3d_file {
    spd_context *ctx;
    const unsigned char *bytes;
    size_t size;
    c3d_machine machine;
    /* from the header */
    size_t points, analog; /* numbers per frame: 4 for each point, and analog ones behind them */
    size_t frames, data;   /* data: offset of the first frame */
    double scale;          /* of integers; not positive: the data are floats */
    double rate;
    size_t parameters, chain_end; /* offsets of the section of parameters, and behind it */
} c3d_file;

/* A parameter's elements. */
typedef struct c3d_parameter {
    const unsigned char *data;
    size_t count;  /* elements: bytes of texts, else numbers */
    int type;      /* -1 characters, 1 bytes, 2 integers, 4 floats */
    size_t length; /* of one text: the first dimension */
} c3d_parameter;

/* A number at an offset that the caller has checked. */
static uint16_t word_at(const c3d_file *file, const unsigned char *at)
{
    int big = file->machine == C3D_MIPS;
    return (uint16_t)(at[big] | at[!big] << 8);
}

static double float_at(const c3d_file *file, const unsigned char *at)
{
    uint32_t first = word_at(file, at), second = word_at(file, at + 2);
    uint32_t bits = file->machine == C3D_INTEL ? second << 16 | first : first << 16 | second;
    float number;
    memcpy(&number, &bits, sizeof number);
    return file->machine == C3D_DEC ? (double)number / 4.0 : (double)number;
}

/* ---- parameters --------------------------------------------------------------------------- */

/* One record of the chain. */
typedef struct record {
    word name;
    int group; /* negative: the group itself */
    const unsigned char *body, *end;
} record;

static int signed_byte(unsigned char byte)
{
    return byte < 128 ? byte : byte - 256;
}

/* The record at *at, which moves to the next; zero at the end of the chain, or where it leaves
 * the file or turns back. */
static int next_record(const c3d_file *file, size_t *at, record *out)
{
    if (*at + 2 > file->chain_end)
        return 0;
    int length = signed_byte(file->bytes[*at]);
    size_t name = (size_t)(length < 0 ? -length : length);
    size_t link = *at + 2 + name;
    if (name == 0 || link + 2 > file->chain_end)
        return 0;
    size_t step = word_at(file, file->bytes + link);
    out->name = (word){(const char *)file->bytes + *at + 2, name};
    out->group = signed_byte(file->bytes[*at + 1]);
    out->body = file->bytes + link + 2;
    *at = step < 2 ? file->chain_end : link + step; /* 0 marks the last */
    out->end = file->bytes + (*at < file->chain_end ? *at : file->chain_end);
    return 1;
}

/* The number of a group, or 0. */
static int find_group(const c3d_file *file, const char *group)
{
    size_t at = file->parameters + 4;
    record r;
    while (next_record(file, &at, &r))
        if (r.group < 0 && word_is(&r.name, group))
            return -r.group;
    return 0;
}

/* Type, dimensions and data of a record; zero when they do not fit into it. */
static int parse_parameter(const record *r, c3d_parameter *out)
{
    size_t left = (size_t)(r->end - r->body);
    if (left < 2)
        return 0;
    size_t dimensions = r->body[1], count = 1;
    if (dimensions > 7 || left < 2 + dimensions)
        return 0;
    for (size_t i = 0; i < dimensions; i++)
        count *= r->body[2 + i]; /* at most 255^7 < 2^56 */
    out->type = signed_byte(r->body[0]);
    out->data = r->body + 2 + dimensions;
    out->count = count;
    out->length = dimensions > 1 ? r->body[2] : dimensions == 1 ? count : 1;
    size_t size = out->type == 2 ? 2 : out->type == 4 ? 4 : 1;
    return count <= (left - 2 - dimensions) / size;
}

/* The parameter GROUP:NAME; non-zero when there is one. */
static int find_parameter(const c3d_file *file, const char *group, const char *name,
                          c3d_parameter *found)
{
    int number = find_group(file, group);
    size_t at = file->parameters + 4;
    record r;
    while (number && next_record(file, &at, &r))
        if (r.group == number && word_is(&r.name, name))
            return parse_parameter(&r, found);
    return 0;
}

/* The number in a parameter; missing when there is none. Two words are one number. */
static double number_of(const c3d_file *file, const char *group, const char *name, double missing)
{
    c3d_parameter p;
    if (!find_parameter(file, group, name, &p) || p.count == 0)
        return missing;
    if (p.type == 4)
        return float_at(file, p.data);
    if (p.type != 2)
        return missing;
    double high = p.count > 1 ? (double)word_at(file, p.data + 2) : 0.0;
    return (double)word_at(file, p.data) + 65536.0 * high;
}

/* ---- the header --------------------------------------------------------------------------- */

/* The machine, from the parameter section, which must be there. */
static spd_status find_machine(c3d_file *file)
{
    if (file->size < BLOCK || file->bytes[1] != MARK || file->bytes[0] == 0)
        return ctx_fail(file->ctx, SPD_EFORMAT, "the header of a .c3d file is missing");
    file->parameters = (size_t)(file->bytes[0] - 1) * BLOCK;
    if (file->parameters == 0 || file->parameters + 4 > file->size)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "the parameters should begin at byte %zu of %zu; the file is cut off",
                        file->parameters, file->size);
    size_t blocks = file->bytes[file->parameters + 2], left = file->size - file->parameters;
    blocks = blocks ? blocks : 255; /* some programs do not fill it in */
    file->chain_end = blocks * BLOCK < left ? file->parameters + blocks * BLOCK : file->size;
    int machine = file->bytes[file->parameters + 3];
    if (machine != C3D_INTEL && machine != C3D_DEC && machine != C3D_MIPS)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "processor type %d is not 84 (Intel), 85 (DEC) or 86 (MIPS)", machine);
    file->machine = (c3d_machine)machine;
    return SPD_OK;
}

/* Frames: the header's words end at 65535; longer clips say it in parameters. The count is a claim
 * that is checked against the bytes. */
static size_t count_frames(const c3d_file *file)
{
    size_t first = word_at(file, file->bytes + 6), last = word_at(file, file->bytes + 8);
    if (last >= first && last < UINT16_MAX)
        return last - first + 1;
    double begin = number_of(file, "TRIAL", "ACTUAL_START_FIELD", (double)first);
    double end = number_of(file, "TRIAL", "ACTUAL_END_FIELD", (double)last);
    double frames = number_of(file, "POINT", "LONG_FRAMES", end - begin + 1.0);
    return frames >= 1.0 && frames < 4e9 ? (size_t)frames : 0;
}

static spd_status check_data(c3d_file *file)
{
    size_t number = file->scale > 0.0 ? 2 : 4;
    size_t frame = (4 * file->points + file->analog) * number;
    if (file->points == 0)
        return ctx_fail(file->ctx, SPD_EFORMAT, "there are no 3-D points in this .c3d file");
    if (file->frames == 0)
        return ctx_fail(file->ctx, SPD_EFORMAT, "there are no frames in this .c3d file");
    size_t there = file->size > file->data ? (file->size - file->data) / frame : 0;
    if (there < file->frames)
        return ctx_fail(file->ctx, SPD_EFORMAT,
                        "%zu of %zu frames are in the file; it is cut off or damaged", there,
                        file->frames);
    return SPD_OK;
}

/* Fills everything but ctx, bytes and size; SPD_EFORMAT when the sections do not fit. */
static spd_status read_header(c3d_file *file)
{
    spd_status status = find_machine(file);
    if (status < 0)
        return status;
    const unsigned char *head = file->bytes;
    size_t block = word_at(file, head + 16);
    file->points = word_at(file, head + 2);
    file->analog = word_at(file, head + 4);
    file->scale = number_of(file, "POINT", "SCALE", float_at(file, head + 12));
    file->rate = number_of(file, "POINT", "RATE", float_at(file, head + 20));
    file->frames = count_frames(file);
    if (block == 0)
        return ctx_fail(file->ctx, SPD_EFORMAT, "the header does not say where the data begin");
    file->data = (block - 1) * BLOCK;
    if (!isfinite(file->scale))
        return ctx_fail(file->ctx, SPD_EFORMAT, "POINT:SCALE is not a finite number");
    if (!(file->rate > 0.0) || !isfinite(file->rate))
        file->rate = 0.0;
    return check_data(file);
}

/* ---- markers ------------------------------------------------------------------------------ */

/* x (3) <- the point at an offset into the data; zero when it was not seen. */
static int read_point(const c3d_file *file, const unsigned char *at, double *x)
{
    double mark;
    if (file->scale > 0.0) {
        for (size_t i = 0; i < 3; i++)
            x[i] = (double)(int16_t)word_at(file, at + 2 * i) * file->scale;
        mark = (double)(int16_t)word_at(file, at + 6);
    } else {
        for (size_t i = 0; i < 3; i++)
            x[i] = float_at(file, at + 4 * i);
        mark = float_at(file, at + 12);
    }
    return mark >= 0.0 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* Between the frames a and b, in both of which the marker at x was seen. */
static void fill_gap(double *x, size_t stride, size_t a, size_t b)
{
    for (size_t f = a + 1; f < b; f++) {
        double t = (double)(f - a) / (double)(b - a);
        for (size_t i = 0; i < 3; i++)
            x[f * stride + i] = (1.0 - t) * x[a * stride + i] + t * x[b * stride + i];
    }
}

static void repeat(double *x, size_t stride, size_t from, size_t begin, size_t end)
{
    for (size_t f = begin; f < end; f++)
        memcpy(x + f * stride, x + from * stride, 3 * sizeof *x);
}

/* All frames of one marker; zero when it was never seen. */
static int read_marker(const c3d_file *file, size_t point, motion *clip)
{
    size_t number = file->scale > 0.0 ? 2 : 4, stride = 3 * clip->joints;
    size_t frame = (4 * file->points + file->analog) * number;
    const unsigned char *at = file->bytes + file->data + 4 * point * number;
    double *x = clip->position + 3 * point;
    size_t last = clip->frames; /* none seen yet */
    for (size_t f = 0; f < clip->frames; f++) {
        if (!read_point(file, at + f * frame, x + f * stride))
            continue;
        if (last == clip->frames)
            repeat(x, stride, f, 0, f);
        else
            fill_gap(x, stride, last, f);
        last = f;
    }
    if (last == clip->frames)
        return 0;
    repeat(x, stride, last, last + 1, clip->frames);
    return 1;
}

/* A new text from one label, blanks at its end dropped. */
static char *label(const unsigned char *bytes, size_t length)
{
    char plain[256]; /* a dimension is one byte */
    memcpy(plain, bytes, length);
    while (length && (plain[length - 1] == ' ' || plain[length - 1] == '\0'))
        length--;
    plain[length] = '\0';
    return text_from_bytes(plain);
}

/* POINT:LABELS holds up to 255 names, LABELS2 and so on the next ones; points beyond them have
 * empty names. */
static spd_status read_names(const c3d_file *file, motion *clip)
{
    char name[32] = "LABELS";
    c3d_parameter p;
    size_t i = 0;
    for (size_t part = 2; i < clip->joints && find_parameter(file, "POINT", name, &p); part++) {
        if (p.type != -1 || p.length == 0 || p.count == 0)
            break;
        for (size_t k = 0; k < p.count / p.length && i < clip->joints; k++, i++)
            if (!(clip->name[i] = label(p.data + k * p.length, p.length)))
                return ctx_nomem(file->ctx, "names of markers");
        snprintf(name, sizeof name, "LABELS%zu", part);
    }
    for (; i < clip->joints; i++)
        if (!(clip->name[i] = mem_text("")))
            return ctx_nomem(file->ctx, "names of markers");
    return SPD_OK;
}

static spd_status read_markers(const c3d_file *file, motion *clip)
{
    for (size_t i = 0; i < clip->joints; i++)
        if (!read_marker(file, i, clip))
            return ctx_fail(file->ctx, SPD_EFORMAT,
                            "marker %zu ('%s') is seen in no frame; remove it from the file, or "
                            "leave this clip out",
                            i + 1, word_show_text(clip->name[i]).text);
    return SPD_OK;
}

spd_status c3d_parse(spd_context *ctx, const unsigned char *bytes, size_t size, motion **clip)
{
    c3d_file file = {.ctx = ctx, .bytes = bytes, .size = size};
    motion *fresh = NULL;
    spd_status status = read_header(&file);
    if (status == SPD_OK)
        status = motion_new(ctx, file.frames, file.points, &fresh);
    if (status == SPD_OK)
        status = read_names(&file, fresh);
    if (status == SPD_OK)
        status = read_markers(&file, fresh);
    if (status == SPD_OK) {
        fresh->rate = file.rate;
        *clip = fresh;
    } else {
        motion_free(fresh);
    }
    return status;
}
