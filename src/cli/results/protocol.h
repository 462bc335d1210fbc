/* protocol.h - the protocol of the command line: as options of the library, and in words. */
#ifndef SPD_CLI_RESULTS_PROTOCOL_H
#define SPD_CLI_RESULTS_PROTOCOL_H

#include "cli/methods/groups.h"

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

#endif
