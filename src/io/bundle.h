/* bundle.h - arrays and a text in one .npz; the public functions are spd_bundle_*. */
#ifndef SPD_IO_BUNDLE_H
#define SPD_IO_BUNDLE_H

#include "base/context.h"

/* A bundle from an .npz image in memory; messages do not name a file. */
spd_status bundle_read_memory(spd_context *ctx, const unsigned char *bytes, size_t size,
                              spd_bundle **bundle);

#endif
