/* c3d_header.c - header and parameters of .c3d files.
 *
 * Words of the header, from 1: byte 1 the block of the parameters, byte 2 the mark 0x50; 2 points,
 * 3 analog numbers per frame, 4 and 5 first and last frame, 7-8 scale, 9 block of the data,
 * 11-12 frames per second. The fourth byte of the parameters tells the machine. Floats of DEC are
 * those of the VAX: words swapped, and four times the IEEE number of these bits. */
#include "formats/c3d.h"

#include <math.h>
#include <string.h>

#include "formats/lines.h"

enum { BLOCK = 512, MARK = 0x50 };

uint16_t c3d_word(const c3d_file *file, const unsigned char *at)
{
    int big = file->machine == C3D_MIPS;
    return (uint16_t)(at[big] | at[!big] << 8);
}

double c3d_float(const c3d_file *file, const unsigned char *at)
{
    uint32_t first = c3d_word(file, at), second = c3d_word(file, at + 2);
    uint32_t bits = file->machine == C3D_INTEL ? second << 16 | first : first << 16 | second;
    float number;
    memcpy(&number, &bits, sizeof number);
    return file->machine == C3D_DEC ? (double)number / 4.0 : (double)number;
}

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
    size_t first = c3d_word(file, file->bytes + 6), last = c3d_word(file, file->bytes + 8);
    if (last >= first && last < UINT16_MAX)
        return last - first + 1;
    double begin = c3d_number(file, "TRIAL", "ACTUAL_START_FIELD", (double)first);
    double end = c3d_number(file, "TRIAL", "ACTUAL_END_FIELD", (double)last);
    double frames = c3d_number(file, "POINT", "LONG_FRAMES", end - begin + 1.0);
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

spd_status c3d_read_header(c3d_file *file)
{
    spd_status status = find_machine(file);
    if (status < 0)
        return status;
    const unsigned char *head = file->bytes;
    size_t block = c3d_word(file, head + 16);
    file->points = c3d_word(file, head + 2);
    file->analog = c3d_word(file, head + 4);
    file->scale = c3d_number(file, "POINT", "SCALE", c3d_float(file, head + 12));
    file->rate = c3d_number(file, "POINT", "RATE", c3d_float(file, head + 20));
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

static int signed_byte(unsigned char byte)
{
    return byte < 128 ? byte : byte - 256;
}

/* One record of the chain. */
typedef struct record {
    word name;
    int group; /* negative: the group itself */
    const unsigned char *body, *end;
} record;

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
    size_t step = c3d_word(file, file->bytes + link);
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

int c3d_find(const c3d_file *file, const char *group, const char *name, c3d_parameter *found)
{
    int number = find_group(file, group);
    size_t at = file->parameters + 4;
    record r;
    while (number && next_record(file, &at, &r))
        if (r.group == number && word_is(&r.name, name))
            return parse_parameter(&r, found);
    return 0;
}

double c3d_number(const c3d_file *file, const char *group, const char *name, double missing)
{
    c3d_parameter p;
    if (!c3d_find(file, group, name, &p) || p.count == 0)
        return missing;
    if (p.type == 4)
        return c3d_float(file, p.data);
    if (p.type != 2)
        return missing;
    double high = p.count > 1 ? (double)c3d_word(file, p.data + 2) : 0.0;
    return (double)c3d_word(file, p.data) + 65536.0 * high;
}
