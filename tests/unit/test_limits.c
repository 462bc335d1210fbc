/* Limits on memory: what the system tells, what is asked before, and OpenBLAS's buffers. */
#include "base/limits.h"

#include <float.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/context.h"
#include "run/blas.h"
#include "run/parallel.h"
#include "linalg/dense.h"
#include "test.h"

TEST(what_is_there)
{
    CHECK(limits_total() > 1e6, "");
    CHECK(limits_left() > 1e6, "");
    CHECK(limits_left() <= limits_total(), "");
}

TEST(more_than_there_is)
{
    spd_context *ctx = context_on(0);
    double total = limits_total();
    CHECK(mem_could(1e6), "");
    if (total < 1e18) {
        CHECK(!mem_could(2.0 * total), "");
        CHECK(mem_alloc((size_t)(2.0 * total), 1) == NULL, "");
        CHECK((double)mem_refused() >= 2.0 * total, "");
        CHECK(ctx_nomem(ctx, "a thing") == SPD_ENOMEM, "");
        CHECK_SAYS(ctx, "out of memory for a thing: ");
        CHECK_SAYS(ctx, " GB are available");
        CHECK(ctx_ask(ctx, "a thing", 2.0 * total) == SPD_ENOMEM, "");
    }
    CHECK(ctx_ask(ctx, "a thing", 100.0) == SPD_OK, "");
    mem_fail_at(1);
    CHECK(mem_alloc(10, 1) == NULL, "");
    CHECK(mem_refused() == 0, "");
    CHECK(ctx_nomem(ctx, "a thing") == SPD_ENOMEM, "");
    CHECK(strcmp(said(ctx), "out of memory for a thing") == 0, "");
}

#ifdef __SANITIZE_ADDRESS__ /* it needs all addresses itself */
static int loop_without_memory(void)
{
    return 0;
}
#else
static spd_status nothing(void *user, size_t chunk, int thread)
{
    (void)user;
    (void)chunk;
    (void)thread;
    return SPD_OK;
}

/* In a process of its own, which may have no more than it has. */
static int loop_without_memory(void)
{
    const struct rlimit none = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    spd_context *ctx = spd_context_new();
    if (!ctx || setrlimit(RLIMIT_AS, &none) != 0 || !limits_refuse() || limits_left() > 0.0)
        return 1;
    if (parallel_for(ctx, 4, nothing, NULL, NULL, NULL, 0.0, NULL) != SPD_ENOMEM)
        return 2;
    return strstr(said(ctx), "out of memory for BLAS") ? 0 : 3;
}
#endif

TEST(a_loop_without_memory)
{
    int (*volatile of_blas)(size_t, double *) = dense_chol; /* so that BLAS is linked */
    int status = -1;
    pid_t child = of_blas ? fork() : -1;
    CHECK(child >= 0, "no process");
    if (child == 0)
        _exit(loop_without_memory());
    CHECK(waitpid(child, &status, 0) == child, "");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d", status);
}

TEST(buffers_are_reserved)
{
    int first = spd_private_blas_reserve(3), second = spd_private_blas_reserve(2);
    CHECK(first >= 1 && first <= 3, "");
    CHECK(second >= 1 && second <= 2, "");
    spd_private_blas_return(second);
    spd_private_blas_return(first);
    CHECK(spd_private_blas_reserve(3) == first, "");
    spd_private_blas_return(first);
}
