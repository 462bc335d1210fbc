/* test_sift_color.c - the descriptor made of SIFT and colours against a covariance computed in the
 * open. */
#include "image_sweep.h"

#include "describe/descriptor.h"
#include "run/parallel.h"
#include "twin_sift.h"

static spd_describe_options options_for(size_t width, size_t height)
{
    return (spd_describe_options){.width = width, .height = height, .step = 2};
}

/* Three channels that differ everywhere, or the same three times, or one. */
static image *image_of(uint64_t seed, size_t width, size_t height, size_t channels, int coloured)
{
    image *in = NULL;
    if (image_new(NULL, width, height, channels, &in) < 0)
        abort();
    for (size_t c = 0; c < channels; c++) {
        picture p = random_picture(coloured ? seed + c : seed, width, height);
        for (size_t e = 0; e < width * height; e++)
            in->pixel[e * channels + c] = p.grey[e];
    }
    return in;
}

static image *flat_image(size_t width, size_t height)
{
    image *in = NULL;
    if (image_new(NULL, width, height, 3, &in) < 0)
        abort();
    for (size_t e = 0; e < 3 * width * height; e++)
        in->pixel[e] = 0.1 * (double)(1 + e % 3);
    return in;
}

/* O (frames x n) by definition: n = 155, or 128 without colours; bin 3, step 2. */
static size_t twin_observations(const image *in, size_t n, double *O)
{
    picture p = {in->width, in->height, block(in->width * in->height)};
    size_t columns = (in->width - 10) / 2 + 1, rows = (in->height - 10) / 2 + 1;
    for (size_t e = 0; e < in->width * in->height; e++)
        p.grey[e] =
            0.299 * in->pixel[3 * e] + 0.587 * in->pixel[3 * e + 1] + 0.114 * in->pixel[3 * e + 2];
    for (size_t f = 0; f < rows * columns; f++) {
        size_t x = f % columns * 2, y = f / columns * 2; /* centre 4.5 further: 4 */
        twin_sift(&p, 3, x, y, 1, O + f * n);
        for (size_t i = SIFT_SIZE; i < n; i++) {
            size_t k = i - SIFT_SIZE, a = x + 3 + k / 3 % 3, b = y + 3 + k / 9;
            O[f * n + i] = in->pixel[(b * in->width + a) * 3 + k % 3];
        }
    }
    return rows * columns;
}

static void compare_covariance(int grey)
{
    enum { WIDTH = 45, HEIGHT = 47, MOST = 400 };
    const size_t n = grey ? 128 : 155;
    OWN(image) in = image_of(4, WIDTH, HEIGHT, 3, 1);
    double *O = block(MOST * n), *mean = block(n), *C = block(n * n);
    size_t r = twin_observations(in, n, O);
    for (size_t i = 0; i < n; i++) {
        mean[i] = 0.0;
        for (size_t k = 0; k < r; k++)
            mean[i] += O[k * n + i] / (double)r;
    }
    for (size_t e = 0; e < n * n; e++) {
        C[e] = 0.0;
        for (size_t k = 0; k < r; k++)
            C[e] += (O[k * n + e / n] - mean[e / n]) * (O[k * n + e % n] - mean[e % n]) /
                    (double)(r - 1);
    }
    spd_describe_options o = options_for(WIDTH, HEIGHT);
    o.grey = grey;
    FREED_BY(description_free) description got = describe_image(&descriptor_sift_color, &o, in);
    CHECK(got.n == n && got.count == 1, "%zu", got.n);
    for (size_t e = 0; got.n == n && e < n * n; e++)
        CHECK_CLOSE(got.X[e], C[e], 1e-9 * sqrt(C[e / n * (n + 1)] * C[e % n * (n + 1)]),
                    "entry %zu, %zu", e / n, e % n);
}

TEST(covariance_in_the_open)
{
    compare_covariance(0);
    compare_covariance(1);
}

/* The usual regularisation is added to what 0 gives. */
TEST(usual_regularisation)
{
    OWN(image) in = image_of(4, 45, 47, 3, 1);
    spd_describe_options o = options_for(0, 0);
    FREED_BY(description_free) description plain = describe_image(&descriptor_sift_color, &o, in);
    o.covariance.regularize = defaults_regularize(SPD_DESCRIPTOR_SIFT_COLOR);
    FREED_BY(description_free) description usual = describe_image(&descriptor_sift_color, &o, in);
    if (plain.n == 155 && usual.n == 155) {
        spd_regularize(155, 1, plain.X, 1e-5, 0.0);
        CHECK(memcmp(plain.X, usual.X, sizeof(double) * 155 * 155) == 0, "not 1e-5");
    }
}

/* The usual settings on a small image: its pixels are enlarged eight times. */
TEST(enlarged)
{
    spd_describe_options o;
    spd_describe_defaults(SPD_DESCRIPTOR_SIFT_COLOR, &o, sizeof o);
    OWN(image) in = image_of(8, 50, 51, 3, 1);
    FREED_BY(description_free) description got = describe_image(&descriptor_sift_color, &o, in);
    CHECK(got.n == 155 && spd_check(NULL, SPD_SET(155, 1, got.X), 0.0) == SPD_OK, "%zu", got.n);
}

typedef struct crowd {
    const spd_describe_options *options;
    const image *in;
    description out[8];
} crowd;

static spd_status one_of_many(void *user, size_t chunk, int thread)
{
    crowd *c = user;
    const input given = {.image = c->in};
    (void)thread;
    return descriptor_sift_color.describe(NULL, c->options, NULL, &given, &c->out[chunk]);
}

/* Several threads describe at once and do not get in each other's way. */
TEST(many_at_once)
{
    OWN(image) in = image_of(6, 60, 50, 3, 1);
    spd_describe_options o = options_for(0, 0);
    spd_context *ctx = context_on(4);
    void *shared = NULL;
    crowd c = {.options = &o, .in = in};
    CHECK(descriptor_sift_color.prepare(ctx, &o, &shared) == SPD_OK, "prepare");
    spd_status status = parallel_for(ctx, 8, one_of_many, &c, NULL, NULL, 0.0, NULL);
    CHECK(status == SPD_OK, "%d", (int)status);
    for (size_t i = 0; i < 8; i++) {
        CHECK(c.out[i].n == 155 && memcmp(c.out[i].X, c.out[0].X, sizeof(double) * 155 * 155) == 0,
              "%zu differs", i);
    }
    for (size_t i = 0; i < 8; i++)
        description_free(&c.out[i]);
    same_for_threads(&descriptor_sift_color, &o, in);
}

TEST(refusals)
{
    const descriptor *d = &descriptor_sift_color;
    spd_describe_options o = options_for(60, 60);
    expect_refusal(d, &o, image_of(1, 45, 47, 1, 0), "no colours");
    expect_refusal(d, &o, image_of(1, 45, 47, 3, 0), "no colours");
    o.covariance.regularize = defaults_regularize(SPD_DESCRIPTOR_SIFT_COLOR);
    expect_refusal(d, &o, image_of(1, 45, 47, 3, 0), "no colours");
    expect_refusal(d, &o, flat_image(1, 1), "same intensity");
    expect_refusal(d, &o, flat_image(30, 20), "same intensity");
    o = options_for(0, 0);
    expect_refusal(d, &o, image_of(1, 1, 1, 3, 1), "no room");
    expect_refusal(d, &o, image_of(1, 9, 80, 3, 1), "no room");
    expect_refusal(d, &o, image_of(1, 20, 20, 3, 1), "observations");
}

/* Grey and coloured images in one set: whoever asks for regularisation gets it. */
TEST(grey_among_colours)
{
    spd_describe_options o = options_for(0, 0);
    o.covariance.regularize = 1e-3;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        OWN(image) in = image_of(2, 45, 47, channels, 0);
        FREED_BY(description_free) description got = describe_image(&descriptor_sift_color, &o, in);
        CHECK(got.n == 155 && spd_check(NULL, SPD_SET(155, 1, got.X), 0.0) == SPD_OK, "%zu", got.n);
    }
}

TEST(allocations)
{
    OWN(image) in = image_of(6, 50, 52, 3, 1);
    spd_describe_options o = options_for(45, 47);
    sweep_descriptor(&descriptor_sift_color, &o, in);
}

TEST(parameters)
{
    spd_describe_options o = options_for(400, 300);
    json_t *object = json_object();
    CHECK(descriptor_sift_color.parameters(&o, object) == 0, "parameters");
    CHECK(json_integer_value(json_object_get(object, "height")) == 300, "height");
    CHECK(json_integer_value(json_object_get(object, "bin")) == 3, "bin");
    CHECK(json_is_true(json_object_get(object, "color")), "color");
    json_decref(object);
}
