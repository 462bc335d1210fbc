/* test_io_data.c - data sets: finding X and y, classes, options, checks and their words, survey. */
#include "unit/test_io_common.h"

#define P 5
#define N 3

static char name_x[] = "X", name_y[] = "y", name_w[] = "w";

/* P matrices N x N, diagonally dominant, all different. */
static void fill(double *X)
{
    for (size_t i = 0; i < P; i++)
        for (size_t r = 0; r < N; r++)
            for (size_t c = 0; c < N; c++)
                X[(i * N + r) * N + c] = r == c ? 2.0 + (double)(i + r) : 0.25 * (double)(r + c);
}

static spd_array floats(char *name, double *data, size_t ndim, size_t a, size_t b, size_t c)
{
    spd_array array = {.name = name, .type = SPD_TYPE_FLOAT64, .ndim = ndim, .shape = {a, b, c}};
    array.count = a * (ndim > 1 ? b : 1) * (ndim > 2 ? c : 1);
    array.f64 = data;
    return array;
}

/* X, and y where it is not NULL, to an .npz. */
static const char *put_set(const char *file, double *X, spd_array *y)
{
    spd_array x = floats(name_x, X, 3, P, N, N);
    const spd_array *all[] = {&x, y};
    const char *path = scratch(file);
    CHECK_OK(ctx, spd_arrays_write(ctx, path, y ? 2 : 1, all));
    return path;
}

static spd_data *load(const char *path, const spd_load_options *options)
{
    spd_data *data = NULL;
    CHECK_OK(ctx, spd_data_load(ctx, path, options, &data));
    return OWNED(spd_data, data);
}

static void refuse(const char *path, const spd_load_options *options, spd_status status,
                   const char *words)
{
    spd_data *data = NULL;
    long live = mem_live();
    CHECK_FAILED(ctx, spd_data_load(ctx, path, options, &data), status, words);
    CHECK(!data, "untouched");
    CHECK(mem_live() == live, "%ld blocks leaked", mem_live() - live);
}

TEST(integer_labels_are_ordered_as_numbers)
{
    double X[P * N * N], w[P] = {5, 4, 3, 2, 1};
    int64_t labels[P] = {10, -2, 9, 10, 9};
    fill(X);
    spd_array x = floats(name_x, X, 3, P, N, N), columns = floats(name_w, w, 1, P, 0, 0);
    spd_array y = {.name = name_y, .type = SPD_TYPE_INT64, .ndim = 1, .shape = {P}, .count = P};
    y.i64 = labels;
    const spd_array *all[] = {&columns, &y, &x};
    CHECK(spd_arrays_write(ctx, scratch("set.npz"), 3, all) == SPD_OK, "write");
    spd_data *data = load(scratch("set.npz"), NULL);
    if (!data)
        return;
    const int wanted[P] = {2, 0, 1, 2, 1};
    CHECK(data->p == P && data->n == N && data->classes == 3, "shape");
    CHECK(memcmp(data->X, X, sizeof X) == 0, "X");
    CHECK(memcmp(data->label, wanted, sizeof wanted) == 0, "classes");
    CHECK(strcmp(data->class_name[0], "-2") == 0 && strcmp(data->class_name[1], "9") == 0 &&
              strcmp(data->class_name[2], "10") == 0,
          "names");
    CHECK(data->columns == 1 && strcmp(data->column[0]->name, "w") == 0 &&
              data->column[0]->f64[4] == 1,
          "columns");
    CHECK(data->y->i64[1] == -2 && strcmp(data->source, scratch("set.npz")) == 0, "as read");
}

/* Labels as text from a file of their own; how classes come out of them. */
static void check_classes(const char *labels, const int *wanted, const char *first)
{
    double X[P * N * N];
    fill(X);
    put_set("plain.npz", X, NULL);
    put_file(scratch("labels.csv"), labels, strlen(labels));
    const spd_load_options options = {.size = sizeof options, .labels = scratch("labels.csv")};
    spd_data *data = load(scratch("plain.npz"), &options);
    if (!data)
        return;
    CHECK(memcmp(data->label, wanted, P * sizeof *wanted) == 0, "%s", labels);
    CHECK(strcmp(data->class_name[0], first) == 0, "%s is not %s", data->class_name[0], first);
}

TEST(texts_become_classes)
{
    check_classes("b\na\nb\n10\n9\n", (const int[]){3, 2, 3, 0, 1}, "10");
    check_classes("3\n3\n-1\n12\n3\n", (const int[]){1, 1, 0, 2, 1}, "-1");
    check_classes("y\nä\nz\n\"\"\nz\nz\n", (const int[]){2, 1, 0, 1, 1}, "");
}

TEST(texts_of_digits_are_ordered_as_numbers)
{
    double X[P * N * N];
    const char *texts[P] = {"10", "9", "-1", "9", "010"};
    spd_array y = {.name = name_y, .type = SPD_TYPE_TEXT, .ndim = 1, .shape = {P}, .count = P};
    y.text = texts;
    fill(X);
    spd_data *data = load(put_set("digits.npz", X, &y), NULL);
    const int wanted[P] = {3, 1, 0, 1, 2};
    CHECK(data && data->classes == 4 && memcmp(data->label, wanted, sizeof wanted) == 0, "order");
    texts[4] = "99999999999999999999"; /* no int64: all are texts then */
    data = load(put_set("digits.npz", X, &y), NULL);
    const int as_texts[P] = {1, 2, 0, 2, 3};
    CHECK(data && memcmp(data->label, as_texts, sizeof as_texts) == 0, "too large a number");
}

TEST(labels_that_do_not_fit)
{
    double X[P * N * N], few[4] = {1, 2, 3, 4}, half[P] = {1, 2, 2.5, 1, 1}, two[2 * P] = {0};
    fill(X);
    const char *path = put_set("data.npz", X, NULL);
    spd_load_options options = {.size = sizeof options, .labels = scratch("labels.npy")};
    spd_array y = floats(NULL, few, 1, 4, 0, 0);
    write_one(options.labels, &y);
    refuse(path, &options, SPD_EINVAL, "labels.npy: 4 labels for 5 matrices in |data.npz");
    y = floats(NULL, half, 1, P, 0, 0);
    write_one(options.labels, &y);
    refuse(path, &options, SPD_EINVAL, "labels.npy: label 2 is 2.5|integers or strings");
    y = floats(NULL, two, 2, P, 2, 0);
    write_one(options.labels, &y);
    refuse(path, &options, SPD_EINVAL, "labels.npy: |5 x 2|one per matrix");
    options.labels = scratch("nowhere.npy");
    refuse(path, &options, SPD_EIO, "nowhere.npy: |No such file");
    y = floats(name_y, few, 1, 4, 0, 0);
    refuse(put_set("own.npz", X, &y), NULL, SPD_EINVAL, "own.npz: 4 labels for 5 matrices");
    options = (spd_load_options){.size = sizeof options, .y_name = "truth"};
    refuse(scratch("own.npz"), &options, SPD_EINVAL, "own.npz: |no array named 'truth'|X, y");
    options =
        (spd_load_options){.size = sizeof options, .labels = scratch("own.npz"), .y_name = "truth"};
    refuse(path, &options, SPD_EINVAL, "own.npz: |no array named 'truth'");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_NAME_Y, "remedy");
}

TEST(other_names_and_other_shapes)
{
    double X[P * N * N], row[P] = {1, 1, 2, 2, 2};
    char covs[] = "covs", truth[] = "truth";
    fill(X);
    spd_array x = floats(covs, X, 3, P, N, N), y = floats(truth, row, 2, 1, P, 0);
    const spd_array *all[] = {&x, &y};
    CHECK(spd_arrays_write(ctx, scratch("names.npz"), 2, all) == SPD_OK, "write");
    spd_data *data = load(scratch("names.npz"), NULL);
    CHECK(data && data->p == P && !data->y && data->columns == 1, "the only 3-d array");
    const spd_load_options options = {.size = sizeof options, .x_name = "covs", .y_name = "truth"};
    data = load(scratch("names.npz"), &options);
    CHECK(data && data->classes == 2 && data->y->ndim == 1 && data->y->shape[0] == P, "by name");
    const spd_load_options wrong = {.size = sizeof wrong, .x_name = "data"};
    refuse(scratch("names.npz"), &wrong, SPD_EINVAL, "no array named 'data'|covs, truth");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_NAME_X, "remedy");
    x = floats(NULL, X, 2, N, N, 0);
    CHECK(write_one(scratch("single.npy"), &x) == SPD_OK, "write");
    data = load(scratch("single.npy"), NULL);
    CHECK(data && data->p == 1 && data->n == N, "n x n is one matrix");
}

TEST(integer_matrices)
{
    int64_t values[] = {2, 1, 1, 2};
    spd_array x = {.type = SPD_TYPE_INT64, .ndim = 2, .shape = {2, 2}, .count = 4, .i64 = values};
    CHECK(write_one(scratch("int.npy"), &x) == SPD_OK, "write");
    spd_data *data = load(scratch("int.npy"), NULL);
    CHECK(data && data->X[0] == 2.0 && data->X[1] == 1.0, "become floating point");
    x = sample_array(SPD_TYPE_TEXT, 2);
    x.shape[0] = x.shape[1] = 2;
    x.count = 4;
    CHECK(write_one(scratch("text.npy"), &x) == SPD_OK, "write");
    refuse(scratch("text.npy"), NULL, SPD_EINVAL, "text.npy: X: |text where numbers");
}

static void refuse_shape(size_t ndim, size_t a, size_t b, size_t c, const char *words)
{
    double zeros[100] = {0};
    spd_array x = floats(name_x, zeros, ndim, a, b, c);
    CHECK(write_one(scratch("shape.npz"), &x) == SPD_OK, "write");
    refuse(scratch("shape.npz"), NULL, SPD_EINVAL, words);
}

TEST(shapes_that_are_refused)
{
    refuse_shape(3, 3, 2, 4, "shape.npz: X is 3 x 2 x 4|square");
    refuse_shape(1, 9, 1, 1, "X is 9;");
    refuse_shape(2, 2, 3, 1, "X is 2 x 3;");
    refuse_shape(3, 0, 3, 3, "X is 0 x 3 x 3|no matrices");
    refuse_shape(3, 3, 0, 0, "X is 3 x 0 x 0|size 0");
}

/* A set whose matrix 3 is spoilt by the caller. */
TEST(bad_matrices_are_named)
{
    double X[P * N * N], labels[P] = {7, 7, 8, 8, 7};
    spd_array y = floats(name_y, labels, 1, P, 0, 0);
    double *bad = X + 3 * N * N;
    fill(X);
    bad[1] = (double)NAN;
    refuse(put_set("nan.npz", X, &y), NULL, SPD_ENOTFINITE,
           "nan.npz: X[3] (label 8) holds NaN or Inf");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_LEAVE_OUT, "remedy");
    CHECK(spd_context_error(ctx)->index == 3, "index");
    fill(X);
    bad[0] = -(double)INFINITY;
    X[1] += 1; /* an earlier asymmetry does not hide it */
    refuse(put_set("inf.npz", X, NULL), NULL, SPD_ENOTFINITE, "inf.npz: X[3] holds NaN or Inf");
    fill(X);
    bad[1] += 0.5;
    refuse(put_set("asym.npz", X, &y), NULL, SPD_ENOTSYM,
           "asym.npz: X[3] (label 8) is not symmetric|0.071");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_SYMMETRIZE, "remedy");
    CHECK_CLOSE(spd_context_error(ctx)->value, 0.5 / 7.0, 1e-15, "asymmetry");
    fill(X);
    bad[0] = -1.0;
    refuse(put_set("ind.npz", X, &y), NULL, SPD_ENOTSPD,
           "ind.npz: X[3] (label 8) is not positive definite");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_REGULARIZE, "remedy");
    CHECK_CLOSE(spd_context_error(ctx)->remedy_value, 10.0, 1e-9, "far from definite");
    CHECK(spd_context_error(ctx)->index == 3, "index");
    for (size_t i = 0; i < N * N; i++)
        bad[i] = 1.0;
    refuse(put_set("sing.npz", X, NULL), NULL, SPD_ENOTSPD,
           "sing.npz: X[3] is not positive definite");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_REGULARIZE &&
              spd_context_error(ctx)->remedy_value == 1e-6,
          "remedy");
    spd_data *data = NULL;
    CHECK(spd_data_load(NULL, scratch("sing.npz"), NULL, &data) == SPD_ENOTSPD && !data,
          "without a context");
}

TEST(repairs_that_are_asked_for)
{
    double X[P * N * N];
    fill(X);
    X[1] += 0.5;
    put_set("asym.npz", X, NULL);
    spd_load_options options = {.size = sizeof options, .symmetrize = 1};
    spd_data *data = load(scratch("asym.npz"), &options);
    CHECK(data && data->X[1] == 0.5 && data->X[3] == 0.5, "the mean of both triangles");
    fill(X);
    for (size_t i = 0; i < N * N; i++)
        X[i] = 1.0;
    put_set("sing.npz", X, NULL);
    options = (spd_load_options){.size = sizeof options, .regularize = 0.5};
    data = load(scratch("sing.npz"), &options);
    CHECK(data && data->X[0] == 1.5 && data->X[1] == 1.0, "0.5 tr(X)/n = 0.5");
}

TEST(sets_say_whether_they_were_checked)
{
    double X[P * N * N];
    spd_load_options options = SPD_STRUCT(spd_load_options);
    fill(X);
    spd_data *data = load(put_set("checked.npz", X, NULL), NULL);
    CHECK(data && data->checked, "good");
    options.regularize = 0.25;
    data = load(scratch("checked.npz"), &options);
    CHECK(data && data->checked, "repaired");
    options.unchecked = 1;
    data = load(scratch("checked.npz"), &options);
    CHECK(data && !data->checked, "repaired and not looked at");
    options.regularize = 0.0;
    data = load(scratch("checked.npz"), &options);
    CHECK(data && !data->checked, "not looked at");
}

TEST(tiny_asymmetry_is_rounding)
{
    double X[P * N * N];
    fill(X);
    X[1] += 1e-12;
    spd_data *data = load(put_set("tiny.npz", X, NULL), NULL);
    CHECK(data && memcmp(data->X, X, sizeof X) == 0, "accepted and left as it is");
}

TEST(the_survey_counts_what_is_wrong)
{
    double X[P * N * N];
    const spd_load_options options = {.size = sizeof options, .unchecked = 1};
    spd_survey survey = SPD_STRUCT(spd_survey);
    fill(X);
    memset(X, 0, N * N * sizeof *X);
    X[0] = 1, X[4] = 2, X[8] = 8; /* diagonal: condition 8 */
    spd_data *data = load(put_set("good.npz", X, NULL), NULL);
    CHECK(data && spd_data_survey(ctx, data, &survey) == SPD_OK, "good");
    CHECK(survey.not_finite + survey.not_symmetric + survey.not_definite == 0, "nothing wrong");
    CHECK(survey.first_not_finite == SPD_NO_INDEX && survey.first_not_definite == SPD_NO_INDEX, "");
    CHECK_CLOSE(survey.min_eigenvalue, 1.0, 1e-13, "smallest");
    CHECK_CLOSE(survey.max_condition, 8.0, 1e-12, "condition");
    X[1 * 9 + 4] = (double)NAN;
    X[2 * 9 + 1] += 0.7;
    X[3 * 9 + 0] = -5.0;
    memset(X + 4 * 9, 0, 9 * sizeof *X);
    data = load(put_set("bad.npz", X, NULL), &options);
    CHECK(data && spd_data_survey(ctx, data, &survey) == SPD_OK, "bad");
    CHECK(survey.not_finite == 1 && survey.first_not_finite == 1, "finite");
    CHECK(survey.not_symmetric == 1 && survey.first_not_symmetric == 2, "symmetric");
    CHECK(survey.not_definite == 2 && survey.first_not_definite == 3, "%zu not definite",
          survey.not_definite);
    CHECK(survey.first_eigenvalue < -5.0 && survey.remedy == SPD_REMEDY_REGULARIZE, "remedy %u",
          survey.remedy);
    CHECK(survey.min_eigenvalue < -5.0 && isinf(survey.max_condition), "range");
    CHECK_CLOSE(survey.max_asymmetry, 0.7 / 6.0, 1e-14, "asymmetry");
    const spd_data nothing = {0};
    CHECK_FAILED(ctx, spd_data_survey(ctx, &nothing, &survey), SPD_EINVAL, "no matrices");
}

/* [1 1; 1 1+eps] and four times that have Cholesky factors, and no rounding on the way to them, but
 * rounding might have made them; diag(1, 1e-16) has rows in other units. */
TEST(the_survey_counts_what_rounding_made_definite)
{
    double X[4 * 4] = {1, 0, 0, 1e-14, 1, 1, 1, 1 + 0x1p-52, 4, 4, 4, 4 + 0x1p-50, 1, 0, 0, 1e-16};
    spd_data data = {.p = 4, .n = 2, .X = X};
    spd_survey survey = SPD_STRUCT(spd_survey);
    CHECK(spd_data_survey(ctx, &data, &survey) == SPD_OK, "survey");
    CHECK(survey.singular == 1 && survey.first_singular == 3, "%zu singular", survey.singular);
    CHECK(survey.not_definite == 2 && survey.first_not_definite == 1 &&
              survey.remedy == SPD_REMEDY_REGULARIZE,
          "%zu not definite", survey.not_definite);
    data.p = 1;
    CHECK(spd_data_survey(ctx, &data, &survey) == SPD_OK, "survey");
    CHECK(survey.singular == 0 && survey.first_singular == SPD_NO_INDEX, "condition 1e14 is fine");
}

TEST(saving_and_loading)
{
    double X[P * N * N], w[P] = {5, 4, 3, 2, 1};
    fill(X);
    const char *texts[P] = {"b", "a", "ä", "b", "b"};
    spd_array y = {.name = name_w, .type = SPD_TYPE_TEXT, .ndim = 1, .shape = {P}, .count = P};
    y.text = texts;
    spd_array extra = floats(name_w, w, 1, P, 0, 0);
    spd_array *columns[] = {&extra};
    const spd_data out = {.p = P, .n = N, .X = X, .y = &y, .columns = 1, .column = columns};
    const char *names[] = {"save.npz", "save.mat"};
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(ctx, spd_data_save(ctx, &out, scratch(names[i])));
        spd_data *in = load(scratch(names[i]), NULL);
        CHECK(in && in->p == P && memcmp(in->X, X, sizeof X) == 0, "%s: X", names[i]);
        CHECK(in && in->classes == 3 && strcmp(in->y->text[2], "ä") == 0, "%s: y", names[i]);
        CHECK(in && in->columns == 1 && in->column[0]->ndim == 1 && in->column[0]->f64[0] == 5,
              "%s: w", names[i]);
    }
    CHECK(spd_data_save(ctx, &out, scratch("save.npy")) == SPD_OK, "X alone");
    spd_data *in = load(scratch("save.npy"), NULL);
    CHECK(in && memcmp(in->X, X, sizeof X) == 0 && !in->y, "X alone");
    CHECK(spd_data_save(ctx, &out, scratch("save.csv")) == SPD_OK, "a line for each X");
    in = load(scratch("save.csv"), NULL);
    CHECK(in && in->p == P && memcmp(in->X, X, sizeof X) == 0, "a line for each X");
    CHECK_FAILED(ctx, spd_data_save(ctx, &out, scratch("save.png")), SPD_EFORMAT,
                 "save.png: |.npz");
}

/* Labels taken from w while there is a y: both must survive saving. */
TEST(names_that_are_taken)
{
    double X[P * N * N], w[P] = {5, 4, 3, 2, 1}, labels[P] = {0};
    fill(X);
    spd_array x = floats(name_x, X, 3, P, N, N), a = floats(name_y, labels, 1, P, 0, 0),
              b = floats(name_w, w, 1, P, 0, 0);
    const spd_array *all[] = {&x, &a, &b};
    CHECK(spd_arrays_write(ctx, scratch("both.npz"), 3, all) == SPD_OK, "write");
    const spd_load_options options = {.size = sizeof options, .y_name = "w"};
    spd_data *data = load(scratch("both.npz"), &options);
    CHECK(data && spd_data_save(ctx, data, scratch("again.npz")) == SPD_OK, "%s", said(ctx));
    data = load(scratch("again.npz"), &options);
    CHECK(data && data->classes == 5 && data->columns == 1, "w is still w");
}
