# steps.sh - to be sourced: counts the steps of a test written in shell.
#
#   step NAME COMMAND...   runs it; prints ok or FAIL, and what it said only when it failed
#   steps_end              prints 'N passed, N failed'; its status says whether all passed
# $work is a temporary folder that goes away with the script.
steps_passed=0
steps_failed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/spdml-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

step() {
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        steps_passed=$((steps_passed + 1))
        echo "ok   $name"
    else
        steps_failed=$((steps_failed + 1))
        echo "FAIL $name"
        sed 's/^/    /' "$work/log"
    fi
}

steps_end() {
    echo "$steps_passed passed, $steps_failed failed"
    test "$steps_failed" -eq 0
}
