/* test_region.c - Tuzel's features by hand, integral images against sums over pixels, and the
 * descriptor: rectangles, grid, projection, shrinkage, messages. */
#include "base/context.h"
#include "describe/integral.h"
#include "describe/region_features.h"
#include "image_sweep.h"

/* Smooth shapes with noise. */
static image *make_image(rng *r, size_t width, size_t height, size_t channels, double noise)
{
    image *picture = NULL;
    if (image_new(NULL, width, height, channels, &picture) < 0)
        abort();
    for (size_t i = 0; i < width * height * channels; i++) {
        const double x = (double)(i / channels % width), y = (double)(i / channels / width);
        const double wave = sin(0.11 * x + 0.7 * (double)(i % channels)) * cos(0.07 * y);
        picture->pixel[i] = 0.5 + 0.4 * wave + noise * (rng_uniform(r) - 0.5);
    }
    return picture;
}

static spd_rect random_rect(rng *r, size_t width, size_t height, size_t least)
{
    const size_t w = least + rng_below(r, width - least + 1);
    const size_t h = least + rng_below(r, height - least + 1);
    return (spd_rect){rng_below(r, width - w + 1), rng_below(r, height - h + 1), w, h};
}

TEST(features_by_hand)
{
    /* 3 x 2, R G B of 1/255 */
    double pixel[18] = {10, 10, 10, 20, 20, 20, 40, 40, 40, 13, 13, 13, 24, 24, 24, 60, 60, 60};
    for (size_t i = 0; i < 18; i++)
        pixel[i] /= 255.0;
    const image colour = {3, 2, 3, pixel, NULL};
    region_features f;
    double O[6 * 11];
    CHECK(region_features_new(NULL, &colour, 1, &f) == SPD_OK && f.n == 11, " ");
    region_features_rect(&f, &(spd_rect){0, 0, 3, 2}, O);
    /* in the middle of the upper row: 10 20 40 across, 20 (repeated) 20 24 down */
    const double middle[] = {1, 0, 20, 20, 20, 30, 4, 10, 4, sqrt(916.0), atan2(4.0, 30.0)};
    /* lower right: 24 60 60 (repeated) across, 40 60 60 down */
    const double corner[] = {2, 1, 60, 60, 60, 36, 20, 36, 20, sqrt(1696.0), atan2(20.0, 36.0)};
    for (size_t i = 0; i < 11; i++) {
        CHECK_CLOSE(O[11 + i], middle[i], 1e-12, "feature %zu", i);
        CHECK_CLOSE(O[55 + i], corner[i], 1e-12, "feature %zu", i);
    }
    region_features_free(&f);
    CHECK(region_features_new(NULL, &colour, 0, &f) == SPD_OK && f.n == 9, " ");
    region_features_row(&f, 1, 0, 1, O);
    for (size_t i = 0; i < 9; i++)
        CHECK_CLOSE(O[i], middle[i < 3 ? i : i + 2], 1e-12, "feature %zu", i);
    region_features_free(&f);
}

/* C (n x n) <- covariance of a rectangle from its pixels. */
static void direct(const region_features *f, const spd_covariance_options *options,
                   const spd_rect *rect, double *C)
{
    const size_t r = rect->width * rect->height;
    double *O = block(r * f->n);
    const observations rows = {r, f->n, O};
    region_features_rect(f, rect, O);
    spd_status status = covariance_blocks(NULL, options, 1, &rows, C);
    CHECK(status == SPD_OK, "%d", status);
}

static void feature_row(const void *user, size_t y, double *O)
{
    const region_features *f = user;
    region_features_row(f, 0, y, f->in->width, O);
}

/* Largest |S - T|_ij / sqrt(T_ii T_jj): an error in units of the deviations. */
static double worst_gap(size_t n, const double *S, const double *T)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            worst =
                fmax(worst, fabs(S[i * n + j] - T[i * n + j]) / sqrt(T[i * n + i] * T[j * n + j]));
    return worst;
}

/* Of the features of a rectangle's pixels, added up. */
static void check_mean(const region_features *f, const spd_rect *rect, const double *mean)
{
    const size_t n = f->n, pixels = rect->width * rect->height;
    double *O = block(pixels * n);
    region_features_rect(f, rect, O);
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0, size = 1.0;
        for (size_t k = 0; k < pixels; k++) {
            sum += O[k * n + i] / (double)pixels;
            size = fmax(size, fabs(O[k * n + i]));
        }
        CHECK_CLOSE(mean[i], sum, 1e-10 * size, "mean of feature %zu", i);
    }
}

/* Of `count` rectangles, the worst gap between integral images and pixels. */
static double compare(rng *r, const image *in, int colours, size_t count, size_t least, size_t most)
{
    const spd_covariance_options plain = {0};
    region_features f;
    if (region_features_new(NULL, in, colours, &f) < 0)
        abort();
    const size_t n = f.n;
    const integral_source source = {in->width, in->height, n, feature_row, &f};
    spd_rect *rect = take(count * sizeof *rect);
    double *S = block(count * n * n), *C = block(n * n), *mean = block(count * n), worst = 0.0;
    for (size_t k = 0; k < count; k++)
        do
            rect[k] = random_rect(r, in->width, in->height, least);
        while (rect[k].width * rect[k].height > most);
    CHECK(integral_scatters(NULL, &source, count, rect, S, mean) == SPD_OK, " ");
    for (size_t k = 0; k < count; k++) {
        const double r1 = (double)(rect[k].width * rect[k].height) - 1.0;
        direct(&f, &plain, &rect[k], C);
        for (size_t e = 0; e < n * n; e++)
            S[k * n * n + e] /= r1;
        worst = fmax(worst, worst_gap(n, S + k * n * n, C));
        check_mean(&f, &rect[k], mean + k * n);
    }
    region_features_free(&f);
    return worst;
}

TEST(random_rectangles)
{
    static const size_t sizes[][3] = {{40, 30, 3}, {97, 201, 1}, {200, 64, 3},
                                      {64, 65, 1}, {33, 128, 3}, {5, 300, 1}};
    rng r = seeded(1);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        OWN(image) in = make_image(&r, sizes[k][0], sizes[k][1], sizes[k][2], 0.2);
        const double worst = compare(&r, in, k != 2, 60, 4, SIZE_MAX);
        CHECK(worst < 1e-12, "%zu x %zu: %g", sizes[k][0], sizes[k][1], worst);
    }
}

/* Small rectangles with hardly any contrast, anywhere in a large image: sums over the image are
 * 1e9 times those over the rectangle. */
TEST(large_image)
{
    rng r = seeded(2);
    OWN(image) in = make_image(&r, 1500, 700, 1, 0.01);
    const double worst = compare(&r, in, 0, 200, 5, 100);
    CHECK(worst < 1e-8, "%g", worst);
}

TEST(same_image_anywhere)
{
    /* a rectangle's matrix does not depend on what else is asked for, nor on its number */
    rng r = seeded(3);
    OWN(image) in = make_image(&r, 80, 150, 3, 0.2);
    region_features f;
    CHECK(region_features_new(NULL, in, 1, &f) == SPD_OK, " ");
    const integral_source source = {80, 150, f.n, feature_row, &f};
    const spd_rect three[] = {{0, 0, 80, 150}, {7, 60, 20, 80}, {7, 60, 20, 80}};
    double *S = block(3 * f.n * f.n), *T = block(f.n * f.n), *mean = block(3 * f.n);
    CHECK(integral_scatters(NULL, &source, 3, three, S, mean) == SPD_OK, " ");
    CHECK(integral_scatters(NULL, &source, 1, three + 1, T, mean) == SPD_OK, " ");
    CHECK(memcmp(S + f.n * f.n, T, f.n * f.n * sizeof *T) == 0, " ");
    CHECK(memcmp(S + 2 * f.n * f.n, T, f.n * f.n * sizeof *T) == 0, " ");
    region_features_free(&f);
}

/* What the descriptor makes of an image; the message on failure. */
static spd_status describe(const spd_describe_options *options, const image *in, description *out,
                           char *text)
{
    SCOPE;
    const input wrapped = {.image = in};
    const descriptor *d = descriptor_of(SPD_DESCRIPTOR_REGION);
    spd_context *ctx = context_on(0);
    void *shared = NULL;
    spd_status status = d->prepare(ctx, options, &shared);
    if (status == SPD_OK)
        status = d->describe(ctx, options, shared, &wrapped, out);
    if (text)
        snprintf(text, 400, "%.399s", said(ctx));
    return status;
}

TEST(grid_and_whole)
{
    rng r = seeded(4);
    OWN(image) in = make_image(&r, 50, 41, 3, 0.3);
    region_features f;
    CHECK(region_features_new(NULL, in, 1, &f) == SPD_OK, " ");
    spd_describe_options options = {.grid_rows = 3, .grid_columns = 2};
    description out = {0};
    double C[121], pixels = 0.0;
    CHECK(describe(&options, in, &out, NULL) == SPD_OK && out.count == 6 && out.n == 11 &&
              out.columns == 4 && strcmp(out.column_name[1], "top") == 0,
          " ");
    for (size_t k = 0; k < out.count; k++) {
        const double *at = out.column + 4 * k;
        const spd_rect rect = {(size_t)at[0], (size_t)at[1], (size_t)at[2], (size_t)at[3]};
        direct(&f, &options.covariance, &rect, C);
        CHECK(worst_gap(11, out.X + k * 121, C) < 1e-10, "cell %zu", k);
        CHECK(rect.x == (k & 1) * 25 && rect.y == 41 * (k / 2) / 3, "cell %zu", k);
        pixels += at[2] * at[3];
    }
    CHECK(pixels == 50 * 41, "%g", pixels);
    description_free(&out);

    options = (spd_describe_options){0};
    CHECK(describe(&options, in, &out, NULL) == SPD_OK && out.count == 1, " ");
    direct(&f, &options.covariance, &(spd_rect){0, 0, 50, 41}, C);
    CHECK(worst_gap(11, out.X, C) < 1e-10, " ");
    description_free(&out);
    options = (spd_describe_options){.grey = 1, .width = 20, .height = 30};
    CHECK(describe(&options, in, &out, NULL) == SPD_OK && out.n == 9 && out.column[2] == 20 &&
              out.column[3] == 30,
          " ");
    description_free(&out);
    region_features_free(&f);
}

/* Every way to make the covariance, with and without W, against covariance_blocks. */
TEST(shrinkage_and_projection)
{
    enum { M = 4, RECTS = 5 };
    rng r = seeded(5);
    OWN(image) in = make_image(&r, 60, 70, 1, 0.3);
    region_features f;
    CHECK(region_features_new(NULL, in, 1, &f) == SPD_OK, " ");
    double W[9 * M], C[81];
    spd_rect rect[RECTS];
    for (size_t i = 0; i < 9 * M; i++)
        W[i] = rng_normal(&r);
    for (size_t k = 0; k < RECTS; k++)
        rect[k] = random_rect(&r, 60, 70, 5);
    for (int way = 0; way < 2 * SPD_SHRINKAGES; way++) {
        spd_describe_options options = {.rects = RECTS, .rect = rect};
        options.covariance = (spd_covariance_options){
            .shrinkage = (spd_shrinkage)(way / 2), .shrink = 0.3, .regularize = way > 3 ? 1e-3 : 0};
        const size_t d = way % 2 ? M : 9;
        if (way % 2) {
            options.covariance.W = W;
            options.covariance.n = 9;
            options.covariance.m = M;
        }
        FREED_BY(description_free) description out = {0};
        CHECK(describe(&options, in, &out, NULL) == SPD_OK && out.n == d && out.count == RECTS,
              "way %d", way);
        for (size_t k = 0; k < out.count; k++) {
            direct(&f, &options.covariance, &rect[k], C);
            CHECK(worst_gap(d, out.X + k * d * d, C) < 1e-9, "way %d, rectangle %zu", way, k);
            CHECK(skewness(d, out.X + k * d * d) == 0.0, "way %d, rectangle %zu", way, k);
        }
    }
    region_features_free(&f);
}

/* A part without contrast: singular, unless the default regularisation is taken. */
TEST(flat_image)
{
    OWN(image) in = NULL;
    CHECK(image_new(NULL, 20, 20, 1, &in) == SPD_OK, " ");
    for (size_t i = 0; i < 400; i++)
        in->pixel[i] = 0.3;
    spd_describe_options options = {.covariance.regularize =
                                        defaults_regularize(SPD_DESCRIPTOR_REGION)};
    FREED_BY(description_free) description out = {0};
    CHECK(describe(&options, in, &out, NULL) == SPD_OK, " ");
    CHECK(spd_check(NULL, SPD_SET(9, 1, out.X), 0.0) == SPD_OK, " ");
}

static void expect_message(const spd_describe_options *options, const image *in, const char *part)
{
    char text[400];
    description out = {0};
    const spd_status status = describe(options, in, &out, text);
    CHECK(status == SPD_EINVAL && !out.X && strstr(text, part), "%d '%s' is not about '%s'", status,
          text, part);
}

TEST(messages)
{
    rng r = seeded(6);
    OWN(image) in = make_image(&r, 30, 20, 3, 0.3);
    const spd_rect wide = {20, 0, 11, 5}, below = {0, 20, 5, 1}, empty = {3, 3, 0, 4},
                   small = {3, 3, 11, 1}, huge = {5, 5, SIZE_MAX, SIZE_MAX};
    expect_message(&(spd_describe_options){.rects = 1, .rect = &wide}, in,
                   "rectangle 0 (x 20, y 0, 11 x 5) does not lie inside the image of 30 x 20");
    expect_message(&(spd_describe_options){.rects = 1, .rect = &below}, in, "does not lie inside");
    expect_message(&(spd_describe_options){.rects = 1, .rect = &huge}, in, "does not lie inside");
    expect_message(&(spd_describe_options){.rects = 1, .rect = &empty}, in, "is empty");
    expect_message(&(spd_describe_options){.rects = 1, .rect = &small}, in,
                   "rectangle 0 (11 x 1 pixels): 11 observations of 11 values");
    expect_message(
        &(spd_describe_options){.rects = 1, .rect = &small, .covariance.regularize = 1e-6}, in,
        "11 observations of 11 values");
    expect_message(&(spd_describe_options){.grid_rows = 21, .grid_columns = 1}, in,
                   "a grid of 21 x 1 cells does not fit");
    expect_message(&(spd_describe_options){.grid_rows = 3}, in, "3 x 0 has no cells");
    expect_message(&(spd_describe_options){.grid_rows = SIZE_MAX / 2, .grid_columns = SIZE_MAX / 2},
                   in, "too fine");
    expect_message(&(spd_describe_options){.covariance.shrinkage = (spd_shrinkage)77}, in,
                   "unknown shrinkage 77");
    description out = {0}; /* unless more than the usual is asked for */
    CHECK(
        describe(&(spd_describe_options){.rects = 1, .rect = &small, .covariance.regularize = 1e-3},
                 in, &out, NULL) == SPD_OK,
        " ");
    CHECK(spd_check(NULL, SPD_SET(out.n, 1, out.X), 0.0) == SPD_OK, " ");
    description_free(&out);
}

TEST(parameters)
{
    json_t *object = json_object();
    const spd_describe_options options = {.width = 12, .grey = 1, .grid_rows = 3};
    CHECK(descriptor_of(SPD_DESCRIPTOR_REGION)->parameters(&options, object) == 0, " ");
    CHECK(json_integer_value(json_object_get(object, "width")) == 12, " ");
    CHECK(json_integer_value(json_object_get(object, "grid_rows")) == 3, " ");
    CHECK(json_is_true(json_object_get(object, "grey")), " ");
    json_decref(object);
}

TEST(out_of_memory)
{
    rng r = seeded(7);
    OWN(image) in = make_image(&r, 20, 15, 3, 0.3);
    for (int shrinkage = 0; shrinkage <= SPD_SHRINKAGE_LEDOIT_WOLF; shrinkage++) {
        const spd_describe_options options = {
            .grid_rows = 1, .grid_columns = 2, .covariance.shrinkage = (spd_shrinkage)shrinkage};
        sweep_descriptor(descriptor_of(SPD_DESCRIPTOR_REGION), &options, in);
    }
}
