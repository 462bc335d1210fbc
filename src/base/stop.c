/* stop.c - whom the work of each thread asks. */
#include "base/stop.h"

static _Thread_local stop_source current;

stop_source stop_swap(stop_source source)
{
    stop_source before = current;
    current = source;
    return before;
}

int stop_wanted(void)
{
    return current.ask ? current.ask(current.user) : 0;
}
