/* faults.c - preloaded into the command: one allocation or one system call of the process fails, or
 * the process is killed before it.
 *
 *   FAULTS        what shall happen (see below); without it nothing does
 *   FAULTS_LOG    a file for what was seen
 *   FAULTS_DEPTH  how many callers make a place (12)
 *
 *   list:alloc             writes every distinct place of an allocation: a place is its callers
 *   list:call              the same for system calls and pthread_create
 *   fail:PLACE:ERRNO       the first call from that place fails; ERRNO `short` reads or writes less
 *   deny:PLACE             that allocation and all after it fail
 *   count:write            counts the calls that change the file system
 *   kill:N                 SIGKILL before the N-th of these
 *
 * The log, line by line:
 *   place HASH KIND FD TIMES caller caller ...      of a list, KIND is the call's name
 *   hit KIND FD                                     of fail and deny: it happened
 *   calls N                                         of count
 *   leak N bytes, allocated at MODULE+OFFSET        blocks of the command itself, at the end
 *   died MODULE                                     of each caller of the place of a crash
 *
 * Allocations are interposed. System calls are caught by a seccomp filter that sends SIGSYS for
 * each, so those inside the C library are seen too; the handler makes the call itself from an
 * instruction that the filter lets through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef __x86_64__
#error "faults.c knows the registers of x86-64 only"
#endif

#define CALLERS 40 /* at most that are looked at */
#define PLACES  (1 << 15)
#define BLOCKS  (1 << 18)
#define MODULES 256

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

typedef enum { NOTHING, LIST_ALLOC, LIST_CALL, FAIL, DENY, COUNT, KILL } mode;

static struct {
    mode mode;
    uint64_t place; /* FAIL and DENY */
    int error;      /* FAIL; 0 for short */
    long wanted;    /* KILL */
    int depth, log;
    atomic_int done; /* FAIL: it happened; DENY: from now on */
    atomic_long calls;
} plan = {.log = -1, .depth = 12};

static __thread int busy __attribute__((tls_model("initial-exec")));

/* ---- system calls that the filter lets through ----------------------------------------------- */

long faults_call(long number, long a, long b, long c, long d, long e, long f);
extern char faults_after[];
__asm__(".text\n.global faults_call\n.hidden faults_call\n.hidden faults_after\n"
        "faults_call:\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\n"
        "mov %r8, %r10\nmov %r9, %r8\nmov 8(%rsp), %r9\nsyscall\n"
        ".global faults_after\nfaults_after:\nret\n");

static void say(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > (int)sizeof text - 1)
        length = (int)sizeof text - 1;
    if (plan.log >= 0)
        faults_call(SYS_write, plan.log, (long)text, length, 0, 0, 0);
}

/* ---- places ---------------------------------------------------------------------------------- */

typedef struct module {
    uintptr_t start, end, base;
    uint64_t mark; /* of its name */
    char name[40];
    int own; /* the command itself */
} module;

static module modules[MODULES];
static int module_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static int note_module(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    if (module_count == MODULES)
        return 1;
    module *m = &modules[module_count];
    const char *slash = strrchr(info->dlpi_name, '/');
    *m = (module){.start = UINTPTR_MAX, .base = info->dlpi_addr, .own = module_count == 0};
    snprintf(m->name, sizeof m->name, "%s", m->own ? "spdml" : slash ? slash + 1 : info->dlpi_name);
    for (const char *c = m->name; *c; c++)
        m->mark = mix(m->mark, (unsigned char)*c);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
        m->start = from < m->start ? from : m->start;
        m->end = to > m->end ? to : m->end;
    }
    module_count++;
    return 0;
}

static const module *module_of(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    for (int i = 0; i < module_count; i++)
        if (at >= modules[i].start && at < modules[i].end)
            return &modules[i];
    return NULL;
}

typedef struct trace {
    void *caller[CALLERS];
    int count;
    uint64_t hash;
} trace;

/* The callers of this library, the nearest first; kind keeps different calls apart. */
static void look(trace *t, uint64_t kind)
{
    void *all[CALLERS];
    int found = backtrace(all, CALLERS);
    t->count = 0;
    t->hash = mix(1, kind);
    for (int i = 0; i < found && t->count < plan.depth; i++) {
        const module *m = module_of(all[i]);
        if (m == module_of((void *)(uintptr_t)look) || !m)
            continue;
        t->caller[t->count++] = all[i];
        t->hash = mix(t->hash, m->mark);
        t->hash = mix(t->hash, (uintptr_t)all[i] - m->base);
    }
}

static struct place {
    uint64_t hash;
    long times;
} places[PLACES];

static void list_place(const trace *t, const char *kind, long fd)
{
    pthread_mutex_lock(&lock);
    size_t at = t->hash % PLACES;
    while (places[at].times && places[at].hash != t->hash)
        at = (at + 1) % PLACES;
    int fresh = places[at].times++ == 0;
    places[at].hash = t->hash;
    pthread_mutex_unlock(&lock);
    if (!fresh)
        return;
    char text[2048] = "";
    size_t length = 0;
    for (int i = 0; i < t->count && length < sizeof text - 80; i++) {
        const module *m = module_of(t->caller[i]);
        length +=
            (size_t)snprintf(text + length, sizeof text - length, " %s+%lx", m ? m->name : "?",
                             (unsigned long)((uintptr_t)t->caller[i] - (m ? m->base : 0)));
    }
    say("place %016lx %s %ld%s\n", (unsigned long)t->hash, kind, fd, text);
}

/* ---- allocations ----------------------------------------------------------------------------- */

/* Blocks that the command's own code asked for. */
static struct block {
    void *at;
    const void *caller;
    size_t bytes;
} blocks[BLOCKS];

static size_t home_of(const void *at)
{
    return mix(7, (uintptr_t)at) % BLOCKS;
}

static void *keep(void *at, size_t bytes, const void *caller)
{
    const module *m = at && plan.mode >= FAIL ? module_of(caller) : NULL;
    if (!m || !m->own || busy)
        return at;
    pthread_mutex_lock(&lock);
    size_t i = home_of(at);
    for (size_t looked = 0; blocks[i].at && blocks[i].at != (void *)1 && looked < BLOCKS; looked++)
        i = (i + 1) % BLOCKS;
    blocks[i] = (struct block){at, caller, bytes};
    pthread_mutex_unlock(&lock);
    return at;
}

static void forget(const void *at)
{
    if (!at || plan.mode < FAIL || busy)
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = home_of(at), looked = 0; blocks[i].at && looked < BLOCKS; looked++) {
        if (blocks[i].at == at) {
            blocks[i].at = (void *)1; /* a gap */
            break;
        }
        i = (i + 1) % BLOCKS;
    }
    pthread_mutex_unlock(&lock);
}

/* Shall this allocation fail? */
static int refused(void)
{
    if (busy || (plan.mode != LIST_ALLOC && plan.mode != FAIL && plan.mode != DENY))
        return 0;
    if (plan.done)
        return plan.mode == DENY;
    trace t;
    busy = 1;
    look(&t, 1);
    if (plan.mode == LIST_ALLOC)
        list_place(&t, "alloc", -1);
    int hit = plan.mode != LIST_ALLOC && t.hash == plan.place && !atomic_exchange(&plan.done, 1);
    if (hit)
        say("hit alloc -1\n");
    busy = 0;
    return hit;
}

static void *nothing(void)
{
    errno = ENOMEM;
    return NULL;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return refused() ? nothing() : keep(__libc_malloc(size), size, CALLER);
}

void *calloc(size_t count, size_t size)
{
    return refused() ? nothing() : keep(__libc_calloc(count, size), count * size, CALLER);
}

void *realloc(void *old, size_t size)
{
    if (refused())
        return nothing();
    void *fresh = __libc_realloc(old, size);
    if (fresh)
        forget(old);
    return keep(fresh, size, CALLER);
}

void *memalign(size_t alignment, size_t size)
{
    return refused() ? nothing() : keep(__libc_memalign(alignment, size), size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? nothing() : keep(__libc_memalign(alignment, size), size, CALLER);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *fresh = refused() ? NULL : keep(__libc_memalign(alignment, size), size, CALLER);
    if (!fresh)
        return ENOMEM;
    *block = fresh;
    return 0;
}

void free(void *block)
{
    forget(block);
    __libc_free(block);
}

static void tell_leaks(void)
{
    long count = 0;
    for (size_t i = 0; i < BLOCKS; i++)
        if (blocks[i].at > (void *)1) {
            const module *m = module_of(blocks[i].caller);
            if (count++ < 20)
                say("leak %zu bytes, allocated at %s+%lx\n", blocks[i].bytes, m->name,
                    (unsigned long)((uintptr_t)blocks[i].caller - m->base));
        }
}

/* ---- system calls ---------------------------------------------------------------------------- */

static const struct call {
    int number;
    int changes; /* the file system */
    const char *name;
} calls[] = {
    {SYS_open, 2, "open"},           {SYS_openat, 3, "open"},       {SYS_creat, 1, "open"},
    {SYS_read, 0, "read"},           {SYS_pread64, 0, "read"},      {SYS_readv, 0, "read"},
    {SYS_write, 1, "write"},         {SYS_pwrite64, 1, "write"},    {SYS_writev, 1, "write"},
    {SYS_fsync, 1, "fsync"},         {SYS_fdatasync, 1, "fsync"},   {SYS_rename, 1, "rename"},
    {SYS_renameat, 1, "rename"},     {SYS_renameat2, 1, "rename"},  {SYS_link, 1, "link"},
    {SYS_linkat, 1, "link"},         {SYS_mmap, 0, "mmap"},         {SYS_ftruncate, 1, "truncate"},
    {SYS_mkdir, 1, "mkdir"},         {SYS_mkdirat, 1, "mkdir"},     {SYS_unlink, 1, "unlink"},
    {SYS_unlinkat, 1, "unlink"},     {SYS_rmdir, 1, "unlink"},      {SYS_close, 0, "close"},
    {SYS_stat, 0, "stat"},           {SYS_lstat, 0, "stat"},        {SYS_fstat, 0, "stat"},
    {SYS_newfstatat, 0, "stat"},     {SYS_statx, 0, "stat"},        {SYS_access, 0, "access"},
    {SYS_faccessat, 0, "access"},    {SYS_faccessat2, 0, "access"}, {SYS_getdents64, 0, "getdents"},
    {SYS_fchmod, 1, "chmod"},        {SYS_lseek, 0, "lseek"},       {SYS_readlink, 0, "readlink"},
    {SYS_readlinkat, 0, "readlink"}, {SYS_fcntl, 0, "fcntl"},       {SYS_getcwd, 0, "getcwd"},
};
#define CALLS (sizeof calls / sizeof *calls)

static const struct call *call_of(int number)
{
    size_t i = 0;
    while (i < CALLS && calls[i].number != number)
        i++;
    return i < CALLS ? &calls[i] : NULL;
}

/* Does it change the file system? A pipe or a terminal, which have the numbers 0 to 2, is none. */
static int changes(const struct call *c, const long *arg)
{
    if (c->changes > 1)
        return (arg[c->changes - 1] & (O_CREAT | O_TRUNC)) != 0;
    return c->changes && (strcmp(c->name, "write") != 0 || arg[0] > 2);
}

/* Anonymous memory has no file. */
static long file_of(const struct call *c, const long *arg)
{
    if (c->number == SYS_mmap)
        return (int)arg[4];
    int by_path = strchr("orlmua", c->name[0]) && strcmp(c->name, "read") != 0 &&
                  strcmp(c->name, "lseek") != 0;
    return by_path ? -1 : arg[0];
}

/* The call itself, or with fewer bytes; close happens even where it reports an error. */
static long perform(int number, const long *arg, int less)
{
    long size = less && arg[2] > 1 ? arg[2] / 2 : arg[2];
    return faults_call(number, arg[0], arg[1], size, arg[3], arg[4], arg[5]);
}

/* Shall this call, of this kind, fail? */
static int struck(const char *kind, long fd)
{
    if (busy || (plan.mode != LIST_CALL && (plan.mode != FAIL || plan.done)))
        return 0;
    trace t;
    uint64_t mark = 2;
    for (const char *c = kind; *c; c++)
        mark = mix(mark, (unsigned char)*c);
    busy = 1;
    look(&t, mark);
    if (plan.mode == LIST_CALL)
        list_place(&t, kind, fd);
    int hit = plan.mode == FAIL && t.hash == plan.place && !atomic_exchange(&plan.done, 1);
    if (hit)
        say("hit %s %ld\n", kind, fd);
    busy = 0;
    return hit;
}

static long answer(int number, const long *arg)
{
    const struct call *c = call_of(number);
    if (!c || busy)
        return perform(number, arg, 0);
    if ((plan.mode == COUNT || plan.mode == KILL) && changes(c, arg) &&
        ++plan.calls == plan.wanted && plan.mode == KILL)
        faults_call(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
    if (!struck(c->name, file_of(c, arg)))
        return perform(number, arg, 0);
    if (plan.error == 0)
        return perform(number, arg, 1);
    if (number == SYS_close)
        perform(number, arg, 0);
    return -plan.error;
}

static void caught(int signal, siginfo_t *info, void *context)
{
    greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long arg[6] = {reg[REG_RDI], reg[REG_RSI], reg[REG_RDX],
                         reg[REG_R10], reg[REG_R8],  reg[REG_R9]};
    int before = errno;
    (void)signal;
    reg[REG_RAX] = answer(info->si_syscall, arg);
    errno = before;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return struck("thread", -1) ? EAGAIN : real(id, attributes, run, user);
}

/* Is asked before SIGSYS can be handled, or not at all: sigaction is no call that is caught. */
static int watch_calls(void)
{
    struct sock_filter filter[CALLS + 8];
    size_t n = 0;
    uint64_t after = (uintptr_t)faults_after;
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                               offsetof(struct seccomp_data, instruction_pointer));
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)after, 0, 3);
    filter[n++] = (struct sock_filter)BPF_STMT(
        BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    filter[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(after >> 32), 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALLS; i++)
        filter[n++] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, (uint8_t)(CALLS - i), 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    struct sigaction action = {.sa_sigaction = caught,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigaction(SIGSYS, &action, NULL);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

/* ---- crashes --------------------------------------------------------------------------------- */

/* Says in which modules the process died, then lets it die. */
static void crashed(int number)
{
    void *all[CALLERS];
    busy = 1;
    int found = backtrace(all, CALLERS);
    for (int i = 0; i < found; i++) {
        const module *m = module_of(all[i]);
        if (m)
            say("died %s\n", m->name);
    }
    signal(number, SIG_DFL); /* back to the faulting instruction, or to abort */
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void read_plan(const char *text)
{
    char word[16] = "", error[16] = "";
    unsigned long place = 0;
    if (strcmp(text, "list:alloc") == 0)
        plan.mode = LIST_ALLOC;
    else if (strcmp(text, "list:call") == 0)
        plan.mode = LIST_CALL;
    else if (strcmp(text, "count:write") == 0)
        plan.mode = COUNT;
    else if (sscanf(text, "kill:%ld", &plan.wanted) == 1)
        plan.mode = KILL;
    else if (sscanf(text, "%4[a-z]:%lx:%15s", word, &place, error) >= 2)
        plan.mode = strcmp(word, "deny") == 0 ? DENY : FAIL;
    plan.place = place;
    plan.error = atoi(error);
}

__attribute__((constructor)) static void begin(void)
{
    void *first[4];
    const char *text = getenv("FAULTS"), *log = getenv("FAULTS_LOG"),
               *depth = getenv("FAULTS_DEPTH");
    if (!text)
        return;
    backtrace(first, 4); /* loads the unwinder */
    dl_iterate_phdr(note_module, NULL);
    if (depth)
        plan.depth = atoi(depth) < CALLERS - 8 ? atoi(depth) : CALLERS - 8;
    if (log)
        plan.log = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (plan.log >= 0 && plan.log < 100) { /* out of the way of the command's own numbers */
        int high = fcntl(plan.log, F_DUPFD_CLOEXEC, 100);
        close(plan.log);
        plan.log = high;
    }
    read_plan(text);
    signal(SIGSEGV, crashed);
    signal(SIGABRT, crashed);
    int wants_calls = plan.mode != LIST_ALLOC && plan.mode != DENY;
    if (wants_calls && !watch_calls()) {
        say("no filter\n");
        plan.mode = NOTHING;
    }
}

__attribute__((destructor)) static void end(void)
{
    if (plan.mode == COUNT || plan.mode == KILL)
        say("calls %ld\n", (long)plan.calls);
    if (plan.mode >= FAIL)
        tell_leaks();
    say("end\n");
    plan.mode = NOTHING;
}
