/* inflate.c - unpacks deflated bytes (RFC 1951) that arrive, and leave, in pieces of any size; see
 * zlib.h.
 *
 * The work is cut into steps: a field of a header, a symbol with its extra bits, a piece of a copy.
 * A step takes at most 48 bits, and reads them from `bits`, which holds up to 63; where there are
 * too few it puts them back and waits for more bytes. Nothing that is read is trusted: lengths of
 * codes must make a full tree, or a lone code, and copies begin within what has come out. */
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum { WINDOW = 32768, LONGEST = 15, LITERALS = 288, DISTANCES = 32, LENGTHS = 19 };

/* A Huffman code: how many of each length, and the symbols in the order of their codes. */
typedef struct tree {
    uint16_t count[LONGEST + 1], symbol[LITERALS];
} tree;

typedef enum place { HEAD, BLOCK, STORED, SIZES, CODES, TREES, SYMBOLS, CHECK, DONE } place;
typedef enum outcome { ON, HUNGRY, FULL, DAMAGED } outcome; /* of a step */

typedef struct inflate_state {
    place at;
    int wrapped, last;
    uint64_t bits;
    unsigned have;       /* bits in `bits` */
    unsigned left, back; /* bytes that are still to be copied, and from how far behind */
    unsigned literals, distances, lengths, read; /* of a block's trees */
    uint8_t length[LITERALS + DISTANCES];
    tree symbols, steps;
    uint64_t total; /* bytes that have come out */
    uLong adler;
    const Bytef *summed; /* how far it is the sum of this call's bytes */
    unsigned char window[WINDOW];
} inflate_state;

/* ---- bits ------------------------------------------------------------------------------------ */

static void fill(z_stream *stream, inflate_state *s)
{
    while (s->have <= 55 && stream->avail_in) {
        s->bits |= (uint64_t)*stream->next_in++ << s->have;
        stream->avail_in--;
        s->have += 8;
    }
}

/* The next bits, lowest first; *short_of is set where there are fewer. */
static unsigned take(inflate_state *s, unsigned count, int *short_of)
{
    if (s->have < count) {
        *short_of = 1;
        return 0;
    }
    unsigned value = (unsigned)(s->bits & ((1u << count) - 1));
    s->bits >>= count;
    s->have -= count;
    return value;
}

/* The next symbol, or -1: damaged unless *short_of. */
static int decode(inflate_state *s, const tree *t, int *short_of)
{
    unsigned code = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= LONGEST; length++) {
        code |= take(s, 1, short_of);
        if (*short_of)
            return -1;
        unsigned count = t->count[length];
        if (code < first + count)
            return t->symbol[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return -1;
}

/* t <- the code with these lengths; non-zero if there is none. Only a code of one word may be
 * incomplete, if that has one bit. */
static int plant(tree *t, const uint8_t *length, unsigned count)
{
    uint16_t first[LONGEST + 2] = {0};
    int left = 1;
    memset(t->count, 0, sizeof t->count);
    for (unsigned i = 0; i < count; i++)
        t->count[length[i]]++;
    unsigned used = count - t->count[0];
    for (unsigned n = 1; n <= LONGEST; n++) {
        left = 2 * left - t->count[n];
        if (left < 0)
            return 1;
        first[n + 1] = (uint16_t)(first[n] + t->count[n]);
    }
    for (unsigned i = 0; i < count; i++)
        if (length[i])
            t->symbol[first[length[i]]++] = (uint16_t)i;
    t->count[0] = 0;
    return left > 0 && used != t->count[1];
}

/* ---- bytes that come out -----------------------------------------------------------------------
 */

static void put(z_stream *stream, inflate_state *s, unsigned char byte)
{
    *stream->next_out++ = byte;
    stream->avail_out--;
    s->window[s->total++ % WINDOW] = byte;
}

/* Goes on with a copy of what came out before. */
static void copy(z_stream *stream, inflate_state *s)
{
    for (; s->left && stream->avail_out; s->left--)
        put(stream, s, s->window[(s->total - s->back) % WINDOW]);
}

static outcome stored(z_stream *stream, inflate_state *s)
{
    int short_of = 0;
    while (s->left && stream->avail_out) {
        fill(stream, s);
        unsigned char byte = (unsigned char)take(s, 8, &short_of);
        if (short_of)
            return HUNGRY;
        put(stream, s, byte);
        s->left--;
    }
    if (s->left)
        return FULL;
    s->at = BLOCK;
    return ON;
}

static outcome symbol(z_stream *stream, inflate_state *s)
{
    static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    int short_of = 0;
    copy(stream, s);
    if (stream->avail_out == 0)
        return FULL;
    int code = decode(s, &s->symbols, &short_of);
    if (code >= 0 && code < 256) {
        put(stream, s, (unsigned char)code);
        return ON;
    }
    if (code == 256)
        s->at = BLOCK;
    if (code <= 256 || code > 285)
        return short_of ? HUNGRY : code == 256 ? ON : DAMAGED;
    unsigned length = base[code - 257] + take(s, extra[code - 257], &short_of);
    int far = short_of ? -1 : decode(s, &s->steps, &short_of);
    if (short_of)
        return HUNGRY;
    if (far < 0 || far > 29)
        return DAMAGED;
    unsigned more = far < 4 ? 0 : (unsigned)far / 2 - 1;
    unsigned back = far < 4 ? (unsigned)far + 1 : ((2 + ((unsigned)far & 1)) << more) + 1;
    back += take(s, more, &short_of);
    if (short_of)
        return HUNGRY;
    s->left = length;
    s->back = back;
    return back > s->total ? DAMAGED : ON;
}

/* ---- heads of blocks ---------------------------------------------------------------------------
 */

static void plant_fixed(inflate_state *s)
{
    memset(s->length, 8, 144);
    memset(s->length + 144, 9, 112);
    memset(s->length + 256, 7, 24);
    memset(s->length + 280, 8, 8);
    plant(&s->symbols, s->length, LITERALS);
    memset(s->length, 5, DISTANCES);
    plant(&s->steps, s->length, DISTANCES);
}

static outcome begin_stored(inflate_state *s)
{
    int short_of = 0;
    take(s, s->have % 8, &short_of);
    unsigned size = take(s, 16, &short_of), complement = take(s, 16, &short_of);
    if (short_of)
        return HUNGRY;
    s->left = size;
    s->at = STORED;
    return (size ^ complement) == 0xffff ? ON : DAMAGED;
}

static outcome begin_block(inflate_state *s)
{
    static const place where[] = {STORED, SYMBOLS, SIZES};
    int short_of = 0;
    if (s->last) {
        take(s, s->have % 8, &short_of);
        s->at = s->wrapped ? CHECK : DONE;
        return ON;
    }
    s->last = (int)take(s, 1, &short_of);
    unsigned kind = take(s, 2, &short_of);
    if (short_of || kind == 3) {
        s->last = 0;
        return short_of ? HUNGRY : DAMAGED;
    }
    s->at = where[kind];
    if (kind == 1)
        plant_fixed(s);
    if (kind != 0)
        return ON;
    outcome found = begin_stored(s);
    if (found == HUNGRY) { /* the whole head is read again */
        s->at = BLOCK;
        s->last = 0;
    }
    return found;
}

static outcome sizes(inflate_state *s)
{
    int short_of = 0;
    s->literals = take(s, 5, &short_of) + 257;
    s->distances = take(s, 5, &short_of) + 1;
    s->lengths = take(s, 4, &short_of) + 4;
    s->read = 0;
    if (short_of)
        return HUNGRY;
    memset(s->length, 0, sizeof s->length);
    s->at = CODES;
    return s->literals > 286 || s->distances > 30 ? DAMAGED : ON;
}

/* The lengths of the code that the lengths of the two codes are written in. */
static outcome codes(inflate_state *s)
{
    static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
    int short_of = 0;
    unsigned length = take(s, 3, &short_of);
    if (short_of)
        return HUNGRY;
    s->length[order[s->read++]] = (uint8_t)length;
    if (s->read < s->lengths)
        return ON;
    if (plant(&s->steps, s->length, LENGTHS))
        return DAMAGED;
    s->read = 0;
    s->at = TREES;
    return ON;
}

static outcome finish_trees(inflate_state *s)
{
    s->at = SYMBOLS;
    return s->length[256] == 0 || plant(&s->symbols, s->length, s->literals) ||
                   plant(&s->steps, s->length + s->literals, s->distances)
               ? DAMAGED
               : ON;
}

/* One more length, or several that are alike. */
static outcome trees(inflate_state *s)
{
    int short_of = 0, code = decode(s, &s->steps, &short_of);
    unsigned times = 1, total = s->literals + s->distances;
    uint8_t value = (uint8_t)code;
    if (code == 16) {
        times = 3 + take(s, 2, &short_of);
        value = s->read ? s->length[s->read - 1] : 0;
    } else if (code >= 17) {
        times = code == 17 ? 3 + take(s, 3, &short_of) : 11 + take(s, 7, &short_of);
        value = 0;
    }
    if (short_of)
        return HUNGRY;
    if (code < 0 || (code == 16 && s->read == 0) || times > total - s->read)
        return DAMAGED;
    memset(s->length + s->read, value, times);
    s->read += times;
    return s->read < total ? ON : finish_trees(s);
}

/* ---- zlib's own head and end --------------------------------------------------------------------
 */

static outcome head(inflate_state *s)
{
    int short_of = 0;
    unsigned method = take(s, 8, &short_of), flags = take(s, 8, &short_of);
    if (short_of)
        return HUNGRY;
    s->at = BLOCK;
    return (method & 15) != Z_DEFLATED || method >> 4 > 7 || (method << 8 | flags) % 31 ||
                   flags & 32
               ? DAMAGED
               : ON;
}

/* The checksum of what has come out so far. */
static void sum_up(const z_stream *stream, inflate_state *s)
{
    if (s->wrapped)
        s->adler = adler32(s->adler, s->summed, (uInt)(stream->next_out - s->summed));
    s->summed = stream->next_out;
}

static outcome check(const z_stream *stream, inflate_state *s)
{
    int short_of = 0;
    uLong sum = 0;
    sum_up(stream, s);
    for (int i = 0; i < 4; i++)
        sum = sum << 8 | take(s, 8, &short_of);
    if (short_of)
        return HUNGRY;
    s->at = DONE;
    return sum == s->adler ? ON : DAMAGED;
}

/* ---- the whole ----------------------------------------------------------------------------------
 */

int inflateInit2(z_stream *stream, int bits)
{
    inflate_state *s = stream->zalloc(stream->opaque, 1, sizeof *s);
    stream->state = s;
    if (!s)
        return Z_MEM_ERROR;
    memset(s, 0, sizeof *s);
    s->wrapped = bits > 0;
    s->at = s->wrapped ? HEAD : BLOCK;
    s->adler = 1;
    return Z_OK;
}

int inflateEnd(z_stream *stream)
{
    if (stream->state)
        stream->zfree(stream->opaque, stream->state);
    stream->state = NULL;
    return Z_OK;
}

static outcome step(z_stream *stream, inflate_state *s)
{
    switch (s->at) {
    case HEAD:
        return head(s);
    case BLOCK:
        return begin_block(s);
    case STORED:
        return stored(stream, s);
    case SIZES:
        return sizes(s);
    case CODES:
        return codes(s);
    case TREES:
        return trees(s);
    case SYMBOLS:
        return symbol(stream, s);
    default:
        return check(stream, s);
    }
}

/* Steps until one cannot be made. Bits of a step that needs more are put back. */
static outcome run(z_stream *stream, inflate_state *s)
{
    outcome found = ON;
    while (found == ON && s->at != DONE) {
        fill(stream, s);
        uint64_t bits = s->bits;
        unsigned have = s->have;
        found = step(stream, s);
        if (found == HUNGRY && s->at != STORED) {
            s->bits = bits;
            s->have = have;
        }
    }
    return found;
}

int inflate(z_stream *stream, int flush)
{
    inflate_state *s = stream->state;
    const Bytef *from = s->summed = stream->next_out;
    uInt given = stream->avail_in;
    (void)flush;
    outcome found = run(stream, s);
    size_t made = (size_t)(stream->next_out - from);
    stream->total_out += made;
    sum_up(stream, s);
    if (found == DAMAGED)
        return Z_DATA_ERROR;
    if (s->at == DONE)
        return Z_STREAM_END;
    return made || given != stream->avail_in ? Z_OK : Z_BUF_ERROR;
}
