/* usual.c - the usual numbers of neighbours, by objective. */
#include "learn/usual.h"

/* A row for each objective; nu_w 0 stands for the smallest class, and then nu_b is no more. */
typedef struct usual {
    size_t nu_w, nu_b;
} usual;

static const usual rows[] = {
    [SPD_DIFFERENCE] = {0, 3}, /* the paper's */
    [SPD_RATIO] = {5, 5},
};

void usual_nu(size_t smallest, spd_fit_options *options)
{
    size_t known = sizeof rows / sizeof *rows, which = (size_t)options->objective;
    usual row = rows[which < known ? which : SPD_DIFFERENCE]; /* others are refused elsewhere */
    if (options->nu_w == 0)
        options->nu_w = row.nu_w ? row.nu_w : smallest;
    if (options->nu_b == 0)
        options->nu_b = row.nu_w || row.nu_b < options->nu_w ? row.nu_b : options->nu_w;
}
