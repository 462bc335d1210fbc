/* principal_angles.h - how far two subspaces are apart. */
#ifndef SPD_CLI_COMMANDS_PRINCIPAL_ANGLES_H
#define SPD_CLI_COMMANDS_PRINCIPAL_ANGLES_H

#include "spdml.h"

/* angle (m, ascending, degrees) <- the principal angles between the columns of A and B (n x m,
 * orthonormal). */
spd_status principal_angles(spd_context *ctx, size_t n, size_t m, const double *A, const double *B,
                            double *angle);

#endif
