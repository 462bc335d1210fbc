/* pieces.c - messages that MPI cannot count, made small: every call of the module with pieces of 24
 * bytes, by several ranks (tests/cli/test_mpi.py). Prints "good" at rank 0. */
#define MPI_PIECE 24
#include "mpi/module.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 200

/* Byte e of what rank `from` has for rank `to`. */
static unsigned char byte_of(int from, int to, size_t e)
{
    return (unsigned char)(31 * from + 7 * to + (int)e);
}

static void check(int good, const char *what, size_t size)
{
    if (good)
        return;
    fprintf(stderr, "%s of %zu bytes\n", what, size);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is(const unsigned char *got, size_t size, int from, int to)
{
    for (size_t e = 0; e < size; e++)
        if (got[e] != byte_of(from, to, e))
            return 0;
    return got[size] == 255; /* and nothing behind */
}

static void fill(unsigned char *to, size_t size, int from, int rank)
{
    for (size_t e = 0; e < size; e++)
        to[e] = byte_of(from, rank, e);
}

static void one_to_one(ranks *r, size_t size)
{
    unsigned char bytes[MOST + 1];
    memset(bytes, 255, sizeof bytes);
    if (r->rank == 0) {
        fill(bytes, size, 0, 1);
        r->send(r, 1, bytes, size);
    } else if (r->rank == 1) {
        r->receive(r, 0, bytes, size);
        check(is(bytes, size, 0, 1), "send", size);
    }
    memset(bytes, 255, sizeof bytes);
    if (r->rank == 1)
        fill(bytes, size, 1, 1);
    r->broadcast(r, 1, bytes, size);
    check(is(bytes, size, 1, 1), "broadcast", size);
}

/* Of another length for each pair of ranks, none among them. */
static size_t length(int from, int to)
{
    return (size_t)((from * 41 + to * 67) % 5) * 23;
}

static void each_to_each(ranks *r)
{
    size_t *out_at = calloc((size_t)r->count + 1, sizeof *out_at);
    size_t *in_at = calloc((size_t)r->count + 1, sizeof *in_at);
    unsigned char *out = malloc(MOST * (size_t)r->count), *in = malloc(MOST * (size_t)r->count);
    if (!out_at || !in_at || !out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < r->count; k++) {
        out_at[k + 1] = out_at[k] + length(r->rank, k);
        in_at[k + 1] = in_at[k] + length(k, r->rank);
        fill(out + out_at[k], length(r->rank, k), r->rank, k);
    }
    memset(in, 255, MOST * (size_t)r->count);
    r->exchange(r, out_at, out, in_at, in);
    for (int k = 0; k < r->count; k++)
        for (size_t e = 0; k != r->rank && e < length(k, r->rank); e++)
            check(in[in_at[k] + e] == byte_of(k, r->rank, e), "exchange", length(k, r->rank));
    free(out_at);
    free(in_at);
    free(out);
    free(in);
}

int main(void)
{
    const size_t sizes[] = {0, 1, 8, 23, 24, 25, 48, 72, 73, MOST};
    ranks *r = spdml_mpi_module()->join();
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        one_to_one(r, sizes[k]);
    each_to_each(r);
    if (r->rank == 0)
        puts("good");
    r->end(r);
    return 0;
}
