/* centre.c - inner products about the mean:  K_ij <- K_ij - mean_i - mean_j + mean of all. */
#include "classify/centre.h"

/* mean (p) <- means of the rows of K (p x p, symmetric); returns the mean of all entries. */
static double row_means(size_t p, const double *K, double *mean)
{
    double all = 0.0;
    for (size_t i = 0; i < p; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < p; j++)
            sum += K[i * p + j];
        mean[i] = sum / (double)p;
        all += mean[i];
    }
    return all / (double)p;
}

void centre_both(size_t p, double *K, double *mean)
{
    double all = row_means(p, K, mean);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            K[i * p + j] = K[j * p + i] = K[i * p + j] - (mean[i] + mean[j]) + all;
}
