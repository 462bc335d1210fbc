/* walk.c - ways through a set, with reading ahead.
 *
 * A walk over files is cut into pieces. A thread of its own reads them in order into a ring of
 * slots, as far ahead as there are free ones, while the caller works on the piece before. Where no
 * thread can be had, the caller reads by itself. In memory there is nothing to read: float64 is
 * handed out where it lies, float32 and lists of samples go through `wide`, a few samples at a time
 * so that they stay in the cache. */
#include "sets/walk.h"

#include <string.h>

#include "base/order.h"
#include "base/memory.h"
#include "linalg/kernels.h"

#define SLOTS   3
#define FEW     ((size_t)1 << 15) /* bytes of doubles that are made at once from float32 in memory */
#define NO_GOOD SIZE_MAX

struct set_walk {
    const spd_set *s;
    const kernels *k;
    size_t ways, number; /* walks made together; which of them this is */
    size_t each, serve;  /* samples of a piece; of these, handed out at once */
    size_t first, last;
    const size_t *which;
    size_t at;           /* the next sample to hand out */
    const double *there; /* all of the walk, where nothing has to be read or made; else NULL */
    char *slot;          /* SLOTS x each samples as they are stored; NULL in memory */
    double *wide;        /* serve x n x n; NULL where nothing is made of them */
    int works, ended;
    pthread_t id;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t pieces;     /* of the walk; those from here on guarded by the lock */
    size_t read, used; /* pieces read; pieces that the caller has done with */
    int reading, stop, failed;
};

/* ---- sizes ----------------------------------------------------------------------------------- */

static int in_files(const spd_set *s)
{
    return s->place == SPD_PLACE_FILES;
}

/* Are samples handed out as they were read? */
static int as_read(const spd_set *s)
{
    return in_files(s) && s->files->width == sizeof(double);
}

/* Samples of `bytes`, a multiple of the granule, at least one. */
static size_t samples_of(size_t bytes, size_t sample, size_t granule)
{
    size_t granules = bytes / sample / granule;
    return (granules ? granules : 1) * granule;
}

static void choose_sizes(const spd_set *s, size_t granule, size_t bytes, size_t *each,
                         size_t *serve)
{
    size_t n2 = s->n * s->n, most = (s->p + granule - 1) / granule * granule;
    *each = smaller(samples_of(bytes, set_sample_bytes(s), granule), most);
    size_t few = samples_of(FEW, n2 * sizeof(double), granule);
    int at_once = granule > 1 || as_read(s);
    *serve = at_once ? *each : smaller(few, *each);
}

size_t set_piece(const spd_context *ctx, size_t count, size_t bytes)
{
    double most = spd_context_memory(ctx) / (8.0 * SLOTS * (double)count);
    return most < (double)bytes ? (size_t)most : bytes;
}

double set_walks_bytes(const spd_context *ctx, const spd_set *s, size_t count, size_t granule,
                       size_t bytes)
{
    size_t each, serve;
    choose_sizes(s, granule, set_piece(ctx, count, bytes), &each, &serve);
    double ring = in_files(s) ? (double)SLOTS * (double)each * (double)set_sample_bytes(s) : 0.0;
    double wide = as_read(s) ? 0.0 : 8.0 * (double)(serve * s->n * s->n);
    return (double)count * (ring + wide);
}

/* ---- reading ahead --------------------------------------------------------------------------- */

static char *slot_of(const set_walk *w, size_t piece)
{
    return w->slot + piece % SLOTS * w->each * set_sample_bytes(w->s);
}

/* The samples of piece number `piece`, neighbours in one go. */
static spd_status read_piece(const set_walk *w, size_t piece)
{
    size_t from = w->first + piece * w->each, to = smaller(from + w->each, w->last);
    char *raw = slot_of(w, piece);
    spd_status status = SPD_OK;
    if (!w->which)
        return w->s->files->read(w->s->files, from, to - from, raw);
    while (from < to && status == SPD_OK) {
        size_t run = 1;
        while (from + run < to && w->which[from + run] == w->which[from] + run)
            run++;
        status = w->s->files->read(w->s->files, w->which[from], run, raw);
        raw += run * set_sample_bytes(w->s);
        from += run;
    }
    return status;
}

static void *read_ahead(void *user)
{
    set_walk *w = user;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        if (w->failed || w->read >= w->pieces || w->read - w->used >= SLOTS) {
            pthread_cond_wait(&w->moved, &w->lock);
            continue;
        }
        size_t piece = w->read;
        w->reading = 1;
        pthread_mutex_unlock(&w->lock);
        spd_status status = read_piece(w, piece);
        pthread_mutex_lock(&w->lock);
        w->reading = 0;
        w->failed |= status < 0;
        w->read += status == SPD_OK;
        pthread_cond_broadcast(&w->moved);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Waits until piece number `piece` has been read, or reads it; the pieces before are done with. */
static int have_piece(set_walk *w, size_t piece)
{
    pthread_mutex_lock(&w->lock);
    w->used = piece;
    pthread_cond_broadcast(&w->moved);
    while (w->works && !w->failed && w->read <= piece)
        pthread_cond_wait(&w->moved, &w->lock);
    if (!w->works && w->read <= piece) {
        w->failed |= read_piece(w, piece) < 0;
        w->read = piece + 1;
    }
    int good = !w->failed || w->read > piece;
    pthread_mutex_unlock(&w->lock);
    return good;
}

/* ---- life ------------------------------------------------------------------------------------ */

static spd_status open_walk(spd_context *ctx, set_walk *w, size_t granule, size_t bytes)
{
    const spd_set *s = w->s;
    choose_sizes(s, granule, set_doubles(s) ? bytes : set_piece(ctx, w->ways, bytes), &w->each,
                 &w->serve);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->moved, NULL);
    if (in_files(s) && !(w->slot = mem_alloc(SLOTS * w->each, set_sample_bytes(s))))
        return ctx_nomem(ctx, "reading ahead");
    if (!as_read(s) && !(w->wide = mem_alloc(w->serve, s->n * s->n * sizeof *w->wide)))
        return ctx_nomem(ctx, "reading");
    return SPD_OK;
}

spd_status set_walks_new(spd_context *ctx, const spd_set *s, size_t count, size_t granule,
                         size_t bytes, set_walk **walks)
{
    set_walk *fresh = mem_zero(count, sizeof *fresh);
    spd_status status = fresh ? SPD_OK : ctx_nomem(ctx, "reading");
    for (size_t k = 0; fresh && k < count; k++) {
        fresh[k].s = s;
        fresh[k].k = kernels_get();
        fresh[k].ways = count;
        fresh[k].number = k;
        if (status == SPD_OK)
            status = open_walk(ctx, &fresh[k], granule, bytes);
        else
            fresh[k].ended = 1; /* never opened */
    }
    if (status < 0)
        set_walks_end(fresh);
    else
        *walks = fresh;
    return status;
}

static void end_walk(set_walk *w)
{
    if (w->ended)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = 1;
    pthread_cond_broadcast(&w->moved);
    pthread_mutex_unlock(&w->lock);
    if (w->works)
        pthread_join(w->id, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->moved);
    mem_free(w->slot);
    mem_free(w->wide);
}

void set_walks_end(set_walk *walks)
{
    for (size_t k = 0; walks && k < walks->ways; k++)
        end_walk(&walks[k]);
    mem_free(walks);
}

set_walk *set_walk_at(set_walk *walks, size_t number)
{
    return &walks[number];
}

/* ---- the walk -------------------------------------------------------------------------------- */

void set_walk_begin(set_walk *w, size_t first, size_t last, const size_t *which)
{
    const double *there = which ? NULL : set_there(w->s, first, last - first);
    if (w->slot && !w->works && !there) /* no thread: have_piece reads */
        w->works = pthread_create(&w->id, NULL, read_ahead, w) == 0;
    pthread_mutex_lock(&w->lock);
    w->pieces = 0; /* what is left of the walk before is not read any more */
    while (w->reading)
        pthread_cond_wait(&w->moved, &w->lock);
    w->first = w->at = first;
    w->last = last;
    w->which = which;
    w->there = there;
    w->read = w->used = 0;
    w->failed = 0;
    w->pieces = w->slot && !there ? (last - first + w->each - 1) / w->each : 0;
    pthread_cond_broadcast(&w->moved);
    pthread_mutex_unlock(&w->lock);
}

/* `count` samples from memory, as doubles of our own. */
static const double *copy_some(set_walk *w, size_t count)
{
    const spd_set *s = w->s;
    const double *X = set_doubles(s);
    size_t n2 = s->n * s->n;
    for (size_t k = 0; k < count; k++) {
        size_t i = w->which ? w->which[w->at + k] : w->at + k;
        if (X)
            memcpy(w->wide + k * n2, X + i * n2, n2 * sizeof *w->wide);
        else
            w->k->widen(n2, (const float *)s->X + i * n2, w->wide + k * n2);
    }
    return w->wide;
}

/* `count` samples of the piece at hand, which has been read, the first of them `into` it. */
static double *take_some(set_walk *w, size_t piece, size_t into, size_t count)
{
    const spd_set *s = w->s;
    size_t n2 = s->n * s->n;
    void *raw = slot_of(w, piece) + into * set_sample_bytes(s);
    double *X = raw;
    if (!as_read(s)) {
        if (s->files->is_complex)
            files_widen(s->files, count, raw, w->wide);
        else
            w->k->widen(count * n2, raw, w->wide);
        X = w->wide;
    }
    if (files_repairs(s->files))
        files_repair(s->files, count, X);
    return X;
}

const double *set_walk_next(set_walk *w, size_t *count)
{
    const spd_set *s = w->s;
    size_t left = w->last - w->at, done = w->at - w->first;
    const double *X;
    *count = 0;
    if (left == 0)
        return NULL;
    if (w->there) {
        *count = left;
        X = w->there + done * s->n * s->n;
    } else if (!w->slot) {
        *count = smaller(left, w->serve);
        X = copy_some(w, *count);
    } else {
        size_t piece = done / w->each, into = done % w->each;
        if (into == 0 && !have_piece(w, piece)) {
            *count = NO_GOOD;
            return NULL;
        }
        *count = smaller(left, smaller(w->serve, w->each - into));
        X = take_some(w, piece, into, *count);
    }
    w->at += *count;
    return X;
}

const void *set_walk_ahead(const set_walk *w)
{
    const spd_set *s = w->s;
    if (w->at >= w->last || s->place != SPD_PLACE_HOST || s->type != SPD_TYPE_FLOAT32 || w->which)
        return NULL;
    return (const float *)s->X + w->at * s->n * s->n;
}
