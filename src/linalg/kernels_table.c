/* kernels_table.c - the table of one instruction set's kernels. */
#include "linalg/kernels_vec.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

extern const kernels KERNEL(kernels_table);
const kernels KERNEL(kernels_table) = {
    .name = TEXT(KERNELS_ISA),
    .pack = KERNEL(pack),
    .unpack_sym = KERNEL(unpack_sym),
    .gather = KERNEL(gather),
    .split = KERNEL(split),
    .scatter = KERNEL(scatter),
    .spread = KERNEL(spread),
    .average = KERNEL(average),
    .middle = KERNEL(middle),
    .apart = KERNEL(apart),
    .apart_add = KERNEL(apart_add),
    .apart_end = KERNEL(apart_end),
    .cross = KERNEL(cross),
    .axpy = KERNEL(axpy),
    .axpy4 = KERNEL(axpy4),
    .blend = KERNEL(blend),
    .collect = KERNEL(collect),
    .widen = KERNEL(widen),
    .chol = KERNEL(chol),
    .tri_inverse = KERNEL(tri_inverse),
    .tri_gram = KERNEL(tri_gram),
    .solve = KERNEL(solve),
    .lower_times = KERNEL(lower_times),
    .solve_trans = KERNEL(solve_trans),
    .reduce = KERNEL(reduce),
    .expand = KERNEL(expand),
    .eigvals = KERNEL(eigvals),
    .eigh = KERNEL(eigh),
    .eigh_single = KERNEL(eigh_single),
    .rank = KERNEL(rank),
    .rebuild = KERNEL(rebuild),
    .by_poles = KERNEL(by_poles),
    .few_by_poles = KERNEL(few_by_poles),
    .few_chol = KERNEL(few_chol),
    .few_inverse = KERNEL(few_inverse),
    .log_norm2 = KERNEL(log_norm2),
    .log = KERNEL(log),
    .product = KERNEL(product),
    .product_onto = KERNEL(product_onto),
    .product_lower = KERNEL(product_lower),
};
