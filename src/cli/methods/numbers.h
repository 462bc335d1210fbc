/* numbers.h - regression on the command line: columns of numbers to be predicted, and predictions. */
#ifndef SPD_CLI_METHODS_NUMBERS_H
#define SPD_CLI_METHODS_NUMBERS_H

#include "cli/methods/show_trained.h"

/* Room for the p numbers of a column; y is that of the labels. Where there is no such column, or a value
 * is missing, the command ends with what there is. */
double *numbers_take(const spd_data *data, const char *column);

/* What a trained method keeps of the data set that it learned a column from. */
spd_metadata numbers_notes(const spd_data *data, const char *const *column);

/* What `predict` does with a regression: numbers, compared with --target or the column that training
 * had, if it is there; written to --output, or shown. */
void numbers_predict(session *s, const trained_method *t, const spd_data *data,
                     const spd_samples *queries);

#endif
