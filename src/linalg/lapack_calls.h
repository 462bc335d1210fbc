/* lapack_calls.h - the functions of LAPACK that are called here, as Fortran compilers make them:
 * arguments are pointers, matrices lie column by column, and the length of every text follows at
 * the end. Any LAPACK will do; LAPACKE's header, which not all bring along, is not needed. */
#ifndef SPD_LINALG_LAPACK_CALLS_H
#define SPD_LINALG_LAPACK_CALLS_H

#include <stddef.h>

typedef int lapack_int;

#ifndef LAPACK_NAME /* builds against a LAPACK with other names define it */
#define LAPACK_NAME(name) name##_
#endif

typedef const lapack_int *lapack_size;

void LAPACK_NAME(dpotrf)(const char *uplo, lapack_size n, double *A, lapack_size lda,
                         lapack_int *info, size_t);
void LAPACK_NAME(dsytrd)(const char *uplo, lapack_size n, double *A, lapack_size lda, double *d,
                         double *e, double *tau, double *work, lapack_size lwork, lapack_int *info,
                         size_t);
void LAPACK_NAME(dorgtr)(const char *uplo, lapack_size n, double *A, lapack_size lda,
                         const double *tau, double *work, lapack_size lwork, lapack_int *info,
                         size_t);
void LAPACK_NAME(dpotri)(const char *uplo, lapack_size n, double *A, lapack_size lda,
                         lapack_int *info, size_t);
void LAPACK_NAME(dsyevd)(const char *jobz, const char *uplo, lapack_size n, double *A,
                         lapack_size lda, double *w, double *work, lapack_size lwork,
                         lapack_int *iwork, lapack_size liwork, lapack_int *info, size_t, size_t);
void LAPACK_NAME(dsyevr)(const char *jobz, const char *range, const char *uplo, lapack_size n,
                         double *A, lapack_size lda, const double *vl, const double *vu,
                         lapack_size il, lapack_size iu, const double *abstol, lapack_int *m,
                         double *w, double *Z, lapack_size ldz, lapack_int *isuppz, double *work,
                         lapack_size lwork, lapack_int *iwork, lapack_size liwork, lapack_int *info,
                         size_t, size_t, size_t);
void LAPACK_NAME(dgesvj)(const char *joba, const char *jobu, const char *jobv, lapack_size m,
                         lapack_size n, double *A, lapack_size lda, double *sva, lapack_size mv,
                         double *V, lapack_size ldv, double *work, lapack_size lwork,
                         lapack_int *info, size_t, size_t, size_t);
void LAPACK_NAME(dgeqrf)(lapack_size m, lapack_size n, double *A, lapack_size lda, double *tau,
                         double *work, lapack_size lwork, lapack_int *info);
void LAPACK_NAME(dorgqr)(lapack_size m, lapack_size n, lapack_size k, double *A, lapack_size lda,
                         const double *tau, double *work, lapack_size lwork, lapack_int *info);
void LAPACK_NAME(dgelqf)(lapack_size m, lapack_size n, double *A, lapack_size lda, double *tau,
                         double *work, lapack_size lwork, lapack_int *info);
void LAPACK_NAME(dorglq)(lapack_size m, lapack_size n, lapack_size k, double *A, lapack_size lda,
                         const double *tau, double *work, lapack_size lwork, lapack_int *info);

#define LAPACK_dpotrf(...) LAPACK_NAME(dpotrf)(__VA_ARGS__, 1)
#define LAPACK_dsytrd(...) LAPACK_NAME(dsytrd)(__VA_ARGS__, 1)
#define LAPACK_dorgtr(...) LAPACK_NAME(dorgtr)(__VA_ARGS__, 1)
#define LAPACK_dpotri(...) LAPACK_NAME(dpotri)(__VA_ARGS__, 1)
#define LAPACK_dsyevd(...) LAPACK_NAME(dsyevd)(__VA_ARGS__, 1, 1)
#define LAPACK_dsyevr(...) LAPACK_NAME(dsyevr)(__VA_ARGS__, 1, 1, 1)
#define LAPACK_dgesvj(...) LAPACK_NAME(dgesvj)(__VA_ARGS__, 1, 1, 1)
#define LAPACK_dgeqrf      LAPACK_NAME(dgeqrf)
#define LAPACK_dorgqr      LAPACK_NAME(dorgqr)
#define LAPACK_dgelqf      LAPACK_NAME(dgelqf)
#define LAPACK_dorglq      LAPACK_NAME(dorglq)

#endif
