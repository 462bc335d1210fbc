"""Does tools/check-arrows see every kind of wrong arrow? Each case is a small tree with one fault.

Usage: check_arrows.py TOOL"""
import pathlib
import subprocess
import sys
import tempfile

HEADER = "spd_status spd_check(int n);\nspd_status spd_bundle_read(int n);\nspd_status spd_fit(int n);\n"
SOUND = {
    "include/spdml.h": HEADER,
    "src/base/memory.c": "void *mem_alloc(int n) { return malloc(n); }\n",
    "src/ops/check.c": '#include "base/memory.h"\nspd_status spd_check(int n)\n{\n    return n;\n}\n',
    "src/io/bundle.c": "spd_status spd_bundle_read(int n)\n{\n    return n;\n}\n",
    "src/formats/data.c": "int f(int n)\n{\n    return spd_check(n) + spd_bundle_read(n);\n}\n",
    "src/learn/fit.c": '#include "spdml.h"\n/* as spd_evaluate does */\n'
                       "spd_status spd_fit(int n)\n{\n    return spd_bundle_read(n);\n}\n",
    "src/filters/gabor_bank.c": "#include <math.h>\n#include <kissfft/kiss_fft.h>\n",
    "src/cli/main.c": '#include "cli/main.h"\nint main(void) { printf("%d", spd_fit(1)); }\n',
    "src/cli/report/page.c": '#include "cli/frame/session.h"\n#include "base/plain.h"\n#include <jansson.h>\n',
    "examples/fit.c": "#include <spdml.h>\n",
}
# what is wrong: (file, its text, words of the message, line)
WRONG = {
    "an include": ("src/base/a.c", '#include "ops/check.h"\n', "base must not know ops", 1),
    "a call": ("src/ops/a.c", "int f(void)\n{\n    return spd_fit(1);\n}\n",
               "ops must not know learn, where spd_fit is", 3),
    "a function handed on": ("src/io/a.c", "reader f = spd_fit;\n",
                             "io must not know learn, where spd_fit is", 1),
    "a library": ("src/learn/a.c", "#include <kissfft/kiss_fft.h>\n", "belongs to filters", 1),
    "an unknown library": ("src/filters/a.c", "#include <kissfft/kiss_fftr.h>\n",
                           "not among the libraries", 1),
    "an unknown room": ("src/attic/a.c", "int a;\n", "no room 'attic'", None),
    "an example": ("examples/a.c", '#include "ops/check.h"\n', "spdml.h alone", 1),
    "the command": ("src/cli/a.c", '#include "base/memory.h"\n', "cli must not know base", 1),
    "a folder of the command": ("src/cli/results/a.c", '#include "cli/report/page.h"\n',
                                "cli/results must not know cli/report", 1),
    "an unknown folder": ("src/cli/attic/a.c", "int a;\n", "no room 'cli/attic'", None),
    "the library in a folder": ("src/cli/frame/a.c", '#include "base/memory.h"\n',
                                "cli/frame must not know base", 1),
    "memory": ("src/learn/a.c", "void *f(void) { return malloc(1); }\n", "base/memory.h", 1),
    "an option": ("src/learn/a.c", '/* --a */\nint f(void) { return fail("try --regularize"); }\n',
                  "--regularize: options belong to the command", 2),
    "printing": ("src/learn/a.c", 'void f(void) { puts("a"); }\n', "neither prints", 1),
    "an end": ("src/classify/a.c", "void f(void)\n{\n    abort();\n}\n", "abort: the library", 3),
}


def run(tool, files):
    """Exit status and lines of the tool on a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, tool, folder], capture_output=True, text=True,
                              check=False)
    return done.returncode, done.stdout.splitlines()


def main():
    failed = 0
    code, lines = run(sys.argv[1], SOUND)
    if code != 0:
        print("FAIL the sound tree:", *lines, sep="\n    ")
        failed += 1
    for kind, (name, text, words, number) in WRONG.items():
        code, lines = run(sys.argv[1], SOUND | {name: text})
        place = f"{name}:{number}: " if number else f"{name}: "
        if code != 1 or len(lines) != 2 or not lines[0].startswith(place) or words not in lines[0]:
            print(f"FAIL {kind}:", *lines, sep="\n    ")
            failed += 1
    print(f"{len(WRONG) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
