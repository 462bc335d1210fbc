#!/usr/bin/env python3
"""hardened.py [--search FOLDERS] FILE... - reads off a program or a shared library what protects it,
and where it looks for other libraries; what is wrong is printed, and makes the status 1.

The only search path allowed is that of --search. An empty one, or an empty entry in it, means the
folder that the user happens to be in, where anybody may have put a library.

    --bundled   a library of others that travels with ours: the search path alone is asked, and it
                may do without one
"""
import argparse
import functools
import platform
import re
import subprocess
import sys

X86 = platform.machine() in ("x86_64", "amd64")


@functools.lru_cache
def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def search_path(path):
    """None without one; every entry that the loader knows."""
    found = re.findall(r"\((?:RPATH|RUNPATH)\)[^[]*\[(.*)\]", readelf(path, "-d"))
    return ":".join(found) if found else None


def outside_functions(path):
    return set(re.findall(r"UND (\w+)", readelf(path, "--dyn-syms")))


def marked_for_cet(path):
    return all(word in readelf(path, "-n") for word in ("IBT", "SHSTK"))


@functools.lru_cache
def start_files_are_marked():
    """The linker marks a file only where all parts are marked, those of the C library too."""
    crt = subprocess.run(["cc", "-print-file-name=crti.o"], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.strip()
    return marked_for_cet(crt)


def lands_on_marks(path):
    """Do the functions that it hands out, or its main, begin with endbr64?"""
    text = re.search(r" \.text +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", readelf(path, "-S"))
    address, offset, size = (int(number, 16) for number in text.groups())
    with open(path, "rb") as file:
        file.seek(offset)
        code = file.read(size)
    own = [int(value, 16) - address for value in
           re.findall(r": ([0-9a-f]+) +\d+ FUNC +GLOBAL +DEFAULT +\d+ (?:spd_\w+|main)\b",
                      readelf(path, "-s"))]
    return bool(own) and all(code[at:at + 4] == b"\xf3\x0f\x1e\xfa" for at in own)


def faults(path, search, bundled):
    found = search_path(path)
    if bundled and found is None:
        return
    if found != search or (found is not None and "" in found.split(":")):
        yield f"looks for libraries in {found!r}, not in {search!r}"


def weaknesses(path):
    header, segments, dynamic = (readelf(path, option) for option in ("-h", "-l", "-d"))
    calls = outside_functions(path)
    stack = re.search(r"GNU_STACK.*", segments)
    if not re.search(r"Type: +DYN", header):
        yield "is not position independent"
    if "GNU_RELRO" not in segments:
        yield "has no segment that becomes read only"
    if not re.search(r"\((FLAGS|BIND_NOW)\).*BIND_NOW|Flags:.*\bNOW\b", dynamic):
        yield "binds functions lazily, so their table stays writable"
    if "TEXTREL" in dynamic:
        yield "changes its code when it is loaded"
    if not stack or re.search(r"\bRWE\b", stack[0]):
        yield "has an executable stack"
    if "__stack_chk_fail" not in calls:
        yield "was compiled without the stack protector"
    if not any(name.endswith("_chk") for name in calls):
        yield "was compiled without FORTIFY"
    if X86 and not lands_on_marks(path):
        yield "was compiled without -fcf-protection"
    if X86 and start_files_are_marked() and not marked_for_cet(path):
        yield "is not marked for CET, though the C library is"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--search")
    parser.add_argument("--bundled", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    wrong = [f"{path} {fault}" for path in options.files
             for fault in [*faults(path, options.search, options.bundled),
                           *([] if options.bundled else weaknesses(path))]]
    print("\n".join(wrong) or f"{len(options.files)} files are as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
