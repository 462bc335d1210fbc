/* npz.c - reading .npz: a zip archive of .npy files, stored or deflated.
 *
 * Sizes in a zip directory are claims. A member's header says how many bytes it needs; memory
 * grows with what really arrives, and never beyond that need. */
#include <string.h>
#include <zip.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/text.h"

/* Deflate cannot expand more than this: bigger promises are lies. */
#define MAX_EXPANSION 1032

typedef struct npz_state {
    zip_t *zip;
    size_t size; /* bytes of the archive */
} npz_state;

static void close_npz(void *state)
{
    npz_state *npz = state;
    if (npz && npz->zip)
        zip_discard(npz->zip);
    mem_free(npz);
}

static spd_status zip_failure(spd_context *ctx, zip_error_t *error)
{
    spd_status status = zip_error_code_zip(error) == ZIP_ER_MEMORY ? SPD_ENOMEM : SPD_EFORMAT;
    return ctx_fail(ctx, status, "cannot be unpacked: %s", zip_error_strerror(error));
}

/* A member opened for reading. */
static spd_status open_member(spd_context *ctx, npz_state *npz, size_t member, zip_file_t **file)
{
    *file = zip_fopen_index(npz->zip, member, 0);
    return *file ? SPD_OK : zip_failure(ctx, zip_get_error(npz->zip));
}

/* Reads until size bytes are there or the member ends; *got says how many. */
static spd_status read_upto(spd_context *ctx, zip_file_t *file, unsigned char *bytes, size_t size,
                            size_t *got)
{
    size_t done = 0;
    while (done < size) {
        zip_int64_t n = zip_fread(file, bytes + done, size - done);
        if (n < 0)
            return zip_failure(ctx, zip_file_get_error(file));
        if (n == 0)
            break;
        done += (size_t)n;
    }
    *got = done;
    return SPD_OK;
}

/* Parses the header at the start of a member; the file then stands at the elements. */
static spd_status read_header(spd_context *ctx, zip_file_t *file, npy_header *header)
{
    size_t got = 0, length = 0, more = 0;
    unsigned char *bytes = mem_zero(NPY_MAX_HEADER + 16, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a header");
    spd_status status = read_upto(ctx, file, bytes, 12, &got);
    if (status == SPD_OK)
        status = npy_prefix(ctx, bytes, got, &length);
    if (status == SPD_OK && length > got)
        status = read_upto(ctx, file, bytes + got, length - got, &more);
    if (status == SPD_OK)
        status = length < got ? ctx_fail(ctx, SPD_EFORMAT, "its header is too short")
                              : npy_parse(ctx, bytes, length > got ? got + more : got, header);
    mem_free(bytes);
    return status;
}

/* Doubles the room of *bytes, up to need; have bytes of it are in use. */
static spd_status widen(spd_context *ctx, unsigned char **bytes, size_t have, size_t need,
                        size_t *room)
{
    size_t wider = *room > need / 2 ? need : *room * 2;
    unsigned char *grown = mem_grow(*bytes, have, wider);
    if (!grown)
        return ctx_nomem(ctx, "an array");
    *bytes = grown;
    *room = wider;
    return SPD_OK;
}

/* *data <- the header->bytes bytes of elements. Starts with room for as much as the archive is
 * large, and doubles as data comes. */
static spd_status read_elements(spd_context *ctx, const npz_state *npz, zip_file_t *file,
                                const npy_header *h, unsigned char **data)
{
    if (h->bytes / MAX_EXPANSION > npz->size)
        return ctx_fail(ctx, SPD_EFORMAT,
                        "its header promises %zu bytes, more than an archive of %zu bytes holds",
                        h->bytes, npz->size);
    size_t room = npz->size < h->bytes ? npz->size : h->bytes, have = 0, got = 0;
    unsigned char *bytes = mem_alloc(room, 1), extra;
    if (!bytes)
        return ctx_nomem(ctx, "an array");
    spd_status status = read_upto(ctx, file, bytes, room, &have);
    while (status == SPD_OK && have == room && room < h->bytes) {
        status = widen(ctx, &bytes, have, h->bytes, &room);
        if (status == SPD_OK)
            status = read_upto(ctx, file, bytes + have, room - have, &got);
        have += got;
    }
    if (status == SPD_OK && have < h->bytes)
        status = npy_short(ctx, h, have);
    /* One read past the end makes libzip compare the checksum. */
    if (status == SPD_OK)
        status = read_upto(ctx, file, &extra, 1, &got);
    if (status < 0)
        mem_free(bytes);
    else
        *data = bytes;
    return status;
}

static spd_status decode_member(spd_context *ctx, const npz_state *npz, zip_file_t *file,
                                spd_array **array)
{
    npy_header header = {0};
    unsigned char *data = NULL;
    spd_status status = read_header(ctx, file, &header);
    if (status < 0)
        return status;
    if (!npy_readable(&header)) /* says why; pickled objects have no known size */
        return npy_decode(ctx, &header, NULL, array);
    status = read_elements(ctx, npz, file, &header, &data);
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
    zip_file_t *member;
    spd_status status = open_member(ctx, file->state, entry->member, &member);
    if (status == SPD_OK) {
        status = decode_member(ctx, file->state, member, array);
        zip_fclose(member);
    }
    return blame_member(ctx, entry, status);
}

/* *text <- up to limit bytes of a member, read to its end so that the checksum is compared. */
static spd_status read_text(spd_context *ctx, zip_file_t *member, size_t limit, char **text)
{
    size_t room = limit < 4096 ? limit + 1 : 4096, have = 0, got = 0;
    unsigned char *bytes = mem_alloc(room, 1);
    if (!bytes)
        return ctx_nomem(ctx, "a text");
    spd_status status = read_upto(ctx, member, bytes, room, &have);
    while (status == SPD_OK && have == room && room <= limit) {
        status = widen(ctx, &bytes, have, limit + 1, &room);
        if (status == SPD_OK)
            status = read_upto(ctx, member, bytes + have, room - have, &got);
        have += got;
    }
    if (status == SPD_OK && have > limit)
        status = ctx_fail(ctx, SPD_EFORMAT, "is longer than %zu bytes", limit);
    if (status == SPD_OK && memchr(bytes, 0, have))
        status = ctx_fail(ctx, SPD_EFORMAT, "is not a text");
    if (status < 0) {
        mem_free(bytes);
        return status;
    }
    bytes[have] = '\0';
    *text = (char *)bytes;
    return SPD_OK;
}

int npz_has_text(const io_file *file, const char *name)
{
    const npz_state *npz = file->state;
    return file->read == read_npz && zip_name_locate(npz->zip, name, 0) >= 0;
}

spd_status npz_read_text(spd_context *ctx, io_file *file, const char *name, size_t limit,
                         char **text)
{
    npz_state *npz = file->state;
    zip_file_t *member;
    zip_int64_t at = zip_name_locate(npz->zip, name, 0);
    if (at < 0)
        return ctx_fail(ctx, SPD_EFORMAT, "holds no member %s", name);
    spd_status status = open_member(ctx, npz, (size_t)at, &member);
    if (status == SPD_OK) {
        status = read_text(ctx, member, limit, text);
        zip_fclose(member);
    }
    if (status < 0)
        ctx_prefix(ctx, name);
    return status;
}

/* Adds an entry for member i when it is an .npy file; other members are none of our business. */
static spd_status list_member(spd_context *ctx, io_file *file, size_t i)
{
    npz_state *npz = file->state;
    const char *full = zip_get_name(npz->zip, i, 0);
    size_t length = full ? strlen(full) : 0;
    if (length < 5 || strcmp(full + length - 4, ".npy") != 0)
        return SPD_OK;
    io_entry *entry;
    npy_header header = {0};
    zip_file_t *member;
    spd_status status = io_add_entry(ctx, file, full, &entry);
    if (status < 0)
        return status;
    entry->name[length - 4] = '\0';
    status = open_member(ctx, npz, i, &member);
    if (status == SPD_OK) {
        status = read_header(ctx, member, &header);
        zip_fclose(member);
    }
    if (status < 0)
        return blame_member(ctx, entry, status);
    entry->member = i;
    entry->readable = npy_readable(&header);
    entry->ndim = header.ndim;
    memcpy(entry->shape, header.shape, sizeof entry->shape);
    return SPD_OK;
}

static spd_status list_members(spd_context *ctx, io_file *file)
{
    npz_state *npz = file->state;
    zip_int64_t members = zip_get_num_entries(npz->zip, 0);
    spd_status status = SPD_OK;
    for (zip_int64_t i = 0; i < members && status == SPD_OK; i++)
        status = list_member(ctx, file, (size_t)i);
    if (status == SPD_OK && file->count == 0)
        status = ctx_fail(ctx, SPD_EFORMAT, "is a zip archive without .npy arrays");
    return status;
}

static spd_status new_state(spd_context *ctx, io_file *file, size_t size)
{
    npz_state *npz = mem_zero(1, sizeof *npz);
    if (!npz)
        return ctx_nomem(ctx, "an archive");
    npz->size = size;
    file->state = npz;
    file->read = read_npz;
    file->close = close_npz;
    return SPD_OK;
}

/* Why libzip would not open it. */
static spd_status not_a_zip(spd_context *ctx, zip_error_t *error, const unsigned char *head,
                            size_t head_size)
{
    char quoted[48];
    int code = zip_error_code_zip(error);
    int begins = head_size >= 4 && memcmp(head, "PK\3\4", 4) == 0;
    if (code == ZIP_ER_MEMORY)
        return ctx_nomem(ctx, "an archive");
    if (begins && (code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS || code == ZIP_ER_EOF))
        return ctx_fail(ctx, SPD_EFORMAT,
                        "is a damaged or truncated zip archive (its directory at the end is "
                        "missing); copy or create it again");
    if (code == ZIP_ER_NOZIP)
        return ctx_fail(ctx, SPD_EFORMAT, "is not a zip archive (starts with %s)",
                        text_quote(head, head_size, quoted, sizeof quoted));
    return ctx_fail(ctx, SPD_EFORMAT, "cannot be opened as a zip archive: %s",
                    zip_error_strerror(error));
}

spd_status npz_open(spd_context *ctx, io_file *file, const source_glance *glance)
{
    int code = 0;
    spd_status status = new_state(ctx, file, glance->size);
    if (status < 0)
        return status;
    npz_state *npz = file->state;
    npz->zip = zip_open(file->path, ZIP_RDONLY, &code);
    if (npz->zip)
        return list_members(ctx, file);
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    status = not_a_zip(ctx, &error, glance->head, glance->head_size);
    zip_error_fini(&error);
    return status;
}

spd_status npz_open_memory(spd_context *ctx, io_file *file, const unsigned char *bytes, size_t size)
{
    spd_status status = new_state(ctx, file, size);
    if (status < 0)
        return status;
    npz_state *npz = file->state;
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(bytes, size, 0, &error);
    if (source)
        npz->zip = zip_open_from_source(source, ZIP_RDONLY, &error);
    if (!npz->zip) {
        status = not_a_zip(ctx, &error, bytes, size);
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return status < 0 ? status : list_members(ctx, file);
}
