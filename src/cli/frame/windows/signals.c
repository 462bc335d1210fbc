/* signals.c - Ctrl-C, Ctrl-Break and a window that is closed, as Windows tells of them. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "cli/frame/signals.h"

/* The only variable of the command that outlives a call. */
static volatile LONG interrupted;

/* Called in a thread of its own. The second time Windows ends the process. */
static BOOL WINAPI note_interrupt(DWORD kind)
{
    (void)kind;
    return InterlockedExchange(&interrupted, 1) == 0;
}

void signals_install(void)
{
    SetConsoleCtrlHandler(note_interrupt, TRUE);
}

int signals_interrupted(void)
{
    return interrupted != 0;
}
