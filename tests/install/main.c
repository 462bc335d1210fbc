/* An outside program: knows nothing but the installed header and library. Prints the version and
 * a distance whose value is known: squared AIRM distance between I and 2 I (3 x 3) = 3 ln^2 2. */
#include <math.h>
#include <stdio.h>

#include <spdml.h>

int main(void)
{
    const double X[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double Y[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double expected = 3 * log(2) * log(2);
    double d2 = 0;
    spd_context *ctx = spd_context_new();
    spd_status status = spd_distance2(ctx, SPD_METRIC_AIRM, 3, X, Y, &d2);
    printf("spdml %s: %s, d2 = %.15g\n", spd_version(), spd_status_text(status), d2);
    spd_context_free(ctx);
    return status == SPD_OK && fabs(d2 - expected) <= 1e-13 ? 0 : 1;
}
