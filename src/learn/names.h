/* names.h - the words of a fit's enumerations; files hold words, not numbers. */
#ifndef SPD_LEARN_NAMES_H
#define SPD_LEARN_NAMES_H

#include "base/naming.h"

extern const naming names_learning, names_objective, names_graph, names_init, names_solver,
    names_transport, names_stop;

#endif
