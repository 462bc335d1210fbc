/* ioctl.h - the size of a terminal: windows/posix.h. */
#include "windows/posix.h"
