/* library.h - rows of spd_library_at and spd_data_library_at. */
#ifndef SPD_BASE_LIBRARY_H
#define SPD_BASE_LIBRARY_H

#include "spdml.h"

/* *library <- a row. The version is the first word of `says` that begins with a digit: libraries
 * tell "1.2.13", "libarchive 3.6.2" or "LIBTIFF, Version 4.5.0" and a line on copyright; "unknown"
 * where there is none. */
void library_row(spd_library *library, const char *name, const char *says, const char *detail);

#endif
