/* support.c - linked into every fuzz target; see fuzz.h. */
#define _GNU_SOURCE
#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/context.h"
#include "base/memory.h"
#include "io/file.h"

/* ---- promises -------------------------------------------------------------------------------- */

spd_context *fuzz_context(void)
{
    static spd_context *ctx;
    if (!ctx) {
        ctx = spd_context_new();
        spd_context_set_threads(ctx, 1);
    }
    return ctx;
}

void fuzz_check_message(spd_context *ctx, spd_status status)
{
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort();
}

void fuzz_check(spd_context *ctx, spd_status status, const void *made)
{
    if ((status >= 0) != (made != NULL))
        abort();
    fuzz_check_message(ctx, status);
}

/* ---- files in memory ------------------------------------------------------------------------- */

enum { FILES = 16 };

static struct lent_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
} files[FILES];

void fuzz_lend(const char *name, const unsigned char *bytes, size_t size)
{
    struct lent_file *f = files;
    while (f < files + FILES && f->name && strcmp(f->name, name) != 0)
        f++;
    if (f == files + FILES)
        abort();
    *f = (struct lent_file){name, bytes, size};
}

static const struct lent_file *find_file(const char *name)
{
    for (const struct lent_file *f = files; f < files + FILES && f->name; f++)
        if (f->bytes && strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

const unsigned char *fuzz_lent(const char *name, size_t *size)
{
    const struct lent_file *f = find_file(name);
    if (!f)
        return NULL;
    *size = f->size;
    return f->bytes;
}

spd_status __real_source_open(spd_context *ctx, const char *path, io_source **source);
spd_status __wrap_source_open(spd_context *ctx, const char *path, io_source **source);
spd_status __real_source_load(spd_context *ctx, const char *path, io_source **source);
spd_status __wrap_source_load(spd_context *ctx, const char *path, io_source **source);

static spd_status open_lent(spd_context *ctx, const struct lent_file *f, io_source **source)
{
    return f->size ? source_lend(ctx, f->bytes, f->size, source)
                   : ctx_fail(ctx, SPD_EFORMAT, "is empty");
}

spd_status __wrap_source_open(spd_context *ctx, const char *path, io_source **source)
{
    const struct lent_file *f = find_file(path);
    return f ? open_lent(ctx, f, source) : __real_source_open(ctx, path, source);
}

spd_status __wrap_source_load(spd_context *ctx, const char *path, io_source **source)
{
    const struct lent_file *f = find_file(path);
    return f ? open_lent(ctx, f, source) : __real_source_load(ctx, path, source);
}

void fuzz_read_arrays(spd_context *ctx, spd_status opened, io_file *file)
{
    for (size_t i = 0; i < file->count && opened == SPD_OK; i++) {
        spd_array *array = NULL;
        fuzz_check(ctx, io_read_complex(ctx, file, &file->entry[i], &array), array);
        spd_array_free(array);
    }
    fuzz_check_message(ctx, opened);
    io_close(file);
}

/* ---- memory ---------------------------------------------------------------------------------- */

int __wrap_mem_could(double bytes);

/* As on a machine with a gibibyte: asking this one each time would take most of the time. */
int __wrap_mem_could(double bytes)
{
    return bytes <= 0x1p30;
}

/* ---- the command ----------------------------------------------------------------------------- */

#define PATIENCE (CLOCKS_PER_SEC / 33)

static jmp_buf way_back;
static int running, exit_code;
static clock_t began;

void __real_exit(int code) __attribute__((noreturn));
void __wrap_exit(int code) __attribute__((noreturn));
int __real_signals_interrupted(void);
int __wrap_signals_interrupted(void);

void __wrap_exit(int code)
{
    if (!running)
        __real_exit(code);
    exit_code = code;
    longjmp(way_back, 1);
}

int __wrap_signals_interrupted(void)
{
    return running && clock() - began > PATIENCE;
}

int fuzz_run(void (*part)(void *user), void *user)
{
    static FILE *nowhere;
    FILE *out = stdout, *err = stderr;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    stdout = stderr = nowhere;
    began = clock();
    exit_code = -1;
    running = 1;
    if (setjmp(way_back) == 0)
        part(user);
    running = 0;
    stdout = out;
    stderr = err;
    return exit_code;
}

/* ---- inputs as recipes ----------------------------------------------------------------------- */

unsigned fuzz_byte(fuzz_input *in)
{
    if (!in->left)
        return 0;
    in->left--;
    return *in->at++;
}

uint64_t fuzz_number(fuzz_input *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)fuzz_byte(in) << (8 * i);
    return value;
}

size_t fuzz_below(fuzz_input *in, size_t count)
{
    return fuzz_byte(in) % count;
}

double fuzz_real(fuzz_input *in)
{
    static const double edges[] = {0.0,     -0.0,   1e-300,  NAN,         INFINITY, -INFINITY,
                                   DBL_MIN, 5e-324, DBL_MAX, -DBL_MAX,    1e290,    1e-290,
                                   1e150,   1e-150, 0x1p53,  DBL_EPSILON, 1e9,      -1e9};
    unsigned kind = fuzz_byte(in);
    if (kind < 200)
        return ((double)kind - 100.0) / 8.0;
    if (kind < 218)
        return edges[kind - 200];
    uint64_t bits = fuzz_number(in, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t fuzz_text(fuzz_input *in, char *text, size_t size)
{
    size_t length = 0, most = fuzz_byte(in);
    while (length < most && length + 1 < size && in->left && *in->at)
        text[length++] = (char)fuzz_byte(in);
    text[length] = '\0';
    return length;
}

/* A A' + I, A from small numbers. */
static void definite_matrix(fuzz_input *in, size_t n, double scale, double *X)
{
    double A[64];
    for (size_t i = 0; i < n * n; i++)
        A[i] = ((double)fuzz_byte(in) - 128.0) / 64.0;
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < n; c++) {
            double sum = r == c ? 1.0 : 0.0;
            for (size_t k = 0; k < n; k++)
                sum += A[r * n + k] * A[c * n + k];
            X[r * n + c] = scale * sum;
        }
}

void fuzz_matrices(fuzz_input *in, size_t n, size_t p, double *X)
{
    unsigned kind = fuzz_byte(in);
    double scale = kind & 4 ? ldexp(1.0, (int)(int8_t)fuzz_byte(in) * 8) : 1.0;
    if (n > 8)
        abort();
    for (size_t i = 0; i < p; i++, X += n * n) {
        if ((kind & 3) < 2) {
            definite_matrix(in, n, scale, X);
            continue;
        }
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++)
                X[r * n + c] = (kind & 3) == 2 && c < r ? X[c * n + r] : scale * fuzz_real(in);
    }
}
