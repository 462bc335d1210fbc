/* fuzz_model.c - any bytes as a model file or a checkpoint, and, past the checksums of the archive, as the
 * meta.json of one: a model that can be described, or a message. */
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"
#include "io/file.h"
#include "learn/model.h"

static void read_all(spd_context *ctx, const io_bundle *bundle)
{
    spd_model *model = NULL;
    spd_fit_state *state = NULL;
    fuzz_check(ctx, record_take(ctx, &model_record, bundle, &model), model);
    fuzz_check(ctx, record_take(ctx, &checkpoint_record, bundle, &state), state);
    spd_model_free(model);
    model = NULL;
    if (state)
        fuzz_check(ctx, spd_fit_state_model(ctx, state, &model), model);
    spd_model_free(model);
    spd_fit_state_free(state);
}

/* The text beside a map 2 x 1 and a history of one step. */
static void read_meta(spd_context *ctx, const unsigned char *bytes, size_t size)
{
    char names[2][8] = {"W", "history"};
    double map[2] = {0.6, 0.8}, step[5] = {1, 2, 3, 4, 5};
    spd_array W = {.name = names[0], .ndim = 2, .shape = {2, 1}, .count = 2, .f64 = map};
    spd_array history = {.name = names[1], .ndim = 2, .shape = {1, 5}, .count = 5, .f64 = step};
    spd_array *arrays[] = {&W, &history};
    char *text = mem_zero(size + 1, 1);
    memcpy(text, bytes, size);
    io_bundle bundle = {.count = 2, .array = arrays, .meta = text};
    read_all(ctx, &bundle);
    mem_free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_bundle *bundle = NULL;
    spd_status status = bundle_read_memory(ctx, bytes, size, &bundle);
    fuzz_check(ctx, status, bundle);
    if (bundle)
        read_all(ctx, bundle);
    bundle_free(bundle);
    if (size)
        read_meta(ctx, bytes, size);
    spd_context_free(ctx);
    return 0;
}
