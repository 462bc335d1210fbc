/* hdf5.h - a small and wary reader of HDF5, the format beneath MATLAB's version 7.3.
 *
 * An HDF5 file is a web of blocks that point at each other: a superblock names the root group; a
 * group lists links to objects; an object is a header with messages (shape, type, place of the
 * elements, attributes); elements lie in one block or in chunks that an index lists.
 *
 * The reader never follows anything out of the file, and descends nowhere but into indexes, whose
 * levels must fall. Every address and length is checked against the file (h5_block), and every
 * block that is looked at is charged to the file's effort, as is what is made without being stored
 * (h5_charge): blocks that share blocks, however cleverly, end in a message after time and memory
 * that the file's size bounds. */
#ifndef SPD_FORMATS_HDF5_H
#define SPD_FORMATS_HDF5_H

#include <stdint.h>

#include "base/context.h"

#define H5_MAX_RANK  32
#define H5_UNDEFINED UINT64_MAX /* the address of what is not there */

/* ---- bytes (file.c) ------------------------------------------------------------------------- */

typedef struct h5_file {
    const unsigned char *bytes; /* from the superblock on, where addresses begin; borrowed */
    size_t size;
    unsigned offset_size, length_size; /* bytes of an address and of a length */
    uint64_t root;                     /* address of the root group */
    uint64_t effort;                   /* bytes that may still be looked at, or made */
    uint64_t unpacked;                 /* bytes of elements that may still be read */
} h5_file;

/* A part of the file that is taken from front to back. Beyond its end are zeros, and `bad` is set:
 * so one look after many takes suffices. */
typedef struct h5_cursor {
    const unsigned char *at;
    size_t left;
    int bad;
} h5_cursor;

/* Finds the superblock of a file of size bytes at its places (0, 512, 1024, ...). */
spd_status h5_open(spd_context *ctx, const unsigned char *bytes, size_t size, h5_file *file);

/* Takes bytes off the file's effort; SPD_EFORMAT if there are not as many left. */
spd_status h5_charge(spd_context *ctx, h5_file *file, uint64_t bytes);

/* *cursor <- the length bytes at an address, all of them in the file. */
spd_status h5_block(spd_context *ctx, h5_file *file, uint64_t address, uint64_t length,
                    h5_cursor *cursor);

/* The same for a block that begins with a signature of four letters, which is passed over. */
spd_status h5_signed(spd_context *ctx, h5_file *file, uint64_t address, uint64_t length,
                     const char *signature, h5_cursor *cursor);

/* Opens a node of a tree of a kind (0: links of a group, 1: chunks) at this level, -1 for any.
 * *node <- its entries, `each` bytes long; *here <- its level, *count <- how many there are. */
spd_status h5_tree_node(spd_context *ctx, h5_file *file, uint64_t address, unsigned kind, int level,
                        size_t each, h5_cursor *node, int *here, size_t *count);

/* The next unsigned number of 0 to 8 bytes; an address (all ones give H5_UNDEFINED), a length. */
uint64_t h5_take(h5_cursor *cursor, size_t bytes);
uint64_t h5_take_address(h5_cursor *cursor, const h5_file *file);
uint64_t h5_take_length(h5_cursor *cursor, const h5_file *file);

/* The next size bytes as a part of its own. */
h5_cursor h5_take_part(h5_cursor *cursor, size_t size);

spd_status h5_damaged(spd_context *ctx);

/* ---- objects (file.c, message.c) ------------------------------------------------------------ */

typedef enum h5_class {
    H5_INTEGER = 0,
    H5_FLOAT = 1,
    H5_STRING = 3,
    H5_COMPOUND = 6,
    H5_REFERENCE = 7,
    H5_VARIABLE = 9, /* texts of any length */
    H5_UNUSUAL = 100
} h5_class;

typedef struct h5_type {
    h5_class kind;
    size_t size; /* bytes of an element */
    int swap;    /* big-endian */
    int is_signed;
    int is_pair; /* H5_COMPOUND: two numbers of one floating-point type, a complex number */
} h5_type;

typedef struct h5_space {
    size_t rank;
    int none; /* holds not even one element */
    uint64_t dims[H5_MAX_RANK];
} h5_space;

typedef enum h5_storage { H5_NOWHERE, H5_COMPACT, H5_CONTIGUOUS, H5_CHUNKED } h5_storage;
typedef enum h5_index { H5_TREE, H5_SINGLE, H5_IMPLICIT, H5_FIXED_ARRAY } h5_index;

typedef struct h5_layout {
    h5_storage storage;
    uint64_t address, size; /* of the block, or of the index of chunks */
    h5_cursor compact;      /* the elements themselves */
    h5_index index;
    size_t rank;                 /* of the chunks */
    uint64_t chunk[H5_MAX_RANK]; /* their sizes */
    uint64_t single_size;        /* of a single chunk that is filtered; else 0 */
    uint32_t single_mask;
} h5_layout;

enum { H5_DEFLATE = 1, H5_SHUFFLE = 2, H5_FLETCHER32 = 3, H5_MAX_FILTERS = 3 };

/* What the header of an object says, as far as we want to know. */
typedef struct h5_object {
    const char *problem; /* why it cannot be read as a data set, worded after its name; or NULL */
    int has_space, has_type, has_layout;
    h5_space space;
    h5_type type;
    h5_layout layout;
    size_t filters;
    unsigned filter[H5_MAX_FILTERS];
    h5_cursor fill; /* the value of elements that are not stored; empty for zero */
    char matlab_class[24];
    int matlab_empty, matlab_sparse;
    uint64_t tree, heap; /* of a group in the old form; else undefined */
    uint64_t dense_heap; /* of a group in the new form with many links */
} h5_object;

/* Is called for each link message of a header. */
typedef spd_status h5_link_visitor(spd_context *ctx, void *user, h5_cursor link);

/* Reads the header of an object; links (or NULL) gets its link messages. */
spd_status h5_object_read(spd_context *ctx, h5_file *file, uint64_t address, h5_object *object,
                          h5_link_visitor *links, void *user);

/* Takes a message of a type up into the object. Damage is a failure; what is merely unsupported is
 * noted as the object's problem. */
spd_status h5_message(spd_context *ctx, const h5_file *file, unsigned type, int shared,
                      h5_cursor message, h5_object *object);

/* ---- texts of any length (file.c) ----------------------------------------------------------- */

/* Where the search for texts stands. All zero: nowhere yet. */
typedef struct h5_heap {
    uint64_t address; /* of the collection */
    h5_cursor rest;   /* of it */
} h5_heap;

/* *text <- what the next of the elements, of H5_VARIABLE, refers to. */
spd_status h5_heap_text(spd_context *ctx, h5_file *file, h5_heap *heap, h5_cursor *element,
                        h5_cursor *text);

/* ---- groups (file.c) ------------------------------------------------------------------------ */

/* Is called for each link of a group: address, or H5_UNDEFINED for a link of another kind. */
typedef spd_status h5_visitor(spd_context *ctx, void *user, const char *name, uint64_t address);

spd_status h5_group_list(spd_context *ctx, h5_file *file, uint64_t address, h5_visitor *visit,
                         void *user);

/* ---- elements (data.c) ---------------------------------------------------------------------- */

typedef struct h5_chunk {
    uint64_t offset[H5_MAX_RANK]; /* of its first element */
    uint64_t address, size;
    uint32_t mask; /* a bit for each filter that was left out */
} h5_chunk;

/* Is called for each chunk that is stored. */
typedef spd_status h5_chunk_visitor(spd_context *ctx, void *user, const h5_chunk *chunk);

/* Room that undoing the filters of a chunk takes beyond its elements. */
#define H5_MARGIN 8

/* Is called for runs of elements: `count` from number `first` on. */
typedef spd_status h5_taker(spd_context *ctx, void *user, size_t first, size_t count,
                            const unsigned char *bytes);

/* Checks that an object is a data set of ours and that the file can hold its elements; *count <-
 * how many there are. Then reads them, each at least once. */
spd_status h5_data_check(spd_context *ctx, const h5_file *file, const h5_object *object,
                         size_t *count);
spd_status h5_data_read(spd_context *ctx, h5_file *file, const h5_object *object, h5_taker *take,
                        void *user);

/* The same into bytes (count * type.size). */
spd_status h5_data_copy(spd_context *ctx, h5_file *file, const h5_object *object,
                        unsigned char *bytes);

#endif
