/* labels.c - from labels as they are in a file to class numbers 0 .. classes-1.
 *
 * Labels are integers (stored as such, as floating point numbers with integer values, or as text
 * of digits) or texts. Classes are ordered as numbers when all labels are integers, else by
 * strcmp. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/data.h"
#include "io/text.h"

/* Characters of the longest int64 with its NUL. */
#define NUMBER_ROOM 21

typedef struct labelled {
    int64_t value;    /* 0 when the labels are texts */
    const char *text; /* "" when they are numbers */
    size_t sample;
} labelled;

static int by_label(const void *a, const void *b)
{
    const labelled *p = a, *q = b;
    if (p->value != q->value)
        return p->value < q->value ? -1 : 1;
    return strcmp(p->text, q->text);
}

/* *value <- the integer that a text spells in full; zero when it does not. */
static int whole_number(const char *text, int64_t *value)
{
    char *end;
    if (*text != '-' && (*text < '0' || *text > '9'))
        return 0;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*end || end == text || errno)
        return 0;
    *value = number;
    return 1;
}

static spd_status sort_keys(spd_context *ctx, const spd_array *y, labelled *key)
{
    int64_t value;
    int numbers = y->type == SPD_TYPE_TEXT;
    for (size_t i = 0; i < y->count && numbers; i++)
        numbers = whole_number(y->text[i], &value);
    for (size_t i = 0; i < y->count; i++) {
        key[i] = (labelled){0, "", i};
        if (y->type == SPD_TYPE_INT64) {
            key[i].value = y->i64[i];
        } else if (y->type == SPD_TYPE_TEXT) {
            key[i].text = y->text[i];
            if (numbers)
                whole_number(y->text[i], &key[i].value);
        } else if (fabs(y->f64[i]) < 0x1p53 && y->f64[i] == floor(y->f64[i])) {
            key[i].value = (int64_t)y->f64[i];
        } else {
            return ctx_fail_at(
                ctx, SPD_EINVAL, i, y->f64[i],
                "label %zu is %g; labels must be integers or strings, and numbers to be predicted "
                "must have another name than labels",
                i, y->f64[i]);
        }
    }
    qsort(key, y->count, sizeof *key, by_label);
    return SPD_OK;
}

/* Numbers the sorted keys: label (p) and *classes; *room <- characters of all names. */
static void number_classes(const labelled *key, size_t p, int *label, size_t *classes, size_t *room)
{
    size_t seen = 0, characters = 0;
    for (size_t i = 0; i < p; i++) {
        if (i == 0 || by_label(&key[i - 1], &key[i]) != 0) {
            characters += *key[i].text ? strlen(key[i].text) + 1 : NUMBER_ROOM;
            seen++;
        }
        label[key[i].sample] = (int)(seen - 1);
    }
    *classes = seen;
    *room = characters;
}

/* One block: classes pointers, then the names they point to. */
static const char **name_classes(const labelled *key, size_t p, size_t classes, size_t room,
                                 int texts)
{
    const char **name = mem_alloc(classes * sizeof *name + room, 1);
    if (!name)
        return NULL;
    char *at = (char *)(name + classes);
    for (size_t i = 0, c = 0; i < p; i++) {
        if (i > 0 && by_label(&key[i - 1], &key[i]) == 0)
            continue;
        name[c++] = at;
        size_t length = strlen(key[i].text);
        if (texts)
            memcpy(at, key[i].text, length + 1);
        else
            length = (size_t)snprintf(at, NUMBER_ROOM, "%" PRId64, key[i].value);
        at += length + 1;
    }
    return name;
}

spd_status labels_classify(spd_context *ctx, spd_data *data)
{
    const spd_array *y = data->y;
    size_t p = y->count, room = 0;
    if (p > INT_MAX)
        return ctx_fail(ctx, SPD_EINVAL, "more labels than can be numbered");
    labelled *key = mem_alloc(p, sizeof *key);
    data->label = mem_alloc(p, sizeof *data->label);
    spd_status status = SPD_OK;
    if (!key || !data->label)
        status = ctx_nomem(ctx, "labels");
    if (status == SPD_OK)
        status = sort_keys(ctx, y, key);
    if (status == SPD_OK) {
        number_classes(key, p, data->label, &data->classes, &room);
        data->class_name = name_classes(key, p, data->classes, room, y->type == SPD_TYPE_TEXT);
        if (!data->class_name)
            status = ctx_nomem(ctx, "class names");
    }
    mem_free(key);
    return status;
}
