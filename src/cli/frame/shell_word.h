/* shell_word.h - words as a shell reads them back. */
#ifndef SPD_CLI_FRAME_SHELL_WORD_H
#define SPD_CLI_FRAME_SHELL_WORD_H

/* The word, in single quotes where it is not plain; freed with cli_free. */
char *shell_word(const char *word);

#endif
