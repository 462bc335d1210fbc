/* near_lists.h - a list, or two, of near samples for every sample of a set, and ways to better
 * them: leaves of random trees, then rounds in which every sample meets those on the lists of the
 * samples on its lists (neighbour descent: Dong, Moses, Li 2011).
 *
 * In a round every sample looks at the lists of the last one and writes its own: the same bits for
 * any number of threads. */
#ifndef SPD_ENGINE_NEAR_LISTS_H
#define SPD_ENGINE_NEAR_LISTS_H

#include "base/classes.h"
#include "engine/approximate.h"
#include "engine/parallel.h"
#include "engine/stand_ins.h"
#include "linalg/kernels.h"

struct near_seat; /* what one thread works with */
struct leaves;

typedef struct near_lists {
    const approximate_job *job;
    const classes *c;   /* of its labels; one class of all without */
    const size_t *of;   /* p: number of the class in c; of no use without a label */
    const stand_ins *s; /* by which is measured; NULL: by the metric */
    const kernels *kernels;
    size_t k[2], each;          /* entries of each list, and of both */
    size_t reach;               /* how many of a list are asked for theirs */
    hit *now, *next;            /* p x each */
    size_t *count, *count_next; /* p x 2 */
    hit *back;                  /* p x reach: those in whose lists a sample is, nearest first */
    size_t *backs;              /* p */
    struct near_seat *seats;
    const struct leaves *l; /* of the tree at hand */
    size_t chunks;          /* at most */
    size_t *changed;        /* chunks: entries */
    double *measured;       /* chunks: true distances */
    double total;           /* of them, so far */
    size_t (*bad)[2];       /* chunks: a pair without a distance */
} near_lists;

/* d: empty, from what d->job, c, of, s, k and reach say. */
spd_status near_lists_open(spd_context *ctx, arena *keep, near_lists *d);

/* First lists, from trees of stand-ins. */
spd_status near_lists_plant(spd_context *ctx, near_lists *d);

/* Rounds, until hardly anything changes. */
spd_status near_lists_rounds(spd_context *ctx, near_lists *d, int rounds, const char *task);

/* to (empty) <- the best of what is on the lists of `from`. */
spd_status near_lists_pass(spd_context *ctx, near_lists *from, near_lists *to);

/* found (rows x each), count (rows x 2) <- the true lists of some samples, among some others;
 * `other` NULL: among all. */
spd_status near_lists_exact(spd_context *ctx, near_lists *d, size_t rows, const size_t *row,
                            size_t others, const size_t *other, hit *found, size_t *count);

/* List 0 or 1 of sample i among lists. */
hit *near_list(const near_lists *d, hit *lists, size_t i, int which);

#endif
