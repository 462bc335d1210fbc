/* det.cuh - determinants as mantissa and exponent, which cancel before the logarithm is taken, and
 * what the Stein divergence makes of them. */
#pragma once
#include "cuda/kernels.cuh"

namespace spd
{

struct det {
    double mantissa = 1.0;
    int exponent = 0;
    bool ok = true; /* all pivots positive */
    __device__ void times(double pivot)
    {
        ok = ok && pivot > 0.0;
        mantissa *= pivot;
        int high = __double2hiint(mantissa);
        exponent += ((high >> 20) & 0x7ff) - 1023;
        mantissa = __hiloint2double((high & 0x800fffff) | 0x3ff00000, __double2loint(mantissa));
    }
};

/* One number per matrix: its determinant (self), or its distance. */
template <bool SELF>
__device__ inline void note(const det &d, size_t e, link ij, double *dets, double *d2, outcome *o)
{
    if (SELF) {
        dets[2 * e] = d.mantissa;
        dets[2 * e + 1] = d.exponent;
        if (!d.ok)
            atomicMin(&o->bad, (unsigned long long)e);
        return;
    }
    const double *a = dets + 2 * (size_t)ij.i, *b = dets + 2 * (size_t)ij.j;
    double x = 0.5 * log(d.mantissa / a[0] * (d.mantissa / b[0]));
    x = fma(0.5 * (2.0 * d.exponent - a[1] - b[1]), 0.69314718055994530942, x);
    d2[e] = d.ok ? x : __longlong_as_double(-1);
}

} /* namespace spd */
