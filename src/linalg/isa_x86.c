/* isa_x86.c - three sets for x86-64. Empty on other processors. */
#include "linalg/isa.h"

#if defined(__x86_64__)
#include <string.h>

extern const kernels kernels_table_avx512, kernels_table_avx2, kernels_table_baseline;

const kernels *const isa_tables[] = {&kernels_table_avx512, &kernels_table_avx2,
                                     &kernels_table_baseline, NULL};

int isa_present(const char *name)
{
    __builtin_cpu_init();
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return 1;
}
#endif
