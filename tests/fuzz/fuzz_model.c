/* fuzz_model.c - any bytes as a model file, a checkpoint or an index, and, past the checksums of the archive,
 * as the meta.json of one: a model that can be described, or a message. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "io/file.h"
#include "learn/index_file.h"
#include "learn/model.h"

#define LINKS 48 /* of a sample, in an index */

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

static void check(spd_context *ctx, spd_status status, const void *made)
{
    if ((status == SPD_OK) != (made != NULL))
        abort(); /* a failure leaves its output alone */
    if (status < 0 && spd_context_error(ctx)->message[0] == '\0')
        abort(); /* and says why */
}

static void read_all(spd_context *ctx, const io_bundle *bundle)
{
    spd_model *model = NULL;
    spd_fit_state *state = NULL;
    spd_index *index = NULL;
    check(ctx, index_from_bundle(ctx, bundle, &index), index);
    spd_index_free(index);
    check(ctx, model_from_bundle(ctx, bundle, &model), model);
    check(ctx, state_from_bundle(ctx, bundle, &state), state);
    spd_model_free(model);
    model = NULL;
    if (state)
        check(ctx, spd_fit_state_model(ctx, state, &model), model);
    spd_model_free(model);
    spd_fit_state_free(state);
}

/* The text beside a map 2 x 1, a history of one step, and what an index of two numbers has. */
static void read_meta(spd_context *ctx, const unsigned char *bytes, size_t size)
{
    char names[2][8] = {"W", "history"};
    double map[2] = {0.6, 0.8}, step[5] = {1, 2, 3, 4, 5};
    spd_array W = {.name = names[0], .ndim = 2, .shape = {2, 1}, .count = 2, .f64 = map};
    spd_array history = {.name = names[1], .ndim = 2, .shape = {1, 5}, .count = 5, .f64 = step};
    char more[3][12] = {"view", "sketches", "links"};
    double one = 1.0, vectors[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};
    int64_t to[2 * LINKS] = {0, 1};
    spd_array view = {.name = more[0], .ndim = 2, .shape = {1, 1}, .count = 1, .f64 = &one};
    spd_array sketch = {.name = more[1], .ndim = 2, .shape = {2, 8}, .count = 16, .f64 = vectors};
    spd_array links = {.name = more[2],
                       .type = SPD_TYPE_INT64,
                       .ndim = 2,
                       .shape = {2, LINKS},
                       .count = 2 * LINKS,
                       .i64 = to};
    spd_array *arrays[] = {&W, &history, &view, &sketch, &links};
    char *text = mem_zero(size + 1, 1);
    memcpy(text, bytes, size);
    io_bundle bundle = {.count = 5, .array = arrays, .meta = text};
    read_all(ctx, &bundle);
    mem_free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = spd_context_new();
    io_bundle *bundle = NULL;
    spd_status status = bundle_read_memory(ctx, bytes, size, &bundle);
    check(ctx, status, bundle);
    if (bundle)
        read_all(ctx, bundle);
    bundle_free(bundle);
    if (size)
        read_meta(ctx, bytes, size);
    spd_context_free(ctx);
    return 0;
}
