/* fields.h - the members of a struct as keys of a JSON object: one table serves writing, reading
 * and checking. */
#ifndef SPD_LEARN_FIELDS_H
#define SPD_LEARN_FIELDS_H

#include <jansson.h>

#include "base/naming.h"

typedef enum field_type {
    FIELD_SIZE = 0, /* size_t */
    FIELD_INT,      /* int >= 0 */
    FIELD_REAL,     /* double, finite */
    FIELD_U64,      /* uint64_t */
    FIELD_NAME      /* an enumeration, by name */
} field_type;

typedef struct field {
    const char *key;
    size_t offset;       /* of the member */
    const naming *names; /* FIELD_NAME: its words */
    field_type type;
    int later; /* files of the first versions do not have it: the member is then kept */
} field;

#define FIELD(record, member, kind)                                                                \
    {                                                                                              \
        .key = #member, .offset = offsetof(record, member), .type = FIELD_##kind                   \
    }
#define FIELD_ENUM(record, member, words)                                                          \
    {                                                                                              \
        .key = #member, .offset = offsetof(record, member), .type = FIELD_NAME, .names = &(words)  \
    }

/* How many fields a table has. */
#define FIELDS(table) (sizeof(table) / sizeof *(table))

/* Adds count members of *record to object. SPD_EINVAL for a value that a reader would refuse. */
spd_status fields_write(spd_context *ctx, size_t count, const field *fields, const void *record,
                        json_t *object);

/* Members of *record <- the values in object; SPD_EFORMAT names the key at fault. */
spd_status fields_read(spd_context *ctx, size_t count, const field *fields, const json_t *object,
                       void *record);

/* SPD_EINVAL for the first enumeration of *record whose value has no name. */
spd_status fields_check(spd_context *ctx, size_t count, const field *fields, const void *record);

/* The key of the first member that differs between *a and *b; NULL when none does. */
const char *fields_differ(size_t count, const field *fields, const void *a, const void *b);

#endif
