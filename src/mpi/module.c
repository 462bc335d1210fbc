/* module.c - the processes of an MPI job: the only file that knows MPI.
 *
 * One thread calls (MPI_THREAD_FUNNELED). A fault in MPI ends the job, which is its own default.
 * MPI counts in int: a long message goes in pieces, which both sides cut alike. */
#define _POSIX_C_SOURCE 200809L

#include "mpi/module.h"

#include <mpi.h>
#include <time.h>

#define TAG 1

#ifndef MPI_PIECE                   /* a test has shorter ones */
#define MPI_PIECE ((size_t)1 << 30) /* bytes, at most */
#endif

typedef struct job {
    ranks base;
    MPI_Comm comm;
    int started;      /* by us: then it is ours to end */
    MPI_Win numbers;  /* one, at rank 0: the next to be handed out */
    int64_t *counter; /* where that is */
} job;

/* ---- messages ------------------------------------------------------------------------------- */

/* Bytes of the next piece of a message; 0 when all has gone. */
static int piece(size_t size, size_t done)
{
    size_t left = done < size ? size - done : 0;
    return (int)(left < MPI_PIECE ? left : MPI_PIECE);
}

/* Processor time of the thread. */
static double now(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count_message(ranks *r, double messages, double bytes)
{
    r->messages += messages;
    r->bytes += bytes;
}

static void job_send(ranks *r, int to, const void *from, size_t size)
{
    job *j = (job *)r;
    double began = now();
    for (size_t done = 0; done < size; done += MPI_PIECE)
        MPI_Send((const char *)from + done, piece(size, done), MPI_BYTE, to, TAG, j->comm);
    count_message(r, 1.0, (double)size);
    r->seconds += now() - began;
}

static void job_receive(ranks *r, int from, void *to, size_t size)
{
    job *j = (job *)r;
    double began = now();
    for (size_t done = 0; done < size; done += MPI_PIECE)
        MPI_Recv((char *)to + done, piece(size, done), MPI_BYTE, from, TAG, j->comm,
                 MPI_STATUS_IGNORE);
    r->seconds += now() - began;
}

/* Counted as what each rank passes on in a tree, on average. */
static void job_broadcast(ranks *r, int from, void *bytes, size_t size)
{
    job *j = (job *)r;
    double share = (double)(r->count - 1) / r->count, began = now();
    for (size_t done = 0; done < size; done += MPI_PIECE)
        MPI_Bcast((char *)bytes + done, piece(size, done), MPI_BYTE, from, j->comm);
    count_message(r, share, share * (double)size);
    r->seconds += now() - began;
}

/* To one rank and from another at once, piece by piece; whoever has more goes on alone. */
static void swap(job *j, int to, const char *out, size_t sent, int from, char *in, size_t got)
{
    for (size_t done = 0; done < sent || done < got; done += MPI_PIECE) {
        int there = piece(sent, done), here = piece(got, done);
        MPI_Sendrecv(there ? out + done : NULL, there, MPI_BYTE, there ? to : MPI_PROC_NULL, TAG,
                     here ? in + done : NULL, here, MPI_BYTE, here ? from : MPI_PROC_NULL, TAG,
                     j->comm, MPI_STATUS_IGNORE);
    }
}

/* Step s: to the rank s above, from the rank s below, at once; all ranks have the same steps, so
 * nobody waits in a circle. */
static void job_exchange(ranks *r, const size_t *out_at, const void *out, const size_t *in_at,
                         void *in)
{
    job *j = (job *)r;
    double began = now();
    for (int step = 1; step < r->count; step++) {
        int to = (r->rank + step) % r->count, from = (r->rank - step + r->count) % r->count;
        size_t sent = out_at[to + 1] - out_at[to], got = in_at[from + 1] - in_at[from];
        swap(j, to, (const char *)out + out_at[to], sent, from, (char *)in + in_at[from], got);
        count_message(r, sent ? 1.0 : 0.0, (double)sent);
    }
    r->seconds += now() - began;
}

static int64_t job_least(ranks *r, int64_t value)
{
    job *j = (job *)r;
    int64_t least = value;
    double began = now();
    MPI_Allreduce(&value, &least, 1, MPI_INT64_T, MPI_MIN, j->comm);
    count_message(r, 1.0, sizeof value);
    r->seconds += now() - began;
    return least;
}

/* ---- numbers that are handed out ------------------------------------------------------------- */

static int64_t update(job *j, MPI_Op how, int64_t by)
{
    int64_t before = 0;
    MPI_Fetch_and_op(&by, &before, MPI_INT64_T, 0, 0, how, j->numbers);
    MPI_Win_flush(0, j->numbers);
    return before;
}

static void job_restart(ranks *r)
{
    job *j = (job *)r;
    double began = now();
    if (j->numbers == MPI_WIN_NULL) {
        MPI_Win_allocate(r->rank ? 0 : sizeof *j->counter, sizeof *j->counter, MPI_INFO_NULL,
                         j->comm, (void *)&j->counter, &j->numbers);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, j->numbers);
    }
    MPI_Barrier(j->comm); /* all numbers of the run before have been taken */
    if (r->rank == 0)
        update(j, MPI_REPLACE, 0);
    MPI_Barrier(j->comm);
    r->seconds += now() - began;
}

static int64_t job_take(ranks *r, int64_t many)
{
    double began = now();
    int64_t taken = update((job *)r, MPI_SUM, many);
    count_message(r, r->rank ? 1.0 : 0.0, r->rank ? sizeof taken : 0.0);
    r->seconds += now() - began;
    return taken;
}

/* Any call lets MPI serve what others ask for. */
static void job_poll(ranks *r)
{
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ((job *)r)->comm, &there, MPI_STATUS_IGNORE);
}

/* ---- life ----------------------------------------------------------------------------------- */

static void job_stop(ranks *r, int code)
{
    MPI_Abort(((job *)r)->comm, code);
}

static void job_end(ranks *r)
{
    job *j = (job *)r;
    if (j->started && j->numbers != MPI_WIN_NULL) {
        MPI_Win_unlock_all(j->numbers);
        MPI_Win_free(&j->numbers);
    }
    if (j->started)
        MPI_Finalize();
    j->started = 0;
}

static job world = {.base = {.send = job_send,
                             .receive = job_receive,
                             .broadcast = job_broadcast,
                             .exchange = job_exchange,
                             .least = job_least,
                             .restart = job_restart,
                             .take = job_take,
                             .poll = job_poll,
                             .stop = job_stop,
                             .end = job_end},
                    .numbers = MPI_WIN_NULL};

/* The rank's number among those of its machine. */
static int local_rank(MPI_Comm comm)
{
    MPI_Comm here;
    int local = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local);
    MPI_Comm_free(&here);
    return local;
}

static ranks *join(void)
{
    int running = 0, ended = 0, level;
    MPI_Initialized(&running);
    MPI_Finalized(&ended);
    if (ended || (!running && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)))
        return NULL;
    world.started = !running;
    world.comm = MPI_COMM_WORLD;
    world.base.bytes = world.base.messages = world.base.seconds = 0.0;
    MPI_Comm_rank(world.comm, &world.base.rank);
    MPI_Comm_size(world.comm, &world.base.count);
    world.base.local = local_rank(world.comm);
    return &world.base;
}

const mpi_module *spdml_mpi_module(void);

__attribute__((visibility("default"))) const mpi_module *spdml_mpi_module(void)
{
    static char library[MPI_MAX_LIBRARY_VERSION_STRING];
    static mpi_module module = {sizeof module, sizeof(ranks), MPI_MODULE_VERSION, library, join};
    int length;
    MPI_Get_library_version(library, &length);
    return &module;
}
