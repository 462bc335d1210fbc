/* test_places.c - every operation on sets in every place: on the host as float64 and float32, in
 * files and, where one is emulated, on a device; of real matrices and of real forms of Hermitian
 * ones. Places of the host give the same bits. */
#include "random_spd.h"
#include "run/cuda.h"
#include "unit/test_io_common.h"

enum { N = 6, M = 2, P = 40, K = 3, ROOM = P * P };

static spd_context *ctx;
static double W[N * M];
static int label[P];

typedef spd_status (*operation_on)(const spd_set *X, const spd_set *Y, double *out);

#define OPERATION(name, call)                                                                      \
    static spd_status on_##name(const spd_set *X, const spd_set *Y, double *out)                   \
    {                                                                                              \
        (void)Y;                                                                                   \
        (void)out;                                                                                 \
        return call;                                                                               \
    }
OPERATION(check, spd_check(ctx, X, 0.0))
OPERATION(cholesky, spd_cholesky(ctx, X, out))
OPERATION(logdet, spd_logdet(ctx, X, out))
OPERATION(inverse, spd_inverse(ctx, X, out))
OPERATION(eigh, spd_eigh(ctx, X, out, NULL))
OPERATION(eigh_general, spd_eigh_general(ctx, X, Y, out, NULL))
OPERATION(congruence, spd_congruence(ctx, X, M, W, out))
OPERATION(pairwise, spd_pairwise2(ctx, SPD_METRIC_STEIN, X, Y, out))
OPERATION(pairwise_within, spd_pairwise2(ctx, SPD_METRIC_JEFFREY, X, NULL, out))
OPERATION(kernel, spd_kernel(ctx, SPD_KERNEL_STEIN, 1.0, X, Y, out))
OPERATION(products, spd_kernel(ctx, SPD_KERNEL_LOG_EUCLIDEAN, 1.0, X, Y, out))
OPERATION(mean, spd_mean(ctx, SPD_METRIC_STEIN, X, NULL, out, NULL))
OPERATION(geodesics, spd_geodesics(ctx, SPD_METRIC_AIRM, X, Y, 1, &(double){0.3}, out))
OPERATION(apply, spd_apply(ctx, SPD_FUNCTION_LOG, 0.0, X, out))

static spd_status on_nearest(const spd_set *X, const spd_set *Y, double *out)
{
    static int64_t index[P * K];
    return spd_nearest(ctx, SPD_METRIC_AIRM, X, Y, K, NULL, index, out, NULL);
}

static spd_fit_options few_iterations(void)
{
    spd_fit_options o = fit_defaults();
    o.m = M;
    o.max_iter = 3;
    return o;
}

static spd_status on_affinity(const spd_set *X, const spd_set *Y, double *out)
{
    spd_fit_options o = few_iterations();
    spd_pair *pairs = NULL;
    size_t count = 0;
    (void)Y;
    spd_status status = spd_affinity(ctx, X, label, &o, &pairs, &count);
    out[0] = (double)count;
    spd_pairs_free(pairs);
    return status;
}

static spd_status on_cost(const spd_set *X, const spd_set *Y, double *out)
{
    const spd_pair pair = {0, 1, 1.0, 0.0};
    spd_fit_options o = few_iterations();
    (void)Y;
    o.W = W;
    o.pairs = 1;
    o.own_pairs = &pair;
    o.objective = SPD_OBJECTIVE_DIFFERENCE;
    return spd_cost(ctx, X, &o, out, out + 1);
}

static spd_status on_fit(const spd_set *X, const spd_set *Y, double *out)
{
    spd_fit_options o = few_iterations();
    OWN(spd_model) model = NULL;
    (void)Y;
    spd_status status = spd_fit(ctx, X, label, &o, NULL, &model);
    if (model)
        memcpy(out, model->W, N * M * sizeof *out);
    return status;
}

/* share: what the result of a Hermitian set is of that of its real form; 0: another thing. */
static const struct {
    const char *name;
    operation_on run;
    double share;
} operations[] = {{"check", on_check, 1.0},
                  {"cholesky", on_cholesky, 1.0},
                  {"logdet", on_logdet, 0.5},
                  {"inverse", on_inverse, 1.0},
                  {"eigh", on_eigh, 1.0},
                  {"eigh_general", on_eigh_general, 1.0},
                  {"congruence", on_congruence, 1},
                  {"pairwise2", on_pairwise, 0.5},
                  {"within", on_pairwise_within, 0.5},
                  {"kernel", on_kernel, 0.0},
                  {"products", on_products, 0.5},
                  {"mean", on_mean, 1.0},
                  {"geodesics", on_geodesics, 1.0},
                  {"apply", on_apply, 1.0},
                  {"nearest", on_nearest, 0.5},
                  {"affinity", on_affinity, 1.0},
                  {"cost", on_cost, 0.5},
                  {"fit", on_fit, 0.0}};
enum { OPERATIONS_HERE = sizeof operations / sizeof *operations };

/* Real forms of random Hermitian matrices, rounded to float32: a set like any other. */
static double *random_forms(uint64_t seed)
{
    rng r = seeded(seed);
    double *A = random_set(&r, N, P, 20.0), *Z = block(P * N * N / 2);
    spd_complex_extract(N / 2, N / 2, P, A, Z);
    spd_complex_embed(N / 2, N / 2, P, Z, A);
    for (size_t e = 0; e < P * N * N; e++)
        A[e] = (double)(float)A[e];
    return A;
}

static spd_set as_floats(const double *X)
{
    float *narrow = take(P * N * N * sizeof *narrow);
    spd_set s = *SPD_SET(N, P, NULL);
    for (size_t e = 0; e < P * N * N; e++)
        narrow[e] = (float)X[e];
    s.X = narrow;
    s.type = SPD_TYPE_FLOAT32;
    return s;
}

static spd_set *in_file(const char *name, double *X)
{
    const spd_array array = {
        .type = SPD_TYPE_FLOAT64, .ndim = 3, .shape = {P, N, N}, .count = P * N * N, .f64 = X};
    const spd_array *const list[] = {&array};
    const char *const path = scratch(name);
    spd_set *set = NULL;
    CHECK(spd_arrays_write(ctx, path, 1, list) == SPD_OK &&
              spd_set_open(ctx, 1, &path, NULL, &set) == SPD_OK,
          "%s", said(ctx));
    return set;
}

static int emulated(void)
{
    char device[200] = "";
    return cuda_describe(ctx, device, sizeof device) == SPD_OK && !strncmp(device, "emulated", 8);
}

static void compare(const char *place, spd_set X, spd_set Y, int hermitian, const double *A,
                    const double *B, double tolerance)
{
    spd_set x = *SPD_SET(N, P, A), y = *SPD_SET(N, P, B);
    X.hermitian = Y.hermitian = x.hermitian = y.hermitian = hermitian;
    for (size_t k = 0; k < OPERATIONS_HERE; k++) {
        double *expected = take_zeros(ROOM, sizeof *expected);
        double *found = take_zeros(ROOM, sizeof *found);
        spd_status status = operations[k].run(&x, &y, expected);
        CHECK(status >= 0, "%s: %s", operations[k].name, said(ctx));
        CHECK(operations[k].run(&X, &Y, found) == status, "%s, %s", place, operations[k].name);
        for (size_t e = 0; e < ROOM; e++)
            if (!CHECK_CLOSE(found[e], expected[e], tolerance * fmax(1.0, fabs(expected[e])),
                             "%s, %s", place, operations[k].name))
                break;
    }
}

static void in_all_places(int hermitian)
{
    double *A = random_forms(1), *B = random_forms(2);
    spd_set *x = in_file("x.npy", A), *y = in_file("y.npy", B);
    compare("float32", as_floats(A), as_floats(B), hermitian, A, B, 0.0);
    if (x && y)
        compare("files", *x, *y, hermitian, A, B, 0.0);
    if (emulated())
        compare("device", *THERE(N, P, A), *THERE(N, P, B), hermitian, A, B, 1e-10);
    spd_set_free(x);
    spd_set_free(y);
}

SETUP(make)
{
    ctx = spd_context_new();
    spd_context_set_threads(ctx, 1);
    W[0] = W[M + 1] = 1.0; /* the real form of a complex map */
    for (size_t i = 0; i < P; i++)
        label[i] = (int)(i % 3);
}

TEARDOWN(release)
{
    spd_context_free(ctx);
}

TEST(real_sets)
{
    in_all_places(0);
}

TEST(hermitian_sets)
{
    in_all_places(1);
}

TEST(hermitian_shares)
{
    double *A = random_forms(1), *B = random_forms(2);
    spd_set x = *SPD_SET(N, P, A), y = *SPD_SET(N, P, B), z = x, w = y;
    z.hermitian = w.hermitian = 1;
    for (size_t k = 0; k < OPERATIONS_HERE; k++) {
        double *real = take_zeros(ROOM, sizeof *real), *half = take_zeros(ROOM, sizeof *half);
        if (operations[k].share == 0.0)
            continue;
        CHECK(operations[k].run(&x, &y, real) >= 0 && operations[k].run(&z, &w, half) >= 0, "%s",
              operations[k].name);
        for (size_t e = 0; e < ROOM; e++)
            if (!CHECK(half[e] == operations[k].share * real[e], "%s: %g of %g", operations[k].name,
                       half[e], real[e]))
                break;
    }
    CHECK_STATUS(spd_pairwise2(ctx, SPD_METRIC_STEIN, &x, &w, block(ROOM)), SPD_EINVAL);
}
