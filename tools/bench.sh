#!/bin/sh
# bench.sh [NAME]... - builds and runs bench/bench_NAME.c, or all of them.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release >/dev/null
cmake --build --preset release --target bench
for name in "${@:-*}"; do
    for source in bench/bench_$name.c; do
        program=$(basename "$source" .c)
        echo "== ${program#bench_}"
        "build/release/bench/$program"
    done
done
