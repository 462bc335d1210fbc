/* reading.h - one input, read and decoded on the thread that describes it. */
#ifndef SPD_DESCRIBE_READING_H
#define SPD_DESCRIBE_READING_H

#include "describe/inputs.h"

typedef struct reading {
    input in; /* what the descriptor gets */
    /* What it points into; NULL where it is borrowed. */
    image *picture;
    motion *clip;
    spd_array *array;
    double *turned;
    motion lent; /* a clip whose positions belong to an array */
} reading;

/* Reads an input; bytes (size of them) are those of an archive's member, else NULL. Messages do
 * not begin with the input's name. Close in any case. */
spd_status reading_open(spd_context *ctx, const inputs *list, const item *what,
                        const unsigned char *bytes, size_t size, reading *r);
void reading_close(reading *r);

#endif
