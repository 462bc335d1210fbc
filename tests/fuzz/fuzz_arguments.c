/* fuzz_arguments.c - any words, one a line, as a command and its arguments: understood, or refused
 * as a misuse. Nothing is run. */
#include <string.h>

#include "cli/frame/arguments.h"
#include "cli/frame/cli_memory.h"
#include "cli/frame/commands.h"
#include "cli/frame/message.h"
#include "fuzz.h"

enum { WORDS = 24 };

typedef struct line {
    const command *command;
    int count;
    char *word[WORDS];
} line;

/* Every option of the command has a value of its kind. */
static void ask_all(const arguments *a)
{
    const option *o;
    for (size_t i = 0; (o = command_option(a->command, i)); i++) {
        const char *text = arguments_text(a, o->name);
        int64_t whole = arguments_int(a, o->name);
        double real = arguments_real(a, o->name);
        if (o->type == OPTION_INT && text && ((double)whole < o->min || (double)whole > o->max))
            abort();
        if (o->type == OPTION_REAL && text && !(real >= o->min && real <= o->max))
            abort();
        if (o->type == OPTION_CHOICE && text && !option_is_choice(o, text))
            abort();
        arguments_flag(a, o->name);
    }
}

static void parse(void *user)
{
    const line *l = user;
    arguments a;
    int code = arguments_parse(&a, l->command, l->count - 1, (char **)(uintptr_t)l->word + 1);
    if (code != CLI_GOOD && code != CLI_MISUSED)
        abort();
    if (code == CLI_GOOD)
        ask_all(&a);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    char text[1024];
    line l = {0};
    size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (char *at = text; l.count < WORDS && at < text + length;) {
        l.word[l.count++] = at;
        at += strcspn(at, "\n");
        *at++ = '\0';
    }
    size_t count = 0;
    while (commands[count])
        count++;
    l.command = l.count ? commands_find(l.word[0]) : NULL;
    if (l.count == 0)
        return 0;
    if (!l.command)
        l.command = commands[bytes[0] % count];
    void *mark = cli_mark();
    if (fuzz_run(parse, &l) >= 0)
        abort(); /* a misuse is told by the status */
    cli_release(mark);
    return 0;
}
