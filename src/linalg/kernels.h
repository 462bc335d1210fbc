/* kernels.h - small dense kernels that work on eight matrices at a time.
 *
 * Layout. An octet is LANES = 8 matrices of one size, interleaved: element e of all eight is
 * contiguous. Symmetric and lower triangular matrices keep the lower triangle, packed by rows:
 * element (r,c), c <= r, is number r(r+1)/2 + c, so an octet holds TRI(n) x 8 doubles. Full n x k
 * matrices hold (n k) x 8 doubles, row-major. All octet pointers are aligned to 64 bytes.
 *
 * The same source is compiled once per instruction set (kernels_*.c, symbol names end in the
 * set's name) and chosen at run time (isa.c). Lanes never mix: what is in one matrix, NaN
 * included, cannot change a bit of another. Any n >= 1 works; the tiles pay for n up to about
 * 160, beyond that the working set leaves the cache and LAPACK (dense.h) is the better choice.
 *
 * Lane masks: bit l of an unsigned stands for matrix l of the octet. */
#ifndef SPD_LINALG_KERNELS_H
#define SPD_LINALG_KERNELS_H

#include <stddef.h>

#define LANES     8
#define TRI(n)    ((size_t)(n) * ((size_t)(n) + 1) / 2)
#define ALL_LANES 0xffu
#define FEW_LANES 4 /* lanes of the kernels for a single pair */

/* Columns of W, Y and S in the data pass are padded to a multiple of this with zeros. */
#define PASS_PAD   8
#define PASS_LD(m) (((size_t)(m) + PASS_PAD - 1) / PASS_PAD * PASS_PAD)

/* The functions that `divided` knows. */
typedef enum divided_rule { DIVIDED_LOG, DIVIDED_EXP, DIVIDED_POWER, DIVIDED_FLOOR } divided_rule;

typedef struct kernels {
    const char *name;

    /* octet (TRI(n) x 8) <- lower triangles of count <= 8 row-major n x n matrices; missing
     * lanes become identities. */
    void (*pack)(size_t n, size_t count, const double *const *X, double *octet);
    /* Y (count each n x n row-major, both triangles) <- symmetric octet. */
    void (*unpack_sym)(size_t n, size_t count, const double *octet, double *const *Y);
    /* octet (entries x 8) <- count <= 8 arrays of `entries` doubles; missing lanes repeat the
     * first. */
    void (*gather)(size_t entries, size_t count, const double *const *T, double *octet);
    /* T[l] (entries) <- lane l, for l < count. */
    void (*split)(size_t entries, size_t count, const double *octet, double *const *T);
    /* T[l] (entries) += scale[l] * lane l, in order of l, for l < count; T may repeat. */
    void (*scatter)(size_t entries, size_t count, const double *octet, const double *scale,
                    double *const *T);

    /* One array f (entries) against an octet G (entries x 8), lane by lane: */
    void (*spread)(size_t entries, const double *f, double *G);                   /* G <- f */
    void (*average)(size_t entries, const double *f, const double *G, double *A); /* (f + G)/2 */
    void (*middle)(size_t entries, const double *A, const double *B, double *C);  /* (A + B)/2 */
    /* One number for each lane, c (8): S += c A, T += c A. */
    void (*share)(size_t entries, const double *c, const double *A, double *S, double *T);
    /* d2 (8) <- sum over e < entries of (f[e] - G[e]) (G[entries + e] - f[entries + e]) */
    void (*cross)(size_t entries, const double *f, const double *G, double *d2);

    /* d2 (rows x octets x 8) <- |f - g|^2 for the rows f of F, `stride` doubles apart, and the
     * lanes g of G (octets x entries x 8), octets <= 2. The bits of a distance depend on f and g
     * alone. */
    void (*apart)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                  const double *G, double *d2);
    /* The same piece by piece, any number of octets: sums (rows x octets x 2 x 8), zero at first,
     * += those of the next `entries`, an even number but for the last piece; and d2 (count x 8) <-
     * what sums (count x 2 x 8) have come to. */
    void (*apart_add)(size_t entries, size_t rows, const double *F, size_t stride, size_t octets,
                      const double *G, double *sums);
    void (*apart_end)(size_t count, const double *sums, double *d2);

    /* Plain arrays, any alignment: */
    void (*axpy)(size_t entries, double a, const double *x, double *y); /* y += a x */
    /* y += a[i] x[i], one of four x after the other, each `stride` after the last */
    void (*axpy4)(size_t entries, const double *a, const double *x, size_t stride, double *y);
    /* y <- a x + b y; returns <y,z>. x or z may be y. */
    double (*axpby_dot)(size_t entries, double a, const double *x, double b, double *y,
                        const double *z);
    /* y <- sum over j < 4 of c_j q_j; c and q are 4 x entries. */
    void (*blend)(size_t entries, const double *c, const double *q, double *y);
    /* r_j += z q_j for j < 4; q and r are 4 x entries. */
    void (*collect)(size_t entries, const double *z, const double *q, double *r);
    /* y (entries) <- x, which is prefetched ahead. */
    void (*widen)(size_t entries, const float *x, double *y);

    /* A <- L, A = L L'; logdet (8, or NULL) <- ln det A. Returns the mask of lanes without a
     * factor; those lanes hold rubbish in A and NaN in logdet. */
    unsigned (*chol)(size_t n, double *A, double *logdet);
    /* Linv (TRI) <- inverse of the lower triangular L (TRI). Must not overlap. */
    void (*tri_inverse)(size_t n, const double *L, double *Linv);
    /* A (TRI) <- Linv' Linv, so A = (L L')^-1. Must not overlap. */
    void (*tri_gram)(size_t n, const double *Linv, double *A);
    /* B (n x k) <- L^-1 B */
    void (*solve)(size_t n, size_t k, const double *L, double *B);
    /* B (n x k) <- L B */
    void (*lower_times)(size_t n, size_t k, const double *L, double *B);
    /* B (n x k) <- L'^-1 B */
    void (*solve_trans)(size_t n, size_t k, const double *L, double *B);
    /* C (TRI) <- L^-1 X L^-T for symmetric X (TRI). work: n n 8 doubles. C may be X. */
    void (*reduce)(size_t n, const double *L, const double *X, double *C, double *work);
    /* C (TRI) <- L' X L for symmetric X (TRI). work: n n 8 doubles. C may be X. */
    void (*expand)(size_t n, const double *L, const double *X, double *C, double *work);

    /* Eigenvalues, unsorted, of `octets` octets; A (octets x TRI x 8) is destroyed, lambda is
     * octets x n x 8. bad[g] <- mask of lanes that hold NaN or Inf or did not converge (their
     * lambda is NaN). work: kernels_eigh_work(n) doubles. */
    void (*eigvals)(size_t n, size_t octets, double *A, double *lambda, unsigned *bad,
                    double *work);
    /* The same with orthonormal eigenvectors as columns of Z (octets x n n x 8). */
    void (*eigh)(size_t n, size_t octets, double *A, double *lambda, double *Z, unsigned *bad,
                 double *work);
    /* One matrix, row-major: A (n x n, symmetric) has eigenvalues lambda (n), unsorted, with
     * orthonormal eigenvectors in the rows of Z (n x n). Non-zero when A is not finite or it did
     * not converge. work: kernels_single_work(n) doubles. */
    int (*eigh_single)(size_t n, const double *A, double *lambda, double *Z, double *work);
    /* rank (n x 8) <- position of each eigenvalue in ascending order, ties by index. */
    void (*rank)(size_t n, const double *lambda, size_t *rank);
    /* A (TRI) <- Z diag(f) Z' for Z (n x n) and f (n x 8). work: n n 8 doubles. */
    void (*rebuild)(size_t n, const double *Z, const double *f, double *A, double *work);
    /* A (TRI) <- Z' A Z, or Z A Z' where back is set, for symmetric A and Z (n x n). work: 2 n n 8
     * doubles. */
    void (*turn)(size_t n, int back, const double *Z, double *A, double *work);
    /* A (TRI), entry by entry, times the divided differences (f_r - f_c)/(lambda_r - lambda_c) of a
     * function with values f (n x 8) at lambda (n x 8), its derivative where they are equal: all
     * digits, however close they are. parameter: the power, or the floor. */
    void (*divided)(size_t n, divided_rule rule, double parameter, const double *lambda,
                    const double *f, double *A);

    /* A (TRI) <- f(A), f one of poles.h, without eigenvectors. Returns the mask of lanes that it
     * does not serve, whose A is rubbish: not positive definite, not finite, or eigenvalues further
     * apart than poles reach. edges (2 x 8) <- a lower and an upper bound of the eigenvalues, a few
     * percent away from them. work: kernels_poles_work(n) doubles. */
    unsigned (*by_poles)(size_t n, int f, double *A, double *edges, double *work);

    /* What chol, tri_inverse followed by tri_gram, and by_poles do, for the first FEW_LANES lanes
     * alone; the others are not touched, or hold rubbish. */
    unsigned (*few_chol)(size_t n, double *A, double *logdet);
    void (*few_inverse)(size_t n, const double *L, double *Linv, double *A);
    unsigned (*few_by_poles)(size_t n, int f, double *A, double *edges, double *work);
    /* |log T|^2 for one tridiagonal T, with d (n) on its diagonal and e (n - 1) beside it; NaN
     * where by_poles would not serve it. work: kernels_norm_work(n) doubles. */
    double (*log_norm2)(size_t n, const double *d, const double *e, double *work);

    /* y (count x 8) <- ln x for positive normal x. */
    void (*log)(size_t count, const double *x, double *y);

    /* C (rows x PASS_LD(m)) <- A B, A(r,k) = A[r row_stride + k col_stride], B (depth x
     * PASS_LD(m), padding zero). next: where A's successor lies, prefetched on the way; it is
     * never read through, so A itself will do. */
    void (*product)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                    size_t col_stride, const double *B, double *C, const double *next);
    /* C <- C diag(s) + A B, s of PASS_LD(m) entries, all else as above. C may not overlap A. */
    void (*product_onto)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                         size_t col_stride, const double *B, const double *s, double *C);
    /* The lower triangle of C (m x PASS_LD(m)) <- that of A B; what is above it is not defined. */
    void (*product_lower)(size_t depth, size_t m, const double *A, size_t row_stride,
                          size_t col_stride, const double *B, double *C);
} kernels;

/* Scratch of eigvals and eigh. */
size_t kernels_eigh_work(size_t n);

/* Scratch of eigh_single. */
size_t kernels_single_work(size_t n);

/* Scratch of by_poles, and of log_norm2. */
size_t kernels_poles_work(size_t n);
size_t kernels_norm_work(size_t n);

/* From this size on, LAPACK's eigenvectors (dense.h) beat the interleaved ones of that table
 * (measured: logarithms of 128 x 128 matrices with AVX2 1.3 times as fast; even at 230 with
 * AVX-512). */
size_t kernels_dense_from(const kernels *k);

/* The table in use: the best the machine has, or what SPDML_ISA asks for. */
const kernels *kernels_get(void);

/* The table for the kernels of few lanes: where vectors hold all eight, that with half as wide
 * ones. */
const kernels *kernels_few(void);

/* The table of that name, or the best when name is NULL; NULL when this machine or build does not
 * have it. */
const kernels *kernels_named(const char *name);

#endif
