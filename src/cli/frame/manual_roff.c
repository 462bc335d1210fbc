/* manual_roff.c - man pages in roff, from the same tables as the help. */
#include "cli/frame/manual.h"

#include <ctype.h>
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

static void upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

/* Text on a line of its own after a request. */
static void block(FILE *out, const char *request, const char *text)
{
    fprintf(out, "%s\n", request);
    escape(out, text);
    fputc('\n', out);
}

static void title(FILE *out, const command *c)
{
    fputs(".TH SPDML", out);
    if (c) {
        fputs("\\-", out);
        upper(out, c->name);
    }
    fprintf(out, " 1 \"\" \"spdml %s\" \"User Commands\"\n.SH NAME\nspdml", spd_version());
    if (c) {
        fputs("\\-", out);
        escape(out, c->name);
    }
    fputs(" \\- ", out);
    escape(out, c ? c->summary : "symmetric positive definite matrices: geometry and learning");
    fputc('\n', out);
}

static void print_options(FILE *out, const command *c)
{
    char details[400];
    const option *o;
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (o = command_option(c, i)); i++) {
        fputs(".TP\n", out);
        if (o->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", out);
        escape(out, o->name);
        fputs("\\fR", out);
        if (o->argument)
            fprintf(out, " \\fI%s\\fR", o->argument);
        fputc('\n', out);
        option_details(o, details, sizeof details);
        escape(out, o->help);
        escape(out, details);
        fputc('\n', out);
    }
}

static void print_examples(FILE *out, const command *c)
{
    fputs(".SH EXAMPLES\n", out);
    for (const command_example *e = c->examples; e->line; e++) {
        fputs(".TP\n\\fB", out);
        escape(out, e->line);
        fputs("\\fR\n", out);
        escape(out, e->does);
        fputc('\n', out);
    }
}

static void paragraphs(FILE *out, const char *const *text)
{
    fputs(".SH DESCRIPTION\n", out);
    for (; *text; text++)
        block(out, ".PP", *text);
}

static void print_command(FILE *out, const command *c)
{
    fputs(".SH SYNOPSIS\n.B spdml ", out);
    escape(out, c->name);
    fputc('\n', out);
    if (c->operands[0])
        fprintf(out, ".I %s\n", c->operands);
    fputs("[\\fIoptions\\fR]\n", out);
    paragraphs(out, c->paragraphs);
    print_options(out, c);
    print_examples(out, c);
}

static void print_overview(FILE *out)
{
    const command *c;
    fputs(".SH SYNOPSIS\n.B spdml\n.I COMMAND\n[\\fIoperands and options\\fR]\n", out);
    paragraphs(out, manual_about);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; (c = commands_at(i)); i++) {
        fputs(".TP\n\\fBspdml\\-", out);
        escape(out, c->name);
        fputs("\\fR(1)\n", out);
        escape(out, c->summary);
        fputc('\n', out);
    }
}

static void see_also(FILE *out, const command *c)
{
    const command *other;
    const char *comma = c ? "," : "";
    fputs(".SH SEE ALSO\n", out);
    if (c)
        fputs(".BR spdml (1)", out);
    for (size_t i = 0; (other = commands_at(i)); i++) {
        if (other == c)
            continue;
        fprintf(out, "%s%s.BR spdml\\-%s (1)", comma, comma[0] ? "\n" : "", other->name);
        comma = ",";
    }
    fputc('\n', out);
}

void manual_roff(FILE *out, const command *c)
{
    title(out, c);
    if (c)
        print_command(out, c);
    else
        print_overview(out);
    block(out, ".SH EXIT STATUS", manual_exit);
    see_also(out, c);
}
