/* defaults.c - usual settings of the descriptors. */
#include <math.h>

#include "base/sized.h"
#include "describe/descriptor.h"

#define PI 3.14159265358979323846

/* Bones are rigid, so joint positions are bound to each other: their covariance is singular.
 * Neighbouring pixels of a small image that was enlarged depend on each other too, and a part of
 * an image without contrast has no variance but that of the position. */
double defaults_regularize(spd_descriptor kind)
{
    if (kind == SPD_DESCRIBE_SIFT_COLOR)
        return 1e-5;
    if (kind == SPD_DESCRIBE_REGION)
        return 1e-6;
    return kind == SPD_DESCRIBE_JOINTS ? 1e-3 : 0.0;
}

void spd_describe_defaults(spd_descriptor kind, spd_describe_options *options, size_t size)
{
    spd_describe_options usual = {
        .size = sizeof usual,
        .covariance = {.regularize = defaults_regularize(kind)},
        .step = 4,
        .bin = 3,
        .scales = 5,
        .orientations = 8,
        .kmax = sqrt(2.0),
        .spacing = sqrt(2.0),
        .sigma = 2.0 * PI,
        .pyramid = 1,
        .rate = 1.0,
        .order = 4,
    };
    if (kind == SPD_DESCRIBE_SIFT_COLOR) {
        usual.width = usual.height = 400;
    } else if (kind == SPD_DESCRIBE_GABOR) {
        usual.width = usual.height = 64;
        usual.regions = SPD_REGIONS_HALVES;
        usual.grey = 1;
    }
    options->size = size;
    sized_give(sizeof usual, &usual, options);
}
