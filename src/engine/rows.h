/* rows.h - results that ranks have shared, in an order of their own. */
#ifndef SPD_ENGINE_ROWS_H
#define SPD_ENGINE_ROWS_H

#include "base/context.h"

/* Rows which[0 .. count-1] of a table, `each` bytes long, <- as the ranks have made them: these
 * were dealt out in chunks of `per` (ranks_first). */
spd_status rows_collect(spd_context *ctx, size_t count, size_t per, const size_t *which,
                        size_t each, void *table);

#endif
