/* isa.c - which instruction set's kernels run on this machine. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/naming.h"
#include "linalg/kernels.h"
#include "linalg/poles.h"
#include "spdml.h"

static const naming naming_isa = {
    .kind = "instruction set",
    .word = {"baseline", "avx2", "avx512"},
};

/* The tables that were compiled in, best first. */
extern const kernels kernels_table_baseline;
#if defined(__x86_64__)
#include <cpuid.h>
extern const kernels kernels_table_avx512, kernels_table_avx2;
static const kernels *const tables[] = {&kernels_table_avx512, &kernels_table_avx2,
                                        &kernels_table_baseline};

/* As Intel's manual numbers them: leaf 1, register c; leaf 7, register b; XCR0. Not every compiler
 * has the library that __builtin_cpu_supports asks. */
#define HAS_FMA       (1u << 12)
#define HAS_XGETBV    (1u << 27)
#define HAS_AVX2      (1u << 5)
#define HAS_AVX512    (1u << 16 | 1u << 17 | 1u << 30 | 1u << 31) /* F, DQ, BW, VL */
#define SAVES_VECTORS 0x06u                                       /* the system, of 256 bits */
#define SAVES_LARGE   0xe6u                                       /* and of 512 */

static unsigned system_saves(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Does this machine run that set's instructions? Always those of the last, baseline. */
static int is_present(const kernels *table)
{
    unsigned a, b, c, d, b7 = 0, unused;
    if (table == &kernels_table_baseline)
        return 1;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &b7, &unused, &d))
        return 0;
    if ((c & (HAS_FMA | HAS_XGETBV)) != (HAS_FMA | HAS_XGETBV) || !(b7 & HAS_AVX2))
        return 0;
    unsigned saved = system_saves();
    if (table == &kernels_table_avx512)
        return (b7 & HAS_AVX512) == HAS_AVX512 && (saved & SAVES_LARGE) == SAVES_LARGE;
    return (saved & SAVES_VECTORS) == SAVES_VECTORS;
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

/* What SPDML_ISA says; NULL when it is not set. */
static const char *wanted_name(void)
{
    const char *wanted = getenv("SPDML_ISA");
    return wanted && wanted[0] ? wanted : NULL;
}

static const kernels *choose(void)
{
    const char *wanted = wanted_name();
    const kernels *table = wanted ? kernels_named(wanted) : NULL;
    return table ? table : kernels_named(NULL);
}

/* The environment is read once: a program that changes it while other threads compute would
 * otherwise be read in the middle of that. */
const kernels *kernels_get(void)
{
    static _Atomic(const kernels *) chosen;
    const kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!table) {
        table = choose();
        atomic_store_explicit(&chosen, table, memory_order_release);
    }
    return table;
}

const char *spd_isa_name(void)
{
    return kernels_get()->name;
}

spd_status spd_isa_check(spd_context *ctx)
{
    const char *wanted = wanted_name();
    spd_status status = SPD_OK;
    ctx_clear(ctx);
    if (!wanted)
        return SPD_OK;
    if (naming_parse(ctx, &naming_isa, wanted) < 0)
        status = SPD_EINVAL;
    else if (!kernels_named(wanted))
        status = ctx_fail(ctx, SPD_EINVAL, "this machine has no %s; its best is %s", wanted,
                          kernels_named(NULL)->name);
    ctx_prefix(ctx, "SPDML_ISA");
    return status;
}

/* Ten pairs of vectors and four single ones per row, at the widest: see eigen_work. */
size_t kernels_dense_from(const kernels *k)
{
    return strcmp(k->name, "avx512") == 0 ? 192 : 112;
}

size_t kernels_eigh_work(size_t n)
{
    return (10 * 2 + 4) * LANES * n;
}

/* Two matrices and five rows, padded. */
size_t kernels_single_work(size_t n)
{
    return (2 * n + 5) * ((n + 7) / 8 * 8);
}

/* The result, two groups of poles, and seven vectors: see kernels_poles.c. */
size_t kernels_poles_work(size_t n)
{
    return (TRI(n) + 16 * n + 7 * n) * LANES;
}

/* Two numbers for each pole and row, a row for each pole, and seven vectors. */
size_t kernels_norm_work(size_t n)
{
    return POLES_MOST * (3 * n + LANES) + 7 * n * LANES;
}

static const kernels *choose_few(void)
{
    const kernels *best = kernels_get(), *half = kernels_named("avx2");
    return half && strcmp(best->name, "avx512") == 0 ? half : best;
}

const kernels *kernels_few(void)
{
    static _Atomic(const kernels *) chosen;
    const kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (!table) {
        table = choose_few();
        atomic_store_explicit(&chosen, table, memory_order_release);
    }
    return table;
}
