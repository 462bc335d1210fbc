/* test_mat_maker.h - MATLAB files of version 5, made by hand, byte by byte. */
#ifndef SPD_TEST_MAT_MAKER_H
#define SPD_TEST_MAT_MAKER_H

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Types of elements and classes of variables, as the format numbers them. */
enum {
    MI_INT8 = 1,
    MI_UINT8,
    MI_INT16,
    MI_UINT16,
    MI_INT32,
    MI_UINT32,
    MI_SINGLE,
    MI_DOUBLE = 9,
    MI_INT64 = 12,
    MI_UINT64,
    MI_MATRIX,
    MI_COMPRESSED,
    MI_UTF8,
    MI_UTF16
};
enum {
    MX_CELL = 1,
    MX_STRUCT,
    MX_CHAR = 4,
    MX_DOUBLE = 6,
    MX_SINGLE,
    MX_INT8,
    MX_UINT8,
    MX_INT16,
    MX_UINT16,
    MX_INT32,
    MX_UINT32,
    MX_INT64,
    MX_UINT64
};
#define MX_COMPLEX 0x800

/* A file in the making. */
typedef struct mat_maker {
    unsigned char bytes[8192];
    size_t size;
} mat_maker;

__attribute__((unused)) static void mat_start(mat_maker *m)
{
    memset(m->bytes, ' ', 124);
    memcpy(m->bytes, "MATLAB 5.0 MAT-file", 19);
    memcpy(m->bytes + 124, "\0\1IM", 4);
    m->size = 128;
}

__attribute__((unused)) static void mat_put(mat_maker *m, const void *bytes, size_t size)
{
    if (size > sizeof m->bytes - m->size)
        abort();
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

__attribute__((unused)) static void mat_element(mat_maker *m, uint32_t type, const void *bytes,
                                                size_t size)
{
    const uint32_t tag[2] = {type, (uint32_t)size};
    mat_put(m, tag, sizeof tag);
    mat_put(m, bytes, size);
    mat_put(m, "\0\0\0\0\0\0\0", (8 - size % 8) % 8);
}

/* Starts a variable; mat_end with the place that this returns sets its length. */
__attribute__((unused)) static size_t mat_begin(mat_maker *m, uint32_t class_and_flags, size_t rank,
                                                const int32_t *dims, const char *name)
{
    const uint32_t flags[2] = {class_and_flags, 0};
    size_t at = m->size;
    mat_element(m, MI_MATRIX, "", 0);
    mat_element(m, MI_UINT32, flags, sizeof flags);
    mat_element(m, MI_INT32, dims, rank * sizeof *dims);
    mat_element(m, MI_INT8, name, strlen(name));
    return at;
}

__attribute__((unused)) static void mat_end(mat_maker *m, size_t at)
{
    uint32_t length = (uint32_t)(m->size - at - 8);
    memcpy(m->bytes + at + 4, &length, sizeof length);
}

/* A whole variable. */
__attribute__((unused)) static void mat_variable_of(mat_maker *m, uint32_t class_and_flags,
                                                    uint32_t type, size_t rank, const int32_t *dims,
                                                    const char *name, const void *data, size_t size)
{
    size_t at = mat_begin(m, class_and_flags, rank, dims, name);
    mat_element(m, type, data, size);
    mat_end(m, at);
}

/* Packs what stands behind byte `at`, as -v7 does with every variable. */
__attribute__((unused)) static void mat_pack(mat_maker *m, size_t at)
{
    static unsigned char packed[8192];
    uLongf size = sizeof packed;
    if (compress(packed, &size, m->bytes + at, m->size - at) != Z_OK)
        abort();
    const uint32_t tag[2] = {MI_COMPRESSED, (uint32_t)size};
    m->size = at;
    mat_put(m, tag, sizeof tag);
    mat_put(m, packed, size);
}

#endif
