/* test_ranks.c - processes that share a problem, run by threads of this one with mailboxes
 * between them: shares, sums along the tree, failures, and everything that is dealt out against a
 * process alone, bit by bit. MPI itself is tested through the command (tests/cli/test_mpi.py). */
#include "test.h"

#include <pthread.h>

#include "base/context.h"
#include "engine_rig.h"

#define MOST 5 /* ranks */

/* ---- the mailboxes ------------------------------------------------------------------------- */

typedef struct message {
    struct message *next;
    char text[];
} message;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    message *box[MOST][MOST]; /* from, to */
} post = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{NULL}}};

static void post_send(ranks *r, int to, const void *from, size_t size)
{
    message *l = malloc(sizeof *l + size), **last = &post.box[r->rank][to];
    if (!l)
        abort();
    l->next = NULL;
    memcpy(l->text, from, size);
    pthread_mutex_lock(&post.lock);
    while (*last)
        last = &(*last)->next;
    *last = l;
    pthread_cond_broadcast(&post.came);
    pthread_mutex_unlock(&post.lock);
}

static void post_receive(ranks *r, int from, void *to, size_t size)
{
    message **box = &post.box[from][r->rank], *l;
    pthread_mutex_lock(&post.lock);
    while (!*box)
        pthread_cond_wait(&post.came, &post.lock);
    l = *box;
    *box = l->next;
    pthread_mutex_unlock(&post.lock);
    memcpy(to, l->text, size);
    free(l); /* another thread made it */
}

static void post_broadcast(ranks *r, int from, void *bytes, size_t size)
{
    for (int k = 0; r->rank == from && k < r->count; k++)
        if (k != from)
            post_send(r, k, bytes, size);
    if (r->rank != from)
        post_receive(r, from, bytes, size);
}

static void post_exchange(ranks *r, const size_t *out_at, const void *out, const size_t *in_at,
                          void *in)
{
    for (int k = 0; k < r->count; k++)
        if (out_at[k + 1] > out_at[k])
            post_send(r, k, (const char *)out + out_at[k], out_at[k + 1] - out_at[k]);
    for (int k = 0; k < r->count; k++)
        if (in_at[k + 1] > in_at[k])
            post_receive(r, k, (char *)in + in_at[k], in_at[k + 1] - in_at[k]);
}

static int64_t post_least(ranks *r, int64_t value)
{
    int64_t least = value, other;
    for (int k = 0; k < r->count; k++)
        post_send(r, k, &value, sizeof value);
    for (int k = 0; k < r->count; k++) {
        post_receive(r, k, &other, sizeof other);
        least = other < least ? other : least;
    }
    return least;
}

static int64_t next_number;

static void post_restart(ranks *r)
{
    post_least(r, 0);
    if (r->rank == 0)
        next_number = 0;
    post_least(r, 0);
}

static int64_t post_take(ranks *r, int64_t many)
{
    (void)r;
    pthread_mutex_lock(&post.lock);
    int64_t taken = next_number;
    next_number += many;
    pthread_mutex_unlock(&post.lock);
    return taken;
}

static void post_end(ranks *r)
{
    (void)r;
}

/* ---- a job ---------------------------------------------------------------------------------- */

typedef struct actor {
    ranks r;
    spd_context *ctx;
    void (*act)(struct actor *a);
    const void *given;
    double result[4000];
    pthread_t id;
} actor;

static actor cast[MOST];

static void *run_rank(void *user)
{
    SCOPE;
    actor *a = user;
    a->act(a);
    return NULL;
}

/* All ranks do the same. */
static void perform(int count, void (*act)(actor *a), const void *given)
{
    for (int k = 0; k < count; k++) {
        actor *a = &cast[k];
        *a = (actor){.act = act, .given = given, .ctx = spd_context_new()};
        a->r = (ranks){.rank = k,
                       .count = count,
                       .send = post_send,
                       .receive = post_receive,
                       .broadcast = post_broadcast,
                       .exchange = post_exchange,
                       .least = post_least,
                       .restart = post_restart,
                       .take = post_take,
                       .poll = post_end,
                       .end = post_end};
        a->ctx->ranks = &a->r;
        spd_context_set_threads(a->ctx, 1);
    }
    for (int k = 0; k < count; k++)
        pthread_create(&cast[k].id, NULL, run_rank, &cast[k]);
    for (int k = 0; k < count; k++) {
        pthread_join(cast[k].id, NULL);
        spd_context_free(cast[k].ctx);
    }
}

/* Every rank has what one alone has, for any number of ranks. */
static void compare(void (*act)(actor *a), const void *given, size_t what)
{
    static double alone[sizeof cast->result / sizeof(double)];
    perform(1, act, given);
    memcpy(alone, cast[0].result, sizeof alone);
    for (int count = 2; count <= MOST; count++) {
        perform(count, act, given);
        for (int k = 0; k < count; k++)
            CHECK(memcmp(cast[k].result, alone, sizeof alone) == 0, "case %zu, rank %d of %d", what,
                  k, count);
    }
}

TEST(shares_are_whole)
{
    for (int count = 1; count < 40; count++)
        for (size_t items = 0; items < 90; items++) {
            ranks r = {.count = count};
            CHECK(ranks_first(&r, 0, items) == 0 && ranks_first(&r, count, items) == items, " ");
            for (size_t i = 0; i < items; i++) {
                int k = ranks_owner(&r, items, i);
                CHECK(ranks_first(&r, k, items) <= i && i < ranks_first(&r, k + 1, items),
                      "%zu of %zu, %d ranks", i, items, count);
            }
        }
}

enum { ITEMS = 200, BAD = 120 };

typedef struct dealt {
    actor *a;
    double *times; /* ITEMS: done here */
} dealt;

static spd_status do_item(void *user, size_t item)
{
    const dealt *d = user;
    CHECK(!ranks_of(d->a->ctx), "a process alone");
    d->times[item]++;
    if (d->a->given && item >= BAD)
        return ctx_fail(d->a->ctx, SPD_EINVAL, "item %zu is bad", item);
    return SPD_OK;
}

static void deal_twice(actor *a)
{
    int64_t owner[ITEMS];
    dealt d = {a, a->result};
    for (int again = 0; again < 2; again++) {
        spd_status status = ranks_distribute(a->ctx, ITEMS, do_item, &d, owner);
        CHECK(status == (a->given ? SPD_EINVAL : SPD_OK), "status %d", status);
        for (size_t k = 0; k < (a->given ? BAD : ITEMS); k++)
            CHECK(owner[k] >= 0 && owner[k] < a->r.count, "owner of %zu", k);
    }
    if (a->given)
        CHECK(strstr(said(a->ctx), "item 120 is bad"), "%s", said(a->ctx));
}

/* Every item is done once, by any rank; of those that fail the first is named, whoever had it. */
TEST(items_are_done_once)
{
    for (int bad = 0; bad < 2; bad++)
        for (int count = 2; count <= MOST; count++) {
            perform(count, deal_twice, bad ? &bad : NULL);
            for (size_t k = 0; k < ITEMS; k++) {
                double times = 0.0;
                for (int r = 0; r < count; r++)
                    times += cast[r].result[k];
                int good = bad && k > BAD ? times <= 2.0 : times == 2.0;
                CHECK(good, "item %zu, %d ranks: %g times", k, count, times);
            }
        }
}

/* The tree, as slowly as it is said: ((0 + 1) + (2 + 3)) + ... */
static double tree(const double *x, size_t first, size_t reach, size_t chunks)
{
    if (first >= chunks)
        return 0.0;
    if (reach == 1)
        return x[first];
    double left = tree(x, first, reach / 2, chunks);
    return first + reach / 2 < chunks ? left + tree(x, first + reach / 2, reach / 2, chunks) : left;
}

static void act_sum(actor *a)
{
    const size_t *chunks = a->given;
    ranks *r = ranks_of(a->ctx);
    size_t first = ranks_first(r, a->r.rank, *chunks),
           last = ranks_first(r, a->r.rank + 1, *chunks);
    double part[200];
    for (size_t c = first; c < last; c++)
        part[c - first] = 1.0 / (double)(c * c + 3);
    ranks_sum(r, *chunks, 1, part, a->result);
}

TEST(sums_follow_the_tree)
{
    double x[100];
    for (size_t c = 0; c < 100; c++)
        x[c] = 1.0 / (double)(c * c + 3);
    for (size_t chunks = 1; chunks < 100; chunks += 1 + chunks / 6) {
        compare(act_sum, &chunks, chunks);
        CHECK(cast[0].result[0] == tree(x, 0, 128, chunks), "%zu chunks", chunks);
    }
}

/* An engine: start, a probe, a step, a gradient. */
static void act_engine(actor *a)
{
    const rig *g = a->given;
    problem *e = NULL;
    double f;
    if (!CHECK(engine_cpu_new(a->ctx, &g->in, &e) == SPD_OK, "%s", a->ctx->error.message))
        return;
    e->start(e, g->W);
    e->aim(e, g->U, g->sigma, g->V);
    e->probe(e, 0.3, &a->result[0], &a->result[1]);
    e->probe(e, 1e200, &f, &f); /* no cost there, or any: no rank may wait for another */
    e->step(e, 0.2);
    e->cost_grad(e, &a->result[2], a->result + 3);
    engine_free(e);
}

TEST(engines_have_the_same_bits)
{
    static const spd_metric metrics[] = {SPD_METRIC_STEIN, SPD_METRIC_AIRM, SPD_METRIC_JEFFREY,
                                         SPD_METRIC_LOG_EUCLIDEAN};
    rng r = seeded(7);
    for (size_t c = 0; c < 8; c++) {
        rig g = rig_make(&r, 7, 3, c % 3 ? 90 : 4, c % 3 ? 900 : 30, 10.0, c % 2 == 1);
        g.in.metric = metrics[c / 2];
        g.in.objective = c % 2 ? SPD_OBJECTIVE_SOFTMAX : SPD_OBJECTIVE_DIFFERENCE;
        compare(act_engine, &g, c);
    }
}

/* A graph of all pairs, in tiles; in the smallest some rank has no sample of its own. */
TEST(all_pairs_have_the_same_bits)
{
    static const size_t sizes[] = {25, 45, 70};
    rng r = seeded(12);
    for (size_t c = 0; c < 3; c++) {
        size_t p = sizes[c], count = 0;
        rig g = rig_make(&r, 7, 3, p, p * (p - 1) / 2, 10.0, 0);
        for (size_t i = 0; i < p; i++)
            for (size_t j = i + 1; j < p; j++, count++)
                g.pair[count] =
                    (spd_pair){(uint32_t)i, (uint32_t)j, i % 5 == j % 5, i % 5 != j % 5};
        g.in.objective = SPD_OBJECTIVE_SOFTMAX;
        compare(act_engine, &g, c);
    }
}

/* More pairs than the buffer holds at once. */
TEST(blocks_have_the_same_bits)
{
    rng r = seeded(8);
    for (size_t c = 0; c < 2; c++) {
        rig g = rig_make(&r, 24, 22, 60, 9000, 10.0, 0);
        g.in.metric = c ? SPD_METRIC_AIRM : SPD_METRIC_STEIN;
        g.in.objective = SPD_OBJECTIVE_DIFFERENCE;
        compare(act_engine, &g, c);
    }
}

static void act_check(actor *a)
{
    const rig *g = a->given;
    a->result[0] = spd_check(a->ctx, SPD_SET(g->in.n, g->in.p, g->X), 0.0);
    a->result[1] = (double)a->ctx->error.index;
    memcpy(a->result + 2, a->ctx->error.message, sizeof a->ctx->error.message);
}

TEST(the_first_bad_matrix_is_named)
{
    rng r = seeded(9);
    rig g = rig_make(&r, 4, 2, 700, 10, 10.0, 0);
    compare(act_check, &g, 0);
    g.X[650 * 16] = -1.0;
    g.X[333 * 16] = (double)NAN;
    compare(act_check, &g, 1);
    CHECK(cast[1].result[1] == 333.0, "%g", cast[1].result[1]);
}

/* Distances, neighbours and means: sums of what is found. */
static void act_geometry(actor *a)
{
    const rig *g = a->given;
    size_t n = g->in.n, p = g->in.p;
    double *D2 = block(p * p);
    int64_t *index = take(4 * p * sizeof *index);
    spd_nearest_info near = SPD_STRUCT(spd_nearest_info);
    CHECK_OK(NULL, spd_nearest(a->ctx, SPD_METRIC_AIRM, SPD_SET(n, p, g->X), NULL, 4, NULL, index,
                               D2, &near));
    for (size_t e = 0; e < 4 * p; e++)
        a->result[0] += D2[e] * (double)(index[e] + 1) * (double)(e + 1);
    a->result[1] = near.exact;
    CHECK(spd_pairwise2(a->ctx, SPD_METRIC_STEIN, SPD_SET(n, p, g->X), NULL, D2) == SPD_OK, " ");
    for (size_t e = 0; e < p * p; e++)
        a->result[2] += D2[e] * (double)(e % 7 + 1);
    CHECK_OK(NULL,
             spd_mean(a->ctx, SPD_METRIC_AIRM, SPD_SET(n, p, g->X), NULL, a->result + 3, NULL));
    CHECK(spd_congruence(a->ctx, SPD_SET(n, p, g->X), g->in.m, g->W, D2) == SPD_OK, " ");
    memcpy(a->result + 3 + n * n, D2, p * g->in.m * g->in.m * sizeof *D2);
}

TEST(geometry_has_the_same_bits)
{
    rng r = seeded(10);
    for (size_t p = 5; p < 400; p *= 4) {
        rig g = rig_make(&r, 6, 2, p, 4, 10.0, 0);
        compare(act_geometry, &g, p);
    }
}

/* Samples that stream by: blocks go round in a ring, in several tiles. */
static void act_ring(actor *a)
{
    const spd_set *const *both = a->given;
    size_t p = (both[0])->p, q = (both[1])->p;
    double *D2 = block(4 * (p + q));
    int64_t *index = take(4 * (p + q) * sizeof *index);
    spd_context_set_memory(a->ctx, 40e3);
    for (int within = 0; within < 2; within++) {
        spd_status status = spd_nearest(a->ctx, within ? SPD_METRIC_AIRM : SPD_METRIC_STEIN,
                                        both[0], within ? NULL : both[1], 4, NULL, index, D2, NULL);
        CHECK(status == SPD_OK, "%s", said(a->ctx));
        for (size_t e = 0; e < 4 * (within ? p : q); e++)
            a->result[within] += D2[e] * (double)(index[e] + 1) * (double)(e % 97 + 1);
    }
}

TEST(streams_have_the_same_bits)
{
    rng r = seeded(11);
    for (size_t p = 6; p < 700; p *= 5) {
        rig g = rig_make(&r, 6, 2, p, 4, 10.0, 0);
        spd_set half = *SPD_SET(6, p / 2, g.X), *both[2] = {NULL, &half};
        spd_set_load(NULL, SPD_SET(6, p, g.X), SPD_TYPE_FLOAT32, &both[0]);
        compare(act_ring, both, p);
        spd_set_free(both[0]);
    }
}
