"""Does tools/mutants tell mutants that tests notice from those that they do not? A project of one file
and one test, in which every fate is known.

Usage: mutants.py TOOL"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

FILES = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(SPDML_SANITIZE)
    add_compile_options(-fsanitize=${SPDML_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${SPDML_SANITIZE})
endif()
add_library(spdml_inside SHARED src/base/tiny.c)
add_executable(test_tiny tests/unit/test_tiny.c)
target_link_libraries(test_tiny spdml_inside)
set_target_properties(test_tiny PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unit")
add_custom_target(unit DEPENDS test_tiny)
""",
    "src/base/tiny.c": """
/* x < 0 in a comment */
#include <assert.h>
#include <stdlib.h>
#define LIMIT (3 + 4)
int clip(int x, int top)
{
    if (x > top)
        return top;
    return x + 1;
}
int checked_by_nobody(int x)
{
    return x * 5;
}
int executed_by_nobody(int x)
{
    return x * 7;
}
int until(int x)
{
    assert(x > 2);
    int steps = 0;
    while (x > 2)
        x--, steps++;
    return steps;
}
int room(int x)
{
    int *volatile box = malloc(sizeof *box);
    *box = x;
    x = *box;
    free(box);
    return x;
}
unsigned half(unsigned x)
{
    return x * 1;
}
""",
    "tests/unit/test_tiny.c": """
int clip(int, int), checked_by_nobody(int), until(int), room(int);
unsigned half(unsigned);
int main(void)
{
    checked_by_nobody(1);
    for (int i = 0; i < 20; i++) /* the last block's address may lie about on the stack: no leak */
        if (room(6) != 6)
            return 1;
    return clip(1, 3) != 2 || clip(9, 3) != 3 || until(4) != 2 || half(8) != 8;
}
""",
    "tests/mutants.equivalent": """
# A comment.
src/base/tiny.c :: if (x > top) :: if (x >= top)
    A reason.
""",
}
# broken line: (outcome, build)
FATES = {
    "if (x < top)": None,  # > becomes >= or <=, nothing else
    "if (x <= top)": ("failure", "plain"),
    "if (!(x > top))": ("failure", "plain"),
    "if ((x > top) && 0)": ("failure", "plain"),
    "if (x >= top)": None,  # excused
    "return x - 1;": ("failure", "plain"),
    "return x + 0;": ("failure", "plain"),
    "return x / 5;": ("survived", None),
    "return x * 4;": ("survived", None),
    "return x / 7;": ("survived", None),
    "assert(x >= 2);": None,
    "x++, steps++;": ("timeout", "plain"),
    "x--, steps--;": ("failure", "plain"),
    "return x / 1;": ("same", None),
    "return x * 0;": ("failure", "plain"),
}


def main():
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, sys.argv[1], "--root", folder, "--rooms", "base", "--count", "1000",
                   "--stages", "plain,sanitized"]
        first = subprocess.run(command, capture_output=True, text=True, check=False)
        print(first.stdout[-3000:], first.stderr[-3000:])
        results = pathlib.Path(folder, "build/mutants/results.jsonl")
        records = [json.loads(line) for line in results.read_text().splitlines()]
        second = subprocess.run(command, capture_output=True, text=True, check=False)
        after = len(results.read_text().splitlines())
        untouched = pathlib.Path(folder, "src/base/tiny.c").read_text() == FILES["src/base/tiny.c"]
    fates = {record["after"]: (record["outcome"], record.get("build")) for record in records}
    freed = [record for record in records if record["before"] == "free(box);"]
    checks = {f"{line}: {fates.get(line)}": fates.get(line) == fate for line, fate in FATES.items()}
    checks["a leak is seen by the sanitizers"] = (
        [(record["outcome"], record.get("build")) for record in freed] == [("failure", "sanitized")])
    checks["nobody executes it"] = any(record.get("by") == "no unit test executes it"
                                       for record in records)
    checks["comments and directives are left alone"] = not any(
        record["before"].startswith(("/*", "#", "assert")) for record in records)
    checks["survivors are listed"] = "+ return x / 5;" in first.stdout
    checks["both runs end well"] = first.returncode == second.returncode == 0
    checks["the second run repeats nothing"] = (
        after == len(records) and first.stdout.split("\n\n", 1)[1] == second.stdout.split("\n\n", 1)[1])
    checks["the source is untouched"] = untouched
    failed = [name for name, good in checks.items() if not good]
    for name in failed:
        print("FAIL", name)
    print(f"{len(checks) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if not all(shutil.which(tool) for tool in ("cmake", "ninja", "gcc", "gcov")):
        print("skipped: cmake, ninja, gcc or gcov is not installed")
        sys.exit(77)
    sys.exit(main())
