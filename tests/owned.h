/* owned.h - memory that a test takes and does not free: it goes when the case ends, or the block of
 * a helper that says SCOPE first. Every block is one of malloc, so that sanitizers see its ends. */
#ifndef SPD_TEST_OWNED_H
#define SPD_TEST_OWNED_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define HELPER __attribute__((unused)) static

typedef struct owned {
    struct owned *before;
    void *what;
    void (*release)(void *what);
} owned;

static _Thread_local owned *all_owned; /* the newest first */

/* what, of which release(what) is called in the end. */
HELPER void *own(void *what, void (*release)(void *))
{
    owned *o = malloc(sizeof *o);
    if (!o)
        abort();
    *o = (owned){all_owned, what, release};
    all_owned = o;
    return what;
}

HELPER void *take(size_t bytes)
{
    void *block = malloc(bytes ? bytes : 1);
    if (!block)
        abort();
    return own(block, free);
}

HELPER void *take_zeros(size_t count, size_t size)
{
    return memset(take(count * size), 0, count * size);
}

HELPER void *take_copy(const void *bytes, size_t size)
{
    void *copy = take(size);
    return size ? memcpy(copy, bytes, size) : copy;
}

/* Releases all that was taken after mark, the newest first. */
HELPER void release_to(owned *const *mark)
{
    while (all_owned != *mark) {
        owned *o = all_owned;
        all_owned = o->before;
        o->release(o->what);
        free(o);
    }
}

/* Releases one thing early: what comes after must not need it. */
HELPER void release_early(void *what)
{
    for (owned **at = &all_owned; *at; at = &(*at)->before)
        if ((*at)->what == what) {
            owned *o = *at;
            *at = o->before;
            o->release(what);
            free(o);
            return;
        }
    free(what);
}

/* What is taken from here on is released at the end of the block. */
#define SCOPE __attribute__((cleanup(release_to), unused)) owned *const scope_mark = all_owned

/* A variable that is freed at the end of its block, by f(&variable): FREED_BY(f) type name = ...;
 * OWN(type) name: a pointer that type_free(name) frees. OWNED(type, pointer): the same pointer,
 * which type_free frees when the case ends. */
#define FREED_BY(f)          __attribute__((cleanup(f)))
#define OWN(type)            FREED_BY(type##_done) type *
#define OWNED(type, pointer) own(pointer, type##_gone)
#define OWNER(type)                                                                                \
    HELPER void type##_done(type **at)                                                             \
    {                                                                                              \
        type##_free(*at);                                                                          \
    }                                                                                              \
    HELPER void type##_gone(void *what)                                                            \
    {                                                                                              \
        type##_free(what);                                                                         \
    }

#define free(what) release_early(what)

#endif
