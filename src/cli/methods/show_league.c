/* show_league.c - the league table of `auto`. */
#include "cli/methods/show_league.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/frame/bar.h"
#include "cli/frame/screen.h"
#include "cli/frame/words.h"

static json_t *row_json(const spd_candidate *c)
{
    sheet r;
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, c->name);
    sheet_real(&r, "cv_accuracy", NULL, c->accuracy);
    sheet_json(&r, "folds", json_integer(c->folds));
    sheet_count(&r, "settings", NULL, c->settings, "");
    sheet_json(&r, "parameters", recognition_json(&c->method, c->method.value));
    sheet_real(&r, "seconds", NULL, c->seconds);
    sheet_flag(&r, "late", NULL, c->late);
    sheet_real(&r, "seconds_lacking", NULL, c->late ? c->left : (double)NAN);
    sheet_text(&r, "failure", NULL, c->message[0] ? c->message : NULL);
    return r.object;
}

/* What a row says of a candidate that was not judged in full, or more than once. */
static const char *remark(const spd_league *l, const spd_candidate *c)
{
    char left[40];
    if (c->late && isnan(c->left))
        return "not begun in the time";
    if (c->late) {
        bar_time(left, sizeof left, c->left);
        return words_text("given up; it lacked about %s", left);
    }
    if (c->folds == 0 && !c->message[0])
        return "not begun; could not be better";
    if (c->folds == 0)
        return words_text("%.30s%s", c->message, strlen(c->message) > 30 ? "..." : "");
    if (c->folds > l->folds)
        return words_text("judged on %d deals of folds", c->folds / l->folds);
    return c->folds < l->folds ? words_text("behind after %d of %d folds", c->folds, l->folds) : "";
}

static void print_row(const spd_league *l, size_t k)
{
    const spd_candidate *c = l->candidate[k];
    const char *mark = k == l->chosen ? "*" : " ", *note = remark(l, c);
    if (c->folds == 0)
        screen_print("%s %-18s %10s  %8s%s%s\n", mark, c->name, "-", "-", note[0] ? "  " : "",
                     note);
    else
        screen_print("%s %-18s %10.1f  %8.2f%s%s\n", mark, c->name, 100.0 * c->accuracy, c->seconds,
                     note[0] ? "  " : "", note);
}

/* What more time would bring: the candidates that were given up, and for how long they lacked. */
static void print_late(sheet *r, const spd_league *l)
{
    words given_up = {0};
    size_t others = 0;
    double seconds = 0.0;
    char time[40];
    for (size_t k = 0; k < l->candidates; k++) {
        const spd_candidate *c = l->candidate[k];
        if (c->late && !isnan(c->left)) {
            words_add(&given_up, c->name);
            seconds = c->left;
        }
        others += c->late && isnan(c->left);
    }
    bar_time(time, sizeof time, seconds);
    if (given_up.count)
        sheet_line(r, "more time", "about %s more would judge %s too%s", time,
                   words_join(&given_up, given_up.count, ", "),
                   others ? words_text("; %zu were not begun", others) : "");
    else if (others)
        sheet_line(r, "more time", "%zu candidates were not begun", others);
}

void show_league(sheet *r, const spd_league *l)
{
    json_t *rows = sheet_json_list();
    for (size_t k = 0; k < l->candidates; k++)
        sheet_json_append(rows, row_json(l->candidate[k]));
    sheet_json(r, "league", rows);
    sheet_real(r, "expected_accuracy", NULL, l->accuracy);
    sheet_real(r, "expected_low", NULL, l->low);
    sheet_real(r, "expected_high", NULL, l->high);
    if (r->object)
        return;
    screen_print("  %-18s %10s  %8s\n", "candidate", "accuracy %", "time s");
    for (size_t k = 0; k < l->candidates; k++)
        print_row(l, k);
    sheet_line(r, "expected", "%.1f %% on new samples, 95 %% interval %.1f to %.1f",
               100.0 * l->accuracy, 100.0 * l->low, 100.0 * l->high);
    print_late(r, l);
}
