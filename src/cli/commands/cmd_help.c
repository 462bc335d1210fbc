/* cmd_help.c - `spdml help`: help, man pages and completion out of the option tables. */
#include <stdio.h>

#include "cli/frame/commands.h"
#include "cli/frame/manual.h"
#include "cli/frame/session.h"

static int run(session *s)
{
    const char *name = s->args->operand_count ? s->args->operands[0] : NULL;
    const command *c = name ? commands_find(name) : NULL;
    if (name && !c && manual_topic(stdout, name) == 0)
        return CLI_GOOD;
    if (name && !c)
        return commands_unknown(name, 1);
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

/* Of commands and topics. */
static words topic_names(void)
{
    words w = {0};
    for (const command *const *c = commands; *c; c++)
        words_add(&w, (*c)->name);
    for (size_t i = 0; i < MANUAL_TOPICS; i++)
        words_add(&w, manual_topics[i]);
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
    "Lists the commands, or explains a TOPIC: a command, as 'spdml COMMAND --help' does; methods, "
    "what every method of recognition is; data, which files hold data sets; environment, which "
    "variables are read.",
    NULL};

static const command_example examples[] = {
    {"spdml help distance", "Help for one command."},
    {"spdml help methods", "What nn-stein, rsr, cdl, ts-lda and the others are."},
    {"source <(spdml help --completion)", "Completion in this shell, a bash."},
    {"spdml help --completion zsh > ~/.zfunc/_spdml",
     "In zsh, if fpath has ~/.zfunc before compinit."},
    {"spdml help --completion fish > ~/.config/fish/completions/spdml.fish", "In fish."},
    {"spdml help --man mean | man -l -", "A man page that is not installed."},
    {NULL, NULL}};

COMMAND(help, "help, man pages, shell completion", "[TOPIC]", .first = topic_names,
        .groups = {{"Options", options}});
