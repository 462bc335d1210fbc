/* auto.h - `auto`: the method too by cross-validation, from a portfolio. */
#ifndef SPD_EVALUATE_AUTO_H
#define SPD_EVALUATE_AUTO_H

#include "evaluate/tune.h"

/* One of the portfolio. */
typedef struct contender {
    spd_candidate row;
    const tuner *t; /* where it ran, as method number `at`; NULL: it did not */
    size_t at;
    int mapped;      /* non-zero: there is a map, or several */
    size_t best;     /* its setting; SIZE_MAX: none was judged on all folds */
    const char *hit; /* p: of that setting */
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
    size_t chosen;  /* of all */
    size_t tested;  /* samples */
    effort spent;   /* on learned maps */
    double accuracy_no_map;
    arena room;
} portfolio;

/* method (one that is automatic; its fit is used), tuned and *league <- as spd_tune_auto has them;
 * tuned and league may be NULL. */
spd_status auto_choose(spd_context *ctx, spd_method *method, const samples *train,
                       const spd_tune_options *tuning, spd_tune_info *tuned, spd_league **league);

/* league.c: *league <- the contenders, the best first, and what to expect of the chosen one. */
spd_status league_make(const portfolio *a, spd_league **league);

#endif
