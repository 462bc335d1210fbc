#!/bin/sh
# package.sh PYTHON - makes the source archive and the wheel, installs the wheel in an empty
# environment with what it asks for and nothing else, and uses it there.
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
        grep -q 'spdml/include/spdml/base.h' "$work/list" &&
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

# What is installed from a source tree finds spdml-data there; a wheel for an index asks that for it.
extra_can_be_installed() {
    "$python" - "$root" "$work"/dist/spdml-*.whl <<'PYTHON'
import os, pathlib, sys
from email.parser import BytesHeaderParser
from urllib.parse import urlparse
from zipfile import ZipFile
from build.util import project_wheel_metadata

def asked(metadata):
    (line,) = [line for line in metadata.get_all("Requires-Dist") if line.startswith("spdml-data")]
    assert "extra == " in line, line
    return line.split(";")[0].strip()

root, wheel = sys.argv[1:]
folder = pathlib.Path(urlparse(asked(project_wheel_metadata(root)).partition(" @ ")[2]).path)
assert 'name = "spdml-data"' in (folder / "pyproject.toml").read_text(), folder
os.environ["SPDML_RELEASE"] = "1"
metadata = project_wheel_metadata(root)
assert asked(metadata) == f"spdml-data=={metadata['Version']}", metadata
with ZipFile(wheel) as packed:  # made from the archive
    (name,) = [name for name in packed.namelist() if name.endswith("/METADATA")]
    assert asked(BytesHeaderParser().parsebytes(packed.read(name))) == asked(metadata)
PYTHON
}

step "source archive and wheel" make_source_archive_and_wheel
step "source archive holds no wheels" source_archive_holds_no_wheels
step "wheel holds the library and its types" contains_library
step "wheel is small" is_small
step "its library is hardened, without a search path" is_hardened
step "installs in an empty environment" install_wheel
step "asks for numpy, scipy, scikit-learn alone" asks_for_three_packages
step "an example runs there" works_there
step "the extra can be installed" extra_can_be_installed
steps_end
