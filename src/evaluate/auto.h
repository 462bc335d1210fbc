/* auto.h - `auto`: the method too by cross-validation, from a portfolio. */
#ifndef SPD_EVALUATE_AUTO_H
#define SPD_EVALUATE_AUTO_H

#include "base/classes.h"
#include "evaluate/tune.h"

/* One of the portfolio. */
typedef struct contender {
    spd_candidate row;
    const tuner *t; /* where it ran, as method number `at`; NULL: it did not */
    size_t at;
    int mapped;      /* non-zero: there is a map, or several */
    size_t best;     /* its setting; SIZE_MAX: none was judged on all folds */
    const char *hit; /* p: of that setting */
    int leads;       /* non-zero: judged again */
    char *score;     /* p: leads: how often right, in all deals; else NULL */
} contender;

/* All of it. */
typedef struct portfolio {
    spd_context *ctx;
    const samples *train;
    spd_tune_options tuning;
    size_t count;
    contender *all; /* count, in the order in which they ran: simple ones first */
    size_t *fold;   /* p */
    size_t folds;   /* as used */
    classes groups; /* of samples, if the tuning has any */
    size_t chosen;  /* of all */
    size_t tested;  /* samples */
    effort spent;   /* on learned maps */
    size_t deals;   /* of folds, on which the leaders were judged */
    double share;   /* of what is running, that is done */
    double again;   /* of judging again, that is done before it; NaN: that has not begun */
    double step;    /* of judging again, that is running */
    double accuracy_no_map;
    arena room;
} portfolio;

/* method (one that is automatic; its fit is used), tuned and *league <- as spd_tune_auto has them;
 * tuned and league may be NULL. */
spd_status auto_choose(spd_context *ctx, spd_method *method, const samples *train,
                       const spd_tune_options *tuning, spd_tune_info *tuned, spd_league **league);

/* again.c: judges those that lead on further deals of folds. When it fails, deals that are complete
 * count. */
spd_status auto_judge_again(portfolio *a);

/* p: how often each sample was right, in all deals that a contender was judged on; and their sum. */
const char *auto_times(const contender *one);
size_t auto_right(const portfolio *a, const contender *one);

/* league.c: *league <- the contenders, the best first, and what to expect of the chosen one. */
spd_status league_make(const portfolio *a, spd_league **league);

#endif
