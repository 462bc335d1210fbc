/* page_made.c - how the matrices were made: the record of `describe` as a table. */
#include <string.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define TEXT_SHOWN 2000 /* characters of a record that is no JSON */
#define LISTED     6    /* elements of a list */

static void put_row(FILE *f, const char *group, const char *key, const char *value)
{
    html_print(f, "<tr><th scope=\"row\">%s%s%s</th><td class=\"values\">%.200s</td></tr>\n", group,
               group[0] ? ": " : "", key, value);
}

/* "a, b, c and 4 more" */
static char *list_text(json_t *list)
{
    size_t count = json_array_size(list), shown = count < LISTED ? count : LISTED;
    words parts = {0};
    for (size_t i = 0; i < shown; i++)
        words_take(&parts, sheet_json_say(json_array_get(list, i), 0));
    char *text = words_join(&parts, 0, parts.count, ", ");
    return shown < count ? words_text("%s and %zu more", text, count - shown) : text;
}

static void put_members(FILE *f, const char *group, json_t *object, int deeper)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_object(value) && deeper)
            put_members(f, key, value, 0);
        else if (strcmp(group, "rows") == 0 && strcmp(key, "position") == 0)
            continue; /* for drawings */
        else
            put_row(f, group, key,
                    json_is_array(value) ? list_text(value) : sheet_json_say(value, 0));
    }
}

void page_made(FILE *f, const page *p)
{
    const char *meta = p->e->set.data->meta;
    json_t *object = meta ? sheet_json_parse(meta) : NULL;
    if (!meta)
        return;
    fputs("<h3>How the matrices were made</h3>\n", f);
    if (!object) {
        fputs("<pre>", f);
        html_lines(f, meta, TEXT_SHOWN);
        fputs("</pre>\n", f);
        return;
    }
    html_table(f, "How the matrices were made", "parameter|<value");
    html_rows(f);
    put_members(f, "", object, 1);
    html_table_close(f);
    json_decref(object);
}
