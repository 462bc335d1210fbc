/* test_classify_src.c - sparse representation of vectors and of Gabor features: principal
 * components, predictions against a slow program, the occlusion dictionary. */
#include "classify_steps.h"
#include "twin_lasso.h"

#include "classify/coding.h"
#include "classify/occlusion.h"
#include "classify/pca.h"
#include "filters/gabor_bank.h"

#define C 4

/* p images height x width of C classes in turn: smooth random patterns of the class plus smooth
 * patterns of their own and noise. */
typedef struct picture_set {
    spd_samples samples;
    double *V;
    int *label;
} picture_set;

/* Adds a bump of that weight at a random place. */
static void add_bump(rng *r, size_t height, size_t width, double weight, double *image)
{
    double y0 = rng_uniform(r) * (double)height, x0 = rng_uniform(r) * (double)width;
    double s = 2.0 + 2.0 * rng_uniform(r);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double dy = (double)y - y0, dx = (double)x - x0;
            image[y * width + x] += weight * exp(-0.5 * (dx * dx + dy * dy) / (s * s));
        }
}

static picture_set pictures(uint64_t seed, size_t height, size_t width, size_t p, double own)
{
    size_t pixels = height * width;
    picture_set s = {.V = take_zeros(p * pixels, sizeof *s.V), .label = take(p * sizeof *s.label)};
    double *common = take_zeros(C * pixels, sizeof *common);
    rng r = seeded(77);
    for (size_t c = 0; c < C; c++)
        for (int b = 0; b < 12; b++)
            add_bump(&r, height, width, rng_uniform(&r), common + c * pixels);
    rng_seed(&r, seed);
    for (size_t i = 0; i < p; i++) {
        double *image = s.V + i * pixels;
        s.label[i] = (int)(i % C);
        memcpy(image, common + i % C * pixels, pixels * sizeof *image);
        for (int b = 0; b < 4; b++)
            add_bump(&r, height, width, own * rng_normal(&r), image);
        for (size_t e = 0; e < pixels; e++)
            image[e] += 0.02 * own * rng_normal(&r);
    }
    s.samples = (spd_samples){.size = sizeof(spd_samples),
                              .p = p,
                              .height = height,
                              .width = width,
                              .V = s.V,
                              .classes = C,
                              .label = s.label};
    return s;
}

static spd_method src_method(double dimensions, double lambda)
{
    spd_method method = {0};
    method.value[SPD_PARAMETER_DIMENSIONS] = dimensions;
    method.value[SPD_PARAMETER_LAMBDA] = lambda;
    return method;
}

/* ---- principal components ----------------------------------------------------------------- */

/* R (min(p, dim) x dim) <- right singular vectors of the centred V, by LAPACK. */
static void twin_components(size_t dim, size_t p, const double *V, double *R)
{
    size_t least = p < dim ? p : dim;
    double *B = copy_of(p * dim, V), *s = block(least), *U = block(p * least), *rest = block(least);
    for (size_t d = 0; d < dim; d++) {
        double mean = 0.0;
        for (size_t i = 0; i < p; i++)
            mean += V[i * dim + d] / (double)p;
        for (size_t i = 0; i < p; i++)
            B[i * dim + d] -= mean;
    }
    if (LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', (lapack_int)p, (lapack_int)dim, B,
                       (lapack_int)dim, s, U, (lapack_int)least, R, (lapack_int)dim, rest))
        abort();
}

/* Tall and wide: the same directions, up to sign, as many as there are variances. */
TEST(components)
{
    const size_t counts[] = {12, 60}; /* against 5 x 6 = 30 entries */
    for (int c = 0; c < 2; c++) {
        picture_set s = pictures(1, 5, 6, counts[c], 1.0);
        size_t dim = 30, p = counts[c], rank = p - 1 < dim ? p - 1 : dim;
        double *R = block((p < dim ? p : dim) * dim);
        pca a;
        FREED_BY(arena_free) arena room = {0};
        CHECK(pca_fit(NULL, dim, p, s.V, &room, &a) == SPD_OK, "failed");
        CHECK(a.rank == rank, "%zu vectors: rank %zu", p, a.rank);
        twin_components(dim, p, s.V, R);
        for (size_t i = 0; i < rank; i++)
            for (size_t j = 0; j < rank; j++) {
                double dot = 0.0, own = 0.0;
                for (size_t d = 0; d < dim; d++) {
                    dot += R[i * dim + d] * a.R[j * dim + d];
                    own += a.R[i * dim + d] * a.R[j * dim + d];
                }
                CHECK_CLOSE(fabs(dot), i == j, 1e-7, "%zu vectors, %zu and %zu", p, i, j);
                CHECK_CLOSE(own, i == j, 1e-9, "%zu vectors, rows %zu and %zu", p, i, j);
            }
    }
}

TEST(equal_vectors_have_one_component)
{
    const double V[] = {3.0, 4.0, 3.0, 4.0};
    pca a;
    FREED_BY(arena_free) arena room = {0};
    CHECK(pca_fit(NULL, 2, 2, V, &room, &a) == SPD_OK, "failed");
    CHECK(a.rank == 1, "rank %zu", a.rank);
    CHECK_CLOSE(a.R[0], 0.6, 1e-15, "direction");
    CHECK_CLOSE(a.R[1], 0.8, 1e-15, "direction");
}

/* A (p x dimensions) <- components of unit length. */
static void twin_features(size_t dim, size_t dimensions, size_t p, const double *V, const double *R,
                          double *A)
{
    double *T = block(dim * dimensions);
    flip(dimensions, dim, R, T);
    times(p, dim, dimensions, V, T, A);
    for (size_t i = 0; i < p; i++) {
        double length = norm(dimensions, A + i * dimensions);
        for (size_t d = 0; d < dimensions; d++)
            A[i * dimensions + d] /= length;
    }
}

/* The class with the smallest |y - A_c v_c|, by its definition; -1 when it is close. */
static int twin_class(size_t p, size_t dimensions, const double *A, const double *y,
                      const double *v, const int *label)
{
    double best = INFINITY, second = INFINITY;
    int winner = -1;
    for (int c = 0; c < C; c++) {
        double *left = copy_of(dimensions, y);
        for (size_t i = 0; i < p; i++)
            for (size_t d = 0; d < dimensions && label[i] == c; d++)
                left[d] -= v[i] * A[i * dimensions + d];
        double size = norm(dimensions, left);
        second = fmin(second, fmax(best, size));
        if (size < best) {
            best = size;
            winner = c;
        }
    }
    return second - best < 1e-4 ? -1 : winner;
}

static void twin_src(const spd_samples *train, const spd_samples *queries, size_t dimensions,
                     double lambda, int *label)
{
    size_t dim = train->height * train->width, p = train->p, q = queries->p;
    double *R = block((p < dim ? p : dim) * dim), *A = block(p * dimensions),
           *Y = block(q * dimensions), *T = block(p * dimensions), *K = block(p * p), *k = block(p),
           *v = block(p);
    twin_components(dim, p, train->V, R);
    twin_features(dim, dimensions, p, train->V, R, A);
    twin_features(dim, dimensions, q, queries->V, R, Y);
    flip(p, dimensions, A, T);
    times(p, dimensions, p, A, T, K);
    for (size_t i = 0; i < q; i++) {
        times(1, dimensions, p, Y + i * dimensions, T, k);
        twin_lasso(p, K, k, lambda, 40000, v);
        label[i] = twin_class(p, dimensions, A, Y + i * dimensions, v, train->label);
    }
}

TEST(against_definition)
{
    enum { Q = 16 };
    const struct {
        size_t height, width, p, dimensions;
        double lambda;
    } cases[] = {{6, 7, 32, 20, 1e-2}, {6, 7, 60, 12, 1e-2}, {1, 90, 28, 15, 3e-2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        picture_set train = pictures(1, cases[c].height, cases[c].width, cases[c].p, 0.5),
                    test = pictures(2, cases[c].height, cases[c].width, Q, 0.5);
        spd_method method = src_method((double)cases[c].dimensions, cases[c].lambda);
        int label[Q], expected[Q];
        size_t clear = 0;
        spd_status status =
            steps_run(NULL, &classifier_src, &method, &train.samples, &test.samples, label);
        CHECK(status == SPD_OK, "case %zu: %d", c, (int)status);
        twin_src(&train.samples, &test.samples, cases[c].dimensions, cases[c].lambda, expected);
        for (size_t i = 0; i < Q; i++) {
            clear += expected[i] >= 0;
            CHECK(expected[i] < 0 || label[i] == expected[i], "case %zu, query %zu", c, i);
        }
        CHECK(clear > Q / 2, "case %zu: %zu clear queries", c, clear);
    }
}

static const classifier *const both[] = {&classifier_src, &classifier_gsrc};

/* Defaults on an easy problem; training samples recognise themselves. */
TEST(easy_problem)
{
    enum { P = 32, Q = 20 };
    picture_set train = pictures(1, 24, 20, P, 0.3), test = pictures(2, 24, 20, Q, 0.3);
    for (int m = 0; m < 2; m++) {
        int label[P];
        spd_method method = steps_method(both[m], SPD_METRIC_AIRM, &train.samples);
        spd_status status = steps_run(NULL, both[m], &method, &train.samples, &test.samples, label);
        size_t correct = steps_correct(&test.samples, label);
        CHECK(status == SPD_OK && correct >= Q - 1, "%s", CLASSIFIER_NAME(both[m]->kind));
        status = steps_run(NULL, both[m], &method, &train.samples, &train.samples, label);
        correct = steps_correct(&train.samples, label);
        CHECK(status == SPD_OK && correct == P, "%s", CLASSIFIER_NAME(both[m]->kind));
    }
}

/* Samples in another order, other threads, another scale of the images: the same labels. */
TEST(invariances)
{
    enum { P = 28, Q = 12, PIXELS = 16 * 18 };
    picture_set train = pictures(1, 16, 18, P, 0.8), test = pictures(2, 16, 18, Q, 0.8),
                turned = pictures(1, 16, 18, P, 0.8);
    for (size_t i = 0; i < P; i++) {
        for (size_t e = 0; e < PIXELS; e++)
            turned.V[i * PIXELS + e] = 7.0 * train.V[i * 5 % P * PIXELS + e];
        turned.label[i] = train.label[i * 5 % P];
    }
    spd_context *ctx = context_on(0);
    for (int m = 0; m < 2; m++) {
        int first[Q], other[Q];
        spd_method method = steps_method(both[m], SPD_METRIC_AIRM, &train.samples);
        method.value[SPD_PARAMETER_LAMBDA] = 0.02;
        spd_context_set_threads(ctx, 1);
        CHECK(!steps_run(ctx, both[m], &method, &train.samples, &test.samples, first), "one");
        CHECK(!steps_run(ctx, both[m], &method, &turned.samples, &test.samples, other), "turned");
        CHECK(memcmp(first, other, sizeof first) == 0, "%s: order matters",
              CLASSIFIER_NAME(both[m]->kind));
        spd_context_set_threads(ctx, 3);
        CHECK(!steps_run(ctx, both[m], &method, &train.samples, &test.samples, other), "three");
        CHECK(memcmp(first, other, sizeof first) == 0, "%s: threads matter",
              CLASSIFIER_NAME(both[m]->kind));
    }
}

/* No code: the first class that has samples; empty classes never. Constant images have no Gabor
 * structure and zero vectors no direction: they get no code either. */
TEST(empty_codes_and_classes)
{
    enum { P = 16, Q = 8 };
    picture_set train = pictures(1, 12, 12, P, 0.3), test = pictures(2, 12, 12, Q, 0.3);
    train.samples.classes = C + 3;
    for (size_t i = 0; i < P; i++)
        train.label[i] += 2;
    for (int m = 0; m < 2; m++) {
        int label[Q];
        spd_method method = steps_method(both[m], SPD_METRIC_AIRM, &train.samples);
        CHECK(!steps_run(NULL, both[m], &method, &train.samples, &test.samples, label), "run");
        for (size_t i = 0; i < Q; i++)
            CHECK(label[i] >= 2 && label[i] < C + 2, "%s", CLASSIFIER_NAME(both[m]->kind));
        method.value[SPD_PARAMETER_LAMBDA] = 100.0;
        CHECK(!steps_run(NULL, both[m], &method, &train.samples, &test.samples, label), "run");
        for (size_t i = 0; i < Q; i++)
            CHECK(label[i] == 2, "%s: %d", CLASSIFIER_NAME(both[m]->kind), label[i]);
    }
    memset(test.V, 0, Q * 144 * sizeof *test.V);
    for (int m = 0; m < 2; m++) {
        int label[Q];
        spd_method method = steps_method(both[m], SPD_METRIC_AIRM, &train.samples);
        CHECK(!steps_run(NULL, both[m], &method, &train.samples, &test.samples, label), "run");
        for (size_t i = 0; i < Q; i++)
            CHECK(label[i] == 2, "%s, black image: %d", CLASSIFIER_NAME(both[m]->kind), label[i]);
    }
}

TEST(one_sample)
{
    picture_set train = pictures(1, 12, 12, 1, 0.3), test = pictures(2, 12, 12, 3, 0.3);
    for (int m = 0; m < 2; m++) {
        int label[3];
        spd_method method = steps_method(both[m], SPD_METRIC_AIRM, &train.samples);
        CHECK(!steps_run(NULL, both[m], &method, &train.samples, &test.samples, label), "%s",
              CLASSIFIER_NAME(both[m]->kind));
        CHECK(label[0] == 0 && label[1] == 0 && label[2] == 0, "%s",
              CLASSIFIER_NAME(both[m]->kind));
    }
}

TEST(parameters)
{
    picture_set train = pictures(1, 8, 8, 40, 0.3);
    spd_context *ctx = context_on(0);
    double values[8];
    for (int m = 0; m < 2; m++) {
        const classifier *c = both[m];
        const char *name = CLASSIFIER_NAME(c->kind);
        int label[40];
        spd_method method = src_method(0.0, 0.1);
        CHECK(choice_standard(classifier_choice(c, SPD_PARAMETER_DIMENSIONS), &train.samples) == 39,
              "%s", name);
        size_t count = steps_grid(c, &train.samples, SPD_PARAMETER_DIMENSIONS, values);
        CHECK(count == 2 && values[0] == 25.0 && values[1] == 39.0, "%s", name);
        CHECK(steps_grid(c, &train.samples, SPD_PARAMETER_LAMBDA, values) >= 3, "%s", name);
        CHECK(steps_grid(c, &train.samples, SPD_PARAMETER_COST, values) == 0, "%s", name);
        CHECK_FAILED(ctx, steps_run(ctx, c, &method, &train.samples, &train.samples, label),
                     SPD_EINVAL, "dimensions is 0");
        method = src_method(1e9, 0.0);
        CHECK_FAILED(ctx, steps_run(ctx, c, &method, &train.samples, &train.samples, label),
                     SPD_EINVAL, "lambda is 0");
    }
}

TEST(allocation_sweep)
{
    picture_set train = pictures(1, 9, 10, 24, 0.5), test = pictures(2, 9, 10, 5, 0.5);
    for (int m = 0; m < 2; m++) {
        spd_method method = src_method(15.0, 0.02);
        steps_sweep(both[m], &method, &train.samples, &test.samples);
    }
}

/* ---- Gabor features and occlusion --------------------------------------------------------- */

/* Sampled magnitudes of the bank, mean zero and length one for every filter. */
TEST(features_by_definition)
{
    enum { H = 20, W = 26, CELLS = 3 * 4 };
    picture_set s = pictures(1, H, W, 2, 0.5);
    gabor_features f = gabor_features_for(W, H);
    gabor_bank *bank = NULL;
    CHECK_OK(NULL, gabor_bank_new(NULL, W, H, GABOR_SCALES, GABOR_ORIENTATIONS, acos(-1.0) / 2.0,
                                  sqrt(2.0), 2.0 * acos(-1.0), &bank));
    size_t dim = gabor_features_dim(&f);
    CHECK(dim == 40 * CELLS, "dim %zu", dim);
    double *F = block(2 * dim), *magnitude = block(40 * H * W);
    void *work = mem_alloc(gabor_bank_work(bank), 1);
    CHECK(gabor_features_of(NULL, &f, 2, s.V, F) == SPD_OK, "failed");
    gabor_bank_apply(bank, s.V + H * W, magnitude, work);
    for (size_t i = 0; i < 40; i++) {
        double expected[CELLS], mean = 0.0;
        for (size_t e = 0; e < CELLS; e++) {
            expected[e] = magnitude[(i * H + 3 + e / 4 * 6) * W + 3 + e % 4 * 6];
            mean += expected[e] / CELLS;
        }
        for (size_t e = 0; e < CELLS; e++)
            expected[e] -= mean;
        double length = norm(CELLS, expected) * sqrt(40.0);
        for (size_t e = 0; e < CELLS; e++)
            CHECK_CLOSE(F[dim + i * CELLS + e], expected[e] / length, 1e-12, "filter %zu", i);
    }
    mem_free(work);
    gabor_bank_free(bank);
}

/* What is left of images with one bright pixel, on average over some, when their features are coded
 * over B (atoms x dim). */
static double bright_pixels_left(const gabor_features *f, size_t atoms, const double *B)
{
    size_t dim = gabor_features_dim(f), pixels = f->x.length * f->y.length, checked = 0;
    double *T = block(atoms * dim), *K = block(atoms * atoms), *k = block(atoms), *v = block(atoms),
           *z = block(dim), *image = block(pixels), left = 0.0;
    flip(atoms, dim, B, T);
    times(atoms, dim, atoms, B, T, K);
    for (size_t j = 0; j < atoms; j++)
        CHECK_CLOSE(K[j * (atoms + 1)], 1.0, 1e-12, "length of atom %zu", j);
    for (size_t at = 7; at < pixels; at += 97, checked++) {
        memset(image, 0, pixels * sizeof *image);
        image[at] = 200.0;
        CHECK(gabor_features_of(NULL, f, 1, image, z) == SPD_OK, "failed");
        times(1, dim, atoms, z, T, k);
        twin_lasso(atoms, K, k, 0.05, 2000, v);
        left += 1.0 + twin_objective(atoms, K, k, 0.0, v);
    }
    return left / (double)checked;
}

/* Images with one bright pixel, through the real filters, are coded well over a dictionary that is
 * 40 times smaller, and better than over as many of their own kind. */
TEST(occlusion_dictionary)
{
    enum { SIDE = 30, PIXELS = SIDE * SIDE, ATOMS = PIXELS / 40 };
    gabor_features f = gabor_features_for(SIDE, SIDE);
    CHECK(occlusion_atoms(&f) == ATOMS, "%zu atoms", occlusion_atoms(&f));
    size_t dim = gabor_features_dim(&f);
    double *B = block(ATOMS * dim), *images = take_zeros(ATOMS * PIXELS, sizeof *images);
    CHECK(occlusion_learn(NULL, &f, B) == SPD_OK, "failed");
    double learned = bright_pixels_left(&f, ATOMS, B);
    for (size_t j = 0; j < ATOMS; j++)
        images[j * PIXELS + (2 * j + 1) * PIXELS / (2 * ATOMS)] = 1.0;
    CHECK(gabor_features_of(NULL, &f, ATOMS, images, B) == SPD_OK, "failed");
    double plain = bright_pixels_left(&f, ATOMS, B);
    CHECK(learned < 0.15, "%g of a bright pixel is left", learned);
    CHECK(learned < 0.8 * plain, "%g is left after learning, %g without", learned, plain);
}

/* Z (pixels x dim) <- the envelopes of bright pixels on a grid, scale after scale, each about its
 * mean and of length one, and so the whole; dim: scales * cells. */
static void twin_bright(const gabor_features *f, size_t side, size_t stride, double *Z)
{
    size_t cells = gabor_features_cells(f), dim = GABOR_SCALES * cells, pixels = side * side;
    for (size_t i = 0; i < pixels; i++) {
        double px = (double)(i % side * stride), py = (double)(i / side * stride);
        for (size_t e = 0; e < dim; e++) {
            double s = gabor_features_deviation(e / cells);
            double x = (double)gabor_features_place(&f->x, e % cells % f->x.count) - px;
            double y = (double)gabor_features_place(&f->y, e % cells / f->x.count) - py;
            Z[i * dim + e] = exp(-(x * x + y * y) / (2.0 * s * s));
        }
        for (size_t v = 0; v < GABOR_SCALES; v++)
            gabor_features_normalise(cells, Z + i * dim + v * cells);
        double size = norm(dim, Z + i * dim);
        for (size_t e = 0; e < dim; e++)
            Z[i * dim + e] /= size;
    }
}

/* One round: codes of all pixels, then every atom of G (atoms x dim) to the direction of what the
 * others leave of the pixels that use it. */
static void twin_round(size_t pixels, size_t atoms, size_t dim, const double *Z, double *G)
{
    double *K = block(atoms * atoms), *k = block(atoms), *A = block(pixels * atoms);
    double *T = block(dim * atoms), *g = block(dim), *left = block(dim);
    flip(atoms, dim, G, T);
    times(atoms, dim, atoms, G, T, K);
    for (size_t i = 0; i < pixels; i++) {
        times(1, dim, atoms, Z + i * dim, T, k);
        twin_lasso(atoms, K, k, 0.05, 20000, A + i * atoms);
    }
    for (size_t j = 0; j < atoms; j++) {
        memset(g, 0, dim * sizeof *g);
        for (size_t i = 0; i < pixels; i++) {
            const double *a = A + i * atoms;
            memcpy(left, Z + i * dim, dim * sizeof *left);
            for (size_t l = 0; l < atoms; l++)
                for (size_t e = 0; e < dim && l != j; e++)
                    left[e] -= a[l] * G[l * dim + e];
            for (size_t e = 0; e < dim; e++)
                g[e] += a[j] * left[e];
        }
        double size = norm(dim, g);
        for (size_t e = 0; e < dim && size > 0.0; e++)
            G[j * dim + e] = g[e] / size;
    }
}

/* The dictionary by its definition: images of `length` pixels on a side, of which every stride-th
 * is used. */
static void twin_dictionary(size_t length, size_t stride)
{
    gabor_features f = gabor_features_for(length, length);
    size_t cells = gabor_features_cells(&f), dim = GABOR_SCALES * cells;
    size_t side = (length + stride - 1) / stride, pixels = side * side;
    size_t atoms = occlusion_atoms(&f), whole = gabor_features_dim(&f);
    double *Z = block(pixels * dim), *G = block(atoms * dim), *B = block(atoms * whole);
    twin_bright(&f, side, stride, Z);
    for (size_t j = 0; j < atoms; j++) /* from evenly spaced pixels */
        memcpy(G + j * dim, Z + (2 * j + 1) * pixels / (2 * atoms) * dim, dim * sizeof *G);
    for (int round = 0; round < 5; round++)
        twin_round(pixels, atoms, dim, Z, G);
    CHECK(occlusion_learn(NULL, &f, B) == SPD_OK, "failed");
    for (size_t j = 0; j < atoms; j++) {
        double worst = 0.0;
        for (size_t e = 0; e < whole; e++) { /* every scale for all orientations */
            size_t scale = e / cells / GABOR_ORIENTATIONS;
            double expected = G[j * dim + scale * cells + e % cells] / sqrt(GABOR_ORIENTATIONS);
            worst = fmax(worst, fabs(B[j * whole + e] - expected));
        }
        CHECK(worst < 1e-4, "side %zu, atom %zu: off by %g", length, j, worst);
    }
}

TEST(occlusion_by_definition)
{
    twin_dictionary(16, 1);
    twin_dictionary(34, 2);
}

/* ---- atoms of no class -------------------------------------------------------------------- */

typedef struct given {
    size_t p;
    const double *k;
} given;

static void fill_given(const void *user, size_t first, size_t count, double *k, double *y2,
                       double *work)
{
    const given *g = user;
    (void)work;
    memcpy(k, g->k + first * g->p, count * g->p * sizeof *k);
    for (size_t i = 0; i < count; i++)
        y2[i] = 1.0;
}

/* They take their part of the query before the classes compete. */
TEST(atoms_of_no_class)
{
    enum { OWN = 24, OTHERS = 10, P = OWN + OTHERS, DIM = 30, Q = 40 };
    int label[P], own[OWN], predicted[Q];
    double *A = block((P + Q) * DIM), *T = block(P * DIM), *K = block(P * P), *k = block(Q * P),
           *v = block(P);
    rng r = seeded(8);
    for (size_t e = 0; e < (P + Q) * DIM; e++)
        A[e] = rng_normal(&r) + 1.0;
    for (size_t i = 0; i < P + Q; i++) {
        double length = norm(DIM, A + i * DIM);
        for (size_t d = 0; d < DIM; d++)
            A[i * DIM + d] /= length;
    }
    for (size_t i = 0; i < P; i++)
        label[i] = i < OWN ? (int)(i % C) : -1;
    memcpy(own, label, sizeof own);
    flip(P, DIM, A, T);
    times(P, DIM, P, A, T, K);
    spd_symmetrize(P, 1, K);
    times(Q, DIM, P, A + P * DIM, T, k);
    lasso_dictionary d;
    classes m;
    FREED_BY(arena_free) arena room = {0};
    given g = {P, k};
    CHECK(lasso_dictionary_make(NULL, P, K, &room, &d) == SPD_OK, "no dictionary");
    CHECK(classes_sort(NULL, OWN, own, &room, &m) == SPD_OK, "no classes");
    coding c = {&d, &m, 1e-2, fill_given, &g, 0, NULL, 0};
    CHECK(coding_decide(NULL, &c, Q, predicted) == SPD_OK, "not decided");
    for (size_t i = 0; i < Q; i++) {
        double margin;
        twin_lasso(P, K, k + i * P, 1e-2, 20000, v);
        int expected = twin_residuals(P, K, k + i * P, v, C, label, &margin);
        CHECK(margin < 1e-5 || predicted[i] == expected, "query %zu: %d", i, predicted[i]);
    }
}

/* Where k is not in the range of K there is no minimum: a remark, and labels all the same. */
TEST(unreachable_gap)
{
    const double K[4] = {1.0, 0.0, 0.0, 0.0}, k[2] = {0.5, 0.5};
    const int label[2] = {0, 1};
    int predicted = -1;
    lasso_dictionary d;
    classes m;
    FREED_BY(arena_free) arena room = {0};
    given g = {2, k};
    spd_context *ctx = context_on(0);
    CHECK(lasso_dictionary_make(ctx, 2, K, &room, &d) == SPD_OK, "no dictionary");
    CHECK(classes_sort(ctx, 2, label, &room, &m) == SPD_OK, "no classes");
    coding c = {&d, &m, 1e-2, fill_given, &g, 0, NULL, 0};
    CHECK(coding_decide(ctx, &c, 1, &predicted) == SPD_NOT_CONVERGED, "it found a minimum");
    CHECK_SAYS(ctx, "1 of 1 sparse codes");
    CHECK(predicted == 0, "label %d", predicted);
}
