/* options_shared.c - rows of the option table that several commands share. */
#include "cli/frame/options.h"

#include <math.h>

#include "spdml-data.h"

const option options_common[] = {
    OPTION_JSON,
    {"quiet", 'q', OPTION_FLAG, .help = "Print no warnings and no progress bar"},
    {"verbose", 'v', OPTION_FLAG, .help = "Show what is being done and how long it takes"},
    {"threads", 0, OPTION_INT, "N", "0", 0, 1024, .common = 1,
     .help = "Number of threads, 0 for all cores; results do not depend on it"},
    OPTION_HELP,
    OPTION_END};

const option options_ranks[] = {
    {"mpi", 0, OPTION_FLAG,
     .help = "Divide the work among the processes started by mpirun or srun: mpirun -n 4 spdml ... "
             "--mpi; the result does not depend on their number"},
    OPTION_END};

/* clang-format off */
#define NAME \
    {"x", 0, OPTION_TEXT, "NAME", INTO(spd_load_options, x_name), \
     .help = "Variable that holds the matrices; by default X, or the only three-dimensional array"}
#define LABEL_NAME \
    {"y", 0, OPTION_TEXT, "NAME", INTO(spd_load_options, y_name), \
     .common = 1, .help = "Variable that holds the labels; by default y, if there is one"}
#define REPAIRS \
    {"symmetrize", INTO(spd_load_options, symmetrize), \
     .help = "Replace every X by (X + X')/2 instead of rejecting asymmetric matrices"}, \
    {"regularize", 0, OPTION_REAL, "E", "0", 0, INFINITY, INTO(spd_load_options, regularize), \
     .help = "Add E trace(X)/n to the diagonal of every X"}, \
    {"anywhere", INTO(spd_load_options, anywhere), \
     .help = "Allow a .list to name files outside its own folder, by absolute paths or with .."}
/* clang-format on */

const option options_data[] = {
    NAME,
    LABEL_NAME,
    {"labels", 0, OPTION_FILE, "FILE", INTO(spd_load_options, labels), .common = 1,
     .help = "File with the labels, one per matrix (.npy, .npz or .csv), or a .list of such files"},
    REPAIRS,
    OPTION_END};

const option options_sets[] = {NAME, LABEL_NAME, REPAIRS, OPTION_END};

const option options_matrices[] = {NAME, REPAIRS, OPTION_END};

const option options_memory[] = {
    {"memory", 0, OPTION_TEXT, "SIZE",
     .help = "Approximate memory limit: 8G, 500M (1G is 1e9 bytes); default three quarters of the "
             "available memory. Matrices in .npy files, or in a .list of them, that would take "
             "more than half of it stay in their files and are read piece by piece"},
    OPTION_END};

const char option_methods[] =
    "auto|nn-airm|nn-airm-ml|nn-airm-multi|nn-airm-csp|nn-airm-mean|nn-airm-random|nn-stein|"
    "nn-stein-ml|nn-stein-multi|nn-log-euclidean|nn-log-euclidean-ml|pca-nn-airm|knn-airm|"
    "knn-airm-ml|knn-stein|knn-stein-ml|mdm-airm|mdm-airm-ml|mdm-stein|mdm-stein-ml|rsr|"
    "rsr-ml|rsr-multi|cdl|cdl-ml|cdl-lda|pga-airm|ksvm-stein|ksvm-stein-ml|"
    "ksvm-log-euclidean|krr-stein|krr-stein-bag|krr-tangent|krr-both|ts-lda|ts-lda-ml|ts-lr|cov3dj|"
    "riemannian-lle|riemannian-hessian-lle|riemannian-laplacian|src|gsrc";
