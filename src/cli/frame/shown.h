/* shown.h - complex matrices as users know them. The library holds their real forms, of twice the
 * size; sizes, arrays and distances that are shown or written are those of the complex ones. */
#ifndef SPD_CLI_FRAME_SHOWN_H
#define SPD_CLI_FRAME_SHOWN_H

#include "spdml-data.h"

/* Rows of matrices whose real forms have n, if they are complex. */
size_t shown_rows(size_t n, int hermitian);

/* The same of a data set, and of a model: n and m. */
size_t shown_n(const spd_data *data);
size_t shown_map_n(const spd_model *model);
size_t shown_map_m(const spd_model *model);

/* "complex " or "", before the word matrices. */
const char *shown_kind(int hermitian);

/* A matrix of rows x columns values, named for its file; complex ones are a copy. */
spd_array shown_matrix(const char *name, size_t rows, size_t columns, double *values,
                       int hermitian);

/* Ends the command unless matrices of both kinds and sizes go together: those of the data set `b`,
 * and what `a`, a file, `does` (maps, holds), of n x n. */
void shown_check(const char *a, const char *does, size_t n, int hermitian, const spd_data *b);

#endif
