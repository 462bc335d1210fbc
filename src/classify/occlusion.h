/* occlusion.h - the compressed Gabor occlusion dictionary (Yang, Zhang 2010).
 *
 * An occluded image is a face plus something arbitrary, so its features are coded over those of the
 * training faces and those of the identity basis, images with one bright pixel. These are many and
 * alike: they are compressed about 40 to 1. */
#ifndef SPD_CLASSIFY_OCCLUSION_H
#define SPD_CLASSIFY_OCCLUSION_H

#include "base/context.h"

/* The magnitudes of 40 wavelets (5 scales, 8 orientations; kmax pi/2, spacing sqrt 2, sigma 2 pi),
 * each sampled on a grid of every 6th pixel, which is one in 36, from pixel 3 on in either
 * direction (images below 6 pixels: all of them), made to have mean zero and length one,
 * concatenated, and the whole scaled to length one. */

#define GABOR_SCALES       5
#define GABOR_ORIENTATIONS 8

/* Samples along one side of an image: from half a step on, every step. */
typedef struct gabor_side {
    size_t length, step, count;
} gabor_side;

typedef struct gabor_features {
    gabor_side x, y;
} gabor_features;

/* Those of images of this size. */
gabor_features gabor_features_for(size_t width, size_t height);

/* Samples of one magnitude image, and the length of a feature vector. */
size_t gabor_features_cells(const gabor_features *f);
size_t gabor_features_dim(const gabor_features *f);

/* Deviation of the Gaussian envelope of a scale, pixels. */
double gabor_features_deviation(size_t scale);

/* The pixel of sample i along a side. */
size_t gabor_features_place(const gabor_side *side, size_t i);

/* x (count) <- x - mean, then scaled to length one; what is constant becomes zero. */
void gabor_features_normalise(size_t count, double *x);

/* F (p x dim) <- the features of the images V (p x height x width). */
spd_status gabor_features_of(spd_context *ctx, const gabor_features *f, size_t p, const double *V,
                             double *F);

/* Atoms for images of that size. */
size_t occlusion_atoms(const gabor_features *f);

/* B (occlusion_atoms x gabor_features_dim) <- atoms of unit length. It depends on nothing but the
 * size of the images. */
spd_status occlusion_learn(spd_context *ctx, const gabor_features *f, double *B);

#endif
