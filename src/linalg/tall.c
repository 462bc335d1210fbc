/* tall.c - thin wrappers over BLAS and LAPACK for n x m matrices.
 *
 * LAPACK is called column-major, where a row-major matrix is its transpose: the LQ factors of A' are
 * the QR factors of A. */
#include "linalg/tall.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lapack_calls.h"

/* LAPACK's usual block width. */
#define BLOCK 64

void tall_inner(size_t n, size_t m, const double *A, const double *B, double *M)
{
    dense_trans_product(m, m, n, A, B, 0.0, M);
}

/* D <- keep D + scale A M */
static void multiply(size_t n, size_t m, double scale, const double *A, const double *M,
                     double keep, double *D)
{
    int rows = (int)n, size = (int)m;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, size, size, scale, A, size, M,
                size, keep, D, size);
}

void tall_centre(size_t count, size_t length, double *Z, double *mean)
{
    memset(mean, 0, length * sizeof *mean);
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < length; e++)
            mean[e] += Z[i * length + e] / (double)count;
    for (size_t i = 0; i < count; i++)
        for (size_t e = 0; e < length; e++)
            Z[i * length + e] -= mean[e];
}

void tall_add(size_t n, size_t m, double scale, const double *A, const double *M, double *D)
{
    multiply(n, m, scale, A, M, 1.0, D);
}

void tall_multiply(size_t n, size_t m, double *A, const double *M, double *work)
{
    multiply(n, m, 1.0, A, M, 0.0, work);
    memcpy(A, work, n * m * sizeof *A);
}

void tall_product(size_t n, size_t k, size_t m, const double *A, const double *B, double *C)
{
    int rows = (int)n, depth = (int)k, columns = (int)m;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, depth, 1.0, A, depth, B,
                columns, 0.0, C, columns);
}

void tall_product_trans(size_t n, size_t k, size_t m, const double *A, const double *B, double *C)
{
    int rows = (int)n, depth = (int)k, columns = (int)m;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, columns, depth, 1.0, A, depth, B,
                depth, 0.0, C, columns);
}

void tall_add_gram(size_t n, size_t m, const double *A, double *M)
{
    int rows = (int)n, size = (int)m;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, size, rows, 1.0, A, size, 1.0, M, size);
}

static void solve(size_t n, size_t m, enum CBLAS_TRANSPOSE trans, const double *L, double *A)
{
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, trans, CblasNonUnit, (int)n, (int)m, 1.0, L,
                (int)n, A, (int)m);
}

void tall_solve(size_t n, size_t m, const double *L, double *A)
{
    solve(n, m, CblasNoTrans, L, A);
}

void tall_solve_trans(size_t n, size_t m, const double *L, double *A)
{
    solve(n, m, CblasTrans, L, A);
}

double tall_dot(size_t n, size_t m, const double *A, const double *B)
{
    return cblas_ddot((int)(n * m), A, 1, B, 1);
}

void tall_axpy(size_t n, size_t m, double a, const double *A, double *B)
{
    cblas_daxpy((int)(n * m), a, A, 1, B, 1);
}

/* The reflectors' factors, the diagonal of R, and blocks. */
size_t tall_orthonormalise_work(size_t n, size_t m)
{
    (void)n;
    return 2 * m + BLOCK * m;
}

/* A' = R' Q' as LAPACK sees it. */
double tall_orthonormalise(size_t n, size_t m, double *A, double *work)
{
    lapack_int rows = (lapack_int)m, columns = (lapack_int)n, room = (lapack_int)(BLOCK * m);
    lapack_int info;
    double *tau = work, *diagonal = work + m, *rest = diagonal + m, least;
    LAPACK_dgelqf(&rows, &columns, A, &rows, tau, rest, &room, &info);
    for (size_t c = 0; c < m; c++)
        diagonal[c] = A[c * m + c];
    LAPACK_dorglq(&rows, &columns, &rows, A, &rows, tau, rest, &room, &info);
    least = diagonal[0] < 0.0 ? -diagonal[0] : diagonal[0];
    for (size_t c = 0; c < m; c++) {
        double sign = diagonal[c] < 0.0 ? -1.0 : 1.0;
        if (sign * diagonal[c] < least)
            least = sign * diagonal[c];
        for (size_t r = 0; r < n && sign < 0.0; r++)
            A[r * m + c] = -A[r * m + c];
    }
    return least;
}
