/* start.c - a program begins: its words are UTF-8, what it reads and prints are bytes, and the
 * terminal understands both. A program's own main is called posix_main. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "windows/posix.h"

int posix_main(int argc, char **argv);

static void prepare_terminal(void)
{
    static const DWORD files[] = {STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
    DWORD mode;
    for (int i = 0; i < 2; i++)
        if (GetConsoleMode(GetStdHandle(files[i]), &mode)) {
            SetConsoleMode(GetStdHandle(files[i]), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
            SetConsoleOutputCP(CP_UTF8);
        }
}

int wmain(int argc, wchar_t **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof *words);
    int bad = !words;
    for (int i = 0; i < argc && !bad; i++) {
        int size = WideCharToMultiByte(CP_UTF8, 0, argv[i], -1, NULL, 0, NULL, NULL);
        words[i] = malloc((size_t)size);
        bad =
            !words[i] || !WideCharToMultiByte(CP_UTF8, 0, argv[i], -1, words[i], size, NULL, NULL);
    }
    for (int file = 0; file <= 2; file++)
        (void)_setmode(file, _O_BINARY);
    prepare_terminal();
    return bad ? 3 : posix_main(argc, words);
}
