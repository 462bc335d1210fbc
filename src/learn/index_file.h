/* index_file.h - an index as a file. */
#ifndef SPD_LEARN_INDEX_FILE_H
#define SPD_LEARN_INDEX_FILE_H

#include "io/file.h"

/* *index (new) <- what the file holds, checked; a failure leaves it alone. */
spd_status index_from_bundle(spd_context *ctx, const io_bundle *bundle, spd_index **index);

#endif
