/* npz.c - reading .npz: a zip archive of .npy files, stored or deflated.
 *
 * A member's header says how many bytes it needs; memory is asked for when the archive can hold
 * them. */
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/text.h"
#include "io/zip.h"

static void close_npz(void *state)
{
    zip_close(state);
    mem_free(state);
}

/* Parses the header at the start of a member; the reader then stands at the elements. */
static spd_status read_header(spd_context *ctx, zip_reader *member, npy_header *header)
{
    size_t got = 0, length = 0, more = 0;
    unsigned char *bytes = mem_zero(NPY_MAX_HEADER + 16, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a header");
    spd_status status = zip_read(ctx, member, bytes, 12, &got);
    if (status == SPD_OK)
        status = npy_prefix(ctx, bytes, got, &length);
    if (status == SPD_OK && length > got)
        status = zip_read(ctx, member, bytes + got, length - got, &more);
    if (status == SPD_OK)
        status = length < got ? ctx_fail(ctx, SPD_EFORMAT, "its header is too short")
                              : npy_parse(ctx, bytes, length > got ? got + more : got, header);
    mem_free(bytes);
    return status;
}

/* *data <- the header->bytes bytes of elements; new. */
static spd_status read_elements(spd_context *ctx, const zip_archive *zip, zip_reader *member,
                                const npy_header *h, unsigned char **data)
{
    uint64_t there = member->member->size - member->done;
    size_t got = 0;
    unsigned char extra;
    if (h->bytes / ZIP_MAX_EXPANSION > zip->size)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "its header promises %zu bytes, more than an archive of %zu bytes holds",
                        h->bytes, zip->size);
    if (there < h->bytes)
        return npy_short(ctx, h, (size_t)there);
    unsigned char *bytes = mem_alloc(h->bytes, 1);
    if (!bytes)
        return ctx_nomem(ctx, "an array");
    spd_status status = zip_read(ctx, member, bytes, h->bytes, &got);
    if (status == SPD_OK && got < h->bytes)
        status = npy_short(ctx, h, got);
    /* One byte past the end: there the checksum is compared. */
    if (status == SPD_OK)
        status = zip_read(ctx, member, &extra, 1, &got);
    if (status < 0)
        mem_free(bytes);
    else
        *data = bytes;
    return status;
}

static spd_status decode_member(spd_context *ctx, const zip_archive *zip, zip_reader *member,
                                spd_array **array)
{
    npy_header header = {0};
    unsigned char *data = NULL;
    spd_status status = read_header(ctx, member, &header);
    if (status < 0)
        return status;
    if (!npy_readable(&header)) /* says why; pickled objects have no known size */
        return npy_decode(ctx, &header, NULL, array);
    status = read_elements(ctx, zip, member, &header, &data);
    if (status < 0)
        return status;
    if (!npy_is_native(&header)) {
        status = npy_decode(ctx, &header, data, array);
    } else {
        status = array_adopt(ctx, header.ndim, header.shape, (double *)(void *)data, array);
        if (status == SPD_OK)
            return status;
    }
    mem_free(data);
    return status;
}

/* Puts the member's name before a message. */
static spd_status blame_member(spd_context *ctx, const io_entry *entry, spd_status status)
{
    char name[80];
    if (status < 0)
        ctx_prefix(ctx, text_plain(entry->name, name, sizeof name));
    return status;
}

static spd_status read_npz(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    const zip_archive *zip = file->state;
    zip_reader member = {0};
    spd_status status = zip_read_begin(ctx, zip, &zip->member[entry->member], &member);
    if (status == SPD_OK)
        status = decode_member(ctx, zip, &member, array);
    zip_read_end(&member);
    return blame_member(ctx, entry, status);
}

/* *text <- up to limit bytes of a member, read to its end so that the checksum is compared. */
static spd_status read_text(spd_context *ctx, zip_reader *member, size_t limit, char **text)
{
    size_t size = (size_t)member->member->size, got = 0;
    if (size > limit)
        return ctx_fail(ctx, SPD_EFORMAT, "is longer than %zu bytes", limit);
    char *bytes = mem_zero(size + 1, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a text");
    spd_status status = zip_read(ctx, member, bytes, size + 1, &got);
    if (status == SPD_OK && memchr(bytes, 0, got))
        status = ctx_fail(ctx, SPD_EFORMAT, "is not a text");
    if (status < 0)
        mem_free(bytes);
    else
        *text = bytes;
    return status;
}

int npz_has_text(const io_file *file, const char *name)
{
    const zip_archive *zip = file->state;
    return file->read == read_npz && zip_find(zip, name);
}

spd_status npz_read_text(spd_context *ctx, io_file *file, const char *name, size_t limit,
                         char **text)
{
    const zip_archive *zip = file->state;
    zip_reader member = {0};
    *text = NULL;
    if (!npz_has_text(file, name))
        return SPD_OK;
    spd_status status = zip_read_begin(ctx, zip, zip_find(zip, name), &member);
    if (status == SPD_OK)
        status = read_text(ctx, &member, limit, text);
    zip_read_end(&member);
    if (status < 0)
        ctx_prefix(ctx, name);
    return status;
}

/* Adds an entry for member i when it is an .npy file; other members are none of our business. */
static spd_status list_member(spd_context *ctx, io_file *file, size_t i)
{
    const zip_archive *zip = file->state;
    const char *full = zip->member[i].name;
    size_t length = strlen(full);
    if (length < 5 || strcmp(full + length - 4, ".npy") != 0)
        return SPD_OK;
    io_entry *entry;
    npy_header header = {0};
    zip_reader member = {0};
    spd_status status = io_add_entry(ctx, file, full, &entry);
    if (status < 0)
        return status;
    entry->name[length - 4] = '\0';
    status = zip_read_begin(ctx, zip, &zip->member[i], &member);
    if (status == SPD_OK)
        status = read_header(ctx, &member, &header);
    zip_read_end(&member);
    if (status < 0)
        return blame_member(ctx, entry, status);
    entry->member = i;
    entry->readable = npy_readable(&header);
    entry->ndim = header.ndim;
    memcpy(entry->shape, header.shape, sizeof entry->shape);
    return SPD_OK;
}

spd_status npz_open(spd_context *ctx, io_file *file, const unsigned char *bytes, size_t size)
{
    zip_archive *zip = file->state = mem_zero(1, sizeof *zip);
    if (!zip)
        return ctx_nomem(ctx, "an archive");
    file->read = read_npz;
    file->close = close_npz;
    spd_status status = zip_open(ctx, bytes, size, zip);
    for (size_t i = 0; i < zip->count && status == SPD_OK; i++)
        status = list_member(ctx, file, i);
    if (status == SPD_OK && file->count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "is a zip archive without .npy arrays");
    return status;
}
