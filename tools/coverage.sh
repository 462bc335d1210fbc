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
gcovr --root . --filter 'src/' --object-directory build/coverage --txt \
    --html-details build/coverage/html/index.html --print-summary \
    --fail-under-line "${MINIMUM:-90}" build/coverage
