/* rows.c - rows packed, exchanged and put back. */
#include "engine/rows.h"

#include <string.h>

#include "base/memory.h"

spd_status rows_collect(spd_context *ctx, size_t count, size_t per, const size_t *which,
                        size_t each, void *table)
{
    ranks *r = ranks_of(ctx);
    char *rows = table, *all = r ? mem_alloc(count, each) : NULL;
    if (!r || !all)
        return r ? ctx_nomem(ctx, "results of all ranks") : SPD_OK;
    for (size_t e = 0; e < count; e++)
        memcpy(all + e * each, rows + which[e] * each, each);
    ranks_collect(r, count, per, each, all);
    for (size_t e = 0; e < count; e++)
        memcpy(rows + which[e] * each, all + e * each, each);
    mem_free(all);
    return SPD_OK;
}
