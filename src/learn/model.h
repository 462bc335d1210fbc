/* model.h - model files from the inside. */
#ifndef SPD_LEARN_MODEL_H
#define SPD_LEARN_MODEL_H

#include "base/context.h"

#define MODEL_KIND      "spdml model"
#define CHECKPOINT_KIND "spdml checkpoint"

/* *model <- what a bundle holds, everything checked. */
spd_status model_from_bundle(spd_context *ctx, const spd_bundle *bundle, spd_model **model);

/* The same for checkpoints. */
spd_status state_from_bundle(spd_context *ctx, const spd_bundle *bundle, spd_fit_state **state);

#endif
