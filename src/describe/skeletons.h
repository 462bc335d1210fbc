/* skeletons.h - which .asf belongs to which .amc: the one given, or of those in the same folder, else
 * in the nearest above it, the one whose stem is the longest prefix of the clip's name. */
#ifndef SPD_DESCRIBE_SKELETONS_H
#define SPD_DESCRIBE_SKELETONS_H

#include "base/context.h"
#include "formats/motion.h"

typedef struct bones {
    char *path;       /* where it is, archives included */
    skeleton *parsed; /* NULL: broken, and */
    spd_error fault;  /* why */
} bones;

typedef struct skeletons {
    int for_all; /* the first serves every clip */
    size_t count;
    bones *found;
    char *folder; /* the last that was searched for a clip */
} skeletons;

/* Reads the one that serves all. */
spd_status skeletons_give(spd_context *ctx, skeletons *all, const char *path);

/* Adds one from memory; a broken one is kept as such. */
spd_status skeletons_add(spd_context *ctx, skeletons *all, const char *path, const char *text,
                         size_t size);

/* Adds that in a file, likewise; `all` is of skeletons. */
spd_status skeletons_read(spd_context *ctx, void *all, const char *path);

/* Reads all beside a clip on disk. */
spd_status skeletons_beside(spd_context *ctx, skeletons *all, const char *clip);

/* *found <- the clip's own; SPD_EINVAL when there is none or when it is broken. Messages do not
 * name the clip. */
spd_status skeletons_find(spd_context *ctx, const skeletons *all, const char *clip,
                          const skeleton **found);
void skeletons_free(skeletons *all);

#endif
