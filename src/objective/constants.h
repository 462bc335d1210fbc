/* constants.h - the number in the softmax objective, for softmax.c and for its kernel
 * (cuda/samples.cu). */
#ifndef SPD_OBJECTIVE_CONSTANTS_H
#define SPD_OBJECTIVE_CONSTANTS_H

#define OBJECTIVE_SHARPNESS 4.0

#endif
