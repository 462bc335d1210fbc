/* orthonormal.c - modified Gram-Schmidt, every row twice: what rounding leaves of the first time
 * the second takes away. */
#include "classify/orthonormal.h"

#include <math.h>

#include "linalg/tall.h"

#define NOTHING 1e-10

void orthonormal_rows(size_t count, size_t size, double *Z)
{
    for (size_t a = 0; a < count; a++) {
        double *z = Z + a * size, before = sqrt(tall_dot(size, 1, z, z));
        for (size_t b = 0; b < 2 * a; b++) {
            const double *other = Z + b % a * size;
            double part = tall_dot(size, 1, other, z);
            for (size_t i = 0; i < size; i++)
                z[i] -= part * other[i];
        }
        double left = sqrt(tall_dot(size, 1, z, z)),
               scale = left > NOTHING * before ? 1.0 / left : 0.0;
        for (size_t i = 0; i < size; i++)
            z[i] *= scale;
    }
}
