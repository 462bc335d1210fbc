/* clock.h - seconds on a clock that never goes back. */
#ifndef SPD_BASE_CLOCK_H
#define SPD_BASE_CLOCK_H

double clock_seconds(void);

#endif
