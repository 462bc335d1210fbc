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

static size_t offset(const lbfgs *memory, size_t k)
{
    return (memory->first + k) % LBFGS_MEMORY * memory->size;
}

double *lbfgs_vector(lbfgs *memory, size_t k)
{
    double *kind = k < memory->count ? memory->s : memory->y;
    return kind + offset(memory, k % memory->count);
}

/* A vector is a matrix of one column. */
static double dot(size_t size, const double *a, const double *b)
{
    return tall_dot(size, 1, a, b);
}

static void add(size_t size, double scale, const double *a, double *b)
{
    for (size_t e = 0; e < size; e++)
        b[e] += scale * a[e];
}

static int curved(size_t size, const double *s, const double *y)
{
    double sy = dot(size, s, y);
    return sy > 0.0 && sy * sy > LEAST_COSINE * LEAST_COSINE * dot(size, s, s) * dot(size, y, y);
}

void lbfgs_add(lbfgs *memory, double step, const double *h, const double *g, const double *o)
{
    size_t size = memory->size, at = offset(memory, memory->count);
    double *s = memory->s + at, *y = memory->y + at;
    for (size_t e = 0; e < size; e++) {
        s[e] = step * h[e];
        y[e] = g[e] - o[e];
    }
    /* With a full memory the oldest pair is overwritten, and lost either way. */
    if (memory->count == LBFGS_MEMORY) {
        memory->first = (memory->first + 1) % LBFGS_MEMORY;
        memory->count--;
    }
    if (curved(size, s, y))
        memory->count++;
}

/* <s,y>, or 0 where the transport has spoilt it: such a pair takes no part. */
static double curvature(const lbfgs *memory, size_t k)
{
    const double *s = memory->s + offset(memory, k), *y = memory->y + offset(memory, k);
    return curved(memory->size, s, y) ? dot(memory->size, s, y) : 0.0;
}

/* H <- gamma H, gamma = <s,y>/<y,y> of the newest pair: the size of the inverse Hessian. */
static void scale_newest(const lbfgs *memory, const double *sy, double *H)
{
    size_t newest = memory->count - 1;
    const double *y = memory->y + offset(memory, newest);
    double gamma = sy[newest] > 0.0 ? sy[newest] / dot(memory->size, y, y) : 1.0;
    for (size_t e = 0; e < memory->size; e++)
        H[e] *= gamma;
}

void lbfgs_direction(const lbfgs *memory, const double *g, double *H)
{
    size_t size = memory->size;
    double alpha[LBFGS_MEMORY], sy[LBFGS_MEMORY];
    for (size_t e = 0; e < size; e++)
        H[e] = -g[e];
    if (memory->count == 0)
        return;
    for (size_t k = memory->count; k-- > 0;) {
        sy[k] = curvature(memory, k);
        alpha[k] = sy[k] > 0.0 ? dot(size, memory->s + offset(memory, k), H) / sy[k] : 0.0;
        add(size, -alpha[k], memory->y + offset(memory, k), H);
    }
    scale_newest(memory, sy, H);
    for (size_t k = 0; k < memory->count; k++) {
        double beta = sy[k] > 0.0 ? dot(size, memory->y + offset(memory, k), H) / sy[k] : 0.0;
        add(size, alpha[k] - beta, memory->s + offset(memory, k), H);
    }
}
