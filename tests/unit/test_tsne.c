/* test_tsne.c - t-SNE step by step against slow twins: affinities, gradient (with the slope of its
 * Taylor remainder), the tree, and that descent finds clusters, with the same bits for any number
 * of threads. tests/cli/test_embed.py compares whole embeddings with scikit-learn's. */
#include "random_spd.h"
#include "repeat.h"

#include "classify/tsne.h"

enum { P = 90 };

static arena room; /* what a test makes, until its end */

static double *points(uint64_t seed, size_t p, size_t d, double spread)
{
    rng r = seeded(seed);
    double *Y = block(p * d);
    for (size_t e = 0; e < p * d; e++)
        Y[e] = spread * rng_normal(&r);
    return Y;
}

/* index and d2 (p x (p-1)) <- all others of points. */
static void all_pairs(size_t p, size_t d, const double *Z, int64_t *index, double *d2)
{
    for (size_t i = 0, e = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            if (j != i) {
                index[e] = (int64_t)j;
                d2[e] = 0.0;
                for (size_t a = 0; a < d; a++)
                    d2[e] += pow(Z[i * d + a] - Z[j * d + a], 2.0);
                e++;
            }
}

static tsne_graph graph_of(size_t p, size_t d, const double *Z, double perplexity)
{
    tsne_graph g;
    double *d2 = block(p * (p - 1));
    int64_t *index = take(p * (p - 1) * sizeof *index);
    all_pairs(p, d, Z, index, d2);
    CHECK_OK(NULL, tsne_affinities(NULL, p, p - 1, index, d2, perplexity, &room, &g));
    return g;
}

/* P (p x p) in full. */
static double *in_full(const tsne_graph *g)
{
    double *full = block(g->p * g->p);
    memset(full, 0, g->p * g->p * sizeof *full);
    for (size_t i = 0; i < g->p; i++)
        for (size_t e = g->first[i]; e < g->first[i + 1]; e++) {
            CHECK(e == g->first[i] || g->to[e] > g->to[e - 1], "rows ascend");
            full[i * g->p + g->to[e]] = g->value[e];
        }
    return full;
}

/* p_j|i of row i by bisecting the variance, as the definition says. */
static void twin_shares(size_t p, size_t d, const double *Z, size_t i, double perplexity, double *q)
{
    double low = 1e-12, high = 1e12;
    for (int turn = 0; turn < 300; turn++) {
        double b = sqrt(low * high), sum = 0.0, entropy = 0.0;
        for (size_t j = 0; j < p; j++) {
            double square = 0.0;
            for (size_t a = 0; a < d; a++)
                square += pow(Z[i * d + a] - Z[j * d + a], 2.0);
            q[j] = j == i ? 0.0 : exp(-b * square);
            sum += q[j];
        }
        for (size_t j = 0; j < p; j++) {
            q[j] /= sum;
            entropy -= q[j] > 0.0 ? q[j] * log(q[j]) : 0.0;
        }
        if (exp(entropy) > perplexity)
            low = b;
        else
            high = b;
    }
}

TEST(affinities_equal_the_twin)
{
    double *Z = points(1, P, 4, 1.0), total = 0.0, *q = block(P * P);
    tsne_graph g = graph_of(P, 4, Z, 12.0);
    double *full = in_full(&g);
    for (size_t i = 0; i < P; i++)
        twin_shares(P, 4, Z, i, 12.0, q + i * P);
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++) {
            CHECK_CLOSE(full[i * P + j], (q[i * P + j] + q[j * P + i]) / (2.0 * P), 1e-10,
                        "%zu, %zu", i, j);
            total += full[i * P + j];
        }
    CHECK_CLOSE(total, 1.0, 1e-12, "sum");
    arena_free(&room);
}

/* Of few neighbours: pairs that know each other one way are there both ways. */
TEST(one_sided_pairs_count_half)
{
    const int64_t index[] = {1, 0, 1}; /* 2 knows 1, and 1 does not know 2 */
    const double d2[] = {1.0, 1.0, 2.0};
    tsne_graph g;
    CHECK(tsne_affinities(NULL, 3, 1, index, d2, 1.0, &room, &g) == SPD_OK, "affinities");
    double *full = in_full(&g);
    const double expected[] = {0.0, 2.0, 0.0, 2.0, 0.0, 1.0, 0.0, 1.0, 0.0};
    for (size_t e = 0; e < 9; e++)
        CHECK_CLOSE(full[e], expected[e] / 6.0, 1e-15, "entry %zu", e);
    arena_free(&room);
}

TEST(equal_samples_share_evenly)
{
    const int64_t index[] = {1, 2, 0, 2, 0, 1};
    const double d2[6] = {0.0};
    tsne_graph g;
    CHECK(tsne_affinities(NULL, 3, 2, index, d2, 1.5, &room, &g) == SPD_OK, "affinities");
    for (size_t e = 0; e < g.first[3]; e++)
        CHECK_CLOSE(g.value[e], 1.0 / 6.0, 1e-15, "entry %zu", e);
    arena_free(&room);
}

/* *cost and G (p x d) over all pairs, by the formulas of tsne.h. */
static double twin_gradient(size_t p, size_t d, const double *full, const double *Y, double *G)
{
    double *w = block(p * p), Z = 0.0, cost = 0.0;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            double square = 0.0;
            for (size_t a = 0; a < d; a++)
                square += pow(Y[i * d + a] - Y[j * d + a], 2.0);
            w[i * p + j] = i == j ? 0.0 : 1.0 / (1.0 + square);
            Z += w[i * p + j];
        }
    memset(G, 0, p * d * sizeof *G);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
            double Pij = full[i * p + j], Q = w[i * p + j] / Z;
            cost += Pij > 0.0 ? Pij * log(Pij / Q) : 0.0;
            for (size_t a = 0; a < d; a++)
                G[i * d + a] += 4.0 * (Pij - Q) * w[i * p + j] * (Y[i * d + a] - Y[j * d + a]);
        }
    return cost;
}

static tsne_field field_of(const tsne_graph *g, size_t d, double theta)
{
    tsne_field field;
    CHECK(tsne_field_room(NULL, g, d, theta, &room, &field) == SPD_OK, "room");
    return field;
}

/* theta above 0 and next to nothing: the tree, opened down to every point. */
TEST(gradients_equal_the_twin)
{
    for (size_t d = 1; d <= TSNE_DIMENSIONS; d++)
        for (int tree = 0; tree < 2; tree++) {
            double *Z = points(2, P, 3, 1.0), *Y = points(3 + d, P, d, 2.0);
            double *G = block(P * d), *twin = block(P * d), cost = 0.0;
            tsne_graph g = graph_of(P, 3, Z, 10.0);
            double *full = in_full(&g);
            tsne_field field = field_of(&g, d, tree ? 1e-9 : 0.0);
            CHECK(tsne_gradient(NULL, &field, Y, G, &cost) == SPD_OK, "gradient");
            double expected = twin_gradient(P, d, full, Y, twin);
            CHECK_CLOSE(cost, expected, 1e-11, "%zu dimensions, tree %d", d, tree);
            CHECK(gap_between(P * d, G, twin) < 1e-12 * norm(P * d, twin) + 1e-14,
                  "%zu dimensions, tree %d: off by %g", d, tree, gap_between(P * d, G, twin));
            arena_free(&room);
        }
}

/* |f(Y + hV) - f(Y) - h <G,V>| falls as h^2. */
TEST(the_gradient_is_that_of_the_cost)
{
    double *Z = points(4, P, 3, 1.0), *Y = points(5, P, 2, 1.5), *V = points(6, P, 2, 1.0);
    double *G = block(2 * P), *moved = block(2 * P), *unused = block(2 * P), cost = 0.0, left[2];
    tsne_graph g = graph_of(P, 3, Z, 10.0);
    tsne_field field = field_of(&g, 2, 0.0);
    CHECK(tsne_gradient(NULL, &field, Y, G, &cost) == SPD_OK, "gradient");
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-4 : 1e-3, there = 0.0, slope = 0.0;
        for (size_t e = 0; e < 2 * P; e++) {
            moved[e] = Y[e] + h * V[e];
            slope += G[e] * V[e];
        }
        CHECK(tsne_gradient(NULL, &field, moved, unused, &there) == SPD_OK, "gradient");
        left[k] = fabs(there - cost - h * slope);
    }
    CHECK_CLOSE(log10(left[0] / left[1]), 2.0, 0.1, "slope of the remainder");
    arena_free(&room);
}

TEST(trees_hold_every_point_once)
{
    for (size_t d = 1; d <= TSNE_DIMENSIONS; d++) {
        tsne_tree tree;
        double *Y = points(7, P, d, 1.0);
        char seen[P] = {0};
        for (size_t e = 0; e < 20 * d; e++)
            Y[e] = Y[e % d]; /* twenty points in one place */
        CHECK(tsne_tree_room(NULL, P, d, &room, &tree) == SPD_OK, "room");
        tsne_tree_build(&tree, Y);
        CHECK(tree.nodes < 2 * P && tree.node[0].count == P && tree.node[0].skip == tree.nodes,
              "%zu nodes", tree.nodes);
        for (size_t k = 0; k < tree.nodes; k++) {
            const tsne_node *node = &tree.node[k];
            size_t within = 0;
            CHECK(node->skip > k && node->skip <= tree.nodes, "node %zu", k);
            for (size_t c = k + 1; c < node->skip; c = tree.node[c].skip)
                within += tree.node[c].count;
            CHECK(node->leaf ? node->skip == k + 1 : within == node->count, "node %zu", k);
            for (size_t e = 0; node->leaf && e < node->count; e++)
                seen[tree.order[node->from + e]]++;
        }
        for (size_t i = 0; i < P; i++)
            CHECK(seen[i] == 1, "point %zu is there %d times", i, seen[i]);
        arena_free(&room);
    }
}

/* Coarser trees err more, and those of usual coarseness little. */
TEST(coarse_trees_come_close)
{
    enum { MANY = 700 };
    double *Z = points(8, MANY, 3, 1.0), *Y = points(9, MANY, 2, 10.0), off[3];
    double *G = block(2 * MANY), *exact = block(2 * MANY), cost, costs;
    const double theta[] = {0.2, 0.5, 1.0};
    tsne_graph g = graph_of(MANY, 3, Z, 10.0);
    for (size_t e = 0; e < g.first[MANY]; e++)
        g.value[e] = 0.0; /* repulsion alone */
    tsne_field field = field_of(&g, 2, 0.0);
    CHECK(tsne_gradient(NULL, &field, Y, exact, &costs) == SPD_OK, "gradient");
    for (size_t k = 0; k < 3; k++) {
        field = field_of(&g, 2, theta[k]);
        CHECK(tsne_gradient(NULL, &field, Y, G, &cost) == SPD_OK, "gradient");
        off[k] = gap_between(2 * MANY, G, exact) / norm(2 * MANY, exact);
        CHECK_CLOSE(cost, costs, 0.1 * theta[k], "ln Z at theta %g", theta[k]);
    }
    CHECK(off[0] > 0.0 && off[0] < off[1] && off[1] < off[2], "%g, %g, %g", off[0], off[1], off[2]);
    CHECK(off[0] < 0.01 && off[1] < 0.05, "%g, %g", off[0], off[1]);
    arena_free(&room);
}

enum { N = 3, SETS = 3, EACH = 60, ALL = SETS * EACH };

/* Matrices around three of them. */
static double *clusters(void)
{
    rng r = seeded(10);
    double *X = random_set(&r, N, ALL, 1.3);
    for (size_t i = 0; i < ALL; i++)
        for (size_t e = 0; e < N * N; e++)
            X[i * N * N + e] *= pow(20.0, (double)(i % SETS));
    return X;
}

static spd_status embed(spd_context *ctx, const double *X, double theta, uint64_t seed, double *Y,
                        spd_embed_info *info)
{
    const spd_embed_options o = {.size = sizeof o,
                                 .kind = SPD_EMBEDDING_TSNE,
                                 .metric = SPD_METRIC_LOG_EUCLIDEAN,
                                 .dimensions = 2,
                                 .theta = theta,
                                 .seed = seed};
    return spd_embed(ctx, &o, N, ALL, X, Y, NULL, info);
}

/* Share of samples whose nearest point is of their own cluster. */
static double purity(const double *Y)
{
    size_t right = 0;
    for (size_t i = 0; i < ALL; i++) {
        size_t best = ALL;
        double least = INFINITY;
        for (size_t j = 0; j < ALL; j++) {
            double gap = hypot(Y[2 * i] - Y[2 * j], Y[2 * i + 1] - Y[2 * j + 1]);
            if (j != i && gap < least) {
                least = gap;
                best = j;
            }
        }
        right += best % SETS == i % SETS;
    }
    return (double)right / ALL;
}

/* Descent as van der Maaten and Hinton have it, over the gradient that is tested above: 250
 * iterations with P twelvefold, then from rest with P itself. */
static void twin_descent(tsne_field *field, uint64_t seed, size_t iterations, double *Y)
{
    const size_t count = field->graph->p * 2;
    double *G = block(count), *step = block(count), *gain = block(count);
    rng r = seeded(seed);
    for (size_t e = 0; e < count; e++)
        Y[e] = 1e-4 * rng_normal(&r);
    for (size_t k = 0; k < iterations; k++) {
        double middle[2] = {0.0, 0.0};
        field->exaggeration = k < 250 ? 12.0 : 1.0;
        for (size_t e = 0; e < count && (k == 0 || k == 250); e++) {
            step[e] = 0.0;
            gain[e] = 1.0;
        }
        CHECK(tsne_gradient(NULL, field, Y, G, NULL) == SPD_OK, "gradient");
        for (size_t e = 0; e < count; e++) {
            gain[e] = step[e] * G[e] > 0.0 ? fmax(0.8 * gain[e], 0.01) : gain[e] + 0.2;
            step[e] = (k < 250 ? 0.5 : 0.8) * step[e] - 50.0 * gain[e] * G[e];
            Y[e] += step[e];
            middle[e % 2] += Y[e] / (double)field->graph->p;
        }
        for (size_t e = 0; e < count; e++)
            Y[e] -= middle[e % 2];
    }
    field->exaggeration = 1.0;
}

TEST(descent_equals_the_twin)
{
    double *Z = points(12, P, 6, 1.0), *Y = block(2 * P), *twin = block(2 * P), cost = 0.0;
    tsne_graph g = graph_of(P, 6, Z, 30.0);
    tsne_field field = field_of(&g, 2, 0.0);
    const size_t counts[] = {1, 100, 250, 251, 253, 260};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t done = 0;
        CHECK(tsne_descend(NULL, &field, 3, counts[k], Y, &cost, &done) == SPD_OK, "descent");
        twin_descent(&field, 3, counts[k], twin);
        CHECK(done == counts[k] && gap_between(2 * P, Y, twin) < 1e-9 * norm(2 * P, twin),
              "%zu iterations: off by %g of %g", done, gap_between(2 * P, Y, twin),
              norm(2 * P, twin));
    }
    arena_free(&room);
}

TEST(clusters_are_found)
{
    double *X = clusters(), Y[2 * ALL];
    for (int tree = 0; tree < 2; tree++) {
        spd_embed_info info = SPD_STRUCT(spd_embed_info);
        CHECK(embed(NULL, X, tree ? 0.5 : -1.0, 1, Y, &info) == SPD_OK, "embedded");
        /* samples between two clusters go to either, by the rounding of the kernels */
        CHECK(purity(Y) > 0.95, "tree %d: purity %g", tree, purity(Y));
        CHECK(info.divergence > 0.0 && info.divergence < 1.0, "divergence %g", info.divergence);
        CHECK(info.theta == (tree ? 0.5 : 0.0) && info.perplexity == 30.0, "as used");
        CHECK(info.iterations > 250 && info.iterations <= 1000, "%zu iterations", info.iterations);
        for (size_t a = 0; a < 2; a++) {
            double sum = 0.0;
            for (size_t i = 0; i < ALL; i++)
                sum += Y[2 * i + a];
            CHECK(fabs(sum) < 1e-9 * ALL, "mean %g", sum / ALL);
        }
    }
}

TEST(threads_change_no_bit)
{
    double *X = clusters(), Y[3][2 * ALL];
    spd_context *ctx = context_on(0);
    for (int tree = 0; tree < 2; tree++) {
        for (int k = 0; k < 3; k++) {
            spd_context_set_threads(ctx, k == 1 ? 3 : 1);
            CHECK_OK(ctx, embed(ctx, X, tree ? 0.5 : -1.0, k == 2 ? 8 : 7, Y[k], NULL));
        }
        CHECK(memcmp(Y[0], Y[1], sizeof Y[0]) == 0, "tree %d", tree);
        CHECK(memcmp(Y[0], Y[2], sizeof Y[0]) != 0, "another seed, another picture");
    }
}

TEST(refusals)
{
    double *X = clusters(), Y[4 * ALL];
    spd_context *ctx = context_on(0);
    const struct {
        size_t dimensions;
        double perplexity, theta;
        const char *says;
    } bad[] = {{4, 0, 0, "at most 3"},
               {2, 0.5, 0, "perplexity 0.5"},
               {2, -1, 0, "perplexity -1"},
               {2, ALL, 0, "perplexity 180"},
               {2, (double)NAN, 0, "perplexity"},
               {2, 0, 2.5, "theta is 2.5"},
               {2, 0, (double)NAN, "theta"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const spd_embed_options o = {.size = sizeof o,
                                     .kind = SPD_EMBEDDING_TSNE,
                                     .dimensions = bad[k].dimensions,
                                     .perplexity = bad[k].perplexity,
                                     .theta = bad[k].theta};
        CHECK(spd_embed(ctx, &o, N, ALL, X, Y, NULL, NULL) == SPD_EINVAL &&
                  strstr(said(ctx), bad[k].says),
              "%s: %s", bad[k].says, said(ctx));
    }
}

TEST(few_and_equal_samples)
{
    double X[4 * 4] = {0.0}, Y[8];
    for (size_t i = 0; i < 4; i++)
        X[4 * i] = X[4 * i + 3] = 1.0;
    for (size_t p = 2; p <= 4; p++)
        for (int tree = 0; tree < 2; tree++) {
            const spd_embed_options o = {.size = sizeof o,
                                         .kind = SPD_EMBEDDING_TSNE,
                                         .dimensions = 1,
                                         .theta = tree ? 0.5 : -1.0};
            CHECK(spd_embed(NULL, &o, 2, p, X, Y, NULL, NULL) == SPD_OK, "%zu samples", p);
            for (size_t i = 0; i < p; i++)
                CHECK(isfinite(Y[i]), "%zu samples: %g", p, Y[i]);
        }
}

TEST(it_can_be_cancelled)
{
    double *X = clusters(), Y[2 * ALL];
    int calls = 0;
    spd_context *ctx = context_on(0);
    spd_context_set_progress(ctx, stop_now, &calls);
    spd_status status = embed(ctx, X, -1.0, 1, Y, NULL);
    CHECK(status == SPD_ECANCELLED ? calls > 0 : status == SPD_OK && calls == 0, "%d calls", calls);
}

TEST(memory)
{
    double *X = clusters(), Y[2 * ALL];
    const spd_embed_options o = {.size = sizeof o,
                                 .kind = SPD_EMBEDDING_TSNE,
                                 .metric = SPD_METRIC_LOG_EUCLIDEAN,
                                 .dimensions = 2,
                                 .theta = 0.5,
                                 .iterations = 2};
    spd_context *ctx = context_on(1);
    for (sweep_state s = SWEEP(ctx, 1, Y, sizeof Y); sweep_on(&s);)
        s.status = spd_embed(ctx, &o, N, ALL, X, Y, NULL, NULL);
}
