/* html.h - a page that stands alone: its frame and style, and texts that cannot break out of it.
 *
 * Names of classes, columns and files come from outside. Whatever they hold, html_text makes of
 * them text of HTML and of the svg within: no markup, no control characters, valid UTF-8. */
#ifndef SPD_CLI_DRAWING_HTML_H
#define SPD_CLI_DRAWING_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text or the value of an attribute in double quotes. What is no character to be shown (control
 * characters, marks that turn the direction of writing, broken UTF-8) becomes U+FFFD; line ends and
 * tabs become spaces. */
void html_text(FILE *f, const char *text);

/* Markup with values in it, as printf: texts (%s) come out as html_text gives them, and with a
 * precision (%.30s) at most so many characters, the last one an ellipsis where it is cut. Knows %s,
 * %d, %zu, %f and %g. */
void html_print(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with its line ends kept, for preformatted text. */
void html_lines(FILE *f, const char *text, size_t characters);

/* A word of a command: options are not broken at their hyphens. */
void html_word(FILE *f, const char *word);

/* How many characters html_text shows; the character at *text, which moves behind it, broken UTF-8
 * byte by byte; at most so many of them, the last one an ellipsis where it is cut. */
size_t html_length(const char *text);
uint32_t html_next(const char **text);
char *html_short(const char *text, size_t characters);

/* The beginning of the page with its style, and its end with a footer. */
void html_open(FILE *f, const char *title);
void html_close(FILE *f);

/* A section with a heading; id names it in links. */
void html_section(FILE *f, const char *id, const char *heading);
void html_section_close(FILE *f);

/* A table whose rows can be sorted, in a box of its own that scrolls where it is wider than the
 * page; columns are headings with bars between: "class|F1 %|<parameters", to the left after a <.
 * With html_column further ones follow before the rows. */
void html_table(FILE *f, const char *label, const char *columns);
void html_column(FILE *f, const char *heading);
void html_rows(FILE *f);
void html_table_close(FILE *f);

/* A figure: between the two its drawings, side by side where they fit; size is "" or a class of the
 * style for larger or smaller ones. The caption is the caller's own text, with its markup. */
void html_figure(FILE *f, const char *size);
void html_figure_close(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A link to a file, named by its path from the page's folder: bytes that an address may not hold
 * are escaped; the words are the path's. */
void html_link(FILE *f, const char *path, const char *text);

/* A bar from 0 to 1 with a whisker of the deviation to either side. */
void html_bar(FILE *f, double share, double deviation);

/* What every page ends with, and the version behind it. */
#define HTML_WRITTEN_BY "<footer class=\"note\">Written by spdml "

/* The colours and rules of a page, those of drawings, and what sorts tables of the class `sort`:
 * texts, made from page.css, drawing.css and page.js. */
extern const unsigned char html_style[], drawing_style[], html_script[];

#endif
