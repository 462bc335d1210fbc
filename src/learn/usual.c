/* usual.c - the usual numbers of neighbours, by objective. */
#include "learn/usual.h"

#include "objective/objective.h"

/* Objectives that choose among candidates: all of them in sets of no more samples than this, and
 * beyond as many of the nearest. */
#define ALL_CANDIDATES_UP_TO 500
#define CANDIDATES_WITHIN    30
#define CANDIDATES_BETWEEN   60

/* Objectives of sums: a row for each; nu_w 0 stands for the smallest class, and then nu_b is no
 * more. */
typedef struct usual {
    size_t nu_w, nu_b;
} usual;

static const usual rows[] = {
    [SPD_DIFFERENCE] = {0, 3}, /* the paper's */
    [SPD_RATIO] = {5, 5},
};

static usual candidates(size_t p, const classes *c)
{
    if (p > ALL_CANDIDATES_UP_TO)
        return (usual){CANDIDATES_WITHIN, CANDIDATES_BETWEEN};
    return (usual){c->largest > 1 ? c->largest - 1 : 1, p - c->smallest};
}

void usual_nu(size_t p, const classes *c, spd_fit_options *options)
{
    usual row =
        objective_get(options->objective)->of_sums ? rows[options->objective] : candidates(p, c);
    if (options->nu_w == 0)
        options->nu_w = row.nu_w ? row.nu_w : c->smallest;
    if (options->nu_b == 0)
        options->nu_b = row.nu_w || row.nu_b < options->nu_w ? row.nu_b : options->nu_w;
}
