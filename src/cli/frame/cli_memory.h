/* cli_memory.h - the command's own allocations: they succeed, or the command ends with a line
 * that says what did not fit. What is not freed before is freed when the command has run. */
#ifndef SPD_CLI_FRAME_CLI_MEMORY_H
#define SPD_CLI_FRAME_CLI_MEMORY_H

#include "spdml-data.h"

/* count * size zeroed bytes; what names them in the message ("100 x 100 distances"). */
void *cli_alloc(size_t count, size_t size, const char *what);

/* rows * columns elements of size bytes, a table of things called what ("distances"). */
void *cli_alloc_table(size_t rows, size_t columns, size_t size, const char *what);

/* A copy of the first `length` characters of a text, and their end. */
char *cli_text(const char *text, size_t length);

/* Frees a block early: what is large, or made again and again. */
void cli_free(void *bytes);

/* Releases a thing that is not from here together with the blocks: a library's, a json_t. */
void cli_keep(void *thing, void (*release)(void *thing));

/* The same for things of the library, each by its own function; NULL is allowed. */
void keep_array(spd_array *array);
void keep_classifier(spd_classifier *classifier);
void keep_data(spd_data *data);
void keep_evaluation(spd_evaluation *evaluation);
void keep_fit_state(spd_fit_state *state);
void keep_league(spd_league *league);
void keep_model(spd_model *model);
void keep_samples(spd_samples *samples);
void keep_set(spd_set *set);

/* Frees all blocks and things since the mark, newest first, and the mark. */
void *cli_mark(void);
void cli_release(void *mark);

/* Releases everything and ends the program with that exit status. */
void cli_leave(int code) __attribute__((noreturn));

/* What cli_leave does first: a process that leaves early ends its job. */
void cli_before_leaving(void (*act)(int code));

/* Ends the command: out of memory for what. */
void cli_out_of_memory(const char *what) __attribute__((noreturn));

#endif
