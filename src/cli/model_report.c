/* model_report.c - results and history of a fit, as a table or as JSON. */
#include "cli/model_report.h"

#include <stdio.h>

#define STEPS_SHOWN 4 /* at either end */

static void report_options(report *r, const spd_model *model)
{
    report_text(r, "metric", "metric", spd_metric_name(model->metric));
    report_text(r, "learning", "learning", spd_learning_name(model->learning));
    report_text(r, "objective", "objective", spd_objective_name(model->objective));
    report_text(r, "graph", NULL, spd_graph_name(model->graph));
    report_count(r, "nu_w", NULL, model->nu_w, "");
    report_count(r, "nu_b", NULL, model->nu_b, "");
    report_real(r, "affinity_weight", NULL, model->affinity_weight);
    report_text(r, "init", NULL, spd_init_name(model->init));
    report_count(r, "restarts", NULL, (size_t)model->restarts, "");
    report_json(r, "seed", json_integer((json_int_t)model->seed));
    report_text(r, "solver", NULL, spd_solver_name(model->solver));
    report_text(r, "transport", NULL, spd_transport_name(model->transport));
    report_real(r, "tol", NULL, model->tol);
    report_real(r, "gtol", NULL, model->gtol);
    report_count(r, "max_iter", NULL, (size_t)model->max_iter, "");
    report_real(r, "max_time", NULL, model->max_time);
    if (model->nu_w || model->nu_b)
        report_line(r, "neighbours", "%zu within, %zu between, %s, weight %g", model->nu_w,
                    model->nu_b, spd_graph_name(model->graph), model->affinity_weight);
    report_line(r, "start", "%s, seed %llu, %d %s", spd_init_name(model->init),
                (unsigned long long)model->seed, model->restarts,
                model->restarts == 1 ? "start" : "starts");
    report_line(r, "solver", "%s, %s transport", spd_solver_name(model->solver),
                spd_transport_name(model->transport));
}

/* Why the iteration ended, with the option that governs it. */
static const char *stop_reason(spd_stop stop)
{
    static const char *const reasons[] = {
        [SPD_STOP_TOLERANCE] = "the cost hardly falls any more (--tol)",
        [SPD_STOP_GRADIENT] = "the gradient is as good as zero (--gtol)",
        [SPD_STOP_ITERATIONS] = "the limit on iterations (--max-iter)",
        [SPD_STOP_TIME] = "the limit on time (--max-time)",
        [SPD_STOP_LINE_SEARCH] = "no step lowers the cost any more",
        [SPD_STOP_CANCELLED] = "interrupted; this is the best so far",
    };
    return (unsigned)stop < sizeof reasons / sizeof *reasons ? reasons[stop] : "unknown";
}

static void report_outcome(report *r, const spd_model *model)
{
    report_count(r, "pairs_within", NULL, model->pairs_within, "");
    report_count(r, "pairs_between", NULL, model->pairs_between, "");
    report_line(r, "pairs", "%zu within, %zu between", model->pairs_within, model->pairs_between);
    report_real(r, "cost_start", NULL, model->cost_start);
    report_line(r, "cost at start", "%.10g", model->cost_start);
    report_real(r, "cost", NULL, model->cost);
    report_line(r, "cost", "%.10g", model->cost);
    report_real(r, "gradient_norm", "gradient norm", model->gradient_norm);
    report_count(r, "iterations", "iterations", (size_t)model->iterations, "");
    report_text(r, "stop", NULL, spd_stop_name(model->stop));
    report_line(r, "stopped by", "%s: %s", spd_stop_name(model->stop), stop_reason(model->stop));
    report_count(r, "data_passes", "data passes", model->data_passes, "");
    report_real(r, "seconds_graph", NULL, model->seconds_graph);
    report_real(r, "seconds_fit", NULL, model->seconds_fit);
    report_line(r, "seconds", "%.3f for the graph, %.3f for the fit", model->seconds_graph,
                model->seconds_fit);
}

void model_report(report *r, const spd_model *model)
{
    report_count(r, "n", NULL, model->n, "");
    report_count(r, "m", NULL, model->m, "");
    report_line(r, "map", "%zu x %zu to %zu x %zu", model->n, model->n, model->m, model->m);
    report_options(r, model);
    report_outcome(r, model);
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

void model_report_history(report *r, const spd_model *model)
{
    if (!r->object) {
        print_steps(model);
        return;
    }
    json_t *list = report_json_list();
    for (size_t i = 0; i < model->steps; i++) {
        const spd_fit_step *h = &model->history[i];
        report_json_append(list,
                           json_pack("{s:o,s:o,s:o,s:o,s:i}", "cost", report_json_real(h->cost),
                                     "gradient_norm", report_json_real(h->gradient_norm), "step",
                                     report_json_real(h->step), "seconds",
                                     report_json_real(h->seconds), "probes", h->probes));
    }
    report_json(r, "history", list);
}

void model_report_map(report *r, const spd_model *model)
{
    if (report_is_small(model->n, model->m))
        report_matrix(r, "W", model->n, model->m, model->W);
}
