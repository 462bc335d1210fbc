/* stand_ins.c - compiled twice: with the headers of zlib and Jansson, and with those of the
 * stand-ins, where own_names.h gives everything another name. */
#include "stand_ins.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static voidpf allocate(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return calloc(count, size);
}

static void release(voidpf opaque, voidpf block)
{
    (void)opaque;
    free(block);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

int real_unpack(const unsigned char *bytes, size_t size, unpacking *how)
{
    z_stream stream;
    size_t at = 0;
    memset(&stream, 0, sizeof stream);
    stream.zalloc = allocate;
    stream.zfree = release;
    how->made = 0;
    int status = inflateInit2(&stream, how->bits);
    while (status == Z_OK && how->made < how->most) {
        /* blocks of their own, so that a byte too far is seen */
        size_t given = least(how->piece, size - at), room = least(how->room, how->most - how->made);
        unsigned char *from = malloc(given), *to = malloc(room);
        if ((given && !from) || !to)
            abort();
        if (given)
            memcpy(from, bytes + at, given);
        stream.next_in = from;
        stream.avail_in = (uInt)given;
        stream.next_out = to;
        stream.avail_out = (uInt)room;
        status = inflate(&stream, Z_NO_FLUSH);
        memcpy(how->out + how->made, to, room - stream.avail_out);
        how->made += room - stream.avail_out;
        at += given - stream.avail_in;
        free(from);
        free(to);
    }
    inflateEnd(&stream);
    return status;
}

char *real_json(const char *text, size_t size, size_t read, size_t write, size_t *written)
{
    json_error_t why;
    json_t *value = json_loadb(text, size, read, &why);
    if (!value)
        return NULL;
    *written = json_dumpb(value, NULL, 0, write);
    char *out = malloc(*written + 1);
    if (!out || json_dumpb(value, out, *written, write) != *written)
        abort();
    json_decref(value);
    return out;
}
