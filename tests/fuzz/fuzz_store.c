/* fuzz_store.c - any bytes as an .npy file whose matrices stay in it, alone and twice in a list,
 * and as a list; the first byte chooses the repairs. */
#include "base/memory.h"
#include "fuzz.h"

static const char twice[] = "# a list\npart.npy\n\n part.npy \n";

/* All that is done with a set that is small. */
static void use(spd_context *ctx, const spd_set *store)
{
    size_t n = (store)->n, p = (store)->p;
    if (n == 0 || p == 0)
        abort();
    if (n > 8 || p > 64)
        return;
    double M[64], *X = malloc(p * n * n * sizeof *X);
    spd_set *copy = NULL;
    if (!X || spd_set_read(ctx, store, 0, p, X) < 0)
        abort();
    fuzz_check_message(ctx, spd_check(ctx, store, 0.0));
    fuzz_check_message(ctx, spd_mean(ctx, SPD_METRIC_EUCLIDEAN, store, NULL, M, NULL));
    fuzz_check(ctx, spd_set_load(ctx, store, SPD_TYPE_FLOAT32, &copy), copy);
    spd_set_free(copy);
    free(X);
}

static void open_set(spd_context *ctx, const char *path, const spd_load_options *options)
{
    spd_data *data = NULL;
    spd_set *store = NULL;
    fuzz_check(ctx, spd_data_open(ctx, path, options, &data, &store), store);
    if (!data != !store)
        abort();
    if (store)
        use(ctx, store);
    spd_set_free(store);
    spd_data_free(data);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_lend("twice.list", (const unsigned char *)twice, sizeof twice - 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    spd_context *ctx = fuzz_context();
    const long live = mem_live();
    if (size < 2)
        return 0;
    spd_load_options options = {.size = sizeof options,
                                .symmetrize = bytes[0] & 1,
                                .regularize = bytes[0] & 2 ? 0.5 : 0.0,
                                .anywhere = bytes[0] & 16};
    fuzz_lend("part.npy", bytes + 1, size - 1);
    fuzz_lend("fuzz.list", bytes + 1, size - 1);
    open_set(ctx, "part.npy", &options);
    open_set(ctx, "twice.list", &options);
    open_set(ctx, "fuzz.list", &options);
    if (bytes[0] & 8)
        options.labels = "fuzz.list";
    open_set(ctx, "part.npy", &options);
    fuzz_lend("part.npy", NULL, 0);
    fuzz_lend("fuzz.list", NULL, 0);
    if (mem_live() != live)
        abort();
    return 0;
}
