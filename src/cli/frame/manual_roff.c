/* manual_roff.c - man pages in roff, from the same tables as the help. */
#include "cli/frame/manual.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/frame/commands.h"
#include "spdml.h"

/* Text with roff's own signs made harmless; dashes stay dashes that can be copied. */
static void escape(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\'')
            fputs("\\(aq", out);
        else
            fputc(*text, out);
    }
}

/* Requests with texts in them: a % in the format stands for the next text, escaped. */
static void put(FILE *out, const char *format, ...)
{
    va_list texts;
    va_start(texts, format);
    for (; *format; format++)
        if (*format == '%')
            escape(out, va_arg(texts, const char *));
        else
            fputc(*format, out);
    va_end(texts);
}

static void title(FILE *out, const command *c)
{
    fputs(c ? ".TH SPDML\\-" : ".TH SPDML", out);
    for (const char *at = c ? c->name : ""; *at; at++)
        fputc(toupper((unsigned char)*at), out);
    fprintf(out, " 1 \"\" \"spdml %s\" \"User Commands\"\n.SH NAME\nspdml", spd_version());
    if (c)
        put(out, "\\-% \\- %\n", c->name, c->summary);
    else
        put(out, " \\- %\n", "symmetric positive definite matrices: geometry and learning");
}

static void paragraphs(FILE *out, const char *const *text)
{
    fputs(".SH DESCRIPTION\n", out);
    for (; *text; text++)
        put(out, ".PP\n%\n", *text);
}

static void print_option(FILE *out, const option *o)
{
    char text[800];
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    put(out, "\\fB\\-\\-%\\fR", o->name);
    if (o->argument)
        fprintf(out, " \\fI%s\\fR", o->argument);
    option_text(o, text, sizeof text);
    put(out, "\n%\n", text);
}

static void print_command(FILE *out, const command *c)
{
    const option *o;
    put(out, ".SH SYNOPSIS\n.B spdml %\n", c->name);
    if (c->operands[0])
        fprintf(out, ".I %s\n", c->operands);
    fputs("[\\fIoptions\\fR]\n", out);
    paragraphs(out, c->paragraphs);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (o = command_option(c, i)); i++)
        print_option(out, o);
    fputs(".SH EXAMPLES\n", out);
    for (const command_example *e = c->examples; e->line; e++)
        put(out, ".TP\n\\fB%\\fR\n%\n", e->line, e->does);
}

static void print_overview(FILE *out)
{
    fputs(".SH SYNOPSIS\n.B spdml\n.I COMMAND\n[\\fIoperands and options\\fR]\n", out);
    paragraphs(out, manual_about);
    fputs(".SH COMMANDS\n", out);
    for (const command *const *c = commands; *c; c++)
        put(out, ".TP\n\\fBspdml\\-%\\fR(1)\n%\n", (*c)->name, (*c)->summary);
}

static void see_also(FILE *out, const command *c)
{
    fputs(c ? ".SH SEE ALSO\n.BR spdml (1)" : ".SH SEE ALSO", out);
    for (const command *const *other = commands; *other; other++)
        if (*other != c)
            fprintf(out, "%s\n.BR spdml\\-%s (1)", c || other > commands ? "," : "",
                    (*other)->name);
    fputc('\n', out);
}

void manual_roff(FILE *out, const command *c)
{
    title(out, c);
    if (c)
        print_command(out, c);
    else
        print_overview(out);
    put(out, ".SH EXIT STATUS\n%\n", manual_exit);
    see_also(out, c);
}
