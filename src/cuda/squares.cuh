/* squares.cuh - matrices as squares of 16 x 16, for tensor products.
 *
 * The numbers of a square lie as the lanes of a warp hold them: lane 4g + b has, in quarter q, row
 * 8 (q % 2) + g, columns 8 (q / 2) + 2b and the next. So held, a square is at once the left operand
 * of a product, the transposed right one, and a result: A += B C' moves nothing between lanes.
 *
 * Of a lower triangular or symmetric matrix of NB squares a side those with row >= column are kept,
 * by rows; of an upper triangular one its transpose's places are taken. Matrices are padded as X +
 * I. */
#pragma once
#include "cuda/det.cuh"

namespace spd
{

constexpr int SIDE = 16, AREA = SIDE * SIDE;
constexpr int HELD = 2; /* rows of squares that a warp has in hand: NB/2 warps do a matrix */

__host__ __device__ inline int square_at(int r, int c)
{
    return (r * (r + 1) / 2 + c) * AREA;
}
/* Where (r,c) of a square lies. */
__host__ __device__ inline int within_square(int r, int c)
{
    return 2 * (32 * (r / 8 + c / 8 * 2) + r % 8 * 4 + c % 8 / 2) + c % 2;
}
inline int squares_of(int n)
{
    return (n + SIDE - 1) / SIDE;
}
inline size_t squares_size(int NB)
{
    return (size_t)square_at(NB, 0);
} /* doubles of a matrix */
inline int squares_warps(int NB)
{
    return NB < 2 ? 1 : NB < 2 * HELD ? 2 : (NB + HELD - 1) / HELD;
}

/* ---- squares.cu */

/* S (count x squares_size) <- scale times X (n x n) by its lower triangle. */
void squares_spread(const shape &s, size_t count, double scale, const double *X, double *S);
/* det (p x 2) <- determinants. */
void squares_determinants(const shape &s, const double *S, double *det, outcome *o);
/* d2 <- Stein divergences of pairs. */
void squares_stein(const shape &s, size_t count, const link *pairs, const double *S,
                   const double *det, double *d2);
/* L <- Cholesky factors, with the inverses of the squares on the diagonal instead of these; K <-
 * their transposes, which are upper triangular, with those squares; or NULL. */
void squares_factors(const shape &s, const double *S, double *L, double *K, outcome *o);
/* Notes the lowest of X (p x n x n), numbered from `first` on, that is not positive definite by
 * linalg/definite.h. */
void squares_definite(const shape &s, size_t first, const double *X, outcome *o);
/* C (p x stride) <- lower triangles by rows of the inverses of X (p x n x n), and dets (p x 2) <-
 * mantissa and exponent of their determinants; or, with a point (n x n), of the inverses of (point
 * + X)/2, and after each, out of dets, ln det((point + X)/2) - ln det(X)/2. */
void squares_inverses(const shape &s, const double *X, const double *point, double *dets,
                      size_t stride, double *C, outcome *o);

/* ---- spectrum.cu */
struct spectrum_room {
    array<double> T, logs, width; /* of a batch; T: squares */
    array<double> scratch;        /* where shared memory is too small */
    size_t batch = 0;
    void make(const shape &s, size_t pairs);
};
/* d2 <- affine-invariant distances of pairs. */
void squares_airm(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, double *d2);
/* Of a batch, of which L_i and K_j are used: room.T <- T = L_j' S_i^-1 L_j; d2 <- |ln T|^2;
 * room.width as of sum_poles; and if logs, room.logs (n x n each) <- ln T. Waits. */
void squares_logs(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                  const double *L, const double *K, bool logs, double *d2);

/* ---- airm_wide.cu: the same as airm_samples and airm_pairs for M > FAST, with L and K as of
 * squares_factors, p x M x M each at most */
void airm_wide_room(const shape &s, size_t pairs, spectrum_room &room);
void airm_wide_samples(const shape &s, const double *S, double *L, double *K, outcome *o);
void airm_wide_pairs(const shape &s, spectrum_room &room, size_t count, const link *pairs,
                     const double *L, const double *K, double *d2, double *C);

/* ---- a square in the registers of a warp */

struct square {
    double v[2][4]; /* quarters 2h and 2h + 1 each */
};

__device__ inline square take_square(const double *from)
{
    square s;
#pragma unroll
    for (int q = 0; q < 4; q++) {
        const double2 two = *(const double2 *)(from + 2 * (32 * q + threadIdx.x % 32));
        s.v[q / 2][q % 2 * 2] = two.x;
        s.v[q / 2][q % 2 * 2 + 1] = two.y;
    }
    return s;
}

__device__ inline void give_square(double *to, const square &s)
{
#pragma unroll
    for (int q = 0; q < 4; q++)
        *(double2 *)(to + 2 * (32 * q + threadIdx.x % 32)) =
            make_double2(s.v[q / 2][q % 2 * 2], s.v[q / 2][q % 2 * 2 + 1]);
}

/* Row and column of number v[h][e] in this lane. */
__device__ inline int square_row(int e)
{
    return threadIdx.x % 32 / 4 + e / 2 * 8;
}
__device__ inline int square_column(int h, int e)
{
    return 8 * h + threadIdx.x % 4 * 2 + e % 2;
}

__device__ inline square minus(const square &s)
{
    square m;
#pragma unroll
    for (int x = 0; x < 8; x++)
        m.v[x / 4][x % 4] = -s.v[x / 4][x % 4];
    return m;
}

/* sum += A B' */
__device__ inline void add_product(square &sum, const square &A, const square &B)
{
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const double a[4] = {A.v[k][0], A.v[k][2], A.v[k][1], A.v[k][3]};
#pragma unroll
        for (int h = 0; h < 2; h++)
            mma(sum.v[h], a, B.v[k][2 * h], B.v[k][2 * h + 1]);
    }
}

/* Result of add_product to zeros. */
__device__ inline square product(const square &A, const square &B)
{
    square sum = {};
    add_product(sum, A, B);
    return sum;
}

} /* namespace spd */
