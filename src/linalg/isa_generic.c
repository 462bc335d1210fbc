/* isa_generic.c - one set, by the compiler's own vectors. Empty on x86-64. */
#include "linalg/isa.h"

#if !defined(__x86_64__)
extern const kernels kernels_table_baseline;

const kernels *const isa_tables[] = {&kernels_table_baseline, NULL};

int isa_present(const char *name)
{
    (void)name;
    return 1;
}
#endif
