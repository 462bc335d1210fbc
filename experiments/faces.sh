#!/bin/sh
# Face recognition across poses: Gabor magnitudes, 129 x 129. A frontal image (ba), an expression (bj) and
# another lighting (bk) of each person train; bc bd be bf bg bh, 40, 25 and 15 degrees to either side, are tested.
# The matrices are block-diagonal and the paper's start stays in one block: the table says so; --init random
# or --init mean leaves it. Data: FERET, images 00001_ba.png, ...; other names need an index.csv
# with file, subject and pose.
. "$(dirname "$0")/common.sh"
names='{y}_{pose}'

people=200 size=64 scales=5 orientations=8
[ -z "$quick" ] || { people=6 size=32 scales=2 orientations=4; }
settle
methods=nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,rsr-ml,cdl,pca-nn-airm

covs=$out/covs.npz
case $data in
*.npz | *.mat) covs=$data ;; # m and nu_b from evaluate's own values
'')
    data=$out/data
    spdml synth faces --classes $people --size $size --seed "$seed" -o "$data" ;;
esac
if [ "$covs" != "$data" ]; then
    describe_all gabor "$covs" --keep-images --size $size --scales $scales --orientations $orientations
    if [ -z "$quick" ]; then # three faces of six people are too few to choose by: both are fixed
        set -- $(grids m=10,20,40 nu-b=1,3) "$@"
    else
        set -- -m 10 --nu-b 1 --cv 3 "$@"
    fi
fi
if command "${SPDML:-spdml}" info "$covs" --json | grep -q '"images"'; then
    methods=$methods,src,gsrc # they read the images themselves
fi
keep_where pose=ba,bj,bk,bc,bd,be,bf,bg,bh poses

spdml evaluate "$covs" --methods "${chosen:-$methods}" --paper --train-where pose=ba,bj,bk --by pose \
    --seed "$seed" --final none -o "$out/evaluation" "$@"

table --beside "$here/faces.csv" "$out/evaluation"
