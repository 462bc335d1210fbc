/* screen.h - what goes to standard output for people to read: tables and lines.
 *
 * Names and labels in it come from files, and are made harmless on the way (base/plain.h). JSON is
 * for programs and does not pass through here. */
#ifndef SPD_CLI_SCREEN_H
#define SPD_CLI_SCREEN_H

#include <stdarg.h>

/* Prints part of a line. Line breaks stand at the beginning or the end of the format: one within
 * comes from a name, and is shown as such. */
void screen_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void screen_vprint(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

#endif
