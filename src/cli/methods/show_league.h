/* show_league.h - how the candidates of `auto` did, in words. */
#ifndef SPD_CLI_METHODS_SHOW_LEAGUE_H
#define SPD_CLI_METHODS_SHOW_LEAGUE_H

#include "cli/methods/recognition.h"

/* A row for each, the chosen one marked, and what accuracy to expect on new samples. */
void show_league(sheet *r, const spd_league *league);

#endif
