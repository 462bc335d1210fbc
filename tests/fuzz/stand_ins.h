/* stand_ins.h - a library and the code of ours that stands in for it (src/missing), side by side.
 */
#ifndef SPD_TESTS_STAND_INS_H
#define SPD_TESTS_STAND_INS_H

#include <stddef.h>

/* How packed bytes are unpacked. */
typedef struct unpacking {
    int bits;           /* as inflateInit2 has them */
    size_t piece, room; /* bytes that are given and taken at a time */
    unsigned char *out; /* most */
    size_t most, made;
} unpacking;

/* The last status of inflate, by zlib or the code of ours; how->made bytes are in how->out. */
int real_unpack(const unsigned char *bytes, size_t size, unpacking *how);
int own_unpack(const unsigned char *bytes, size_t size, unpacking *how);

/* The text that is written of a text that was read, with these flags, by Jansson or the code of
 * ours: new, *size bytes, or NULL where it was refused. */
char *real_json(const char *text, size_t size, size_t read, size_t write, size_t *written);
char *own_json(const char *text, size_t size, size_t read, size_t write, size_t *written);

#endif
