/* test_describe.c - from files to data sets: which inputs, which labels, which columns; broken
 * inputs; archives; threads; allocation failures. The descriptor is the covariance throughout. */
#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include "random_spd.h"
#include "test_io_common.h"

#include "formats/columns.h"
#include "describe/labelling.h"

#define R 20
#define N 3

static spd_describe_options options;

static void fresh_options(void)
{
    spd_describe_defaults(SPD_DESCRIPTOR_COVARIANCE, &options, sizeof options);
}

/* text <- a table R x columns of random numbers, from a seed; O (or NULL) <- the numbers. */
static size_t table_text(uint64_t seed, size_t columns, char *text, size_t room, double *O)
{
    size_t used = 0;
    rng g = seeded(seed);
    for (size_t e = 0; e < R * columns; e++) {
        double value = round(1e6 * rng_normal(&g)) / 1e6;
        if (O)
            O[e] = value;
        used += (size_t)snprintf(text + used, room - used, "%.6f%c", value,
                                 (e + 1) % columns ? ',' : '\n');
    }
    return used;
}

static const char *put_table(const char *name, uint64_t seed, size_t columns)
{
    char text[8192];
    const char *path = scratch(name);
    size_t size = table_text(seed, columns, text, sizeof text, NULL);
    put_file(path, text, size);
    return path;
}

static void make_folder(const char *name)
{
    if (mkdir(scratch(name), 0700) != 0)
        abort();
}

/* Two folders with two tables each, and something else. */
static void put_folders(void)
{
    make_folder("set");
    make_folder("set/walk");
    make_folder("set/run");
    put_table("set/walk/b.csv", 1, N);
    put_table("set/walk/a.csv", 2, N);
    put_table("set/run/c.csv", 3, N);
    put_table("set/run/d.csv", 4, N);
    put_file(scratch("set/run/notes.md"), "text", 4);
    put_file(scratch("set/run/.hidden.csv"), "text", 4);
}

static void drop_folders(void)
{
    static const char *const names[] = {"set/walk/a.csv", "set/walk/b.csv",   "set/run/c.csv",
                                        "set/run/d.csv",  "set/run/notes.md", "set/run/.hidden.csv",
                                        "set/walk",       "set/run",          "set"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(scratch(names[i]));
}

/* An archive of the given members; data NULL: a table. */
static void put_archive(const char *path, size_t count, const char *const *names,
                        const char *const *data)
{
    struct archive *out = archive_write_new();
    archive_write_set_format_pax_restricted(out);
    archive_write_add_filter_gzip(out);
    archive_write_open_filename(out, path);
    for (size_t i = 0; i < count; i++) {
        char text[8192];
        size_t size = data && data[i] ? (size_t)snprintf(text, sizeof text, "%s", data[i])
                                      : table_text(i + 1, N, text, sizeof text, NULL);
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, names[i]);
        archive_entry_set_size(entry, (la_int64_t)size);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_write_header(out, entry);
        archive_write_data(out, text, size);
        archive_entry_free(entry);
    }
    archive_write_free(out);
}

static spd_status describe(const char *path, spd_data **data, spd_describe_info **failures)
{
    return spd_describe(ctx, SPD_DESCRIPTOR_COVARIANCE, 1, &path, &options, data, failures);
}

static const spd_array *column(const spd_data *data, const char *name)
{
    for (size_t i = 0; i < data->columns; i++)
        if (strcmp(data->column[i]->name, name) == 0)
            return data->column[i];
    return NULL;
}

/* Does X[i] belong to the table of that seed? */
static void check_matrix(const spd_data *data, size_t i, uint64_t seed)
{
    char text[8192];
    double O[R * N], C[N * N];
    table_text(seed, N, text, sizeof text, O);
    CHECK(spd_covariance(NULL, R, N, O, NULL, C) == SPD_OK, "twin");
    CHECK(i < data->p && relative_gap(N * N, data->X + i * N * N, C) < 1e-14, "matrix %zu", i);
}

static void check_name(const spd_data *data, size_t i, const char *ending)
{
    const spd_array *names = column(data, "name");
    const char *name = names && i < names->count ? names->text[i] : "";
    size_t length = strlen(name), tail = strlen(ending);
    CHECK(length >= tail && strcmp(name + length - tail, ending) == 0, "'%s', not '%s'", name,
          ending);
}

TEST(folders_are_searched_in_order)
{
    static const char *const endings[] = {"set/run/c.csv", "set/run/d.csv", "set/walk/a.csv",
                                          "set/walk/b.csv"};
    static const uint64_t seeds[] = {3, 4, 2, 1};
    spd_data *data = NULL;
    fresh_options();
    put_folders();
    CHECK_OK(ctx, describe(scratch("set"), &data, NULL));
    CHECK(data && data->p == 4 && data->n == N, "four matrices");
    for (size_t i = 0; data && i < 4; i++) {
        check_name(data, i, endings[i]);
        check_matrix(data, i, seeds[i]);
    }
    CHECK(data && data->classes == 2 && strcmp(data->class_name[data->label[0]], "run") == 0 &&
              strcmp(data->class_name[data->label[3]], "walk") == 0,
          "folders are labels");
    CHECK(data && data->meta && strstr(data->meta, "\"descriptor\": \"covariance\""), "record");
    spd_data_free(data);
    drop_folders();
}

TEST(labels_by_pattern_index_and_none)
{
    static const char index[] = "file,action,subject,age\n"
                                "walk/a.csv,W,s1,30\nwalk/b.csv,W,s2,31\n"
                                "c.csv,R,s1,30\n/elsewhere/d.csv,R,s2,31\nother.csv,Z,s9,1\n";
    spd_data *data = NULL;
    put_folders();
    put_file(scratch("index.csv"), index, sizeof index - 1);
    fresh_options();
    options.index = scratch("index.csv");
    CHECK_OK(ctx, describe(scratch("set"), &data, NULL));
    const spd_array *subject = data ? column(data, "subject") : NULL;
    const spd_array *age = data ? column(data, "age") : NULL;
    CHECK(data && data->classes == 2 && strcmp(data->class_name[data->label[0]], "R") == 0,
          "label of the index");
    CHECK(subject && strcmp(subject->text[0], "s1") == 0 && strcmp(subject->text[3], "s2") == 0,
          "subjects");
    CHECK(age && age->type == SPD_TYPE_INT64 && age->i64[1] == 31, "numbers stay numbers");
    spd_data_free(data);
    data = NULL;
    fresh_options();
    options.label_by = "{y}";
    CHECK(describe(scratch("set"), &data, NULL) == SPD_OK && data->classes == 4 &&
              strcmp(data->class_name[data->label[2]], "a") == 0,
          "pattern");
    spd_data_free(data);
    data = NULL;
    options.label_by = "{y}_";
    CHECK_FAILED(ctx, describe(scratch("set"), &data, NULL), SPD_EINVAL, "does not fit");
    options.label_by = "{y";
    CHECK_FAILED(ctx, describe(scratch("set"), &data, NULL), SPD_EINVAL, "text between them");
    options.label_by = "abc";
    CHECK_FAILED(ctx, describe(scratch("set"), &data, NULL), SPD_EINVAL, "nor a pattern");
    options.label_by = "none";
    CHECK(describe(scratch("set"), &data, NULL) == SPD_OK && data->classes == 0, "none");
    spd_data_free(data);
    drop_folders();
}

TEST(the_index_must_know_an_input)
{
    static const char index[] = "x/a.csv,1\ny/a.csv,2\n";
    spd_data *data = NULL;
    spd_describe_info *failures = NULL;
    put_folders();
    put_file(scratch("index.csv"), index, sizeof index - 1);
    fresh_options();
    options.index = scratch("index.csv");
    CHECK_FAILED(ctx, describe(scratch("set/run"), &data, NULL), SPD_EINVAL, "no row of the index");
    CHECK_FAILED(ctx, describe(scratch("set/walk/a.csv"), &data, NULL), SPD_EINVAL, "2 rows");
    options.keep_going = 1;
    CHECK_FAILED(ctx, describe(scratch("set"), &data, &failures), SPD_EINVAL, "no input");
    CHECK(!data && !failures, "outputs are untouched");
    drop_folders();
}

TEST(archives_are_read_in_memory)
{
    static const char *const names[] = {"../../evil.csv", "/abs/olute.csv", "in/side.csv",
                                        "in/readme.md"};
    spd_data *data = NULL;
    const char *path = scratch("pack.tar.gz");
    put_archive(path, 4, names, NULL);
    fresh_options();
    CHECK_OK(ctx, describe(path, &data, NULL));
    CHECK(data && data->p == 3, "three members");
    for (size_t i = 0; data && i < 3; i++)
        check_matrix(data, i, i + 1);
    if (data)
        check_name(data, 2, "pack.tar.gz/in/side.csv");
    spd_data_free(data);
}

TEST(damaged_archives_are_named)
{
    static const char *const names[] = {"a.csv", "b.csv", "c.csv"};
    static char bytes[65536];
    spd_data *data = NULL;
    const char *path = scratch("cut.tar.gz");
    put_archive(path, 3, names, NULL);
    size_t size = get_file(path, bytes, sizeof bytes);
    fresh_options();
    for (size_t keep = 1; keep < size; keep += 97) {
        put_file(path, bytes, keep);
        CHECK_FAILED(ctx, describe(path, &data, NULL), SPD_EFORMAT, "cut.tar.gz");
    }
    put_file(path, "no archive at all", 17);
    CHECK_FAILED(ctx, describe(path, &data, NULL), SPD_EFORMAT, "cut.tar.gz");
    put_file(path, "", 0);
    CHECK_FAILED(ctx, describe(path, &data, NULL), SPD_EFORMAT, "is empty");
    CHECK(!data, "outputs are untouched");
}

TEST(broken_inputs_stop_or_are_skipped)
{
    spd_data *data = NULL;
    spd_describe_info *failures = NULL;
    put_folders();
    put_file(scratch("set/run/c.csv"), "1,2\n3\n", 6);
    put_file(scratch("set/walk/a.csv"), "", 0);
    put_table("set/walk/b.csv", 1, N + 1);
    fresh_options();
    CHECK_FAILED(ctx, describe(scratch("set"), &data, &failures), SPD_EFORMAT, "c.csv");
    CHECK(!data && !failures, "outputs are untouched");
    options.keep_going = 1;
    CHECK_OK(ctx, describe(scratch("set"), &data, &failures));
    CHECK(data && data->p == 1, "one is good");
    CHECK(failures && failures->count == 3, "three are not");
    CHECK(failures && strstr(failures->input[0], "c.csv") &&
              strstr(failures->error[0]->message, "line 2"),
          "a ragged table");
    CHECK(failures && strstr(failures->error[1]->message, "is empty"), "an empty file");
    CHECK(failures && strstr(failures->error[2]->message, "4 x 4") &&
              strstr(failures->error[2]->message, "d.csv"),
          "another size, and the input it disagrees with");
    spd_data_free(data);
    spd_describe_info_free(failures);
    drop_folders();
}

TEST(nothing_to_describe)
{
    spd_data *data = NULL;
    const char *path = "";
    fresh_options();
    make_folder("empty");
    CHECK_FAILED(ctx, describe(scratch("empty"), &data, NULL), SPD_EINVAL, "contains no table");
    CHECK_FAILED(ctx, describe(scratch("absent.csv"), &data, NULL), SPD_EIO, "absent.csv");
    CHECK_FAILED(ctx, describe(scratch("absent.png"), &data, NULL), SPD_EIO,
                 "absent.png: |No such");
    put_file(scratch("there.png"), "x", 1);
    CHECK_FAILED(ctx, describe(scratch("there.png"), &data, NULL), SPD_EINVAL, "'.png'");
    CHECK_FAILED(ctx, spd_describe(ctx, SPD_DESCRIPTOR_COVARIANCE, 0, &path, &options, &data, NULL),
                 SPD_EINVAL, "nothing");
    CHECK_FAILED(ctx, spd_describe(ctx, SPD_DESCRIPTORS, 1, &path, &options, &data, NULL),
                 SPD_EINVAL, "descriptor");
}

/* Constant columns make a singular matrix: no such file is ever written. */
TEST(singular_matrices_are_refused)
{
    char text[400];
    size_t used = 0;
    spd_data *data = NULL;
    for (int k = 0; k < 12; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,5\n", k, k * k);
    put_file(scratch("flat.csv"), text, used);
    fresh_options();
    CHECK_FAILED(ctx, describe(scratch("flat.csv"), &data, NULL), SPD_ENOTSPD, "flat.csv");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_REGULARIZE &&
              spd_context_error(ctx)->remedy_value == 1e-3,
          "remedy %u", spd_context_error(ctx)->remedy);
    options.covariance.regularize = 1e-3;
    CHECK(describe(scratch("flat.csv"), &data, NULL) == SPD_OK, "repaired");
    spd_data_free(data);
}

/* Below zero stands for what the descriptor usually takes: 1e-3 of the trajectories of joints. */
TEST(usual_regularisation)
{
    static const double asked[] = {-1.0, 1e-3, 1e-2};
    const char *path = put_table("clip.csv", 8, N);
    spd_data *data[3] = {NULL};
    for (int k = 0; k < 3; k++) {
        spd_describe_defaults(SPD_DESCRIPTOR_JOINTS, &options, sizeof options);
        options.covariance.regularize = asked[k];
        CHECK_OK(ctx, spd_describe(ctx, SPD_DESCRIPTOR_JOINTS, 1, &path, &options, &data[k], NULL));
    }
    if (data[0] && data[1] && data[2]) {
        CHECK(memcmp(data[0]->X, data[1]->X, sizeof(double) * N * N) == 0, "not the usual one");
        CHECK(memcmp(data[0]->X, data[2]->X, sizeof(double) * N * N) != 0,
              "it makes no difference");
    }
    for (int k = 0; k < 3; k++)
        spd_data_free(data[k]);
}

TEST(groups_of_rows)
{
    static const char text[] = "a,trial,b,kind\n1,7,2,x\n3,9,1,y\n2,7,5,x\n4,9,1,y\n0,7,1,x\n"
                               "1,9,7,y\n6,7,3,x\n2,9,2,y\n";
    static const double first[] = {1, 2, 2, 5, 0, 1, 6, 3};
    double C[4];
    spd_data *data = NULL;
    put_file(scratch("long.csv"), text, sizeof text - 1);
    fresh_options();
    options.group = "trial";
    options.y_name = "kind";
    CHECK_OK(ctx, describe(scratch("long.csv"), &data, NULL));
    spd_covariance(NULL, 4, 2, first, NULL, C);
    CHECK(data && data->p == 2 && data->n == 2 && relative_gap(4, data->X, C) < 1e-14, "rows of 7");
    const spd_array *trial = data ? column(data, "trial") : NULL;
    CHECK(trial && trial->type == SPD_TYPE_INT64 && trial->i64[0] == 7 && trial->i64[1] == 9,
          "groups");
    CHECK(data && data->classes == 2 && strcmp(data->y->text[1], "y") == 0, "labels of groups");
    spd_data_free(data);
    data = NULL;
    put_file(scratch("long.csv"), "a,trial,kind\n1,7,x\n2,7,y\n3,7,x\n", 31);
    CHECK_FAILED(ctx, describe(scratch("long.csv"), &data, NULL), SPD_EINVAL,
                 "row 1 has a different label");
    options.group = "nobody";
    CHECK_FAILED(ctx, describe(scratch("long.csv"), &data, NULL), SPD_EINVAL, "nobody");
}

TEST(windows_and_bands)
{
    enum { ROWS = 400 };
    static double O[ROWS * 2];
    static const double band[] = {5, 10, 15, 20};
    size_t shape[] = {ROWS, 2};
    spd_array table = {.type = SPD_TYPE_FLOAT64, .ndim = 2, .count = ROWS * 2, .f64 = O};
    spd_data *data = NULL;
    rng g = seeded(5);
    memcpy(table.shape, shape, sizeof shape);
    for (size_t e = 0; e < ROWS * 2; e++)
        O[e] = rng_normal(&g);
    CHECK(write_one(scratch("eeg.npy"), &table) == SPD_OK, "written");
    fresh_options();
    options.rate = 100;
    options.window = 1.0;
    options.stride = 0.5;
    options.bands = 2;
    options.band = band;
    CHECK_OK(ctx, describe(scratch("eeg.npy"), &data, NULL));
    CHECK(data && data->p == 7 && data->n == 4, "seven windows, two bands of two channels");
    const spd_array *start = data ? column(data, "window_start") : NULL;
    CHECK(start && start->f64[3] == 1.5, "where they start");
    spd_data_free(data);
    data = NULL;
    options.window = 9.0;
    CHECK_FAILED(ctx, describe(scratch("eeg.npy"), &data, NULL), SPD_EINVAL, "fewer than a window");
    options.window = 0.0;
    CHECK_FAILED(ctx, describe(scratch("eeg.npy"), &data, NULL), SPD_EINVAL, "needs a window");
    CHECK(spd_context_error(ctx)->remedy == SPD_REMEDY_WINDOW, "remedy");
    options.stride = 0.0;
    options.order = 99;
    CHECK_FAILED(ctx, describe(scratch("eeg.npy"), &data, NULL), SPD_EINVAL, "order 99");
}

static int stop_at_once(void *user, const spd_progress *progress)
{
    double *seen = user;
    seen[0] = progress->done;
    seen[1] = progress->total;
    return progress->done > 100.0;
}

/* The same file from one thread and from three; and the end of a run that is not wanted. */
TEST(threads_and_cancelling)
{
    enum { MEMBERS = 150 };
    char text[MEMBERS][16];
    const char *names[MEMBERS];
    double seen[2] = {0};
    spd_data *one = NULL, *three = NULL;
    for (size_t i = 0; i < MEMBERS; i++) {
        snprintf(text[i], sizeof text[i], "%zu/%zu.csv", i % 4, i);
        names[i] = text[i];
    }
    put_archive(scratch("many.tar.gz"), MEMBERS, names, NULL);
    fresh_options();
    spd_context_set_threads(ctx, 1);
    CHECK(describe(scratch("many.tar.gz"), &one, NULL) == SPD_OK, "one thread");
    spd_context_set_threads(ctx, 3);
    spd_context_set_progress(ctx, stop_at_once, seen);
    spd_status status = describe(scratch("many.tar.gz"), &three, NULL);
    CHECK(status == SPD_OK || (status == SPD_ECANCELLED && !three), "status %d", (int)status);
    CHECK(seen[1] == 0.0 || seen[1] == MEMBERS, "progress counts all inputs, not %g", seen[1]);
    spd_context_set_progress(ctx, NULL, NULL);
    spd_data_free(three);
    three = NULL;
    CHECK(describe(scratch("many.tar.gz"), &three, NULL) == SPD_OK, "three threads");
    CHECK(one && three && one->p == MEMBERS &&
              memcmp(one->X, three->X, MEMBERS * N * N * sizeof(double)) == 0,
          "same bits");
    spd_context_set_threads(ctx, 0);
    spd_data_free(one);
    spd_data_free(three);
}

/* What describe makes, a load gives back: meta too. */
TEST(meta_survives_the_file)
{
    spd_data *data = NULL, *back = NULL;
    fresh_options();
    put_table("t.csv", 1, N);
    CHECK(describe(scratch("t.csv"), &data, NULL) == SPD_OK, "described");
    CHECK(spd_data_save(ctx, data, scratch("t.npz")) == SPD_OK, "saved");
    CHECK(spd_data_load(ctx, scratch("t.npz"), NULL, &back) == SPD_OK, "loaded");
    CHECK(back && back->meta && strcmp(back->meta, data->meta) == 0, "meta");
    CHECK(spd_file_kind(scratch("t.npz")) == SPD_KIND_DATA, "no model");
    spd_data_free(back);
    back = NULL;
    CHECK(spd_data_save(ctx, data, scratch("t.npy")) == SPD_OK, "saved as .npy");
    CHECK(spd_data_load(ctx, scratch("t.npy"), NULL, &back) == SPD_OK && !back->meta, "no meta");
    spd_data_free(back);
    spd_data_free(data);
}

TEST(columns_of_rows)
{
    int64_t whole[] = {1, 2, 3};
    double real[] = {0.5, 1.5};
    const char *words[] = {"a", "b"};
    const spd_array a = {.type = SPD_TYPE_INT64, .ndim = 1, .shape = {3}, .count = 3, .i64 = whole};
    const spd_array b = {
        .type = SPD_TYPE_FLOAT64, .ndim = 1, .shape = {2}, .count = 2, .f64 = real};
    const spd_array c = {.type = SPD_TYPE_TEXT, .ndim = 1, .shape = {2}, .count = 2, .text = words};
    const cell numbers[] = {{&a, 2}, {&b, 1}, {&a, 0}}, texts[] = {{&c, 1}, {&c, 0}};
    const cell mixed[] = {{&a, 0}, {&c, 0}}, missing[] = {{&a, 0}, {NULL, 0}};
    const char *bytes[] = {"plain", "\xff\xfez"};
    spd_array *column_made = NULL;
    column_gather(NULL, "x", 3, numbers, &column_made);
    CHECK(column_made && column_made->type == SPD_TYPE_FLOAT64 && column_made->f64[0] == 3.0 &&
              column_made->f64[1] == 1.5,
          "integers become reals");
    spd_array_free(column_made);
    column_gather(NULL, "x", 2, texts, &column_made);
    CHECK(column_made && strcmp(column_made->text[0], "b") == 0, "texts");
    spd_array_free(column_made);
    column_gather(NULL, "x", 2, mixed, &column_made);
    CHECK(!column_made, "numbers and texts do not mix");
    column_gather(NULL, "x", 2, missing, &column_made);
    CHECK(!column_made, "a row is missing");
    column_texts(NULL, "x", 2, bytes, &column_made);
    CHECK(column_made && strcmp(column_made->text[1], "??z") == 0, "'%s'", column_made->text[1]);
    spd_array_free(column_made);
}

/* Every allocation fails once: the call says so, leaks nothing, leaves its outputs alone. */
static void sweep(const char *path)
{
    for (sweep_state s = SWEEP(ctx, 9, NULL, 0); sweep_on(&s);) {
        OWN(spd_data) data = NULL;
        OWN(spd_describe_info) failures = NULL;
        s.what = path;
        s.tolerant = 1;
        s.status = describe(path, &data, &failures);
        CHECK_MADE(s, data);
        CHECK(s.status >= 0 || !failures, "%s, allocation %ld", path, s.k);
    }
}

TEST(every_allocation_may_fail)
{
    static const char *const names[] = {"a/1.csv", "b/2.csv"};
    static const char text[] = "a,g\n1,x\n3,y\n2,x\n4,y\n0,x\n1,y\n";
    static const char index[] = "file,action,age\n1.csv,W,3\n2.csv,V,4\n";
    put_folders();
    put_archive(scratch("two.tar.gz"), 2, names, NULL);
    put_file(scratch("long.csv"), text, sizeof text - 1);
    put_file(scratch("index.csv"), index, sizeof index - 1);
    spd_context_set_threads(ctx, 1);
    fresh_options();
    sweep(scratch("set"));
    options.index = scratch("index.csv");
    sweep(scratch("two.tar.gz"));
    fresh_options();
    put_file(scratch("set/run/c.csv"), "1,2\n3\n", 6);
    options.keep_going = 1;
    options.label_by = "{y}/{}";
    sweep(scratch("set"));
    fresh_options();
    options.group = "g";
    sweep(scratch("long.csv"));
    spd_context_set_threads(ctx, 0);
    drop_folders();
}
