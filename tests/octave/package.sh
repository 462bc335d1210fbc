#!/bin/sh
# package.sh BUILD VERSION - makes the package for Octave, installs it with `pkg install` against an installed
# libspdml, and uses it as a stranger would.
set -u
build=$1
here=$(cd "$(dirname "$0")" && pwd)
cmake=${CMAKE:-cmake}
. "$here/../../tools/steps.sh"
prefix=$work/prefix
export HOME="$work" XDG_DATA_HOME="$work/data" XDG_CONFIG_HOME="$work/config"

octave_does() {
    octave-cli -q --no-init-file --eval "$1"
}

step 'the package is made' sh "$here/../../matlab/package.sh" "$work/made" "$2"
step 'the libraries are installed' "$cmake" --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name spdml.pc)")
export PKG_CONFIG_PATH
step 'pkg install' octave_does "pkg install -local $work/made/spdml-$2.tar.gz"
step 'pkg load, and a function' octave_does \
    "pkg load spdml; assert(spdml.mean(cat(3, eye(2), 4 * eye(2))), 2 * eye(2), 1e-12);"
step 'help' octave_does "pkg load spdml; help spdml.distance"
step 'pkg uninstall' octave_does "pkg uninstall -local spdml"
steps_end
