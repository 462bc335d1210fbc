/* results.h - what `evaluate` was asked, and what the library found. */
#ifndef SPD_CLI_RESULTS_RESULTS_H
#define SPD_CLI_RESULTS_RESULTS_H

#include "cli/methods/aligning.h"
#include "cli/methods/recognition.h"
#include "cli/frame/words.h"

/* The protocol of the command line. */
typedef struct protocol {
    char text[400];          /* the protocol in words */
    char *train, *test;      /* flags of --train-where and --test-where; NULL: not given */
    const char *fold_column; /* whose values folds may keep together; NULL: none */
    groups fold_groups;      /* of fold_column */
    groups left_out, by;     /* --leave-one-group-out, --by; count 0 without */
    groups outer_groups;     /* --outer-groups; count 0 without */
} protocol;

/* Adds a protocol to a command line that names none: values of a column that names subjects,
 * sessions or the like are tested apart; else folds; of large sets one half; of small classes
 * repeated halves. Non-zero if it has added one. */
int protocol_add(const spd_data *data, arguments *a);

/* p, and what it means to the library, <- what the command line says; options point into p. */
void protocol_take(session *s, const spd_data *data, protocol *p, spd_evaluate_options *options);

#define ROUND_NAME 24

/* What a round is called: the value left out, or its number, which is put into text. */
const char *protocol_round(const protocol *p, const spd_evaluation *found, size_t round,
                           char text[ROUND_NAME]);

typedef struct results {
    recognition_set set;
    protocol protocol;
    size_t methods;
    spd_method *method;           /* methods, with the values that the user fixed */
    const spd_method **method_at; /* methods: where each is */
    spd_fit_options fit;          /* of learned maps */
    spd_grid grid;
    spd_evaluate_options options; /* points to all of these */
    spd_evaluation *found;
    groups centred; /* of --recenter; count 0 without */
    char *again;    /* the command line that repeats it, if methods or protocol were not given */
    words remarks;  /* its remarks in words */
    json_t *object; /* what --json prints, and files hold */
} results;

/* A number of a result: its mean, and its deviation. */
double results_mean(const spd_method_result *result, const spd_result_field *field);
double results_deviation(const spd_method_result *result, const spd_result_field *field);

/* The i-th field of the seconds. */
const spd_result_field *results_seconds(size_t i);

/* Normalising and recentring in words; NULL: neither. */
char *results_alignment(const results *e);

/* Runs it all, with remarks on the way. */
void results_run(session *s, results *e);

/* Accuracy over all rounds for each value of --by (protocol.by.count; NaN where none is
 * tested). */
double *results_by(const results *e, size_t method);

/* tables.c: as JSON; as a table, with a line about the page if there is one; what results_final has
 * chosen, in words. */
json_t *results_json(session *s, const results *e);
void results_print(const session *s, const results *e, int page);
void results_print_final(const json_t *list);

/* final.c: what the rounds have chosen for the methods that --final names, a JSON list with the
 * commands that train so; NULL: none was asked for. */
json_t *results_final(const session *s, const results *e);

/* The folders of --output and --keep: made where they are not there, and removed again when nothing
 * comes of it; can they be written to? Asked before long work. */
void results_make_folder(session *s);

/* Writes predictions.npz, confusion.npz, rounds.csv and results.json into the folder of --output,
 * each whole or not at all; nothing without --output. */
void results_write(session *s, const results *e);

/* final.json: the list of results_final. */
void results_write_final(session *s, const json_t *list);

/* Trains the methods with what was chosen, each round's on its training part, and writes them into
 * the folder of --keep: METHOD.spdml, or METHOD-ROUND.spdml where there are several rounds. Nothing
 * without --keep. How many there are. */
size_t results_keep(session *s, const results *e);

/* "m 23, nu-b 1..5, objective softmax", the values of a method's parameters; the range if rounds
 * differ, "-" if there are none. The size that the matrices have anyway is "m 30 (no map)". */
char *results_parameters(const results *e, size_t method);

#endif
