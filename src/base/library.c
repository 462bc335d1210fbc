/* library.c - rows of spd_library_at and spd_data_library_at. */
#include "base/library.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"

/* The first word of the text that begins with a digit; NULL if there is none. */
static const char *number_in(const char *text)
{
    text += strspn(text, " ");
    while (*text && !isdigit((unsigned char)*text)) {
        text += strcspn(text, " ");
        text += strspn(text, " ");
    }
    return *text ? text : NULL;
}

void library_row(spd_library *library, const char *name, const char *says, const char *detail)
{
    spd_library row = SPD_STRUCT(spd_library);
    const char *number = number_in(says);
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.version, sizeof row.version, "%.*s", number ? (int)strcspn(number, " \n") : 7,
             number ? number : "unknown");
    snprintf(row.detail, sizeof row.detail, "%s", detail);
    sized_give(sizeof row, &row, library);
}
