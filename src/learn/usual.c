/* usual.c - what is taken where the options leave it open. */
#include "learn/usual.h"

#include "learn/fit.h"
#include "objective/objective.h"

/* By measurement on ten sets (docs/results.md). */
#define USUAL_OBJECTIVE SPD_SOFTMAX

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
    return (usual){c->largest > 1 ? c->largest - 1 : 1, c->labelled - c->smallest};
}

/* The approximate log-Euclidean cost is meant for the paper's objective; candidates need labels. */
static spd_objective usual_objective(const spd_fit_options *o)
{
    int by_labels = o->learning == SPD_SUPERVISED && !o->own_pairs;
    return o->paper || !by_labels || fit_approximates(o) ? SPD_DIFFERENCE : USUAL_OBJECTIVE;
}

void usual_choices(spd_fit_options *options)
{
    if (options->objective == SPD_OBJECTIVE_AUTO)
        options->objective = usual_objective(options);
    if (options->init == SPD_INIT_AUTO && options->paper)
        options->init = SPD_INIT_IDENTITY;
    if (options->coordinates == SPD_COORDINATES_AUTO && options->paper)
        options->coordinates = SPD_COORDINATES_PLAIN;
    if (options->solver == SPD_SOLVER_AUTO)
        options->solver = options->paper ? SPD_POLAK_RIBIERE : SPD_LBFGS;
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
