/* fuzz.h - what the fuzz targets share.
 *
 * Files are lent from memory: whoever opens one of their names gets the bytes (support.c stands
 * between the readers and the system, by the linker's --wrap). A structured target reads its input
 * as a recipe, from which it makes files and calls that get past checksums and first checks. */
#ifndef SPD_TESTS_FUZZ_H
#define SPD_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "spdml-data.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

/* ---- promises -------------------------------------------------------------------------------- */

/* A context with one thread, the same for all inputs. */
spd_context *fuzz_context(void);

/* Aborts unless an object was made exactly by a success, and a failure has a message. */
void fuzz_check(spd_context *ctx, spd_status status, const void *made);

/* Aborts unless a failure has a message. */
void fuzz_check_message(spd_context *ctx, spd_status status);

/* ---- files in memory ------------------------------------------------------------------------- */

/* Lends the bytes under a name, in place of what had it before; NULL takes them back. The name is
 * kept as it is. */
void fuzz_lend(const char *name, const unsigned char *bytes, size_t size);

/* The bytes that are lent under a name, or NULL. */
const unsigned char *fuzz_lent(const char *name, size_t *size);

struct io_file;

/* Reads every array of a file whose opening ended so, with fuzz_check, and closes it. */
void fuzz_read_arrays(spd_context *ctx, spd_status opened, struct io_file *file);

/* ---- the command ----------------------------------------------------------------------------- */

/* Runs a part of the command. What it asks exit for, or -1 when it comes back; what it prints goes
 * nowhere, and after a few hundredths of a second it finds itself interrupted by Ctrl-C. */
int fuzz_run(void (*part)(void *user), void *user);

/* ---- inputs as recipes ----------------------------------------------------------------------- */

/* What is left of the input; behind its end there are zeros. */
typedef struct fuzz_input {
    const unsigned char *at;
    size_t left;
} fuzz_input;

unsigned fuzz_byte(fuzz_input *in);
uint64_t fuzz_number(fuzz_input *in, size_t bytes);

/* 0 .. count-1 */
size_t fuzz_below(fuzz_input *in, size_t count);

/* Any double: round ones, those at the edges, or any bits. */
double fuzz_real(fuzz_input *in);

/* text (size) <- up to size-1 characters, none of them NUL; its length. */
size_t fuzz_text(fuzz_input *in, char *text, size_t size);

/* X (p x n x n) <- matrices that are positive definite, or symmetric, or anything. */
void fuzz_matrices(fuzz_input *in, size_t n, size_t p, double *X);

#endif
