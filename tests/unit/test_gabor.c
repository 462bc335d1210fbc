/* test_gabor.c - Gabor magnitudes against the convolution as it is defined, and the descriptor
 * made of them against a covariance computed in the open. */
#include <complex.h>

#include "describe/descriptor.h"
#include "filters/gabor_bank.h"
#include "image_sweep.h"

#define TWO_PI 6.28318530717958647692
#define ROOT   1.41421356237309505 /* of 2 */

typedef struct setup {
    size_t width, height, scales, orientations;
    double kmax, spacing, sigma;
} setup;

static const setup usual = {64, 64, 5, 8, ROOT, ROOT, TWO_PI};

static double complex psi(const setup *q, size_t u, size_t v, double x, double y)
{
    double k = q->kmax / pow(q->spacing, (double)v), s = q->sigma;
    double phi = TWO_PI / 2.0 * (double)u / (double)q->orientations;
    double complex wave = cexp(I * k * (x * cos(phi) + y * sin(phi))) - exp(-s * s / 2.0);
    return k * k / (s * s) * exp(-k * k * (x * x + y * y) / (2.0 * s * s)) * wave;
}

/* |sum_q grey(q) psi(z - q)| at the pixel (x, y), pixels outside being zero. */
static double twin_magnitude(const setup *q, const double *grey, size_t u, size_t v, size_t x,
                             size_t y)
{
    double complex sum = 0.0;
    for (size_t b = 0; b < q->height; b++)
        for (size_t a = 0; a < q->width; a++)
            sum +=
                grey[b * q->width + a] * psi(q, u, v, (double)x - (double)a, (double)y - (double)b);
    return cabs(sum);
}

static double *random_grey(uint64_t seed, size_t width, size_t height)
{
    rng r = seeded(seed);
    double *grey = block(width * height);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            grey[y * width + x] =
                0.5 + 0.3 * sin(0.3 * (double)x + 0.1 * (double)y) + 0.2 * rng_uniform(&r);
    return grey;
}

static gabor_bank *bank_of(const setup *q)
{
    gabor_bank *bank = NULL;
    spd_status status = gabor_bank_new(NULL, q->width, q->height, q->scales, q->orientations,
                                       q->kmax, q->spacing, q->sigma, &bank);
    CHECK(status == SPD_OK && bank, "status %d", (int)status);
    return bank;
}

static double *magnitudes(const gabor_bank *bank, const setup *q, const double *grey)
{
    double *magnitude = block(gabor_bank_filters(bank) * q->width * q->height);
    void *work = mem_alloc(gabor_bank_work(bank), 1);
    gabor_bank_apply(bank, grey, magnitude, work);
    mem_free(work);
    return magnitude;
}

/* All filters at some pixels, corners among them: 1e-5 of the filter's largest magnitude. */
static void compare_with_twin(const setup *q)
{
    double *grey = random_grey(7, q->width, q->height);
    gabor_bank *bank = bank_of(q);
    double *magnitude = magnitudes(bank, q, grey);
    size_t pixels = q->width * q->height, step = pixels > 50 ? pixels / 13 : 1;
    CHECK(gabor_bank_filters(bank) == q->scales * q->orientations, "%zu", gabor_bank_filters(bank));
    for (size_t i = 0; i < gabor_bank_filters(bank); i++) {
        const double *mine = magnitude + i * pixels;
        double largest = 0.0;
        for (size_t e = 0; e < pixels; e++)
            largest = fmax(largest, mine[e]);
        for (size_t e = 0; e < pixels;
             e = e == pixels - 1 || e + step < pixels ? e + step : pixels - 1) {
            double theirs = twin_magnitude(q, grey, i % q->orientations, i / q->orientations,
                                           e % q->width, e / q->width);
            CHECK_CLOSE(mine[e], theirs, 1e-5 * largest, "%zu x %zu, filter %zu, pixel %zu",
                        q->width, q->height, i, e);
        }
    }
    gabor_bank_free(bank);
}

TEST(direct_convolution)
{
    const setup setups[] = {
        usual,
        {63, 65, 5, 8, 1.5707963267948966, 1.4142135623730951, TWO_PI},
        {31, 12, 3, 5, 3.0, 2.0, 1.5}, /* the constant of the wavelet matters here */
        {5, 40, 2, 3, 0.2, 1.5, 0.7},
        {2, 1, 1, 1, 1.0, 0.0, TWO_PI},
        {1, 1, 2, 2, 1.0, 2.0, TWO_PI},
    };
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
        compare_with_twin(&setups[i]);
}

TEST(bank_refuses)
{
    const struct {
        setup q;
        const char *says;
    } bad[] = {{{0, 64, 5, 8, 1.0, 2.0, 1.0}, "per side"},
               {{64, 20000, 5, 8, 1.0, 2.0, 1.0}, "per side"},
               {{64, 64, 0, 8, 1.0, 2.0, 1.0}, "scales"},
               {{64, 64, (size_t)-1, (size_t)-1, 1.0, 2.0, 1.0}, "scales"},
               {{64, 64, 5, 8, 5.0, 2.0, 1.0}, "alias"},
               {{64, 64, 5, 8, NAN, 2.0, 1.0}, "kmax"},
               {{64, 64, 5, 8, 1.0, 1.0, 1.0}, "spacing"},
               {{64, 64, 5, 8, 1.0, 2.0, 0.0}, "sigma"}};
    spd_context *ctx = context_on(0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const setup *q = &bad[i].q;
        gabor_bank *bank = NULL;
        spd_status status = gabor_bank_new(ctx, q->width, q->height, q->scales, q->orientations,
                                           q->kmax, q->spacing, q->sigma, &bank);
        CHECK(status == SPD_EINVAL && !bank, "case %zu: %d", i, (int)status);
        CHECK(strstr(said(ctx), bad[i].says), "%s", said(ctx));
    }
}

static spd_describe_options options_of(const setup *q)
{
    return (spd_describe_options){.width = q->width,
                                  .height = q->height,
                                  .scales = q->scales,
                                  .orientations = q->orientations};
}

/* Adds the covariance of the pixels of one rectangle to X (n x n) at row and column `at`. */
static void twin_block(const setup *q, const double *grey, spd_rect box, size_t at, size_t n,
                       double *X)
{
    size_t d = 3 + q->scales * q->orientations, r = box.width * box.height;
    double *O = block(r * d), *mean = block(d);
    for (size_t k = 0; k < r; k++) {
        size_t x = box.x + k % box.width, y = box.y + k / box.width;
        O[k * d] = grey[y * q->width + x];
        O[k * d + 1] = (double)x;
        O[k * d + 2] = (double)y;
        for (size_t i = 3; i < d; i++)
            O[k * d + i] =
                twin_magnitude(q, grey, (i - 3) % q->orientations, (i - 3) / q->orientations, x, y);
    }
    for (size_t i = 0; i < d; i++) {
        mean[i] = 0.0;
        for (size_t k = 0; k < r; k++)
            mean[i] += O[k * d + i] / (double)r;
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < r; k++)
                X[(at + i) * n + at + j] +=
                    (O[k * d + i] - mean[i]) * (O[k * d + j] - mean[j]) / (double)(r - 1);
}

/* An image with these grey values, in one channel or in three that are not the same: what red
 * gets more, green gets less. */
static image *image_of(const double *grey, size_t width, size_t height, size_t channels)
{
    static const double share[3] = {0.299, 0.587, 0.114};
    image *in = NULL;
    if (image_new(NULL, width, height, channels, &in) < 0)
        abort();
    for (size_t e = 0; e < width * height; e++)
        for (size_t c = 0; c < channels; c++)
            in->pixel[e * channels + c] = grey[e] + (channels == 1 ? 0.0
                                                     : c == 2      ? 0.0
                                                                   : (c ? -0.01 : 0.01) / share[c]);
    return in;
}

static void compare_regions(spd_regions regions, size_t blocks, const spd_rect *box)
{
    const setup q = {13, 11, 2, 3, ROOT, ROOT, TWO_PI};
    const size_t d = 9, n = blocks * d;
    double *grey = random_grey(3, q.width, q.height), *X = block(n * n);
    spd_describe_options o = options_of(&q);
    o.regions = regions;
    o.grid_rows = o.grid_columns = 2;
    memset(X, 0, n * n * sizeof *X);
    for (size_t b = 0; b < blocks; b++)
        twin_block(&q, grey, box[b], b * d, n, X);
    for (size_t channels = 1; channels <= 3; channels += 2) {
        OWN(image) in = image_of(grey, q.width, q.height, channels);
        FREED_BY(description_free) description got = describe_image(&descriptor_gabor, &o, in);
        CHECK(got.count == 1 && got.n == n && got.columns == 0, "%zu of %zu", got.count, got.n);
        for (size_t e = 0; got.n == n && e < n * n; e++)
            CHECK_CLOSE(got.X[e], X[e],
                        2e-5 * sqrt(X[e / n * (n + 1)] * X[e % n * (n + 1)]) + 1e-300,
                        "regions %d, entry %zu", (int)regions, e);
    }
}

TEST(regions)
{
    const spd_rect whole = {0, 0, 13, 11};
    const spd_rect halves[] = {{0, 0, 13, 11}, {0, 0, 6, 11}, {6, 0, 7, 11}};
    const spd_rect cells[] = {{0, 0, 6, 5}, {6, 0, 7, 5}, {0, 5, 6, 6}, {6, 5, 7, 6}};
    compare_regions(SPD_REGIONS_WHOLE, 1, &whole);
    compare_regions(SPD_REGIONS_HALVES, 3, halves);
    compare_regions(SPD_REGIONS_GRID, 4, cells);
}

/* The usual settings: 129 x 129, positive definite, the same for any number of threads, and the
 * projected one is W' X W. */
TEST(usual_settings)
{
    enum { N = 129, M = 4 };
    spd_describe_options o = options_of(&usual);
    double *grey = random_grey(5, 92, 112), *W = block(N * M), S[M * M];
    rng r = seeded(9);
    OWN(image) in = image_of(grey, 92, 112, 3);
    o.regions = SPD_REGIONS_HALVES;
    FREED_BY(description_free) description got = describe_image(&descriptor_gabor, &o, in);
    CHECK(got.n == N && spd_check(NULL, SPD_SET(N, 1, got.X), 0.0) == SPD_OK, "%zu", got.n);
    for (size_t e = 0; e < N * M; e++)
        W[e] = rng_normal(&r);
    o.covariance.W = W;
    o.covariance.m = M;
    o.covariance.n = N;
    FREED_BY(description_free) description low = describe_image(&descriptor_gabor, &o, in);
    CHECK(low.n == M, "%zu", low.n);
    spd_congruence(NULL, SPD_SET(N, 1, got.X), M, W, S);
    for (size_t e = 0; low.n == M && e < M * M; e++)
        CHECK_CLOSE(low.X[e], S[e], 1e-10 * fabs(S[0]), "entry %zu", e);
    same_for_threads(&descriptor_gabor, &o, in);
}

/* Without a size the image's own serves. */
TEST(own_size)
{
    const setup q = {21, 18, 2, 2, ROOT, ROOT, TWO_PI};
    double *grey = random_grey(3, q.width, q.height);
    OWN(image) in = image_of(grey, q.width, q.height, 1);
    spd_describe_options o = options_of(&q);
    FREED_BY(description_free) description set = describe_image(&descriptor_gabor, &o, in);
    o.width = o.height = 0;
    FREED_BY(description_free) description own = describe_image(&descriptor_gabor, &o, in);
    CHECK(own.n == set.n && memcmp(own.X, set.X, own.n * own.n * sizeof(double)) == 0, "%zu",
          own.n);
}

TEST(refusals)
{
    const setup small = {16, 16, 5, 8, ROOT, ROOT, TWO_PI};
    double flat[4] = {0.5, 0.5, 0.5, 0.5}, *half = random_grey(1, 16, 16),
           *good = copy_of(256, half);
    for (size_t e = 0; e < 256; e++)
        half[e] = e % 16 < 8 ? 0.25 : half[e];
    spd_describe_options o = options_of(&usual);
    expect_refusal(&descriptor_gabor, &o, image_of(flat, 1, 1, 1), "same intensity");
    expect_refusal(&descriptor_gabor, &o, image_of(flat, 2, 2, 3), "same intensity");
    o = options_of(&small);
    o.regions = SPD_REGIONS_HALVES;
    expect_refusal(&descriptor_gabor, &o, image_of(half, 16, 16, 1), "region 2 of 3");
    o.regions = SPD_REGIONS_GRID;
    o.grid_rows = 3;
    o.grid_columns = 3;
    expect_refusal(&descriptor_gabor, &o, image_of(good, 16, 16, 1), "observations");
    o.grid_columns = 17;
    expect_refusal(&descriptor_gabor, &o, image_of(good, 16, 16, 1), "does not fit");
    o.width = o.height = 0;
    expect_refusal(&descriptor_gabor, &o, image_of(good, 16, 16, 1), "does not fit");
    o.regions = (spd_regions)7;
    expect_refusal(&descriptor_gabor, &o, image_of(good, 16, 16, 1), "regions 7");
}

TEST(allocations)
{
    const setup q = {20, 18, 2, 2, ROOT, ROOT, TWO_PI};
    double *grey = random_grey(2, 24, 24);
    OWN(image) in = image_of(grey, 24, 24, 3);
    spd_describe_options o = options_of(&q);
    o.regions = SPD_REGIONS_HALVES;
    sweep_descriptor(&descriptor_gabor, &o, in);
    o.width = o.height = 0;
    sweep_descriptor(&descriptor_gabor, &o, in);
}

TEST(parameters)
{
    spd_describe_options o = options_of(&usual);
    json_t *object = json_object();
    o.regions = SPD_REGIONS_GRID;
    o.grid_rows = 2;
    o.grid_columns = 3;
    CHECK(descriptor_gabor.parameters(&o, object) == 0, "parameters");
    CHECK(json_integer_value(json_object_get(object, "orientations")) == 8, "orientations");
    CHECK(json_real_value(json_object_get(object, "kmax")) == usual.kmax, "kmax");
    CHECK(strcmp(json_string_value(json_object_get(object, "regions")), "grid") == 0, "regions");
    CHECK(json_integer_value(json_object_get(object, "grid_columns")) == 3, "grid");
    json_decref(object);
}
