/* page_results.c - the table of methods with bars, and what each round has chosen. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/evaluate/tables.h"
#include "cli/report/html.h"
#include "cli/report/page.h"
#include "cli/report/svg.h"

#define ROUNDS_LISTED 30
#define DASH          "\xE2\x80\x93"
#define PLUS_MINUS    "\xC2\xB1"

/* ---- methods ----------------------------------------------------------------------------------
 */

static double accuracy_of(const page *p, size_t method)
{
    double mean, deviation;
    evaluation_accuracy(p->e, method, 0, &mean, &deviation);
    return mean;
}

static double best_accuracy(const page *p)
{
    double best = 0;
    for (size_t m = 0; m < p->e->methods; m++)
        best = fmax(best, accuracy_of(p, m));
    return best;
}

static void percent_cell(FILE *f, const page *p, size_t method, int balanced)
{
    double mean, deviation;
    evaluation_accuracy(p->e, method, balanced, &mean, &deviation);
    fprintf(f, "<td class=\"score\">%.1f", 100.0 * mean);
    if (p->e->protocol.rounds > 1)
        fprintf(f, " " PLUS_MINUS " %.1f", 100.0 * deviation);
    fputs("</td>", f);
}

static void method_row(FILE *f, const page *p, size_t m, double best)
{
    double mean, deviation;
    char parameters[300];
    evaluation_accuracy(p->e, m, 0, &mean, &deviation);
    evaluation_parameters_text(p->e, m, parameters, sizeof parameters);
    fprintf(f, "<tr%s><th scope=\"row\">", mean >= best ? " class=\"best\"" : "");
    html_text(f, p->e->name[m]);
    fputs("</th><td>", f);
    svg_bar(f, mean, deviation);
    fputs("</td>", f);
    percent_cell(f, p, m, 0);
    percent_cell(f, p, m, 1);
    if (m == 0)
        fputs("<td>" DASH "</td>", f);
    else
        fprintf(f, "<td>%.2g</td>", p->p_value[m]);
    fputs("<td class=\"values\">", f);
    html_text(f, parameters[0] == '-' ? DASH : parameters);
    fputs("</td>", f);
    for (int phase = 0; phase < 3; phase++)
        fprintf(f, "<td>%.2f</td>", evaluation_seconds(p->e, m, phase));
    fputs("</tr>\n", f);
}

static void note(FILE *f, const page *p)
{
    fputs("<p class=\"note\">Accuracy is the share of test samples that were assigned their own "
          "class; balanced accuracy is the mean over the classes.",
          f);
    if (p->e->protocol.rounds > 1)
        fputs(" " PLUS_MINUS " and the whiskers are the standard deviation over the rounds.", f);
    if (p->e->methods > 1) {
        fputs(" p is McNemar\xE2\x80\x99s exact test against ", f);
        html_text(f, p->e->name[0]);
        fprintf(f,
                "%s: below 0.05, a difference of this size is unlikely to be chance. It does "
                "not say which method is better; the accuracy does.",
                p->e->protocol.repeats_samples ? ", the median over the rounds" : "");
    }
    fputs(" Seconds are means over the rounds.</p>\n", f);
}

/* Accuracy for each value of --by. */
static void by_table(FILE *f, const page *p)
{
    const groups *by = &p->e->protocol.by;
    size_t *right = cli_alloc(2 * by->count, sizeof *right, "counts"), *total = right + by->count;
    evaluation_by(p->e, 0, right, total);
    fputs("<h3>By ", f);
    html_text(f, by->column);
    fputs("</h3>\n", f);
    html_wide(f, "Accuracy by group");
    fputs("<table>\n<thead><tr><th scope=\"col\">accuracy %</th>", f);
    for (size_t v = 0; v < by->count; v++)
        if (total[v]) {
            fputs("<th scope=\"col\">", f);
            html_short(f, by->name[v], 24);
            fputs("</th>", f);
        }
    fputs("</tr></thead>\n<tbody>\n", f);
    for (size_t m = 0; m < p->e->methods; m++) {
        evaluation_by(p->e, m, right, total);
        fprintf(f, "<tr><th scope=\"row\">%s</th>", p->e->name[m]);
        for (size_t v = 0; v < by->count; v++)
            if (total[v])
                fprintf(f, "<td>%.1f</td>", 100.0 * (double)right[v] / (double)total[v]);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table>\n", f);
    html_wide_close(f);
    cli_free(right);
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
    char parameters[300];
    fputs("<tr><th scope=\"row\">", f);
    html_short(f, p->e->protocol.round_name[round], 24);
    fputs("</th>", f);
    for (size_t m = 0; m < p->e->methods; m++) {
        const outcome *o = &p->e->outcome[m * p->e->protocol.rounds + round];
        recognition_text(&o->method, parameters, sizeof parameters);
        fprintf(f, "<td>%.1f<span class=\"more\">", 100.0 * o->score.accuracy);
        html_text(f, parameters);
        fputs("</span></td>", f);
    }
    fputs("</tr>\n", f);
}

void page_rounds(FILE *f, const page *p)
{
    size_t rounds = p->e->protocol.rounds, listed = rounds < ROUNDS_LISTED ? rounds : ROUNDS_LISTED;
    if (rounds < 2)
        return;
    html_section(f, "rounds", "Rounds");
    html_wide(f, "Accuracy and parameters of each round");
    fputs("<table>\n<thead><tr><th scope=\"col\">round</th>", f);
    for (size_t m = 0; m < p->e->methods; m++)
        fprintf(f, "<th scope=\"col\">%s</th>", p->e->name[m]);
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
