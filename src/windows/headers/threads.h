/* threads.h - what is done once: windows/posix.h. */
#include "windows/posix.h"
