/* lbfgs.c - the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4). */
#include "optim/lbfgs.h"

#include <string.h>

#include "linalg/kernels.h"
#include "linalg/tall.h"

/* Least cosine between s and y: a smaller one says nothing sure about curvature. */
#define LEAST_COSINE 1e-8

size_t lbfgs_room(size_t size)
{
    return 2 * LBFGS_MEMORY * size;
}

void lbfgs_open(lbfgs *memory, size_t size, double *block)
{
    memory->size = size;
    memory->s = block;
    memory->y = block + LBFGS_MEMORY * size;
    lbfgs_forget(memory);
}

void lbfgs_forget(lbfgs *memory)
{
    memory->count = memory->first = 0;
}

static size_t slot_of(const lbfgs *memory, size_t k)
{
    return (memory->first + k) % LBFGS_MEMORY;
}

double *lbfgs_vector(lbfgs *memory, size_t k)
{
    double *kind = k < memory->count ? memory->s : memory->y;
    return kind + slot_of(memory, k % memory->count) * memory->size;
}

/* A vector is a matrix of one column. */
static double dot(size_t size, const double *a, const double *b)
{
    return tall_dot(size, 1, a, b);
}

/* The inner products of the pair in a slot. */
static void weigh(lbfgs *memory, size_t slot)
{
    size_t size = memory->size;
    const double *s = memory->s + slot * size, *y = memory->y + slot * size;
    double sy = dot(size, s, y), yy = dot(size, y, y);
    int curved = sy > 0.0 && sy * sy > LEAST_COSINE * LEAST_COSINE * dot(size, s, s) * yy;
    memory->sy[slot] = curved ? sy : 0.0;
    memory->yy[slot] = yy;
}

void lbfgs_weigh(lbfgs *memory)
{
    for (size_t k = 0; k < memory->count; k++)
        weigh(memory, slot_of(memory, k));
}

void lbfgs_add(lbfgs *memory, double step, const double *h, const double *g, const double *o)
{
    size_t size = memory->size, slot = slot_of(memory, memory->count);
    double *s = memory->s + slot * size, *y = memory->y + slot * size;
    memcpy(s, h, size * sizeof *s);
    memcpy(y, g, size * sizeof *y);
    kernels_get()->axpby_dot(size, 0.0, s, step, s, s);
    kernels_get()->axpby_dot(size, -1.0, o, 1.0, y, y);
    /* With a full memory the oldest pair is overwritten, and lost either way. */
    if (memory->count == LBFGS_MEMORY) {
        memory->first = (memory->first + 1) % LBFGS_MEMORY;
        memory->count--;
    }
    weigh(memory, slot);
    if (memory->sy[slot] > 0.0)
        memory->count++;
}

/* gamma = <s,y>/<y,y> of the newest pair: the size of the inverse Hessian. */
static double newest_scale(const lbfgs *memory)
{
    size_t slot = slot_of(memory, memory->count - 1);
    return memory->sy[slot] > 0.0 ? memory->sy[slot] / memory->yy[slot] : 1.0;
}

/* x/<s,y> of a slot, or other where that says nothing. */
static double over_curvature(const lbfgs *memory, size_t slot, double x, double other)
{
    return memory->sy[slot] > 0.0 ? x / memory->sy[slot] : other;
}

/* The product with the next vector is made in the pass that adds this one. Until its last pass H is
 * on the way to B g, not -B g. */
void lbfgs_direction(const lbfgs *memory, const double *g, double *H)
{
    size_t size = memory->size, count = memory->count;
    const double *s = memory->s, *y = memory->y;
    double alpha[LBFGS_MEMORY];
    const kernels *kernel = kernels_get();
    memcpy(H, g, size * sizeof *H);
    if (count == 0) {
        kernel->axpby_dot(size, 0.0, H, -1.0, H, H);
        return;
    }
    double product = dot(size, s + slot_of(memory, count - 1) * size, g);
    for (size_t k = count; k-- > 0;) {
        size_t slot = slot_of(memory, k);
        const double *next = k > 0 ? s + slot_of(memory, k - 1) * size : y + slot * size;
        double keep = k > 0 ? 1.0 : newest_scale(memory);
        alpha[k] = over_curvature(memory, slot, product, 0.0);
        product = kernel->axpby_dot(size, -keep * alpha[k], y + slot * size, keep, H, next);
    }
    for (size_t k = 0; k < count; k++) {
        size_t slot = slot_of(memory, k);
        int last = k + 1 == count;
        const double *next = y + slot_of(memory, last ? k : k + 1) * size;
        double part = alpha[k] - over_curvature(memory, slot, product, alpha[k]);
        double keep = last ? -1.0 : 1.0;
        product = kernel->axpby_dot(size, keep * part, s + slot * size, keep, H, next);
    }
}
