#!/bin/sh
# package.sh PYTHON - makes the source archive and the wheel, installs the wheel in an empty
# environment with what it asks for and nothing else, and uses it there; then the same with the wheel
# that brings its libraries along, and the list of them.
set -u
python=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/steps.sh"

# Wheels of an earlier build may lie in dist/.
make_source_archive_and_wheel() {
    mkdir -p "$root/dist" && : >"$root/dist/package-sh.whl" &&
        "$python" -m build --outdir "$work/dist" "$root"
    status=$?
    rm -f "$root/dist/package-sh.whl"
    rmdir "$root/dist" 2>/dev/null
    return $status
}

source_archive_holds_no_wheels() {
    "$python" -m tarfile -l "$work"/dist/spdml-*.tar.gz >"$work/sources" &&
        grep -q 'src/base/pool.c' "$work/sources" && ! grep -q '[.]whl' "$work/sources"
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

# It must not look for libraries in folders of the machine that built it, nor where the user is.
is_hardened() {
    "$python" -m zipfile -e "$work"/dist/spdml-*.whl "$work/unpacked" &&
        "$python" "$root/tests/install/hardened.py" "$work/unpacked/spdml/libspdml.so"
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

make_whole_wheel() {
    PATH="$(dirname "$python"):$PATH" "$python" "$root/tools/wheel" -o "$work/whole" \
        "$work"/dist/spdml-*.whl
}

list_is_true() {
    "$python" "$root/tests/python/wheel_list.py" "$work"/whole/spdml-*.whl
}

# shellcheck disable=SC2016
whole_is_hardened() {
    "$python" -m zipfile -e "$work"/whole/spdml-*.whl "$work/apart" &&
        "$python" "$root/tests/install/hardened.py" --search '$ORIGIN/../spdml.libs' \
            "$work/apart/spdml/libspdml.so" &&
        "$python" "$root/tests/install/hardened.py" --bundled --search '$ORIGIN' \
            "$work"/apart/spdml.libs/*
}

# Only the system's own, and ours: those of the wheel are used.
whole_uses_its_own() {
    "$work/clean/bin/python" -m pip install -q --disable-pip-version-check --force-reinstall \
        --no-deps "$work"/whole/spdml-*.whl && (cd "$work" && "$work/clean/bin/python" - <<'PYTHON'
import numpy as np, spdml
assert abs(spdml.distance(np.eye(3), np.e * np.eye(3), "airm") - 3 ** 0.5) < 1e-12
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "/libsvm" in line}
assert loaded and all("/spdml.libs/" in path for path in loaded), loaded
PYTHON
    )
}

step "source archive and wheel" make_source_archive_and_wheel
step "source archive holds no wheels" source_archive_holds_no_wheels
step "wheel holds the library and its types" contains_library
step "wheel is small" is_small
step "its library is hardened, without a search path" is_hardened
step "installs in an empty environment" install_wheel
step "asks for numpy, scipy, scikit-learn alone" asks_for_three_packages
step "an example runs there" works_there
if "$python" -c 'import auditwheel' 2>/dev/null; then
    step "wheel with its libraries" make_whole_wheel
    step "it lists them truly" list_is_true
    step "they look for others beside themselves alone" whole_is_hardened
    step "it uses its own" whole_uses_its_own
else
    echo "skipped: no auditwheel in the environment, so no wheel with its libraries"
fi
steps_end
