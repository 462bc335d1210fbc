/* limits.c - limits on memory: what Windows can back, and the job that the process may be in. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <float.h>
#include <psapi.h>

#include "base/limits.h"

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* What the job lets the process have; DBL_MAX without one. */
static double job_limit(void)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {0};
    double limit = DBL_MAX;
    if (!QueryInformationJobObject(NULL, JobObjectExtendedLimitInformation, &job, sizeof job, NULL))
        return limit;
    if (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_PROCESS_MEMORY)
        limit = least(limit, (double)job.ProcessMemoryLimit);
    if (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY)
        limit = least(limit, (double)job.JobMemoryLimit);
    return limit;
}

/* Windows never grants what it cannot back: a request that is refused is one that fails, and BLAS has
 * what it needs from the start. */
int limits_refuse(void)
{
    return 0;
}

double limits_total(void)
{
    MEMORYSTATUSEX machine = {.dwLength = sizeof machine};
    double all = GlobalMemoryStatusEx(&machine) ? (double)machine.ullTotalPageFile : DBL_MAX;
    return least(all, job_limit());
}

double limits_left(void)
{
    MEMORYSTATUSEX machine = {.dwLength = sizeof machine};
    PROCESS_MEMORY_COUNTERS used = {0};
    double left = GlobalMemoryStatusEx(&machine) ? (double)machine.ullAvailPageFile : DBL_MAX;
    if (GetProcessMemoryInfo(GetCurrentProcess(), &used, sizeof used))
        left = least(left, job_limit() - (double)used.PagefileUsage);
    return left > 0.0 ? left : 0.0;
}
