/* fuzz_runs.c - any bytes as the results of an evaluation, compared with themselves and with good
 * ones, in every format. */
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/frame/commands.h"
#include "fuzz.h"

char *__real_text_file_read(const char *path, size_t most, size_t *length);
char *__wrap_text_file_read(const char *path, size_t most, size_t *length);

static const char good[] =
    "{\"protocol\": \"p\", \"repeats_samples\": false, \"splits\": [{\"train\": \"a\", \"test\": "
    "\"b\"}, {\"train\": \"c\", \"test\": \"d\"}], \"results\": [{\"method\": \"nn\", "
    "\"accuracy_mean\": 0.5, \"accuracy_std\": 0.1, \"rounds\": [{\"test\": 2, \"accuracy\": 0.5, "
    "\"right\": \"01\"}, {\"test\": 1, \"accuracy\": 1, \"right\": \"1\"}]}]}";

char *__wrap_text_file_read(const char *path, size_t most, size_t *length)
{
    const unsigned char *bytes = fuzz_lent(path, length);
    if (!bytes)
        return __real_text_file_read(path, most, length);
    *length = *length < most ? *length : most;
    return cli_text((const char *)bytes, *length);
}

/* What cmd_compare does. */
static void compare(void *user)
{
    static char *words[] = {"run.json", "good.json", NULL};
    const int *count = user;
    arguments args;
    session s;
    if (arguments_parse(&args, commands_find("compare"), *count, words) != CLI_GOOD)
        abort();
    session_open(&s, &args);
    comparison c = {.all_pairs = *count == 2};
    comparison_read(&s, &c);
    comparison_check_same(&s, &c);
    comparison_judge(&s, &c);
    for (c.style = STYLE_TEXT; c.style <= STYLE_CSV; c.style++)
        comparison_print(stdout, &c);
    for (size_t i = 0; i < c.duels; i++)
        if (!(c.duel[i].mcnemar >= 0.0 && c.duel[i].mcnemar <= 1.0))
            abort();
    session_close(&s);
}

/* The good one must be read: else the inputs would not reach their reader. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    int both = 2;
    (void)argc;
    (void)argv;
    fuzz_lend("good.json", (const unsigned char *)good, sizeof good - 1);
    fuzz_lend("run.json", (const unsigned char *)good, sizeof good - 1);
    void *mark = cli_mark();
    if (fuzz_run(compare, &both) >= 0)
        abort();
    cli_release(mark);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    for (int count = 1; count <= 2 && size > 0; count++) {
        fuzz_lend("run.json", bytes, size);
        void *mark = cli_mark();
        int code = fuzz_run(compare, &count);
        if (code < 0)
            cli_release(mark);
        else if (code != CLI_FAILED && code != CLI_INTERRUPTED)
            abort();
    }
    return 0;
}
