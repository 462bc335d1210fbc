/* motion_text.h - skeletons and clips as Acclaim .asf and .amc files, and the index of a set. */
#ifndef SPD_SYNTH_MOTION_TEXT_H
#define SPD_SYNTH_MOTION_TEXT_H

#include "io/outfile.h"
#include "synth/motion_clip.h"

/* A file by what it holds; numbers have points whatever the language. Each appends to out. */
void motion_text_asf(const body *b, const char *name, outfile *out);
void motion_text_amc(const clip *c, outfile *out);

#endif
