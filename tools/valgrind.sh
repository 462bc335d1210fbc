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
cut -d, -f1,2,4 "$work/data.csv" >"$work/table.csv"
check describe covariance "$work/table.csv" --shrinkage oas -o "$work/described.npz"
check convert "$work/data.csv" -o "$work/data.npz"
check distance "$work/data.npz" --metric stein -o "$work/distance.npy"
check mean "$work/data.npz" --metric airm -o "$work/mean.npy"
check neighbours "$work/data.npz" -k 3 --metric airm -o "$work/neighbours.npz"
check classify --train "$work/data.npz" --test "$work/data.npz" --method ksvm -o "$work/guess.npz"
check embed "$work/data.npz" --method lle -k 4 -o "$work/embedded.csv"
check fit "$work/data.npz" -m 1 --max-iter 3 -o "$work/model.spdml"
check explain "$work/model.spdml" --data "$work/data.npz" -o "$work/map.svg"
check evaluate "$work/data.npz" --methods nn-airm,nn-stein-ml --split 0.75 --repeats 2 -m 1 \
    --grid nu-b=1,2 -o "$work/results"
check compare "$work/results" --tests all --format latex
check synth spd -o "$work/made.npz" --samples 4 -n 6 --planted 2
check synth motion -o "$work/clips" --classes 2 --subjects 1 --samples 1 --frames 20
check compare "$work/results" --against m -o "$work/figure.svg"
steps_end
