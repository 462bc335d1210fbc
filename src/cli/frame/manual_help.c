/* manual_help.c - help on the terminal, wrapped at 79 columns. */
#include "cli/frame/manual.h"

#include <stdio.h>
#include <string.h>

#include "cli/frame/commands.h"
#include "spdml.h"

#define COLUMNS       79
#define OPTION_COLUMN 24

const char *const manual_about[] = {
    "spdml works with sets of symmetric positive definite (SPD) matrices: covariances of images, "
    "video, motion capture or EEG, diffusion tensors.",
    "A data set is an .npz file with X (p x n x n) and, if there are labels, y (p numbers or "
    "strings); a .npy file with the labels in a second file; a .mat file (MATLAB v5 to v7.3) "
    "with X (n x n x p) and y; or a .csv file with one flattened matrix per line.",
    "Results go to standard output as a table, or with --json as one JSON object; warnings and "
    "the progress bar go to standard error.",
    NULL};

const char *const manual_exit =
    "0 on success, 1 on failure, 2 on a usage error, 130 when interrupted.";

/* Words of text from column `at` on, later lines indented; ends the line. */
static void wrap(FILE *out, size_t at, size_t indent, const char *text)
{
    int first = 1;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!first && at + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = 1;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
        at += length + (first ? 0 : 1);
        first = 0;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void wrap_all(FILE *out, const char *const *paragraphs)
{
    for (; *paragraphs; paragraphs++) {
        wrap(out, 0, 0, *paragraphs);
        fputc('\n', out);
    }
}

static void print_option(FILE *out, const option *o)
{
    char head[100], text[800];
    char letter[8] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    option_text(o, text, sizeof text);
    fprintf(out, "%-*s", OPTION_COLUMN, head);
    if (strlen(head) + 2 > OPTION_COLUMN)
        fprintf(out, "\n%*s", OPTION_COLUMN, "");
    wrap(out, OPTION_COLUMN, OPTION_COLUMN, text);
}

static void print_command(FILE *out, const command *c)
{
    fprintf(out, "usage: spdml %s%s%s [options]\n\n", c->name, c->operands[0] ? " " : "",
            c->operands);
    wrap_all(out, c->paragraphs);
    for (size_t g = 0; g < COMMAND_GROUPS && c->groups[g].options; g++) {
        if (c->groups[g].title)
            fprintf(out, "%s%s:\n", g ? "\n" : "", c->groups[g].title);
        for (const option *o = c->groups[g].options; o->name; o++)
            print_option(out, o);
    }
    fprintf(out, "\nExamples:\n");
    for (const command_example *e = c->examples; e->line; e++) {
        fprintf(out, "  %s\n      ", e->line);
        wrap(out, 6, 6, e->does);
    }
}

static void print_overview(FILE *out)
{
    fprintf(out, "usage: spdml COMMAND [operands and options]\n\n");
    wrap_all(out, manual_about);
    fprintf(out, "Commands:\n");
    for (const command *const *c = commands; *c; c++)
        fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fprintf(out, "\n'spdml COMMAND --help' explains a command. This is version %s.\n",
            spd_version());
}

void manual_help(FILE *out, const command *c)
{
    if (c)
        print_command(out, c);
    else
        print_overview(out);
    fputs("\nExit status: ", out);
    wrap(out, 13, 13, manual_exit);
}
