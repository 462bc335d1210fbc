/* fuzz_names.c - any text as a word of an enumeration or the name of a method: understood, and then
 * named again by a word that means the same, or refused with a message. */
#include <string.h>

#include "fuzz.h"

#define TRY(kind)                                                                                  \
    do {                                                                                           \
        spd_##kind value = 0, again = 0;                                                           \
        spd_status status = spd_##kind##_parse(ctx, text, &value);                                 \
        fuzz_check_message(ctx, status);                                                           \
        if (status == SPD_OK &&                                                                    \
            (spd_##kind##_parse(ctx, spd_##kind##_name(value), &again) < 0 || again != value))     \
            abort();                                                                               \
    } while (0)

static void try_words(spd_context *ctx, const char *text)
{
    TRY(metric);
    TRY(function);
    TRY(stop);
    TRY(solver);
    TRY(objective);
    TRY(graph);
    TRY(learning);
    TRY(init);
    TRY(transport);
    TRY(map);
    TRY(parameter);
    TRY(protocol);
    TRY(fold_rule);
    TRY(embedding);
    TRY(shrinkage);
    TRY(descriptor);
    TRY(regions);
    TRY(label_source);
}

static void try_method(spd_context *ctx, const char *text)
{
    spd_method method = SPD_INIT(spd_method), again = SPD_INIT(spd_method);
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
    fuzz_input in = {bytes, size};
    size_t length = size < sizeof text ? size : sizeof text - 1;
    memcpy(text, in.at, length);
    text[length] = '\0';
    try_words(fuzz_context(), text);
    try_method(fuzz_context(), text);
    return 0;
}
