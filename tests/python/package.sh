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
        ! grep -qE 'tests/|\.c ' "$work/list"
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
step "installs in an empty environment" install_wheel
step "asks for numpy, scipy, scikit-learn alone" asks_for_three_packages
step "an example runs there" works_there
steps_end
