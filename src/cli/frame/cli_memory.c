/* cli_memory.c - calloc with a message, and a list of what it gave. */
#include "cli/frame/cli_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cli/frame/message.h"

#define LARGE 0x1p24 /* bytes from which on it is asked whether they are there */

void cli_out_of_memory(const char *what)
{
    cli_error("out of memory for %s", what);
    cli_leave(CLI_FAILED);
}

/* What stands before the bytes that are handed out. */
typedef struct block {
    struct block *older, *newer;
    void *thing; /* of cli_keep */
    void (*release)(void *thing);
} block;

static block *newest;

static void add_block(block *b)
{
    b->older = newest;
    if (newest)
        newest->newer = b;
    newest = b;
}

void *cli_alloc(size_t count, size_t size, const char *what)
{
    block *b = count < (SIZE_MAX - sizeof *b) / size ? calloc(1, sizeof *b + count * size) : NULL;
    if (!b)
        cli_out_of_memory(what);
    add_block(b);
    return b + 1;
}

void *cli_alloc_table(size_t rows, size_t columns, size_t size, const char *what)
{
    char text[160];
    const double bytes = (double)rows * (double)columns * (double)size;
    if (bytes < LARGE)
        return cli_alloc(rows * columns, size, what);
    const double left = limits_left();
    snprintf(text, sizeof text,
             "%zu x %zu %s (%.3g GiB, and %.3g GiB are available); use smaller sets", rows, columns,
             what, bytes / 0x1p30, left / 0x1p30);
    if (bytes > left)
        cli_out_of_memory(text);
    return cli_alloc(rows * columns, size, text);
}

char *cli_text(const char *text, size_t length)
{
    return memcpy(cli_alloc(length + 1, 1, "a text"), text, length);
}

static void end_block(block *b)
{
    if (b->release)
        b->release(b->thing);
    free(b);
}

static void end_newest(void)
{
    block *b = newest;
    newest = b->older;
    if (newest)
        newest->newer = NULL;
    end_block(b);
}

void cli_free(void *bytes)
{
    block *b = bytes ? (block *)bytes - 1 : NULL;
    if (!b)
        return;
    if (b == newest) {
        end_newest();
        return;
    }
    b->newer->older = b->older;
    if (b->older)
        b->older->newer = b->newer;
    end_block(b);
}

void cli_keep(void *thing, void (*release)(void *thing))
{
    block *b = calloc(1, sizeof *b);
    if (!b) {
        release(thing);
        cli_out_of_memory("a list");
    }
    b->thing = thing;
    b->release = release;
    add_block(b);
}

static void (*last_words)(int code);

void cli_before_leaving(void (*act)(int code))
{
    last_words = act;
}

void cli_leave(int code)
{
    if (last_words)
        last_words(code);
    while (newest)
        end_newest();
    exit(code);
}

void *cli_mark(void)
{
    return cli_alloc(0, 1, "a list");
}

void cli_release(void *mark)
{
    while (newest != (block *)mark - 1)
        end_newest();
    cli_free(mark);
}

/* One function for each type that has one to free it. */
#define KEEPER(type)                                                                               \
    static void free_##type(void *thing)                                                           \
    {                                                                                              \
        spd_##type##_free(thing);                                                                  \
    }                                                                                              \
    void keep_##type(spd_##type *thing)                                                            \
    {                                                                                              \
        cli_keep(thing, free_##type);                                                              \
    }

KEEPER(array)
KEEPER(classifier)
KEEPER(data)
KEEPER(evaluation)
KEEPER(fit_state)
KEEPER(league)
KEEPER(model)
KEEPER(samples)
KEEPER(set)
