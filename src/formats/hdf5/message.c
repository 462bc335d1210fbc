/* message.c - the messages of a header: shape, type, layout, filters, fill value, attributes.
 *
 * Each has versions; all that MATLAB, h5py, hdf5storage and matio write are known here. */
#include <string.h>

#include "formats/hdf5/hdf5.h"

enum {
    MESSAGE_SPACE = 0x01,
    MESSAGE_LINK_INFO = 0x02,
    MESSAGE_TYPE = 0x03,
    MESSAGE_OLD_FILL = 0x04,
    MESSAGE_FILL = 0x05,
    MESSAGE_EXTERNAL = 0x07,
    MESSAGE_LAYOUT = 0x08,
    MESSAGE_FILTERS = 0x0b,
    MESSAGE_ATTRIBUTE = 0x0c,
    MESSAGE_TABLE = 0x11,
    MESSAGE_ATTRIBUTES = 0x15
};

static void note(h5_object *object, const char *problem)
{
    if (!object->problem)
        object->problem = problem;
}

static int take_space(const h5_file *file, h5_cursor *m, h5_space *space)
{
    unsigned version = (unsigned)h5_take(m, 1);
    *space = (h5_space){.rank = (size_t)h5_take(m, 1)};
    h5_take(m, 1); /* flags: are there greatest sizes behind the sizes? */
    unsigned form = (unsigned)h5_take(m, version == 1 ? 5 : 1);
    space->none = version == 2 && form == 2;
    if (version < 1 || version > 2 || space->rank > H5_MAX_RANK)
        return 0;
    for (size_t d = 0; d < space->rank; d++)
        space->dims[d] = h5_take_length(m, file);
    return !m->bad;
}

/* Are these floating-point numbers those of IEEE 754? */
static int is_ieee(h5_cursor m, uint64_t bits, size_t size)
{
    static const unsigned char wide[] = {52, 11, 0, 52}, narrow[] = {23, 8, 0, 23};
    uint64_t offset = h5_take(&m, 2), precision = h5_take(&m, 2);
    if ((size != 4 && size != 8) || m.left < 8 || offset != 0 || precision != 8 * size)
        return 0;
    if (memcmp(m.at, size == 8 ? wide : narrow, 4) != 0)
        return 0;
    m = h5_take_part(&m, 8);
    h5_take(&m, 4);
    return h5_take(&m, 4) == (size == 8 ? 1023 : 127) && (bits >> 8 & 0xff) == 8 * size - 1 &&
           (bits >> 4 & 3) == 2 && (bits & 0x40) == 0;
}

/* within: it is the type of a part, and no pair itself. */
static int take_type(h5_cursor *m, int within, h5_type *type);

/* Takes the head of a member of a compound: is it called so, and does it begin at byte `at`? The
 * cursor then stands at its type. */
static int take_member(h5_cursor *m, unsigned version, size_t size, const char *name, size_t at)
{
    size_t length = strnlen((const char *)m->at, m->left) + 1;
    h5_cursor word = h5_take_part(m, version < 3 ? (length + 7) / 8 * 8 : length);
    size_t offset = (size_t)h5_take(m, version < 3 || size > 255 ? 4 : 1);
    if (version == 1)
        h5_take_part(m, 28); /* of arrays: their sizes */
    return !m->bad && length == strlen(name) + 1 && memcmp(word.at, name, length) == 0 &&
           offset == at;
}

/* Is the compound a complex number: real and imag, as MATLAB says, or r and i, as numpy does? */
static int is_pair(h5_cursor m, unsigned version, uint64_t members, h5_type *type)
{
    static const char *const words[][2] = {{"real", "imag"}, {"r", "i"}};
    const size_t half = type->size / 2;
    h5_type part[2];
    if (members != 2 || version < 1 || version > 5 || type->size % 2 != 0)
        return 0;
    const char *const *word = words[m.left > 1 && m.at[1] == '\0'];
    for (size_t k = 0; k < 2; k++)
        if (!take_member(&m, version, type->size, word[k], k * half) ||
            !take_type(&m, 1, &part[k]) || part[k].kind != H5_FLOAT || part[k].size != half)
            return 0;
    type->swap = part[0].swap;
    return part[0].swap == part[1].swap;
}

static int take_type(h5_cursor *m, int within, h5_type *type)
{
    unsigned first = (unsigned)h5_take(m, 1);
    uint64_t bits = h5_take(m, 3);
    *type = (h5_type){.kind = H5_UNUSUAL, .size = (size_t)h5_take(m, 4)};
    if (m->bad || type->size == 0)
        return 0;
    unsigned kind = first & 15, version = first >> 4;
    type->swap = bits & 1;
    type->is_signed = bits >> 3 & 1;
    size_t size = type->size;
    if (kind == H5_INTEGER) {
        uint64_t offset = h5_take(m, 2), precision = h5_take(m, 2);
        if ((size == 1 || size == 2 || size == 4 || size == 8) && offset == 0 &&
            precision == 8 * size)
            type->kind = H5_INTEGER;
    } else if (kind == H5_FLOAT) {
        if (is_ieee(*m, bits, size))
            type->kind = H5_FLOAT;
        h5_take_part(m, m->left < 12 ? m->left : 12);
    } else if (kind == H5_STRING || kind == H5_COMPOUND ||
               (kind == H5_VARIABLE && (bits & 15) == 1)) {
        type->kind = (h5_class)kind;
        type->is_pair = kind == H5_COMPOUND && !within && is_pair(*m, version, bits & 0xffff, type);
    } else if (kind == H5_REFERENCE && (bits & 15) == 0) { /* to an object */
        type->kind = H5_REFERENCE;
    }
    return !m->bad;
}

/* Layout of versions 1 and 2. */
static int old_layout(const h5_file *file, h5_cursor *m, h5_layout *layout)
{
    size_t sizes = (size_t)h5_take(m, 1);
    unsigned form = (unsigned)h5_take(m, 1);
    h5_take(m, 5);
    if (form > 2 || sizes > H5_MAX_RANK)
        return 0;
    layout->storage = form == 0 ? H5_COMPACT : form == 1 ? H5_CONTIGUOUS : H5_CHUNKED;
    layout->size = UINT64_MAX; /* not said: as many as there are elements */
    if (form > 0)
        layout->address = h5_take_address(m, file);
    for (size_t d = 0; d < sizes; d++)
        layout->chunk[d] = h5_take(m, 4);
    layout->rank = sizes > 0 ? sizes - 1 : 0; /* the last is an element's size */
    if (form == 0)
        layout->compact = h5_take_part(m, (size_t)h5_take(m, 4));
    return !m->bad && (form != 2 || sizes > 1);
}

/* Chunks in layouts of version 3. */
static int tree_chunks(const h5_file *file, h5_cursor *m, h5_layout *layout)
{
    size_t sizes = (size_t)h5_take(m, 1);
    if (sizes < 2 || sizes > H5_MAX_RANK)
        return 0;
    layout->index = H5_TREE;
    layout->rank = sizes - 1;
    layout->address = h5_take_address(m, file);
    for (size_t d = 0; d < sizes; d++)
        layout->chunk[d] = h5_take(m, 4);
    return !m->bad;
}

/* Chunks in layouts of versions 4 and 5. */
static int new_chunks(const h5_file *file, h5_cursor *m, h5_object *object)
{
    h5_layout *layout = &object->layout;
    unsigned flags = (unsigned)h5_take(m, 1);
    size_t sizes = (size_t)h5_take(m, 1), width = (size_t)h5_take(m, 1);
    if (sizes < 2 || sizes > H5_MAX_RANK || width < 1 || width > 8)
        return 0;
    layout->rank = sizes - 1;
    for (size_t d = 0; d < sizes; d++)
        layout->chunk[d] = h5_take(m, width);
    unsigned index = (unsigned)h5_take(m, 1);
    if (index == 1 && (flags & 2)) {
        layout->single_size = h5_take_length(m, file);
        layout->single_mask = (uint32_t)h5_take(m, 4);
    } else if (index == 3) {
        h5_take(m, 1);
    } else if (index < 1 || index > 3) {
        note(object, "is stored in chunks of a growing data set; save one of fixed size, or -v7");
        return !m->bad;
    }
    layout->index = index == 1 ? H5_SINGLE : index == 2 ? H5_IMPLICIT : H5_FIXED_ARRAY;
    layout->address = h5_take_address(m, file);
    if (flags & 1)
        note(object, "is stored with chunks at the edge unpacked; save with -v7");
    return !m->bad;
}

static int take_layout(const h5_file *file, h5_cursor *m, h5_object *object)
{
    h5_layout *layout = &object->layout;
    unsigned version = (unsigned)h5_take(m, 1);
    object->has_layout = 1;
    *layout = (h5_layout){.address = H5_UNDEFINED};
    if (version < 1 || version > 5)
        return 0;
    if (version < 3)
        return old_layout(file, m, layout);
    unsigned form = (unsigned)h5_take(m, 1);
    if (form == 0) {
        layout->storage = H5_COMPACT;
        layout->compact = h5_take_part(m, (size_t)h5_take(m, 2));
    } else if (form == 1) {
        layout->storage = H5_CONTIGUOUS;
        layout->address = h5_take_address(m, file);
        layout->size = h5_take_length(m, file);
    } else if (form == 2) {
        layout->storage = H5_CHUNKED;
        return version == 3 ? tree_chunks(file, m, layout) : new_chunks(file, m, object);
    } else {
        note(object, "is a virtual data set, which points into other files; save its elements");
    }
    return !m->bad;
}

static int take_filters(h5_cursor *m, h5_object *object)
{
    unsigned version = (unsigned)h5_take(m, 1);
    size_t count = (size_t)h5_take(m, 1);
    h5_take(m, version == 1 ? 6 : 0);
    unsigned seen = 0;
    object->filters = 0;
    for (size_t i = 0; i < count && !m->bad; i++) {
        unsigned id = (unsigned)h5_take(m, 2);
        size_t name = version == 1 || id >= 256 ? (size_t)h5_take(m, 2) : 0;
        h5_take(m, 2); /* flags */
        size_t values = (size_t)h5_take(m, 2);
        h5_take_part(m, version == 1 ? (name + 7) / 8 * 8 : name);
        h5_take_part(m, 4 * (version == 1 ? values + values % 2 : values));
        if (id < H5_DEFLATE || id > H5_FLETCHER32 || (seen & 1u << id)) {
            note(object, "is packed by a filter other than gzip, shuffle or fletcher32; save it "
                         "with gzip");
            return 1;
        }
        seen |= 1u << id;
        object->filter[object->filters++] = id;
    }
    return !m->bad && (version == 1 || version == 2);
}

static int take_fill(h5_cursor *m, int old, h5_object *object)
{
    unsigned version = old ? 0 : (unsigned)h5_take(m, 1);
    int defined = 1;
    if (version == 1 || version == 2) {
        h5_take(m, 2);
        defined = h5_take(m, 1) == 1 || version == 1;
    } else if (version == 3) {
        defined = h5_take(m, 1) >> 5 & 1;
    }
    if (defined)
        object->fill = h5_take_part(m, (size_t)h5_take(m, 4));
    return !m->bad && version <= 3;
}

/* The class that MATLAB gave the object: a short text, which other programs pad with zeros or
 * blanks. */
static void take_class(const h5_type *type, const h5_space *space, h5_cursor data,
                       h5_object *object)
{
    size_t room = sizeof object->matlab_class - 1;
    size_t length = data.left < type->size ? SIZE_MAX : strnlen((const char *)data.at, type->size);
    while (length != SIZE_MAX && length > 0 && data.at[length - 1] == ' ')
        length--;
    if (type->kind != H5_STRING || space->rank > 1 || space->none || length > room ||
        (space->rank == 1 && space->dims[0] != 1)) {
        note(object, "has an attribute MATLAB_class that is not a short text of fixed length");
        return;
    }
    memset(object->matlab_class, 0, room + 1);
    memcpy(object->matlab_class, data.at, length);
}

static int take_attribute(const h5_file *file, h5_cursor *m, h5_object *object)
{
    unsigned version = (unsigned)h5_take(m, 1), flags = (unsigned)h5_take(m, 1);
    size_t name = (size_t)h5_take(m, 2), sizes[2];
    sizes[0] = (size_t)h5_take(m, 2);
    sizes[1] = (size_t)h5_take(m, 2);
    h5_take(m, version == 3 ? 1 : 0);
    size_t round = version == 1 ? 7 : 0;
    h5_cursor word = h5_take_part(m, (name + round) & ~round);
    h5_cursor type_part = h5_take_part(m, (sizes[0] + round) & ~round);
    h5_cursor space_part = h5_take_part(m, (sizes[1] + round) & ~round);
    if (m->bad || version < 1 || version > 3)
        return 0;
    int is_class = name == 13 && memcmp(word.at, "MATLAB_class", 13) == 0;
    int is_empty = name == 13 && memcmp(word.at, "MATLAB_empty", 13) == 0;
    int is_sparse = name == 14 && memcmp(word.at, "MATLAB_sparse", 14) == 0;
    object->matlab_sparse |= is_sparse;
    if (!is_class && !is_empty)
        return 1;
    h5_type type;
    h5_space space;
    if ((flags & 3) || !take_type(&type_part, 0, &type) || !take_space(file, &space_part, &space)) {
        note(object, "has attributes of an unusual kind; save with -v7");
        return 1;
    }
    if (is_class) {
        take_class(&type, &space, *m, object);
    } else if (type.kind != H5_INTEGER || space.rank > 1 || m->left < type.size) {
        note(object, "has an attribute MATLAB_empty that is not a number");
    } else {
        object->matlab_empty = h5_take(m, type.size) != 0;
    }
    return 1;
}

static int take_link_info(const h5_file *file, h5_cursor *m, h5_object *object)
{
    h5_take(m, 1);
    unsigned flags = (unsigned)h5_take(m, 1);
    h5_take(m, flags & 1 ? 8 : 0);
    object->dense_heap = h5_take_address(m, file);
    h5_take_address(m, file); /* of their names */
    return !m->bad;
}

static int take_attribute_info(const h5_file *file, h5_cursor *m, h5_object *object)
{
    h5_take(m, 1);
    unsigned flags = (unsigned)h5_take(m, 1);
    h5_take(m, flags & 1 ? 2 : 0);
    if (h5_take_address(m, file) != H5_UNDEFINED)
        note(object, "has more attributes than MATLAB gives a variable; save with -v7");
    return !m->bad;
}

spd_status h5_message(spd_context *ctx, const h5_file *file, unsigned type, int shared,
                      h5_cursor message, h5_object *object)
{
    h5_cursor *m = &message;
    int good = 1;
    if (shared && (type == MESSAGE_SPACE || type == MESSAGE_TYPE || type == MESSAGE_FILTERS ||
                   type == MESSAGE_ATTRIBUTE || type == MESSAGE_FILL)) {
        note(object, "shares its type or shape with others in the file; save with -v7");
        return SPD_OK;
    }
    switch (type) {
    case MESSAGE_SPACE:
        object->has_space = 1;
        good = take_space(file, m, &object->space);
        break;
    case MESSAGE_TYPE:
        object->has_type = 1;
        good = take_type(m, 0, &object->type);
        break;
    case MESSAGE_LAYOUT:
        good = take_layout(file, m, object);
        break;
    case MESSAGE_FILTERS:
        good = take_filters(m, object);
        break;
    case MESSAGE_OLD_FILL:
    case MESSAGE_FILL:
        good = take_fill(m, type == MESSAGE_OLD_FILL, object);
        break;
    case MESSAGE_EXTERNAL:
        note(object, "keeps its elements in other files (external storage); save them in this one");
        break;
    case MESSAGE_ATTRIBUTE:
        good = take_attribute(file, m, object);
        break;
    case MESSAGE_LINK_INFO:
        good = take_link_info(file, m, object);
        break;
    case MESSAGE_ATTRIBUTES:
        good = take_attribute_info(file, m, object);
        break;
    case MESSAGE_TABLE:
        object->tree = h5_take_address(m, file);
        object->heap = h5_take_address(m, file);
        good = !m->bad;
        break;
    default: /* times, comments and the like */
        break;
    }
    return good ? SPD_OK : h5_damaged(ctx);
}
