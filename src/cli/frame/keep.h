/* keep.h - things of the library that are freed when the command ends, whichever way; NULL is
 * allowed. */
#ifndef SPD_CLI_FRAME_KEEP_H
#define SPD_CLI_FRAME_KEEP_H

#include "spdml-data.h"

void keep_array(spd_array *array);
void keep_classifier(spd_classifier *classifier);
void keep_data(spd_data *data);
void keep_evaluation(spd_evaluation *evaluation);
void keep_fit_state(spd_fit_state *state);
void keep_league(spd_league *league);
void keep_model(spd_model *model);
void keep_samples(spd_samples *samples);
void keep_set(spd_set *set);

#endif
