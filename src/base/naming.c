/* naming.c - words of enumerations. */
#include "base/naming.h"

#include <stdio.h>
#include <string.h>

const char *naming_word(const naming *names, unsigned value)
{
    return value < names->count ? names->word[value] : NULL;
}

/* "metric 'x' is unknown; use one of airm, stein". */
static spd_status refuse(spd_context *ctx, const naming *names, const char *word)
{
    char list[360] = "";
    size_t length = 0;
    for (unsigned i = 0; i < names->count && length < sizeof list; i++)
        if (names->word[i])
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       length ? ", " : "", names->word[i]);
    return ctx_fail(ctx, SPD_EINVAL, "%s '%.60s' is unknown; use one of %s", names->kind,
                    word ? word : "", list);
}

spd_status naming_parse(spd_context *ctx, const naming *names, const char *word, unsigned *value)
{
    ctx_clear(ctx);
    for (unsigned i = 0; word && i < names->count; i++)
        if (names->word[i] && strcmp(word, names->word[i]) == 0) {
            *value = i;
            return SPD_OK;
        }
    for (unsigned i = 0; word && i < NAMING_ALIASES && names->alias[i].word; i++)
        if (strcmp(word, names->alias[i].word) == 0) {
            *value = names->alias[i].value;
            return SPD_OK;
        }
    return refuse(ctx, names, word);
}
