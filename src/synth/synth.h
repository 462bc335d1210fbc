/* synth.h - data made from a seed, one file per kind; synth.c is the table and the folder. */
#ifndef SPD_SYNTH_SYNTH_H
#define SPD_SYNTH_SYNTH_H

#include "base/context.h"
#include "spdml-data.h"

#define SYNTH_NAME 80 /* bytes of a file's name */

/* Files in an existing folder. A generator says how many there are, and names and makes number i
 * from the options and i alone, so that files can be made in parallel. */
typedef struct generator {
    spd_synth_options usual; /* but for the seed */
    /* SPD_EINVAL for options that make no sense. */
    spd_status (*check)(spd_context *ctx, const spd_synth_options *options);
    size_t (*files)(const spd_synth_options *options); /* without the index */

    /* name (SYNTH_NAME) <- that of file i, within a sub-folder perhaps: "brick/brick_01.png". */
    void (*name_file)(const spd_synth_options *options, size_t i, char *name);
    /* Runs on any thread, with a context of that thread. */
    spd_status (*write)(spd_context *ctx, const spd_synth_options *options, const char *path,
                        size_t i);

    /* A folder with an index has it as its last file, index.csv: its header, or NULL, and the rest
     * of the row of file i behind the name, or 0 for a file that has none. */
    const char *index;
    int (*row)(const spd_synth_options *options, size_t i, char *row);
} generator;

/* How many files a folder has, with the index. */
size_t synth_count(const generator *how, const spd_synth_options *options);

/* Writes file i under the folder, making its sub-folder where needed. Messages begin with its
 * name. */
spd_status synth_write(spd_context *ctx, const generator *how, const spd_synth_options *options,
                       const char *folder, size_t i);

/* *chosen <- the options as this library knows them, or the defaults of the kind for NULL. */
spd_status synth_take(spd_context *ctx, spd_synth_kind kind, const spd_synth_options *options,
                      spd_synth_options *chosen);

extern const generator generator_textures; /* textures.c */
extern const generator generator_faces;    /* faces.c */
extern const generator generator_motion;   /* motion.c */

#endif
