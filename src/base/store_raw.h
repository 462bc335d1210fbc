/* store_raw.h - what store.c and store_walk.c share. */
#ifndef SPD_BASE_STORE_RAW_H
#define SPD_BASE_STORE_RAW_H

#include "base/store.h"

/* to (count) <- from, as doubles. */
void store_widen(size_t count, const float *from, double *to);

/* Are there repairs to be made after reading? X (count x n x n) <- repaired. */
int store_repairs(const spd_store *s);
void store_repair(const spd_store *s, size_t count, double *X);

#endif
