/* stored.c - deflated bytes that are not packed, and checksums; see zlib.h.
 *
 * A stored block: three bits (is it the last? 00), then at a byte's boundary its size and the
 * complement of that, 16 bits each, then its bytes. */
#include <string.h>
#include <zlib.h>

#define BLOCK 65535u

const char *zlibVersion(void)
{
    return "none, code of spdml in its place";
}

/* ---- packing --------------------------------------------------------------------------------- */

int deflateInit2(z_stream *stream, int level, int method, int bits, int memory, int strategy)
{
    (void)level, (void)method, (void)bits, (void)memory, (void)strategy;
    stream->total_out = 0;
    stream->state = NULL;
    return Z_OK;
}

/* Five bytes for each block, of which a call may begin a new one, and for the last. */
uLong deflateBound(z_stream *stream, uLong size)
{
    (void)stream;
    return size + 5 * (size / BLOCK + 64);
}

static void put_block(z_stream *stream, uInt size, int last)
{
    const Bytef head[5] = {(Bytef)last, (Bytef)size, (Bytef)(size >> 8), (Bytef)~size,
                           (Bytef)(~size >> 8)};
    memcpy(stream->next_out, head, sizeof head);
    if (size)
        memcpy(stream->next_out + sizeof head, stream->next_in, size);
    stream->next_in += size;
    stream->avail_in -= size;
    stream->next_out += size + sizeof head;
    stream->avail_out -= size + (uInt)sizeof head;
    stream->total_out += size + sizeof head;
}

int deflate(z_stream *stream, int flush)
{
    do {
        uInt size = stream->avail_in < BLOCK ? stream->avail_in : BLOCK;
        int last = flush == Z_FINISH && size == stream->avail_in;
        if (stream->avail_out < size + 5)
            return Z_BUF_ERROR;
        if (size || last)
            put_block(stream, size, last);
    } while (stream->avail_in);
    return flush == Z_FINISH ? Z_STREAM_END : Z_OK;
}

int deflateEnd(z_stream *stream)
{
    (void)stream;
    return Z_OK;
}

/* ---- checksums ------------------------------------------------------------------------------- */

#define POLYNOMIAL 0xedb88320u /* of degree 32, bits from x^31 down to 1 */

/* The remainder of the byte's polynomial, bits from low to high. */
static uLong remainder_of(uLong byte)
{
    for (int bit = 0; bit < 8; bit++)
        byte = byte & 1 ? byte >> 1 ^ POLYNOMIAL : byte >> 1;
    return byte;
}

uLong crc32_z(uLong crc, const Bytef *bytes, size_t size)
{
    uLong table[256];
    for (uLong byte = 0; byte < 256; byte++)
        table[byte] = remainder_of(byte);
    crc ^= 0xffffffffu;
    for (size_t i = 0; bytes && i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return bytes ? crc ^ 0xffffffffu : 0;
}

uLong crc32(uLong crc, const Bytef *bytes, uInt size)
{
    return crc32_z(crc, bytes, size);
}

/* a b modulo the polynomial. */
static uLong product_of(uLong a, uLong b)
{
    uLong product = 0;
    for (uLong bit = 0x80000000u; bit; bit >>= 1) {
        product ^= a & bit ? b : 0;
        b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
    }
    return product;
}

/* The first is followed by so many bytes: times x^(8 size). */
uLong crc32_combine(uLong first, uLong second, z_off_t size)
{
    uLong power = 0x00800000u; /* x^8, and its squares */
    for (; size > 0; size >>= 1) {
        if (size & 1)
            first = product_of(first, power);
        power = product_of(power, power);
    }
    return first ^ second;
}

/* So many sums of bytes fit into 32 bits. */
#define SUMS 5552u

uLong adler32(uLong adler, const Bytef *bytes, uInt size)
{
    uLong a = adler & 0xffff, b = adler >> 16;
    for (uInt i = 0; i < size; i += SUMS) {
        for (uInt j = i; j < size && j < i + SUMS; j++) {
            a += bytes[j];
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

/* ---- all at once -------------------------------------------------------------------------------
 */

int compress(Bytef *to, uLongf *size, const Bytef *from, uLong count)
{
    z_stream stream = {.next_in = from, .avail_in = (uInt)count};
    uLong sum = adler32(1, from, (uInt)count);
    if (*size < deflateBound(&stream, count) + 6)
        return Z_BUF_ERROR;
    to[0] = 0x78; /* deflated, a window of 32 kB; the least effort */
    to[1] = 0x01;
    stream.next_out = to + 2;
    stream.avail_out = (uInt)*size - 6;
    deflate(&stream, Z_FINISH);
    for (int i = 0; i < 4; i++)
        *stream.next_out++ = (Bytef)(sum >> (24 - 8 * i));
    *size = (uLongf)(stream.next_out - to);
    return Z_OK;
}
