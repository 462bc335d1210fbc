/* npz.c - numpy's .npz: a zip archive of .npy files, stored or deflated. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/text.h"
#include "io/zip.h"

#define META_NAME  "meta.json"
#define META_LIMIT ((size_t)1 << 20)

static void close_npz(void *state)
{
    zip_close(state);
    mem_free(state);
}

/* Parses the header at the start of a member. */
static spd_status read_header(spd_context *ctx, const zip_archive *zip, const zip_member *member,
                              npy_header *header)
{
    size_t got = 0, length = 0;
    unsigned char *bytes = mem_alloc(NPY_MAX_HEADER + 12, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a header");
    spd_status status = zip_unpack(ctx, zip, member, bytes, 12, &got);
    if (status == SPD_OK)
        status = npy_prefix(ctx, bytes, got, &length);
    if (status == SPD_OK)
        status = zip_unpack(ctx, zip, member, bytes, length, &got);
    if (status == SPD_OK)
        status = npy_parse(ctx, bytes, got, header);
    mem_free(bytes);
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
    const zip_member *member = &zip->member[entry->member];
    unsigned char *bytes;
    spd_status status = zip_unpack_all(ctx, zip, member, &bytes);
    if (status == SPD_OK)
        status = npy_read_block(ctx, bytes, (size_t)member->size, array);
    return blame_member(ctx, entry, status);
}

int npz_has_meta(const io_file *file)
{
    return file->read == read_npz && zip_find(file->state, META_NAME);
}

spd_status npz_read_meta(spd_context *ctx, const io_file *file, char **meta)
{
    unsigned char *bytes = NULL;
    spd_status status = SPD_OK;
    *meta = NULL;
    if (!npz_has_meta(file))
        return SPD_OK;
    const zip_member *member = zip_find(file->state, META_NAME);
    if (member->size > META_LIMIT)
        status = ctx_fail(ctx, SPD_EFORMAT, "is longer than %zu bytes", META_LIMIT);
    if (status == SPD_OK)
        status = zip_unpack_all(ctx, file->state, member, &bytes);
    if (status == SPD_OK && memchr(bytes, 0, (size_t)member->size))
        status = ctx_fail(ctx, SPD_EFORMAT, "is not a text");
    if (status == SPD_OK) {
        *meta = (char *)bytes;
        return SPD_OK;
    }
    mem_free(bytes);
    ctx_prefix(ctx, META_NAME);
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
    npy_header header = {0};
    spd_status status = io_add_entry(ctx, file, full, &(io_entry){.member = i});
    if (status < 0)
        return status;
    io_entry *entry = &file->entry[file->count - 1];
    entry->name[length - 4] = '\0';
    status = read_header(ctx, zip, &zip->member[i], &header);
    npy_describe(&header, entry);
    return blame_member(ctx, entry, status);
}

spd_status npz_open_source(spd_context *ctx, io_file *file)
{
    zip_archive *zip = file->state = mem_zero(1, sizeof *zip);
    if (!zip)
        return ctx_nomem(ctx, "an archive");
    file->read = read_npz;
    file->close = close_npz;
    spd_status status = zip_open(ctx, file->source, zip);
    for (size_t i = 0; i < zip->count && status == SPD_OK; i++)
        status = list_member(ctx, file, i);
    if (status == SPD_OK && file->count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "is a zip archive without .npy arrays");
    return status;
}

spd_status npz_open(spd_context *ctx, io_file *file, const unsigned char *bytes, size_t size)
{
    spd_status status = source_lend(ctx, bytes, size, &file->source);
    return status < 0 ? status : npz_open_source(ctx, file);
}

/* ---- writing: equal arrays give equal bytes ------------------------------------------------- */

/* Arrays from this size on are stored: packing floating point numbers gains little and costs
 * much. */
#define STORE_FROM ((size_t)1 << 20)

static zip_method method_for(size_t size)
{
    return size < STORE_FROM ? ZIP_DEFLATED : ZIP_STORED;
}

/* An archive that is unpacked makes files of its members: a name from a stranger's file must not
 * lead out of the folder, hide, or speak to a terminal. */
static void make_file_name(char *name)
{
    if (name[0] == '.')
        name[0] = '_';
    for (; *name; name++)
        if (*name == '/' || *name == '\\' || (unsigned char)*name < 0x20 || *name == 0x7f)
            *name = '_';
}

static spd_status add_array(spd_context *ctx, zip_writer *zip, size_t i, const spd_array *array)
{
    char name[300];
    int length = array->name ? snprintf(name, sizeof name, "%s.npy", array->name)
                             : snprintf(name, sizeof name, "arr_%zu.npy", i);
    if (length >= (int)sizeof name)
        return ctx_fail(ctx, SPD_EINVAL, "the array's name '%.60s...' is too long", array->name);
    make_file_name(name);
    npy_image image;
    spd_status status = npy_image_make(ctx, array, &image);
    if (status < 0)
        return status;
    const zip_piece pieces[] = {{image.header, image.header_size}, {image.data, image.data_size}};
    status = zip_add(ctx, zip, name, method_for(image.data_size), pieces, 2);
    npy_image_free(&image);
    return status;
}

spd_status npz_write(spd_context *ctx, outfile *out, size_t count, const spd_array *const *arrays)
{
    return npz_write_with(ctx, out, count, arrays, NULL);
}

spd_status npz_write_with(spd_context *ctx, outfile *out, size_t count,
                          const spd_array *const *arrays, const char *meta)
{
    zip_writer zip = {.out = out};
    spd_status status = SPD_OK;
    for (size_t i = 0; i < count && status == SPD_OK; i++)
        status = add_array(ctx, &zip, i, arrays[i]);
    if (status == SPD_OK && meta) {
        const zip_piece piece = {meta, strlen(meta)};
        status = zip_add(ctx, &zip, META_NAME, method_for(piece.size), &piece, 1);
    }
    if (status == SPD_OK)
        zip_finish(&zip);
    zip_discard(&zip);
    return status;
}
