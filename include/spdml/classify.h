/* spdml/classify.h - methods that classify SPD matrices: training, prediction, files, tuning. */
#ifndef SPDML_CLASSIFY_H
#define SPDML_CLASSIFY_H

#include "spdml/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- methods --------------------------------------------------------------------------------- */

/* The classifier of a method. Each is one file of src/classify. */
typedef enum spd_classifier_kind {
    SPD_CLASSIFIER_NN = 0,      /* nn: class of the nearest training sample, ties by lower index */
    SPD_CLASSIFIER_KNN,         /* knn: majority of the k nearest, ties by the nearer class */
    SPD_CLASSIFIER_MDM,         /* mdm: nearest class mean */
    SPD_CLASSIFIER_RSR,         /* rsr: sparse coding with the Stein kernel, smallest class
                                   residual */
    SPD_CLASSIFIER_CDL,         /* cdl: log-Euclidean kernel, kernel partial least squares */
    SPD_CLASSIFIER_CDL_LDA,     /* cdl-lda: log-Euclidean kernel, kernel discriminant analysis,
                                   nearest neighbour */
    SPD_CLASSIFIER_PGA,         /* pga: principal geodesic analysis at the mean, nearest
                                   neighbour */
    SPD_CLASSIFIER_LLE,         /* riemannian-lle: transductive, like the next two */
    SPD_CLASSIFIER_HESSIAN_LLE, /* riemannian-hessian-lle */
    SPD_CLASSIFIER_LAPLACIAN,   /* riemannian-laplacian */
    SPD_CLASSIFIER_KSVM,        /* ksvm: support vector machine, Stein or log-Euclidean kernel */
    SPD_CLASSIFIER_TS_LDA, /* ts-lda: tangent space at the mean, shrinkage discriminant analysis */
    SPD_CLASSIFIER_SRC,    /* src: sparse coding of vectors over PCA-reduced training vectors */
    SPD_CLASSIFIER_GSRC,   /* gsrc: the same on Gabor magnitudes, with an occlusion dictionary */
    SPD_CLASSIFIER_COV3DJ, /* cov3dj: linear support vectors on upper triangles of unit length */
    SPD_CLASSIFIER_TS_LR,  /* ts-lr: tangent space at the mean, multinomial logistic regression */
    SPD_CLASSIFIER_KRR,    /* krr: kernel ridge regression on one-hot labels or on numbers, Stein
                              kernel */
    SPD_CLASSIFIER_KRR_TANGENT, /* krr-tangent: the same, vectors in the tangent space at the mean */
    SPD_CLASSIFIER_KRR_BOTH,    /* krr-both: the same, the sum of the two kernels */
    SPD_CLASSIFIERS             /* how many there are */
} spd_classifier_kind;

/* The map applied to the matrices first: W'XW, with an n x m W computed from the training part. */
typedef enum spd_map {
    SPD_MAP_NONE = 0,
    SPD_MAP_ML,     /* -ml: the learned map, spd_fit */
    SPD_MAP_RANDOM, /* -random: random orthonormal */
    SPD_MAP_MEAN,   /* -mean: leading eigenvectors of the mean in the method's metric */
    SPD_MAP_CSP,    /* -csp: generalised eigenvectors of the class means */
    SPD_MAP_PCA,    /* pca-: PCA of the features: leading eigenvectors of the covariance of all
                       observations together; without their means (spd_samples), of the pooled
                       covariance, the arithmetic mean of the matrices */
    SPD_MAP_MULTI,  /* -multi: learned maps to several sizes, and the matrix itself, side by side */
    SPD_MAP_BAG, /* -bag: the same, each the mean of maps that were learned on parts of training */
    SPD_MAPS     /* how many there are */
} spd_map;

/* What is done to matrices first of all: X / (tr X / n), or X / (det X)^(1/n). */
typedef enum spd_normalization {
    SPD_NORMALIZATION_NONE = 0,
    SPD_NORMALIZATION_TRACE,
    SPD_NORMALIZATION_DETERMINANT
} spd_normalization;

/* Then matrices are recentred: M^-1/2 X M^-1/2, where M is an AIRM mean. */
typedef enum spd_recentering {
    SPD_RECENTERING_NONE = 0,
    SPD_RECENTERING_GROUPS,  /* the mean of the group of X (spd_samples). Queries of a group that
                                training had are moved by its mean of training, those of another
                                group by their own mean: predict these together, two or more */
    SPD_RECENTERING_TRAINING /* the mean of the training samples, queries too */
} spd_recentering;

/* The parameters of methods; each is fixed, tuned, or left at its default. */
typedef enum spd_parameter {
    SPD_PARAMETER_M = 0, /* m: size after the map; m = n is the identity */
    SPD_PARAMETER_NU_W,  /* nu-w, nu-b: neighbours of the learned map */
    SPD_PARAMETER_NU_B,
    SPD_PARAMETER_K,          /* k: neighbours of knn and of the embeddings */
    SPD_PARAMETER_BETA,       /* beta: of the Stein kernel; takes precedence over beta-scale */
    SPD_PARAMETER_BETA_SCALE, /* beta-scale: beta times the median squared distance in training */
    SPD_PARAMETER_LAMBDA,     /* lambda: weight of the l1 term (rsr, src, gsrc), of the squared norm
                                 (krr, ts-lr) */
    SPD_PARAMETER_COMPONENTS, /* components: of kernel partial least squares */
    SPD_PARAMETER_DIMENSIONS, /* dimensions: of pga, of the embeddings, of PCA in src and gsrc */
    SPD_PARAMETER_COST,       /* cost: C of the support vector machines */
    SPD_PARAMETER_OBJECTIVE,  /* objective: of the learned map, a value of spd_objective */
    SPD_PARAMETERS            /* how many there are */
} spd_parameter;

#define SPD_MAX_PARAMETERS 32 /* length of arrays indexed by spd_parameter, now and later */

/* A method: "nn-stein-ml" is SPD_CLASSIFIER_NN with SPD_METRIC_STEIN after SPD_MAP_ML. */
typedef struct spd_method {
    size_t size;
    spd_classifier_kind classifier;
    spd_map map;
    spd_metric metric;                /* of neighbours, means and map; ksvm: its kernel */
    double value[SPD_MAX_PARAMETERS]; /* by spd_parameter; NaN: not fixed */
    const spd_fit_options *fit; /* of the learned map; NULL: defaults. m, metric, nu and a fixed
                                   objective come from above. An objective other than
                                   SPD_OBJECTIVE_AUTO counts as fixed */
    spd_normalization normalize;
    spd_recentering recenter;
    size_t automatic; /* non-zero: auto, spd_tune chooses classifier, map and metric; of the
                                   above only fit is read */
} spd_method;

#define SPD_METHOD_NAME 64 /* length of a name, now and later */

/* The method of a joined name: [pca-]CLASSIFIER[-METRIC][-ml|-random|-mean|-csp|-multi|-bag], with any
 * name of the metric that spd_parse accepts, or the classifier's default metric; or auto. method is started
 * with SPD_STRUCT; afterwards no value is fixed. SPD_EINVAL for other names; the message lists the
 * possibilities. */
SPD_API spd_status spd_method_parse(spd_context *ctx, const char *name, spd_method *method);

/* name (SPD_METHOD_NAME) <- the joined name. */
SPD_API void spd_method_name(const spd_method *method, char *name);

/* Non-zero if the method has this parameter; if it reads vectors instead of matrices. */
SPD_API int spd_method_uses(const spd_method *method, spd_parameter parameter);
SPD_API int spd_method_on_vectors(const spd_method *method);

/* ---- samples --------------------------------------------------------------------------------- */

/* Samples as SPD matrices, as vectors, or both, depending on the method. */
typedef struct spd_samples {
    size_t size;
    size_t p;
    size_t n;
    const double *X;      /* p x n x n SPD matrices, or NULL */
    size_t height, width; /* of the images in V; features are images of height 1 */
    const double *V;      /* p x (height * width), or NULL */
    size_t classes;
    const int *label; /* p class numbers 0 .. classes-1, some may be empty; NULL for queries */
    int hermitian;    /* non-zero: X are real forms of Hermitian matrices (spd_complex_embed); m,
                         beta and scores then refer to these, of size n/2 */
    /* The observations whose covariances are X, for SPD_MAP_PCA; NULL if unknown. X may have
     * several blocks of the same size on its diagonal, each with its own observations. */
    size_t blocks;                 /* 0 counts as 1 */
    const double *mean;            /* p x n: their means, block after block */
    const double *observations;    /* p x blocks: their numbers */
    const char *const *class_name; /* classes texts, or NULL; a trained method keeps them */
    const int *group; /* p numbers >= 0 for SPD_RECENTERING_GROUPS, the same for training and for
                         queries; NULL: the samples are one group, unlike any other. In training,
                         samples with a negative label then only count for the mean of their group
                         (not with SPD_RECENTERING_NONE) */
    const int
        *fold_group; /* training: p numbers >= 0; a method that chooses its own values by leaving
                              out samples (krr) leaves those of a group out together. NULL: each alone */
    const double *target; /* training: p numbers for regression, in place of label and classes; for
                              krr, krr-tangent, krr-both and auto, with no map or one that needs no
                              labels. NULL: classification */
} spd_samples;

/* *subset (new, freed with spd_samples_free) <- copies of the `count` samples with the numbers
 * index (count, each below p), in that order: matrices, vectors, labels and names, as far as
 * present. */
SPD_API spd_status spd_samples_subset(spd_context *ctx, const spd_samples *samples, size_t count,
                                      const size_t *index, spd_samples **subset);
SPD_API void spd_samples_free(spd_samples *subset);

/* ---- trained methods ------------------------------------------------------------------------- */

/* A trained method. It owns its data: training samples and model may be freed or changed. It does
 * not change after training, so several threads may use it at once. */
typedef struct spd_classifier spd_classifier;

/* *classifier (new, freed with spd_classifier_free) <- the trained method. Values that are not
 * fixed take their defaults; auto is chosen with 5 folds and the seed 1. model, if not NULL, replaces the method's map. SPD_NOT_DEFINITE and
 * SPD_NOT_CONVERGED are remarks. */
SPD_API spd_status spd_classifier_fit(spd_context *ctx, const spd_method *method,
                                      const spd_samples *train, const spd_model *model,
                                      spd_classifier **classifier);

/* label (queries->p) <- class numbers. SPD_EINVAL: a regression, whose scores are the numbers. */
SPD_API spd_status spd_classifier_predict(spd_context *ctx, const spd_classifier *classifier,
                                          const spd_samples *queries, int *label);

/* score (queries->p x classes) <- a distance, residual, vote or margin for each class, as
 * spd_classifier_info tells; NaN for a class without samples. label (or NULL) <- class numbers,
 * those with the best score up to ties and rounding. */
SPD_API spd_status spd_classifier_scores(spd_context *ctx, const spd_classifier *classifier,
                                         const spd_samples *queries, int *label, double *score);

/* score (as many training samples as there were x classes) <- what each of them, left out with its
 * group, is given by the others: krr, krr-tangent and krr-both know it in closed form, until they are
 * saved to a file. */
SPD_API spd_status spd_classifier_left_out(spd_context *ctx, const spd_classifier *classifier,
                                           double *score);

/* The method with every value it uses; its fit is NULL. Owned by the classifier. */
SPD_API const spd_method *spd_classifier_method(const spd_classifier *classifier);

/* The learned map (SPD_MAP_ML) with the history of its fit, owned by the classifier. NULL if there
 * is none: another map, m = n, or a model passed to spd_classifier_fit. */
SPD_API const spd_model *spd_classifier_model(const spd_classifier *classifier);
SPD_API void spd_classifier_free(spd_classifier *classifier);

/* The training data that a trained method contains. */
typedef enum spd_holding {
    SPD_HOLDING_NONE = 0, /* nothing of single samples: means, axes, discriminants */
    SPD_HOLDING_VECTORS,  /* their coordinates on a few axes */
    SPD_HOLDING_SAMPLES   /* matrices, after the map: all, or the support vectors */
} spd_holding;

typedef struct spd_classifier_facts {
    size_t size;
    size_t n, m;          /* of matrices, before and after the map */
    size_t height, width; /* of vectors, for methods that read them */
    size_t classes;
    size_t trained; /* number of training samples */
    spd_holding holding;
    size_t held;       /* number of samples that the holding refers to */
    const char *score; /* the meaning of spd_classifier_scores, in words */
    int score_falls;   /* non-zero: smaller scores are better; else larger ones */
    int hermitian;     /* matrices are real forms of Hermitian ones, as in spd_samples */
    int regression;    /* non-zero: it was trained with spd_samples' target. Its score is the number
                          that it predicts, and there are no classes */
    double r2,
        error;     /* regression: 1 less the mean squared error over the variance, and the root of
                          that error, of training samples when they, or their groups, are left out;
                          beta and lambda have been chosen by them. NaN: no regression */
    double missed; /* krr that holds fewer samples than it was trained with: the share of their
                          kernel that these miss, a mean over all samples; 0: none */
    double scale_low, scale_high; /* the least and the largest mean of the diagonal of a training
                                     matrix, before all else; 0: not known */
} spd_classifier_facts;
SPD_API spd_status spd_classifier_info(spd_context *ctx, const spd_classifier *classifier,
                                       spd_classifier_facts *facts);

/* S (p x m x m) <- the p matrices X (n x n) after the method's map, normalised and recentred before
 * as queries without groups are; spd_classifier_info gives m. */
SPD_API spd_status spd_classifier_map(spd_context *ctx, const spd_classifier *classifier, size_t n,
                                      size_t p, const double *X, double *S);

/* The W (n x m, W'W = I) of the map, owned by the classifier. NULL if there is no single W: no map,
 * m = n, SPD_MAP_MULTI, SPD_MAP_BAG, and methods on vectors. */
SPD_API const double *spd_classifier_weights(const spd_classifier *classifier);

/* Information about data and tuning, kept in the file of a trained method. */
typedef struct spd_metadata {
    size_t size;
    size_t classes;                /* length of class_name, as in training; 0: no names */
    const char *const *class_name; /* or NULL */
    spd_type label_type;           /* of the labels */
    const char *made;              /* how the matrices were made, JSON text, as in spd_data's meta;
                                      NULL: unknown */
    size_t settings;               /* as in spd_tune_info; 0: not tuned */
    int folds;
    double accuracy, accuracy_no_map; /* NaN: unknown */
    const char *version;              /* of the library that wrote the file; set only by loading */
    int unnamed; /* non-zero: class_name are the numbers 0, 1, .. because the file has no
                            names, so other labels cannot be compared; set only by loading */
    const char *group_column; /* which column the groups of recentring come from, or NULL */
    size_t groups;            /* length of group_name, by the numbers of training; 0: no names */
    const char *const *group_name;
} spd_metadata;

/* Copies the metadata to the classifier, which nobody else may use at the time. The class_name of
 * the training samples stays if the metadata has none. */
SPD_API spd_status spd_classifier_set_metadata(spd_context *ctx, spd_classifier *classifier,
                                               const spd_metadata *notes);

/* Owned by the classifier. */
SPD_API const spd_metadata *spd_classifier_metadata(const spd_classifier *classifier);

/* A trained method as a .spdml file: map, values, classes, metadata and the training data that it
 * holds. Classes are numbers if neither samples nor metadata have a class_name. The file appears
 * atomically, or not at all. A loaded method predicts the same, bit for bit; it is new, freed with
 * spd_classifier_free. */
SPD_API spd_status spd_classifier_save(spd_context *ctx, const spd_classifier *classifier,
                                       const char *path);
SPD_API spd_status spd_classifier_load(spd_context *ctx, const char *path,
                                       spd_classifier **classifier);

/* The same in memory; *bytes is new, freed with spd_bytes_free. */
SPD_API spd_status spd_classifier_pack(spd_context *ctx, const spd_classifier *classifier,
                                       unsigned char **bytes, size_t *size);
SPD_API spd_status spd_classifier_unpack(spd_context *ctx, const unsigned char *bytes, size_t size,
                                         spd_classifier **classifier);

/* ---- tuning ---------------------------------------------------------------------------------- */

/* Values that cross-validation tries. It will not change: it has room for further parameters. */
typedef struct spd_grid {
    size_t count[SPD_MAX_PARAMETERS]; /* by spd_parameter; 0: the method's own grid */
    const double *value[SPD_MAX_PARAMETERS];
} spd_grid;

typedef struct spd_tune_options {
    size_t size;
    int folds; /* at most; fewer if a class has fewer samples, or if there are fewer groups */
    const int
        *group; /* p numbers >= 0: samples of one group share a fold, and are left out together
                         by methods that choose by leaving out; NULL: no groups */
    uint64_t seed;
    const spd_grid *grid; /* NULL: the method's own grid */
    int exhaustive;       /* non-zero: every map setting in every fold, fitted to the accuracy of
                             the final map, about ten times slower; 0: a race, see below */
    double seconds;       /* auto: no candidate is begun, and one that runs is given up, after so
                             many; the choice then depends on the machine. 0: no limit */
} spd_tune_options;

typedef struct spd_tune_info {
    size_t size;
    size_t settings; /* number of combinations tried; 1 if there was nothing to tune */
    int folds;       /* as used */
    double accuracy; /* of the chosen setting, over the folds; NaN if there was nothing to tune */
    double seconds;
    double accuracy_no_map; /* of the best setting without a learned map; NaN if none was tried */
    size_t fits;            /* number of learned maps */
    size_t iterations;      /* of all these fits */
} spd_tune_info;

/* Fixes the values of the method that are not fixed yet and have a grid, by cross-validation within
 * the training samples; those without a grid stay NaN, which means their default. The setting with
 * the most correct predictions over all folds wins; ties go to the best mean over the setting and
 * its neighbours in the grid, then to the smaller m, then to the smaller nu_b. A learned map must
 * beat no map (m = n, in the method's own grid) by more than one standard error of the difference
 * over the tested samples, sqrt(b + c) for b and c samples that only one of the two gets right;
 * otherwise m = n is chosen. A setting that fails is left out; if all fail, the first
 * failure is returned.
 *
 * Unless `exhaustive` is set, learned maps are raced. Folds are tested one after the other; between
 * folds, values of m, nu and objective are dropped if they are clearly behind the best or behind no
 * map (McNemar's statistic over the samples tested so far above 1.5 and 1), and all but the best
 * half, then quarter and so on, down to two; no map stays. For the choice, maps are fitted with at
 * most 15 to 40 iterations and a tolerance of 1e-3; those of AIRM start from Stein's map. The
 * choice does not depend on the number of threads.
 *
 * Folds are stratified by class; groups stay whole. Matrices are normalised and recentred before
 * folds are made. tuned may be NULL. */
SPD_API spd_status spd_tune(spd_context *ctx, spd_method *method, const spd_samples *train,
                            const spd_tune_options *tuning, spd_tune_info *tuned);

/* The same for several methods after one map (map, metric, fit, normalize, recenter and the
 * fixed ones of m, nu-w, nu-b and objective must agree): the map is fitted once for all. Each method chooses as it would alone.
 * tuned (count, or NULL): the seconds are shared evenly. */
SPD_API spd_status spd_tune_together(spd_context *ctx, size_t count, spd_method *const *method,
                                     const spd_samples *train, const spd_tune_options *tuning,
                                     spd_tune_info *const *tuned);

/* ---- auto ------------------------------------------------------------------------------------ */

/* A candidate of auto. */
typedef struct spd_candidate {
    char name[SPD_METHOD_NAME];
    spd_method method; /* with the values that were chosen; its fit is NULL */
    size_t settings;   /* number of combinations tried */
    int folds;         /* in which it was judged; fewer than all: it was clearly behind and left; 0:
                          it was late, or failed, or another was right about all samples before; a
                          multiple: of several deals */
    double accuracy;   /* of its best setting, the mean over the deals; of one that left, as far
                          behind the best as it was; NaN if it was not judged */
    double seconds;
    int late;          /* non-zero: there was no time for it */
    double left;       /* late: about how many seconds it lacked; NaN if it was not begun */
    char message[200]; /* why it failed; empty otherwise */
} spd_candidate;

/* The candidates of auto, the best first; made by the library, and may grow. */
typedef struct spd_league {
    size_t candidates;
    spd_candidate **candidate; /* candidates */
    size_t chosen;             /* number of the chosen one */
    size_t tested;             /* number of samples on which they were judged */
    int folds;
    double accuracy; /* to be expected on new samples: the chosen one's, less what it owes to having
                         been chosen, estimated by the bootstrap */
    double low, high; /* interval of 95 % */
    double seconds;
    uint64_t seed;
} spd_league;

/* spd_tune for a method that is automatic: method <- the chosen one. The candidates are nn-stein,
 * ts-lda, krr-tangent, krr-stein, krr-both, cdl, ts-lr, ksvm-stein and rsr; nn, krr, krr-both, ksvm
 * and rsr under Stein after one learned map (-ml); krr and ksvm after several (-bag). All are judged
 * on the same folds, by maps that have not seen the fold; those clearly behind leave between folds.
 * Another must beat krr-stein-bag, or if that left a map none, by more than one standard error:
 * those ahead of it that one such error does not part from the best are judged with it on two more
 * deals of folds, and the most accurate one in all deals, of equals the earlier, must beat it. The
 * grid is not used. *league (new, freed with spd_league_free; or NULL) <- how they came out. */
SPD_API spd_status spd_tune_auto(spd_context *ctx, spd_method *method, const spd_samples *train,
                                 const spd_tune_options *tuning, spd_tune_info *tuned,
                                 spd_league **league);
SPD_API void spd_league_free(spd_league *league);

#ifdef __cplusplus
}
#endif
#endif
