/* status.c - words for status codes, and the version. */
#include "spdml.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *spd_version(void)
{
    return TEXT(SPD_VERSION_MAJOR) "." TEXT(SPD_VERSION_MINOR) "." TEXT(SPD_VERSION_PATCH);
}

const char *spd_status_text(spd_status status)
{
    switch (status) {
    case SPD_OK:
        return "good";
    case SPD_NOT_CONVERGED:
        return "not converged";
    case SPD_NOT_DEFINITE:
        return "kernel not positive definite for all data";
    case SPD_ENOMEM:
        return "out of memory";
    case SPD_EINVAL:
        return "invalid argument";
    case SPD_ENOTSPD:
        return "not positive definite";
    case SPD_ENOTSYM:
        return "not symmetric";
    case SPD_ENOTFINITE:
        return "not finite";
    case SPD_EIO:
        return "input or output failed";
    case SPD_EFORMAT:
        return "malformed file";
    case SPD_ECANCELLED:
        return "cancelled";
    case SPD_ENUMERIC:
        return "numerical breakdown";
    }
    return "unknown status";
}
