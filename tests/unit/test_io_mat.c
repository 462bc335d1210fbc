/* test_io_mat.c - MATLAB files of version 5: what we write comes back, what others write is read,
 * and damaged files end in a message. tests/python/test_mat_files.py has real ones. */
#include "unit/test_io_common.h"
#include "unit/test_mat_maker.h"

/* A 2 x 2 x 3 variable X, a row w of int32 and cells y. Page k, element (i, j) is
 * 100 k + 10 i + j. */
static void put_set(const char *path, int packed)
{
    static mat_maker m;
    const int32_t cube[] = {2, 2, 3}, column[] = {3, 1}, row[] = {1, 3}, one[] = {1, 1};
    const int32_t weights[3] = {4, -5, 6};
    const uint16_t letter[3] = {'a', 0xe4, 0x20ac};
    double pages[12];
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < 2; j++)
            for (size_t i = 0; i < 2; i++)
                pages[i + 2 * (j + 2 * k)] = (double)(100 * k + 10 * i + j);
    mat_start(&m);
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 3, cube, "X", pages, sizeof pages);
    if (packed)
        mat_pack(&m, 128);
    size_t at = m.size;
    mat_variable_of(&m, MX_INT32, MI_INT32, 2, row, "w", weights, sizeof weights);
    if (packed)
        mat_pack(&m, at);
    at = mat_begin(&m, MX_CELL, 2, column, "y");
    for (int i = 0; i < 3; i++)
        mat_variable_of(&m, MX_CHAR, MI_UTF16, 2, one, "", &letter[i], 2);
    mat_end(&m, at);
    if (packed)
        mat_pack(&m, at);
    put_file(path, m.bytes, m.size);
}

static void check_set(const char *path)
{
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    OWN(spd_data) data = NULL;
    CHECK_OK(ctx, spd_data_load(ctx, path, &options, &data));
    if (!data)
        return;
    CHECK(data->p == 3 && data->n == 2 && data->classes == 3 && data->columns == 1, "shape");
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 2; j++)
                CHECK(data->X[(k * 2 + i) * 2 + j] == (double)(100 * k + 10 * i + j),
                      "X[%zu](%zu,%zu) = %g", k, i, j, data->X[(k * 2 + i) * 2 + j]);
    CHECK(strcmp(data->y->text[0], "a") == 0 && strcmp(data->y->text[1], "ä") == 0 &&
              strcmp(data->y->text[2], "€") == 0,
          "%s %s %s", data->y->text[0], data->y->text[1], data->y->text[2]);
    CHECK(data->column[0]->ndim == 1 && data->column[0]->i64[1] == -5, "a row is a column too");
}

TEST(sets_packed_and_not)
{
    put_set(scratch("v6.mat"), 0);
    check_set(scratch("v6.mat"));
    put_set(scratch("v7.mat"), 1);
    check_set(scratch("v7.mat"));
}

TEST(round_trips)
{
    for (size_t ndim = 2; ndim <= 3; ndim++) {
        spd_array a = sample_array(SPD_TYPE_FLOAT64, ndim), b = sample_array(SPD_TYPE_INT64, ndim),
                  c = sample_array(SPD_TYPE_TEXT, ndim);
        const spd_array *all[] = {&a, &b, &c};
        CHECK_OK(ctx, spd_arrays_write(ctx, scratch("round.mat"), 3, all));
        for (size_t i = 0; i < 3; i++) {
            OWN(spd_array) in = NULL;
            CHECK_OK(ctx, spd_array_read(ctx, scratch("round.mat"), all[i]->name, &in));
            CHECK(in && same_arrays(all[i], in), "%s of %zu dimensions", all[i]->name, ndim);
        }
    }
}

TEST(vectors_are_columns)
{
    spd_array out = sample_array(SPD_TYPE_FLOAT64, 1), *in = NULL;
    CHECK(write_one(scratch("v.mat"), &out) == SPD_OK, "write");
    CHECK(spd_array_read(ctx, scratch("v.mat"), NULL, &in) == SPD_OK, "read");
    CHECK(in && in->ndim == 2 && in->shape[0] == 6 && in->shape[1] == 1, "6 x 1");
    spd_array_free(in);
    out.ndim = 0;
    out.count = 1;
    CHECK(write_one(scratch("v.mat"), &out) == SPD_OK, "write");
    CHECK(spd_array_read(ctx, scratch("v.mat"), "floats", &in) == SPD_OK, "read");
    CHECK(in && in->count == 1 && in->f64[0] == sample_floats[0], "a scalar");
    spd_array_free(in);
}

/* One variable v of a class, with its data stored as a type. */
static void put_class(const char *path, uint32_t class_and_flags, uint32_t type, int32_t rows,
                      int32_t columns, const void *data, size_t size)
{
    static mat_maker m;
    const int32_t dims[2] = {rows, columns};
    mat_start(&m);
    mat_variable_of(&m, class_and_flags, type, 2, dims, "v", data, size);
    put_file(path, m.bytes, m.size);
}

static void check_stored(uint32_t class_type, uint32_t type, const void *data, size_t size,
                         double first, double second)
{
    OWN(spd_array) in = NULL;
    put_class(scratch("class.mat"), class_type, type, 1, 2, data, size);
    CHECK(spd_array_read(ctx, scratch("class.mat"), NULL, &in) == SPD_OK, "%u", class_type);
    if (!in)
        return;
    CHECK((in->type == SPD_TYPE_FLOAT64) == (class_type <= MX_SINGLE), "class %u", class_type);
    for (size_t i = 0; i < 2; i++) {
        double value = in->type == SPD_TYPE_INT64 ? (double)in->i64[i] : in->f64[i];
        CHECK(value == (i ? second : first), "class %u [%zu] = %g", class_type, i, value);
    }
}

#define CHECK_STORED(class_type, type, data, first, second)                                        \
    check_stored(class_type, type, data, sizeof(data), first, second)

TEST(numbers_of_every_class)
{
    const double f8[] = {0.5, -2}, whole[] = {3, -2};
    const float f4[] = {0.5f, -2};
    const int8_t i1[] = {-128, 7};
    const uint8_t u1[] = {255, 7};
    const int16_t i2[] = {-300, 7};
    const uint16_t u2[] = {65535, 7};
    const int32_t i4[] = {-70000, 7};
    const uint32_t u4[] = {4294967295u, 7};
    const int64_t i8[] = {-1, 7};
    const uint64_t u8[] = {1, 7}, large[] = {UINT64_MAX, 0};
    CHECK_STORED(MX_DOUBLE, MI_DOUBLE, f8, 0.5, -2);
    CHECK_STORED(MX_SINGLE, MI_SINGLE, f4, 0.5, -2);
    CHECK_STORED(MX_INT8, MI_INT8, i1, -128, 7);
    CHECK_STORED(MX_UINT8, MI_UINT8, u1, 255, 7);
    CHECK_STORED(MX_INT16, MI_INT16, i2, -300, 7);
    CHECK_STORED(MX_UINT16, MI_UINT16, u2, 65535, 7);
    CHECK_STORED(MX_INT32, MI_INT32, i4, -70000, 7);
    CHECK_STORED(MX_UINT32, MI_UINT32, u4, 4294967295.0, 7);
    CHECK_STORED(MX_INT64, MI_INT64, i8, -1, 7);
    CHECK_STORED(MX_UINT64, MI_UINT64, u8, 1, 7);
    /* stored as another type, as MATLAB does with whole numbers */
    CHECK_STORED(MX_DOUBLE, MI_UINT8, u1, 255, 7);
    CHECK_STORED(MX_DOUBLE, MI_INT16, i2, -300, 7);
    CHECK_STORED(MX_SINGLE, MI_INT32, i4, -70000, 7);
    CHECK_STORED(MX_INT32, MI_INT8, i1, -128, 7);
    CHECK_STORED(MX_INT8, MI_DOUBLE, whole, 3, -2);
    put_class(scratch("u8.mat"), MX_UINT64, MI_UINT64, 1, 2, large, sizeof large);
    CHECK_UNREADABLE(scratch("u8.mat"), SPD_EFORMAT, "u8.mat: v: |2^63");
    put_class(scratch("i1.mat"), MX_INT8, MI_INT16, 1, 2, i2, sizeof i2);
    CHECK_UNREADABLE(scratch("i1.mat"), SPD_EFORMAT, "v: element 0 is not a value of its class");
    put_class(scratch("i1.mat"), MX_UINT8, MI_DOUBLE, 1, 2, f8, sizeof f8);
    CHECK_UNREADABLE(scratch("i1.mat"), SPD_EFORMAT, "v: element 0 is not a value of its class");
}

/* The last values of a class, and the first that are none, stored as wider numbers. */
TEST(limits_of_classes)
{
    static const struct {
        uint32_t class_type;
        int64_t low, high;
    } is[] = {{MX_INT8, INT8_MIN, INT8_MAX},    {MX_UINT8, 0, UINT8_MAX},
              {MX_INT16, INT16_MIN, INT16_MAX}, {MX_UINT16, 0, UINT16_MAX},
              {MX_INT32, INT32_MIN, INT32_MAX}, {MX_UINT32, 0, UINT32_MAX}};
    for (size_t c = 0; c < sizeof is / sizeof *is; c++) {
        const int64_t inside[] = {is[c].low, is[c].high}, below[] = {0, is[c].low - 1};
        const int64_t above[] = {is[c].high + 1, 0};
        CHECK_STORED(is[c].class_type, MI_INT64, inside, (double)is[c].low, (double)is[c].high);
        put_class(scratch("out.mat"), is[c].class_type, MI_INT64, 1, 2, below, sizeof below);
        CHECK_UNREADABLE(scratch("out.mat"), SPD_EFORMAT, "v: element 1 is not a value of its");
        put_class(scratch("out.mat"), is[c].class_type, MI_INT64, 1, 2, above, sizeof above);
        CHECK_UNREADABLE(scratch("out.mat"), SPD_EFORMAT, "v: element 0 is not a value of its");
    }
}

TEST(char_matrices_are_rows_of_text)
{
    OWN(spd_array) in = NULL;
    put_class(scratch("c.mat"), MX_CHAR, MI_UINT8, 2, 3, "adbe c", 6);
    CHECK_OK(ctx, spd_array_read(ctx, scratch("c.mat"), NULL, &in));
    CHECK(in && in->type == SPD_TYPE_TEXT && in->count == 2, "two rows");
    CHECK(in && strcmp(in->text[0], "ab") == 0 && strcmp(in->text[1], "dec") == 0, "'%s' '%s'",
          in->text[0], in->text[1]);
}

static void check_text(const char *file, size_t i, const char *wanted)
{
    OWN(spd_array) in = NULL;
    CHECK_OK(ctx, spd_array_read(ctx, scratch(file), NULL, &in));
    CHECK(in && i < in->count && strcmp(in->text[i], wanted) == 0, "'%s'", in->text[i]);
}

TEST(characters_beyond_ascii)
{
    const uint16_t pair[] = {'x', 0xd834, 0xdd1e}, half[] = {'x', 0xd834, 'y'};
    put_class(scratch("pair.mat"), MX_CHAR, MI_UTF16, 1, 3, pair, sizeof pair);
    check_text("pair.mat", 0, "x𝄞");
    put_class(scratch("half.mat"), MX_CHAR, MI_UTF16, 1, 3, half, sizeof half);
    CHECK_UNREADABLE(scratch("half.mat"), SPD_EFORMAT, "half.mat: v: |damaged text");
    /* a matrix of 2 x 2 characters in UTF-8: column by column a b, ä c */
    put_class(scratch("rows.mat"), MX_CHAR, MI_UTF8, 2, 2, "abäc", 5);
    spd_array *in = NULL;
    CHECK_OK(ctx, spd_array_read(ctx, scratch("rows.mat"), NULL, &in));
    CHECK(in && in->count == 2 && strcmp(in->text[0], "aä") == 0 && strcmp(in->text[1], "bc") == 0,
          "rows");
    spd_array_free(in);
    put_class(scratch("rows.mat"), MX_CHAR, MI_UTF8, 2, 1, "abäc", 5); /* more than places */
    CHECK_UNREADABLE(scratch("rows.mat"), SPD_EFORMAT, "damaged text");
}

/* Cells of numbers are an array; those of this and that are refused when asked for, and passed over
 * when not. */
TEST(cells_of_other_things)
{
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    const int32_t dims[2] = {1, 1}, square[2] = {2, 2}, pair[2] = {2, 1};
    const double one = 1, X[4] = {2, 0, 0, 2};
    static mat_maker m;
    mat_start(&m);
    size_t at = mat_begin(&m, MX_CELL, 2, pair, "c");
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, dims, "", &one, sizeof one);
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, square, "", X, sizeof X);
    mat_end(&m, at);
    at = mat_begin(&m, MX_CELL, 2, dims, "d");
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, dims, "", &one, sizeof one);
    mat_end(&m, at);
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, square, "X", X, sizeof X);
    put_file(scratch("cells.mat"), m.bytes, m.size);
    OWN(spd_array) in = NULL;
    CHECK_FAILED(ctx, spd_array_read(ctx, scratch("cells.mat"), "c", &in), SPD_EFORMAT,
                 "cells.mat: c: |something other than strings");
    spd_data *data = NULL;
    CHECK_OK(ctx, spd_data_load(ctx, scratch("cells.mat"), &options, &data));
    CHECK(data && data->p == 1 && data->columns == 1, "passed over");
    spd_data_free(data);
    CHECK_OK(ctx, spd_array_read(ctx, scratch("cells.mat"), "d", &in));
    CHECK(in && in->f64[0] == 1.0, "a cell with a number");
}

/* Real parts as doubles, imaginary ones as MATLAB packs small numbers; without these it is damaged.
 */
TEST(complex_numbers)
{
    const double real[6] = {1.5, 2, 3, 4, 5, 6};
    const int8_t imaginary[6] = {-1, 0, 7, 8, 9, 10};
    const int32_t dims[2] = {2, 3};
    for (int whole = 0; whole < 2; whole++) {
        static mat_maker m;
        OWN(spd_array) array = NULL;
        mat_start(&m);
        size_t at = mat_begin(&m, MX_DOUBLE | MX_COMPLEX, 2, dims, "v");
        mat_element(&m, MI_DOUBLE, real, sizeof real);
        if (whole)
            mat_element(&m, MI_INT8, imaginary, sizeof imaginary);
        mat_end(&m, at);
        put_file(scratch("z.mat"), m.bytes, m.size);
        if (!whole) {
            CHECK_UNREADABLE(scratch("z.mat"), SPD_EFORMAT, "z.mat: v: ");
            continue;
        }
        CHECK(spd_array_read(ctx, scratch("z.mat"), "v", &array) == SPD_OK &&
                  array->type == SPD_TYPE_COMPLEX128 && array->shape[0] == 2 &&
                  array->shape[1] == 3,
              "%s", said(ctx));
        for (size_t i = 0; array && i < 2; i++)
            for (size_t j = 0; j < 3; j++)
                CHECK(array->f64[2 * (3 * i + j)] == real[i + 2 * j] &&
                          array->f64[2 * (3 * i + j) + 1] == imaginary[i + 2 * j],
                      "entry %zu, %zu", i, j);
    }
}

TEST(classes_that_are_not_read)
{
    const double part = 1;
    const int32_t dims[2] = {1, 1}, length = 2;
    static mat_maker m;
    mat_start(&m);
    size_t at = mat_begin(&m, MX_STRUCT, 2, dims, "s");
    mat_element(&m, MI_INT32, &length, sizeof length);
    mat_element(&m, MI_INT8, "a", 2);
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, dims, "", &part, sizeof part);
    mat_end(&m, at);
    put_file(scratch("s.mat"), m.bytes, m.size);
    spd_array *in = NULL;
    CHECK_OK(ctx, spd_array_read(ctx, scratch("s.mat"), "s.a", &in));
    CHECK(in && in->f64[0] == 1.0, "a field of a struct");
    spd_array_free(in);
    CHECK_FAILED(ctx, spd_array_read(ctx, scratch("s.mat"), "s.b", &in), SPD_EINVAL,
                 "s.mat: |only s.a");
}

TEST(damaged_files_end_in_a_message)
{
    unsigned char bytes[4000];
    put_set(scratch("whole.mat"), 1);
    size_t size = get_file(scratch("whole.mat"), bytes, sizeof bytes);
    put_file(scratch("cut.mat"), bytes, 200);
    CHECK_UNREADABLE(scratch("cut.mat"), SPD_EFORMAT, "cut.mat: |cut short|200 bytes");
    put_file(scratch("cut.mat"), bytes, 100);
    CHECK_UNREADABLE(scratch("cut.mat"), SPD_EFORMAT, "cut.mat: |cut off within its header");
    bytes[128 + 8 + bytes[132] - 6] ^= 1; /* near the end of the packed X */
    put_file(scratch("flip.mat"), bytes, size);
    spd_array *array = NULL;
    CHECK_FAILED(ctx, spd_array_read(ctx, scratch("flip.mat"), "X", &array), SPD_EFORMAT,
                 "flip.mat: |cannot be unpacked|damaged");
    CHECK(array == NULL, "nothing is read");
    bytes[126] = 'X';
    put_file(scratch("flip.mat"), bytes, size);
    CHECK_UNREADABLE(scratch("flip.mat"), SPD_EFORMAT, "flip.mat: |byte order");
    put_file(scratch("text.mat"), "hello world", 11);
    CHECK_UNREADABLE(scratch("text.mat"), SPD_EFORMAT, "text.mat: |not a MATLAB file|hello");
}

/* The checksum of a packed variable guards all of its numbers. */
TEST(checksums_are_checked)
{
    static mat_maker m;
    const int32_t dims[2] = {1, 2};
    const double numbers[2] = {1, 2};
    mat_start(&m);
    mat_variable_of(&m, MX_DOUBLE, MI_DOUBLE, 2, dims, "v", numbers, sizeof numbers);
    mat_pack(&m, 128);
    m.bytes[m.size - 1] ^= 1;
    put_file(scratch("sum.mat"), m.bytes, m.size);
    CHECK_UNREADABLE(scratch("sum.mat"), SPD_EFORMAT, "sum.mat: v: cannot be unpacked");
}

/* Sizes whose product is zero, or that only a liar can have. */
TEST(sizes_without_elements)
{
    spd_array *in = NULL;
    put_class(scratch("rows.mat"), MX_CHAR, MI_UTF8, INT32_MAX, 0, "", 0);
    CHECK_UNREADABLE(scratch("rows.mat"), SPD_EFORMAT, "rows.mat: v: |promises 2147483647 texts");
    put_class(scratch("rows.mat"), MX_CHAR, MI_UTF8, 3, 0, "", 0);
    CHECK_OK(ctx, spd_array_read(ctx, scratch("rows.mat"), NULL, &in));
    CHECK(in && in->count == 3 && in->text[2][0] == '\0', "three empty texts");
    spd_array_free(in);
    put_class(scratch("none.mat"), MX_DOUBLE, MI_DOUBLE, INT32_MAX, 0, "", 0);
    CHECK_OK(ctx, spd_array_read(ctx, scratch("none.mat"), NULL, &in));
    CHECK(in && in->count == 0 && in->shape[0] == INT32_MAX, "no numbers");
    spd_array_free(in);
    put_class(scratch("none.mat"), MX_CELL, MI_DOUBLE, 1 << 20, 1, "", 0);
    CHECK_UNREADABLE(scratch("none.mat"), SPD_EFORMAT, "none.mat: v: |promises 1048576 x 1");
    put_class(scratch("neg.mat"), MX_DOUBLE, MI_DOUBLE, -1, 2, "", 0);
    CHECK_UNREADABLE(scratch("neg.mat"), SPD_EFORMAT, "neg.mat: v: |promises");
}

/* A v5 header of a variable that promises 2^31-1 columns. */
TEST(sizes_are_checked_before_memory)
{
    unsigned char bytes[400];
    spd_array out = sample_array(SPD_TYPE_FLOAT64, 2);
    CHECK(write_one(scratch("huge.mat"), &out) == SPD_OK, "write");
    size_t size = get_file(scratch("huge.mat"), bytes, sizeof bytes);
    const int32_t dims[2] = {INT32_MAX, INT32_MAX};
    memcpy(bytes + 128 + 8 + 16 + 8, dims, sizeof dims);
    put_file(scratch("huge.mat"), bytes, size);
    CHECK_UNREADABLE(scratch("huge.mat"), SPD_EFORMAT, "huge.mat: floats: |promises 2147483647 x");
}

TEST(names_that_matlab_does_not_know)
{
    char name[] = "1st";
    spd_array out = sample_array(SPD_TYPE_FLOAT64, 2);
    out.name = name;
    CHECK_FAILED(ctx, write_one(scratch("n.mat"), &out), SPD_EINVAL, "n.mat: '1st'|variable name");
    out.name = NULL;
    CHECK_FAILED(ctx, write_one(scratch("n.mat"), &out), SPD_EINVAL, "variable name");
    const char *texts[] = {"\xff"};
    out = sample_array(SPD_TYPE_TEXT, 1);
    out.text = texts;
    out.count = out.shape[0] = 1;
    CHECK_FAILED(ctx, write_one(scratch("n.mat"), &out), SPD_EINVAL,
                 "string 0 of 'texts' is not UTF-8");
    CHECK_FAILED(ctx, write_one(scratch("n.npy"), &out), SPD_EINVAL,
                 "string 0 of 'texts' is not UTF-8");
    CHECK(access(scratch("n.mat"), F_OK) != 0, "no file is left");
}
