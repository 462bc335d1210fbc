/* constants.h - the numbers in objectives of samples, for softmax.c and log_margin.c and for their
 * kernels (cuda/samples.cu). */
#ifndef SPD_OBJECTIVE_CONSTANTS_H
#define SPD_OBJECTIVE_CONSTANTS_H

#define OBJECTIVE_SHARPNESS 4.0

/* of log_margin.c alone */
#define OBJECTIVE_MARGIN        0.2
#define OBJECTIVE_TINY          1e-6
#define OBJECTIVE_NEAREST_SAME  3
#define OBJECTIVE_NEAREST_OTHER 10

#endif
