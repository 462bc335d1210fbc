/* final.c - what a method would use on all data: the parameters that most rounds have chosen, and
 * the command that trains it so. */
#include <math.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/frame/again.h"
#include "cli/frame/commands.h"
#include "cli/frame/number.h"
#include "cli/frame/text_file.h"

/* The options of evaluate that the command must not repeat: what was chosen stands in their place.
 */
static const char *const replaced[] = {"output", "cv",   "cv-groups", "grid", "exhaustive", "time",
                                       "m",      "nu-w", "nu-b",      "k",    "objective",  NULL};

static char *train_command(const session *s, const spd_method *chosen)
{
    const command *train = commands_find("train");
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
        const char *parameter = spd_name(SPD_ENUM_PARAMETER, i);
        char number[NUMBER_TEXT];
        number_text(value, number);
        if (i == SPD_PARAMETER_OBJECTIVE)
            words_take(&w, words_text("--objective %s",
                                      spd_name(SPD_ENUM_OBJECTIVE, (spd_objective)value)));
        else if (command_option_named(train, parameter, strlen(parameter)))
            again_value(parameter, value, &w);
        else
            words_take(&w, words_text("--grid %s=%s", parameter, number));
    }
    words_add(&w, "--no-tune");
    again_options(s->args, train, replaced, &w);
    words_take(&w, words_text("-o %s.spdml", name));
    return words_join(&w, w.count, " ");
}

/* ---- what the rounds chose ------------------------------------------------------------------- */

/* A setting that rounds of a method have chosen, and how they did. */
typedef struct choice {
    const spd_outcome *outcome; /* of the first of them */
    size_t rounds;
    double cv_accuracy, accuracy; /* sums over them */
} choice;

static int same_setting(const spd_method *a, const spd_method *b)
{
    char one[SPD_METHOD_NAME], other[SPD_METHOD_NAME];
    spd_method_name(a, one);
    spd_method_name(b, other);
    int same = strcmp(one, other) == 0;
    for (unsigned i = 0; i < SPD_PARAMETERS; i++)
        same &= a->value[i] == b->value[i] || (isnan(a->value[i]) && isnan(b->value[i]));
    return same;
}

/* All rounds that chose as this one did. */
static choice choice_of(const spd_method_result *method, size_t rounds, size_t round)
{
    choice c = {.outcome = method->outcome[round]};
    for (size_t r = 0; r < rounds; r++) {
        const spd_outcome *o = method->outcome[r];
        if (!same_setting(&o->chosen, &c.outcome->chosen))
            continue;
        c.rounds++;
        c.cv_accuracy += o->cv_accuracy;
        c.accuracy += o->accuracy;
    }
    return c;
}

/* What most rounds chose; of equals what had the best cross-validation there, then the first. The
 * test part has no say. */
static choice usual_choice(const results *e, size_t method)
{
    choice best = choice_of(e->found->method[method], e->found->rounds, 0);
    for (size_t r = 1; r < e->found->rounds; r++) {
        choice c = choice_of(e->found->method[method], e->found->rounds, r);
        if (c.rounds > best.rounds ||
            (c.rounds == best.rounds && c.cv_accuracy > best.cv_accuracy + 1e-12))
            best = c;
    }
    return best;
}

static json_t *choice_json(const session *s, const results *e, size_t method)
{
    char name[SPD_METHOD_NAME];
    choice c = usual_choice(e, method);
    const spd_method *chosen = &c.outcome->chosen;
    sheet r;
    spd_method_name(chosen, name);
    sheet_open(&r, 1);
    sheet_text(&r, "method", NULL, name);
    sheet_json(&r, "parameters", recognition_json(chosen, chosen->value));
    sheet_count(&r, "settings", NULL, c.outcome->settings, "");
    sheet_count(&r, "chosen_in", NULL, c.rounds, "");
    sheet_count(&r, "rounds", NULL, e->found->rounds, "");
    sheet_real(&r, "accuracy", NULL, c.accuracy / (double)c.rounds);
    sheet_json(&r, "command", sheet_json_text(train_command(s, chosen)));
    return r.object;
}

json_t *results_final(const session *s, const results *e)
{
    const char *which = arguments_text(s->args, "final");
    if (strcmp(which, "none") == 0)
        return NULL;
    json_t *list = sheet_json_list();
    int one = strcmp(which, "best") == 0;
    size_t best = 0;
    for (size_t m = 1; m < e->methods; m++)
        if (e->found->method[m]->accuracy > e->found->method[best]->accuracy)
            best = m;
    for (size_t m = 0; m < e->methods; m++)
        if (!one || m == best)
            sheet_json_append(list, choice_json(s, e, m));
    return list;
}
