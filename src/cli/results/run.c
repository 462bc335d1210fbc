/* run.c - an evaluation by the library, with its remarks in words. */
#include "cli/results/results.h"

#include "cli/frame/cli_memory.h"
#include "cli/frame/tuning.h"
#include "cli/frame/words.h"

char *results_alignment(const results *e)
{
    for (size_t m = 0; m < e->methods; m++)
        if (!spd_method_on_vectors(&e->method[m]))
            return aligning_text(&e->method[m], e->centred.count ? e->centred.column : NULL);
    return NULL;
}

/* What is told while the library works. */
typedef struct telling {
    session *s;
    results *e; /* with remarks that were made */
    tuning_watch tuning;
    double began;       /* by bar_clock, the first round */
    double before_this; /* the end of the last one that is finished */
    size_t rounds;      /* so many are */
} telling;

/* A remark in words. */
static char *remark_text(const results *e, const spd_evaluation *found, const spd_remark *r)
{
    char text[ROUND_NAME];
    const spd_data *d = e->set.data;
    const char *source = d->source, *name = d->class_name[r->label];
    const char *round = protocol_round(&e->protocol, found, r->round, text);
    if (r->kind == SPD_REMARK_SINGLES && r->count == 1)
        return words_text("%s: class %s has one sample: it is used for training and never tested",
                          source, name);
    if (r->kind == SPD_REMARK_SINGLES)
        return words_text("%s: %zu classes (such as %s) have one sample each: they are used for "
                          "training and never tested",
                          source, r->count, name);
    if (r->kind == SPD_REMARK_ONE_CLASS)
        return words_text("%s: all test matrices are of class %s; accuracy does not say how well "
                          "it is distinguished from the others",
                          source, name);
    if (r->kind == SPD_REMARK_POOR_ROUNDS)
        return words_text("%s: %zu of %zu rounds test only one class, the first is round %s, class "
                          "%s; there, balanced accuracy equals accuracy",
                          source, r->count, r->total, round, name);
    if (r->kind == SPD_REMARK_UNSEEN)
        return words_text("round %s: %zu of %zu test matrices are of classes without training "
                          "matrices (such as %s) and count as errors",
                          round, r->count, r->total, name);
    return words_text(RECOGNITION_POOLED, source);
}

static void make_remarks(telling *t, const spd_evaluation *found)
{
    for (size_t *made = &t->e->remarks.count; *made < found->remarks;) {
        words_take(&t->e->remarks, remark_text(t->e, found, found->remark[*made]));
        session_remark(t->s, "%s", t->e->remarks.word[*made - 1]);
    }
}

/* When all rounds will be over, as those before tell; 0: not known. */
static double foreseen_end(const telling *t, const spd_evaluation *found)
{
    if (t->rounds == 0 || t->s->ranks > 1)
        return 0.0;
    double each = (t->before_this - t->began) / (double)t->rounds;
    return t->began + each * (double)found->rounds;
}

/* The bar says which round and method are at hand, and what came out last. */
static void show_place(telling *t, const spd_evaluation *found, size_t round, size_t method)
{
    char whole[120], last[60];
    size_t next = method == SPD_NO_INDEX ? 0 : method + 1;
    int over = next == found->methods;
    if (t->began <= 0.0)
        t->began = bar_clock();
    if (over) {
        t->rounds++;
        t->before_this = bar_clock();
    }
    if (method != SPD_NO_INDEX)
        snprintf(last, sizeof last, "%.40s %.1f %%", found->method[method]->name,
                 100.0 * found->method[method]->outcome[round]->accuracy);
    const char *name = over ? "" : found->method[next]->name;
    if (found->rounds == 1)
        snprintf(whole, sizeof whole, "method %zu of %zu%s%.30s", over ? next : next + 1,
                 found->methods, over ? "" : ", ", name);
    else
        snprintf(whole, sizeof whole, "round %zu of %zu%s%.30s", round + 1, found->rounds,
                 over ? "" : ", ", name);
    bar_whole(&t->s->bar, whole, method == SPD_NO_INDEX ? NULL : last, foreseen_end(t, found));
}

static int tell(void *user, const spd_evaluation *found, size_t round, size_t method)
{
    telling *t = user;
    char text[ROUND_NAME];
    t->tuning.rounds = found->rounds;
    make_remarks(t, found);
    show_place(t, found, round, method);
    if (method != SPD_NO_INDEX)
        session_talk(
            t->s, "round %s, %s: %.1f %%", protocol_round(&t->e->protocol, found, round, text),
            found->method[method]->name, 100.0 * found->method[method]->outcome[round]->accuracy);
    return 0;
}

void results_run(session *s, results *e)
{
    telling t = {.s = s, .e = e};
    e->options.methods = e->methods;
    e->options.method = e->method_at;
    e->options.grid = &e->grid;
    e->options.after = tell;
    e->options.user = &t;
    tuning_open(&t.tuning, s);
    spd_status status = spd_evaluate(s->ctx, &e->set.samples, &e->options, &e->found);
    tuning_close(&t.tuning);
    bar_whole(&s->bar, NULL, NULL, 0.0);
    session_check_in(s, e->set.data->source, status);
    keep_evaluation(e->found);
    make_remarks(&t, e->found);
    for (size_t k = 0; k < e->found->methods; k++) {
        const spd_method_result *found = e->found->method[k];
        char *remark = session_unreached(s, found->name, found->outcome[0]->model);
        if (remark)
            words_take(&e->remarks, remark);
    }
}

double *results_by(const results *e, size_t method)
{
    const groups *by = &e->protocol.by;
    double *right = cli_alloc(2 * by->count, sizeof *right, "counts"), *total = right + by->count;
    for (size_t r = 0; r < e->found->rounds; r++) {
        const spd_round *round = e->found->round[r];
        const int *predicted = e->found->method[method]->outcome[r]->predicted;
        for (size_t i = 0; i < round->test_count; i++) {
            size_t sample = round->test[i];
            total[by->group[sample]]++;
            right[by->group[sample]] += predicted[i] == e->set.samples.label[sample];
        }
    }
    for (size_t v = 0; v < by->count; v++)
        right[v] /= total[v]; /* 0 / 0 is NaN */
    return right;
}
