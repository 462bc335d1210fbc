/* test.h - the test harness: cases that register themselves, checks that say what they saw.
 *
 *   TEST(cholesky_times_transpose)
 *   {
 *       double *A = block(n * n);
 *       CHECK_CLOSE(a, b, 1e-13, "n = %zu", n);
 *   }
 *
 * A test file is one program; ctest runs it. Its cases run in the order of the file, and each
 * prints one line. What a case takes (owned.h) is released when it ends; blocks that the library
 * has not freed by then are a failure. SETUP(name) and TEARDOWN(name) are functions that run before
 * and after all cases. A file that defines TEST_OWN_MAIN has a main of its own. */
#ifndef SPD_TEST_H
#define SPD_TEST_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "owned.h"
#include "spdml-data.h"

static int test_failed_checks, test_failed, test_passed, test_skipped, test_skipping;

__attribute__((format(printf, 4, 5), unused)) static int
test_check(int good, const char *file, int line, const char *format, ...)
{
    if (good)
        return 1;
    va_list args;
    va_start(args, format);
    if (test_failed_checks++ < 10) {
        printf("    %s:%d: ", file, line);
        vprintf(format, args);
        printf("\n");
    }
    va_end(args);
    return 0;
}

/* Says why a test, or what would stand here, cannot be run: it is counted as skipped. */
__attribute__((format(printf, 1, 2), unused)) static void test_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("    skipped: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    test_skipped++;
    test_skipping = 1;
}

#define CHECK(condition, ...)                                                                      \
    test_check(!!(condition), __FILE__, __LINE__, #condition "; " __VA_ARGS__)

/* |a - b| <= tolerance, and neither is NaN. */
#define CHECK_CLOSE(a, b, tolerance, ...)                                                          \
    test_close(a, b, tolerance, __FILE__, __LINE__, #a, __VA_ARGS__)

__attribute__((format(printf, 7, 8), unused)) static int
test_close(double a, double b, double tolerance, const char *file, int line, const char *what,
           const char *format, ...)
{
    char note[200];
    va_list args;
    va_start(args, format);
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
    return test_check(fabs(a - b) <= tolerance, file, line,
                      "%s = %.17g, expected %.17g, off by %.3g > %.3g; %s", what, a, b, fabs(a - b),
                      tolerance, note);
}

/* What the last call with the context said; the words of a metric and of a classifier. */
HELPER const char *said(const spd_context *ctx)
{
    return spd_context_error(ctx)->message;
}

#define METRIC_NAME(metric)   spd_name(SPD_ENUM_METRIC, (unsigned)(metric))
#define CLASSIFIER_NAME(kind) spd_name(SPD_ENUM_CLASSIFIER, (unsigned)(kind))

/* Status and message of a call with ctx that must succeed. */
#define CHECK_OK(ctx, call) test_good(ctx, call, __FILE__, __LINE__, #call)

HELPER int test_good(const spd_context *ctx, spd_status status, const char *file, int line,
                     const char *call)
{
    return test_check(status == SPD_OK, file, line, "%s: %d, %s", call, (int)status,
                      ctx ? said(ctx) : "");
}

/* The status of a call. */
#define CHECK_STATUS(call, wanted) test_status(call, wanted, __FILE__, __LINE__, #call)

HELPER int test_status(spd_status status, spd_status wanted, const char *file, int line,
                       const char *call)
{
    return test_check(status == wanted, file, line, "%s: %d, expected %d", call, (int)status,
                      (int)wanted);
}

/* The last message of ctx has one line and all the words, which are separated by '|'. */
#define CHECK_SAYS(ctx, words) test_says(ctx, words, __FILE__, __LINE__)

HELPER int test_says(const spd_context *ctx, const char *words, const char *file, int line)
{
    const char *message = said(ctx);
    int good = test_check(message[0] && !strchr(message, '\n'), file, line,
                          "message is not one line: '%s'", message);
    for (const char *word = words, *end; word; word = end ? end + 1 : NULL) {
        char part[200];
        end = strchr(word, '|');
        snprintf(part, sizeof part, "%.*s", end ? (int)(end - word) : (int)strlen(word), word);
        good &= test_check(strstr(message, part) != NULL, file, line, "'%s' is not in '%s'", part,
                           message);
    }
    return good;
}

/* The call fails with this status, which the context has too, and CHECK_SAYS. */
#define CHECK_FAILED(ctx, call, wanted, words)                                                     \
    test_bad(ctx, call, wanted, words, __FILE__, __LINE__)

HELPER int test_bad(const spd_context *ctx, spd_status status, spd_status wanted, const char *words,
                    const char *file, int line)
{
    const spd_error *error = spd_context_error(ctx);
    return test_check(status == wanted && error->status == wanted, file, line,
                      "status %d (context %d), expected %d: %s", (int)status, (int)error->status,
                      (int)wanted, error->message) &
           test_says(ctx, words, file, line);
}

/* ---- what a case owns ----------------------------------------------------------------------- */

OWNER(spd_array)
OWNER(spd_model)
OWNER(spd_set)
OWNER(spd_classifier)
OWNER(spd_context)
OWNER(spd_data)
OWNER(spd_evaluation)
OWNER(spd_league)
OWNER(spd_samples)
OWNER(spd_describe_info)
OWNER(spd_fit_state)

HELPER rng seeded(uint64_t seed)
{
    rng r;
    rng_seed(&r, seed);
    return r;
}

/* As the library aligns its blocks; zeros. */
HELPER void *take_aligned(size_t count, size_t size)
{
    return own(mem_zero(count, size), mem_free);
}

/* A context for the case, with so many threads; 0 means all cores. */
HELPER spd_context *context_on(int threads)
{
    spd_context *ctx = OWNED(spd_context, spd_context_new());
    spd_context_set_threads(ctx, threads);
    return ctx;
}

/* The usual options of a fit; a method by its name; one more parameter of a grid. */
HELPER spd_fit_options fit_defaults(void)
{
    spd_fit_options o;
    spd_fit_defaults(&o, sizeof o);
    return o;
}

HELPER spd_method method_of(const char *name)
{
    spd_method method = SPD_STRUCT(spd_method);
    CHECK(spd_method_parse(NULL, name, &method) == SPD_OK, "%s", name);
    return method;
}

HELPER void grid_try(spd_grid *grid, spd_parameter which, size_t count, const double *value)
{
    grid->count[which] = count;
    grid->value[which] = value;
}

/* Counts how often it is asked, in an int, and ends the work. */
HELPER int stop_now(void *user, const spd_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return 1;
}

/* ---- cases ---------------------------------------------------------------------------------- */

typedef struct test_step {
    void (*run)(void);
    const char *name;
    int place; /* in the file, headers included */
} test_step;

typedef struct test_steps {
    test_step step[100];
    int count;
} test_steps;

static test_steps test_setups, test_cases, test_teardowns;

/* Constructors run in any order: each finds its place. */
HELPER void test_add(test_steps *to, void (*run)(void), const char *name, int place)
{
    int at = to->count++;
    if (to->count > 100)
        abort();
    for (; at > 0 && to->step[at - 1].place > place; at--)
        to->step[at] = to->step[at - 1];
    to->step[at] = (test_step){run, name, place};
}

#define TEST_STEP(list, name)                                                                      \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void name##_is_added(void)                                 \
    {                                                                                              \
        test_add(&list, name, #name, __COUNTER__);                                                 \
    }                                                                                              \
    static void name(void)

#define TEST(name)     TEST_STEP(test_cases, name)
#define SETUP(name)    TEST_STEP(test_setups, name)
#define TEARDOWN(name) TEST_STEP(test_teardowns, name)

HELPER void test_run(void (*test)(void), const char *name)
{
    const long live = mem_live();
    owned *const mark = all_owned;
    test_failed_checks = test_skipping = 0;
    test();
    release_to(&mark);
    test_check(mem_live() == live, name, 0, "%ld blocks are left", mem_live() - live);
    if (test_failed_checks)
        test_failed++;
    else
        test_passed += !test_skipping;
    printf("%s %s\n", test_failed_checks ? "FAIL" : test_skipping ? "skip" : "ok  ", name);
    fflush(stdout);
}

#define RUN(test) test_run(test, #test)

/* Several processes may share the cases of a program: K/N on the command line is process K of N, and
 * has the cases whose turn it is. */
static size_t test_part, test_parts = 1, test_turns;

HELPER int test_turn(size_t number)
{
    return number % test_parts == test_part;
}

HELPER int test_next_turn(void)
{
    return test_turn(test_turns++);
}

HELPER int test_take_part(const char *word)
{
    const char *of = strchr(word, '/');
    if (!of)
        return 0;
    test_part = strtoul(word, NULL, 10);
    test_parts = strtoul(of + 1, NULL, 10);
    return test_parts > 0;
}

#define RUN_IN_TURN(test)                                                                          \
    do                                                                                             \
        if (test_next_turn())                                                                      \
            RUN(test);                                                                             \
    while (0)

HELPER void test_run_all(void)
{
    for (int i = 0; i < test_cases.count; i++)
        test_run(test_cases.step[i].run, test_cases.step[i].name);
}

HELPER int test_summary(void)
{
    printf("%d passed, %d failed, %d skipped\n", test_passed, test_failed, test_skipped);
    return test_failed ? 1 : 0;
}

/* A second set, or none; a set in the memory of the first GPU. */
#define SET_OR_NULL(n, p, X) ((X) ? SPD_SET(n, p, X) : NULL)
#define THERE(rows, count, data)                                                                   \
    ((const spd_set *)&(spd_set){.size = sizeof(spd_set),                                          \
                                 .n = (rows),                                                      \
                                 .p = (count),                                                     \
                                 .X = (data),                                                      \
                                 .place = SPD_PLACE_DEVICE})

/* All of the file; main returns what it returns. */
HELPER int test_all(void)
{
    for (int i = 0; i < test_setups.count; i++)
        test_setups.step[i].run();
    test_run_all();
    for (int i = 0; i < test_teardowns.count; i++)
        test_teardowns.step[i].run();
    release_to(&(owned *){NULL});
    return test_summary();
}

#ifndef TEST_OWN_MAIN
int main(void)
{
    return test_all();
}
#endif

#endif
