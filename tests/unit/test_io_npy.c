/* test_io_npy.c - .npy: every element type, both orders, both endians, and what is refused. */
#include "unit/test_io_common.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <time.h>

#include "formats/format.h"
#include "io/array.h"
#include "io/npy.h"
#include "io/source.h"

/* Reads an image made from a dictionary and data through a file. */
static spd_array *read_made(int version, const char *dictionary, const void *data, size_t size)
{
    unsigned char image[4096];
    spd_array *array = NULL;
    put_file(scratch("made.npy"), image, make_npy(image, version, dictionary, data, size));
    CHECK(spd_array_read(ctx, scratch("made.npy"), NULL, &array) == SPD_OK, "%s", dictionary);
    return OWNED(spd_array, array);
}

static void refuse_made(const char *dictionary, const void *data, size_t size, const char *words)
{
    unsigned char image[4096];
    put_file(scratch("bad.npy"), image, make_npy(image, 1, dictionary, data, size));
    CHECK_UNREADABLE(scratch("bad.npy"), SPD_EFORMAT, words);
}

static void check_floats(const char *dictionary, const void *data, size_t size,
                         const double *wanted, size_t count)
{
    for (int version = 1; version <= 3; version++) {
        spd_array *array = read_made(version, dictionary, data, size);
        if (!array)
            continue;
        CHECK(array->type == SPD_TYPE_FLOAT64 && array->count == count && array->name == NULL, "%s",
              dictionary);
        for (size_t i = 0; i < count && i < array->count; i++)
            CHECK(array->f64[i] == wanted[i], "%s [%zu] = %g", dictionary, i, array->f64[i]);
    }
}

TEST(floats_of_either_byte_order)
{
    const double wanted[] = {1.5, -2.0};
    const unsigned char little8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0};
    const unsigned char big8[] = {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    const unsigned char little4[] = {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0};
    const unsigned char big4[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};
    const unsigned char little2[] = {0, 0x3e, 0, 0xc0};
    check_floats("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", little8, 16, wanted,
                 2);
    check_floats("{'shape': (2,), 'fortran_order': False, 'descr': '>f8'}", big8, 16, wanted, 2);
    check_floats("{\"descr\":\"<f4\",\"fortran_order\":True,\"shape\":(2L,)}  \n", little4, 8,
                 wanted, 2);
    check_floats("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2)}", big4, 8, wanted, 2);
    check_floats("{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", little2, 4, wanted, 2);
}

/* Of either width and byte order, the first index fastest or not. */
TEST(complex_numbers)
{
    const double wanted[] = {1.5, -2.0, 0.0, 0.5, -0.25, 8.0, 2.0, 1.0};
    const unsigned char big[] = {0x3f, 0xc0, 0, 0, 0xc0, 0, 0, 0};
    double turned[8];
    float narrow[8];
    for (size_t e = 0; e < 8; e++)
        narrow[e] = (float)wanted[e];
    for (size_t i = 0; i < 4; i++)
        memcpy(turned + 2 * i, wanted + 2 * (2 * (i % 2) + i / 2), 16);
    const struct {
        const char *dictionary;
        const void *data;
        size_t size, count;
    } cases[] = {
        {"{'descr': '<c16', 'fortran_order': False, 'shape': (2, 2)}", wanted, 64, 4},
        {"{'descr': '<c16', 'fortran_order': True, 'shape': (2, 2)}", turned, 64, 4},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2)}", narrow, 32, 4},
        {"{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}", big, 8, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spd_array *array = read_made(1, cases[k].dictionary, cases[k].data, cases[k].size);
        CHECK(array && array->type == SPD_TYPE_COMPLEX128 && array->count == cases[k].count, "%s",
              cases[k].dictionary);
        for (size_t e = 0; array && e < 2 * array->count; e++)
            CHECK(array->f64[e] == wanted[e], "%s: number %zu", cases[k].dictionary, e);
        const spd_array *const list[] = {array};
        OWN(spd_array) back = NULL;
        CHECK(spd_arrays_write(ctx, scratch("c.npy"), 1, list) == SPD_OK &&
                  spd_array_read(ctx, scratch("c.npy"), NULL, &back) == SPD_OK,
              "%s", said(ctx));
        CHECK(back && back->type == SPD_TYPE_COMPLEX128 &&
                  memcmp(back->f64, wanted, cases[k].count * 16) == 0,
              "written and read");
        CHECK(spd_arrays_write(ctx, scratch("c.csv"), 1, list) == SPD_EINVAL, "as .csv");
    }
    refuse_made("{'descr': '<c16', 'fortran_order': False, 'shape': (2,)}", wanted, 16,
                "cut short");
}

TEST(half_floats_with_their_special_values)
{
    /* 1, smallest subnormal, largest, infinity, and zero with a sign */
    const unsigned char bits[] = {0, 0x3c, 1, 0, 0xff, 0x7b, 0, 0x7c, 0, 0x80};
    const double wanted[] = {1.0, 0x1p-24, 65504.0, (double)INFINITY, -0.0};
    check_floats("{'descr': '<f2', 'fortran_order': False, 'shape': (5,)}", bits, 10, wanted, 5);
}

TEST(fortran_order_becomes_row_major)
{
    double stored[24], wanted[24];
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++) {
                wanted[(i * 3 + j) * 4 + k] = (double)(100 * i + 10 * j + k);
                stored[i + 2 * (j + 3 * k)] = (double)(100 * i + 10 * j + k);
            }
    check_floats("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 4), }", stored,
                 sizeof stored, wanted, 24);
}

static void check_integers(const char *descr, const void *data, size_t size, int64_t first,
                           int64_t second)
{
    char dictionary[100];
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%s', 'fortran_order': False, 'shape': (2,), }", descr);
    spd_array *array = read_made(1, dictionary, data, size);
    if (!array)
        return;
    CHECK(array->type == SPD_TYPE_INT64 && array->count == 2, "%s", descr);
    CHECK(array->i64[0] == first && array->i64[1] == second, "%s: %lld %lld", descr,
          (long long)array->i64[0], (long long)array->i64[1]);
}

TEST(integers_of_every_width)
{
    const unsigned char ones[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const unsigned char big[16] = {0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3};
    check_integers("|i1", "\xfe\x05", 2, -2, 5);
    check_integers("|u1", "\xfe\x05", 2, 254, 5);
    check_integers("|b1", "\x01\x00", 2, 1, 0);
    check_integers("<i2", "\xfe\xff\x05\x01", 4, -2, 261);
    check_integers(">i2", "\xff\xfe\x01\x05", 4, -2, 261);
    check_integers(">u2", "\xff\xfe\x01\x05", 4, 65534, 261);
    check_integers("<i4", "\xff\xff\xff\xff\x00\x00\x00\x00", 8, -1, 0);
    check_integers("<u4", "\xff\xff\xff\xff\x00\x00\x00\x00", 8, 4294967295, 0);
    check_integers("<i8", ones, 16, -1, 0);
    check_integers(">u8", big, 16, 258, 3);
    refuse_made("{'descr': '<u8', 'fortran_order': False, 'shape': (2,)}", ones, 16,
                "element 0|2^63");
}

TEST(texts_of_either_byte_order)
{
    const unsigned char little[] = {'a', 0, 0, 0, 0xac, 0x20, 0, 0, 0x1e, 0xd1, 1, 0, 0, 0, 0, 0};
    const unsigned char big[] = {0, 0, 0, 'a', 0, 0, 0x20, 0xac, 0, 1, 0xd1, 0x1e, 0, 0, 0, 0};
    spd_array *array =
        read_made(3, "{'descr': '<U2', 'fortran_order': False, 'shape': (2,)}", little, 16);
    CHECK(array && strcmp(array->text[0], "a€") == 0 && strcmp(array->text[1], "𝄞") == 0, "little");
    array = read_made(1, "{'descr': '>U2', 'fortran_order': False, 'shape': (2,)}", big, 16);
    CHECK(array && strcmp(array->text[0], "a€") == 0 && strcmp(array->text[1], "𝄞") == 0, "big");
    array = read_made(1, "{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}", "ab\0c\0\0", 6);
    CHECK(array && strcmp(array->text[0], "ab") == 0 && strcmp(array->text[1], "c") == 0, "bytes");
    array = read_made(1, "{'descr': '|S0', 'fortran_order': False, 'shape': (0,)}", "", 0);
    CHECK(array && array->count == 0, "no texts at all");
}

TEST(texts_that_are_none)
{
    refuse_made("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", "\0\xd8\0\0", 4,
                "bad.npy: |element 0|Unicode");
    refuse_made("{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", "\0\0\x11\0", 4,
                "Unicode");
    refuse_made("{'descr': '|S2', 'fortran_order': False, 'shape': (1,)}", "\xc3(", 2, "Unicode");
    refuse_made("{'descr': '|S3', 'fortran_order': False, 'shape': (1,)}", "a\0b", 3, "Unicode");
    refuse_made("{'descr': '|S0', 'fortran_order': False, 'shape': (1099511627776,)}", "", 0,
                "'|S0'");
}

TEST(scalars_and_empty_arrays)
{
    double value = 4.5;
    spd_array *array =
        read_made(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", &value, 8);
    CHECK(array && array->ndim == 0 && array->count == 1 && array->f64[0] == 4.5, "scalar");
    array = read_made(1,
                      "{'descr': '<f8', 'fortran_order': False, 'shape': (0, "
                      "9223372036854775807, 9223372036854775807)}",
                      "", 0);
    CHECK(array && array->ndim == 3 && array->count == 0, "empty");
}

TEST(sizes_are_checked_before_memory)
{
    refuse_made("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 3, 3)}", "", 0,
                "bad.npy: |cut short|1099511627776 x 3 x 3|0 bytes");
    refuse_made("{'descr': '<f8', 'fortran_order': False, 'shape': (8589934592, 8589934592)}", "",
                0, "more than any memory");
    refuse_made("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952,)}", "", 0,
                "more than any memory");
    refuse_made("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "", 0,
                "shape|too large");
    refuse_made("{'descr': '<U9223372036854775807', 'fortran_order': False, 'shape': (1,)}", "", 0,
                "too wide");
    refuse_made("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", "1234567", 7,
                "cut short|24 bytes|7 bytes");
}

TEST(headers_that_are_none)
{
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "[]",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f8', 'fortran_order': False 'shape': (1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': 8, 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (1,)}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse_made(bad[i], "12345678", 8, "bad.npy: ");
}

TEST(types_that_are_not_read)
{
    refuse_made("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", "", 0,
                "bad.npy: |Python objects|save labels as a string or integer array");
    refuse_made("{'descr': '<c32', 'fortran_order': False, 'shape': (1,)}", "", 0, "'<c32'");
    refuse_made("{'descr': '<c4', 'fortran_order': False, 'shape': (1,)}", "1234", 4, "'<c4'");
    refuse_made("{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}", "", 0, "'<f16'");
    refuse_made("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", "", 0, "M8[ns]");
    refuse_made("{'descr': [('a', '<f8'), ('b(', '<i4', (2,))], 'fortran_order': False, "
                "'shape': (1,)}",
                "", 0, "structured");
}

TEST(files_that_are_none)
{
    put_file(scratch("empty.npy"), "", 0);
    CHECK_UNREADABLE(scratch("empty.npy"), SPD_EFORMAT, "empty.npy: |is empty");
    put_file(scratch("text.npy"), "hello\nworld", 11);
    CHECK_UNREADABLE(scratch("text.npy"), SPD_EFORMAT, "not an .npy file|\"hello\\x0awo\"");
    put_file(scratch("short.npy"), "\x93NUMPY\1\0", 8);
    CHECK_UNREADABLE(scratch("short.npy"), SPD_EFORMAT, "cut off");
    put_file(scratch("short2.npy"), "\x93NUMPY\1\0\x76\0{'descr", 17);
    CHECK_UNREADABLE(scratch("short2.npy"), SPD_EFORMAT, "cut off");
    put_file(scratch("version.npy"), "\x93NUMPY\4\0\x76\0{'descr", 17);
    CHECK_UNREADABLE(scratch("version.npy"), SPD_EFORMAT, "version 4.0");
    put_file(scratch("long.npy"), "\x93NUMPY\2\0\xff\xff\xff\xff{'descr", 19);
    CHECK_UNREADABLE(scratch("long.npy"), SPD_EFORMAT, "4294967295|too long");
    CHECK_UNREADABLE(scratch("none.npy"), SPD_EIO, "none.npy: |No such file");
    CHECK_UNREADABLE(scratch_folder, SPD_EIO, "directory");
    CHECK_UNREADABLE("/dev/null", SPD_EIO, "/dev/null: |regular");
    put_file(scratch("what.xyz"), "hello", 5);
    CHECK_UNREADABLE(scratch("what.xyz"), SPD_EFORMAT, "unknown file type '.xyz'|.npz");
    put_file(scratch("lie.npy"), "PK\3\4xxxxxxxxxxxx", 16);
    CHECK_UNREADABLE(scratch("lie.npy"), SPD_EFORMAT, "not an .npy file but a zip archive|.npz");
}

TEST(round_trips)
{
    for (int type = SPD_TYPE_FLOAT64; type <= SPD_TYPE_TEXT; type++)
        for (size_t ndim = 0; ndim <= 3; ndim++) {
            spd_array out = sample_array((spd_type)type, ndim), *in = NULL;
            out.count = ndim ? 6 : 1;
            CHECK(write_one(scratch("round.npy"), &out) == SPD_OK, "type %d", type);
            CHECK(spd_array_read(ctx, scratch("round.npy"), "ignored", &in) == SPD_OK, "%d", type);
            CHECK(in && same_arrays(&out, in), "type %d ndim %zu", type, ndim);
            spd_array_free(in);
        }
}

TEST(headers_are_numpys_own)
{
    char header[200];
    spd_array out = sample_array(SPD_TYPE_FLOAT64, 2);
    write_one(scratch("header.npy"), &out);
    size_t size = get_file(scratch("header.npy"), header, sizeof header);
    CHECK(size == 128 + 48, "%zu bytes", size);
    CHECK(memcmp(header + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  ",
                 61) == 0,
          "%.80s", header + 10);
    CHECK(header[127] == '\n' && header[8] == 118 && header[9] == 0, "padded to 64");
}

/* path <- 9 MiB of float64, dated in the past, so that any change shows; the number of them. */
static size_t write_large(const char *path)
{
    const size_t count = (size_t)9 << 17;
    const struct timespec past[2] = {{1000000000, 0}, {1000000000, 0}};
    double *data = mem_zero(count, sizeof *data);
    spd_array out = {
        .type = SPD_TYPE_FLOAT64, .ndim = 1, .shape = {count}, .count = count, .f64 = data};
    data[0] = 1.0;
    data[count - 1] = 2.0;
    CHECK(write_one(path, &out) == SPD_OK, "write");
    CHECK(utimensat(AT_FDCWD, path, past, 0) == 0, "dated");
    mem_free(data);
    return count;
}

static void overwrite(const char *path, long at, double value)
{
    FILE *f = fopen(path, "r+b");
    CHECK(f && fseek(f, at, SEEK_SET) == 0 && fwrite(&value, 8, 1, f) == 1, "overwritten");
    if (f)
        fclose(f);
}

/* A change shows in any part of the time stamp. */
TEST(time_stamps_count_in_full)
{
    const struct timespec stamps[][2] = {{{1000000000, 0}, {1000000000, 1000}},
                                         {{1000000000, 0}, {1000000001, 0}},
                                         {{1000000001, 0}, {1000000000, 0}}};
    const char *path = scratch("stamp.npy");
    char bytes[8];
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++) {
        io_source *source = NULL;
        write_large(path);
        CHECK(source_open(ctx, path, &source) == SPD_OK, "open");
        CHECK(source_read(ctx, source, 128, 8, bytes) == SPD_OK, "read");
        CHECK(utimensat(AT_FDCWD, path, stamps[i], 0) == 0, "dated");
        spd_status status = source_read(ctx, source, 128, 8, bytes);
        if (i < 2) /* when it was read does not matter */
            CHECK_FAILED(ctx, status, SPD_EIO, "changed while it was being read");
        else
            CHECK(status == SPD_OK, "%s", said(ctx));
        source_free(source);
    }
}

/* An array is memory of its own: what happens to the file later does not reach it, nor the other
 * way round. */
TEST(arrays_are_apart_from_their_file)
{
    const char *path = scratch("large.npy");
    size_t count = write_large(path);
    long live = mem_live();
    spd_array *in = NULL, *again = NULL;
    CHECK(spd_array_read(ctx, path, NULL, &in) == SPD_OK, "read");
    in->f64[1] = 99.0;
    CHECK(spd_array_read(ctx, path, NULL, &again) == SPD_OK && again->f64[1] == 0.0, "read again");
    overwrite(path, 128, -1.0);
    CHECK(truncate(path, 4096) == 0, "truncate");
    CHECK(in->f64[0] == 1.0 && in->f64[count - 1] == 2.0, "%g %g", in->f64[0], in->f64[count - 1]);
    spd_array_free(in);
    spd_array_free(again);
    CHECK(mem_live() == live, "%ld blocks leaked", mem_live() - live);
    CHECK_UNREADABLE(path, SPD_EFORMAT, "cut short");
}

/* What changes between the look at a file and the reading of it is refused. */
TEST(files_that_change_are_refused)
{
    const io_purpose purpose = {0, NULL};
    const char *path = scratch("changing.npy");
    for (int change = 0; change < 3; change++) {
        io_file *file = NULL;
        spd_array *in = NULL;
        write_large(path);
        CHECK(io_open(ctx, path, &purpose, &file) == SPD_OK, "open");
        if (change == 0)
            CHECK(truncate(path, 4096) == 0, "truncate");
        else if (change == 1)
            overwrite(path, 4096, -1.0);
        else
            write_large(path); /* a new file of that name: the old one is still read */
        spd_status status = io_read(ctx, file, &file->entry[0], &in);
        if (change == 2)
            CHECK(status == SPD_OK && in->f64[0] == 1.0, "%d", status);
        else
            CHECK_FAILED(ctx, status, SPD_EIO, "changing.npy: |while it was being read");
        spd_array_free(in);
        io_close(file);
    }
}

TEST(the_parser_works_on_memory)
{
    unsigned char image[512];
    spd_array *array = NULL;
    double value = 3.0;
    size_t size =
        make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &value, 8);
    CHECK(npy_read_memory(ctx, image, size, &array) == SPD_OK && array->f64[0] == 3.0, "memory");
    spd_array_free(array);
    for (size_t cut = 0; cut < size; cut++) {
        array = NULL;
        CHECK(npy_read_memory(ctx, image, cut, &array) == SPD_EFORMAT && !array, "cut at %zu", cut);
    }
    CHECK(npy_read_memory(NULL, image, 3, &array) == SPD_EFORMAT, "without a context");
}

#define PIECES 41

typedef struct piece_log {
    atomic_int times[PIECES];
    atomic_size_t bytes;
    int slow;
    size_t bad; /* the piece that fails */
} piece_log;

static int note_piece(void *user, size_t from, size_t size)
{
    piece_log *l = user;
    size_t piece = from / PIECE_BYTES;
    if (l->slow)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    l->times[piece]++;
    l->bytes += size;
    return piece == l->bad;
}

static int stop_at_once(void *user, const spd_progress *progress)
{
    (void)user;
    CHECK(strcmp(progress->task, "reading") == 0 && strcmp(progress->unit, "bytes") == 0, "%s %s",
          progress->task, progress->unit);
    return 1;
}

/* Each is done once, by any number of threads; a wish to stop is heard in between. */
TEST(pieces_of_a_long_range)
{
    const size_t size = (PIECES - 1) * PIECE_BYTES + 7;
    for (int threads = 1; threads <= 4; threads++) {
        piece_log all = {.bad = SIZE_MAX}, fails = {.bad = 3},
                  long_one = {.slow = 1, .bad = SIZE_MAX};
        spd_context_set_threads(ctx, threads);
        CHECK(pieces_run(ctx, "reading", size, note_piece, &all) == SPD_OK, "%d threads", threads);
        for (size_t k = 0; k < PIECES; k++)
            CHECK(all.times[k] == 1, "piece %zu: %d times", k, all.times[k]);
        CHECK(all.bytes == size, "%zu bytes", (size_t)all.bytes);
        CHECK(pieces_run(ctx, "reading", size, note_piece, &fails) == SPD_EIO, "a bad piece");
        spd_context_set_progress(ctx, stop_at_once, NULL);
        ctx_clear(ctx);
        CHECK(pieces_run(ctx, "reading", size, note_piece, &long_one) == SPD_ECANCELLED, "stopped");
        CHECK(strcmp(said(ctx), "reading cancelled") == 0, "%s", said(ctx));
        CHECK(long_one.bytes < size, "all was read");
        spd_context_set_progress(ctx, NULL, NULL);
    }
    spd_context_set_threads(ctx, 0);
}
