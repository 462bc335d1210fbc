/* test_synth_spd.c - generated matrices: what they are made of, that the classes differ in the
 * planted subspace and nowhere else, and what is refused. */
#include "random_spd.h"
#include "repeat.h"

static spd_context *ctx;

static spd_synth_options usual(void)
{
    spd_synth_options o;
    spd_synth_defaults(SPD_SYNTH_SPD, &o, sizeof o);
    return o;
}

static spd_data *make(const spd_synth_options *o, double *planted)
{
    spd_data *data = NULL;
    spd_status status = spd_synth_data(ctx, o, planted, &data);
    CHECK(status == SPD_OK, "%d: %s", (int)status, said(ctx));
    if (!data)
        abort();
    return data;
}

TEST(shape_labels_and_record)
{
    spd_synth_options o = usual();
    o.classes = 3;
    o.samples = 5;
    o.seed = 77;
    OWN(spd_data) data = make(&o, NULL);
    CHECK(data->p == 15 && data->n == 30 && data->classes == 3 && data->columns == 0, "%zu %zu %zu",
          data->p, data->n, data->classes);
    for (size_t i = 0; i < data->p; i++)
        CHECK(data->label[i] == (int)(i / 5) && data->y->i64[i] == (int64_t)(i / 5), "sample %zu",
              i);
    CHECK(strcmp(data->class_name[2], "2") == 0, "%s", data->class_name[2]);
    CHECK_OK(ctx, spd_check(ctx, SPD_SET(data->n, data->p, data->X), 0.0));
    CHECK(strstr(data->meta, "\"seed\": 77") && strstr(data->meta, "\"nuisance\": 3\n"), "%s",
          data->meta);
}

TEST(planted_basis_is_orthonormal)
{
    spd_synth_options o = usual();
    double U[30 * 10];
    spd_data_free(make(&o, U));
    for (size_t a = 0; a < 10; a++)
        for (size_t b = 0; b < 10; b++) {
            double dot = 0.0;
            for (size_t i = 0; i < 30; i++)
                dot += U[i * 10 + a] * U[i * 10 + b];
            CHECK_CLOSE(dot, a == b ? 1.0 : 0.0, 1e-13, "columns %zu and %zu", a, b);
        }
}

/* Same bits from one thread and from three; other bits from another seed. */
TEST(seed_alone_decides)
{
    spd_synth_options o = usual();
    double U[300], V[300];
    spd_context_set_threads(ctx, 1);
    OWN(spd_data) one = make(&o, U);
    spd_context_set_threads(ctx, 3);
    OWN(spd_data) three = make(&o, V);
    spd_context_set_threads(ctx, 0);
    const size_t bytes = one->p * 900 * sizeof(double);
    CHECK(memcmp(one->X, three->X, bytes) == 0 && memcmp(U, V, sizeof U) == 0, "threads matter");
    o.seed++;
    OWN(spd_data) other = make(&o, V);
    CHECK(memcmp(one->X, other->X, bytes) != 0 && memcmp(U, V, sizeof U) != 0, "the seed does not");
}

/* V (n x k) <- what is left of the first columns of the identity outside U, orthonormal. */
static void complement(size_t n, size_t d, const double *U, double *V)
{
    const size_t k = n - d;
    for (size_t c = 0; c < k; c++) {
        double v[64];
        for (size_t i = 0; i < n; i++)
            v[i] = i == c;
        for (int twice = 0; twice < 2; twice++)
            for (size_t q = 0; q < d + c; q++) {
                double dot = 0.0;
                for (size_t i = 0; i < n; i++)
                    dot += v[i] * (q < d ? U[i * d + q] : V[i * k + q - d]);
                for (size_t i = 0; i < n; i++)
                    v[i] -= dot * (q < d ? U[i * d + q] : V[i * k + q - d]);
            }
        for (size_t i = 0; i < n; i++)
            V[i * k + c] = v[i] / norm(n, v);
    }
}

/* Share of samples whose nearest other one, after the map W, is of the same class. */
static double accuracy(const spd_data *data, size_t m, const double *W)
{
    size_t right = 0;
    double *S = block(data->p * m * m), *d2 = block(data->p);
    int64_t *near = take(data->p * sizeof *near);
    CHECK(spd_congruence(ctx, SPD_SET(data->n, data->p, data->X), m, W, S) == SPD_OK, "congruence");
    CHECK_OK(ctx, spd_nearest(ctx, SPD_METRIC_AIRM, SPD_SET(m, data->p, S), NULL, 1, NULL, near, d2,
                              NULL));
    for (size_t i = 0; i < data->p; i++)
        right += data->label[near[i]] == data->label[i];
    return (double)right / (double)data->p;
}

TEST(classes_differ_in_the_planted_subspace_alone)
{
    spd_synth_options o = usual();
    double U[300], V[600], all[900] = {0};
    OWN(spd_data) data = make(&o, U);
    complement(30, 10, U, V);
    for (size_t i = 0; i < 30; i++)
        all[31 * i] = 1.0;
    const double in = accuracy(data, 10, U), out = accuracy(data, 20, V);
    const double whole = accuracy(data, 30, all);
    CHECK(in > 0.95, "in the subspace %g", in);
    CHECK(out < 0.4, "outside it %g, chance is 0.25", out);
    CHECK(whole > 0.35 && whole < 0.85, "all dimensions %g", whole);
}

/* Root mean square of the logarithms of the eigenvalues of W' X W. */
static double spread(const spd_data *data, size_t m, const double *W)
{
    double sum = 0.0, *S = block(data->p * m * m), *lambda = block(data->p * m);
    CHECK(spd_congruence(ctx, SPD_SET(data->n, data->p, data->X), m, W, S) == SPD_OK, "congruence");
    CHECK(spd_eigh(ctx, SPD_SET(m, data->p, S), lambda, NULL) == SPD_OK, "eigenvalues");
    for (size_t i = 0; i < data->p * m; i++)
        sum += log(lambda[i]) * log(lambda[i]);
    return sqrt(sum / (double)(data->p * m));
}

/* Without signal the planted block varies by 1/2, the other by 3/2; mixing adds little. */
TEST(variation_is_what_was_asked_for)
{
    spd_synth_options o = usual();
    double U[300], V[600];
    o.signal = 0.0;
    spd_data *data = make(&o, U);
    complement(30, 10, U, V);
    CHECK_CLOSE(spread(data, 10, U), 0.5, 0.03, "within");
    CHECK_CLOSE(spread(data, 20, V), 1.5, 0.08, "nuisance");
    spd_data_free(data);
    o.signal = 4.0; /* adds 16/2 times the variation within */
    data = make(&o, U);
    CHECK_CLOSE(spread(data, 10, U), 1.5, 0.25, "signal");
    spd_data_free(data);
}

TEST(smallest_sizes)
{
    spd_synth_options o = usual();
    o.n = o.planted = o.samples = o.classes = 1;
    spd_data *data = make(&o, NULL);
    CHECK(data->p == 1 && data->X[0] > 0.0, "%g", data->X[0]);
    spd_data_free(data);
    o.n = o.planted = 7; /* nothing but signal */
    o.classes = 2;
    data = make(&o, NULL);
    CHECK(spd_check(ctx, SPD_SET(7, 2, data->X), 0.0) == SPD_OK, "n = planted");
    spd_data_free(data);
    data = make(NULL, NULL);
    CHECK(data->p == 200 && data->n == 30, "defaults");
    spd_data_free(data);
}

static void refused(spd_synth_options o, const char *word)
{
    spd_data *data = NULL;
    spd_status status = spd_synth_data(ctx, &o, NULL, &data);
    const char *message = said(ctx);
    CHECK(status == SPD_EINVAL && !data && strstr(message, word), "%d, '%s' lacks '%s'",
          (int)status, message, word);
}

/* A caller who was compiled when the options ended before `side` gets the same data; one who did
 * not say a size is refused. */
TEST(options_of_other_versions)
{
    spd_synth_options o = usual();
    spd_data *now = NULL, *before = NULL;
    CHECK(spd_synth_data(ctx, &o, NULL, &now) == SPD_OK, "now");
    o.size = offsetof(spd_synth_options, side);
    o.side = 77;
    CHECK(spd_synth_data(ctx, &o, NULL, &before) == SPD_OK, "before");
    if (now && before)
        CHECK(memcmp(now->X, before->X, now->p * now->n * now->n * sizeof(double)) == 0, "differ");
    spd_data_free(now);
    spd_data_free(before);
    o.size = 0;
    refused(o, "size is 0");
}

TEST(options_without_sense)
{
    spd_synth_options o = usual();
    o.classes = 0;
    refused(o, "0 classes");
    o = usual();
    o.samples = SIZE_MAX / 2;
    refused(o, "2^31 - 1");
    o = usual();
    o.n = 5000;
    refused(o, "n is 5000");
    o = usual();
    o.planted = 31;
    refused(o, "31 dimensions; expected 1 to n = 30");
    o = usual();
    o.signal = NAN;
    refused(o, "signal");
}

/* Every allocation fails once: SPD_ENOMEM with a message, no leak, outputs as they were. */
TEST(memory_runs_out)
{
    spd_synth_options o = usual();
    o.samples = 3;
    double U[300];
    for (sweep_state s = SWEEP(ctx, 9, U, sizeof U); sweep_on(&s);) {
        OWN(spd_data) data = NULL;
        s.status = spd_synth_data(ctx, &o, U, &data);
        CHECK_MADE(s, data);
    }
}

SETUP(make_context)
{
    ctx = context_on(0);
}
