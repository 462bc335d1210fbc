/* number.c - the shortest form of a real number; times.
 *
 * A decimal of at most 15 digits that a double was read from is what 15 digits show of it, so three
 * tries find the shortest. */
#include "cli/frame/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1e-05" becomes "1e-5", "1e+20" becomes "1e20". */
static void trim_exponent(char *text)
{
    char *to = strchr(text, 'e');
    if (!to)
        return;
    const char *from = ++to;
    if (*from == '-')
        to++;
    from += strspn(from, "+-0");
    memmove(to, from, strlen(from) + 1);
}

void number_text(double value, char text[NUMBER_TEXT])
{
    double back;
    int digits = 15;
    do {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        back = strtod(text, NULL);
    } while ((back < value || back > value) && digits++ < 17);
    trim_exponent(text);
}

int number_duration(const char *text, double *seconds)
{
    char *unit;
    double number = strtod(text, &unit);
    double factor = strcmp(unit, "m") == 0                    ? 60
                    : strcmp(unit, "h") == 0                  ? 3600
                    : *unit == '\0' || strcmp(unit, "s") == 0 ? 1
                                                              : 0;
    if (unit == text || factor == 0 || !isfinite(number) || number < 0)
        return 1;
    *seconds = number * factor;
    return 0;
}
