/* face_render.c - a head as a mesh, turned, lit and drawn with a depth buffer.
 *
 *   point     X = R (lon, lat) + bumps,  then turned by roll, pitch and yaw; seen along -z
 *   light     I = a + (1 - a) max(0, n . l),  n the normal of the mesh
 *   pixel     gain tone I, averaged over FINER x FINER smaller ones
 *
 * The mesh carries longitude, latitude and light to the pixels; the tone is found there, so that
 * eyes and lips are sharper than the mesh. */
#include <math.h>

#include "base/arena.h"
#include "synth/face.h"
#include "synth/noise.h"

#define FINER   2   /* pixels per pixel and side */
#define COLUMNS 120 /* of the mesh: longitudes */
#define ROWS    100 /* latitudes */
#define LON_END 2.5
#define LAT_END 1.5
#define SQUARE  0.75
#define CENTRED 0.8

/* A point of the mesh, and what is known of a pixel. */
typedef struct vertex {
    double at[3];
    double lon, lat, light;
} vertex;

typedef struct canvas {
    size_t side;   /* pixels, the finer ones */
    vertex *mesh;  /* ROWS x COLUMNS */
    vertex *pixel; /* side x side; at[2] is the depth, -HUGE_VAL where there is nothing */
} canvas;

/* ---- the mesh ------------------------------------------------------------------------------- */

/* at <- the point on the surface, in the head's own coordinates. */
static void surface(const person *p, const expression *e, double lon, double lat, double *at)
{
    const double bumps = face_height(p, e, lon, lat);
    const double v = sin(lat), low = noise_step(0.0, -0.9, v);
    const double round = pow(cos(lat), SQUARE); /* fuller than an ellipse */
    const double narrow = 1.0 - p->jaw * low;
    at[0] = (p->half_width * narrow + bumps) * round * sin(lon);
    at[1] = (p->half_height + 0.3 * bumps) * v - 0.5 * e->open * low;
    at[2] = (p->half_depth * (1.0 - 0.08 * low) + bumps) * round * cos(lon);
}

static void turn(double angle, double *a, double *b)
{
    const double c = cos(angle), s = sin(angle), x = *a;
    *a = c * x - s * *b;
    *b = s * x + c * *b;
}

static void lay_mesh(const person *p, const shot *s, vertex *mesh)
{
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < COLUMNS; i++) {
            vertex *x = &mesh[j * COLUMNS + i];
            x->lon = LON_END * (2.0 * (double)i / (COLUMNS - 1) - 1.0);
            x->lat = LAT_END * (2.0 * (double)j / (ROWS - 1) - 1.0);
            surface(p, &s->mood, x->lon, x->lat, x->at);
            turn(-s->yaw, &x->at[0], &x->at[2]);
            turn(s->pitch, &x->at[1], &x->at[2]);
            turn(s->roll, &x->at[0], &x->at[1]);
        }
}

/* The light on a point, from the cross product of the ways to its neighbours. */
static double light_on(const vertex *mesh, size_t i, size_t j, const double *lamp, double ambient)
{
    const vertex *left = &mesh[j * COLUMNS + (i ? i - 1 : i)];
    const vertex *right = &mesh[j * COLUMNS + (i + 1 < COLUMNS ? i + 1 : i)];
    const vertex *below = &mesh[(j ? j - 1 : j) * COLUMNS + i];
    const vertex *above = &mesh[(j + 1 < ROWS ? j + 1 : j) * COLUMNS + i];
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = right->at[k] - left->at[k];
        b[k] = above->at[k] - below->at[k];
    }
    const double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                         a[0] * b[1] - a[1] * b[0]};
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double bright = sqrt(lamp[0] * lamp[0] + lamp[1] * lamp[1] + lamp[2] * lamp[2]);
    const double facing = n[0] * lamp[0] + n[1] * lamp[1] + n[2] * lamp[2];
    const double lambert = facing > 0.0 ? facing / (length * bright) : 0.0;
    return ambient + (1.0 - ambient) * lambert;
}

static void light_mesh(const shot *s, vertex *mesh)
{
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < COLUMNS; i++)
            mesh[j * COLUMNS + i].light = light_on(mesh, i, j, s->lamp, s->ambient);
}

/* Faces are cut out by their eyes: the point between them is where it is seen from the front, or
 * CENTRED of the way to there. */
static double recentre(const person *p, const shot *s)
{
    return -CENTRED * p->half_depth * sin(s->yaw);
}

/* at <- pixels from the upper left; the image shows [-1, 1] both ways. */
static void project(const person *p, const shot *s, size_t side, vertex *mesh)
{
    const double half = 0.5 * (double)side, back = recentre(p, s);
    for (size_t e = 0; e < (size_t)ROWS * COLUMNS; e++) {
        double *at = mesh[e].at;
        at[0] = half * (1.0 + s->scale * (at[0] + back) + s->shift[0]);
        at[1] = half * (1.0 - s->scale * at[1] + s->shift[1]);
    }
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* The first whole pixel from x on, and the one after the last; within the canvas. */
static size_t clip(double x, size_t side)
{
    if (!(x > 0.0))
        return 0;
    return x < (double)side ? (size_t)x : side;
}

static void blend(const vertex *const corner[3], const double *share, vertex *out)
{
    *out = (vertex){{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        out->at[2] += share[k] * corner[k]->at[2];
        out->lon += share[k] * corner[k]->lon;
        out->lat += share[k] * corner[k]->lat;
        out->light += share[k] * corner[k]->light;
    }
}

/* Pixels whose middle is in the triangle, where nothing is before it. */
static void draw_triangle(const canvas *c, const vertex *A, const vertex *B, const vertex *C)
{
    const vertex *const corner[3] = {A, B, C};
    const double *a = A->at, *b = B->at, *d = C->at;
    const double area = (b[0] - a[0]) * (d[1] - a[1]) - (b[1] - a[1]) * (d[0] - a[0]);
    if (area == 0.0)
        return;
    const size_t left = clip(fmin(fmin(a[0], b[0]), d[0]), c->side);
    const size_t top = clip(fmin(fmin(a[1], b[1]), d[1]), c->side);
    const size_t right = clip(1.0 - fmin(fmin(-a[0], -b[0]), -d[0]), c->side);
    const size_t bottom = clip(1.0 - fmin(fmin(-a[1], -b[1]), -d[1]), c->side);
    for (size_t j = top; j < bottom; j++)
        for (size_t i = left; i < right; i++) {
            const double x = (double)i + 0.5, y = (double)j + 0.5;
            const double share[3] = {((b[0] - x) * (d[1] - y) - (b[1] - y) * (d[0] - x)) / area,
                                     ((d[0] - x) * (a[1] - y) - (d[1] - y) * (a[0] - x)) / area,
                                     ((a[0] - x) * (b[1] - y) - (a[1] - y) * (b[0] - x)) / area};
            vertex *pixel = &c->pixel[j * c->side + i], seen;
            if (fmin(fmin(share[0], share[1]), share[2]) < 0.0)
                continue;
            blend(corner, share, &seen);
            if (seen.at[2] > pixel->at[2])
                *pixel = seen;
        }
}

static void draw_mesh(const canvas *c)
{
    for (size_t e = 0; e < c->side * c->side; e++)
        c->pixel[e].at[2] = -HUGE_VAL;
    for (size_t j = 0; j + 1 < ROWS; j++)
        for (size_t i = 0; i + 1 < COLUMNS; i++) {
            const vertex *v = &c->mesh[j * COLUMNS + i];
            draw_triangle(c, v, v + 1, v + COLUMNS);
            draw_triangle(c, v + 1, v + COLUMNS + 1, v + COLUMNS);
        }
}

/* Neck, then shoulders, then what is behind: where there is no head. */
static double behind(const person *p, const shot *s, double x, double y)
{
    const double neck = 0.62 * p->half_width - fabs(x);
    const double cloth = y - 0.82 - 0.25 * x * x;
    if (cloth > 0.0)
        return 0.25 + 0.15 * p->parting;
    return y > 0.3 && neck > 0.0 ? 0.55 * p->skin_tone * (0.6 + 0.5 * noise_step(0.0, 0.3, neck))
                                 : s->backdrop;
}

/* ---- the picture ---------------------------------------------------------------------------- */

static double tone_at(const canvas *c, const person *p, const shot *s, size_t i, size_t j)
{
    const vertex *seen = &c->pixel[j * c->side + i];
    const double x = ((double)i + 0.5) / (0.5 * (double)c->side) - 1.0;
    const double y = ((double)j + 0.5) / (0.5 * (double)c->side) - 1.0;
    if (seen->at[2] == -HUGE_VAL)
        return s->gain * behind(p, s, (x - s->shift[0]) / s->scale - recentre(p, s),
                                (y - s->shift[1]) / s->scale);
    return s->gain * seen->light * face_tone(p, &s->mood, seen->lon, seen->lat);
}

static void develop(const canvas *c, const person *p, const shot *s, rng *r, image *picture)
{
    for (size_t j = 0; j < picture->height; j++)
        for (size_t i = 0; i < picture->width; i++) {
            double sum = 0.0;
            for (size_t b = 0; b < FINER; b++)
                for (size_t a = 0; a < FINER; a++)
                    sum += tone_at(c, p, s, FINER * i + a, FINER * j + b);
            picture->pixel[j * picture->width + i] =
                sum / (FINER * FINER) + s->noise * rng_normal(r);
        }
}

spd_status face_render(spd_context *ctx, const person *p, const shot *s, size_t size, rng *r,
                       image **picture)
{
    image *made = NULL;
    canvas c = {.side = FINER * size};
    arena room = {0};
    c.mesh = arena_alloc(&room, (size_t)ROWS * COLUMNS, sizeof *c.mesh);
    c.pixel = arena_alloc(&room, c.side * c.side, sizeof *c.pixel);
    spd_status status = arena_status(&room, ctx, "a face");
    if (status >= 0)
        status = image_new(ctx, size, size, 1, &made);
    if (status >= 0) {
        lay_mesh(p, s, c.mesh);
        light_mesh(s, c.mesh);
        project(p, s, c.side, c.mesh);
        draw_mesh(&c);
        develop(&c, p, s, r, made);
        *picture = made;
    }
    arena_free(&room);
    return status;
}
