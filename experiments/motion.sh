#!/bin/sh
# Action recognition from motion capture: joint covariances, 93 x 93. Subjects bd and mm train and the others
# are tested, as in the paper; then bk, the first of the others, joins them: the paper's footnote does not say who.
# Data: HDM05 as it is unpacked, .amc clips and .asf skeletons, HDM_SUBJECT_ACTION_...; other names need an
# index.csv with file, action and subject.
. "$(dirname "$0")/common.sh"
names='HDM_{subject}_{y}_{}'

classes=14 samples=4 frames=150 m=10,20,40 nu_b=1,3,5 folds=5 two=bd,mm third=bk
[ -z "$quick" ] || { classes=4 samples=2 frames=40 m=5,10 nu_b=1,2 folds=3; }
settle
methods=${chosen:-nn-stein,nn-stein-ml,nn-airm,nn-airm-ml,rsr,rsr-ml,cdl,pca-nn-airm}
actions=clapAboveHead1Reps,depositFloorR,elbowToKnee1RepsLelbowStart,grabHighR,hopBothLegs1hops
actions=$actions,jogLeftCircle4StepsRstart,kickLFront1Reps,lieDownFloor,rotateArmsBothBackward1Reps
actions=$actions,sitDownChair,sneak2StepsLStart,squat3Reps,standUpLieFloor,throwBasketball

covs=$out/covs.npz
case $data in
*.npz | *.mat) covs=$data ;; # m and nu_b from evaluate's own values
'')
    data=$out/data two=a,b third=c actions=''
    spdml synth motion --classes $classes --samples $samples --frames $frames --seed "$seed" -o "$data" ;;
esac
pyramid=''
if [ "$covs" != "$data" ]; then
    describe_all joints "$covs"
    set -- $(grids m=$m nu-b=$nu_b) "$@"
    # Hussein et al. 2013: covariances of the clip and of its overlapping halves, coordinates in [0, 1].
    pyramid=$out/pyramid.npz
    [ -n "$chosen" ] || describe_all joints "$pyramid" --temporal-pyramid 2 --overlap --unit-range --regularize 1e-6
fi

# evaluate_both FOLDER FILE OPTIONS...: two and three subjects train.
evaluate_both() {
    folder=$1 covs=$2
    shift 2
    mkdir -p "$folder"
    [ -z "$actions" ] || keep_where "y=$actions" actions
    spdml evaluate "$covs" "$@" --train-where "subject=$two" --seed "$seed" --final none -o "$folder/train-2"
    spdml evaluate "$covs" "$@" --train-where "subject=$two,$third" --seed "$seed" --final none -o "$folder/train-3"
}
evaluate_both "$out" "$covs" --methods "$methods" --paper --cv $folds "$@"
set -- "$out/train-2" "$out/train-3"
if [ -n "$pyramid" ] && [ -z "$chosen" ]; then
    evaluate_both "$out/cov3dj" "$pyramid" --methods cov3dj --grid cost=10 --no-report
    set -- "$@" "$out/cov3dj/train-2" "$out/cov3dj/train-3"
fi
table --beside "$here/motion.csv" "$@"
