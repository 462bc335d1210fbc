/* centre.h - inner products about the mean. */
#ifndef SPD_CLASSIFY_CENTRE_H
#define SPD_CLASSIFY_CENTRE_H

#include <stddef.h>

/* K (p x p, symmetric) <- (I - 11'/p) K (I - 11'/p), exactly symmetric; mean (p) <- the means of
 * the rows before. */
void centre_both(size_t p, double *K, double *mean);

#endif
