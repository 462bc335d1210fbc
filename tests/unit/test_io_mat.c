/* test_io_mat.c - MATLAB files: what we write comes back, what matio writes (v5, v7.3) is read,
 * and damaged files end in a message without a word on stderr. */
#include "unit/test_io_common.h"

#include <fcntl.h>
#include <matio.h>

/* A 2 x 2 x 3 variable X, cells y and a row w of int32, by matio. Page k, element (i, j) is
 * 100 k + 10 i + j. */
static void put_matio(const char *path, enum mat_ft version, enum matio_compression packing)
{
    mat_t *mat = Mat_CreateVer(path, NULL, version);
    size_t cube[3] = {2, 2, 3}, column[2] = {3, 1}, row[2] = {1, 3}, one[2] = {1, 1};
    double pages[12];
    int32_t weights[3] = {4, -5, 6};
    uint16_t letter[3] = {'a', 0xe4, 0x20ac};
    for (size_t k = 0; k < 3; k++)
        for (size_t j = 0; j < 2; j++)
            for (size_t i = 0; i < 2; i++)
                pages[i + 2 * (j + 2 * k)] = (double)(100 * k + 10 * i + j);
    matvar_t *var = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 3, cube, pages, 0);
    Mat_VarWrite(mat, var, packing);
    Mat_VarFree(var);
    var = Mat_VarCreate("w", MAT_C_INT32, MAT_T_INT32, 2, row, weights, 0);
    Mat_VarWrite(mat, var, packing);
    Mat_VarFree(var);
    var = Mat_VarCreate("y", MAT_C_CELL, MAT_T_CELL, 2, column, NULL, 0);
    for (int i = 0; i < 3; i++)
        Mat_VarSetCell(var, i, Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF16, 2, one, &letter[i], 0));
    Mat_VarWrite(mat, var, packing);
    Mat_VarFree(var);
    Mat_Close(mat);
}

static void check_matio(const char *path)
{
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    spd_data *data = NULL;
    CHECK(spd_data_load(ctx, path, &options, &data) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
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
    spd_data_free(data);
}

static void files_of_matio(void)
{
    put_matio(scratch("v5.mat"), MAT_FT_MAT5, MAT_COMPRESSION_NONE);
    check_matio(scratch("v5.mat"));
    put_matio(scratch("v7.mat"), MAT_FT_MAT5, MAT_COMPRESSION_ZLIB);
    check_matio(scratch("v7.mat"));
    put_matio(scratch("v73.mat"), MAT_FT_MAT73, MAT_COMPRESSION_ZLIB);
    check_matio(scratch("v73.mat"));
}

static void round_trips(void)
{
    for (size_t ndim = 2; ndim <= 3; ndim++) {
        spd_array a = sample_array(SPD_FLOAT64, ndim), b = sample_array(SPD_INT64, ndim),
                  c = sample_array(SPD_TEXT, ndim);
        const spd_array *all[] = {&a, &b, &c};
        CHECK(spd_arrays_write(ctx, scratch("round.mat"), 3, all) == SPD_OK, "%s",
              spd_context_error(ctx)->message);
        for (size_t i = 0; i < 3; i++) {
            spd_array *in = NULL;
            CHECK(spd_array_read(ctx, scratch("round.mat"), all[i]->name, &in) == SPD_OK, "%s",
                  spd_context_error(ctx)->message);
            CHECK(in && same_arrays(all[i], in), "%s of %zu dimensions", all[i]->name, ndim);
            spd_array_free(in);
        }
    }
}

static void vectors_are_columns(void)
{
    spd_array out = sample_array(SPD_FLOAT64, 1), *in = NULL;
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

/* One variable of a class, by matio. */
static void put_class(const char *path, enum matio_classes class_type, enum matio_types type,
                      size_t rows, size_t columns, const void *data, int flags)
{
    size_t dims[2] = {rows, columns};
    mat_t *mat = Mat_CreateVer(path, NULL, MAT_FT_MAT5);
    union {
        const void *in;
        void *out;
    } lent = {data};
    matvar_t *var = Mat_VarCreate("v", class_type, type, 2, dims, lent.out, flags);
    if (!var || Mat_VarWrite(mat, var, MAT_COMPRESSION_NONE) != 0)
        abort();
    Mat_VarFree(var);
    Mat_Close(mat);
}

static void check_class(enum matio_classes class_type, enum matio_types type, const void *data,
                        double first, double second)
{
    spd_array *in = NULL;
    put_class(scratch("class.mat"), class_type, type, 1, 2, data, 0);
    CHECK(spd_array_read(ctx, scratch("class.mat"), NULL, &in) == SPD_OK, "%d", class_type);
    if (!in)
        return;
    for (size_t i = 0; i < 2; i++) {
        double value = in->type == SPD_INT64 ? (double)in->i64[i] : in->f64[i];
        CHECK(value == (i ? second : first), "class %d [%zu] = %g", class_type, i, value);
    }
    spd_array_free(in);
}

static void numbers_of_every_class(void)
{
    check_class(MAT_C_DOUBLE, MAT_T_DOUBLE, (const double[]){0.5, -2}, 0.5, -2);
    check_class(MAT_C_SINGLE, MAT_T_SINGLE, (const float[]){0.5f, -2}, 0.5, -2);
    check_class(MAT_C_INT8, MAT_T_INT8, (const int8_t[]){-128, 7}, -128, 7);
    check_class(MAT_C_UINT8, MAT_T_UINT8, (const uint8_t[]){255, 7}, 255, 7);
    check_class(MAT_C_INT16, MAT_T_INT16, (const int16_t[]){-300, 7}, -300, 7);
    check_class(MAT_C_UINT16, MAT_T_UINT16, (const uint16_t[]){65535, 7}, 65535, 7);
    check_class(MAT_C_INT32, MAT_T_INT32, (const int32_t[]){-70000, 7}, -70000, 7);
    check_class(MAT_C_UINT32, MAT_T_UINT32, (const uint32_t[]){4294967295u, 7}, 4294967295.0, 7);
    check_class(MAT_C_INT64, MAT_T_INT64, (const int64_t[]){-1, 7}, -1, 7);
    check_class(MAT_C_UINT64, MAT_T_UINT64, (const uint64_t[]){1, 7}, 1, 7);
    const uint64_t large[] = {UINT64_MAX};
    put_class(scratch("u8.mat"), MAT_C_UINT64, MAT_T_UINT64, 1, 1, large, 0);
    CHECK_UNREADABLE(scratch("u8.mat"), SPD_EFORMAT, "u8.mat: v: |2^63");
}

static void char_matrices_are_rows_of_text(void)
{
    spd_array *in = NULL;
    put_class(scratch("c.mat"), MAT_C_CHAR, MAT_T_UINT8, 2, 3, "adbe c", 0);
    CHECK(spd_array_read(ctx, scratch("c.mat"), NULL, &in) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    CHECK(in && in->type == SPD_TEXT && in->count == 2, "two rows");
    CHECK(in && strcmp(in->text[0], "ab") == 0 && strcmp(in->text[1], "dec") == 0, "'%s' '%s'",
          in->text[0], in->text[1]);
    spd_array_free(in);
}

static void check_text(const char *file, size_t i, const char *wanted)
{
    spd_array *in = NULL;
    CHECK(spd_array_read(ctx, scratch(file), NULL, &in) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    CHECK(in && i < in->count && strcmp(in->text[i], wanted) == 0, "'%s'", in->text[i]);
    spd_array_free(in);
}

static void characters_beyond_ascii(void)
{
    const uint16_t pair[] = {'x', 0xd834, 0xdd1e}, half[] = {'x', 0xd834, 'y'};
    put_class(scratch("pair.mat"), MAT_C_CHAR, MAT_T_UTF16, 1, 3, pair, 0);
    check_text("pair.mat", 0, "x𝄞");
    put_class(scratch("half.mat"), MAT_C_CHAR, MAT_T_UTF16, 1, 3, half, 0);
    CHECK_UNREADABLE(scratch("half.mat"), SPD_EFORMAT, "half.mat: v: |damaged text");
    /* a cell of ours made a matrix of 2 x 2 characters in UTF-8: column by column a b, ä c */
    unsigned char bytes[400];
    char name[] = "v";
    const char *texts[] = {"abäc"};
    spd_array out = {.name = name, .type = SPD_TEXT, .ndim = 1, .shape = {1}, .count = 1};
    out.text = texts;
    CHECK(write_one(scratch("rows.mat"), &out) == SPD_OK, "write");
    size_t size = get_file(scratch("rows.mat"), bytes, sizeof bytes);
    /* the inner variable becomes the outer one: header, then the bytes of the cell */
    size_t inner = 128 + 8 + 16 + 16 + 16;
    const int32_t dims[2] = {2, 2};
    memmove(bytes + 128, bytes + inner, size - inner);
    memcpy(bytes + 128 + 8 + 16 + 8, dims, sizeof dims);
    put_file(scratch("rows.mat"), bytes, 128 + size - inner);
    spd_array *in = NULL;
    CHECK(spd_array_read(ctx, scratch("rows.mat"), NULL, &in) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    CHECK(in && in->count == 2 && strcmp(in->text[0], "aä") == 0 && strcmp(in->text[1], "bc") == 0,
          "rows");
    spd_array_free(in);
    const int32_t more[2] = {2, 1}; /* more characters than places */
    memcpy(bytes + 128 + 8 + 16 + 8, more, sizeof more);
    put_file(scratch("rows.mat"), bytes, 128 + size - inner);
    CHECK_UNREADABLE(scratch("rows.mat"), SPD_EFORMAT, "damaged text");
}

/* Cells that are not texts: refused when asked for, passed over when not. */
static void cells_of_other_things(void)
{
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    size_t dims[2] = {1, 1}, square[2] = {2, 2};
    double one = 1, X[4] = {2, 0, 0, 2};
    mat_t *mat = Mat_CreateVer(scratch("cells.mat"), NULL, MAT_FT_MAT5);
    matvar_t *var = Mat_VarCreate("c", MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    Mat_VarSetCell(var, 0, Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &one, 0));
    Mat_VarWrite(mat, var, MAT_COMPRESSION_NONE);
    Mat_VarFree(var);
    var = Mat_VarCreate("X", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, square, X, 0);
    Mat_VarWrite(mat, var, MAT_COMPRESSION_NONE);
    Mat_VarFree(var);
    Mat_Close(mat);
    spd_array *in = NULL;
    CHECK_FAILED(spd_array_read(ctx, scratch("cells.mat"), "c", &in), SPD_EFORMAT,
                 "cells.mat: c: |something other than strings");
    spd_data *data = NULL;
    CHECK(spd_data_load(ctx, scratch("cells.mat"), &options, &data) == SPD_OK, "%s",
          spd_context_error(ctx)->message);
    CHECK(data && data->p == 1 && data->columns == 0, "passed over");
    spd_data_free(data);
}

static void classes_that_are_not_read(void)
{
    double parts[2] = {1, 2};
    mat_complex_split_t split = {&parts[0], &parts[1]};
    put_class(scratch("z.mat"), MAT_C_DOUBLE, MAT_T_DOUBLE, 1, 1, &split, MAT_F_COMPLEX);
    CHECK_UNREADABLE(scratch("z.mat"), SPD_EFORMAT, "z.mat: v: |complex");
    const char *fields[] = {"a", NULL};
    size_t dims[2] = {1, 1};
    mat_t *mat = Mat_CreateVer(scratch("s.mat"), NULL, MAT_FT_MAT5);
    matvar_t *var = Mat_VarCreateStruct("s", 2, dims, fields, 1);
    Mat_VarWrite(mat, var, MAT_COMPRESSION_NONE);
    Mat_VarFree(var);
    Mat_Close(mat);
    CHECK_UNREADABLE(scratch("s.mat"), SPD_EFORMAT, "s.mat: s: |class|cellstr");
}

/* Damaged files, with stderr caught in a file that must stay empty. */
static void damaged_files_end_in_a_message(void)
{
    unsigned char bytes[20000];
    int kept = dup(2), caught = open(scratch("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(caught, 2);
    put_matio(scratch("whole.mat"), MAT_FT_MAT5, MAT_COMPRESSION_ZLIB);
    size_t size = get_file(scratch("whole.mat"), bytes, sizeof bytes);
    for (size_t cut = 1; cut < size; cut += cut < 128 ? 32 : 7) {
        if (cut == 128)
            continue;
        put_file(scratch("cut.mat"), bytes, cut);
        spd_array *array = NULL;
        spd_status status = spd_array_read(ctx, scratch("cut.mat"), "X", &array);
        /* a cut between two variables leaves a good file */
        CHECK(status < 0 ? !array : array != NULL, "cut at %zu", cut);
        spd_array_free(array);
    }
    put_file(scratch("cut.mat"), bytes, 200);
    CHECK_UNREADABLE(scratch("cut.mat"), SPD_EFORMAT, "cut.mat: |cut short|200 bytes");
    put_matio(scratch("whole.mat"), MAT_FT_MAT73, MAT_COMPRESSION_NONE);
    size = get_file(scratch("whole.mat"), bytes, sizeof bytes);
    put_file(scratch("cut73.mat"), bytes, size / 2);
    CHECK_UNREADABLE(scratch("cut73.mat"), SPD_EFORMAT, "cut73.mat: |damaged or cut short");
    put_file(scratch("text.mat"), "hello world", 11);
    CHECK_UNREADABLE(scratch("text.mat"), SPD_EFORMAT, "text.mat: |not a MATLAB file|hello");
    dup2(kept, 2);
    close(kept);
    close(caught);
    char words[200] = "";
    CHECK(get_file(scratch("stderr"), words, sizeof words - 1) == 0, "stderr says %s", words);
}

/* A v5 header of a variable that promises 2^31-1 columns. */
static void sizes_are_checked_before_memory(void)
{
    unsigned char bytes[400];
    spd_array out = sample_array(SPD_FLOAT64, 2);
    CHECK(write_one(scratch("huge.mat"), &out) == SPD_OK, "write");
    size_t size = get_file(scratch("huge.mat"), bytes, sizeof bytes);
    const int32_t dims[2] = {INT32_MAX, INT32_MAX};
    memcpy(bytes + 128 + 8 + 16 + 8, dims, sizeof dims);
    put_file(scratch("huge.mat"), bytes, size);
    CHECK_UNREADABLE(scratch("huge.mat"), SPD_EFORMAT, "huge.mat: floats: |promises 2147483647 x");
}

static void names_that_matlab_does_not_know(void)
{
    char name[] = "1st";
    spd_array out = sample_array(SPD_FLOAT64, 2);
    out.name = name;
    CHECK_FAILED(write_one(scratch("n.mat"), &out), SPD_EINVAL, "n.mat: '1st'|variable name");
    out.name = NULL;
    CHECK_FAILED(write_one(scratch("n.mat"), &out), SPD_EINVAL, "variable name");
    const char *texts[] = {"\xff"};
    out = sample_array(SPD_TEXT, 1);
    out.text = texts;
    out.count = out.shape[0] = 1;
    CHECK_FAILED(write_one(scratch("n.mat"), &out), SPD_EINVAL, "string 0 of 'texts' is not UTF-8");
    CHECK_FAILED(write_one(scratch("n.npy"), &out), SPD_EINVAL, "string 0 of 'texts' is not UTF-8");
    CHECK(access(scratch("n.mat"), F_OK) != 0, "no file is left");
}

int main(void)
{
    scratch_begin();
    RUN(files_of_matio);
    RUN(round_trips);
    RUN(vectors_are_columns);
    RUN(numbers_of_every_class);
    RUN(char_matrices_are_rows_of_text);
    RUN(characters_beyond_ascii);
    RUN(cells_of_other_things);
    RUN(classes_that_are_not_read);
    RUN(damaged_files_end_in_a_message);
    RUN(sizes_are_checked_before_memory);
    RUN(names_that_matlab_does_not_know);
    return scratch_end();
}
