/* libraries.c - the libraries that libspdml stands on, and their versions. The one place that sees
 * all of them. */
#include <jansson.h>
#include <libsvm/svm.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/library.h"
#include "engine/blas.h"

#ifndef KISSFFT_VERSION /* it has no function that tells: the build asks pkg-config */
#define KISSFFT_VERSION ""
#endif

/* "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell": what follows the version is the detail. */
static void row_blas(spd_library *library)
{
    char text[192];
    blas_describe(text, sizeof text);
    char *number = strchr(text, ' '), *rest = number ? strchr(number + 1, ' ') : NULL;
    library_row(library, text[0] ? "OpenBLAS" : "BLAS", number ? number : "",
                rest ? rest + 1 : "linear algebra");
}

/* 330 for 3.30. */
static void row_svm(spd_library *library)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%02d", libsvm_version / 100, libsvm_version % 100);
    library_row(library, "libsvm", text, "support vector machines");
}

int spd_library_at(size_t index, spd_library *library)
{
    switch (index) {
    case 0:
        row_blas(library);
        return 1;
    case 1:
        library_row(library, "zlib", zlibVersion(), "compressed members of .npz and .spdml");
        return 1;
    case 2:
        library_row(library, "jansson", jansson_version_str(), "meta.json of models");
        return 1;
    case 3:
        library_row(library, "KissFFT", KISSFFT_VERSION, "Gabor filters");
        return 1;
    case 4:
        row_svm(library);
        return 1;
    default:
        return 0;
    }
}
