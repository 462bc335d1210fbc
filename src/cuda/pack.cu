/* pack.cu - samples into the layout of the data pass (pack.cuh). */
#include "cuda/kernels.cuh"
#include "cuda/pack.cuh"

namespace spd
{

/* One block of threads per sample, an element of a tile each. X: upper halves (pack.cuh), or whole
 * matrices, of which the upper triangle is read. */
template <bool WHOLE>
__global__ void pack_kernel(size_t count, int n, int NB, double scale, const double *X,
                            double *packed)
{
    const int size = packed_doubles(NB), first = 192 * NB;
    for (size_t i = blockIdx.x; i < count; i += gridDim.x)
        for (int e = threadIdx.x; e < size; e += blockDim.x) {
            int B, D, tile, at = e % 64;
            if (e < first) {
                B = D = e / 192;
                tile = e / 64 % 3;
                tile = tile == 2 ? 3 : tile;
            } else {
                int d = 1 + (e - first) / (256 * NB);
                B = (e - first) / 256 % NB;
                D = (B + d) % NB;
                tile = (e - first) / 64 % 4;
            }
            int slot = at / 8, r = ((slot >> 1) & 1) | ((slot & 1) << 1) | (slot & 4),
                c = at % 8 ^ (r & 5);
            int row = 16 * B + 8 * (tile / 2) + r, col = 16 * D + 8 * (tile % 2) + c;
            const int a = row < col ? row : col, b = row < col ? col : row;
            const size_t from =
                WHOLE ? (i * n + a) * n + b : i * upper_doubles(n) + upper_at(n, a) + b;
            packed[i * size + e] = b < n ? scale * X[from] : 0.0;
        }
}

size_t pack_size(int n)
{
    return (size_t)packed_doubles((n + 15) / 16);
}

void pack(const shape &s, bool whole, size_t count, double scale, const double *X, double *packed)
{
    unsigned grid = (unsigned)(count < 65535 ? count : 65535);
    if (count && whole)
        pack_kernel<true><<<grid, 256, 0, s.stream>>>(count, s.n, s.NB, scale, X, packed);
    else if (count)
        pack_kernel<false><<<grid, 256, 0, s.stream>>>(count, s.n, s.NB, scale, X, packed);
    launched("packing the samples");
}

static __global__ void rescale_kernel(size_t count, double scale, double *packed)
{
    for (size_t e = blockIdx.x * (size_t)blockDim.x + threadIdx.x; e < count;
         e += (size_t)gridDim.x * blockDim.x)
        packed[e] *= scale;
}

void rescale(const shape &s, double scale, double *packed)
{
    if (s.p)
        rescale_kernel<<<s.processors * 8, 256, 0, s.stream>>>(s.p * pack_size(s.n), scale, packed);
    launched("scaling the samples");
}

} /* namespace spd */
