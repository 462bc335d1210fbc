/* sized.h - structs of the public header that may grow.
 *
 * Such a struct begins with `size_t size`, sizeof as the caller was compiled. A library that knows
 * more members than the caller takes their defaults; one that knows fewer refuses members that are
 * set and unknown to it. */
#ifndef SPD_BASE_SIZED_H
#define SPD_BASE_SIZED_H

#include "base/context.h"

/* mine (size bytes) holds the defaults; *given, or NULL for none, is copied over it as far as both
 * reach, and mine's own size is restored. SPD_EINVAL, naming `type`, when given->size is no size of
 * such a struct. */
spd_status sized_take(spd_context *ctx, const char *type, size_t size, void *mine,
                      const void *given);

/* SPD_EINVAL, naming `type`, unless *given is NULL or can be filled: asked before any work. */
spd_status sized_check(spd_context *ctx, const char *type, const void *given);

/* *given <- mine (size bytes) as far as both reach; given->size stays, members unknown here become
 * 0. NULL is fine. */
void sized_give(size_t size, const void *mine, void *given);

#endif
