#!/bin/sh
# matlab.sh [FILE.mat [X [Y]]] - matrices saved by MATLAB: look at them, compare methods, learn a
# map, and write the small matrices for MATLAB again.
#
#   X   the variable with the matrices, n x n x p; `X` unless given
#   Y   the variable with the labels, numbers or a cell array of texts; `y` unless given
# Without a file, one is generated. M=6 maps to 6 x 6. Writes map.spdml and small.mat.
set -eu
m=${M:-6}
test $# -gt 0 || {
    spdml synth spd -o matrices.mat --classes 4 --samples 20 -n 16 --planted "$m"
    set -- matrices.mat
}
file=$1
x=${2:-X}
y=${3:-y}

spdml info "$file" --x "$x" --y "$y"
spdml evaluate "$file" --x "$x" --y "$y" --methods nn-stein,nn-stein-ml,mdm-stein \
    --split 0.5 --repeats 3 -m "$m"
spdml fit "$file" --x "$x" --y "$y" -m "$m" --metric stein -o map.spdml
spdml transform map.spdml "$file" --x "$x" --y "$y" -o small.mat

# In MATLAB: load small.mat gives X (m x m x p) and y.
spdml info small.mat
