/* samples.h - sets of samples as callers give them, and parts of such sets. */
#ifndef SPD_CLASSIFY_SAMPLES_H
#define SPD_CLASSIFY_SAMPLES_H

#include "base/classes.h"
#include "classify/classifier.h"

/* *mine <- the caller's samples, which may be of another version; SPD_EINVAL when they have no
 * size. given NULL: no samples. */
spd_status samples_take(spd_context *ctx, const spd_samples *given, samples *mine);

/* Rows of the matrices: of Hermitian ones, whose real forms X are, half as many. */
static inline size_t samples_size(const samples *s)
{
    return s->hermitian ? s->n / 2 : s->n;
}

/* Blocks on the diagonal of the matrices that have observations of their own. */
static inline size_t samples_blocks(const samples *s)
{
    return s->blocks ? s->blocks : 1;
}

/* Are the means known of the observations whose covariances the matrices are? */
static inline int samples_have_means(const samples *s)
{
    return s->mean && s->observations && !s->hermitian;
}

/* Real numbers that such a matrix is determined by. */
static inline size_t samples_degrees(const samples *s)
{
    return s->hermitian ? s->n / 2 * (s->n / 2) : s->n * (s->n + 1) / 2;
}

/* The matrices as a set. */
static inline spd_set samples_set(const samples *s)
{
    return (spd_set){
        .size = sizeof(spd_set), .n = s->n, .p = s->p, .X = s->X, .hermitian = s->hermitian};
}

/* What a squared distance between coordinates of X is to be multiplied by to be that of the
 * matrices themselves. */
static inline double samples_factor(const samples *s)
{
    return s->hermitian ? 0.5 : 1.0;
}

/* D2 (a->p x b->p; b NULL: a itself) <- squared Stein distances; block by block where the matrices
 * have blocks on their diagonals. */
spd_status samples_stein_to(spd_context *ctx, const samples *a, const samples *b, double *D2);

/* *D2 (p x p) <- squared Stein distances between the samples; *median <- of those above the diagonal
 * (values_median_above). */
spd_status samples_stein(spd_context *ctx, const samples *s, arena *keep, double **D2,
                         double *median);

/* SPD_EINVAL, naming the first, when a label is no class number. */
spd_status samples_check_labels(spd_context *ctx, const samples *s);

/* to (count rows) <- the rows index (count) of from, each of `bytes`. */
void samples_rows(size_t count, const size_t *index, size_t bytes, const void *from, void *to);

/* *part <- some of the samples, copied together: those with the numbers index (count). */
spd_status samples_part(spd_context *ctx, const samples *all, size_t count, const size_t *index,
                        arena *keep, samples *part);

#endif
