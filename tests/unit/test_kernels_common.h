/* test_kernels_common.h - every case of a file, for every set of kernels that this machine has. */
#ifndef SPD_TEST_KERNELS_COMMON_H
#define SPD_TEST_KERNELS_COMMON_H

#define TEST_OWN_MAIN
#include "linalg/kernels.h"
#include "random_spd.h"
#include "test.h"

static const kernels *k; /* the set that is tried */

int main(void)
{
    static const char *const names[] = {"avx512", "avx2", "baseline"};
    for (size_t i = 0; i < 3; i++) {
        k = kernels_named(names[i]);
        if (!k) {
            test_skip("this machine has no %s", names[i]);
            continue;
        }
        printf("%s\n", names[i]);
        test_run_all();
    }
    return test_summary();
}

#endif
