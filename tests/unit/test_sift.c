/* test_sift.c - dense SIFT against one descriptor after the other as it is defined, and against
 * VLFeat's where the tests are built with it. */
#include "test.h"
#include "twin_sift.h"
#ifdef HAVE_VLFEAT
#include <vl/dsift.h>
#endif

typedef struct setting {
    size_t width, height, step, bin;
} setting;

static const setting settings[] = {
    {41, 37, 4, 3}, {23, 40, 3, 2},  {16, 17, 1, 5}, {10, 10, 4, 3}, /* one frame */
    {13, 10, 4, 3}, {10, 31, 4, 3},  /* one row, one column of frames */
    {4, 5, 1, 1},   {60, 62, 30, 2}, /* pixels that no frame sees */
    {31, 26, 5, 4}, {30, 21, 4, 3},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* A picture with a flat corner, where gradients are none or too faint to count. */
static picture picture_for(const setting *s)
{
    picture p = random_picture(s->width, s->width, s->height);
    for (size_t y = 0; y < s->height / 2; y++)
        for (size_t x = 0; x < s->width / 2; x++)
            p.grey[y * s->width + x] = 0.3 + 1e-6 * (double)x;
    return p;
}

/* O (frames x stride) <- dense SIFT, with -7 wherever it does not write; new. */
static double *dense_sift(const setting *s, const picture *p, size_t stride, sift_grid *grid)
{
    CHECK(sift_grid_of(NULL, s->width, s->height, s->step, s->bin, grid) == SPD_OK, "grid");
    size_t count = grid->rows * grid->columns * stride;
    double *O = block(count);
    for (size_t e = 0; e < count; e++)
        O[e] = -7.0;
    CHECK(sift_dense(NULL, grid, p->grey, stride, O) == SPD_OK, "dense");
    return O;
}

static void compare_frames(const setting *s)
{
    picture p = picture_for(s);
    size_t stride = SIFT_SIZE + 3;
    sift_grid grid;
    double *O = dense_sift(s, &p, stride, &grid), d[SIFT_SIZE];
    for (size_t f = 0; f < grid.rows * grid.columns; f++)
        for (int rough = 0; rough < 2; rough++) {
            const double tolerance = rough ? 1e-9 : 2e-2;
            twin_sift(&p, s->bin, f % grid.columns * s->step, f / grid.columns * s->step, rough, d);
            for (size_t i = 0; i < SIFT_SIZE; i++)
                CHECK_CLOSE(O[f * stride + i], d[i], tolerance, "%zu x %zu bin %zu frame %zu [%zu]",
                            s->width, s->height, s->bin, f, i);
            CHECK(O[f * stride + SIFT_SIZE] == -7.0, "writes beyond frame %zu", f);
        }
}

TEST(one_frame_after_the_other)
{
    for (size_t i = 0; i < SETTINGS; i++)
        compare_frames(&settings[i]);
}

/* VLFeat computes in single precision with an approximate square root. */
#ifdef HAVE_VLFEAT
static void compare_vlfeat(const setting *s)
{
    picture p = picture_for(s);
    sift_grid grid;
    double *O = dense_sift(s, &p, SIFT_SIZE, &grid);
    float *single = take(s->width * s->height * sizeof *single);
    for (size_t e = 0; single && e < s->width * s->height; e++)
        single[e] = (float)p.grey[e];
    VlDsiftFilter *filter =
        vl_dsift_new_basic((int)s->width, (int)s->height, (int)s->step, (int)s->bin);
    vl_dsift_set_flat_window(filter, VL_FALSE);
    vl_dsift_set_window_size(filter, 2.0);
    CHECK((size_t)vl_dsift_get_keypoint_num(filter) == grid.rows * grid.columns, "frames");
    vl_dsift_process(filter, single);
    const float *theirs = vl_dsift_get_descriptors(filter);
    for (size_t e = 0; e < grid.rows * grid.columns * SIFT_SIZE; e++)
        CHECK_CLOSE(O[e], (double)theirs[e], 5e-5, "%zu x %zu bin %zu frame %zu [%zu]", s->width,
                    s->height, s->bin, e / SIFT_SIZE, e % SIFT_SIZE);
    vl_dsift_delete(filter);
}

TEST(as_vlfeat)
{
    for (size_t i = 0; i < SETTINGS; i++)
        compare_vlfeat(&settings[i]);
}
#else
TEST(as_vlfeat)
{
    test_skip("built without VLFeat (libvlfeat-dev)");
}
#endif

TEST(grid_arithmetic)
{
    const struct {
        size_t side, bin, count;
    } known[] = {{400, 3, 98}, {400, 4, 97}, {400, 5, 97}, {400, 8, 94},
                 {10, 3, 1},   {13, 3, 1},   {14, 3, 2}};
    sift_grid grid;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        CHECK(sift_grid_of(NULL, known[i].side, 100, 4, known[i].bin, &grid) == SPD_OK, "%zu", i);
        CHECK(grid.columns == known[i].count, "%zu: %zu", i, grid.columns);
    }
    CHECK(sift_grid_of(NULL, 400, 400, 4, 3, &grid) == SPD_OK, "grid");
    CHECK(sift_centre(&grid, 0) == 4 && sift_centre(&grid, 97) == 392, "%zu",
          sift_centre(&grid, 0));
    CHECK(sift_grid_of(NULL, 9, 400, 4, 3, &grid) == SPD_EINVAL, "9 pixels");
    CHECK(sift_grid_of(NULL, 400, 400, 0, 3, &grid) == SPD_EINVAL, "step 0");
    CHECK(sift_grid_of(NULL, 400, 400, 4, 0, &grid) == SPD_EINVAL, "bin 0");
    CHECK(sift_grid_of(NULL, 400, 400, 4, (size_t)-1, &grid) == SPD_EINVAL, "bin -1");
    CHECK(sift_grid_of(NULL, 400, (size_t)1 << 40, 4, 3, &grid) == SPD_EINVAL, "too large");
    CHECK(sift_grid_of(NULL, 16000, 16000, 1, 3, &grid) == SPD_EINVAL, "too many");
}

/* A picture without gradients has descriptors of zeros. */
TEST(nothing_to_see)
{
    const setting s = {20, 20, 4, 3};
    picture p = {20, 20, block(400)};
    sift_grid grid;
    for (size_t e = 0; e < 400; e++)
        p.grey[e] = 0.25 + 1e-5 * (double)(e % 20);
    double *O = dense_sift(&s, &p, SIFT_SIZE, &grid);
    for (size_t e = 0; e < grid.rows * grid.columns * SIFT_SIZE; e++)
        CHECK(O[e] == 0.0, "[%zu] is %g", e, O[e]);
}
