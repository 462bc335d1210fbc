#!/bin/sh
# coverage.sh - line coverage of src/ by unit tests and by the command's tests, as a table.
# Fails below MINIMUM (90) per cent.
set -eu
cd "$(dirname "$0")/.."
command -v gcovr >/dev/null || {
    echo "gcovr is not installed; make setup" >&2
    exit 1
}
cmake --preset coverage >/dev/null
cmake --build --preset coverage
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage --output-on-failure
mkdir -p build/coverage/html
# The kernels are compiled three times; gcovr can merge none of that, so one set counts.
gcovr --root . --filter 'src/' --exclude-directories '.*kernels_(avx512|avx2)\.dir' \
    --object-directory build/coverage --txt \
    --html-details build/coverage/html/index.html --print-summary \
    --fail-under-line "${MINIMUM:-90}" build/coverage
