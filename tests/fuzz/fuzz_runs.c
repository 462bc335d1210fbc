/* fuzz_runs.c - any bytes as the results of an evaluation, compared with themselves and with good
 * ones, in every format; and as published figures beside them. */
#include <string.h>

#include "cli/compare/compare.h"
#include "cli/frame/commands.h"
#include "fuzz.h"

char *__real_text_file_read(const char *path, size_t most, size_t *length);
char *__wrap_text_file_read(const char *path, size_t most, size_t *length);

static const char good[] =
    "{\"protocol\": \"p\", \"repeats_samples\": false, \"splits\": [{\"train\": \"a\", \"test\": "
    "\"b\"}, {\"train\": \"c\", \"test\": \"d\"}], \"results\": [{\"method\": \"nn\", "
    "\"accuracy_mean\": 0.5, \"accuracy_std\": 0.1, \"parameters\": {\"m\": 3}, \"rounds\": "
    "[{\"test\": 2, \"accuracy\": 0.5, "
    "\"right\": \"01\"}, {\"test\": 1, \"accuracy\": 1, \"right\": \"1\"}]}]}";

char *__wrap_text_file_read(const char *path, size_t most, size_t *length)
{
    const unsigned char *bytes = fuzz_lent(path, length);
    if (!bytes)
        return __real_text_file_read(path, most, length);
    *length = *length < most ? *length : most;
    return cli_text((const char *)bytes, *length);
}

enum { ALONE, PAIRS, BESIDE, PUBLISHED, AGAINST, WAYS };

/* What cmd_compare does. */
static void compare(void *user)
{
    static char *words[] = {"run.json", "good.json", NULL};
    const int way = *(const int *)user;
    arguments args;
    session s;
    char **first = words + (way == PUBLISHED);
    if (arguments_parse(&args, commands_find("compare"), way == PAIRS ? 2 : 1, first) != CLI_GOOD)
        abort();
    session_open(&s, &args);
    comparison c = {.all_pairs = way == PAIRS};
    comparison_read(&s, &c);
    if (way >= BESIDE) {
        comparison_accuracies(&c,
                              way == AGAINST  ? NULL
                              : way == BESIDE ? "good.csv"
                                              : "run.json",
                              way == AGAINST ? "m" : NULL);
        json_decref(accuracies_json(c.table));
    } else {
        comparison_check_same(&s, &c);
        comparison_judge(&s, &c);
    }
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
    static const char figures[] = "# note\nmethod,accuracy,seconds\nnn,50+-1,-\nknn,40,2\n";
    (void)argc;
    (void)argv;
    fuzz_lend("good.json", (const unsigned char *)good, sizeof good - 1);
    fuzz_lend("good.csv", (const unsigned char *)figures, sizeof figures - 1);
    for (int way = 0; way < WAYS; way++) {
        fuzz_lend("run.json", (const unsigned char *)(way == PUBLISHED ? figures : good),
                  (way == PUBLISHED ? sizeof figures : sizeof good) - 1);
        void *mark = cli_mark();
        if (fuzz_run(compare, &way) >= 0)
            abort();
        cli_release(mark);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    for (int way = 0; way < WAYS && size > 0; way++) {
        fuzz_lend("run.json", bytes, size);
        void *mark = cli_mark();
        int code = fuzz_run(compare, &way);
        if (code < 0)
            cli_release(mark);
        else if (code != CLI_FAILED && code != CLI_INTERRUPTED)
            abort();
    }
    return 0;
}
