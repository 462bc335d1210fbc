#!/bin/sh
# images.sh [FOLDER [NEW]] - images in folders: describe them, compare methods, learn a map, and
# classify new images.
#
#   FOLDER   holds one folder of images for each class; generated textures unless given
#   NEW      images whose class is asked for; generated unless given
# Everything is written to the current folder: covs.npz, results/, map.spdml, small.npz,
# predictions.npz. SIZE=400 describes images at 400 x 400 pixels, M=40 maps to 40 x 40.
set -eu
size=${SIZE:-100}
m=${M:-20}

if test $# -eq 0; then
    spdml synth textures -o materials --classes 5 --samples 8 --size "$size"
    spdml synth textures -o unseen --classes 5 --samples 2 --size "$size" --seed 2
    set -- materials unseen
fi

# A 155 x 155 covariance for each image, labelled by its folder.
spdml describe sift-color "$1" --size "$size" -o covs.npz
spdml info covs.npz

# How well can classes be told apart? Half of each class trains, the rest is tested.
spdml evaluate covs.npz --methods nn-stein,nn-stein-ml,cdl --split 0.5 --repeats 2 \
    -m "$m" -o results

# The map from all images, and the images behind it.
spdml fit covs.npz -m "$m" --metric stein -o map.spdml
spdml transform map.spdml covs.npz -o small.npz

# New images: the model projects their features, so that small matrices come out directly.
if test $# -gt 1; then
    spdml describe sift-color "$2" --size "$size" --model map.spdml -o new.npz
    spdml classify --train small.npz --test new.npz --method nn-stein -o predictions.npz
fi
