/* split.c - random training and test parts, each class by itself. */
#include <math.h>
#include <string.h>

#include "base/classes.h"
#include "base/rng.h"

/* How many of a class of that size train: at least one, never all. */
static size_t training_share(size_t size, double fraction, size_t per_class)
{
    size_t share = per_class ? per_class : (size_t)floor(fraction * (double)size + 0.5);
    share = share < 1 ? 1 : share;
    return share < size ? share : size - 1;
}

static spd_status check_split(spd_context *ctx, const classes *c, size_t p, double fraction,
                              size_t per_class)
{
    if (per_class == 0 && !(fraction > 0.0 && fraction < 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "a split takes a fraction between 0 and 1, not %g",
                        fraction);
    if (c->labelled < p)
        return ctx_fail(ctx, SPD_EINVAL, "%zu samples have no label, and a split goes by class",
                        p - c->labelled);
    if (c->largest < 2)
        return ctx_fail(ctx, SPD_EINVAL,
                        "each class has one sample only: there is nothing left to test");
    if (per_class && per_class >= c->largest)
        return ctx_fail(ctx, SPD_EINVAL,
                        "%zu training samples a class leave nothing to test: the largest class "
                        "has %zu",
                        per_class, c->largest);
    return SPD_OK;
}

static void draw(classes *c, double fraction, size_t per_class, rng *r, char *train)
{
    for (size_t k = 0; k < c->count; k++) {
        size_t *member = c->order + c->first[k], size = class_size(c, k);
        size_t share = size < 2 ? size : training_share(size, fraction, per_class);
        for (size_t e = 0; e < share; e++) {
            size_t pick = e + rng_below(r, size - e), sample = member[pick];
            member[pick] = member[e];
            member[e] = sample;
            train[sample] = 1;
        }
    }
}

spd_status spd_split(spd_context *ctx, size_t p, const int *label, double fraction,
                     size_t per_class, uint64_t seed, size_t repeat, char *train)
{
    ctx_clear(ctx);
    arena room = {0};
    classes c = {0};
    rng r;
    if (p == 0 || !label || !train)
        return ctx_fail(ctx, SPD_EINVAL, "there are no labels to split by");
    spd_status status = classes_sort(ctx, p, label, &room, &c);
    if (status == SPD_OK)
        status = check_split(ctx, &c, p, fraction, per_class);
    if (status == SPD_OK) {
        rng_seed(&r, seed + ((uint64_t)repeat << 32));
        memset(train, 0, p);
        draw(&c, fraction, per_class, &r, train);
    }
    arena_free(&room);
    return status;
}
