#!/bin/sh
# valgrind.sh SPDML - the command under valgrind on a small file: no error, nothing lost.
set -u
spdml=$1
. "$(dirname "$0")/steps.sh"

# Twelve 2 x 2 matrices with labels; small, but more than fill one vector.
awk 'BEGIN { print "a,b,c,d,label"
             for (i = 0; i < 12; i++) print 2 + i / 3 ",0.5,0.5," 1 + i / 7 "," i % 3 }' \
    >"$work/data.csv"

# check WORD...: one call of the command
check() {
    step "spdml $1" valgrind --quiet --error-exitcode=99 --leak-check=full \
        --errors-for-leak-kinds=definite --show-leak-kinds=definite "$spdml" "$@"
}

check version
check info "$work/data.csv" --json
check convert "$work/data.csv" -o "$work/data.npz"
check distance "$work/data.npz" --metric stein -o "$work/distance.npy"
check mean "$work/data.npz" --metric airm -o "$work/mean.npy"
check neighbours "$work/data.npz" -k 3 --metric airm -o "$work/neighbours.npz"
steps_end
