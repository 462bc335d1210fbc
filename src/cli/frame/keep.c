/* keep.c - one function for each type that has one to free it. */
#include "cli/frame/keep.h"

#include "cli/frame/cli_memory.h"

#define KEEPER(type)                                                                               \
    static void free_##type(void *thing)                                                           \
    {                                                                                              \
        spd_##type##_free(thing);                                                                  \
    }                                                                                              \
    void keep_##type(spd_##type *thing)                                                            \
    {                                                                                              \
        cli_keep(thing, free_##type);                                                              \
    }

KEEPER(array)
KEEPER(classifier)
KEEPER(data)
KEEPER(evaluation)
KEEPER(fit_state)
KEEPER(league)
KEEPER(model)
KEEPER(samples)
KEEPER(set)
