/* record.h - what files of models, checkpoints and trained methods share: the head of meta.json,
 * matrices and the history of a fit as arrays of a bundle. */
#ifndef SPD_LEARN_RECORD_H
#define SPD_LEARN_RECORD_H

#include <jansson.h>

#include "base/arena.h"
#include "base/context.h"
#include "io/file.h"

#define INDEX_KIND "spdml index" /* of earlier versions, for neighbour searches: refused by name */

typedef enum field_type {
    FIELD_SIZE = 0, /* size_t */
    FIELD_INT,      /* int >= 0 */
    FIELD_REAL,     /* double, finite */
    FIELD_U64,      /* uint64_t */
    FIELD_NAME      /* an enumeration, by name */
} field_type;

typedef struct field {
    const char *key;
    size_t offset; /* of the member */
    spd_enum of;   /* FIELD_NAME: whose words */
    field_type type;
    int later; /* files of the first versions do not have it: the member is then kept */
} field;

#define FIELD_OF(record, member, kind, words, after)                                               \
    {                                                                                              \
        .key = #member, .offset = offsetof(record, member), .of = (words), .type = (kind),         \
        .later = (after)                                                                           \
    }
#define FIELD(record, member, kind)             FIELD_OF(record, member, FIELD_##kind, 0, 0)
#define FIELD_LATER(record, member, kind)       FIELD_OF(record, member, FIELD_##kind, 0, 1)
#define FIELD_ENUM(record, member, words)       FIELD_OF(record, member, FIELD_NAME, words, 0)
#define FIELD_ENUM_LATER(record, member, words) FIELD_OF(record, member, FIELD_NAME, words, 1)

/* How many fields a table has. */
#define FIELDS(table) (sizeof(table) / sizeof *(table))

/* Members of *record <- the values in object; SPD_EFORMAT names the key at fault. */
spd_status fields_read(spd_context *ctx, size_t count, const field *fields, const json_t *object,
                       void *record);

/* SPD_EINVAL for the first enumeration of *record whose value has no name. */
spd_status fields_check(spd_context *ctx, size_t count, const field *fields, const void *record);

/* The key of the first member that differs between *a and *b; NULL when none does. */
const char *fields_differ(size_t count, const field *fields, const void *a, const void *b);

/* What this library writes; of trained methods two are read, else this one alone. */
#define RECORD_MODEL_FORMAT      1
#define RECORD_CHECKPOINT_FORMAT 3
#define RECORD_METHOD_FORMAT     3 /* of a regression */
#define RECORD_METHOD_ALIGNED    2 /* with an alignment */
#define RECORD_METHOD_OLDEST     1 /* without */

#define RECORD_ARRAYS 24 /* at most, in a file */

/* A file that is being put together. The first fault is kept, and what follows does nothing. */
typedef struct record_writer {
    spd_context *ctx;
    spd_status status;
    json_t *meta; /* says "format", "kind" and "version" to begin with */
    size_t count;
    spd_array array[RECORD_ARRAYS];
    const spd_array *list[RECORD_ARRAYS];
    arena room; /* for arrays that are made for the file */
} record_writer;

void record_begin(record_writer *w, spd_context *ctx, const char *kind, int format,
                  const char *version);

/* A new object in meta. */
json_t *record_part(record_writer *w, const char *name);

/* count members of *from as keys of object. */
void record_fields(record_writer *w, size_t count, const field *fields, const void *from,
                   json_t *object);

/* A view of rows x columns values, and of a history as a table, steps x 5. */
void record_matrix(record_writer *w, const char *name, size_t rows, size_t columns, double *values);
void record_history(record_writer *w, const char *name, size_t steps, const spd_fit_step *history);

/* A map W (n x m); one that is the real form of a complex map is written as that, n/2 x m/2. */
void record_map(record_writer *w, const char *name, size_t n, size_t m, double *W, int hermitian);

/* object[key] <- value, which is freed. */
void record_put(record_writer *w, json_t *object, const char *key, json_t *value);

/* A view of an array that is there. */
void record_array(record_writer *w, const spd_array *array);

/* Writes the file, frees everything, and returns the status; a message names the path. */
spd_status record_save(record_writer *w, const char *path);

/* The same in memory; *bytes is new, freed with mem_free. */
spd_status record_pack(record_writer *w, unsigned char **bytes, size_t *size);

/* What files of a kind hold, and how *made, of their type, is made of meta and a bundle. */
typedef struct record_kind {
    const char *name;
    int oldest, newest; /* formats that are read */
    spd_status (*take)(spd_context *ctx, const io_bundle *bundle, const json_t *meta,
                       const char *version, void *made);
} record_kind;

/* *made <- what a bundle, a file or its bytes hold, everything checked. */
spd_status record_take(spd_context *ctx, const record_kind *kind, const io_bundle *bundle,
                       void *made);
spd_status record_load(spd_context *ctx, const record_kind *kind, const char *path, void *made);
spd_status record_unpack(spd_context *ctx, const record_kind *kind, const unsigned char *bytes,
                         size_t size, void *made);

/* *array <- the array of that name: of that type, rows x columns, and finite. */
spd_status record_find(spd_context *ctx, const io_bundle *bundle, const char *name, spd_type type,
                       size_t rows, size_t columns, const spd_array **array);

/* *array <- a map (record_map), n x m as the file has it. W <- it, real or the real form of 2n x
 * 2m; SPD_EFORMAT unless its columns are orthonormal. */
spd_status record_find_map(spd_context *ctx, const io_bundle *bundle, const char *name, size_t n,
                           size_t m, int hermitian, const spd_array **array);
spd_status record_to_map(spd_context *ctx, const spd_array *array, double *W);

/* *history (new) <- the table of that name. */
spd_status record_to_history(spd_context *ctx, const io_bundle *bundle, const char *name,
                             size_t steps, spd_fit_step **history);

/* SPD_EFORMAT unless W'W = I to about 1e-8; name for the message. */
spd_status record_check_orthonormal(spd_context *ctx, const char *name, size_t n, size_t m,
                                    const double *W);

#endif
