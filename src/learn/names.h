/* names.h - the enumerations of a fit by name; files hold names, not numbers. */
#ifndef SPD_LEARN_NAMES_H
#define SPD_LEARN_NAMES_H

#include "base/context.h"

typedef enum names_list {
    NAMES_METRIC = 0,
    NAMES_LEARNING,
    NAMES_OBJECTIVE,
    NAMES_GRAPH,
    NAMES_INIT,
    NAMES_SOLVER,
    NAMES_TRANSPORT,
    NAMES_STOP
} names_list;

/* The name of value i of an enumeration; NULL when it has no such value. */
const char *names_get(names_list list, unsigned i);

/* *i <- the value of that name; non-zero when there is none. */
int names_find(names_list list, const char *name, unsigned *i);

#endif
