/* number.h - real numbers as text for machines; times. */
#ifndef SPD_CLI_FRAME_NUMBER_H
#define SPD_CLI_FRAME_NUMBER_H

#define NUMBER_TEXT 32

/* text <- the shortest decimal form of a finite value that reads back as the same one: 0.1, 1e-5,
 * 20. */
void number_text(double value, char text[NUMBER_TEXT]);

/* *seconds <- "30", "30s", "1.5m" or "1h"; non-zero when text is none of these. */
int number_duration(const char *text, double *seconds);

#endif
