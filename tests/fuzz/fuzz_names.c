/* fuzz_names.c - any text as a word of an enumeration or the name of a method: understood, and then
 * named again by a word that means the same, or refused with a message. The first byte says of
 * what. */
#include <string.h>

#include "fuzz.h"

static void try_word(spd_context *ctx, spd_enum of, const char *text)
{
    int value = spd_parse(ctx, of, text);
    fuzz_check_message(ctx, value < 0 ? SPD_EINVAL : SPD_OK);
    if (value >= 0 && spd_parse(ctx, of, spd_name(of, (unsigned)value)) != value)
        abort();
}

static void try_method(spd_context *ctx, const char *text)
{
    spd_method method = SPD_STRUCT(spd_method), again = SPD_STRUCT(spd_method);
    char name[SPD_METHOD_NAME], other[SPD_METHOD_NAME];
    spd_status status = spd_method_parse(ctx, text, &method);
    fuzz_check_message(ctx, status);
    if (status < 0)
        return;
    spd_method_name(&method, name);
    if (spd_method_parse(ctx, name, &again) < 0)
        abort();
    spd_method_name(&again, other);
    if (strcmp(name, other) != 0)
        abort();
    for (spd_parameter p = 0; p < SPD_PARAMETERS; p++)
        spd_method_uses(&method, p);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    char text[200];
    if (size == 0)
        return 0;
    size_t length = size - 1 < sizeof text ? size - 1 : sizeof text - 1;
    memcpy(text, bytes + 1, length);
    text[length] = '\0';
    unsigned of = bytes[0] % (SPD_ENUMS + 1u);
    if (of == SPD_ENUMS)
        try_method(fuzz_context(), text);
    else
        try_word(fuzz_context(), (spd_enum)of, text);
    return 0;
}
