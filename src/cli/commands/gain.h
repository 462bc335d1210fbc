/* gain.h - what a map gained: how many nearest neighbours are of the right class. */
#ifndef SPD_CLI_COMMANDS_GAIN_H
#define SPD_CLI_COMMANDS_GAIN_H

#include "cli/commands/learning.h"

typedef struct gain {
    size_t samples, of;   /* looked at, of so many with a label; 0: there is nothing to compare */
    double before, after; /* shares of them whose nearest neighbour has their class */
} gain;

/* Looks at the labelled samples that the map was learned from, each without itself; at some from
 * every class if that would take longer than seconds. */
gain gain_measure(session *s, const learning *l, const spd_model *model);

void gain_show(sheet *r, const gain *g);

#endif
