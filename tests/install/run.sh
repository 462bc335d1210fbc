#!/bin/sh
# run.sh BUILD - installs the build tree to a temporary prefix and uses it as a stranger would:
# pkg-config (shared, static), find_package (shared, static), the command, its manual pages and
# its completion.
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

# The flags of pkg-config are words on purpose. Where both libraries lie in one folder the linker
# prefers the shared one, so the static one is asked for by its file name.
# shellcheck disable=SC2046
compile_shared() {
    "$cc" "$here/main.c" -o "$work/pc_shared" $(pkg-config --cflags --libs spdml) -lm
}
# shellcheck disable=SC2046
compile_static() {
    "$cc" "$here/main.c" -o "$work/pc_static" \
        $(pkg-config --static --cflags --libs spdml | sed 's/-lspdml/-l:libspdml.a/') -lm
}

needs_library() {
    ldd "$1" | grep -q 'libspdml\.so\.0'
}

stands_alone() {
    "$1" && ! needs_library "$1"
}

# Only what the header marks may be seen from outside, and the lock of a named critical section.
exports_only_public() {
    nm -D --defined-only "$libdir/libspdml.so" | awk '$3 !~ /^spd_/ { print; bad = 1 }
                                                      END { exit bad }'
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
    bash -n "$prefix/share/bash-completion/completions/spdml"
}

step "cmake --install" "$cmake" --install "$build" --prefix "$prefix"
libdir=$(dirname "$(find "$prefix" -name libspdml.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
export LD_LIBRARY_PATH="$libdir"

step "pkg-config, shared: compile" compile_shared
step "pkg-config, shared: run" "$work/pc_shared"
step "pkg-config, shared: SONAME" needs_library "$work/pc_shared"
step "pkg-config, static: compile" compile_static
step "pkg-config, static: run" stands_alone "$work/pc_static"
step "find_package: compile" configure_outside
step "find_package, shared: run" "$work/outside/outside_shared"
step "find_package, shared: SONAME" needs_library "$work/outside/outside_shared"
step "find_package, static: run" stands_alone "$work/outside/outside_static"
step "only spd_ names are exported" exports_only_public
step "installed command runs" "$prefix/bin/spdml" version
step "manual pages" pages_complete
step "completion" completion_parses
steps_end
