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
    static const struct {
        spd_status status;
        const char *text;
    } known[] = {
        {SPD_OK, "good"},
        {SPD_NOT_CONVERGED, "not converged"},
        {SPD_NOT_DEFINITE, "kernel not positive definite for all data"},
        {SPD_ENOMEM, "out of memory"},
        {SPD_EINVAL, "invalid argument"},
        {SPD_ENOTSPD, "not positive definite"},
        {SPD_ENOTSYM, "not symmetric"},
        {SPD_ENOTFINITE, "not finite"},
        {SPD_EIO, "input or output failed"},
        {SPD_EFORMAT, "malformed file"},
        {SPD_ECANCELLED, "cancelled"},
        {SPD_ENUMERIC, "numerical breakdown"},
        {SPD_EDEVICE, "device not available"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].text;
    return "unknown status";
}
