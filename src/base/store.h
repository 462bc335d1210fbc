/* store.h - a set of p matrices n x n, wherever it lies: in memory as float64 or float32, or in
 * files. Whoever reads all of it goes through it in order with a walk (engine/walk.h), which reads
 * ahead; a few matrices are read one by one. All sums are of doubles: float32 is widened on the
 * way.
 *
 * A file is read, never mapped, so that one that shrinks or changes is a message and not a signal.
 * Reading happens in threads that make no messages: what went wrong is noted in the store, and
 * store_fail makes the message of it. */
#ifndef SPD_BASE_STORE_H
#define SPD_BASE_STORE_H

#include "base/arena.h"

struct spd_store {
    size_t n, p;
    size_t width;   /* bytes of an element: 8 or 4; of complex numbers in files, see below */
    int is_complex; /* files hold complex n/2 x n/2 matrices, which are read as their real forms; of
                       these an element takes 4 bytes of complex128, and 2 of complex64 */
    const double *X;  /* all of it, where it lies in memory as float64; else NULL */
    const float *X32; /* the same as float32 */
    void *block;      /* of X or X32, where the store has made it */

    /* raw <- `count` samples from number `first` on, as they are stored. Called from any thread;
     * SPD_EIO after store_note. NULL in memory. */
    spd_status (*read)(const spd_store *s, size_t first, size_t count, void *raw);
    /* " (sample 3 of part-1.npy)" for sample i, or nothing. NULL in memory. */
    void (*locate)(const spd_store *s, size_t i, char *text, size_t size);
    void (*close)(spd_store *s); /* frees what `files` points to */
    void *files;

    /* Samples held_first .. held_last-1 of files as they are after repairs: what one of several
     * processes works on. */
    double *held;
    size_t held_first, held_last;

    /* Repairs to be made after reading: (X + X')/2, and what is added to the diagonal. */
    int symmetrize;
    double regularize, ridge;

    pthread_mutex_t lock; /* guards the note */
    int noted;
    char note[300];

    /* Of a set in memory as float64: where the same p x n x n numbers lie on a GPU, for an engine
     * that runs there; NULL: nowhere. */
    const spd_device *place;
    const double *there;
};

/* A store around matrices in memory, which stay the caller's; nothing to free. */
void store_lend(spd_store *s, size_t n, size_t p, const double *X);

/* Keeps the first of several notes; const, since it is no part of the set. */
void store_note(const spd_store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes the message of a failed reading; for other statuses nothing. Returns status. */
spd_status store_fail(spd_context *ctx, const spd_store *s, spd_status status);

/* Appends where sample ctx->error.index lies, if it is known. Returns status. */
spd_status store_locate(spd_context *ctx, const spd_store *s, spd_status status);

/* Bytes of one matrix as it is stored, and of all as doubles. */
size_t store_sample_bytes(const spd_store *s);
double store_bytes(const spd_store *s);

/* Samples from `first` on where all of them lie in memory as they should be; else NULL. */
const double *store_there(const spd_store *s, size_t first, size_t count);

/* Sample i: where it lies, or read into `room` (n x n); NULL when it cannot be read. From any
 * thread. */
const double *store_sample(const spd_store *s, size_t i, double *room);

/* X (count x n x n) <- samples from `first` on. From any thread. */
spd_status store_read(const spd_store *s, size_t first, size_t count, double *X);

/* X (count x n x n) <- the samples at raw, as files hold them where that is not as doubles; raw may
 * be the end of X. */
void store_widen(const spd_store *s, size_t count, const void *raw, double *X);

/* Are there repairs to be made after reading? X (count x n x n) <- repaired. */
int store_repairs(const spd_store *s);
void store_repair(const spd_store *s, size_t count, double *X);

#endif
