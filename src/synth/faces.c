/* faces.c - grey images of people in nine poses: folder/subject_pose.png, and index.csv, the last
 * file, with the columns file, subject, pose.
 *
 * A person comes from (seed, person), an image from (seed, person, pose): asking for more people
 * leaves those who were there as they were. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "synth/face.h"
#include "synth/noise.h"
#include "synth/synth.h"

/* ---- people --------------------------------------------------------------------------------- */

#define DIVERSITY    1.2 /* how much people differ: factor of all deviations below */
#define LARGEST_DRAW 2.0 /* deviations: nobody is a caricature */

static double about(rng *r, double mean, double deviation)
{
    double z;
    do
        z = rng_normal(r);
    while (fabs(z) > LARGEST_DRAW);
    return mean + DIVERSITY * deviation * z;
}

static void draw_features(rng *r, person *p)
{
    p->eye_apart = about(r, 0.37, 0.025);
    p->eye_v = about(r, 0.06, 0.025);
    p->eye_width = about(r, 0.155, 0.014);
    p->eye_height = about(r, 0.06, 0.009);
    p->eye_tilt = about(r, 0.0, 0.08);
    p->socket = about(r, 0.06, 0.015);
    p->iris_tone = about(r, 0.18, 0.07);
    p->brow_v = about(r, 0.17, 0.02);
    p->brow_width = about(r, 0.22, 0.02);
    p->brow_thick = about(r, 0.034, 0.009);
    p->brow_tilt = about(r, 0.05, 0.1);
    p->brow_dark = about(r, 0.55, 0.17);
    p->nose_width = about(r, 0.12, 0.016);
    p->nose_v = about(r, -0.24, 0.03);
    p->nose_height = about(r, 0.17, 0.03);
    p->bridge = about(r, 0.07, 0.02);
    p->mouth_v = about(r, -0.53, 0.03);
    p->mouth_width = about(r, 0.25, 0.028);
    p->lip = about(r, 0.055, 0.012);
    p->lip_tone = about(r, 0.66, 0.08);
}

void face_draw(rng *r, person *p)
{
    p->seed = rng_next(r);
    p->half_width = about(r, 0.70, 0.03);
    p->half_height = about(r, 0.94, 0.03);
    p->half_depth = about(r, 0.86, 0.03);
    p->jaw = about(r, 0.22, 0.07);
    p->cheek = about(r, 0.03, 0.012);
    p->chin = about(r, 0.04, 0.015);
    draw_features(r, p);
    p->hairline = about(r, 0.60, 0.08);
    p->temple = about(r, 1.22, 0.12);
    p->hair_end = about(r, -0.15, 0.3);
    p->parting = about(r, 0.0, 0.25);
    p->hair_tone = about(r, 0.32, 0.13);
    p->hair_volume = about(r, 0.07, 0.025);
    p->skin_tone = about(r, 0.66, 0.08);
    p->blotches = about(r, 0.075, 0.03);
    p->blotch_size = about(r, 0.25, 0.08);
    p->strands = about(r, 0.45, 0.2);
    p->beard = rng_uniform(r) < 0.2 ? about(r, 0.35, 0.12) : 0.0;
    p->glasses = rng_uniform(r) < 0.12 ? about(r, 0.6, 0.1) : 0.0;
}

/* ---- shape ---------------------------------------------------------------------------------- */

/* A bump of height 1 and these deviations. */
static double bump(double x, double y, double width, double height)
{
    const double a = x / width, b = y / height;
    return exp(-0.5 * (a * a + b * b));
}

/* The bridge between the eyes widens to the tip and its wings. */
static double nose(const person *p, double u, double v)
{
    const double length = p->eye_v - p->nose_v, t = (p->eye_v - v) / length;
    if (t < -0.6 || t > 1.6)
        return 0.0;
    const double along = t < 1.0 ? (t > 0.0 ? t : 0.0) : 1.0;
    const double ridge = p->bridge + (p->nose_height - p->bridge) * along;
    const double end = t > 1.0 ? bump(t - 1.0, 0.0, 0.16, 1.0) : 1.0;
    const double start = t < 0.0 ? bump(t, 0.0, 0.3, 1.0) : 1.0;
    const double width = (0.42 + 0.2 * along) * p->nose_width;
    const double wings =
        bump(fabs(u) - 0.75 * p->nose_width, v - p->nose_v - 0.01, 0.4 * p->nose_width, 0.05);
    return ridge * start * end * bump(u, 0.0, width, 1.0) + 0.3 * p->nose_height * wings;
}

static double lips(const person *p, const expression *e, double u, double v)
{
    const double width = p->mouth_width * (1.0 + e->wide), x = u / width;
    const double middle = p->mouth_v + e->smile * x * x;
    const double parted = p->lip + e->open;
    return 0.25 * p->lip * bump(x, 0.0, 0.7, 1.0) *
           (bump(0.0, v - middle - 0.6 * parted, 1.0, 0.5 * p->lip) +
            bump(0.0, v - middle + 0.7 * parted, 1.0, 0.6 * p->lip));
}

/* Hair stands out above the line of the forehead and behind the temples, down to where it ends. */
static double hair(const person *p, double turn, double v)
{
    const double crown = noise_step(p->hairline, p->hairline + 0.2, v);
    const double side = noise_step(p->temple, p->temple + 0.3, turn) *
                        noise_step(p->hair_end - 0.05, p->hair_end + 0.15, v);
    return p->hair_volume * (crown > side ? crown : side);
}

/* How far the surface stands out from the ellipsoid, in units of the image. */
static double face_height(const person *p, const expression *e, double lon, double lat)
{
    const double u = cos(lat) * sin(lon), v = sin(lat), side = fabs(u), turn = fabs(lon);
    const double front = noise_step(0.0, 0.3, cos(lon));
    const double h = 0.1 * bump(turn - EAR_LON, v - EAR_V, 0.09, 0.12) + hair(p, turn, v);
    if (front == 0.0)
        return h;
    double face = nose(p, u, v) + lips(p, e, u, v);
    face -= p->socket * bump(side - p->eye_apart, v - p->eye_v, 0.16, 0.09);
    face += 0.6 * p->socket * bump(side - p->eye_apart, v - p->eye_v - p->brow_v, 0.2, 0.06);
    face += (p->cheek + 0.4 * e->smile) * bump(side - 0.45, v + 0.25, 0.17, 0.14);
    face += p->chin * bump(u, v + 0.82, 0.18, 0.1);
    return h + front * face;
}

/* ---- what is painted on a head -------------------------------------------------------------- */

#define SOFT 0.012 /* width of an edge */

/* 1 inside, 0 outside, where x is the distance to the edge, positive inside. */
static double inside(double x)
{
    return noise_step(-SOFT, SOFT, x);
}

static void cover(double *tone, double with, double share)
{
    *tone = noise_mix(*tone, with, share);
}

/* The left and the right eye are mirrored: x runs outwards from the middle of the eye. */
static void paint_eye(const person *p, const expression *e, double side, double v, double *tone)
{
    const double x = side - p->eye_apart, y = v - p->eye_v - p->eye_tilt * x;
    const double t = x / p->eye_width;
    const double tall = p->eye_height * (1.0 - 2.0 * e->smile) * (1.0 - t * t);
    const double lid = y - tall;
    if (fabs(t) > 1.3 || fabs(y) > 0.2)
        return;
    cover(tone, 0.55 * *tone, 0.6 * exp(-1200.0 * (lid - 0.035) * (lid - 0.035)) * (fabs(t) < 1.0));
    if (fabs(t) < 1.0) {
        const double eye = inside(tall - fabs(y)), far = sqrt(x * x + y * y);
        cover(tone, 0.85, eye);
        cover(tone, p->iris_tone, eye * inside(0.95 * p->eye_height - far));
        cover(tone, 0.04, eye * inside(0.4 * p->eye_height - far));
        cover(tone, 0.12, 0.85 * inside(0.017 - fabs(lid)));
        cover(tone, 0.3, 0.35 * inside(0.008 - fabs(y + tall)));
    }
}

static void paint_brow(const person *p, const expression *e, double side, double v, double *tone)
{
    const double x = (side - p->eye_apart) / p->brow_width;
    const double arch =
        p->eye_v + p->brow_v + e->brow + 0.05 * (0.4 - x * x) - p->brow_tilt * 0.3 * x;
    const double thick = p->brow_thick * (1.0 - 0.5 * x) * (1.0 - x * x * x * x);
    if (fabs(x) < 1.0)
        cover(tone, 0.7 * p->hair_tone, p->brow_dark * inside(thick - fabs(v - arch)));
}

static void paint_glasses(const person *p, double side, double v, double *tone)
{
    const double x = (side - p->eye_apart) / 0.25, y = (v - p->eye_v + 0.01) / 0.17;
    const double ring = fabs(sqrt(sqrt(x * x * x * x + y * y * y * y)) - 1.0);
    const double bar = fabs(v - p->eye_v - 0.04);
    cover(tone, 0.12, p->glasses * inside(0.012 - 0.2 * ring + 0.012));
    if (side < p->eye_apart - 0.24 || side > p->eye_apart + 0.24)
        cover(tone, 0.12, p->glasses * inside(0.018 - bar));
}

static void paint_mouth(const person *p, const expression *e, double u, double v, double *tone)
{
    const double x = u / (p->mouth_width * (1.0 + e->wide)), shape = 1.0 - x * x;
    const double y = v - p->mouth_v - e->smile * (x * x - 0.3);
    if (shape <= 0.0)
        return;
    const double gap = e->open * shape, bow = 1.0 - 0.35 * exp(-40.0 * x * x);
    const double upper = gap + 0.8 * p->lip * shape * bow, lower = gap + 1.2 * p->lip * sqrt(shape);
    cover(tone, p->lip_tone * *tone, inside(upper - y) * inside(lower + y));
    cover(tone, 0.1, inside(gap + 0.009 - fabs(y)) * 0.85);
    if (e->open > 0.03) /* the upper teeth */
        cover(tone, 0.85, inside(gap - fabs(y)) * inside(y - 0.25 * gap) * (fabs(x) < 0.75));
}

static double skin_at(const person *p, double u, double v, double lon)
{
    const double blotch = noise_fractal(p->seed, lon / p->blotch_size, v / p->blotch_size, 4);
    const double crease = fabs(u) - p->nose_width - 0.5 * (p->nose_v - v) - 0.03;
    double tone = p->skin_tone + p->blotches * blotch;
    if (v < p->nose_v && v > p->mouth_v)
        cover(&tone, 0.7 * tone, 0.4 * exp(-2500.0 * crease * crease));
    const double nostril_u = fabs(u) - 0.55 * p->nose_width, nostril_v = v - p->nose_v + 0.035;
    cover(&tone, 0.15,
          0.8 * exp(-0.5 * (nostril_u * nostril_u / 0.0009 + nostril_v * nostril_v / 0.0002)));
    return tone;
}

/* The line above which hair begins falls from the middle to the temples; behind them it goes down
 * to where it ends, but for the ears of those whose hair is short. */
static double hair_share(const person *p, double lon, double v)
{
    const double wave = 0.06 * noise_fractal(p->seed + 9, 3.0 * lon, 3.0 * v, 3);
    const double off = lon - p->parting, turn = fabs(lon);
    const double above = v - p->hairline - wave + 0.1 * off * off;
    const double beside = turn - p->temple - wave, end = v - p->hair_end - wave;
    const double a = (turn - EAR_LON) / 0.18, b = (v - EAR_V) / 0.17;
    const double ear = p->hair_end > -0.3 ? inside(0.15 * (1.0 - a * a - b * b)) : 0.0;
    const double behind = noise_step(-0.02, 0.05, beside) * noise_step(-0.02, 0.05, end);
    const double crown = noise_step(-0.02, 0.05, above);
    return (crown > behind ? crown : behind) * (1.0 - ear);
}

/* The tone of the surface in even light: faces.c */
static double face_tone(const person *p, const expression *e, double lon, double lat)
{
    const double u = cos(lat) * sin(lon), v = sin(lat), side = fabs(u);
    double tone = skin_at(p, u, v, lon);
    if (cos(lon) > 0.0) {
        const double chin = noise_step(-0.35, -0.5, v) * noise_step(1.35, 1.1, fabs(lon));
        const double stubble = noise_perlin(p->seed + 5, 30.0 * lon, 30.0 * v);
        cover(&tone, p->hair_tone, p->beard * chin * (0.8 + 0.3 * stubble));
        paint_mouth(p, e, u, v, &tone);
        paint_eye(p, e, side, v, &tone);
        paint_brow(p, e, side, v, &tone);
        paint_glasses(p, side, v, &tone);
    }
    const double strand = noise_perlin(p->seed + 6, 16.0 * lon, 2.5 * v);
    cover(&tone, p->hair_tone * (1.0 + p->strands * strand) + 0.03 * strand, hair_share(p, lon, v));
    return tone;
}

/* ---- an image of a head --------------------------------------------------------------------- */
/* point     X = R (lon, lat) + bumps,  then turned by roll, pitch and yaw; seen along -z
 *   light     I = a + (1 - a) max(0, n . l),  n the normal of the mesh
 *   pixel     gain tone I, averaged over FINER x FINER smaller ones
 *
 * The mesh carries longitude, latitude and light to the pixels; the tone is found there, so that
 * eyes and lips are sharper than the mesh. */

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
        for (size_t e = 0; e < (size_t)ROWS * COLUMNS; e++)
            c.mesh[e].light = light_on(c.mesh, e % COLUMNS, e / COLUMNS, s->lamp, s->ambient);
        project(p, s, c.side, c.mesh);
        draw_mesh(&c);
        develop(&c, p, s, r, made);
        *picture = made;
    }
    arena_free(&room);
    return status;
}

/* ---- the folder ----------------------------------------------------------------------------- */

#define POSES       (sizeof poses / sizeof *poses)
#define MOST_PEOPLE 99999
#define SMALLEST    16
#define LARGEST     2048
#define FACE_SALT   0xface /* apart from the other kinds of the same seed */
#define RADIANS     0.017453292519943295

#define CLOSE 1.2 /* the face fills the image */

/* How much images of one person differ, whatever the pose. */
#define YAW_SPREAD   1.0 /* degrees */
#define PITCH_SPREAD 1.2
#define ROLL_SPREAD  0.8
#define SCALE_SPREAD 0.008
#define SHIFT_SPREAD 0.006
#define LAMP_SPREAD  0.05
#define GAIN_SPREAD  0.04
#define MOOD_SPREAD  0.12 /* of a full expression */
#define NOISE        0.006

/* The names are those of the FERET set. */
typedef struct pose {
    const char *name;
    double yaw; /* degrees */
    double mood, side_light;
} pose;

static const pose poses[] = {
    {"ba", 0.0, 0.0, 0.0},   {"bj", 0.0, 1.0, 0.0},   {"bk", 0.0, 0.0, 1.0},
    {"bc", 40.0, 0.0, 0.0},  {"bd", 25.0, 0.0, 0.0},  {"be", 15.0, 0.0, 0.0},
    {"bf", -15.0, 0.0, 0.0}, {"bg", -25.0, 0.0, 0.0}, {"bh", -40.0, 0.0, 0.0}};

/* ---- a shot --------------------------------------------------------------------------------- */

static void draw_mood(rng *r, double amount, expression *e)
{
    const double smile = amount + MOOD_SPREAD * rng_normal(r), open = rng_uniform(r);
    const double raised = rng_uniform(r), frown = rng_normal(r);
    e->smile = 0.06 * smile;
    e->wide = 0.2 * smile;
    e->open = amount > 0.0 ? 0.07 * open : 0.0;
    e->brow = 0.03 * amount * raised + 0.008 * frown;
}

static void draw_light(rng *r, double side, shot *s)
{
    const double from = rng_uniform(r) < 0.5 ? -1.0 : 1.0, far = 0.7 + 0.4 * rng_uniform(r);
    s->lamp[0] = side * from * far + LAMP_SPREAD * rng_normal(r);
    s->lamp[1] = 0.35 + LAMP_SPREAD * rng_normal(r);
    s->lamp[2] = 1.0;
    s->ambient = 0.3 + 0.15 * side;
    s->gain = (1.2 - 0.2 * side) * exp(GAIN_SPREAD * rng_normal(r));
    s->backdrop = 0.45 + 0.01 * rng_normal(r);
}

static void draw_shot(rng *r, const pose *how, shot *s)
{
    draw_mood(r, how->mood, &s->mood);
    draw_light(r, how->side_light, s);
    s->yaw = RADIANS * (how->yaw + YAW_SPREAD * rng_normal(r));
    s->pitch = RADIANS * PITCH_SPREAD * rng_normal(r);
    s->roll = RADIANS * ROLL_SPREAD * rng_normal(r);
    s->scale = CLOSE * exp(SCALE_SPREAD * rng_normal(r));
    s->shift[0] = SHIFT_SPREAD * rng_normal(r);
    s->shift[1] = SHIFT_SPREAD * rng_normal(r);
    s->noise = NOISE;
}

/* ---- files ---------------------------------------------------------------------------------- */

static void faces_name(const spd_synth_options *o, size_t i, char *name)
{
    (void)o;
    snprintf(name, SYNTH_NAME, "%03zu_%s.png", i / POSES + 1, poses[i % POSES].name);
}

static int faces_row(const spd_synth_options *o, size_t i, char *row)
{
    (void)o;
    return snprintf(row, SYNTH_NAME, "%zu,%s", i / POSES + 1, poses[i % POSES].name);
}

static spd_status faces_write(spd_context *ctx, const spd_synth_options *o, const char *path,
                              size_t i)
{
    const size_t subject = i / POSES, which = i % POSES;
    person who;
    shot how = {0};
    image *picture = NULL;
    rng r;
    rng_seed(&r, rng_key(o->seed ^ FACE_SALT, subject, 0));
    face_draw(&r, &who);
    rng_seed(&r, rng_key(o->seed ^ FACE_SALT, subject, 1 + which));
    draw_shot(&r, &poses[which], &how);
    spd_status status = face_render(ctx, &who, &how, o->side, &r, &picture);
    if (status >= 0)
        status = image_write(ctx, path, picture);
    image_free(picture);
    return status;
}

static spd_status faces_check(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > MOST_PEOPLE)
        return ctx_fail(ctx, SPD_EINVAL, "faces of %zu people; expected 1 to %d", o->classes,
                        MOST_PEOPLE);
    if (o->side < SMALLEST || o->side > LARGEST)
        return ctx_fail(ctx, SPD_EINVAL, "faces of %zu x %zu pixels; sides must be %d to %d",
                        o->side, o->side, SMALLEST, LARGEST);
    return SPD_OK;
}

static size_t faces_files(const spd_synth_options *o)
{
    return o->classes * POSES;
}

const generator generator_faces = {.usual = {.classes = 200, .side = 64},
                                   .check = faces_check,
                                   .files = faces_files,
                                   .name_file = faces_name,
                                   .write = faces_write,
                                   .index = "file,subject,pose",
                                   .row = faces_row};
