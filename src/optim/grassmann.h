/* grassmann.h - the Grassmann manifold: m-dimensional subspaces of R^n (Edelman, Arias, Smith
 * 1998; math.md, eq. 5 to 7).
 *
 * A point is W (n x m), W'W = I, up to a rotation of its columns; a tangent vector at W is D
 * (n x m) with W'D = 0, and <D,E> = tr(D'E). For a tangent H = U diag(sigma) V' (thin SVD), with
 * W and V turned together to B = W V,
 *
 *   geodesic     W(t)   = W + (B (cos(sigma t) - 1) + U sin(sigma t)) V'
 *   transport    tau(D) = D + K U'D,  K = U (cos(sigma t) - 1) - B sin(sigma t)
 *
 * The last V' brings W(t) back to the basis of W, in which the columns of tangent vectors stay what
 * they are: nothing but W is turned. Columns of U whose sigma is zero are arbitrary, need not be
 * orthogonal to W, and have no effect on any of these: K and sin(sigma t) vanish there. For the
 * same reason columns with a small sigma may be orthogonal to others in so far as sigma is large
 * (tall_axes). */
#ifndef SPD_OPTIM_GRASSMANN_H
#define SPD_OPTIM_GRASSMANN_H

#include <stddef.h>

/* D <- D - W W'D (eq. 5). work: m m doubles. */
void grassmann_project(size_t n, size_t m, const double *W, double *D, double *work);

/* Largest entry of |W'W - I|. work: m m doubles. */
double grassmann_drift(size_t n, size_t m, const double *W, double *work);

/* A geodesic and the place t on it where we stand. The arrays live in one block lent by the
 * caller. */
typedef struct grassmann_path {
    size_t n, m;
    double *U, *sigma, *V; /* n x m, m, m x m */
    double *base, *K;      /* n x m: see above, B and K, which counts from where vectors stand */
    double *stand;         /* n x m: K from 0 to there */
    double *end;           /* n x m: W(t) */
    double *inner, *tall;  /* scratch: m x m, n x m */
    double *work;          /* scratch of the decompositions */
} grassmann_path;

/* How many doubles the block has. */
size_t grassmann_room(size_t n, size_t m);

void grassmann_open(grassmann_path *g, size_t n, size_t m, double *block);

/* U, sigma, V <- SVD of H, which is left alone. Non-zero when it did not converge. */
int grassmann_aim(grassmann_path *g, const double *H);

/* Once after grassmann_aim, before the first grassmann_go: from W. */
void grassmann_depart(grassmann_path *g, const double *W);

/* Goes to t: g->end <- W(t) from W, and K for grassmann_carry from where the vectors stand: at 0,
 * or where they last settled. */
void grassmann_go(grassmann_path *g, const double *W, double t);

/* M (m x m) <- what grassmann_carry needs of D and can be known before t is. */
void grassmann_pack(const grassmann_path *g, const double *D, double *M);

/* D <- tau(D), along the way to t; M as packed from D at 0. */
void grassmann_carry(const grassmann_path *g, const double *M, double *D);

/* All that is to be carried has been, to t: from there it may go on to another t. */
void grassmann_settle(grassmann_path *g);

#endif
