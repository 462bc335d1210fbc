#!/bin/sh
# Material categorisation: images of materials (UIUC: 18 classes of 12, in folders named after their class),
# dense SIFT and colour, 155 x 155. Half of each class trains, over and over with random halves.
. "$(dirname "$0")/common.sh"

classes=18 size=400 repeats=10 m=10,20,40 nu_b=1,3 folds=5
[ -z "$quick" ] || { classes=4 size=64 repeats=2 m=20 nu_b=1 folds=3; }
settle
methods=${chosen:-nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,rsr-ml,cdl,pca-nn-airm}

covs=$out/covs.npz
case $data in
*.npz | *.mat) covs=$data ;; # m and nu_b from evaluate's own values
'')
    data=$out/data
    spdml synth textures --classes $classes --samples 12 --size $size --seed "$seed" -o "$data"
    set -- $(grids m=$m nu-b=$nu_b) "$@" ;;
*) set -- $(grids m=$m) "$@" ;; # nu_b up to nu_w
esac
[ "$covs" = "$data" ] || describe_all sift-color "$covs" --size $size $color

spdml evaluate "$covs" --methods "$methods" --paper --cv $folds --split 0.5 --repeats $repeats \
    --seed "$seed" --final none -o "$out/evaluation" "$@"

table --beside "$here/materials.csv" "$out/evaluation"
