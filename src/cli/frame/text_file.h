/* text_file.h - text files that appear whole or not at all, and quoting: for csv files
 * and for shells. */
#ifndef SPD_CLI_FRAME_TEXT_FILE_H
#define SPD_CLI_FRAME_TEXT_FILE_H

#include <stdio.h>

/* Puts the content of a file down; what is the caller's. */
typedef void (*text_file_fn)(FILE *f, const void *what);

/* Writes what print says; the file appears at once. A failure ends the command. */
void text_file_write(const char *path, text_file_fn print, const void *what);

/* The path of an output that we name ourselves within the user's folder; a symbolic link there is
 * removed: the user has chosen the folder, not where links in it lead. */
char *text_file_in(const char *folder, const char *name);

/* The first bytes of a regular file, at most `most`, with a NUL behind them; *length of them. NULL
 * when it cannot be read, with errno set; anything but a regular file is refused without waiting.
 */
char *text_file_read(const char *path, size_t most, size_t *length);

/* A text_file_fn: what is a json_t. */
void text_file_json(FILE *f, const void *what);

/* A field of a csv file, quoted where a reader would stumble. */
void text_file_csv(FILE *f, const char *text);

/* A text in a LaTeX document. */
void text_file_latex(FILE *f, const char *text);

/* A word as a shell reads it back, in single quotes where it is not plain. */
char *shell_word(const char *word);

#endif
