#!/bin/sh
# demo.sh - the geometry on generated data: an example program writes a data set, then the
# command looks at it and learns a map. Needs the release build; leaves its files in build/demo.
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/build/release
mkdir -p build/demo
cd build/demo

# show COMMAND...: prints the line as one would type it, then runs it.
show() {
    echo
    echo "\$ $*"
    "$@"
}

PATH=$bin:$bin/examples:$PATH
show geometry_demo demo.npz
show spdml info demo.npz
show spdml distance demo.npz --metric airm -o distances.npy
show spdml mean demo.npz --metric stein -o mean.npy
show spdml neighbours demo.npz -k 3 --metric airm -o neighbours.npz
show spdml fit demo.npz -m 4 --metric stein --nu-w 5 --nu-b 5 -o model.spdml
show spdml transform model.spdml demo.npz -o low.npz
echo
echo "The files are in build/demo."
