/* html.c - the frame of a page, and escaping. */
#include "cli/drawing/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cli/frame/words.h"
#include "spdml.h"

#define REPLACEMENT 0xFFFDU
/* Of page.js, as the policy of a page names it. */
#define SCRIPT_HASH "sha256-Chwrw0c1+sEwB9KkLnDRA1X2cXi9bCfUFsdkNF8+OkU="

#define ELLIPSIS "\xE2\x80\xA6"

/* What is longer may be broken, lest it be wider than the page. */
#define LONGEST_OPTION 24

/* ---- characters ------------------------------------------------------------------------------ */

/* Nothing to see, or able to rearrange what stands around it. */
static int unwanted(uint32_t code)
{
    return plain_is_unsafe(code) || code == 0x200E || code == 0x200F || (code & 0xFFFE) == 0xFFFE ||
           (code >= 0xFDD0 && code <= 0xFDEF);
}

uint32_t html_next(const char **text)
{
    uint32_t code = REPLACEMENT;
    size_t took = utf8_get(*text, 4, &code); /* the end of a text ends a character, too */
    *text += took ? took : 1;
    if (code == '\n' || code == '\t' || code == '\r')
        return ' ';
    return unwanted(code) ? REPLACEMENT : code;
}

/* Puts the next character; *text moves behind it. */
static void put_next(FILE *f, const char **text)
{
    static const char *const entities[] = {
        ['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"};
    const char *from = *text;
    uint32_t code = html_next(text);
    if (code < sizeof entities / sizeof *entities && entities[code])
        fputs(entities[code], f);
    else if (code == REPLACEMENT)
        fputs("\xEF\xBF\xBD", f);
    else if (code == ' ')
        fputc(' ', f);
    else
        fwrite(from, 1, (size_t)(*text - from), f);
}

void html_text(FILE *f, const char *text)
{
    while (*text)
        put_next(f, &text);
}

size_t html_length(const char *text)
{
    size_t length = 0;
    for (; *text; length++)
        (void)html_next(&text);
    return length;
}

char *html_short(const char *text, size_t characters)
{
    const char *end = text;
    if (html_length(text) <= characters)
        return words_text("%s", text);
    for (size_t i = 0; i + 1 < characters; i++)
        (void)html_next(&end);
    return words_text("%.*s" ELLIPSIS, (int)(end - text), text);
}

/* spec is one conversion, from its '%' to its letter. */
static void put_value(FILE *f, const char *spec, va_list *args)
{
    const char *text;
    switch (spec[strlen(spec) - 1]) {
    case 's':
        text = va_arg(*args, const char *);
        html_text(f, spec[1] == '.' ? html_short(text, strtoul(spec + 2, NULL, 10)) : text);
        break;
    case 'd':
        fprintf(f, spec, va_arg(*args, int));
        break;
    case 'u':
        fprintf(f, spec, va_arg(*args, size_t));
        break;
    default:
        fprintf(f, spec, va_arg(*args, double));
    }
}

void html_print(FILE *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format) {
        size_t plain = strcspn(format, "%");
        fwrite(format, 1, plain, f);
        format += plain;
        if (*format) {
            char spec[16];
            size_t length = strcspn(format, "sdufg") + 1;
            snprintf(spec, sizeof spec, "%.*s", (int)length, format);
            put_value(f, spec, &args);
            format += length;
        }
    }
    va_end(args);
}

void html_lines(FILE *f, const char *text, size_t characters)
{
    for (; *text && characters > 0; characters--)
        if (*text == '\n')
            fputc(*text++, f);
        else
            put_next(f, &text);
    if (*text)
        fputs(ELLIPSIS, f);
}

void html_word(FILE *f, const char *word)
{
    int option = word[0] == '-' && html_length(word) <= LONGEST_OPTION;
    html_print(f, option ? "<span class=\"word\">%s</span>" : "%s", word);
}

/* ---- frame ----------------------------------------------------------------------------------- */

void html_open(FILE *f, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; img-src data:; script-src '",
          f);
    fprintf(f, "%s'\">\n<link rel=\"icon\" href=\"data:,\">\n<title>", SCRIPT_HASH);
    html_print(f, "%s</title>\n<style>\n", title);
    fprintf(f, "%s%s", (const char *)html_style, (const char *)drawing_style);
    html_print(f, "</style>\n</head>\n<body>\n<main>\n<h1>%s</h1>\n", title);
}

void html_close(FILE *f)
{
    fprintf(f, HTML_WRITTEN_BY "%s.</footer>\n</main>\n<script>%s</script>\n</body>\n</html>\n",
            spd_version(), (const char *)html_script);
}

void html_link(FILE *f, const char *path, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    /* A name with a colon would be read as that of a protocol. */
    fprintf(f, "<a href=\"%s", path[0] == '/' || path[0] == '.' ? "" : "./");
    for (const char *at = path; *at; at++)
        if (strchr(plain, *at))
            fputc(*at, f);
        else
            fprintf(f, "%%%02X", (unsigned)(unsigned char)*at);
    html_print(f, "\">%s</a>", text);
}

void html_section(FILE *f, const char *id, const char *heading)
{
    fprintf(f, "<section id=\"%s\">\n<h2>%s</h2>\n", id, heading);
}

void html_section_close(FILE *f)
{
    fputs("</section>\n", f);
}

void html_table(FILE *f, const char *label, const char *columns)
{
    words headings = {0};
    words_split(&headings, columns, "|");
    fprintf(f,
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
            "<table class=\"sort\">\n<thead><tr>",
            label);
    for (size_t i = 0; i < headings.count; i++)
        html_column(f, headings.word[i]);
}

void html_column(FILE *f, const char *heading)
{
    int left = heading[0] == '<';
    fprintf(f, "<th scope=\"col\"%s>", left ? " class=\"left\"" : "");
    html_print(f, "%s</th>", heading + left);
}

void html_rows(FILE *f)
{
    fputs("</tr></thead>\n<tbody>\n", f);
}

void html_table_close(FILE *f)
{
    fputs("</tbody></table>\n</div>\n", f);
}

void html_figure(FILE *f, const char *size)
{
    fprintf(f, "<figure>\n<div class=\"drawings%s%s\">\n", size[0] ? " " : "", size);
}

void html_figure_close(FILE *f, const char *format, ...)
{
    va_list args;
    fputs("</div>\n<figcaption>", f);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fputs("</figcaption>\n</figure>\n", f);
}

void html_bar(FILE *f, double share, double deviation)
{
    double width = 160, end = width * fmin(fmax(share, 0), 1);
    fprintf(f,
            "<svg class=\"bar\" viewBox=\"0 0 160 18\" preserveAspectRatio=\"none\" "
            "aria-hidden=\"true\"><rect class=\"room\" y=\"3\" width=\"160\" height=\"12\" "
            "rx=\"2\"/><rect class=\"fill\" y=\"3\" width=\"%.1f\" height=\"12\" rx=\"2\"/>",
            end);
    if (deviation > 0) {
        double low = fmax(end - width * deviation, 0.8);
        double high = fmin(end + width * deviation, width - 0.8);
        fprintf(f, "<path class=\"whisker\" d=\"M%.1f 9H%.1fM%.1f 5v8M%.1f 5v8\"/>", low, high, low,
                high);
    }
    fputs("</svg>", f);
}
