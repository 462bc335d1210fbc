/* result_fields.c - the table of the numbers of a result. */
#include <stddef.h>

#include "spdml.h"

#define OUTCOME(member) offsetof(spd_outcome, member)
#define RESULT(member)  offsetof(spd_method_result, member)
#define SCORE(name, label, percent, member)                                                        \
    {                                                                                              \
        name, label, SPD_FIELD_REAL, percent, OUTCOME(member), RESULT(member),                     \
            RESULT(member##_deviation)                                                             \
    }
#define TUNING(member, type)                                                                       \
    {                                                                                              \
#member, NULL, type, 0, OUTCOME(member), SPD_NO_INDEX, SPD_NO_INDEX                        \
    }
#define SECONDS(member, label)                                                                     \
    {                                                                                              \
#member, label, SPD_FIELD_REAL, 0, OUTCOME(member), RESULT(member), SPD_NO_INDEX           \
    }

const spd_result_field *spd_result_field_at(size_t index)
{
    static const spd_result_field fields[] = {
        SCORE("accuracy", "accuracy %", 1, accuracy),
        SCORE("balanced_accuracy", "balanced %", 1, balanced),
        SCORE("kappa", "kappa", 0, kappa),
        SCORE("macro_f1", "F1", 0, macro_f1),
        SCORE("auc", "AUC", 0, auc),
        TUNING(settings, SPD_FIELD_SIZE),
        TUNING(folds, SPD_FIELD_INT),
        TUNING(cv_accuracy, SPD_FIELD_REAL),
        TUNING(cv_accuracy_no_map, SPD_FIELD_REAL),
        TUNING(tune_fits, SPD_FIELD_SIZE),
        TUNING(tune_iterations, SPD_FIELD_SIZE),
        SECONDS(tune_seconds, "tune s"),
        SECONDS(fit_seconds, "fit s"),
        SECONDS(test_seconds, "test s"),
    };
    return index < sizeof fields / sizeof *fields ? &fields[index] : NULL;
}
