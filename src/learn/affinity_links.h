/* affinity_links.h - directed links "j is a neighbour of i", and the pairs they make. */
#ifndef SPD_LEARN_AFFINITY_LINKS_H
#define SPD_LEARN_AFFINITY_LINKS_H

#include "base/context.h"

typedef enum link_kind { LINK_WITHIN = 0, LINK_BETWEEN } link_kind;

typedef struct arc {
    uint32_t low, high; /* the two samples, low < high; which one is whose neighbour is forgotten */
    uint32_t kind;
} arc;

typedef struct links {
    size_t count, room;
    arc *arc; /* room */
} links;

/* Room for so many; freed with links_free, always. */
spd_status links_new(spd_context *ctx, size_t room, links *l);
void links_free(links *l);

/* Notes that `to` is a neighbour of `from`, once per direction and kind; there must be room. */
void links_add(links *l, size_t from, size_t to, link_kind kind);

/* *pairs (new) and *count <- the links as pairs of p samples, sorted by (i, j), i < j, with
 * weight 1. A pair with links of both kinds is a within pair. l is sorted. */
spd_status links_join(spd_context *ctx, size_t p, links *l, spd_pair **pairs, size_t *count);

#endif
