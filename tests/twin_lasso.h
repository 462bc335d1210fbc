/* twin_lasso.h - slow, obvious sparse coding: proximal gradient, and residuals by definition. */
#ifndef SPD_TWIN_LASSO_H
#define SPD_TWIN_LASSO_H

#include "random_spd.h"

/* v'Kv - 2 v'k + lambda |v|_1 */
HELPER double twin_objective(size_t p, const double *K, const double *k, double lambda,
                             const double *v)
{
    double sum = 0.0;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++)
            sum += v[i] * K[i * p + j] * v[j];
        sum += lambda * fabs(v[i]) - 2.0 * v[i] * k[i];
    }
    return sum;
}

/* v (p) <- argmin, by accelerated proximal gradient with restarts: step 1/(2 L), L the largest
 * eigenvalue, until v moves by less than 1e-15 or for `most` steps. */
HELPER void twin_lasso(size_t p, const double *K, const double *k, double lambda, size_t most,
                       double *v)
{
    SCOPE;
    double *value = block(p), *at = block(p), *next = block(p), momentum = 1.0;
    twin_eigh(p, K, value, NULL);
    double L = 1.0001 * value[p - 1];
    memset(v, 0, p * sizeof *v);
    memset(at, 0, p * sizeof *at);
    for (size_t step = 0; step < most; step++) {
        double moved = 0.0, uphill = 0.0;
        for (size_t i = 0; i < p; i++) {
            double g = k[i];
            for (size_t j = 0; j < p; j++)
                g -= K[i * p + j] * at[j];
            double z = at[i] + g / L, size = fabs(z) - 0.5 * lambda / L;
            next[i] = size > 0.0 ? copysign(size, z) : 0.0;
            moved = fmax(moved, fabs(next[i] - v[i]));
            uphill += (at[i] - next[i]) * (next[i] - v[i]);
        }
        double grown = uphill > 0.0 ? 1.0 : 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum));
        double ahead = uphill > 0.0 ? 0.0 : (momentum - 1.0) / grown;
        for (size_t i = 0; i < p; i++) {
            at[i] = next[i] + ahead * (next[i] - v[i]);
            v[i] = next[i];
        }
        momentum = grown;
        if (moved < 1e-15)
            break;
    }
}

/* The class with the smallest -2 v_c'k + v_c'K v_c, from the coefficients of its own atoms; label
 * (p) tells their classes, those of class -1 belong to all. *margin <- by how much the next is
 * larger. */
HELPER int twin_residuals(size_t p, const double *K, const double *k, const double *v,
                          size_t classes, const int *label, double *margin)
{
    double best = INFINITY, second = INFINITY;
    int winner = -1;
    for (size_t c = 0; c < classes; c++) {
        double sum = 0.0;
        int own = 0;
        for (size_t i = 0; i < p; i++) {
            if (label[i] >= 0 && label[i] != (int)c)
                continue;
            own += label[i] == (int)c;
            sum -= 2.0 * v[i] * k[i];
            for (size_t j = 0; j < p; j++)
                if (label[j] < 0 || label[j] == (int)c)
                    sum += v[i] * K[i * p + j] * v[j];
        }
        if (own && sum < best) {
            second = best;
            best = sum;
            winner = (int)c;
        } else if (own && sum < second) {
            second = sum;
        }
    }
    *margin = second - best;
    return winner;
}

#endif
