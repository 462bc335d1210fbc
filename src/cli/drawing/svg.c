/* svg.c - drawings, axes and lines. */
#include "cli/drawing/svg.h"

#include <math.h>

#include "cli/drawing/html.h"

#define TICKS_X    7
#define TICKS_Y    6
#define MOST_TICKS 12

static void put_title(FILE *f, const char *id, const char *title, const char *desc)
{
    html_print(f,
               " role=\"img\" aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">%s</title><desc "
               "id=\"%s-d\">%s</desc>\n",
               id, id, id, title, id, desc);
}

void svg_open(FILE *f, const char *id, double width, double height, const char *title,
              const char *desc)
{
    fprintf(f, "<svg viewBox=\"0 0 %.0f %.0f\"", width, height);
    put_title(f, id, title, desc);
}

/* The page's style would fit the drawing to a column: its own size goes first. */
void svg_open_alone(FILE *f, const char *id, double width, double height, const char *title,
                    const char *desc)
{
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" style=\"width:%.0fpx;height:%.0fpx;max-width:none\"",
            width, height, width, height, width, height);
    put_title(f, id, title, desc);
    fputs("<style><![CDATA[\n", f);
    fputs((const char *)html_style, f);
    fputs("]]></style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:var(--back)\"/>\n", f);
}

void svg_close(FILE *f)
{
    fputs("</svg>\n", f);
}

/* ---- ranges and ticks ------------------------------------------------------------------------ */

void svg_extend(double *low, double *high, double value)
{
    if (isfinite(value)) {
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

void svg_room(double *low, double *high)
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

static ticks make_ticks(svg_scale scale, double low, double high, int most)
{
    return scale == SVG_LOG10 ? log_ticks(low, high, most)
                              : even_ticks(low, high, most, scale == SVG_WHOLE);
}

static void print_tick(FILE *f, const ticks *t, int i)
{
    double value = t->at[i];
    if (t->powers)
        fprintf(f, "10<tspan class=\"tiny\" dy=\"-5\">%.0f</tspan>", value);
    else if (t->logs)
        fprintf(f, "%.4g", pow(10, value));
    else if (fabs(value) >= 1e5 || (value != 0 && fabs(value) < 1e-4))
        fprintf(f, "%.4g", value);
    else
        fprintf(f, "%.*f", t->decimals, value);
}

double svg_x(const svg_frame *a, double x)
{
    return a->left + (x - a->x0) / (a->x1 - a->x0) * (a->right - a->left);
}

double svg_y(const svg_frame *a, double y)
{
    return a->bottom - (y - a->y0) / (a->y1 - a->y0) * (a->bottom - a->top);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void put_label(FILE *f, double x, double y, const char *anchor, const ticks *t, int i)
{
    fprintf(f, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    print_tick(f, t, i);
    fputs("</text>\n", f);
}

static void ticks_x(const svg_frame *a, svg_scale scale)
{
    ticks t = make_ticks(scale, a->x0, a->x1, TICKS_X);
    for (int i = 0; i < t.count; i++) {
        double x = svg_x(a, t.at[i]);
        fprintf(a->f, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, a->top, a->bottom);
        put_label(a->f, x, a->bottom + 17, "middle", &t, i);
    }
}

static void ticks_y(const svg_frame *a, svg_scale scale)
{
    ticks t = make_ticks(scale, a->y0, a->y1, TICKS_Y);
    for (int i = 0; i < t.count; i++) {
        double y = svg_y(a, t.at[i]);
        fprintf(a->f, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", a->left, y, a->right);
        put_label(a->f, a->left - 6, y + 4.5, "end", &t, i);
    }
}

void svg_axes(const svg_frame *a, svg_scale x, const char *x_label, svg_scale y,
              const char *y_label)
{
    double middle_x = (a->left + a->right) / 2, middle_y = (a->top + a->bottom) / 2;
    if (x != SVG_BARE)
        ticks_x(a, x);
    if (y != SVG_BARE)
        ticks_y(a, y);
    fprintf(a->f, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", a->left, a->top, a->bottom,
            a->right);
    if (x_label)
        html_print(a->f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", middle_x,
                   a->bottom + (x == SVG_BARE ? 18 : 37), x_label);
    html_print(
        a->f,
        "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
        a->left - (y == SVG_BARE ? 10 : 52), middle_y, y_label);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_point(const svg_frame *a, int *drawn, double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return;
    fprintf(a->f, "%s%.1f %.1f", *drawn ? "L" : "M", svg_x(a, x), svg_y(a, y));
    *drawn = 1;
}

void svg_line(const svg_frame *a, int colour, size_t count, const double *x, const double *y)
{
    int drawn = 0;
    fprintf(a->f, "<path class=\"line k%d d%d\" d=\"", colour % SVG_COLOURS, colour % 4);
    for (size_t i = 0; i < count; i++)
        put_point(a, &drawn, x[i], y[i]);
    fputs("\"/>\n", a->f);
}

void svg_band(const svg_frame *a, int colour, size_t count, const double *x, const double *low,
              const double *high)
{
    int drawn = 0;
    fprintf(a->f, "<path class=\"band k%d\" d=\"", colour % SVG_COLOURS);
    for (size_t i = 0; i < count; i++)
        put_point(a, &drawn, x[i], low[i]);
    for (size_t i = count; i-- > 0;)
        put_point(a, &drawn, x[i], high[i]);
    fputs(drawn ? "Z\"/>\n" : "\"/>\n", a->f);
}
