/* show_model.h - a model in words: what `fit` and `info` show. */
#ifndef SPD_CLI_METHODS_SHOW_MODEL_H
#define SPD_CLI_METHODS_SHOW_MODEL_H

#include "cli/frame/sheet.h"
#include "spdml.h"

/* Sizes, options and outcome; every member of the model but W and the history. */
void show_model(sheet *r, const spd_model *model);

/* Which cost, when the metric has two. */
void show_log_cost(sheet *r, const spd_fit_options *options);

/* Why a fit ended, with the option that says when. */
const char *show_stop_reason(spd_stop stop);

/* Non-zero for a fit that had nothing left to gain. */
int show_converged(spd_stop stop);

/* The cost over the iterations, in the table the first and the last few, and a small W. */
void show_model_history(sheet *r, const spd_model *model);
void show_model_map(sheet *r, const spd_model *model);

#endif
