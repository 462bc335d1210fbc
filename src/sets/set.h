/* set.h - a set of p matrices n x n, as the library goes through it: in memory as float64 or
 * float32, or in files. Whoever reads all of it goes through it in order with a walk (sets/walk.h),
 * which reads ahead; a few matrices are read one by one. All sums are of doubles: float32 is
 * widened on the way. Sets on a device are brought here first (set_to_host).
 *
 * A file is read, never mapped, so that one that shrinks or changes is a message and not a signal.
 * Reading happens in threads that make no messages: what went wrong is noted in the files, and
 * set_fail makes the message of it. */
#ifndef SPD_SETS_SET_H
#define SPD_SETS_SET_H

#include "base/arena.h"

struct shard;

/* What a set in files points to. */
struct spd_files {
    size_t n;       /* of the set */
    size_t width;   /* bytes of an element: 8 or 4; of complex numbers, see below */
    int is_complex; /* files hold complex n/2 x n/2 matrices, which are read as their real forms; of
                       these an element takes 4 bytes of complex128, and 2 of complex64 */
    /* raw <- `count` samples from number `first` on, as they are stored. From any thread; SPD_EIO
     * after a note. */
    spd_status (*read)(struct spd_files *f, size_t first, size_t count, void *raw);
    size_t count;
    struct shard *shard; /* count */

    /* Samples held_first .. held_last-1 as they are after repairs: what one of several processes
     * works on. */
    double *held;
    size_t held_first, held_last;

    spd_set_options repairs; /* to be made after reading */

    pthread_mutex_t lock; /* guards the note */
    int noted;
    char note[300];
};

/* The matrices, if they lie on the host as float64; else NULL. */
static inline const double *set_doubles(const spd_set *s)
{
    return s->place == SPD_PLACE_HOST && s->type == SPD_TYPE_FLOAT64 ? s->X : NULL;
}

/* Squared distances, log-determinants and the like of Hermitian matrices are half those of their
 * real forms. */
static inline double set_share(const spd_set *s)
{
    return s->hermitian ? 0.5 : 1.0;
}

/* *X <- the caller's set, if it is one: SPD_EINVAL, with the reason, for an empty one and for what
 * makes no sense. name: in messages. */
spd_status set_take(spd_context *ctx, const char *name, const spd_set *given, spd_set *X);

/* The same of a second set, which is like the first in all but p; *there <- &Y, or NULL of NULL. */
spd_status set_take_second(spd_context *ctx, const char *name, const spd_set *given,
                           const spd_set *X, spd_set *Y, const spd_set **there);

/* " (sample 3 of part-1.npy)" for sample i, or nothing. */
void files_locate(const struct spd_files *f, size_t i, char *text, size_t size);
void files_close(struct spd_files *f);

/* Makes the message of a failed reading; for other statuses nothing. Returns status. */
spd_status set_fail(spd_context *ctx, const spd_set *s, spd_status status);

/* Appends where sample ctx->error.index lies, if it is known. Returns status. */
spd_status set_locate(spd_context *ctx, const spd_set *s, spd_status status);

/* Bytes of one matrix as it is stored. */
size_t set_sample_bytes(const spd_set *s);

/* Samples from `first` on, if all of them lie in memory as they should be; else NULL. */
const double *set_there(const spd_set *s, size_t first, size_t count);

/* Sample i: where it lies, or read into `room` (n x n); NULL when it cannot be read. From any
 * thread. */
const double *set_sample(const spd_set *s, size_t i, double *room);

/* X (count x n x n) <- samples from `first` on. From any thread. */
spd_status set_read(const spd_set *s, size_t first, size_t count, double *X);

/* X (count x n x n) <- the samples at raw, as files hold them where that is not as doubles; raw may
 * be the end of X. */
void files_widen(const struct spd_files *f, size_t count, const void *raw, double *X);

/* Are there repairs to be made after reading? X (count x n x n) <- repaired. */
int files_repairs(const struct spd_files *f);
void files_repair(const struct spd_files *f, size_t count, double *X);

/* *host <- X itself, if it is on the host as float64, else such a copy in `room`. SPD_ENOMEM, before
 * anything is read, if there is not enough memory. X may be NULL, and *host is then untouched. */
spd_status set_to_host(spd_context *ctx, const spd_set *X, arena *room, spd_set *host);

#endif
