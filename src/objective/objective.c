/* objective.c - the table of objectives. */
#include "objective/objective.h"

const objective *objective_get(spd_objective number)
{
    switch (number) {
    case SPD_DIFFERENCE:
        return &objective_difference;
    case SPD_RATIO:
        return &objective_ratio;
    case SPD_LOG_MARGIN:
        return &objective_log_margin;
    }
    return NULL;
}
