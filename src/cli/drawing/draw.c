/* draw.c - figures as svg, and shapes and texts in both forms. */
#include "cli/drawing/draw.h"

#include <string.h>

#include "cli/drawing/html.h"
#include "cli/drawing/pdf.h"
#include "cli/frame/options.h"
#include "cli/frame/text_file.h"
#include "cli/frame/words.h"

/* Colours of light pages. Those of classes are of Okabe and Ito (2008), which readers with any kind
 * of colour vision tell apart; on white their yellow is darker. drawing.css has the dark ones. */
#define WHITE "#ffffff"
#define TEXT  "#1b1f24"
#define SOFT  "#57606a"
#define RULE  "#d0d7de"
#define GOOD  "#0072b2"
#define BAD   "#d55e00"

static const char *const colours[DRAW_COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000", "#b3a400"};

#define OWN "" /* the colour of the ink */

typedef struct look {
    const char *class;
    const char *fill, *stroke;
    double width, fill_opacity, stroke_opacity;
    const char *dash;
} look;

static const look looks[] = {
    [LOOK_BACK] = {"back", WHITE, NULL, 0, 1, 1, ""},
    [LOOK_GRID] = {"grid", NULL, "#e3e8ed", 1, 1, 1, ""},
    [LOOK_AXIS] = {"axis", NULL, SOFT, 1, 1, 1, ""},
    [LOOK_BONE] = {"axis", NULL, SOFT, 3, 1, 1, ""},
    [LOOK_DASHED] = {"axis", NULL, SOFT, 1, 1, 1, "4 3"},
    [LOOK_LINE] = {"line", NULL, OWN, 2, 1, 1, NULL},
    [LOOK_SOLID] = {"line", NULL, OWN, 2, 1, 1, ""},
    [LOOK_THIN] = {"line thin", NULL, OWN, 1, 1, 0.55, ""},
    [LOOK_BAND] = {"band", OWN, NULL, 0, 0.2, 1, ""},
    [LOOK_MARK] = {"mark", WHITE, OWN, 1.4, 0.35, 1, ""},
    [LOOK_FULL] = {"mark full", OWN, OWN, 1.4, 0.85, 1, ""},
    [LOOK_RIGHT] = {"right", GOOD, NULL, 0, 1, 1, ""},
    [LOOK_WRONG] = {"wrong", BAD, NULL, 0, 1, 1, ""},
    [LOOK_TILE] = {"right tile", GOOD, RULE, 1, 1, 1, ""},
    [LOOK_FIELD] = {"field", "#f6f8fa", RULE, 1, 1, 1, ""},
};

/* ---- figures --------------------------------------------------------------------------------- */

/* The height of a figure that only its function knows. */
static double height_of(const figure *g)
{
    drawing d = {.height = g->height};
    if (g->height <= 0)
        g->draw(&d, g->what);
    return d.height;
}

static void put_title(FILE *f, const figure *g)
{
    html_print(f,
               " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" role=\"img\" "
               "aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">%s</title><desc "
               "id=\"%s-d\">%s</desc>\n",
               g->id, g->id, g->id, g->title, g->id, g->desc);
}

static void put_drawing(FILE *f, const figure *g, double height)
{
    drawing d = {.f = f, .height = height};
    g->draw(&d, g->what);
    fputs("</svg>\n", f);
}

void figure_inline(FILE *f, const figure *g)
{
    double height = height_of(g);
    fprintf(f, "<svg viewBox=\"0 0 %.0f %.0f\"", g->width, height);
    put_title(f, g);
    put_drawing(f, g, height);
}

/* A text_file_fn. */
static void svg_figure(FILE *f, const void *what)
{
    const figure *g = what;
    double height = height_of(g);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\"",
            g->width, height, g->width, height);
    put_title(f, g);
    fprintf(f, "<style>%s</style>\n", (const char *)drawing_style);
    drawing d = {.f = f};
    draw_rect(&d, (draw_ink){.look = LOOK_BACK}, 0, 0, g->width, height);
    put_drawing(f, g, height);
}

void figure_write(const figure *g, const char *path)
{
    text_file_write(path, option_has_ending(path, ".pdf") ? pdf_figure : svg_figure, g);
}

void figure_files(const figure *g, const char *folder)
{
    figure_write(g, text_file_in(folder, words_text("%s.svg", g->id)));
    figure_write(g, text_file_in(folder, words_text("%s.pdf", g->id)));
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static const char *colour_of(int colour)
{
    return colour == DRAW_GREY ? "#9aa4ae" : colours[colour % DRAW_COLOURS];
}

static paint paint_of(draw_ink ink)
{
    static const char *const dashes[] = {"", "7 3", "2 3", "9 3 2 3"};
    const look *l = &looks[ink.look];
    paint p = {l->fill, l->stroke, l->width, l->fill_opacity, l->stroke_opacity, l->dash};
    if (p.fill && !p.fill[0])
        p.fill = colour_of(ink.colour);
    if (p.stroke && !p.stroke[0])
        p.stroke = colour_of(ink.colour);
    if (ink.opacity > 0)
        p.fill_opacity = ink.opacity;
    if (!p.dash)
        p.dash = dashes[(unsigned)ink.colour % 4];
    return p;
}

/* The end of a shape: its class, colours and title. */
static void finish(drawing *d, draw_ink ink, const char *tag)
{
    const look *l = &looks[ink.look];
    paint p = paint_of(ink);
    int own = (l->fill && !l->fill[0]) || (l->stroke && !l->stroke[0]);
    fprintf(d->f, " class=\"%s%s\" fill=\"%s\"", l->class,
            !own                      ? ""
            : ink.colour == DRAW_GREY ? " kx"
                                      : words_text(" k%d", ink.colour % DRAW_COLOURS),
            p.fill ? p.fill : "none");
    if (p.fill && p.fill_opacity < 1)
        fprintf(d->f, " fill-opacity=\"%.2f\"", p.fill_opacity);
    if (p.stroke)
        fprintf(d->f, " stroke=\"%s\" stroke-width=\"%g\"", p.stroke, p.width);
    if (p.stroke && p.stroke_opacity < 1)
        fprintf(d->f, " stroke-opacity=\"%.2f\"", p.stroke_opacity);
    if (p.stroke && p.dash[0])
        fprintf(d->f, " stroke-dasharray=\"%s\"", p.dash);
    if (d->title)
        html_print(d->f, "><title>%s</title></%s>\n", d->title, tag);
    else
        fputs("/>\n", d->f);
    d->title = NULL;
}

void draw_path(drawing *d, draw_ink ink, const char *path)
{
    if (!d->f || !path[0])
        return;
    if (d->pdf) {
        paint p = paint_of(ink);
        pdf_path(d, &p, path);
        return;
    }
    fprintf(d->f, "<path d=\"%s\"", path);
    finish(d, ink, "path");
}

void draw_line(drawing *d, draw_ink ink, double x0, double y0, double x1, double y1)
{
    draw_path(d, ink, words_text("M%.1f %.1fL%.1f %.1f", x0, y0, x1, y1));
}

void draw_rect(drawing *d, draw_ink ink, double x, double y, double width, double height)
{
    if (!d->f || d->pdf) {
        draw_path(d, ink, words_text("M%.2f %.2fH%.2fV%.2fH%.2fZ", x, y, x + width, y + height, x));
        return;
    }
    fprintf(d->f, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, width,
            height);
    finish(d, ink, "rect");
}

void draw_circle(drawing *d, draw_ink ink, double x, double y, double radius)
{
    if (!d->f || d->pdf) {
        draw_oval(d, ink, x, y, radius, radius, 0);
        return;
    }
    fprintf(d->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, radius);
    finish(d, ink, "circle");
}

void draw_oval(drawing *d, draw_ink ink, double x, double y, double a, double b, double degrees)
{
    paint p = paint_of(ink);
    if (!d->f)
        return;
    if (d->pdf) {
        pdf_oval(d, &p, x, y, a, b, degrees);
        return;
    }
    fprintf(d->f,
            "<ellipse rx=\"%.1f\" ry=\"%.1f\" transform=\"translate(%.1f %.1f) rotate(%.1f)\"", a,
            b, x, y, degrees);
    finish(d, ink, "ellipse");
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *text_colour(unsigned style)
{
    return style & TEXT_ON ? WHITE : style & TEXT_SOFT ? SOFT : TEXT;
}

/* Of svg, up to its content. */
static void open_text(drawing *d, unsigned style, double x, double y)
{
    fprintf(d->f, "<text class=\"%s\" fill=\"%s\"",
            style & TEXT_ON     ? "on"
            : style & TEXT_SOFT ? "soft"
                                : "plain",
            text_colour(style));
    if (style & TEXT_UP)
        fprintf(d->f, " transform=\"translate(%.1f %.1f) rotate(-90)\"", x, y);
    else
        fprintf(d->f, " x=\"%.1f\" y=\"%.1f\"", x, y);
    if (style & (TEXT_MIDDLE | TEXT_END))
        fprintf(d->f, " text-anchor=\"%s\"", style & TEXT_END ? "end" : "middle");
    fputs(style & TEXT_TINY ? " font-size=\"11\"" : "", d->f);
    fputs(style & TEXT_BOLD ? " font-weight=\"600\"" : "", d->f);
    fputs(style & TEXT_ON ? " pointer-events=\"none\">" : ">", d->f);
}

void draw_text(drawing *d, unsigned style, double x, double y, size_t most, const char *text)
{
    const char *cut = most ? html_short(text, most) : text;
    if (!d->f)
        return;
    if (d->pdf) {
        pdf_text(d, style, text_colour(style), style & TEXT_TINY ? 11 : 13, x, y, cut);
        return;
    }
    open_text(d, style, x, y);
    if (d->title)
        html_print(d->f, "<title>%s</title>", d->title);
    html_print(d->f, "%s</text>\n", cut);
    d->title = NULL;
}

void draw_power(drawing *d, unsigned style, double x, double y, double power)
{
    const char *exponent = words_text("%.0f", power);
    if (!d->f)
        return;
    if (!d->pdf) {
        open_text(d, style, x, y);
        fprintf(d->f, "10<tspan font-size=\"11\" dy=\"-5\">%s</tspan></text>\n", exponent);
        return;
    }
    const char *colour = text_colour(style);
    double ten = pdf_width(13, "10"), small = pdf_width(11, exponent);
    double left = x - (style & TEXT_END      ? ten + small
                       : style & TEXT_MIDDLE ? (ten + small) / 2
                                             : 0);
    pdf_text(d, 0, colour, 13, left, y, "10");
    pdf_text(d, 0, colour, 11, left + ten, y - 5, exponent);
}
