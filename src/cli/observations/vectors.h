/* vectors.h - samples as observations: tables of vectors with a class each. */
#ifndef SPD_CLI_OBSERVATIONS_VECTORS_H
#define SPD_CLI_OBSERVATIONS_VECTORS_H

#include "cli/evaluate/columns.h"
#include "cli/frame/session.h"

typedef struct vectors {
    size_t p, r, n;  /* samples, observations in each, size of one */
    const double *O; /* p x r x n */
    groups classes;  /* of the p samples */
} vectors;

/* v <- X (p x r x n) and y of a file; with draw, X (p x n x n) are covariances, and so many normal
 * vectors are drawn from each. An exit status. */
int vectors_load(session *s, const char *path, size_t draw, vectors *v);

/* rows (taken x n) <- every so many-th observation of a sample. */
void vectors_take(const vectors *v, size_t sample, size_t every, size_t taken, double *rows);

#endif
