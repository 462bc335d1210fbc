/* tables.c - materials, motion and faces: data, protocol, methods as in the paper. */
#include <string.h>

#include "cli/frame/cli_memory.h"
#include "cli/experiment/experiment.h"

/* ---- materials --------------------------------------------------------------------------------
 */

int experiment_textures(experiment *x, char **path)
{
    words synth = {0}, descriptor = {0};
    words_split(&synth, "textures", " ");
    words_split(&descriptor, "sift-color", " ");
    if (x->quick)
        words_split(&synth, "--classes 4 --samples 6 --size 64", " ");
    if (x->quick)
        words_split(&descriptor, "--size 64", " ");
    if (arguments_flag(x->s->args, "no-color"))
        words_split(&descriptor, "--no-color", " ");
    int code = experiment_matrices(x, &synth, &descriptor, path);
    words_free(&synth);
    words_free(&descriptor);
    return code;
}

int experiment_materials(experiment *x)
{
    words w = {0};
    char *path = NULL;
    int code = experiment_textures(x, &path);
    if (code)
        return code;
    experiment_evaluate_words(x, path, "evaluation", 1, &w);
    words_split(&w, "--split 0.5 --repeats", " ");
    words_add(&w, "%zu", x->repeats);
    code = experiment_step(x, &w);
    if (!code)
        code = experiment_gather(x, "evaluation", "accuracy", 0);
    words_free(&w);
    cli_free(path);
    return code;
}

/* ---- motion -----------------------------------------------------------------------------------
 */

/* The actions of HDM05 that the paper recognises. */
static const char *const actions[] = {
    "clapAboveHead1Reps", "depositFloorR",     "elbowToKnee1RepsLelbowStart",
    "grabHighR",          "hopBothLegs1hops",  "jogLeftCircle4StepsRstart",
    "kickLFront1Reps",    "lieDownFloor",      "rotateArmsBothBackward1Reps",
    "sitDownChair",       "sneak2StepsLStart", "squat3Reps",
    "standUpLieFloor",    "throwBasketball",
};
#define ACTIONS (sizeof actions / sizeof *actions)

static int has_word(const words *w, const char *word)
{
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i], word) == 0)
            return 1;
    return 0;
}

/* text <- the words with commas between, from first to before last. */
static char *joined(const words *w, size_t first, size_t last)
{
    size_t room = 1;
    for (size_t i = first; i < last; i++)
        room += strlen(w->word[i]) + 1;
    char *text = cli_alloc(room, 1, "a list");
    for (size_t i = first, at = 0; i < last; i++)
        at += (size_t)snprintf(text + at, room - at, "%s%s", i > first ? "," : "", w->word[i]);
    return text;
}

/* *clause <- "y=..." when there are all the paper's actions and others too, "" when all count. */
static int choose_actions(experiment *x, const char *path, char **clause)
{
    words there = {0}, wanted = {0};
    int code = experiment_values(x, path, "y", &there);
    for (size_t i = 0; i < ACTIONS && !code; i++)
        if (has_word(&there, actions[i]))
            words_add(&wanted, "%s%s", wanted.count ? "" : "y=", actions[i]);
    if (!code && x->data && wanted.count < ACTIONS)
        words_add(&x->notes,
                  "%zu of the paper's 14 actions are there; all %zu of the data are used",
                  wanted.count, there.count);
    int choose = wanted.count == ACTIONS && there.count > ACTIONS;
    *clause = joined(&wanted, 0, choose ? wanted.count : 0);
    words_free(&there);
    words_free(&wanted);
    return code;
}

/* Subjects in the order in which they train: bd and mm first, as in the paper, then by name. */
static int order_subjects(experiment *x, const char *path, words *subjects)
{
    words there = {0};
    int code = experiment_values(x, path, "subject", &there);
    int known = !code && has_word(&there, "bd") && has_word(&there, "mm");
    if (known)
        words_split(subjects, "bd mm", " ");
    for (size_t i = 0; i < there.count && !code; i++)
        if (!has_word(subjects, there.word[i]))
            words_add(subjects, "%s", there.word[i]);
    if (!code && subjects->count < 4) {
        cli_error("%s: has %zu subjects; motion needs four or more", path, subjects->count);
        code = CLI_FAILED;
    }
    words_free(&there);
    return code;
}

/* One split: the first so many subjects train, the others are tested. */
static int split_subjects(experiment *x, const char *path, const words *subjects, size_t train,
                          const char *clause)
{
    words w = {0};
    char folder[24], column[24];
    char *trained = joined(subjects, 0, train), *tested = joined(subjects, train, subjects->count);
    snprintf(folder, sizeof folder, "train-%zu", train);
    snprintf(column, sizeof column, "%zu train", train);
    experiment_evaluate_words(x, path, folder, 1, &w);
    const char *const side[] = {"--train-where", "--test-where"};
    for (int i = 0; i < 2; i++) {
        words_add(&w, "%s", side[i]);
        words_add(&w, "subject=%s", i ? tested : trained);
        if (clause[0]) {
            words_add(&w, "%s", side[i]);
            words_add(&w, "%s", clause);
        }
    }
    int code = experiment_step(x, &w);
    if (!code)
        code = experiment_gather(x, folder, column, 0);
    words_add(&x->notes, "%s: %s train, %s tested", column, trained, tested);
    cli_free(trained);
    cli_free(tested);
    words_free(&w);
    return code;
}

static int split_motion(experiment *x, const char *path)
{
    words subjects = {0};
    char *clause = NULL;
    int code = order_subjects(x, path, &subjects);
    if (!code)
        code = choose_actions(x, path, &clause);
    for (size_t train = 2; train <= 3 && !code; train++)
        code = split_subjects(x, path, &subjects, train, clause);
    words_free(&subjects);
    cli_free(clause);
    return code;
}

int experiment_motion(experiment *x)
{
    words synth = {0}, descriptor = {0};
    char *path = NULL;
    words_split(&synth, "motion", " ");
    words_split(&descriptor, "joints", " ");
    if (x->quick)
        words_split(&synth, "--classes 4 --samples 2 --frames 40", " ");
    int code = experiment_matrices(x, &synth, &descriptor, &path);
    if (!code)
        code = split_motion(x, path);
    words_free(&synth);
    words_free(&descriptor);
    cli_free(path);
    return code;
}

/* ---- faces ------------------------------------------------------------------------------------
 */

/* tested <- "pose=..." of the test poses that are there: 40, 25 and 15 degrees to either side. */
static int choose_poses(experiment *x, const char *path, char **tested)
{
    static const char *const poses[] = {"bc", "bd", "be", "bf", "bg", "bh"};
    words there = {0}, wanted = {0};
    int code = experiment_values(x, path, "pose", &there);
    for (size_t i = 0; i < sizeof poses / sizeof *poses && !code; i++)
        if (has_word(&there, poses[i]))
            words_add(&wanted, "%s%s", wanted.count ? "" : "pose=", poses[i]);
    if (!code && wanted.count == 0) {
        cli_error("%s: column pose has none of bc, bd, be, bf, bg, bh to test", path);
        code = CLI_FAILED;
    }
    if (!code && wanted.count < 6)
        words_add(&x->notes, "%zu of the six test poses are there", wanted.count);
    *tested = joined(&wanted, 0, wanted.count);
    words_free(&there);
    words_free(&wanted);
    return code;
}

/* Methods on images have no place on a data set of matrices alone. */
static void choose_methods(experiment *x, const char *path)
{
    spd_array *images = NULL;
    if (arguments_count(x->s->args, "methods"))
        return;
    if (spd_array_read(x->s->ctx, path, "images", &images) < 0) {
        x->methods = EXPERIMENT_METHODS;
        words_add(&x->notes, "without images there is no src and no gsrc");
    }
    spd_array_free(images);
}

static int split_faces(experiment *x, const char *path)
{
    words w = {0};
    char *tested = NULL;
    choose_methods(x, path);
    int code = choose_poses(x, path, &tested);
    if (!code) {
        experiment_evaluate_words(x, path, "evaluation", 1, &w);
        words_split(&w, "--train-where pose=ba,bj,bk --test-where", " ");
        words_add(&w, "%s", tested);
        words_split(&w, "--by pose", " ");
        code = experiment_step(x, &w);
    }
    if (!code)
        code = experiment_gather(x, "evaluation", "all", 1);
    words_free(&w);
    cli_free(tested);
    return code;
}

int experiment_faces(experiment *x)
{
    words synth = {0}, descriptor = {0};
    char *path = NULL;
    words_split(&synth, "faces", " ");
    words_split(&descriptor, "gabor --keep-images", " ");
    if (x->quick)
        words_split(&synth, "--classes 6 --size 32", " ");
    if (x->quick)
        words_split(&descriptor, "--size 32 --scales 2 --orientations 4", " ");
    int code = experiment_matrices(x, &synth, &descriptor, &path);
    if (!code)
        code = split_faces(x, path);
    words_free(&synth);
    words_free(&descriptor);
    cli_free(path);
    return code;
}
