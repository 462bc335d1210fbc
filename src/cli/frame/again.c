/* again.c - options as one would type them again. */
#include "cli/frame/again.h"

#include <string.h>

#include "cli/frame/number.h"
#include "cli/frame/text_file.h"

static int is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return 1;
    return 0;
}

void again_options(const arguments *a, const command *to, const char *const *without, words *w)
{
    static const char *const talk[] = {"json", "quiet", "verbose", "threads", NULL};
    for (size_t i = 0; i < a->given_count; i++) {
        const char *name = a->given[i].option->name;
        if (is_listed(name, talk) || is_listed(name, without) ||
            !command_option_named(to, name, strlen(name)))
            continue;
        words_take(w, words_text("--%s", name));
        if (a->given[i].text)
            words_take(w, shell_word(a->given[i].text));
    }
}

char *again_command(const arguments *a)
{
    static const char *const all[] = {NULL};
    words w = {0};
    words_take(&w, words_text("spdml %s", a->command->name));
    for (size_t i = 0; i < a->operand_count; i++)
        words_take(&w, shell_word(a->operands[i]));
    again_options(a, a->command, all, &w);
    return words_join(&w, w.count, " ");
}

void again_value(const char *name, double value, words *w)
{
    char text[NUMBER_TEXT];
    number_text(value, text);
    words_take(w, words_text(name[1] ? "--%s" : "-%s", name));
    words_add(w, text);
}
