/* libraries.c - the libraries that read and write formats, and their versions. */
#include "base/library.h"
#include "formats/archive.h"
#include "formats/image_formats.h"
#include "spdml-data.h"

/* A format that is left out has no version (src/formats/missing). */
static const struct {
    const char *name;
    const char *(*version)(void);
    const char *detail;
} rows[] = {
    {"libarchive", archive_file_version, "archives of inputs: .tar, .zip and others"},
    {"libpng", image_png_version, ".png"},
    {"libjpeg", image_jpeg_version, ".jpg"},
    {"libtiff", image_tiff_version, ".tif"},
    {"libwebp", image_webp_version, ".webp"},
    {"libgif", image_gif_version, ".gif"},
};

int spd_data_library_at(size_t index, spd_library *library)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *version = rows[i].version();
        if (version && index-- == 0) {
            library_row(library, rows[i].name, version, rows[i].detail);
            return 1;
        }
    }
    return 0;
}
