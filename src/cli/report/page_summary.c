/* page_summary.c - what the data are, and how the matrices were made. */
#include <stdlib.h>
#include <string.h>

#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define CLASSES_LISTED 60
#define TEXT_SHOWN     2000 /* characters of a record that is no JSON */
#define LISTED         6    /* elements of a list */

static void class_item(FILE *f, const spd_samples *samples, const size_t *size)
{
    size_t least = samples->p, most = 0;
    for (size_t c = 0; c < samples->classes; c++) {
        least = size[c] < least ? size[c] : least;
        most = size[c] > most ? size[c] : most;
    }
    fprintf(f, "<dt>classes</dt><dd>%zu, of %zu", samples->classes, least);
    if (least < most)
        fprintf(f, " to %zu", most);
    fputs(least < most ? " samples</dd>\n" : " samples each</dd>\n", f);
}

static void class_list(FILE *f, const page *p, const size_t *size)
{
    size_t classes = p->e->set.samples.classes;
    if (classes > CLASSES_LISTED)
        return;
    fputs("<h3>Classes</h3>\n<ul class=\"classes\">\n", f);
    for (size_t c = 0; c < classes; c++)
        html_print(f, "<li>%.80s: %zu</li>\n", p->e->set.data->class_name[c], size[c]);
    fputs("</ul>\n", f);
}

static void eigenvalue_items(FILE *f, const page *p)
{
    const page_spectrum *a = &p->spectrum[0];
    if (a->size == 0)
        return;
    fprintf(f, "<dt>eigenvalues</dt><dd>%.4g to %.4g", a->least, a->largest);
    if (p->shown < p->e->set.samples.p)
        fprintf(f, " (in %zu of the matrices)", p->shown);
    fprintf(f, "</dd>\n<dt>largest condition</dt><dd>%.3g</dd>\n", a->condition);
}

static void protocol_items(FILE *f, const page *p)
{
    const spd_round *first = p->e->found->round[0];
    size_t rounds = p->e->found->rounds;
    const char *aligned = results_alignment(p->e);
    html_print(f,
               "<dt>protocol</dt><dd>%s</dd>\n<dt>rounds</dt><dd>%zu</dd>\n"
               "<dt>parts</dt><dd>%zu train, %zu are tested%s</dd>\n",
               p->e->protocol.text, rounds, first->train_count, first->test_count,
               rounds > 1 ? " in the first round" : "");
    if (aligned)
        html_print(f, "<dt>alignment</dt><dd>%s</dd>\n", aligned);
}

static void release_path(void *path)
{
    free(path);
}

/* The real path, or NULL. */
static char *real_path(const char *path)
{
    char *found = realpath(path, NULL);
    if (found)
        cli_keep(found, release_path);
    return found;
}

/* The way from a folder to a file: "../data.npz"; both are real paths. */
static char *way(const char *folder, const char *file)
{
    size_t same = 0;
    words steps = {0};
    for (size_t i = 0; folder[i] == file[i] && folder[i]; i++)
        if (file[i] == '/')
            same = i + 1;
    size_t length = strlen(folder);
    if (strncmp(folder, file, length) == 0 && file[length] == '/')
        same = length + 1;
    for (const char *at = folder + (same < length ? same : length); *at;) {
        words_add(&steps, "..");
        at += strcspn(at, "/");
        at += *at == '/' ? 1 : 0;
    }
    words_add(&steps, file + same);
    return words_join(&steps, steps.count, "/");
}

void page_summary(FILE *f, const page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    size_t *size = cli_alloc(samples->classes, sizeof *size, "classes");
    for (size_t i = 0; i < samples->p; i++)
        size[samples->label[i]]++;
    fputs("<dl>\n<dt>file</dt><dd>", f);
    /* The data, as a link that holds as long as folder and file lie to each other as they do. */
    const char *source = p->e->set.data->source, *folder = session_output(p->s);
    char *from = folder ? real_path(folder) : NULL, *to = real_path(source);
    if (from && to)
        html_link(f, way(from, to), source);
    else
        html_text(f, source);
    fprintf(f, "</dd>\n<dt>samples</dt><dd>%zu</dd>\n", samples->p);
    if (samples->X)
        fprintf(f, "<dt>matrices</dt><dd>%zu \xC3\x97 %zu%s</dd>\n", shown_n(p->e->set.data),
                shown_n(p->e->set.data), samples->hermitian ? ", complex" : "");
    if (samples->V)
        fprintf(f, "<dt>vectors</dt><dd>%zu \xC3\x97 %zu</dd>\n", samples->height, samples->width);
    class_item(f, samples, size);
    eigenvalue_items(f, p);
    protocol_items(f, p);
    fputs("</dl>\n", f);
    class_list(f, p, size);
}

/* ---- how the matrices were made ------------------------------------------------------------- */

/* "a, b, c and 4 more" */
static char *list_text(json_t *list)
{
    size_t count = json_array_size(list), shown = count < LISTED ? count : LISTED;
    words parts = {0};
    for (size_t i = 0; i < shown; i++)
        words_take(&parts, sheet_json_say(json_array_get(list, i), 0));
    char *text = words_join(&parts, parts.count, ", ");
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
            html_print(f,
                       "<tr><th scope=\"row\">%s%s%s</th><td class=\"values\">%.200s</td></tr>\n",
                       group, group[0] ? ": " : "", key,
                       json_is_array(value) ? list_text(value) : sheet_json_say(value, 0));
    }
}

/* How the matrices were made: the record of `describe` as a table. */
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
