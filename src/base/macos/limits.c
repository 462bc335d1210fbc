/* limits.c - limits on memory: what the machine has, less what this process uses. */
#include "base/limits.h"

#include <float.h>
#include <mach/mach.h>
#include <stdint.h>
#include <sys/sysctl.h>

/* macOS grants what is asked for, and swaps. */
int limits_refuse(void)
{
    return 0;
}

double limits_total(void)
{
    uint64_t bytes = 0;
    size_t room = sizeof bytes;
    return sysctlbyname("hw.memsize", &bytes, &room, NULL, 0) == 0 ? (double)bytes : DBL_MAX;
}

double limits_left(void)
{
    task_vm_info_data_t used = {0};
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    double left = limits_total();
    if (task_info(mach_task_self(), TASK_VM_INFO, (task_info_t)&used, &count) == KERN_SUCCESS)
        left -= (double)used.phys_footprint;
    return left > 0.0 ? left : 0.0;
}
