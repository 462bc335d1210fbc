/* resource.h - what a process has used: windows/posix.h. */
#include "windows/posix.h"
