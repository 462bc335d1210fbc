/* summary.h - least, middle and largest of many numbers. */
#ifndef SPD_CLI_FRAME_SUMMARY_H
#define SPD_CLI_FRAME_SUMMARY_H

#include <stddef.h>

typedef struct summary {
    size_t count;
    double min, median, max; /* NaN when count is 0 */
} summary;

/* Reorders values. The median of an even count is the mean of the two in the middle. */
summary summary_of(size_t count, double *values);

/* Moves the entries above the diagonal of a p x p matrix to its front; how many they are. */
size_t summary_upper(size_t p, double *D);

#endif
