/* svm.h - stands in for libsvm's header in builds without it: the part of its interface that spdml
 * uses, which is machines of two classes on a kernel matrix that is given. */
#ifndef SPD_MISSING_SVM_H
#define SPD_MISSING_SVM_H

#define libsvm_version 0

struct svm_node {
    int index;
    double value;
};

struct svm_problem {
    int l;
    double *y;           /* 1 and -1; the first sample is of class 1 */
    struct svm_node **x; /* row i: (0: i + 1), (1: K_i0), (2: K_i1), ..., (-1: 0) */
};

enum { C_SVC };
enum { PRECOMPUTED = 4 };

struct svm_parameter {
    int svm_type, kernel_type;
    double cache_size, eps, C;
    int shrinking;
};

struct svm_model {
    int l;            /* support vectors */
    double **sv_coef; /* sv_coef[0][k] = y a of the k-th */
    int *sv_indices;  /* whose number, from 1, this is */
    double *rho;      /* rho[0] */
};

struct svm_model *svm_train(const struct svm_problem *problem, const struct svm_parameter *how);
void svm_free_and_destroy_model(struct svm_model **model);
void svm_set_print_string_function(void (*print)(const char *text));

#endif
