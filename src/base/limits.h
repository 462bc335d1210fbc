/* limits.h - how much memory this process may have, as the system tells it.
 *
 * Counted are the limits of the process (ulimit -v, -d), those of its control group, and what the
 * machine has, swap included. What cannot be read does not limit. */
#ifndef SPD_BASE_LIMITS_H
#define SPD_BASE_LIMITS_H

/* May a request for memory be refused here at all, as under ulimit -v? Elsewhere Linux grants what
 * is asked for, and ends the process when it is used. */
int limits_refuse(void);

/* Bytes that one process can have at most, all it has taken included. */
double limits_total(void);

/* Bytes of that which are still to be had, if nobody else took more; at least 0. */
double limits_left(void);

#endif
