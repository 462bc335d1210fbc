/* ranks.c - shares, agreement and sums over the processes of a job. */
#include "base/ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

ranks *ranks_of(const spd_context *ctx)
{
    int several = ctx && ctx->ranks && ctx->ranks->count > 1 && !ctx->alone;
    return several ? ctx->ranks : NULL;
}

int ranks_count(const ranks *r)
{
    return r ? r->count : 1;
}

int ranks_rank(const ranks *r)
{
    return r ? r->rank : 0;
}

size_t ranks_first(const ranks *r, int rank, size_t items)
{
    size_t count = (size_t)ranks_count(r), at = (size_t)rank;
    return items / count * at + items % count * at / count;
}

int ranks_owner(const ranks *r, size_t items, size_t item)
{
    int low = 0, high = ranks_count(r); /* first(low) <= item < first(high) */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (ranks_first(r, middle, items) <= item)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int ranks_any(ranks *r, int here)
{
    return r ? r->least(r, here ? 0 : 1) == 0 : here;
}

double ranks_clock(ranks *r)
{
    double now = clock_seconds();
    if (r)
        r->broadcast(r, 0, &now, sizeof now);
    return now;
}

/* What is the fault of a machine and not of the data says which rank it is. */
static void name_machine(spd_context *ctx, int rank, spd_status status)
{
    char who[32];
    if (rank == 0 || (status != SPD_ENOMEM && status != SPD_EIO && status != SPD_EDEVICE))
        return;
    snprintf(who, sizeof who, "rank %d", rank);
    ctx_prefix(ctx, who);
}

/* The failure of rank `from`, in every rank. */
static spd_status adopt(spd_context *ctx, ranks *r, int from, spd_status status)
{
    name_machine(ctx, r->rank, status);
    spd_error error = ctx->error;
    error.status = status;
    r->broadcast(r, from, &error, sizeof error);
    return ctx_pass_on(ctx, &error);
}

spd_status ranks_settle(spd_context *ctx, spd_status status)
{
    ranks *r = ranks_of(ctx);
    if (!r)
        return status;
    int64_t failed = r->least(r, status < 0 ? r->rank : INT64_MAX);
    return failed == INT64_MAX ? status : adopt(ctx, r, (int)failed, status);
}

/* The items of this rank; *failed <- the one that ended it. */
static spd_status deal_here(spd_context *ctx, size_t items, ranks_body body, void *user,
                            int64_t *owner, int64_t *failed)
{
    ranks *r = ctx->ranks;
    int64_t item;
    spd_status status = SPD_OK;
    ctx->alone++;
    while (status >= 0 && (item = r->take(r, 1)) < (int64_t)items) {
        owner[item] = r->rank;
        status = body(user, (size_t)item);
        if (status < 0) {
            *failed = item;
            r->take(r, (int64_t)items); /* none is left */
        }
    }
    ctx->alone--;
    return status;
}

spd_status ranks_distribute(spd_context *ctx, size_t items, ranks_body body, void *user,
                            int64_t *owner)
{
    ranks *r = ranks_of(ctx);
    int64_t failed = INT64_MAX;
    for (size_t k = 0; k < items; k++)
        owner[k] = INT64_MAX;
    r->restart(r);
    spd_status status = deal_here(ctx, items, body, user, owner, &failed);
    for (size_t k = 0; k < items; k++)
        owner[k] = r->least(r, owner[k]);
    int64_t lowest = r->least(r, failed);
    return lowest == INT64_MAX ? SPD_OK : adopt(ctx, r, (int)owner[lowest], status);
}

void ranks_poll(const spd_context *ctx)
{
    if (ctx && ctx->ranks && ctx->ranks->count > 1 && ctx->alone)
        ctx->ranks->poll(ctx->ranks);
}

spd_status ranks_agree(spd_context *ctx, size_t number, const char *what)
{
    ranks *r = ranks_of(ctx);
    size_t first = number;
    spd_status status = SPD_OK;
    if (!r)
        return SPD_OK;
    r->broadcast(r, 0, &first, sizeof first);
    if (first != number)
        status =
            ctx_fail(ctx, SPD_EINVAL,
                     "rank %d has other data than rank 0: %s %zu instead of %zu; all processes "
                     "must read the same files",
                     r->rank, what, number, first);
    return ranks_settle(ctx, status);
}

void ranks_collect(ranks *r, size_t rows, size_t per, size_t each, void *all)
{
    size_t chunks = (rows + per - 1) / per, first = 0;
    for (int k = 0; r && k < r->count; k++) {
        size_t end = ranks_first(r, k + 1, chunks) * per;
        end = end < rows ? end : rows;
        if (end > first)
            r->broadcast(r, k, (char *)all + first * each, (end - first) * each);
        first = end;
    }
}

static void add(size_t size, const double *from, double *to)
{
    for (size_t e = 0; e < size; e++)
        to[e] += from[e];
}

/* One knot of the tree: chunk `left` += chunk `right`, which may lie elsewhere. `sum` is scratch.
 * Whoever has `right` sends to a lower rank, and rank 0 never sends: nobody waits in a circle. */
static void join(ranks *r, size_t chunks, size_t left, size_t right, size_t size, double *part,
                 double *sum)
{
    size_t first = ranks_first(r, ranks_rank(r), chunks);
    size_t last = ranks_first(r, ranks_rank(r) + 1, chunks);
    int have_left = left >= first && left < last, have_right = right >= first && right < last;
    if (have_left && have_right) {
        add(size, part + (right - first) * size, part + (left - first) * size);
    } else if (have_right) {
        r->send(r, ranks_owner(r, chunks, left), part + (right - first) * size,
                size * sizeof *part);
    } else if (have_left) {
        r->receive(r, ranks_owner(r, chunks, right), sum, size * sizeof *part);
        add(size, sum, part + (left - first) * size);
    }
}

void ranks_sum(ranks *r, size_t chunks, size_t size, double *part, double *sum)
{
    size_t first = ranks_first(r, ranks_rank(r), chunks);
    size_t last = ranks_first(r, ranks_rank(r) + 1, chunks);
    for (size_t reach = 1; reach < chunks; reach *= 2) {
        size_t left = first / (2 * reach) * (2 * reach); /* the first knot that may concern us */
        for (; left < last; left += 2 * reach)
            if (left + reach < chunks)
                join(r, chunks, left, left + reach, size, part, sum);
    }
    if (first == 0 && last > 0)
        memcpy(sum, part, size * sizeof *sum);
    if (r)
        r->broadcast(r, ranks_owner(r, chunks, 0), sum, size * sizeof *sum);
}
