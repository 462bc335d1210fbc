/* mman.h - memory from the system: windows/posix.h. */
#include "windows/posix.h"
