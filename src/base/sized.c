/* sized.c - copies between a caller's struct and ours, which may be of another version. */
#include "base/sized.h"

#include <string.h>

/* No struct is larger: a size beyond was never set. */
#define LARGEST 65536

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

spd_status sized_check(spd_context *ctx, const char *type, const void *given)
{
    if (given && (size_of(given) < 2 * sizeof(size_t) || size_of(given) > LARGEST))
        return ctx_fail(ctx, SPD_EINVAL,
                        "%s: size is %zu; set it with SPD_STRUCT or the defaults function", type,
                        size_of(given));
    return SPD_OK;
}

spd_status sized_take(spd_context *ctx, const char *type, size_t size, void *mine,
                      const void *given)
{
    spd_status status = sized_check(ctx, type, given);
    if (status < 0 || !given)
        return status;
    size_t theirs = size_of(given);
    for (size_t i = size; i < theirs; i++)
        if (((const unsigned char *)given)[i] != 0)
            return ctx_fail(ctx, SPD_EINVAL,
                            "%s sets members that version %s does not know; use a newer library",
                            type, spd_version());
    memcpy(mine, given, theirs < size ? theirs : size);
    memcpy(mine, &size, sizeof size);
    return SPD_OK;
}

void sized_give(size_t size, const void *mine, void *given)
{
    if (!given)
        return;
    size_t theirs = size_of(given), both = theirs < size ? theirs : size;
    memcpy((char *)given + sizeof theirs, (const char *)mine + sizeof theirs, both - sizeof theirs);
    memset((char *)given + both, 0, theirs - both);
}
