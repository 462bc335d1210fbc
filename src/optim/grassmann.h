/* grassmann.h - the Grassmann manifold: m-dimensional subspaces of R^n (Edelman, Arias, Smith
 * 1998; math.md, eq. 5 to 7).
 *
 * A point is W (n x m), W'W = I, up to a rotation of its columns; a tangent vector at W is D
 * (n x m) with W'D = 0, and <D,E> = tr(D'E). For a tangent H = U diag(sigma) V' (thin SVD) the
 * basis is turned by V once, W <- W V, D <- D V for every tangent vector, so H becomes
 * U diag(sigma). In the turned basis
 *
 *   geodesic     W(t)   = W cos(sigma t) + U sin(sigma t)
 *   parallel     tau(D) = D + K U'D,  K = U (cos(sigma t) - 1) - W sin(sigma t)
 *   projection   tau(D) = D - W(t) W(t)'D
 *
 * Columns of U whose sigma is zero are arbitrary, need not be orthogonal to W, and have no effect
 * on any of these: K and sin(sigma t) vanish there. */
#ifndef SPD_OPTIM_GRASSMANN_H
#define SPD_OPTIM_GRASSMANN_H

#include "spdml.h"

/* D <- D - W W'D (eq. 5). work: m m doubles. */
void grassmann_project(size_t n, size_t m, const double *W, double *D, double *work);

/* Largest entry of |W'W - I|. work: m m doubles. */
double grassmann_drift(size_t n, size_t m, const double *W, double *work);

/* A geodesic and the place t on it where we stand. The arrays live in one block lent by the
 * caller. */
typedef struct grassmann_path {
    size_t n, m;
    double *U, *sigma, *V; /* n x m, m, m x m */
    double *K, *end;       /* n x m: see above; W(t) */
    double *inner, *tall;  /* scratch: m x m, n x m */
    double *work;          /* scratch of the decompositions */
} grassmann_path;

/* How many doubles the block has. */
size_t grassmann_room(size_t n, size_t m);

void grassmann_open(grassmann_path *g, size_t n, size_t m, double *block);

/* U, sigma, V <- SVD of H, which is left alone. Non-zero when it did not converge. */
int grassmann_aim(grassmann_path *g, const double *H);

/* D <- D V: W and every tangent vector take part, once, after grassmann_aim. */
void grassmann_turn(grassmann_path *g, double *D);

/* Goes to t from W (turned): g->end <- W(t), and K for grassmann_carry. */
void grassmann_go(grassmann_path *g, const double *W, double t);

/* D <- tau(D), along the way from 0 to t. */
void grassmann_carry(grassmann_path *g, spd_transport transport, double *D);

#endif
