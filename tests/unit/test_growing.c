/* test_growing.c - a factor that gains and loses rows against the matrix it stands for. */
#include "test.h"
#include "random_spd.h"

#include "linalg/growing.h"

#define SIZE 40

/* The rows of a matrix A (SIZE x SIZE) that a factor stands for, in its order. */
typedef struct rows {
    const double *A;
    size_t count, row[SIZE];
} rows;

static double entry(const rows *of, size_t i, size_t j)
{
    return of->A[of->row[i] * SIZE + of->row[j]];
}

/* U'U is the matrix, and solving gives back b. */
static void check_factor(const growing *f, const rows *of, double tolerance, const char *what)
{
    size_t n = of->count;
    double b[SIZE], x[SIZE], worst = 0.0, residual = 0.0;
    CHECK(f->n == n, "%s: %zu rows of %zu", what, f->n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k <= (i < j ? i : j); k++)
                sum += f->U[k * f->room + i] * f->U[k * f->room + j];
            worst = fmax(worst, fabs(sum - entry(of, i, j)));
        }
    CHECK(worst <= tolerance, "%s, n %zu: off by %g", what, n, worst);
    for (size_t i = 0; i < n; i++)
        b[i] = x[i] = sin((double)i + 1.0);
    growing_solve(f, x);
    double length = norm(n, x);
    for (size_t i = 0; i < n; i++) {
        double sum = -b[i];
        for (size_t j = 0; j < n; j++)
            sum += entry(of, i, j) * x[j];
        residual = fmax(residual, fabs(sum));
    }
    CHECK(residual <= tolerance * (1.0 + length), "%s, n %zu: residual %g", what, n, residual);
}

static int append(growing *f, rows *of, size_t row)
{
    double a[SIZE + 1];
    of->row[of->count] = row;
    for (size_t i = 0; i <= of->count; i++)
        a[i] = entry(of, i, of->count);
    int refused = growing_append(f, a);
    of->count += !refused;
    return refused;
}

static void drop(growing *f, rows *of, size_t at)
{
    growing_remove(f, at);
    of->count--;
    for (size_t i = at; i < of->count; i++)
        of->row[i] = of->row[i + 1];
}

static int make(growing *f, rows *of, size_t n)
{
    of->count = n;
    for (size_t i = 0; i < n; i++)
        of->row[i] = (7 * i) % SIZE;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            f->U[i * f->room + j] = entry(of, i, j);
    return growing_make(f, n);
}

/* A row that is not in the factor. */
static size_t outside(const rows *of, size_t from)
{
    size_t row = from % SIZE;
    for (size_t i = 0; i < of->count; i++)
        if (of->row[i] == row) {
            row = (row + 1) % SIZE;
            i = (size_t)-1;
        }
    return row;
}

/* Hundreds of changes in any order: errors do not pile up. */
TEST(any_order)
{
    rng r = seeded(5);
    for (double condition = 1.0; condition < 1e13; condition *= 1e4) {
        double A[SIZE * SIZE];
        growing f = {0};
        random_spd(&r, SIZE, condition, A);
        double size = norm(SIZE * SIZE, A);
        rows of = {.A = A};
        CHECK(growing_room(&f, SIZE) == SPD_OK, "no room");
        for (int change = 0; change < 600; change++) {
            size_t at = (size_t)(rng_uniform(&r) * (double)SIZE);
            int more = of.count == 0 || (of.count < SIZE && rng_uniform(&r) < 0.52);
            if (more)
                CHECK(!append(&f, &of, outside(&of, at)), "change %d refused", change);
            else
                drop(&f, &of, at % of.count);
            if (change % 20 == 0)
                check_factor(&f, &of, 1e-13 * size, more ? "append" : "remove");
        }
        check_factor(&f, &of, 1e-13 * size, "the last");
        growing_free(&f);
    }
}

static void fill(uint64_t seed, double *A)
{
    rng r = seeded(seed);
    random_spd(&r, SIZE, 1e3, A);
}

TEST(first_last_and_only)
{
    double A[SIZE * SIZE];
    growing f = {0};
    fill(6, A);
    rows of = {.A = A};
    CHECK(growing_room(&f, SIZE) == SPD_OK && !make(&f, &of, SIZE), "no factor");
    check_factor(&f, &of, 1e-12, "made");
    drop(&f, &of, 0);
    check_factor(&f, &of, 1e-12, "without the first");
    drop(&f, &of, of.count - 1);
    check_factor(&f, &of, 1e-12, "without the last");
    while (of.count > 1)
        drop(&f, &of, of.count / 2);
    check_factor(&f, &of, 1e-12, "one");
    drop(&f, &of, 0);
    CHECK(f.n == 0, "empty");
    CHECK(!append(&f, &of, 3), "refused");
    check_factor(&f, &of, 1e-12, "one again");
    growing_free(&f);
}

TEST(room_is_made)
{
    double A[SIZE * SIZE];
    growing f = {0};
    fill(7, A);
    rows of = {.A = A};
    for (size_t room = 1; room <= SIZE; room *= 2) {
        CHECK(growing_room(&f, room) == SPD_OK && f.room == room, "room %zu", room);
        while (of.count < room)
            CHECK(!append(&f, &of, of.count), "refused");
        check_factor(&f, &of, 1e-12, "grown");
    }
    CHECK(growing_room(&f, 2) == SPD_OK && f.n == of.count, "less room takes nothing away");
    mem_fail_at(1);
    CHECK(growing_room(&f, SIZE + 1) == SPD_ENOMEM, "no error");
    mem_fail_at(2);
    CHECK(growing_room(&f, SIZE + 1) == SPD_ENOMEM, "no error");
    mem_fail_at(0);
    check_factor(&f, &of, 1e-12, "after the error");
    CHECK(growing_room(&f, (size_t)1 << 40) == SPD_ENOMEM, "a room that cannot be");
    growing_free(&f);
}

TEST(what_is_not_definite)
{
    double A[SIZE * SIZE] = {0};
    growing f = {0};
    rows of = {.A = A};
    for (size_t i = 0; i < SIZE; i++)
        A[i * (SIZE + 1)] = 1.0;
    A[1] = A[SIZE] = 2.0; /* rows 0 and 1 */
    A[2 * (SIZE + 1)] = (double)NAN;
    CHECK(growing_room(&f, SIZE) == SPD_OK && !append(&f, &of, 0) && !append(&f, &of, 5),
          "refused");
    CHECK(append(&f, &of, 1), "an indefinite matrix passed");
    CHECK(append(&f, &of, 2), "a NaN passed");
    check_factor(&f, &of, 1e-15, "what is left");
    CHECK(make(&f, &of, SIZE) && f.n == 0, "an indefinite matrix passed");
    growing_free(&f);
}
