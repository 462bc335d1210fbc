/* libraries.c - the libraries that libspdml stands on, and their versions. */
#include <jansson.h>
#include <string.h>
#include <zlib.h>

#include "base/library.h"
#include "classify/svm_solve.h"
#include "filters/gabor_bank.h"
#include "run/blas.h"

/* "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell": what follows the version is the detail. */
static void row_blas(spd_library *library)
{
    char text[192];
    blas_describe(text, sizeof text);
    char *number = strchr(text, ' '), *rest = number ? strchr(number + 1, ' ') : NULL;
    library_row(library, text[0] ? "OpenBLAS" : "BLAS", number ? number : "",
                rest ? rest + 1 : "linear algebra");
}

int spd_library_at(size_t index, spd_library *library)
{
    const struct {
        const char *name, *version, *detail;
    } rows[] = {{"zlib", zlibVersion(), "compressed members of .npz and .spdml"},
                {"jansson", jansson_version_str(), "meta.json of models"},
                {"KissFFT", gabor_bank_version(), "Gabor filters"},
                {"libsvm", svm_solve_version(), "support vector machines"}};
    if (index == 0) {
        row_blas(library);
        return 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].version && --index == 0) {
            library_row(library, rows[i].name, rows[i].version, rows[i].detail);
            return 1;
        }
    return 0;
}
