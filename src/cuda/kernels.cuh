/* kernels.cuh - what the files with kernels offer the engine: one function per step, each of which
 * puts its work into a stream and returns.
 *
 *   X_i        packed (pack.cu): upper half, as blocks of 16 x 16
 *   Y_i, P_i   n x M: X_i W and X_i U
 *   Q_i        2M x M: U'P_i above, W'P_i below
 *   S_i, Z_i   M x M, both triangles
 *   pairs      lower triangles, column by column (tri_at) */
#pragma once
#include <cmath>

#include "cuda/device.cuh"

namespace spd
{

constexpr int SMALL_ROWS = 16; /* up to which a warp alone looks at a matrix */

struct shape {
    int n, m, M, NB;        /* NB blocks of 16 rows */
    size_t p;               /* samples at hand, the extra one included */
    int processors, shared; /* of the device: multiprocessors, bytes of shared memory per block */
    cudaStream_t stream;
    bool few = false; /* are there so few pairs, in all processes together, that each had better be
                         done soon? */
};

/* Of p matrices on the device that is chosen. */
inline shape shape_here(size_t n, size_t m, int M, size_t p, cudaStream_t stream)
{
    const processor_counts here = processors_here();
    return {(int)n, (int)m, M, (int)(n + 15) / 16, p, here.processors, here.shared, stream};
}

/* A power of two that brings every eigenvalue below 1/2 (stein.cu); the metrics of fits ignore it.
 */
inline double scale_for(double trace)
{
    if (!(trace > 0.0) || !std::isfinite(trace))
        return 1.0;
    int exponent;
    frexp(trace, &exponent);
    return ldexp(1.0, -exponent - 1);
}

/* ---- pack.cu */
size_t pack_size(int n); /* doubles of a packed sample */
/* X: upper halves, or whole matrices. */
void pack(const shape &s, bool whole, size_t count, double scale, const double *X, double *packed);
void rescale(const shape &s, double scale, double *packed); /* of all samples */

/* ---- pass.cu: data pass and small products */
void pass_tall(const shape &s, const double *Xp, const double *U, double *P);
void pass_small(const shape &s, const double *U, const double *W, const double *P, double *Q);

/* ---- step.cu */
void first_small(const shape &s, const double *Q, double *S);  /* S <- W'XW out of Q, padded */
void rotate_small(const shape &s, const double *V, double *S); /* S <- V'S V */
/* angles: cos, sin, sigma, M each. S <- S(t); d (p) <- tr(Z dS/dt)/2 */
void trial(const shape &s, const double *angles, const double *S0, const double *Q, double *S);
void slope(const shape &s, const double *angles, const double *S0, const double *Q, const double *Z,
           double *d);
void rotate_point(const shape &s, const double *V, double *W); /* W <- W V */
void move_point(const shape &s, const double *angles, const double *U,
                double *W); /* W <- W cos + U sin */

/* The gradient is a sum over slices of samples, as many whatever the processes: `count` of `all` are
 * at hand, from `first` on, and the samples at hand begin with sample `at`. */
struct cut {
    size_t p; /* of all processes */
    int all, first, count;
    size_t at;
    __host__ __device__ size_t begin(int slice) const
    {
        return slice_begin(p, all, first + slice) - at;
    }
    __host__ __device__ static size_t slice_begin(size_t p, int all, int slice)
    {
        return p * slice / all;
    }
};
int slices_of(int NB, size_t p);
/* Y <- Y T + P diag(sine), if there is a T, and part (count x n x M) <- sum Y_i Z_i of each slice.
 * For M > FAST the new Y is left in P. */
void step_gradient(const shape &s, const cut &q, const double *T, const double *sine, double *Y,
                   double *P, const double *Z, double *part);
void add_slices(const shape &s, int slices, const double *part,
                double *G); /* G (n x M) <- their sum */

/* ---- pairs.cu: the graph */
struct link {
    uint32_t i, j;
}; /* a pair */
struct part {
    uint32_t sample, first, count, slot;
}; /* ends of one sample; slot: NOWHERE or where its sum is kept */
struct end {
    uint32_t row, pair;
    double weight;
}; /* rows of triangles; pair: of its chunk */
constexpr uint32_t NOWHERE = 0xffffffffu;
constexpr uint32_t PART = 128; /* most ends of a part */

struct outcome {
    double within, between;
    unsigned long long bad;
    double slope;
}; /* bad: lowest failed sample */

/* Z of the samples from `from` on <- sums over the ends, plus what was there unless it is the first
 * chunk; then minus degree (p) times own (p triangles), which may be NULL. p: of all processes. */
struct weights {
    double *Z, *Zb; /* Zb: of gather_plain */
    const double *degree, *own;
    size_t from;
};
void gather(const shape &s, bool first, unsigned parts, const part *list, const end *ends,
            const double *C, double *partial, const weights &z);
void gather_parts(const shape &s, bool first, unsigned samples, const part *list,
                  const double *partial, const weights &z);
/* The same where the rows are samples, and a row less the sample's own is added: A's to Z, B's,
 * unless it is NULL, to Zb. All of a sample's ends are at hand. */
void gather_plain(const shape &s, unsigned parts, const part *list, const end *ends,
                  const double *A, const double *B, double *partial, const weights &z);
void weighted_sums(const shape &s, size_t count, const double *d2, const double *within,
                   const double *between, double *work, outcome *o);
void plain_sum(const shape &s, size_t count, const double *d, double *work, double *sum);
void pick(const shape &s, size_t count, const uint32_t *which, const double *from,
          double *to); /* to[k] <- from[which[k]] */

/* ---- samples.cu: softmax. Entries of a list are twice the number of a pair, plus 1
 * for its second sample */
struct candidates {
    const uint32_t
        *first; /* 2 p + 1: list 2 i has the near pairs of sample i, 2 i + 1 the far ones */
    const uint32_t *listed; /* 2 pairs */
    double samples;         /* that have both */
};
/* Is it one of these? */
inline bool of_samples(spd_objective objective)
{
    return objective == SPD_OBJECTIVE_SOFTMAX;
}

/* value (p) <- what samples add to the objective; weight (pairs) <- its derivatives by d2; degree
 * (p) <- the sums of a sample's weights. half_weight: 2 pairs of scratch. zero: a d2 that counts as none.
 */
void weigh_pairs(const shape &s, const candidates &c, double zero, size_t pairs, const double *d2,
                 double *half_weight, double *weight, double *value, double *degree);
void weigh_ends(const shape &s, const double *weight, size_t count,
                end *ends); /* weights of a chunk's pairs */

/* ---- stein.cu: det (p x 2) <- mantissa and exponent of det S_i; C <- inverses; of pairs none
 * where C is NULL, here and below */
void stein_samples(const shape &s, const double *S, double *det, double *C, outcome *o);
void stein_pairs(const shape &s, size_t count, const link *pairs, const double *S,
                 const double *det, double *d2, double *C);

/* ---- airm.cu, M <= FAST; for others airm_wide.cu (squares.cuh): L <- Cholesky factors; Li <- their
 * inverses. C <- i's, then j's */
void airm_samples(const shape &s, const double *S, double *L, double *Li, outcome *o);
void airm_pairs(const shape &s, size_t count, const link *pairs, const double *L, const double *Li,
                double *d2, double *C);

} /* namespace spd */
