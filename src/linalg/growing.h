/* growing.h - the Cholesky factor of a matrix that gains and loses rows.
 *
 * A = U'U with U upper triangular, row-major in room x room. A row more or less costs about n^2,
 * where a new factor costs n^3/3; both ways are backward stable. */
#ifndef SPD_LINALG_GROWING_H
#define SPD_LINALG_GROWING_H

#include "spdml.h"

typedef struct growing {
    size_t room, n;
    double *U;       /* room x room; zeros are not kept below the diagonal */
    double *scratch; /* room */
    size_t most;     /* the largest room that there is memory for */
} growing;

/* Room for n x n, what is there is kept; all zero is a factor without room. SPD_ENOMEM, and the
 * factor as it was. */
spd_status growing_room(growing *f, size_t room);
void growing_free(growing *f);

/* The factor becomes one without room, but keeps its memory: BLAS may round by the length of rows, so
 * what follows must not depend on how large the factor was before. */
void growing_clear(growing *f);

/* The factor of the n x n matrix whose upper triangle lies in f->U (rows of `room`). Non-zero when
 * it is not positive definite; the factor is then empty. */
int growing_make(growing *f, size_t n);

/* A gains a last row: a (n + 1) holds it, its diagonal last, and is destroyed. Non-zero, and
 * nothing changed, when it would not be positive definite. There must be room. */
int growing_append(growing *f, double *a);

/* A loses row and column r. */
void growing_remove(growing *f, size_t r);

/* b (n) <- A^-1 b */
void growing_solve(const growing *f, double *b);

#endif
