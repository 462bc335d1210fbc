/* stream.c - a stream whose bytes go to a function, by BSD's funopen. */
#include "base/memory.h"

typedef struct stream {
    void *cookie;
    cookie_io_functions_t functions;
} stream;

static int put(void *of, const char *bytes, int size)
{
    const stream *s = of;
    return (int)s->functions.write(s->cookie, bytes, (size_t)size);
}

static int end(void *of)
{
    mem_free(of);
    return 0;
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    (void)mode; /* always "w" */
    stream *s = mem_zero(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (stream){cookie, functions};
    FILE *f = funopen(s, NULL, put, NULL, end);
    if (!f)
        mem_free(s);
    return f;
}
