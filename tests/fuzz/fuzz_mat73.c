/* fuzz_mat73.c - any bytes as the HDF5 file within a MATLAB file of version 7.3. */
#include "fuzz.h"
#include "fuzz_mat.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    unsigned char *file = calloc(512 + size, 1);
    if (!file)
        abort();
    memcpy(file, "MATLAB 7.3 MAT-file", 19);
    memcpy(file + 124, "\0\2IM", 4);
    if (size)
        memcpy(file + 512, bytes, size);
    read_mat(file, 512 + size);
    free(file);
    return 0;
}
