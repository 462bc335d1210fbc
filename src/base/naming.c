/* naming.c - words of enumerations. */
#include "base/naming.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

/* Enumerations are handled as the unsigned they are stored in. */
_Static_assert(sizeof(spd_metric) == sizeof(unsigned) && sizeof(spd_stop) == sizeof(unsigned) &&
                   sizeof(spd_parameter) == sizeof(unsigned),
               "enumerations have the size of int");

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
    if (near.best && word[1]) /* a single letter is near to any other */
        snprintf(hint, sizeof hint, "did you mean '%s'? Use", near.best);
    return ctx_fail(ctx, SPD_EINVAL, "%s '%.60s' is unknown; %s one of %s", names->kind, word, hint,
                    list);
}

spd_status naming_parse(spd_context *ctx, const naming *names, const char *word, void *value)
{
    unsigned found = 0, alias = 0;
    ctx_clear(ctx);
    if (!word)
        return ctx_fail(ctx, SPD_EINVAL, "no name of a %s given", names->kind);
    while (naming_word(names, found) && strcmp(word, names->word[found]) != 0)
        found++;
    while (alias < NAMING_ALIASES && names->alias[alias].word &&
           strcmp(word, names->alias[alias].word) != 0)
        alias++;
    if (!naming_word(names, found)) {
        if (alias == NAMING_ALIASES || !names->alias[alias].word)
            return refuse(ctx, names, word);
        found = names->alias[alias].value;
    }
    memcpy(value, &found, sizeof found);
    return SPD_OK;
}
