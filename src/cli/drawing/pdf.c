/* pdf.c - one page, the two Helveticas that every reader has, and texts in the encoding of Windows:
 * a character beyond it is a question mark. Nothing is compressed. */
#include "cli/drawing/pdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drawing/html.h"

#define OBJECTS 7
#define STEPS   20 /* of opacity */
#define DEGREE  (3.14159265358979323846 / 180.0)
#define POINT   0.75 /* a pixel in points */

__attribute__((format(printf, 2, 3))) static void put(drawing *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int bytes = vfprintf(d->f, format, args);
    va_end(args);
    d->bytes += bytes > 0 ? (size_t)bytes : 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void put_colour(drawing *d, const char *colour, const char *operator)
{
    unsigned long code = strtoul(colour + 1, NULL, 16);
    put(d, "%.3f %.3f %.3f %s\n", (double)(code >> 16) / 255.0, (double)(code >> 8 & 255) / 255.0,
        (double)(code & 255) / 255.0, operator);
}

static void begin(drawing *d, const paint *p)
{
    put(d, "q\n/f%.0f gs /s%.0f gs\n", p->fill_opacity * STEPS, p->stroke_opacity * STEPS);
    if (p->fill)
        put_colour(d, p->fill, "rg");
    if (p->stroke) {
        put_colour(d, p->stroke, "RG");
        put(d, "%.2f w 1 j [%s] 0 d\n", p->width, p->dash);
    }
}

static void end(drawing *d, const paint *p)
{
    put(d, "%s\nQ\n", p->fill && p->stroke ? "B" : p->fill ? "f" : "S");
}

void pdf_path(drawing *d, const paint *p, const char *path)
{
    double x = 0, y = 0;
    begin(d, p);
    while (*path) {
        char command = *path++, *next = (char *)path;
        if (command == 'Z') {
            put(d, "h\n");
            continue;
        }
        if (command != 'V')
            x = strtod(path, &next);
        if (command != 'H')
            y = strtod(next, &next);
        put(d, "%.2f %.2f %s\n", x, y, command == 'M' ? "m" : "l");
        path = next;
    }
    end(d, p);
}

/* Four curves, each a quarter. */
void pdf_oval(drawing *d, const paint *p, double x, double y, double a, double b, double degrees)
{
    static const double bow = 0.5522847498;
    double c = cos(degrees * DEGREE), s = sin(degrees * DEGREE);
    begin(d, p);
    put(d, "%.4f %.4f %.4f %.4f %.2f %.2f cm\n%.2f 0 m\n", c, s, -s, c, x, y, a);
    for (int k = 0; k < 4; k++) {
        double u = k == 0 ? 1 : k == 2 ? -1 : 0, v = k == 1 ? 1 : k == 3 ? -1 : 0;
        put(d, "%.2f %.2f %.2f %.2f %.2f %.2f c\n", a * (u - bow * v), b * (v + bow * u),
            a * (bow * u - v), b * (u + bow * v), -a * v, b * u);
    }
    end(d, p);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Of Helvetica, in thousandths of its size, from the space on. */
static const short widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

/* The next character in the encoding of Windows. */
static unsigned next_byte(const char **text)
{
    uint32_t code = html_next(text);
    if (code < 0x7F || (code >= 0xA0 && code <= 0xFF))
        return code;
    switch (code) {
    case 0x2013:
        return 0x96;
    case 0x2019:
        return 0x92;
    case 0x2026:
        return 0x85;
    default:
        return '?';
    }
}

double pdf_width(double size, const char *text)
{
    double sum = 0;
    while (*text) {
        unsigned byte = next_byte(&text);
        sum += byte >= ' ' && byte < 0x7F ? widths[byte - ' '] : 556;
    }
    return sum * size / 1000.0;
}

void pdf_text(drawing *d, unsigned style, const char *colour, double size, double x, double y,
              const char *text)
{
    double back = pdf_width(size, text) * (style & TEXT_END ? 1 : style & TEXT_MIDDLE ? 0.5 : 0);
    int up = (style & TEXT_UP) != 0;
    put(d, "q /f%d gs\n", STEPS);
    put_colour(d, colour, "rg");
    put(d, "BT /%s %.0f Tf %s %.2f %.2f Tm (", style & TEXT_BOLD ? "bold" : "plain", size,
        up ? "0 -1 -1 0" : "1 0 0 -1", up ? x : x - back, up ? y + back : y);
    while (*text) {
        unsigned byte = next_byte(&text);
        put(d, byte < 0x7F && !strchr("()\\", (int)byte) ? "%c" : "\\%03o", byte);
    }
    put(d, ") Tj ET Q\n");
}

/* ---- the document ---------------------------------------------------------------------------- */

static void put_resources(drawing *d)
{
    static const char font[] = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s /Encoding "
                               "/WinAnsiEncoding >>";
    put(d, "/Resources << /Font << /plain ");
    put(d, font, "");
    put(d, " /bold ");
    put(d, font, "-Bold");
    put(d, " >> /ExtGState <<");
    for (int i = 0; i <= STEPS; i++)
        put(d, " /f%d << /ca %.2f >> /s%d << /CA %.2f >>", i, (double)i / STEPS, i,
            (double)i / STEPS);
    put(d, " >> >>");
}

/* The page is laid so that the top of the drawing is at 0 and its y points down: its height is
 * needed at the end only. */
void pdf_figure(FILE *f, const void *what)
{
    const figure *g = what;
    drawing d = {.f = f, .pdf = 1, .height = g->height};
    size_t at[OBJECTS] = {0};
    put(&d, "%%PDF-1.4\n");
    at[1] = d.bytes;
    put(&d, "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    at[2] = d.bytes;
    put(&d, "2 0 obj\n<< /Type /Pages /Kids [4 0 R] /Count 1 >>\nendobj\n");
    at[3] = d.bytes;
    put(&d, "3 0 obj\n<< /Length 5 0 R >>\nstream\n");
    size_t from = d.bytes;
    put(&d, "%.2f 0 0 %.2f 0 0 cm\n", POINT, -POINT);
    g->draw(&d, g->what);
    size_t length = d.bytes - from;
    put(&d, "endstream\nendobj\n");
    at[4] = d.bytes;
    put(&d, "4 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 3 0 R /MediaBox [0 %.2f %.2f 0]\n",
        -POINT * d.height, POINT * g->width);
    put_resources(&d);
    put(&d, " >>\nendobj\n");
    at[5] = d.bytes;
    put(&d, "5 0 obj\n%zu\nendobj\n", length);
    at[6] = d.bytes;
    put(&d, "xref\n0 6\n0000000000 65535 f \n");
    for (size_t i = 1; i < 6; i++)
        put(&d, "%010zu 00000 n \n", at[i]);
    put(&d, "trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%zu\n%%%%EOF\n", at[6]);
}
