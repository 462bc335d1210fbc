/* fingerprint.c - are the matrices good, and which data does a fit belong to: a hash of the
 * matrices, chunk by chunk, of the labels and of the sizes. Ranks share the chunks, and threads
 * those of a set in memory; another one is read once, in order. */
#include "base/memory.h"
#include "sets/blocks.h"
#include "ops/check.h"
#include "run/parallel.h"
#include "run/split.h"
#include "learn/fitting.h"
#include "base/hash.h"

typedef struct hashing {
    const fit *f;
    split cut;
    uint64_t *chunk; /* cut.chunks */
    hash_stream now; /* of the chunk that is being read */
} hashing;

static spd_status hash_chunk(void *user, size_t chunk, int thread)
{
    const hashing *h = user;
    size_t n2 = h->f->n * h->f->n, first = chunk * h->cut.each;
    size_t count = h->cut.all - first < h->cut.each ? h->cut.all - first : h->cut.each;
    const double *X = set_doubles(h->f->set);
    (void)thread;
    h->chunk[chunk] = hash_bytes(0, X + first * n2, count * n2 * sizeof *X);
    return SPD_OK;
}

/* Samples first .. first+count-1 join the hashes of their chunks. */
static void hash_block(hashing *h, size_t first, size_t count, size_t n, const double *X)
{
    size_t n2 = n * n, each = h->cut.each;
    for (size_t i = first; i < first + count;) {
        size_t end = (i / each + 1) * each < h->cut.all ? (i / each + 1) * each : h->cut.all;
        size_t here = (end < first + count ? end : first + count) - i;
        if (i % each == 0)
            hash_begin(&h->now, 0);
        hash_add(&h->now, X + (i - first) * n2, here * n2 * sizeof *X);
        i += here;
        if (i == end)
            h->chunk[(i - 1) / each] = hash_end(&h->now);
    }
}

static spd_status examine_block(spd_context *ctx, void *user, size_t first, size_t count, size_t n,
                                const double *X)
{
    hashing *h = user;
    spd_status status = h->f->set->checked ? SPD_OK : check_part(ctx, "X", n, count, X, first, 0.0);
    if (status < 0 || set_doubles(h->f->set))
        return status;
    hash_block(h, first, count, n, X);
    return SPD_OK;
}

/* h->chunk, in all ranks; of a set in memory the chunks have yet to be gone through. */
static spd_status hash_all(spd_context *ctx, hashing *h)
{
    spd_status status = SPD_OK;
    if (set_doubles(h->f->set))
        status = ranks_settle(
            ctx, parallel_split(ctx, h->cut.chunks, hash_chunk, h, NULL, NULL, 0.0, NULL));
    if (status == SPD_OK)
        ranks_collect(h->cut.ranks, h->cut.chunks, 1, sizeof *h->chunk, h->chunk);
    return status;
}

spd_status fitting_examine(fit *f)
{
    const uint64_t sizes[] = {f->n, f->state.p, f->label != NULL};
    hashing h = {.f = f, .cut = split_make(f->ctx, f->state.p)};
    h.chunk = mem_zero(h.cut.chunks, sizeof *h.chunk);
    if (!h.chunk)
        return ctx_nomem(f->ctx, "the fingerprint");
    uint64_t labels = f->label ? hash_bytes(0, f->label, f->state.p * sizeof *f->label) : 0;
    spd_status status = blocks_share(f->ctx, f->set, "checking", examine_block, &h);
    if (status == SPD_OK)
        status = ranks_agree(f->ctx, labels, "hash of the labels");
    if (status == SPD_OK)
        status = hash_all(f->ctx, &h);
    if (status == SPD_OK) {
        uint64_t hash = hash_bytes(0, sizes, sizeof sizes);
        hash = hash_bytes(hash, h.chunk, h.cut.chunks * sizeof *h.chunk);
        f->state.fingerprint = hash_bytes(hash, &labels, sizeof labels);
    }
    mem_free(h.chunk);
    return set_locate(f->ctx, f->set, status);
}
