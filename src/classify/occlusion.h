/* occlusion.h - the compressed Gabor occlusion dictionary (Yang, Zhang 2010).
 *
 * An occluded image is a face plus something arbitrary, so its features are coded over those of the
 * training faces and those of the identity basis, images with one bright pixel. These are many and
 * alike: they are compressed about 40 to 1. */
#ifndef SPD_CLASSIFY_OCCLUSION_H
#define SPD_CLASSIFY_OCCLUSION_H

#include "classify/gabor_features.h"

/* Atoms for images of that size. */
size_t occlusion_atoms(const gabor_features *f);

/* B (occlusion_atoms x gabor_features_dim) <- atoms of unit length. It depends on nothing but the
 * size of the images. */
spd_status occlusion_learn(spd_context *ctx, const gabor_features *f, double *B);

#endif
