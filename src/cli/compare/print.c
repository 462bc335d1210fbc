/* print.c - tables of a comparison as text, Markdown, LaTeX and csv.
 *
 * The figures of each entry and, against the first one, its tests in the same row; where all pairs
 * are compared, the tests are a table of their own. */
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "cli/compare/compare.h"
#include "cli/frame/number.h"
#include "cli/frame/text_file.h"

/* A table of texts. */
typedef struct grid {
    size_t columns, texts; /* the first so many columns are names, the rest numbers */
    words heading;
    words cells; /* rows x columns */
} grid;

/* ---- cells ----------------------------------------------------------------------------------- */

static void head(grid *g, const char *name)
{
    words_add(&g->heading, name);
    g->columns++;
}

static void put(grid *g, char *text)
{
    words_take(&g->cells, text);
}

/* A number for machines, or nothing. */
static void put_exact(grid *g, double value)
{
    char text[NUMBER_TEXT] = "";
    if (isfinite(value))
        number_text(value, text);
    put(g, words_text("%s", text));
}

/* As papers print it. */
static void put_p(grid *g, style s, double value)
{
    if (s == STYLE_CSV)
        put_exact(g, value);
    else if (isnan(value))
        put(g, words_text("%s", s == STYLE_LATEX ? "--" : "-"));
    else if (s == STYLE_LATEX)
        put(g, value < 0.001 ? words_text("$p<0.001$") : words_text("%.3f", value));
    else
        put(g, words_text("%.2g", value));
}

static const char *const between_deviation[] = {" +- ", " \xc2\xb1 ", " $\\pm$ "};

/* Percent for accuracies, else the number; the deviation where there are several rounds. */
static void put_score(grid *g, const comparison *c, const entry *e, size_t score)
{
    double mean = e->mean[score], deviation = e->deviation[score];
    int percent = spd_result_field_at(score)->percent;
    if (c->style == STYLE_CSV) {
        put_exact(g, mean);
        put_exact(g, deviation);
    } else if (isnan(mean)) {
        put(g, words_text("-"));
    } else if (percent && c->several_deviations && !isnan(deviation)) {
        put(g,
            words_text("%.1f%s%.1f", 100.0 * mean, between_deviation[c->style], 100.0 * deviation));
    } else {
        put(g, percent ? words_text("%.1f", 100.0 * mean) : words_text("%.3f", mean));
    }
}

static void put_tests(grid *g, style s, const duel *d)
{
    static const duel none = {0, 0, NAN, NAN, NAN, NAN, NAN};
    d = d ? d : &none;
    const double p[] = {d->mcnemar, d->mcnemar_holm, d->wilcoxon, d->wilcoxon_holm};
    if (s == STYLE_CSV)
        put_exact(g, d->difference);
    else
        put(g, d == &none         ? words_text("%s", s == STYLE_LATEX ? "--" : "-")
               : s == STYLE_LATEX ? words_text("$%+.1f$", 100.0 * d->difference)
                                  : words_text("%+.1f", 100.0 * d->difference));
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        put_p(g, s, p[i]);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void head_scores(grid *g, const comparison *c)
{
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        const spd_result_field *f = spd_result_field_at(k);
        if (c->style == STYLE_CSV) {
            head(g, words_text("%s_mean", f->name));
            head(g, words_text("%s_std", f->name));
        } else if (comparison_has(c, k)) {
            head(g, f->label);
        }
    }
}

static void head_tests(grid *g, style s)
{
    static const char *const names[] = {"difference", "McNemar p", "Holm", "Wilcoxon p", "Holm"};
    static const char *const keys[] = {"difference", "mcnemar_p", "mcnemar_holm", "wilcoxon_p",
                                       "wilcoxon_holm"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        head(g, s == STYLE_CSV ? keys[i] : names[i]);
}

/* The duel of the first entry with this one; NULL where there is none. */
static const duel *against_first(const comparison *c, size_t second)
{
    for (size_t i = 0; i < c->duels; i++)
        if (c->duel[i].first == 0 && c->duel[i].second == second)
            return &c->duel[i];
    return NULL;
}

static grid make_entries(const comparison *c)
{
    grid g = {0};
    style s = c->style;
    int runs = c->runs > 1 || s == STYLE_CSV, tests = c->duels && !c->all_pairs;
    if (runs)
        head(&g, "run");
    head(&g, "method");
    g.texts = g.columns;
    head_scores(&g, c);
    if (tests)
        head_tests(&g, s);
    for (size_t i = 0; i < c->entries; i++) {
        const entry *e = &c->entry[i];
        if (runs)
            words_add(&g.cells, e->run);
        words_add(&g.cells, e->method);
        for (size_t k = 0; k < SPD_RESULT_SCORES; k++)
            if (s == STYLE_CSV || comparison_has(c, k))
                put_score(&g, c, e, k);
        if (tests)
            put_tests(&g, s, against_first(c, i));
    }
    return g;
}

/* "71.3 +- 2.0", of seconds "0.012"; a dash where there is none. */
static void put_cell(grid *g, style s, double value, double deviation, int seconds)
{
    double unit = seconds ? 1.0 : 100.0;
    if (s == STYLE_CSV) {
        put_exact(g, value);
        put_exact(g, deviation);
    } else if (!isfinite(value)) {
        put(g, words_text("%s", s == STYLE_LATEX ? "--" : "-"));
    } else if (isfinite(deviation)) {
        put(g, words_text("%.1f%s%.1f", unit * value, between_deviation[s], unit * deviation));
    } else {
        put(g, seconds ? words_text("%.3g", value) : words_text("%.1f", unit * value));
    }
}

/* Is none of our numbers in the row, or in the column, larger? */
static int is_best(const accuracy_table *t, size_t row, size_t column, int in_row)
{
    double deviation, value = accuracies_at(t, row, column, 0, &deviation);
    for (size_t i = 0; i < (in_row ? t->column.count : t->row.count); i++)
        if (accuracies_at(t, in_row ? row : i, in_row ? i : column, 0, &deviation) > value)
            return 0;
    return isfinite(value) && !accuracies_are_seconds(t, column);
}

/* The layout of papers, the best of our numbers in bold: of each row if methods are the columns,
 * else of each column. */
static grid make_accuracies(const comparison *c)
{
    const accuracy_table *t = c->table;
    grid g = {0};
    head(&g, t->against ? t->against : "method");
    g.texts = 1;
    for (size_t k = 0; k < t->column.count; k++)
        for (int paper = 0; paper <= accuracies_compared(t, k); paper++) {
            const char *name = t->column.word[k];
            if (c->style == STYLE_CSV) {
                head(&g, words_text(paper ? "%s_paper" : "%s", name));
                head(&g, words_text(paper ? "%s_paper_std" : "%s_std", name));
            } else {
                head(&g, paper ? "paper" : name);
            }
        }
    for (size_t r = 0; r < t->row.count; r++) {
        words_add(&g.cells, t->row.word[r]);
        for (size_t k = 0; k < t->column.count; k++)
            for (int paper = 0; paper <= accuracies_compared(t, k); paper++) {
                double deviation, value = accuracies_at(t, r, k, paper, &deviation);
                put_cell(&g, c->style, value, deviation, accuracies_are_seconds(t, k));
                if (c->style == STYLE_LATEX && !paper && is_best(t, r, k, t->against != NULL)) {
                    char **cell = &g.cells.word[g.cells.count - 1];
                    *cell = words_text("\\textbf{%s}", *cell);
                }
            }
    }
    return g;
}

static void put_name(grid *g, const comparison *c, const entry *e)
{
    put(g, c->runs > 1 ? words_text("%s %s", e->run, e->method) : words_text("%s", e->method));
}

static grid make_pairs(const comparison *c)
{
    grid g = {0};
    head(&g, "first");
    head(&g, "second");
    g.texts = g.columns;
    head_tests(&g, c->style);
    for (size_t i = 0; i < c->duels; i++) {
        put_name(&g, c, &c->entry[c->duel[i].first]);
        put_name(&g, c, &c->entry[c->duel[i].second]);
        put_tests(&g, c->style, &c->duel[i]);
    }
    return g;
}

/* Methods, and where there is room the sets; mean ranks, and tests against the first. */
static grid make_across(const comparison *c)
{
    static const char *const names[] = {"mean rank", "Wilcoxon p", "Holm"};
    static const char *const keys[] = {"mean_rank", "wilcoxon_p", "wilcoxon_holm"};
    const across *a = c->across;
    grid g = {0};
    int sets = c->style != STYLE_TEXT, csv = c->style == STYLE_CSV;
    head(&g, "method");
    g.texts = 1;
    for (size_t r = 0; r < a->sets && sets; r++)
        head(&g, c->run[r]);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        head(&g, csv ? keys[i] : names[i]);
    for (size_t m = 0; m < a->methods; m++) {
        words_add(&g.cells, a->method[m]);
        for (size_t r = 0; r < a->sets && sets; r++)
            if (csv)
                put_exact(&g, a->accuracy[m * a->sets + r]);
            else
                put(&g, words_text("%.1f", 100.0 * a->accuracy[m * a->sets + r]));
        if (csv)
            put_exact(&g, a->rank[m]);
        else
            put(&g, words_text("%.2f", a->rank[m]));
        put_p(&g, c->style, a->wilcoxon[m]);
        put_p(&g, c->style, a->holm[m]);
    }
    return g;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* A name without what would end a cell or command the program that reads it. */
static void print_name(FILE *f, style s, const char *text)
{
    char plain[300];
    plain_text(text, "", plain, sizeof plain);
    if (s == STYLE_CSV) {
        text_file_csv(f, plain);
        return;
    }
    if (s == STYLE_LATEX)
        text_file_latex(f, plain);
    for (const char *at = plain; *at && s != STYLE_LATEX; at++)
        fprintf(f, s == STYLE_MARKDOWN && strchr("|\\`*_<", *at) ? "\\%c" : "%c", *at);
}

static size_t column_width(const grid *g, size_t column)
{
    size_t width = words_width(g->heading.word[column]);
    for (size_t i = column; i < g->cells.count; i += g->columns) {
        char plain[300];
        plain_text(g->cells.word[i], "", plain, sizeof plain);
        width = words_width(plain) > width ? words_width(plain) : width;
    }
    return width;
}

static void print_padded(FILE *f, const grid *g, size_t column, const char *text)
{
    char plain[300];
    plain_text(text, "", plain, sizeof plain);
    int gap = (int)(column_width(g, column) - words_width(plain));
    int last = column + 1 == g->columns;
    if (column < g->texts)
        fprintf(f, "%s%*s", plain, last ? 0 : gap, "");
    else
        fprintf(f, "%*s%s", gap, "", plain);
}

/* One row; headings of ours need no care but for their percent signs. */
static void print_row(FILE *f, const grid *g, style s, char *const *cell, int heading)
{
    static const char *const begin[] = {"", "| ", "", ""};
    static const char *const between[] = {"  ", " | ", " & ", ","};
    static const char *const end[] = {"\n", " |\n", " \\\\\n", "\n"};
    fputs(begin[s], f);
    for (size_t i = 0; i < g->columns; i++) {
        fputs(i ? between[s] : "", f);
        if (s == STYLE_TEXT)
            print_padded(f, g, i, cell[i]);
        else if (heading || i < g->texts)
            print_name(f, s, cell[i]);
        else
            fputs(cell[i], f);
    }
    fputs(end[s], f);
}

static void print_grid(FILE *f, const grid *g, style s)
{
    if (s == STYLE_LATEX) {
        fputs("\\begin{tabular}{", f);
        for (size_t i = 0; i < g->columns; i++)
            fputc(i < g->texts ? 'l' : 'r', f);
        fputs("}\n\\toprule\n", f);
    }
    print_row(f, g, s, g->heading.word, 1);
    if (s == STYLE_MARKDOWN) {
        fputc('|', f);
        for (size_t i = 0; i < g->columns; i++)
            fputs(i < g->texts ? "---|" : "---:|", f);
        fputc('\n', f);
    }
    if (s == STYLE_LATEX)
        fputs("\\midrule\n", f);
    for (size_t i = 0; i < g->cells.count; i += g->columns)
        print_row(f, g, s, g->cells.word + i, 0);
    if (s == STYLE_LATEX)
        fputs("\\bottomrule\n\\end{tabular}\n", f);
}

static void print_accuracies(FILE *f, const comparison *c)
{
    grid g = make_accuracies(c);
    print_grid(f, &g, c->style);
    for (size_t i = 0; i < c->table->notes.count && c->style != STYLE_CSV; i++) {
        fputs(c->style == STYLE_LATEX ? "% " : i ? "" : "\n", f);
        print_name(f, c->style, c->table->notes.word[i]);
        fputs(c->style == STYLE_MARKDOWN ? "  \n" : "\n", f);
    }
}

/* What the p values are about. */
static void print_notes(FILE *f, const comparison *c)
{
    style s = c->style;
    const entry *e = &c->entry[0];
    const char *begin = s == STYLE_LATEX ? "% " : "";
    int figures_alone = s == STYLE_LATEX && c->runs > 1 && !c->all_pairs;
    if (s == STYLE_CSV || !c->duels || figures_alone)
        return;
    fprintf(f,
            "%s%sp: McNemar's test over %zu tests%s, Wilcoxon's signed rank test over %zu round%s",
            s == STYLE_LATEX ? "" : "\n", begin, c->tests,
            c->repeats_samples ? " (median over the rounds)" : "", c->rounds,
            c->rounds == 1 ? " (not for one)" : "s");
    if (!c->all_pairs) {
        fputs(", against ", f);
        print_name(f, s, c->runs > 1 ? words_text("%s %s", e->run, e->method) : e->method);
    }
    fprintf(f, "; Holm: corrected for %zu comparison%s\n", c->duels, c->duels == 1 ? "" : "s");
    if (c->repeats_samples && c->rounds > 1)
        fprintf(
            f,
            "%srounds share samples: Wilcoxon's p takes them for independent, and is too small\n",
            begin);
}

static void print_across(FILE *f, const comparison *c)
{
    const across *a = c->across;
    const char *begin = c->style == STYLE_LATEX ? "% " : "";
    grid g = make_across(c);
    print_grid(f, &g, c->style);
    if (c->style == STYLE_CSV)
        return;
    fprintf(f, "%s%sFriedman's test over %zu sets: chi-squared %.2f with %zu degrees, p %.2g\n",
            *begin ? "" : "\n", begin, a->sets, a->friedman, a->methods - 1, a->friedman_p);
    fprintf(f, "%sp: Wilcoxon's signed rank test against ", begin);
    print_name(f, c->style, a->method[0]);
    fprintf(f, "; Holm: corrected for %zu\n", a->methods - 1);
}

void comparison_print(FILE *f, const void *what)
{
    const comparison *c = what;
    if (c->across) {
        print_across(f, c);
        return;
    }
    int pairs = c->all_pairs && c->duels, csv = c->style == STYLE_CSV;
    if (c->table) {
        print_accuracies(f, c);
    } else if (!(csv && pairs)) {
        grid g = make_entries(c);
        print_grid(f, &g, c->style);
    }
    if (pairs) {
        grid g = make_pairs(c);
        fputs(csv ? "" : "\n", f);
        print_grid(f, &g, c->style);
    }
    print_notes(f, c);
}
