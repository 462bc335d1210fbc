/* manual_completion.c - a bash completion script, from the same tables as the help.
 *
 * The script holds one case per command with its options, and one per option with what may follow
 * it: choices, files, or nothing that could be guessed. */
#include "cli/frame/manual.h"

#include <stdio.h>

#include "cli/frame/commands.h"

static const char *const opening =
    "# bash completion for spdml; made by 'spdml help --completion'\n"
    "_spdml()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} options=\n"
    "    COMPREPLY=()\n";

static const char *const closing = "    if [[ $word == -* ]]; then\n"
                                   "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                                   "    else\n"
                                   "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
                                   "    fi\n"
                                   "}\n"
                                   "complete -o filenames -F _spdml spdml\n";

/* What follows an option that takes a value. */
static void print_values(FILE *out, const option *o)
{
    fprintf(out, "            --%s", o->name);
    if (o->letter)
        fprintf(out, "|-%c", o->letter);
    fputs(") ", out);
    if (o->type == OPTION_FILE) {
        fputs("COMPREPLY=($(compgen -f -- \"$word\")); ", out);
    } else if (o->type == OPTION_CHOICE) {
        fputs("COMPREPLY=($(compgen -W \"", out);
        for (size_t i = 0; o->choice(i); i++)
            fprintf(out, "%s%s", i ? " " : "", o->choice(i));
        fputs("\" -- \"$word\")); ", out);
    }
    fputs("return ;;\n", out);
}

static void print_case(FILE *out, const command *c)
{
    const option *o;
    fprintf(out, "    %s", c->name);
    if (c->alias)
        fprintf(out, "|%s", c->alias);
    fputs(")\n        case $last in\n", out);
    for (size_t i = 0; (o = command_option(c, i)); i++)
        if (o->type != OPTION_FLAG)
            print_values(out, o);
    fputs("        esac\n        options=\"", out);
    for (size_t i = 0; (o = command_option(c, i)); i++)
        fprintf(out, "%s--%s", i ? " " : "", o->name);
    fputs("\"\n        ;;\n", out);
}

void manual_completion(FILE *out)
{
    fputs(opening, out);
    fputs("    if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $last == help ]]; }; then\n"
          "        COMPREPLY=($(compgen -W \"",
          out);
    for (const command *const *c = commands; *c; c++)
        fprintf(out, "%s%s", c > commands ? " " : "", (*c)->name);
    fputs(" --help --version\" -- \"$word\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (const command *const *c = commands; *c; c++)
        print_case(out, *c);
    fputs("    esac\n", out);
    fputs(closing, out);
}
