#!/bin/sh
# package.sh PYTHON - makes the source archive and the wheel, installs the wheel in an empty
# environment with what it asks for and nothing else, and uses it there.
set -u
python=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/steps.sh"

make_source_archive_and_wheel() {
    "$python" -m build --outdir "$work/dist" "$root"
}

contains_library() {
    "$python" -m zipfile -l "$work"/dist/spdml-*.whl >"$work/list" &&
        grep -q 'spdml/libspdml.so' "$work/list" && grep -q 'spdml/py.typed' "$work/list" &&
        ! grep -qE 'tests/|\.c |libspdml-data' "$work/list"
}

# libspdml alone, which needs neither image nor archive libraries: about 600 kB.
is_small() {
    size=$(wc -c <"$(echo "$work"/dist/spdml-*.whl)")
    echo "$size bytes"
    test "$size" -lt 2000000
}

# It must not look for libraries in folders of the machine that built it.
has_no_search_path() {
    "$python" -m zipfile -e "$work"/dist/spdml-*.whl "$work/unpacked" &&
        readelf -d "$work/unpacked/spdml/libspdml.so" >"$work/dynamic" &&
        grep NEEDED "$work/dynamic" && ! grep -E 'R(UN)?PATH' "$work/dynamic"
}

install_wheel() {
    "$python" -m venv "$work/clean" &&
        "$work/clean/bin/python" -m pip install -q --disable-pip-version-check \
            "$work"/dist/spdml-*.whl
}

# What those bring along is theirs.
asks_for_three_packages() {
    "$work/clean/bin/python" - <<'PYTHON'
import re
from importlib.metadata import requires
needed = sorted(re.match(r"[\w-]+", r)[0] for r in requires("spdml") if "extra ==" not in r)
assert needed == ["numpy", "scikit-learn", "scipy"], needed
PYTHON
}

works_there() {
    (cd "$work" && "$work/clean/bin/python" "$root/examples/python/grid_search.py")
}

step "source archive and wheel" make_source_archive_and_wheel
step "wheel holds the library and its types" contains_library
step "wheel is small" is_small
step "its library has no search path" has_no_search_path
step "installs in an empty environment" install_wheel
step "asks for numpy, scipy, scikit-learn alone" asks_for_three_packages
step "an example runs there" works_there
steps_end
