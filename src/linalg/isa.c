/* isa.c - which instruction set's kernels run on this machine. */
#include "linalg/isa.h"

#include <stdlib.h>
#include <string.h>

#include "spdml.h"

static const kernels *best_table(void)
{
    for (size_t i = 0; isa_tables[i]; i++)
        if (isa_present(isa_tables[i]->name))
            return isa_tables[i];
    return NULL; /* not reached: the last entry, baseline, is always present */
}

const kernels *kernels_named(const char *name)
{
    for (size_t i = 0; isa_tables[i]; i++)
        if (strcmp(isa_tables[i]->name, name) == 0 && isa_present(name))
            return isa_tables[i];
    return NULL;
}

const kernels *kernels_get(void)
{
    const char *wanted = getenv("SPDML_ISA");
    const kernels *table = wanted ? kernels_named(wanted) : NULL;
    return table ? table : best_table();
}

const char *spd_isa_name(void)
{
    return kernels_get()->name;
}

/* Ten pairs of vectors and four single ones per row, at the widest: see eigen_work. */
size_t kernels_eigh_work(size_t n)
{
    return (10 * 2 + 4) * LANES * n;
}
