/* shrinkage.c - from sums to a covariance, drawn towards a multiple of the identity.
 *
 *   C = S/(r-1), or with S in its 1/r version and mu = tr(S)/n:  C = (1 - rho) S + rho mu I
 *
 *   oas           rho = min(1, (a + mu^2) / ((r + 1)(a - mu^2/n))),  a = |S|^2/n^2
 *                 (Chen, Wiesel, Eldar, Hero 2010)
 *   ledoit-wolf   rho = min(b, d)/d,  d = |S - mu I|^2/n,  b = sum_k |x_k x_k' - S|^2/(n r^2)
 *                 (Ledoit, Wolf 2004), where sum_k |x_k x_k' - S|^2 = sum_k |x_k|^4 - r |S|^2 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "ops/covariance.h"
#include "ops/scale.h"

int shrinkage_repairs(const spd_covariance_options *options)
{
    return options->regularize > 0.0 || options->shrinkage == SPD_SHRINKAGE_OAS ||
           options->shrinkage == SPD_SHRINKAGE_LEDOIT_WOLF ||
           (options->shrinkage == SPD_SHRINKAGE_VALUE && options->shrink > 0.0);
}

/* tr(S)/d and |S|^2 of a d x d matrix. */
static void measure(size_t d, const double *S, double *mu, double *square)
{
    double trace = 0.0, sum = 0.0;
    for (size_t i = 0; i < d; i++)
        trace += S[i * d + i];
    for (size_t e = 0; e < d * d; e++)
        sum += S[e] * S[e];
    *mu = trace / (double)d;
    *square = sum;
}

static double oas(double r, double d, double mu, double square)
{
    double a = square / (d * d), below = (r + 1.0) * (a - mu * mu / d);
    return below > 0.0 ? fmin(1.0, (a + mu * mu) / below) : 1.0;
}

/* |S - mu I|^2 = |S|^2 - d mu^2 cancels when S is nearly the target: it is summed as it stands. */
static double ledoit_wolf(const scatter *sums, const double *S, double mu, double square)
{
    double d = (double)sums->d, r = (double)sums->r, distance = 0.0;
    double b = (sums->quartic - r * square) / (d * r * r);
    for (size_t e = 0; e < sums->d * sums->d; e++) {
        double gap = S[e] - (e % (sums->d + 1) == 0 ? mu : 0.0);
        distance += gap * gap;
    }
    distance /= d;
    return distance > 0.0 ? fmin(fmax(b, 0.0), distance) / distance : 1.0;
}

double shrinkage_ridge(const spd_covariance_options *options, size_t r, size_t n, double trace)
{
    double divisor = options->shrinkage == SPD_SHRINKAGE_NONE ? (double)r - 1.0 : (double)r;
    return options->regularize * trace / (divisor * (double)n);
}

void shrinkage_apply(const spd_covariance_options *options, const scatter *sums, double *C)
{
    size_t d = sums->d;
    double r = (double)sums->r, mu, square, rho = options->shrink;
    double divisor = options->shrinkage == SPD_SHRINKAGE_NONE ? r - 1.0 : r;
    for (size_t e = 0; e < d * d; e++)
        C[e] = sums->S[e] / divisor;
    if (options->shrinkage == SPD_SHRINKAGE_NONE ||
        (options->shrinkage == SPD_SHRINKAGE_VALUE && options->shrink == 0.0))
        return;
    if (sums->exponent) /* rho has squares of C, and does not depend on its scale */
        scale_by(d * d, C, -sums->exponent, C);
    measure(d, C, &mu, &square);
    if (options->shrinkage == SPD_SHRINKAGE_OAS)
        rho = oas(r, (double)d, mu, square);
    else if (options->shrinkage == SPD_SHRINKAGE_LEDOIT_WOLF)
        rho = ledoit_wolf(sums, C, mu, square);
    for (size_t e = 0; e < d * d; e++)
        C[e] *= 1.0 - rho;
    for (size_t i = 0; i < d; i++)
        C[i * d + i] += rho * mu;
    if (sums->exponent)
        scale_by(d * d, C, sums->exponent, C);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static spd_status check_options(spd_context *ctx, const spd_covariance_options *options, size_t n)
{
    for (size_t i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i] != 0.0)
            return ctx_fail(ctx, SPD_EINVAL,
                            "spd_covariance_options sets members that version %s does not know; "
                            "set reserved to 0 or use a newer library",
                            spd_version());
    if ((unsigned)options->shrinkage >= SPD_SHRINKAGES)
        return ctx_fail(ctx, SPD_EINVAL, "unknown shrinkage %d", (int)options->shrinkage);
    if (options->shrinkage == SPD_SHRINKAGE_VALUE &&
        !(options->shrink >= 0.0 && options->shrink <= 1.0))
        return ctx_fail(ctx, SPD_EINVAL, "shrinkage %g is not between 0 and 1", options->shrink);
    if (!(options->regularize < INFINITY))
        return ctx_fail(ctx, SPD_EINVAL, "regularisation %g is not a valid number",
                        options->regularize);
    if (options->W && (options->m == 0 || (options->n && options->n != n)))
        return ctx_fail(ctx, SPD_EINVAL,
                        "the model maps observations of %zu values to %zu; these have %zu",
                        options->n, options->m, n);
    return SPD_OK;
}

/* A centred covariance of r rows has rank r - 1 at most. With W the blocks' ranks add up. */
static spd_status check_rows(spd_context *ctx, const spd_covariance_options *options, size_t blocks,
                             const observations *block)
{
    size_t rank = 0;
    for (size_t b = 0; b < blocks; b++) {
        size_t r = block[b].r, n = block[b].n;
        if (r < 2 || n == 0)
            return ctx_fail(ctx, SPD_EINVAL,
                            "%zu observation%s of %zu values; a covariance needs at least two", r,
                            r == 1 ? "" : "s", n);
        rank += r - 1 < n ? r - 1 : n;
        if (!options->W && r <= n && !shrinkage_repairs(options)) {
            ctx_fail(ctx, SPD_EINVAL,
                     "%zu observations of %zu values: a centred covariance has rank %zu at most, "
                     "so it is not positive definite; take %zu observations or more",
                     r, n, r - 1, n + 1);
            return ctx_advise(ctx, SPD_EINVAL,
                              SPD_REMEDY_SHRINK | SPD_REMEDY_REGULARIZE | SPD_REMEDY_PROJECT, 1e-3);
        }
    }
    if (!options->W || rank >= options->m || shrinkage_repairs(options))
        return SPD_OK;
    ctx_fail(
        ctx, SPD_EINVAL,
        "the observations projected to %zu values have a covariance of rank %zu at most, so it "
        "is not positive definite; take more observations",
        options->m, rank);
    return ctx_advise(ctx, SPD_EINVAL, SPD_REMEDY_SHRINK | SPD_REMEDY_REGULARIZE, 1e-3);
}

spd_status covariance_check(spd_context *ctx, const spd_covariance_options *options, size_t blocks,
                            const observations *block)
{
    size_t n = 0;
    for (size_t b = 0; b < blocks; b++)
        n += block[b].n;
    spd_status status = check_options(ctx, options, n);
    return status < 0 ? status : check_rows(ctx, options, blocks, block);
}

/* Sum over the columns of sum_k (o_kc - mu_c)^2: the trace of the scatter, without the scatter. */
static double scatter_trace(const observations *o)
{
    double trace = 0.0;
    for (size_t c = 0; c < o->n; c++) {
        double first = o->O[c], mean = 0.0, square = 0.0;
        for (size_t k = 0; k < o->r; k++)
            mean += (o->O[k * o->n + c] - first) / (double)o->r;
        for (size_t k = 0; k < o->r; k++) {
            double gap = o->O[k * o->n + c] - first - mean;
            square += gap * gap;
        }
        trace += square;
    }
    return trace;
}

/* Adds e tr(C)/n to the diagonal of X (size x size). With W the C is that before the projection:
 * W'(C + e tr(C)/n I)W, as for a matrix that is regularised first and mapped then. */
static void regularise(const spd_covariance_options *options, size_t n, size_t blocks,
                       const observations *block, size_t size, double *X)
{
    double ridge = 0.0;
    if (!options->W) {
        spd_regularize(size, 1, X, options->regularize, 0.0);
        return;
    }
    for (size_t b = 0; b < blocks; b++)
        ridge += shrinkage_ridge(options, block[b].r, n, scatter_trace(&block[b]));
    spd_regularize(size, 1, X, 0.0, ridge);
}

/* One block: its covariance added to X (size x size), behind the `before` rows of other blocks. */
static spd_status add_block(spd_context *ctx, const spd_covariance_options *options,
                            const observations *block, size_t before, size_t size, double *X)
{
    arena room = {0};
    scatter sums;
    const double *W = options->W ? options->W + before * options->m : NULL;
    int quartic = options->shrinkage == SPD_SHRINKAGE_LEDOIT_WOLF;
    spd_status status = scatter_new(ctx, block, options->m, W, quartic, &room, &sums);
    if (status == SPD_OK) {
        shrinkage_apply(options, &sums, sums.S);
        double *to = W ? X : X + before * size + before;
        for (size_t i = 0; i < sums.d; i++)
            for (size_t j = 0; j < sums.d; j++)
                to[i * size + j] += sums.S[i * sums.d + j];
    }
    arena_free(&room);
    return status;
}

spd_status covariance_blocks(spd_context *ctx, const spd_covariance_options *options, size_t blocks,
                             const observations *block, double *X)
{
    size_t n = 0, before = 0;
    spd_status status = covariance_check(ctx, options, blocks, block);
    if (status < 0)
        return status;
    for (size_t b = 0; b < blocks; b++)
        n += block[b].n;
    size_t size = options->W ? options->m : n;
    double *sum = mem_zero(size * size, sizeof *sum);
    if (!sum)
        return ctx_nomem(ctx, "a covariance");
    for (size_t b = 0; b < blocks && status == SPD_OK; b++) {
        status = add_block(ctx, options, &block[b], before, size, sum);
        before += block[b].n;
    }
    if (status == SPD_OK) {
        if (options->regularize > 0.0)
            regularise(options, n, blocks, block, size, sum);
        memcpy(X, sum, size * size * sizeof *X);
    }
    mem_free(sum);
    return status;
}

spd_status spd_covariance(spd_context *ctx, size_t r, size_t n, const double *O,
                          const spd_covariance_options *options, double *C)
{
    static const spd_covariance_options plain = {0};
    const observations block = {r, n, O};
    ctx_clear(ctx);
    return covariance_blocks(ctx, options ? options : &plain, 1, &block, C);
}
