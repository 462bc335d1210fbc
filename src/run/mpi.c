/* mpi.c - a context joins the processes that MPI has started with this one.
 *
 * MPI itself is known to a module alone (mpi), which is loaded here. All ranks must compute
 * the same bits: so they are refused unless they have the same version of this library, the same
 * instruction set and the same BLAS. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "run/blas.h"
#include "run/module.h"
#include "mpi/module.h"

#define MODULE_NAME "libspdml-mpi.so"

/* What all ranks must have alike. */
typedef struct build_identity {
    char version[64], isa[64], blas[256];
} build_identity;

static spd_status load_module(spd_context *ctx, const mpi_module **module)
{
    mpi_module_entry entry = NULL;
    spd_status status = module_entry(ctx, MODULE_NAME, "MPI", MPI_MODULE_ENTRY, 1, (void **)&entry);
    if (status < 0)
        return status;
    const mpi_module *table = entry ? entry() : NULL;
    if (!table || table->version != MPI_MODULE_VERSION || table->size != sizeof *table ||
        table->ranks_size != sizeof(ranks))
        return ctx_fail(ctx, SPD_EDEVICE,
                        "%s is of another version than this library; install both from one build",
                        MODULE_NAME);
    *module = table;
    return SPD_OK;
}

static build_identity this_build(void)
{
    build_identity l = {0};
    snprintf(l.version, sizeof l.version, "%s", spd_version());
    snprintf(l.isa, sizeof l.isa, "%s", spd_isa_name());
    blas_describe(l.blas, sizeof l.blas);
    return l;
}

/* What is different in rank k from rank 0, or SPD_OK. */
static spd_status compare(spd_context *ctx, int k, const build_identity *a, const build_identity *b)
{
    if (strcmp(a->version, b->version) != 0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "rank %d runs spdml %s, rank 0 spdml %s; install the same everywhere", k,
                        b->version, a->version);
    if (strcmp(a->isa, b->isa) != 0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "rank %d computes with %s, rank 0 with %s, which gives other bits; set "
                        "SPDML_ISA to one that all machines have",
                        k, b->isa, a->isa);
    if (strcmp(a->blas, b->blas) != 0)
        return ctx_fail(ctx, SPD_EINVAL,
                        "rank %d has %s, rank 0 %s, which gives other bits; install the same, or "
                        "set OPENBLAS_CORETYPE everywhere",
                        k, b->blas, a->blas);
    return SPD_OK;
}

/* Every rank sees all build identities, and so all come to the same conclusion. */
static spd_status check_same_build(spd_context *ctx, ranks *r)
{
    size_t count = (size_t)r->count;
    build_identity *all = mem_zero(count, sizeof *all);
    spd_status status = all ? SPD_OK : ctx_nomem(ctx, "the ranks");
    if (status == SPD_OK) {
        all[r->rank] = this_build();
        ranks_collect(r, count, 1, sizeof *all, all);
        for (int k = 1; k < r->count && status == SPD_OK; k++)
            status = compare(ctx, k, &all[0], &all[k]);
    }
    mem_free(all);
    return status;
}

spd_status spd_ranks_join(spd_context *ctx)
{
    const mpi_module *module = NULL;
    ctx_clear(ctx);
    if (!ctx)
        return SPD_EINVAL;
    if (ctx->ranks)
        return SPD_OK;
    spd_status status = load_module(ctx, &module);
    if (status < 0)
        return status;
    ranks *joined = module->join();
    if (!joined)
        return ctx_fail(ctx, SPD_EDEVICE, "MPI cannot be started, or has ended already");
    ctx->ranks = joined;
    /* What is held and what is read must be decided alike: by the rank that has least. */
    ctx->usual = (double)joined->least(joined, (int64_t)fmin(spd_context_memory(NULL), 1e18));
    return check_same_build(ctx, joined);
}

spd_status spd_ranks_library(spd_context *ctx, size_t room, char *text)
{
    const mpi_module *module = NULL;
    ctx_clear(ctx);
    if (!text || room == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there is no room for a text");
    spd_status status = load_module(ctx, &module);
    if (status == SPD_OK)
        snprintf(text, room, "%.*s", (int)strcspn(module->library, ",\n"), module->library);
    return status;
}

void spd_ranks_info(const spd_context *ctx, spd_ranks *about)
{
    const ranks *r = ctx ? ctx->ranks : NULL;
    spd_ranks mine = SPD_STRUCT(spd_ranks);
    mine.rank = ranks_rank(r);
    mine.ranks = ranks_count(r);
    mine.bytes = r ? r->bytes : 0.0;
    mine.messages = r ? r->messages : 0.0;
    mine.seconds = r ? r->seconds : 0.0;
    sized_give(sizeof mine, &mine, about);
}

int spd_ranks_any(spd_context *ctx, int here)
{
    return ranks_any(ranks_of(ctx), here);
}

void spd_ranks_pause(spd_context *ctx, int alone)
{
    if (ctx)
        ctx->alone = alone != 0;
}

void spd_ranks_stop(spd_context *ctx, int code)
{
    ranks *r = ctx ? ctx->ranks : NULL;
    if (r && r->count > 1)
        r->stop(r, code);
}
