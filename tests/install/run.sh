#!/bin/sh
# run.sh BUILD - installs the build tree to a temporary prefix and uses it as a stranger would, each
# of the two libraries by pkg-config (shared, static) and find_package (shared, static); the
# command, its manual pages and its completion.
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
cmake=${CMAKE:-cmake}
. "$here/../../tools/steps.sh"
prefix=$work/prefix

configure_outside() {
    "$cmake" -S "$here" -B "$work/outside" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release && "$cmake" --build "$work/outside"
}

# compile_shared SOURCE MODULE PROGRAM, compile_static likewise. The flags of pkg-config are words
# on purpose. Where both libraries lie in one folder the linker prefers the shared one, so the static
# one is asked for by its file name.
# shellcheck disable=SC2046
compile_shared() {
    "$cc" "$here/$1" -o "$work/$3" $(pkg-config --cflags --libs "$2") -lm
}
# shellcheck disable=SC2046
compile_static() {
    "$cc" "$here/$1" -o "$work/$3" \
        $(pkg-config --static --cflags --libs "$2" | sed -E 's/-l(spdml[a-z-]*)/-l:lib\1.a/g') -lm
}

# needs LIBRARY PROGRAM: is it one of those that the program loads?
needs() {
    ldd "$2" | grep -q "$1"
}

stands_alone() {
    "$@" && ! needs 'libspdml' "$1"
}

# Whoever wants matrices alone gets OpenBLAS and small ones alone.
is_light() {
    ldd "$1" || return 1
    for library in hdf5 matio tiff webp gif jpeg png archive vl crypto lapacke; do
        ! needs "lib$library" "$1" || return 1
    done
}

# Exactly what the header, or those of its folder, declare may be seen from outside: symbols_match HEADER SYMBOLS
symbols_match() {
    cat "$prefix/include/$1" "$prefix/include/${1%.h}"/*.h 2>/dev/null |
        sed -n 's/^SPD_API .*\b\(spd_[a-z0-9_]*\)(.*/\1/p' | sort >"$work/declared"
    grep -v '^spd_private_' "$2" >"$work/public" # for libspdml-data alone; no header has them
    test -s "$work/declared" && diff "$work/declared" "$work/public"
}
exports_only_public() {
    nm -D --defined-only "$libdir/$1.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
        sort >"$work/exported"
    symbols_match "$2" "$work/exported"
}
defines_only_public() {
    nm -g --defined-only "$libdir/$1.a" | awk 'NF == 3 { print $3 }' | sort >"$work/defined"
    symbols_match "$2" "$work/defined"
}

# What protects a program or library, and where it looks for others: hardened.py says more.
hardened() {
    python3 "$here/hardened.py" "$@"
}

# sees_every_weakness: is that tool awake? A program with none of it, and a path that ends in nothing.
sees_every_weakness() {
    echo 'int main(void) { return 0; }' >"$work/weak.c"
    "$cc" -O0 -no-pie -fno-stack-protector "$work/weak.c" -o "$work/weak" \
        -Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/lib: || return 1
    ! hardened --search /lib: "$work/weak" >"$work/said" || return 1
    cat "$work/said"
    for word in '/lib:' 'not position' 'read only' lazily 'executable stack' protector FORTIFY; do
        grep -q "$word" "$work/said" || return 1
    done
}

# The headers in C++, of several standards; skipped where there is no such compiler.
runs_from_cxx() {
    command -v "${CXX:-c++}" >/dev/null || return 0
    for standard in c++98 c++11 c++17; do
        # shellcheck disable=SC2046
        "${CXX:-c++}" -std=$standard -Wall -Wextra -Werror -Wno-long-long "$here/main.cpp" -o "$work/cxx" \
            $(pkg-config --cflags --libs spdml-data) && "$work/cxx" || return 1
    done
}

pages_complete() {
    for command in "" $("$prefix/bin/spdml" help --commands); do
        test -s "$prefix/share/man/man1/spdml${command:+-$command}.1" || {
            echo "no manual page for spdml $command"
            return 1
        }
    done
}

completion_parses() {
    bash -n "$prefix/share/bash-completion/completions/spdml" &&
        grep -q '^#compdef spdml' "$prefix/share/zsh/site-functions/_spdml" &&
        grep -q '^complete -c spdml' "$prefix/share/fish/vendor_completions.d/spdml.fish"
}

# covers_install TREE: does the target `installed`, which `make install` builds, build every program and
# library that is installed, a module of MPI too if there is one?
covers_install() {
    ninja=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$1/CMakeCache.txt")
    "$ninja" -C "$1" -t query installed >"$work/built" || return 1
    grep -v '/spdml\(_data\)\?" TYPE' "$1/cmake_install.cmake" |
        sed -n 's#.* TYPE [A-Z_]*\(LIBRARY\|MODULE\|EXECUTABLE\) FILES ".*/\(.*\)").*#\2#p' >"$work/wanted"
    cat "$work/built" "$work/wanted"
    test "$(grep -c . "$work/wanted")" -ge 5 || return 1
    while read -r file; do
        grep -qx " *$file" "$work/built" || return 1
    done <"$work/wanted"
}
covers_install_without_mpi() {
    "$cmake" -S "$here/../.." -B "$work/tree" -G Ninja -DSPDML_MPI=off -DSPDML_CUDA=off -DSPDML_TESTS=OFF \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release && covers_install "$work/tree" &&
        ! grep mpi "$work/wanted"
}

# finds_module: does the installed command find a module in the folder of libraries by itself? One that
# computes nothing stands in.
finds_module() {
    "$cc" -shared -fPIC -DKIND=4 -I"$here/../../src" -I"$here/../../include" "$here/../cli/stand_in_module.c" \
        -o "$libdir/libspdml-cuda.so" &&
        (cd "$work" && env -u LD_LIBRARY_PATH "$prefix/bin/spdml" version) | grep 'Stand-in 0'
}
finds_mpi() {
    test ! -e "$libdir/libspdml-mpi.so" ||
        env -u LD_LIBRARY_PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
            "$prefix/bin/spdml" distance "$work/a.npz" --mpi
}

# `make uninstall` leaves no file, and no folder of ours.
uninstalls() {
    rm -f "$libdir/libspdml-cuda.so" # the stand-in
    make -C "$here/../.." uninstall INSTALLED="$work/manifest" && ! find "$prefix" -name '*spdml*' | grep .
}

step "make install builds what is installed" covers_install "$build"
step "without MPI too" covers_install_without_mpi
step "cmake --install" "$cmake" --install "$build" --prefix "$prefix"
cp "$build/install_manifest.txt" "$work/manifest"
libdir=$(dirname "$(find "$prefix" -name libspdml.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
export LD_LIBRARY_PATH="$libdir"

step "pkg-config, shared: compile" compile_shared main.c spdml pc_shared
step "pkg-config, shared: run" "$work/pc_shared"
step "pkg-config, shared: SONAME" needs 'libspdml\.so\.0' "$work/pc_shared"
step "pkg-config, shared: light" is_light "$work/pc_shared"
step "C++: compile without a warning, run" runs_from_cxx
step "pkg-config, static: compile" compile_static main.c spdml pc_static
step "pkg-config, static: run" stands_alone "$work/pc_static"
step "pkg-config, static: light" is_light "$work/pc_static"
step "pkg-config, data, shared: compile" compile_shared data.c spdml-data pc_data_shared
step "pkg-config, data, shared: run" "$work/pc_data_shared" "$work/a.npz"
step "pkg-config, data, static: compile" compile_static data.c spdml-data pc_data_static
step "pkg-config, data, static: run" stands_alone "$work/pc_data_static" "$work/b.npz"
step "find_package: compile" configure_outside
step "find_package, shared: run" "$work/outside/outside_shared"
step "find_package, shared: SONAME" needs 'libspdml\.so\.0' "$work/outside/outside_shared"
step "find_package, shared: light" is_light "$work/outside/outside_shared"
step "find_package, static: run" stands_alone "$work/outside/outside_static"
step "find_package, static: light" is_light "$work/outside/outside_static"
step "find_package, data, shared: run" "$work/outside/outside_data_shared" "$work/c.npz"
step "find_package, data, static: run" stands_alone "$work/outside/outside_data_static" "$work/d.npz"
step "both wrote the same" cmp "$work/a.npz" "$work/d.npz"
for library in spdml spdml-data; do
    step "lib$library.so exports its header" exports_only_public "lib$library" "$library.h"
    step "lib$library.a defines its header" defines_only_public "lib$library" "$library.h"
done
step "the hold on BLAS is libspdml's alone" sh -c "nm -D '$libdir/libspdml-data.so' | grep 'U spd_private_blas_'"
step "the tool sees what is not protected" sees_every_weakness
step "the command is hardened, without a search path" hardened "$build/spdml" "$prefix/bin/spdml"
step "libspdml.so too" hardened "$build/libspdml.so" "$libdir/libspdml.so"
# shellcheck disable=SC2016
step "libspdml-data.so too, and looks beside itself" hardened --search '$ORIGIN' \
    "$build/libspdml-data.so" "$libdir/libspdml-data.so"
step "installed command runs" "$prefix/bin/spdml" version
step "it finds a module in lib" finds_module
step "it finds MPI in lib" finds_mpi
step "manual pages" pages_complete
step "completion" completion_parses
step "make uninstall" uninstalls
steps_end
