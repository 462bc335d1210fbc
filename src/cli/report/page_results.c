/* page_results.c - the table of methods with bars, and what each round has chosen. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/evaluate/evaluation.h"
#include "cli/report/html.h"
#include "cli/report/page.h"
#include "cli/report/svg.h"

#define ROUNDS_LISTED 30
#define DASH          "\xE2\x80\x93"
#define PLUS_MINUS    "\xC2\xB1"

/* ---- methods ----------------------------------------------------------------------------------
 */

static double best_accuracy(const page *p)
{
    double best = 0;
    for (size_t m = 0; m < p->e->methods; m++)
        best = fmax(best, p->e->found->method[m]->accuracy);
    return best;
}

static void percent_cell(FILE *f, const page *p, double mean, double deviation)
{
    fprintf(f, "<td class=\"score\">%.1f", 100.0 * mean);
    if (p->e->found->rounds > 1)
        fprintf(f, " " PLUS_MINUS " %.1f", 100.0 * deviation);
    fputs("</td>", f);
}

static void method_row(FILE *f, const page *p, size_t m, double best)
{
    const spd_method_result *found = p->e->found->method[m];
    char parameters[300];
    evaluation_parameters_text(p->e, m, parameters, sizeof parameters);
    fprintf(f, "<tr%s><th scope=\"row\">", found->accuracy >= best ? " class=\"best\"" : "");
    html_text(f, found->name);
    fputs("</th><td>", f);
    svg_bar(f, found->accuracy, found->accuracy_deviation);
    fputs("</td>", f);
    percent_cell(f, p, found->accuracy, found->accuracy_deviation);
    percent_cell(f, p, found->balanced, found->balanced_deviation);
    if (m == 0)
        fputs("<td>" DASH "</td>", f);
    else
        fprintf(f, "<td>%.2g</td>", found->p_value[0]);
    fputs("<td class=\"values\">", f);
    html_text(f, parameters[0] == '-' ? DASH : parameters);
    fprintf(f, "</td><td>%.2f</td><td>%.2f</td><td>%.2f</td></tr>\n", found->tune_seconds,
            found->fit_seconds, found->test_seconds);
}

static void note(FILE *f, const page *p)
{
    fputs("<p class=\"note\">Accuracy is the share of test samples that were assigned their own "
          "class; balanced accuracy is the mean over the classes.",
          f);
    if (p->e->found->rounds > 1)
        fputs(" " PLUS_MINUS " and the whiskers are the standard deviation over the rounds.", f);
    if (p->e->methods > 1) {
        fputs(" p is McNemar\xE2\x80\x99s exact test against ", f);
        html_text(f, p->e->found->method[0]->name);
        fprintf(f,
                "%s: below 0.05, a difference of this size is unlikely to be chance. It does "
                "not say which method is better; the accuracy does.",
                p->e->found->repeats_samples ? ", the median over the rounds" : "");
    }
    fputs(" Seconds are means over the rounds.</p>\n", f);
}

/* Accuracy for each value of --by. */
static void by_table(FILE *f, const page *p)
{
    const groups *by = &p->e->protocol.by;
    fputs("<h3>By ", f);
    html_text(f, by->column);
    fputs("</h3>\n", f);
    html_wide(f, "Accuracy by group");
    fputs("<table>\n<thead><tr><th scope=\"col\">accuracy %</th>", f);
    double *accuracy = evaluation_by(p->e, 0);
    for (size_t v = 0; v < by->count; v++)
        if (!isnan(accuracy[v])) {
            fputs("<th scope=\"col\">", f);
            html_short(f, by->name[v], 24);
            fputs("</th>", f);
        }
    cli_free(accuracy);
    fputs("</tr></thead>\n<tbody>\n", f);
    for (size_t m = 0; m < p->e->methods; m++) {
        accuracy = evaluation_by(p->e, m);
        fprintf(f, "<tr><th scope=\"row\">%s</th>", p->e->found->method[m]->name);
        for (size_t v = 0; v < by->count; v++)
            if (!isnan(accuracy[v]))
                fprintf(f, "<td>%.1f</td>", 100.0 * accuracy[v]);
        fputs("</tr>\n", f);
        cli_free(accuracy);
    }
    fputs("</tbody></table>\n", f);
    html_wide_close(f);
}

void page_results(FILE *f, const page *p)
{
    double best = best_accuracy(p);
    html_section(f, "results", "Results");
    html_wide(f, "Results of all methods");
    fputs("<table>\n<thead><tr><th scope=\"col\">method</th><th scope=\"col\" class=\"left\">0 to "
          "100 %</th><th scope=\"col\">accuracy %</th><th scope=\"col\">balanced %</th><th "
          "scope=\"col\">p</th><th scope=\"col\" class=\"left\">parameters</th><th "
          "scope=\"col\">tune s</th><th scope=\"col\">fit s</th><th scope=\"col\">test "
          "s</th></tr></thead>\n<tbody>\n",
          f);
    for (size_t m = 0; m < p->e->methods; m++)
        method_row(f, p, m, best);
    fputs("</tbody></table>\n", f);
    html_wide_close(f);
    note(f, p);
    if (p->e->protocol.by.count)
        by_table(f, p);
    html_section_close(f);
}

/* ---- rounds -----------------------------------------------------------------------------------
 */

static void round_row(FILE *f, const page *p, size_t round)
{
    char parameters[300], text[ROUND_NAME];
    fputs("<tr><th scope=\"row\">", f);
    html_short(f, protocol_round(&p->e->protocol, p->e->found, round, text), 24);
    fputs("</th>", f);
    for (size_t m = 0; m < p->e->methods; m++) {
        const spd_outcome *o = p->e->found->method[m]->outcome[round];
        recognition_text(&p->e->method[m], o->value, parameters, sizeof parameters);
        fprintf(f, "<td>%.1f<span class=\"more\">", 100.0 * o->accuracy);
        html_text(f, parameters);
        fputs("</span></td>", f);
    }
    fputs("</tr>\n", f);
}

void page_rounds(FILE *f, const page *p)
{
    size_t rounds = p->e->found->rounds, listed = rounds < ROUNDS_LISTED ? rounds : ROUNDS_LISTED;
    if (rounds < 2)
        return;
    html_section(f, "rounds", "Rounds");
    html_wide(f, "Accuracy and parameters of each round");
    fputs("<table>\n<thead><tr><th scope=\"col\">round</th>", f);
    for (size_t m = 0; m < p->e->methods; m++)
        fprintf(f, "<th scope=\"col\">%s</th>", p->e->found->method[m]->name);
    fputs("</tr></thead>\n<tbody>\n", f);
    for (size_t r = 0; r < listed; r++)
        round_row(f, p, r);
    fputs("</tbody></table>\n", f);
    html_wide_close(f);
    fputs("<p class=\"note\">Accuracy in %, and below it the parameters of the round: fixed, "
          "chosen by cross-validation within its training part, or default. If parameters jump "
          "from round to round, they matter little, or the training part is too small to choose "
          "them.",
          f);
    if (listed < rounds)
        fprintf(f, " The first %zu of %zu rounds; all are in <code>rounds.csv</code>.", listed,
                rounds);
    fputs("</p>\n", f);
    html_section_close(f);
}
