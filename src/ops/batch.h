/* batch.h - one operation on every matrix of a set, results apart until all are good. */
#ifndef SPD_OPS_BATCH_H
#define SPD_OPS_BATCH_H

#include "run/octets.h"
#include "sets/job.h"

typedef struct batch {
    const kernels *k;
    size_t n, p;
    const double *X;  /* p x n x n */
    const double *Y;  /* a second set, or NULL */
    const double *W;  /* n x PASS_LD(m) for congruences, or NULL */
    size_t m;         /* columns of W */
    int vectors;      /* eigenvectors wanted */
    spd_function f;   /* of spd_apply */
    double power;     /* likewise */
    size_t each;      /* doubles of one result */
    double *result;   /* p x each, made by batch_run */
    const char *task; /* for progress and messages */
    int shared;       /* the samples are dealt out to the ranks */
} batch;

/* As octet_loop.body; user is the batch. */
typedef unsigned (*batch_body)(void *user, size_t first, size_t count, double *work);

/* Runs body over all samples with `work` doubles of scratch per thread and keeps
 * the results in b->result, which the caller frees, always. Status as of octets_run. */
spd_status batch_run(spd_context *ctx, batch *b, batch_body body, size_t work, size_t *bad);

/* *X <- the caller's set. SPD_EINVAL with a message when there is nothing to do, or nowhere to put
 * it. */
spd_status batch_take(spd_context *ctx, const spd_set *given, const double *out, spd_set *X);

/* Of a function of the set of a job. */
batch apply_batch(const set_job *j);

/* What spd_apply refuses; and why b->f of X[i] has no result. */
spd_status apply_check(spd_context *ctx, spd_function f, double power);
spd_status apply_explain(spd_context *ctx, const batch *b, size_t i);

#endif
