/* values.c - numbers, texts, arrays and structs between MATLAB and the library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gateway.h"

/* ---- texts ----------------------------------------------------------------------------------- */

/* What MATLAB makes of a value of a class that MEX functions cannot read: string, categorical. */
static const mxArray *as_cell(const mxArray *value)
{
    mxArray *in = (mxArray *)value, *out = NULL;
    mxArray *problem = mexCallMATLABWithTrap(1, &out, 1, &in, "cellstr");
    return problem ? NULL : out;
}

/* Of a class that mex.h does not know. Octave's mxIsClass loses memory, so this is asked first. */
static int is_foreign(const mxArray *value)
{
    return !mxIsChar(value) && !mxIsNumeric(value) && !mxIsLogical(value) && !mxIsCell(value) &&
           !mxIsStruct(value);
}

char *text_take(const mxArray *value)
{
    if (is_foreign(value) && mxIsClass(value, "string") && mxGetNumberOfElements(value) == 1) {
        const mxArray *cell = as_cell(value);
        value = cell ? mxGetCell(cell, 0) : value;
    }
    if (!mxIsChar(value) || mxGetNumberOfDimensions(value) != 2 ||
        (mxGetM(value) != 1 && mxGetNumberOfElements(value) > 0))
        return NULL;
    /* Octave does not free what mxArrayToString gives when an error ends the call. */
    size_t room = 4 * mxGetNumberOfElements(value) + 1;
    char *text = mxCalloc(room, 1);
    return mxGetString(value, text, (mwSize)room) == 0 ? text : NULL;
}

char *text_need(const mxArray *value, const char *name)
{
    char *text = text_take(value);
    if (!text)
        call_fail("invalidArgument", "%s must be a text", name);
    return text;
}

const char **texts_take(const mxArray *value, const char *name, size_t *count)
{
    char *one = text_take(value);
    const mxArray *cell = one || mxIsCell(value) ? value : as_cell(value);
    if (!cell)
        call_fail("invalidArgument", "%s must be a text or a cell array of texts", name);
    *count = one ? 1 : mxGetNumberOfElements(cell);
    const char **text = mxCalloc(*count + 1, sizeof *text);
    for (size_t i = 0; i < *count; i++) {
        const mxArray *element = one ? value : mxGetCell(cell, i);
        text[i] = one ? one : element ? text_take(element) : NULL;
        if (!text[i])
            call_fail("invalidArgument", "%s{%zu} must be a text", name, i + 1);
    }
    return text;
}

mxArray *words_of(size_t count, const char *const *text)
{
    mxArray *cell = mxCreateCellMatrix(count, 1);
    for (size_t i = 0; i < count; i++)
        mxSetCell(cell, i, mxCreateString(text[i]));
    return cell;
}

/* ---- numbers --------------------------------------------------------------------------------- */

mxArray *number(double value)
{
    return mxCreateDoubleScalar(value);
}

mxArray *indices_of(size_t count, const size_t *index)
{
    mxArray *array = mxCreateDoubleMatrix(1, count, mxREAL);
    for (size_t i = 0; i < count; i++)
        mxGetPr(array)[i] = (double)index[i] + 1.0;
    return array;
}

/* to (columns x rows) <- the transpose of from (rows x columns). */
static void transpose(size_t rows, size_t columns, const double *from, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
}

mxArray *matrix_of(size_t rows, size_t columns, const double *row_major)
{
    mxArray *array = mxCreateDoubleMatrix(rows, columns, mxREAL);
    transpose(rows, columns, row_major, mxGetPr(array));
    return array;
}

/* Element e of any array of real numbers. */
static double element(const mxArray *value, size_t e)
{
    switch (mxGetClassID(value)) {
    case mxDOUBLE_CLASS:
        return ((const double *)mxGetData(value))[e];
    case mxSINGLE_CLASS:
        return (double)((const float *)mxGetData(value))[e];
    case mxLOGICAL_CLASS:
        return ((const mxLogical *)mxGetData(value))[e];
    case mxINT8_CLASS:
        return ((const int8_t *)mxGetData(value))[e];
    case mxUINT8_CLASS:
        return ((const uint8_t *)mxGetData(value))[e];
    case mxINT16_CLASS:
        return ((const int16_t *)mxGetData(value))[e];
    case mxUINT16_CLASS:
        return ((const uint16_t *)mxGetData(value))[e];
    case mxINT32_CLASS:
        return ((const int32_t *)mxGetData(value))[e];
    case mxUINT32_CLASS:
        return ((const uint32_t *)mxGetData(value))[e];
    case mxINT64_CLASS:
        return (double)((const int64_t *)mxGetData(value))[e];
    case mxUINT64_CLASS:
        return (double)((const uint64_t *)mxGetData(value))[e];
    default:
        return (double)NAN;
    }
}

double *numbers_take(const mxArray *value, const char *name, size_t *count)
{
    if (!(mxIsNumeric(value) || mxIsLogical(value)) || mxIsComplex(value) || mxIsSparse(value))
        call_fail("invalidArgument", "%s must be an array of real numbers", name);
    *count = mxGetNumberOfElements(value);
    double *numbers = mxCalloc(*count + 1, sizeof *numbers);
    for (size_t e = 0; e < *count; e++)
        numbers[e] = element(value, e);
    return numbers;
}

/* ---- structs --------------------------------------------------------------------------------- */

mxArray *record(void)
{
    return mxCreateStructMatrix(1, 1, 0, NULL);
}

void field(mxArray *record, const char *name, mxArray *value)
{
    char legal[64];
    size_t length = 0;
    for (; *name && length + 1 < sizeof legal; name++)
        legal[length++] = *name == '-' || *name == ' ' ? '_' : *name;
    legal[length] = '\0';
    int number = mxGetFieldNumber(record, legal);
    mxSetFieldByNumber(record, 0, number >= 0 ? number : mxAddField(record, legal), value);
}

mxArray *whole(size_t value)
{
    return number((double)value);
}

static void free_bytes(void *bytes)
{
    spd_bytes_free(bytes);
}

mxArray *file_of(unsigned char *bytes, size_t count)
{
    call_keep(bytes, free_bytes);
    mxArray *file = record(), *inner = record();
    mxArray *array = mxCreateNumericMatrix(1, count, mxUINT8_CLASS, mxREAL);
    memcpy(mxGetData(array), bytes, count);
    field(inner, "bytes", array);
    field(file, "spdml", inner);
    return file;
}

/* ---- arrays of files ------------------------------------------------------------------------- */

/* The place in MATLAB's array of element e of a row-major one: (p, a, b) becomes a x b x p, as stacks
 * are; other shapes stay. */
static size_t place(const spd_array *a, size_t e)
{
    if (a->ndim == 3) {
        size_t r = a->shape[1], s = a->shape[2], i = e / (r * s), at = e % (r * s);
        return i * r * s + at % s * r + at / s;
    }
    size_t index = 0, stride = a->count;
    for (size_t d = a->ndim; d-- > 0; e /= a->shape[d]) {
        stride /= a->shape[d];
        index += e % a->shape[d] * stride;
    }
    return index;
}

mxArray *array_of(const spd_array *a)
{
    mwSize shape[SPD_MAX_DIMS + 2] = {1, 1};
    size_t ndim = a->ndim < 2 ? 2 : a->ndim;
    for (size_t d = 0; d < a->ndim; d++)
        shape[d] = a->ndim == 3 ? a->shape[(d + 1) % 3] : a->shape[d];
    int complex = a->type == SPD_TYPE_COMPLEX128;
    mxArray *array = a->type == SPD_TYPE_TEXT ? mxCreateCellArray(ndim, shape)
                                              : mxCreateNumericArray(ndim, shape, mxDOUBLE_CLASS,
                                                                     complex ? mxCOMPLEX : mxREAL);
    double *re = a->type == SPD_TYPE_TEXT ? NULL : mxGetPr(array),
           *im = complex ? mxGetPi(array) : NULL;
    for (size_t e = 0; e < a->count; e++) {
        size_t at = place(a, e);
        if (a->type == SPD_TYPE_TEXT)
            mxSetCell(array, at, mxCreateString(a->text[e]));
        else if (a->type == SPD_TYPE_INT64)
            re[at] = (double)a->i64[e];
        else
            re[at] = a->f64[complex ? 2 * e : e];
        if (complex)
            im[at] = a->f64[2 * e + 1];
    }
    return array;
}

/* shape <- that of the array in a file: p first; a vector of p has one dimension. */
static void shape_from(const mxArray *value, size_t p, spd_array *a)
{
    const mwSize *size = mxGetDimensions(value);
    size_t ndim = mxGetNumberOfDimensions(value);
    a->ndim = ndim;
    for (size_t d = 0; d < ndim && d < SPD_MAX_DIMS; d++)
        a->shape[d] = size[d];
    if (ndim == 2 && a->count == p && (size[0] == 1 || size[1] == 1)) {
        a->ndim = 1;
        a->shape[0] = p;
    } else if (ndim == 3 || (p == 1 && strcmp(a->name, "X") == 0)) {
        a->ndim = 3;
        a->shape[0] = ndim == 3 ? size[2] : 1;
        a->shape[1] = size[0];
        a->shape[2] = size[1];
    }
}

spd_array *array_from(const mxArray *value, const char *name, size_t p)
{
    spd_array *a = mxCalloc(1, sizeof *a);
    int complex = mxIsComplex(value);
    a->name = name;
    a->count = mxGetNumberOfElements(value);
    if (mxGetNumberOfDimensions(value) > SPD_MAX_DIMS)
        call_fail("invalidArgument", "%s has more than %d dimensions", name, SPD_MAX_DIMS);
    shape_from(value, p, a);
    if (!mxIsNumeric(value) && !mxIsLogical(value)) {
        a->type = SPD_TYPE_TEXT;
        a->ndim = 1;
        a->text = texts_take(value, name, &a->count);
        a->shape[0] = a->count;
        return a;
    }
    if (mxIsSparse(value) || (complex && !mxIsDouble(value)))
        call_fail("invalidArgument", "%s cannot be written: convert it by double(full(...))", name);
    a->type = complex ? SPD_TYPE_COMPLEX128 : SPD_TYPE_FLOAT64;
    a->f64 = mxCalloc((complex ? 2 : 1) * a->count + 1, sizeof *a->f64);
    for (size_t e = 0; e < a->count; e++) {
        size_t at = place(a, e);
        a->f64[complex ? 2 * e : e] = element(value, at);
        if (complex)
            a->f64[2 * e + 1] = mxGetPi(value)[at];
    }
    return a;
}

/* ---- labels ---------------------------------------------------------------------------------- */

typedef struct keyed {
    double value;
    const char *text;
    size_t sample;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Is the text a whole number? */
static int spells(const char *text, double *value)
{
    long long n;
    char back[32];
    if (sscanf(text, "%lld", &n) != 1)
        return 0;
    snprintf(back, sizeof back, "%lld", n);
    *value = (double)n;
    return strcmp(back, text) == 0;
}

static void take_keys(const mxArray *value, size_t p, const char *name, keyed *key, labels *l)
{
    size_t count;
    double ignored;
    if (mxIsNumeric(value) || mxIsLogical(value)) {
        double *y = numbers_take(value, name, &count);
        l->type = SPD_TYPE_INT64;
        for (size_t i = 0; i < count && i < p; i++) {
            if (y[i] != floor(y[i]) || fabs(y[i]) > 0x1p53)
                call_fail("invalidArgument", "%s(%zu) is %g; labels must be whole numbers or texts",
                          name, i + 1, y[i]);
            key[i].value = y[i];
        }
    } else {
        const char **text = texts_take(value, name, &count);
        int all = 1;
        l->type = SPD_TYPE_TEXT;
        for (size_t i = 0; i < count && i < p; i++) {
            key[i].text = text[i];
            all &= spells(text[i], &ignored);
        }
        for (size_t i = 0; all && i < count && i < p; i++)
            spells(text[i], &key[i].value);
    }
    if (count != p)
        call_fail("invalidArgument", "%s has %zu entries for %zu matrices", name, count, p);
}

void labels_take(call *c, const mxArray *value, size_t p, const char *name, labels *l)
{
    (void)c;
    keyed *key = mxCalloc(p + 1, sizeof *key);
    for (size_t i = 0; i < p; i++) {
        key[i].text = "";
        key[i].sample = i;
    }
    take_keys(value, p, name, key, l);
    qsort(key, p, sizeof *key, by_key);
    l->label = mxCalloc(p + 1, sizeof *l->label);
    l->name = mxCalloc(p + 1, sizeof *l->name);
    l->classes = 0;
    for (size_t i = 0; i < p; i++) {
        if (i == 0 || by_key(&key[i - 1], &key[i]) != 0) {
            char *text = mxCalloc(32, 1);
            snprintf(text, 32, "%.0f", key[i].value);
            l->name[l->classes++] = l->type == SPD_TYPE_TEXT ? key[i].text : text;
        }
        l->label[key[i].sample] = (int)l->classes - 1;
    }
}

mxArray *labels_of(size_t count, const int *label, const char *const *name, spd_type type)
{
    const char **text = mxCalloc(count + 1, sizeof *text);
    for (size_t i = 0; i < count; i++)
        text[i] = name[label ? (size_t)label[i] : i];
    if (type == SPD_TYPE_TEXT)
        return words_of(count, text);
    mxArray *array = mxCreateDoubleMatrix(count, 1, mxREAL);
    for (size_t i = 0; i < count; i++)
        if (sscanf(text[i], "%lf", &mxGetPr(array)[i]) != 1)
            mxGetPr(array)[i] = (double)NAN;
    return array;
}
