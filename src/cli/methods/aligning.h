/* aligning.h - normalising and recentring as the command line asks for them, and the groups of data
 * sets. */
#ifndef SPD_CLI_METHODS_ALIGNING_H
#define SPD_CLI_METHODS_ALIGNING_H

#include "cli/methods/groups.h"
#include "cli/methods/show_trained.h"

extern const option options_aligning[]; /* --normalize --recenter */
extern const option options_regroup[];  /* --recenter --recenter-known, of new data */

/* Normalising and recentring of the method <- what stands on the command line; methods on vectors
 * have none, which is misuse when strict. */
void aligning_take(session *s, spd_method *method, int strict);

/* The groups that --recenter names: g and samples->group; count 0 if it names none. */
void aligning_groups(session *s, const spd_data *data, groups *g, spd_samples *samples);

/* The same for samples of other groups than those of training. */
void aligning_apart(session *s, const spd_data *data, spd_samples *samples);

/* What a trained method keeps of them. */
void aligning_note(const groups *g, spd_metadata *notes);

/* samples->group of new data, as the trained method, or --recenter, has it. */
void aligning_queries(session *s, const trained_method *t, const spd_data *data,
                      spd_samples *samples);

/* Ends the command unless the method's column is in the data, whose groups it reads. */
void aligning_column(const trained_method *t, const spd_data *data, const char *or_else, groups *g);

/* "normalised by the trace, recentred by subject"; NULL: neither. */
char *aligning_text(const spd_method *method, const char *column);

#endif
