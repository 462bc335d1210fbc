/* mat_pile.c - the values of cells, or of one field of structs, that become one array. */
#include <string.h>

#include "formats/mat.h"

void mat_pile_see(mat_pile *pile, const mat_variable *value)
{
    const mat_variable *like = &pile->like;
    if (pile->count == 0) {
        pile->like = *value;
        pile->text = 1;
        pile->numbers = value->kind == MAT_NUMBERS && value->rank == 2;
    }
    pile->count++;
    pile->text = pile->text && mat_is_text_cell(value);
    if (value->kind != MAT_NUMBERS || value->rank != 2 || value->dims[0] != like->dims[0] ||
        value->dims[1] != like->dims[1])
        pile->numbers = 0;
    else if (value->type.kind != like->type.kind || value->type.width != like->type.width)
        pile->like.type = (mat_type){'f', 8, 0};
    pile->like.is_complex |= value->is_complex;
}

/* Cells in a row or a column, not in a table. */
static int is_row(const mat_variable *cells)
{
    return cells->rank == 2 && (cells->dims[0] == 1 || cells->dims[1] == 1);
}

/* Structs are a row or a column too: texts of a field lie as the structs do. */
mat_variable mat_pile_variable(const mat_pile *pile, const mat_variable *cells)
{
    const mat_variable *like = &pile->like;
    mat_variable var = *cells;
    var.kind = MAT_CELLS;
    var.text = pile->text || pile->count == 0;
    if (var.text || !pile->numbers || !is_row(cells))
        return var;
    var = (mat_variable){.kind = MAT_NUMBERS, .type = like->type, .rank = 3};
    var.is_complex = like->is_complex;
    memcpy(var.dims, like->dims, 2 * sizeof *var.dims);
    var.dims[2] = pile->count;
    if (like->dims[0] == 1 && like->dims[1] == 1) { /* scalars are a column */
        var.rank = 2;
        var.dims[0] = pile->count;
    }
    return var;
}

int mat_pile_fits(const mat_variable *var, const mat_variable *value)
{
    const int scalars = var->rank == 2;
    return value->kind == MAT_NUMBERS && value->rank == 2 && value->is_complex <= var->is_complex &&
           value->dims[0] == (scalars ? 1 : var->dims[0]) &&
           value->dims[1] == (scalars ? 1 : var->dims[1]);
}
