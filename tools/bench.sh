#!/bin/sh
# bench.sh [NAME]... - builds and runs bench/bench_NAME.c, or for `fit` the comparison of
# `spdml fit` with Python (bench/fit); without a name all of them.
set -eu
cd "$(dirname "$0")/.."
venv=build/bench-venv

# In virtual machines OpenBLAS may take the processor for an old one; the references shall be as
# fast as they can be.
choose_blas_core() {
    test -z "${OPENBLAS_CORETYPE:-}" || return 0
    if grep -qsw avx512f /proc/cpuinfo; then
        OPENBLAS_CORETYPE=SkylakeX
    elif grep -qsw avx2 /proc/cpuinfo; then
        OPENBLAS_CORETYPE=Haswell
    else
        return 0
    fi
    export OPENBLAS_CORETYPE
    echo "OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE (set it yourself to choose another)"
}

# The Python packages of bench/fit, in a place of their own, made once.
make_venv() {
    cmp -s bench/fit/requirements.txt "$venv/requirements.txt" && return
    python3 -m venv --clear "$venv" &&
        "$venv/bin/pip" install -q --retries 1 --disable-pip-version-check \
            -r bench/fit/requirements.txt &&
        cp bench/fit/requirements.txt "$venv/"
}

run_fit() {
    echo "== fit"
    if make_venv >"$venv.log" 2>&1; then
        "$venv/bin/python" bench/fit/bench_fit.py
    else
        tail -n 1 "$venv.log"
        echo "skipped: no Python packages to compare with (no network?); see $venv.log"
    fi
}

# One thread is what the C programs compare.
run_c() {
    for source in bench/bench_$1.c; do
        program=$(basename "$source" .c)
        echo "== ${program#bench_}"
        OPENBLAS_NUM_THREADS=1 "build/release/bench/$program"
    done
}

choose_blas_core
cmake --preset release >/dev/null
cmake --build --preset release --target bench spdml
test $# -gt 0 || set -- '*' fit
for name in "$@"; do
    if test "$name" = fit; then
        run_fit
    else
        run_c "$name"
    fi
done
