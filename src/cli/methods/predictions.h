/* predictions.h - what `classify` and `predict` do with a trained method: classes of samples, with
 * scores if they are wanted, compared with the truth, written and shown. */
#ifndef SPD_CLI_METHODS_PREDICTIONS_H
#define SPD_CLI_METHODS_PREDICTIONS_H

#include "cli/methods/recognition.h"
#include "cli/methods/scale.h"
#include "cli/frame/sets.h"

typedef struct predictions {
    const spd_data *train; /* classes and their names, the type of y, source; no more is read */
    const spd_data *test;
    const large_set *large; /* test samples that stay in their files, or NULL */
    spd_classifier_facts facts;
    int *predicted;         /* test->p class numbers of training */
    double *score;          /* test->p x classes; NULL without --scores */
    int listed;             /* the first samples are shown one by one */
    double *best;           /* then the score of the class of each that is shown, or NULL */
    int unscored;           /* scores are not wanted */
    int guessed;            /* labels may be names of folders that mean nothing */
    spd_data bare;          /* test without such labels */
    int unnamed;            /* the classes of train are numbers, which say nothing of names */
    int *truth;             /* test->p, or NULL without labels that can be compared */
    size_t classes, unseen; /* of truth: numbers there are, labels that training lacks */
    spd_score judged;
} predictions;

extern const option options_predictions[]; /* --scores --output */

/* *p, with train and test set, <- predictions and what the truth says of them. */
void predictions_make(session *s, const spd_classifier *c, const spd_samples *queries,
                      predictions *p);

/* The file of --output, if there is one:
 *
 *   .npz, .mat  predicted, y where it is known, name where the test set has it, scores and classes
 *   .csv, -     index,name,predicted,y,score ...: a header, then a line per test sample; - is
 *               standard output, on which nothing else is shown then */
void predictions_write(session *s, const predictions *p);

/* Accuracy if it is known, else how many went to each class; in JSON all samples and their scores.
 */
void predictions_show(sheet *r, const predictions *p);

/* The first samples, a line each, if they are to be listed: name, class, score and label. */
void predictions_list(sheet *r, const predictions *p);

/* What a call that went well had to say. */
void predictions_remark(session *s, spd_status status);

#endif
