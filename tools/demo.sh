#!/bin/sh
# demo.sh - the main job from nothing: images of materials are generated and described by
# covariances, methods of recognition are compared with and without a learned map, a report is
# written, and the same is tried with fewer and fewer pixels. The README shows the two tables
# (tools/results_tables.py, demo and few). Needs the release build; leaves its files in build/demo.
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/build/release experiments=$PWD/experiments
rm -rf build/demo
mkdir -p build/demo
cd build/demo

# show COMMAND...: prints the line as one would type it, then runs it.
show() {
    echo
    echo "\$ $*"
    "$@"
}

PATH=$bin:$bin/examples:$experiments:$PATH
show spdml synth textures -o textures --classes 12 --samples 12 --size 200
show spdml describe sift-color textures --size 200 -o materials.npz
show spdml evaluate materials.npz --methods nn-stein,nn-stein-ml,rsr,cdl,auto --split 0.5 --repeats 3 --cv 3 \
    --grid m=20,40,155 -o results
show observations.sh --data textures --set size=200 --set repeats=3 --methods nn-stein,cdl,krr-tangent

echo
echo "What this means: README.md, \"What it gains\"."
echo "The report: $PWD/results/report.html (open it in a browser); the files are in build/demo."
echo
echo "On your own data, with build/release/spdml:"
echo "  images, a folder per class:  spdml describe sift-color FOLDER -o covs.npz"
echo "  matrices you have already:   spdml info DATA.npz      (.npz, .npy, .mat or .csv)"
echo "  then compare methods:        spdml evaluate covs.npz -o results"
