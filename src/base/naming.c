/* naming.c - words of enumerations. */
#include "base/naming.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

const char *naming_word(const naming *names, unsigned value)
{
    return value < NAMING_MOST ? names->word[value] : NULL;
}

/* "metric 'stien' is unknown; did you mean 'stein'? Use one of airm, stein". */
static spd_status refuse(spd_context *ctx, const naming *names, const char *word)
{
    char list[360] = "", hint[100] = "use";
    size_t length = 0;
    suggestion near = suggest_for(word);
    for (unsigned i = 0; naming_word(names, i) && length < sizeof list; i++) {
        suggest_offer(&near, names->word[i]);
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "",
                                   names->word[i]);
    }
    if (near.best && strlen(word) > 1) /* a single letter is near to any other */
        snprintf(hint, sizeof hint, "did you mean '%s'? Use", near.best);
    return ctx_fail(ctx, SPD_EINVAL, "%s '%.60s' is unknown; %s one of %s", names->kind, word, hint,
                    list);
}

int naming_parse(spd_context *ctx, const naming *names, const char *word)
{
    if (!word)
        return ctx_fail(ctx, SPD_EINVAL, "no name of a %s given", names->kind);
    for (unsigned i = 0; naming_word(names, i); i++)
        if (strcmp(word, names->word[i]) == 0)
            return (int)i;
    for (unsigned i = 0; i < NAMING_ALIASES && names->alias[i].word; i++)
        if (strcmp(word, names->alias[i].word) == 0)
            return (int)names->alias[i].value;
    return refuse(ctx, names, word);
}
