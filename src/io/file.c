/* file.c - the arrays of an open file, whatever its format. */
#include "io/file.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/array.h"
#include "io/text.h"

spd_status io_read_complex(spd_context *ctx, io_file *file, const io_entry *entry,
                           spd_array **array)
{
    spd_array *fresh = NULL;
    spd_status status = file->read(ctx, file, entry, &fresh);
    if (status == SPD_OK && /* callers have gone by the list already */
        (fresh->ndim != entry->ndim ||
         memcmp(fresh->shape, entry->shape, entry->ndim * sizeof *entry->shape) != 0))
        status = ctx_fail(ctx, SPD_EFORMAT, "an array is not as large as it was listed");
    if (status == SPD_OK)
        status = array_rename(ctx, fresh, entry->name);
    if (status == SPD_OK) {
        *array = fresh;
        return SPD_OK;
    }
    spd_array_free(fresh);
    if (file->path)
        ctx_prefix(ctx, file->path);
    return status;
}

spd_status io_read(spd_context *ctx, io_file *file, const io_entry *entry, spd_array **array)
{
    char plain[80];
    if (!entry->is_complex)
        return io_read_complex(ctx, file, entry, array);
    ctx_fail(ctx, SPD_EFORMAT, "contains complex numbers where real ones are expected");
    if (entry->name)
        ctx_prefix(ctx, text_plain(entry->name, plain, sizeof plain));
    if (file->path)
        ctx_prefix(ctx, file->path);
    return SPD_EFORMAT;
}

void io_close(io_file *file)
{
    if (!file)
        return;
    if (file->close)
        file->close(file->state);
    for (size_t i = 0; i < file->count; i++)
        mem_free(file->entry[i].name);
    mem_free(file->entry);
    source_free(file->source);
    mem_free(file->path);
    mem_free(file);
}

const io_entry *io_find(const io_file *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->entry[i].name && strcmp(file->entry[i].name, name) == 0)
            return &file->entry[i];
    return NULL;
}

void io_names(const io_file *file, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < file->count && used + 1 < size; i++) {
        char plain[48];
        const char *name = file->entry[i].name ? file->entry[i].name : "(unnamed)";
        used += (size_t)snprintf(text + used, size - used, i ? ", %s" : "%s",
                                 text_plain(name, plain, sizeof plain));
    }
    if (used >= size && size > 4)
        memcpy(text + size - 4, "...", 4);
}

spd_status io_add_entry(spd_context *ctx, io_file *file, const char *name, const io_entry *like)
{
    io_entry *grown = mem_list(file->entry, file->count, sizeof *grown);
    char *copy = grown && name ? mem_text(name) : NULL;
    file->entry = grown ? grown : file->entry;
    if (!grown || (name && !copy))
        return ctx_nomem(ctx, "a list of arrays");
    file->entry[file->count] = *like;
    file->entry[file->count++].name = copy;
    return SPD_OK;
}
