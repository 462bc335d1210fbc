/* isa.c - which instruction set's kernels run on this machine. */
#include <stdlib.h>
#include <string.h>

#include "linalg/kernels.h"
#include "spdml.h"

/* The tables that were compiled in, best first. */
extern const kernels kernels_table_baseline;
#if defined(__x86_64__)
extern const kernels kernels_table_avx512, kernels_table_avx2;
static const kernels *const tables[] = {&kernels_table_avx512, &kernels_table_avx2,
                                        &kernels_table_baseline};

/* Does this machine run that set's instructions? Always those of the last, baseline. */
static int is_present(const kernels *table)
{
    __builtin_cpu_init();
    if (table == &kernels_table_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    return table == &kernels_table_baseline ||
           (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
}
#else
static const kernels *const tables[] = {&kernels_table_baseline};

static int is_present(const kernels *table)
{
    return table != NULL;
}
#endif

const kernels *kernels_named(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if ((!name || strcmp(tables[i]->name, name) == 0) && is_present(tables[i]))
            return tables[i];
    return NULL;
}

const kernels *kernels_get(void)
{
    const char *wanted = getenv("SPDML_ISA");
    const kernels *table = wanted ? kernels_named(wanted) : NULL;
    return table ? table : kernels_named(NULL);
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
