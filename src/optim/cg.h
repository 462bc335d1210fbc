/* cg.h - directions of the nonlinear conjugate gradient: H <- -g + beta h, with g the gradient
 * here, h and o the direction and the gradient before, both carried here, y = g - o:
 *
 *   Polak-Ribiere+     max(0, <g,y> / <o,o>)
 *   Hestenes-Stiefel+  max(0, <g,y> / <h,y>)
 *   Fletcher-Reeves    <g,g> / <o,o>, or 0 where g and o are far from orthogonal
 *   Hager-Zhang        max(<y - 2 h <y,y>/<h,y>, g> / <h,y>,  0.4 <h,o> / <h,h>)
 *
 * (Hager and Zhang 2006, 2013). */
#ifndef SPD_OPTIM_CG_H
#define SPD_OPTIM_CG_H

#include "spdml.h"

/* beta for vectors of `size` entries; not finite when it does not exist. o's norm is given
 * (`before`): a transport by projection shortens o itself. */
double cg_beta(spd_solver solver, size_t size, const double *g, const double *o, const double *h,
               double before);

#endif
