/* page.c - report.html put together, and the files beside it. */
#include "cli/report/page.h"

#include <stdio.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/report/html.h"
#include "cli/frame/text_file.h"

/* The last part of a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void link_to(FILE *f, const char *id, const char *text)
{
    fprintf(f, "<li><a href=\"#%s\">%s</a></li>\n", id, text);
}

static void contents(FILE *f, const page *p)
{
    fputs("<nav aria-label=\"Contents\"><ul>\n", f);
    link_to(f, "results", "Results");
    link_to(f, "data", "Data");
    link_to(f, "confusion", "Confusion matrices");
    if (p->spectrum[0].size)
        link_to(f, "map", "The map");
    if (p->size[0])
        link_to(f, "samples", "The samples");
    if (page_ellipse_part(p) >= 0)
        link_to(f, "ellipses", "Ellipses");
    if (p->e->found->rounds > 1)
        link_to(f, "rounds", "Rounds");
    link_to(f, "again", "To run it again");
    fputs("</ul></nav>\n", f);
}

static void lead(FILE *f, const page *p)
{
    const spd_samples *samples = &p->e->set.samples;
    fprintf(f, "<p class=\"lead\">%zu method%s, %zu samples of %zu classes; ", p->e->methods,
            p->e->methods > 1 ? "s" : "", samples->p, samples->classes);
    html_text(f, p->e->protocol.text);
    fputs(".</p>\n", f);
}

static void print_page(FILE *f, const void *what)
{
    const page *p = what;
    char title[300];
    snprintf(title, sizeof title, "Recognition on %s", base_name(p->e->set.data->source));
    html_open(f, title);
    lead(f, p);
    contents(f, p);
    page_results(f, p);
    page_summary(f, p);
    page_confusions(f, p);
    page_map(f, p);
    page_samples(f, p);
    page_ellipses(f, p);
    page_rounds(f, p);
    page_command(f, p);
    fprintf(f, "<footer class=\"note\">Written by spdml %s.</footer>\n", spd_version());
    html_close(f);
}

static int write_one(const page *p, const char *folder, const char *name, text_file_fn print)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = cli_alloc(room, 1, "a path");
    snprintf(path, room, "%s/%s", folder, name);
    int code = text_file_write(path, print, p);
    cli_free(path);
    return code;
}

int page_write(const page *p, const char *folder)
{
    int code = CLI_GOOD;
    if (p->model)
        code = write_one(p, folder, "convergence.csv", page_csv_convergence);
    if (!code && p->spectrum[0].size)
        code = write_one(p, folder, "spectrum.csv", page_csv_spectrum);
    if (!code && p->Y[0])
        code = write_one(p, folder, "embedding.csv", page_csv_embedding);
    if (!code && p->Y[0])
        code = write_one(p, folder, "samples.svg", page_picture);
    if (!code && p->margin[0])
        code = write_one(p, folder, "margins.csv", page_csv_margins);
    if (!code)
        code = write_one(p, folder, "report.html", print_page);
    return code;
}
