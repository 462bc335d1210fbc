/* tsne_tree.c - a tree of boxes, whose far ones stand for their points in the sums of t-SNE.
 *
 * A node is cut at the middle of the box around its points, along every axis at once, until it has
 * a few points or all are one: every cut divides, so that there are fewer than two nodes for each
 * point. Nodes stand in the order in which a walk meets them: what follows a node is within it, up
 * to its skip. */
#include "classify/tsne.h"

#include <math.h>
#include <string.h>

#define LEAF  6
#define PARTS (1 << TSNE_DIMENSIONS)

spd_status tsne_tree_room(spd_context *ctx, size_t p, size_t d, arena *keep, tsne_tree *tree)
{
    *tree = (tsne_tree){.p = p,
                        .d = d,
                        .node = arena_alloc(keep, p, 2 * sizeof *tree->node),
                        .order = arena_alloc(keep, p, sizeof *tree->order),
                        .Y = arena_alloc(keep, p, d * sizeof *tree->Y),
                        .scratch = arena_alloc(keep, p, 4 * sizeof *tree->scratch)};
    return arena_status(keep, ctx, "a tree of points");
}

/* Centre and box of a node's points; middle (d) <- of the box. */
static void measure(const tsne_tree *t, const double *Y, tsne_node *node, double *middle)
{
    double side = 0.0;
    for (size_t a = 0; a < t->d; a++) {
        double low = INFINITY, high = -INFINITY, sum = 0.0;
        for (size_t e = 0; e < node->count; e++) {
            double y = Y[t->order[node->from + e] * t->d + a];
            low = fmin(low, y);
            high = fmax(high, y);
            sum += y;
        }
        node->centre[a] = sum / (double)node->count;
        middle[a] = low + 0.5 * (high - low);
        side = fmax(side, high - low);
    }
    node->width2 = side * side;
}

/* Which of the parts around the middle a point is in. */
static size_t part_of(size_t d, const double *y, const double *middle)
{
    size_t part = 0;
    for (size_t a = 0; a < d; a++)
        part |= (size_t)(y[a] > middle[a]) << a;
    return part;
}

/* Sorts the node's points by parts; count (PARTS) <- how many each has. */
static void divide(tsne_tree *t, const double *Y, const tsne_node *node, const double *middle,
                   size_t *count)
{
    size_t at[PARTS], *own = t->order + node->from, *sorted = t->scratch;
    memset(count, 0, PARTS * sizeof *count);
    for (size_t e = 0; e < node->count; e++)
        count[part_of(t->d, Y + own[e] * t->d, middle)]++;
    for (size_t k = 0, sum = 0; k < PARTS; sum += count[k++])
        at[k] = sum;
    for (size_t e = 0; e < node->count; e++)
        sorted[at[part_of(t->d, Y + own[e] * t->d, middle)]++] = own[e];
    memcpy(own, sorted, node->count * sizeof *own);
}

/* Ranges of points that are still to become nodes: pairs of first and count, the last one next. */
typedef struct waiting {
    size_t count, *range;
} waiting;

static void wait_for(waiting *w, size_t from, size_t count)
{
    w->range[2 * w->count] = from;
    w->range[2 * w->count + 1] = count;
    w->count++;
}

/* The next node, and its parts among those waiting. */
static void add_node(tsne_tree *t, const double *Y, waiting *w)
{
    double middle[TSNE_DIMENSIONS] = {0.0};
    size_t count[PARTS];
    tsne_node *node = &t->node[t->nodes++];
    w->count--;
    *node = (tsne_node){.from = w->range[2 * w->count], .count = w->range[2 * w->count + 1]};
    measure(t, Y, node, middle);
    node->leaf = node->count <= LEAF || !(node->width2 > 0.0);
    if (!node->leaf) {
        divide(t, Y, node, middle, count);
        node->leaf = count[part_of(t->d, Y + t->order[node->from] * t->d, middle)] == node->count;
    }
    if (node->leaf) /* also where numbers lie too close to be told from their middle */
        return;
    for (size_t k = PARTS, end = node->from + node->count; k-- > 0; end -= count[k])
        if (count[k])
            wait_for(w, end - count[k], count[k]);
}

void tsne_tree_build(tsne_tree *t, const double *Y)
{
    waiting w = {0, t->scratch + t->p}; /* never more than p ranges, they do not overlap */
    for (size_t i = 0; i < t->p; i++)
        t->order[i] = i;
    t->nodes = 0;
    wait_for(&w, 0, t->p);
    while (w.count > 0)
        add_node(t, Y, &w);
    for (size_t i = 0; i < t->p; i++)
        memcpy(t->Y + i * t->d, Y + t->order[i] * t->d, t->d * sizeof *Y);
    /* The end of a node is the first behind it that begins where it ends. */
    for (size_t i = t->nodes; i-- > 0;) {
        size_t next = i + 1, end = t->node[i].from + t->node[i].count;
        while (next < t->nodes && t->node[next].from < end)
            next = t->node[next].skip;
        t->node[i].skip = next;
    }
}

/* force <- force + times w^2 (y - other), and times w. */
static double add_point(size_t d, const double *y, const double *other, double times, double *force)
{
    double gap[TSNE_DIMENSIONS], square = 0.0;
    for (size_t a = 0; a < d; a++) {
        gap[a] = y[a] - other[a];
        square += gap[a] * gap[a];
    }
    double w = 1.0 / (1.0 + square);
    for (size_t a = 0; a < d; a++)
        force[a] += times * w * w * gap[a];
    return times * w;
}

static double distance2(size_t d, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < d; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

double tsne_tree_repel(const tsne_tree *t, size_t i, const double *y, double theta, double *force)
{
    double sum = 0.0;
    memset(force, 0, t->d * sizeof *force);
    for (size_t k = 0; k < t->nodes;) {
        const tsne_node *node = &t->node[k];
        int far = node->width2 < theta * theta * distance2(t->d, y, node->centre);
        if (far) {
            sum += add_point(t->d, y, node->centre, (double)node->count, force);
        } else if (node->leaf) {
            for (size_t e = node->from; e < node->from + node->count; e++)
                if (t->order[e] != i)
                    sum += add_point(t->d, y, t->Y + e * t->d, 1.0, force);
        }
        k = far || node->leaf ? node->skip : k + 1;
    }
    return sum;
}
