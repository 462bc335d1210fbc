/* survey.c - what is in a data set and what is wrong with it: every bad matrix is counted, none
 * ends the survey. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sized.h"
#include "formats/data.h"
#include "spdml-data.h"

/* Matrices are copied in groups of about this many doubles for their eigenvalues. */
#define GROUP_DOUBLES ((size_t)4 << 20)

/* Beyond this condition a matrix is definite by rounding alone. */
#define MOST_CONDITION 1e15

typedef struct survey_work {
    size_t n, capacity; /* matrices of a group */
    double *S;          /* capacity x n x n, symmetrised */
    double *lambda;     /* capacity x n */
    size_t *index;      /* capacity: which sample it is */
    char *symmetric;    /* capacity */
} survey_work;

static void count_one(size_t i, size_t *count, size_t *first)
{
    if ((*count)++ == 0)
        *first = i;
}

/* Has a symmetric matrix a Cholesky factor? Asked only where eigenvalues leave it open. */
static spd_status is_definite(spd_context *ctx, size_t n, const double *S, const double *lambda,
                              int *definite)
{
    *definite = lambda[0] > 0.0;
    if (fabs(lambda[0]) > 8.0 * (double)n * DBL_EPSILON * lambda[n - 1])
        return SPD_OK;
    spd_status status = spd_check(ctx, n, 1, S, 0.0);
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
    if (work->symmetric[k] && !definite)
        count_indefinite(work, k, survey);
    else if (work->symmetric[k] && condition > MOST_CONDITION)
        count_one(work->index[k], &survey->singular, &survey->first_singular);
    return SPD_OK;
}

static spd_status judge_group(spd_context *ctx, const survey_work *work, size_t count,
                              spd_survey *survey)
{
    if (count == 0)
        return SPD_OK;
    spd_status status = spd_eigh(ctx, work->n, count, work->S, work->lambda, NULL);
    for (size_t k = 0; k < count && status >= 0; k++)
        status = judge(ctx, work, k, survey);
    return status;
}

/* Copies sample i into place k of the group. Zero when it is not finite: it stays out. */
static int take_sample(const spd_data *data, size_t i, const survey_work *work, size_t k,
                       spd_survey *survey)
{
    size_t n = data->n;
    const double *X = data->X + i * n * n;
    double asymmetry = data_asymmetry(n, X);
    if (isnan(asymmetry)) {
        count_one(i, &survey->not_finite, &survey->first_not_finite);
        return 0;
    }
    survey->max_asymmetry = fmax(survey->max_asymmetry, asymmetry);
    work->symmetric[k] = asymmetry <= DATA_SYMMETRY;
    if (!work->symmetric[k])
        count_one(i, &survey->not_symmetric, &survey->first_not_symmetric);
    work->index[k] = i;
    memcpy(work->S + k * n * n, X, n * n * sizeof *X);
    spd_symmetrize(n, 1, work->S + k * n * n);
    return 1;
}

static spd_status survey_all(spd_context *ctx, const spd_data *data, const survey_work *work,
                             spd_survey *survey)
{
    size_t count = 0;
    spd_status status = SPD_OK;
    for (size_t i = 0; i < data->p && status >= 0; i++) {
        count += (size_t)take_sample(data, i, work, count, survey);
        if (count == work->capacity) {
            status = judge_group(ctx, work, count, survey);
            count = 0;
        }
    }
    return status < 0 ? status : judge_group(ctx, work, count, survey);
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
    survey_work work = {.n = n, .capacity = group < data->p ? group : data->p};
    spd_survey seen = {0};
    seen.first_not_finite = seen.first_not_symmetric = SPD_NO_INDEX;
    seen.first_not_definite = seen.first_singular = SPD_NO_INDEX;
    seen.min_eigenvalue = (double)INFINITY;
    seen.max_eigenvalue = -(double)INFINITY;
    work.S = mem_alloc(work.capacity, n * n * sizeof *work.S);
    work.lambda = mem_alloc(work.capacity, n * sizeof *work.lambda);
    work.index = mem_alloc(work.capacity, sizeof *work.index);
    work.symmetric = mem_alloc(work.capacity, 1);
    if (!work.S || !work.lambda || !work.index || !work.symmetric)
        status = ctx_nomem(ctx, "a survey");
    if (status == SPD_OK)
        status = survey_all(ctx, data, &work, &seen);
    if (status == SPD_OK && seen.not_finite == data->p)
        seen.min_eigenvalue = seen.max_eigenvalue = seen.max_condition = (double)NAN;
    if (status == SPD_OK)
        sized_give(sizeof seen, &seen, survey);
    mem_free(work.S);
    mem_free(work.lambda);
    mem_free(work.index);
    mem_free(work.symmetric);
    return status;
}
