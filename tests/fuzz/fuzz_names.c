/* fuzz_names.c - any text as a word of an enumeration or the name of a method: understood, and then
 * named again by a word that means the same, or refused with a message. The first byte says of
 * what. */
#include <string.h>

#include "fuzz.h"

/* A function for each enumeration. */
#define WORDS_OF(kind)                                                                             \
    static void try_##kind(spd_context *ctx, const char *text)                                     \
    {                                                                                              \
        spd_##kind value = 0, again = 0;                                                           \
        spd_status status = spd_##kind##_parse(ctx, text, &value);                                 \
        fuzz_check_message(ctx, status);                                                           \
        if (status == SPD_OK &&                                                                    \
            (spd_##kind##_parse(ctx, spd_##kind##_name(value), &again) < 0 || again != value))     \
            abort();                                                                               \
    }

WORDS_OF(metric)
WORDS_OF(function)
WORDS_OF(stop)
WORDS_OF(solver)
WORDS_OF(objective)
WORDS_OF(graph)
WORDS_OF(learning)
WORDS_OF(init)
WORDS_OF(transport)
WORDS_OF(map)
WORDS_OF(parameter)
WORDS_OF(protocol)
WORDS_OF(fold_rule)
WORDS_OF(embedding)
WORDS_OF(shrinkage)
WORDS_OF(descriptor)
WORDS_OF(regions)
WORDS_OF(label_source)

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
    static void (*const tries[])(spd_context *, const char *) = {
        try_method,    try_metric,     try_function, try_stop,        try_solver,
        try_objective, try_graph,      try_learning, try_init,        try_transport,
        try_map,       try_parameter,  try_protocol, try_fold_rule,   try_embedding,
        try_shrinkage, try_descriptor, try_regions,  try_label_source};
    char text[200];
    if (size == 0)
        return 0;
    size_t length = size - 1 < sizeof text ? size - 1 : sizeof text - 1;
    memcpy(text, bytes + 1, length);
    text[length] = '\0';
    tries[bytes[0] % (sizeof tries / sizeof *tries)](fuzz_context(), text);
    return 0;
}
