/* kernels_table.c - the table of one instruction set's kernels. */
#include "linalg/kernels_vec.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

void KERNEL(pack)(size_t n, size_t count, const double *const *X, double *octet);
void KERNEL(unpack_sym)(size_t n, size_t count, const double *octet, double *const *Y);
void KERNEL(gather)(size_t entries, size_t count, const double *const *T, double *octet);
void KERNEL(split)(size_t entries, size_t count, const double *octet, double *const *T);
void KERNEL(scatter)(size_t entries, size_t count, const double *octet, const double *scale,
                     double *const *T);
void KERNEL(spread)(size_t entries, const double *f, double *G);
void KERNEL(average)(size_t entries, const double *f, const double *G, double *A);
void KERNEL(middle)(size_t entries, const double *A, const double *B, double *C);
void KERNEL(distance2)(size_t entries, const double *f, const double *G, double *d2);
void KERNEL(cross)(size_t entries, const double *f, const double *G, double *d2);
void KERNEL(log)(size_t count, const double *x, double *y);
void KERNEL(axpy)(size_t entries, double a, const double *x, double *y);
void KERNEL(blend)(size_t entries, const double *c, const double *q, double *y);
void KERNEL(collect)(size_t entries, const double *z, const double *q, double *r);
void KERNEL(turn)(size_t rows, size_t ld, const double *c, const double *s, const double *P,
                  double *Y);
unsigned KERNEL(chol)(size_t n, double *A, double *logdet);
void KERNEL(tri_inverse)(size_t n, const double *L, double *Linv);
void KERNEL(tri_gram)(size_t n, const double *Linv, double *A);
void KERNEL(solve)(size_t n, size_t k, const double *L, double *B);
void KERNEL(solve_trans)(size_t n, size_t k, const double *L, double *B);
void KERNEL(reduce)(size_t n, const double *L, const double *X, double *C, double *work);
void KERNEL(expand)(size_t n, const double *L, const double *X, double *C, double *work);
void KERNEL(eigvals)(size_t n, size_t octets, double *A, double *lambda, unsigned *bad,
                     double *work);
void KERNEL(eigh)(size_t n, size_t octets, double *A, double *lambda, double *Z, unsigned *bad,
                  double *work);
void KERNEL(rank)(size_t n, const double *lambda, size_t *rank);
void KERNEL(rebuild)(size_t n, const double *Z, const double *f, double *A, double *work);
void KERNEL(product)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                     size_t col_stride, const double *B, double *C, const double *next);

extern const kernels KERNEL(kernels_table);
const kernels KERNEL(kernels_table) = {
    .name = TEXT(KERNELS_ISA),
    .pack = KERNEL(pack),
    .unpack_sym = KERNEL(unpack_sym),
    .gather = KERNEL(gather),
    .split = KERNEL(split),
    .scatter = KERNEL(scatter),
    .spread = KERNEL(spread),
    .average = KERNEL(average),
    .middle = KERNEL(middle),
    .distance2 = KERNEL(distance2),
    .cross = KERNEL(cross),
    .axpy = KERNEL(axpy),
    .blend = KERNEL(blend),
    .collect = KERNEL(collect),
    .turn = KERNEL(turn),
    .chol = KERNEL(chol),
    .tri_inverse = KERNEL(tri_inverse),
    .tri_gram = KERNEL(tri_gram),
    .solve = KERNEL(solve),
    .solve_trans = KERNEL(solve_trans),
    .reduce = KERNEL(reduce),
    .expand = KERNEL(expand),
    .eigvals = KERNEL(eigvals),
    .eigh = KERNEL(eigh),
    .rank = KERNEL(rank),
    .rebuild = KERNEL(rebuild),
    .log = KERNEL(log),
    .product = KERNEL(product),
};
