/* motion_style.c - three layers of chance: the person's habits, how the person does this action,
 * and this time. */
#include "synth/motion.h"

#include <math.h>

#include "synth/noise.h"

#define TURN_ALL  360.0
#define WEAKEST   0.55
#define STRONGEST 1.5
#define TWO_PI    6.28318530717958647692

double style_between(rng *r, double low, double high)
{
    return low + (high - low) * rng_uniform(r);
}

/* Is it a control of one side, and of the left? LEFT_HIP and what follows come in pairs. */
static int is_sided(size_t c)
{
    return c >= LEFT_HIP;
}

static int is_left(size_t c)
{
    return is_sided(c) && (c - LEFT_HIP) % 2 == 0;
}

static int is_angle(size_t c)
{
    return c != WALK && c != LIFT && c != LIE;
}

/* Adds one layer: spread of amplitudes (as logarithms), degrees and times. A pair of controls
 * shares most of it; what is left is asymmetry. */
static void add_layer(rng *r, double amplitude, double posture, double lag, style *how)
{
    double shared[3] = {0};
    for (size_t c = 1; c < CONTROLS; c++) {
        if (!is_sided(c) || is_left(c))
            for (size_t i = 0; i < 3; i++)
                shared[i] = rng_normal(r);
        const double own = is_sided(c) ? 0.5 : 0.0;
        how->amplitude[c] *= exp(amplitude * (shared[0] + own * rng_normal(r)));
        how->posture[c] += posture * (shared[1] + own * rng_normal(r));
        how->lag[c] += lag * (shared[2] + own * rng_normal(r));
    }
}

/* Nobody moves twice as far as others. What must not vary: nobody lies down half, and the whole
 * body is not tilted by posture. */
static void tame(style *how)
{
    for (size_t c = 0; c < CONTROLS; c++)
        how->amplitude[c] = fmin(fmax(how->amplitude[c], WEAKEST), STRONGEST);
    how->amplitude[LIE] = how->amplitude[PITCH] = 1.0;
    how->lag[LIE] = how->lag[PITCH] = how->lag[WALK] = 0.0;
    how->posture[PITCH] = how->posture[TURN] = 0.0;
    for (size_t c = 0; c < CONTROLS; c++)
        if (!is_angle(c))
            how->posture[c] = 0.0;
}

void style_draw(const clip_key *key, style *how)
{
    rng habit, manner, now;
    rng_seed(&habit, rng_key(key->seed, FOR_STYLE, key->subject));
    rng_seed(&manner, rng_key(rng_key(key->seed, FOR_ACTION, key->subject), key->action, 0));
    rng_seed(&now,
             rng_key(rng_key(key->seed, FOR_CLIP, key->subject), key->action, key->repeat + 1));
    *how = (style){.speed = 1.0};
    for (size_t c = 0; c < CONTROLS; c++)
        how->amplitude[c] = 1.0;
    add_layer(&habit, 0.18, 5.0, 0.02, how);
    add_layer(&manner, 0.26, 8.0, 0.03, how);
    add_layer(&now, 0.12, 3.0, 0.02, how);
    tame(how);
    how->speed =
        exp(0.15 * rng_normal(&habit) + 0.1 * rng_normal(&manner) + 0.08 * rng_normal(&now));
    how->warp = 0.04 * rng_normal(&habit) + 0.03 * rng_normal(&now);
    how->rest[0] = style_between(&now, 0.0, 0.15);
    how->rest[1] = style_between(&now, 0.0, 0.15);
    how->heading = style_between(&now, 0.0, TURN_ALL);
    how->place[0] = style_between(&now, -3.0, 3.0);
    how->place[1] = style_between(&now, -3.0, 3.0);
    how->sway = style_between(&now, 3.0, 7.0);
    how->jitter = style_between(&now, 0.1, 0.3);
    how->noise = rng_next(&now);
}

double style_time(const style *how, control c, double x)
{
    double t = (x - how->rest[0]) / (1.0 - how->rest[0] - how->rest[1]) - how->lag[c];
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t + how->warp * sin(TWO_PI * t);
}
