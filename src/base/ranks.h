/* ranks.h - several processes that work on one problem, as the library sees them.
 *
 * Every process, a rank, runs the same calls in the same order on the same numbers; what is heavy
 * is dealt out. Chunks of work are fixed by the problem, a rank takes a contiguous range of them,
 * and sums of chunks are added along a fixed tree: results are the same bits for any number of
 * ranks. How bytes travel is the business of a module that is loaded when it is asked for
 * (mpi); NULL stands for a process that is alone.
 *
 * Only the thread that called the library may call these. A fault of the transport ends the job. */
#ifndef SPD_BASE_RANKS_H
#define SPD_BASE_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include "spdml.h"

typedef struct ranks ranks;

struct ranks {
    int rank, count;
    int local;              /* number among the ranks of this machine */
    double bytes, messages; /* sent by this process so far */
    double seconds;         /* processor time within these functions, waiting included */
    void (*send)(ranks *r, int to, const void *from, size_t size);
    void (*receive)(ranks *r, int from, void *to, size_t size);
    void (*broadcast)(ranks *r, int from, void *bytes, size_t size);

    /* To each rank k out[out_at[k]] .. , from each in[in_at[k]] .. , in bytes, up to the next. */
    void (*exchange)(ranks *r, const size_t *out_at, const void *out, const size_t *in_at,
                     void *in);

    /* The least of what all ranks have given. */
    int64_t (*least)(ranks *r, int64_t value);

    /* Numbers from 0 on, each handed out once: `restart` begins anew, in all ranks together; `take`
     * gives the next and skips `many` less one; `poll`, now and then, lets others take theirs while
     * this rank computes. */
    void (*restart)(ranks *r);
    int64_t (*take)(ranks *r, int64_t many);
    void (*poll)(ranks *r);

    void (*stop)(ranks *r, int code); /* ends all processes */
    void (*end)(ranks *r);            /* leaves in peace */
};

/* Those of a context; NULL alone, also in a job of one process, and while ctx->alone. */
ranks *ranks_of(const spd_context *ctx);

int ranks_count(const ranks *r); /* 1 alone */
int ranks_rank(const ranks *r);  /* 0 alone */

/* Where the share of a rank of `items` begins; it ends where that of the next does. */
size_t ranks_first(const ranks *r, int rank, size_t items);

/* Whose share an item is in. */
int ranks_owner(const ranks *r, size_t items, size_t item);

/* Is something so anywhere? */
int ranks_any(ranks *r, int here);

/* The clock of rank 0. */
double ranks_clock(ranks *r);

/* The failure of the lowest rank that had one, with its message, in every rank; else the caller's
 * status. After work that was dealt out. */
spd_status ranks_settle(spd_context *ctx, spd_status status);

/* SPD_EINVAL, in all ranks, where one has another number than rank 0; what it counts: "matrices".
 */
spd_status ranks_agree(spd_context *ctx, size_t number, const char *what);

/* Work that ranks take one after the other, as they come to it, each as a process alone: body(user,
 * item) for every item, begun in their order. owner (items) <- who has had it. Once one has failed,
 * no more are begun; the failure is that of the lowest item that failed, in every rank. */
typedef spd_status (*ranks_body)(void *user, size_t item);
spd_status ranks_distribute(spd_context *ctx, size_t items, ranks_body body, void *user,
                            int64_t *owner);

/* For who computes as a process alone while others may want something: a call now and then. */
void ranks_poll(const spd_context *ctx);

/* all (rows x each bytes) <- the rows of all ranks: they are cut into chunks of `per` rows, and
 * each rank has filled in those of its share of the chunks (ranks_first). */
void ranks_collect(ranks *r, size_t rows, size_t per, size_t each, void *all);

/* sum (size) <- the sum over all chunks, in every rank; `part` (own chunks x size) is overwritten.
 * It is added along the tree ((0 + 1) + (2 + 3)) + ..., so that it depends neither on ranks nor on
 * who has which chunks. */
void ranks_sum(ranks *r, size_t chunks, size_t size, double *part, double *sum);

#endif
