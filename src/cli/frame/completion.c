/* completion.c - completion scripts for shells, from the option tables: commands, their options,
 * and what may follow an option or stand as the first operand: words, files, or nothing that could
 * be guessed. */
#include <stdio.h>
#include <string.h>

#include "cli/frame/commands.h"
#include "cli/frame/manual.h"

#define SHORT 72 /* letters of a description */

/* ---- what all shells need -------------------------------------------------------------------- */

/* The words that may follow an option. */
static words words_of(const option *o)
{
    words w = {0};
    if (o->words)
        words_split(&w, o->words, "|");
    return o->type == OPTION_CHOICE ? option_choices(o) : w;
}

/* Words with a blank between. */
static void print_words(FILE *out, words w)
{
    fputs(words_join(&w, w.count, " "), out);
}

/* Prints the first sentence of a help, cut where it is long, with a backslash before each letter
 * of `escaped`; quotes are left out, which end words in every shell. */
static void print_short(FILE *out, const char *help, const char *escaped)
{
    const char *end = strstr(help, ". ");
    size_t length = end ? (size_t)(end - help) : strlen(help), cut = length;
    if (cut > SHORT)
        for (cut = SHORT; cut > 0 && help[cut] != ' '; cut--)
            ;
    for (size_t i = 0; i < cut; i++) {
        if (strchr("'\"`$\\", help[i]))
            continue;
        if (strchr(escaped, help[i]))
            fputc('\\', out);
        fputc(help[i], out);
    }
    fputs(cut < length ? " ..." : "", out);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static const char *const opening =
    "# bash completion for spdml; made by 'spdml help --completion bash'\n"
    "_spdml_words()\n"
    "{\n"
    "    COMPREPLY=($(compgen -W \"$1\" -- \"$word\"))\n"
    "}\n"
    "_spdml_list()\n"
    "{\n"
    "    local before=\n"
    "    [[ $word == *,* ]] && before=${word%,*},\n"
    "    COMPREPLY=($(compgen -P \"$before\" -W \"$1\" -- \"${word##*,}\"))\n"
    "}\n"
    "_spdml()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} options= first=\n"
    "    COMPREPLY=()\n";

static const char *const closing = "    if [[ $word == -* ]]; then\n"
                                   "        _spdml_words \"$options\"\n"
                                   "        return\n"
                                   "    fi\n"
                                   "    if [[ -n $first ]] && ((COMP_CWORD == 2)); then\n"
                                   "        _spdml_words \"$first\"\n"
                                   "        return\n"
                                   "    fi\n"
                                   "    COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                                   "}\n"
                                   "complete -o filenames -F _spdml spdml\n";

/* What follows an option that takes a value. */
static void bash_values(FILE *out, const option *o)
{
    fprintf(out, "            --%s", o->name);
    if (o->letter)
        fprintf(out, "|-%c", o->letter);
    fputs(") ", out);
    if (o->type == OPTION_FILE) {
        fputs("COMPREPLY=($(compgen -f -- \"$word\")); ", out);
    } else if (words_of(o).count) {
        fputs(o->list ? "_spdml_list \"" : "_spdml_words \"", out);
        print_words(out, words_of(o));
        fputs("\"; ", out);
    }
    fputs("return ;;\n", out);
}

static void bash_case(FILE *out, const command *c)
{
    const option *o;
    fprintf(out, "    %s", c->name);
    if (c->alias)
        fprintf(out, "|%s", c->alias);
    fputs(")\n        case $last in\n", out);
    for (size_t i = 0; (o = command_option(c, i)); i++)
        if (o->type != OPTION_FLAG)
            bash_values(out, o);
    fputs("        esac\n        options=\"", out);
    for (size_t i = 0; (o = command_option(c, i)); i++)
        fprintf(out, "%s--%s", i ? " " : "", o->name);
    fputs("\"\n", out);
    if (c->first) {
        fputs("        first=\"", out);
        print_words(out, c->first());
        fputs("\"\n", out);
    }
    fputs("        ;;\n", out);
}

static void bash(FILE *out)
{
    fputs(opening, out);
    fputs("    if ((COMP_CWORD == 1)); then\n        _spdml_words \"", out);
    for (const command *const *c = commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version\"\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (const command *const *c = commands; *c; c++)
        bash_case(out, *c);
    fputs("    esac\n", out);
    fputs(closing, out);
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* ":NAME:ACTION" of an option's value: words in parentheses, files, or a message. */
static void zsh_value(FILE *out, const option *o)
{
    fprintf(out, "%s%s:", o->bare ? "::" : ":", o->name);
    if (o->type == OPTION_FILE) {
        fputs("_files", out);
    } else if (words_of(o).count && o->list) {
        fputs("_values -s , word ", out);
        print_words(out, words_of(o));
    } else if (words_of(o).count) {
        fputc('(', out);
        print_words(out, words_of(o));
        fputc(')', out);
    }
}

static void zsh_option(FILE *out, const option *o, const char *dashes, const char *name)
{
    fprintf(out, "            '%s%s%s[", o->repeatable ? "*" : "", dashes, name);
    print_short(out, o->help, "[]:");
    fputc(']', out);
    if (o->type != OPTION_FLAG)
        zsh_value(out, o);
    fputs("' \\\n", out);
}

static void zsh_case(FILE *out, const command *c)
{
    const option *o;
    fprintf(out, "    %s%s%s)\n        _arguments -s \\\n", c->name, c->alias ? "|" : "",
            c->alias ? c->alias : "");
    for (size_t i = 0; (o = command_option(c, i)); i++) {
        char letter[2] = {(char)o->letter, '\0'};
        zsh_option(out, o, "--", o->name);
        if (o->letter)
            zsh_option(out, o, "-", letter);
    }
    if (c->first) {
        fputs("            '1:kind:(", out);
        print_words(out, c->first());
        fputs(")' \\\n", out);
    }
    fputs("            '*:file:_files'\n        ;;\n", out);
}

static void zsh(FILE *out)
{
    fputs("#compdef spdml\n# zsh completion for spdml; made by 'spdml help --completion zsh'\n"
          "local -a commands\ncommands=(\n",
          out);
    for (const command *const *c = commands; *c; c++) {
        fprintf(out, "    '%s:", (*c)->name);
        print_short(out, (*c)->summary, ":");
        fputs("'\n", out);
    }
    fputs(")\nif ((CURRENT == 2)); then\n    _describe command commands\n    return\nfi\n"
          "shift words\n((CURRENT--))\ncase $words[1] in\n",
          out);
    for (const command *const *c = commands; *c; c++)
        zsh_case(out, *c);
    fputs("esac\n", out);
}

/* ---- fish ------------------------------------------------------------------------------------ */

/* "complete -c spdml -n '...' ...": an option of a command. */
static void fish_option(FILE *out, const command *c, const option *o)
{
    fprintf(out, "complete -c spdml -n '__spdml_command %s%s%s' -l %s", c->name,
            c->alias ? " " : "", c->alias ? c->alias : "", o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (o->type == OPTION_FILE)
        fputs(" -r -F", out);
    else if (o->type != OPTION_FLAG && !o->bare)
        fputs(" -x", out);
    if (o->type != OPTION_FLAG && words_of(o).count && o->type != OPTION_FILE) {
        fputs(o->list ? " -a '(__spdml_list " : " -a '", out);
        print_words(out, words_of(o));
        fputs(o->list ? ")'" : "'", out);
    }
    fputs(" -d '", out);
    print_short(out, o->help, "");
    fputs("'\n", out);
}

static void fish_command(FILE *out, const command *c)
{
    const option *o;
    for (size_t i = 0; (o = command_option(c, i)); i++)
        fish_option(out, c, o);
    if (!c->first)
        return;
    fprintf(out, "complete -c spdml -n '__spdml_first %s' -f -a '", c->name);
    print_words(out, c->first());
    fputs("'\n", out);
}

static void fish(FILE *out)
{
    fputs("# fish completion for spdml; made by 'spdml help --completion fish'\n"
          "function __spdml_none --description 'Is a command next?'\n"
          "    test (count (commandline -opc)) -eq 1\n"
          "end\n"
          "function __spdml_command --description 'Is it one of these commands?'\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and contains -- $words[2] $argv\n"
          "end\n"
          "function __spdml_first --description 'Is the first operand of this command next?'\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -eq 2; and test $words[2] = $argv[1]\n"
          "end\n"
          "function __spdml_list --description 'Words after the last comma'\n"
          "    set -l before (string replace -r '[^,]*$' '' -- (commandline -ct))\n"
          "    for word in $argv\n"
          "        echo $before$word\n"
          "    end\n"
          "end\n",
          out);
    for (const command *const *c = commands; *c; c++) {
        fprintf(out, "complete -c spdml -n __spdml_none -f -a %s -d '", (*c)->name);
        print_short(out, (*c)->summary, "");
        fputs("'\n", out);
    }
    for (const command *const *c = commands; *c; c++)
        fish_command(out, *c);
}

/* ---- all ------------------------------------------------------------------------------------- */

void manual_completion(FILE *out, unsigned shell)
{
    static void (*const print[])(FILE * out) = {bash, zsh, fish};
    print[shell](out);
}
