/* distances.cuh - distances between sets on the device, as the module's table has them (module.h);
 * CUDA_FAULT_SAMPLE where a matrix has no factor or a pair no distance. */
#pragma once
#include <algorithm>

#include "cuda/flat.cuh"
#include "cuda/queue.cuh"
#include "cuda/squares.cuh"

namespace spd
{

int module_pairwise(const cuda_sets *in, double *D2, char *why);
int module_products(const cuda_sets *in, double *K, char *why);
int module_neighbours(const cuda_sets *in, const size_t *k, int64_t *index, double *d2,
                      double *exact, char *why); /* nearest.cu */

/* ---- sets on the device, and tiles of their pairs -------------------------------------------- */

constexpr size_t TILE = (size_t)1 << 24; /* pairs at a time */

struct sets {
    shape s{};
    spd_metric metric = SPD_METRIC_STEIN;
    bool products = false; /* of vectors, instead of distances */
    size_t p = 0, q = 0;   /* samples; queries, which follow them */
    bool squares = false;  /* of matrices: as squares of 16 x 16 */
    array<double> S, L, Li, dets, F, d2;
    spectrum_room room;
    array<link> links;
    array<outcome> out;
    queue own;
};

/* With room for so many pairs at a time. */
void open_sets(sets &e, const cuda_sets &in, size_t pairs);
/* What Stein divergences need beside the matrices; o: those that are not positive definite. */
void prepare_determinants(sets &e, outcome *o);
/* Throws where a kernel has noted a fault. */
void check_good(const sets &e);

size_t rows_of(size_t columns); /* of a tile */
/* A tile of so many rows, from `first` on. */
tile tile_at(const sets &e, size_t rows, size_t first, size_t each, bool within);

/* e.d2 <- squared distances of a tile; d2 <- of the first `count` of e.links, of matrices. */
void measure_tile(sets &e, const tile &t, spd_metric metric);
void measure_listed(sets &e, spd_metric metric, size_t count, double *d2);

/* Tells of pairs done, and throws where the caller asks to stop. */
void tell_pairs(const cuda_sets &in, double done, double all);

inline unsigned blocks_for(size_t rows)
{
    return (unsigned)std::min(rows, (size_t)65535);
}
__device__ inline double not_negative(double d)
{
    return d < 0.0 ? 0.0 : d;
} /* NaN stays */

} /* namespace spd */
