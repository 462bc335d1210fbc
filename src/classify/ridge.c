/* ridge.c - kernel ridge regression through a tridiagonal form of the centred kernel. */
#include "classify/ridge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "classify/values.h"
#include "linalg/dense.h"
#include "linalg/tall.h"
#include "run/blas.h"

/* The factor lies between one over this and this. */
#define SHARPEST 1e4

/* What may lie below zero of the mean eigenvalue by rounding alone, per dimension. */
#define ROUNDING 1e-12

/* ---- the decomposition ----------------------------------------------------------------------- */

/* mean (count) <- of the columns of Y (p x count). */
static void column_means(size_t p, size_t count, const double *Y, double *mean)
{
    memset(mean, 0, count * sizeof *mean);
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < count; c++)
            mean[c] += Y[i * count + c] / (double)p;
}

/* Y (p x count) <- X less the means of its columns. */
static void centre_columns(size_t p, size_t count, const double *X, const double *mean, double *Y)
{
    for (size_t i = 0; i < p; i++)
        for (size_t c = 0; c < count; c++)
            Y[i * count + c] = X[i * count + c] - mean[c];
}

/* Are all eigenvalues of T above -shift? As many are below as there are negative pivots. */
static int is_definite(const ridge *r, double shift)
{
    double pivot = 1.0;
    for (size_t k = 0; k < r->rank; k++) {
        double beside = k ? r->e[k - 1] : 0.0;
        pivot = r->d[k] + shift - beside * beside / pivot;
        if (!(pivot > 0.0))
            return 0;
    }
    return 1;
}

/* T <- its eigenvalues, none below zero, and Q' <- the eigenvectors. */
static spd_status clamp(spd_context *ctx, ridge *r)
{
    size_t p = r->rank;
    arena room = {0};
    double *T = arena_zero(&room, p, p * sizeof *T);
    double *work = arena_alloc(&room, dense_eigh_work(p), sizeof *work);
    spd_status status = arena_status(&room, ctx, "the eigenvectors of the kernel");
    for (size_t k = 0; status == SPD_OK && k < p; k++) {
        T[k * p + k] = r->d[k];
        if (k + 1 < p)
            T[k * p + k + 1] = T[(k + 1) * p + k] = r->e[k];
    }
    if (status == SPD_OK && dense_eigh(p, 1, T, r->d, work))
        status = ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of the kernel did not converge");
    if (status == SPD_OK) {
        dense_product_trans(p, T, r->Qt, work); /* dense_eigh_work is more than p x p */
        memcpy(r->Qt, work, p * p * sizeof *work);
        memset(r->e, 0, p * sizeof *r->e);
        r->clamped = 1;
    }
    for (size_t k = 0; status == SPD_OK && k < p; k++)
        r->d[k] = fmax(r->d[k], 0.0);
    arena_free(&room);
    return status;
}

/* r->Qt, which holds C, and T <- its decomposition. */
static spd_status decompose(spd_context *ctx, ridge *r)
{
    arena room = {0};
    double *work = arena_alloc(&room, dense_tridiagonal_work(r->rank), sizeof *work), trace = 0.0;
    spd_status status = arena_status(&room, ctx, "the kernel");
    if (status == SPD_OK) {
        dense_tridiagonal(r->rank, 1, r->Qt, r->d, r->e, work);
        r->e[r->rank - 1] = 0.0;
    }
    arena_free(&room);
    for (size_t k = 0; status == SPD_OK && k < r->rank; k++)
        trace += fabs(r->d[k]);
    return status == SPD_OK && !is_definite(r, ROUNDING * trace) ? clamp(ctx, r) : status;
}

/* r->F <- Q'Y; and room for what every lambda needs. */
static spd_status project(spd_context *ctx, ridge *r, arena *keep)
{
    size_t p = r->to->p, count = r->to->count;
    arena room = {0};
    double *Y = arena_alloc(&room, p, count * sizeof *Y);
    double *mean = arena_alloc(&room, count, sizeof *mean);
    r->F = arena_zero(keep, r->rank, count * sizeof *r->F);
    r->z = arena_alloc(keep, r->rank, count * sizeof *r->z);
    r->w = arena_alloc(keep, r->rank, sizeof *r->w);
    r->l = arena_zero(keep, r->rank, sizeof *r->l);
    spd_status status = arena_status(keep, ctx, "kernel ridge regression");
    if (status == SPD_OK)
        status = arena_status(&room, ctx, "kernel ridge regression");
    if (status == SPD_OK && r->rank) {
        column_means(p, count, r->to->Y, mean);
        centre_columns(p, count, r->to->Y, mean, Y);
        tall_product(r->rank, p, count, r->Qt, Y, r->F);
    }
    arena_free(&room);
    return status;
}

spd_status ridge_open(spd_context *ctx, const ridge_targets *to, double *K, arena *keep, ridge *r)
{
    *r = (ridge){.to = to,
                 .rank = to->p,
                 .Qt = K,
                 .d = arena_alloc(keep, to->p, sizeof *r->d),
                 .e = arena_alloc(keep, to->p, sizeof *r->e),
                 .mean = arena_alloc(keep, to->p, sizeof *r->mean)};
    spd_status status = arena_status(keep, ctx, "kernel ridge regression");
    if (status < 0)
        return status;
    values_centre(to->p, K, r->mean);
    spd_private_blas_hold();
    status = decompose(ctx, r);
    if (status == SPD_OK)
        status = project(ctx, r, keep);
    spd_private_blas_release();
    return status;
}

/* ---- of vectors ------------------------------------------------------------------------------ */

/* r->d, W and Qt <- of the eigenvectors G (dim x dim, columns, ascending) of V'V, s their values. */
static spd_status take_axes(spd_context *ctx, ridge *r, const double *V, const double *G,
                            const double *s, arena *keep)
{
    size_t dim = r->dim, p = r->to->p;
    while (r->rank < dim && r->rank + 1 < p &&
           s[dim - 1 - r->rank] > DBL_EPSILON * (double)dim * s[dim - 1])
        r->rank++;
    r->d = arena_alloc(keep, r->rank, sizeof *r->d);
    r->e = arena_zero(keep, r->rank, sizeof *r->e);
    r->W = arena_alloc(keep, r->rank, dim * sizeof *r->W);
    r->Qt = arena_alloc(keep, r->rank, p * sizeof *r->Qt);
    spd_status status = arena_status(keep, ctx, "kernel ridge regression");
    for (size_t k = 0; status == SPD_OK && k < r->rank; k++) {
        size_t from = dim - 1 - k;
        r->d[k] = s[from];
        for (size_t e = 0; e < dim; e++)
            r->W[k * dim + e] = G[e * dim + from] / sqrt(s[from]);
    }
    if (status == SPD_OK && r->rank)
        tall_product_trans(r->rank, dim, p, r->W, V, r->Qt);
    return status;
}

spd_status ridge_open_vectors(spd_context *ctx, const ridge_targets *to, size_t dim, double *V,
                              arena *keep, ridge *r)
{
    arena room = {0};
    double *G = arena_zero(&room, dim, dim * sizeof *G);
    double *s = arena_alloc(&room, dim, sizeof *s);
    double *work = arena_alloc(&room, dense_eigh_work(dim), sizeof *work);
    *r = (ridge){
        .to = to, .of_vectors = 1, .dim = dim, .mean = arena_alloc(keep, dim, sizeof *r->mean)};
    spd_status status = arena_status(&room, ctx, "kernel ridge regression");
    if (status == SPD_OK)
        status = arena_status(keep, ctx, "kernel ridge regression");
    spd_private_blas_hold();
    if (status == SPD_OK && dim) {
        column_means(to->p, dim, V, r->mean);
        centre_columns(to->p, dim, V, r->mean, V);
        tall_add_gram(to->p, dim, V, G);
        dense_mirror(dim, G);
        if (dense_eigh(dim, 1, G, s, work))
            status = ctx_fail(ctx, SPD_ENUMERIC, "the eigenvalues of the kernel did not converge");
    }
    if (status == SPD_OK)
        status = take_axes(ctx, r, V, G, s, keep);
    if (status == SPD_OK)
        status = project(ctx, r, keep);
    spd_private_blas_release();
    arena_free(&room);
    return status;
}

/* ---- one lambda ------------------------------------------------------------------------------ */

/* With S the part of Q that counts,
 *
 *   S = lambda (T + lambda I)^-1 of a kernel:  R = Q S Q' - 11'/p,      residual = Q z
 *   S = T (T + lambda I)^-1 of vectors:        R = H - Q S Q',          residual = H Y - Q z
 *
 * S = M' diag(w) M, with M = L^-1 from T + lambda I = L diag L', and z = S F. */
static void weigh(ridge *r, double lambda)
{
    size_t count = r->to->count;
    double before = 0.0;
    for (size_t k = 0; k < r->rank; k++) {
        double beside = k ? r->e[k - 1] : 0.0, pivot = r->d[k] + lambda - beside * before;
        r->w[k] = (r->of_vectors ? r->d[k] : lambda) / pivot;
        r->l[k] = r->e[k] / pivot; /* takes row k from row k + 1 */
        before = r->l[k];
        for (size_t c = 0; c < count; c++)
            r->z[k * count + c] =
                r->F[k * count + c] - (k ? r->l[k - 1] * r->z[(k - 1) * count + c] : 0.0);
    }
    for (size_t e = 0; e < r->rank * count; e++)
        r->z[e] *= r->w[e / count];
    for (size_t k = r->rank; k-- > 1;)
        for (size_t c = 0; c < count; c++)
            r->z[(k - 1) * count + c] -= r->l[k - 1] * r->z[k * count + c];
}

/* The rows of M Q' follow one from another: row k is that of Q' less this times row k - 1. */
static double factor_of(const ridge *r, size_t k)
{
    return k ? r->l[k - 1] : 0.0;
}

/* left <- residuals: R Y. */
static void take_residuals(const ridge *r, double *left)
{
    size_t p = r->to->p, count = r->to->count;
    double mean;
    if (r->rank)
        dense_trans_product(p, count, r->rank, r->Qt, r->z, 0.0, left);
    else
        memset(left, 0, p * count * sizeof *left);
    for (size_t c = 0; r->of_vectors && c < count; c++) {
        mean = 0.0;
        for (size_t i = 0; i < p; i++)
            mean += r->to->Y[i * count + c] / (double)p;
        for (size_t i = 0; i < p; i++)
            left[i * count + c] = r->to->Y[i * count + c] - mean - left[i * count + c];
    }
}

/* left <- residuals over R_ii: what is missing without each sample. row, share: scratch of p. */
static void leave_each(const ridge *r, double *row, double *share, double *left)
{
    size_t p = r->to->p, count = r->to->count;
    memset(row, 0, p * sizeof *row);
    memset(share, 0, p * sizeof *share);
    for (size_t k = 0; k < r->rank; k++) {
        const double *q = r->Qt + k * p, factor = factor_of(r, k), weight = r->w[k];
        for (size_t i = 0; i < p; i++) {
            row[i] = q[i] - factor * row[i];
            share[i] += weight * row[i] * row[i];
        }
    }
    for (size_t i = 0; i < p; i++) {
        double own = (r->of_vectors ? 1.0 - share[i] : share[i]) - 1.0 / (double)p;
        for (size_t c = 0; c < count; c++)
            left[i * count + c] /= fmax(own, DBL_EPSILON);
    }
}

/* R (size x size, lower triangle) <- that of some samples. B: scratch of rank x size. */
static void take_block(const ridge *r, size_t size, const size_t *index, double *B, double *R)
{
    memset(R, 0, size * size * sizeof *R);
    for (size_t k = 0; k < r->rank; k++) {
        const double *q = r->Qt + k * r->to->p, factor = factor_of(r, k);
        double *row = B + k * size;
        for (size_t i = 0; i < size; i++)
            row[i] = q[index[i]] - (k ? factor * B[(k - 1) * size + i] : 0.0);
    }
    for (size_t k = 0; k < r->rank; k++)
        for (size_t i = 0; i < size; i++)
            B[k * size + i] *= sqrt(r->w[k]);
    if (r->rank)
        tall_add_gram(r->rank, size, B, R);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            double own = r->of_vectors ? (i == j ? 1.0 : 0.0) - R[i * size + j] : R[i * size + j];
            R[i * size + j] = own - 1.0 / (double)r->to->p;
        }
}

/* left of a group <- (R_gg)^-1 times what is there. x: scratch of size x count. */
static void solve_group(const ridge_targets *to, size_t g, double *R, double *x, double *left)
{
    const size_t *index = to->groups->order + to->groups->first[g];
    size_t size = class_size(to->groups, g), count = to->count;
    for (size_t i = 0; i < size; i++)
        memcpy(x + i * count, left + index[i] * count, count * sizeof *x);
    if (dense_chol(size, R) == 0) {
        tall_solve(size, count, R, x);
        tall_solve_trans(size, count, R, x);
    } else { /* the others say nothing of them */
        for (size_t i = 0; i < size; i++)
            memcpy(x + i * count, to->Y + index[i] * count, count * sizeof *x);
    }
    for (size_t i = 0; i < size; i++)
        memcpy(left + index[i] * count, x + i * count, count * sizeof *x);
}

/* What take_block and solve_group need. */
typedef struct group_room {
    double *B, *R, *x;
} group_room;

static spd_status open_groups(spd_context *ctx, const ridge_targets *to, size_t rank, arena *room,
                              group_room *g)
{
    size_t most = to->groups->largest;
    g->B = arena_alloc(room, most, rank * sizeof *g->B);
    g->R = arena_alloc(room, most, most * sizeof *g->R);
    g->x = arena_alloc(room, most, to->count * sizeof *g->x);
    return arena_status(room, ctx, "groups left out");
}

static spd_status leave_groups(spd_context *ctx, const ridge *r, arena *room, double *left)
{
    const classes *groups = r->to->groups;
    group_room own;
    spd_status status = open_groups(ctx, r->to, r->rank, room, &own);
    for (size_t g = 0; status == SPD_OK && g < groups->count; g++) {
        take_block(r, class_size(groups, g), groups->order + groups->first[g], own.B, own.R);
        solve_group(r->to, g, own.R, own.x, left);
    }
    return status;
}

/* The largest column, ties by lower number. */
static size_t largest(size_t count, const double *score)
{
    size_t best = 0;
    for (size_t c = 1; c < count; c++)
        if (score[c] > score[best])
            best = c;
    return best;
}

/* left, what is missing, <- what is predicted. */
static ridge_quality judge(const ridge_targets *to, double *left)
{
    ridge_quality q = {0, 0.0};
    for (size_t i = 0; i < to->p; i++) {
        double *row = left + i * to->count;
        for (size_t c = 0; c < to->count; c++) {
            q.error += row[c] * row[c];
            row[c] = to->Y[i * to->count + c] - row[c];
        }
        q.right += to->at && largest(to->count, row) == to->at[i];
    }
    return q;
}

spd_status ridge_leave_out(spd_context *ctx, ridge *r, double lambda, double *left,
                           ridge_quality *quality)
{
    arena room = {0};
    double *row = arena_alloc(&room, r->to->p, sizeof *row);
    double *share = arena_alloc(&room, r->to->p, sizeof *share);
    spd_status status = arena_status(&room, ctx, "samples left out");
    spd_private_blas_hold();
    if (status == SPD_OK) {
        weigh(r, lambda);
        take_residuals(r, left);
    }
    if (status == SPD_OK && r->to->groups)
        status = leave_groups(ctx, r, &room, left);
    else if (status == SPD_OK)
        leave_each(r, row, share, left);
    spd_private_blas_release();
    if (status == SPD_OK)
        *quality = judge(r->to, left);
    arena_free(&room);
    return status;
}

int ridge_is_better(ridge_quality a, ridge_quality b)
{
    return a.right > b.right || (a.right == b.right && a.error < b.error);
}

/* b <- the mean of Y less what A makes of the means. */
static void take_intercept(const ridge_targets *to, size_t rows, const double *mean,
                           const double *A, double *b)
{
    column_means(to->p, to->count, to->Y, b);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < to->count; c++)
            b[c] -= mean[i] * A[i * to->count + c];
}

void ridge_solve(ridge *r, double lambda, double *A, double *b)
{
    size_t count = r->to->count, rows = r->of_vectors ? r->dim : r->to->p;
    double least = r->clamped ? DBL_EPSILON * (double)r->rank * r->d[r->rank - 1] : -1.0;
    weigh(r, lambda);
    for (size_t k = 0; k < r->rank; k++) {
        double factor = r->of_vectors ? 1.0 : r->clamped && r->d[k] <= least ? 0.0 : 1.0 / lambda;
        for (size_t c = 0; c < count; c++)
            r->z[k * count + c] *= factor;
    }
    spd_private_blas_hold();
    if (r->rank)
        dense_trans_product(rows, count, r->rank, r->of_vectors ? r->W : r->Qt, r->z, 0.0, A);
    else
        memset(A, 0, rows * count * sizeof *A);
    spd_private_blas_release();
    take_intercept(r->to, rows, r->mean, A, b);
}

/* ---- the inverse ----------------------------------------------------------------------------- */

/* The lower triangle of K <- that of H K H + shift I; mean (p) <- the means of its rows before. */
static void centre_lower(size_t p, double shift, double *K, double *mean)
{
    double all = 0.0;
    memset(mean, 0, p * sizeof *mean);
    for (size_t i = 0; i < p; i++) {
        double sum = 0.0;
        const double *row = K + i * p;
        for (size_t j = 0; j < i; j++) {
            sum += row[j];
            mean[j] += row[j];
        }
        mean[i] += sum + row[i];
    }
    for (size_t i = 0; i < p; i++) {
        mean[i] /= (double)p;
        all += mean[i] / (double)p;
    }
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j <= i; j++)
            K[i * p + j] += all - (mean[i] + mean[j]);
        K[i * p + i] += shift;
    }
}

/* left, which holds residuals, <- what is missing without each group. */
static spd_status leave_by_inverse(spd_context *ctx, const ridge_targets *to, double lambda,
                                   const double *K, arena *room, double *left)
{
    size_t p = to->p;
    group_room own;
    for (size_t i = 0; !to->groups && i < p; i++) {
        double share = lambda * K[i * p + i] - 1.0 / (double)p;
        for (size_t c = 0; c < to->count; c++)
            left[i * to->count + c] /= fmax(share, DBL_EPSILON);
    }
    if (!to->groups)
        return SPD_OK;
    spd_status status = open_groups(ctx, to, 0, room, &own);
    for (size_t g = 0; status == SPD_OK && g < to->groups->count; g++) {
        const size_t *index = to->groups->order + to->groups->first[g];
        size_t size = class_size(to->groups, g);
        for (size_t i = 0; i < size; i++)
            for (size_t j = 0; j <= i; j++) /* numbers ascend within a group */
                own.R[i * size + j] = lambda * K[index[i] * p + index[j]] - 1.0 / (double)p;
        solve_group(to, g, own.R, own.x, left);
    }
    return status;
}

spd_status ridge_once(spd_context *ctx, const ridge_targets *to, double lambda, double *K,
                      double *left, ridge_quality *quality, double *A, double *b)
{
    size_t p = to->p, count = to->count;
    arena room = {0};
    double *mean = arena_alloc(&room, p, sizeof *mean);
    double *Y = arena_alloc(&room, p, count * sizeof *Y);
    spd_status status = arena_status(&room, ctx, "kernel ridge regression");
    if (status == SPD_OK) {
        centre_lower(p, lambda, K, mean);
        spd_private_blas_hold();
        if (dense_inverse(p, K))
            status = ctx_fail(ctx, SPD_ENUMERIC,
                              "the kernel is not definite with lambda %g: a larger lambda, or a "
                              "larger beta, is needed",
                              lambda);
        column_means(p, count, to->Y, b);
        centre_columns(p, count, to->Y, b, Y);
        if (status == SPD_OK)
            dense_lower_product(p, count, K, Y, A);
        for (size_t e = 0; status == SPD_OK && e < p * count; e++)
            left[e] = lambda * A[e];
        if (status == SPD_OK)
            status = leave_by_inverse(ctx, to, lambda, K, &room, left);
        spd_private_blas_release();
    }
    if (status == SPD_OK) {
        *quality = judge(to, left);
        take_intercept(to, p, mean, A, b);
    }
    arena_free(&room);
    return status;
}

/* ---- probabilities --------------------------------------------------------------------------- */

/* The derivative of the logarithm of the likelihood by the factor, of one sample. */
static double slope_of(size_t count, size_t own, double miss, const double *score, double factor)
{
    double most = score[largest(count, score)], sum = 0.0, expected = 0.0, wanted = 0.0;
    for (size_t c = 0; c < count; c++) {
        double share = exp(factor * (score[c] - most));
        sum += share;
        expected += share * score[c];
        wanted += (c == own ? 1.0 - miss : miss / (double)(count - 1)) * score[c];
    }
    return wanted - expected / sum;
}

double ridge_sharpness(const ridge_targets *to, const double *left)
{
    double low = -log(SHARPEST), high = log(SHARPEST), miss = 1.0 / ((double)to->p + 2.0);
    if (!to->at || to->count < 2)
        return 1.0;
    for (int step = 0; step < 50; step++) { /* the slope falls with the factor */
        double middle = 0.5 * (low + high), slope = 0.0;
        for (size_t i = 0; i < to->p; i++)
            slope += slope_of(to->count, to->at[i], miss, left + i * to->count, exp(middle));
        *(slope > 0.0 ? &low : &high) = middle;
    }
    return exp(0.5 * (low + high));
}
