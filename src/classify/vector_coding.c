/* vector_coding.c - sparse representation of vectors (Wright et al. 2009).
 *
 *   a_i = R x_i, y = R q, the first `dimensions` components of each, scaled to |a_i| = |y| = 1
 *   v = argmin |y - Av|^2 + lambda |v|_1,    class = argmin_c |y - A_c v_c|
 *
 * The paper asks for min |v|_1 such that |y - Av| <= epsilon; this is its form with a multiplier.
 * It needs A only through K = A'A and k = A'y (coding.h). */
#include "classify/vector_coding.h"

#include <string.h>

#include "base/memory.h"
#include "classify/coding.h"
#include "classify/pca.h"
#include "classify/products.h"
#include "classify/values.h"
#include "linalg/tall.h"

#define MOST_DIMENSIONS 200 /* by default */

typedef struct vector_space {
    members members;
    pca components;
    size_t atoms; /* training vectors and others */
    double *F;    /* atoms x rank: their components */
} vector_space;

typedef struct vector_atoms {
    size_t dimensions;
    double *A; /* atoms x dimensions, rows of unit length */
    double *K; /* atoms x atoms */
    lasso_dictionary dictionary;
} vector_atoms;

typedef struct vector_queries {
    size_t q;
    double *F; /* q x rank */
} vector_queries;

double vector_coding_dimensions(const samples *train, size_t dim)
{
    size_t most = train->p > 1 ? train->p - 1 : 1;
    if (dim < most)
        most = dim;
    return (double)(most < MOST_DIMENSIONS ? most : MOST_DIMENSIONS);
}

/* Those below the largest that is possible, and that. */
size_t vector_coding_grid(const samples *train, size_t dim, double *values, size_t room)
{
    static const double all[] = {25.0, 50.0, 100.0, MOST_DIMENSIONS};
    double most = vector_coding_dimensions(train, dim);
    size_t count = 0;
    while (count + 1 < room && count < sizeof all / sizeof *all && all[count] < most) {
        values[count] = all[count];
        count++;
    }
    if (count < room)
        values[count++] = most;
    return count;
}

/* ---- training vectors --------------------------------------------------------------------- */

void vector_coding_release_prepared(void *prepared)
{
    vector_space *s = prepared;
    if (!s)
        return;
    members_free(&s->members);
    pca_free(&s->components);
    mem_free(s->F);
    mem_free(s);
}

static spd_status project_atoms(spd_context *ctx, size_t p, const double *V, size_t others,
                                const double *B, vector_space *s)
{
    s->atoms = p + others;
    s->F = mem_alloc(s->atoms, s->components.rank * sizeof *s->F);
    if (!s->F)
        return ctx_nomem(ctx, "components");
    spd_status status = pca_apply(ctx, &s->components, p, V, s->F);
    if (status == SPD_OK && others)
        status = pca_apply(ctx, &s->components, others, B, s->F + p * s->components.rank);
    return status;
}

spd_status vector_coding_prepare(spd_context *ctx, const samples *train, size_t dim,
                                 const double *V, size_t others, const double *B, void **prepared)
{
    vector_space *s = mem_zero(1, sizeof *s);
    if (!s)
        return ctx_nomem(ctx, "sparse representation");
    spd_status status = members_sort(ctx, train, &s->members);
    if (status == SPD_OK)
        status = pca_fit(ctx, dim, train->p, V, &s->components);
    if (status == SPD_OK)
        status = project_atoms(ctx, train->p, V, others, B, s);
    if (status < 0)
        vector_coding_release_prepared(s);
    else
        *prepared = s;
    return status;
}

/* ---- atoms -------------------------------------------------------------------------------- */

/* A (count x dimensions) <- the first components of F (count x rank), rows of unit length; a row
 * of zeros stays. */
static void cut_and_scale(size_t count, size_t rank, size_t dimensions, const double *F, double *A)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(A + i * dimensions, F + i * rank, dimensions * sizeof *A);
        values_to_unit(dimensions, A + i * dimensions);
    }
}

void vector_coding_release_trained(void *trained)
{
    vector_atoms *t = trained;
    if (!t)
        return;
    mem_free(t->A);
    mem_free(t->K);
    lasso_dictionary_free(&t->dictionary);
    mem_free(t);
}

/* *dimensions <- what the method says, at most all there are. */
static spd_status choose_dimensions(spd_context *ctx, const vector_space *s,
                                    const spd_method *method, size_t *dimensions)
{
    double wanted = method->value[SPD_PARAM_DIMENSIONS];
    if (!(wanted >= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "dimensions is %g; it must be at least 1", wanted);
    size_t rank = s->components.rank;
    *dimensions = wanted < (double)rank ? (size_t)wanted : rank;
    return SPD_OK;
}

spd_status vector_coding_train(spd_context *ctx, const void *prepared, const spd_method *method,
                               void **trained)
{
    const vector_space *s = prepared;
    size_t dimensions = 0;
    spd_status status = choose_dimensions(ctx, s, method, &dimensions);
    if (status < 0)
        return status;
    vector_atoms *t = mem_zero(1, sizeof *t);
    if (!t)
        return ctx_nomem(ctx, "atoms");
    t->dimensions = dimensions;
    t->A = mem_alloc(s->atoms, dimensions * sizeof *t->A);
    t->K = mem_alloc(s->atoms, s->atoms * sizeof *t->K);
    if (!t->A || !t->K)
        status = ctx_nomem(ctx, "atoms");
    if (status == SPD_OK) {
        cut_and_scale(s->atoms, s->components.rank, dimensions, s->F, t->A);
        status = products_between(ctx, dimensions, s->atoms, t->A, s->atoms, t->A, t->K);
    }
    if (status == SPD_OK) {
        spd_symmetrize(s->atoms, 1, t->K);
        status = lasso_dictionary_make(ctx, s->atoms, t->K, &t->dictionary);
    }
    if (status < 0)
        vector_coding_release_trained(t);
    else
        *trained = t;
    return status;
}

/* ---- queries ------------------------------------------------------------------------------ */

void vector_coding_release_met(void *met)
{
    vector_queries *m = met;
    if (!m)
        return;
    mem_free(m->F);
    mem_free(m);
}

spd_status vector_coding_meet(spd_context *ctx, const void *prepared, size_t q, const double *V,
                              void **met)
{
    const vector_space *s = prepared;
    vector_queries *m = mem_zero(1, sizeof *m);
    if (!m)
        return ctx_nomem(ctx, "queries");
    m->q = q;
    m->F = mem_alloc(q, s->components.rank * sizeof *m->F);
    spd_status status = m->F ? SPD_OK : ctx_nomem(ctx, "queries");
    if (status == SPD_OK && q)
        status = pca_apply(ctx, &s->components, q, V, m->F);
    if (status < 0)
        vector_coding_release_met(m);
    else
        *met = m;
    return status;
}

/* A batch of queries against the atoms. */
typedef struct vector_source {
    const vector_space *space;
    const vector_atoms *atoms;
    const vector_queries *queries;
} vector_source;

static void fill(const void *user, size_t first, size_t count, double *k, double *y2, double *work)
{
    const vector_source *s = user;
    size_t rank = s->space->components.rank, dimensions = s->atoms->dimensions;
    cut_and_scale(count, rank, dimensions, s->queries->F + first * rank, work);
    tall_product_trans(count, dimensions, s->space->atoms, work, s->atoms->A, k);
    for (size_t i = 0; i < count; i++)
        y2[i] = 1.0;
}

spd_status vector_coding_decide(spd_context *ctx, const void *prepared, const void *trained,
                                const void *met, const spd_method *method, int *label)
{
    vector_source source = {prepared, trained, met};
    coding c = {.dictionary = &source.atoms->dictionary,
                .members = &source.space->members,
                .lambda = method->value[SPD_PARAM_LAMBDA],
                .fill = fill,
                .user = &source,
                .work = LASSO_BATCH * source.atoms->dimensions};
    return coding_decide(ctx, &c, source.queries->q, label);
}
