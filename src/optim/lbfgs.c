/* lbfgs.c - the two-loop recursion (Nocedal and Wright 2006, algorithm 7.4). */
#include "optim/lbfgs.h"

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
    for (size_t e = 0; e < size; e++) {
        s[e] = step * h[e];
        y[e] = g[e] - o[e];
    }
    /* With a full memory the oldest pair is overwritten, and lost either way. */
    if (memory->count == LBFGS_MEMORY) {
        memory->first = (memory->first + 1) % LBFGS_MEMORY;
        memory->count--;
    }
    weigh(memory, slot);
    if (memory->sy[slot] > 0.0)
        memory->count++;
}

/* H <- H + (a - <v,H> / sy) w for slots v and w: half a turn of the recursion; the quotient. */
static double turn(const lbfgs *memory, size_t slot, const double *v, const double *w, double a,
                   double *H)
{
    size_t size = memory->size;
    double part = memory->sy[slot] > 0.0 ? dot(size, v + slot * size, H) / memory->sy[slot] : a;
    tall_axpy(size, 1, a - part, w + slot * size, H);
    return part;
}

/* gamma = <s,y>/<y,y> of the newest pair: the size of the inverse Hessian. */
static double newest_scale(const lbfgs *memory)
{
    size_t slot = slot_of(memory, memory->count - 1);
    return memory->sy[slot] > 0.0 ? memory->sy[slot] / memory->yy[slot] : 1.0;
}

void lbfgs_direction(const lbfgs *memory, const double *g, double *H)
{
    size_t size = memory->size;
    double alpha[LBFGS_MEMORY];
    for (size_t e = 0; e < size; e++)
        H[e] = -g[e];
    if (memory->count == 0)
        return;
    for (size_t k = memory->count; k-- > 0;)
        alpha[k] = turn(memory, slot_of(memory, k), memory->s, memory->y, 0.0, H);
    double gamma = newest_scale(memory);
    for (size_t e = 0; e < size; e++)
        H[e] *= gamma;
    for (size_t k = 0; k < memory->count; k++)
        turn(memory, slot_of(memory, k), memory->y, memory->s, alpha[k], H);
}
