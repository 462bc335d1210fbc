/* test_data_join.c - joining and selecting data sets: every row from where it should be, types that
 * mix, columns that differ, refusals, and every allocation failing. */
#include "random_spd.h"
#include "repeat.h"

#include "base/context.h"
#include "io/array.h"

#define P 5
#define N 3

/* A set of P matrices whose numbers say which they are: set, sample, entry. */
static spd_data *make_set(int number, spd_type label_type, const char *extra)
{
    spd_data *d = mem_zero(1, sizeof *d);
    const size_t shape[3] = {P, N, N}, pairs[2] = {P, 2}, p = P;
    char *pool = NULL;
    d->p = P;
    d->n = N;
    d->source = mem_text(number ? "second" : "first");
    array_new(NULL, SPD_TYPE_FLOAT64, 3, shape, &d->x);
    d->X = d->x->f64;
    for (size_t e = 0; e < P * N * N; e++)
        d->X[e] = 1000.0 * number + (double)e;
    if (label_type == SPD_TYPE_TEXT) {
        array_new_text(NULL, 1, &p, P * 4, &d->y, &pool);
        for (size_t i = 0; i < P; i++) {
            snprintf(pool + 4 * i, 4, "t%zu", i % 2);
            d->y->text[i] = pool + 4 * i;
        }
    } else {
        array_new(NULL, label_type, 1, &p, &d->y);
        for (size_t i = 0; i < P; i++)
            if (label_type == SPD_TYPE_INT64)
                d->y->i64[i] = (int64_t)(i % 2) + number;
            else
                d->y->f64[i] = (double)(i % 2) + number;
    }
    d->column = mem_zero(2, sizeof *d->column);
    d->columns = 2;
    array_new(NULL, number ? SPD_TYPE_FLOAT64 : SPD_TYPE_INT64, 2, pairs, &d->column[0]);
    array_rename(NULL, d->column[0], "pair");
    array_new(NULL, SPD_TYPE_INT64, 1, &p, &d->column[1]);
    array_rename(NULL, d->column[1], extra);
    for (size_t i = 0; i < 2 * P; i++) {
        if (number)
            d->column[0]->f64[i] = 100.5 + (double)i;
        else
            d->column[0]->i64[i] = (int64_t)i;
        d->column[1]->i64[i / 2] = (int64_t)(i / 2) + 10 * number;
    }
    return d;
}

TEST(joined_rows_are_in_order)
{
    OWN(spd_data)
    a = make_set(0, SPD_TYPE_INT64, "extra"), *b = make_set(1, SPD_TYPE_FLOAT64, "extra");
    const spd_data *const sets[] = {a, b, a};
    OWN(spd_data) made = NULL;
    spd_status status = spd_data_join(NULL, 3, sets, "file", &made);
    if (!CHECK(status == SPD_OK && made && made->p == 3 * P && made->n == N, "%d", (int)status))
        return;
    for (size_t e = 0; e < 3 * P * N * N; e++) {
        const size_t set = e / (P * N * N), entry = e - set * P * N * N;
        CHECK(made->X[e] == sets[set]->X[entry], "entry %zu", e);
    }
    CHECK(made->y->type == SPD_TYPE_FLOAT64 && made->classes == 3, "%zu classes", made->classes);
    CHECK(made->columns == 3, "%zu columns", made->columns);
    CHECK(made->column[0]->type == SPD_TYPE_FLOAT64 && made->column[0]->f64[3] == 3.0 &&
              made->column[0]->f64[2 * P + 3] == 103.5,
          "whole and real numbers mix");
    CHECK(made->column[1]->type == SPD_TYPE_INT64 && made->column[1]->i64[P + 2] == 12, " ");
    CHECK(strcmp(made->column[2]->text[P - 1], "first") == 0 &&
              strcmp(made->column[2]->text[P], "second") == 0,
          "the source of each");
}

TEST(selected_rows_are_those_asked_for)
{
    spd_data *a = make_set(0, SPD_TYPE_TEXT, "extra"), *made = NULL;
    const size_t index[] = {4, 0, 4};
    CHECK(spd_data_select(NULL, a, 3, index, &made) == SPD_OK && made && made->p == 3, " ");
    for (size_t i = 0; i < 3 && made; i++) {
        CHECK(memcmp(made->X + i * N * N, a->X + index[i] * N * N, N * N * sizeof(double)) == 0,
              "matrix %zu", i);
        CHECK(strcmp(made->y->text[i], a->y->text[index[i]]) == 0, "label %zu", i);
        CHECK(made->column[1]->i64[i] == (int64_t)index[i], "column %zu", i);
    }
    CHECK(made && made->classes == 1, "classes that are left");
    spd_data_free(made);
    made = NULL;
    CHECK(spd_data_select(NULL, a, 1, &(size_t){P}, &made) == SPD_EINVAL && !made, "beyond");
    CHECK(spd_data_select(NULL, a, 0, index, &made) == SPD_EINVAL && !made, "none");
    spd_data_free(a);
}

TEST(sets_that_do_not_fit)
{
    spd_context *ctx = context_on(0);
    OWN(spd_data) a = make_set(0, SPD_TYPE_INT64, "here"), *b = make_set(1, SPD_TYPE_TEXT, "there");
    const spd_data *const sets[] = {a, b};
    spd_data *made = NULL;
    CHECK(spd_data_join(ctx, 2, sets, NULL, &made) == SPD_EINVAL && !made &&
              strstr(said(ctx), "labels"),
          "%s", said(ctx));
    spd_array_free(b->y);
    b->y = NULL;
    CHECK(spd_data_join(ctx, 2, sets, NULL, &made) == SPD_EINVAL && !made &&
              strstr(said(ctx), "second has none"),
          "%s", said(ctx));
    spd_array_free(a->y);
    a->y = NULL;
    CHECK(spd_data_join(ctx, 2, sets, NULL, &made) == SPD_OK && made && made->columns == 1,
          "only the column that both have");
    spd_data_free(made);
    made = NULL;
    b->n = 2;
    CHECK(spd_data_join(ctx, 2, sets, NULL, &made) == SPD_EINVAL && !made, "sizes");
    CHECK(spd_data_join(ctx, 0, sets, NULL, &made) == SPD_EINVAL && !made, "nothing");
}

TEST(every_allocation_may_fail)
{
    OWN(spd_data) a = make_set(0, SPD_TYPE_TEXT, "extra"), *b = make_set(1, SPD_TYPE_TEXT, "extra");
    const spd_data *const sets[] = {a, b};
    for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
        OWN(spd_data) made = NULL;
        s.status = spd_data_join(NULL, 2, sets, "file", &made);
        CHECK_MADE(s, made);
    }
}
