/* page_results.c - the table of methods with bars, and what each round has chosen. */
#include <math.h>
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/results/results.h"
#include "cli/drawing/html.h"
#include "cli/report/page.h"

#define ROUNDS_LISTED 30
#define COLUMNS_MOST  8 /* of values or methods, so that tables fit the page */
#define DASH          "\xE2\x80\x93"
#define PLUS_MINUS    "\xC2\xB1"

/* ---- methods --------------------------------------------------------------------------------- */

/* Scores in a row or, without a result, their headings. */
static void score_cells(FILE *f, const page *p, const spd_method_result *found)
{
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        const spd_result_field *field = spd_result_field_at(k);
        double mean = results_mean(found ? found : p->e->found->method[0], field);
        if (isnan(results_mean(p->e->found->method[0], field)))
            continue; /* no AUC without scores */
        if (!found)
            html_column(f, field->label);
        else if (isnan(mean))
            fputs("<td>" DASH "</td>", f);
        else if (!field->percent)
            fprintf(f, "<td>%.3f</td>", mean);
        else if (p->e->found->rounds > 1)
            fprintf(f, "<td class=\"score\">%.1f " PLUS_MINUS " %.1f</td>", 100.0 * mean,
                    100.0 * results_deviation(found, field));
        else
            fprintf(f, "<td class=\"score\">%.1f</td>", 100.0 * mean);
    }
}

static void method_row(FILE *f, const page *p, size_t m, double best)
{
    const spd_method_result *found = p->e->found->method[m];
    fprintf(f, "<tr%s><th scope=\"row\" class=\"method\">%s</th><td data-v=\"%.6f\">",
            found->accuracy >= best ? " class=\"best\"" : "", found->name, found->accuracy);
    html_bar(f, found->accuracy, found->accuracy_deviation);
    fputs("</td>", f);
    score_cells(f, p, found);
    if (m == 0)
        fputs("<td>" DASH "</td>", f);
    else
        fprintf(f, "<td>%.2g</td>", found->p_value[0]);
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        fprintf(f, "<td>%.2f</td>", results_mean(found, results_seconds(k)));
    fputs("</tr>\n", f);
}

static void note(FILE *f, const page *p)
{
    fputs("<p class=\"note\">Accuracy is the share of test samples that were assigned their own "
          "class; balanced accuracy is the mean over the classes.",
          f);
    if (p->e->found->rounds > 1)
        fputs(" " PLUS_MINUS " and the whiskers are the standard deviation over the rounds.", f);
    if (p->e->methods > 1)
        fprintf(f,
                " p is McNemar\xE2\x80\x99s exact test against %s%s: below 0.05, a difference of "
                "this size is unlikely to be chance. It does not say which method is better; the "
                "accuracy does.",
                p->e->found->method[0]->name,
                p->e->found->repeats_samples ? ", the median over the rounds" : "");
    fputs(" Seconds are means over the rounds.</p>\n", f);
}

/* Accuracy for each value of --by that was tested: a row for each method, or for each of many
 * values. */
static void by_table(FILE *f, const page *p)
{
    const groups *by = &p->e->protocol.by;
    const double *tested = results_by(p->e, 0);
    int upright = by->count > COLUMNS_MOST;
    size_t rows = upright ? by->count : p->e->methods,
           columns = upright ? p->e->methods : by->count;
    html_print(f, "<h3>By %s</h3>\n", by->column);
    html_table(f, "Accuracy by group", "accuracy %");
    for (size_t c = 0; c < columns; c++)
        if (upright)
            html_column(f, p->e->found->method[c]->name);
        else if (!isnan(tested[c]))
            html_print(f, "<th scope=\"col\">%.24s</th>", by->name[c]);
    html_rows(f);
    for (size_t r = 0; r < rows; r++) {
        if (upright && isnan(tested[r]))
            continue;
        html_print(f, "<tr><th scope=\"row\">%.80s</th>",
                   upright ? by->name[r] : p->e->found->method[r]->name);
        for (size_t c = 0; c < columns; c++)
            if (upright || !isnan(tested[c]))
                fprintf(f, "<td>%.1f</td>",
                        100.0 * results_by(p->e, upright ? c : r)[upright ? r : c]);
        fputs("</tr>\n", f);
    }
    html_table_close(f);
}

void page_results(FILE *f, const page *p)
{
    double best = 0;
    for (size_t m = 0; m < p->e->methods; m++)
        best = fmax(best, p->e->found->method[m]->accuracy);
    html_table(f, "Results of all methods", "method|<0 to 100 %");
    score_cells(f, p, NULL);
    html_column(f, "p");
    for (size_t k = 0; k < SPD_RESULT_SECONDS; k++)
        html_column(f, results_seconds(k)->label);
    html_rows(f);
    for (size_t m = 0; m < p->e->methods; m++)
        method_row(f, p, m, best);
    html_table_close(f);
    note(f, p);
    if (p->e->protocol.by.count)
        by_table(f, p);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* One row, or where methods are too many for columns a row for each. */
static void round_rows(FILE *f, const page *p, size_t round, int many)
{
    char text[ROUND_NAME];
    const char *name = protocol_round(&p->e->protocol, p->e->found, round, text);
    for (size_t m = 0; m < p->e->methods; m++) {
        const spd_outcome *o = p->e->found->method[m]->outcome[round];
        const char *parameters = recognition_text(&p->e->method[m], o->value);
        if (many || m == 0)
            html_print(f, "<tr><th scope=\"row\">%.24s</th>", name);
        if (many)
            html_print(f,
                       "<td class=\"left\">%s</td><td>%.1f</td><td class=\"values\">%s</td></tr>\n",
                       p->e->found->method[m]->name, 100.0 * o->accuracy, parameters);
        else
            html_print(f, "<td>%.1f<span class=\"more\">%s</span></td>", 100.0 * o->accuracy,
                       parameters);
    }
    fputs(many ? "" : "</tr>\n", f);
}

void page_rounds(FILE *f, const page *p)
{
    size_t rounds = p->e->found->rounds, listed = rounds < ROUNDS_LISTED ? rounds : ROUNDS_LISTED;
    int many = p->e->methods > COLUMNS_MOST;
    html_table(f, "Accuracy and parameters of each round",
               many ? "round|<method|accuracy %|<parameters" : "round");
    for (size_t m = 0; m < p->e->methods && !many; m++)
        html_column(f, p->e->found->method[m]->name);
    html_rows(f);
    for (size_t r = 0; r < listed; r++)
        round_rows(f, p, r, many);
    html_table_close(f);
    fputs("<p class=\"note\">Accuracy in %, and with it the parameters of the round: fixed, chosen "
          "by cross-validation within its training part, or default. If parameters jump from round "
          "to round, they matter little, or the training part is too small to choose them.",
          f);
    if (listed < rounds)
        fprintf(f, " The first %zu of %zu rounds; all are in <code>rounds.csv</code>.", listed,
                rounds);
    fputs("</p>\n", f);
}

/* What was chosen, and how the matrices were made. */
void page_parameters(FILE *f, const page *p)
{
    html_table(f, "Parameters of all methods", "method|<parameters");
    html_rows(f);
    for (size_t m = 0; m < p->e->methods; m++) {
        const char *parameters = results_parameters(p->e, m);
        html_print(
            f, "<tr><th scope=\"row\" class=\"method\">%s</th><td class=\"values\">%s</td></tr>\n",
            p->e->found->method[m]->name, parameters[0] == '-' ? DASH : parameters);
    }
    html_table_close(f);
    page_made(f, p);
}
