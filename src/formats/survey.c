/* survey.c - what is in a data set and what is wrong with it: every bad matrix is counted, none
 * ends the survey. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "run/parallel.h"
#include "formats/data.h"
#include "spdml-data.h"

/* Matrices are copied in groups of about this many doubles for their eigenvalues. */
#define GROUP_DOUBLES ((size_t)4 << 20)

/* Beyond this condition a matrix is definite only since its rows have other units. */
#define MOST_CONDITION 1e15

typedef struct survey_work {
    size_t n, capacity; /* matrices of a group */
    double *S;          /* capacity x n x n, symmetrised */
    double *lambda;     /* capacity x n */
    size_t *index;      /* capacity: which sample it is */
    double *asymmetry;  /* capacity */
    const spd_data *data;
    size_t first; /* sample of the group at hand */
} survey_work;

static void count_one(size_t i, size_t *count, size_t *first)
{
    if ((*count)++ == 0)
        *first = i;
}

/* Is a symmetric matrix positive definite? Looked at closely only where eigenvalues leave it open.
 */
static spd_status is_definite(spd_context *ctx, size_t n, const double *S, const double *lambda,
                              int *definite)
{
    *definite = lambda[0] > 0.0;
    if (fabs(lambda[0]) > 32.0 * (double)n * DBL_EPSILON * lambda[n - 1])
        return SPD_OK;
    spd_status status = spd_check(ctx, SPD_SET(n, 1, S), 0.0);
    *definite = status == SPD_OK;
    if (status == SPD_ENOMEM || status == SPD_ECANCELLED)
        return status;
    ctx_clear(ctx);
    return SPD_OK;
}

/* Counts a matrix that is not definite; of the first one eigenvalue and remedy are kept. */
static void count_indefinite(const survey_work *work, size_t k, spd_survey *survey)
{
    size_t n = work->n;
    double smallest = work->lambda[k * n];
    if (survey->not_definite == 0) {
        survey->first_eigenvalue = smallest;
        survey->remedy = data_remedy(n, work->S + k * n * n, smallest, &survey->remedy_value);
    }
    count_one(work->index[k], &survey->not_definite, &survey->first_not_definite);
}

/* Adds one matrix, whose eigenvalues are known, to the survey. */
static spd_status judge(spd_context *ctx, const survey_work *work, size_t k, spd_survey *survey)
{
    size_t n = work->n;
    const double *lambda = work->lambda + k * n;
    int definite;
    spd_status status = is_definite(ctx, n, work->S + k * n * n, lambda, &definite);
    if (status < 0)
        return status;
    survey->min_eigenvalue = fmin(survey->min_eigenvalue, lambda[0]);
    survey->max_eigenvalue = fmax(survey->max_eigenvalue, lambda[n - 1]);
    double condition = definite && lambda[0] > 0.0 ? lambda[n - 1] / lambda[0] : (double)INFINITY;
    survey->max_condition = fmax(survey->max_condition, condition);
    int symmetric = work->asymmetry[k] <= DATA_SYMMETRY;
    if (symmetric && !definite)
        count_indefinite(work, k, survey);
    else if (symmetric && condition > MOST_CONDITION)
        count_one(work->index[k], &survey->singular, &survey->first_singular);
    return SPD_OK;
}

/* Copies a sample into its place in the group. */
static spd_status take_sample(void *user, size_t k, int thread)
{
    const survey_work *work = user;
    size_t n2 = work->n * work->n;
    const double *X = work->data->X + (work->first + k) * n2;
    (void)thread;
    work->asymmetry[k] = data_asymmetry(work->n, X);
    memcpy(work->S + k * n2, X, n2 * sizeof *X);
    spd_symmetrize(work->n, 1, work->S + k * n2);
    return SPD_OK;
}

/* Counts what `taken` samples look like; those that are not finite leave the group, which then has
 * so many. */
static size_t sort_out(const survey_work *work, size_t taken, spd_survey *survey)
{
    size_t count = 0, n2 = work->n * work->n;
    for (size_t k = 0; k < taken; k++) {
        double asymmetry = work->asymmetry[k];
        if (isnan(asymmetry)) {
            count_one(work->first + k, &survey->not_finite, &survey->first_not_finite);
            continue;
        }
        survey->max_asymmetry = fmax(survey->max_asymmetry, asymmetry);
        if (asymmetry > DATA_SYMMETRY)
            count_one(work->first + k, &survey->not_symmetric, &survey->first_not_symmetric);
        work->index[count] = work->first + k;
        work->asymmetry[count] = asymmetry;
        if (count < k)
            memcpy(work->S + count * n2, work->S + k * n2, n2 * sizeof *work->S);
        count++;
    }
    return count;
}

static spd_status survey_all(spd_context *ctx, survey_work *work, spd_survey *survey)
{
    size_t p = work->data->p, taken = 0;
    spd_status status = SPD_OK;
    for (work->first = 0; work->first < p && status >= 0; work->first += taken) {
        taken = p - work->first < work->capacity ? p - work->first : work->capacity;
        status = parallel_for(ctx, taken, take_sample, work, NULL, NULL, 0.0, NULL);
        const size_t count = status == SPD_OK ? sort_out(work, taken, survey) : 0;
        if (count)
            status = spd_eigh(ctx, SPD_SET(work->n, count, work->S), work->lambda, NULL);
        for (size_t k = 0; k < count && status >= 0; k++)
            status = judge(ctx, work, k, survey);
    }
    return status;
}

spd_status spd_data_survey(spd_context *ctx, const spd_data *data, spd_survey *survey)
{
    ctx_clear(ctx);
    if (data->n == 0 || data->p == 0)
        return ctx_fail(ctx, SPD_EINVAL, "there are no matrices to survey");
    spd_status status = sized_check(ctx, "spd_survey", survey);
    if (status < 0)
        return status;
    size_t n = data->n, group = GROUP_DOUBLES / (n * n) + 1;
    survey_work work = {.n = n, .data = data, .capacity = group < data->p ? group : data->p};
    spd_survey seen = {0};
    seen.first_not_finite = seen.first_not_symmetric = SPD_NO_INDEX;
    seen.first_not_definite = seen.first_singular = SPD_NO_INDEX;
    seen.min_eigenvalue = (double)INFINITY;
    seen.max_eigenvalue = -(double)INFINITY;
    work.S = mem_alloc(work.capacity, n * n * sizeof *work.S);
    work.lambda = mem_alloc(work.capacity, n * sizeof *work.lambda);
    work.index = mem_alloc(work.capacity, sizeof *work.index);
    work.asymmetry = mem_alloc(work.capacity, sizeof *work.asymmetry);
    if (!work.S || !work.lambda || !work.index || !work.asymmetry)
        status = ctx_nomem(ctx, "a survey");
    if (status == SPD_OK)
        status = survey_all(ctx, &work, &seen);
    if (status == SPD_OK && seen.not_finite == data->p)
        seen.min_eigenvalue = seen.max_eigenvalue = seen.max_condition = (double)NAN;
    if (status == SPD_OK)
        sized_give(sizeof seen, &seen, survey);
    mem_free(work.S);
    mem_free(work.lambda);
    mem_free(work.index);
    mem_free(work.asymmetry);
    return status;
}
