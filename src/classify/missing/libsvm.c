/* libsvm.c - stands in for svm_solve.c in builds without libsvm. */
#include "classify/svm_solve.h"

const char *svm_solve_version(void)
{
    return NULL;
}

spd_status svm_solve(size_t size, size_t first, const double *K, double cost, double *coef,
                     double *rho)
{
    (void)size, (void)first, (void)K, (void)cost, (void)coef, (void)rho;
    return SPD_EINVAL;
}

double svm_solve_bytes(size_t size)
{
    (void)size;
    return 0.0;
}
