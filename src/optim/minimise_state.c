/* minimise_state.c - the memory of a minimisation: point, vectors, and the moves since the last
 * fresh start. */
#include <string.h>

#include "base/memory.h"
#include "optim/minimise.h"

#define ROWS 4 /* W, H, grad, origin; L-BFGS's pairs follow */

/* Moves there is room for at first: there are more only where a search fails when a fresh start is
 * due. */
#define FIRST_ROOM 64

size_t minimise_rows(spd_solver solver)
{
    return ROWS + (solver == SPD_LBFGS ? lbfgs_room(1) : 0);
}

/* Doubles of a move. */
static size_t move_size(const minimise_state *s)
{
    return s->n * s->m + 1;
}

double *minimise_move(const minimise_state *s, size_t k)
{
    return s->move + k * move_size(s);
}

/* Memory for s->rows and s->room. */
static spd_status make_room(minimise_state *s)
{
    size_t count = s->n * s->m;
    s->block = mem_zero(s->rows, count * sizeof *s->block);
    s->move = mem_alloc(s->room, move_size(s) * sizeof *s->move);
    if (!s->block || !s->move) {
        minimise_close(s);
        return SPD_ENOMEM;
    }
    s->W = s->block;
    s->H = s->W + count;
    s->grad = s->H + count;
    s->origin = s->grad + count;
    lbfgs kept = s->memory;
    if (s->rows > ROWS)
        lbfgs_open(&s->memory, count, s->origin + count);
    s->memory.count = kept.count;
    s->memory.first = kept.first;
    return SPD_OK;
}

spd_status minimise_open(minimise_state *s, spd_solver solver, size_t n, size_t m)
{
    *s = (minimise_state){.n = n, .m = m, .rows = minimise_rows(solver), .room = FIRST_ROOM};
    return make_room(s);
}

spd_status minimise_copy(minimise_state *to, const minimise_state *from)
{
    minimise_state fresh = *from;
    fresh.room = from->moves + FIRST_ROOM;
    if (make_room(&fresh) != SPD_OK)
        return SPD_ENOMEM;
    memcpy(fresh.block, from->block, from->rows * from->n * from->m * sizeof *from->block);
    if (from->moves)
        memcpy(fresh.move, from->move, from->moves * move_size(from) * sizeof *from->move);
    *to = fresh;
    return SPD_OK;
}

void minimise_close(minimise_state *s)
{
    mem_free(s->block);
    mem_free(s->move);
    *s = (minimise_state){0};
}

spd_status minimise_note_move(minimise_state *s)
{
    size_t size = move_size(s), bytes = s->room * size * sizeof *s->move;
    if (s->moves == s->room) {
        double *grown = mem_grow(s->move, bytes, 2 * bytes);
        if (!grown)
            return SPD_ENOMEM;
        s->move = grown;
        s->room *= 2;
    }
    double *move = minimise_move(s, s->moves++);
    memcpy(move, s->H, (size - 1) * sizeof *move);
    move[size - 1] = 0.0;
    return SPD_OK;
}
