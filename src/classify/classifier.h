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
 * prepare and meet borrow the samples, which must outlive them. Everything is deterministic, and
 * the same bits for any number of threads; heavy work goes through the engine with ctx. Public
 * functions of the library may be called (they clear ctx's message). */
#ifndef SPD_CLASSIFY_CLASSIFIER_H
#define SPD_CLASSIFY_CLASSIFIER_H

#include "base/context.h"

typedef spd_samples samples;

#define USES(parameter) (1u << (parameter))

typedef struct classifier {
    spd_classifier_kind kind;
    unsigned uses; /* the parameters it has, as a sum of USES(...) */
    int vectors;   /* non-zero: reads V, else X */

    /* *value <- the default of a parameter it uses, for this training set. */
    double (*standard)(const samples *train, spd_parameter parameter);

    /* values <- what cross-validation tries for a parameter it uses when the user names no grid, at
     * most room of them; returns how many. 0: the parameter is not tuned, its default is taken. */
    size_t (*grid)(const samples *train, spd_parameter parameter, double *values, size_t room);

    /* method->metric and normalize_kernel are final here, method->value may only save work, never
     * change what follows. */
    spd_status (*prepare)(spd_context *ctx, const spd_method *method, const samples *train,
                          void **prepared);

    /* Every parameter in uses is set in method->value (but of beta and beta-scale only one may be),
     * here and in decide. NULL: there is nothing to do; trained is then NULL. */
    spd_status (*train)(spd_context *ctx, const void *prepared, const spd_method *method,
                        void **trained);
    spd_status (*meet)(spd_context *ctx, const void *prepared, const samples *queries, void **met);

    /* label (queries) <- class numbers. */
    spd_status (*decide)(spd_context *ctx, const void *prepared, const void *trained,
                         const void *met, const spd_method *method, int *label);

    /* All take NULL. */
    void (*release_met)(void *met);
    void (*release_trained)(void *trained);
    void (*release_prepared)(void *prepared);
} classifier;

/* The classifier of a kind; NULL for a number that is none. */
const classifier *classifier_of(spd_classifier_kind kind);

/* Releases what there is of the three. */
void classifier_release(const classifier *kind, void *prepared, void *trained, void *met);

extern const classifier classifier_nn, classifier_knn;                         /* nn.c */
extern const classifier classifier_mdm;                                        /* mdm.c */
extern const classifier classifier_rsr;                                        /* rsr.c */
extern const classifier classifier_cdl, classifier_cdl_lda;                    /* cdl*.c */
extern const classifier classifier_pga;                                        /* pga.c */
extern const classifier classifier_lle, classifier_hlle, classifier_laplacian; /* embedded.c */
extern const classifier classifier_ksvm;                                       /* ksvm.c */
extern const classifier classifier_ts_lda;                                     /* ts_lda.c */
extern const classifier classifier_src, classifier_gsrc;                       /* src.c, gsrc.c */

#endif
