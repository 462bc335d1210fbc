/* flat_pairs.c - long vectors are cut into pieces, so that those of all rows and columns stay in
 * the cache while every pair of them is met. */
#include "ops/flat_pairs.h"

#include <string.h>

/* octets (used x entries x 8) <- entries of the columns from G on. */
static size_t interleave(const kernels *k, size_t size, size_t entries, size_t columns,
                         const double *G, double *octets)
{
    size_t used = (columns + LANES - 1) / LANES;
    for (size_t g = 0; g < used; g++) {
        const double *column[LANES];
        size_t count = columns - g * LANES < LANES ? columns - g * LANES : LANES;
        for (size_t l = 0; l < count; l++)
            column[l] = G + (g * LANES + l) * size;
        k->gather(entries, count, column, octets + g * entries * LANES);
    }
    return used;
}

void flat_pairs(const kernels *k, size_t size, size_t rows, const double *F, size_t columns,
                const double *G, double *D, double *work)
{
    double *sums = work, *octets = sums + FLAT_ROWS * 2 * FLAT_COLUMNS;
    size_t used = 0;
    memset(sums, 0, FLAT_ROWS * 2 * FLAT_COLUMNS * sizeof *sums);
    for (size_t e = 0; e < size; e += FLAT_PIECE) {
        size_t some = size - e < FLAT_PIECE ? size - e : FLAT_PIECE;
        used = interleave(k, size, some, columns, G + e, octets);
        k->apart_add(some, rows, F + e, size, used, octets, sums);
    }
    for (size_t r = 0; r < rows; r++)
        k->apart_end(used, sums + r * used * 2 * LANES, D + r * FLAT_COLUMNS);
}
