#!/bin/bash -eu
# build.sh - builds the fuzz targets as OSS-Fuzz wants them. It takes from the environment
#
#   CC, CFLAGS             the compiler, and flags that carry sanitizers and coverage
#   LIB_FUZZING_ENGINE     -fsanitize=fuzzer, or a library with the engine
#   SRC, OUT, WORK         $SRC/spdml is the source; what is made goes to $OUT
#   ENGINE_LIBRARIES       what an engine that is a library needs; -lc++ if it is not set
#
# and leaves in $OUT the programs, their seeds (fuzz_x_seed_corpus.zip) and words (fuzz_x.dict), and
# in $OUT/lib the shared libraries that they need: the machine that runs them has none.
source=${SRC:?}/spdml
work=${WORK:-/tmp}/spdml-fuzz
case ${LIB_FUZZING_ENGINE:?} in
-*) engine=$LIB_FUZZING_ENGINE ;;
*) engine="$LIB_FUZZING_ENGINE;${ENGINE_LIBRARIES:--lc++}" ;;
esac

cmake -S "$source" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="${CC:?}" \
    -DCMAKE_C_FLAGS="${CFLAGS:-}" -DSPDML_FUZZ=ON -DSPDML_FUZZ_ENGINE="$engine" \
    -DCMAKE_SKIP_BUILD_RPATH=ON \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,--disable-new-dtags,-rpath,'\$ORIGIN/lib'"
cmake --build "$work" --target fuzz

mkdir -p "${OUT:?}/lib"
for program in "$work"/fuzz/fuzz_*; do
    name=${program##*/}
    cp "$program" "$OUT/"
    python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" "$source/tests/fuzz/corpus/${name#fuzz_}"/*
    words=$source/tests/fuzz/${name#fuzz_}.dict
    if [ -e "$words" ]; then
        cp -L "$words" "$OUT/$name.dict"
    fi
    ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u | grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
    while read -r library; do cp -L "$library" "$OUT/lib/"; done
