/* arguments.h - the words of the command line, understood through the option table. */
#ifndef SPD_CLI_FRAME_ARGUMENTS_H
#define SPD_CLI_FRAME_ARGUMENTS_H

#include "cli/frame/options.h"

/* One option as it was given. */
typedef struct argument_given {
    const option *option;
    const char *text; /* its value; NULL for a flag */
} argument_given;

typedef struct arguments {
    const command *command;
    argument_given *given; /* in the order of the command line */
    size_t given_count;
    const char **operands;
    size_t operand_count;
    char **word;   /* all words after the command's name, as they were typed */
    int words, at; /* at: the next one to read */
    int brief;     /* help was asked for as -h, not as --help */
} arguments;

/* Reads argv[0 .. argc-1], the words after the command's name: `--opt value`, `--opt=value`,
 * `-k5`, `-k 5`, `-qv`, `--` before operands that start with a dash; options may follow operands.
 * CLI_GOOD, or CLI_MISUSED after a message. When --help is among them, nothing further is asked.
 * What it holds is freed with the command. */
int arguments_parse(arguments *a, const command *c, int argc, char **argv);

/* A copy that options can be added to. */
arguments *arguments_copy(const arguments *a);

/* As if that option had been typed too; a keeps what it had. */
void arguments_add(arguments *a, const char *name, const char *text);

/* Values by an option's long name: what was given last, or the default. The option must be in
 * the command's table. arguments_text gives NULL if there is neither. */
int arguments_flag(const arguments *a, const char *name);
int64_t arguments_int(const arguments *a, const char *name);
double arguments_real(const arguments *a, const char *name);
const char *arguments_text(const arguments *a, const char *name);

/* Members of *to <- the options with INTO of that type that were given; the others stay. */
#define ARGUMENTS_FILL(a, type, to) arguments_fill((a), #type, (type *){to})
void arguments_fill(const arguments *a, const char *type, void *to);

/* How often an option was given, and its i-th value: for options that may be repeated. */
size_t arguments_count(const arguments *a, const char *name);
const char *arguments_nth(const arguments *a, const char *name, size_t i);

/* For commands whose first operand says what kind of thing they do: `describe gabor`. *kind <- its
 * number in that enumeration; an exit status after a message when there is none of that name,
 * or when an option was given that does not serve it: under a heading such as "Images (textures,
 * faces)" stand options of these kinds alone. word is what a kind is called: "descriptor". */
int arguments_kind(const arguments *a, const char *word, spd_enum names, unsigned *kind);

#endif
