/* fit.h - what other rooms ask of a fit beside its public functions. */
#ifndef SPD_LEARN_FIT_H
#define SPD_LEARN_FIT_H

#include "base/classes.h"
#include "base/context.h"

/* Iterations between fresh starts of the engine, which wash rounding errors out. */
#define FIT_REFRESH 50

/* The gradient, relative to the cost, that ends a fit (optim/minimise.h). */
#define FIT_GTOL 1e-6

/* *mine <- the caller's options, whatever version it was compiled with; NULL: the defaults. read
 * leaves open what they leave open (usual_choices), take does not. */
spd_status fit_options_read(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine);
spd_status fit_options_take(spd_context *ctx, const spd_fit_options *given, spd_fit_options *mine);

/* What a fit takes where its options leave it open, and the one place that knows. */

/* objective, init, coordinates and solver that are left to choose <- the usual ones, or the
 * paper's. Start and coordinates may stay open: the fit chooses them when it knows its graph. */
void usual_choices(spd_fit_options *options);

/* nu_w and nu_b of supervised learning on p samples that are 0 <- the usual ones of the objective.
 * More than a class has means all of it. */
void usual_nu(size_t p, const classes *c, spd_fit_options *options);

/* The same for maps to choose settings by: softmax has fewer candidates. */
void usual_nu_roughly(spd_fit_options *options);

/* SPD_EINVAL, with the reason, for what cannot be fitted. */
spd_status fit_options_check(spd_context *ctx, const spd_set *set, const spd_fit_options *options);

/* A graph that is known already. */
typedef struct fit_graph {
    size_t pairs;
    const spd_pair *pair;
} fit_graph;

/* spd_fit whose first graph, which the options ask for, is known already or, with a graph of NULL,
 * is not. The processor does what a GPU asked for by name has no kernels for. */
spd_status fit_on_graph(spd_context *ctx, const spd_set *X, const int *label,
                        const spd_fit_options *options, const fit_graph *graph, spd_model **model);

/* Is there a cost under that metric? */
int fit_metric(spd_metric metric);

/* Does the fit minimise the approximate log-Euclidean cost (logarithms.h)? */
int fit_approximates(const spd_fit_options *options);

#endif
