/* data_output.h - where convert and join write: a file, or standard output. */
#ifndef SPD_CLI_COMMANDS_DATA_OUTPUT_H
#define SPD_CLI_COMMANDS_DATA_OUTPUT_H

#include "cli/frame/session.h"

typedef struct data_output {
    const char *path; /* what the library shall write */
    int standard;     /* to be copied to standard output then */
} data_output;

/* --output and --to. */
extern const option options_data_to[];

/* Where --output says: a file known by its ending, which can be made, or "-", then in the format of
 * --to. Ends the command where that is not possible. */
data_output data_output_open(session *s);

/* The file is written: says so, or copies it. Nothing goes to standard output before all is there.
 */
void data_output_close(session *s, const data_output *out);

/* Has the file such an ending? */
int data_output_is(const data_output *out, const char *ending);

/* Writes a data set and says what the format has no place for. */
void data_output_save(session *s, const data_output *out, const spd_data *data);

/* *data <- of its samples those for which all clauses of --where hold. */
void data_output_select(session *s, spd_data **data);

#endif
