/* cmd_help.c - `spdml help`: help, man pages and completion out of the option tables. */
#include <stdio.h>

#include "cli/frame/commands.h"
#include "cli/frame/manual.h"
#include "cli/frame/session.h"

static int run(session *s)
{
    const char *name = s->args->operand_count ? s->args->operands[0] : NULL;
    const command *c = name ? commands_find(name) : NULL;
    if (name && !c)
        return commands_unknown(name);
    if (arguments_flag(s->args, "commands"))
        for (const command *const *each = commands; *each; each++)
            printf("%s\n", (*each)->name);
    else if (arguments_flag(s->args, "completion"))
        manual_completion(stdout, session_choice(s, "completion"));
    else if (arguments_flag(s->args, "man"))
        manual_roff(stdout, c);
    else
        manual_help(stdout, c);
    return CLI_GOOD;
}

static words command_names(void)
{
    words w = {0};
    for (const command *const *c = commands; *c; c++)
        words_add(&w, (*c)->name);
    return w;
}

static const option options[] = {
    {"man", .help = "Print the man page in roff"},
    {"completion", 0, OPTION_CHOICE, "[SHELL]", .choice = MANUAL_SHELLS, .bare = "bash",
     .help = "Print a completion script for a shell"},
    {"commands", .help = "Print the names of the commands, one per line"},
    OPTION_HELP,
    OPTION_END};

static const char *const paragraphs[] = {
    "Shows help for spdml or for one of its commands, like 'spdml COMMAND --help'.", NULL};

static const command_example examples[] = {
    {"spdml help distance", "Help for one command."},
    {"source <(spdml help --completion)", "Completion in this shell, a bash."},
    {"spdml help --completion zsh > ~/.zfunc/_spdml",
     "In zsh, where fpath has ~/.zfunc before compinit."},
    {"spdml help --completion fish > ~/.config/fish/completions/spdml.fish", "In fish."},
    {"spdml help --man mean | man -l -", "A man page that is not installed."},
    {NULL, NULL}};

COMMAND(help, "help, man pages, shell completion", "[COMMAND]", .first = command_names,
        .groups = {{"Options", options}});
