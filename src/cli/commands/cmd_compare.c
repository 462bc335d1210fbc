/* cmd_compare.c - `spdml compare`: results of evaluations side by side, with paired tests. */
#include "cli/compare/compare.h"
#include "cli/frame/text_file.h"

#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *entry_json(const entry *e)
{
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "run", NULL, e->run);
    sheet_text(&r, "method", NULL, e->method);
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        const char *name = spd_result_field_at(k)->name;
        sheet_real(&r, words_text("%s_mean", name), NULL, e->mean[k]);
        sheet_real(&r, words_text("%s_std", name), NULL, e->deviation[k]);
    }
    return r.object;
}

static json_t *duel_json(const duel *d)
{
    sheet r;
    sheet_open(&r, 1);
    sheet_count(&r, "first", NULL, d->first, "");
    sheet_count(&r, "second", NULL, d->second, "");
    sheet_real(&r, "difference", NULL, d->difference);
    sheet_real(&r, "mcnemar_p", NULL, d->mcnemar);
    sheet_real(&r, "mcnemar_holm", NULL, d->mcnemar_holm);
    sheet_real(&r, "wilcoxon_p", NULL, d->wilcoxon);
    sheet_real(&r, "wilcoxon_holm", NULL, d->wilcoxon_holm);
    return r.object;
}

static void show_across(session *s, const comparison *c)
{
    const across *a = c->across;
    json_t *rows = sheet_json_list();
    sheet *all = session_sheet(s);
    for (size_t m = 0; m < a->methods; m++) {
        json_t *accuracies = sheet_json_object();
        sheet r;
        sheet_open(&r, 1);
        sheet_text(&r, "method", NULL, a->method[m]);
        for (size_t k = 0; k < a->sets; k++) {
            json_t *name = sheet_json_text(c->run[k]); /* UTF-8, as a key must be */
            sheet_json_set(accuracies, json_string_value(name),
                           sheet_json_real(a->accuracy[m * a->sets + k]));
            json_decref(name);
        }
        sheet_json(&r, "accuracy_mean", accuracies);
        sheet_real(&r, "mean_rank", NULL, a->rank[m]);
        sheet_real(&r, "wilcoxon_p", NULL, a->wilcoxon[m]);
        sheet_real(&r, "wilcoxon_holm", NULL, a->holm[m]);
        sheet_json_append(rows, r.object);
    }
    sheet_count(all, "sets", NULL, a->sets, "");
    sheet_json(all, "methods", rows);
    sheet_real(all, "friedman", NULL, a->friedman);
    sheet_real(all, "friedman_p", NULL, a->friedman_p);
}

static void show_accuracies(session *s, const comparison *c)
{
    sheet *r = session_sheet(s);
    sheet_text(r, "against", NULL, c->table->against);
    sheet_json(r, "rows", accuracies_json(c->table));
    sheet_json(r, "notes", sheet_json_words(&c->table->notes));
}

static void show_json(session *s, const comparison *c)
{
    sheet *r = session_sheet(s);
    json_t *entries = sheet_json_list(), *duels = sheet_json_list();
    for (size_t i = 0; i < c->entries; i++)
        sheet_json_append(entries, entry_json(&c->entry[i]));
    for (size_t i = 0; i < c->duels; i++)
        sheet_json_append(duels, duel_json(&c->duel[i]));
    sheet_text(r, "protocol", NULL, c->protocol);
    sheet_count(r, "rounds", NULL, c->rounds, "");
    sheet_count(r, "tests", NULL, c->tests, "");
    sheet_flag(r, "repeats_samples", NULL, c->repeats_samples);
    sheet_json(r, "entries", entries);
    sheet_json(r, "comparisons", duels);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* --format, or what the ending of the file says. */
static style style_of(session *s)
{
    static const char *const endings[] = {
        [STYLE_MARKDOWN] = ".md", [STYLE_LATEX] = ".tex", [STYLE_CSV] = ".csv"};
    if (!arguments_count(s->args, "format") && session_output(s))
        for (int i = STYLE_MARKDOWN; i <= STYLE_CSV; i++)
            if (session_output_is(s, endings[i]))
                return (style)i;
    return (style)session_choice(s, "format");
}

static int is_figure(session *s)
{
    return session_output(s) && (session_output_is(s, ".svg") || session_output_is(s, ".pdf"));
}

/* NAME=NUMBER of each --mark. */
static void take_marks(session *s, accuracy_table *t)
{
    for (size_t i = 0; i < arguments_count(s->args, "mark"); i++) {
        const char *mark = arguments_nth(s->args, "mark", i), *number = strchr(mark, '=');
        double at;
        if (!number || option_parse_real(number + 1, &at) || !(at > 0.0))
            cli_misuse("--mark %s: NAME=NUMBER is expected, such as n=155", mark);
        words_add(&t->mark, mark);
    }
}

/* The files of an evaluation are inputs too if its folder is named. */
static void check_output(session *s)
{
    static const char *const names[] = {"results.json", "results.csv", "rounds.csv"};
    session_check_output(s);
    for (size_t i = 0; i < s->args->operand_count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            session_refuse_input(session_output(s),
                                 words_text("%s/%s", s->args->operands[i], names[k]));
}

/* The words of --tests. */
enum { TESTS_FIRST, TESTS_ALL, TESTS_ACROSS, TESTS_NONE };

static int run(session *s)
{
    const unsigned tests = session_choice(s, "tests");
    comparison c = {.all_pairs = tests == TESTS_ALL, .style = style_of(s)};
    check_output(s);
    const char *beside = arguments_text(s->args, "beside");
    const char *against = arguments_text(s->args, "against");
    int table = beside || against, figure = is_figure(s);
    if (table && arguments_count(s->args, "tests") && tests != TESTS_NONE)
        cli_misuse("--beside and --against show accuracies; they have no --tests");
    if (!against && (figure || arguments_count(s->args, "mark")))
        cli_misuse("a figure, with or without --mark, is of --against NAME");
    comparison_read(s, &c);
    if (table || (c.style == STYLE_LATEX && c.runs > 1))
        comparison_accuracies(&c, beside, against);
    if (against)
        take_marks(s, c.table);
    if (table) {
        /* no tests */
    } else if (tests == TESTS_ACROSS) {
        comparison_across(s, &c);
    } else if (tests != TESTS_NONE) {
        comparison_check_same(s, &c);
        comparison_judge(s, &c);
    }
    if (arguments_flag(s->args, "json"))
        (table ? show_accuracies : c.across ? show_across : show_json)(s, &c);
    else if (!session_output(s))
        comparison_print(stdout, &c);
    if (session_output(s)) {
        if (figure)
            accuracies_draw(c.table, session_output(s));
        else
            text_file_write(session_output(s), comparison_print, &c);
        sheet_count(session_sheet(s), NULL, "methods", c.across ? c.across->methods : c.entries,
                    "");
        sheet_count(session_sheet(s), NULL, "tests", c.across ? c.across->methods : c.duels, "");
        sheet_text(session_sheet(s), "output", "output", session_output(s));
    }
    return CLI_GOOD;
}

static const option options[] = {
    {"format", 0, OPTION_CHOICE, "NAME", "text", .choice = "text|markdown|latex|csv", .common = 1,
     .help =
         "How the tables are written, unless .md, .tex or .csv of -o FILE says it; latex is for "
         "booktabs, and has methods x runs if there are several runs"},
    {"tests", 0, OPTION_CHOICE, "WHICH", "first", .choice = "first|all|across|none",
     .help = "Test every method against the first one, or all pairs, which costs power: p values "
             "are corrected for their number. across: each RUN is on another data set, and the "
             "methods that all have are ranked on each; mean ranks, Friedman's test that all "
             "methods are equal, Wilcoxon's over the sets against the first method. none: only the "
             "accuracies, also for runs on different data or under different protocols"},
    {"beside", 0, OPTION_FILE, "FILE",
     .help = "Only accuracies, methods x runs or, of one run, the groups it was shown by; beside "
             "them the published figures of a table (.csv), in percent: lines 'method,COLUMN,...', "
             "notes behind #. What was used and remarked here stands below. Runs called alike "
             "share a column"},
    {"against", 0, OPTION_TEXT, "NAME",
     .help = "Accuracy against a number that differs: a parameter of the runs, such as nu-b, or "
             "the column that they were shown by. Runs of the same value are repetitions"},
    {"mark", 0, OPTION_TEXT, "NAME=X", .repeatable = 1,
     .help = "With --against, a line across the figure at X"},
    {"output", 'o', OPTION_FILE, "FILE", .writes = 1, .common = 1,
     .help =
         "Write the tables to FILE, whose ending decides the format; .svg or .pdf is the figure "
         "of --against"},
    OPTION_END};

static const char *const paragraphs[] = {
    "Puts the results of evaluations side by side: accuracy, balanced accuracy, kappa, F1 and AUC "
    "of every method of every RUN, which is a file of 'spdml evaluate --json' or the folder of its "
    "-o. The others are tested against the first method of the first run.",
    "McNemar's exact test compares single samples (over all rounds if each is tested once, "
    "otherwise the median over the rounds), Wilcoxon's signed rank test the accuracies of the "
    "rounds; both also corrected for the number of comparisons (Holm). They are paired: the runs "
    "must have tested the same samples in the same rounds, that is, with the same protocol and "
    "seed, on the same samples, which may be described differently.",
    NULL};

static const command_example examples[] = {
    {"spdml compare results", "The methods of one evaluation, all tests."},
    {"spdml compare sift.json gabor.json --tests all", "Two descriptors of the same images."},
    {"spdml compare a b -o table.tex", "A table for a paper."},
    {"spdml compare faces eeg motion --tests across", "Methods over several data sets."},
    {"spdml compare nu-b-* --against nu-b -o figure.svg", "What a parameter does."},
    {NULL, NULL}};

COMMAND(compare, "results of evaluations side by side, with paired tests", "RUN...",
        .groups = {{"Options", options}, {"Common options", options_common}});
