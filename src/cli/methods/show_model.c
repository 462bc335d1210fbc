/* show_model.c - results and history of a fit, as a table or as JSON. */
#include "cli/methods/show_model.h"

#include <math.h>
#include <stdio.h>

#include "cli/frame/shown.h"

#define STEPS_SHOWN   4    /* at either end */
#define WORTH_TELLING 0.01 /* of the cost: what a fit that has converged may have left */

void show_log_cost(sheet *r, const spd_fit_options *o)
{
    if (o->metric == SPD_METRIC_LOG_EUCLIDEAN)
        sheet_text(r, "log_cost", "log-euclidean cost", spd_name(SPD_ENUM_LOG_COST, o->log_cost));
}

static void show_options(sheet *r, const spd_model *model)
{
    const spd_fit_options *o = model->options;
    sheet_text(r, "metric", "metric", spd_name(SPD_ENUM_METRIC, o->metric));
    show_log_cost(r, o);
    sheet_text(r, "learning", "learning", spd_name(SPD_ENUM_LEARNING, o->learning));
    sheet_text(r, "objective", "objective", spd_name(SPD_ENUM_OBJECTIVE, o->objective));
    sheet_count(r, "nu_w", NULL, o->nu_w, "");
    sheet_count(r, "nu_b", NULL, o->nu_b, "");
    sheet_text(r, "init", NULL, spd_name(SPD_ENUM_INIT, o->init));
    sheet_count(r, "restarts", NULL, (size_t)o->restarts, "");
    sheet_count(r, "starts", NULL, (size_t)model->starts, "");
    sheet_json(r, "seed", json_integer((json_int_t)o->seed));
    sheet_text(r, "solver", NULL, spd_name(SPD_ENUM_SOLVER, o->solver));
    sheet_text(r, "coordinates", NULL, spd_name(SPD_ENUM_COORDINATES, o->coordinates));
    sheet_text(r, "search", NULL, spd_name(SPD_ENUM_SEARCH, o->search));
    sheet_real(r, "recall", NULL, o->recall);
    sheet_real(r, "tol", NULL, o->tol);
    sheet_count(r, "max_iter", NULL, (size_t)o->max_iter, "");
    sheet_real(r, "max_time", NULL, o->max_time);
    if (o->nu_w || o->nu_b)
        sheet_line(r, "neighbours", "%zu within, %zu between", o->nu_w, o->nu_b);
    if (o->search == SPD_SEARCH_APPROXIMATE)
        sheet_line(r, "search", "approximate: %.1f %% of the neighbours are the true ones",
                   100 * o->recall);
    if (model->starts > 0 && model->starts < o->restarts)
        sheet_line(r, "start", "%s, seed %llu, %d of %d starts", spd_name(SPD_ENUM_INIT, o->init),
                   (unsigned long long)o->seed, model->starts, o->restarts);
    else
        sheet_line(r, "start", "%s, seed %llu, %d %s", spd_name(SPD_ENUM_INIT, o->init),
                   (unsigned long long)o->seed, o->restarts, o->restarts == 1 ? "start" : "starts");
    sheet_line(r, "solver", "%s, %s coordinates", spd_name(SPD_ENUM_SOLVER, o->solver),
               spd_name(SPD_ENUM_COORDINATES, o->coordinates));
}

int show_converged(spd_stop stop)
{
    return stop == SPD_STOP_TOLERANCE || stop == SPD_STOP_GRADIENT || stop == SPD_STOP_LINE_SEARCH;
}

/* Why the iteration ended, with the option that governs it. */
const char *show_stop_reason(spd_stop stop)
{
    static const char *const reasons[] = {
        [SPD_STOP_TOLERANCE] = "converged, the cost hardly falls any more (--tol)",
        [SPD_STOP_GRADIENT] = "converged, the gradient is nearly zero",
        [SPD_STOP_ITERATIONS] = "not converged, the limit on iterations (--max-iter)",
        [SPD_STOP_TIME] = "not converged, the limit on time (--max-time)",
        [SPD_STOP_LINE_SEARCH] = "converged, no step lowers the cost any more",
        [SPD_STOP_CANCELLED] = "not converged, interrupted; this is the best so far",
        [SPD_STOP_INVARIANT] = "not converged, W cannot leave the subspaces of its start",
    };
    return (unsigned)stop < sizeof reasons / sizeof *reasons ? reasons[stop] : "unknown";
}

/* What a fit might have gained, if it ended at a limit or may have ended too early. */
static void show_gain(sheet *r, const spd_model *model)
{
    double gain = spd_model_gain(model), fall = model->cost_start - model->cost;
    int converged = show_converged(model->stop);
    sheet_flag(r, "converged", NULL, converged);
    sheet_real(r, "gain_left", NULL, gain);
    if (model->stop == SPD_STOP_INVARIANT)
        sheet_line(r, "left to gain", "unknown: other starts can leave them (--init random)");
    else if (!converged && isnan(gain))
        sheet_line(r, "left to gain", "unknown: too few iterations to tell");
    else if (!converged || gain > WORTH_TELLING * fmax(fabs(model->cost), fall))
        sheet_line(r, "left to gain", "about %.2g, to a cost near %.4g (an estimate)", gain,
                   model->cost - gain);
}

static void show_outcome(sheet *r, const spd_model *model)
{
    sheet_count(r, "pairs_within", NULL, model->pairs_within, "");
    sheet_count(r, "pairs_between", NULL, model->pairs_between, "");
    sheet_line(r, "pairs", "%zu within, %zu between", model->pairs_within, model->pairs_between);
    sheet_real(r, "cost_start", NULL, model->cost_start);
    sheet_line(r, "cost at start", "%.10g", model->cost_start);
    sheet_real(r, "cost", NULL, model->cost);
    sheet_line(r, "cost", "%.10g", model->cost);
    sheet_real(r, "gradient_norm", "gradient norm", model->gradient_norm);
    sheet_count(r, "iterations", "iterations", (size_t)model->iterations, "");
    sheet_text(r, "stop", NULL, spd_name(SPD_ENUM_STOP, model->stop));
    sheet_line(r, "stopped by", "%s: %s", spd_name(SPD_ENUM_STOP, model->stop),
               show_stop_reason(model->stop));
    show_gain(r, model);
    sheet_count(r, "data_passes", "data passes", model->data_passes, "");
    sheet_real(r, "seconds_graph", NULL, model->seconds_graph);
    sheet_real(r, "seconds_fit", NULL, model->seconds_fit);
    sheet_line(r, "seconds", "%.3f for the graph, %.3f for the fit", model->seconds_graph,
               model->seconds_fit);
}

void show_model(sheet *r, const spd_model *model)
{
    size_t n = shown_map_n(model), m = shown_map_m(model);
    int hermitian = model->options->hermitian;
    sheet_size(r, n, hermitian);
    sheet_count(r, "m", NULL, m, "");
    sheet_line(r, "map", "%zu x %zu to %zu x %zu%s", n, n, m, m, hermitian ? ", complex" : "");
    show_options(r, model);
    show_outcome(r, model);
}

static void print_steps(const spd_model *model)
{
    printf("\n%10s %18s %14s %12s %10s %7s\n", "iteration", "cost", "gradient norm", "step",
           "seconds", "probes");
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        if (i == STEPS_SHOWN && model->steps > 2 * STEPS_SHOWN + 1) {
            printf("%10s\n", "...");
            i = model->steps - STEPS_SHOWN - 1;
            continue;
        }
        printf("%10zu %18.10g %14.4g %12.4g %10.3f %7d\n", i, h->cost, h->gradient_norm, h->step,
               h->seconds, h->probes);
    }
}

void show_model_history(sheet *r, const spd_model *model)
{
    if (!r->object) {
        print_steps(model);
        return;
    }
    json_t *list = sheet_json_list();
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        sheet_json_append(list, json_pack("{s:o,s:o,s:o,s:o,s:i}", "cost", sheet_json_real(h->cost),
                                          "gradient_norm", sheet_json_real(h->gradient_norm),
                                          "step", sheet_json_real(h->step), "seconds",
                                          sheet_json_real(h->seconds), "probes", h->probes));
    }
    sheet_json(r, "history", list);
}

void show_model_map(sheet *r, const spd_model *model)
{
    spd_array W = shown_matrix("W", model->n, model->m, model->W, model->options->hermitian);
    if (sheet_is_small(W.shape[0], W.shape[1]))
        (W.type == SPD_TYPE_COMPLEX128 ? sheet_complex_matrix : sheet_matrix)(r, "W", W.shape[0],
                                                                              W.shape[1], W.f64);
}
