/* flat_pairs.h - squared Euclidean distances between the vectors of two lists. */
#ifndef SPD_OPS_FLAT_PAIRS_H
#define SPD_OPS_FLAT_PAIRS_H

#include "linalg/kernels.h"

#define FLAT_ROWS    64
#define FLAT_COLUMNS 32  /* a multiple of LANES */
#define FLAT_PIECE   256 /* entries of a vector that are met at a time */
#define FLAT_WORK    ((FLAT_ROWS * 2 + FLAT_PIECE) * FLAT_COLUMNS)

/* D (rows x FLAT_COLUMNS) <- |f - g|^2 for the vectors f of F (rows x size) and g of G (columns x
 * size); rows <= FLAT_ROWS, columns <= FLAT_COLUMNS. The same bits as by kernels.apart. work: FLAT_WORK
 * doubles. */
void flat_pairs(const kernels *k, size_t size, size_t rows, const double *F, size_t columns,
                const double *G, double *D, double *work);

#endif
