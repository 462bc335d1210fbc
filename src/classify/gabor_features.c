/* gabor_features.c - down-sampled and normalised Gabor magnitudes. */
#include "classify/gabor_features.h"

#include <math.h>

#include "base/arena.h"
#include "classify/values.h"
#include "engine/parallel.h"
#include "filters/gabor_bank.h"
#include "linalg/tall.h"

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
