/* runs.c - results of evaluations, read back. The files may be anybody's: everything is looked at.
 */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/compare/compare.h"

/* ---- files ----------------------------------------------------------------------------------- */

/* The file itself, or results.json of a folder. */
static const char *file_of(const char *operand)
{
    struct stat info;
    if (stat(operand, &info) != 0 || !S_ISDIR(info.st_mode))
        return operand;
    return words_text("%s/results.json", operand);
}

static void __attribute__((noreturn)) refuse(const char *path, const char *what)
{
    cli_fail("%s: %s; 'spdml evaluate --json' and its -o DIR write what can be compared", path,
             what);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* "out" of out, out/ and out/results.json; "b" of a/b.json. */
static char *short_name(const char *operand)
{
    char *name = words_text("%s", operand), *end = name + strlen(name);
    while (end > name + 1 && end[-1] == '/')
        *--end = '\0';
    char *slash = strrchr(name, '/');
    if (slash && slash > name && strcmp(slash + 1, "results.json") == 0)
        *slash = '\0';
    slash = strrchr(name, '/');
    name = slash && slash[1] ? slash + 1 : name;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0)
        name[length - 5] = '\0';
    return name;
}

/* Short names where they differ, else the operands; runs that share a column may share their name. */
static void name_runs(const arguments *a, comparison *c)
{
    int same = 0, share = arguments_count(a, "beside") || arguments_count(a, "against");
    c->one_name = 1;
    for (size_t i = 0; i < c->runs; i++) {
        c->run[i] = short_name(a->operands[i]);
        c->one_name &= strcmp(c->run[i], c->run[0]) == 0;
        for (size_t j = 0; j < i; j++)
            same |= strcmp(c->run[i], c->run[j]) == 0;
    }
    for (size_t i = 0; same && !share && i < c->runs; i++)
        c->run[i] = a->operands[i];
}

/* ---- results --------------------------------------------------------------------------------- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static void take_entry(const char *path, const comparison *c, size_t run, const json_t *result,
                       entry *e)
{
    const json_t *rounds = json_object_get(result, "rounds");
    size_t count = json_array_size(rounds);
    *e = (entry){.run = c->run[run],
                 .of = run,
                 .rounds = count,
                 .result = result,
                 .method = json_string_value(json_object_get(result, "method"))};
    if (!e->method || count == 0)
        refuse(path, "is no result of an evaluation");
    for (size_t k = 0; k < SPD_RESULT_SCORES; k++) {
        e->mean[k] = number_of(result, words_text("%s_mean", spd_result_field_at(k)->name));
        e->deviation[k] = number_of(result, words_text("%s_std", spd_result_field_at(k)->name));
    }
    e->accuracy = cli_alloc(count, sizeof *e->accuracy, "rounds");
    e->right = cli_alloc(count, sizeof *e->right, "rounds");
    for (size_t r = 0; r < count; r++) {
        const json_t *round = json_array_get(rounds, r);
        e->accuracy[r] = number_of(round, "accuracy");
        /* The outcomes of a round: letters 0 and 1 only, as many as there were tests. */
        const char *right = json_string_value(json_object_get(round, "right"));
        if (!right)
            refuse(path, "has no outcomes of single samples (an older version has written it)");
        if (!right[0] || strspn(right, "01") != strlen(right) ||
            (double)strlen(right) != number_of(round, "test"))
            refuse(path, "has outcomes that do not fit the number of tests");
        e->right[r] = right;
        if (!(e->accuracy[r] >= 0.0 && e->accuracy[r] <= 1.0))
            refuse(path, "has an accuracy that is none");
    }
}

/* Adds the methods of a run, all with as many rounds as it has. */
static void take_run(const char *path, size_t which, comparison *c)
{
    const json_t *root = c->root[which], *results = json_object_get(root, "results");
    size_t rounds = json_array_size(json_object_get(root, "splits"));
    if (json_array_size(results) == 0)
        refuse(path, "is no result of an evaluation");
    if (rounds == 0)
        refuse(path, "does not say which samples were tested (an older version has written it)");
    c->several_deviations |= rounds > 1;
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *result = json_array_get(results, i);
        if (json_array_size(json_object_get(result, "rounds")) != rounds)
            refuse(path, "has methods with different numbers of rounds");
        take_entry(path, c, which, result, &c->entry[c->entries++]);
    }
}

void comparison_read(session *s, comparison *c)
{
    const arguments *a = s->args;
    size_t entries = 0;
    c->runs = a->operand_count;
    c->run = cli_alloc(c->runs, sizeof *c->run, "runs");
    c->root = cli_alloc(c->runs, sizeof *c->root, "runs");
    name_runs(a, c);
    for (size_t i = 0; i < c->runs; i++) {
        c->root[i] = sheet_json_load(file_of(a->operands[i]));
        entries += json_array_size(json_object_get(c->root[i], "results"));
    }
    c->entry = cli_alloc(entries, sizeof *c->entry, "results");
    for (size_t i = 0; i < c->runs; i++)
        take_run(file_of(a->operands[i]), i, c);
    const char *protocol = json_string_value(json_object_get(c->root[0], "protocol"));
    c->protocol = protocol ? protocol : "";
    c->rounds = json_array_size(json_object_get(c->root[0], "splits"));
    c->repeats_samples = json_is_true(json_object_get(c->root[0], "repeats_samples"));
    for (size_t r = 0; r < c->rounds; r++)
        c->tests += strlen(c->entry[0].right[r]);
}

int comparison_has(const comparison *c, size_t score)
{
    for (size_t i = 0; i < c->entries; i++)
        if (!isnan(c->entry[i].mean[score]))
            return 1;
    return 0;
}
