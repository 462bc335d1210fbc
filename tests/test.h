/* test.h - the test harness: one main per file, checks that say what they saw.
 *
 *   static void cholesky_times_transpose(void) { CHECK_CLOSE(a, b, 1e-13, "n = %zu", n); }
 *   int main(void) { RUN(cholesky_times_transpose); return test_summary(); }
 *
 * A test file is one program; ctest runs it. Each RUN prints one line. */
#ifndef SPD_TEST_H
#define SPD_TEST_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

#define RUN(test)                                                                                  \
    do {                                                                                           \
        test_failed_checks = test_skipping = 0;                                                    \
        test();                                                                                    \
        if (test_failed_checks)                                                                    \
            test_failed++;                                                                         \
        else                                                                                       \
            test_passed += !test_skipping;                                                         \
        printf("%s %s\n", test_failed_checks ? "FAIL" : test_skipping ? "skip" : "ok  ", #test);   \
        fflush(stdout);                                                                            \
    } while (0)

__attribute__((unused)) static int test_summary(void)
{
    printf("%d passed, %d failed, %d skipped\n", test_passed, test_failed, test_skipped);
    return test_failed ? 1 : 0;
}

#endif
