/* axes.c - charts: axes with round ticks, lines, bands. */
#include "cli/drawing/draw.h"

#include <math.h>

#include "cli/frame/words.h"

#define TICKS_X    7
#define TICKS_Y    6
#define MOST_TICKS 12

/* ---- ranges and ticks ------------------------------------------------------------------------ */

void draw_extend(double *low, double *high, double value)
{
    if (isfinite(value)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

void draw_room(double *low, double *high)
{
    double span = *high - *low;
    if (!(span >= 0) || !isfinite(span)) {
        *low = 0;
        *high = 1;
        return;
    }
    double size = fmax(fabs(*low), fabs(*high));
    double room = span > 1e-12 * size && span > 0 ? 0.04 * span : (size > 0 ? 0.1 * size : 1.0);
    *low -= room;
    *high += room;
}

static const double round_steps[] = {1, 2, 5};

/* Where the ticks of an axis are. */
typedef struct ticks {
    int count;
    double at[MOST_TICKS];
    int decimals; /* of their labels */
    int powers;   /* labels are powers of ten */
    int logs;     /* labels are ten to the value */
} ticks;

static void add_tick(ticks *t, double low, double high, double value)
{
    double slack = 1e-9 * (high - low);
    if (t->count < MOST_TICKS && value >= low - slack && value <= high + slack)
        t->at[t->count++] = fabs(value) < slack ? 0 : value;
}

/* At most `most` multiples of 1, 2 or 5 times a power of ten. */
static ticks even_ticks(double low, double high, int most, int whole)
{
    if (!(high - low > 1e-9 * fmax(fabs(low), fabs(high))))
        return (ticks){0}; /* their labels would be one number */
    double base = pow(10, floor(log10((high - low) / most))), step = base;
    for (int i = 0; (high - low) / step > most; i++) {
        base *= i > 0 && i % 3 == 0 ? 10 : 1;
        step = base * round_steps[i % 3];
    }
    if (whole && step < 1)
        step = 1;
    ticks t = {.decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0};
    double first = ceil(low / step - 1e-9);
    for (int i = 0; i <= most + 1; i++)
        add_tick(&t, low, high, (first + i) * step);
    return t;
}

/* Whole powers of ten; over a short range 1, 2 and 5 times those, or numbers at even steps. */
static ticks log_ticks(double low, double high, int most)
{
    ticks t = {0};
    if (high - low > 1.7) {
        t = even_ticks(low, high, most, 1);
        t.powers = 1;
    } else if (high - low > 0.6) {
        for (int power = 0; power < 3; power++)
            for (int i = 0; i < 3; i++)
                add_tick(&t, low, high, floor(low) + power + log10(round_steps[i]));
    } else {
        t = even_ticks(pow(10, low), pow(10, high), most, 0);
        for (int i = 0; i < t.count; i++)
            t.at[i] = log10(t.at[i]);
    }
    t.logs = 1;
    return t;
}

static ticks make_ticks(draw_scale scale, double low, double high, int most)
{
    return scale == DRAW_LOG10 ? log_ticks(low, high, most)
                               : even_ticks(low, high, most, scale == DRAW_WHOLE);
}

static const char *tick_text(const ticks *t, int i)
{
    double value = t->at[i];
    if (t->logs)
        return words_text("%.4g", pow(10, value));
    if (fabs(value) >= 1e5 || (value != 0 && fabs(value) < 1e-4))
        return words_text("%.4g", value);
    return words_text("%.*f", t->decimals, value);
}

double draw_x(const draw_frame *a, double x)
{
    return a->left + (x - a->x0) / (a->x1 - a->x0) * (a->right - a->left);
}

double draw_y(const draw_frame *a, double y)
{
    return a->bottom - (y - a->y0) / (a->y1 - a->y0) * (a->bottom - a->top);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void put_label(drawing *d, double x, double y, unsigned style, const ticks *t, int i)
{
    if (t->powers)
        draw_power(d, style | TEXT_SOFT, x, y, t->at[i]);
    else
        draw_text(d, style | TEXT_SOFT, x, y, 0, tick_text(t, i));
}

static void ticks_x(const draw_frame *a, draw_scale scale)
{
    ticks t = make_ticks(scale, a->x0, a->x1, TICKS_X);
    for (int i = 0; i < t.count; i++) {
        double x = draw_x(a, t.at[i]);
        draw_line(a->d, (draw_ink){.look = LOOK_GRID}, x, a->top, x, a->bottom);
        put_label(a->d, x, a->bottom + 17, TEXT_MIDDLE, &t, i);
    }
}

static void ticks_y(const draw_frame *a, draw_scale scale)
{
    ticks t = make_ticks(scale, a->y0, a->y1, TICKS_Y);
    for (int i = 0; i < t.count; i++) {
        double y = draw_y(a, t.at[i]);
        draw_line(a->d, (draw_ink){.look = LOOK_GRID}, a->left, y, a->right, y);
        put_label(a->d, a->left - 6, y + 4.5, TEXT_END, &t, i);
    }
}

void draw_axes(const draw_frame *a, draw_scale x, const char *x_label, draw_scale y,
               const char *y_label)
{
    if (x != DRAW_BARE)
        ticks_x(a, x);
    if (y != DRAW_BARE)
        ticks_y(a, y);
    draw_path(a->d, (draw_ink){.look = LOOK_AXIS},
              words_text("M%.1f %.1fV%.1fH%.1f", a->left, a->top, a->bottom, a->right));
    if (x_label)
        draw_text(a->d, TEXT_MIDDLE, (a->left + a->right) / 2,
                  a->bottom + (x == DRAW_BARE ? 18 : 37), 0, x_label);
    draw_text(a->d, TEXT_MIDDLE | TEXT_UP, a->left - (y == DRAW_BARE ? 10 : 52),
              (a->top + a->bottom) / 2, 0, y_label);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void add_point(const draw_frame *a, words *path, double x, double y)
{
    if (isfinite(x) && isfinite(y))
        words_take(path, words_text("%.1f %.1f", draw_x(a, x), draw_y(a, y)));
}

static void put_path(const draw_frame *a, draw_ink ink, const words *path, const char *end)
{
    if (path->count)
        draw_path(a->d, ink, words_text("M%s%s", words_join(path, path->count, "L"), end));
}

void draw_series(const draw_frame *a, int colour, size_t count, const double *x, const double *y)
{
    words path = {0};
    for (size_t i = 0; i < count; i++)
        add_point(a, &path, x[i], y[i]);
    put_path(a, (draw_ink){LOOK_LINE, colour, 0}, &path, "");
}

void draw_band(const draw_frame *a, int colour, size_t count, const double *x, const double *low,
               const double *high)
{
    words path = {0};
    for (size_t i = 0; i < count; i++)
        add_point(a, &path, x[i], low[i]);
    for (size_t i = count; i-- > 0;)
        add_point(a, &path, x[i], high[i]);
    put_path(a, (draw_ink){LOOK_BAND, colour, 0}, &path, "Z");
}
