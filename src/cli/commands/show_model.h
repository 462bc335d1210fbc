/* show_model.h - a model in words: what `fit` reports and `info` shows. */
#ifndef SPD_CLI_COMMANDS_SHOW_MODEL_H
#define SPD_CLI_COMMANDS_SHOW_MODEL_H

#include "cli/frame/sheet.h"
#include "spdml.h"

/* Sizes, options and outcome; every member of the model but W and the history. */
void model_report(sheet *r, const spd_model *model);

/* The cost over the iterations, in the table the first and the last few, and a small W. */
void model_report_history(sheet *r, const spd_model *model);
void model_report_map(sheet *r, const spd_model *model);

#endif
