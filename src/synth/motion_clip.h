/* motion_clip.h - one performance of an action by a body, as angles over time. */
#ifndef SPD_SYNTH_MOTION_CLIP_H
#define SPD_SYNTH_MOTION_CLIP_H

#include "base/context.h"
#include "synth/motion_body.h"
#include "synth/motion_style.h"

#define CLIP_RATE 120 /* frames per second */

typedef struct clip {
    size_t frames;
    double *place; /* frames x 3: where the root is */
    double *angle; /* frames x BODY_BONES x 3: degrees about x, y, z */
} clip;

/* Makes a clip of about `frames` frames, times the duration of the action; new. */
spd_status clip_make(spd_context *ctx, const clip_key *key, size_t frames, clip *made);
void clip_free(clip *made);

#endif
