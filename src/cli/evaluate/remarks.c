/* remarks.c - what an accuracy under a protocol does not tell: classes that are never
 * tested. */
#include "cli/frame/cli_memory.h"
#include "cli/evaluate/protocol.h"

/* Does a sample train in every round? */
static int always_trains(const protocol *p, size_t sample)
{
    for (size_t r = 0; r < p->rounds; r++)
        if (!p->train[r * p->data->p + sample])
            return 0;
    return 1;
}

/* A class of one sample cannot train and be tested. */
static void remark_single(session *s, const protocol *p)
{
    const spd_data *d = p->data;
    size_t count = 0, first = 0;
    size_t *size = cli_alloc(d->classes, sizeof *size, "classes");
    for (size_t i = 0; i < d->p; i++)
        size[d->label[i]]++;
    for (size_t i = d->p; i-- > 0;)
        if (size[d->label[i]] == 1 && always_trains(p, i)) {
            count++;
            first = i;
        }
    if (count == 1)
        session_remark(s, "%s: class %s has one sample: it trains and is never tested", d->source,
                       d->class_name[d->label[first]]);
    else if (count > 1)
        session_remark(s,
                       "%s: %zu classes (such as %s) have one sample each: they train and are "
                       "never tested",
                       d->source, count, d->class_name[d->label[first]]);
    cli_free(size);
}

/* The only class that a round tests; -1 where there are several. */
static int only_class(const protocol *p, size_t round)
{
    int only = -1;
    for (size_t i = 0; i < p->data->p; i++) {
        if (!p->test[round * p->data->p + i])
            continue;
        if (only >= 0 && p->data->label[i] != only)
            return -1;
        only = p->data->label[i];
    }
    return only;
}

/* Do all rounds test one class, the same one? */
static int one_for_all(const protocol *p)
{
    int class = only_class(p, 0);
    for (size_t r = 1; r < p->rounds && class >= 0; r++)
        class = only_class(p, r) == class ? class : -1;
    return class >= 0;
}

/* With one class in the test part, whoever always answers it is right. */
static void remark_only_class(session *s, const protocol *p)
{
    size_t count = 0, first = 0;
    for (size_t r = p->rounds; r-- > 0;)
        if (only_class(p, r) >= 0) {
            count++;
            first = r;
        }
    if (count == 0)
        return;
    const char *source = p->data->source, *name = p->data->class_name[only_class(p, first)];
    if (one_for_all(p))
        session_remark(s,
                       "%s: all test matrices are of class %s; accuracy does not tell how well it "
                       "is told from the others",
                       source, name);
    else
        session_remark(s,
                       "%s: %zu of %zu rounds test one class alone, the first is round %s, class "
                       "%s; balanced accuracy is the plain one there",
                       source, count, p->rounds, p->round_name[first], name);
}

void protocol_remark(session *s, const protocol *p)
{
    remark_single(s, p);
    remark_only_class(s, p);
}
