/* orthonormal.h - rows made orthonormal, one after the other. */
#ifndef SPD_CLASSIFY_ORTHONORMAL_H
#define SPD_CLASSIFY_ORTHONORMAL_H

#include <stddef.h>

/* Rows of Z (count x size) <- orthonormal, each against those before it; one that adds less than
 * 1e-10 of itself to them becomes zero. */
void orthonormal_rows(size_t count, size_t size, double *Z);

#endif
