/* c3d.c - markers of .c3d files.
 *
 * A frame holds for every point x, y, z and a fourth number whose sign says whether the point was
 * seen; as integers, which POINT:SCALE turns into lengths, or as floats, which are lengths
 * already. A gap between the frames a and b in which a marker was seen is filled by
 *   x(f) = x(a) + (f - a)/(b - a) (x(b) - x(a)). */
#include "formats/c3d.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/lines.h"
#include "formats/motion.h"

/* x (3) <- the point at an offset into the data; zero when it was not seen. */
static int read_point(const c3d_file *file, const unsigned char *at, double *x)
{
    double mark;
    if (file->scale > 0.0) {
        for (size_t i = 0; i < 3; i++)
            x[i] = (double)(int16_t)c3d_word(file, at + 2 * i) * file->scale;
        mark = (double)(int16_t)c3d_word(file, at + 6);
    } else {
        for (size_t i = 0; i < 3; i++)
            x[i] = c3d_float(file, at + 4 * i);
        mark = c3d_float(file, at + 12);
    }
    return mark >= 0.0 && isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* Between the frames a and b, in both of which the marker at x was seen. */
static void fill_gap(double *x, size_t stride, size_t a, size_t b)
{
    for (size_t f = a + 1; f < b; f++) {
        double t = (double)(f - a) / (double)(b - a);
        for (size_t i = 0; i < 3; i++)
            x[f * stride + i] = (1.0 - t) * x[a * stride + i] + t * x[b * stride + i];
    }
}

static void repeat(double *x, size_t stride, size_t from, size_t begin, size_t end)
{
    for (size_t f = begin; f < end; f++)
        memcpy(x + f * stride, x + from * stride, 3 * sizeof *x);
}

/* All frames of one marker; zero when it was never seen. */
static int read_marker(const c3d_file *file, size_t point, motion *clip)
{
    size_t number = file->scale > 0.0 ? 2 : 4, stride = 3 * clip->joints;
    size_t frame = (4 * file->points + file->analog) * number;
    const unsigned char *at = file->bytes + file->data + 4 * point * number;
    double *x = clip->position + 3 * point;
    size_t last = clip->frames; /* none seen yet */
    for (size_t f = 0; f < clip->frames; f++) {
        if (!read_point(file, at + f * frame, x + f * stride))
            continue;
        if (last == clip->frames)
            repeat(x, stride, f, 0, f);
        else
            fill_gap(x, stride, last, f);
        last = f;
    }
    if (last == clip->frames)
        return 0;
    repeat(x, stride, last, last + 1, clip->frames);
    return 1;
}

/* A new text from one label, blanks at its end dropped. */
static char *label(const unsigned char *bytes, size_t length)
{
    char plain[256]; /* a dimension is one byte */
    memcpy(plain, bytes, length);
    while (length && (plain[length - 1] == ' ' || plain[length - 1] == '\0'))
        length--;
    plain[length] = '\0';
    return text_from_bytes(plain);
}

/* POINT:LABELS holds up to 255 names, LABELS2 and so on the next ones; points beyond them have
 * empty names. */
static spd_status read_names(const c3d_file *file, motion *clip)
{
    char name[32] = "LABELS";
    c3d_parameter p;
    size_t i = 0;
    for (size_t part = 2; i < clip->joints && c3d_find(file, "POINT", name, &p); part++) {
        if (p.type != -1 || p.length == 0 || p.count == 0)
            break;
        for (size_t k = 0; k < p.count / p.length && i < clip->joints; k++, i++)
            if (!(clip->name[i] = label(p.data + k * p.length, p.length)))
                return ctx_nomem(file->ctx, "names of markers");
        snprintf(name, sizeof name, "LABELS%zu", part);
    }
    for (; i < clip->joints; i++)
        if (!(clip->name[i] = mem_text("")))
            return ctx_nomem(file->ctx, "names of markers");
    return SPD_OK;
}

static spd_status read_markers(const c3d_file *file, motion *clip)
{
    for (size_t i = 0; i < clip->joints; i++)
        if (!read_marker(file, i, clip))
            return ctx_fail(file->ctx, SPD_EFORMAT,
                            "marker %zu ('%s') is seen in no frame; remove it from the file, or "
                            "leave this clip out",
                            i + 1, word_show_text(clip->name[i]).text);
    return SPD_OK;
}

spd_status c3d_parse(spd_context *ctx, const unsigned char *bytes, size_t size, motion **clip)
{
    c3d_file file = {.ctx = ctx, .bytes = bytes, .size = size};
    motion *fresh = NULL;
    spd_status status = c3d_read_header(&file);
    if (status == SPD_OK)
        status = motion_new(ctx, file.frames, file.points, &fresh);
    if (status == SPD_OK)
        status = read_names(&file, fresh);
    if (status == SPD_OK)
        status = read_markers(&file, fresh);
    if (status == SPD_OK) {
        fresh->rate = file.rate;
        *clip = fresh;
    } else {
        motion_free(fresh);
    }
    return status;
}
