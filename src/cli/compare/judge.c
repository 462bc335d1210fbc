/* judge.c - paired tests between the entries of a comparison.
 *
 * McNemar's looks at single samples: over all rounds at once where each is tested once, else the
 * median over the rounds, as evaluate does. Wilcoxon's looks at the accuracies of the rounds. The
 * p values of each are corrected for their number (Holm). */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "cli/compare/compare.h"

/* ---- the same samples? ----------------------------------------------------------------------- */

static const char *print_of(const comparison *c, size_t run, size_t round, const char *side)
{
    const json_t *split = json_array_get(json_object_get(c->root[run], "splits"), round);
    const char *text = json_string_value(json_object_get(split, side));
    return text ? text : "";
}

/* The first round in which two runs differ; rounds where they do not. */
static size_t differs(const comparison *c, size_t run, const char *side)
{
    size_t r = 0;
    while (r < c->rounds && strcmp(print_of(c, 0, r, side), print_of(c, run, r, side)) == 0)
        r++;
    return r;
}

/* Letters of one round must be as many, whatever the fingerprints say. */
static int same_lengths(const comparison *c)
{
    for (size_t i = 1; i < c->entries; i++)
        for (size_t r = 0; r < c->rounds; r++)
            if (strlen(c->entry[i].right[r]) != strlen(c->entry[0].right[r]))
                return 0;
    return 1;
}

void comparison_check_same(session *s, const comparison *c)
{
    for (size_t i = 1; i < c->runs; i++) {
        size_t rounds = json_array_size(json_object_get(c->root[i], "splits"));
        if (rounds != c->rounds)
            cli_fail(
                "%s has %zu rounds, %s has %zu: paired tests need the same; --tests none shows "
                "the figures alone",
                c->run[0], c->rounds, c->run[i], rounds);
        size_t round = differs(c, i, "test");
        if (round < c->rounds)
            cli_fail("%s and %s have tested different samples (round %zu): paired tests need the "
                     "same data, protocol and seed; --tests none shows the figures alone",
                     c->run[0], c->run[i], round + 1);
        if (differs(c, i, "train") < c->rounds)
            session_remark(s, "%s and %s were trained on different samples", c->run[0], c->run[i]);
    }
    if (!same_lengths(c))
        cli_fail("%s: rounds have different numbers of outcomes", c->run[0]);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* McNemar's p of outcomes; truth, first and second: room for as many numbers. */
static double mcnemar_of(session *s, size_t count, const char *a, const char *b, int *room)
{
    spd_mcnemar_result result = SPD_STRUCT(spd_mcnemar_result);
    int *truth = room, *first = room + count, *second = room + 2 * count;
    for (size_t i = 0; i < count; i++) {
        truth[i] = 1;
        first[i] = a[i] == '1';
        second[i] = b[i] == '1';
    }
    session_check(s, spd_mcnemar(s->ctx, count, truth, first, second, &result));
    return result.p_value;
}

/* All outcomes of an entry in one text. */
static char *chain(const comparison *c, const entry *e)
{
    char *all = cli_alloc(c->tests + 1, 1, "outcomes"), *end = all;
    for (size_t r = 0; r < c->rounds; r++) {
        size_t length = strlen(e->right[r]);
        memcpy(end, e->right[r], length);
        end += length;
    }
    return all;
}

static double test_samples(session *s, const comparison *c, const entry *a, const entry *b)
{
    int *room = cli_alloc(3 * c->tests, sizeof *room, "outcomes");
    double *p = cli_alloc(c->rounds, sizeof *p, "p values"), found;
    if (c->repeats_samples) {
        for (size_t r = 0; r < c->rounds; r++)
            p[r] = mcnemar_of(s, strlen(a->right[r]), a->right[r], b->right[r], room);
        found = order_median(c->rounds, p);
    } else {
        found = mcnemar_of(s, c->tests, chain(c, a), chain(c, b), room);
    }
    cli_free(room);
    cli_free(p);
    return found;
}

static double test_rounds(session *s, const comparison *c, const entry *a, const entry *b)
{
    spd_wilcoxon_result result = SPD_STRUCT(spd_wilcoxon_result);
    if (c->rounds < 2)
        return (double)NAN;
    session_check(s, spd_wilcoxon(s->ctx, c->rounds, b->accuracy, a->accuracy, &result));
    return result.p_value;
}

/* Both tests, each corrected for the number of comparisons. */
static void correct(session *s, comparison *c)
{
    double *p = cli_alloc(c->duels, sizeof *p, "p values");
    for (size_t i = 0; i < c->duels; i++)
        p[i] = c->duel[i].mcnemar;
    session_check(s, spd_holm(s->ctx, c->duels, p, p));
    for (size_t i = 0; i < c->duels; i++) {
        c->duel[i].mcnemar_holm = p[i];
        p[i] = c->duel[i].wilcoxon;
    }
    session_check(s, spd_holm(s->ctx, c->duels, p, p));
    for (size_t i = 0; i < c->duels; i++)
        c->duel[i].wilcoxon_holm = p[i];
}

void comparison_judge(session *s, comparison *c)
{
    size_t firsts = c->all_pairs ? c->entries : 1;
    if (c->entries < 2)
        return;
    c->duel = cli_alloc_table(firsts, c->entries, sizeof *c->duel, "comparisons");
    for (size_t i = 0; i < firsts; i++)
        for (size_t j = i + 1; j < c->entries; j++) {
            const entry *a = &c->entry[i], *b = &c->entry[j];
            c->duel[c->duels++] = (duel){.first = i,
                                         .second = j,
                                         .difference = b->mean[0] - a->mean[0],
                                         .mcnemar = test_samples(s, c, a, b),
                                         .wilcoxon = test_rounds(s, c, a, b)};
        }
    correct(s, c);
}
