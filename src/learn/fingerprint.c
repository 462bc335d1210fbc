/* fingerprint.c - which data a fit belongs to: a hash of the matrices, chunk by chunk, of the
 * labels and of the sizes. Threads and ranks share the chunks. */
#include "base/memory.h"
#include "engine/parallel.h"
#include "engine/split.h"
#include "learn/fitting.h"
#include "learn/hash.h"

typedef struct hashing {
    const fit *f;
    split cut;
    uint64_t *chunk; /* cut.chunks */
} hashing;

static spd_status hash_chunk(void *user, size_t chunk, int thread)
{
    const hashing *h = user;
    size_t n2 = h->f->n * h->f->n, first = chunk * h->cut.each;
    size_t count = h->cut.all - first < h->cut.each ? h->cut.all - first : h->cut.each;
    (void)thread;
    h->chunk[chunk] = hash_bytes(0, h->f->X + first * n2, count * n2 * sizeof *h->f->X);
    return SPD_OK;
}

spd_status fitting_fingerprint(fit *f)
{
    const uint64_t sizes[] = {f->n, f->state.p, f->label != NULL};
    hashing h = {.f = f, .cut = split_make(f->ctx, f->state.p)};
    h.chunk = mem_zero(h.cut.chunks, sizeof *h.chunk);
    if (!h.chunk)
        return ctx_nomem(f->ctx, "the fingerprint");
    uint64_t labels = f->label ? hash_bytes(0, f->label, f->state.p * sizeof *f->label) : 0;
    spd_status status = ranks_agree(f->ctx, labels, "hash of the labels");
    if (status == SPD_OK)
        status = ranks_settle(
            f->ctx, parallel_share(f->ctx, h.cut.chunks, hash_chunk, &h, NULL, NULL, 0.0, NULL));
    if (status == SPD_OK) {
        ranks_collect(h.cut.ranks, h.cut.chunks, 1, sizeof *h.chunk, h.chunk);
        uint64_t hash = hash_bytes(0, sizes, sizeof sizes);
        hash = hash_bytes(hash, h.chunk, h.cut.chunks * sizeof *h.chunk);
        f->state.fingerprint = hash_bytes(hash, &labels, sizeof labels);
    }
    mem_free(h.chunk);
    return status;
}
