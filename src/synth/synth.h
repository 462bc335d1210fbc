/* synth.h - data made from a seed, one file per kind; synth.c is the table and the folder. */
#ifndef SPD_SYNTH_SYNTH_H
#define SPD_SYNTH_SYNTH_H

#include "base/context.h"
#include "spdml-data.h"

/* Files one after the other into an existing folder. A generator says how many there are and makes
 * number i from seed and i alone, so that files can be made in parallel. */
typedef struct generator {
    void (*defaults)(spd_synth_options *options);
    /* SPD_EINVAL for options that make no sense. */
    spd_status (*check)(spd_context *ctx, const spd_synth_options *options);
    size_t (*files)(const spd_synth_options *options);
    /* Writes file i under the folder, making a sub-folder where needed. Runs on any thread, with a
     * context of that thread. */
    spd_status (*write)(spd_context *ctx, const spd_synth_options *options, const char *folder,
                        size_t i);
} generator;

/* *chosen <- the options as this library knows them, or the defaults of the kind for NULL. */
spd_status synth_take(spd_context *ctx, spd_synth_kind kind, const spd_synth_options *options,
                      spd_synth_options *chosen);

extern const generator generator_textures; /* textures.c */
extern const generator generator_faces;    /* faces.c */
extern const generator generator_motion;   /* motion.c */

#endif
