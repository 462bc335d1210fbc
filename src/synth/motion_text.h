/* motion_text.h - skeletons and clips as Acclaim .asf and .amc files, and the index of a set. */
#ifndef SPD_SYNTH_MOTION_TEXT_H
#define SPD_SYNTH_MOTION_TEXT_H

#include "io/outfile.h"
#include "synth/motion_clip.h"

/* A file by what it holds; numbers have points whatever the language. Each appends to out. */
spd_status motion_text_asf(spd_context *ctx, const body *b, const char *name, outfile *out);
spd_status motion_text_amc(spd_context *ctx, const clip *c, outfile *out);

/* A line, or a part of one, of at most 255 characters. */
spd_status motion_text_put(spd_context *ctx, outfile *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
