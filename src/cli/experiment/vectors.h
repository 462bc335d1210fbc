/* vectors.h - samples as observations: tables of vectors with a class each. */
#ifndef SPD_CLI_EXPERIMENT_VECTORS_H
#define SPD_CLI_EXPERIMENT_VECTORS_H

#include "cli/evaluate/columns.h"
#include "cli/experiment/experiment.h"

typedef struct vectors {
    size_t p, r, n;  /* samples, observations in each, size of one */
    const double *O; /* p x r x n */
    size_t classes;
    const int *label; /* p */
    /* what they point into */
    double *drawn;
    spd_array *read;
    spd_data *data;
    groups own;
} vectors;

/* Draws or reads them: --data holds X (p x r x n) and y. An exit status. Freed always. */
int vectors_make(experiment *x, vectors *v);
void vectors_free(vectors *v);

/* rows (taken x n) <- every so many-th observation of a sample. */
void vectors_take(const vectors *v, size_t sample, size_t every, size_t taken, double *rows);

/* Writes taken observations, every so many-th, of the samples whose flag is `side`, as X and y. */
int vectors_write(experiment *x, const vectors *v, const char *flag, char side, size_t every,
                  size_t taken, const char *name);

#endif
