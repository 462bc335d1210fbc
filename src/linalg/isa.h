/* isa.h - the tables that were compiled in; isa_x86.c or isa_generic.c provides them. */
#ifndef SPD_LINALG_ISA_H
#define SPD_LINALG_ISA_H

#include "linalg/kernels.h"

/* Best first, ends with NULL. */
extern const kernels *const isa_tables[];

/* Does this machine run that set's instructions? */
int isa_present(const char *name);

#endif
