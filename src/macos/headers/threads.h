/* threads.h - what is used of it. */
#include "macos/posix.h"
