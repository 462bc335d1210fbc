/* plain.h - text from files and names made harmless before people see it.
 *
 * Messages, tables and progress go to terminals, which obey what some characters say: move the
 * cursor, change the title, write from right to left. Such characters are shown as \x1b or \u202e.
 * Files (.json, .csv, .npz) keep the text as it is. */
#ifndef SPD_BASE_PLAIN_H
#define SPD_BASE_PLAIN_H

#include <stddef.h>
#include <stdint.h>

/* Reads the code point at text (size bytes left); the bytes it took, 0 when it is malformed. */
size_t utf8_get(const char *text, size_t size, uint32_t *code);

/* Does this character do something to a terminal or a page besides being shown? Control codes, and
 * those that break lines or turn the direction of writing. */
int plain_is_unsafe(uint32_t code);

/* plain <- text with unsafe characters and bytes that are not UTF-8 escaped, except those in keep;
 * cut to room, NUL included. The length without the cut. A second time changes nothing. */
size_t plain_text(const char *text, const char *keep, char *plain, size_t room);

/* Would a spreadsheet take this text for a formula? It begins with = @ a tab or the end of a line,
 * with + or - and is no number, or with one of these signs of full width; apostrophes before that
 * do not count. In .csv files such a text gets one more apostrophe in front, and loses it when it
 * is read. */
int plain_is_formula(const char *text);

#endif
