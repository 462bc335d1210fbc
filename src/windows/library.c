/* library.c - functions that other C libraries have. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <locale.h>

#include "windows/paths.h"
#include "windows/posix.h"
#undef fclose

/* ---- streams that a function takes ----------------------------------------------------------- */

#define COOKIES 8 /* at once */

static struct {
    FILE *stream;
    void *cookie;
    posix_writer write;
} cookies[COOKIES];
static pthread_mutex_t cookies_guard = PTHREAD_MUTEX_INITIALIZER;

/* A file that vanishes when it is closed. */
static FILE *scratch(void)
{
    wchar_t folder[PATH_ROOM], path[PATH_ROOM];
    if (!GetTempPathW(PATH_ROOM, folder) || !GetTempFileNameW(folder, L"spd", 0, path))
        return NULL;
    HANDLE handle = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                                FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    int file = handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, _O_BINARY);
    return file < 0 ? NULL : posix_fdopen(file, "w+");
}

FILE *posix_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    FILE *stream = scratch();
    (void)mode;
    pthread_mutex_lock(&cookies_guard);
    int i = 0;
    while (i < COOKIES && cookies[i].stream)
        i++;
    if (stream && i < COOKIES) {
        cookies[i].stream = stream;
        cookies[i].cookie = cookie;
        cookies[i].write = functions.write;
    } else if (stream) {
        fclose(stream);
        stream = NULL;
    }
    pthread_mutex_unlock(&cookies_guard);
    return stream;
}

/* Hands over what the stream holds. */
static int deliver(FILE *stream, void *cookie, posix_writer write)
{
    char bytes[4096];
    size_t got;
    int good = fflush(stream) == 0 && !ferror(stream);
    rewind(stream);
    while (good && (got = fread(bytes, 1, sizeof bytes, stream)) > 0)
        good = write(cookie, bytes, got) == (ssize_t)got;
    return good ? 0 : EOF;
}

int posix_fclose(FILE *stream)
{
    int result = 0;
    void *cookie = NULL;
    posix_writer write = NULL;
    pthread_mutex_lock(&cookies_guard);
    for (int i = 0; i < COOKIES; i++)
        if (cookies[i].stream == stream) {
            cookie = cookies[i].cookie;
            write = cookies[i].write;
            cookies[i].stream = NULL;
        }
    pthread_mutex_unlock(&cookies_guard);
    if (write)
        result = deliver(stream, cookie, write);
    return fclose(stream) == 0 ? result : EOF;
}

/* ---- the environment ------------------------------------------------------------------------- */

#define TEXTS 8
#define ROOM  4096

/* The text of a variable, in place; 0 when there is none, or it does not fit. */
static int lookup(const char *name, char *text)
{
    wchar_t wide[64], value[ROOM];
    if (!MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 64))
        return 0;
    DWORD length = GetEnvironmentVariableW(wide, value, ROOM);
    if ((length == 0 && GetLastError() == ERROR_ENVVAR_NOT_FOUND) || length >= ROOM)
        return 0;
    value[length] = L'\0';
    return WideCharToMultiByte(CP_UTF8, 0, value, -1, text, ROOM, NULL, NULL) != 0;
}

static int temporary_folder(char *text)
{
    wchar_t folder[PATH_ROOM];
    DWORD length = GetTempPathW(PATH_ROOM, folder);
    if (length == 0 || length >= PATH_ROOM)
        return 0;
    if (folder[length - 1] == L'\\')
        folder[length - 1] = L'\0';
    return path_narrow(folder, text, ROOM) == 0;
}

char *posix_getenv(const char *name)
{
    static _Thread_local char texts[TEXTS][ROOM];
    static _Thread_local unsigned next;
    char *text = texts[next++ % TEXTS];
    int found = lookup(name, text);
    if (!found && strcmp(name, "TMPDIR") == 0)
        found = temporary_folder(text);
    return found ? text : NULL;
}

int posix_setenv(const char *name, const char *value, int replace)
{
    (void)replace;
    return _putenv_s(name, value) == 0 && SetEnvironmentVariableA(name, value) ? 0 : -1;
}

/* ---- texts ----------------------------------------------------------------------------------- */

char *posix_strsep(char **rest, const char *separators)
{
    char *word = *rest;
    if (!word)
        return NULL;
    char *end = word + strcspn(word, separators);
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return word;
}

char *posix_stpcpy(char *to, const char *from)
{
    size_t length = strlen(from);
    memcpy(to, from, length + 1);
    return to + length;
}

/* ---- numbers with a point -------------------------------------------------------------------- */

/* The only locale that is made; another stands for what the thread had. */
struct posix_locale {
    int kind; /* what _configthreadlocale said */
    char numbers[64];
};
static struct posix_locale in_c;

posix_locale posix_newlocale(int mask, const char *name, posix_locale base)
{
    (void)mask;
    (void)name;
    (void)base;
    return &in_c;
}

posix_locale posix_uselocale(posix_locale wanted)
{
    static _Thread_local struct posix_locale before;
    if (wanted == &in_c) {
        before.kind = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
        snprintf(before.numbers, sizeof before.numbers, "%s", setlocale(LC_NUMERIC, NULL));
        setlocale(LC_NUMERIC, "C");
    } else {
        setlocale(LC_NUMERIC, wanted->numbers);
        _configthreadlocale(wanted->kind);
    }
    return &before;
}

void posix_freelocale(posix_locale locale)
{
    (void)locale;
}

double posix_strtod_l(const char *text, char **end, posix_locale locale)
{
    posix_locale before = posix_uselocale(locale);
    double number = strtod(text, end);
    posix_uselocale(before);
    return number;
}
