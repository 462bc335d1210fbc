/* test_context.c - the context: messages that are too long, threads, words for statuses, words
 * that are nearly right. */
#include "random_spd.h"
#include "test.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/suggest.h"
#include "run/parallel.h"

#define ROOM sizeof((spd_error *)NULL)->message

/* What does not fit is cut off at the end; what stands in front stays. */
TEST(long_messages)
{
    spd_context *ctx = context_on(0);
    char text[2 * ROOM], front[400];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    memset(front, 'f', sizeof front);
    front[sizeof front - 1] = '\0';
    spd_status status = ctx_fail(ctx, SPD_EIO, "%s", text);
    CHECK(status == SPD_EIO, "%d", status);
    const char *message = said(ctx);
    CHECK(strlen(message) == ROOM - 1, "%zu of %zu", strlen(message), ROOM);
    ctx_prefix(ctx, "a.npy");
    CHECK(strncmp(message, "a.npy: xxx", 10) == 0 && strlen(message) == ROOM - 1, "'%.20s' %zu",
          message, strlen(message));
    ctx_prefix(ctx, front);
    CHECK(strncmp(message + 255, ": a.npy: x", 10) == 0 && strlen(message) == ROOM - 1,
          "'%.20s' %zu", message + 250, strlen(message));
    ctx_append(ctx, "%s", "more");
    CHECK(strlen(message) == ROOM - 1 && !strstr(message, "more"), "%zu", strlen(message));
    ctx_fail(ctx, SPD_EIO, "%s", "short");
    ctx_prefix(ctx, "in front");
    ctx_append(ctx, " and %d", 7);
    CHECK(strcmp(message, "in front: short and 7") == 0, "'%s'", message);
}

/* Nothing has failed: there is nothing to add to. */
TEST(no_message)
{
    spd_context *ctx = context_on(0);
    ctx_prefix(ctx, "a.npy");
    ctx_append(ctx, "more");
    CHECK(spd_context_error(ctx)->status == SPD_OK, "%d", spd_context_error(ctx)->status);
    CHECK(said(ctx)[0] == '\0', "'%s'", said(ctx));
    ctx_prefix(NULL, "a.npy");
    ctx_append(NULL, "more");
}

TEST(threads)
{
    spd_context *ctx = context_on(0);
    int all = parallel_threads(ctx);
    CHECK(all >= 1 && parallel_threads(NULL) == all, "%d", all);
    for (int wanted = 1; wanted < 5; wanted++) {
        spd_context_set_threads(ctx, wanted);
        CHECK(parallel_threads(ctx) == wanted, "%d for %d", parallel_threads(ctx), wanted);
    }
    spd_context_set_threads(ctx, 0);
    CHECK(parallel_threads(ctx) == all, "%d instead of all", parallel_threads(ctx));
    spd_context_set_threads(ctx, -3);
    CHECK(parallel_threads(ctx) == all, "%d instead of all", parallel_threads(ctx));
}

/* Two chunks that wait for each other; each has seen the other unless ten seconds are over. */
typedef struct meeting {
    atomic_int there, met;
    atomic_int thread[2];
} meeting;

static spd_status meet(void *user, size_t chunk, int thread)
{
    meeting *m = user;
    double until = clock_seconds() + 10.0;
    atomic_store(&m->thread[chunk], thread);
    atomic_fetch_add(&m->there, 1);
    while (atomic_load(&m->there) < 2 && clock_seconds() < until)
        ;
    if (atomic_load(&m->there) == 2)
        atomic_fetch_add(&m->met, 1);
    return SPD_OK;
}

/* Threads are there, and work at the same time: also after their number has changed. */
TEST(threads_meet)
{
    spd_context *ctx = context_on(0);
    for (int wanted = 2; wanted < 5; wanted++) {
        meeting m = {0};
        spd_context_set_threads(ctx, wanted);
        spd_status status = parallel_for(ctx, 2, meet, &m, NULL, NULL, 0.0, NULL);
        CHECK(status == SPD_OK && m.met == 2, "%d threads: %d", wanted, (int)m.met);
        CHECK(m.thread[0] != m.thread[1], "both in thread %d", (int)m.thread[0]);
        CHECK(m.thread[0] < wanted && m.thread[1] < wanted, "beyond %d", wanted);
    }
}

TEST(words)
{
    CHECK(strcmp(spd_status_text(SPD_OK), "good") == 0, "%s", spd_status_text(SPD_OK));
    CHECK(strcmp(spd_status_text(SPD_ENOMEM), "out of memory") == 0, " ");
    CHECK(strcmp(spd_status_text(SPD_ENUMERIC), "numerical breakdown") == 0, " ");
    CHECK(strcmp(spd_status_text((spd_status)-99), "unknown status") == 0, " ");
    CHECK(strstr("baseline avx2 avx512", spd_isa_name()), "%s", spd_isa_name());
}

static void suggested(const char *word, const char *expected)
{
    static const char *const all[] = {"stein",         "airm",   "jeffrey",
                                      "log-euclidean", "output", "abcd"};
    suggestion s = suggest_for(word);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        suggest_offer(&s, all[i]);
    CHECK(expected ? s.best && strcmp(s.best, expected) == 0 : !s.best, "%s: %s", word,
          s.best ? s.best : "nothing");
}

TEST(suggestions)
{
    suggested("stien", "stein"); /* two neighbours swapped: one edit */
    suggested("tsien", "stein");
    suggested("tsein", "stein");
    suggested("iarm", "airm");
    suggested("arm", "airm");
    suggested("am", NULL); /* two edits are too many for a short word, */
    suggested("badc", "abcd");
    suggested("xayb", NULL); /* and three for one of four letters */
    suggested("ou", "output");
    suggested("o", NULL);
    suggested("jeffery", "jeffrey");
    suggested("log-euclidaen", "log-euclidean");
    suggested("log-euclid", "log-euclidean");
    suggested("eculidean", NULL);
    suggested("aaba", NULL); /* half of a swap is none, */
    suggested("aada", NULL); /* from either side */
    suggested("", NULL);
}
