/* jacobi.cuh - one-sided Jacobi: columns are rotated, two at a time, until they are orthogonal.
 *
 * A stored column is x/s, so that a rotation is two fused products per pair of numbers. Of a matrix
 * whose columns one warp holds, M/NC lanes hold NC columns each, as two groups X and Y of NC/2; 32
 * NC/M matrices per warp. An odd step rotates X against Y inside the lane, an even one X against
 * the Y of the lane to the right; only one group travels per step. */
#pragma once
#include "cuda/device.cuh"

namespace spd
{

constexpr int SWEEPS = 30; /* 7 to 9 are usual */

/* When columns count as orthogonal, by squares. What a sweep leaves of a cosine is its product with
 * the largest tangent of the sweep: where vectors matter, which are not determined where
 * eigenvalues are close, every tangent has to be small, and cosines that are rounding are left
 * alone. */
struct lenient { /* for eigenvalues */
    static constexpr double cosine = 1e-14, tangent = 4.0;
};
template <int M> struct strict {
    static constexpr double unit = (2.0 + M / 16) * 0x1p-51, cosine = unit * unit, tangent = 1e-15;
};

struct scaled {
    double n, s, k;
}; /* of a column: squared norm, scale, 1/scale */

/* How the columns x and y, as they are stored, become orthogonal: x - first y and y + second x.
 * dot: their product as stored. The tangent comes from single precision (any tangent keeps the
 * rotation orthogonal), on numbers scaled by a power of two into its range; its cosine is exact.
 * Clears ok when they were not nearly orthogonal before; leaves them alone when `still`. No
 * branches, so that rotations overlap. */
template <class Rule>
__device__ inline double2 rotate(double dot, scaled &X, scaled &Y, bool still, bool &ok)
{
    const double ab = dot * (X.s * Y.s), sum = X.n + Y.n;
    const double down = __hiloint2double(0x7fd00000 - (__double2hiint(sum) & 0x7ff00000), 0);
    const float d = (float)((Y.n - X.n) * down), h = (float)(2.0 * ab * down);
    const float q = rough_root(fmaf(d, d, h * h)),
                i = rough_reciprocal(fmaxf(q + fabsf(d), 1e-30f));
    const bool near = ab * ab < Rule::cosine * (X.n * Y.n), small = Rule::tangent < 1.0;
    const double t = still || (small && near) ? 0.0f : copysignf(i, d) * h;
    ok = ok && (small ? t * t < Rule::tangent : near);
    const double u = fma(t, t, 1.0), r = rough_inverse_root(u);
    const double e = fma(-u * r, r, 1.0), c = still ? 1.0 : fma(r * e, fma(e, 0.375, 0.5), r),
                 ic = u * c;
    const double2 both = make_double2(t * (Y.s * X.k), t * (X.s * Y.k));
    X.n = fma(-t, ab, X.n);
    Y.n = fma(t, ab, Y.n);
    X.s *= c;
    Y.s *= c;
    X.k *= ic;
    Y.k *= ic;
    return both;
}

template <int M> __device__ inline void blend(double (&x)[M], double (&y)[M], const double2 &by)
{
#pragma unroll
    for (int k = 0; k < M; k++) {
        double old = x[k];
        x[k] = fma(-by.x, y[k], old);
        y[k] = fma(by.y, old, y[k]);
    }
}

/* Makes x and y orthogonal, which one lane holds. */
template <int M, class Rule>
__device__ inline void rotate(double (&x)[M], double (&y)[M], scaled &X, scaled &Y, bool still,
                              bool &ok)
{
    double g[4] = {};
#pragma unroll
    for (int k = 0; k < M; k++)
        g[k % 4] = fma(x[k], y[k], g[k % 4]);
    blend<M>(x, y, rotate<Rule>((g[0] + g[1]) + (g[2] + g[3]), X, Y, still, ok));
}

/* Unit scales and fresh norms. */
template <int M, int NC> __device__ inline void renew(double (&v)[NC][M], scaled (&K)[NC])
{
#pragma unroll
    for (int c = 0; c < NC; c++) {
        double a = 0.0;
#pragma unroll
        for (int k = 0; k < M; k++) {
            v[c][k] *= K[c].s;
            a = fma(v[c][k], v[c][k], a);
        }
        K[c] = {a, 1.0, 1.0};
    }
}

/* One sweep over all pairs of columns, whose order it reverses. The loop stays rolled: it must fit
 * the instruction cache. */
template <int M, int NC, class Rule>
__device__ inline void sweep(double (&v)[NC][M], scaled (&K)[NC], int left, int right, bool end,
                             bool still, bool &ok)
{
    constexpr int L = M / NC, H = NC / 2;
    if (H == 2) {
        rotate<M, Rule>(v[0], v[1], K[0], K[1], still, ok);
        rotate<M, Rule>(v[NC - 2], v[NC - 1], K[NC - 2], K[NC - 1], still, ok);
    }
#pragma unroll 1
    for (int step = 0; step < 2 * L; step++) {
#pragma unroll
        for (int o = 0; o < H; o++)
#pragma unroll
            for (int c = 0; c < H; c++)
                rotate<M, Rule>(v[c], v[H + (c + o) % H], K[c], K[H + (c + o) % H], still, ok);
#pragma unroll
        for (int c = 0; c < H; c++) {
            scaled &X = K[c], &Y = K[c + H];
            if (step % 2 == 0) { /* Y moves left */
#pragma unroll
                for (int k = 0; k < M; k++)
                    v[c + H][k] = from(v[c + H][k], right);
                Y = {from(Y.n, right), from(Y.s, right), from(Y.k, right)};
            } else { /* X moves right; at the end of the line the roles change */
#pragma unroll
                for (int k = 0; k < M; k++) {
                    double x = v[c][k], y = v[c + H][k];
                    v[c + H][k] = end ? x : y;
                    v[c][k] = from(end ? y : x, left);
                }
                scaled x = X, y = Y;
                Y = end ? x : y;
                x = end ? y : x;
                X = {from(x.n, left), from(x.s, left), from(x.k, left)};
            }
        }
    }
}

/* Back in the order before an odd number of sweeps. */
template <int M, int NC>
__device__ inline void reverse(double (&v)[NC][M], scaled (&K)[NC], int mirror)
{
#pragma unroll
    for (int c = 0; c < NC / 2; c++) {
        double &s = K[c].s, &t = K[c + NC / 2].s, held = from(s, mirror);
        s = from(t, mirror);
        t = held;
#pragma unroll
        for (int k = 0; k < M; k++) {
            double &x = v[c][k], &y = v[c + NC / 2][k];
            held = from(x, mirror);
            x = from(y, mirror);
            y = held;
        }
    }
}

/* Is it so in all lanes of a matrix, which are `of` and begin with `first`? */
__device__ inline bool so_for_all(bool here, int first, int of)
{
    return (__ballot_sync(~0u, here) >> first & (~0u >> (32 - of))) == ~0u >> (32 - of);
}

/* Sweeps until all columns are orthogonal, and their scales 1, in the order they had; false when
 * that takes too long. Lane l of the L that hold a matrix, from lane `first` on; one that is done
 * waits unchanged for the others of the warp, so that nothing depends on them. */
template <int M, int NC, class Rule>
__device__ inline bool orthogonalise(double (&v)[NC][M], scaled (&K)[NC], int first, int l)
{
    constexpr int L = M / NC;
    const int left = first + (l + L - 1) % L, right = first + (l + 1) % L;
    bool still = false;
    int s = 0;
#pragma unroll
    for (int c = 0; c < NC; c++)
        K[c].s = 1.0;
    for (; s < SWEEPS && !__all_sync(~0u, still); s++) {
        bool ok = true;
        renew<M, NC>(v, K);
        sweep<M, NC, Rule>(v, K, left, right, l == L - 1, still, ok);
        still = so_for_all(ok, first, L) || still; /* in this order: all lanes must be asked */
    }
    if (s % 2)
        reverse<M, NC>(v, K, first + L - 1 - l);
    renew<M, NC>(v, K);
    return still;
}

/* My NC columns, from NC l on, of a matrix that lies by rows. */
template <int M, int NC>
__device__ inline void load_columns(double (&v)[NC][M], const double *A, int l)
{
#pragma unroll
    for (int k = 0; k < M; k++)
#pragma unroll
        for (int c = 0; c < NC; c += 2) {
            const double2 t = *(const double2 *)(A + k * M + NC * l + c);
            v[c][k] = t.x;
            v[c + 1][k] = t.y;
        }
}

} /* namespace spd */
