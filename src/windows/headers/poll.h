/* poll.h - waiting for standard input: windows/posix.h. */
#include "windows/posix.h"
