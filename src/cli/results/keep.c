/* keep.c - the trained methods of an evaluation, as files for `predict`.
 *
 * They are trained once more with the values that were chosen, on the same samples in the same
 * order: training has no chance in it, and they predict what the evaluation has seen. */
#include <stdio.h>
#include <string.h>

#include "cli/results/results.h"
#include "cli/frame/signals.h"
#include "cli/frame/text_file.h"

static void note(session *s, const results *e, const spd_outcome *o, spd_classifier *c)
{
    spd_metadata notes = recognition_notes(e->set.data);
    aligning_note(&e->centred, &notes);
    notes.settings = o->settings;
    notes.folds = o->folds;
    notes.accuracy = o->cv_accuracy;
    notes.accuracy_no_map = o->cv_accuracy_no_map;
    spd_status status = spd_classifier_set_metadata(s->ctx, c, &notes);
    if (status < 0) {
        spd_classifier_free(c);
        session_fail(s, status);
    }
}

/* DIR/METHOD.spdml, or DIR/METHOD-3.spdml; what a round is called may hold a slash. */
static char *path_of(session *s, const results *e, size_t method, size_t round)
{
    char name[SPD_METHOD_NAME + ROUND_NAME + 100], text[ROUND_NAME];
    const char *called = protocol_round(&e->protocol, e->found, round, text);
    if (e->found->rounds == 1)
        snprintf(name, sizeof name, "%s.spdml", e->found->method[method]->name);
    else
        snprintf(name, sizeof name, "%s-%.90s.spdml", e->found->method[method]->name, called);
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '_';
    return text_file_in(arguments_text(s->args, "keep"), name);
}

static void keep_one(session *s, const results *e, const spd_samples *train, size_t method,
                     size_t round)
{
    const spd_outcome *o = e->found->method[method]->outcome[round];
    spd_method chosen = o->chosen;
    spd_classifier *c = NULL;
    chosen.fit = e->method[method].fit;
    spd_status status = spd_classifier_fit(s->ctx, &chosen, train, NULL, &c);
    session_check_in(s, e->set.data->source, status);
    note(s, e, o, c);
    char *path = path_of(s, e, method, round);
    status = spd_classifier_save(s->ctx, c, path);
    spd_classifier_free(c);
    session_check(s, status);
    session_talk(s, "wrote %s", path);
}

size_t results_keep(session *s, const results *e)
{
    size_t count = 0;
    if (!arguments_text(s->args, "keep") || session_follows(s))
        return 0;
    spd_ranks_pause(s->ctx, 1); /* other processes keep nothing */
    for (size_t r = 0; r < e->found->rounds; r++) {
        const spd_round *round = e->found->round[r];
        spd_samples *train = NULL;
        session_check(s, spd_samples_subset(s->ctx, &e->set.samples, round->train_count,
                                            round->train, &train));
        keep_samples(train);
        for (size_t m = 0; m < e->found->methods; m++, count++) {
            if (signals_interrupted())
                session_fail(s, SPD_ECANCELLED);
            keep_one(s, e, train, m, r);
        }
    }
    bar_clear(&s->bar);
    return count;
}
