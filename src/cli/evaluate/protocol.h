/* protocol.h - which samples train and which are tested, round by round. */
#ifndef SPD_CLI_EVALUATE_PROTOCOL_H
#define SPD_CLI_EVALUATE_PROTOCOL_H

#include "cli/evaluate/columns.h"

typedef struct protocol {
    const spd_data *data;
    size_t rounds;
    char *train, *test;  /* rounds x p flags; no sample has both in a round */
    char **round_name;   /* rounds: the value left out, or the number of the repeat */
    char text[400];      /* the protocol in words */
    int repeats_samples; /* a sample may be tested in several rounds */
    char *fold_column;   /* folds keep its values together; NULL: none */
    groups fold_groups;  /* of fold_column */
    groups by;           /* --by; count 0 without */
} protocol;

/* p <- what the options say. An exit status after a message. Freed with protocol_free, always. */
int protocol_make(session *s, const spd_data *data, protocol *p);
void protocol_free(protocol *p);

/* Remarks on classes that the protocol cannot judge: those of one sample, which trains and is never
 * tested, and a test part with one class only. */
void protocol_remark(session *s, const protocol *p);

/* How many samples a row of flags has. */
size_t protocol_count(const protocol *p, const char *flags, size_t round);

#endif
