/* test_gain.c - what a fit had left to gain, from histories whose end is known. */
#include "test.h"

#include "spdml.h"

#define STEPS 201

typedef double (*decay)(size_t k);

static double geometric(size_t k)
{
    return pow(0.98, (double)k);
}

static double power(size_t k)
{
    return 1.0 / (1.0 + (double)k);
}

static double level(size_t k)
{
    (void)k;
    return 0.0;
}

/* A model whose cost is 5 + f(k), k = 0, 1, ... */
static spd_model model_of(decay f, size_t steps, spd_fit_step *history, spd_stop stop)
{
    for (size_t k = 0; k < steps; k++)
        history[k] = (spd_fit_step){.cost = 5.0 + f(k), .probes = k > 0};
    return (spd_model){.steps = steps, .history = history, .stop = stop};
}

/* Of tails of either kind it is right up to a factor of five. */
TEST(known_tails)
{
    spd_fit_step history[STEPS];
    decay kinds[] = {geometric, power};
    for (size_t k = 0; k < 2; k++)
        for (size_t steps = 61; steps <= STEPS; steps += 20) {
            spd_model model = model_of(kinds[k], steps, history, SPD_STOP_ITERATIONS);
            double left = kinds[k](steps - 1), gain = spd_model_gain(&model);
            CHECK(gain > left / 5.0 && gain < 5.0 * left, "kind %zu, %zu steps: %g of %g", k, steps,
                  gain, left);
            model.stop = SPD_STOP_TIME;
            CHECK(spd_model_gain(&model) == gain, "time");
            model.stop = SPD_STOP_TOLERANCE; /* a slow fall may go on for long */
            CHECK(spd_model_gain(&model) == gain, "tolerance");
        }
}

TEST(nothing_left)
{
    spd_fit_step history[STEPS];
    const spd_stop ends[] = {SPD_STOP_GRADIENT, SPD_STOP_LINE_SEARCH};
    for (size_t k = 0; k < 2; k++) {
        spd_model model = model_of(power, STEPS, history, ends[k]);
        CHECK(spd_model_gain(&model) == 0.0, "stop %zu", k);
    }
    spd_model model = model_of(level, STEPS, history, SPD_STOP_ITERATIONS);
    CHECK(spd_model_gain(&model) == 0.0, "a level cost");
}

TEST(too_short_to_tell)
{
    spd_fit_step history[STEPS];
    for (size_t steps = 1; steps < 9; steps++) {
        spd_model model = model_of(power, steps, history, SPD_STOP_CANCELLED);
        CHECK(isnan(spd_model_gain(&model)), "%zu steps", steps);
    }
    spd_model model = model_of(power, 9, history, SPD_STOP_CANCELLED);
    CHECK(spd_model_gain(&model) > 0.0, "nine steps");
    model.stop = SPD_STOP_INVARIANT; /* what other starts reach, the history does not tell */
    CHECK(isnan(spd_model_gain(&model)), "invariant");
}
