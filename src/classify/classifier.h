/* classifier.h - the interface every method of recognition implements: one file per method, one
 * row in the table of classifier.c.
 *
 * A method works in four steps, so that cross-validation repeats only what depends on parameters:
 *
 *   prepare   training samples            what no parameter changes: distances, kernels, means
 *   train     prepared, parameters        what a parameter changes (support vectors, components)
 *   meet      prepared, queries           what of the queries no parameter changes
 *   decide    all of these, parameters    a class for every query
 *
 * They fill a training_state, which borrows the samples: these must outlive it. Everything is
 * deterministic, and the same bits for any number of threads; heavy work goes through the engine
 * with ctx. Public functions of the library may be called (they clear ctx's message). */
#ifndef SPD_CLASSIFY_CLASSIFIER_H
#define SPD_CLASSIFY_CLASSIFIER_H

#include "classify/saved_arrays.h"

typedef spd_samples samples;

#define MOST_CHOICES 3 /* parameters of a method */
#define GRID_ROOM    8 /* values of one that are tried */

/* A parameter of a method: its default, and what cross-validation tries when the user names no
 * grid. */
typedef struct choice {
    spd_parameter parameter;
    double standard;        /* NaN: none */
    double grid[GRID_ROOM]; /* ascending, up to the first 0; none: it is not tuned */

    /* The largest value for this training set: larger ones are lowered to it. NULL: any will do. */
    double (*most)(const samples *train);

    /* values <- what is tried, in place of grid; returns how many. NULL: the grid it is. */
    size_t (*list)(const samples *train, double *values);
} choice;

/* The metrics of a method: the usual one, those it can do, and whether its name always says which.
 */
typedef struct metric_choice {
    spd_metric usual;
    unsigned able;
    int named;
} metric_choice;

#define ONLY(metric) (1u << (metric))
#define ALL_METRICS  (ONLY(SPD_METRICS) - 1u)

/* A method on its way from training samples to classes. */
typedef struct training_state {
    const struct classifier *kind;
    spd_method method; /* with every value it uses (but of beta and beta-scale only one may be set)
                          in train and decide; in prepare values may only save work */
    samples train, queries;
    void *prepared, *trained, *met;     /* the method's own, from these: */
    arena preparing, training, meeting; /* freed when what was made of them is done with */
    double *left;  /* p x classes: scores that training samples have when they are left out; in
                      training, NULL: not known */
    double missed; /* share of its kernel that is missed where it holds landmarks alone */
    double *score; /* queries x classes, for decide to fill where a class has samples; NULL: not
                      wanted */
} training_state;

/* What decide's scores are. */
typedef struct score_choice {
    const char *what;
    int falls;   /* non-zero: the smaller, the better */
    int squared; /* non-zero: squared distances of coordinates, of real forms twice as large */
} score_choice;

/* The scores of coordinates' nearest neighbours, in src/classify/vectors.c. */
#define NEAREST_COORDINATES(squared)                                                               \
    {                                                                                              \
        "squared distance to the nearest sample of the class, in coordinates", 1, squared          \
    }

typedef struct classifier {
    spd_classifier_kind kind;
    int vectors; /* non-zero: reads V, else X */
    metric_choice metrics;
    int squares; /* matrices of numbers between all training samples that it holds at once */
    choice choices[MOST_CHOICES]; /* its parameters; m, which is the map's, ends them */
    unsigned decides; /* bits of those that decide alone reads: train need not run again for them */

    spd_status (*prepare)(spd_context *ctx, training_state *c);
    spd_status (*train)(spd_context *ctx, training_state *c); /* NULL: there is nothing to do */
    spd_status (*meet)(spd_context *ctx, training_state *c);

    /* label (queries) <- class numbers. */
    spd_status (*decide)(spd_context *ctx, training_state *c, int *label);

    /* What meet and decide need of training goes to the saved arrays, or comes from them; c's
     * method, and the numbers of train, are there already. NULL: the training samples, and prepare
     * and train run again. */
    void (*keep)(saved_arrays *s, training_state *c);

    score_choice scores;
    spd_holding holds; /* of the training samples, in meet and decide; labels and sizes aside */
} classifier;

/* The classifier of a kind; NULL for a number that is none. */
const classifier *classifier_of(spd_classifier_kind kind);

/* A parameter of a classifier; NULL where it has no such. */
const choice *classifier_choice(const classifier *kind, spd_parameter parameter);

/* Asks for the memory of these matrices between p samples, before long work. */
spd_status classifier_ask(spd_context *ctx, const classifier *kind, size_t p);

/* The default of a parameter for this training set. */
double choice_standard(const choice *c, const samples *train);

/* values (GRID_ROOM) <- what cross-validation tries; returns how many, 0 when it is not tuned. */
size_t choice_grid(const choice *c, const samples *train, double *values);

/* The training matrices and their labels, for keep. */
void training_state_keep_samples(saved_arrays *s, training_state *c);

/* Which classes there are, one label for each: as many as *of counts, with a sample of their own.
 */
struct classes; /* base/classes.h */
void training_state_keep_classes(saved_arrays *s, const training_state *c, struct classes *of);

/* label, and c->score where it is wanted, <- from the queries' numbers S (queries x of->count): the
 * largest S_k + bias_k wins, ties by lower class. */
void training_state_choose(training_state *c, const struct classes *of, const double *S,
                           const double *bias, int *label);

/* Frees all that the steps have made. */
void training_state_free(training_state *c);

extern const classifier classifier_nn, classifier_knn;                         /* nn.c */
extern const classifier classifier_mdm;                                        /* mdm.c */
extern const classifier classifier_rsr;                                        /* rsr.c */
extern const classifier classifier_cdl, classifier_cdl_lda;                    /* cdl*.c */
extern const classifier classifier_pga;                                        /* pga.c */
extern const classifier classifier_lle, classifier_hlle, classifier_laplacian; /* embedded.c */
extern const classifier classifier_ksvm, classifier_cov3dj;                    /* ksvm.c */
extern const classifier classifier_ts_lda;                                     /* ts_lda.c */
extern const classifier classifier_ts_lr;                                      /* ts_lr.c */
extern const classifier classifier_krr, classifier_krr_tangent, classifier_krr_both; /* krr.c */
extern const classifier classifier_src, classifier_gsrc;                             /* src.c */

#endif
