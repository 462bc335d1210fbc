/* grassmann.c - geodesics, transport and projection on the Grassmann manifold. */
#include "optim/grassmann.h"

#include <math.h>
#include <string.h>

#include "linalg/tall.h"

void grassmann_project(size_t n, size_t m, const double *W, double *D, double *work)
{
    tall_inner(n, m, W, D, work);
    tall_add(n, m, -1.0, W, work, D);
}

double grassmann_drift(size_t n, size_t m, const double *W, double *work)
{
    double worst = 0.0;
    tall_inner(n, m, W, W, work);
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            worst = fmax(worst, fabs(work[r * m + c] - (r == c)));
    return worst;
}

size_t grassmann_room(size_t n, size_t m)
{
    size_t svd = tall_axes_work(n, m), qr = tall_orthonormalise_work(n, m);
    return 6 * n * m + 2 * m * m + m + (svd > qr ? svd : qr);
}

void grassmann_open(grassmann_path *g, size_t n, size_t m, double *block)
{
    g->n = n;
    g->m = m;
    g->U = block;
    g->base = g->U + n * m;
    g->K = g->base + n * m;
    g->stand = g->K + n * m;
    g->end = g->stand + n * m;
    g->tall = g->end + n * m;
    g->V = g->tall + n * m;
    g->inner = g->V + m * m;
    g->sigma = g->inner + m * m;
    g->work = g->sigma + m;
}

int grassmann_aim(grassmann_path *g, const double *H)
{
    return tall_axes(g->n, g->m, H, g->U, g->sigma, g->V, g->work);
}

void grassmann_depart(grassmann_path *g, const double *W)
{
    tall_product(g->n, g->m, g->m, W, g->V, g->base);
    memset(g->stand, 0, g->n * g->m * sizeof *g->stand);
}

/* cos(x) - 1 = -2 sin^2(x/2), exact for small x too. */
void grassmann_go(grassmann_path *g, const double *W, double t)
{
    size_t n = g->n, m = g->m;
    double *fall = g->work, *sine = g->inner;
    for (size_t c = 0; c < m; c++) {
        double half = sin(0.5 * g->sigma[c] * t);
        fall[c] = -2.0 * half * half;
        sine[c] = sin(g->sigma[c] * t);
    }
    for (size_t r = 0; r < n; r++)
        for (size_t c = 0; c < m; c++) {
            double b = g->base[r * m + c], u = g->U[r * m + c];
            g->K[r * m + c] = u * fall[c] - b * sine[c] - g->stand[r * m + c];
            g->tall[r * m + c] = b * fall[c] + u * sine[c];
        }
    tall_product_trans(n, m, m, g->tall, g->V, g->end);
    tall_axpy(n, m, 1.0, W, g->end);
}

void grassmann_pack(const grassmann_path *g, const double *D, double *M)
{
    tall_inner(g->n, g->m, g->U, D, M);
}

void grassmann_carry(const grassmann_path *g, const double *M, double *D)
{
    tall_add(g->n, g->m, 1.0, g->K, M, D);
}

void grassmann_settle(grassmann_path *g)
{
    tall_axpy(g->n, g->m, 1.0, g->K, g->stand);
}
