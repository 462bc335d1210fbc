/* gain.c - what a fit had left to gain when it ended.
 *
 * A cost that falls by A between two of its values and by B = q A after that has B q/(1 - q) left
 * if q stays the same. Taken over windows of one width that is a geometric tail, which most often
 * promises too little; over windows that double in width a tail in powers, which promises too much.
 * The answer is the geometric mean of both: docs/learning.md says how good it was. */
#include <math.h>

#include "spdml.h"

#define LEAST_STEPS   8   /* of a history that says anything */
#define WIDEST        50  /* of a window of one width */
#define LARGEST_QUOTA 0.9 /* of q: slower tails are not told apart */

static double tail(double before, double between, double after)
{
    double fall = between - after, quota = fall / (before - between);
    if (!(fall > 0.0))
        return 0.0;
    if (!(quota >= 0.0 && quota < LARGEST_QUOTA))
        quota = LARGEST_QUOTA;
    return fall * quota / (1.0 - quota);
}

/* The first entry of the last round. */
static size_t last_start(const spd_model *model)
{
    size_t first = model->steps - 1;
    if (model->rounds == 0)
        return 0;
    while (first > 0 && model->history[first].probes > 0)
        first--;
    return first;
}

double spd_model_gain(const spd_model *model)
{
    if (model->stop == SPD_STOP_GRADIENT || model->stop == SPD_STOP_LINE_SEARCH)
        return 0.0;
    if (model->stop == SPD_STOP_INVARIANT || model->steps <= LEAST_STEPS ||
        model->steps - last_start(model) <= LEAST_STEPS)
        return NAN;
    size_t first = last_start(model);
    const spd_fit_step *h = model->history + first;
    size_t last = model->steps - 1 - first, width = last / 4 < WIDEST ? last / 4 : WIDEST;
    double geometric = tail(h[last - 2 * width].cost, h[last - width].cost, h[last].cost);
    double powers = tail(h[last / 4].cost, h[last / 2].cost, h[last].cost);
    return sqrt(geometric * powers);
}
