#!/bin/sh
# Accuracy against nu_b, the number of neighbours of other classes that the learned map pushes away, on the
# images of materials.sh. m is fixed and nu_w is the smallest class of training, so that nu_b alone moves.
. "$(dirname "$0")/common.sh"

classes=18 size=400 repeats=10 m=20 points=1,2,3,4,5,6,7,8,9,10,11,12
[ -z "$quick" ] || { classes=4 size=64 repeats=2 m=10 points=1,2,4,6,9,12; }
settle

covs=$out/covs.npz
case $data in
*.npz | *.mat) covs=$data ;;
'')
    data=$out/data
    spdml synth textures --classes $classes --samples 12 --size $size --seed "$seed" -o "$data" ;;
esac
[ "$covs" = "$data" ] || describe_all sift-color "$covs" --size $size $color

points=$(echo "$points" | tr , ' ')
for nu_b in $points; do
    spdml evaluate "$covs" --methods "${chosen:-nn-stein-ml,nn-airm-ml}" --paper -m $m --nu-b "$nu_b" --split 0.5 \
        --repeats $repeats --seed "$seed" --final none --no-report -o "$out/nu-b-$nu_b" "$@"
done

set --
for nu_b in $points; do set -- "$@" "$out/nu-b-$nu_b"; done
for form in svg pdf; do
    spdml compare --against nu-b --beside "$here/nu-b.csv" "$@" -o "$out/figure.$form"
done
table --against nu-b --beside "$here/nu-b.csv" "$@"
