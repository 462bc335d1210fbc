/* recognition.h - what commands around recognition share: methods with the values of their
 * parameters, samples as matrices and vectors, class numbers of two files, and how all of this is
 * shown. */
#ifndef SPD_CLI_METHODS_RECOGNITION_H
#define SPD_CLI_METHODS_RECOGNITION_H

#include "cli/frame/sheet.h"
#include "cli/frame/session.h"

/* Rows of the option table, each of the name of its spd_parameter; --grid has all of them. */
extern const option options_sizes[]; /* -m -k */
extern const option options_pairs[]; /* --nu-w --nu-b --objective */

/* *method <- that of a name (joined or not), with no value fixed. */
void recognition_parse(session *s, const char *name, spd_method *method);

/* A data set with what methods read of it. */
typedef struct recognition_set {
    spd_data *data;
    double *V;           /* p x (height * width), or NULL */
    spd_samples samples; /* points into data and V; label is NULL without labels */
} recognition_set;

/* Loads a data set with labels from that file, or NULL; matrices and vectors say what the methods
 * at hand read. When no method reads matrices, what was read as matrices is not checked, and stands
 * in for vectors that are not there unless it is called X: a file of images alone holds them as its
 * only array of three dimensions. */
void recognition_load(session *s, const char *path, const char *labels, int matrices, int vectors,
                      recognition_set *set);

/* Says so where pca- has no means of observations to work with. */
#define RECOGNITION_POOLED                                                                         \
    "%s: has no means of observations (feature_mean, feature_count), so pca- takes the pooled "    \
    "covariance, without the variation between the samples; 'spdml describe' writes them"
void recognition_remark(session *s, const spd_method *method, const recognition_set *set);

/* The same for set->data, which is there. */
void recognition_take(session *s, int matrices, int vectors, recognition_set *set);

/* What a trained method keeps of the data set it learned from. */
spd_metadata recognition_notes(const spd_data *data);

/* truth (test->p) <- class numbers of the test set's labels as the training
 * set counts them, by name; labels that training has never seen get numbers from train->classes on.
 * *classes <- how many numbers there are, *unseen <- how many samples have such a label. */
int *recognition_match(const spd_data *train, const spd_data *test, size_t *classes,
                       size_t *unseen);

/* Class numbers as labels in the type of data->y, or the classes themselves if label is NULL: an
 * array of one dimension to be written. */
spd_array recognition_labels(const spd_data *data, const char *name, size_t count,
                             const int *label);

/* Values (by spd_parameter) that a method uses: a JSON object, and "m 10, nu-b 3" (empty when there
 * are none). */
json_t *recognition_json(const spd_method *method, const double *value);
char *recognition_text(const spd_method *method, const double *value);

/* One value: the name of an objective, or a number, whole where it is; null for NaN. */
json_t *recognition_value(spd_parameter parameter, double value);

#endif
