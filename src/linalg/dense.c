/* dense.c - thin wrappers over BLAS and LAPACK.
 *
 * LAPACK is called column-major, where a row-major matrix is its transpose: nothing is copied,
 * and "upper" there is "lower" here. */
#include "linalg/dense.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/lapack_calls.h"

int dense_chol(size_t n, double *A)
{
    lapack_int size = (lapack_int)n, info;
    LAPACK_dpotrf("U", &size, A, &size, &info);
    for (size_t r = 0; r < n; r++)
        memset(A + r * n + r + 1, 0, (n - r - 1) * sizeof *A);
    /* LAPACK lets a NaN pass in some builds: it would stand on the diagonal. */
    for (size_t r = 0; r < n && info == 0; r++)
        info = !(A[r * n + r] > 0.0);
    return info != 0;
}

/* What the documentation of dsyevd asks for; the integers come last. */
static size_t eigh_reals(size_t n)
{
    return 1 + 6 * n + 2 * n * n;
}

size_t dense_eigh_work(size_t n)
{
    return eigh_reals(n) + 3 + 5 * n;
}

/* Rows that are swapped with columns, or averaged, at a time: a cache line of columns. */
#define STRIP 8

void dense_transpose(size_t n, double *A)
{
    for (size_t first = 0; first < n; first += STRIP)
        for (size_t r = first + 1; r < n; r++)
            for (size_t c = first; c < r && c < first + STRIP; c++) {
                double x = A[r * n + c];
                A[r * n + c] = A[c * n + r];
                A[c * n + r] = x;
            }
}

int dense_eigh(size_t n, int vectors, double *A, double *lambda, double *work)
{
    lapack_int size = (lapack_int)n, info;
    lapack_int reals = (lapack_int)eigh_reals(n), integers = (lapack_int)(3 + 5 * n);
    LAPACK_dsyevd(vectors ? "V" : "N", "U", &size, A, &size, lambda, work, &reals,
                  (lapack_int *)(void *)(work + reals), &integers, &info);
    if (vectors)
        dense_transpose(n, A);
    return info != 0;
}

/* The reflectors' factors, and blocks of LAPACK's usual width. */
size_t dense_tridiagonal_work(size_t n)
{
    return n + 64 * n;
}

void dense_tridiagonal(size_t n, int vectors, double *A, double *d, double *e, double *work)
{
    lapack_int size = (lapack_int)n, room = (lapack_int)(64 * n), info;
    LAPACK_dsytrd("L", &size, A, &size, d, e, work, work + n, &room, &info);
    if (vectors)
        LAPACK_dorgtr("L", &size, A, &size, work, work + n, &room, &info);
}

int dense_inverse(size_t n, double *A)
{
    lapack_int size = (lapack_int)n, info;
    LAPACK_dpotrf("U", &size, A, &size, &info);
    /* LAPACK lets a NaN pass in some builds: it would stand on the diagonal. */
    for (size_t r = 0; r < n && info == 0; r++)
        info = !(A[r * n + r] > 0.0);
    if (info == 0)
        LAPACK_dpotri("U", &size, A, &size, &info);
    return info != 0;
}

/* All eigenvalues, blocks of LAPACK's usual width, then the integers of dsyevr. */
static size_t some_reals(size_t n)
{
    return (64 + 6) * n;
}

size_t dense_eigh_some_work(size_t n)
{
    return n + some_reals(n) + 12 * n;
}

int dense_eigh_some(size_t n, size_t first, size_t count, double *A, double *lambda, double *V,
                    double *work)
{
    lapack_int size = (lapack_int)n, low = (lapack_int)first + 1, found = 0;
    lapack_int high = (lapack_int)(first + count), reals = (lapack_int)some_reals(n);
    lapack_int info, tens = 10 * size;
    const double unused = 0.0, best = 0.0; /* bounds of a range of values; accuracy */
    double *all = work, *rest = all + n;
    lapack_int *integers = (lapack_int *)(void *)(rest + some_reals(n)),
               *support = integers + 10 * n;
    LAPACK_dsyevr("V", "I", "U", &size, A, &size, &unused, &unused, &low, &high, &best, &found, all,
                  V, &size, support, rest, &reals, integers, &tens, &info);
    memcpy(lambda, all, count * sizeof *lambda);
    return info != 0 || found != high - low + 1;
}

/* C <- op(A) op(B) */
static void multiply(size_t n, enum CBLAS_TRANSPOSE a, enum CBLAS_TRANSPOSE b, const double *A,
                     const double *B, double *C)
{
    int size = (int)n;
    cblas_dgemm(CblasRowMajor, a, b, size, size, size, 1.0, A, size, B, size, 0.0, C, size);
}

void dense_product(size_t n, const double *A, const double *B, double *C)
{
    multiply(n, CblasNoTrans, CblasNoTrans, A, B, C);
}

void dense_product_trans(size_t n, const double *A, const double *B, double *C)
{
    multiply(n, CblasTrans, CblasNoTrans, A, B, C);
}

void dense_product_other(size_t n, const double *A, const double *B, double *C)
{
    multiply(n, CblasNoTrans, CblasTrans, A, B, C);
}

void dense_trans_product(size_t r, size_t c, size_t k, const double *A, const double *B,
                         double keep, double *C)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)r, (int)c, (int)k, 1.0, A, (int)r, B,
                (int)c, keep, C, (int)c);
}

/* A <- (A + A')/2 */
static void even_out(size_t n, double *A)
{
    for (size_t first = 0; first < n; first += STRIP)
        for (size_t r = first + 1; r < n; r++)
            for (size_t c = first; c < r && c < first + STRIP; c++)
                A[r * n + c] = A[c * n + r] = 0.5 * (A[r * n + c] + A[c * n + r]);
}

void dense_lower_product(size_t n, size_t m, const double *A, const double *B, double *C)
{
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)n, (int)m, 1.0, A, (int)n, B, (int)m,
                0.0, C, (int)m);
}

void dense_congruence(size_t n, const double *A, const double *B, double *C, double *work)
{
    dense_product(n, B, A, work);
    multiply(n, CblasTrans, CblasNoTrans, A, work, C);
    even_out(n, C);
}

void dense_mirror(size_t n, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < r; c++)
            A[c * n + r] = A[r * n + c];
}

static void gram(size_t n, enum CBLAS_TRANSPOSE trans, const double *B, double *C)
{
    int size = (int)n;
    cblas_dsyrk(CblasRowMajor, CblasLower, trans, size, size, 1.0, B, size, 0.0, C, size);
    dense_mirror(n, C);
}

void dense_gram(size_t n, const double *B, double *C)
{
    gram(n, CblasNoTrans, B, C);
}

void dense_gram_trans(size_t n, const double *B, double *C)
{
    gram(n, CblasTrans, B, C);
}

static void tri_solve(size_t n, enum CBLAS_TRANSPOSE trans, const double *L, double *B)
{
    int size = (int)n;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, trans, CblasNonUnit, size, size, 1.0, L, size,
                B, size);
}

void dense_solve_trans(size_t n, const double *L, double *B)
{
    tri_solve(n, CblasTrans, L, B);
}

void dense_solve(size_t n, const double *L, double *B)
{
    tri_solve(n, CblasNoTrans, L, B);
}

void dense_solve_vector(size_t n, const double *L, double *b)
{
    int size = (int)n;
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, size, L, size, b, 1);
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, size, L, size, b, 1);
}

/* The result is its own transpose, and this side is OpenBLAS's faster one. */
void dense_reduce(size_t n, const double *L, double *A)
{
    dense_solve(n, L, A);
    dense_transpose(n, A);
    dense_solve(n, L, A);
    even_out(n, A);
}

void dense_scale_columns(size_t n, const double *A, const double *f, double *B)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++)
            B[r * n + c] = A[r * n + c] * f[c];
}

void dense_rebuild(size_t n, const double *V, const double *f, double *A, double *work)
{
    dense_scale_columns(n, V, f, work);
    multiply(n, CblasNoTrans, CblasTrans, work, V, A);
    even_out(n, A);
}

/* What the documentation of dgesvj asks for. */
static size_t svd_reals(size_t n)
{
    return n < 3 ? 6 : 2 * n;
}

size_t dense_svd_work(size_t n)
{
    return svd_reals(n);
}

/* LAPACK sees A' = V' diag(sigma) U: its left vectors are ours on the right. */
int dense_svd(size_t n, double *A, double *sigma, double *U, double *work)
{
    lapack_int size = (lapack_int)n, room = (lapack_int)svd_reals(n), info;
    LAPACK_dgesvj("G", "U", "V", &size, &size, A, &size, sigma, &size, U, &size, work, &room,
                  &info);
    for (size_t i = 0; i < n; i++)
        sigma[i] *= work[0];
    return info != 0 || !(sigma[n - 1] > 0.0);
}

/* The reflectors' factors, and blocks of LAPACK's usual width. */
size_t dense_lq_work(size_t n)
{
    return n + 64 * n;
}

/* B' = Q R as LAPACK sees it, so B = R' Q'. */
void dense_lq(size_t n, double *B, double *Q, double *work)
{
    lapack_int size = (lapack_int)n, room = (lapack_int)(64 * n), info;
    double *tau = work, *rest = work + n;
    LAPACK_dgeqrf(&size, &size, B, &size, tau, rest, &room, &info);
    memcpy(Q, B, n * n * sizeof *Q);
    LAPACK_dorgqr(&size, &size, &size, Q, &size, tau, rest, &room, &info);
    dense_transpose(n, Q);
    for (size_t r = 0; r < n; r++)
        memset(B + r * n + r + 1, 0, (n - r - 1) * sizeof *B);
    for (size_t c = 0; c < n; c++)
        if (B[c * n + c] < 0.0)
            for (size_t r = 0; r < n; r++) {
                B[r * n + c] = -B[r * n + c];
                Q[r * n + c] = -Q[r * n + c];
            }
}

void dense_pack(size_t n, const double *A, double *packed)
{
    for (size_t r = 0; r < n; r++, packed += r)
        memcpy(packed, A + r * n, (r + 1) * sizeof *packed);
}

void dense_unpack(size_t n, const double *packed, double *A)
{
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c <= r; c++)
            A[r * n + c] = A[c * n + r] = *packed++;
}

double dense_logdet(size_t n, const double *L)
{
    double sum = 0.0;
    for (size_t r = 0; r < n; r++)
        sum += 2.0 * log(L[r * n + r]);
    return sum;
}
