/* occlusion.c - learning the occlusion dictionary.
 *
 * The response to one bright pixel at c is the wavelet itself, moved there; its magnitude is the
 * Gaussian envelope exp(-|z - c|^2 / (2 s_v^2)), the same for all orientations (the constant that
 * is taken from the wave is 3e-9). So learning works on one image for each scale,
 *
 *   Z (pixels x scales cells),
 *
 * and the atoms are repeated for all orientations in the end, which keeps angles. Alternating:
 *
 *   coding  a_i = argmin |z_i - G'a|^2 + lambda |a|_1                                  (lasso.h)
 *   atoms   g_j <- sum_i a_ij (z_i - sum over l != j of a_il g_l), scaled to length one
 *
 * from evenly spaced pixels; an atom that nobody uses stays. Of the pixels a grid of at most about
 * a thousand is used: neighbours are nearly equal. */
#include "classify/occlusion.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "classify/lasso.h"
#include "classify/values.h"
#include "classify/vectors.h"
#include "filters/gabor_bank.h"
#include "linalg/tall.h"
#include "run/parallel.h"

/* ---- features ------------------------------------------------------------------------------- */

#define PI      3.14159265358979323846
#define STEP    6 /* STEP * STEP is the factor of down-sampling */
#define KMAX    (PI / 2.0)
#define SPACING 1.4142135623730951
#define SIGMA   (2.0 * PI)

static gabor_side make_side(size_t length)
{
    gabor_side s = {.length = length, .step = length < STEP ? 1 : STEP};
    s.count = (length - s.step / 2 + s.step - 1) / s.step;
    return s;
}

size_t gabor_features_place(const gabor_side *side, size_t i)
{
    return side->step / 2 + i * side->step;
}

double gabor_features_deviation(size_t scale)
{
    return SIGMA / KMAX * pow(SPACING, (double)scale);
}

size_t gabor_features_cells(const gabor_features *f)
{
    return f->x.count * f->y.count;
}

size_t gabor_features_dim(const gabor_features *f)
{
    return (size_t)(GABOR_SCALES * GABOR_ORIENTATIONS) * gabor_features_cells(f);
}

gabor_features gabor_features_for(size_t width, size_t height)
{
    return (gabor_features){.x = make_side(width), .y = make_side(height)};
}

void gabor_features_normalise(size_t count, double *x)
{
    double mean = 0.0, largest = 0.0;
    for (size_t e = 0; e < count; e++) {
        mean += x[e] / (double)count;
        largest = fmax(largest, fabs(x[e]));
    }
    for (size_t e = 0; e < count; e++)
        x[e] -= mean;
    double length = sqrt(tall_dot(1, count, x, x));
    /* Magnitudes are good to single precision: below that there is no structure. */
    double scale = length > 1e-6 * largest * sqrt((double)count) ? 1.0 / length : 0.0;
    for (size_t e = 0; e < count; e++)
        x[e] *= scale;
}

/* ---- all images --------------------------------------------------------------------------- */

typedef struct extraction {
    const gabor_features *f;
    gabor_bank *bank;
    const double *V;
    double *F;
    double **magnitude; /* for each thread: filters x height x width */
    void **work;        /* and scratch of the bank */
} extraction;

/* F (dim) <- samples of the magnitudes, normalised image by image, then as a whole. */
static void sample(const gabor_features *f, const double *magnitude, double *F)
{
    size_t cells = gabor_features_cells(f), dim = gabor_features_dim(f), at = 0;
    for (size_t i = 0; i < dim / cells; i++, magnitude += f->x.length * f->y.length) {
        for (size_t y = 0; y < f->y.count; y++)
            for (size_t x = 0; x < f->x.count; x++) {
                size_t row = gabor_features_place(&f->y, y);
                F[at++] = magnitude[row * f->x.length + gabor_features_place(&f->x, x)];
            }
        gabor_features_normalise(cells, F + i * cells);
    }
    values_to_unit(dim, F);
}

static spd_status extract_one(void *user, size_t chunk, int thread)
{
    const extraction *e = user;
    size_t pixels = e->f->x.length * e->f->y.length;
    gabor_bank_apply(e->bank, e->V + chunk * pixels, e->magnitude[thread], e->work[thread]);
    sample(e->f, e->magnitude[thread], e->F + chunk * gabor_features_dim(e->f));
    return SPD_OK;
}

/* Room for every thread, then all images. */
static spd_status extract_all(spd_context *ctx, extraction *e, size_t p)
{
    size_t threads = (size_t)parallel_threads(ctx);
    size_t pixels = e->f->x.length * e->f->y.length * gabor_bank_filters(e->bank);
    arena room = {0};
    e->magnitude = arena_alloc(&room, threads, sizeof *e->magnitude);
    e->work = arena_alloc(&room, threads, sizeof *e->work);
    for (size_t t = 0; t < threads && !room.failed; t++) {
        e->magnitude[t] = arena_alloc(&room, pixels, sizeof **e->magnitude);
        e->work[t] = arena_alloc(&room, gabor_bank_work(e->bank), 1);
    }
    spd_status status = arena_status(&room, ctx, "Gabor features");
    if (status == SPD_OK)
        status = parallel_for(ctx, p, extract_one, e, "Gabor features", "images", (double)p, NULL);
    arena_free(&room);
    return status;
}

spd_status gabor_features_of(spd_context *ctx, const gabor_features *f, size_t p, const double *V,
                             double *F)
{
    extraction e = {.f = f, .V = V, .F = F};
    spd_status status = gabor_bank_new(ctx, f->x.length, f->y.length, GABOR_SCALES,
                                       GABOR_ORIENTATIONS, KMAX, SPACING, SIGMA, &e.bank);
    if (status == SPD_OK)
        status = extract_all(ctx, &e, p);
    gabor_bank_free(e.bank);
    return status;
}

/* ---- the dictionary ------------------------------------------------------------------------- */

#define COMPRESSION 40
#define MOST_PIXELS 1024
#define MOST_ATOMS  200
#define ROUNDS      5
#define LAMBDA      0.05

typedef struct learning {
    size_t pixels, atoms, dim; /* dim: scales * cells */
    double *Z;                 /* pixels x dim */
    double *G;                 /* atoms x dim */
    double *A;                 /* pixels x atoms */
    double *K, *k;             /* atoms x atoms: G G'; pixels x atoms: Z G' */
    double *S;                 /* atoms x atoms: A'A */
    double *T;                 /* atoms x dim: A'Z */
    lasso *solver;
} learning;

size_t occlusion_atoms(const gabor_features *f)
{
    size_t atoms = f->x.length * f->y.length / COMPRESSION;
    return atoms < 1 ? 1 : atoms > MOST_ATOMS ? MOST_ATOMS : atoms;
}

/* Pixels from one of the grid to the next. */
static size_t stride_of(const gabor_features *f)
{
    size_t stride = 1;
    while ((f->x.length / stride) * (f->y.length / stride) > MOST_PIXELS)
        stride++;
    return stride;
}

static size_t along(size_t length, size_t stride)
{
    return (length + stride - 1) / stride;
}

/* ---- the identity basis ------------------------------------------------------------------- */

/* z (scales x cells) <- features of the image with a bright pixel at (px, py). */
static void bright_pixel(const gabor_features *f, double px, double py, double *z)
{
    size_t cells = gabor_features_cells(f), at = 0;
    for (size_t v = 0; v < GABOR_SCALES; v++) {
        double s = gabor_features_deviation(v);
        for (size_t y = 0; y < f->y.count; y++)
            for (size_t x = 0; x < f->x.count; x++) {
                double dx = (double)gabor_features_place(&f->x, x) - px;
                double dy = (double)gabor_features_place(&f->y, y) - py;
                z[at++] = exp(-0.5 * (dx * dx + dy * dy) / (s * s));
            }
        gabor_features_normalise(cells, z + v * cells);
    }
    values_to_unit(GABOR_SCALES * cells, z);
}

static void fill_basis(const gabor_features *f, learning *l)
{
    size_t stride = stride_of(f), rows = along(f->y.length, stride);
    size_t columns = along(f->x.length, stride);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            bright_pixel(f, (double)(x * stride), (double)(y * stride),
                         l->Z + (y * columns + x) * l->dim);
    for (size_t j = 0; j < l->atoms; j++)
        memcpy(l->G + j * l->dim, l->Z + (2 * j + 1) * l->pixels / (2 * l->atoms) * l->dim,
               l->dim * sizeof *l->G);
}

/* ---- alternating -------------------------------------------------------------------------- */

/* A <- codes of all pixels. */
static spd_status code_pixels(spd_context *ctx, learning *l)
{
    arena room = {0};
    lasso_dictionary d = {0};
    spd_status status = vectors_products(ctx, l->dim, l->atoms, l->G, l->atoms, l->G, l->K);
    if (status == SPD_OK)
        status = vectors_products(ctx, l->dim, l->pixels, l->Z, l->atoms, l->G, l->k);
    spd_symmetrize(l->atoms, 1, l->K);
    if (status == SPD_OK)
        status = lasso_dictionary_make(ctx, l->atoms, l->K, &room, &d);
    memset(l->A, 0, l->pixels * l->atoms * sizeof *l->A);
    for (size_t i = 0; i < l->pixels && status == SPD_OK; i++) {
        size_t within = i % LASSO_BATCH, left = l->pixels - i;
        lasso_code code;
        if (within == 0)
            lasso_begin(l->solver, &d, LAMBDA, left < LASSO_BATCH ? left : LASSO_BATCH,
                        l->k + i * l->atoms);
        status = lasso_solve(l->solver, within, 1.0, &code);
        for (size_t a = 0; a < code.count && status == SPD_OK; a++)
            l->A[i * l->atoms + code.atom[a]] = code.value[a];
    }
    arena_free(&room);
    return status == SPD_ENOMEM ? ctx_nomem(ctx, "the occlusion dictionary") : status;
}

/* S <- A'A and T <- A'Z, from the few entries of A that are not zero. */
static void gather(learning *l)
{
    memset(l->S, 0, l->atoms * l->atoms * sizeof *l->S);
    memset(l->T, 0, l->atoms * l->dim * sizeof *l->T);
    for (size_t i = 0; i < l->pixels; i++) {
        const double *a = l->A + i * l->atoms, *z = l->Z + i * l->dim;
        for (size_t j = 0; j < l->atoms; j++) {
            if (a[j] == 0.0)
                continue;
            for (size_t m = 0; m < l->atoms; m++)
                l->S[j * l->atoms + m] += a[j] * a[m];
            for (size_t d = 0; d < l->dim; d++)
                l->T[j * l->dim + d] += a[j] * z[d];
        }
    }
}

/* Every atom in turn to its best direction, given the codes and the other atoms. */
static void update_atoms(learning *l)
{
    gather(l);
    for (size_t j = 0; j < l->atoms; j++) {
        double *t = l->T + j * l->dim;
        if (!(l->S[j * (l->atoms + 1)] > 0.0))
            continue;
        for (size_t m = 0; m < l->atoms; m++) {
            double s = m == j ? 0.0 : l->S[j * l->atoms + m];
            for (size_t d = 0; d < l->dim && s != 0.0; d++)
                t[d] -= s * l->G[m * l->dim + d];
        }
        if (!(tall_dot(1, l->dim, t, t) > 0.0))
            continue;
        values_to_unit(l->dim, t);
        memcpy(l->G + j * l->dim, t, l->dim * sizeof *t);
    }
}

/* B (atoms x filters cells) <- G, every scale repeated for all orientations. */
static void spread(const learning *l, size_t cells, double *B)
{
    size_t each = GABOR_ORIENTATIONS * cells, whole = GABOR_SCALES * each;
    double share = 1.0 / sqrt((double)GABOR_ORIENTATIONS);
    for (size_t j = 0; j < l->atoms; j++)
        for (size_t e = 0; e < whole; e++)
            B[j * whole + e] = share * l->G[j * l->dim + e / each * cells + e % cells];
}

/* ---- all of it ---------------------------------------------------------------------------- */

spd_status occlusion_learn(spd_context *ctx, const gabor_features *f, double *B)
{
    size_t stride = stride_of(f), dim = GABOR_SCALES * gabor_features_cells(f);
    size_t pixels = along(f->y.length, stride) * along(f->x.length, stride);
    size_t atoms = occlusion_atoms(f);
    arena room = {0};
    learning l = {.pixels = pixels,
                  .atoms = atoms,
                  .dim = dim,
                  .Z = arena_alloc(&room, pixels, dim * sizeof *l.Z),
                  .G = arena_alloc(&room, atoms, dim * sizeof *l.G),
                  .A = arena_alloc(&room, pixels, atoms * sizeof *l.A),
                  .K = arena_alloc(&room, atoms, atoms * sizeof *l.K),
                  .k = arena_alloc(&room, pixels, atoms * sizeof *l.k),
                  .S = arena_alloc(&room, atoms, atoms * sizeof *l.S),
                  .T = arena_alloc(&room, atoms, dim * sizeof *l.T),
                  .solver = lasso_new(atoms)};
    spd_status status =
        l.solver && !room.failed ? SPD_OK : ctx_nomem(ctx, "the occlusion dictionary");
    if (status == SPD_OK)
        fill_basis(f, &l);
    for (int round = 0; round < ROUNDS && status == SPD_OK; round++) {
        status = code_pixels(ctx, &l);
        if (status == SPD_OK)
            update_atoms(&l);
    }
    if (status == SPD_OK)
        spread(&l, gabor_features_cells(f), B);
    lasso_free(l.solver);
    arena_free(&room);
    return status;
}
