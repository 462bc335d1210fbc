/* texture_patterns.c - the materials, and the pattern of each. */
#include <math.h>

#include "synth/noise.h"
#include "synth/texture.h"

#define PI     3.14159265358979323846
#define LAYERS 6

/* The way within a cell of the lattice, [0, 1). Multiples of a number in [0, 1) give further ones:
 * more properties of a cell. */
static double within(double x)
{
    return x - (double)noise_floor(x);
}

/* ---- cloth: threads, periodic, with jitter --------------------------------------------------- */

/* Threads are never quite straight. */
static void pull(const piece *p, double amount, double *x, double *y)
{
    const double dx = noise_fractal(p->seed + 101, 0.7 * *x, 0.7 * *y, 2);
    const double dy = noise_fractal(p->seed + 102, 0.7 * *x, 0.7 * *y, 2);
    *x += amount * dx;
    *y += amount * dy;
}

/* Basket weave: strands one unit wide go over and under each other in turn. */
static spot weave(const piece *p, double x, double y)
{
    pull(p, 0.12, &x, &y);
    const int64_t i = noise_floor(x), j = noise_floor(y);
    const int upright = (int)((i + j) & 1);
    const double along = upright ? within(y) : within(x), across = upright ? within(x) : within(y);
    const double width = 0.06 + 0.1 * p->knob[0];
    const double round = sin(PI * across), lift = sin(PI * along);
    const double strand = noise_step(0.0, width, across) * noise_step(0.0, width, 1.0 - across);
    const double fibre = upright ? noise_perlin(p->seed + 1, 14.0 * x, 1.5 * y)
                                 : noise_perlin(p->seed + 2, 1.5 * x, 14.0 * y);
    const double dyed = upright ? noise_at(p->seed + 3, i, 0) : noise_at(p->seed + 3, 0, j);
    return (spot){.height =
                      strand * (0.15 + 0.35 * sqrt(round) * (0.35 + 0.65 * lift)) + 0.02 * fibre,
                  .tone = strand * (0.3 + 0.2 * dyed + 0.35 * lift * round + 0.16 * fibre),
                  .accent = upright ? p->knob[1] * 0.5 : 0.0};
}

/* Bands of a tartan along one direction: broad ones and thin lines, four units to a repeat. */
static double bands(const piece *p, double u)
{
    const double t = within(0.25 * u), wide = 0.3 + 0.25 * p->knob[0];
    const double broad = noise_step(0.05, 0.07, t) * (1.0 - noise_step(wide, wide + 0.02, t));
    const double inner = noise_step(0.75, 0.77, t) * (1.0 - noise_step(0.83, 0.85, t));
    return broad + 0.6 * inner;
}

static double line(double u, double at)
{
    const double t = within(0.25 * u);
    return noise_step(at, at + 0.01, t) * (1.0 - noise_step(at + 0.03, at + 0.04, t));
}

/* Tartan: the same bands both ways, mixed by the diagonal ribs of a twill. */
static spot plaid(const piece *p, double x, double y)
{
    pull(p, 0.1, &x, &y);
    const double rib = 0.5 + 0.5 * sin(2.0 * PI * 5.0 * (x + y));
    const double fibre = noise_perlin(p->seed + 1, 12.0 * x, 12.0 * y);
    const double at = 0.6 + 0.08 * p->knob[1];
    return (spot){.tone = 0.2 + 0.6 * noise_mix(bands(p, x), bands(p, y), rib) + 0.1 * fibre,
                  .accent = noise_mix(line(x, at), line(y, at), 0.3 + 0.4 * rib),
                  .height = 0.025 * rib + 0.01 * fibre};
}

/* Stockinette: columns of V, each stitch two slanting legs of yarn. */
static spot knit(const piece *p, double x, double y)
{
    pull(p, 0.15, &x, &y);
    const int64_t column = noise_floor(x);
    const double u = within(x) - 0.5, leg = fabs(u), slant = 1.0 + 0.6 * p->knob[0];
    const double v = 1.25 * y + slant * leg;
    const int64_t row = noise_floor(v);
    const double round = sin(2.0 * PI * leg) * sqrt(sin(PI * within(v)));
    const double fibre = noise_perlin(p->seed + 1, 9.0 * (x + (u > 0.0 ? y : -y)), 3.0 * y);
    const double stripe = noise_step(0.72, 0.75, noise_at(p->seed + 3, row / 6, 0)) * p->knob[1];
    return (spot){.height = 0.45 * round + 0.03 * fibre,
                  .tone =
                      0.1 + 0.6 * round + 0.13 * fibre + 0.08 * noise_at(p->seed + 2, column, row),
                  .accent = stripe};
}

/* Ribs one unit wide with a pile across them, worn here and there. */
static spot corduroy(const piece *p, double x, double y)
{
    x += 0.5 * noise_fractal(p->seed + 101, 0.15 * x, 0.1 * y, 2);
    const double rib = fabs(sin(PI * x)), valley = noise_step(0.05, 0.5 + 0.3 * p->knob[0], rib);
    const double pile = noise_perlin(p->seed + 1, 6.0 * x, 9.0 * y);
    const double fine = noise_perlin(p->seed + 2, 16.0 * x, 18.0 * y);
    const double worn = noise_fractal(p->seed + 3, 0.25 * x, 0.25 * y, 3);
    return (spot){.height = 0.3 * valley + 0.05 * valley * pile,
                  .tone = 0.12 + 0.5 * valley + 0.14 * valley * pile + 0.08 * fine + 0.2 * worn,
                  .accent = noise_step(0.1, 0.7, worn) * 0.5 * p->knob[1]};
}

/* Tufts, some of another colour, with footprints of light and dark. */
static spot carpet(const piece *p, double x, double y)
{
    const noise_cell tuft = noise_cells(p->seed, x, y, 0.9);
    const double dome = 1.0 - noise_step(0.1, 0.75, tuft.near);
    const double fibre = noise_perlin(p->seed + 1, 3.5 * x, 3.5 * y);
    const double trodden = noise_fractal(p->seed + 2, 0.12 * x, 0.12 * y, 3);
    const double share = 0.05 + 0.4 * p->knob[0];
    return (spot){.height = 0.35 * dome + 0.2 * fibre,
                  .tone = 0.2 + 0.32 * dome + 0.25 * (tuft.id - 0.5) + 0.25 * fibre + 0.3 * trodden,
                  .accent = within(tuft.id * 7.0) < share ? 0.8 : 0.0};
}

/* A twill of dyed warp and white weft; every thread has its own thickness. */
static spot denim(const piece *p, double x, double y)
{
    pull(p, 0.2, &x, &y);
    const double warp = x + 0.25 * noise_perlin(p->seed + 1, 2.0 * x, 0.2 * y);
    const int64_t thread = noise_floor(warp);
    const double shift = within(0.333 * (y + (double)thread)); /* the twill's diagonal */
    const double over = noise_step(0.0, 0.15, shift) * (1.0 - noise_step(0.62, 0.8, shift));
    const double round = sin(PI * within(warp)) * (0.5 + 0.5 * over);
    const double slub = noise_perlin(p->seed + 2, 1.0 * x, 0.12 * y);
    const double worn = noise_fractal(p->seed + 3, 0.08 * x, 0.08 * y, 4);
    return (spot){.height = 0.3 * round,
                  .tone = 0.15 + 0.4 * round + 0.2 * noise_at(p->seed + 4, thread, 0) +
                          0.12 * slub + 0.3 * worn,
                  .accent = (1.0 - over) * (0.5 + 0.4 * p->knob[0])};
}

/* ---- stone, from bricks to sand -------------------------------------------------------------- */

/* Running bond: rows one unit high, each shifted by half a brick, with mortar between. */
static spot brick(const piece *p, double x, double y)
{
    const double rough = noise_fractal(p->seed + 1, 3.0 * x, 3.0 * y, 4);
    const double length = 2.0 + 0.8 * p->knob[0], joint = 0.05 + 0.05 * p->knob[1];
    y += 0.05 * noise_perlin(p->seed + 2, 0.8 * x, 0.8 * y);
    const int64_t row = noise_floor(y);
    const double u = (x + 0.06 * noise_at(p->seed + 3, 0, row)) / length + 0.5 * (double)(row & 1);
    const int64_t column = noise_floor(u);
    const double dx = length * (0.5 - fabs(u - (double)column - 0.5));
    const double dy = 0.5 - fabs(y - (double)row - 0.5);
    const double brick = noise_step(joint, joint + 0.05, (dx < dy ? dx : dy) + 0.05 * rough);
    const double fired = noise_at(p->seed + 4, column, row);
    return (spot){.height = brick * (0.18 + 0.03 * fired) + 0.04 * rough,
                  .tone = 0.25 + 0.5 * fired + 0.3 * rough,
                  .accent = 1.0 - brick};
}

/* Pebbles of two sizes. */
static spot gravel(const piece *p, double x, double y)
{
    const double dx = 0.3 * noise_perlin(p->seed + 1, 1.3 * x, 1.3 * y);
    const noise_cell large = noise_cells(p->seed + 2, x + dx, y - dx, 0.95);
    const noise_cell small = noise_cells(p->seed + 3, 2.2 * x, 2.2 * y + dx, 0.95);
    const int top = within(large.id * 13.0) < 0.4 + 0.4 * p->knob[0];
    const noise_cell *c = top ? &large : &small;
    const double gap = c->next - c->near, dome = noise_step(0.02, 0.45, gap);
    const double rough = noise_fractal(p->seed + 4, 5.0 * x, 5.0 * y, 3);
    return (spot){.height = (top ? 0.6 : 0.3) * sqrt(dome) + 0.02 * rough,
                  .tone =
                      noise_step(0.0, 0.2, gap) * (0.2 + 0.6 * within(c->id * 5.0) + 0.25 * rough),
                  .accent = within(c->id * 29.0) < 0.35 ? 0.7 : 0.0};
}

/* One set of veins: where a warped coordinate passes through whole numbers. */
static double veins(uint64_t seed, double x, double y, double bend, double sharp)
{
    const double t = x + bend * noise_fractal(seed, x, y, 5);
    return pow(fabs(cos(PI * t)), sharp);
}

static spot marble(const piece *p, double x, double y)
{
    const double cloud = noise_fractal(p->seed + 1, 0.6 * x, 0.6 * y, 5);
    const double bend = 1.0 + 1.2 * p->knob[0];
    const double broad = veins(p->seed + 2, 0.5 * x + 0.2 * y, 0.5 * y, bend, 6.0);
    const double thin = veins(p->seed + 8, 0.9 * y - 0.4 * x, 0.8 * x, 1.6 * bend, 25.0);
    return (spot){.height = 0.0,
                  .tone = 0.78 + 0.35 * cloud - 0.45 * broad - 0.4 * thin * (0.3 + p->knob[1]),
                  .accent = 0.5 * broad * noise_step(-0.2, 0.4, cloud)};
}

/* Crystals of three minerals, the grains of each with a tone of its own. */
static spot granite(const piece *p, double x, double y)
{
    const double dx = 0.4 * noise_perlin(p->seed + 1, 1.5 * x, 1.5 * y);
    const noise_cell c = noise_cells(p->seed + 2, x + dx, y + dx, 1.0);
    const noise_cell fine = noise_cells(p->seed + 3, 2.7 * x, 2.7 * y - dx, 1.0);
    const double mica = 0.15 + 0.2 * p->knob[0], spar = 0.3 + 0.3 * p->knob[1];
    const double kind = 0.7 * c.id + 0.3 * fine.id;
    return (spot){.height = 0.02 * fine.id,
                  .tone = kind < mica ? 0.05 + 0.2 * fine.id
                                      : 0.45 + 0.35 * within(c.id * 7.0) + 0.2 * fine.id,
                  .accent = within(c.id * 17.0) < spar && kind >= mica ? 0.75 : 0.0};
}

/* Slabs of dry, split ground: wide cracks about large pieces, fine ones within. */
static spot stone(const piece *p, double x, double y)
{
    const double bend = 0.25 + 0.2 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, x, y, 4);
    const double v = y + bend * noise_fractal(p->seed + 2, x, y, 4);
    const noise_cell slab = noise_cells(p->seed + 3, 0.8 * u, 0.8 * v, 0.95);
    const noise_cell chip = noise_cells(p->seed + 4, 2.1 * u, 2.1 * v, 0.95);
    const double wide = noise_step(0.02, 0.11, slab.next - slab.near);
    const double fine = noise_step(0.0, 0.07, chip.next - chip.near);
    const double rough = noise_fractal(p->seed + 5, 3.0 * x, 3.0 * y, 5);
    const double cracked = within(slab.id * 11.0) < 0.3 + 0.5 * p->knob[1] ? fine : 1.0;
    return (spot){.height =
                      0.25 * wide + 0.08 * cracked + 0.1 * rough + 0.15 * slab.x * (slab.id - 0.5),
                  .tone = wide * (0.35 + 0.15 * cracked + 0.25 * (slab.id - 0.5) + 0.4 * rough),
                  .accent = 0.6 * noise_step(0.1, 0.6, rough + 0.4 * slab.id)};
}

/* Grains on the ripples that wind leaves. */
static spot sand(const piece *p, double x, double y)
{
    const double drift = noise_fractal(p->seed + 1, 0.5 * x, 0.5 * y, 4);
    const double ripple = sin(2.0 * PI * (y + (0.6 + 0.8 * p->knob[0]) * drift));
    const double grain = noise_perlin(p->seed + 2, 11.0 * x, 11.0 * y);
    const double coarse = noise_perlin(p->seed + 3, 5.0 * x, 5.0 * y);
    const noise_cell dark = noise_cells(p->seed + 4, 3.0 * x, 3.0 * y, 1.0);
    const double speck = dark.id < 0.25 && dark.near < 0.2 ? 1.0 : 0.0;
    return (spot){.height = (0.03 + 0.06 * p->knob[1]) * ripple + 0.012 * grain + 0.02 * coarse +
                            0.05 * drift,
                  .tone = 0.55 + 0.1 * ripple + 0.2 * grain + 0.14 * coarse - 0.35 * speck,
                  .accent = 0.4 * noise_step(0.2, 0.8, grain)};
}

/* ---- what has grown -------------------------------------------------------------------------- */

/* Furrows along y, torn by slow noise, between scaly plates; moss in places. */
static spot bark(const piece *p, double x, double y)
{
    const double bend = 0.35 + 0.3 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, 0.8 * x, 0.4 * y, 4);
    const double ridge = noise_ridged(p->seed + 2, 1.3 * u, 0.32 * y, 4);
    const double plate = noise_ridged(p->seed + 3, 0.7 * u, 1.1 * y, 3);
    const double fine = noise_fractal(p->seed + 4, 5.0 * u, 2.0 * y, 3);
    const double high = noise_step(-0.3, 0.75, ridge + 0.2 * plate);
    return (spot){.height = 0.45 * high + 0.07 * fine,
                  .tone = 0.08 + 0.6 * high + 0.25 * fine + 0.1 * plate,
                  .accent = p->knob[1] *
                            noise_step(0.15, 0.5, noise_fractal(p->seed + 5, 0.5 * x, 0.5 * y, 4))};
}

/* Rings cut along the trunk, which flow around knots, and pores along the grain. */
static spot wood(const piece *p, double x, double y)
{
    const noise_cell knot = noise_cells(p->seed + 1, 0.22 * x, 0.1 * y, 0.9);
    const double swell = knot.id < 0.35 ? exp(-18.0 * knot.near * knot.near) : 0.0;
    const double bend = 0.6 + 0.8 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 2, 0.5 * x, 0.09 * y, 3) + 2.2 * swell;
    const double ring = within(u);
    const double late = noise_step(0.15, 0.85, ring) * (1.0 - noise_step(0.93, 1.0, ring));
    const double pore = noise_perlin(p->seed + 3, 16.0 * x, 0.9 * y);
    const double fibre = noise_perlin(p->seed + 4, 7.0 * u, 0.3 * y);
    return (spot){
        .height = 0.02 * late - 0.03 * noise_step(0.3, 0.6, pore),
        .tone = 0.75 - 0.4 * late + 0.14 * fibre - 0.22 * noise_step(0.25, 0.6, pore) - 0.3 * swell,
        .accent = 0.4 * noise_step(-0.2, 0.7, noise_perlin(p->seed + 5, 0.4 * x, 0.08 * y))};
}

/* Hairs along a direction that drifts, in tufts; dark at the roots. */
static spot fur(const piece *p, double x, double y)
{
    const double bend = 0.4 + 0.5 * p->knob[0];
    const double u = x + bend * noise_fractal(p->seed + 1, 0.35 * x, 0.35 * y, 3);
    const double v = y + bend * noise_fractal(p->seed + 2, 0.35 * x, 0.35 * y, 2);
    const double hair = noise_perlin(p->seed + 3, 12.0 * u, 1.1 * v);
    const double fine = noise_perlin(p->seed + 4, 20.0 * u, 1.8 * v);
    const double tuft = noise_fractal(p->seed + 5, 2.2 * u, 0.5 * v, 3);
    const double spots = noise_fractal(p->seed + 6, 0.45 * x, 0.45 * y, 2);
    return (spot){.height = 0.05 * hair + 0.025 * fine + 0.2 * tuft,
                  .tone = 0.45 + 0.3 * hair + 0.18 * fine + 0.4 * tuft,
                  .accent = p->knob[1] * noise_step(0.05, 0.25, spots)};
}

/* Pebbled grain: cells with creases between, folds, pores. */
static spot leather(const piece *p, double x, double y)
{
    const double dx = 0.35 * noise_perlin(p->seed + 1, 0.9 * x, 0.9 * y);
    const double dy = 0.35 * noise_perlin(p->seed + 2, 0.9 * x, 0.9 * y);
    const noise_cell cell = noise_cells(p->seed + 3, x + dx, y + dy, 0.85);
    const double crease = noise_step(0.0, 0.25 + 0.3 * p->knob[0], cell.next - cell.near);
    const double fold = noise_ridged(p->seed + 4, 0.22 * x, 0.22 * y, 3);
    const double fine = noise_fractal(p->seed + 5, 4.0 * x, 4.0 * y, 2);
    return (spot){.height =
                      0.16 * crease - 0.3 * noise_step(0.5, 0.9, fold) * p->knob[1] + 0.015 * fine,
                  .tone = 0.3 + 0.24 * crease + 0.12 * (cell.id - 0.5) + 0.1 * fine - 0.1 * fold,
                  .accent = 0.5 * noise_step(0.2, 0.9, fold)};
}

/* ---- leaves --------------------------------------------------------------------------------- */

/* A leaf seen at (x, y) from its middle; along and across are in units of its length. */
static int leaf_at(const piece *p, int64_t i, int64_t j, double x, double y, spot *s)
{
    const double turn = 2.0 * PI * noise_at(p->seed + 11, i, j);
    const double length = 0.7 + 0.5 * noise_at(p->seed + 12, i, j);
    const double c = cos(turn), d = sin(turn);
    const double along = (c * x + d * y) / length, across = (c * y - d * x) / length;
    const double width = (0.35 + 0.25 * p->knob[0]) * (1.0 - along * along) * (1.0 - 0.3 * along);
    if (fabs(along) >= 1.0 || fabs(across) >= width)
        return 0;
    const double side = fabs(across), vein = fabs(sin(PI * 4.0 * (along + 1.3 * side)));
    const double rib = 1.0 - noise_step(0.01, 0.04, side);
    const double edge = noise_step(0.0, 0.12, width - side);
    s->height = 0.25 * edge * (1.0 - 0.5 * side) - 0.06 * rib + 0.03 * vein;
    s->tone = 0.3 + 0.35 * noise_at(p->seed + 13, i, j) + 0.1 * vein + 0.25 * rib;
    s->accent = noise_at(p->seed + 14, i, j) < 0.5 * p->knob[1] ? 0.7 : 0.0;
    return 1;
}

/* The topmost leaf of those that reach here; leaves are dealt out over the lattice in layers. */
static spot foliage(const piece *p, double x, double y)
{
    spot s = {0.02, -0.3, 0.0}, seen;
    double top = -1.0;
    for (int layer = 0; layer < 2; layer++) {
        const piece own = {p->seed + 64 * (uint64_t)layer, {p->knob[0], p->knob[1], p->knob[2]}};
        const double u = x + 0.5 * layer, v = y + 0.5 * layer;
        const int64_t i = noise_floor(u), j = noise_floor(v);
        for (int64_t b = j - 1; b <= j + 1; b++)
            for (int64_t a = i - 1; a <= i + 1; a++) {
                const double depth = noise_at(own.seed + 15, a, b);
                if (depth <= top ||
                    !leaf_at(&own, a, b, u - (double)a - 0.5, v - (double)b - 0.5, &seen))
                    continue;
                top = depth;
                s = seen;
                s.tone *= 0.45 + 0.55 * depth; /* what lies below lies in the shade */
                s.height += 0.5 * depth;
            }
    }
    s.tone += 0.1 * noise_perlin(p->seed + 1, 9.0 * x, 9.0 * y);
    return s;
}

/* ---- blades --------------------------------------------------------------------------------- */

/* Blades of one layer lean the same way, more or less; each is a lens with its tip up. */
static int blade_at(const piece *p, int layer, double x, double y, spot *s)
{
    const uint64_t seed = p->seed + 32 * (uint64_t)layer;
    const double lean = (noise_at(seed + 1, 0, 0) - 0.5) * (0.6 + 1.2 * p->knob[0]);
    const double curve = 0.25 * noise_perlin(seed + 2, 0.5 * x, 0.5 * y);
    const double u = 3.2 * (x + lean * y + curve);
    const int64_t i = noise_floor(u);
    const double v = 0.45 * y + noise_at(seed + 3, i, 0);
    const int64_t j = noise_floor(v);
    const double down = v - (double)j, off = fabs(u - (double)i - 0.5);
    const double width = 0.48 * sqrt(down) * noise_step(0.0, 0.25, 1.0 - down);
    if (noise_at(seed + 4, i, j) > 0.6 || off > width)
        return 0;
    const double round = 1.0 - off / width;
    s->height = 0.1 * layer + 0.1 * sqrt(round);
    s->tone = (0.35 + 0.1 * layer) * (0.35 + 0.3 * round + 0.5 * noise_at(seed + 5, i, j));
    s->accent = noise_at(seed + 6, i, j) < 0.3 * p->knob[1] ? 0.8 : 0.1;
    return 1;
}

static spot grass(const piece *p, double x, double y)
{
    spot s = {0.05, 0.0, 0.3};
    for (int layer = LAYERS - 1; layer >= 0; layer--)
        if (blade_at(p, layer, x, y, &s))
            break;
    s.tone += 0.08 * noise_perlin(p->seed + 1, 12.0 * x, 5.0 * y);
    return s;
}

/* ---- what shines ---------------------------------------------------------------------------- */

/* Waves of several directions, bent by slow noise; crests catch the sky. */
static spot water(const piece *p, double x, double y)
{
    double height = 0.0, weight = 0.5;
    const double u = x + 0.8 * noise_perlin(p->seed + 1, 0.4 * x, 0.4 * y);
    const double v = y + 0.8 * noise_perlin(p->seed + 2, 0.4 * x, 0.4 * y);
    const double wind = 0.5 * p->knob[0];
    for (int k = 0; k < 5; k++, weight *= 0.62) {
        const double turn = 1.57 + (noise_at(p->seed + 3, k, 0) - 0.5) * (0.8 + 2.0 * wind);
        const double pace = (0.6 + 0.35 * k) * (cos(turn) * u + sin(turn) * v);
        height += weight * sin(2.0 * PI * (pace + noise_at(p->seed + 4, k, 0)));
    }
    height += 0.35 * noise_ridged(p->seed + 5, 0.9 * u, 1.8 * v, 3);
    return (spot){.height = (0.12 + 0.12 * p->knob[1]) * height,
                  .tone = 0.35 + 0.22 * height,
                  .accent = noise_step(0.75, 1.5, height)};
}

/* Scratches along x of all lengths, in the broad reflections of a room. */
static spot metal(const piece *p, double x, double y)
{
    const double fine = noise_perlin(p->seed + 1, 0.35 * x, 20.0 * y);
    const double broad = noise_perlin(p->seed + 2, 0.2 * x, 7.0 * y);
    const double room = noise_fractal(p->seed + 3, 0.1 * x, 0.35 * y, 3);
    const double bent = y + 0.3 * noise_perlin(p->seed + 4, 0.2 * x, 0.2 * y);
    const double scratch = noise_perlin(p->seed + 5, 0.25 * x, 11.0 * bent);
    return (spot){.height = 0.01 * fine + 0.01 * broad,
                  .tone = 0.55 + 0.22 * fine + 0.16 * broad + 0.45 * room +
                          (0.15 + 0.3 * p->knob[0]) * noise_step(0.45, 0.8, scratch),
                  .accent = p->knob[1] * noise_step(0.0, 0.6, room)};
}

/* ---- the materials --------------------------------------------------------------------------- */

/* name, pattern, units on a side, relief, dye; colours: dark, middle, light, accent */
const material materials[MATERIALS] = {
    {"weave", weave, 9.0, 0.8, 0.14, 0x241a0f, 0x8c6e47, 0xe0c494, 0x6b4c26},
    {"bark", bark, 7.0, 0.8, 0.10, 0x1f1712, 0x6b5745, 0xb8a38a, 0x617347},
    {"brick", brick, 7.0, 1.0, 0.10, 0x522b21, 0x995440, 0xcc8566, 0xada394},
    {"fur", fur, 9.0, 1.2, 0.14, 0x291c14, 0x85664a, 0xdbc4a3, 0x473329},
    {"marble", marble, 5.0, 0.0, 0.08, 0x474545, 0xa8a199, 0xebe6de, 0x998066},
    {"wood", wood, 12.0, 0.6, 0.12, 0x422614, 0x94663d, 0xd1a670, 0x9e6133},
    {"gravel", gravel, 12.0, 0.6, 0.08, 0x1a1714, 0x7a736b, 0xd6cfc4, 0x8c6b57},
    {"sand", sand, 9.0, 1.6, 0.08, 0x664f26, 0xb2946e, 0xebd4ad, 0xf5e6cc},
    {"water", water, 7.0, 0.7, 0.12, 0x0f2421, 0x3d616b, 0x94adb2, 0xebf2f5},
    {"foliage", foliage, 6.0, 0.6, 0.14, 0x0f170a, 0x476621, 0x9eb261, 0xa8853d},
    {"plaid", plaid, 11.0, 1.0, 0.15, 0x292433, 0x80423d, 0xd1bda3, 0xdbcc85},
    {"knit", knit, 12.0, 0.5, 0.15, 0x292124, 0x857070, 0xdbccc2, 0x7a4c57},
    {"leather", leather, 20.0, 0.9, 0.16, 0x21140d, 0x754f36, 0xb88f6b, 0x4c2e1f},
    {"metal", metal, 8.0, 0.6, 0.05, 0x38383b, 0x8c8c8f, 0xe6e6e6, 0xb2a38a},
    {"stone", stone, 6.0, 0.6, 0.08, 0x241f1c, 0x807366, 0xc7baab, 0x998061},
    {"carpet", carpet, 44.0, 0.4, 0.13, 0x241f1c, 0x78665c, 0xc2b09e, 0x61545c},
    {"grass", grass, 8.0, 0.4, 0.10, 0x121708, 0x576b21, 0xadb866, 0xb8a361},
    {"corduroy", corduroy, 16.0, 0.7, 0.13, 0x241a12, 0x7a5c42, 0xc2a380, 0xa88f75},
    {"granite", granite, 26.0, 0.6, 0.05, 0x1a1a1a, 0x948a85, 0xe6ded6, 0xb2806b},
    {"denim", denim, 60.0, 0.4, 0.10, 0x141c21, 0x425775, 0x8599b2, 0xbdbfbd},
};
