/* descent.h - gradient descent on the manifold of SPD matrices, for the means that iterate.
 *
 * The point is M = L L'. A direction is an n x n matrix S in the frame of L; the step of length
 * theta along it is
 *
 *   AIRM's geodesic (S symmetric)     M <- L exp(theta S) L' = B B',  B = L exp(theta S / 2)
 *   Bures-Wasserstein's geodesic      M <- B B',  B = L + theta S
 *
 * and B = L_new Q': L is never lost to rounding by forming M, and Q carries S to the new frame.
 * theta is Barzilai and Borwein's, from the change of the direction, held within bounds that the
 * rule knows; a step that makes things worse is taken back and shortened. */
#ifndef SPD_GEOMETRY_DESCENT_H
#define SPD_GEOMETRY_DESCENT_H

#include "geometry/mean.h"

/* A step: moves L by *theta along S, which may be shortened, and leaves S carried to the new
 * frame in carried. */
typedef spd_status (*descent_move)(mean_state *s, double *theta, double *L, const double *S,
                                   double *carried);
spd_status descent_geodesic(mean_state *s, double *theta, double *L, const double *S,
                            double *carried);
spd_status descent_straight(mean_state *s, double *theta, double *L, const double *S,
                            double *carried);

/* What a pass found at the point L; the direction S is in descent_direction(s). */
typedef struct descent_view {
    descent_move move;
    double scale;    /* |S| / scale is the residual */
    double rounding; /* residual that rounding alone may leave */
    double cost;
    double shortest, longest; /* bounds of theta */
    double usual;             /* theta where nothing better is known */
} descent_view;

/* mean_rule.state and mean_rule.advance_work. */
size_t descent_state(size_t n);
size_t descent_work(size_t n);

/* L <- Cholesky factor of s->M, nothing known yet. */
spd_status descent_begin(mean_state *s);

/* The factor L and the room for S, n x n each. */
double *descent_factor(const mean_state *s);
double *descent_direction(const mean_state *s);

/* Judges the point by |S|/scale, and moves on if it is not good enough; sets s->M. */
spd_status descent_advance(mean_state *s, const descent_view *view);

#endif
