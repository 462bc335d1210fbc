/* fuzz_json.c - any bytes as JSON: Jansson and the code of ours in its place write the same text of
 * it, or both refuse it, but for zero bytes between words, which Jansson takes. The first byte
 * chooses how. */
#include <string.h>

#include "fuzz.h"
#include "stand_ins.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    static const size_t forms[] = {0, 2, 32,
                                   32 | 17u << 11}; /* indented, compact, with 17 digits */
    if (size < 1)
        return 0;
    const size_t read = bytes[0] & 1, write = forms[bytes[0] >> 1 & 3];
    size_t real_size = 0, own_size = 0;
    char *real = real_json((const char *)bytes + 1, size - 1, read, write, &real_size);
    char *own = own_json((const char *)bytes + 1, size - 1, read, write, &own_size);
    int same = real && own ? real_size == own_size && memcmp(real, own, own_size) == 0
                           : !own && (!real || memchr(bytes + 1, '\0', size - 1));
    if (!same)
        abort();
    free(real);
    free(own);
    return 0;
}
