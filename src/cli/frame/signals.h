/* signals.h - Ctrl-C asks the library to stop at its next progress report; writing to a closed
 * pipe or past a limit on file size fails like any other write instead of ending the process. */
#ifndef SPD_CLI_FRAME_SIGNALS_H
#define SPD_CLI_FRAME_SIGNALS_H

void signals_install(void);

/* Has Ctrl-C been pressed? A second one ends the process at once. */
int signals_interrupted(void);

#endif
