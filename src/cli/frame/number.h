/* number.h - real numbers as text for machines. */
#ifndef SPD_CLI_FRAME_NUMBER_H
#define SPD_CLI_FRAME_NUMBER_H

#define NUMBER_TEXT 32

/* text <- the shortest decimal form of a finite value that reads back as the same one: 0.1, 1e-5,
 * 20. */
void number_text(double value, char text[NUMBER_TEXT]);

#endif
