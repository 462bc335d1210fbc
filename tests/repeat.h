/* repeat.h - one call many times, with every allocation failing once.
 *
 *   for (sweep_state s = SWEEP(ctx, 5, Y, sizeof Y); sweep_on(&s);)
 *       s.status = spd_embed(ctx, &o, N, P, X, Y, NULL, NULL); */
#ifndef SPD_REPEAT_H
#define SPD_REPEAT_H

#include "test.h"

/* The k-th allocation fails, k = 1, 2, ... until the call needs fewer: then, and only then, it is
 * good. Before: SPD_ENOMEM, a message, no block left, the output as it was. */
typedef struct sweep_state {
    spd_status status; /* of the call, by the caller */
    int remarks;       /* good is also what is more than SPD_OK; by the caller, as what follows */
    int tolerant;      /* some allocations may fail unnoticed */
    const char *what;  /* for messages; may be NULL */
    long k;
    const spd_context *ctx; /* may be NULL */
    long least, live;
    void *out, *before; /* the output, size bytes; may be NULL */
    size_t size;
    const char *file;
    int line;
} sweep_state;

/* At least so many allocations; out, size: what is untouched until the call is good. */
#define SWEEP(ctx, least, out, size) sweep_begin(ctx, least, out, size, __FILE__, __LINE__)

HELPER sweep_state sweep_begin(const spd_context *ctx, long least, void *out, size_t size,
                               const char *file, int line)
{
    sweep_state s = {.status = SPD_ENOMEM, .ctx = ctx, .least = least, .out = out, .size = size};
    s.file = file;
    s.line = line;
    s.live = mem_live();
    if (out)
        s.before = take_copy(memset(out, 0x55, size), size);
    return s;
}

HELPER void sweep_judge(const sweep_state *s, long to_come)
{
    const char *message = s->ctx ? said(s->ctx) : "out of memory for ";
    const int changed = s->out && memcmp(s->out, s->before, s->size) != 0;
    const char *what = s->what ? s->what : "it";
    test_check(to_come > 0 || s->status == SPD_ENOMEM || s->tolerant, s->file, s->line,
               "%s: allocation %ld fails unnoticed: status %d", what, s->k, (int)s->status);
    test_check(mem_live() == s->live, s->file, s->line, "%s: allocation %ld: %ld blocks are left",
               what, s->k, mem_live() - s->live);
    if (s->status == SPD_ENOMEM) {
        test_check(!changed, s->file, s->line, "%s: allocation %ld: output touched", what, s->k);
        test_check(strstr(message, "out of memory for ") && !strstr(message, "(null)"), s->file,
                   s->line, "%s: allocation %ld: '%s'", what, s->k, message);
        return;
    }
    test_check(s->status == SPD_OK || (s->status > 0 && s->remarks), s->file, s->line,
               "%s: status %d after %ld allocations: %s", what, (int)s->status, s->k - 1, message);
    test_check(s->k > s->least, s->file, s->line, "%s: %ld allocations", what, s->k - 1);
    test_check(!s->out || changed, s->file, s->line, "%s: output untouched", what);
}

/* Looks at what the call did, and whether it is to be made again. */
HELPER int sweep_on(sweep_state *s)
{
    if (s->k > 0)
        sweep_judge(s, mem_fail_at(0));
    if (s->status != SPD_ENOMEM || !test_check(s->k < 5000, s->file, s->line, "it never ends"))
        return 0;
    mem_fail_at(++s->k);
    return 1;
}

/* What the call makes: there if, and only if, it is good. */
#define CHECK_MADE(s, made)                                                                        \
    CHECK(((s).status >= 0) == ((made) != NULL), "allocation %ld: status %d", (s).k,               \
          (int)(s).status)

#endif
