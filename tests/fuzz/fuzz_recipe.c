/* fuzz_recipe.c - any bytes as a recipe of an experiment. Its lines are read as before a run, with
 * nothing done; those of one without steps are then followed, up to the page. */
#include <string.h>

#include "cli/experiment/experiment.h"
#include "cli/frame/commands.h"
#include "fuzz.h"

char *__real_text_file_read(const char *path, size_t most, size_t *length);
char *__wrap_text_file_read(const char *path, size_t most, size_t *length);

char *__wrap_text_file_read(const char *path, size_t most, size_t *length)
{
    const unsigned char *bytes = fuzz_lent(path, length);
    if (!bytes)
        return __real_text_file_read(path, most, length);
    *length = *length < most ? *length : most;
    return cli_text((const char *)bytes, *length);
}

typedef struct trial {
    int follow; /* the lines, after they have been read */
} trial;

static void set_variables(experiment *x)
{
    static const char *const empty[] = {"no-color", "quick", "no-report", "no-images",
                                        "own-matrices"};
    recipe_forget(&x->recipe);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        recipe_set(&x->recipe, empty[i], "");
    recipe_give(&x->recipe, "m", "3");
    recipe_set(&x->recipe, "seed", "1");
    recipe_set(&x->recipe, "folder", x->folder);
    recipe_set(&x->recipe, "size-of-data", "9");
    recipe_set(&x->recipe, "quarter", "2");
    recipe_set(&x->recipe, "eighth", "1");
}

/* What cmd_experiment does, without a folder. */
static void read_recipe(void *user)
{
    const trial *t = user;
    static char *words[] = {"fuzz.recipe", NULL};
    arguments args;
    session s;
    if (arguments_parse(&args, commands_find("experiment"), 1, words) != CLI_GOOD)
        abort();
    session_open(&s, &args);
    experiment x = {.s = &s,
                    .folder = "no-such-folder",
                    .title = "",
                    .generated = "",
                    .protocol = "",
                    .paper_data = "",
                    .matrices = "",
                    .temporary = 1, /* there are no files to write */
                    .checking = 1};
    recipe_load(&x.recipe, "fuzz.recipe");
    set_variables(&x);
    experiment_walk(&x);
    if (t->follow) {
        x.checking = 0;
        set_variables(&x);
        experiment_walk(&x);
        experiment_add_paper(&x);
        experiment_report(&x);
        experiment_print_page(stdout, &x);
        experiment_print_script(stdout, &x);
    }
    session_close(&s);
}

/* Is there a word in the bytes? */
static int holds(const unsigned char *bytes, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(bytes + i, word, length) == 0)
            return 1;
    return 0;
}

/* A recipe that must be read: else the inputs would not reach their reader. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static const char good[] = "title A title\nset a = b\n";
    trial t = {1};
    (void)argc;
    (void)argv;
    fuzz_lend("fuzz.recipe", (const unsigned char *)good, sizeof good - 1);
    void *mark = cli_mark();
    if (fuzz_run(read_recipe, &t) >= 0)
        abort();
    cli_release(mark);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size)
{
    /* A step may be spelt by variables too: one alone is enough to be careful. */
    trial t = {!holds(bytes, size, "$") && !holds(bytes, size, "spdml") &&
               !holds(bytes, size, "\"")};
    if (size == 0)
        return 0;
    fuzz_lend("fuzz.recipe", bytes, size);
    void *mark = cli_mark();
    int code = fuzz_run(read_recipe, &t);
    if (code < 0)
        cli_release(mark);
    else if (code != CLI_FAILED && code != CLI_MISUSED && code != CLI_INTERRUPTED)
        abort();
    return 0;
}
