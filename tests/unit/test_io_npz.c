/* test_io_npz.c - .npz: round trips, members that lie about their size, damaged archives. */
#include "unit/test_io_common.h"

#include "io/file.h"
#include "io/zip.h"

/* An archive with one member, deflated or stored, that begins `hole` bytes into the file. */
static void put_member_at(const char *path, off_t hole, const char *name, const void *bytes,
                          size_t size, zip_method method)
{
    outfile *out;
    const zip_piece piece = {bytes, size};
    if (outfile_open(ctx, path, &out) != SPD_OK || fseeko(out->stream, hole, SEEK_SET) != 0)
        abort();
    zip_writer zip = {.out = out, .at = (uint64_t)hole};
    spd_status status = zip_add(ctx, &zip, name, method, &piece, 1);
    zip_finish(&zip);
    zip_discard(&zip);
    if (outfile_close(out, status) != SPD_OK)
        abort();
}

static void put_member(const char *path, const char *name, const void *bytes, size_t size,
                       zip_method method)
{
    put_member_at(path, 0, name, bytes, size, method);
}

static void write_three(const char *path)
{
    spd_array a = sample_array(SPD_TYPE_FLOAT64, 2), b = sample_array(SPD_TYPE_INT64, 1),
              c = sample_array(SPD_TYPE_TEXT, 3);
    const spd_array *all[] = {&a, &b, &c};
    CHECK_OK(ctx, spd_arrays_write(ctx, path, 3, all));
}

TEST(round_trips_of_every_type)
{
    const char *names[] = {"floats", "ints", "texts"};
    const size_t ndim[] = {2, 1, 3};
    write_three(scratch("three.npz"));
    for (int type = 0; type < 3; type++) {
        spd_array wanted = sample_array((spd_type)type, ndim[type]), *in = NULL;
        CHECK_OK(ctx, spd_array_read(ctx, scratch("three.npz"), names[type], &in));
        CHECK(in && same_arrays(&wanted, in) && strcmp(in->name, names[type]) == 0, "%s",
              names[type]);
        spd_array_free(in);
    }
}

TEST(equal_arrays_give_equal_bytes)
{
    char first[4000], second[4000];
    write_three(scratch("a.npz"));
    write_three(scratch("b.npz"));
    size_t size = get_file(scratch("a.npz"), first, sizeof first);
    CHECK(size > 100 && size < sizeof first, "%zu bytes", size);
    CHECK(get_file(scratch("b.npz"), second, sizeof second) == size, "size");
    CHECK(memcmp(first, second, size) == 0, "content");
}

TEST(large_arrays_are_stored_small_ones_deflated)
{
    size_t count = 200000;
    char small_name[] = "small", large_name[] = "large";
    double *zeros = mem_zero(count, sizeof *zeros);
    spd_array large = {.name = large_name, .type = SPD_TYPE_FLOAT64, .ndim = 1, .count = count};
    spd_array small = {.name = small_name, .type = SPD_TYPE_FLOAT64, .ndim = 1, .count = 1000};
    large.shape[0] = large.count;
    small.shape[0] = small.count;
    large.f64 = small.f64 = zeros;
    const spd_array *all[] = {&large, &small};
    CHECK(spd_arrays_write(ctx, scratch("both.npz"), 2, all) == SPD_OK, "write");
    io_source *source = NULL;
    zip_archive zip = {0};
    CHECK(source_load(ctx, scratch("both.npz"), &source) == SPD_OK, "load");
    CHECK(zip_open(ctx, source, &zip) == SPD_OK, "open");
    CHECK(zip_find(&zip, "large.npy")->method == ZIP_STORED, "large");
    CHECK(zip_find(&zip, "small.npy")->method == ZIP_DEFLATED, "small");
    CHECK(zip_find(&zip, "none.npy") == NULL, "none");
    zip_close(&zip);
    source_free(source);
    OWN(spd_array) in = NULL;
    CHECK(spd_array_read(ctx, scratch("both.npz"), "large", &in) == SPD_OK, "read");
    CHECK(in && same_arrays(&large, in), "large comes back");
    mem_free(zeros);
}

/* Bit 1: packed as small as can be; bit 11: the name is UTF-8, which others must be told. */
TEST(flags_of_members)
{
    static const struct {
        const char *name;
        zip_method method;
        unsigned flags;
    } cases[] = {{"plain.npy", ZIP_STORED, 0},
                 {"plain.npy", ZIP_DEFLATED, 2},
                 {"größe.npy", ZIP_STORED, 0x800},
                 {"größe.npy", ZIP_DEFLATED, 0x802}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_member(scratch("flags.npz"), cases[i].name, "bytes", 5, cases[i].method);
        io_source *source = NULL;
        zip_archive zip = {0};
        CHECK(source_load(ctx, scratch("flags.npz"), &source) == SPD_OK, "load");
        const unsigned char *local = source->bytes, *entry = local;
        CHECK(zip_open(ctx, source, &zip) == SPD_OK && zip_find(&zip, cases[i].name), "%zu", i);
        while (entry + 10 < local + source->size && memcmp(entry, "PK\1\2", 4) != 0)
            entry++;
        unsigned first = local[6] | (unsigned)local[7] << 8;
        unsigned second = entry[8] | (unsigned)entry[9] << 8;
        CHECK(first == cases[i].flags, "%zu: %x in front", i, first);
        CHECK(second == cases[i].flags, "%zu: %x in the directory", i, second);
        zip_close(&zip);
        source_free(source);
    }
}

TEST(choosing_an_array)
{
    spd_array *in = NULL, one = sample_array(SPD_TYPE_FLOAT64, 2);
    write_three(scratch("three.npz"));
    CHECK_UNREADABLE(scratch("three.npz"), SPD_EINVAL, "three.npz: |3 arrays|floats, ints, texts");
    CHECK_FAILED(ctx, spd_array_read(ctx, scratch("three.npz"), "none", &in), SPD_EINVAL,
                 "no array named 'none'|floats, ints, texts");
    one.name = NULL;
    CHECK(write_one(scratch("one.npz"), &one) == SPD_OK, "write");
    CHECK(spd_array_read(ctx, scratch("one.npz"), NULL, &in) == SPD_OK, "the only one");
    CHECK(in && strcmp(in->name, "arr_0") == 0, "numpy's name for an array without one");
    spd_array_free(in);
}

TEST(promises_that_the_archive_cannot_keep)
{
    unsigned char image[1024];
    double data[4] = {1, 2, 3, 4};
    size_t size = make_npy(
        image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 3, 3)}", data,
        32);
    put_member(scratch("huge.npz"), "X.npy", image, size, ZIP_DEFLATED);
    CHECK_UNREADABLE(scratch("huge.npz"), SPD_EFORMAT, "huge.npz: X: |promises");
    size =
        make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (100,)}", data, 32);
    put_member(scratch("short.npz"), "X.npy", image, size, ZIP_STORED);
    CHECK_UNREADABLE(scratch("short.npz"), SPD_EFORMAT, "short.npz: X: |cut short|800|32 bytes");
    size = make_npy(image, 1, "{'descr': '|O', 'fortran_order': False, 'shape': (100,)}", data, 32);
    put_member(scratch("object.npz"), "y.npy", image, size, ZIP_STORED);
    CHECK_UNREADABLE(scratch("object.npz"), SPD_EFORMAT, "object.npz: y: |Python objects");
    spd_data *set = NULL;
    put_member(scratch("object.npz"), "X.npy", image, size, ZIP_STORED);
    CHECK_FAILED(ctx, spd_data_load(ctx, scratch("object.npz"), NULL, &set), SPD_EFORMAT,
                 "object.npz: X: |Python objects");
    put_member(scratch("stub.npz"), "X.npy", "\x93NUMPY\1\0\x76\0", 10, ZIP_STORED);
    CHECK_UNREADABLE(scratch("stub.npz"), SPD_EFORMAT, "stub.npz: X: |cut off");
    put_member(scratch("none.npz"), "meta.json", "{}", 2, ZIP_STORED);
    CHECK_UNREADABLE(scratch("none.npz"), SPD_EFORMAT, "without .npy arrays");
}

/* A small archive whose member unpacks to much more than its header needs is read no further. */
TEST(bombs_do_not_go_off)
{
    size_t size = (size_t)8 << 20;
    unsigned char *image = mem_zero(size, 1);
    double value = 1.0;
    make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &value, 8);
    put_member(scratch("bomb.npz"), "X.npy", image, size, ZIP_DEFLATED);
    mem_free(image);
    OWN(spd_array) in = NULL;
    CHECK(spd_array_read(ctx, scratch("bomb.npz"), NULL, &in) == SPD_OK, "trailing bytes");
    CHECK(in && in->count == 1 && in->f64[0] == 1.0, "one number");
}

TEST(damaged_archives)
{
    unsigned char bytes[4000];
    write_three(scratch("whole.npz"));
    size_t size = get_file(scratch("whole.npz"), bytes, sizeof bytes);
    put_file(scratch("cut.npz"), bytes, size / 2);
    CHECK_UNREADABLE(scratch("cut.npz"), SPD_EFORMAT, "cut.npz: |truncated zip archive|again");
    put_file(scratch("text.npz"), "hello world", 11);
    CHECK_UNREADABLE(scratch("text.npz"), SPD_EFORMAT,
                     "text.npz: is not a zip archive (starts with \"hello wo\")");
    put_file(scratch("npy.npz"), "\x93NUMPY\1\0        ", 16);
    CHECK_UNREADABLE(scratch("npy.npz"), SPD_EFORMAT,
                     "npy.npz: is not a zip archive but an .npy file");
    /* a wrong byte within the stored elements: the checksum tells */
    spd_array one = sample_array(SPD_TYPE_FLOAT64, 2), *in = NULL;
    unsigned char image[512];
    size_t length = make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
                             one.f64, 48);
    put_member(scratch("sum.npz"), "X.npy", image, length, ZIP_STORED);
    size = get_file(scratch("sum.npz"), bytes, sizeof bytes);
    bytes[30 + 5 + length - 10] ^= 1;
    put_file(scratch("sum.npz"), bytes, size);
    CHECK_FAILED(ctx, spd_array_read(ctx, scratch("sum.npz"), "X", &in), SPD_EFORMAT,
                 "sum.npz: X: |unpacked");
}

/* As numpy has it: bytes behind the archive do no harm. */
TEST(bytes_behind_the_archive)
{
    unsigned char bytes[4000];
    write_three(scratch("whole.npz"));
    size_t size = get_file(scratch("whole.npz"), bytes, sizeof bytes - 2);
    bytes[size] = bytes[size + 1] = '\n';
    put_file(scratch("longer.npz"), bytes, size + 2);
    spd_array wanted = sample_array(SPD_TYPE_INT64, 1), *in = NULL;
    CHECK_OK(ctx, spd_array_read(ctx, scratch("longer.npz"), "ints", &in));
    CHECK(in && same_arrays(&wanted, in), "the numbers");
    spd_array_free(in);
}

/* Where there are no elements there is no need of memory for them either. */
TEST(arrays_without_elements)
{
    double none = 0.0, *places[] = {NULL, &none};
    char name[] = "empty";
    for (size_t i = 0; i < 2; i++) {
        spd_array empty = {.name = name, .type = SPD_TYPE_FLOAT64, .ndim = 2, .shape = {0, 3}};
        OWN(spd_array) in = NULL;
        empty.f64 = places[i];
        CHECK(write_one(scratch("empty.npz"), &empty) == SPD_OK, "write");
        CHECK_OK(ctx, spd_array_read(ctx, scratch("empty.npz"), NULL, &in));
        CHECK(in && in->count == 0 && in->ndim == 2 && in->shape[1] == 3, "its shape");
    }
}

/* One field of the archive's directory spoilt: each of them is looked at. */
TEST(directories_that_lie)
{
    static const struct {
        const char *what;
        size_t back; /* bytes before the end of the file: a member named X.npy, no comment */
        unsigned char value;
        const char *tells;
        size_t local; /* where the member's own header has the same field; 0: nowhere */
    } lies[] = {
        {"encrypted", 22 + 51 - 8, 1, "X: |encrypted", 6},
        {"packed by another method", 22 + 51 - 10, 12, "X: |method 12", 8},
        {"another checksum", 22 + 51 - 16, 0x5a, "X: |checksum", 14},
        {"stored, of two sizes", 22 + 51 - 24, 1, "X: |size", 22},
        {"encrypted there alone", 22 + 51 - 8, 1, "X.npy: |its own header", 0},
        {"packed by another method there", 22 + 51 - 10, 12, "X.npy: |its own header", 0},
        {"another checksum there", 22 + 51 - 16, 0x5a, "X.npy: |its own header", 0},
        {"another size there", 22 + 51 - 24, 1, "X.npy: |its own header", 0},
        {"another name there", 51 + 22 - 46, 'Y', "Y.npy: |its own header", 0},
        {"packed size", 22 + 51 - 22, 0xff, "X.npy: |cut off", 0},
        {"a name of 255 bytes", 22 + 51 - 28, 255, "damaged zip archive", 0},
        {"it lies elsewhere", 22 + 51 - 42, 1, "X.npy: |not where", 0},
        {"no entry", 22 + 51 - 0, 'Q', "damaged zip archive", 0},
        {"another disk", 22 - 4, 1, "directory at the end is missing", 0},
        {"more members than bytes", 22 - 10, 2, "directory at the end is missing", 0},
        {"the directory lies elsewhere", 22 - 17, 0xff, "directory at the end is missing", 0},
    };
    unsigned char image[512], bytes[1000];
    double value = 1.0;
    size_t length =
        make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &value, 8);
    put_member(scratch("true.npz"), "X.npy", image, length, ZIP_STORED);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        spd_array *in = NULL;
        size_t size = get_file(scratch("true.npz"), bytes, sizeof bytes);
        bytes[size - lies[i].back] = lies[i].value;
        if (lies[i].local)
            bytes[lies[i].local] = lies[i].value;
        put_file(scratch("lie.npz"), bytes, size);
        CHECK_FAILED(ctx, spd_array_read(ctx, scratch("lie.npz"), NULL, &in), SPD_EFORMAT,
                     lies[i].tells);
    }
}

/* Beyond 4 GiB places take 64 bits; the hole before takes no room on the disk. */
TEST(members_beyond_32_bits)
{
    unsigned char image[512];
    double value = 2.5;
    spd_array *in = NULL;
    size_t length =
        make_npy(image, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &value, 8);
    put_member_at(scratch("far.npz"), (off_t)5 << 30, "X.npy", image, length, ZIP_DEFLATED);
    CHECK_OK(ctx, spd_array_read(ctx, scratch("far.npz"), NULL, &in));
    CHECK(in && in->f64[0] == 2.5, "the number");
    spd_array_free(in);
    remove(scratch("far.npz"));
}

/* Whatever is cut off, there is a message and nothing leaks. */
TEST(cut_anywhere_in_memory)
{
    unsigned char bytes[4000];
    write_three(scratch("whole.npz"));
    size_t size = get_file(scratch("whole.npz"), bytes, sizeof bytes);
    long live = mem_live();
    for (size_t cut = 0; cut <= size; cut++) {
        io_file *file = mem_zero(1, sizeof *file);
        file->path = mem_text("memory");
        spd_status status = npz_open(ctx, file, bytes, cut);
        CHECK((status == SPD_OK) == (cut == size), "cut at %zu: %d", cut, status);
        io_close(file);
    }
    CHECK(mem_live() == live, "%ld blocks leaked", mem_live() - live);
}

TEST(names_that_collide)
{
    spd_array a = sample_array(SPD_TYPE_FLOAT64, 2), b = sample_array(SPD_TYPE_FLOAT64, 1);
    const spd_array *both[] = {&a, &b};
    CHECK_FAILED(ctx, spd_arrays_write(ctx, scratch("two.npz"), 2, both), SPD_EINVAL,
                 "two.npz: |two arrays|'floats'");
    CHECK(access(scratch("two.npz"), F_OK) != 0, "no file is left");
    CHECK_FAILED(ctx, spd_arrays_write(ctx, scratch("two.npy"), 2, both), SPD_EINVAL,
                 "one array|.npz");
    CHECK_FAILED(ctx, spd_arrays_write(ctx, scratch("no.npz"), 0, both), SPD_EINVAL, "nothing");
    CHECK_FAILED(ctx, spd_arrays_write(ctx, scratch("two.jpg"), 2, both), SPD_EFORMAT, "'.jpg'");
}

/* Whoever unpacks the archive gets files of these names. */
TEST(names_that_lead_elsewhere)
{
    static const char *const names[][2] = {{"../../x", "_._.._x"},
                                           {"/etc/passwd", "_etc_passwd"},
                                           {"a\\b", "a_b"},
                                           {"..", "_."},
                                           {"tab\tand\033esc", "tab_and_esc"},
                                           {"M\xc3\xbcller [1]", "M\xc3\xbcller [1]"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        spd_array out = sample_array(SPD_TYPE_INT64, 1), *in = NULL;
        out.name = (char *)(uintptr_t)names[i][0];
        CHECK(write_one(scratch("names.npz"), &out) == SPD_OK, "write");
        CHECK(spd_array_read(ctx, scratch("names.npz"), NULL, &in) == SPD_OK, "read");
        CHECK(in && strcmp(in->name, names[i][1]) == 0, "'%s'", in ? in->name : "");
        spd_array_free(in);
    }
}
