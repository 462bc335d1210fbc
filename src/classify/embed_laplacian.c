/* embed_laplacian.c - Laplacian eigenmaps (Belkin and Niyogi 2003; Goh and Vidal 2008).
 *
 *   W_ij = exp(-d2_ij / t) where i is among the k nearest of j or j of i,   D = diag(W 1)
 *   (D - W) f = lambda D f,  through  I - D^-1/2 W D^-1/2  with eigenvectors D^1/2 f  */
#include <math.h>

#include "classify/embed.h"

/* Weights are no smaller, so that a sample far from all others stays attached: with weights lost to
 * rounding its coordinates would be noise. */
#define LEAST_WEIGHT 1e-12

double laplacian_bandwidth(const neighbourhoods *h, size_t k)
{
    double sum = 0.0;
    for (size_t i = 0; i < h->p; i++)
        for (size_t j = 0; j < k; j++)
            sum += h->d2[i * h->k + j];
    if (isinf(sum)) { /* the sum is too large for a number, the mean is not */
        sum = 0.0;
        for (size_t i = 0; i < h->p * k; i++)
            sum += h->d2[i / k * h->k + i % k] / (double)(h->p * k);
        return sum;
    }
    return sum > 0.0 ? sum / (double)(h->p * k) : 1.0;
}

void laplacian_matrix(const neighbourhoods *h, size_t k, double t, double *degree, double *M)
{
    size_t p = h->p;
    /* M <- W. Where both are neighbours of each other the two distances may differ in rounding: the
     * larger weight stays. */
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < k; j++) {
            size_t other = (size_t)h->index[i * h->k + j];
            double w = fmax(exp(-h->d2[i * h->k + j] / t), LEAST_WEIGHT);
            M[i * p + other] = M[other * p + i] = fmax(w, M[i * p + other]);
        }
    for (size_t i = 0; i < p; i++) {
        degree[i] = 0.0;
        for (size_t j = 0; j < p; j++)
            degree[i] += M[i * p + j];
    }
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            M[i * p + j] = (i == j ? 1.0 : 0.0) - M[i * p + j] / sqrt(degree[i] * degree[j]);
}
