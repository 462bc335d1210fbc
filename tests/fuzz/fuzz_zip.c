/* fuzz_zip.c - a recipe for a zip archive, most of which tells the truth: its members are read as
 * arrays, as a model file and as a data set, past checksums, sizes and places. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "fuzz.h"
#include "io/file.h"
#include "io/zip.h"

enum { MEMBERS = 6, ROOM = 1 << 16, CONTENT = 1 << 13 };

/* An archive that grows; what does not fit is dropped. */
typedef struct pad {
    unsigned char bytes[ROOM];
    size_t size;
} pad;

/* A member as the archive tells of it. */
typedef struct claim {
    char name[40];
    uint64_t at, packed, size;
    uint32_t crc;
    unsigned method, flags;
} claim;

static void put(pad *p, const void *bytes, size_t size)
{
    if (size <= ROOM - p->size) {
        memcpy(p->bytes + p->size, bytes, size);
        p->size += size;
    }
}

static void put_number(pad *p, uint64_t value, size_t size)
{
    unsigned char bytes[24] = {0};
    for (size_t i = 0; i < size && i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    put(p, bytes, size);
}

/* ---- contents -------------------------------------------------------------------------------- */

/* content <- an .npy file: a header of a few words, and data; its size. */
static size_t make_npy(fuzz_input *in, unsigned char *content)
{
    static const char *const types[] = {"<f8", ">f8", "<f4", "<i8",  "|b1", "<U2",
                                        "|S3", "<i2", "|u1", "<c16", "|O",  "<f2"};
    char head[160];
    unsigned dims[3], kind = fuzz_byte(in);
    size_t length = 0, elements = 1, size;
    for (size_t i = 0; i < 3; i++) {
        dims[i] = fuzz_byte(in) % 8;
        elements *= i < kind % 4 ? dims[i] : 1;
    }
    static const char *const shapes[] = {"()", "(%u,)", "(%u, %u)", "(%u, %u, %u)"};
    char shape[40];
    snprintf(shape, sizeof shape, shapes[kind % 4], dims[0], dims[1], dims[2]);
    length = (size_t)snprintf(
        head, sizeof head, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
        types[fuzz_below(in, sizeof types / sizeof *types)], kind & 4 ? "True" : "False", shape);
    memcpy(content, "\x93NUMPY\1\0", 8);
    content[8] = (unsigned char)length;
    content[9] = 0;
    memcpy(content + 10, head, length);
    size = 10 + length;
    for (size_t i = 0; i < elements; i++) {
        double value = fuzz_real(in);
        memcpy(content + size, &value, sizeof value);
        size += sizeof value;
    }
    return kind & 8 ? size - fuzz_byte(in) % 9 : size;
}

static size_t make_content(fuzz_input *in, unsigned char *content)
{
    unsigned kind = fuzz_byte(in) % 3;
    if (kind == 0)
        return make_npy(in, content);
    size_t size = (size_t)fuzz_number(in, 2) % 600;
    size = size < in->left ? size : in->left;
    memcpy(content, in->at, size);
    in->at += size;
    in->left -= size;
    return size;
}

/* Any bytes as a deflated stream: what comes out of them is what the directory says. */
static void tell_inflated(claim *c, const unsigned char *packed, size_t size)
{
    static unsigned char out[CONTENT];
    z_stream stream = {.next_in = (z_const Bytef *)(uintptr_t)packed, .avail_in = (uInt)size};
    stream.next_out = out;
    stream.avail_out = sizeof out;
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return;
    inflate(&stream, Z_FINISH);
    c->size = sizeof out - stream.avail_out;
    c->crc = (uint32_t)crc32(0, out, (uInt)c->size);
    inflateEnd(&stream);
}

/* The packed bytes: as they are, as one stored block of a deflated stream, or taken for one. */
static void put_packed(fuzz_input *in, pad *p, claim *c, const unsigned char *content, size_t size)
{
    unsigned how = fuzz_byte(in) % 3;
    c->packed = c->size = size;
    c->crc = (uint32_t)crc32(0, content, (uInt)size);
    c->method = how ? ZIP_DEFLATED : ZIP_STORED;
    if (how == 1) {
        put_number(p, 1, 1);
        put_number(p, size, 2);
        put_number(p, ~size & 0xffff, 2);
        c->packed += 5;
    }
    put(p, content, size);
    if (how == 2)
        tell_inflated(c, content, size);
}

/* ---- the archive ----------------------------------------------------------------------------- */

/* Now and then one of the numbers is a lie. */
static void lie(fuzz_input *in, claim *c)
{
    uint64_t *const numbers[] = {&c->at, &c->packed, &c->size};
    unsigned what = fuzz_byte(in);
    if (what >= 240)
        *numbers[what % 3] =
            what & 8 ? fuzz_number(in, 8) : *numbers[what % 3] + fuzz_byte(in) - 128;
    else if (what >= 230)
        c->crc ^= 1;
    else if (what >= 225)
        c->method = fuzz_byte(in);
    else if (what >= 220)
        c->flags = fuzz_byte(in);
}

/* The local header, which a second time is put where it was. */
static void put_local(pad *p, const claim *c, size_t extra)
{
    put(p, "PK\3\4\24\0", 6);
    put_number(p, c->flags, 2);
    put_number(p, c->method, 2);
    put_number(p, 0, 4);
    put_number(p, c->crc, 4);
    put_number(p, c->packed, 4);
    put_number(p, c->size, 4);
    put_number(p, strlen(c->name), 2);
    put_number(p, extra, 2);
    put(p, c->name, strlen(c->name));
    put(p, "\0\0\0\0\0\0", extra);
}

static void put_member(fuzz_input *in, pad *p, size_t number, claim *c)
{
    static const char *const names[] = {"X.npy",      "y.npy",     "W.npy", "history.npy",
                                        "images.npy", "meta.json", "z.npy", ".npy"};
    static unsigned char content[CONTENT];
    unsigned which = fuzz_byte(in);
    if (which < 200)
        strcpy(c->name, names[(which + number) % 8]);
    else
        fuzz_text(in, c->name, sizeof c->name);
    size_t size = make_content(in, content), extra = fuzz_byte(in) % 64;
    extra = extra < 60 ? 0 : extra - 59;
    const size_t at = c->at = p->size;
    put_local(p, c, extra);
    put_packed(in, p, c, content, size);
    unsigned lies = fuzz_byte(in); /* 128: to both headers alike */
    if (lies & 128)
        lie(in, c);
    size_t end = p->size;
    p->size = at;
    put_local(p, c, extra);
    p->size = end;
    if (lies & 64)
        lie(in, c);
}

static void put_entry(pad *p, const claim *c, int wide)
{
    put(p, "PK\1\2\24\0\24\0", 8);
    put_number(p, c->flags, 2);
    put_number(p, c->method, 2);
    put_number(p, 0, 4);
    put_number(p, c->crc, 4);
    put_number(p, wide ? UINT32_MAX : c->packed, 4);
    put_number(p, wide ? UINT32_MAX : c->size, 4);
    put_number(p, strlen(c->name), 2);
    put_number(p, wide ? 28 : 0, 2);
    put_number(p, 0, 8);
    put_number(p, 0, 2);
    put_number(p, wide ? UINT32_MAX : c->at, 4);
    put(p, c->name, strlen(c->name));
    if (!wide)
        return;
    put_number(p, 1, 2);
    put_number(p, 24, 2);
    put_number(p, c->size, 8);
    put_number(p, c->packed, 8);
    put_number(p, c->at, 8);
}

static void put_end(pad *p, size_t count, size_t at, int wide)
{
    size_t size = p->size - at, end = p->size;
    if (wide) {
        put(p, "PK\6\6", 4);
        put_number(p, 44, 8);
        put_number(p, 0, 8);
        put_number(p, 0, 4);
        put_number(p, count, 8);
        put_number(p, count, 8);
        put_number(p, size, 8);
        put_number(p, at, 8);
        put(p, "PK\6\7", 4);
        put_number(p, 0, 4);
        put_number(p, end, 8);
        put_number(p, 1, 4);
    }
    put(p, "PK\5\6", 4);
    put_number(p, 0, 4);
    put_number(p, count, 2);
    put_number(p, count, 2);
    put_number(p, size, 4);
    put_number(p, at, 4);
    put_number(p, 0, 2);
}

static void make_archive(fuzz_input *in, pad *p)
{
    claim member[MEMBERS] = {0};
    unsigned shape = fuzz_byte(in);
    size_t count = shape % (MEMBERS + 1);
    p->size = 0;
    for (size_t i = 0; i < count; i++)
        put_member(in, p, i, &member[i]);
    size_t at = p->size;
    for (size_t i = 0; i < count; i++)
        put_entry(p, &member[i], shape >= 200);
    put_end(p, count + (fuzz_byte(in) == 255), at, shape >= 220);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static pad p;
    spd_context *ctx = fuzz_context();
    fuzz_input in = {bytes, size};
    const long live = mem_live();
    io_bundle *bundle = NULL;
    spd_data *data = NULL;
    make_archive(&in, &p);
    io_file *file = mem_zero(1, sizeof *file);
    fuzz_read_arrays(ctx, npz_open(ctx, file, p.bytes, p.size), file);
    fuzz_check(ctx, bundle_read_memory(ctx, p.bytes, p.size, &bundle), bundle);
    bundle_free(bundle);
    fuzz_lend("fuzz.npz", p.bytes, p.size);
    fuzz_check(ctx, spd_data_load(ctx, "fuzz.npz", NULL, &data), data);
    spd_data_free(data);
    if (mem_live() != live)
        abort();
    return 0;
}
