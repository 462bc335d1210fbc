#!/bin/sh
# bench.sh [NAME]... - builds and runs bench/bench_NAME.c, or, where there is a folder bench/NAME,
# the comparison with Python in it (bench_NAME.py, requirements.txt); without a name all of them.
set -eu
cd "$(dirname "$0")/.."

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

# make_venv FOLDER: the Python packages of a comparison, in a place of their own, made once.
make_venv() {
    cmp -s "$1/requirements.txt" "$venv/requirements.txt" && return
    python3 -m venv --clear "$venv" &&
        "$venv/bin/pip" install -q --retries 1 --disable-pip-version-check \
            -r "$1/requirements.txt" &&
        cp "$1/requirements.txt" "$venv/"
}

# run_python NAME: bench/NAME/bench_NAME.py with the packages of bench/NAME/requirements.txt
run_python() {
    echo "== $1"
    venv=build/bench-venv-$1
    if make_venv "bench/$1" >"$venv.log" 2>&1; then
        "$venv/bin/python" "bench/$1/bench_$1.py"
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

# What libraries make of the same work on the same GPU, where PyTorch is.
run_torch() {
    for script in bench/torch_*.py; do
        if "${PYTHON:-python3}" -c 'import torch; torch.cuda.init()' 2>/dev/null; then
            "${PYTHON:-python3}" "$script"
        else
            echo "skipped: $script needs PyTorch and a GPU (PYTHON names another interpreter)"
        fi
    done
}

choose_blas_core
cmake --preset release >/dev/null
cmake --build --preset release --target bench spdml
test $# -gt 0 || set -- '*' $(cd bench && ls -d */ | tr -d /)
for name in "$@"; do
    if test -d "bench/$name"; then
        run_python "$name"
    else
        run_c "$name"
    fi
    if test "$name" = cuda; then
        run_c cuda_sets
        run_torch
    fi
done
