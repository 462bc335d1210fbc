/* mat.h - what the readers of MATLAB's format share. */
#ifndef SPD_FORMATS_MAT_H
#define SPD_FORMATS_MAT_H

#include <matio.h>

#include "base/context.h"

/* From MATLAB's dimensions to our shape, and where our elements lie in MATLAB's storage. */
void mat_order(size_t rank, const size_t *dims, size_t *shape, size_t *stride);

/* A char matrix: one text per row, trailing blanks removed. */
spd_status mat_decode_chars(spd_context *ctx, const matvar_t *var, spd_array **array);

/* Non-zero for a cell array whose cells are char rows or empty; knows it before data is read. */
int mat_is_text_cells(const matvar_t *var);

/* A cell array whose cells are char rows. */
spd_status mat_decode_cells(spd_context *ctx, const matvar_t *var, spd_array **array);

#endif
