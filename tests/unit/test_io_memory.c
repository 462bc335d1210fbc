/* test_io_memory.c - the k-th allocation fails, for every k: each call then ends with SPD_ENOMEM
 * and a message, leaks nothing and leaves its output alone. */
#include "unit/test_io_common.h"

typedef spd_status (*sweep_call)(const char *path, int *touched);

static spd_status survey_set(const char *path, int *touched);

static void sweep(const char *what, sweep_call call, const char *path)
{
    for (sweep_state s = SWEEP(ctx, 1, NULL, 0); sweep_on(&s);) {
        int touched = 0;
        size_t files = scratch_each(NULL);
        s.what = what;
        /* What finds out why a matrix is bad may lack memory: the survey wants no more than that.
         */
        s.tolerant = call == survey_set;
        s.status = call(path, &touched);
        CHECK(s.status == SPD_OK || !touched, "%s, allocation %ld: output touched", what, s.k);
        CHECK(scratch_each(NULL) == files, "%s, allocation %ld: a file was left", what, s.k);
    }
    CHECK(spd_context_error(ctx)->status == SPD_OK, "%s still says '%s'", what, said(ctx));
}

static spd_status read_any(const char *path, const char *name, int *touched)
{
    OWN(spd_array) array = NULL;
    spd_status status = spd_array_read(ctx, path, name, &array);
    *touched = array != NULL;
    return status;
}

static spd_status read_floats(const char *path, int *touched)
{
    return read_any(path, "floats", touched);
}

static spd_status read_texts(const char *path, int *touched)
{
    return read_any(path, "texts", touched);
}

static spd_status load_set(const char *path, int *touched)
{
    OWN(spd_data) data = NULL;
    spd_status status = spd_data_load(ctx, path, NULL, &data);
    *touched = data != NULL;
    return status;
}

static spd_status load_with_labels(const char *path, int *touched)
{
    OWN(spd_data) data = NULL;
    const spd_load_options options = {
        .size = sizeof options, .labels = scratch("labels.csv"), .regularize = 1.0};
    spd_status status = spd_data_load(ctx, path, &options, &data);
    *touched = data != NULL;
    return status;
}

static spd_status write_samples(const char *path)
{
    spd_array a = sample_array(SPD_TYPE_FLOAT64, 2), b = sample_array(SPD_TYPE_TEXT, 2);
    const spd_array *all[] = {&a, &b};
    return spd_arrays_write(ctx, path, 2, all);
}

TEST(reading)
{
    spd_array a = sample_array(SPD_TYPE_FLOAT64, 2), t = sample_array(SPD_TYPE_TEXT, 1);
    write_one(scratch("a.npy"), &a);
    write_one(scratch("t.npy"), &t);
    write_one(scratch("a.csv"), &a);
    write_one(scratch("t.csv"), &t);
    sweep("npy", read_floats, scratch("a.npy"));
    sweep("npy texts", read_texts, scratch("t.npy"));
    sweep("csv", read_floats, scratch("a.csv"));
    sweep("csv texts", read_texts, scratch("t.csv"));
    CHECK_OK(ctx, write_samples(scratch("s.npz")));
    sweep("npz", read_floats, scratch("s.npz"));
    sweep("npz texts", read_texts, scratch("s.npz"));
    CHECK_OK(ctx, write_samples(scratch("s.mat")));
    sweep("mat", read_floats, scratch("s.mat"));
    sweep("mat texts", read_texts, scratch("s.mat"));
}

/* Two matrices, labels and a column. */
static void write_set(const char *path)
{
    static char x_name[] = "X", y_name[] = "y", w_name[] = "w";
    double X[8] = {2, 1, 1, 2, 3, 0, 0, 3}, w[2] = {1, 2};
    const char *texts[2] = {"b", "a"};
    spd_array x = {
        .name = x_name, .type = SPD_TYPE_FLOAT64, .ndim = 3, .shape = {2, 2, 2}, .count = 8};
    spd_array y = {.name = y_name, .type = SPD_TYPE_TEXT, .ndim = 1, .shape = {2}, .count = 2};
    spd_array c = {.name = w_name, .type = SPD_TYPE_FLOAT64, .ndim = 1, .shape = {2}, .count = 2};
    x.f64 = X;
    y.text = texts;
    c.f64 = w;
    const spd_array *all[] = {&x, &y, &c};
    CHECK_OK(ctx, spd_arrays_write(ctx, path, 3, all));
}

TEST(loading)
{
    put_file(scratch("set.csv"), "1,0,0,1,b\n2,0,0,2,a\n", 20);
    put_file(scratch("labels.csv"), "1\n2\n", 4);
    write_set(scratch("set.npz"));
    write_set(scratch("set.mat"));
    sweep("load npz", load_set, scratch("set.npz"));
    sweep("load mat", load_set, scratch("set.mat"));
    sweep("load csv", load_set, scratch("set.csv"));
    sweep("load with labels", load_with_labels, scratch("set.npz"));
}

static spd_status write_both(const char *path, int *touched)
{
    spd_status status = write_samples(path);
    *touched = access(path, F_OK) == 0;
    remove(path);
    return status;
}

static spd_status write_texts(const char *path, int *touched)
{
    spd_array t = sample_array(SPD_TYPE_TEXT, 1);
    spd_status status = write_one(path, &t);
    *touched = access(path, F_OK) == 0;
    remove(path);
    return status;
}

static spd_status save_set(const char *path, int *touched)
{
    double X[8] = {2, 1, 1, 2, 3, 0, 0, 3};
    const spd_data data = {.p = 2, .n = 2, .X = X};
    spd_status status = spd_data_save(ctx, &data, path);
    *touched = access(path, F_OK) == 0;
    remove(path);
    return status;
}

static spd_status survey_set(const char *path, int *touched)
{
    (void)path;
    double X[12] = {2, 1, 1, 2, 3, 0, 0, -3, 0, 0, 0, 0};
    const spd_data data = {.p = 3, .n = 2, .X = X};
    spd_survey survey = {.size = sizeof survey, .not_finite = 77};
    spd_status status = spd_data_survey(ctx, &data, &survey);
    *touched = survey.not_finite != 77;
    return status;
}

TEST(writing_and_surveying)
{
    sweep("write npy", write_texts, scratch("w.npy"));
    sweep("write csv", write_texts, scratch("w.csv"));
    sweep("write npz", write_both, scratch("w.npz"));
    sweep("write mat", write_both, scratch("w.mat"));
    sweep("save", save_set, scratch("w.npz"));
    sweep("survey", survey_set, "");
}
