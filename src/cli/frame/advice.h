/* advice.h - the library's remedies in the words of the command. */
#ifndef SPD_CLI_FRAME_ADVICE_H
#define SPD_CLI_FRAME_ADVICE_H

#include <stddef.h>

#include "spdml.h"

/* A message with its advice. */
typedef struct advised {
    char text[800];
} advised;

/* "try --regularize 1e-6", or several: "try --shrinkage oas, --regularize 1e-3 or --model"; ""
 * where there is no remedy. */
void advice_words(unsigned remedy, double value, char *text, size_t size);

/* The message of a failure, and behind it "; try ...". */
advised advice_message(const spd_error *error);

/* The same of the last failure or remark in a context. */
advised advice_last(const spd_context *ctx);

#endif
