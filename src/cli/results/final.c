/* final.c - what a method would use on all data: its parameters, chosen as within the training part
 * of a round, and the command that trains it so. */
#include <math.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/frame/again.h"
#include "cli/frame/commands.h"
#include "cli/frame/text_file.h"
#include "cli/frame/tuning.h"

/* The options of evaluate that the command must not repeat: what was chosen stands in their place.
 */
static const char *const replaced[] = {"output",
                                       "cv",
                                       "cv-groups",
                                       "grid",
                                       "exhaustive",
                                       "time",
                                       "m",
                                       "nu-w",
                                       "nu-b",
                                       "k",
                                       "beta",
                                       "lambda",
                                       "beta-scale",
                                       "components",
                                       "dimensions",
                                       "cost",
                                       "objective",
                                       "normalize-kernel",
                                       "no-occlusion",
                                       NULL};

static char *train_command(const session *s, const spd_method *chosen)
{
    char name[SPD_METHOD_NAME];
    words w = {0};
    spd_method_name(chosen, name);
    words_add(&w, "spdml train");
    words_take(&w, shell_word(s->args->operands[0]));
    words_take(&w, words_text("--method %s", name));
    for (unsigned i = 0; i < SPD_PARAMETERS; i++) {
        double value = chosen->value[i];
        if (!spd_method_uses(chosen, (spd_parameter)i) || isnan(value))
            continue;
        if (i != SPD_PARAMETER_OBJECTIVE)
            again_value(spd_name(SPD_ENUM_PARAMETER, (spd_parameter)i), value, &w);
        else
            words_take(&w, words_text("--objective %s",
                                      spd_name(SPD_ENUM_OBJECTIVE, (spd_objective)value)));
    }
    if (chosen->normalize_kernel)
        words_add(&w, "--normalize-kernel");
    if (chosen->no_occlusion)
        words_add(&w, "--no-occlusion");
    words_add(&w, "--no-tune");
    again_options(s->args, commands_find("train"), replaced, &w);
    words_take(&w, words_text("-o %s.spdml", name));
    return words_join(&w, 0, w.count, " ");
}

static json_t *setting_json(session *s, const spd_method *chosen, const spd_tune_info *tuned)
{
    char name[SPD_METHOD_NAME];
    sheet r;
    spd_method_name(chosen, name);
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, name);
    sheet_json(&r, "parameters", recognition_json(chosen, chosen->value));
    sheet_count(&r, "settings", NULL, tuned->settings, "");
    sheet_json(&r, "folds", json_integer(tuned->folds));
    sheet_real(&r, "cv_accuracy", NULL, tuned->accuracy);
    sheet_real(&r, "cv_accuracy_no_map", NULL, tuned->accuracy_no_map);
    sheet_json(&r, "command", sheet_json_text(train_command(s, chosen)));
    return r.object;
}

/* Adds what is chosen for a method; a failure is no failure of the evaluation. */
static spd_status choose(session *s, const results *e, size_t method, json_t *list)
{
    spd_method chosen = e->method[method];
    spd_tune_info tuned = SPD_STRUCT(spd_tune_info);
    const spd_tune_options tuning = {.size = sizeof tuning,
                                     .folds = e->options.folds,
                                     .group =
                                         e->found->folds_grouped ? e->options.fold_group : NULL,
                                     .seed = e->options.seed,
                                     .grid = &e->grid,
                                     .exhaustive = e->options.exhaustive,
                                     .seconds = e->options.seconds};
    spd_status status = spd_tune(s->ctx, &chosen, &e->set.samples, &tuning, &tuned);
    if (status >= 0)
        sheet_json_append(list, setting_json(s, &chosen, &tuned));
    else if (status == SPD_ENOMEM)
        session_fail(s, status);
    else if (status == SPD_ECANCELLED)
        session_remark(s, "interrupted while parameters were chosen on all data; the results of "
                          "the evaluation are complete");
    else
        session_remark(s, "%s: no parameters for all data: %s", e->found->method[method]->name,
                       advice_last(s->ctx).text);
    return status;
}

static size_t most_accurate(const results *e)
{
    size_t best = 0;
    for (size_t m = 1; m < e->methods; m++)
        if (e->found->method[m]->accuracy > e->found->method[best]->accuracy)
            best = m;
    return best;
}

int results_final(session *s, const results *e, json_t **list)
{
    const char *which = arguments_text(s->args, "final");
    spd_status status = SPD_OK;
    tuning_watch watch;
    if (s->silent || strcmp(which, "none") == 0)
        return CLI_GOOD;
    *list = sheet_json_list();
    size_t first = strcmp(which, "best") == 0 ? most_accurate(e) : 0;
    size_t last = strcmp(which, "best") == 0 ? first + 1 : e->methods;
    session_talk(s, "choosing parameters on all data");
    tuning_open(&watch, s);
    for (size_t m = first; m < last && status != SPD_ECANCELLED; m++)
        status = choose(s, e, m, *list);
    tuning_close(&watch);
    bar_clear(&s->bar);
    return status == SPD_ECANCELLED ? CLI_INTERRUPTED : CLI_GOOD;
}
