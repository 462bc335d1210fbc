/* test_io_csv.c - .csv: separators, headers, quotes, and faults named by line and column. */
#include "unit/test_io_common.h"

#include "io/text.h"

#include <locale.h>

static spd_array *read_text(const char *text)
{
    spd_array *array = NULL;
    put_file(scratch("t.csv"), text, strlen(text));
    CHECK_OK(ctx, spd_array_read(ctx, scratch("t.csv"), NULL, &array));
    return OWNED(spd_array, array);
}

static void refuse_text(const char *text, spd_status status, const char *words)
{
    put_file(scratch("bad.csv"), text, strlen(text));
    CHECK_UNREADABLE(scratch("bad.csv"), status, words);
}

/* The table must be 2 x 3 with 1 2 3 4 5 6. */
static void check_table(const char *text)
{
    spd_array *array = read_text(text);
    if (!array)
        return;
    CHECK(array->type == SPD_TYPE_FLOAT64 && array->ndim == 2 && array->shape[0] == 2 &&
              array->shape[1] == 3,
          "'%s'", text);
    for (size_t i = 0; i < 6 && i < array->count; i++)
        CHECK(array->f64[i] == (double)(i + 1), "'%s' [%zu] = %g", text, i, array->f64[i]);
}

TEST(separators_and_line_ends)
{
    check_table("1,2,3\n4,5,6\n");
    check_table("1;2;3\r\n4;5;6\r\n");
    check_table("1\t2\t3\r4\t5\t6");
    check_table("  1 2   3 \n4 5\t6");
    check_table("\xef\xbb\xbf"
                "1, 2 ,3\n\n4,5,6\n\n\n");
    check_table("# written by something\n1,2,3\n  # more\n4,5,6");
    check_table("a,b,c\n1,2,3\n4,5,6\n");
    check_table("\"a,1\",b,c\n\"1\",2,3\n4,\"5\",6e0\n");
}

/* A first row that is mostly numbers is no header: it would be lost without a word. */
TEST(first_rows_that_are_neither)
{
    refuse_text("1,two,3\n1,2,3\n", SPD_EFORMAT, "line 1, column 2: 'two'|other cells");
    refuse_text("# c\n1,2,3.o\n1,2,3\n", SPD_EFORMAT, "line 2, column 3: '3.o'|header");
    refuse_text("1,,3\n1,2,3\n", SPD_EFORMAT, "line 1, column 2: ''");
    spd_array *array = read_text("1.o\n2\n3\n"); /* one column: texts, all of them */
    CHECK(array && array->type == SPD_TYPE_TEXT && array->count == 3, "a mistyped first number");
}

TEST(one_column_is_a_vector)
{
    spd_array *array = read_text("w\n0.5\n-1e-3\n");
    CHECK(array && array->ndim == 1 && array->count == 2 && array->f64[1] == -1e-3, "numbers");
    array = read_text("cat\ndog\n\"a \"\"b\"\",\n c\"\n");
    CHECK(array && array->type == SPD_TYPE_TEXT && array->count == 3, "texts");
    CHECK(array && strcmp(array->text[2], "a \"b\",\n c") == 0, "'%s'", array->text[2]);
    array = read_text("Label\ncat\n7\n");
    CHECK(array && array->type == SPD_TYPE_TEXT && array->count == 2 &&
              strcmp(array->text[1], "7") == 0,
          "a header that names labels");
}

TEST(faults_name_line_and_column)
{
    refuse_text("a,b\n1,2\n3,x7\ny,4\n", SPD_EFORMAT, "bad.csv: line 3, column 2: 'x7'");
    refuse_text("1,2\n3,\n", SPD_EFORMAT, "line 2, column 2 is empty");
    refuse_text("1,2\n# c\n3\n", SPD_EFORMAT, "line 3 has less|2 cells");
    refuse_text("1,2\n3,4,5\n", SPD_EFORMAT, "line 2 has more|2 cells");
    refuse_text("1,2\n\"3,4\n", SPD_EFORMAT, "line 2, column 1|quote is not closed");
    refuse_text("1,2\n3,\"4\"5\n", SPD_EFORMAT, "line 2, column 2|follows a closing quote");
    refuse_text("\"1\"2,3\n", SPD_EFORMAT, "line 1, column 1");
    refuse_text("\n \n# nothing\n", SPD_EFORMAT, "no rows");
    refuse_text("ok\n\xff\xfe\n", SPD_EFORMAT, "line 2, column 1|UTF-8");
    refuse_text("1,5;2,5\n", SPD_EFORMAT, "column 1: '1,5'");
    put_file(scratch("zero.csv"), "1,2\0003", 5);
    CHECK_UNREADABLE(scratch("zero.csv"), SPD_EFORMAT, "NUL");
}

TEST(numbers_have_points_in_any_language)
{
    const char *before = setlocale(LC_NUMERIC, NULL);
    char kept[64];
    snprintf(kept, sizeof kept, "%s", before);
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        printf("    no German locale here: only the C locale was tested\n");
    spd_array *array = read_text("0.5\n1.25\n");
    CHECK(array && array->f64[0] == 0.5 && array->f64[1] == 1.25, "read");
    CHECK(array && write_one(scratch("point.csv"), array) == SPD_OK, "write");
    setlocale(LC_NUMERIC, kept);
    char text[32] = "";
    get_file(scratch("point.csv"), text, sizeof text - 1);
    CHECK(strcmp(text, "0.5\n1.25\n") == 0, "'%s'", text);
}

TEST(round_trips)
{
    for (size_t ndim = 1; ndim <= 2; ndim++) {
        spd_array out = sample_array(SPD_TYPE_FLOAT64, ndim), *in = NULL;
        CHECK(write_one(scratch("round.csv"), &out) == SPD_OK, "floats");
        CHECK(spd_array_read(ctx, scratch("round.csv"), NULL, &in) == SPD_OK, "floats");
        CHECK(in && same_arrays(&out, in), "floats, %zu dimensions", ndim);
        spd_array_free(in);
    }
    spd_array out = sample_array(SPD_TYPE_TEXT, 1), *in = NULL;
    CHECK(write_one(scratch("round.csv"), &out) == SPD_OK, "texts");
    CHECK(spd_array_read(ctx, scratch("round.csv"), NULL, &in) == SPD_OK, "texts");
    CHECK(in && same_arrays(&out, in), "texts");
    spd_array_free(in);
    const char *formulas[] = {"=1+2",    "@x",   "-cmd|' /C calc'!A0",
                              "+a",      "\tb",  "\rc",
                              "'=q",     "''+z", "'tis",
                              "-3.5e-7", "+4",   "-",
                              "a=b",     "\nd",  "＝1",
                              "＋2",     "－3",  "＠4",
                              "＜5"};
    const size_t count = sizeof formulas / sizeof *formulas;
    out = (spd_array){.type = SPD_TYPE_TEXT, .ndim = 1, .shape = {count}, .count = count};
    out.text = formulas;
    CHECK(write_one(scratch("round.csv"), &out) == SPD_OK, "formulas");
    CHECK(spd_array_read(ctx, scratch("round.csv"), NULL, &in) == SPD_OK, "formulas");
    CHECK(in && same_arrays(&out, in), "formulas");
    spd_array_free(in);
    char text[200] = "";
    get_file(scratch("round.csv"), text, sizeof text - 1);
    CHECK(strstr(text, "'=1+2\n'@x\n\"'-cmd|' /C calc'!A0\"\n'+a\n\"'\tb\"\n"), "%s", text);
    CHECK(strstr(text, "''=q\n'''+z\n'tis\n-3.5e-7\n+4\n-\na=b\n\"'\nd\"\n"), "%s", text);
    for (size_t i = count - 5; i < count; i++) { /* the last is "<" */
        const char *cell = strstr(text, formulas[i]);
        CHECK(cell && cell[-1] == (i < count - 1 ? '\'' : '\n'), "%zu: %s", i, text);
    }
    memset(text, 0, sizeof text);
    out = sample_array(SPD_TYPE_INT64, 2);
    CHECK(write_one(scratch("int.csv"), &out) == SPD_OK, "integers");
    get_file(scratch("int.csv"), text, sizeof text - 1);
    CHECK(strcmp(text, "0,-1,9223372036854775807\n-9223372036854775808,42,7\n") == 0, "%s", text);
    out = sample_array(SPD_TYPE_FLOAT64, 3);
    CHECK_FAILED(ctx, write_one(scratch("cube.csv"), &out), SPD_EINVAL,
                 "cube.csv: |3 dimensions|.npz");
}

static spd_data *load_text(const char *text)
{
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    spd_data *data = NULL;
    put_file(scratch("d.csv"), text, strlen(text));
    CHECK_OK(ctx, spd_data_load(ctx, scratch("d.csv"), &options, &data));
    return OWNED(spd_data, data);
}

TEST(data_sets)
{
    spd_data *data = load_text("1,0,0,1\n2,0.5,0.5,2\n");
    CHECK(data && data->p == 2 && data->n == 2 && data->X[5] == 0.5 && !data->y, "no labels");
    data = load_text("a,label,b,c,d\n1,9,0,0,1\n2,3,0.5,0.5,2\n");
    CHECK(data && data->classes == 2 && data->label[0] == 1 && data->X[1] == 0, "named column");
    CHECK(data && strcmp(data->class_name[0], "3") == 0, "%s", data->class_name[0]);
    data = load_text("1,0,0,1,cat\n2,0.5,0.5,2,ant\n");
    CHECK(data && data->classes == 2 && data->label[0] == 1, "the only column of text");
    const spd_load_options named = {.size = sizeof named, .y_name = "Truth", .unchecked = 1};
    OWN(spd_data) truth = NULL;
    put_file(scratch("n.csv"), "Truth,a\nx,1\ny,2\n", 16);
    CHECK(spd_data_load(ctx, scratch("n.csv"), &named, &truth) == SPD_OK && truth->classes == 2,
          "%s", said(ctx));
    data = load_text("7\n");
    CHECK(data && data->p == 1 && data->n == 1 && data->X[0] == 7, "one by one");
}

static void refuse_set(const char *text, spd_status status, const char *words)
{
    spd_data *data = NULL;
    put_file(scratch("s.csv"), text, strlen(text));
    CHECK_FAILED(ctx, spd_data_load(ctx, scratch("s.csv"), NULL, &data), status, words);
    CHECK(!data, "untouched");
}

TEST(data_sets_that_are_none)
{
    const spd_load_options named = {.size = sizeof named, .y_name = "Truth"};
    spd_data *data = NULL;
    put_file(scratch("n.csv"), "y,a\n1,1\n2,2\n", 12);
    CHECK_FAILED(ctx, spd_data_load(ctx, scratch("n.csv"), &named, &data), SPD_EINVAL, "2 numbers");
    refuse_set("1,0,0\n", SPD_EINVAL, "s.csv: rows of 3 numbers");
    refuse_set("1,0,0,1,5\n", SPD_EINVAL, "rows of 5 numbers|name it y");
    refuse_set("a,b,c,d,y\n", SPD_EINVAL, "no matrices");
    refuse_set("y\n1\n", SPD_EINVAL, "size 0");
    refuse_set("1,0,0,1\n1,0,O,1\n", SPD_EFORMAT, "line 2, column 3: 'O'");
}

static int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The quick way and the C library give the same bits. */
TEST(numbers_as_strtod_reads_them)
{
    static const char *const formats[] = {"%.0f", "%.3f", "%.9f", "%.15g", "%.17g", "%.4e"};
    static const char *const texts[] = {"0",   "-0", ".5",   "5.", "-.25", "0000000000000000.1",
                                        "1e5", "+3", "0x1p3"};
    static const char *const none[] = {"", "-", ".", "-.", "1.2.3", "1 2", "1,5", "--1", "12a"};
    char text[64];
    double value = 7.0;
    rng r = seeded(12);
    for (int k = 0; k < 60000; k++) {
        snprintf(text, sizeof text, formats[k % 6],
                 ldexp(rng_normal(&r), (int)(rng_next(&r) % 60)));
        CHECK(text_number(text, strlen(text), &value) && same_bits(value, strtod(text, NULL)), "%s",
              text);
    }
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        CHECK(text_number(texts[k], strlen(texts[k]), &value) &&
                  same_bits(value, strtod(texts[k], NULL)),
              "%s", texts[k]);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        value = 7.0;
        CHECK(!text_number(none[k], strlen(none[k]), &value) && value == 7.0, "'%s'", none[k]);
    }
}
