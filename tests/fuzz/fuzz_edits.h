/* fuzz_edits.h - a file that the library has written, and edits of it: values
 * of meta.json, numbers and shapes of arrays, arrays that go or change places. */
#ifndef SPD_TESTS_FUZZ_EDITS_H
#define SPD_TESTS_FUZZ_EDITS_H

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz.h"
#include "io/array.h"
#include "io/file.h"
#include "learn/model.h"

enum { EDIT_N = 3, EDIT_P = 6, EDIT_ARRAYS = 16, EDITS = 12 };

/* The data that was learned from: six matrices 3 x 3 of two classes. */
typedef struct edit_data {
    double X[EDIT_P * EDIT_N * EDIT_N];
    int label[EDIT_P];
} edit_data;

static inline void edit_data_make(edit_data *d)
{
    memset(d, 0, sizeof *d);
    for (size_t i = 0; i < EDIT_P; i++) {
        double *X = d->X + i * EDIT_N * EDIT_N, off = 0.25 * (double)(i % 3);
        d->label[i] = (int)(i % 2);
        for (size_t k = 0; k < EDIT_N; k++)
            X[k * EDIT_N + k] = 1.0 + (double)((i + 1) * (k + 1) % 5) + (double)d->label[i];
        X[1] = X[EDIT_N] = off;
        X[5] = X[7] = -off;
    }
}

/* *bundle <- what `save` writes to a file, which vanishes again. */
static inline void edit_read_back(spd_status (*save)(const char *path, void *user), void *user,
                                  io_bundle **bundle)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/spdml-fuzz-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(path);
    if (file < 0 || save(path, user) < 0 || bundle_read(NULL, path, bundle) < 0)
        abort();
    for (size_t i = 0; i < (*bundle)->count; i++)
        if (io_read_complex(NULL, (*bundle)->file, &(*bundle)->file->entry[i],
                            &(*bundle)->array[i]) < 0)
            abort();
    close(file);
    unlink(path);
}

/* ---- meta.json ------------------------------------------------------------------------------- */

static inline json_t *edit_value(fuzz_input *in)
{
    char text[40];
    double real;
    switch (fuzz_below(in, 8)) {
    case 0:
        return json_integer((json_int_t)fuzz_number(in, 8));
    case 1:
        real = fuzz_real(in);
        return json_real(real == real && real - real == 0.0 ? real : 1e300);
    case 2:
        fuzz_text(in, text, sizeof text);
        return json_string_nocheck(text);
    case 3:
        return json_null();
    case 4:
        return json_true();
    case 5:
        return json_object();
    case 6:
        return json_array();
    default:
        return json_integer((json_int_t)fuzz_byte(in) - 8);
    }
}

/* Sets or drops the k-th key of an object, or one of an object within it. */
static inline void edit_object(fuzz_input *in, json_t *object)
{
    size_t k = fuzz_byte(in), count = json_object_size(object);
    void *at = json_object_iter(object);
    for (size_t i = 0; count && i < k % count; i++)
        at = json_object_iter_next(object, at);
    if (!at)
        return;
    json_t *inner = json_object_iter_value(at);
    const char *key = json_object_iter_key(at);
    unsigned what = fuzz_byte(in);
    if (json_object_size(inner) && what < 200) {
        edit_object(in, inner);
    } else if (what == 255) {
        json_object_del(object, key);
    } else {
        char copy[64];
        snprintf(copy, sizeof copy, "%s", key);
        json_object_set_new_nocheck(object, copy, edit_value(in));
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static inline spd_array *edit_copy_text(const spd_array *from)
{
    spd_array *to = NULL;
    char *pool = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < from->count; i++)
        bytes += strlen(from->text[i]) + 1;
    if (array_new_text(NULL, from->ndim, from->shape, bytes, &to, &pool) < 0 ||
        array_rename(NULL, to, from->name) < 0)
        abort();
    for (size_t i = 0; i < from->count; i++) {
        to->text[i] = pool;
        pool = stpcpy(pool, from->text[i]) + 1;
    }
    return to;
}

static inline spd_array *edit_copy(const spd_array *from)
{
    spd_array *to = NULL;
    if (from->type == SPD_TYPE_TEXT)
        return edit_copy_text(from);
    if (array_new(NULL, from->type, from->ndim, from->shape, &to) < 0 ||
        array_rename(NULL, to, from->name) < 0)
        abort();
    if (from->type == SPD_TYPE_FLOAT64)
        memcpy(to->f64, from->f64, from->count * sizeof *to->f64);
    else
        memcpy(to->i64, from->i64, from->count * sizeof *to->i64);
    return to;
}

/* Another shape with as many elements, or fewer of them. */
static inline void edit_shape(fuzz_input *in, spd_array *a)
{
    size_t rows = fuzz_byte(in);
    if (a->ndim != 2 || rows == 0 || rows > a->count)
        return;
    a->shape[0] = rows;
    a->shape[1] = a->count / rows;
    a->count = a->shape[0] * a->shape[1];
}

static inline void edit_array(fuzz_input *in, io_bundle *b)
{
    spd_array *a = b->array[fuzz_below(in, b->count)], *other = b->array[fuzz_below(in, b->count)];
    size_t at = a->count ? (size_t)fuzz_number(in, 2) % a->count : 0;
    unsigned what = fuzz_byte(in);
    if (what < 200 && a->count && a->type == SPD_TYPE_FLOAT64)
        a->f64[at] = fuzz_real(in);
    else if (what < 200 && a->count && a->type == SPD_TYPE_INT64)
        a->i64[at] = (int64_t)(what < 150 ? fuzz_byte(in) : fuzz_number(in, 8));
    else if (what < 220)
        edit_shape(in, a);
    else if (what < 230 && a != other)
        array_rename(NULL, a, other->name);
    else if (what < 240 && a->count)
        for (size_t i = 0; i < a->count && a->type == SPD_TYPE_FLOAT64; i++)
            a->f64[i] = (double)(i % (a->shape[a->ndim - 1] + 1) == 0); /* a unit matrix */
}

/* *to <- an edited copy of a bundle: arrays, and meta as an object. */
static inline json_t *edit_bundle(fuzz_input *in, const io_bundle *from, const json_t *from_meta,
                                  io_bundle *to)
{
    json_t *meta = json_deep_copy(from_meta);
    if (from->count > EDIT_ARRAYS)
        abort();
    *to = (io_bundle){.count = from->count, .array = mem_zero(EDIT_ARRAYS, sizeof *to->array)};
    for (size_t i = 0; i < from->count; i++)
        to->array[i] = edit_copy(from->array[i]);
    for (size_t k = 0; k < EDITS && in->left && to->count; k++) {
        unsigned what = fuzz_byte(in);
        if (what < 150)
            edit_object(in, meta);
        else if (what < 254)
            edit_array(in, to);
        else
            spd_array_free(to->array[--to->count]);
    }
    return meta;
}

/* to->meta <- the text of an object, which is freed. */
static inline void edit_finish(json_t *meta, io_bundle *to)
{
    char *text = json_dumps(meta, JSON_REAL_PRECISION(17));
    to->meta = text ? mem_text(text) : mem_text("{}");
    free(text);
    json_decref(meta);
}

static inline void edit_free(io_bundle *b)
{
    for (size_t i = 0; i < b->count; i++)
        spd_array_free(b->array[i]);
    mem_free(b->array);
    mem_free(b->meta);
}

#endif
