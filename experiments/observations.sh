#!/bin/sh
# Accuracy against the number of observations in a test matrix, on the images of materials.sh. A covariance of
# r observations has rank r - 1: with r <= n it is singular, and its distances need 1e-3 trace/n on its diagonal.
# The learned map projects the observations to m numbers first, so its own limit is r = m. Training matrices
# are made of all observations, test matrices of a half, a quarter, ... of them. --methods names those without a map.
. "$(dirname "$0")/common.sh"

classes=18 size=400 repeats=10 m=20 n=155
[ -z "$quick" ] || { classes=4 size=64 repeats=2 m=10; }
settle
[ -z "$color" ] || n=128
if [ -z "$data" ]; then
    data=$out/data
    spdml synth textures --classes $classes --samples 12 --size $size --seed "$seed" -o "$data"
fi

# The index of the images: class, number of observations (@), and who trains in each random half.
find "$data" -type f \( -iname '*.png' -o -iname '*.jp*g' -o -iname '*.p?m' -o -iname '*.bmp' -o -iname '*.tif*' \) |
    LC_ALL=C sort | awk -F/ -v repeats=$repeats -v seed="$seed" '
    { file[NR] = $0; class[NR] = $(NF - 1); size[$(NF - 1)]++ }
    function draw() { return seed = (seed * 16807 + 11) % 2147483647 }
    END {
        for (s = 1; s <= repeats; s++) {
            head = head ",split" s
            for (i = 1; i <= NR; i++) at[i] = draw()
            for (i = 1; i <= NR; i++) {
                before = 0
                for (j = 1; j <= NR; j++) before += class[j] == class[i] && at[j] < at[i]
                row[i] = row[i] "," (before < size[class[i]] / 2 ? "train" : "test")
            }
        }
        print "file,class,observations" head
        for (i = 1; i <= NR; i++) print file[i] "," class[i] ",@" row[i]
    }' >"$out/index.csv"
classes=$(cut -d, -f2 "$out/index.csv" | sed 1d | sort -u | wc -l)

all=$(((size - 10) / 4 + 1)) # centres of descriptors to a row
all=$((all * all)) counts='' r=$((2 * all))
while [ $r -gt $m ]; do
    r=$((r / 2)) counts="$counts $r"
    sed "s/,@,/,$r,/" "$out/index.csv" >"$out/index-$r.csv"
    labels=$out/index-$r.csv
    if [ $r -gt $n ]; then e=0; else e=1e-9; fi # a record, which .mat lacks, would call them described differently
    describe_all sift-color "$out/of-$r.mat" --size $size $color --observations $r --regularize $e
done

# repair LIMIT FILE: FILE <- all of them, those of LIMIT observations or fewer repaired.
repair() {
    limit=$1 file=$2
    set --
    for r in $counts; do
        [ "$r" -gt "$limit" ] || spdml convert "$out/of-$r.mat" --regularize 1e-3 -o "$out/repaired-$r.mat"
        if [ "$r" -gt "$limit" ]; then set -- "$@" "$out/of-$r.mat"; else set -- "$@" "$out/repaired-$r.mat"; fi
    done
    spdml join "$@" -o "$file"
}
repair $n "$out/plain.npz"
repair $m "$out/to-map.npz"

for s in $(seq 1 $repeats); do
    where="--train-where split$s=train --train-where observations=$all --test-where split$s=test --by observations"
    spdml evaluate "$out/plain.npz" --methods "${chosen:-nn-stein,nn-airm,cdl}" --grid components=$((classes - 1)) $where \
        --seed "$seed" --final none --no-report -o "$out/plain-$s"
    spdml evaluate "$out/to-map.npz" --methods nn-stein-ml,nn-airm-ml --paper -m $m --nu-b 3 $where \
        --seed "$seed" --final none --no-report -o "$out/mapped-$s" "$@"
done
rm -f "$out"/of-*.mat "$out"/repaired-*.mat

set -- "$out"/plain-*/ "$out"/mapped-*/
for form in svg pdf; do
    spdml compare --against observations --mark n=$n --mark m=$m "$@" -o "$out/figure.$form"
done
table --against observations --beside "$here/observations.csv" "$@"
